//! The body the library's clips are written for: 80 kg, 1.80 m, male, lengths and masses after de Leva 1996.
//!
//! Rest pose: upright, facing +x, left towards +y, arms hanging at the sides with palms to the thighs, soles on z = 0
//! when the root is at its offset. Lengths are the table's, scaled to the stature: thigh .437, shank .449, foot .267,
//! upper arm .291, forearm .278, hand .089 (to the knuckles), head and neck .251. Shoulders lie .533 above the hips.

use crate::Skeleton;
use crate::roles::Side;
use crate::skeleton::JointId;
use crate::skeleton::{EndSite, Joint};
use glam::{DQuat, DVec3};
use std::sync::{Arc, LazyLock};

/// Height of the ankle over the sole.
pub(crate) const ANKLE_HEIGHT: f64 = 0.082;
/// Height of the root over the floor in the rest pose.
const HIP_HEIGHT: f64 = 0.968;
/// Length of the thigh.
pub(crate) const THIGH: f64 = 0.437;
/// Length of the shank.
pub(crate) const SHANK: f64 = 0.449;
/// Length of the upper arm.
pub(crate) const UPPER_ARM: f64 = 0.291;
/// Length of the forearm.
pub(crate) const FOREARM: f64 = 0.278;

/// Joint numbers of the library skeleton.
pub(crate) const HIPS: JointId = JointId::new(0);
pub(crate) const SPINE: JointId = JointId::new(1);
pub(crate) const CHEST: JointId = JointId::new(2);
pub(crate) const NECK: JointId = JointId::new(3);
pub(crate) const HEAD: JointId = JointId::new(4);
/// Number of joints.
pub(crate) const N_JOINTS: usize = 19;

/// Joint numbers of one side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SideJoints {
    pub(crate) shoulder: JointId,
    pub(crate) elbow: JointId,
    pub(crate) hand: JointId,
    pub(crate) hip: JointId,
    pub(crate) knee: JointId,
    pub(crate) foot: JointId,
    pub(crate) toe: JointId,
}

/// Joint numbers of a side.
pub(crate) const fn joints_of(side: Side) -> SideJoints {
    let (arm, leg) = match side {
        Side::Left => (5, 11),
        Side::Right => (8, 15),
    };
    SideJoints {
        shoulder: JointId::new(arm),
        elbow: JointId::new(arm + 1),
        hand: JointId::new(arm + 2),
        hip: JointId::new(leg),
        knee: JointId::new(leg + 1),
        foot: JointId::new(leg + 2),
        toe: JointId::new(leg + 3),
    }
}

/// The library's skeleton; every clip of the library shares this one.
pub fn skeleton() -> Arc<Skeleton> {
    static SKELETON: LazyLock<Arc<Skeleton>> = LazyLock::new(|| Arc::new(build()));
    Arc::clone(&SKELETON)
}

fn build() -> Skeleton {
    let mut joints: Vec<Joint> = Vec::new();
    let mut add = |name: &str, parent: Option<JointId>, x: f64, y: f64, z: f64| {
        joints.push(Joint { name: name.to_owned(), parent, offset: DVec3::new(x, y, z) });
        JointId::new(joints.len() - 1)
    };
    add("Hips", None, 0.0, 0.0, HIP_HEIGHT);
    add("Spine", Some(HIPS), -0.01, 0.0, 0.11);
    add("Chest", Some(SPINE), 0.0, 0.0, 0.18);
    add("Neck", Some(CHEST), 0.0, 0.0, 0.291);
    add("Head", Some(NECK), 0.015, 0.0, 0.09);
    for (side, out) in [("Left", 1.0), ("Right", -1.0)] {
        let arm = add(&format!("{side}Arm"), Some(CHEST), 0.01, 0.185 * out, 0.243);
        let forearm = add(&format!("{side}ForeArm"), Some(arm), 0.0, 0.0, -UPPER_ARM);
        add(&format!("{side}Hand"), Some(forearm), 0.0, 0.0, -FOREARM);
    }
    for (side, out) in [("Left", 1.0), ("Right", -1.0)] {
        let thigh = add(&format!("{side}UpLeg"), Some(HIPS), 0.0, 0.09 * out, 0.0);
        let shank = add(&format!("{side}Leg"), Some(thigh), 0.0, 0.0, -THIGH);
        let foot = add(&format!("{side}Foot"), Some(shank), 0.0, 0.0, -SHANK);
        add(&format!("{side}ToeBase"), Some(foot), TOE_JOINT.x, TOE_JOINT.y, TOE_JOINT.z);
    }
    let mut end_sites = vec![EndSite { joint: HEAD, offset: DVec3::new(0.0, 0.0, 0.161) }];
    for side in Side::BOTH {
        let limb = joints_of(side);
        end_sites.push(EndSite { joint: limb.hand, offset: DVec3::new(0.0, 0.0, -0.089) });
        end_sites.push(EndSite { joint: limb.toe, offset: TOE_TIP });
    }
    Skeleton::new(joints, end_sites).expect("the table above is a tree with finite offsets")
}

