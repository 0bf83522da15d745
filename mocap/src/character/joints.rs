//! Joint kinds, limits from the table of ranges, effort limits and servo gains of every part.
//!
//! Signs: hip, shoulder, elbow, waist, neck and knee flexion, abduction, dorsiflexion and toe extension are
//! positive; limbs twist inward, the trunk to the left; ankles invert, wrists bend to the palm and to the thumb. Body
//! axes are the world's in the standing pose, so flexion turns about ±y, abduction about ±x and twist about ±z. A ball
//! joint's rotation is `R(flexion) R(abduction) R(twist)`.

use super::anatomy::Part;
use super::ranges::{Range, Ranges, ranges};
use super::strength::{STRENGTH_MASS, Strength};
use crate::roles::Side;
use glam::{DQuat, DVec3};
use stuntlab_physics::{Joint, JointKind, Limits};

/// Which joints a character gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JointStyle {
    /// Anatomical: ball joints at waist, neck, head, hips, shoulders and ankles, hinges at knees and toes, elbows that
    /// bend and turn, wrists of two freedoms. Follows mocap nearly exactly.
    #[default]
    Natural,
    /// The 37-freedom stuntperson: head 1, shoulders, elbows, wrists and ankles 2 each.
    Stunt,
    /// Every joint a ball joint.
    Ball,
    /// Trunk 2, hips 3, knees 1, ankles 2 (3 with yaw), toes 1; published torque limits (Lligadas et al.).
    Walker {
        /// A third freedom at each ankle, which makes the published count of 24.
        ankle_yaw: bool,
    },
    /// Hinges in the sagittal plane and a planar root.
    Planar,
}

/// Stiffness and damping of a joint servo, per freedom.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ServoGains {
    /// N m/rad.
    pub stiffness: f64,
    /// N m s/rad.
    pub damping: f64,
}

/// Axes of flexion, abduction and twist of a part, body axes.
pub(super) fn axes(part: Part) -> [DVec3; 3] {
    let (x, y, z) = (DVec3::X, DVec3::Y, DVec3::Z);
    let s = if part.side() == Some(Side::Right) { -1.0 } else { 1.0 };
    match part {
        Part::Pelvis | Part::Spine(_) | Part::Neck(_) | Part::Head => [y, x, z],
        Part::Shank(_) => [y, x * s, -z * s],
        // Inversion turns the sole inward; the wrist's flexion goes to the palm, which faces the thigh.
        Part::Foot(_) => [-y, -x * s, -z * s],
        Part::Hand(_) | Part::Finger(_) => [-x * s, -y, -z * s],
        _ => [-y, x * s, -z * s],
    }
}

/// Whether the bone of a part points up in the standing pose.
const fn points_up(part: Part) -> bool {
    matches!(part, Part::Pelvis | Part::Spine(_) | Part::Neck(_) | Part::Head)
}

/// Servo gains of the joint above a part for a body of this mass.
pub(super) fn gains(part: Part, mass: f64) -> ServoGains {
    let Strength { stiffness, damping, .. } = part.strength();
    let scaled = |k: f64| k * mass / STRENGTH_MASS;
    ServoGains { stiffness: scaled(stiffness), damping: scaled(damping) }
}

