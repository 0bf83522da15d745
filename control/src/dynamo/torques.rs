//! The tracking torques (5), and how they act.
//!
//! They are implicit terms of the articulated-body algorithm: each adds `h k₂ + h² k₁` to its bone's rotational inertia,
//! so they are stable at any gain (Tan et al. 2011). How they act is a choice, because external torques are what makes the
//! published law so forgiving:
//!
//! | [`Application`] | torque | reaction |
//! |---|---|---|
//! | `External` | on the bone, from outside (the paper) | none; the ledger books it as an aid |
//! | `Internal` | by the joint, towards the same world orientation | on the parent; the root's spring stays outside |
//! | `FullyInternal` | the same | on the parent; the root's moment too, through the hips of the legs that stand |
//! | `ParentSpace` | by the joint, towards the mocap angle (the baseline), implicit | on the parent |
//! | `ParentSpaceExplicit` | the same, explicit | on the parent |
//!
//! The joints' effort limits bound all of them: an external torque that would exceed its joint's at the velocity the step
//! begins with has both gains scaled down until it does not. (Cutting it off without an implicit part would make it a
//! bang-bang force, which a light foot turns into chatter.)

use stuntlab_mocap::character::Bone;
use stuntlab_physics::glam::{DMat3, DQuat, DVec3};
use stuntlab_physics::spatial::{Sym3, rotation};
use stuntlab_physics::{Actuation, BodyId, ImplicitForce, JointKind};

use super::Dynamo;
use crate::controller::Sense;

/// How tracking torques act on the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Application {
    /// From outside, on each bone alone.
    #[default]
    External,
    /// By the joints, towards world orientations; the root is held from outside.
    Internal,
    /// By the joints alone: the legs that stand carry the root's moment, and nothing comes from outside.
    FullyInternal,
    /// By the joints, towards joint angles.
    ParentSpace,
    /// By the joints, towards joint angles, without implicit terms.
    ParentSpaceExplicit,
}

/// `k₁ (Δ + h ω_d) + k₂ ω_d - (k₂ + h k₁) ω_next`, no stronger than `limit` at the velocity `now`.
pub(super) fn servo(
    error: DVec3,
    rate: DVec3,
    (k1, k2): (f64, f64),
    now: DVec3,
    dt: f64,
    limit: f64,
) -> ImplicitForce {
    let (at_rest, gain) = (k1 * (error + dt * rate) + k2 * rate, k2 + dt * k1);
    let size = (at_rest - gain * now).length();
    let share = if size > limit { limit / size } else { 1.0 };
    ImplicitForce::moment(at_rest * share, Sym3::diagonal(gain, gain, gain) * share)
}

impl Dynamo {
    /// (5) for every bone but the root.
    pub(super) fn track(&mut self, sense: &Sense<'_>, strength: f64, out: &mut Actuation) {
        self.track_root(sense, strength, out);
        for bone in (1..self.effort.len()).map(Bone::new) {
            let (k1, k2) = self.gains.of(bone);
            // Damping fades more slowly than stiffness: limp, not jittery.
            let gains = (k1 * strength, k2 * strength.sqrt());
            let rate = self.targets.angular_velocity[bone];
            match self.options.application {
                Application::External => {
                    let body = sense.body_of(bone);
                    let now = sense.data.velocity.body[body].angular;
                    let (error, effort) = (self.targets.error[bone], self.effort[bone]);
                    let term = servo(error, rate, gains, now, sense.dt, effort);
                    self.cheat += term.at_rest.angular - term.gain.angular * now;
                    out.implicit.push((body, term));
                }
                Application::Internal | Application::FullyInternal => {
                    let wanted = self.targets.orientation[bone];
                    self.serve(sense, bone, gains, wanted, rate, out);
                }
                Application::ParentSpace | Application::ParentSpaceExplicit => {
                    // The mocap's angle to the parent, hung on the actual parent.
                    let parent = Bone::new(self.model.bodies()[bone].parent().map_or(0, BodyId::index));
                    let was = self.wanted.orientation[parent];
                    let relative = was.conjugate() * self.wanted.orientation[bone];
                    let actual = self.targets.actual(parent);
                    let parent_rate = sense.data.velocity.body[sense.body_of(parent)].angular;
                    let own = self.wanted.angular_velocity[bone] - self.wanted.angular_velocity[parent];
                    let rate = parent_rate + actual * (was.conjugate() * own);
                    self.serve(sense, bone, gains, actual * relative, rate, out);
                }
            }
        }
    }

    /// (5) for the root, as far as the motion is not upright: see [`super::Targets`].
    fn track_root(&mut self, sense: &Sense<'_>, strength: f64, out: &mut Actuation) {
        let share = 1.0 - self.targets.upright;
        if share <= 0.0 || self.options.application != Application::External {
            return;
        }
        let (k1, k2) = self.gains.of_root();
        let gains = (k1 * share * strength, k2 * share * strength.sqrt());
        let now = sense.data.velocity.body[sense.root()].angular;
        let (error, rate) = (self.targets.error[0], self.targets.angular_velocity[0]);
        let term = servo(error, rate, gains, now, sense.dt, f64::INFINITY);
        self.cheat += term.at_rest.angular - term.gain.angular * now;
        out.implicit.push((sense.root(), term));
    }

    /// A joint servo that turns a bone towards the world orientation `wanted` with its rate.
    fn serve(
        &self,
        sense: &Sense<'_>,
        bone: Bone,
        (k1, k2): (f64, f64),
        wanted: DQuat,
        rate: DVec3,
        out: &mut Actuation,
    ) {
        let body = sense.bone(bone);
        let parent =
            body.parent().map_or(DMat3::IDENTITY, |p| sense.data.position.world_from_body[p].rotation);
        let parent_rate = body.parent().map_or(DVec3::ZERO, |p| sense.data.velocity.body[p].angular);
        let child = self.targets.actual(bone).conjugate();
        let frame = parent * body.joint().parent_from_joint.rotation;
        // Rotation vector from the bone to its target, and the wanted relative rate, in child axes.
        let error = child * rotation::log(wanted * child);
        let relative_rate = child * (rate - parent_rate);
        let (q, v) = (body.coordinates(), body.freedoms());
        let explicit = self.options.application == Application::ParentSpaceExplicit;
        let mut drive = |k: usize, axis: DVec3| {
            let freedom = v.at(k);
            let (e, w, now) = (axis.dot(error), axis.dot(relative_rate), sense.state.v[freedom]);
            if explicit {
                out.joint_force[freedom] += k1 * e + k2 * (w - now);
            } else {
                out.servo.stiffness[freedom] = k1;
                out.servo.damping[freedom] = k2;
                out.servo.target_v[freedom] = w;
            }
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
