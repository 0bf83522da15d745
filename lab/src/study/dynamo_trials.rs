//! How often world-space control does what its scenes show once: the obstacle course, balls and crates, bouts, from many seeds.
//!
//! A trial is a scene of the library under a seed; what is read are the scene's own measurements, by name, beside the aim that each has. Aims stand here
//! apart from the scenes' marks: a mark says what one seed does today, an aim what every seed should.

use std::path::Path;

use serde_json::json;

use super::{Kind, Measured, Plan, Report, Results, Size, Study, StudyError, Table, Trial, grid};
use crate::run::{Run, variants_of};
use crate::scene::Scene;

/// The study's row.
pub const STUDY: Study = Study {
    name: "dynamo-trials",
    help: "Obstacle course, balls and crates, and bouts of three minutes under world-space control from many seeds, beside their aims",
    plan,
    run,
    files: Vec::new,
    report,
};

/// What a reading should be.
#[derive(Clone, Copy, Debug)]
enum Aim {
    Most(f64),
    Least(f64),
    /// Only told.
    None,
}

impl Aim {
    fn holds(self, value: f64) -> bool {
        match self {
            Self::Most(most) => value <= most,
            Self::Least(least) => value >= least,
            Self::None => true,
        }
    }

    fn words(self) -> String {
        match self {
            Self::Most(most) => format!("at most {most}"),
            Self::Least(least) => format!("at least {least}"),
            Self::None => "no aim".to_owned(),
        }
    }
}

/// A scene under many seeds.
struct Group {
    name: &'static str,
    scene: &'static str,
    set: &'static [&'static str],
    seeds: u64,
    /// Column, name of the scene's measurement, aim.
    read: &'static [(&'static str, &'static str, Aim)],
}

/// Far enough to have all of the course behind one, m: its last block ends 11.05 m from the middle of the starts, which are off by 0.4.
const THROUGH: f64 = 11.5;

const GROUPS: [Group; 3] = [
    Group {
        name: "course",
        scene: "dynamo-obstacles",
        set: &[],
        seeds: 40,
        read: &[
            ("falls", "falls in world space", Aim::Most(0.0)),
            ("way", "way in world space", Aim::Least(THROUGH)),
            ("share", "share of the recorded way", Aim::Least(0.8)),
            ("flight", "time in the air in world space", Aim::None),
            ("error", "attitude error in world space", Aim::None),
            ("parent_falls", "falls in parent space", Aim::None),
            ("parent_way", "way in parent space", Aim::None),
        ],
    },
    Group {
        name: "impacts",
        scene: "dynamo-impacts",
        set: &[],
        seeds: 20,
        read: &[
            ("ball_falls", "falls under the balls", Aim::Most(0.0)),
            ("crate_falls", "falls with the weak spring", Aim::Least(1.0)),
            ("hook_falls", "falls with the meathook", Aim::Most(0.0)),
            ("down", "time until the one with a mind stands again", Aim::Most(10.0)),
        ],
    },
    Group {
        name: "bout",
        scene: "dynamo-boxing",
        set: &["duration=180"],
        seeds: 20,
        read: &[
            ("reach", "within reach while both stand", Aim::Least(0.6)),
            ("hits", "punches that landed", Aim::Least(1.0)),
            ("downs", "knock-downs", Aim::Least(1.0)),
            ("ups", "recoveries", Aim::Least(1.0)),
            ("longest_down", "longest-down", Aim::Most(15.0)),
            ("clinch", "longest clinch", Aim::Most(5.0)),
        ],
    },
];

fn columns() -> Vec<Measured> {
    let held = Measured { name: "held", unit: "", kind: Kind::Rate };
    let read = GROUPS.iter().flat_map(|group| group.read);
    std::iter::once(held)
        .chain(read.map(|(name, _, _)| Measured { name, unit: "", kind: Kind::Mean }))
        .collect()
}

fn plan(size: Size) -> Plan {
    let trials = GROUPS.iter().flat_map(|group| {
        let seeds = match size {
            Size::Full => group.seeds,
            Size::Quick => u64::from(group.name == "course"),
        };
        grid(&[vec![group.name.to_owned()], (1..=seeds).map(|seed| seed.to_string()).collect()])
    });
    Plan::new(&["scene", "seed"], &["seed"], &columns(), trials)
}

fn run(trial: &Trial) -> Result<Vec<f64>, StudyError> {
    let mut row = vec![f64::NAN; columns().len()];
    let mut column = 1;
    for group in &GROUPS {
        if trial.0.first().is_some_and(|name| name == group.name) {
            let seed = trial.get::<u64>(1).unwrap_or(1);
            let set: Vec<String> =
                group.set.iter().map(|s| (*s).to_owned()).chain([format!("seed={seed}")]).collect();
            let scene = Scene::load(group.scene, &set)?;
            let mut run = Run::new(&scene, &variants_of(&scene, None)?)?;
            run.advance_to(scene.duration);
            let metrics = run.metrics();
            let mut held = metrics.failures.is_empty();
            for (k, (_, measure, aim)) in group.read.iter().enumerate() {
                let value = metrics.measurements.iter().find(|m| m.name == *measure).and_then(|m| m.value);
                let value = value.unwrap_or(f64::NAN);
                held &= aim.holds(value);
                row[column + k] = value;
            }
            row[0] = f64::from(u8::from(held));
        }
        column += group.read.len();
    }
    Ok(row)
}

fn report(results: &Results, _: &Path) -> Result<Report, StudyError> {
    let mut text = String::new();
    let mut column = 1;
    for group in &GROUPS {
        let of_group =
            results.plan.trials.iter().zip(&results.outcomes).filter(|(t, _)| t.0[0] == group.name);
        let rows: Vec<(&str, &[f64])> = of_group.map(|(t, row)| (t.0[1].as_str(), row.as_slice())).collect();
        let mine = column..column + group.read.len();
        column = mine.end;
        if rows.is_empty() {
            continue;
        }
        text += &format!("{:<10}", group.name);
        group.read.iter().for_each(|(name, _, _)| text += &format!("{name:>13}"));
        text.push('\n');
        for (seed, row) in &rows {
            text += &format!("{seed:<10}");
            row[mine.clone()].iter().for_each(|x| text += &format!("{x:>13.3}"));
            text += if row[0] == 1.0 { "\n" } else { "  MISSED\n" };
        }
        for (k, (_, measure, aim)) in mine.clone().zip(group.read) {
            let values: Vec<f64> = rows.iter().map(|(_, row)| row[k]).collect();
            let held = values.iter().filter(|x| aim.holds(**x)).count();
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let (least, most) = values
                .iter()
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), x| (least.min(*x), most.max(*x)));
            let count =
                if matches!(aim, Aim::None) { String::new() } else { format!(": {held} of {}", rows.len()) };
            text += &format!("{measure}, {}{count}; mean {mean:.3}, {least:.3} to {most:.3}\n", aim.words());
        }
        let held = rows.iter().filter(|(_, row)| row[0] == 1.0).count();
        text += &format!("{}: {held} of {} seeds meet all aims\n\n", group.name, rows.len());
    }
    Ok(Report { text, json: json!(Table::of(results).to_json()) })
}