/// The joint above a part; `share` divides the ranges among the pieces of a spine or neck.
pub(super) fn joint(style: JointStyle, part: Part, share: f64, mass: f64) -> Joint {
    let r = ranges(part);
    let [flexion, abduction, twist] = axes(part);
    let scaled = |range: Range| (range[0] * share).to_radians()..=(range[1] * share).to_radians();
    let pair = |range: Range| (*scaled(range).start(), *scaled(range).end());
    let hinge = || Joint::revolute(flexion).with_limits(Limits::ranges(&[pair(r.flexion)]));
    let two = |a: DVec3, b: DVec3, ra: Range, rb: Range| {
        Joint::universal(a, b).with_limits(Limits::ranges(&[pair(ra), pair(rb)]))
    };
    let ball = || Joint::spherical().with_limits(swing_twist(part, &r, share));
    let flex_and_abduct = || two(flexion, abduction, r.flexion, r.abduction);
    // A wrist without twist below a forearm that turns.
    let wrist = || two(flexion, abduction, r.flexion, r.abduction);
    let effort = part.strength().effort * mass / STRENGTH_MASS;
    let joint = match (style, part) {
        (JointStyle::Planar, Part::Pelvis) => Joint::planar(),
        (_, Part::Pelvis) => Joint::free(),
        (JointStyle::Planar, Part::Hand(_)) => Joint::fixed(),
        (JointStyle::Planar, _) => hinge(),
        (JointStyle::Ball, _) => ball(),
        (JointStyle::Walker { .. }, Part::Spine(_)) => flex_and_abduct(),
        (JointStyle::Walker { ankle_yaw: false }, Part::Foot(_)) => flex_and_abduct(),
        (JointStyle::Stunt, Part::Head) => hinge(),
        (JointStyle::Stunt, Part::UpperArm(_) | Part::Foot(_)) => flex_and_abduct(),
        // The stuntperson's upper arm cannot turn about itself: its elbow does, before it bends.
        (JointStyle::Stunt, Part::Forearm(_)) => two(twist, flexion, [-120.0, 120.0], r.flexion),
        (_, Part::Forearm(_)) => two(flexion, twist, r.flexion, r.twist),
        (_, Part::Hand(_)) => wrist(),
        (_, Part::Shank(_) | Part::Toe(_)) => hinge(),
        _ => ball(),
    };
    let joint = joint.with_effort_limit(effort);
    match (style, part) {
        (_, Part::Pelvis) => Joint { effort_limit: [f64::INFINITY; 6], ..joint },
        (JointStyle::Walker { .. }, _) => with_efforts(joint, walker_efforts(part)),
        _ => joint,
    }
}

/// Published torque limits about flexion, abduction (or lateral) and twist, N m (Lligadas et al.). The
/// foot's yaw, which the paper leaves out, gets the abduction's limit.
const fn walker_efforts(part: Part) -> [f64; 3] {
    match part {
        Part::Spine(_) => [600.0, 300.0, 300.0],
        Part::Thigh(_) => [500.0, 500.0, 500.0],
        Part::Shank(_) => [600.0, 600.0, 600.0],
        Part::Foot(_) => [300.0, 200.0, 200.0],
        _ => [50.0, 50.0, 50.0],
    }
}

/// Sets limits given about flexion, abduction and twist.
fn with_efforts(mut joint: Joint, [flexion, abduction, twist]: [f64; 3]) -> Joint {
    let by_freedom = match joint.kind {
        // Body axes x, y, z.
        JointKind::Spherical => [abduction, flexion, twist],
        _ => [flexion, abduction, twist],
    };
    joint.effort_limit[..3].copy_from_slice(&by_freedom);
    joint
}

/// Swing-twist limits with z along the bone and the middle of the ranges at zero.
fn swing_twist(part: Part, r: &Ranges, share: f64) -> Limits {
    // Where the standing pose is the end of a range (knees, elbows, toes), the ellipse goes a little beyond it.
    let mut r = *r;
    r.flexion[0] = r.flexion[0].min(-3.0);
    let middle = |range: Range| (0.5 * share * (range[0] + range[1])).to_radians();
    let half = |range: Range| (0.5 * share * (range[1] - range[0])).to_radians().clamp(0.02, 3.1);
    let child_frame =
        if points_up(part) { DQuat::IDENTITY } else { DQuat::from_rotation_x(core::f64::consts::PI) };
    let rest = rotation(part, [middle(r.flexion), middle(r.abduction), 0.0]);
    let [flexion, _, twist_axis] = axes(part);
    // Limit-frame z is ±body z; the twist's sign follows.
    let z = child_frame * DVec3::Z;
    let sign = twist_axis.dot(z).signum();
    let [a, b] = r.twist.map(|t| sign * (share * t).to_radians());
    // Flexion turns about y of the limit frame, except at the wrist, where it turns about x.
    let swing = if flexion.y.abs() > 0.5 {
        [half(r.abduction), half(r.flexion)]
    } else {
        [half(r.flexion), half(r.abduction)]
    };
    Limits::SwingTwist {
        parent_frame: (rest * child_frame).normalize(),
        child_frame,
        swing,
        twist: [a.min(b), a.max(b)],
    }
}

