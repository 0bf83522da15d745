//! Every scene of round trips under many seeds: which of its marks hold.
//!
//! A scene says what chance has in it (`late`, `spread`): when somebody is hit, how hard and from where. A trial is a scene under a seed; what is kept is which of its marks did not hold. Of three seeds
//! one is held back from tuning.

use std::path::Path;

use serde_json::json;

use super::{Kind, Measured, Plan, Report, Results, Size, Study, StudyError, Table, Trial};
use crate::run::{Run, variants_of};
use crate::scene::Scene;

/// The study's row.
pub const STUDY: Study = Study {
    name: "round-trip-scenes",
    help: "Scenes of round trips from twenty seeds each: which of their marks hold",
    plan,
    run,
    files: Vec::new,
    report,
};

/// The scenes.
const SCENES: [&str; 12] = [
    "roundtrip-catch",
    "roundtrip-compare",
    "roundtrip-crate",
    "roundtrip-crowd",
    "roundtrip-fall",
    "roundtrip-gaits",
    "roundtrip-ledge",
    "roundtrip-recorded",
    "roundtrip-stairs",
    "roundtrip-stand",
    "roundtrip-sway",
    "roundtrip-sweep",
];

/// Seeds of each.
const SEEDS: u64 = 20;
/// What is held back of three seeds.
const HELD_BACK: u64 = 2;

const fn outcome(name: &'static str, kind: Kind) -> Measured {
    Measured { name, unit: "", kind }
}

/// Whether all marks hold, how many there are, and which do not: a bit each, in the order of the scene's measurements. Numbers are exact to 53 of them.
const OUTCOMES: [Measured; 3] =
    [outcome("held", Kind::Rate), outcome("marks", Kind::Mean), outcome("missed", Kind::Mean)];
const BITS: usize = 53;

fn plan(size: Size) -> Plan {
    let seeds = match size {
        Size::Full => SEEDS,
        Size::Quick => 1,
    };
    let of = |scene: &'static str| {
        (1..=seeds).map(move |seed| {
            let set = if seed % 3 == HELD_BACK { "held-back" } else { "tuned" };
            vec![scene.to_owned(), set.to_owned(), seed.to_string()]
        })
    };
    let trials: Vec<Vec<String>> = SCENES.into_iter().flat_map(of).collect();
    Plan::new(&["scene", "set", "seed"], &["seed"], &OUTCOMES, trials)
}

fn begin(scene: &str, seed: &str) -> Result<(Run, f64), StudyError> {
    let scene = Scene::load(scene, &[format!("seed={seed}")])?;
    let run = Run::new(&scene, &variants_of(&scene, None)?)?;
    Ok((run, scene.duration))
}

fn run(trial: &Trial) -> Result<Vec<f64>, StudyError> {
    let (mut run, duration) = begin(&trial.0[0], &trial.0[2])?;
    run.advance_to(duration);
    let metrics = run.metrics();
    let marked = |m: &&crate::measure::Reading| m.min.is_some() || m.max.is_some();
    let marks = metrics.measurements.iter().filter(marked).count();
    let missed: f64 = metrics
        .measurements
        .iter()
        .take(BITS)
        .enumerate()
        .filter(|(_, m)| !m.passed)
        .map(|(k, _)| (1_u64 << k) as f64)
        .sum();
    let held = metrics.failures.is_empty() && metrics.measurements.iter().all(|m| m.passed);
    Ok(vec![f64::from(u8::from(held)), marks as f64, missed])
}

fn report(results: &Results, _: &Path) -> Result<Report, StudyError> {
    let mut text = String::new();
    for scene in SCENES {
        let all = results.plan.trials.iter().zip(&results.outcomes);
        let rows: Vec<_> = all.filter(|(t, _)| t.0[0] == scene).collect();
        let count = |set: Option<&str>| {
            let of: Vec<_> = rows.iter().filter(|(t, _)| set.is_none_or(|set| t.0[1] == set)).collect();
            (of.iter().filter(|(_, row)| row[0] == 1.0).count(), of.len())
        };
        let ((held, n), (back, of_back)) = (count(None), count(Some("held-back")));
        text += &format!("{scene:20} {held} of {n} seeds, {back} of {of_back} held back\n");
        let (world, _) = begin(scene, "1")?;
        let names: Vec<String> = world.metrics().measurements.into_iter().map(|m| m.name).collect();
        for (trial, row) in rows.iter().filter(|(_, row)| row[0] != 1.0) {
            let bits = row[2] as u64;
            let missed = names.iter().take(BITS).enumerate().filter(|(k, _)| bits >> k & 1 == 1);
            let missed: Vec<&str> = missed.map(|(_, name)| name.as_str()).collect();
            text += &format!("    seed {:>2} MISSED {}\n", trial.0[2], missed.join("; "));
        }
    }
    Ok(Report { text, json: json!(Table::of(results).to_json()) })
}
