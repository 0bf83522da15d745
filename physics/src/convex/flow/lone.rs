//! A lone body in free flow: its centre of mass goes straight on, its angular momentum stays.

use glam::{DQuat, DVec3};

use super::super::Convex;
use super::sums::Sums;
use super::{MOST, ballistic};
use crate::data::Data;
use crate::dynamics::kinematics::{forward_kinematics_of, forward_velocity_of};
use crate::model::Model;
use crate::spatial::{Motion, Sym3, rotation};
use crate::state::{State, quaternion, write3};

/// Turn of one stage of a lone body, rad, at fourth order: it costs next to nothing.
const LONE_TURN: f64 = 0.1;

/// A lone body: its centre of mass goes straight on, its angular momentum stays.
pub(super) fn move_lone(
    model: &Model,
    state: &State,
    data: &mut Data,
    convex: &Convex,
    next: &mut State,
    tree: usize,
) {
    let i = model.trees[tree].start;
    let link = &model.links[i];
    let (h, inertia) = (convex.dt, &link.inertia);
    let Motion { angular, linear } = convex.velocity[i];
    let before = data.position.world_from_body[i].rotation;
    let arm = before * inertia.center_of_mass;
    let at_center = linear + angular.cross(arm);
    let (turned, spin) = turn_freely(&inertia.rotational, &before, angular, h);
    let placement = turn_root(model, state, next, i, turned);
    let new_arm = turned * arm;
    let moved = at_center * h + arm - new_arm + ballistic(model, convex, tree);
    let way = placement.conjugate() * moved;
    let q = &mut next.q[link.q as usize..link.q as usize + 3];
    for (q, x) in q.iter_mut().zip(way.to_array()) {
        *q += x;
    }
    forward_kinematics_of(model, next, data, i..i + 1);
    let axes = data.position.axes[i].transpose();
    write3(&mut next.v, link.v as usize, axes * (at_center - spin.cross(new_arm)));
    write3(&mut next.v, link.v as usize + 3, axes * spin);
    forward_velocity_of(model, next, data, i..i + 1);
}

/// Turns the root of a tree as if all of it were one rigid body, from the pose of `state`.
pub(super) fn turn_as_one(model: &Model, state: &State, next: &mut State, root: usize, all: &Sums, h: f64) {
    let spin = all.inertia.inverse_definite() * all.spin;
    let (turned, _) = turn_freely(&all.inertia, &glam::DMat3::IDENTITY, spin, h);
    turn_root(model, state, next, root, turned);
}

/// Turns a free root by a rotation about world axes: world from body is its placement, which is returned, times joint rotation.
fn turn_root(model: &Model, state: &State, next: &mut State, root: usize, turned: DQuat) -> DQuat {
    let link = &model.links[root];
    let placement = DQuat::from_mat3(&link.placement.rotation);
    let local = placement.conjugate() * turned * placement;
    let at = link.q as usize + 3;
    let rotation = (local * quaternion(&state.q, at)).normalize();
    next.q[at..at + 4].copy_from_slice(&rotation.to_array());
    placement
}

/// The rotation (about world axes) of a free body in `h`, and its spin afterwards: `Ṙ = ω × R`, `ω = R I⁻¹Rᵀ L`.
fn turn_freely(inertia: &Sym3, start: &glam::DMat3, w: DVec3, h: f64) -> (DQuat, DVec3) {
    let even = inertia.xx == inertia.yy
        && inertia.yy == inertia.zz
        && inertia.xy == 0.0
        && inertia.xz == 0.0
        && inertia.yz == 0.0;
    let angle = w.length() * h;
    if even || angle == 0.0 {
        return (rotation::exp(w * h), w);
    }
    let inverse = inertia.inverse_definite();
    let l = start.transpose() * w;
    let momentum = *start * (*inertia * l);
    let spin = |turned: DQuat| {
        let r = turned * DQuat::from_mat3(start);
        r * (inverse * (r.conjugate() * momentum))
    };
    let rate = |turned: DQuat| {
        let turned = turned.normalize();
        let w = spin(turned);
        DQuat::from_xyzw(w.x, w.y, w.z, 0.0) * turned * 0.5
    };
    let n = ((angle / LONE_TURN).ceil() as usize).clamp(1, MOST);
    let dt = h / n as f64;
    let mut turned = DQuat::IDENTITY;
    for _ in 0..n {
        let k1 = rate(turned);
        let k2 = rate(turned + k1 * (0.5 * dt));
        let k3 = rate(turned + k2 * (0.5 * dt));
        let k4 = rate(turned + k3 * dt);
        turned = (turned + (k1 + k2 * 2.0 + k3 * 2.0 + k4) * (dt / 6.0)).normalize();
    }
    (turned, spin(turned))
}