/// The rotation of a ball joint from flexion, abduction and twist in radians.
pub(super) fn rotation(part: Part, angles: [f64; 3]) -> DQuat {
    let axes = axes(part);
    let turn = |k: usize| DQuat::from_axis_angle(axes[k], angles[k]);
    (turn(0) * turn(1) * turn(2)).normalize()
}

/// Flexion, abduction and twist of a ball joint's rotation, in radians; abduction within ±90°.
pub(super) fn angles(part: Part, rotation: DQuat) -> [f64; 3] {
    let [a0, a1, a2] = axes(part);
    // R a2 = R(flexion) R(abduction) a2; abduction tilts a2 towards a1 × a2 = ±a0, flexion then turns it about a0.
    let third = rotation * a2;
    let tilt = a1.cross(a2);
    let side = tilt.dot(a0);
    let abduction = (side * third.dot(a0)).clamp(-1.0, 1.0).asin();
    let around = a0.cross(a2);
    let flexion = third.dot(around).atan2(third.dot(a2));
    let rest = DQuat::from_axis_angle(a1, -abduction) * DQuat::from_axis_angle(a0, -flexion) * rotation;
    let twist = 2.0 * rest.xyz().dot(a2).atan2(rest.w);
    let twist = twist - core::f64::consts::TAU * (twist / core::f64::consts::TAU).round();
    [flexion, abduction, twist]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn angles_undo_rotation(f in -1.5..2.5, a in -1.4..1.4, t in -1.5..1.5) {
            for part in [Part::Spine(0), Part::Thigh(Side::Left), Part::Thigh(Side::Right), Part::Hand(Side::Left),
                Part::Foot(Side::Right), Part::UpperArm(Side::Left)] {
                let back = angles(part, rotation(part, [f, a, t]));
                for (x, y) in back.iter().zip([f, a, t]) {
                    prop_assert!((x - y).abs() < 1e-9, "{part:?}: {back:?} for {:?}", [f, a, t]);
                }
            }
        }
    }

    #[test]
    fn positive_angles_move_the_way_their_names_say() {
        let down = -DVec3::Z;
        let moved = |part, angles| rotation(part, angles) * down;
        for (side, out) in [(Side::Left, 1.0), (Side::Right, -1.0)] {
            assert!(moved(Part::Thigh(side), [0.5, 0.0, 0.0]).x > 0.4, "hip flexion brings the leg forward");
            assert!(moved(Part::Shank(side), [0.5, 0.0, 0.0]).x < -0.4, "knee flexion brings the shank back");
            assert!(moved(Part::Thigh(side), [0.0, 0.5, 0.0]).y * out > 0.4, "abduction brings the leg out");
            assert!(
                moved(Part::UpperArm(side), [0.0, 0.5, 0.0]).y * out > 0.4,
                "abduction brings the arm out"
            );
            assert!(
                moved(Part::Forearm(side), [0.5, 0.0, 0.0]).x > 0.4,
                "elbow flexion brings the forearm forward"
            );
            assert!(
                (rotation(Part::Foot(side), [0.3, 0.0, 0.0]) * DVec3::X).z > 0.2,
                "dorsiflexion lifts the toes"
            );
            assert!(
                moved(Part::Foot(side), [0.0, 0.3, 0.0]).y * out < -0.2,
                "inversion turns the sole inward"
            );
            assert!(
                (rotation(Part::Thigh(side), [0.0, 0.0, 0.5]) * DVec3::X).y * out < -0.4,
                "twist is inward"
            );
        }
        assert!(
            (rotation(Part::Spine(0), [0.5, 0.0, 0.0]) * DVec3::Z).x > 0.4,
            "trunk flexion bends forward"
        );
    }
}
