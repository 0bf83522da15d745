//! Knees that go on evenly. A leg that is nearly straight turns a millimetre of its hip into hundredths of a radian: where a foot strikes or leaves,
//! or hips have to come down for the other leg, its knee would start and stop within a step. So what a knee is off its motion follows what legs
//! ask for by two lags in a row, and the foot is off its place by what little that is along the leg.
//!
//! ```text
//! (1)  a' = (θ - a)/T,  b' = (a - b)/T        θ: off the motion by inverse kinematics, b: as shown
//! ```

use stuntlab_mocap::Side;

/// T, s: bumps of knees are over in 40 ms. Longer lags (18 and 24 ms were tried) take the last cusps of knees off, and pop where steps of their own begin and end: with 24 ms
/// 5 of 134 hits did.
const LAG: f64 = 0.014;
/// Off by so little a knee is where its motion is, rad: a hundredth of what anybody sees.
const NONE: f64 = 1e-5;

/// What the knees are off their motion, left and right, rad.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Knees {
    /// a and b of (1).
    lags: [[f64; 2]; 2],
}

impl Knees {
    /// Whether both are where their motion is.
    pub fn is_at_rest(&self) -> bool {
        self.lags == [[0.0; 2]; 2]
    }

    /// (1): takes a knee on towards `wanted`, for a step; where it is then.
    pub(super) fn follow(&mut self, side: Side, wanted: f64, dt: f64) -> f64 {
        let [a, b] = &mut self.lags[side as usize];
        let share = 1.0 - (-dt / LAG).exp();
        *a += (wanted - *a) * share;
        *b += (*a - *b) * share;
        if wanted.abs() < NONE && a.abs() < NONE && b.abs() < NONE {
            (*a, *b) = (0.0, 0.0);
        }
        *b
    }
}
