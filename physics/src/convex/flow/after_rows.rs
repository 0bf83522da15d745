//! Trees of the baselines that turn fast, in free flow after what rows did.

use super::inertial::add_reactions;
use super::{FAST, bend, move_tree};
use crate::actuation::Actuation;
use crate::convex::Convex;
use crate::data::Data;
use crate::dynamics::impulse::Hit;
use crate::dynamics::kinematics::{forward_kinematics_of, forward_velocity_of};
use crate::model::Model;
use crate::state::State;
use crate::step::rows::{Cause, RowSpec};
use crate::step::{Formulation, StepOptions};

/// Takes over what the step found at the pose it begins with: velocities after the kick, joints that keep their rates, and what the
/// inertial forces that were left out take in the joints.
pub(crate) fn take_over(
    model: &Model,
    data: &mut Data,
    act: &Actuation,
    opt: &StepOptions,
    convex: &mut Convex,
) {
    convex.dt = opt.dt;
    convex.v.copy_from_slice(&data.step.next_v);
    convex.velocity.copy_from_slice(&data.step.next_body);
    convex.is_asleep.copy_from_slice(&data.memory.sleep.asleep);
    convex.in_flight.fill(false);
    convex.open_all();
    for tree in 0..model.trees.len() {
        convex.flows[tree] = data.step.bias.flows(tree);
    }
    let mut flow = core::mem::take(&mut convex.flow);
    let per_gain = if opt.formulation == Formulation::Penalty { 0.0 } else { opt.dt };
    for (inertia, gain) in flow.inertia.iter_mut().zip(&data.step.forces.joint_gain) {
        *inertia = per_gain * gain;
    }
    find_drives(model, data, act, convex);
    add_reactions(model, data, convex, &flow);
    convex.flow = flow;
}

/// Notes which joints keep their rates, and the most that drives may do in the flow.
fn find_drives(model: &Model, data: &Data, act: &Actuation, convex: &mut Convex) {
    convex.driven_work.fill(0.0);
    convex.most_driven.fill(0.0);
    convex.held.copy_from_slice(&act.prescribed);
    for (i, _) in act.prescribed.iter().enumerate().filter(|(_, on)| **on) {
        convex.most_driven[model.tree_of[i] as usize] = f64::INFINITY;
    }
    let rows = &data.step.rows;
    let is_free = |spec: &RowSpec, x: f64| x > spec.lower && x < spec.upper;
    for (spec, &x) in rows.specs.iter().zip(&rows.x) {
        let body = match spec.hits[0] {
            Some(Hit::Body(body, _)) => body,
            Some(Hit::Freedom(dof, _)) => model.body_of_freedom(dof).index(),
            None => continue,
        };
        match spec.cause {
            Cause::Limit if x != 0.0 => convex.held[body] = true,
            Cause::Motor if is_free(spec, x) => {
                convex.held[body] = true;
                let rate = spec.rate(&rows.more, &convex.velocity, &convex.v).abs();
                let most = spec.lower.abs().max(spec.upper.abs());
                convex.most_driven[model.tree_of[body] as usize] += most * rate;
            }
            _ => {}
        }
    }
}

/// Moves the trees that turn fast, before the kick or by it, from `state` to `next`, once [`take_over`] has seen the kick. `data`
/// keeps the pose and velocities of `state`.
pub(crate) fn move_fast(
    model: &Model,
    state: &State,
    data: &mut Data,
    act: &Actuation,
    convex: &mut Convex,
    next: &mut State,
) {
    let mut flow = core::mem::take(&mut convex.flow);
    for tree in 0..model.trees.len() {
        let bodies = model.trees[tree].clone();
        // What is not finite is told by name, and not moved.
        let is_finite = convex.v[model.freedoms_of(tree)].iter().all(|v| v.is_finite());
        if convex.is_asleep[tree] || bodies.len() == 1 || !is_finite {
            continue;
        }
        convex.flows[tree] |= bend(model, data, tree, &convex.velocity, convex.dt) > FAST;
        if !convex.flows[tree] {
            continue;
        }
        let (qs, vs) = (model.coordinates_of(tree), model.freedoms_of(tree));
        next.q[qs.clone()].copy_from_slice(&state.q[qs]);
        next.v[vs.clone()].copy_from_slice(&convex.v[vs]);
        convex.direction[bodies.clone()].copy_from_slice(&data.velocity.bias[bodies.clone()]);
        move_tree(model, state, data, act, convex, next, tree, &mut flow, false);
        forward_kinematics_of(model, state, data, bodies.clone());
        forward_velocity_of(model, state, data, bodies.clone());
        data.velocity.bias[bodies.clone()].copy_from_slice(&convex.direction[bodies]);
    }
    convex.flow = flow;
}
