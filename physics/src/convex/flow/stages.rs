//! Free motion of a tree in stages: Runge–Kutta as long as its energy stays.

use super::{Flow, MOST, inertial, turn};
use crate::data::Data;
use crate::dynamics::aba::{Drive, inward, outward_from, rigid};
use crate::dynamics::impulse::propagate;
use crate::dynamics::kinematics::{forward_kinematics_of, forward_velocity_of};
use crate::integrate::coordinate_rates_of;
use crate::model::{Model, NONE};
use crate::spatial::Motion;
use crate::state::State;

/// Turn of one stage of the free motion, rad: midpoint up to the first, fourth order up to the second.
const TURN: [f64; 2] = [0.1, 0.3];
/// Share of the energy that a stage may be off by; (2) sets it right. Ten times less changes none of the laws and takes twice the stages.
const KEPT: f64 = 1e-2;

/// Free motion of one tree over `h`, from the pose and velocities in `next`, which it moves on. `data` holds that pose, and if
/// `is_factored` the factors that [`accelerate`] left at it; pose and velocities of `next` afterwards. Whether the stages resolved it.
pub(super) fn follow(
    model: &Model,
    data: &mut Data,
    held: &[bool],
    next: &mut State,
    tree: usize,
    h: f64,
    flow: &mut Flow,
    is_factored: bool,
) -> bool {
    let bodies = model.trees[tree].clone();
    let (qs, vs) = (model.coordinates_of(tree), model.freedoms_of(tree));
    let shortest = h / MOST as f64;
    let (mut left, mut longest) = (h, h);
    forward_velocity_of(model, next, data, bodies.clone());
    let mut energy = kinetic(model, data, &next.v, &flow.inertia, tree);
    let mut all = turn(model, tree, &data.velocity.body, left);
    if is_factored {
        accelerate_again(model, data, tree, &mut flow.accelerations[0]);
        coordinate_rates_of(model, next, &mut flow.rates[0], bodies.clone());
    } else {
        slope(model, data, held, next, tree, 0, flow);
    }
    loop {
        let dt = left.min((left * TURN[1] / all).min(longest).max(shortest));
        let begun = &mut flow.begun.0;
        begun.q[qs.clone()].copy_from_slice(&next.q[qs.clone()]);
        begun.v[vs.clone()].copy_from_slice(&next.v[vs.clone()]);
        let (fractions, weights) = if all <= TURN[0] { MIDPOINT } else { FOURTH_ORDER };
        for (k, &fraction) in fractions.iter().enumerate() {
            let mut s = core::mem::take(&mut flow.stage);
            s.0.q[qs.clone()].copy_from_slice(&next.q[qs.clone()]);
            s.0.v[vs.clone()].copy_from_slice(&next.v[vs.clone()]);
            axpy(&mut s.0.q[qs.clone()], fraction * dt, &flow.rates[k][qs.clone()]);
            axpy(&mut s.0.v[vs.clone()], fraction * dt, &flow.accelerations[k][vs.clone()]);
            s.0.normalize_of(model, bodies.clone());
            forward_kinematics_of(model, &s.0, data, bodies.clone());
            forward_velocity_of(model, &s.0, data, bodies.clone());
            slope(model, data, held, &s.0, tree, k + 1, flow);
            flow.stage = s;
        }
        for (k, weight) in weights.iter().enumerate() {
            axpy(&mut next.q[qs.clone()], weight * dt, &flow.rates[k][qs.clone()]);
            axpy(&mut next.v[vs.clone()], weight * dt, &flow.accelerations[k][vs.clone()]);
        }
        next.normalize_of(model, bodies.clone());
        forward_kinematics_of(model, next, data, bodies.clone());
        forward_velocity_of(model, next, data, bodies.clone());
        let after = kinetic(model, data, &next.v, &flow.inertia, tree);
        let is_kept = (after - energy).abs() <= KEPT * energy;
        if !is_kept && dt > shortest {
            // As where a whip of links runs out: half the stage, with the same slope to begin with.
            next.q[qs.clone()].copy_from_slice(&flow.begun.0.q[qs.clone()]);
            next.v[vs.clone()].copy_from_slice(&flow.begun.0.v[vs.clone()]);
            longest = 0.5 * dt;
            continue;
        }
        let is_wild = after.is_nan() || (after - energy).abs() > energy;
        if !is_kept && is_wild {
            // Rates that no stage resolves: straight on for the rest, and (2) keeps the energy.
            next.q[qs.clone()].copy_from_slice(&flow.begun.0.q[qs.clone()]);
            next.v[vs.clone()].copy_from_slice(&flow.begun.0.v[vs.clone()]);
            next.integrate_of(model, &flow.begun.0.v, left, bodies.clone());
            forward_kinematics_of(model, next, data, bodies.clone());
            forward_velocity_of(model, next, data, bodies);
            return false;
        }
        left -= dt;
        if left <= 1e-9 * h {
            break;
        }
        energy = after;
        all = turn(model, tree, &data.velocity.body, left);
        slope(model, data, held, next, tree, 0, flow);
    }
    true
}

