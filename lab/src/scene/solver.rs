//! How steps are taken: `rate`, `formulation` and the table `solver`.

use stuntlab_physics::{Formulation, StepOptions};

use super::SceneError;
use super::fields::Fields;

/// Reads the step options.
pub(crate) fn read(fields: &Fields<'_>) -> Result<StepOptions, SceneError> {
    let mut options = StepOptions { ledger: true, ..StepOptions::default() };
    if let Some(rate) = fields.positive("rate")? {
        if !(10.0..=100_000.0).contains(&rate) {
            return Err(fields.error("rate", format!("is {rate}, expected 10 to 100000 steps per second")));
        }
        options.dt = 1.0 / rate;
    }
    let names = Formulation::ALL.map(|f| (f.name(), f));
    if let Some(formulation) = fields.choice("formulation", &names)? {
        options.formulation = formulation;
    }
    let Some(table) = fields.table("solver")? else { return Ok(options) };
    let whole = |target: &mut usize, value: Option<u64>| {
        if let Some(value) = value {
            *target = value as usize;
        }
    };
    whole(&mut options.substeps, table.count("substeps", 1, 10_000)?);
    whole(&mut options.passes, table.count("passes", 1, 100)?);
    whole(&mut options.sweeps, table.count("sweeps", 1, 100_000)?);
    let number = |target: &mut f64, value: Option<f64>| {
        if let Some(value) = value {
            *target = value;
        }
    };
    number(&mut options.contact_time, table.positive("contact_time")?);
    number(&mut options.margin, table.at_least_zero("margin")?);
    number(&mut options.tolerance, table.at_least_zero("tolerance")?);
    number(&mut options.correction, table.at_least_zero("correction")?);
    number(&mut options.slop, table.at_least_zero("slop")?);
    number(&mut options.restitution_threshold, table.at_least_zero("restitution_threshold")?);
    table.finish()?;
    Ok(options)
}
