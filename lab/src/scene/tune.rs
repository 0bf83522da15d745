//! What a scene says about how it is tuned: `[tune]`. How that is done is in [`crate::tune`].

use super::Fields;
use super::SceneError;
use crate::tune::space::{Range, Scale};

/// How a scene is tuned.
#[derive(Clone, Debug, PartialEq)]
pub struct TuneSpec {
    /// What is varied.
    pub parameters: Vec<ParameterSpec>,
    /// What is to become small.
    pub costs: Vec<CostSpec>,
    /// What a failing mark of the scene costs at least.
    pub miss: f64,
    /// Share of the worst seed's cost that is added to the mean over the seeds.
    pub worst: f64,
    /// Seeds every candidate is run with.
    pub seeds: Vec<u64>,
    /// Seeds that the result is run with at the end, and never before.
    pub held_back: Vec<u64>,
    /// Variants that are run; all of them where empty.
    pub variants: Vec<String>,
    /// Candidates per generation; 0 is as many as the number of parameters asks for.
    pub population: usize,
    /// First spread, as a share of every range.
    pub sigma: f64,
    /// Steps that are shorter, as a share of every range, have arrived.
    pub tolerance: f64,
    /// Restarts with a doubled population after a search has ended.
    pub restarts: u32,
    /// Whether the worse half of a generation counts, too.
    pub active: bool,
    /// Spread that is put on the parameters of every run, as a share of every range.
    pub noise: f64,
    /// Where the search's random numbers come from.
    pub seed: u64,
    /// What is done one after the other; one that changes nothing where the scene names none.
    pub stages: Vec<StageSpec>,
}

/// A value that is varied.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterSpec {
    /// Path of the value, as in `--set`.
    pub set: String,
    /// Where the search begins.
    pub from: f64,
    /// Where it may go.
    pub range: Range,
    pub(crate) line: usize,
}

/// What is wanted of a measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Aim {
    /// As low as can be.
    Low,
    /// As high as can be.
    High,
    /// As near this as can be.
    Target(f64),
}

/// A measurement's share of the cost.
#[derive(Clone, Debug, PartialEq)]
pub struct CostSpec {
    /// Name of the measurement, after its variant's where there are several.
    pub measure: String,
    /// Factor on it.
    pub weight: f64,
    /// What is wanted of it.
    pub aim: Aim,
    pub(crate) line: usize,
}

/// A part of the search with settings of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct StageSpec {
    /// Name in tables.
    pub name: String,
    /// How many generations.
    pub generations: u64,
    /// `path=value` overrides for this stage.
    pub set: Vec<String>,
    /// Least spread at its start, as a share of every range.
    pub sigma: f64,
}

/// Most seeds, candidates and the like: more is a slip of the keyboard.
const MOST: u64 = 100_000;

/// Reads `[tune]`; `seed` is the scene's own.
pub(crate) fn read(fields: Fields<'_>, seed: u64) -> Result<TuneSpec, SceneError> {
    let share = |key| -> Result<Option<f64>, SceneError> {
        match fields.at_least_zero(key)? {
            Some(x) if x > 1.0 => {
                Err(fields.error(key, format!("is {x}, expected a share of the ranges, 0 to 1")))
            }
            x => Ok(x),
        }
    };
    let sigma = match share("sigma")? {
        Some(0.0) => return Err(fields.error("sigma", "is 0, expected a first spread above 0")),
        sigma => sigma.unwrap_or(0.2),
    };
    let generations = fields.count("generations", 1, MOST)?.unwrap_or(50);
    let mut stages: Vec<StageSpec> =
        fields.tables("stage")?.into_iter().map(|f| read_stage(f, generations)).collect::<Result<_, _>>()?;
    if stages.is_empty() {
        stages.push(StageSpec { name: String::new(), generations, set: Vec::new(), sigma: 0.0 });
    }
    let seeds = fields.counts("seeds")?;
    let spec = TuneSpec {
        parameters: fields.tables("parameter")?.into_iter().map(read_parameter).collect::<Result<_, _>>()?,
        costs: fields.tables("cost")?.into_iter().map(read_cost).collect::<Result<_, _>>()?,
        miss: fields.at_least_zero("miss")?.unwrap_or(10.0),
        worst: fields.at_least_zero("worst")?.unwrap_or(0.0),
        seeds: if seeds.is_empty() { vec![seed] } else { seeds },
        held_back: fields.counts("held_back")?,
        variants: fields.texts("variants")?,
        population: fields.count("population", 0, MOST)?.unwrap_or(0) as usize,
        sigma,
        tolerance: share("tolerance")?.unwrap_or(1e-3),
        restarts: fields.count("restarts", 0, 20)?.unwrap_or(0) as u32,
        active: fields.flag("active")?.unwrap_or(true),
        noise: share("noise")?.unwrap_or(0.0),
        seed: fields.count("seed", 0, u64::MAX >> 1)?.unwrap_or(1),
        stages,
    };
    if spec.parameters.is_empty() {
        return Err(fields.missing("parameter", "at least one [[tune.parameter]]"));
    }
    if (1..4).contains(&spec.population) {
        return Err(fields.error("population", format!("is {}, expected 4 or more", spec.population)));
    }
    if let Some(both) = spec.held_back.iter().find(|s| spec.seeds.contains(s)) {
        return Err(fields.error("held_back", format!("has {both}, which is tuned on; expected other seeds")));
    }
    for (k, p) in spec.parameters.iter().enumerate() {
        if spec.parameters[..k].iter().any(|other| other.set == p.set) {
            return Err(
                fields.error("parameter", format!("names \"{}\" twice, expected each path once", p.set))
            );
        }
    }
    fields.finish()?;
    Ok(spec)
}

