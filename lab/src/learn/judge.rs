//! How good classifiers are: accuracy beside the baselines, ROC curves, thresholds for a precision.

use crate::stats::{self, Estimate};

use super::samples::Samples;

/// Accuracy of decisions: the share that agree with what happened.
pub fn accuracy(decisions: &[f64], labels: &[bool]) -> Estimate {
    let right = decisions.iter().zip(labels).filter(|(f, label)| (**f > 0.0) == **label).count();
    stats::rate(right, labels.len())
}

/// What saying always the same gets right: the majority of the training set, on the test set.
pub fn majority(training: &Samples, test: &Samples) -> Estimate {
    let says = 2 * training.successes() >= training.len();
    stats::rate(test.labels.iter().filter(|l| **l == says).count(), test.len())
}

/// Decisions of the nearest neighbour (Duda and Hart 1973): 1 or -1, the label of the training sample that is nearest; both standardised. The paper's baseline.
pub fn nearest(training: &Samples, test: &Samples) -> Vec<f64> {
    let width = training.width.max(1);
    let decide = |x: &[f64]| {
        let (mut least, mut label) = (f64::INFINITY, false);
        for (row, says) in training.rows.chunks_exact(width).zip(&training.labels) {
            let mut square = 0.0;
            // In pieces, so that who is far away is known to be so before all of it is summed.
            for (a, b) in row.chunks(8).zip(x.chunks(8)) {
                square += a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
                if square >= least {
                    break;
                }
            }
            if square < least {
                (least, label) = (square, *says);
            }
        }
        if label { 1.0 } else { -1.0 }
    };
    (0..test.len()).map(|k| decide(test.row(k))).collect()
}

/// A point of a ROC curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Operating {
    /// Accepted are decisions above it.
    pub threshold: f64,
    /// Share of the failures that are accepted.
    pub false_positive: f64,
    /// Share of the successes that are accepted: recall.
    pub true_positive: f64,
    /// Share of the accepted that are successes.
    pub precision: Estimate,
}

/// The curve, from accepting nothing to accepting all; a point for every threshold between decisions.
pub fn roc(decisions: &[f64], labels: &[bool]) -> Vec<Operating> {
    let mut order: Vec<usize> = (0..labels.len()).collect();
    order.sort_by(|&a, &b| decisions[b].total_cmp(&decisions[a]).then(a.cmp(&b)));
    let good = labels.iter().filter(|l| **l).count();
    let bad = labels.len() - good;
    let share = |n: usize, of: usize| if of > 0 { n as f64 / of as f64 } else { 0.0 };
    let (mut hits, mut misses) = (0, 0);
    let mut curve = Vec::new();
    for (place, &k) in order.iter().enumerate() {
        *(if labels[k] { &mut hits } else { &mut misses }) += 1;
        let next = order.get(place + 1).map(|&n| decisions[n]);
        // Samples with the same decision are accepted together.
        if next == Some(decisions[k]) {
            continue;
        }
        curve.push(Operating {
            threshold: next.map_or(decisions[k] - 1.0, |next| 0.5 * (decisions[k] + next)),
            false_positive: share(misses, bad),
            true_positive: share(hits, good),
            precision: stats::rate(hits, hits + misses),
        });
    }
    curve
}

/// Area under the curve: how often a success has a higher decision than a failure.
pub fn area(curve: &[Operating]) -> f64 {
    let (mut x, mut y, mut area) = (0.0, 0.0, 0.0);
    for point in curve {
        area += 0.5 * (point.true_positive + y) * (point.false_positive - x);
        (x, y) = (point.false_positive, point.true_positive);
    }
    area
}

/// Precision that thresholds are chosen for: to say "can" wrongly is worse than the reverse.
pub const PRECISION: f64 = 0.95;

/// The least threshold of at least 0 from which on even the lower end of the precision's interval is [`PRECISION`]; where there is none, that of the highest
/// lower end.
pub fn calibrate(curve: &[Operating]) -> Option<Operating> {
    let sound = curve.iter().filter(|p| p.threshold >= 0.0 || p.precision.low >= PRECISION);
    let holds = sound.filter(|p| p.precision.low >= PRECISION);
    let widest = holds.max_by(|a, b| a.true_positive.total_cmp(&b.true_positive)).copied();
    widest
        .map(|p| Operating { threshold: p.threshold.max(0.0), ..p })
        .or_else(|| curve.iter().copied().max_by(|a, b| a.precision.low.total_cmp(&b.precision.low)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(rows: &[([f64; 2], bool)]) -> Samples {
        let mut samples = Samples::new(2);
        rows.iter().for_each(|(x, l)| samples.push(x, *l));
        samples
    }

    #[test]
    fn the_nearest_neighbour_says_what_it_saw() {
        let seen = samples(&[([0.0, 0.0], true), ([1.0, 0.0], false), ([0.0, 3.0], true)]);
        let new = samples(&[([0.1, 0.2], true), ([0.9, 0.1], true), ([0.4, 2.0], false)]);
        assert_eq!(nearest(&seen, &new), [1.0, -1.0, 1.0]);
        assert_eq!(accuracy(&nearest(&seen, &new), &new.labels).value, 1.0 / 3.0);
        assert_eq!(majority(&seen, &new).value, 2.0 / 3.0);
    }

    #[test]
    fn curves_are_those_counted_by_hand() {
        // Successes at 3, 2, 0; failures at 1, -1.
        let (decisions, labels) = ([3.0, 1.0, 2.0, -1.0, 0.0], [true, false, true, false, true]);
        let curve = roc(&decisions, &labels);
        let points: Vec<(f64, f64)> = curve.iter().map(|p| (p.false_positive, p.true_positive)).collect();
        let third = 1.0 / 3.0;
        assert_eq!(points, [(0.0, third), (0.0, 2.0 * third), (0.5, 2.0 * third), (0.5, 1.0), (1.0, 1.0)]);
        // Of six pairs of a success and a failure five are in order.
        assert!((area(&curve) - 5.0 / 6.0).abs() < 1e-12);
        assert_eq!(curve[1].threshold, 1.5);
        assert!(roc(&[], &[]).is_empty() && calibrate(&[]).is_none());
    }

    #[test]
    fn a_threshold_is_as_generous_as_the_precision_allows() {
        // 300 successes above 1, then failures among successes.
        let decisions: Vec<f64> = (0..600).map(|k| 3.0 - f64::from(k) / 150.0).collect();
        let labels: Vec<bool> = (0..600).map(|k| k < 300 || k % 2 == 0).collect();
        let chosen = calibrate(&roc(&decisions, &labels)).expect("there is one");
        assert!(chosen.precision.low >= PRECISION && chosen.threshold < 1.0 && chosen.threshold > 0.5);
        // Where all are successes it is not below zero.
        let all = calibrate(&roc(&decisions, &vec![true; 600])).expect("there is one");
        assert_eq!(all.threshold, 0.0);
    }
}
