//! Zero-lag Butterworth low-pass for noisy capture (Winter, *Biomechanics and Motor Control of Human Movement*,
//! 4th ed., sec. 3.4.4.2).
//!
//! A second-order filter runs forward and backward: fourth order without lag. Two passes lower the cut-off, so each
//! is designed at f/0.802. Per pass, with ω = tan(π f/(0.802 rate)), k = √2 ω, K = ω²:
//! a₀ = K/(1+k+K), a₁ = 2a₀, a₂ = a₀, b₁ = 2a₀ (1/K − 1), b₂ = 1 − (a₀+a₁+a₂+b₁)                       (1)
//! y₀ = a₀x₀ + a₁x₋₁ + a₂x₋₂ + b₁y₋₁ + b₂y₋₂                                                              (2)
//! Rotations are filtered as sign-consistent quaternions and brought back to unit length, which, like the spline,
//! does not depend on the axes. Ends are padded by point reflection over about two periods of the cut-off.

use crate::rotation::near;
use crate::{Clip, ClipError};
use glam::{DQuat, DVec3};

/// The clip without what moves faster than `cutoff` hertz: 6 Hz for walking, 10 to 12 for fights and acrobatics.
/// A cut-off that the frame rate cannot hold (0.802 times half the rate or more) leaves the clip as it is.
///
/// # Errors
/// A cut-off that is not finite or lower than a ten-thousandth of the frame rate.
pub fn butterworth(clip: &Clip, cutoff: f64) -> Result<Clip, ClipError> {
    let rate = 1.0 / clip.frame_time();
    if !(cutoff.is_finite() && cutoff >= 1e-4 * rate) {
        let expected = "a cut-off of at least a ten-thousandth of the frame rate";
        return Err(ClipError::Option { expected, found: cutoff });
    }
    if cutoff / CORRECTION >= 0.499 * rate || clip.n_frames() < 3 {
        return Ok(clip.clone());
    }
    let filter = Filter::new(cutoff, rate);
    let n = clip.n_frames();
    let mut line = vec![0.0; n];
    let mut positions = clip.root_positions().to_vec();
    for axis in 0..3 {
        line.iter_mut().zip(&positions).for_each(|(v, p): (_, &DVec3)| *v = p[axis]);
        filter.zero_lag(&mut line);
        positions.iter_mut().zip(&line).for_each(|(p, v)| p[axis] = *v);
    }
    let mut rotations = clip.all_rotations().to_vec();
    let width = clip.n_joints();
    for joint in 0..width {
        let mut previous = rotations[joint];
        for q in rotations.iter_mut().skip(joint).step_by(width) {
            *q = near(*q, previous);
            previous = *q;
        }
        let mut sums = vec![[0.0; 4]; n];
        for part in 0..4 {
            let of_joint = rotations.iter().skip(joint).step_by(width);
            line.iter_mut().zip(of_joint).for_each(|(v, q)| *v = q.to_array()[part]);
            filter.zero_lag(&mut line);
            sums.iter_mut().zip(&line).for_each(|(s, v)| s[part] = *v);
        }
        for (q, sum) in rotations.iter_mut().skip(joint).step_by(width).zip(sums) {
            let smooth = DQuat::from_array(sum);
            // Opposite quaternions can cancel in a wild recording; there the frame stays as it is.
            if smooth.length() > 1e-3 {
                *q = smooth.normalize();
            }
        }
    }
    Ok(clip.with_frames(positions, rotations))
}

/// Cut-off of two passes relative to one.
const CORRECTION: f64 = 0.802;

struct Filter {
    /// a₀ of (1); a₁ and a₂ follow.
    a: f64,
    b1: f64,
    b2: f64,
    padding: usize,
}

impl Filter {
    fn new(cutoff: f64, rate: f64) -> Self {
        let w = (core::f64::consts::PI * cutoff / (CORRECTION * rate)).tan();
        let (k, kk) = (core::f64::consts::SQRT_2 * w, w * w);
        let a = kk / (1.0 + k + kk);
        let b1 = 2.0 * a * (1.0 / kk - 1.0);
        Self { a, b1, b2: 1.0 - (4.0 * a + b1), padding: (2.0 * rate / cutoff).ceil() as usize }
    }

    /// Forward and backward over a line whose ends are continued by point reflection.
    fn zero_lag(&self, line: &mut [f64]) {
        let n = line.len();
        let padding = self.padding.min(n - 1);
        let (first, last) = (line[0], line[n - 1]);
        let mut padded = Vec::with_capacity(n + 2 * padding);
        padded.extend((1..=padding).rev().map(|i| 2.0 * first - line[i]));
        padded.extend_from_slice(line);
        padded.extend((1..=padding).map(|i| 2.0 * last - line[n - 1 - i]));
        self.pass(padded.iter_mut());
        self.pass(padded.iter_mut().rev());
        line.copy_from_slice(&padded[padding..padding + n]);
    }

    /// One pass of (2), started as if the first value had always stood.
    fn pass<'a>(&self, values: impl Iterator<Item = &'a mut f64>) {
        let mut state: Option<[f64; 4]> = None;
        for value in values {
            let x = *value;
            let [x1, x2, y1, y2] = state.unwrap_or([x; 4]);
            let y = self.a * (x + 2.0 * x1 + x2) + self.b1 * y1 + self.b2 * y2;
            *value = y;
            state = Some([x, x1, y, y1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gain at a frequency, measured on a long sine.
    fn gain(frequency: f64, cutoff: f64, rate: f64) -> f64 {
        let mut line: Vec<f64> =
            (0..4000).map(|i| (core::f64::consts::TAU * frequency * i as f64 / rate).sin()).collect();
        Filter::new(cutoff, rate).zero_lag(&mut line);
        line[1000..3000].iter().fold(0.0f64, |m, v| m.max(v.abs()))
    }

    #[test]
    fn passes_slow_halves_power_at_the_cutoff_and_stops_fast() {
        assert!((gain(0.5, 6.0, 120.0) - 1.0).abs() < 1e-3);
        // Two passes of a second-order filter corrected by 0.802: the usual -3 dB.
        assert!((gain(6.0, 6.0, 120.0) - 0.707).abs() < 0.02, "{}", gain(6.0, 6.0, 120.0));
        assert!(gain(30.0, 6.0, 120.0) < 0.005);
    }
}
