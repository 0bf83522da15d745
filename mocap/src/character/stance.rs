//! The standing pose every character starts from: legs and arms straight down, feet forward, facing +x with left +y.
//!
//! Rest poses of files differ (T-pose, A-pose, legs splayed by 20°); turning each limb by the shortest arc into the
//! standing pose gives every joint a known orientation `world_from_joint` in it. A body whose axes are the world's in the
//! standing pose then follows from any mocap pose: `world_from_body = world_from_joint · standing⁻¹`.

use super::anatomy::Anatomy;
use crate::Skeleton;
use crate::roles::Side;
use crate::skeleton::JointId;
use glam::{DMat3, DQuat, DVec3};
use stuntlab_physics::spatial::Transform;

/// The standing pose of a skeleton.
#[derive(Clone, Debug)]
pub(crate) struct Stance {
    pub(crate) anatomy: Anatomy,
    /// World orientation of every joint.
    pub(crate) rotations: Vec<DQuat>,
    /// What takes `rotations` off again.
    undone: Vec<DMat3>,
    /// World position of every joint; the hips are above the origin at the height of their rest pose.
    pub(crate) positions: Vec<DVec3>,
}

impl Stance {
    /// Stands a skeleton up, or tells the part that is missing.
    pub(crate) fn find(skeleton: &Skeleton) -> Result<Self, &'static str> {
        let anatomy = Anatomy::find(skeleton)?;
        let rest = skeleton.rest_positions();
        let upright = upright(&anatomy, &rest);
        let mut stance = Self {
            anatomy,
            rotations: vec![upright; rest.len()],
            undone: Vec::new(),
            positions: vec![DVec3::ZERO; rest.len()],
        };
        // Legs first, then arms: where each joint's bone should point.
        for side in Side::BOTH {
            let limbs = *stance.anatomy.roles.side(side);
            let down = -DVec3::Z;
            stance.point(skeleton, limbs.hip, limbs.knee, down);
            stance.point(skeleton, limbs.knee, limbs.ankle, down);
            stance.place_foot(skeleton, limbs.ankle, limbs.toe);
            stance.point(skeleton, limbs.shoulder, limbs.elbow, down);
            stance.point(skeleton, limbs.elbow, limbs.wrist, down);
            if let Some(wrist) = limbs.wrist {
                let tip = hand_direction(skeleton, wrist);
                stance.turn_bone(skeleton, wrist, tip, down);
            }
        }
        stance.place(skeleton);
        stance.undone = stance.rotations.iter().map(|turn| DMat3::from_quat(turn.conjugate())).collect();
        Ok(stance)
    }

    /// The stance rotation of a joint against its parent.
    pub(crate) fn local(&self, skeleton: &Skeleton, joint: JointId) -> DQuat {
        match skeleton.joints()[joint].parent {
            Some(p) => (self.rotations[p].conjugate() * self.rotations[joint]).normalize(),
            None => self.rotations[joint],
        }
    }

    /// A point fixed to a joint, in the standing pose.
    pub(crate) fn point_of(&self, joint: JointId, offset: DVec3) -> DVec3 {
        self.positions[joint] + self.rotations[joint] * offset
    }

    /// Orientation of a body fixed to `joint` whose axes are the world's in the standing pose.
    pub(crate) fn body_rotation(&self, joint: JointId, world: &[Transform]) -> DMat3 {
        world[joint].rotation * self.undone[joint]
    }

    fn point(&mut self, skeleton: &Skeleton, joint: Option<JointId>, next: Option<JointId>, wanted: DVec3) {
        if let (Some(joint), Some(next)) = (joint, next) {
            // The bone in the joint's frame, other joints on the way at rest.
            let (mut bone, mut at) = (DVec3::ZERO, next);
            while at != joint {
                bone += skeleton.joints()[at].offset;
                match skeleton.joints()[at].parent {
                    Some(p) => at = p,
                    None => return,
                }
            }
            self.turn_bone(skeleton, joint, bone, wanted);
        }
    }

    /// Turns a joint and all below so that `bone` (joint frame) points along `wanted` (world).
    fn turn_bone(&mut self, skeleton: &Skeleton, joint: JointId, bone: DVec3, wanted: DVec3) {
        if let Some(now) = (self.rotations[joint] * bone).try_normalize() {
            self.turn(skeleton, joint, DQuat::from_rotation_arc(now, wanted));
        }
    }

    /// Turns a joint and all below by a world rotation.
    fn turn(&mut self, skeleton: &Skeleton, joint: JointId, by: DQuat) {
        let mut below = vec![false; skeleton.n_joints()];
        below[joint] = true;
        for j in skeleton.joint_ids().part(joint.index()..skeleton.n_joints()) {
            below[j] |= skeleton.joints()[j].parent.is_some_and(|p| below[p]);
            if below[j] {
                self.rotations[j] = (by * self.rotations[j]).normalize();
            }
        }
    }

    /// Feet point forward; their slope stays unless the rest pose stands on tiptoe.
    fn place_foot(&mut self, skeleton: &Skeleton, ankle: Option<JointId>, toe: Option<JointId>) {
        let Some(ankle) = ankle else { return };
        let bone = match toe {
            Some(toe) if skeleton.joints()[toe].parent == Some(ankle) => skeleton.joints()[toe].offset,
            _ => skeleton.end_site_of(ankle).unwrap_or(DVec3::ZERO),
        };
        let Some(now) = (self.rotations[ankle] * bone).try_normalize() else { return };
        let flat = now.truncate().length();
        if flat > 0.5 {
            let yaw = now.y.atan2(now.x);
            self.turn(skeleton, ankle, DQuat::from_rotation_z(-yaw));
        } else {
            let wanted = DVec3::new(1.0, 0.0, -0.3).normalize();
            self.turn_bone(skeleton, ankle, bone, wanted);
        }
    }

    /// Joint positions from the orientations.
    fn place(&mut self, skeleton: &Skeleton) {
        for (j, joint) in skeleton.joints().iter().enumerate() {
            self.positions[j] = match joint.parent {
                Some(p) => self.positions[p] + self.rotations[p] * joint.offset,
                None => DVec3::ZERO,
            };
        }
        let hips = self.positions[self.anatomy.roles.hips];
        self.positions.iter_mut().for_each(|p| *p -= hips);
    }
}

