//! Hips and arms where ankles are at their limit: angular momentum in the sense of the fall.
//!
//! ```text
//! (1)  δ = clamp(k e), followed within a rate        e how far beyond the soles the ground would have to press
//! ```
//! Hips flex by δ, arms swing; as `e` ends so does δ, slower than it came, so that what is given back is borne by the soles. Forward and back only: sideways
//! the hips shift the weight from foot to foot, and a trunk that bent besides took more from it than it gave (22 N s at the pelvis in place of 35).

use stuntlab_mocap::character::{Part, Physique};
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::{Model, State};

/// How hips and arms answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sway {
    /// `k`, rad/m; 0 leaves hips and arms to the motion.
    pub gain: f64,
    /// Farthest that hips go, rad.
    pub hips: f64,
    /// How many times as far arms swing.
    pub arms: f64,
    /// Fastest that δ comes, rad/s.
    pub rate: f64,
    /// Fastest that it goes back, rad/s.
    pub back: f64,
}

impl Default for Sway {
    fn default() -> Self {
        Self { gain: 1.0, hips: 0.25, arms: 2.0, rate: 8.0, back: 2.0 }
    }
}

impl Sway {
    /// A body that does nothing of the kind.
    pub const NONE: Self = Self { gain: 0.0, hips: 0.0, arms: 0.0, rate: 0.0, back: 0.0 };

    /// (1) a step on; `beyond` is forward.
    pub fn follow(&self, lean: &mut f64, beyond: f64, dt: f64) {
        let wanted = (self.gain * beyond).clamp(-self.hips, self.hips);
        let rises = wanted.abs() > lean.abs() && wanted * *lean >= 0.0;
        let most = dt * if rises { self.rate } else { self.back };
        *lean += (wanted - *lean).clamp(-most, most);
    }

    /// Bends a pose by δ forward.
    pub fn bend(&self, own: &Model, physique: &Physique, lean: f64, pose: &mut State) {
        if lean == 0.0 {
            return;
        }
        for (body, part) in own.bodies().iter().zip(physique.parts()) {
            let turn = match part {
                // Hips: thighs forward is the trunk forward.
                Some(Part::Thigh(_)) => DVec3::NEG_Y * lean,
                Some(Part::UpperArm(_)) => self.arms * lean * DVec3::Y,
                _ => continue,
            };
            let turn = DQuat::from_scaled_axis(turn);
            let rotation = pose.rotation(body);
            pose.set_rotation(body, turn * rotation);
        }
    }
}
