//! From samples to a classifier: kernel and cost by cross-validation over a stated grid, then all samples, then a threshold on others.

use stuntlab_control::learned::{Classifier, Kernel, Trained};

use super::judge::{self, Operating};
use super::samples::{Samples, Standard};
use super::svm::{self, Settings};
use crate::parallel;
use crate::random::Random;
use crate::stats::Estimate;

/// Kernels of the grid; `γ` of the radial one for features whose squares add up to about 1.
pub const KERNELS: [Kernel; 6] = [
    Kernel::Linear,
    Kernel::Polynomial { degree: 2 },
    Kernel::Polynomial { degree: 3 },
    Kernel::Radial { gamma: 0.5 },
    Kernel::Radial { gamma: 2.0 },
    Kernel::Radial { gamma: 8.0 },
];
/// Costs of the grid.
pub const COSTS: [f64; 4] = [0.1, 1.0, 10.0, 100.0];
/// Parts of the cross-validation.
pub const FOLDS: usize = 5;
/// Samples the grid is searched on, at most: the first of the training set. Times grow with the square.
pub const GRID_SAMPLES: usize = 1500;

/// A point of the grid with what cross-validation found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tried {
    /// The point.
    pub settings: Settings,
    /// Accuracy over all folds.
    pub accuracy: Estimate,
}

/// Which fold each sample belongs to: shuffled by a seed, with as many successes in each.
fn folds(samples: &Samples) -> Vec<usize> {
    let mut random = Random::named(1, "folds");
    let mut fold = vec![0; samples.len()];
    for label in [true, false] {
        let mut own: Vec<usize> = (0..samples.len()).filter(|k| samples.labels[*k] == label).collect();
        (1..own.len()).rev().for_each(|i| own.swap(i, random.below(i + 1)));
        own.iter().enumerate().for_each(|(place, &k)| fold[k] = place % FOLDS);
    }
    fold
}

/// Decisions on every sample by a machine that did not see its fold, for each point: the same for any number of threads.
fn cross_validate(samples: &Samples, points: &[Settings], threads: usize) -> Vec<Tried> {
    let fold = folds(samples);
    let mut decisions = vec![vec![0.0; samples.len()]; points.len()];
    let work = |task: usize| {
        let (settings, held) = (&points[task / FOLDS], task % FOLDS);
        let machine = svm::train(&samples.pick((0..samples.len()).filter(|k| fold[*k] != held)), settings);
        let machine = machine.machine.written_out();
        (0..samples.len())
            .filter(|k| fold[*k] == held)
            .map(|k| (k, machine.value(samples.row(k))))
            .collect::<Vec<_>>()
    };
    let done = parallel::each(points.len() * FOLDS, threads, work, |task, found| {
        found.into_iter().for_each(|(k, f)| decisions[task / FOLDS][k] = f);
        Ok::<(), std::convert::Infallible>(())
    });
    let Ok(()) = done;
    let tried = points.iter().zip(&decisions);
    tried
        .map(|(settings, f)| Tried { settings: *settings, accuracy: judge::accuracy(f, &samples.labels) })
        .collect()
}

/// What was found on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The classifier, its threshold chosen on the calibration set.
    pub classifier: Classifier,
    /// All of the grid.
    pub grid: Vec<Tried>,
    /// What was chosen.
    pub chosen: Settings,
    /// Support vectors of the machine before it was written out.
    pub vectors: usize,
    /// Steps of the training.
    pub steps: usize,
    /// `m - M` at its end.
    pub gap: f64,
    /// The calibration set's curve where the threshold lies.
    pub operating: Option<Operating>,
}

/// Whose classifier it is to be.
#[derive(Clone, Debug)]
pub struct About<'a> {
    /// The skill.
    pub skill: &'a str,
    /// The figure's fingerprint.
    pub figure: u64,
    /// Names of the features.
    pub names: &'a [String],
    /// The command, for the file.
    pub command: &'a str,
}

/// The grid's best point over `kernels`: by accuracy, then the earlier one, which is the simpler. Then both classes are weighed alike, and kept if that is better.
pub fn choose(samples: &Samples, kernels: &[Kernel], threads: usize) -> (Settings, Vec<Tried>) {
    let few = samples.pick(0..samples.len().min(GRID_SAMPLES));
    let points: Vec<Settings> = kernels
        .iter()
        .flat_map(|kernel| COSTS.map(|cost| Settings { kernel: *kernel, cost, weights: [1.0; 2] }))
        .collect();
    let mut tried = cross_validate(&few, &points, threads);
    let better = |a: &Tried, b: &Tried| a.accuracy.value > b.accuracy.value;
    let best =
        |tried: &[Tried]| tried.iter().copied().reduce(|best, t| if better(&t, &best) { t } else { best });
    if let Some(plain) = best(&tried) {
        let weights = svm::balanced(&few);
        tried.extend(cross_validate(&few, &[Settings { weights, ..plain.settings }], threads));
    }
    let chosen = best(&tried)
        .map_or(Settings { kernel: Kernel::Linear, cost: 1.0, weights: [1.0; 2] }, |t| t.settings);
    (chosen, tried)
}

