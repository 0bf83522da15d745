//! What acts along joints: springs and dampers, servos with effort limits, motors, limits.

use glam::DVec3;

use super::Convex;
use super::contacts::TAU;
use super::law::Bounded;
use super::rows::{JointRow, Source};
use crate::actuation::Actuation;
use crate::data::Data;
use crate::dynamics::add_passive_implicit;
use crate::model::{Limits, Model};
use crate::state::State;
use crate::step::StepOptions;
use crate::step::gather::position_error;
use crate::step::limits::each_limit;

/// Softness of rigid motors relative to what they act on: what is left over of a wanted change.
const MOTOR: f64 = 1e-9;
/// The same for joint limits, which several terms may press against: they are met to a millionth.
const LIMIT: f64 = 1e-6;
/// Fastest correction of a violated limit that nothing loads, rad/s or m/s.
const LIMIT_PUSH_OUT: f64 = 2.0;

/// Known joint forces and gains; servos with effort limits become rows
/// `γ = h (τ0 - (k_d + h k_p) v⁺)` between their limits.
pub(super) fn gather(model: &Model, state: &State, act: &Actuation, convex: &mut Convex) {
    let h = convex.dt;
    let forces = &mut convex.forces;
    forces.clear();
    add_passive_implicit(model, state, forces, h);
    let servo = &act.servo;
    for (i, body) in model.bodies.iter().enumerate() {
        let range = body.v_range();
        let mut error = [0.0; 6];
        if servo.stiffness[range.clone()].iter().any(|&k| k != 0.0) {
            let (q, target) = (&state.q[body.q_range()], &servo.target_q[body.q_range()]);
            position_error(body.joint.kind, q, target, &mut error);
        }
        for (k, dof) in range.enumerate() {
            let (kp, kd, limit) = (servo.stiffness[dof], servo.damping[dof], body.joint.effort_limit[k]);
            let force = act.joint_force[dof] + kp * error[k] + kd * servo.target_v[dof];
            let gain = kd + h * kp;
            if limit.is_infinite() {
                forces.joint[dof] += force;
                forces.joint_gain[dof] += gain;
            } else if gain == 0.0 {
                forces.joint[dof] += force.clamp(-limit, limit);
            } else if !act.prescribed[i] && !convex.is_asleep[model.tree_of[i] as usize] {
                let law = Bounded {
                    target: force / gain,
                    softness: 1.0 / (h * gain),
                    lower: -limit * h,
                    upper: limit * h,
                    ..Bounded::PUSH
                };
                let row = JointRow::new(Source::Servo(dof as u32), model, i, dof, DVec3::X);
                convex.joints.push(JointRow { law, ..row });
            }
        }
    }
}

/// Rows of limits that could matter in this step, and of motors. Softness waits for the mobilities.
pub(super) fn push(model: &Model, state: &State, act: &Actuation, opt: &StepOptions, convex: &mut Convex) {
    let h = opt.dt;
    for (i, body) in model.bodies.iter().enumerate() {
        let tree = model.tree_of[i] as usize;
        if body.joint.limits == Limits::Unlimited || convex.is_asleep[tree] || act.prescribed[i] {
            continue;
        }
        let (q, v) = (&state.q[body.q_range()], &state.v[body.v_range()]);
        each_limit(body, q, v, opt, |left, direction| {
            let direction = DVec3::new(direction[0], direction[1], direction[2]);
            let mut row = JointRow::new(Source::Limit, model, i, body.v_start, DVec3::ZERO);
            row.direction = direction;
            // Negative for a distance left, which may be used up; an overlap is undone like a contact's.
            row.law.target = if left > 0.0 { -left / h } else { -left / (h * (1.0 + TAU)) };
            convex.joints.push(row);
        });
    }
    for (index, motor) in act.motors.iter().enumerate() {
        let i = model.body_of_freedom(motor.freedom).index();
        if act.prescribed[i] {
            continue;
        }
        let row = JointRow::new(Source::Motor(index as u32), model, i, motor.freedom, DVec3::X);
        let law = Bounded {
            target: motor.velocity,
            softness: motor.compliance / h,
            lower: motor.lower * h,
            upper: motor.upper * h,
            ..Bounded::PUSH
        };
        convex.joints.push(JointRow { law, ..row });
    }
}

/// Writes what the law of a joint's row lacks once its mobility is known; `load` is the joint's limit impulse of the last step.
pub(super) fn write_law(row: &mut JointRow, mobility: f64, load: f64) {
    row.mobility = mobility.max(f64::MIN_POSITIVE);
    match row.source {
        Source::Limit => {
            row.law.softness = LIMIT * row.mobility;
            // As with contacts, the bound on the push-out must not bound the load.
            row.law.target = row.law.target.min(LIMIT_PUSH_OUT + row.law.shortfall(load));
        }
        Source::Motor(_) => row.law.softness = row.law.softness.max(MOTOR * row.mobility),
        _ => {}
    }
}

/// Keeps the impulses of limits for the next step.
pub(super) fn remember(convex: &mut Convex, data: &mut Data) {
    let loads = &mut data.memory.limit_loads;
    loads.fill(0.0);
    for row in convex.joints.iter().filter(|r| r.source == Source::Limit) {
        let load = &mut loads[row.body as usize];
        *load = row.impulse.max(*load);
    }
}
