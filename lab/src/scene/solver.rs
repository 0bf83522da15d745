//! How steps are taken: `rate`, `formulation`, `integrator`, `dynamics` and the table `solver`.

use stuntlab_physics::integrate::Integrator;
use stuntlab_physics::{Formulation, StepOptions};

use super::Fields;
use super::SceneError;

/// In which coordinates articulations are simulated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dynamics {
    /// Joint coordinates: joints hold by construction.
    #[default]
    Reduced,
    /// Every body on its own, joints as rows.
    Maximal,
}

impl Dynamics {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Reduced, Self::Maximal];

    /// The name scenes and manifests use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reduced => "reduced",
            Self::Maximal => "maximal",
        }
    }
}

/// Reads the coordinates, which must go with the step options.
pub(crate) fn read_dynamics(fields: &Fields<'_>, options: &StepOptions) -> Result<Dynamics, SceneError> {
    let names = Dynamics::ALL.map(|d| (d.name(), d));
    let dynamics = fields.choice("dynamics", &names)?.unwrap_or_default();
    if dynamics == Dynamics::Maximal && options.formulation == Formulation::ImplicitPenalty {
        let problem = "is \"maximal\", where joints are rows, with formulation implicit-penalty, which has none; expected \
                       formulation penalty, lcp-pgs or lcp-dantzig";
        return Err(fields.error("dynamics", problem));
    }
    if let (Dynamics::Maximal, Some(integrator)) = (dynamics, options.integrator) {
        let problem = format!(
            "is \"{}\" with dynamics maximal, whose joints are not smooth; expected none, or dynamics reduced",
            integrator.name()
        );
        return Err(fields.error("integrator", problem));
    }
    Ok(dynamics)
}

/// Reads the integrator. That of the formulation itself is no wish of its own; another takes smooth motion only, and stands in
/// for the formulation as a whole, so none may be asked for besides it. A run ends where something touches.
fn read_integrator(fields: &Fields<'_>, options: &StepOptions) -> Result<Option<Integrator>, SceneError> {
    let names = Integrator::ALL.map(|i| (i.name(), i));
    let Some(integrator) = fields.choice("integrator", &names)? else { return Ok(None) };
    if !fields.has("formulation") {
        return Ok(Some(integrator));
    }
    let own = options.integrator_in_effect();
    if integrator == own {
        return Ok(None);
    }
    let problem = format!(
        "is \"{}\" with formulation {}, whose contacts come with {}; expected that, or no formulation (smooth motion only)",
        integrator.name(),
        options.formulation.name(),
        own.name()
    );
    Err(fields.error("integrator", problem))
}

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
    options.integrator = read_integrator(fields, &options)?;
    let Some(table) = fields.table("solver")? else { return Ok(options) };
    let whole = |target: &mut usize, value: Option<u64>| {
        if let Some(value) = value {
            *target = value as usize;
        }
    };
    whole(&mut options.substeps, table.count("substeps", 1, 10_000)?);
    whole(&mut options.most_substeps, table.count("most_substeps", 0, 1_000_000)?);
    whole(&mut options.passes, table.count("passes", 1, 100)?);
    whole(&mut options.sweeps, table.count("sweeps", 1, 100_000)?);
    if let Some(work) = table.count("most_work", 1, u64::MAX)? {
        options.most_work = work;
    }
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
