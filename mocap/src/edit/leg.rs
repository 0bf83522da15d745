//! A leg of two bones brought to a place by turning hip and knee.

use crate::roles::Limbs;
use crate::skeleton::JointId;
use crate::{Clip, Skeleton};
use glam::{DQuat, DVec3};

/// The three joints of a leg.
pub(crate) struct Leg {
    pub(crate) hip: JointId,
    knee: JointId,
    pub(crate) ankle: JointId,
    /// Length of the stretched leg, less a little so that the knee keeps its side.
    pub(crate) length: f64,
    /// Axis about which the knee bends, in the hip's frame: the mean over a clip, because a straight leg does not tell.
    axis: DVec3,
}

impl Leg {
    /// A leg whose shank hangs on its thigh, with the knee it has in `clip`.
    pub(crate) fn find(clip: &Clip, limbs: &Limbs) -> Option<Self> {
        let (hip, knee, ankle) = (limbs.hip?, limbs.knee?, limbs.ankle?);
        let joints = clip.skeleton().joints();
        let length = joints[knee].offset.length() + joints[ankle].offset.length();
        if joints[knee].parent != Some(hip) || joints[ankle].parent != Some(knee) {
            return None;
        }
        let (thigh, shank) = (joints[knee].offset, joints[ankle].offset);
        let bends = (0..clip.n_frames()).map(|frame| thigh.cross(clip.rotations(frame)[knee] * shank));
        let axis = bends.sum::<DVec3>().try_normalize()?;
        Some(Self { hip, knee, ankle, length: 0.9999 * length, axis })
    }

    /// Turns knee and hip so that the ankle comes to `target`, as far as a leg of the length `limit` reaches.
    ///
    /// With the thigh t and the shank s in the hip's frame and the knee's axis a, a further bend δ makes
    /// `t·R(δ)s = A cos δ + B sin δ + C`, which the wanted distance d asks to be `(d² - t² - s²)/2`.
    pub(crate) fn reach(
        &self,
        skeleton: &Skeleton,
        root: DVec3,
        pose: &mut [DQuat],
        target: DVec3,
        limit: f64,
    ) {
        let (hip, hip_turn) = world(skeleton, root, pose, self.hip);
        let (_, foot) = world(skeleton, root, pose, self.ankle);
        let t = skeleton.joints()[self.knee].offset;
        let s = pose[self.knee] * skeleton.joints()[self.ankle].offset;
        let (l1, l2, a) = (t.length(), s.length(), self.axis);
        let shortest = (l1 - l2).abs() * 1.001;
        let d = (target - hip).length().clamp(shortest.min(limit), limit);
        let wanted = 0.5 * (d * d - l1 * l1 - l2 * l2);
        let along = t.dot(a) * s.dot(a);
        let (cosine, sine) = (t.dot(s) - along, t.dot(a.cross(s)));
        let size = cosine.hypot(sine);
        if size < 1e-12 {
            return;
        }
        let bend = sine.atan2(cosine) + ((wanted - along) / size).clamp(-1.0, 1.0).acos();
        turn(skeleton, root, pose, self.knee, DQuat::from_axis_angle(hip_turn * a, bend));
        let (ankle, _) = world(skeleton, root, pose, self.ankle);
        let (from, to) = ((ankle - hip).try_normalize(), (target - hip).try_normalize());
        if let (Some(from), Some(to)) = (from, to) {
            turn(skeleton, root, pose, self.hip, DQuat::from_rotation_arc(from, to));
        }
        // The foot keeps its orientation.
        let (_, turned) = world(skeleton, root, pose, self.ankle);
        turn(skeleton, root, pose, self.ankle, foot * turned.conjugate());
    }
}

/// Position and orientation of a joint.
fn world(skeleton: &Skeleton, root: DVec3, pose: &[DQuat], joint: JointId) -> (DVec3, DQuat) {
    let (mut position, mut rotation) = (DVec3::ZERO, pose[joint]);
    let mut at = joint;
    while let Some(parent) = skeleton.joints()[at].parent {
        position = pose[parent] * (skeleton.joints()[at].offset + position);
        rotation = pose[parent] * rotation;
        at = parent;
    }
    (root + position, rotation.normalize())
}

/// Turns a joint by a rotation given in world axes.
fn turn(skeleton: &Skeleton, root: DVec3, pose: &mut [DQuat], joint: JointId, by: DQuat) {
    let (_, rotation) = world(skeleton, root, pose, joint);
    // parent_from_joint' = parent_from_world · by · world_from_joint
    let world_from_parent = rotation * pose[joint].conjugate();
    pose[joint] = (world_from_parent.conjugate() * by * rotation).normalize();
}
