//! A leg that reaches: (3) of `posture`, with a knee that goes on evenly.

use stuntlab_mocap::character::Bone;
use stuntlab_physics::glam::{DMat3, DQuat, DVec3};
use stuntlab_physics::spatial::rotation;
use stuntlab_physics::{Data, JointKind, Model, State};

use super::posture::Goal;
use crate::limb::{Limb, set_turn};
use crate::walking::Leg;

/// A mass and its first moment about some point.
#[derive(Clone, Copy, Default)]
pub(super) struct Share {
    pub(super) mass: f64,
    pub(super) first: DVec3,
}

impl Share {
    pub(super) fn add(&mut self, mass: f64, center: DVec3) {
        self.mass += mass;
        self.first += mass * center;
    }
}

/// Turns of thigh and shank, world axes.
pub(super) type Turns = (DQuat, DQuat);

/// A leg as the turned pose has it.
#[derive(Clone, Copy)]
pub(super) struct LegPose {
    pub(super) hip: DVec3,
    pub(super) limb: Limb,
    /// What the foot turns by, world axes.
    foot: DQuat,
    is_hinge: bool,
    /// Of thigh, shank and foot, each from its joint.
    pub(super) shares: [Share; 3],
}

impl LegPose {
    pub(super) fn new(own: &Model, data: &Data, leg: &Leg, goal: &Goal) -> Self {
        let poses = &data.position.world_from_body;
        let [hip, knee, ankle] = [leg.thigh, leg.shank, leg.foot].map(|b| poses[b.index()].translation);
        let joint = own.bodies()[leg.shank].joint();
        let axis = match joint.kind {
            JointKind::Revolute { axis } => {
                let parent = own.bodies()[leg.shank].parent().map_or(DMat3::IDENTITY, |p| poses[p].rotation);
                parent * (joint.parent_from_joint.rotation * axis)
            }
            // A ball joint bends the way it is bent, or as knees do.
            _ => {
                let bent = (knee - hip).cross(ankle - knee);
                bent.try_normalize().unwrap_or(poses[0].rotation * DVec3::Y)
            }
        };
        Self {
            hip,
            limb: Limb { upper: knee - hip, lower: ankle - knee, axis },
            foot: DQuat::from_mat3(&(goal.sole * poses[leg.foot.index()].rotation.transpose())),
            is_hinge: matches!(joint.kind, JointKind::Revolute { .. }),
            shares: [Share::default(); 3],
        }
    }

    /// (3), the hips having gone so far.
    pub(super) fn reach(&self, hips: DVec3, goal: &Goal) -> Turns {
        self.limb.reach(goal.ankle - self.hip - hips)
    }

    /// How far the knee is bent beyond what it was, rad.
    pub(super) fn bend(&self, (upper, lower): Turns) -> f64 {
        rotation::log(upper.conjugate() * lower).dot(self.limb.axis)
    }

    /// First moment of its masses about the world's origin.
    pub(super) fn first_moment(&self, hips: DVec3, (upper, lower): Turns) -> DVec3 {
        let [thigh, shank, foot] = &self.shares;
        let hip = self.hip + hips;
        let knee = hip + upper * self.limb.upper;
        let ankle = knee + lower * self.limb.lower;
        (thigh.mass * hip + upper * thigh.first)
            + (shank.mass * knee + lower * shank.first)
            + (foot.mass * ankle + self.foot * foot.first)
    }

    /// The same turns with a knee that `follows` what they ask of it; the foot is off its place along the leg.
    pub(super) fn eased(
        &self,
        hips: DVec3,
        goal: &Goal,
        turns: Turns,
        follows: impl FnOnce(f64) -> f64,
    ) -> Turns {
        if !self.is_hinge {
            return turns;
        }
        let bend = follows(self.bend(turns));
        let place = goal.ankle - self.hip - hips;
        let reached = (turns.0 * self.limb.upper + turns.1 * self.limb.lower).length();
        let eased =
            (self.limb.upper + DQuat::from_axis_angle(self.limb.axis, bend) * self.limb.lower).length();
        let off = goal.loose * ((eased - reached) / goal.loose).tanh();
        self.limb.reach(place.normalize_or_zero() * (reached + off))
    }

    /// Writes the leg's joints; `data` has the turned pose.
    pub(super) fn write(
        &self,
        own: &Model,
        pose: &mut State,
        data: &Data,
        leg: &Leg,
        goal: &Goal,
        turns: Turns,
    ) {
        let turned = |bone: Bone| DQuat::from_mat3(&data.position.world_from_body[bone.index()].rotation);
        let parent =
            own.bodies()[leg.thigh].parent().map_or(DQuat::IDENTITY, |p| turned(Bone::new(p.index())));
        let (thigh, shank) = (turns.0 * turned(leg.thigh), turns.1 * turned(leg.shank));
        set_turn(own, pose, leg.thigh, parent, thigh);
        if self.is_hinge {
            // The lower turn is the swing of the whole leg after the bend of the knee.
            pose.q[own.bodies()[leg.shank].coordinates()][0] += self.bend(turns);
        } else {
            set_turn(own, pose, leg.shank, thigh, shank);
        }
        set_turn(own, pose, leg.foot, shank, DQuat::from_mat3(&goal.sole));
    }
}
