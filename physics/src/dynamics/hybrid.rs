//! Hybrid dynamics: some joints move as prescribed, the others as forces have it (RBDA 9.2), O(n).
//!
//! ```text
//! free joint         as in ABA
//! prescribed joint   Ia = IA,  pa = pA + IA (c + S q̈*)       (it hands everything on rigidly)
//!                    τ = Sᵀ (IA a + pA)                      (the reaction it takes)
//! ```

use glam::DVec3;

use super::aba::{Regular, fold, hand_over, rigid, unfold};
use super::kinematics::{forward_kinematics, forward_velocity, joint_force, joint_motion};
use crate::data::Data;
use crate::forces::Forces;
use crate::model::{JointKind, Model, NONE};
use crate::spatial::Motion;
use crate::state::State;

/// Solves for the unknown half of every joint.
///
/// `prescribed` has a flag per body. On entry `data.dynamics.acceleration` holds the wanted
/// accelerations of the prescribed joints; on return it holds all accelerations, and
/// `data.dynamics.joint_force` all joint forces: the given ones (`forces.joint`) of the free joints and
/// the reactions of the prescribed ones. Implicit gains of free joints count as in
/// [`super::aba_implicit`] over a step `dt`; pass zero for none.
pub fn hybrid(model: &Model, state: &State, data: &mut Data, forces: &Forces, prescribed: &[bool], dt: f64) {
    forward_kinematics(model, state, data);
    forward_velocity(model, state, data);
    rigid(model, data, &forces.body);
    let regular = Regular { gain: &forces.joint_gain, v: &state.v, dt, stiff: false };

    let mut free = data.dynamics.free_factor.len();
    for i in (0..model.links.len()).rev() {
        let link = &model.links[i];
        if link.kind == JointKind::Free {
            free -= 1;
        }
        let (inertia, bias) = if prescribed[i] {
            data.dynamics.factor[i].prescribed = true;
            let wanted = &data.dynamics.acceleration[link.v as usize..];
            let own = joint_motion(link.kind, &data.position.axes[i], wanted);
            let inertia = data.dynamics.articulated_inertia[i];
            let moved = data.velocity.bias[i] + own;
            (inertia, data.dynamics.articulated_bias[i] + inertia * moved)
        } else {
            fold(model, data, i, free, &forces.joint, &regular)
        };
        hand_over(link, data, i, &inertia, bias);
    }

    let mut free = 0;
    for (i, link) in model.links.iter().enumerate() {
        let parent = if link.parent == NONE {
            Motion::new(DVec3::ZERO, -model.gravity)
        } else {
            data.dynamics.body_acceleration[link.parent as usize]
        };
        let inherited = parent.at(data.position.offset[i]) + data.velocity.bias[i];
        let v = link.v as usize;
        let n = link.kind.n_v();
        if prescribed[i] {
            let wanted = &data.dynamics.acceleration[v..];
            let total = inherited + joint_motion(link.kind, &data.position.axes[i], wanted);
            let through = data.dynamics.articulated_inertia[i] * total + data.dynamics.articulated_bias[i];
            joint_force(link.kind, &data.position.axes[i], through, &mut data.dynamics.joint_force[v..]);
            for k in 0..n {
                let armature = model.bodies[i].joint.armature[k];
                data.dynamics.joint_force[v + k] += armature * data.dynamics.acceleration[v + k];
            }
            data.dynamics.body_acceleration[i] = total;
        } else {
            let own = unfold(model, data, i, free, inherited);
            data.dynamics.body_acceleration[i] = inherited + own;
            for k in v..v + n {
                let next = state.v[k] + dt * data.dynamics.acceleration[k];
                data.dynamics.joint_force[k] = forces.joint[k] - forces.joint_gain[k] * next;
            }
        }
        if link.kind == JointKind::Free {
            free += 1;
        }
    }
}
