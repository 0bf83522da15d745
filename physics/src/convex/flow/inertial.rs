//! Inertial forces: those that are left to the flow, in the joints, and those that were part of the problem.

use glam::DVec3;

use super::super::Convex;
use super::Flow;
use super::stages::accelerate;
use super::sums::Sums;
use crate::data::Data;
use crate::dynamics::impulse::propagate;
use crate::dynamics::kinematics::joint_force;
use crate::model::{Model, NONE};
use crate::spatial::{Force, Motion};

/// What the inertial forces that are left to the flow take in the joints, at the pose and velocities the step begins with.
pub(super) fn add_reactions(model: &Model, data: &mut Data, convex: &mut Convex, flow: &Flow) {
    for tree in 0..model.trees.len() {
        if !convex.is_open[tree] {
            continue;
        }
        let bodies = model.trees[tree].clone();
        let freedoms = model.freedoms_of(tree);
        if convex.is_asleep[tree] || !convex.flows[tree] || bodies.len() == 1 {
            convex.flow_force[bodies].fill(Force::ZERO);
            convex.flow_along[freedoms].fill(0.0);
            continue;
        }
        accelerate(model, data, &convex.held, flow, tree);
        for i in bodies.clone() {
            convex.flow_force[i] = inertial(model, data, i, data.dynamics.body_acceleration[i]);
        }
        convex.flow_along[freedoms].fill(0.0);
        for i in bodies.rev() {
            let (link, f) = (&model.links[i], convex.flow_force[i]);
            if link.parent != NONE {
                convex.flow_force[link.parent as usize] += f.seen_from(data.position.offset[i]);
            }
            let range = model.bodies[i].v_range();
            if convex.held[i] || flow.inertia[range.clone()].iter().any(|&x| x > 0.0) {
                joint_force(link.kind, &data.position.axes[i], f, &mut convex.flow_along[range]);
            }
        }
    }
}

/// Velocities after the kick without the inertial forces that were part of the problem, to `convex.dv` and
/// `convex.direction`: what those took of the energy the new pose gives back. The kick differs by `∇²ℓ⁻¹ h C`, through
/// the factors of the last Newton step. Returns what all other forces of the kick did, to the digit: the sums after the kick with what
/// inertial forces took given back,
///
/// ```text
/// (4)  T_C = T(v) + h C·(v⁰ + v)/2,   P_C = P(v) + h Σ C,   L_C = L(v) + h Σ r × C
/// ```
pub(super) fn kick_without_turning(model: &Model, data: &mut Data, convex: &mut Convex, tree: usize) -> Sums {
    let bodies = model.trees[tree].clone();
    let mut given = Sums::of(model, data, tree, &convex.velocity, &convex.v);
    for i in bodies.clone() {
        let carried = data.velocity.drift[i] + Motion::new(DVec3::ZERO, model.gravity);
        let impulse = inertial(model, data, i, carried) * convex.dt;
        let arm = data.position.world_from_body[i].translation - given.center;
        given.energy += 0.5 * (data.velocity.body[i] + convex.velocity[i]).dot(impulse);
        given.momentum += impulse.linear;
        given.spin += impulse.angular + arm.cross(impulse.linear);
        data.dynamics.impulse[i] = impulse;
    }
    propagate(model, data, bodies.clone(), &[], &mut convex.dv);
    for i in bodies {
        convex.direction[i] = convex.velocity[i] + data.dynamics.response[i];
    }
    for k in model.freedoms_of(tree) {
        convex.dv[k] += convex.v[k];
    }
    given
}

/// The force that the velocity-dependent terms of body `i` take at the start of the step, `J̇v` being `carried`.
pub(in crate::convex) fn inertial(model: &Model, data: &Data, i: usize, carried: Motion) -> Force {
    let inertia = &model.links[i].inertia;
    let r = &data.position.world_from_body[i].rotation;
    let c = *r * inertia.center_of_mass;
    let w = data.velocity.body[i].angular;
    let turning = inertia.rotational.rotated(r);
    let linear = (carried.linear + carried.angular.cross(c) + w.cross(w.cross(c))) * inertia.mass;
    let moment = turning * carried.angular + w.cross(turning * w);
    Force::new(moment + c.cross(linear), linear)
}
