//! What a candidate costs: its scene is run once per seed and measured.

use crate::parallel;
use crate::run::{Metrics, Run, variants_of};
use crate::scene::{Aim, CostSpec, Scene, SceneError, TuneSpec, Variant};

/// The cost of a candidate that the scene refuses: worse than any that runs, and still a number that files can hold.
const REFUSED: f64 = 1e30;
/// What a world that stops early costs, in failing marks: more than a scene has of them.
const STOPPED: f64 = 100.0;

/// How one run of a candidate went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Score {
    pub(super) cost: f64,
    /// Whether all marks hold.
    pub(super) passed: bool,
}

/// One run to be made.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Task {
    /// Values of the parameters, in their order.
    pub(super) values: Vec<f64>,
    pub(super) seed: u64,
}

/// Runs candidates of a scene.
#[derive(Debug)]
pub(super) struct Scorer<'a> {
    pub(super) scene: &'a Scene,
    pub(super) spec: &'a TuneSpec,
    variants: Vec<Variant>,
}

impl<'a> Scorer<'a> {
    /// Checks that paths, bounds, stages and costs fit the scene.
    ///
    /// # Errors
    /// What does not.
    pub(super) fn new(scene: &'a Scene, spec: &'a TuneSpec) -> Result<Self, SceneError> {
        let mut variants = variants_of(scene, None)?;
        if let Some(stray) = spec.variants.iter().find(|name| !variants.iter().any(|v| v.name == **name)) {
            let names: Vec<&str> = scene.variants.iter().map(|v| v.name.as_str()).collect();
            let problem = format!("has \"{stray}\", expected variants: {}", names.join(", "));
            return Err(scene.error_at(0, "tune.variants", problem));
        }
        variants.retain(|v| spec.variants.is_empty() || spec.variants.contains(&v.name));
        let scorer = Self { scene, spec, variants };
        let ends: [fn(&crate::scene::ParameterSpec) -> f64; 3] =
            [|p| p.range.lower, |p| p.range.upper, |p| p.from];
        for stage in 0..spec.stages.len() {
            for end in ends {
                let values: Vec<f64> = spec.parameters.iter().map(end).collect();
                let run = scorer.set_up(stage, &Task { values, seed: spec.seeds[0] })?;
                scorer.check_costs(&run.metrics())?;
            }
        }
        Ok(scorer)
    }

    fn check_costs(&self, metrics: &Metrics) -> Result<(), SceneError> {
        let names: Vec<&str> = metrics.measurements.iter().map(|m| m.name.as_str()).collect();
        match self.spec.costs.iter().find(|c| !names.contains(&c.measure.as_str())) {
            None => Ok(()),
            Some(CostSpec { measure, line, .. }) => {
                let problem = format!("is \"{measure}\", expected a measurement: {}", names.join(", "));
                Err(self.scene.error_at(*line, "tune.cost.measure", problem))
            }
        }
    }

    /// `path=value` of every parameter.
    pub(super) fn assignments(&self, values: &[f64]) -> Vec<String> {
        // The shortest text that reads back as the same number.
        self.spec.parameters.iter().zip(values).map(|(p, v)| format!("{}={v:?}", p.set)).collect()
    }

    fn set_up(&self, stage: usize, task: &Task) -> Result<Run, SceneError> {
        let mut set = self.spec.stages[stage].set.clone();
        set.extend(self.assignments(&task.values));
        set.push(format!("seed={}", task.seed));
        Run::new(&self.scene.with(&set)?, &self.variants)
    }

    /// The run of a task to its end.
    fn score(&self, stage: usize, task: &Task) -> Score {
        // Bounds were tried at the start; a combination in between may still be one that the scene refuses.
        let Ok(mut run) = self.set_up(stage, task) else { return Score { cost: REFUSED, passed: false } };
        run.advance_to(run.seconds());
        let metrics = run.metrics();
        let cost = cost_of(self.spec, &metrics);
        Score { cost: if cost.is_finite() { cost } else { REFUSED }, passed: metrics.passed }
    }

    /// Scores of all tasks, in their order; `heard` is told of each that ends.
    pub(super) fn scores(
        &self,
        stage: usize,
        tasks: &[Task],
        threads: usize,
        mut heard: impl FnMut(),
    ) -> Vec<Score> {
        let mut scores = vec![Score { cost: REFUSED, passed: false }; tasks.len()];
        let work = |k: usize| self.score(stage, &tasks[k]);
        let all: Result<(), std::convert::Infallible> =
            parallel::each(tasks.len(), threads, work, |k, score| {
                scores[k] = score;
                heard();
                Ok(())
            });
        match all {
            Ok(()) => scores,
            Err(never) => match never {},
        }
    }

    /// The cost over the seeds: their mean, and a share of the worst.
    pub(super) fn over_seeds(&self, scores: &[Score]) -> f64 {
        let mean = scores.iter().map(|s| s.cost).sum::<f64>() / scores.len().max(1) as f64;
        let worst = scores.iter().map(|s| s.cost).fold(f64::NEG_INFINITY, f64::max);
        if self.spec.worst > 0.0 { mean + self.spec.worst * worst } else { mean }
    }
}

/// The weighted measurements, and a penalty for every mark that does not hold: `miss`, and up to as much again by how far
/// off it is, so that nearer is better. Costs without a row are penalties alone.
fn cost_of(spec: &TuneSpec, metrics: &Metrics) -> f64 {
    let term = |c: &CostSpec| {
        let value = metrics.measurements.iter().find(|m| m.name == c.measure).and_then(|m| m.value);
        let Some(value) = value.filter(|v| v.is_finite()) else { return spec.miss };
        c.weight
            * match c.aim {
                Aim::Low => value,
                Aim::High => -value,
                Aim::Target(target) => (value - target).abs(),
            }
    };
    let miss = |m: &crate::measure::Reading| {
        if m.passed {
            return 0.0;
        }
        let Some(value) = m.value.filter(|v| v.is_finite()) else { return 2.0 * spec.miss };
        let off = |mark: f64| (value - mark).abs() / (value.abs() + mark.abs()).max(f64::MIN_POSITIVE);
        let below = m.min.filter(|min| value < *min).map_or(0.0, off);
        let above = m.max.filter(|max| value > *max).map_or(0.0, off);
        spec.miss * (1.0 + below.max(above))
    };
    spec.costs.iter().map(term).sum::<f64>()
        + metrics.measurements.iter().map(miss).sum::<f64>()
        + STOPPED * spec.miss * metrics.failures.len() as f64
}
