//! Joints between separate bodies: what holds, and what acts along the freedoms.
//!
//! With `r` from the parent's to the child's origin, the motion of the child relative to the parent is
//! `(ω_c - ω_p, v_c - v_p - ω_p × r)`. A joint's axes `S` are orthonormal in it, so rates are `Sᵀ` of it,
//! a force `τ` along the freedoms is the wrench `S τ` on the child and its opposite on the parent, and the
//! constraint rows are the remaining directions.

use glam::DVec3;

use super::{parent_of, read};
use crate::actuation::Actuation;
use crate::data::Data;
use crate::dynamics::impulse::Hit;
use crate::dynamics::kinematics::{joint_force, joint_motion, place};
use crate::dynamics::{add_passive_explicit, add_passive_implicit};
use crate::forces::Forces;
use crate::model::{JointKind, Model};
use crate::spatial::{Force, Motion, Transform, rotation};
use crate::state::State;
use crate::step::gather::position_error;
use crate::step::rows::{Cause, RowSpec, Rows};
use crate::step::{Formulation, StepOptions, limits, own_rows, pins};

/// A joint as the two bodies show it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct JointFrame {
    /// The motion subspace, in the layout of [`crate::data::Positions::axes`].
    pub(super) axes: glam::DMat3,
    /// From the parent's origin to the child's, and how it changes.
    pub(super) way: DVec3,
    parting: DVec3,
    /// Angular velocity of parent and child.
    spin: [DVec3; 2],
    /// Child's origin minus where the joint allows it to be, world.
    pub(super) apart: DVec3,
    /// Rotation vector from what the joint allows to how the child is turned, world.
    pub(super) turned: DVec3,
}

/// Joint coordinates, rates and errors of all joints from the bodies' poses and velocities.
pub(super) fn read(model: &Model, data: &Data, state: &mut State, frames: &mut [JointFrame]) {
    for (i, link) in model.links.iter().enumerate() {
        let body = &model.bodies[i];
        let pose = &data.position.world_from_body[i];
        let (parent, moving) = match parent_of(model, i) {
            Some(p) => (data.position.world_from_body[p], data.velocity.body[p]),
            None => (Transform::IDENTITY, Motion::ZERO),
        };
        let joint_from_child = (parent * link.placement).inverse() * *pose;
        let q = &mut state.q[body.q_range()];
        read::coordinates(link.kind, &joint_from_child, q);
        let allowed = place(link, &parent, q);
        let way = pose.translation - parent.translation;
        let turned = glam::DQuat::from_mat3(&(pose.rotation * allowed.rotation.transpose()));
        frames[i] = JointFrame {
            axes: allowed.axes,
            way,
            parting: data.velocity.body[i].linear - moving.linear,
            spin: [moving.angular, data.velocity.body[i].angular],
            apart: way - allowed.offset,
            turned: rotation::log(turned),
        };
        let relative = data.velocity.body[i] - moving.at(way);
        let rate = Force::new(relative.angular, relative.linear);
        joint_force(link.kind, &allowed.axes, rate, &mut state.v[body.v_range()]);
    }
}

/// Springs and dampers into `passive`, and whatever is a `known` force onto the bodies.
pub(super) fn gather(
    model: &Model,
    state: &State,
    frames: &[JointFrame],
    act: &Actuation,
    opt: &StepOptions,
    passive: &mut Forces,
    known: &mut [[f64; 2]],
    wrenches: &mut [Force],
) {
    let explicit = opt.formulation == Formulation::Penalty;
    passive.clear();
    known.fill([0.0; 2]);
    if explicit {
        add_passive_explicit(model, state, passive);
    } else {
        add_passive_implicit(model, state, passive, opt.dt);
    }
    for (i, body) in model.bodies.iter().enumerate() {
        if act.prescribed[i] {
            continue;
        }
        let mut tau = [0.0; 6];
        let error = servo_error(model, state, act, i);
        for (k, dof) in body.v_range().enumerate() {
            let (kp, kd) = (act.servo.stiffness[dof], act.servo.damping[dof]);
            if explicit || passive.joint_gain[dof] == 0.0 {
                tau[k] += passive.joint[dof];
            }
            if explicit || kd + opt.dt * kp == 0.0 {
                let rate = act.servo.target_v[dof] - state.v[dof];
                let limit = body.joint.effort_limit[k];
                known[dof][1] = (act.joint_force[dof] + kp * error[k] + kd * rate).clamp(-limit, limit);
                tau[k] += known[dof][1];
            }
            known[dof][0] = tau[k];
        }
        if tau != [0.0; 6] {
            let wrench = along(body.joint.kind, &frames[i], &tau);
            wrenches[i] += wrench;
            if let Some(p) = parent_of(model, i) {
                wrenches[p] -= wrench.seen_from(frames[i].way);
            }
        }
    }
}

