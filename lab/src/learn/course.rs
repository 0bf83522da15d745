//! A skill's course from nothing to a classifier: two rounds of samples, the grid, the machine, its threshold, and how it does beside the baselines.

use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};
use stuntlab_control::learned::{Classifier, Kernel};
use stuntlab_viewer::plot::LinePlot;

use super::fit::{self, About, Fit};
use super::judge;
use super::practice::Practice;
use super::sampler::{Sampler, Set};
use super::samples::{Samples, Standard};
use super::sampling::Bounds;
use crate::disk;
use crate::stats::{self, Estimate};
use crate::study::{Order, StudyError, conduct};

/// How much of the published sets is sampled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// Share of them; 1 is as published.
    pub share: f64,
    /// Bounds in place of the practice's own: force, N, and offset, rad.
    pub force: Option<f64>,
    /// See [`Effort::force`].
    pub offset: Option<f64>,
    /// Which part of the trials, on how many threads.
    pub order: Order,
}

/// Samples of a calibration set, at least and as a share of the training set.
const CALIBRATION: (usize, f64) = (400, 0.25);

/// How a classifier does.
#[derive(Clone, Debug, PartialEq)]
pub struct Marks {
    /// Name of the kind of classifier.
    pub name: String,
    /// Share of the test set it has right.
    pub accuracy: Estimate,
    /// Seconds of its training, the grid's included, and microseconds of a decision.
    pub times: [f64; 2],
}

/// What came of a course.
#[derive(Clone, Debug, PartialEq)]
pub struct Learned {
    /// The skill.
    pub skill: &'static str,
    /// Training and test set.
    pub sizes: [usize; 2],
    /// Share of successes in each.
    pub successes: [Estimate; 2],
    /// Majority, nearest neighbour, and machines of each kernel.
    pub marks: Vec<Marks>,
    /// The best by cross-validation, over all kernels.
    pub fit: Fit,
    /// It on the test set at `f > 0`.
    pub accuracy: Estimate,
    /// Share of successes among what it accepts at its threshold, and of the successes what it accepts.
    pub precision: Estimate,
    /// See [`Learned::precision`].
    pub recall: Estimate,
    /// Area under its ROC curve.
    pub area: f64,
    /// The curve: false and true positives.
    pub roc: Vec<(f64, f64)>,
    /// Seconds to train the chosen machine alone, microseconds to decide.
    pub times: [f64; 2],
}

/// Files a course leaves in its directory.
pub const FILES: [&str; 4] = ["classifier.toml", "first.toml", "learned.json", "times.json"];

