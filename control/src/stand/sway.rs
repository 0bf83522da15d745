//! Hips and arms where ankles are at their limit: angular momentum in the sense of the fall.
//!
//! ```text
//! (1)  δ = clamp(k e), followed within a rate        e how far beyond the soles the ground would have to press
//! ```
//! Hips flex by δ, arms swing; as `e` ends so does δ, slower than it came, so that what is given back is borne by the soles. Forward and back only: sideways
//! the hips shift the weight from foot to foot, and a trunk that bent besides took more from it than it gave (22 N s at the pelvis in place of 35).

use stuntlab_mocap::character::{Bone, Part, Physique};
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::{Model, State};

use crate::limb::{joint_turn, set_joint};

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
        for (bone, part) in physique.parts().iter().enumerate().map(|(k, part)| (Bone::new(k), part)) {
            let turn = match part {
                // Hips: thighs forward is the trunk forward.
                Some(Part::Thigh(_)) => DVec3::NEG_Y * lean,
                Some(Part::UpperArm(_)) => self.arms * lean * DVec3::Y,
                _ => continue,
            };
            let turn = DQuat::from_scaled_axis(turn);
            let swayed = turn * joint_turn(own, pose, bone);
            set_joint(own, pose, bone, swayed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stuntlab_mocap::character::{Character, CharacterOptions, JointStyle};
    use stuntlab_mocap::library;
    use stuntlab_physics::Data;
    use stuntlab_physics::dynamics::forward_kinematics;

    /// Whatever joints a figure has at its shoulders, its arms go back as far as they are asked to, and its knees forward.
    #[test]
    fn arms_swing_on_balls_and_on_two_axes() {
        for style in [JointStyle::Natural, JointStyle::Stunt, JointStyle::Ball] {
            let options = CharacterOptions { joints: style, ..CharacterOptions::default() };
            let (figure, _) = Character::build(&library::skeleton(), &options).expect("our own");
            let physique = Physique::of(&figure);
            let (model, lean) = (figure.model(), 0.3);
            let mut data = Data::new(model);
            let mut look = |lean: f64| {
                let mut pose = State::new(model);
                Sway::default().bend(model, &physique, lean, &mut pose);
                forward_kinematics(model, &pose, &mut data);
                let turned = |wanted: fn(&Part) -> bool| {
                    let bone = physique.parts().iter().position(|part| part.as_ref().is_some_and(wanted));
                    DQuat::from_mat3(&data.position.world_from_body[bone.expect("a part")].rotation)
                };
                [
                    turned(|part| matches!(part, Part::UpperArm(_))),
                    turned(|part| matches!(part, Part::Thigh(_))),
                ]
            };
            let (still, swayed) = (look(0.0), look(lean));
            for (k, wanted) in [(0, Sway::default().arms * lean), (1, -lean)] {
                let turn = (swayed[k] * still[k].conjugate()).to_scaled_axis();
                assert!(turn.distance(wanted * DVec3::Y) < 1e-9, "{style:?} {k} {turn}");
            }
        }
    }
}
