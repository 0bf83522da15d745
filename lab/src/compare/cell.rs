//! Runs one cell: a set-up under its settings from its start to its end, or to where it fails, which is a result too.

use serde::{Deserialize, Serialize};

use super::ask::Cell;
use super::consistency;
use super::engine::Engine;
use super::metrics::{Meter, Readings};
use super::setup::{Headline, Seen, Subject};
use super::world_engine;
use crate::study::Outcome;

/// Points of a curve that are kept.
const KEPT: usize = 80;

/// What a cell says besides its numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// Why it did not come to its end, if it did not.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub why: Option<String>,
    /// Whether it was not even begun: the settings do not go together.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub refused: bool,
    /// The headline's curve: time and value.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub curve: Vec<(f64, f64)>,
    /// Numbers of the set-up's own, such as what a scene measures.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub own: Vec<(String, Option<f64>)>,
}

/// Settings that change how a set-up is solved and not what it is: what is expected stays.
fn keeps_closed_form(key: &str) -> bool {
    ["formulation", "integrator", "dynamics", "rate", "seed"].contains(&key) || key.starts_with("solver.")
}

/// Runs a cell.
pub fn run(subject: &Subject, cell: &Cell) -> Outcome {
    let (mut readings, note) = measure(subject, cell);
    if let (Some(row), false) = (subject.row(), note.refused)
        && let Some(pieces) = row.pieces
        && let Some(off) = consistency::measure(subject, cell, pieces)
    {
        readings.put("consistency", off);
    }
    let text = serde_json::to_string(&note).expect("texts and numbers");
    Outcome { numbers: readings.row(), note: text }
}

fn measure(subject: &Subject, cell: &Cell) -> (Readings, Note) {
    let (mut engine, duration) = match subject.build(&cell.settings, cell.seed, false) {
        Ok(built) => built,
        Err(error) => {
            let mut readings = Readings::default();
            readings.put("survived", 0.0);
            readings.put("ended", 0.0);
            let why = Some(format!("{}: {}", error.key, error.problem));
            return (readings, Note { why, refused: true, ..Note::default() });
        }
    };
    let headline = subject.row().and_then(|row| row.headline);
    let run = run_engine(engine.as_mut(), duration, headline.as_ref());
    let mut readings = run.readings;
    if let Some(headline) = headline {
        let value = if run.why.is_none() { (headline.boil)(&run.curve) } else { f64::NAN };
        readings.put("headline", value);
        let same = cell.settings.0.iter().all(|(key, _)| keeps_closed_form(key));
        if let Some(expected) = headline.expected.filter(|_| same) {
            readings.put("expected", expected);
            let off = (value - expected).abs();
            readings.put("error", if expected == 0.0 { off } else { off / expected.abs() });
        }
    }
    let own = engine.own();
    for (name, metric) in OWN {
        if let Some((_, x)) = own.iter().find(|(n, _)| n == name) {
            readings.put(metric, *x);
        }
    }
    let finite = |x: f64| x.is_finite().then_some(x);
    let note = Note {
        why: run.why,
        refused: false,
        curve: thinned(&run.curve),
        own: own.into_iter().map(|(name, x)| (name, finite(x))).collect(),
    };
    (readings, note)
}

/// Which of a world's own measurements are metrics, under which name.
const OWN: [(&str, &str); 4] = [
    ("tracking-error", "tracking"),
    ("falls", "falls"),
    ("aid-work", "aid_work"),
    (world_engine::MUSCLES, "muscle_work"),
];

/// An engine that was run.
pub(super) struct Ran {
    pub(super) readings: Readings,
    pub(super) why: Option<String>,
    curve: Vec<(f64, f64)>,
}

/// Steps an engine to its end and measures it.
pub(super) fn run_engine(engine: &mut dyn Engine, duration: f64, headline: Option<&Headline>) -> Ran {
    let mut meter = Meter::new(engine, duration);
    let start = meter.bodies().to_vec();
    let mut curve = Vec::new();
    let mut why = None;
    let mut follow = |meter: &Meter, time: f64| {
        if let Some(headline) = headline {
            let seen = Seen { start: &start, bodies: meter.bodies(), touches: meter.touches(), time };
            curve.push((time, (headline.follow)(&seen)));
        }
    };
    follow(&meter, engine.time());
    while engine.time() + 0.5 * engine.dt() < duration {
        if let Err(words) = engine.step() {
            why = Some(words);
            break;
        }
        meter.look(engine);
        follow(&meter, engine.time());
        if meter.is_lost() {
            why = Some("a body is more than 1 km away or faster than 1 km/s".to_owned());
            break;
        }
    }
    let mut readings = meter.readings();
    readings.put("survived", f64::from(u8::from(why.is_none())));
    readings.put("ended", engine.time());
    Ran { readings, why, curve }
}

/// A curve of few points, the last among them.
fn thinned(curve: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let step = curve.len().div_ceil(KEPT).max(1);
    let kept = curve.iter().copied().step_by(step);
    let last = curve.last().copied().filter(|_| curve.len() % step != 1 && step > 1);
    kept.chain(last).filter(|(_, x)| x.is_finite()).collect()
}
