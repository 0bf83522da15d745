//! What joints do by themselves: springs and dampers.

use crate::forces::Forces;
use crate::model::{JointKind, Model};
use crate::state::{State, vec3};

/// Displacement of a joint from its spring's rest position, per freedom (rotations by the short way, in
/// child axes).
fn displacement(kind: JointKind, q: &[f64], reference: &[f64], out: &mut [f64; 6]) {
    let turned = |at| {
        let rest = crate::state::quaternion(reference, at);
        crate::spatial::rotation::log(rest.conjugate() * crate::state::quaternion(q, at))
    };
    match kind {
        JointKind::Spherical => crate::state::write3(out, 0, turned(0)),
        JointKind::Free => {
            let shift = vec3(q, 0) - vec3(reference, 0);
            crate::state::write3(out, 0, crate::state::quaternion(q, 3).conjugate() * shift);
            crate::state::write3(out, 3, turned(3));
        }
        kind => (0..kind.n_v()).for_each(|k| out[k] = q[k] - reference[k]),
    }
}

/// Adds the springs and dampers of all joints as known forces: `-k x - d v`.
pub fn add_passive_explicit(model: &Model, state: &State, forces: &mut Forces) {
    each_passive(model, state, |dof, k, d, x, v| forces.joint[dof] -= k * x + d * v);
}

/// Adds the springs and dampers of all joints as implicit terms over a step `dt`:
/// `-k (x + dt v⁺) - d v⁺`.
pub fn add_passive_implicit(model: &Model, state: &State, forces: &mut Forces, dt: f64) {
    each_passive(model, state, |dof, k, d, x, _| {
        forces.joint[dof] -= k * x;
        forces.joint_gain[dof] += d + dt * k;
    });
}

/// Calls `f(freedom, stiffness, damping, displacement, rate)` for every freedom that has any.
fn each_passive(model: &Model, state: &State, mut f: impl FnMut(usize, f64, f64, f64, f64)) {
    for body in &model.bodies {
        let joint = &body.joint;
        let n = joint.kind.n_v();
        let springs = joint.stiffness[..n].iter().any(|&k| k != 0.0);
        if !springs && joint.damping[..n].iter().all(|&d| d == 0.0) {
            continue;
        }
        let mut x = [0.0; 6];
        if springs {
            displacement(joint.kind, &state.q[body.q_range()], &joint.spring_reference, &mut x);
        }
        for k in 0..n {
            let dof = body.v_start + k;
            f(dof, joint.stiffness[k], joint.damping[k], x[k], state.v[dof]);
        }
    }
}

/// Energy stored in the joint springs, `½ Σ k x²`.
pub fn spring_energy(model: &Model, state: &State) -> f64 {
    let mut energy = 0.0;
    each_passive(model, state, |_, k, _, x, _| energy += 0.5 * k * x * x);
    energy
}
