//! Jitter: the power of the bones' angular acceleration above 10 Hz, of the character and of its reference.
//!
//! Angular accelerations are second differences of orientations, high-passed by a second-order Butterworth filter
//! (bilinear transform of `s² / (s² + √2 ω s + ω²)`).

use stuntlab_physics::glam::{DMat3, DQuat, DVec3};
use stuntlab_physics::spatial::{Transform, rotation};

/// Where shaking begins, Hz.
const CUTOFF: f64 = 10.0;
/// Steps before the filters have forgotten the start, s.
const SETTLE: f64 = 0.1;

/// Shaking of one character.
#[derive(Clone, Debug)]
pub(crate) struct Jitter {
    actual: Vec<Bone>,
    reference: Vec<Bone>,
    filter: HighPass,
    dt: f64,
    steps: usize,
    /// Mean square over the bones in the last step, rad²/s⁴: of the character and of its reference.
    power: (f64, f64),
}

#[derive(Clone, Copy, Debug)]
struct Bone {
    rotation: DMat3,
    rate: DVec3,
    /// Inputs and outputs of the filter one and two steps ago.
    x: [DVec3; 2],
    y: [DVec3; 2],
}

/// Coefficients of the filter.
#[derive(Clone, Copy, Debug)]
struct HighPass {
    b: [f64; 3],
    a: [f64; 2],
}

impl HighPass {
    fn new(cutoff: f64, dt: f64) -> Self {
        // A cutoff beyond what the rate can show lets nothing pass.
        let w = (std::f64::consts::PI * cutoff * dt).min(1.5).tan();
        let scale = 1.0 / (1.0 + std::f64::consts::SQRT_2 * w + w * w);
        Self {
            b: [scale, -2.0 * scale, scale],
            a: [2.0 * (w * w - 1.0) * scale, (1.0 - std::f64::consts::SQRT_2 * w + w * w) * scale],
        }
    }
}

impl Jitter {
    pub(crate) fn new(n: usize, dt: f64) -> Self {
        let zero = [DVec3::ZERO; 2];
        let still = Bone { rotation: DMat3::IDENTITY, rate: DVec3::ZERO, x: zero, y: zero };
        Self {
            actual: vec![still; n],
            reference: vec![still; n],
            filter: HighPass::new(CUTOFF, dt),
            dt,
            steps: 0,
            power: (0.0, 0.0),
        }
    }

    /// Takes the poses of the character and of its reference after a step.
    pub(crate) fn follow(&mut self, own: &[Transform], ghost: &[Transform]) {
        let Self { filter, dt, steps, .. } = self;
        let mean_square = |bones: &mut [Bone], poses: &[Transform]| {
            let sum: f64 =
                bones.iter_mut().zip(poses).map(|(b, p)| b.step(&p.rotation, filter, *dt, *steps)).sum();
            sum / bones.len().max(1) as f64
        };
        self.power = (mean_square(&mut self.actual, own), mean_square(&mut self.reference, ghost));
        self.steps += 1;
    }

    /// Mean squares of the last step, once the filters have settled.
    pub(crate) fn power(&self) -> Option<(f64, f64)> {
        (self.steps as f64 * self.dt > SETTLE).then_some(self.power)
    }
}

impl Bone {
    /// Square of the filtered angular acceleration.
    fn step(&mut self, now: &DMat3, filter: &HighPass, dt: f64, steps: usize) -> f64 {
        let rate = match steps {
            0 => DVec3::ZERO,
            _ => rotation::log(DQuat::from_mat3(&(*now * self.rotation.transpose()))) / dt,
        };
        let x = if steps < 2 { DVec3::ZERO } else { (rate - self.rate) / dt };
        (self.rotation, self.rate) = (*now, rate);
        let HighPass { b, a } = filter;
        let y = b[0] * x + b[1] * self.x[0] + b[2] * self.x[1] - a[0] * self.y[0] - a[1] * self.y[1];
        self.x = [x, self.x[0]];
        self.y = [y, self.y[0]];
        y.length_squared()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean square of a bone that swings by `size` rad at `frequency` Hz, after a second.
    fn swing(frequency: f64, size: f64) -> f64 {
        let dt = 1.0 / 240.0;
        let mut jitter = Jitter::new(1, dt);
        let (mut sum, mut count) = (0.0, 0);
        for k in 0..720 {
            let angle = size * (std::f64::consts::TAU * frequency * k as f64 * dt).sin();
            let pose = [Transform::from_quaternion(DQuat::from_rotation_x(angle), DVec3::ZERO)];
            jitter.follow(&pose, &pose);
            if k > 240 {
                sum += jitter.power().map_or(0.0, |p| p.0);
                count += 1;
            }
        }
        sum / f64::from(count)
    }

    #[test]
    fn slow_swings_do_not_count_and_fast_ones_do() {
        let acceleration = |f: f64, size: f64| 0.5 * (size * (std::f64::consts::TAU * f).powi(2)).powi(2);
        assert!(swing(1.0, 0.5) < 0.001 * acceleration(1.0, 0.5));
        let (found, expected) = (swing(25.0, 0.01), acceleration(25.0, 0.01));
        assert!((found / expected - 1.0).abs() < 0.15, "{found} {expected}");
    }
}
