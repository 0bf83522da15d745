//! Hybrid dynamics: some joints move as prescribed, the others as forces have it (RBDA 9.2), O(n).
//!
//! ```text
//! free joint         as in ABA
//! prescribed joint   Ia = IA,  pa = pA + IA (c + S q̈*)       (it hands everything on rigidly)
//!                    τ = Sᵀ (IA a + pA)                      (the reaction it takes)
//! ```

use super::aba::{Drive, add_implicit, drift, inward, outward, rigid, spin_in_own_axes};
use super::kinematics::{forward_kinematics, forward_velocity, joint_force};
use crate::data::Data;
use crate::forces::Forces;
use crate::model::Model;
use crate::state::State;

/// Solves for the unknown half of every joint.
///
/// `prescribed` has a flag per body. On entry `data.dynamics.acceleration` holds the wanted
/// accelerations of the prescribed joints; on return it holds all accelerations, and
/// `data.dynamics.joint_force` all joint forces: the given ones (`forces.joint`) of the free joints and
/// the reactions of the prescribed ones. Implicit terms count as in [`super::aba_implicit`] over a step
/// `dt`; pass zero for none.
pub fn hybrid(model: &Model, state: &State, data: &mut Data, forces: &Forces, prescribed: &[bool], dt: f64) {
    forward_kinematics(model, state, data);
    forward_velocity(model, state, data);
    let all = 0..model.n_bodies();
    rigid(model, data, all.clone(), &forces.body);
    spin_in_own_axes(model, data, &forces.body);
    let stiff = dt > 0.0 && !forces.implicit.is_empty();
    if stiff {
        drift(model, data, all.clone());
        for (body, term) in &forces.implicit {
            add_implicit(data, body.index(), term, dt);
        }
    }
    let drive = Drive::implicit(forces, &state.v, dt).prescribing(prescribed);
    inward(model, data, all.clone(), &drive);
    outward(model, data, all.clone());
    for i in all {
        if prescribed[i] {
            write_reaction(model, data, i);
        } else {
            for k in model.bodies[i].v_range() {
                let next = state.v[k] + dt * data.dynamics.acceleration[k];
                data.dynamics.joint_force[k] = forces.joint[k] - forces.joint_gain[k] * next;
            }
        }
    }
}

/// `Sᵀ (IA a + pA)` of a prescribed joint, rotors included.
fn write_reaction(model: &Model, data: &mut Data, i: usize) {
    let body = &model.bodies[i];
    let dynamics = &mut data.dynamics;
    let through =
        dynamics.articulated_inertia[i] * dynamics.body_acceleration[i] + dynamics.articulated_bias[i];
    let v = body.v_range();
    joint_force(body.joint.kind, &data.position.axes[i], through, &mut dynamics.joint_force[v.clone()]);
    for (k, armature) in v.zip(&body.joint.armature) {
        dynamics.joint_force[k] += armature * dynamics.acceleration[k];
    }
}
