//! How the tracker does on recordings nobody has tuned it for: every BVH file under `${shared}/mocap/cmu`, whole, on flat ground, with
//! the defaults. A recording's own skeleton is the figure.

use std::path::Path;

use serde_json::json;

use super::{Kind, Measured, Plan, Report, Results, Size, Study, StudyError, Table, Trial};
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
    Plan::new(&["clip"], &[], &OUTCOMES, clips.map(|name| vec![name]))
}

fn scene_text(clip: &str) -> String {
    let mut text = format!(
        "schema = 1\nshows = \"a recording\"\nduration = {LONGEST:?}\nrate = 120\n[[terrain]]\nkind = \"plane\"\n\
         [[character]]\nname = \"it\"\nfigure = \"bvh\"\nmotion = {{ bvh = '{FOLDER}/{clip}.bvh' }}\n\
         controller = {{ kind = \"dynamo\" }}\n"
    );
    for (quantity, stat) in MEASURES {
        text += &format!("[[measure]]\nquantity = \"{quantity}\"\nof = \"it\"\nstat = \"{stat}\"\n");
    }
    text
}

fn run(trial: &Trial) -> Result<Vec<f64>, StudyError> {
    let scene = Scene::parse("clip-trials.toml", &scene_text(&trial.key()), &[])?;
    let mut run = Run::new(&scene, &variants_of(&scene, None)?)?;
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
    text += &format!("{:<16}{:>9}", "clip", "seconds");
    OUTCOMES[2..].iter().for_each(|o| text += &format!("{:>9}", o.name));
    text.push('\n');
    for (trial, row) in results.plan.trials.iter().zip(&results.outcomes) {
        text += &format!("{:<16}{:>9.1}", trial.key(), row[0]);
        row[2..].iter().for_each(|x| text += &format!("{x:>9.3}"));
        text += if row[1] == 1.0 { "\n" } else { "  MISSED\n" };
    }
    let held = results.outcomes.iter().filter(|row| row[1] == 1.0).count();
    let share = stats::rate(held, results.outcomes.len());
    text += &format!(
        "{held} of {} without a fall or a launch ({:.2}, {:.2} to {:.2})\n",
        results.outcomes.len(),
        share.value,
        share.low,
        share.high
    );
    Ok(Report { text, json: json!(table.to_json()) })
}
