//! Whether a stuntperson gets up, whatever way it fell: random pushes from every side, until it is at rest, and up again.
//!
//! It stands, is pushed about by chance for a moment with its joints driven elsewhere (so that no two falls are alike), and then pushed over.
//! At rest is when the skill that falls has done what it is for. It is up when it balances again, and still does a second later.

use std::path::Path;

use serde_json::json;
use stuntlab_control::chronicle::Entry;
use stuntlab_viewer::plot::LinePlot;

use super::{
    Kind, Mark, Measured, Plan, Report, Results, Size, Study, StudyError, Trial, grid, latin_hypercube,
};
use crate::disk;
use crate::run::{Run, variants_of};
use crate::scene::Scene;
use crate::stats::{self, Estimate};
use crate::tune::space::{Range, Scale};

/// The study's row.
pub const STUDY: Study = Study {
    name: "get-up-study",
    help: "Falls of a stuntperson by random pushes from every side: does it stand again within 10 s?",
    plan,
    run,
    files: || ["svg", "png"].map(|ending| format!("{PICTURE}.{ending}")).to_vec(),
    report,
};

const PICTURE: &str = "get-up";
const FACTORS: [&str; 6] = ["direction_deg", "sample", "impulse_Ns", "aside_deg", "height_m", "seed"];
const OUTCOMES: [Measured; 6] = [
    Measured { name: "fell", unit: "", kind: Kind::Rate },
    Measured { name: "rose", unit: "", kind: Kind::Rate },
    Measured { name: "rose_first_try", unit: "", kind: Kind::Rate },
    Measured { name: "seconds_to_stand", unit: "s", kind: Kind::Mean },
    Measured { name: "head_impact", unit: "m/s", kind: Kind::Mean },
    Measured { name: "help", unit: "of 1", kind: Kind::Mean },
];

/// Sides it is pushed to.
const SIDES: usize = 8;
/// When it is pushed, s: a moment after chance has let go of it.
const PUSH: f64 = 0.6;
/// How long it may take from rest to a stand, and how long it must stand then, s.
const WITHIN: f64 = 10.0;
const STANDS: f64 = 1.0;
/// A run: the fall takes 4 s at most.
const DURATION: f64 = PUSH + 4.0 + WITHIN + STANDS + 0.4;
/// Share that shall be up.
const WANTED: f64 = 0.95;

fn plan(size: Size) -> Plan {
    let samples = if size == Size::Full { 125 } else { 2 };
    let sides = (0..SIDES).map(|k| format!("{:?}", 360.0 * k as f64 / SIDES as f64)).collect();
    let linear = |lower, upper| Range { lower, upper, scale: Scale::Linear };
    // From what just topples it to what throws it; aside by half of a sector; at the pelvis, the chest and between.
    let ranges = [linear(50.0, 120.0), linear(-22.5, 22.5), linear(-0.1, 0.3)];
    let luck = latin_hypercube(samples, &ranges, 1, "get-up-study");
    let cells = grid(&[sides]);
    let trials = cells.into_iter().enumerate().flat_map(|(side, cell)| {
        let with = |(k, point): (usize, &Vec<f64>)| {
            let numbers = point.iter().map(|x| format!("{x:?}"));
            let seed = (1000 * side + k + 1).to_string();
            cell.iter().cloned().chain([k.to_string()]).chain(numbers).chain([seed]).collect::<Vec<_>>()
        };
        luck.iter().enumerate().map(with).collect::<Vec<_>>()
    });
    Plan::new(&FACTORS, &FACTORS[1..], &OUTCOMES, trials)
}

/// The scene of a trial; `None` where it is not one of this study.
fn scene_text(trial: &Trial) -> Option<String> {
    let (direction, impulse, aside): (f64, f64, f64) = (trial.get(0)?, trial.get(2)?, trial.get(3)?);
    let (height, seed): (f64, u64) = (trial.get(4)?, trial.get(5)?);
    let (sin, cos) = (direction + aside).to_radians().sin_cos();
    Some(format!(
        "schema = 1\nshows = \"a fall\"\nduration = {DURATION:?}\nrate = 120\nseed = {seed}\n\
         [[terrain]]\nkind = \"plane\"\n\
         [[character]]\nname = \"it\"\nfigure = \"stuntperson\"\n\
         controller = {{ kind = \"stuntperson\", shake_time = 0.4, shake_force = 150.0, shake_angle = 25.0 }}\n\
         [[event]]\nkind = \"push\"\ntime = {PUSH:?}\nbody = \"it/torso\"\nduration = 0.1\n\
         point = [0.0, 0.0, {height:?}]\nimpulse = [{:?}, {:?}, 0.0]\n\
         [[measure]]\nquantity = \"head-impact\"\nof = \"it\"\nstat = \"last\"\n\
         [[measure]]\nquantity = \"cheat\"\nof = \"it\"\nstat = \"max\"\nfrom = 0.5\n",
        impulse * cos,
        impulse * sin,
    ))
}

/// When it was at rest, when it stood again for good, and whether it rose at the first try; what did not happen is NaN.
fn went(entries: &[Entry]) -> (f64, f64, bool) {
    let fell = entries.iter().position(|e| e.chosen == "fall");
    let Some(rest) = fell.and_then(|k| entries.get(k + 1)) else { return (f64::NAN, f64::NAN, false) };
    let after: Vec<&Entry> = entries.iter().filter(|e| e.time >= rest.time).collect();
    let stands = |(k, e): (usize, &&Entry)| {
        let lasts = after.get(k + 1).is_none_or(|next| next.time - e.time > STANDS);
        (e.chosen == "balance" && lasts).then_some((k, e.time))
    };
    match after.iter().enumerate().find_map(stands) {
        Some((k, time)) => {
            let tries = after[..k]
                .iter()
                .filter(|e| e.chosen.ends_with("-to-stand") && !e.chosen.starts_with("crouch"));
            (rest.time, time, tries.count() <= 1)
        }
        None => (rest.time, f64::NAN, false),
    }
}

