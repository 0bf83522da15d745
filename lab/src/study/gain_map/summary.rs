//! From runs to numbers: means per cell, and the usable gain ratio with its confidence interval.
//!
//! The usable gain ratio is `s_max / s_min` over the factors `s` on stiffness, damping ratio constant, that
//! form an unbroken stretch around the best one with no fall and an error below 1.5 times the least, or below
//! [`GOOD_ENOUGH`] where the least is so small that half as much again is still nothing. It is found seed by seed; the interval is that of the mean of its logarithm over the seeds (Student's t, 95 %).

use serde::Serialize;

use super::Outcomes;
use super::plan::{Extent, Law, Part, Run, Task};
use super::rollout::Outcome;

/// An error nobody minds, rad: what a tracker of these motions is asked for.
pub const GOOD_ENOUGH: f64 = 0.15;

/// Means over the runs of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Cell {
    /// Share of runs that stayed up.
    pub survival: f64,
    /// Mean error of those, rad; not a number where none did.
    pub error: f64,
    /// Mean jitter of those.
    pub jitter: f64,
}

/// Usable gain ratio of a law for a task.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ratio {
    /// Control law.
    pub law: &'static str,
    /// Motion; `all` where every one must hold.
    pub task: &'static str,
    /// Geometric mean over the seeds.
    pub ratio: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
    /// Least mean error over the factors, rad.
    pub best_error: f64,
    /// `|d log error / d log s|`, mean over the usable stretch.
    pub slope: f64,
}

/// Mean over the tasks and seeds at these factors.
pub fn cell(
    outcomes: &Outcomes,
    law: Law,
    tasks: &[Task],
    part: Part,
    (stiffness, damping): (f64, f64),
    seeds: u64,
) -> Cell {
    let runs = runs_at(outcomes, law, tasks, part, (stiffness, damping), seeds).count();
    let up = survivors(outcomes, law, tasks, part, (stiffness, damping), seeds);
    let mean = |pick: fn(&Outcome) -> f64| up.iter().map(|o| pick(o)).sum::<f64>() / up.len() as f64;
    Cell {
        survival: up.len() as f64 / runs.max(1) as f64,
        error: mean(|o| o.error),
        jitter: mean(|o| o.jitter),
    }
}

/// The runs of these tasks and seeds at these factors.
fn runs_at<'a>(
    outcomes: &'a Outcomes,
    law: Law,
    tasks: &'a [Task],
    part: Part,
    (stiffness, damping): (f64, f64),
    seeds: u64,
) -> impl Iterator<Item = &'a Outcome> {
    let key = move |task: Task, seed: u64| Run { part, law, task, stiffness, damping, seed }.key();
    let keys = tasks.iter().flat_map(move |&task| (0..seeds).map(move |seed| key(task, seed)));
    keys.filter_map(|key| outcomes.get(&key))
}

/// Those of them that stayed up.
pub(super) fn survivors<'a>(
    outcomes: &'a Outcomes,
    law: Law,
    tasks: &'a [Task],
    part: Part,
    at: (f64, f64),
    seeds: u64,
) -> Vec<&'a Outcome> {
    runs_at(outcomes, law, tasks, part, at, seeds).filter(|o| o.survived && o.error.is_finite()).collect()
}

/// The usable stretch of `(factor, error or fall)`: indices of its ends.
fn stretch(errors: &[Option<f64>]) -> Option<(usize, usize, f64)> {
    let (best, least) = errors
        .iter()
        .enumerate()
        .filter_map(|(k, e)| e.map(|e| (k, e)))
        .min_by(|a, b| a.1.total_cmp(&b.1))?;
    let good = |k: usize| errors[k].is_some_and(|e| e < (1.5 * least).max(GOOD_ENOUGH));
    let first = (0..=best).rev().take_while(|&k| good(k)).last()?;
    let last = (best..errors.len()).take_while(|&k| good(k)).last()?;
    Some((first, last, least))
}

/// Student's t at 97.5 % for `n - 1` degrees of freedom.
fn student(n: usize) -> f64 {
    const T: [f64; 12] = [12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18];
    match n {
        0 | 1 => f64::NAN,
        n => T.get(n - 2).copied().unwrap_or(1.96 + 2.4 / n as f64),
    }
}

