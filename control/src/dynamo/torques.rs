//! The tracking torques (5), and how they act.
//!
//! Two rules make a control law: what a bone strives for ([`Space`](super::Space)), and how the torque acts
//! ([`Application`]). Four cells, so that targets in the world and torques from outside can be told apart:
//!
//! | | from outside, on the bone alone | by the joint, with its reaction on the parent |
//! |---|---|---|
//! | **world** `W_d = B G_b` | `world-external`: the paper's law | `world-internal` |
//! | **parent** `W_d = W_a,parent P_d` | `parent-external` | `parent-internal`: the usual joint servo, the baseline |
//!
//! [`Application::Partly`] lies in between: a share of both gains acts from outside, the rest by the joint. The root's moments
//! are the same in all cells and come from outside, but for [`Application::FullyInternal`], where the legs that stand bear them.
//! What comes from outside is an aid; the ledger books it, and [`Dynamo::cheat`] says how much it is.
//!
//! All of them are implicit terms: each adds `h k₂ + h² k₁` to its bone's rotational inertia, or to its joint's, so they are
//! stable at any gain (Tan et al. 2011). What a target borrows from the parent's own rate is that of the step's beginning: a
//! torque without reaction that depends on two bodies' next velocities is not the gradient of anything, and the step's problem is convex.
//!
//! **The waist.** Torques from outside leave the pelvis to the root's weak spring alone, and it is light: a foot that lands from a block turned it by half a radian
//! within 60 ms, all targets went with it (3'), and the whole body was thrown over. A body has a waist. So as far as torques come from outside, the joints between the
//! pelvis and the trunk hold the motion's own angle besides, with the trunk's stiffness: from within, and in a motion that is tracked with nothing to do.
//!
//! The joints' effort limits bound all of them. What turns a bone is the joint above it and the reactions of those beyond it, so
//! that the joints could give a bone no more than the sum of theirs ([`efforts`]); an external torque that would exceed it at the
//! velocity the step begins with has both gains scaled down until it does not. (Cutting it off without an implicit part would make it a
//! bang-bang force, which a light foot turns into chatter.)

use stuntlab_mocap::character::{Bone, Part};
use stuntlab_physics::glam::{DMat3, DVec3};
use stuntlab_physics::spatial::{Sym3, rotation};
use stuntlab_physics::{Actuation, Bodies, ImplicitForce, JointKind, model::Body};

use super::Dynamo;
use crate::controller::Sense;

/// How tracking torques act on the body.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Application {
    /// From outside, on each bone alone.
    #[default]
    External,
    /// By the joints; the root is held from outside.
    Internal,
    /// By the joints alone: the legs that stand carry the root's moment, and nothing comes from outside.
    FullyInternal,
    /// This share (0 to 1) from outside, the rest by the joints; the root is held from outside.
    Partly(f64),
}

impl Application {
    /// Share of the tracking torques that comes from outside.
    pub fn outside(self) -> f64 {
        match self {
            Self::External => 1.0,
            Self::Internal | Self::FullyInternal => 0.0,
            Self::Partly(share) => share.clamp(0.0, 1.0),
        }
    }
}

/// A bone and what it is to do.
#[derive(Clone, Copy)]
struct Task {
    /// `Δ`, rad.
    error: DVec3,
    /// `ω_d`, rad/s.
    rate: DVec3,
    /// (10), N m.
    push: DVec3,
    /// How fast it turns, rad/s.
    now: DVec3,
}

/// A joint servo: gains, and the goal in world axes.
#[derive(Clone, Copy)]
struct Drive {
    k1: f64,
    k2: f64,
    /// From the bone to its target, rad.
    error: DVec3,
    /// Wanted rate, rad/s.
    rate: DVec3,
}