/// The rest pose's own uprightness where it stands and faces +x to within 30°, else the turn that makes it so.
fn upright(anatomy: &Anatomy, rest: &[DVec3]) -> DQuat {
    let roles = &anatomy.roles;
    let at = |joint: Option<JointId>| joint.map(|j| rest[j]);
    let hips = rest[roles.hips];
    let feet = at(roles.left.ankle).zip(at(roles.right.ankle)).map(|(l, r)| 0.5 * (l + r));
    let top = at(roles.head.or(roles.chest)).filter(|t| t.distance(hips) > 0.05);
    let across = at(roles.left.hip).zip(at(roles.right.hip)).map(|(l, r)| l - r);
    let (Some(feet), Some(across)) = (feet, across) else { return DQuat::IDENTITY };
    let up = (top.unwrap_or(hips) - feet).normalize_or(DVec3::Z);
    let left = (across - up * across.dot(up)).normalize_or(DVec3::Y);
    let near = 30f64.to_radians().cos();
    if up.z > near && left.y > near {
        return DQuat::IDENTITY;
    }
    DQuat::from_mat3(&DMat3::from_cols(left.cross(up), left, up).transpose()).normalize()
}

/// Middle direction of what hangs on the wrist: fingers and free tips, thumbs left out by being the shorter side.
fn hand_direction(skeleton: &Skeleton, wrist: JointId) -> DVec3 {
    let tip = |joint: JointId| skeleton.end_site_of(joint).unwrap_or(DVec3::ZERO);
    let children = skeleton.joint_ids().iter().filter(|&j| skeleton.joints()[j].parent == Some(wrist));
    let mut longest = tip(wrist);
    for child in children {
        let mut reach = skeleton.joints()[child].offset;
        let mut at = child;
        while let Some(next) = skeleton.joint_ids().iter().find(|&j| skeleton.joints()[j].parent == Some(at))
        {
            reach += skeleton.joints()[next].offset;
            at = next;
        }
        reach += tip(at);
        if reach.length() > 1.2 * longest.length() {
            longest = reach;
        }
    }
    longest
}