/// Goes through the course, in `dir`; `heard` is told which part it is at and how many of its samples are done.
///
/// # Errors
/// A directory that is somebody else's, files that cannot be read or written.
pub fn learn(
    practice: &'static Practice,
    effort: &Effort,
    dir: &Path,
    heard: &dyn Fn(&str, usize, usize),
) -> Result<Option<Learned>, StudyError> {
    let own = practice.bounds;
    let bounds =
        Bounds { force: effort.force.unwrap_or(own.force), offset: effort.offset.unwrap_or(own.offset) };
    let part = |n: usize| ((n as f64 * effort.share) as usize).max(60);
    let [training, test] = practice.sizes.map(part);
    let calibration = CALIBRATION.0.max((CALIBRATION.1 * training as f64) as usize).min(4 * training);
    let anywhere = training.div_ceil(2);
    let mut command = format!("stuntlab learn {} --share {:?}", practice.skill, effort.share);
    if bounds != own {
        command += &format!(" --force {:?} --offset {:?}", bounds.force, bounds.offset);
    }
    let first = Sampler::new(
        practice,
        bounds,
        &[(Set::Training, anywhere), (Set::Calibration, calibration), (Set::Test, test)],
        None,
    )?;
    conduct(&first, effort.order, &dir.join("round-1"), &|done, all| heard("anywhere", done, all))?;
    if !effort.order.shard.is_whole() {
        return Ok(None);
    }
    let about =
        About { skill: practice.skill, figure: first.figure(), names: first.names(), command: &command };
    let threads = effort.order.threads;
    let (far, held, judged) =
        (first.samples(Set::Training), first.samples(Set::Calibration), first.samples(Set::Test));
    // Where it is not known better the boundary is that of a polynomial.
    let plain = fit::fit(&far, &held, &[Kernel::Polynomial { degree: 2 }], &about, threads);
    let boundary = Classifier { threshold: 0.0, ..plain.classifier };
    disk::write(&dir.join(FILES[1]), boundary.to_toml().as_bytes())?;
    let second = Sampler::new(practice, bounds, &[(Set::Near, training - anywhere)], Some(boundary))?;
    conduct(&second, effort.order, &dir.join("round-2"), &|done, all| heard("near the boundary", done, all))?;
    let mut all = far;
    let near = second.samples(Set::Near);
    (0..near.len()).for_each(|k| all.push(near.row(k), near.labels[k]));
    heard("training", 0, 1);
    let learned = judge_all(practice.skill, &all, &held, &judged, &about, threads);
    disk::write(&dir.join(FILES[0]), learned.fit.classifier.to_toml().as_bytes())?;
    let text = |value: &Value| serde_json::to_string_pretty(value).expect("texts and numbers") + "\n";
    disk::write(&dir.join(FILES[2]), text(&learned.to_json()).as_bytes())?;
    disk::write(&dir.join(FILES[3]), text(&learned.times_to_json()).as_bytes())?;
    let plot = LinePlot::new(
        format!("{}: what is accepted", practice.skill),
        "share of the failures",
        "share of the successes",
    );
    let plot = LinePlot { y_range: Some((0.0, 1.0)), ..plot }.line("test set", thinned(&learned.roc));
    disk::write(&dir.join("roc.svg"), plot.to_svg(560, 440).as_bytes())?;
    disk::write_picture(&dir.join("roc.png"), &plot.to_canvas(560, 440))?;
    heard("training", 1, 1);
    Ok(Some(learned))
}

/// As many points as can be seen.
pub(crate) fn thinned(curve: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let step = curve.len().div_ceil(300).max(1);
    let last = curve.last().copied();
    std::iter::once((0.0, 0.0)).chain(curve.iter().copied().step_by(step)).chain(last).collect()
}

fn kind(kernel: Kernel) -> &'static str {
    kernel.name()
}

/// Classifiers of every kind, on the same samples.
fn judge_all(
    skill: &'static str,
    training: &Samples,
    calibration: &Samples,
    test: &Samples,
    about: &About<'_>,
    threads: usize,
) -> Learned {
    let mut marks = vec![Marks {
        name: "majority".to_owned(),
        accuracy: judge::majority(training, test),
        times: [0.0; 2],
    }];
    let standard = Standard::of(training);
    let (own, new) = (standard.apply(training), standard.apply(test));
    let begun = Instant::now();
    let near = judge::nearest(&own, &new);
    let each = 1e6 / test.len().max(1) as f64;
    marks.push(Marks {
        name: "nearest".to_owned(),
        accuracy: judge::accuracy(&near, &test.labels),
        times: [0.0, begun.elapsed().as_secs_f64() * each],
    });
    let mut kinds: Vec<&'static str> = Vec::new();
    for kernel in fit::KERNELS {
        if !kinds.contains(&kind(kernel)) {
            kinds.push(kind(kernel));
        }
    }
    let mut best: Option<(f64, Fit, [f64; 2])> = None;
    for name in kinds {
        let kernels: Vec<Kernel> = fit::KERNELS.into_iter().filter(|k| kind(*k) == name).collect();
        let begun = Instant::now();
        let fit = fit::fit(training, calibration, &kernels, about, threads);
        let took = begun.elapsed().as_secs_f64();
        let plain = Classifier { threshold: 0.0, ..fit.classifier.clone() };
        let begun = Instant::now();
        let f = fit::decisions(&plain, test);
        let decides = begun.elapsed().as_secs_f64() * each;
        marks.push(Marks {
            name: name.to_owned(),
            accuracy: judge::accuracy(&f, &test.labels),
            times: [took, decides],
        });
        let own = fit.grid.iter().filter(|t| t.settings == fit.chosen).map(|t| t.accuracy.value);
        let own = own.fold(0.0, f64::max);
        if best.as_ref().is_none_or(|b| own > b.0) {
            best = Some((own, fit, [took, decides]));
        }
    }
    // There is a kernel.
    let (_, fit, _) = best
        .unwrap_or_else(|| (0.0, fit::fit(training, calibration, &fit::KERNELS, about, threads), [0.0; 2]));
    let begun = Instant::now();
    let again = super::svm::train(&own, &fit.chosen);
    let trained = begun.elapsed().as_secs_f64();
    drop(again);
    let plain = Classifier { threshold: 0.0, ..fit.classifier.clone() };
    let begun = Instant::now();
    let f = fit::decisions(&plain, test);
    let decides = begun.elapsed().as_secs_f64() * each;
    let curve = judge::roc(&f, &test.labels);
    let accepted = |k: &usize| f[*k] > fit.classifier.threshold;
    let hits = (0..test.len()).filter(|k| accepted(k) && test.labels[*k]).count();
    let taken = (0..test.len()).filter(accepted).count();
    let rate = |s: &Samples| stats::rate(s.successes(), s.len());
    Learned {
        skill,
        sizes: [training.len(), test.len()],
        successes: [rate(training), rate(test)],
        marks,
        accuracy: judge::accuracy(&f, &test.labels),
        precision: stats::rate(hits, taken),
        recall: stats::rate(hits, test.successes()),
        area: judge::area(&curve),
        roc: curve.iter().map(|p| (p.false_positive, p.true_positive)).collect(),
        times: [trained, decides],
        fit,
    }
}

