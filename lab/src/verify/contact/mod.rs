//! Part C of the fixtures: scenes with closed-form outcomes, under every formulation at every listed step.
//!
//! | formulation | tolerances | runs |
//! |---|---|---|
//! | implicit-penalty | `penalty` | every listed step |
//! | penalty | `penalty` | every listed step, with the default number of sub-steps in it: explicit springs |
//! | | | are what `explicit_penalty_stable_at` warns of, and sub-steps are how this formulation meets that |
//! | lcp-pgs, lcp-dantzig | `lcp` | every listed step |
//!
//! What is left of the tolerances (14 variations each of masses, angles and frictions, at 1/60 to 1/1000): distances on inclines are off by the
//! step, half as much at half of it (0.51 of the tolerance at 1/60, 0.41 at 1/120, `lcp-pgs`); times of tipping under springs are measured against
//! springs (`tipping.rs`: what those give way by takes a fifth of the time off, at every step); slip times are those of samples.
//!
//! A scenario measures named errors; the fixture's tolerances say which of them count and how much. A name
//! nobody measures is a fault of the file, and a run that breaks fails all its quantities.

mod format;
mod measure;
mod scene;
mod tipping;

use std::path::Path;

use stuntlab_physics::{Formulation, StepOptions};

use super::fixture::malformed;
use super::{Report, VerifyError};
use format::Allowed;
pub(crate) use format::ContactFixture;
use scene::Trial;

/// What went wrong while measuring.
pub(super) enum Fault {
    /// The file.
    File(VerifyError),
    /// The run.
    Broke,
}

pub(crate) fn check(path: &Path, fixture: &ContactFixture, report: &mut Report) -> Result<(), VerifyError> {
    for (index, case) in fixture.cases.iter().enumerate() {
        let field = format!("cases[{index}]");
        let scene = scene::Scene::build(path, &field, case)?;
        for formulation in Formulation::ALL {
            let family = if formulation.is_rigid() { "lcp" } else { "penalty" };
            let by_step = if formulation.is_rigid() { &case.tolerance.lcp } else { &case.tolerance.penalty };
            for (step, allowed) in by_step.iter().flatten() {
                let Some(allowed) = allowed else { continue };
                let Some(&dt) = fixture.time_steps.get(step) else {
                    let place = format!("{field}.tolerance.{family}");
                    return Err(malformed(path, place, format!("step {step} is not among time_steps")));
                };
                let options = StepOptions { dt, ..StepOptions::default().with(formulation) };
                let trial = Trial { path, field: &field, case, scene: &scene, options };
                let measured = match measure::measure(&trial) {
                    Ok(measured) => Some(measured),
                    Err(Fault::Broke) => None,
                    Err(Fault::File(error)) => return Err(error),
                };
                for (name, allowed) in allowed {
                    let place = || format!("{field}.tolerance.{family}.{step}.{name}");
                    let quantity = format!("{} {name}", case.scenario);
                    let label = || format!("{} {} {step}", case.name, formulation.name());
                    let Some(measured) = &measured else {
                        report.add("contact", quantity, label, f64::INFINITY, allowed.first());
                        continue;
                    };
                    let Some((_, errors)) = measured.iter().find(|(n, _)| n == name) else {
                        let problem = format!("scenario {} has no such quantity", case.scenario);
                        return Err(malformed(path, place(), problem));
                    };
                    let pairs = allowed.pair_with(errors).ok_or_else(|| {
                        malformed(path, place(), format!("expected one or {} numbers", errors.len()))
                    })?;
                    for (error, tolerance) in pairs {
                        report.add("contact", quantity.clone(), label, error, tolerance);
                    }
                }
            }
        }
    }
    Ok(())
}

impl Allowed {
    fn first(&self) -> f64 {
        match self {
            Self::One(value) => *value,
            Self::Each(values) => values.first().copied().unwrap_or(0.0),
        }
    }

    /// Each error with what is allowed for it; `None` when the numbers do not match up.
    fn pair_with(&self, errors: &[f64]) -> Option<Vec<(f64, f64)>> {
        match self {
            Self::One(tolerance) => Some(errors.iter().map(|&e| (e, *tolerance)).collect()),
            Self::Each(list) if list.len() == errors.len() => {
                Some(errors.iter().copied().zip(list.iter().copied()).collect())
            }
            Self::Each(_) => None,
        }
    }
}
