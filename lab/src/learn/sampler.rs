//! Samples as a study: a trial per state, so that they are kept as they come, go on after a stop, and are the same bytes for any threads.

use std::sync::Mutex;

use serde_json::{Value, json};
use stuntlab_control::learned::{Classifier, figure_fingerprint};

use super::practice::Practice;
use super::samples::Samples;
use super::sampling::{Bounds, Ground};
use crate::random::seed_of;
use crate::study::{Inquiry, Kind, Measured, Outcome, Plan, Report, Results, Size, StudyError, Trial};

/// Which sets are sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Set {
    /// To train on, anywhere.
    Training,
    /// To train on, near the boundary that a first classifier sees.
    Near,
    /// To choose the threshold on.
    Calibration,
    /// To judge by.
    Test,
}

impl Set {
    const fn name(self) -> &'static str {
        match self {
            Self::Training => "training",
            Self::Near => "near",
            Self::Calibration => "calibration",
            Self::Test => "test",
        }
    }
}

/// Draws of which the one nearest to the boundary is taken.
const TRIES: u64 = 6;
/// A decision as near to the boundary as this is taken at once: the margin of a machine is 1.
const NEAR: f64 = 0.3;

const OUTCOMES: [Measured; 2] = [
    Measured { name: "succeeded", unit: "", kind: Kind::Rate },
    Measured { name: "thrown_away", unit: "", kind: Kind::Mean },
];

/// Sampling of one skill.
pub struct Sampler {
    practice: &'static Practice,
    bounds: Bounds,
    /// How many of each set.
    counts: Vec<(Set, usize)>,
    /// Who says where the boundary is.
    first: Option<Classifier>,
    /// Grounds that are free, one per thread; the first is never given away.
    grounds: Mutex<Vec<Ground>>,
    names: Vec<String>,
    figure: u64,
    name: String,
    results: Mutex<Option<Results>>,
}

impl Sampler {
    /// Of a skill: so many of each set, in two rounds; `first` is who was trained on the first.
    ///
    /// # Errors
    /// A practice that does not fit: a fault of its table.
    pub fn new(
        practice: &'static Practice,
        bounds: Bounds,
        counts: &[(Set, usize)],
        first: Option<Classifier>,
    ) -> Result<Self, StudyError> {
        let ground = practice.ground()?;
        let member = ground.world().cast()[0].clone();
        Ok(Self {
            practice,
            bounds,
            counts: counts.to_vec(),
            name: format!("learn {}, round {}", practice.skill, if first.is_some() { 2 } else { 1 }),
            first,
            names: ground.features().names().to_vec(),
            figure: figure_fingerprint(&member.model, member.model.body_ids()),
            grounds: Mutex::new(vec![ground]),
            results: Mutex::new(None),
        })
    }

    /// Names of the features.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Fingerprint of the figure.
    pub fn figure(&self) -> u64 {
        self.figure
    }

    /// What was sampled of a set, once the study has ended.
    pub fn samples(&self, set: Set) -> Samples {
        let mut samples = Samples::new(self.names.len());
        let held = self.results.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let Some(results) = held.as_ref() else { return samples };
        let all = results.plan.trials.iter().zip(&results.outcomes).zip(&results.notes);
        for ((_, numbers), note) in all.filter(|((trial, _), _)| trial.0[0] == set.name()) {
            let row: Vec<f64> = note.split(' ').filter_map(|x| x.parse().ok()).collect();
            // A state that could not be had is no sample.
            if row.len() == samples.width && numbers[0].is_finite() {
                samples.push(&row, numbers[0] == 1.0);
            }
        }
        samples
    }

    fn sample(&self, ground: &mut Ground, set: &str, k: u64) -> Option<(bool, u64, Vec<f64>)> {
        let practice = self.practice;
        let seed = |draw: u64| seed_of(draw, &format!("learn/{}/{set}/{k}", practice.skill));
        let mut thrown = 0;
        let mut nearest: Option<(f64, u64)> = None;
        if let Some(first) = self.first.as_ref().filter(|_| set == Set::Near.name()) {
            let decider = first.decider();
            for draw in 0..TRIES {
                let Some(away) = ground.disturb(&self.bounds, seed(draw)) else { continue };
                thrown += away;
                let f = decider.decide(&ground.read()).abs();
                if nearest.is_none_or(|(least, _)| f < least) {
                    nearest = Some((f, draw));
                }
                if f < NEAR {
                    break;
                }
            }
        } else {
            nearest = Some((0.0, 0));
        }
        let (_, draw) = nearest?;
        thrown += ground.disturb(&self.bounds, seed(draw))?;
        let row = ground.read();
        let skill = practice.skill(ground).ok()?;
        Some((practice.attempt(ground, skill), thrown, row))
    }
}

impl Inquiry for Sampler {
    fn name(&self) -> &str {
        &self.name
    }

    fn asked(&self) -> Option<Value> {
        let first = self
            .first
            .as_ref()
            .map(|c| crate::words::spelled(crate::words::fingerprint(c.to_toml().bytes())));
        Some(json!({ "skill": self.practice.skill, "first": first, "bounds": format!("{:?}", self.bounds) }))
    }

    fn store(&self) -> &str {
        "samples.csv"
    }

    fn plan(&self, _: Size) -> Plan {
        let trials = self
            .counts
            .iter()
            .flat_map(|(set, n)| (0..*n).map(|k| vec![set.name().to_owned(), k.to_string()]));
        Plan::new(&["set", "sample"], &["sample"], &OUTCOMES, trials).with_notes()
    }

    fn run(&self, trial: &Trial) -> Result<Outcome, StudyError> {
        let mut ground = {
            let mut free = self.grounds.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            match free.len() {
                0 | 1 => free[0].copy(),
                last => free.swap_remove(last - 1),
            }
        };
        let k = trial.get(1).unwrap_or(0);
        let outcome = match self.sample(&mut ground, &trial.0[0], k) {
            Some((good, thrown, row)) => Outcome {
                numbers: vec![f64::from(u8::from(good)), thrown as f64],
                // Single precision, as read.
                note: row.iter().map(|x| format!("{:?}", *x as f32)).collect::<Vec<_>>().join(" "),
            },
            None => Outcome { numbers: vec![f64::NAN, f64::NAN], note: String::new() },
        };
        self.grounds.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(ground);
        Ok(outcome)
    }

    fn files(&self) -> Vec<String> {
        Vec::new()
    }

    fn report(&self, results: &Results, _: &std::path::Path) -> Result<Report, StudyError> {
        *self.results.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(results.clone());
        Ok(Report::default())
    }
}
