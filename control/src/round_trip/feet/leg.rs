//! A foot put into a place and an attitude by the leg it hangs on: hip, knee and ankle turn, all above stays.
//!
//! An ankle of two axes does not turn the foot about the shank; the leg then swivels about the line from hip to ankle,
//! `θ ← θ + c / u·n`, with `c` what the ankle leaves of the turn about its third axis `n` and `u` that line. Who is there already does not turn.

use stuntlab_mocap::character::Bone;
use stuntlab_physics::glam::{DMat3, DQuat, DVec3};
use stuntlab_physics::spatial::rotation;
use stuntlab_physics::{Data, JointKind, Model, State};

use crate::limb::{Limb, set_turn};
use crate::walking::Leg;

/// Rounds of the swivel: each leaves a tenth of what the ankle lacks, or less.
const ROUNDS: usize = 4;
/// Least `u·n` with which a swivel turns the foot: beyond it the leg would spin to turn it a little.
const ALONG: f64 = 0.3;

/// Where a foot is: its ankle and its attitude, world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pose {
    pub(super) at: DVec3,
    pub(super) turn: DQuat,
}

impl Pose {
    pub(super) fn of(data: &Data, bone: Bone) -> Self {
        let pose = &data.position.world_from_body[bone.index()];
        Self { at: pose.translation, turn: DQuat::from_mat3(&pose.rotation) }
    }

    /// What it is off another: place, and turn in its own axes.
    pub(super) fn off(&self, base: &Self) -> [DVec3; 2] {
        [self.at - base.at, rotation::log(base.turn.conjugate() * self.turn)]
    }

    /// The inverse of [`Pose::off`].
    pub(super) fn plus(&self, off: [DVec3; 2]) -> Self {
        Self { at: self.at + off[0], turn: self.turn * rotation::exp(off[1]) }
    }

    /// Gone on for a while with a velocity and a spin, world axes.
    pub(super) fn later(&self, velocity: [DVec3; 2], seconds: f64) -> Self {
        Self { at: self.at + seconds * velocity[0], turn: rotation::exp(seconds * velocity[1]) * self.turn }
    }
}

/// Turns a leg of `pose`, whose bodies are in `data`, so that its foot is at `goal`, or as near as it reaches.
pub(super) fn put(own: &Model, data: &Data, pose: &mut State, leg: &Leg, goal: &Pose) {
    let poses = &data.position.world_from_body;
    let [hip, knee, ankle] = [leg.thigh, leg.shank, leg.foot].map(|b| poses[b.index()].translation);
    let turned = |bone: Bone| DQuat::from_mat3(&poses[bone.index()].rotation);
    let joint = own.bodies()[leg.shank].joint();
    let parent_of = |bone: Bone| own.bodies()[bone].parent().map(|p| poses[p].rotation);
    let is_hinge = matches!(joint.kind, JointKind::Revolute { .. });
    let axis = match joint.kind {
        JointKind::Revolute { axis } => {
            parent_of(leg.shank).unwrap_or(DMat3::IDENTITY) * (joint.parent_from_joint.rotation * axis)
        }
        // A ball joint bends the way it is bent, or as knees do.
        _ => (knee - hip).cross(ankle - knee).try_normalize().unwrap_or(poses[0].rotation * DVec3::Y),
    };
    let limb = Limb { upper: knee - hip, lower: ankle - knee, axis };
    let (upper, lower) = limb.reach(goal.at - hip);
    let bend = rotation::log(upper.conjugate() * lower).dot(axis);
    let (mut thigh, mut shank) = (upper * turned(leg.thigh), lower * turned(leg.shank));
    let line = (upper * limb.upper + lower * limb.lower).normalize_or(DVec3::NEG_Z);
    let foot = own.bodies()[leg.foot].joint();
    if let JointKind::Universal { axes: [a, b] } = foot.kind {
        for _ in 0..ROUNDS {
            let frame = shank * DQuat::from_mat3(&foot.parent_from_joint.rotation);
            let turn = frame.conjugate() * goal.turn;
            let (seen, third) = (turn * b, a.cross(b));
            let first = DQuat::from_axis_angle(a, seen.dot(third).atan2(seen.dot(b)));
            let left = rotation::log(first.conjugate() * turn).dot(third);
            let along = line.dot(frame * (first * third));
            if along.abs() < ALONG {
                break;
            }
            let swivel = DQuat::from_axis_angle(line, left / along);
            (thigh, shank) = (swivel * thigh, swivel * shank);
        }
    }
    let parent = parent_of(leg.thigh).map_or(DQuat::IDENTITY, |r| DQuat::from_mat3(&r));
    set_turn(own, pose, leg.thigh, parent, thigh);
    if is_hinge {
        pose.q[own.bodies()[leg.shank].coordinates()][0] += bend;
    } else {
        set_turn(own, pose, leg.shank, thigh, shank);
    }
    set_turn(own, pose, leg.foot, shank, goal.turn);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::walking::Biped;
    use proptest::prelude::*;
    use stuntlab_mocap::Side;
    use stuntlab_mocap::character::Physique;
    use stuntlab_physics::dynamics::forward_kinematics;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.min(64)))]

        /// A foot goes where it is put, within a few centimetres of where it stood and the reach of a bent leg, and one that is there stays.
        #[test]
        fn a_foot_is_where_it_is_put(
            off in prop::array::uniform3(-0.04..0.04_f64), turn in prop::array::uniform3(-0.1..0.1_f64),
            bend in 0.9..1.4_f64, left in prop::bool::ANY,
        ) {
            let figure = crate::fighter::library_figure(false);
            let own = figure.model();
            let biped = Biped::of(&Physique::of(&figure)).expect("a biped");
            let leg = *biped.leg(if left { Side::Left } else { Side::Right });
            let (mut pose, mut data) = (State::new(own), Data::new(own));
            pose.q[own.bodies()[leg.shank].coordinates()][0] = bend;
            forward_kinematics(own, &pose, &mut data);
            let (before, there) = (pose.q.clone(), Pose::of(&data, leg.foot));
            put(own, &data, &mut pose, &leg, &there);
            for (a, b) in before.iter().zip(&pose.q) {
                prop_assert!((a - b).abs() < 1e-7, "{a} {b}");
            }
            pose.q.copy_from_slice(&before);
            let goal = there.plus([DVec3::from_array(off), DVec3::from_array(turn)]);
            put(own, &data, &mut pose, &leg, &goal);
            forward_kinematics(own, &pose, &mut data);
            let left = Pose::of(&data, leg.foot).off(&goal);
            prop_assert!(left[0].length() < 1e-9, "{left:?}");
            prop_assert!(left[1].length() < 2e-3, "{left:?}");
        }
    }
}