impl Learned {
    /// Accuracy of a kind of classifier.
    pub fn accuracy_of(&self, name: &str) -> Option<Estimate> {
        self.marks.iter().find(|m| m.name == name).map(|m| m.accuracy)
    }

    /// All but times, for machines.
    pub fn to_json(&self) -> Value {
        let marks: Vec<Value> =
            self.marks.iter().map(|m| json!({ "name": m.name, "accuracy": m.accuracy })).collect();
        let grid: Vec<Value> = self
            .fit
            .grid
            .iter()
            .map(|t| {
                json!({ "kernel": t.settings.kernel.words(), "cost": t.settings.cost, "weights": t.settings.weights, "accuracy": t.accuracy })
            })
            .collect();
        json!({
            "skill": self.skill,
            "training": self.sizes[0],
            "test": self.sizes[1],
            "successes": self.successes,
            "classifiers": marks,
            "chosen": { "kernel": self.fit.chosen.kernel.words(), "cost": self.fit.chosen.cost, "weights": self.fit.chosen.weights },
            "support_vectors": self.fit.vectors,
            "gap": self.fit.gap,
            "accuracy": self.accuracy,
            "threshold": self.fit.classifier.threshold,
            "precision": self.precision,
            "recall": self.recall,
            "area": self.area,
            "grid": grid,
        })
    }

    /// Times, which are other numbers on every run.
    pub fn times_to_json(&self) -> Value {
        let marks: Vec<Value> = self
            .marks
            .iter()
            .map(|m| json!({ "name": m.name, "training_with_grid_s": m.times[0], "decision_us": m.times[1] }))
            .collect();
        json!({ "skill": self.skill, "training_s": self.times[0], "decision_us": self.times[1], "classifiers": marks })
    }

    /// A few lines for people.
    pub fn text(&self) -> String {
        let percent = |e: &Estimate| {
            format!("{:.2} % ({:.2} to {:.2})", 100.0 * e.value, 100.0 * e.low, 100.0 * e.high)
        };
        let mut text = format!(
            "{}: {} to train on, {} to judge by, of which {} succeed\n",
            self.skill,
            self.sizes[0],
            self.sizes[1],
            percent(&self.successes[1])
        );
        for m in &self.marks {
            text += &format!("  {:<12} {}\n", m.name, percent(&m.accuracy));
        }
        let chosen = &self.fit.chosen;
        text += &format!(
            "  chosen: {}, cost {}, {} support vectors; accuracy {}\n  at its threshold {:.3}: precision {}, recall {}\n  trained in {:.2} s, decides in {:.2} us\n",
            chosen.kernel.words(),
            chosen.cost,
            self.fit.vectors,
            percent(&self.accuracy),
            self.fit.classifier.threshold,
            percent(&self.precision),
            percent(&self.recall),
            self.times[0],
            self.times[1]
        );
        text
    }
}