fn read_parameter(fields: Fields<'_>) -> Result<ParameterSpec, SceneError> {
    let number = |key| fields.number(key)?.ok_or_else(|| fields.missing(key, "a number"));
    let (lower, upper) = (number("lower")?, number("upper")?);
    let scale = fields.choice("scale", &Scale::ALL)?.unwrap_or(Scale::Linear);
    if lower >= upper {
        return Err(fields.error("upper", format!("is {upper}, expected more than lower, {lower}")));
    }
    if scale == Scale::Log && lower <= 0.0 {
        return Err(fields.error("lower", format!("is {lower}, expected more than 0 on a logarithmic scale")));
    }
    let spec = ParameterSpec {
        set: fields.required_text("set")?.to_owned(),
        from: number("from")?,
        range: Range { lower, upper, scale },
        line: fields.line(),
    };
    if !(lower..=upper).contains(&spec.from) {
        return Err(fields.error("from", format!("is {}, expected {lower} to {upper}", spec.from)));
    }
    if spec.set.contains('=') || spec.set.trim().is_empty() {
        return Err(fields.error("set", "expected a path, such as body.0.joint.stiffness"));
    }
    fields.finish()?;
    Ok(spec)
}

fn read_cost(fields: Fields<'_>) -> Result<CostSpec, SceneError> {
    let target = fields.number("target")?;
    let aim = fields.choice("aim", &[("low", Aim::Low), ("high", Aim::High)])?;
    let aim = match (aim, target) {
        (Some(_), Some(_)) => {
            return Err(fields.error("target", "stands beside aim, expected one of the two"));
        }
        (aim, None) => aim.unwrap_or(Aim::Low),
        (None, Some(target)) => Aim::Target(target),
    };
    let spec = CostSpec {
        measure: fields.required_text("measure")?.to_owned(),
        weight: fields.at_least_zero("weight")?.unwrap_or(1.0),
        aim,
        line: fields.line(),
    };
    fields.finish()?;
    Ok(spec)
}

fn read_stage(fields: Fields<'_>, generations: u64) -> Result<StageSpec, SceneError> {
    let stage = StageSpec {
        name: fields.required_text("name")?.to_owned(),
        generations: fields.count("generations", 1, MOST)?.unwrap_or(generations),
        set: fields.texts("set")?,
        sigma: fields.at_least_zero("sigma")?.unwrap_or(0.0),
    };
    fields.finish()?;
    Ok(stage)
}

impl TuneSpec {
    /// Reads a file that has nothing but a `[tune]` table, for a scene of seed `seed`.
    ///
    /// # Errors
    /// A file that cannot be read or is malformed.
    pub fn load(path: &str, seed: u64) -> Result<Self, SceneError> {
        let text = std::fs::read_to_string(path).map_err(|e| SceneError {
            file: path.to_owned(),
            line: 0,
            key: String::new(),
            problem: e.to_string(),
            absent: false,
        })?;
        let root = super::parse_node(path, &text)?;
        let fields = Fields::new(path, "", &root)?;
        let table = fields.table("tune")?.ok_or_else(|| fields.missing("tune", "a table [tune]"))?;
        let spec = read(table, seed)?;
        fields.finish()?;
        Ok(spec)
    }
}
