//! What was promised, and whether it holds. Written before the first run.

use super::super::{Mark, Results, Table};
use super::cost::Cost;
use super::hit::{RANDOM, RNEA, SETS, UNSEEN};
use super::watch::{LIMBS, OUTCOMES};
use crate::stats::{self, Estimate};

/// Least share of hits after which it is back within two seconds.
const BACK: f64 = 0.95;
/// Largest way of a joint in a step, of those around it.
const POP: f64 = 1.2;
/// Farthest slide of a foot that supports, mm.
const SLIDE: f64 = 5.0;
/// Dearest step of an undisturbed character, µs.
const UNDISTURBED: f64 = 5.0;
/// A quarter of the joints costs at most so much of all.
const QUARTER: f64 = 0.5;

fn column(results: &Results, set: Option<&str>, name: &str) -> Vec<f64> {
    column_of(results, RANDOM, set, name)
}

fn column_of(results: &Results, part: &str, set: Option<&str>, name: &str) -> Vec<f64> {
    let Some(k) = OUTCOMES.iter().position(|o| o.name == name) else { return Vec::new() };
    let rows = results.plan.trials.iter().zip(&results.outcomes);
    let wanted = rows.filter(|(t, _)| t.0[0] == part && set.is_none_or(|set| t.0[1] == set));
    wanted.map(|(_, row)| row[k]).collect()
}

fn share(values: &[f64]) -> Estimate {
    stats::rate(values.iter().filter(|v| **v == 1.0).count(), values.len())
}

fn most(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, |a, b| if b.is_nan() { f64::NAN } else { f64::max(a, b) })
}

/// All promises.
pub(super) fn judge(results: &Results, costs: &[Cost]) -> Vec<Mark> {
    let mut marks = Vec::new();
    let sets = [
        ("all", RANDOM, None),
        (SETS[0], RANDOM, Some(SETS[0])),
        (SETS[1], RANDOM, Some(SETS[1])),
        ("clips not tuned on", UNSEEN, None),
    ];
    for (words, part, set) in sets {
        let of = |name| column_of(results, part, set, name);
        let back = share(&of("back"));
        marks.push(Mark {
            what: format!("back in the motion within 2 s, {words}: at least {BACK}"),
            found: format!("{:.3} ({:.3} to {:.3}, n = {})", back.value, back.low, back.high, back.n),
            holds: back.value >= BACK,
        });
        let falls = of("fell").iter().filter(|f| **f != 0.0).count();
        marks.push(Mark {
            what: format!("falls, {words}: none"),
            found: falls.to_string(),
            holds: falls == 0,
        });
        for (what, name, bound) in [
            ("largest pop at a switch", "pop", POP),
            ("largest jump of a joint as it is freed, the blow's in it", "freed", POP),
            ("the same beyond what the blow does to one free a step earlier", "freed_by_switch", POP),
            ("largest pop in any step, the motion's own strikes among them", "pop_anywhere", POP),
            ("the same, what a blow frees and stops taken to go on", "pop_without_blow", POP),
            ("farthest slide of the supporting foot, mm", "slide", SLIDE),
        ] {
            let values = of(name);
            let (worst, above) = (most(&values), values.iter().filter(|v| v.is_nan() || **v > bound).count());
            marks.push(Mark {
                what: format!("{what}, {words}: at most {bound}"),
                found: format!("{worst:.2}, above it {above} of {}", values.len()),
                holds: worst <= bound,
            });
        }
    }
    let (impulses, active) = by_impulse(results);
    let grows = active.windows(2).all(|w| w[1].value >= w[0].low);
    let list: Vec<String> = active.iter().map(|e| format!("{:.2}", e.value)).collect();
    let ends: Vec<String> = impulses.iter().map(|x| format!("{x:.0}")).collect();
    marks.push(Mark {
        what: format!("share of simulated joints grows with the impulse, about {} N s", ends.join(", ")),
        found: list.join(", "),
        holds: grows && active.last().zip(active.first()).is_some_and(|(l, f)| l.value > f.value),
    });
    let undisturbed = costs.iter().find(|c| !c.disturbed && !c.books);
    for (what, found) in
        [("all of it", undisturbed.map(|c| c.least[0])), ("its controller", undisturbed.map(|c| c.least[1]))]
    {
        let found = found.unwrap_or(f64::NAN);
        marks.push(Mark {
            what: format!("step of an undisturbed character, {what}, us: at most {UNDISTURBED}"),
            found: format!("{found:.1}"),
            holds: found <= UNDISTURBED,
        });
    }
    let quarter =
        costs.iter().filter(|c| c.disturbed && c.share() <= 0.25).map(|c| c.least[0]).reduce(f64::max);
    let all = costs.iter().filter(|c| c.disturbed).max_by_key(|c| c.joints).map(|c| c.least[0]);
    let part = quarter.zip(all).map_or(f64::NAN, |(quarter, all)| quarter / all);
    marks.push(Mark {
        what: format!("step at a quarter of the joints, of that at all: at most {QUARTER}"),
        found: format!("{part:.2}"),
        holds: part <= QUARTER,
    });
    marks
}

