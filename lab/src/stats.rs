//! Estimates with 95 % intervals: Wilson's for rates, the bootstrap's for means and medians.

use serde::Serialize;

use crate::random::Random;

/// Two-sided 95 % of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;
/// Resamples of a bootstrap: the ends of the interval then move by about a twentieth of its width with another seed.
const RESAMPLES: usize = 2000;
/// Seed of every bootstrap: the same numbers have the same interval, always.
const SEED: u64 = 1;

/// An estimate and its 95 % interval; ends are not numbers where there is too little to say.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Numbers it is from.
    pub n: usize,
}

/// A rate by Wilson's score interval (Wilson 1927), which stays within 0 to 1 and is sound for few trials and for rates
/// near the ends, where the textbook's `p ± 1.96 √(p q / n)` has no width at all.
pub fn rate(successes: usize, n: usize) -> Estimate {
    if n == 0 {
        return Estimate { value: f64::NAN, low: f64::NAN, high: f64::NAN, n };
    }
    let (count, p) = (n as f64, successes as f64 / n as f64);
    let middle = (p + Z * Z / (2.0 * count)) / (1.0 + Z * Z / count);
    let half = Z / (1.0 + Z * Z / count) * (p * (1.0 - p) / count + Z * Z / (4.0 * count * count)).sqrt();
    // The ends are exact at the ends; rounding would leave 1e-17.
    let low = if successes == 0 { 0.0 } else { middle - half };
    let high = if successes == n { 1.0 } else { middle + half };
    Estimate { value: p, low, high, n }
}

/// The mean of the finite values, with its bootstrap interval.
pub fn mean(values: &[f64]) -> Estimate {
    bootstrap(values, |sorted| sorted.iter().sum::<f64>() / sorted.len() as f64)
}

/// The median of the finite values, with its bootstrap interval.
pub fn median(values: &[f64]) -> Estimate {
    bootstrap(values, middle)
}

fn middle(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    0.5 * (sorted[(n - 1) / 2] + sorted[n / 2])
}

/// Percentile bootstrap (Efron and Tibshirani 1993, chapter 13).
fn bootstrap(values: &[f64], statistic: impl Fn(&[f64]) -> f64) -> Estimate {
    let values: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    let n = values.len();
    if n == 0 {
        return Estimate { value: f64::NAN, low: f64::NAN, high: f64::NAN, n };
    }
    let value = statistic(&values);
    if n == 1 {
        return Estimate { value, low: f64::NAN, high: f64::NAN, n };
    }
    let mut random = Random::named(SEED, "bootstrap");
    let mut sample = vec![0.0; n];
    let mut found: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            sample.iter_mut().for_each(|s| *s = values[random.below(n)]);
            statistic(&sample)
        })
        .collect();
    found.sort_by(f64::total_cmp);
    let at = |share: f64| found[(share * (RESAMPLES - 1) as f64).round() as usize];
    Estimate { value, low: at(0.025), high: at(0.975), n }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilsons_interval_is_that_of_the_books() {
        // Newcombe 1998, table I, method 3: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
        for (successes, n, low, high) in [
            (81, 263, 0.2553, 0.3662),
            (15, 148, 0.0624, 0.1605),
            (0, 20, 0.0, 0.1611),
            (1, 29, 0.0061, 0.1718),
        ] {
            let found = rate(successes, n);
            assert!((found.low - low).abs() < 6e-5 && (found.high - high).abs() < 6e-5, "{found:?}");
        }
        assert!(rate(0, 0).value.is_nan());
        assert_eq!(rate(7, 7).high, 1.0);
    }

    /// Of many samples from a known distribution the interval holds the mean about as often as it says.
    #[test]
    fn the_bootstrap_covers_the_mean_as_often_as_it_says() {
        let mut random = Random::named(3, "coverage");
        let holds = |_: usize| {
            let values: Vec<f64> = (0..30).map(|_| 2.0 + random.normal()).collect();
            let Estimate { low, high, .. } = mean(&values);
            low <= 2.0 && 2.0 <= high
        };
        let covered = (0..400).map(holds).filter(|h| *h).count();
        assert!((360..=392).contains(&covered), "{covered} of 400");
    }

    #[test]
    fn the_same_numbers_have_the_same_interval() {
        let values = [1.0, 2.0, f64::NAN, 4.0, 8.0];
        assert_eq!(median(&values), median(&values));
        let found = median(&values);
        assert_eq!((found.value, found.n), (3.0, 4));
        assert!(found.low >= 1.0 && found.high <= 8.0 && found.low < found.high);
        assert!(mean(&[5.0]).low.is_nan() && mean(&[5.0]).value == 5.0);
    }
}
