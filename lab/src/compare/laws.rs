//! Property laws that any engine can be held to: they know nothing but what [`Engine`] shows.
//!
//! A law takes an engine at the start of a set-up it applies to, steps it and says in words what it found broken. Ours run them in tests over
//! random scenes in reduced and maximal coordinates; `examples/contact-law` and `examples/rapier-laws` run them on others.

use super::engine::Engine;
use super::metrics::{Meter, Readings};

/// A law.
#[derive(Clone, Copy)]
pub struct Law {
    /// Name.
    pub name: &'static str,
    /// What it says, and of which set-ups.
    pub says: &'static str,
    /// Judges what was measured, with a tolerance for what the law leaves open; what is wrong, in words.
    judge: fn(&Readings, f64) -> Option<String>,
}

/// All laws.
pub const LAWS: &[Law] = &[
    Law {
        name: "ends",
        says: "Every step succeeds and nothing leaves all bounds",
        judge: |r, _| (r.get("survived") != 1.0).then(|| format!("it ended at {} s", r.get("ended"))),
    },
    Law {
        name: "momentum",
        says: "Bodies that only gravity and each other act on keep their momentum",
        judge: |r, tolerance| above(r, "momentum_drift", tolerance),
    },
    Law {
        name: "spin",
        says: "and their angular momentum about the common centre of mass",
        judge: |r, tolerance| above(r, "spin_drift", tolerance),
    },
    Law {
        name: "passive",
        says: "What nothing drives does not gain energy",
        judge: |r, tolerance| above(r, "energy_gain", tolerance),
    },
    Law {
        name: "conservative",
        says: "Without contact, dampers and drives energy stays",
        judge: |r, tolerance| above(r, "energy_drift", tolerance),
    },
    Law {
        name: "cone",
        says: "Friction stays within Coulomb's cone",
        judge: |r, tolerance| above(r, "cone", tolerance),
    },
];

fn above(readings: &Readings, name: &str, tolerance: f64) -> Option<String> {
    let x = readings.get(name);
    // What does not apply was not measured.
    (x > tolerance).then(|| format!("{name} is {x:e}, more than {tolerance:e}"))
}

/// The law of this name.
pub fn find(name: &str) -> Option<&'static Law> {
    LAWS.iter().find(|law| law.name == name)
}

/// Steps an engine and holds it to some laws, each with its tolerance.
///
/// # Errors
/// The first law that is broken, and how.
pub fn check(engine: &mut dyn Engine, seconds: f64, laws: &[(&str, f64)]) -> Result<Readings, String> {
    let mut meter = Meter::new(engine, seconds);
    let mut failure = None;
    while failure.is_none() && engine.time() + 0.5 * engine.dt() < seconds {
        failure = engine.step().err();
        meter.look(engine);
        failure = failure.or_else(|| meter.is_lost().then(|| "it left all bounds".to_owned()));
    }
    let mut readings = meter.readings();
    readings.put("survived", f64::from(u8::from(failure.is_none())));
    readings.put("ended", engine.time());
    for (name, tolerance) in laws {
        let law = find(name).ok_or_else(|| {
            let known: Vec<&str> = LAWS.iter().map(|l| l.name).collect();
            format!("no law called {name}, expected one of: {}", known.join(", "))
        })?;
        if let Some(words) = (law.judge)(&readings, *tolerance) {
            let why = failure.map_or_else(String::new, |why| format!(": {why}"));
            return Err(format!("{name}: {words}{why}"));
        }
    }
    Ok(readings)
}
