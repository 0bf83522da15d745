//! One angle over time, through its keys.
//!
//! Between keys runs the quintic that has given value, slope and curvature at both ends (Hermite), so that the whole is C².
//! Slopes are the shape-preserving ones of Fritsch & Butland 1984 (harmonic mean of the neighbouring chords, 0 at
//! extremes), so a curve does not overshoot its keys; curvatures are the mean of the two cubic pieces that meet. Other
//! easings replace a segment and hand their end slopes to their neighbours.

use serde::Deserialize;

/// How a segment between two keys is run through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ease {
    /// C² with its neighbours.
    #[default]
    Smooth,
    /// Straight line.
    Linear,
    /// Rests during the first half, then goes over smoothly.
    Hold,
    /// Starts slowly.
    EaseIn,
    /// Ends slowly.
    EaseOut,
    /// Starts and ends at rest.
    EaseInOut,
}

/// 0 to 1 with two vanishing derivatives at both ends.
pub(crate) fn smoother(u: f64) -> f64 {
    let u = u.clamp(0.0, 1.0);
    u * u * u * (10.0 + u * (6.0 * u - 15.0))
}

/// What happens before the first and after the last key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Starts or ends at rest.
    Rest,
    /// Starts or ends in motion.
    Moving,
}

/// Slopes and curvatures at the keys of one curve.
#[derive(Clone, Debug)]
pub(crate) struct Curve {
    times: Vec<f64>,
    values: Vec<f64>,
    eases: Vec<Ease>,
    slopes: Vec<f64>,
    curvatures: Vec<f64>,
}

impl Curve {
    /// A curve through at least one key at increasing times.
    pub(crate) fn new(times: &[f64], values: Vec<f64>, eases: &[Ease], ends: [End; 2]) -> Self {
        let n = times.len();
        let chord = |k: usize| (values[k + 1] - values[k]) / (times[k + 1] - times[k]);
        let mut slopes: Vec<f64> = (0..n)
            .map(|k| match k {
                _ if n < 2 => 0.0,
                0 if ends[0] == End::Rest => 0.0,
                0 => chord(0),
                _ if k + 1 == n => {
                    if ends[1] == End::Rest {
                        0.0
                    } else {
                        chord(n - 2)
                    }
                }
                _ => {
                    let (h0, h1) = (times[k] - times[k - 1], times[k + 1] - times[k]);
                    let (d0, d1) = (chord(k - 1), chord(k));
                    if d0 * d1 <= 0.0 {
                        return 0.0;
                    }
                    let (w0, w1) = (2.0 * h1 + h0, h1 + 2.0 * h0);
                    (w0 + w1) / (w0 / d0 + w1 / d1)
                }
            })
            .collect();
        // Segments of another kind dictate the slopes at their ends.
        let mut fixed = vec![false; n];
        for k in 0..n.saturating_sub(1) {
            let s = chord(k);
            let (start, end) = match eases[k] {
                Ease::Smooth => continue,
                Ease::Linear => (s, s),
                Ease::Hold | Ease::EaseInOut => (0.0, 0.0),
                Ease::EaseIn => (0.0, 2.0 * s),
                Ease::EaseOut => (2.0 * s, 0.0),
            };
            slopes[k] = start;
            slopes[k + 1] = end;
            fixed[k] = true;
            fixed[k + 1] = true;
        }
        let curvatures = (0..n)
            .map(|k| {
                if fixed[k] || n < 2 {
                    return 0.0;
                }
                // Second derivatives of the cubic pieces at their ends.
                let before = (k > 0).then(|| {
                    let h = times[k] - times[k - 1];
                    (2.0 * slopes[k - 1] + 4.0 * slopes[k] - 6.0 * chord(k - 1)) / h
                });
                let after = (k + 1 < n).then(|| {
                    let h = times[k + 1] - times[k];
                    (6.0 * chord(k) - 4.0 * slopes[k] - 2.0 * slopes[k + 1]) / h
                });
                match (before, after) {
                    (Some(a), Some(b)) => 0.5 * (a + b),
                    _ => 0.0,
                }
            })
            .collect();
        Self { times: times.to_vec(), values, eases: eases.to_vec(), slopes, curvatures }
    }

    /// Value at a time; held outside of the keys.
    pub(crate) fn at(&self, time: f64) -> f64 {
        let k = self.times.partition_point(|&t| t <= time);
        if k == 0 {
            return self.values[0];
        }
        if k == self.times.len() {
            return self.values[k - 1];
        }
        let k = k - 1;
        let h = self.times[k + 1] - self.times[k];
        let u = (time - self.times[k]) / h;
        let (a, b) = (self.values[k], self.values[k + 1]);
        match self.eases[k] {
            Ease::Linear => a + u * (b - a),
            Ease::Hold => a + smoother(2.0 * u - 1.0) * (b - a),
            Ease::EaseIn => a + u * u * (b - a),
            Ease::EaseOut => a + u * (2.0 - u) * (b - a),
            Ease::EaseInOut => a + smoother(u) * (b - a),
            Ease::Smooth => {
                let v = [a, h * self.slopes[k], 0.5 * h * h * self.curvatures[k]];
                let slope = h * self.slopes[k + 1];
                let bend = h * h * self.curvatures[k + 1];
                // Remaining three coefficients from value, slope and curvature at u = 1.
                let (p, q, r) = (b - v[0] - v[1] - v[2], slope - v[1] - 2.0 * v[2], bend - 2.0 * v[2]);
                let c3 = 10.0 * p - 4.0 * q + 0.5 * r;
                let c4 = -15.0 * p + 7.0 * q - r;
                let c5 = 6.0 * p - 3.0 * q + 0.5 * r;
                v[0] + u * (v[1] + u * (v[2] + u * (c3 + u * (c4 + u * c5))))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn curve(values: &[f64]) -> Curve {
        let times: Vec<f64> = (0..values.len()).map(|k| k as f64 * 0.3 + 0.05 * (k % 3) as f64).collect();
        Curve::new(&times, values.to_vec(), &vec![Ease::Smooth; values.len()], [End::Rest; 2])
    }

    proptest! {
        #[test]
        fn smooth_curves_meet_keys_with_continuous_velocity_and_acceleration(
            values in proptest::collection::vec(-90.0..90.0, 2..9)
        ) {
            let curve = curve(&values);
            let e = 1e-5;
            for (&t, &v) in curve.times.iter().zip(&values) {
                prop_assert!((curve.at(t) - v).abs() < 1e-9);
                if t > 0.0 && t < *curve.times.last().unwrap() {
                    let (before, at, after) = (curve.at(t - e), curve.at(t), curve.at(t + e));
                    prop_assert!(((after - at) - (at - before)).abs() / e < 1.0);
                    let bend = |t: f64| (curve.at(t + e) - 2.0 * curve.at(t) + curve.at(t - e)) / (e * e);
                    prop_assert!((bend(t + 2.0 * e) - bend(t - 2.0 * e)).abs() < 25.0);
                }
            }
        }
    }

    #[test]
    fn a_hold_rests_and_then_arrives() {
        let c = Curve::new(&[0.0, 1.0], vec![0.0, 10.0], &[Ease::Hold, Ease::Smooth], [End::Rest; 2]);
        assert_eq!((c.at(0.4), c.at(1.0)), (0.0, 10.0));
    }
}
