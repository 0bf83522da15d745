//! What a tuning leaves: the patch, the table and the picture of its generations, and how the result does on seeds it was
//! never tuned on.

use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;
use stuntlab_viewer::plot::LinePlot;

use super::score::{Score, Scorer, Task};
use super::session::{Generation, Tuning};
use super::{Patch, TuneError};
use crate::disk;
use crate::stats::{self, Estimate};

/// How a tuning ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tuned {
    /// Name of the scene.
    pub scene: String,
    /// Every parameter.
    pub parameters: Vec<Outcome>,
    /// Cost before and after on the seeds it was tuned on.
    pub tuned_on: Tally,
    /// Cost before and after on seeds held back; absent where none were.
    pub held_back: Option<Tally>,
    /// Generations it took.
    pub generations: usize,
    /// Runs of scenes the search took.
    pub runs: u64,
    /// Restarts among them.
    pub restarts: u32,
}

/// What became of a parameter.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// Its path.
    pub set: String,
    /// Where the search began.
    pub from: f64,
    /// What was found.
    pub tuned: f64,
}

/// Costs over some seeds, before and after.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tally {
    /// The seeds.
    pub seeds: Vec<u64>,
    /// Mean cost per seed at the start.
    pub before: Estimate,
    /// Mean cost per seed of what was found.
    pub after: Estimate,
    /// Mean of the change seed by seed; all of the interval below zero is better beyond doubt.
    pub change: Estimate,
    /// Share of runs that met all marks before.
    pub held_before: Estimate,
    /// Share of runs that meet all marks after.
    pub held_after: Estimate,
}

fn tally(seeds: &[u64], before: &[Score], after: &[Score]) -> Tally {
    let costs = |s: &[Score]| -> Vec<f64> { s.iter().map(|s| s.cost).collect() };
    let held = |s: &[Score]| stats::rate(s.iter().filter(|s| s.passed).count(), s.len());
    let change: Vec<f64> = before.iter().zip(after).map(|(a, b)| b.cost - a.cost).collect();
    Tally {
        seeds: seeds.to_vec(),
        before: stats::mean(&costs(before)),
        after: stats::mean(&costs(after)),
        change: stats::mean(&change),
        held_before: held(before),
        held_after: held(after),
    }
}

/// Picks the better of the candidates on the seeds tuned on, runs it on those held back, and writes the files.
pub(super) fn finish(
    tuning: &Tuning,
    scorer: &Scorer<'_>,
    dir: &Path,
    candidates: &[Vec<f64>],
    generations: &[Generation],
) -> Result<Tuned, TuneError> {
    let spec = &tuning.spec;
    let last = spec.stages.len() - 1;
    let scores = |values: &[f64], seeds: &[u64]| {
        let tasks: Vec<Task> = seeds.iter().map(|&seed| Task { values: values.to_vec(), seed }).collect();
        scorer.scores(last, &tasks, tuning.threads, || {})
    };
    let from: Vec<f64> = spec.parameters.iter().map(|p| p.from).collect();
    let tried: Vec<(&Vec<f64>, Vec<Score>)> =
        candidates.iter().map(|c| (c, scores(c, &spec.seeds))).collect();
    let least = tried.iter().min_by(|a, b| scorer.over_seeds(&a.1).total_cmp(&scorer.over_seeds(&b.1)));
    let (values, after) =
        least.map_or_else(|| (from.clone(), Vec::new()), |(v, s)| ((*v).clone(), s.clone()));
    let held = (!spec.held_back.is_empty()).then(|| {
        let seeds = &spec.held_back;
        tally(seeds, &scores(&from, seeds), &scores(&values, seeds))
    });
    let outcome = |(p, &tuned): (&crate::scene::ParameterSpec, &f64)| Outcome {
        set: p.set.clone(),
        from: p.from,
        tuned,
    };
    let tuned = Tuned {
        scene: tuning.scene.name.clone(),
        parameters: spec.parameters.iter().zip(&values).map(outcome).collect(),
        tuned_on: tally(&spec.seeds, &scores(&from, &spec.seeds), &after),
        held_back: held,
        generations: generations.len(),
        runs: generations.last().map_or(0, |g| g.runs),
        restarts: generations.last().map_or(0, |g| g.restarts),
    };
    disk::write(&dir.join("generations.csv"), csv(generations).as_bytes())?;
    let plot = picture(tuning, generations);
    disk::write(&dir.join("convergence.svg"), plot.to_svg(720, 440).as_bytes())?;
    disk::write_picture(&dir.join("convergence.png"), &plot.to_canvas(720, 440))?;
    let text = serde_json::to_string_pretty(&tuned).expect("texts and numbers") + "\n";
    disk::write(&dir.join("tuned.json"), text.as_bytes())?;
    // Last: where there is a patch the tuning is done.
    disk::replace(&dir.join("tuned.toml"), patch(tuning, scorer, &values, &tuned).to_toml().as_bytes())?;
    Ok(tuned)
}

fn patch(tuning: &Tuning, scorer: &Scorer<'_>, values: &[f64], tuned: &Tuned) -> Patch {
    let line = |what: &str, t: &Tally| {
        format!(
            "Mean cost over {} seeds {what}: {:.6}, was {:.6}.",
            t.seeds.len(),
            t.after.value,
            t.before.value
        )
    };
    let mut notes = vec![
        format!("Tuned in {} generations, {} runs.", tuned.generations, tuned.runs),
        line("tuned on", &tuned.tuned_on),
    ];
    notes.extend(tuned.held_back.as_ref().map(|t| line("held back", t)));
    notes.push(format!("Apply: stuntlab run {} --patch FILE", tuning.scene.name));
    Patch {
        scene: tuning.scene.name.clone(),
        command: tuning.command.clone(),
        set: scorer.assignments(values),
        notes,
    }
}

fn csv(generations: &[Generation]) -> String {
    let mut text = "generation,stage,restarts,runs,best,median,sigma,axis_ratio,stop\n".to_owned();
    for (k, g) in generations.iter().enumerate() {
        let stop = g.stop.map_or("", super::cma::Stop::words);
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{},{},{},{},{:?},{:?},{:?},{:?},{stop}",
            k + 1,
            g.stage,
            g.restarts,
            g.runs,
            g.best,
            g.median,
            g.sigma,
            g.axis_ratio
        );
    }
    text
}

fn picture(tuning: &Tuning, generations: &[Generation]) -> LinePlot {
    let mut plot = LinePlot::new(format!("Tuning {}", tuning.scene.name), "generation", "cost");
    let (least, most) =
        generations.iter().fold((f64::INFINITY, 0.0f64), |(l, m), g| (l.min(g.best), m.max(g.median)));
    // Over more than a decade, where there is no sign to lose.
    plot.log_y = least > 0.0 && most > 10.0 * least;
    let mut least = (f64::INFINITY, 0);
    let best = line_of(generations, |g| {
        // Costs of another stage are of another scene.
        least = if least.1 == g.stage { (least.0.min(g.best), g.stage) } else { (g.best, g.stage) };
        least.0
    });
    plot.line("best so far", best)
        .line("best of the generation", line_of(generations, |g| g.best))
        .line("median of the generation", line_of(generations, |g| g.median))
}

fn line_of(generations: &[Generation], mut pick: impl FnMut(&Generation) -> f64) -> Vec<(f64, f64)> {
    generations.iter().enumerate().map(|(k, g)| ((k + 1) as f64, pick(g))).collect()
}