fn servo_error(model: &Model, state: &State, act: &Actuation, i: usize) -> [f64; 6] {
    let body = &model.bodies[i];
    let mut error = [0.0; 6];
    if act.servo.stiffness[body.v_range()].iter().any(|&k| k != 0.0) {
        let (q, target) = (&state.q[body.q_range()], &act.servo.target_q[body.q_range()]);
        position_error(body.joint.kind, q, target, &mut error);
    }
    error
}

/// `S x` as a wrench on the child.
pub(super) fn along(kind: JointKind, frame: &JointFrame, x: &[f64; 6]) -> Force {
    let motion = joint_motion(kind, &frame.axes, x);
    Force::new(motion.angular, motion.linear)
}

/// What the rate of freedom `k` changes by per second when neither body accelerates, `J̇ v`: its axis turns with
/// the parent or the child, and so does the way between them.
pub(super) fn carried(kind: JointKind, k: usize, frame: &JointFrame) -> f64 {
    let mut unit = [0.0; 6];
    unit[k] = 1.0;
    let axis = along(kind, frame, &unit);
    let [parent, child] = frame.spin;
    let carrier = match (kind, k) {
        (JointKind::Spherical | JointKind::Free, _) | (JointKind::Universal { .. }, 1) => child,
        _ => parent,
    };
    let slide = frame.parting - parent.cross(frame.way);
    carrier.cross(axis.angular).dot(child - parent) + carrier.cross(axis.linear).dot(slide)
        - axis.linear.dot(parent.cross(frame.parting))
}

/// What rows are made from.
pub(super) struct World<'a> {
    pub(super) reduced: &'a Model,
    pub(super) split: &'a Model,
    pub(super) read: &'a State,
    pub(super) frames: &'a [JointFrame],
}

