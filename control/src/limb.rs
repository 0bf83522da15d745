//! A limb of two bones whose end is brought to a place: an arm or a leg that reaches.
//!
//! With the upper bone `t`, the lower `s` and the axis `a` about which the joint between them bends, a further bend δ makes
//! `t·R(δ)s = A cos δ + B sin δ + C`, which the wanted distance `d` of the end asks to be `(d² - t² - s²)/2`. Then the whole
//! limb swings to the place.

use stuntlab_mocap::character::Bone;
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::spatial::rotation;
use stuntlab_physics::{JointKind, Model, State};

/// A limb bends a little even where it is asked to stretch, so that the joint keeps its side.
const STRETCHED: f64 = 0.9999;

/// A limb as it is, world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limb {
    /// From its first joint to the second, m.
    pub upper: DVec3,
    /// From the second joint to its end, m.
    pub lower: DVec3,
    /// Axis about which a turn of the lower bone bends it further, unit.
    pub axis: DVec3,
}

impl Limb {
    /// Turns of the upper and of the lower bone, world axes, that bring the end to `place` (from the first joint), or as near as
    /// it reaches.
    pub fn reach(&self, place: DVec3) -> (DQuat, DQuat) {
        let (t, s, a) = (self.upper, self.lower, self.axis);
        let (l1, l2) = (t.length(), s.length());
        let longest = STRETCHED * (l1 + l2);
        let d = place.length().clamp(((l1 - l2).abs() / STRETCHED).min(longest), longest);
        let wanted = 0.5 * (d * d - l1 * l1 - l2 * l2);
        let along = t.dot(a) * s.dot(a);
        let (cosine, sine) = (t.dot(s) - along, t.dot(a.cross(s)));
        let size = cosine.hypot(sine);
        if size < 1e-12 {
            return (DQuat::IDENTITY, DQuat::IDENTITY);
        }
        let bend = sine.atan2(cosine) + ((wanted - along) / size).clamp(-1.0, 1.0).acos();
        let bend = DQuat::from_axis_angle(a, bend);
        let end = t + bend * s;
        let swing = match (end.try_normalize(), place.try_normalize()) {
            (Some(from), Some(to)) => DQuat::from_rotation_arc(from, to),
            _ => DQuat::IDENTITY,
        };
        (swing, swing * bend)
    }
}

/// Turns the joint above a bone so that the bone has an attitude of the world, its parent being turned as `parent`.
pub(crate) fn set_turn(own: &Model, pose: &mut State, bone: Bone, parent: DQuat, wanted: DQuat) {
    let frame = parent * DQuat::from_mat3(&own.bodies()[bone].joint().parent_from_joint.rotation);
    set_joint(own, pose, bone, frame.conjugate() * wanted);
}

/// Turns the joint above a bone as a whole, in the joint's own frame: as much of it as its axes have.
pub(crate) fn set_joint(own: &Model, pose: &mut State, bone: Bone, turn: DQuat) {
    let body = &own.bodies()[bone];
    match body.joint().kind {
        JointKind::Universal { axes } => {
            let q = &mut pose.q[body.coordinates()];
            // The second axis is where the first turn takes it; what is left of the turn is lost.
            let (a, b) = (axes[0], axes[1]);
            let seen = turn * b;
            let across = a.cross(b);
            let first = seen.dot(across).atan2(seen.dot(b));
            let rest = DQuat::from_axis_angle(a, first).conjugate() * turn;
            let second = rotation::log(rest).dot(b);
            (q[0], q[1]) = (first, second);
        }
        JointKind::Revolute { axis } => pose.q[body.coordinates()][0] = rotation::log(turn).dot(axis),
        _ => pose.set_rotation(body, turn),
    }
}

/// How the joint above a bone is turned as a whole, in its own frame.
pub(crate) fn joint_turn(own: &Model, pose: &State, bone: Bone) -> DQuat {
    let body = &own.bodies()[bone];
    let q = &pose.q[body.coordinates()];
    match body.joint().kind {
        JointKind::Revolute { axis } => DQuat::from_axis_angle(axis, q[0]),
        JointKind::Universal { axes } => {
            DQuat::from_axis_angle(axes[0], q[0]) * DQuat::from_axis_angle(axes[1], q[1])
        }
        _ => pose.rotation(body),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_limb_reaches_every_place_within_its_length_and_keeps_its_side(
            bend in 0.05..2.5_f64, lengths in (0.2..0.5_f64, 0.2..0.5_f64), far in 0.05..1.5_f64,
            direction in prop::array::uniform3(-1.0..1.0_f64),
        ) {
            let (l1, l2) = lengths;
            let upper = DVec3::new(0.0, 0.0, -l1);
            let lower = DQuat::from_axis_angle(DVec3::Y, bend) * DVec3::new(0.0, 0.0, -l2);
            let limb = Limb { upper, lower, axis: DVec3::Y };
            let Some(direction) = DVec3::from_array(direction).try_normalize() else { return Ok(()) };
            let place = direction * (far * (l1 + l2));
            let (first, second) = limb.reach(place);
            let end = first * upper + second * lower;
            let reachable = place.length().clamp((l1 - l2).abs() / STRETCHED, STRETCHED * (l1 + l2));
            prop_assert!(end.distance(direction * reachable) < 1e-9, "{end} {place}");
            // The knee is on the side it was on.
            let side = (first * upper).cross(second * lower).dot(first * DVec3::Y);
            prop_assert!(side > -1e-9, "{side}");
        }

        #[test]
        fn who_is_there_already_does_not_turn(bend in 0.2..2.5_f64) {
            let upper = DVec3::new(0.0, 0.0, -0.4);
            let lower = DQuat::from_axis_angle(DVec3::Y, bend) * DVec3::new(0.0, 0.0, -0.42);
            let (first, second) = Limb { upper, lower, axis: DVec3::Y }.reach(upper + lower);
            prop_assert!(first.angle_between(DQuat::IDENTITY) < 1e-6);
            prop_assert!(second.angle_between(DQuat::IDENTITY) < 1e-6);
        }
    }
}
