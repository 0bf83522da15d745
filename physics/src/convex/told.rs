//! Trees that are told where to go and take part in nothing: their kick, their way, and what passes through their joints.
//!
//! ```text
//! v⁺ = v̄,   q⁺ = q ⊕ h v̄,   f_i = I_i ((V⁺_i - V_i)/h + J̇v - g) + inertial_i - f_ext,i        (RBDA 5.3)
//! ```

use glam::DVec3;

use super::Convex;
use super::flow::{go_straight, inertial};
use crate::actuation::Actuation;
use crate::data::Data;
use crate::dynamics::kinematics::{forward_kinematics_of, forward_velocity_of, joint_force};
use crate::model::{JointKind, Model, NONE};
use crate::spatial::{Force, Motion};
use crate::state::State;

/// Marks idle trees as no part of the problem.
pub(super) fn leave_out(data: &Data, convex: &mut Convex) {
    for (tree, asleep) in convex.is_asleep.iter_mut().enumerate() {
        *asleep |= data.step.told.is_idle(tree);
    }
}

/// Gives an idle tree the rates it is told.
pub(super) fn kick(model: &Model, data: &Data, convex: &mut Convex, tree: usize) {
    let freedoms = model.freedoms_of(tree);
    convex.v[freedoms.clone()].copy_from_slice(&data.step.prescribed_v[freedoms]);
    crate::step::body_velocities(model, data, tree, &convex.v, &mut convex.velocity);
}

/// A step of trees all of which are idle, `next` being the state it begins with: leaves there where it ends, and what the next step wants to know.
pub(crate) fn advance(
    model: &Model,
    state: &State,
    data: &mut Data,
    act: &Actuation,
    dt: f64,
    next: &mut State,
) {
    let mut convex = core::mem::take(&mut data.convex);
    convex.dt = dt;
    for tree in 0..model.trees.len() {
        kick(model, data, &mut convex, tree);
        move_on(model, state, data, act, &convex, next, tree);
    }
    data.step.next_v.copy_from_slice(&convex.v);
    data.step.next_body.copy_from_slice(&convex.velocity);
    let per_time = 1.0 / dt;
    let reactions = &mut data.reactions;
    for list in [&mut reactions.drive, &mut reactions.motor, &mut reactions.limit] {
        list.fill(0.0);
    }
    reactions.along.copy_from_slice(&data.dynamics.joint_force);
    let wrenches = reactions.wrench.iter_mut().zip(&data.dynamics.body_force);
    wrenches.for_each(|(wrench, impulse)| *wrench = *impulse * per_time);
    data.memory.limit_loads.fill(0.0);
    data.memory.efforts.clear();
    data.memory.warm.remember(model, &convex, next);
    data.convex = convex;
}

/// Moves an idle tree on; first what passes through its joints, for which `data` has the pose the step begins with.
pub(super) fn move_on(
    model: &Model,
    state: &State,
    data: &mut Data,
    act: &Actuation,
    convex: &Convex,
    next: &mut State,
    tree: usize,
) {
    pass_on(model, state, data, act, convex, tree);
    let bodies = model.trees[tree].clone();
    for i in bodies.clone() {
        go_straight(model, state, convex, next, i);
    }
    forward_kinematics_of(model, next, data, bodies.clone());
    forward_velocity_of(model, next, data, bodies);
}

/// Leaves the impulse through every joint to `data.dynamics.body_force`, and the force along it to `data.dynamics.joint_force`, as the
/// residual of the problem does for the others.
fn pass_on(model: &Model, state: &State, data: &mut Data, act: &Actuation, convex: &Convex, tree: usize) {
    let (h, per_time) = (convex.dt, 1.0 / convex.dt);
    let bodies = model.trees[tree].clone();
    for i in bodies.clone() {
        let link = &model.links[i];
        let mut carried = data.velocity.bias[i];
        if link.parent != NONE {
            carried += data.velocity.drift[link.parent as usize].at(data.position.offset[i]);
        } else if link.kind == JointKind::Free {
            // Linear velocities of free roots stay in world axes within the step.
            carried.linear = DVec3::ZERO;
        }
        data.velocity.drift[i] = carried;
        let gained = (convex.velocity[i] - data.velocity.body[i]) * per_time;
        let all = carried + gained - Motion::new(DVec3::ZERO, model.gravity);
        data.dynamics.body_force[i] = (inertial(model, data, i, all) - act.body_force[i]) * h;
    }
    for i in bodies.rev() {
        let (link, f): (_, Force) = (&model.links[i], data.dynamics.body_force[i]);
        if link.parent != NONE {
            data.dynamics.body_force[link.parent as usize] += f.seen_from(data.position.offset[i]);
        }
        let mut along = [0.0; 6];
        joint_force(link.kind, &data.position.axes[i], f, &mut along);
        for (k, dof) in model.bodies[i].v_range().enumerate() {
            let rotors = model.bodies[i].joint.armature[k] * (convex.v[dof] - state.v[dof]);
            data.dynamics.joint_force[dof] = (along[k] + rotors) * per_time;
        }
    }
}
