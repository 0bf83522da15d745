//! What prescribed joints take, after the whole step is known.
//!
//! The articulated pass of a hybrid solve knows the reaction to everything but the rows' impulses, and to bias
//! forces that were taken anew afterwards. Inverse dynamics on the velocities the step ended with knows them all
//! (RBDA 5.3 with `J q̈ = (J v⁺ - J v)/h`):
//!
//! ```text
//! f_i = I_i ((v⁺_i - v_i)/h + J̇v) + inertial_i - f_ext,i,   f_p += f_i,   τ_i = S_iᵀ f_i
//! ```

use super::{Formulation, StepOptions, bias};
use crate::actuation::Actuation;
use crate::data::Data;
use crate::dynamics::impulse::Hit;
use crate::dynamics::kinematics::joint_force;
use crate::model::{Model, NONE};
use crate::spatial::{Force, Motion};
use crate::state::State;

/// Writes the mean force of every prescribed joint to `data.dynamics.joint_force`. `data.step.next_body` must hold
/// the velocities of all bodies at the end of the step.
pub(crate) fn write(model: &Model, state: &State, data: &mut Data, act: &Actuation, opt: &StepOptions) {
    let per_time = 1.0 / opt.dt;
    for i in 0..model.n_bodies() {
        let carried = bias::carried_acceleration(model, data, i);
        let gained = (data.step.next_body[i] - data.velocity.body[i]) * per_time;
        let acceleration = carried + gained - Motion::new(glam::DVec3::ZERO, model.gravity);
        data.dynamics.body_force[i] = bias::inertia_times(model, data, i, acceleration)
            + bias::inertial_force(model, data, i, opt.dt)
            - act.body_force[i];
    }
    take_off_what_acts(data, act, opt);
    for i in (0..model.n_bodies()).rev() {
        let link = &model.links[i];
        let through = data.dynamics.body_force[i];
        if link.parent != NONE {
            data.dynamics.body_force[link.parent as usize] += through.seen_from(data.position.offset[i]);
        }
        if act.prescribed[i] {
            let body = &model.bodies[i];
            let v = body.v_range();
            let out = &mut data.dynamics.joint_force[v.clone()];
            joint_force(link.kind, &data.position.axes[i], through, out);
            for (k, armature) in v.zip(&body.joint.armature) {
                let gained = data.step.next_v[k] - state.v[k];
                data.dynamics.joint_force[k] += armature * gained * per_time;
            }
        }
    }
    // What rows do along a freedom is theirs, not the prescribed motion's.
    let rows = &data.step.rows;
    for (spec, x) in rows.specs.iter().zip(&rows.x) {
        for hit in spec.hits.into_iter().flatten() {
            if let Hit::Freedom(dof, scale) = hit
                && act.prescribed[model.body_of_freedom(dof).index()]
            {
                data.dynamics.joint_force[dof] -= scale * x * per_time;
            }
        }
    }
}

/// Takes implicit terms, contacts and rows off the forces the bodies need.
fn take_off_what_acts(data: &mut Data, act: &Actuation, opt: &StepOptions) {
    let forces = &mut data.dynamics.body_force;
    let next = &data.step.next_body;
    for (body, term) in &act.implicit {
        let i = body.index();
        forces[i] -= term.at_rest - term.gain * next[i];
    }
    if opt.formulation == Formulation::Penalty {
        for contact in &data.contact.points {
            let at = |b: usize, force| {
                Force::at_offset(force, contact.point - data.position.world_from_body[b].translation)
            };
            let a = contact.body_a;
            forces[a] -= at(a, contact.force);
            if let Some(b) = contact.body_b {
                forces[b] += at(b, contact.force);
            }
        }
    }
    let per_time = 1.0 / opt.dt;
    for (spec, x) in data.step.rows.specs.iter().zip(&data.step.rows.x) {
        for hit in spec.hits.into_iter().flatten() {
            if let Hit::Body(b, wrench) = hit {
                forces[b] -= wrench * (x * per_time);
            }
        }
    }
}
