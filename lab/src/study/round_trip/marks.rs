//! What was promised, and whether it holds. Written before the first run.

use super::super::{Mark, Results};
use super::hit::{FALLS, SETS, TRIPS, WAYS};
use super::watch::OUTCOMES;
use crate::stats;

/// Least share of hits after which it is back within ten seconds.
const BACK: f64 = 0.95;
/// Longest way back of one who never fell, s.
const SOON: f64 = 2.0;
/// Largest distance of the joints at a splice, m.
const SPLICE: f64 = 0.05;
/// Farthest slide of a foot at a splice, m.
const SLIDE: f64 = 0.02;
/// Largest acceleration at a splice, of those around it.
const POP: f64 = 1.5;
/// Least share of falls forward and aside with hands or forearms first.
const HANDS: f64 = 0.8;
/// Largest speed of the head as it strikes, of the rag doll's.
const HEAD: f64 = 0.5;
/// Largest aid, of the weight.
const AID: f64 = 0.5;
/// Direction of a fall from which on it is one back, degrees.
const BACKWARD: f64 = 135.0;

/// An outcome of all trials of a part that fit.
fn column(results: &Results, part: &str, name: &str, fits: impl Fn(&[String], &[f64]) -> bool) -> Vec<f64> {
    let Some(k) = OUTCOMES.iter().position(|o| o.name == name) else { return Vec::new() };
    let rows = results.plan.trials.iter().zip(&results.outcomes);
    rows.filter(|(t, row)| t.0[0] == part && fits(&t.0, row)).map(|(_, row)| row[k]).collect()
}

fn number(row: &[f64], name: &str) -> f64 {
    OUTCOMES.iter().position(|o| o.name == name).map_or(f64::NAN, |k| row[k])
}

fn mean(values: &[f64]) -> f64 {
    let known: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    known.iter().sum::<f64>() / known.len() as f64
}

/// All promises.
pub(super) fn judge(results: &Results) -> Vec<Mark> {
    let mut marks = Vec::new();
    for set in [None, Some(SETS[0]), Some(SETS[1])] {
        let words = set.unwrap_or("all");
        let of = |name: &str, fits: &dyn Fn(&[f64]) -> bool| {
            column(results, TRIPS, name, |t, row| set.is_none_or(|set| t[1] == set) && fits(row))
        };
        let back = of("back", &|_| true);
        let share = stats::rate(back.iter().filter(|v| **v == 1.0).count(), back.len());
        marks.push(Mark {
            what: format!("back in the motion within 10 s, {words}: at least {BACK}"),
            found: format!("{:.3} ({:.3} to {:.3}, n = {})", share.value, share.low, share.high, share.n),
            holds: share.value >= BACK,
        });
        let up = of("away", &|row| number(row, "fell") == 0.0);
        let soon = up.iter().filter(|t| **t <= SOON).count();
        marks.push(Mark {
            what: format!("of those that never fell, back within {SOON} s, {words}: all"),
            found: format!("{soon} of {}", up.len()),
            holds: soon == up.len(),
        });
        // Added after shards of the study were seen, beside the promise as it was: a stagger is balance lost and found again, and its clip takes two seconds.
        let kept = of("away", &|row| number(row, "fell") == 0.0 && number(row, "staggered") == 0.0);
        let soon = kept.iter().filter(|t| **t <= SOON).count();
        marks.push(Mark {
            what: format!("of those that neither fell nor staggered, back within {SOON} s, {words}: all"),
            found: format!("{soon} of {}", kept.len()),
            holds: soon == kept.len(),
        });
        for (what, name, bound) in [
            ("distance of joints at a splice, m", "splice", SPLICE),
            ("slide of a foot at a splice, m", "slide", SLIDE),
            ("acceleration at a splice, of those around it", "pop", POP),
            ("aid, of the weight", "aid", AID),
            ("aid outside docking, of the weight", "aid_elsewhere", 0.0),
        ] {
            let values = of(name, &|_| true);
            let above = values.iter().filter(|v| v.is_nan() || **v > bound).count();
            let mut sorted = values.clone();
            sorted.sort_by(f64::total_cmp);
            let at = |p: f64| {
                sorted.get((p * (sorted.len().max(1) - 1) as f64) as usize).copied().unwrap_or(f64::NAN)
            };
            marks.push(Mark {
                what: format!("{what}, {words}: at most {bound}"),
                found: format!(
                    "median {:.3}, 95 % {:.3}, largest {:.3}, above it {above} of {}",
                    at(0.5),
                    at(0.95),
                    at(1.0),
                    values.len()
                ),
                holds: above == 0,
            });
        }
    }
    let falls = |way: &str, name: &str| column(results, FALLS, name, |t, _| t[3] == way);
    let limp = mean(&falls(WAYS[2], "head_speed"));
    for way in &WAYS[..2] {
        let forward = column(results, FALLS, "hands_first", |t, row| {
            t[3] == *way && number(row, "sideways") < BACKWARD
        });
        let known: Vec<f64> = forward.into_iter().filter(|v| v.is_finite()).collect();
        let share = stats::rate(known.iter().filter(|v| **v == 1.0).count(), known.len());
        marks.push(Mark {
            what: format!("falls forward and aside, hands or forearms first, {way}: at least {HANDS}"),
            found: format!("{:.3} ({:.3} to {:.3}, n = {})", share.value, share.low, share.high, share.n),
            holds: share.value >= HANDS,
        });
        let head = mean(&falls(way, "head_speed"));
        marks.push(Mark {
            what: format!("mean speed of the head as it strikes, of the rag doll's, {way}: at most {HEAD}"),
            found: format!("{:.2} ({head:.2} of {limp:.2} m/s)", head / limp),
            holds: head <= HEAD * limp,
        });
    }
    marks
}