impl Drive {
    /// Two springs side by side are one.
    fn and(self, other: Self) -> Self {
        let mean = |a: f64, x: DVec3, b: f64, y: DVec3| (x * a + y * b) / (a + b).max(1e-12);
        Self {
            k1: self.k1 + other.k1,
            k2: self.k2 + other.k2,
            error: mean(self.k1, self.error, other.k1, other.error),
            rate: mean(self.k2, self.rate, other.k2, other.rate),
        }
    }
}

/// `k₁ (Δ + h ω_d) + k₂ ω_d + (10) - (k₂ + h k₁) ω_next`, no stronger than `limit` at the present velocity.
fn servo(task: Task, (k1, k2): (f64, f64), dt: f64, limit: f64) -> ImplicitForce {
    let Task { error, rate, push, now } = task;
    let (at_rest, gain) = (k1 * (error + dt * rate) + k2 * rate + push, k2 + dt * k1);
    let size = (at_rest - gain * now).length();
    let share = if size > limit { limit / size } else { 1.0 };
    ImplicitForce::moment(at_rest * share, Sym3::diagonal(gain, gain, gain) * share)
}

/// Largest torque that its joints could turn each of a character's bones with, N m: that of the one above it, and the reactions of
/// those beyond it. A thigh that bears a runner is held by hip *and* knee; by the hip's share alone legs give way under 1.7
/// times the weight, and runners land early and skate.
pub(super) fn efforts(bones: &[Body], span: Bodies) -> Vec<f64> {
    let own: Vec<f64> =
        bones.iter().map(|b| b.joint().effort_limit[..3].iter().copied().fold(0.0, f64::max)).collect();
    let mut sum = own.clone();
    for (bone, own) in bones.iter().zip(&own) {
        if let Some(parent) = bone.parent().and_then(|p| Bone::of(p, span)) {
            sum[parent] += own;
        }
    }
    sum
}

impl Dynamo {
    /// (5) for every bone but the root.
    pub(super) fn track(&mut self, sense: &Sense<'_>, strength: f64, out: &mut Actuation) {
        let outside = self.options.application.outside();
        for bone in (1..self.effort.len()).map(Bone::new) {
            let (k1, k2) = self.gains.of(bone, strength);
            let gains = |share: f64| (k1 * share, k2 * share);
            if outside > 0.0 {
                let body = sense.body_of(bone);
                let now = sense.data.velocity.body[body].angular;
                let (error, rate) = (self.targets.error[bone], self.targets.angular_velocity[bone]);
                let task = Task { error, rate, push: self.load.on_bone[bone] * outside, now };
                let limit = self.effort[bone] * self.options.effort * outside;
                let term = servo(task, gains(outside), sense.dt, limit);
                self.cheat += term.at_rest.angular - term.gain.angular * now;
                out.implicit.push((body, term));
            }
            let inside = (outside < 1.0).then(|| {
                let (k1, k2) = gains(1.0 - outside);
                Drive { k1, k2, error: self.targets.error[bone], rate: self.targets.angular_velocity[bone] }
            });
            let waist = self.waist(sense, bone, strength);
            let both = match (inside, waist) {
                (Some(inside), Some(waist)) => Some(inside.and(waist)),
                (one, other) => one.or(other),
            };
            if let Some(drive) = both {
                self.serve(sense, bone, drive, self.load.by_joint[bone] * (1.0 - outside), out);
            }
        }
    }

    /// What the waist holds a bone of the trunk with that hangs on the pelvis: its angle to it.
    fn waist(&self, sense: &Sense<'_>, bone: Bone, strength: f64) -> Option<Drive> {
        let share = self.options.waist * self.options.application.outside();
        let on_root = self.model.bodies()[bone].parent().is_some_and(|parent| parent.index() == 0);
        let is_trunk = matches!(sense.own.physique().part(bone), Some(Part::Spine(_)));
        if !(share > 0.0 && on_root && is_trunk) {
            return None;
        }
        let (k1, k2) = self.gains.of_root();
        let was = self.wanted.orientation[0].conjugate();
        let to_root = self.targets.actual(Bone::new(0)) * was;
        let spin = sense.data.velocity.body[sense.root()].angular;
        let own = self.wanted.angular_velocity[bone] - self.wanted.angular_velocity[0];
        Some(Drive {
            k1: k1 * share * strength,
            k2: k2 * share * strength.sqrt(),
            error: rotation::log(
                to_root * self.wanted.orientation[bone] * self.targets.actual(bone).conjugate(),
            ),
            rate: spin + to_root * own,
        })
    }

