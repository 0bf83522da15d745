//! Stage one of a step: what acts on the joints.

use super::{Formulation, StepOptions};
use crate::actuation::Actuation;
use crate::data::Data;
use crate::dynamics::{add_passive_explicit, add_passive_implicit};
use crate::model::{JointKind, Model};
use crate::spatial::rotation;
use crate::state::{State, quaternion, vec3, write3};

/// Wanted minus present position of a joint, per freedom; rotations by the short way in child axes.
pub(crate) fn position_error(kind: JointKind, q: &[f64], target: &[f64], out: &mut [f64; 6]) {
    let turn = |at| rotation::log(quaternion(q, at).conjugate() * quaternion(target, at));
    match kind {
        JointKind::Spherical => write3(out, 0, turn(0)),
        JointKind::Free => {
            let way = quaternion(q, 3).conjugate() * (vec3(target, 0) - vec3(q, 0));
            write3(out, 0, way);
            write3(out, 3, turn(3));
        }
        kind => (0..kind.n_v()).for_each(|k| out[k] = target[k] - q[k]),
    }
}

/// Fills `data.step.forces`: joint forces and gains from actuation, servos and the joints themselves.
/// A servo is `joint = kp e + kd v̄ [, gain = kd + h kp]`; with the explicit formulation it has no gain.
pub(crate) fn gather(model: &Model, state: &State, data: &mut Data, act: &Actuation, opt: &StepOptions) {
    let implicit = opt.formulation != Formulation::Penalty;
    let forces = &mut data.step.forces;
    forces.clear();
    if implicit {
        add_passive_implicit(model, state, forces, opt.dt);
    } else {
        add_passive_explicit(model, state, forces);
    }
    data.step.saturated.fill(0);
    if implicit {
        add_rate_viscosity(model, state, forces, opt.dt);
    }
    for body in &model.bodies {
        let range = body.v_range();
        let servo = &act.servo;
        let served = servo.stiffness[range.clone()].iter().any(|&k| k != 0.0);
        let mut error = [0.0; 6];
        if served {
            position_error(
                body.joint.kind,
                &state.q[body.q_range()],
                &servo.target_q[body.q_range()],
                &mut error,
            );
        }
        for (k, dof) in range.enumerate() {
            let (kp, kd) = (servo.stiffness[dof], servo.damping[dof]);
            forces.joint[dof] += act.joint_force[dof] + kp * error[k] + kd * servo.target_v[dof];
            if implicit {
                forces.joint_gain[dof] += kd + opt.dt * kp;
            } else {
                forces.joint[dof] -= kd * state.v[dof];
                let limit = body.joint.effort_limit[k];
                let driven = act.joint_force[dof] + kp * error[k] + kd * (servo.target_v[dof] - state.v[dof]);
                forces.joint[dof] += driven.clamp(-limit, limit) - driven;
            }
        }
    }
}

/// A joint that turns further than this in a step, rad, is slowed down.
const UNRESOLVED_TURN: f64 = 0.25;

/// Joint rates the step cannot resolve are damped: beyond half a radian or so per step no force that is taken once
/// per step turns with the body, and nothing else would hold such rates. The viscosity `I (θ² - θ₀²)² / h` for a
/// turn `θ` per step begins at `θ₀` ([`UNRESOLVED_TURN`], 30 rad/s at 120 Hz) and halves a rate of a radian per step.
fn add_rate_viscosity(model: &Model, state: &State, forces: &mut crate::forces::Forces, dt: f64) {
    for body in &model.bodies {
        let range = body.v_range();
        let carried = &model.carried_inertia[range.clone()];
        let square: f64 =
            state.v[range.clone()].iter().zip(carried).map(|(v, i)| if *i > 0.0 { v * v } else { 0.0 }).sum();
        let excess = square * dt * dt - UNRESOLVED_TURN * UNRESOLVED_TURN;
        if excess > 0.0 {
            for (k, inertia) in range.zip(carried) {
                forces.joint_gain[k] += inertia * excess * excess / dt;
            }
        }
    }
}

/// The drive's own effort at the end of the step: feed-forward plus servo, without passive forces.
#[inline]
pub(crate) fn drive_effort(act: &Actuation, error: f64, dof: usize, next_v: f64, dt: f64) -> f64 {
    let (kp, kd) = (act.servo.stiffness[dof], act.servo.damping[dof]);
    act.joint_force[dof] + kp * (error - dt * next_v) + kd * (act.servo.target_v[dof] - next_v)
}

/// Finds drives beyond their effort limits and caps them; whether any changed in the given tree.
pub(crate) fn saturate(
    model: &Model,
    state: &State,
    data: &mut Data,
    act: &Actuation,
    opt: &StepOptions,
    tree: usize,
) -> bool {
    let mut changed = false;
    for i in model.trees[tree].clone() {
        let body = &model.bodies[i];
        let n = body.joint.kind.n_v();
        if body.joint.effort_limit[..n].iter().all(|l| l.is_infinite()) {
            continue;
        }
        let mut error = [0.0; 6];
        let (q, target) = (&state.q[body.q_range()], &act.servo.target_q[body.q_range()]);
        position_error(body.joint.kind, q, target, &mut error);
        for k in 0..n {
            let dof = body.v_start + k;
            let limit = body.joint.effort_limit[k];
            let (kp, kd) = (act.servo.stiffness[dof], act.servo.damping[dof]);
            let effort = drive_effort(act, error[k], dof, data.step.next_v[dof], opt.dt);
            let wanted: i8 = if effort > limit {
                1
            } else if effort < -limit {
                -1
            } else {
                0
            };
            // A drive that came off its limit stays off for this step: switching back could cycle.
            if data.step.saturated[dof] == 0 && wanted != 0 {
                let forces = &mut data.step.forces;
                forces.joint[dof] += f64::from(wanted) * limit
                    - (act.joint_force[dof] + kp * error[k] + kd * act.servo.target_v[dof]);
                forces.joint_gain[dof] -= kd + opt.dt * kp;
                data.step.saturated[dof] = wanted;
                data.step.changed[i] = true;
                changed = true;
            }
        }
    }
    changed
}
