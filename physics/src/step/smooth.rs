//! A step by one of the plain integrators: smooth motion, forces as functions of the state, nothing that clicks.
//!
//! Contacts, joint limits, pins, motors, rows and prescribed joints are not smooth: a step in which one of them would have to act is
//! refused by name. Explicit integrators take servos as forces, held to their effort limits; the implicit one takes them at the
//! end of the step, together with the actuation's implicit terms.

use super::gather::position_error;
use super::solve::check_finite;
use super::{StepError, StepOptions, StepReport};
use crate::actuation::{Actuation, Term};
use crate::data::Data;
use crate::forces::Forces;
use crate::integrate::{Integrator, Stepper};
use crate::model::{Limits, Model};
use crate::state::State;

/// One step.
pub(super) fn advance(
    model: &Model,
    state: &mut State,
    data: &mut Data,
    act: &Actuation,
    opt: &StepOptions,
    integrator: Integrator,
) -> Result<StepReport, StepError> {
    refuse_what_clicks(model, state, data, act, integrator)?;
    let mut stepper = data.step.stepper.take().unwrap_or_else(|| Box::new(Stepper::new(model)));
    // What was rounded away is no part of the state: a run that goes on from a saved one must end the same.
    stepper.forget_rounding();
    let mut next =
        core::mem::replace(&mut data.step.spare, State { q: Vec::new(), v: Vec::new(), time: 0.0 });
    next.clone_from(state);
    let implicit = integrator == Integrator::ImplicitVelocity;
    stepper.step(model, &mut next, data, integrator, opt.dt, |state, forces| {
        add_actuation(model, state, act, implicit, opt.dt, forces);
    });
    data.step.stepper = Some(stepper);
    check_finite(model, state, data, &next)?;
    let old = core::mem::replace(state, next);
    data.step.spare = old;
    Ok(StepReport {
        contacts: data.contact.points.len(),
        substeps: 1,
        substep: opt.dt,
        ..StepReport::default()
    })
}

/// Joint forces, servos, wrenches and implicit terms at a state.
fn add_actuation(
    model: &Model,
    state: &State,
    act: &Actuation,
    implicit: bool,
    dt: f64,
    forces: &mut Forces,
) {
    forces.body.copy_from_slice(&act.body_force);
    if implicit {
        forces.implicit.extend_from_slice(&act.implicit);
    }
    let servo = &act.servo;
    for body in &model.bodies {
        let mut error = [0.0; 6];
        let (q, target) = (&state.q[body.q_range()], &servo.target_q[body.q_range()]);
        position_error(body.joint.kind, q, target, &mut error);
        for (k, dof) in body.v_range().enumerate() {
            let (kp, kd) = (servo.stiffness[dof], servo.damping[dof]);
            let wanted = act.joint_force[dof] + kp * error[k] + kd * servo.target_v[dof];
            if implicit {
                forces.joint[dof] += wanted;
                forces.joint_gain[dof] += kd + dt * kp;
            } else {
                let limit = body.joint.effort_limit[k];
                forces.joint[dof] += (wanted - kd * state.v[dof]).clamp(-limit, limit);
            }
        }
    }
}

/// Names the first thing that a smooth step cannot take.
fn refuse_what_clicks(
    model: &Model,
    state: &State,
    data: &Data,
    act: &Actuation,
    integrator: Integrator,
) -> Result<(), StepError> {
    let name = |i: usize| model.bodies.get(i).map_or("?", |b| b.name.as_str());
    let no = |what: &'static str, body: usize| {
        Err(StepError::NotSmooth {
            what,
            body: name(body).to_owned(),
            integrator: integrator.name(),
            time: state.time,
        })
    };
    if let Some(contact) = data.contact.points.iter().find(|c| c.depth > 0.0) {
        return no("a contact", contact.a());
    }
    if let Some(pin) = act.pins.first() {
        return no("a pin", pin.body.index());
    }
    if let Some(motor) = act.motors.first() {
        return no("a motor", model.body_of_freedom(motor.first()).index());
    }
    if let Some(term) = act.rows.iter().find_map(|row| row.terms.iter().flatten().next()) {
        let body = match *term {
            Term::Freedom { freedom, .. } => model.body_of(freedom),
            Term::Point { body, .. } | Term::Spin { body, .. } => body,
        };
        return no("a row", body.index());
    }
    if let Some(i) = act.prescribed.iter().position(|&on| on) {
        return no("a prescribed joint", i);
    }
    if let Some(i) = model.bodies.iter().position(|b| b.joint.limits != Limits::Unlimited) {
        return no("a joint limit", i);
    }
    if integrator != Integrator::ImplicitVelocity {
        return act.implicit.first().map_or(Ok(()), |(body, _)| no("an implicit force", body.index()));
    }
    let servo = &act.servo;
    let driven = |dof: usize| servo.stiffness[dof] != 0.0 || servo.damping[dof] != 0.0;
    let limited = model.bodies.iter().position(|body| {
        body.v_range().enumerate().any(|(k, dof)| driven(dof) && body.joint.effort_limit[k].is_finite())
    });
    limited.map_or(Ok(()), |i| no("an effort limit", i))
}
