//! Arms that go where the shoulders will land (Mandel and Zordan 2005, "a continuous controller").
//!
//! ```text
//! (1)  z + v_z t - ½ g t² = r            t until a shoulder is within an arm's length of the ground
//! (2)  p = x + v t + a little further    where it lands
//! (3)  hand → p, by the two bones of the arm
//! ```
//! Asked again in every step, for the shoulder on the side it falls to always, for the other as far as it falls forward or back. Beyond a quarter circle behind the
//! back an arm does not go: limits of the shoulder see to that.

use stuntlab_mocap::Side;
use stuntlab_mocap::character::{Bone, Part, Physique};
use stuntlab_physics::glam::{DMat3, DQuat, DVec2, DVec3};
use stuntlab_physics::{JointKind, Model, State};

use super::find;
use crate::controller::Sense;
use crate::limb::{Limb, set_turn};
use crate::walking::outward;

/// Longest a landing is looked ahead, s.
const AHEAD: f64 = 0.6;
/// Height of the ground over which a hand is held before it lands, m: half a palm.
const PALM: f64 = 0.03;
/// How far outward of the shoulder a hand lands, m.
const WIDE: f64 = 0.1;
/// Force on a hand or forearm that is a landing, N.
const LANDED: f64 = 20.0;

/// Bones of an arm.
#[derive(Clone, Copy, Debug)]
struct Arm {
    upper: Bone,
    lower: Bone,
    hand: Option<Bone>,
}

/// Both arms of a figure.
#[derive(Clone, Debug)]
pub struct Arms {
    arms: [Option<Arm>; 2],
}

impl Arms {
    /// Finds them.
    pub fn new(physique: &Physique) -> Self {
        let arm = |side| {
            Some(Arm {
                upper: find(physique, Part::UpperArm(side))?,
                lower: find(physique, Part::Forearm(side))?,
                hand: find(physique, Part::Hand(side)),
            })
        };
        Self { arms: Side::BOTH.map(arm) }
    }

    /// Whether an arm's hand or forearm bears on something.
    pub fn bears(&self, sense: &Sense<'_>, side: Side) -> bool {
        self.arms[side as usize].is_some_and(|arm| {
            let felt = |bone: Bone| sense.own.touches()[bone.index()].force().length();
            felt(arm.lower) + arm.hand.map_or(0.0, felt) > LANDED
        })
    }

    /// (1), (2): where the shoulder of an arm will land.
    pub fn landing(&self, sense: &Sense<'_>, side: Side) -> Option<DVec3> {
        let arm = self.arms[side as usize]?;
        let body = sense.body_of(arm.upper);
        let (up, ground) = (sense.own.up(), sense.own.ground());
        let at = sense.data.world_from_body(body).translation;
        let velocity = sense.data.point_velocity(body, at);
        let g = sense.model.gravity().length();
        let (height, rising) = (at.dot(up) - ground, velocity.dot(up));
        // The time until it would be down: a quadratic with one positive root.
        let time = (rising + (rising * rising + 2.0 * g * height.max(0.0)).sqrt()) / g.max(1e-9);
        let way = (velocity - up * rising) * time.min(AHEAD);
        Some(at + way - up * (height - PALM))
    }

    /// (3): bends the arms of a pose so that hands go to where shoulders land; an arm that the fall does not ask for keeps its pose.
    pub fn reach(&self, sense: &Sense<'_>, own: &Model, direction: DVec2, pose: &mut State) {
        for side in Side::BOTH {
            let Some(arm) = self.arms[side as usize] else { continue };
            // The arm on the side of the fall always; the other as far as the fall is along.
            let asks = if direction.y * outward(side) > 0.0 { 1.0 } else { direction.x.abs() };
            if asks < 0.5 {
                continue;
            }
            let Some(landing) = self.landing(sense, side) else { continue };
            self.bend(sense, own, arm, side, landing, pose);
        }
    }

    fn bend(&self, sense: &Sense<'_>, own: &Model, arm: Arm, side: Side, landing: DVec3, pose: &mut State) {
        let poses = |bone: Bone| sense.data.world_from_body(sense.body_of(bone));
        let shoulder = poses(arm.upper).translation;
        let trunk = sense
            .bone(arm.upper)
            .parent()
            .map_or(DMat3::IDENTITY, |p| sense.data.world_from_body(p).rotation);
        let place = landing - shoulder + trunk.y_axis * (outward(side) * WIDE);
        // The arm as it would hang by the trunk, elbow bent a little forward: the side it bends to is always the same.
        let frame = trunk * own.bodies()[arm.upper.index()].joint().parent_from_joint.rotation;
        let elbow = own.bodies()[arm.lower.index()].joint().parent_from_joint.translation;
        let wrist =
            arm.hand.map_or(elbow, |hand| own.bodies()[hand.index()].joint().parent_from_joint.translation);
        let start = frame * DMat3::from_quat(DQuat::from_rotation_y(-1.2));
        let slight = DQuat::from_rotation_y(-0.3);
        let limb = Limb { upper: start * elbow, lower: start * (slight * wrist), axis: start * DVec3::NEG_Y };
        let (upper, lower) = limb.reach(place);
        let turned = DQuat::from_mat3(&start);
        if let JointKind::Universal { .. } = own.bodies()[arm.upper.index()].joint().kind {
            set_turn(own, pose, arm.upper, DQuat::from_mat3(&trunk), upper * turned);
        } else {
            let target = DQuat::from_mat3(&frame).conjugate() * upper * turned;
            pose.set_rotation(&own.bodies()[arm.upper.index()], target);
        }
        let (a, b) = (upper * limb.upper, lower * limb.lower);
        let bent = a.angle_between(b);
        let body = &own.bodies()[arm.lower.index()];
        let q = body.coordinates().range().start;
        match body.joint().kind {
            JointKind::Revolute { .. } => pose.q[q] = bent,
            // Flexion and twist, in whichever order.
            JointKind::Universal { axes } => {
                let bends = usize::from(axes[0].y.abs() < 0.5);
                pose.q[q + bends] = bent;
            }
            JointKind::Spherical => pose.set_rotation(body, DQuat::from_rotation_y(-bent)),
            _ => {}
        }
    }
}