    /// A joint servo that turns a bone towards its target, and pushes besides.
    fn serve(&self, sense: &Sense<'_>, bone: Bone, goal: Drive, push: DVec3, out: &mut Actuation) {
        let Drive { k1, k2, error, rate } = goal;
        let body = sense.bone(bone);
        let parent =
            body.parent().map_or(DMat3::IDENTITY, |p| sense.data.position.world_from_body[p].rotation);
        let parent_rate = body.parent().map_or(DVec3::ZERO, |p| sense.data.velocity.body[p].angular);
        let child = self.targets.actual(bone).conjugate();
        let frame = parent * body.joint().parent_from_joint.rotation;
        // Rotation vector from the bone to its target, and the wanted relative rate, in child axes.
        let error = child * error;
        let relative_rate = child * (rate - parent_rate);
        let push = child * push;
        let limits = body.joint().effort_limit;
        let (q, v) = (body.coordinates(), body.freedoms());
        let mut drive = |k: usize, axis: DVec3| {
            let freedom = v.at(k);
            let (e, w) = (axis.dot(error), axis.dot(relative_rate));
            out.servo.stiffness[freedom] = k1;
            out.servo.damping[freedom] = k2;
            out.servo.target_v[freedom] = w;
            out.joint_force[freedom] += axis.dot(push).clamp(-limits[k], limits[k]);
            e + w * sense.dt
        };
        match body.joint().kind {
            JointKind::Spherical => {
                let step = DVec3::new(drive(0, DVec3::X), drive(1, DVec3::Y), drive(2, DVec3::Z));
                let target = sense.state.rotation(body) * rotation::exp(step);
                out.servo.target_q[q].copy_from_slice(&target.to_array());
            }
            JointKind::Revolute { axis } => {
                out.servo.target_q[q.at(0)] = sense.state.q[q.at(0)] + drive(0, axis);
            }
            JointKind::Universal { axes } => {
                // The first axis is fixed in the joint frame, the second in the child.
                let first = child * (frame * axes[0]);
                out.servo.target_q[q.at(0)] = sense.state.q[q.at(0)] + drive(0, first);
                out.servo.target_q[q.at(1)] = sense.state.q[q.at(1)] + drive(1, axes[1]);
            }
            _ => {}
        }
    }

    /// A moment on the root from within: its reverse on the thighs of the legs that stand, in proportion to
    /// what their feet carry. Without a leg to stand on there is none.
    pub(super) fn push_off(&self, sense: &Sense<'_>, moment: DVec3, out: &mut Actuation) {
        let loads = || (0..sense.bodies.len()).map(Bone::new).map(|bone| (bone, sense.own.load_on(bone)));
        let total: f64 = loads().map(|(_, load)| load).sum();
        if total <= 0.0 {
            return;
        }
        for (foot, load) in loads().filter(|(_, load)| *load > 0.0) {
            // The bone of the leg that hangs on the root.
            let mut thigh = foot;
            while let Some(parent) = self.model.bodies()[thigh].parent().filter(|p| p.index() > 0) {
                thigh = Bone::new(parent.index());
            }
            let body = sense.bone(thigh);
            if thigh.index() > 0 && body.joint().kind == JointKind::Spherical {
                let torque = self.targets.actual(thigh).conjugate() * (moment * (-load / total));
                let freedoms = &mut out.joint_force[body.freedoms()];
                freedoms.iter_mut().zip(torque.to_array()).for_each(|(f, t)| *f += t);
            }
        }
    }
}