/// Trains on `training`, with the threshold from `calibration`.
pub fn fit(
    training: &Samples,
    calibration: &Samples,
    kernels: &[Kernel],
    about: &About<'_>,
    threads: usize,
) -> Fit {
    let standard = Standard::of(training);
    let own = standard.apply(training);
    let (chosen, grid) = choose(&own, kernels, threads);
    let solution = svm::train(&own, &chosen);
    let mut classifier = Classifier {
        skill: about.skill.to_owned(),
        figure: about.figure,
        names: about.names.to_vec(),
        mean: standard.mean,
        scale: standard.scale,
        machine: solution.machine.written_out(),
        threshold: 0.0,
        trained: Trained {
            samples: training.len(),
            successes: training.successes(),
            calibration: calibration.len(),
            command: about.command.to_owned(),
            ..Trained::default()
        },
    };
    let curve = judge::roc(&decisions(&classifier, calibration), &calibration.labels);
    let operating = judge::calibrate(&curve);
    if let Some(at) = operating {
        classifier.threshold = at.threshold;
        classifier.trained.precision = at.precision.value;
        classifier.trained.recall = at.true_positive;
    }
    Fit {
        classifier,
        grid,
        chosen,
        vectors: solution.machine.n_vectors(),
        steps: solution.steps,
        gap: solution.gap,
        operating,
    }
}

/// `f(x) - δ` of samples as they are.
pub fn decisions(classifier: &Classifier, samples: &Samples) -> Vec<f64> {
    let decider = classifier.decider();
    (0..samples.len()).map(|k| decider.decide(samples.row(k))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disc in the plane, with features of very different sizes and one that never changes.
    fn disc(n: usize, seed: u64) -> Samples {
        let mut random = Random::named(seed, "disc");
        let mut samples = Samples::new(3);
        for _ in 0..n {
            let (x, y) = (random.symmetric(), random.symmetric());
            let noise = random.chance(0.02);
            samples.push(&[1000.0 * x, 7.0, 0.001 * y + 3.0], (x * x + y * y < 0.6) != noise);
        }
        samples
    }

    fn about() -> About<'static> {
        About { skill: "disc", figure: 3, names: &[], command: "" }
    }

    #[test]
    fn a_disc_is_learned_by_a_kernel_that_is_round_and_the_same_bits_come_from_any_threads() {
        let (training, calibration, test) = (disc(400, 1), disc(300, 2), disc(1000, 3));
        let found = fit(&training, &calibration, &KERNELS, &about(), 2);
        assert_eq!(found, fit(&training, &calibration, &KERNELS, &about(), 1));
        assert!(!matches!(found.chosen.kernel, Kernel::Linear));
        assert_eq!(found.grid.len(), KERNELS.len() * COSTS.len() + 1);
        let accuracy = |c: &Classifier| judge::accuracy(&decisions(c, &test), &test.labels).value;
        let plain = Classifier { threshold: 0.0, ..found.classifier.clone() };
        assert!(accuracy(&plain) > 0.94, "{}", accuracy(&plain));
        let linear = fit(&training, &calibration, &KERNELS[..1], &about(), 2);
        assert!(accuracy(&linear.classifier) < 0.7);
        // Standardised by hand the nearest neighbour is good, too, but not as good.
        let standard = Standard::of(&training);
        let near = judge::nearest(&standard.apply(&training), &standard.apply(&test));
        let near = judge::accuracy(&near, &test.labels).value;
        assert!(near > 0.9 && near < accuracy(&plain), "{near}");
        // The threshold keeps its promise on what neither training nor calibration saw.
        let f = decisions(&found.classifier, &test);
        let accepted: Vec<bool> = (0..test.len()).filter(|k| f[*k] > 0.0).map(|k| test.labels[k]).collect();
        let precision = accepted.iter().filter(|l| **l).count() as f64 / accepted.len() as f64;
        assert!(precision >= judge::PRECISION && accepted.len() > 200, "{precision} of {}", accepted.len());
    }
}