fn run(trial: &Trial) -> Result<Vec<f64>, StudyError> {
    let Some(text) = scene_text(trial) else { return Ok(vec![f64::NAN; OUTCOMES.len()]) };
    let scene = Scene::parse("get-up-study.toml", &text, &[])?;
    let mut run = Run::new(&scene, &variants_of(&scene, None)?)?;
    run.advance_to(scene.duration);
    let metrics = run.metrics();
    let read = |quantity: &str| {
        metrics.measurements.iter().find(|m| m.quantity == quantity).and_then(|m| m.value).unwrap_or(f64::NAN)
    };
    let controllers = run.lanes.first().map(|lane| &lane.world.controllers);
    let entries = controllers.and_then(|all| all.first()).map_or(&[][..], |it| it.chronicle());
    let (rest, stood, first) = went(entries);
    let share = |yes: bool| f64::from(u8::from(yes));
    let fell = rest.is_finite();
    let rose = metrics.failures.is_empty() && stood - rest <= WITHIN;
    // One who did not fall has nothing to rise from.
    let of_falls = |x: f64| if fell { x } else { f64::NAN };
    Ok(vec![
        share(fell),
        of_falls(share(rose)),
        of_falls(share(rose && first)),
        if rose { stood - rest } else { f64::NAN },
        of_falls(read("head-impact")),
        read("cheat"),
    ])
}

/// Of a direction, or of all: how many fell, and of those who did how many rose, at the first try, in what time, with what blow to the head.
fn of_falls(results: &Results, direction: Option<&str>) -> [Estimate; 5] {
    let trials = results.plan.trials.iter().zip(&results.outcomes);
    let meant = |t: &Trial| direction.is_none_or(|d| t.0.first().is_some_and(|own| own == d));
    let all: Vec<&Vec<f64>> = trials.filter(|(t, _)| meant(t)).map(|(_, o)| o).collect();
    let fell: Vec<&Vec<f64>> = all.iter().copied().filter(|o| o[0] == 1.0).collect();
    let rate = |column: usize| stats::rate(fell.iter().filter(|o| o[column] == 1.0).count(), fell.len());
    let mean = |column: usize| stats::mean(&fell.iter().map(|o| o[column]).collect::<Vec<f64>>());
    [stats::rate(fell.len(), all.len()), rate(1), rate(2), mean(3), mean(4)]
}

fn report(results: &Results, dir: &Path) -> Result<Report, StudyError> {
    let directions = results.plan.values(0);
    let rows: Vec<(&str, [Estimate; 5])> = directions
        .iter()
        .map(|d| (*d, of_falls(results, Some(d))))
        .chain([("all", of_falls(results, None))])
        .collect();
    let plot = line_plot(&rows);
    disk::write(&dir.join(format!("{PICTURE}.svg")), plot.to_svg(720, 440).as_bytes())?;
    disk::write_picture(&dir.join(format!("{PICTURE}.png")), &plot.to_canvas(720, 440))?;
    let mut text =
        "pushed to, °  falls  fell  up within 10 s (95 % interval)  first try  seconds  head, m/s\n"
            .to_owned();
    for (direction, e) in &rows {
        text += &format!(
            "{direction:>12}  {:>5}  {:>4.2}  {:>5.3} ({:.3} to {:.3})          {:>5.3}      {:>5.2}    {:>5.2}\n",
            e[1].n, e[0].value, e[1].value, e[1].low, e[1].high, e[2].value, e[3].value, e[4].value
        );
    }
    let all = of_falls(results, None);
    let helped = results.outcomes.iter().map(|o| o[5]).fold(0.0, f64::max);
    let percent = |x: f64| 100.0 * x;
    let marks = [
        Mark {
            what: format!("of settled falls {:.0} % stand again within 10 s", percent(WANTED)),
            found: format!(
                "{:.1} % of {} ({:.1} to {:.1})",
                percent(all[1].value),
                all[1].n,
                percent(all[1].low),
                percent(all[1].high)
            ),
            holds: all[1].value >= WANTED,
        },
        Mark {
            what: "no help from outside".to_owned(),
            found: format!("{helped:?} of the weight"),
            holds: helped == 0.0,
        },
    ];
    text += &Mark::text(&marks);
    let table: Vec<_> = rows
        .iter()
        .map(|(direction, e)| {
            json!({
                "direction": direction, "falls": e[1].n, "fell": e[0].value, "rose": e[1].value, "rose_low": e[1].low,
                "rose_high": e[1].high, "first_try": e[2].value, "seconds": e[3].value, "head_impact": e[4].value,
            })
        })
        .collect();
    let marks: Vec<_> = marks.iter().map(Mark::to_json).collect();
    Ok(Report { text, json: json!({ "table": table, "marks": marks }) })
}

fn line_plot(rows: &[(&str, [Estimate; 5])]) -> LinePlot {
    let title = "Up again within 10 s of rest (95 % intervals)";
    let plot = LinePlot::new(title, "direction of the push, °", "share of falls");
    let plot = LinePlot { y_range: Some((0.0, 1.0)), ..plot };
    let points = |which: usize| -> Vec<(f64, f64, f64, f64)> {
        // What is of all directions has none.
        let point = |(direction, e): &(&str, [Estimate; 5])| {
            Some((direction.parse().ok()?, e[which].value, e[which].low, e[which].high))
        };
        rows.iter().filter_map(point).collect()
    };
    plot.estimates("rose", &points(1)).estimates("at the first try", &points(2))
}
