//! How the tracker does on recordings nobody has tuned it for: every BVH file under `${shared}/mocap/cmu`, whole, on flat ground, with
//! the defaults. A recording's own skeleton is the figure. Each is tried in three other ways besides, on which nothing at all was chosen: on the library's
//! figure, from a third of its length on, and at twice the rate of steps.

use std::path::Path;

use serde_json::json;

use super::{Kind, Measured, Plan, Report, Results, Size, Study, StudyError, Table, Trial, grid};
use crate::run::{Run, variants_of};
use crate::scene::Scene;
use crate::scene::shared::listed;
use crate::stats;

/// The study's row.
pub const STUDY: Study = Study {
    name: "clip-trials",
    help: "World-space tracking of every recording at hand under the defaults: falls, launches, slide, way, error",
    plan,
    run,
    files: Vec::new,
    report,
};

/// Where the recordings are.
const FOLDER: &str = "${shared}/mocap/cmu";
/// Thrown up: beyond this share of the recording's highest point.
const LAUNCHED: f64 = 1.5;
/// Longest stretch of a recording, s.
const LONGEST: f64 = 60.0;

/// How a recording is tried.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Own,
    Library,
    Late,
    Fine,
}

impl Way {
    const ALL: [Self; 4] = [Self::Own, Self::Library, Self::Late, Self::Fine];

    const fn name(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Library => "library",
            Self::Late => "late",
            Self::Fine => "fine",
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Self::Own => "on its own skeleton",
            Self::Library => "on the library's figure",
            Self::Late => "from a third of its length on",
            Self::Fine => "at 240 steps per second",
        }
    }
}

const OUTCOMES: [Measured; 8] = [
    Measured { name: "seconds", unit: "s", kind: Kind::Mean },
    Measured { name: "held", unit: "", kind: Kind::Rate },
    Measured { name: "fell", unit: "", kind: Kind::Rate },
    Measured { name: "launch", unit: "", kind: Kind::Mean },
    Measured { name: "error", unit: "rad", kind: Kind::Mean },
    Measured { name: "slide", unit: "m/m", kind: Kind::Mean },
    Measured { name: "way", unit: "", kind: Kind::Mean },
    Measured { name: "cheat", unit: "", kind: Kind::Mean },
];

/// What is measured, how, beside how long it is and whether it held.
const MEASURES: [(&str, &str); 6] = [
    ("falls", "max"),
    ("launch", "max"),
    ("attitude-error", "mean"),
    ("slide-per-metre", "last"),
    ("way-share", "last"),
    ("cheat", "mean"),
];

fn plan(size: Size) -> Plan {
    let most = match size {
        Size::Full => usize::MAX,
        Size::Quick => 2,
    };
    let plain = |name: &String| !name.contains([',', '"', '\n', '\r']);
    let clips = listed(FOLDER, "bvh").into_iter().filter(plain).take(most);
    let ways = Way::ALL.map(|way| way.name().to_owned()).to_vec();
    Plan::new(&["clip", "way"], &[], &OUTCOMES, grid(&[clips.collect(), ways]))
}

fn scene_text(clip: &str, way: Way, start: f64) -> String {
    let figure = if way == Way::Library { "library" } else { "bvh" };
    let rate = if way == Way::Fine { 240 } else { 120 };
    let mut text = format!(
        "schema = 1\nshows = \"a recording\"\nduration = {LONGEST:?}\nrate = {rate}\n[[terrain]]\nkind = \"plane\"\n\
         [[character]]\nname = \"it\"\nfigure = \"{figure}\"\nmotion = {{ bvh = '{FOLDER}/{clip}.bvh', start = {start:?} }}\n\
         controller = {{ kind = \"dynamo\" }}\n"
    );
    for (quantity, stat) in MEASURES {
        text += &format!("[[measure]]\nquantity = \"{quantity}\"\nof = \"it\"\nstat = \"{stat}\"\n");
    }
    text
}

fn run(trial: &Trial) -> Result<Vec<f64>, StudyError> {
    let clip = trial.0.first().map_or("", String::as_str);
    let way = Way::ALL.into_iter().find(|way| trial.0.get(1).is_some_and(|name| name == way.name()));
    let way = way.unwrap_or(Way::Own);
    let begin = |start: f64| -> Result<Run, StudyError> {
        let scene = Scene::parse("clip-trials.toml", &scene_text(clip, way, start), &[])?;
        Ok(Run::new(&scene, &variants_of(&scene, None)?)?)
    };
    let mut run = begin(0.0)?;
    if let (Way::Late, Some(seconds)) = (way, run.motion_seconds()) {
        run = begin(seconds / 3.0)?;
    }
    let seconds = run.motion_seconds().unwrap_or(LONGEST).min(LONGEST);
    run.advance_to(seconds);
    let metrics = run.metrics();
    let read = |quantity: &str| {
        metrics.measurements.iter().find(|m| m.quantity == quantity).and_then(|m| m.value).unwrap_or(f64::NAN)
    };
    let held = metrics.failures.is_empty() && read("falls") == 0.0 && read("launch") <= LAUNCHED;
    let measured = MEASURES.map(|(quantity, _)| read(quantity));
    Ok([&[seconds, f64::from(u8::from(held))], measured.as_slice()].concat())
}

fn report(results: &Results, _: &Path) -> Result<Report, StudyError> {
    let table = Table::of(results);
    let mut text = String::new();
    if results.outcomes.is_empty() {
        text += &format!("skipped: no recordings at {FOLDER}\n");
        return Ok(Report { text, json: json!(table.to_json()) });
    }
    text += &format!("{:<24}{:>9}", "clip", "seconds");
    OUTCOMES[2..].iter().for_each(|o| text += &format!("{:>9}", o.name));
    text.push('\n');
    for (trial, row) in results.plan.trials.iter().zip(&results.outcomes) {
        text += &format!("{:<24}{:>9.1}", trial.0.join(", "), row[0]);
        row[2..].iter().for_each(|x| text += &format!("{x:>9.3}"));
        text += if row[1] == 1.0 { "\n" } else { "  MISSED\n" };
    }
    for way in Way::ALL {
        let of_way = results.plan.trials.iter().zip(&results.outcomes);
        let rows: Vec<_> = of_way.filter(|(trial, _)| trial.0[1] == way.name()).map(|(_, row)| row).collect();
        let held = rows.iter().filter(|row| row[1] == 1.0).count();
        let share = stats::rate(held, rows.len());
        text += &format!(
            "{}: {held} of {} without a fall or a launch ({:.2}, {:.2} to {:.2})\n",
            way.words(),
            rows.len(),
            share.value,
            share.low,
            share.high
        );
    }
    Ok(Report { text, json: json!(table.to_json()) })
}
