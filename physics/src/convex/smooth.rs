//! The smooth part of the problem: `½ vᵀM̂v - pᵀv` in the form the trees' recursions use.
//!
//! With `V_i` the velocity of body `i` at the end of the step (at the pose the step begins with), its share of the gradient is
//! a force at its origin, and a joint's share a force along its freedoms:
//!
//! ```text
//! (1)  F_i = H_i V_i + b_i,   H_i = I_i + h B_i,   b_i = I_i (h (J̇v - g)_i - V⁰_i) + h (gyroscopic_i - f_i - f0_i)
//! (2)  τ_k = (a_k + h d_k) v_k - (a_k v⁰_k + h τ0_k)
//! ```
//!
//! `f0 - B v⁺` are the actuation's implicit forces on bodies, `τ0 - d v⁺` those of the joints (springs, dampers, servos
//! without effort limit), `a` is armature. Trees that turn fast leave `J̇v` and the gyroscopic forces to the free flow after
//! the kick (`flow.rs`).

use glam::DVec3;

use super::Convex;
use crate::actuation::Actuation;
use crate::data::Data;
use crate::dynamics::kinematics::joint_force;
use crate::model::{JointKind, Model, NONE};
use crate::spatial::six;
use crate::spatial::{ArticulatedInertia, Force, Inertia, Motion, Sym3};
use crate::state::{State, vec3, write3};

/// Writes (1) and (2) for one tree; `turning` says whether its inertial forces are part of the problem.
pub(super) fn prepare(
    model: &Model,
    state: &State,
    data: &mut Data,
    act: &Actuation,
    convex: &mut Convex,
    tree: usize,
    turning: bool,
) {
    let h = convex.dt;
    for i in model.trees[tree].clone() {
        let link = &model.links[i];
        let rotation = &data.position.world_from_body[i].rotation;
        let c = *rotation * link.inertia.center_of_mass;
        let inertia = Inertia::about(link.inertia.mass, c, link.inertia.rotational.rotated(rotation));
        let mut drift = Motion::new(DVec3::ZERO, -model.gravity);
        let mut outside = act.body_force[i];
        if turning {
            let mut own = data.velocity.bias[i];
            if link.parent != NONE {
                drift = data.velocity.drift[link.parent as usize].at(data.position.offset[i]);
            } else if link.kind == JointKind::Free {
                // Linear velocities of free roots stay in world axes within the step.
                own.linear = DVec3::ZERO;
            }
            drift += own;
            data.velocity.drift[i] = drift;
            let w = data.velocity.body[i].angular;
            let gyroscopic = w.cross(inertia.angular * w);
            let centripetal = w.cross(w.cross(c)) * link.inertia.mass;
            outside -= Force::new(gyroscopic, centripetal);
        }
        convex.own[i] = inertia;
        convex.constant[i] = inertia * (drift * h - data.velocity.body[i]) - outside * h;
        let body = &model.bodies[i];
        for (k, dof) in body.v_range().enumerate() {
            let armature = body.joint.armature[k];
            let (force, gain) = (convex.forces.joint[dof], convex.forces.joint_gain[dof]);
            convex.joint_gain[dof] = armature + h * gain;
            convex.joint_constant[dof] = armature * state.v[dof] + h * force;
            convex.weight[dof] = 1.0 / (convex.scale[dof] + convex.joint_gain[dof]);
        }
        convex.own_extra[i] = extra(link.kind, &data.position.axes[i], &convex.joint_gain[body.v_range()]);
    }
}

/// Adds the actuation's implicit forces of all bodies.
pub(super) fn add_implicit(model: &Model, act: &Actuation, convex: &mut Convex) {
    let h = convex.dt;
    for (body, term) in &act.implicit {
        let i = body.index();
        if !convex.is_in_round[model.tree_of[i] as usize] {
            continue;
        }
        convex.own[i] += term.gain * h;
        convex.constant[i] -= term.at_rest * h;
    }
}

/// A joint's added inertia in the coordinates of its factor, from one number per freedom.
fn extra(kind: JointKind, axes: &glam::DMat3, gain: &[f64]) -> [Sym3; 2] {
    let turned = |d: DVec3| {
        if d.x == d.y && d.y == d.z {
            Sym3::diagonal(d.x, d.x, d.x)
        } else {
            Sym3::diagonal(d.x, d.y, d.z).rotated(axes)
        }
    };
    match kind {
        JointKind::Spherical => [turned(vec3(gain, 0)), Sym3::ZERO],
        JointKind::Free => [turned(vec3(gain, 0)), turned(vec3(gain, 3))],
        _ => {
            let at = |k: usize| gain.get(k).copied().unwrap_or(0.0);
            [Sym3::diagonal(at(0), at(1), at(2)), Sym3::ZERO]
        }
    }
}

