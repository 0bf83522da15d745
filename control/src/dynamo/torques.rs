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
        for i in 1..self.ids.len() {
            let (k1, k2) = self.gains.of(i);
            // Damping fades more slowly than stiffness: limp, not jittery.
            let gains = (k1 * strength, k2 * strength.sqrt());
            let rate = self.targets.angular_velocity[i];
            match self.options.application {
                Application::External => {
                    let index = sense.bodies.start + i;
                    let now = sense.data.velocity.body[index].angular;
                    let term = servo(self.targets.error[i], rate, gains, now, sense.dt, self.effort[i]);
                    self.cheat += term.at_rest.angular - term.gain.angular * now;
                    out.implicit.push((self.ids[i], term));
                }
                Application::Internal | Application::FullyInternal => {
                    let wanted = self.targets.orientation[i];
                    self.serve(sense, i, gains, wanted, rate, out);
                }
                Application::ParentSpace | Application::ParentSpaceExplicit => {
                    // The mocap's angle to the parent, hung on the actual parent.
                    let parent = self.model.bodies()[i].parent().map_or(0, BodyId::index);
                    let relative = self.wanted.orientation[parent].conjugate() * self.wanted.orientation[i];
                    let actual = self.targets.actual(parent);
                    let parent_rate = sense.data.velocity.body[sense.bodies.start + parent].angular;
                    let own = self.wanted.angular_velocity[i] - self.wanted.angular_velocity[parent];
                    let rate = parent_rate + actual * (self.wanted.orientation[parent].conjugate() * own);
                    self.serve(sense, i, gains, actual * relative, rate, out);
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
        let now = sense.data.velocity.body[sense.bodies.start].angular;
        let (error, rate) = (self.targets.error[0], self.targets.angular_velocity[0]);
        let term = servo(error, rate, gains, now, sense.dt, f64::INFINITY);
        self.cheat += term.at_rest.angular - term.gain.angular * now;
        out.implicit.push((self.ids[0], term));
    }

    /// A joint servo that turns bone `i` towards the world orientation `wanted` with its rate.
    fn serve(
        &self,
        sense: &Sense<'_>,
        i: usize,
        (k1, k2): (f64, f64),
        wanted: DQuat,
        rate: DVec3,
        out: &mut Actuation,
    ) {
        let body = &sense.model.bodies()[sense.bodies.start + i];
        let parent = body
            .parent()
            .map_or(DMat3::IDENTITY, |p| sense.data.position.world_from_body[p.index()].rotation);
        let parent_rate = body.parent().map_or(DVec3::ZERO, |p| sense.data.velocity.body[p.index()].angular);
        let child = self.targets.actual(i).conjugate();
        let frame = parent * body.joint().parent_from_joint.rotation;
        // Rotation vector from the bone to its target, and the wanted relative rate, in child axes.
        let error = child * rotation::log(wanted * child);
        let relative_rate = child * (rate - parent_rate);
        let (q, v) = (body.q_range(), body.v_range());
        let explicit = self.options.application == Application::ParentSpaceExplicit;
        let mut drive = |k: usize, axis: DVec3| {
            let (e, w, now) = (axis.dot(error), axis.dot(relative_rate), sense.state.v[v.start + k]);
            if explicit {
                out.joint_force[v.start + k] += k1 * e + k2 * (w - now);
            } else {
                out.servo.stiffness[v.start + k] = k1;
                out.servo.damping[v.start + k] = k2;
                out.servo.target_v[v.start + k] = w;
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
                out.servo.target_q[q.start] = sense.state.q[q.start] + drive(0, axis);
            }
            JointKind::Universal { axes } => {
                // The first axis is fixed in the joint frame, the second in the child.
                let first = child * (frame * axes[0]);
                out.servo.target_q[q.start] = sense.state.q[q.start] + drive(0, first);
                out.servo.target_q[q.start + 1] = sense.state.q[q.start + 1] + drive(1, axes[1]);
            }
            _ => {}
        }
    }

    /// A moment on the root from within: its reverse on the thighs of the legs that stand, in proportion to
    /// what their feet carry. Without a leg to stand on there is none.
    pub(super) fn push_off(&self, sense: &Sense<'_>, moment: DVec3, out: &mut Actuation) {
        let loads = || (0..sense.bodies.len()).map(|body| sense.own.load_on(body));
        let total: f64 = loads().sum();
        if total <= 0.0 {
            return;
        }
        for (foot, load) in loads().enumerate().filter(|(_, load)| *load > 0.0) {
            // The bone of the leg that hangs on the root.
            let mut thigh = foot;
            while let Some(parent) = self.model.bodies()[thigh].parent().filter(|p| p.index() > 0) {
                thigh = parent.index();
            }
            let body = &sense.model.bodies()[sense.bodies.start + thigh];
            if thigh > 0 && body.joint().kind == JointKind::Spherical {
                let torque = self.targets.actual(thigh).conjugate() * (moment * (-load / total));
                let freedoms = &mut out.joint_force[body.v_range()];
                freedoms.iter_mut().zip(torque.to_array()).for_each(|(f, t)| *f += t);
            }
        }
    }
}
