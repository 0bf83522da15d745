//! What acts along joints: springs and dampers, servos with effort limits, motors, limits.

use glam::DVec3;

use super::Convex;
use super::combined::{Combined, Home, Law, Part};
use super::law::Bounded;
use super::rows::{JointRow, Source};
use crate::actuation::{Actuation, Effort, Motor};
use crate::data::Data;
use crate::dynamics::add_passive_implicit_of;
use crate::dynamics::impulse::Hit;
use crate::model::Model;
use crate::state::State;
use crate::step::gather::position_error;

/// Softness of rigid motors relative to what they act on: what is left over of a wanted change.
pub(super) const MOTOR: f64 = 1e-9;

/// Known joint forces and gains; servos with effort limits become rows
/// `γ = h (τ0 - (k_d + h k_p) v⁺)` between their limits. Who is told and takes part in nothing has none.
pub(super) fn gather(model: &Model, state: &State, data: &Data, act: &Actuation, convex: &mut Convex) {
    convex.forces.clear();
    for tree in (0..model.trees.len()).filter(|&tree| !data.step.told.is_idle(tree)) {
        gather_of(model, state, act, convex, tree);
    }
}

/// Those of a tree.
fn gather_of(model: &Model, state: &State, act: &Actuation, convex: &mut Convex, tree: usize) {
    let h = convex.dt;
    let forces = &mut convex.forces;
    add_passive_implicit_of(model, state, forces, h, model.trees[tree].clone());
    let servo = &act.servo;
    for i in model.trees[tree].clone() {
        let body = &model.bodies[i];
        let range = body.v_range();
        let mut error = [0.0; 6];
        if servo.stiffness[range.clone()].iter().any(|&k| k != 0.0) {
            let (q, target) = (&state.q[body.q_range()], &servo.target_q[body.q_range()]);
            position_error(body.joint.kind, q, target, &mut error);
        }
        let (stiffness, damping) = (&servo.stiffness[range.clone()], &servo.damping[range.clone()]);
        let (fed, wanted) = (&act.joint_force[range.clone()], &servo.target_v[range.clone()]);
        let (joint, gains) = (&mut forces.joint[range.clone()], &mut forces.joint_gain[range.clone()]);
        let drive = &mut convex.drive[range.clone()];
        for k in 0..drive.len() {
            let (kp, kd, limit) = (stiffness[k], damping[k], body.joint.effort_limit[k]);
            let force = fed[k] + kp * error[k] + kd * wanted[k];
            let gain = kd + h * kp;
            drive[k] = [0.0; 2];
            if limit.is_infinite() {
                drive[k] = [force, gain];
                joint[k] += force;
                gains[k] += gain;
            } else if gain == 0.0 {
                let force = force.clamp(-limit, limit);
                drive[k] = [force, 0.0];
                joint[k] += force;
            } else if !act.prescribed[i] && !convex.is_asleep[model.tree_of[i] as usize] {
                let law = Bounded {
                    target: force / gain,
                    softness: 1.0 / (h * gain),
                    lower: -limit * h,
                    upper: limit * h,
                    ..Bounded::PUSH
                };
                let dof = range.start + k;
                let row = JointRow::new(Source::Servo(dof as u32), model, i, dof, DVec3::X);
                convex.joints.push(JointRow { law, ..row });
            }
        }
    }
}

/// Rows of motors. Softness waits for the mobilities.
pub(super) fn push(model: &Model, act: &Actuation, convex: &mut Convex) {
    let h = convex.dt;
    for (index, motor) in act.motors.iter().enumerate() {
        let i = model.body_of_freedom(motor.first()).index();
        if act.prescribed[i] {
            continue;
        }
        let source = Source::Motor(index as u32);
        if let Effort::Magnitude(most) = motor.effort {
            push_ball(model, motor, most, source, convex);
            continue;
        }
        for k in 0..motor.count() {
            let row = JointRow::new(source, model, i, motor.first() + k, DVec3::X);
            let (lower, upper) = motor.bounds(k);
            let law = Bounded {
                target: motor.velocity[k],
                softness: motor.compliance / h,
                lower: lower * h,
                upper: upper * h,
                ..Bounded::PUSH
            };
            convex.joints.push(JointRow { law, ..row });
        }
    }
}

/// A motor whose effort is bounded as a whole.
fn push_ball(model: &Model, motor: &Motor, most: f64, source: Source, convex: &mut Convex) {
    let body = model.body_of_freedom(motor.first()).index();
    let at = motor.first() - model.bodies[body].v_start;
    let second = at >= 3;
    let home = Home { body: body as u32, second, at: if second { at - 3 } else { at } };
    let first = convex.parts.len() as u32;
    let part = |k: usize| Part { component: k, hit: Hit::Freedom(motor.first() + k, 1.0) };
    convex.parts.extend((0..motor.count()).map(part));
    let mut target = DVec3::ZERO;
    (0..motor.count()).for_each(|k| target[k] = motor.velocity[k]);
    let law = Law::Ball { target, softness: motor.compliance / convex.dt, bound: most * convex.dt };
    let parts = (first, convex.parts.len() as u32);
    convex.combined.push(Combined::new(source, parts, motor.count(), law, Some(home)));
}

/// Writes what the law of a joint's row lacks once its mobility is known; `load` is the joint's limit impulse of the last step.
pub(super) fn write_law(row: &mut JointRow, mobility: f64, load: f64) {
    row.mobility = mobility.max(f64::MIN_POSITIVE);
    match row.source {
        Source::Limit => super::limits::write_law(row, load),
        Source::Motor(_) | Source::Own(_) => row.law.softness = row.law.softness.max(MOTOR * row.mobility),
        _ => {}
    }
}

/// Keeps the impulses of limits for the next step.
pub(super) fn remember(convex: &Convex, data: &mut Data) {
    let loads = &mut data.memory.limit_loads;
    loads.fill(0.0);
    for row in convex.joints.iter().filter(|r| r.source == Source::Limit) {
        let load = &mut loads[row.body as usize];
        *load = row.impulse.max(*load);
    }
}