impl World<'_> {
    /// All rows of all joints.
    pub(super) fn push_rows(
        &self,
        data: &Data,
        act: &Actuation,
        passive: &Forces,
        correction: f64,
        opt: &StepOptions,
        rows: &mut Rows,
    ) {
        for i in 0..self.reduced.n_bodies() {
            self.hold(i, correction / opt.dt, rows);
            if act.prescribed[i] {
                self.prescribe(i, act, opt, rows);
            } else {
                self.drive(i, act, passive, opt, rows);
            }
            self.limit(i, opt, rows);
        }
        for (index, motor) in act.motors.iter().enumerate() {
            let i = self.reduced.body_of_freedom(motor.first()).index();
            pins::push_motor(self.split, data, index, motor, opt, rows, |dof| {
                self.freedom_row(Cause::Motor, i, dof)
            });
        }
        for (index, row) in act.rows.iter().enumerate() {
            let hits = own_rows::hits(data, row, |dof, weight, hits| {
                let i = self.reduced.body_of_freedom(dof).index();
                for hit in self.freedom_row(Cause::Own, i, dof).hits.into_iter().flatten() {
                    hits.add(match hit {
                        Hit::Body(b, wrench) => Hit::Body(b, wrench * weight),
                        Hit::Freedom(d, scale) => Hit::Freedom(d, scale * weight),
                    });
                }
            });
            pins::push_own(self.split, data, index, row, &hits, opt, rows);
        }
    }

    /// A row of body `i`'s joint along `wrench` on the child.
    fn row(&self, cause: Cause, i: usize, wrench: Force) -> RowSpec {
        let back = parent_of(self.reduced, i).map(|p| Hit::Body(p, -wrench.seen_from(self.frames[i].way)));
        let hit = Hit::Body(i, wrench);
        RowSpec { hits: [Some(hit), back], ..RowSpec::new(cause, hit) }
    }

    pub(super) fn freedom_row(&self, cause: Cause, i: usize, dof: usize) -> RowSpec {
        let body = &self.reduced.bodies[i];
        let mut unit = [0.0; 6];
        unit[dof - body.v_start] = 1.0;
        self.row(cause, i, along(body.joint.kind, &self.frames[i], &unit))
    }

    /// (1): the directions in which the joint does not move.
    fn hold(&self, i: usize, rate: f64, rows: &mut Rows) {
        let frame = &self.frames[i];
        let (x, y, z) = (frame.axes.x_axis, frame.axes.y_axis, frame.axes.z_axis);
        let across = |axis: DVec3| {
            let (a, b) = axis.any_orthonormal_pair();
            [a, b, DVec3::ZERO]
        };
        let none = [DVec3::ZERO; 3];
        let (slides, turns) = match self.reduced.bodies[i].joint.kind {
            JointKind::Fixed => (DVec3::AXES, DVec3::AXES),
            JointKind::Revolute { .. } => (DVec3::AXES, across(x)),
            JointKind::Prismatic { .. } => (across(x), DVec3::AXES),
            JointKind::Universal { .. } => (DVec3::AXES, [x.cross(y), DVec3::ZERO, DVec3::ZERO]),
            JointKind::Spherical => (DVec3::AXES, none),
            JointKind::Planar => ([z, DVec3::ZERO, DVec3::ZERO], [x, y, DVec3::ZERO]),
            JointKind::Free => (none, none),
        };
        let mut push = |wrench: Force, error: f64| {
            let row = RowSpec { target: -rate * error, ..self.row(Cause::Joint, i, wrench) };
            rows.push(self.split, row);
        };
        for d in slides.into_iter().filter(|d| *d != DVec3::ZERO) {
            push(Force::new(DVec3::ZERO, d), d.dot(frame.apart));
        }
        for d in turns.into_iter().filter(|d| *d != DVec3::ZERO) {
            push(Force::new(d, DVec3::ZERO), d.dot(frame.turned));
        }
    }

    /// The joint ends the step at the rate it is told; its axes turn meanwhile, which the row does not see.
    fn prescribe(&self, i: usize, act: &Actuation, opt: &StepOptions, rows: &mut Rows) {
        let kind = self.reduced.bodies[i].joint.kind;
        for (k, dof) in self.reduced.bodies[i].v_range().enumerate() {
            let target = act.prescribed_velocity[dof] - opt.dt * carried(kind, k, &self.frames[i]);
            let row = RowSpec { target, ..self.freedom_row(Cause::Motor, i, dof) };
            rows.push(self.split, row);
        }
    }

    /// (2): spring, damper and rotor in one row, the drive with its effort limit in another.
    fn drive(&self, i: usize, act: &Actuation, passive: &Forces, opt: &StepOptions, rows: &mut Rows) {
        let explicit = opt.formulation == Formulation::Penalty;
        let h = opt.dt;
        let body = &self.reduced.bodies[i];
        let error = servo_error(self.reduced, self.read, act, i);
        for (k, dof) in body.v_range().enumerate() {
            // A rotor feels the whole change of its rate, of which the row's own velocity sees only a part.
            let rate = self.read.v[dof] - h * carried(body.joint.kind, k, &self.frames[i]);
            let (rotor, gain) = (body.joint.armature[k], passive.joint_gain[dof]);
            let own = if explicit { 0.0 } else { h * gain };
            if rotor + own > 0.0 {
                let known = if own > 0.0 { h * passive.joint[dof] } else { 0.0 };
                let row = RowSpec {
                    compliance: 1.0 / (rotor + own),
                    target: (known + rotor * rate) / (rotor + own),
                    ..self.freedom_row(Cause::Joint, i, dof)
                };
                rows.push(self.split, row);
            }
            let (kp, kd) = (act.servo.stiffness[dof], act.servo.damping[dof]);
            let gain = kd + h * kp;
            if !explicit && gain > 0.0 {
                let wanted = act.joint_force[dof] + kp * error[k] + kd * act.servo.target_v[dof];
                let row = RowSpec {
                    compliance: 1.0 / (h * gain),
                    target: wanted / gain,
                    lower: -body.joint.effort_limit[k] * h,
                    upper: body.joint.effort_limit[k] * h,
                    ..self.freedom_row(Cause::Motor, i, dof)
                };
                rows.push(self.split, row);
            }
        }
    }

    fn limit(&self, i: usize, opt: &StepOptions, rows: &mut Rows) {
        let body = &self.reduced.bodies[i];
        let (q, v) = (&self.read.q[body.q_range()], &self.read.v[body.v_range()]);
        limits::each_limit(body, q, |left, direction| {
            if !limits::is_near(left, &direction, v, opt.dt) {
                return;
            }
            let wrench = along(body.joint.kind, &self.frames[i], &direction);
            if let RowSpec { hits: [Some(first), other], .. } = self.row(Cause::Limit, i, wrench) {
                rows.push(self.split, limits::row(left, first, other, opt));
            }
        });
    }
}