/// Usable gain ratios of every law: for each task, and for all at once (the stretch where every task holds).
pub fn ratios(plan: &Extent, outcomes: &Outcomes) -> Vec<Ratio> {
    let mut out = Vec::new();
    for law in Law::ALL {
        let line = |task: Task, seed: u64| -> Vec<Option<f64>> {
            plan.scales
                .iter()
                .map(|&s| {
                    let (stiffness, damping) = (s, s.sqrt());
                    let key = Run { part: Part::Line, law, task, stiffness, damping, seed }.key();
                    outcomes.get(&key).filter(|o| o.survived && o.error.is_finite()).map(|o| o.error)
                })
                .collect()
        };
        for task in Task::ALL {
            let lines: Vec<_> = (0..plan.line_seeds).map(|seed| line(task, seed)).collect();
            out.push(ratio(law.name(), task.name(), plan, &lines));
        }
        let together = |seed: u64| -> Vec<Option<f64>> {
            let lines = Task::ALL.map(|task| line(task, seed));
            let all =
                |k: usize| lines.iter().map(|l| l[k]).sum::<Option<f64>>().map(|e| e / lines.len() as f64);
            (0..plan.scales.len()).map(all).collect()
        };
        let lines: Vec<_> = (0..plan.line_seeds).map(together).collect();
        out.push(ratio(law.name(), "all", plan, &lines));
    }
    out
}

fn ratio(law: &'static str, task: &'static str, plan: &Extent, lines: &[Vec<Option<f64>>]) -> Ratio {
    let found: Vec<Option<(usize, usize, f64)>> = lines.iter().map(|errors| stretch(errors)).collect();
    // A seed that no factor survives has no usable gain: ratio 1 would claim one, so it counts as 0 octaves below.
    let octaves: Vec<f64> =
        found.iter().map(|f| f.map_or(0.0, |(a, b, _)| (plan.scales[b] / plan.scales[a]).log2())).collect();
    let n = octaves.len();
    let mean = octaves.iter().sum::<f64>() / n.max(1) as f64;
    let spread = (octaves.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n.max(2) - 1) as f64).sqrt();
    let half = student(n) * spread / (n.max(1) as f64).sqrt();
    let slopes: Vec<f64> = lines
        .iter()
        .zip(&found)
        .filter_map(|(errors, f)| {
            let (a, b, _) = (*f)?;
            let rise = (errors[b]? / errors[a]?).ln().abs();
            (b > a).then(|| rise / (plan.scales[b] / plan.scales[a]).ln())
        })
        .collect();
    let least: Vec<f64> = found.iter().filter_map(|f| f.map(|f| f.2)).collect();
    let average = |xs: &[f64]| xs.iter().sum::<f64>() / xs.len() as f64;
    Ratio {
        law,
        task,
        ratio: mean.exp2(),
        low: (mean - half).max(0.0).exp2(),
        high: (mean + half).exp2(),
        best_error: average(&least),
        slope: average(&slopes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usable_stretch_is_unbroken_and_around_the_best() {
        let e = |x: f64| Some(x);
        assert_eq!(stretch(&[e(0.25), None, e(0.35), e(0.2), e(0.28), e(0.31)]), Some((3, 4, 0.2)));
        assert_eq!(stretch(&[e(0.01), e(0.14), e(0.16)]), Some((0, 1, 0.01)));
        assert_eq!(stretch(&[None, None]), None);
        assert_eq!(stretch(&[e(1.0), e(0.1), e(1.0)]), Some((1, 1, 0.1)));
    }

    #[test]
    fn a_ratio_knows_how_sure_it_is() {
        let plan = Extent { scales: vec![0.25, 0.5, 1.0, 2.0, 4.0], ..Extent::of(crate::study::Size::Quick) };
        let wide = vec![Some(0.1); 5];
        let narrow = vec![None, Some(0.1), Some(0.1), Some(0.1), None];
        let same = ratio("law", "task", &plan, &[wide.clone(), wide.clone(), wide.clone()]);
        assert!((same.ratio - 16.0).abs() < 1e-9 && (same.low - same.high).abs() < 1e-9);
        let mixed = ratio("law", "task", &plan, &[wide.clone(), narrow.clone(), wide, narrow]);
        assert!((mixed.ratio - 8.0).abs() < 1e-9 && mixed.low < 4.0 && mixed.high > 16.0);
    }
}