/// Under the heel, in the frame of the foot.
pub(crate) const HEEL: DVec3 = DVec3::new(-0.065, 0.0, -ANKLE_HEIGHT);
/// Under the ball, in the frame of the foot.
pub(crate) const BALL: DVec3 = DVec3::new(0.141, 0.0, -ANKLE_HEIGHT);
/// Half the width of the sole at the ball.
pub(crate) const SOLE_HALF_WIDTH: f64 = 0.035;
/// Joint of the toes, in the frame of the foot.
pub(crate) const TOE_JOINT: DVec3 = DVec3::new(0.141, 0.0, 0.02 - ANKLE_HEIGHT);
/// Tip of the toes, in the frame of the toes: a little above the floor in the rest pose.
pub(crate) const TOE_TIP: DVec3 = DVec3::new(0.061, 0.0, -0.015);
/// Middle of the palm, in the frame of the hand.
pub(crate) const PALM: DVec3 = DVec3::new(0.0, 0.0, -0.07);
/// Half the thickness of the palm.
pub(crate) const PALM_RADIUS: f64 = 0.03;
/// Radius of the knee.
pub(crate) const KNEE_RADIUS: f64 = 0.055;

/// A ball that stands for a piece of the body's surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// Joint that carries it.
    pub joint: JointId,
    /// Centre in that joint's frame, in metres.
    pub center: DVec3,
    /// Radius in metres; 0 for points under the sole.
    pub radius: f64,
}

/// Balls of pelvis and buttocks, the first part of [`trunk`].
pub(crate) fn seat() -> Vec<Ball> {
    let ball = |x: f64, y: f64, z: f64, radius| Ball { joint: HIPS, center: DVec3::new(x, y, z), radius };
    vec![ball(-0.025, 0.07, 0.0, 0.105), ball(-0.025, -0.07, 0.0, 0.105), ball(0.0, 0.0, 0.05, 0.11)]
}

/// Balls of pelvis, belly, ribs, shoulders, neck and head.
pub(crate) fn trunk() -> Vec<Ball> {
    let ball = |joint, x: f64, y: f64, z: f64, radius| Ball { joint, center: DVec3::new(x, y, z), radius };
    let mut balls = seat();
    balls.extend([
        ball(SPINE, 0.0, 0.0, 0.05, 0.11),
        ball(SPINE, 0.0, 0.0, 0.14, 0.115),
        ball(CHEST, 0.01, 0.06, 0.08, 0.11),
        ball(CHEST, 0.01, -0.06, 0.08, 0.11),
        ball(CHEST, -0.01, 0.08, 0.18, 0.105),
        ball(CHEST, -0.01, -0.08, 0.18, 0.105),
        ball(NECK, 0.0, 0.0, 0.02, 0.06),
        ball(HEAD, 0.01, 0.0, 0.058, 0.1),
    ]);
    balls.extend(Side::BOTH.map(|side| ball(joints_of(side).shoulder, 0.0, 0.0, 0.0, 0.055)));
    balls
}

/// Balls of arms, knees and thighs.
pub(crate) fn limbs() -> Vec<Ball> {
    let mut balls = Vec::new();
    for side in Side::BOTH {
        let limb = joints_of(side);
        let mut add = |joint, center, radius| balls.push(Ball { joint, center, radius });
        add(limb.elbow, DVec3::ZERO, 0.04);
        add(limb.hand, DVec3::ZERO, 0.03);
        add(limb.hand, PALM, PALM_RADIUS);
        add(limb.hip, DVec3::new(0.0, 0.0, -0.2), 0.075);
        add(limb.knee, DVec3::ZERO, KNEE_RADIUS);
        add(limb.knee, DVec3::new(0.0, 0.0, -0.2), 0.045);
    }
    balls
}

/// Points under one sole: heel, ball inside and outside, tip of the toes.
pub(crate) fn sole(side: Side) -> [Ball; 4] {
    let limb = joints_of(side);
    let point = |joint, center| Ball { joint, center, radius: 0.0 };
    let aside = DVec3::new(0.0, SOLE_HALF_WIDTH, 0.0);
    [
        point(limb.foot, HEEL),
        point(limb.foot, BALL + aside),
        point(limb.foot, BALL - aside),
        point(limb.toe, TOE_TIP),
    ]
}

