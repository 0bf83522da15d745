//! What a tree keeps while it moves on: momenta if its root is free, and energy.

use glam::DVec3;

use super::sums::Sums;
use crate::data::Data;
use crate::dynamics::kinematics::{forward_velocity_of, shift_of};
use crate::model::Model;
use crate::spatial::Motion;
use crate::state::{State, write3};

/// Most that (2) may add to joint rates. The method's own error is a hundredth of it; what is more is bad resolution.
pub(super) const MOST_GAIN: f64 = 1.01;

/// (1) and, with an `energy` to end with, (2) for a tree with a free root whose sums after the move are `found`.
pub(super) fn keep_momentum(
    model: &Model,
    data: &mut Data,
    next: &mut State,
    tree: usize,
    kicked: &Sums,
    found: &Sums,
    way: DVec3,
    energy: Option<f64>,
) {
    let bodies = model.trees[tree].clone();
    let root = &model.links[bodies.start];
    let per_mass = 1.0 / kicked.mass;
    let shift = kicked.center + way - found.center;
    let way = root.placement.rotation.transpose() * shift;
    let at = root.q as usize;
    for (q, x) in next.q[at..at + 3].iter_mut().zip(way.to_array()) {
        *q += x;
    }
    shift_of(model, next, data, bodies.clone());
    // The root's share: one rigid motion added to all bodies.
    let inverse = found.inertia.inverse_definite();
    let arm = data.position.world_from_body[bodies.start].translation - (found.center + shift);
    let rigid = |spin: DVec3, velocity: DVec3| Motion::new(spin, velocity + spin.cross(arm));
    let turning = inverse * (kicked.spin - found.spin);
    let added = rigid(turning, (kicked.momentum - found.momentum) * per_mass);
    let mut motion = data.velocity.body[bodies.start] + added;
    let spin = inverse * kicked.spin;
    let locked = found.locked(kicked);
    // Energy with the right momenta: what was found, less its own rigid part, plus the right one.
    let shape = found.energy - found.locked(found);
    if let Some(energy) = energy
        && shape > 0.0
    {
        let share = ((energy - locked).max(0.0) / shape).sqrt().min(MOST_GAIN);
        let whole = rigid(spin, kicked.momentum * per_mass);
        motion = whole + (motion - whole) * share;
        let freedoms = model.freedoms_of(tree);
        next.v[freedoms].iter_mut().for_each(|v| *v *= share);
    }
    let axes = data.position.axes[bodies.start].transpose();
    write3(&mut next.v, root.v as usize, axes * motion.linear);
    write3(&mut next.v, root.v as usize + 3, axes * motion.angular);
    forward_velocity_of(model, next, data, bodies);
}