/// Fractions of a stage at which slopes are taken after the first, each from the one before; weights of all.
type Scheme = (&'static [f64], &'static [f64]);
const MIDPOINT: Scheme = (&[0.5], &[0.0, 1.0]);
const FOURTH_ORDER: Scheme = (&[0.5, 0.5, 1.0], &[1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0]);

/// The `k`-th slope of a stage: rates of coordinates and velocities at `state`, whose pose and velocities `data` holds.
fn slope(
    model: &Model,
    data: &mut Data,
    held: &[bool],
    state: &State,
    tree: usize,
    k: usize,
    flow: &mut Flow,
) {
    let vs = model.freedoms_of(tree);
    accelerate(model, data, held, flow, tree);
    flow.accelerations[k][vs.clone()].copy_from_slice(&data.dynamics.acceleration[vs]);
    coordinate_rates_of(model, state, &mut flow.rates[k], model.trees[tree].clone());
}

/// Kinetic energy of a tree, as `data` has its poses and velocities, with that of the joints' own inertia.
fn kinetic(model: &Model, data: &Data, v: &[f64], own: &[f64], tree: usize) -> f64 {
    let mut energy = 0.0;
    for i in model.trees[tree].clone() {
        let (inertia, pose) = (&model.links[i].inertia, &data.position.world_from_body[i]);
        let motion = data.velocity.body[i];
        let at_center = motion.at(pose.rotation * inertia.center_of_mass).linear;
        let w = pose.rotation.transpose() * motion.angular;
        energy += 0.5 * (inertia.mass * at_center.length_squared() + inertia.rotational.quadratic(w, w));
        let range = model.bodies[i].v_range();
        if model.links[i].armature {
            for (rate, armature) in v[range.clone()].iter().zip(&model.bodies[i].joint.armature) {
                energy += 0.5 * armature * rate * rate;
            }
        }
        for (rate, own) in v[range.clone()].iter().zip(&own[range]) {
            energy += 0.5 * own * rate * rate;
        }
    }
    energy
}

/// Joint accelerations of a tree on which nothing acts; prescribed and held joints keep their rates.
pub(super) fn accelerate(model: &Model, data: &mut Data, held: &[bool], flow: &Flow, tree: usize) {
    let bodies = model.trees[tree].clone();
    for i in bodies.clone().filter(|&i| held[i]) {
        data.dynamics.acceleration[model.bodies[i].v_range()].fill(0.0);
    }
    rigid(model, data, bodies.clone(), &flow.zeros);
    inward(model, data, bodies.clone(), &Drive::inert(&flow.no_force, &flow.inertia).prescribing(held));
    outward_from(model, data, bodies, Motion::ZERO);
}

/// [`accelerate`] once more at the same pose with other velocities, by its factors.
fn accelerate_again(model: &Model, data: &mut Data, tree: usize, out: &mut [f64]) {
    for i in model.trees[tree].clone() {
        let parent = model.links[i].parent;
        let carried = if parent == NONE { Motion::ZERO } else { data.velocity.drift[parent as usize] };
        let carried = carried.at(data.position.offset[i]) + data.velocity.bias[i];
        data.velocity.drift[i] = carried;
        data.dynamics.impulse[i] = -inertial(model, data, i, carried);
    }
    propagate(model, data, model.trees[tree].clone(), &[], out);
}

fn axpy(y: &mut [f64], a: f64, x: &[f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += a * x);
}
