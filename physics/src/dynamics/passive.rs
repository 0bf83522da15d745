//! What joints do by themselves: springs and dampers.
//!
//! A spring stores `½ Σ k x²` and pulls with its gradient. With `x` the rotation vector of a ball joint
//! that is `J_r⁻ᵀ(x) K x`, where `ẋ = J_r⁻¹(x) ω`; for equal stiffness on all three freedoms it is simply
//! `k x`, but with unequal ones `K x` alone would create energy. A free joint's shift is measured in child
//! axes, which turn: its springs leave a moment `x × K x` unless they are equal.

use core::ops::Range;

use glam::DVec3;

use crate::forces::Forces;
use crate::model::{JointKind, Model};
use crate::state::{State, vec3, write3};

/// Displacement of a joint from its spring's rest position, per freedom (rotations by the short way, in
/// child axes).
fn displacement(kind: JointKind, q: &[f64], reference: &[f64], out: &mut [f64; 6]) {
    let turned = |at| {
        let rest = crate::state::quaternion(reference, at);
        crate::spatial::rotation::log(rest.conjugate() * crate::state::quaternion(q, at))
    };
    match kind {
        JointKind::Spherical => write3(out, 0, turned(0)),
        JointKind::Free => {
            let shift = vec3(q, 0) - vec3(reference, 0);
            write3(out, 0, crate::state::quaternion(q, 3).conjugate() * shift);
            write3(out, 3, turned(3));
        }
        kind => (0..kind.n_v()).for_each(|k| out[k] = q[k] - reference[k]),
    }
}

/// The force of the springs, `-∂(½ Σ k x²)` along the freedoms.
fn pull(kind: JointKind, stiffness: &[f64; 6], x: &[f64; 6]) -> [f64; 6] {
    let mut force: [f64; 6] = core::array::from_fn(|k| -stiffness[k] * x[k]);
    let uneven = |at: usize| stiffness[at] != stiffness[at + 1] || stiffness[at] != stiffness[at + 2];
    let turned = |at: usize, force: &mut [f64; 6]| {
        if uneven(at) {
            let along = left_jacobian_inverse(vec3(x, at), vec3(force, at));
            write3(force, at, along);
        }
    };
    match kind {
        JointKind::Spherical => turned(0, &mut force),
        JointKind::Free => {
            turned(3, &mut force);
            let moment = vec3(&force, 3) - vec3(x, 0).cross(vec3(&force, 0));
            write3(&mut force, 3, moment);
        }
        _ => {}
    }
    force
}

/// `J_l⁻¹(x) f = J_r⁻ᵀ(x) f = f - ½ x × f + c x × (x × f)` with `c = 1/θ² - cot(θ/2)/(2θ)`, `θ = |x|`.
fn left_jacobian_inverse(x: DVec3, f: DVec3) -> DVec3 {
    let angle = x.length();
    // Below 1e-2 the series, 1/12 + θ²/720 + θ⁴/30240, is exact and nothing cancels.
    let c = if angle < 1e-2 {
        let a2 = angle * angle;
        1.0 / 12.0 + a2 * (1.0 / 720.0 + a2 / 30240.0)
    } else {
        1.0 / (angle * angle) - 0.5 / (angle * (0.5 * angle).tan())
    };
    let across = x.cross(f);
    f - 0.5 * across + c * x.cross(across)
}

/// Adds the springs and dampers of all joints as known forces: `-k x - d v`.
pub fn add_passive_explicit(model: &Model, state: &State, forces: &mut Forces) {
    each_passive(model, state, |p| forces.joint[p.dof] += p.pull - p.damping * state.v[p.dof]);
}

/// Adds the springs and dampers of all joints as implicit terms over a step `dt`:
/// `-k (x + dt v⁺) - d v⁺`.
pub fn add_passive_implicit(model: &Model, state: &State, forces: &mut Forces, dt: f64) {
    add_passive_implicit_of(model, state, forces, dt, 0..model.bodies.len());
}

/// [`add_passive_implicit`] of some bodies.
pub(crate) fn add_passive_implicit_of(
    model: &Model,
    state: &State,
    forces: &mut Forces,
    dt: f64,
    bodies: Range<usize>,
) {
    each_passive_of(model, state, bodies, |p| {
        forces.joint[p.dof] += p.pull;
        forces.joint_gain[p.dof] += p.damping + dt * p.stiffness;
    });
}

/// Spring and damper of one freedom.
struct Passive {
    dof: usize,
    stiffness: f64,
    damping: f64,
    displacement: f64,
    pull: f64,
}

/// Calls `f` for every freedom of the joints that have a spring or a damper.
fn each_passive(model: &Model, state: &State, f: impl FnMut(Passive)) {
    each_passive_of(model, state, 0..model.bodies.len(), f);
}

/// The same of some bodies.
fn each_passive_of(model: &Model, state: &State, bodies: Range<usize>, mut f: impl FnMut(Passive)) {
    for body in &model.bodies[bodies] {
        let joint = &body.joint;
        let n = joint.kind.n_v();
        let springs = joint.stiffness[..n].iter().any(|&k| k != 0.0);
        if !springs && joint.damping[..n].iter().all(|&d| d == 0.0) {
            continue;
        }
        let (mut x, mut force) = ([0.0; 6], [0.0; 6]);
        if springs {
            displacement(joint.kind, &state.q[body.q_range()], &joint.spring_reference, &mut x);
            force = pull(joint.kind, &joint.stiffness, &x);
        }
        for k in 0..n {
            f(Passive {
                dof: body.v_start + k,
                stiffness: joint.stiffness[k],
                damping: joint.damping[k],
                displacement: x[k],
                pull: force[k],
            });
        }
    }
}

/// Energy stored in the joint springs, `½ Σ k x²`.
pub fn spring_energy(model: &Model, state: &State) -> f64 {
    let mut energy = 0.0;
    each_passive(model, state, |p| energy += 0.5 * p.stiffness * p.displacement * p.displacement);
    energy
}