/// Whether a tree is a lone free body that moves as it likes.
#[inline]
pub(super) fn is_lone(model: &Model, act: &Actuation, tree: usize) -> bool {
    let bodies = &model.trees[tree];
    bodies.len() == 1 && model.links[bodies.start].kind == JointKind::Free && !act.prescribed[bodies.start]
}

/// The 6×6 matrix of a lone body, its joint's own terms included.
pub(super) fn lone_inertia(
    own: &[ArticulatedInertia],
    extra: &[[Sym3; 2]],
    body: usize,
) -> ArticulatedInertia {
    let mut m = own[body];
    let [linear, angular] = extra[body];
    m.linear += linear;
    m.angular += angular;
    m
}

/// The same by rows.
pub(super) fn lone_matrix(own: &[ArticulatedInertia], extra: &[[Sym3; 2]], body: usize) -> six::Six {
    lone_inertia(own, extra, body).to_dense()
}

/// The gradient's force on a lone body: its joint's own forces act along the body's axes.
pub(super) fn lone_force(model: &Model, data: &Data, convex: &Convex, body: usize) -> Force {
    let at = model.links[body].v as usize;
    let axes = &data.position.axes[body];
    let (slide, turn) = (vec3(&convex.joint_force, at), vec3(&convex.joint_force, at + 3));
    convex.force[body] + Force::new(*axes * turn, *axes * slide)
}

/// Writes a lone body's motion to its freedoms.
pub(super) fn write_lone(model: &Model, data: &Data, body: usize, motion: Motion, dv: &mut [f64]) {
    let at = model.links[body].v as usize;
    let axes = data.position.axes[body].transpose();
    write3(dv, at, axes * motion.linear);
    write3(dv, at + 3, axes * motion.angular);
}

/// `Σ g_k²/m_k` of a tree, with `g` the forces and joint forces of the problem taken to the freedoms and `m` the mass or
/// inertia each freedom carries; prescribed joints do not count.
///
/// On the way it leaves what passes through the joints: the impulse at every body to `data.dynamics.body_force`, and the
/// force that prescribed joints take to `data.dynamics.joint_force`. Whoever is told has there what acts on its body alone (`giving.rs`).
pub(super) fn residual(
    model: &Model,
    state: &State,
    data: &mut Data,
    act: &Actuation,
    convex: &mut Convex,
    tree: usize,
) -> f64 {
    let per_time = 1.0 / convex.dt;
    let bodies = model.trees[tree].clone();
    let (first, links) = (bodies.start, &model.links[bodies.clone()]);
    let (offsets, axes) = (&data.position.offset[bodies.clone()], &data.position.axes[bodies.clone()]);
    let prescribed = &act.prescribed[bodies.clone()];
    let passing = &mut data.dynamics.body_force[bodies.clone()];
    passing.copy_from_slice(&convex.force[bodies]);
    let mut left = LeftOver {
        joint_force: &convex.joint_force,
        weight: &convex.weight,
        residual: &mut convex.residual,
        sum: 0.0,
    };
    let told = &data.step.told;
    for i in convex.giving.of(tree).iter().rev().flat_map(|run| run.bodies().rev()) {
        let i = i - first;
        let (link, f) = (&links[i], passing[i]);
        if link.parent != NONE && !told.is(link.parent as usize) {
            passing[link.parent as usize - first] += f.seen_from(offsets[i]);
        }
        let start = link.v as usize;
        let mut along = [0.0; 6];
        joint_force(link.kind, &axes[i], f, &mut along);
        if prescribed[i] {
            let armature = &model.bodies[first + i].joint.armature;
            for k in 0..link.kind.n_v() {
                let rotors = armature[k] * (convex.v[start + k] - state.v[start + k]);
                data.dynamics.joint_force[start + k] = (along[k] + rotors) * per_time;
                left.residual[start + k] = 0.0;
            }
            continue;
        }
        match along {
            [x, ..] if link.kind.n_v() == 1 => left.add(start, [x]),
            [x, y, ..] if link.kind.n_v() == 2 => left.add(start, [x, y]),
            [x, y, z, ..] if link.kind.n_v() == 3 => left.add(start, [x, y, z]),
            all if link.kind.n_v() == 6 => left.add(start, all),
            _ => {}
        }
    }
    left.sum
}

/// The sum of [`residual`] while it is taken.
struct LeftOver<'a> {
    joint_force: &'a [f64],
    weight: &'a [f64],
    residual: &'a mut [f64],
    sum: f64,
}

impl LeftOver<'_> {
    /// Adds the freedoms of a joint, from the given one on, along which a force does so much.
    #[inline(always)]
    fn add<const N: usize>(&mut self, start: usize, along: [f64; N]) {
        let own = &self.joint_force[start..start + N];
        let weight = &self.weight[start..start + N];
        let out = &mut self.residual[start..start + N];
        for k in 0..N {
            let g = along[k] + own[k];
            out[k] = g;
            self.sum += g * g * weight[k];
        }
    }
}
