//! Inverse dynamics by the recursive Newton–Euler algorithm (RBDA table 5.1), O(n).
//!
//! ```text
//! (1)  a_i = a_p shifted + c_i + S_i q̈_i,        a_0 = -g
//! (2)  f_i = I_i a_i + (ω × I_o ω, m ω × (ω × c)) - f_ext,i
//! (3)  τ_i = S_iᵀ f_i,  f_p += f_i shifted
//! ```
//!
//! All of it in world axes at the body origins with classical accelerations, so the inward pass is
//! one cross product per body.

use glam::DVec3;

use super::kinematics::{forward_kinematics, joint_force, joint_motion, moved};
use crate::data::Data;
use crate::model::{Link, Model, NONE};
use crate::spatial::{Force, Motion, Transform};
use crate::state::State;

/// The joint forces that produce `acceleration` in the present state without external wrenches.
///
/// Fills `data.dynamics.joint_force` (and positions, velocities, body accelerations and forces).
pub fn rnea(model: &Model, state: &State, data: &mut Data, acceleration: &[f64]) {
    rnea_with_wrenches(model, state, data, acceleration, &[]);
}

/// As [`rnea`], with external wrenches on the bodies (world axes at their origins; empty for none).
pub fn rnea_with_wrenches(
    model: &Model,
    state: &State,
    data: &mut Data,
    acceleration: &[f64],
    wrenches: &[Force],
) {
    forward_kinematics(model, state, data);
    let n = model.links.len();
    let (poses, offsets, axes) =
        (&data.position.world_from_body[..n], &data.position.offset[..n], &data.position.axes[..n]);
    let velocities = &mut data.velocity.body[..n];
    let biases = &mut data.velocity.bias[..n];
    let accelerations = &mut data.dynamics.body_acceleration[..n];
    let forces = &mut data.dynamics.body_force[..n];

    for (i, link) in model.links.iter().enumerate() {
        let (r, axes) = (offsets[i], &axes[i]);
        let (parent_velocity, parent_acceleration) = if link.parent == NONE {
            (Motion::ZERO, Motion::new(DVec3::ZERO, -model.gravity))
        } else {
            (velocities[link.parent as usize], accelerations[link.parent as usize])
        };
        let (velocity, bias) = moved(link.kind, parent_velocity, r, axes, &state.v[link.v as usize..]);
        let own = joint_motion(link.kind, axes, &acceleration[link.v as usize..]);
        let total = parent_acceleration.at(r) + bias + own; // (1)
        forces[i] = newton_euler(link, &poses[i], velocity.angular, total); // (2)
        (velocities[i], biases[i], accelerations[i]) = (velocity, bias, total);
    }
    for (force, &wrench) in forces.iter_mut().zip(wrenches) {
        *force -= wrench;
    }
    for (i, link) in model.links.iter().enumerate().rev() {
        let force = forces[i];
        joint_force(link.kind, &axes[i], force, &mut data.dynamics.joint_force[link.v as usize..]); // (3)
        if link.parent != NONE {
            forces[link.parent as usize] += force.seen_from(offsets[i]);
        }
    }
}

/// (2): the force that gives a rigid body this acceleration.
#[inline]
fn newton_euler(link: &Link, pose: &Transform, w: DVec3, a: Motion) -> Force {
    let r = &pose.rotation;
    let c = *r * link.inertia.center_of_mass;
    let at_com = a.linear + a.angular.cross(c) + w.cross(w.cross(c));
    let force = at_com * link.inertia.mass;
    // I_com in body axes, applied to body-axes vectors: cheaper than turning the matrix.
    let rt = r.transpose();
    let (w_body, a_body) = (rt * w, rt * a.angular);
    let i = link.inertia.rotational;
    let moment = *r * (i * a_body + w_body.cross(i * w_body));
    Force::new(moment + c.cross(force), force)
}

/// Bias force `C`: what it takes to hold all joint accelerations at zero (RBDA 6.1).
pub fn bias_force(model: &Model, state: &State, data: &mut Data, out: &mut [f64]) {
    out.fill(0.0);
    rnea(model, state, data, out);
    out.copy_from_slice(&data.dynamics.joint_force);
}

/// Joint forces that hold the pose against gravity at rest.
pub fn gravity_force(model: &Model, state: &State, data: &mut Data, out: &mut [f64]) {
    forward_kinematics(model, state, data);
    let n = model.links.len();
    let forces = &mut data.dynamics.body_force[..n];
    for (i, link) in model.links.iter().enumerate() {
        let c = data.position.world_from_body[i].rotation * link.inertia.center_of_mass;
        forces[i] = Force::at_offset(model.gravity * -link.inertia.mass, c);
    }
    for (i, link) in model.links.iter().enumerate().rev() {
        let force = forces[i];
        joint_force(link.kind, &data.position.axes[i], force, &mut out[link.v as usize..]);
        if link.parent != NONE {
            forces[link.parent as usize] += force.seen_from(data.position.offset[i]);
        }
    }
}