/// Share of the mass (of 1) and its place, per segment: de Leva 1996, male.
pub(crate) fn masses() -> Vec<(f64, JointId, DVec3)> {
    let at = |z: f64| DVec3::new(0.0, 0.0, z);
    let mut parts = vec![
        (0.1117, HIPS, at(0.059)),
        (0.1633, SPINE, at(0.164)),
        (0.1596, CHEST, at(0.207)),
        (0.0694, HEAD, at(0.035)),
    ];
    for side in Side::BOTH {
        let limb = joints_of(side);
        parts.extend([
            (0.0271, limb.shoulder, at(-0.5772 * UPPER_ARM)),
            (0.0162, limb.elbow, at(-0.4574 * FOREARM)),
            (0.0061, limb.hand, at(-0.79 * 0.089)),
            (0.1416, limb.hip, at(-0.4095 * THIGH)),
            (0.0433, limb.knee, at(-0.4395 * SHANK)),
            (0.0137, limb.foot, DVec3::new(HEEL.x + 0.4415 * 0.267, 0.0, -0.045)),
        ]);
    }
    let total: f64 = parts.iter().map(|p| p.0).sum();
    parts.iter_mut().for_each(|p| p.0 /= total);
    parts
}

/// Joint placements of one pose.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) position: [DVec3; N_JOINTS],
    pub(crate) rotation: [DQuat; N_JOINTS],
}

impl Placed {
    /// Forward kinematics of the library skeleton.
    pub(crate) fn new(skeleton: &Skeleton, root: DVec3, pose: &[DQuat]) -> Self {
        let mut placed = Self::unplaced(root);
        (0..N_JOINTS).map(JointId::new).for_each(|joint| placed.place(skeleton, pose, joint));
        placed
    }

    /// The same of one joint and those it hangs on; the others are not placed.
    pub(crate) fn of(skeleton: &Skeleton, root: DVec3, pose: &[DQuat], joint: JointId) -> Self {
        let (mut chain, mut length) = ([joint; N_JOINTS], 1);
        while let Some(parent) = skeleton.joints()[chain[length - 1]].parent {
            chain[length] = parent;
            length += 1;
        }
        let mut placed = Self::unplaced(root);
        chain[..length].iter().rev().for_each(|&index| placed.place(skeleton, pose, index));
        placed
    }

    fn unplaced(root: DVec3) -> Self {
        Self { position: [root; N_JOINTS], rotation: [DQuat::IDENTITY; N_JOINTS] }
    }

    /// Places a joint on its parent, which is.
    fn place(&mut self, skeleton: &Skeleton, pose: &[DQuat], index: JointId) {
        let joint = &skeleton.joints()[index];
        self.rotation[index] = match joint.parent {
            Some(parent) => {
                self.position[index] = self.point(parent, joint.offset);
                (self.rotation[parent] * pose[index]).normalize()
            }
            None => pose[index],
        };
    }

    /// World place of a point of a joint.
    pub(crate) fn point(&self, joint: JointId, local: DVec3) -> DVec3 {
        self.position[joint] + self.rotation[joint] * local
    }

    /// Height of the lowest point of a ball.
    pub(crate) fn bottom(&self, ball: &Ball) -> f64 {
        self.point(ball.joint, ball.center).z - ball.radius
    }

    /// Centre of mass.
    pub(crate) fn center_of_mass(&self, masses: &[(f64, JointId, DVec3)]) -> DVec3 {
        masses.iter().map(|&(share, joint, local)| share * self.point(joint, local)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Roles;

    #[test]
    fn stands_1_80_m_tall_with_every_role() {
        let skeleton = skeleton();
        let pose = vec![DQuat::IDENTITY; N_JOINTS];
        let placed = Placed::new(&skeleton, skeleton.joints()[0].offset, &pose);
        assert!((placed.point(HEAD, DVec3::new(0.0, 0.0, 0.161)).z - 1.8).abs() < 1e-9);
        for side in Side::BOTH {
            assert!(sole(side).iter().all(|p| (-1e-12..0.006).contains(&placed.bottom(p))));
        }
        // Hip height .968, centre of mass at 1.037.
        assert!((placed.center_of_mass(&masses()).z - 1.037).abs() < 0.02);
        let roles = Roles::find(&skeleton);
        assert_eq!((roles.chest, roles.neck, roles.head), (Some(CHEST), Some(NECK), Some(HEAD)));
        for side in Side::BOTH {
            let (found, wanted) = (roles.side(side), joints_of(side));
            assert_eq!(found.shoulder, Some(wanted.shoulder));
            assert_eq!(found.elbow, Some(wanted.elbow));
            assert_eq!(found.wrist, Some(wanted.hand));
            assert_eq!(found.hip, Some(wanted.hip));
            assert_eq!(found.knee, Some(wanted.knee));
            assert_eq!(found.ankle, Some(wanted.foot));
            assert_eq!(found.toe, Some(wanted.toe));
        }
    }
}