/// Bins of impulses, N s.
const BINS: [f64; 5] = [2.0, 11.5, 21.0, 30.5, 40.0];

/// The mean share of simulated joints in bins of impulse: their middles, and what was found.
pub(super) fn by_impulse(results: &Results) -> (Vec<f64>, Vec<Estimate>) {
    let Some(k) = results.plan.outcome("active") else { return Default::default() };
    let rows: Vec<(f64, f64)> = results
        .plan
        .trials
        .iter()
        .zip(&results.outcomes)
        .filter(|(t, _)| t.0[0] == RANDOM)
        .filter_map(|(t, row)| Some((t.get(6)?, row[k])))
        .collect();
    let bins = BINS.windows(2).map(|ends| {
        let inside: Vec<f64> =
            rows.iter().filter(|r| (ends[0]..ends[1]).contains(&r.0)).map(|r| r.1).collect();
        (0.5 * (ends[0] + ends[1]), stats::mean(&inside))
    });
    bins.filter(|(_, e)| e.n > 0).unzip()
}

/// The same hits with either estimate of what the motion bears, for people.
pub(super) fn estimates_text(results: &Results) -> String {
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len().max(1) as f64;
    let above = |x: &[f64]| x.iter().filter(|v| v.is_nan() || **v > POP).count();
    let mut text = "the same hits, A + B jointwise and by full inverse dynamics\n".to_owned();
    for (what, part) in [("jointwise", RANDOM), ("rnea", RNEA)] {
        let of = |name| column_of(results, part, None, name);
        text += &format!(
            "{what:<12} back {:.3}, falls {}, simulated {:.3}, pops at a switch above {POP}: {}, steps {}\n",
            share(&of("back")).value,
            of("fell").iter().filter(|f| **f != 0.0).count(),
            mean(&of("active")),
            above(&of("pop")),
            of("steps").iter().sum::<f64>(),
        );
    }
    let pairs = |name| column(results, None, name).into_iter().zip(column_of(results, RNEA, None, name));
    let n = pairs("active").count();
    let differ = |name: &'static str| pairs(name).map(|(a, b)| a != b).collect::<Vec<_>>();
    let limbs: Vec<Vec<bool>> = OUTCOMES[LIMBS..].iter().map(|o| differ(o.name)).collect();
    let other = (0..n).filter(|k| limbs.iter().any(|limb| limb[*k])).count();
    let more = pairs("active").filter(|(a, b)| b > a).count();
    let fewer = pairs("active").filter(|(a, b)| b < a).count();
    text + &format!(
        "rnea frees other limbs in {other} of {n} hits, more joints at the most in {more}, fewer in {fewer}\n"
    )
}

/// Which limbs answer a hit on which body, for people.
pub(super) fn map_text(limbs: &Table) -> String {
    let mut text = "share of hits of 8 N s from four sides, standing idle, that free a joint of\n".to_owned();
    text += &format!("{:<10}", "body");
    OUTCOMES[LIMBS..].iter().for_each(|o| text += &format!("{:>10}", o.name));
    text.push('\n');
    for cell in &limbs.cells {
        text += &format!("{:<10}", cell.key.join(" "));
        cell.estimates[LIMBS..].iter().for_each(|e| text += &format!("{:>10.2}", e.value));
        text.push('\n');
    }
    text
}
