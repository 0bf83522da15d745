//! Keeps the books of a step; see [`Ledger`].

use glam::DVec3;

use super::ledger::{Account, Ledger};
use super::rows::Cause;
use super::{Formulation, StepOptions, bias, gather};
use crate::actuation::Actuation;
use crate::data::Data;
use crate::dynamics::impulse::Hit;
use crate::dynamics::{forward_kinematics, forward_velocity, kinetic_energy, potential_energy};
use crate::model::Model;
use crate::spatial::Force;
use crate::state::State;

/// The step's books; see [`Ledger`].
pub(crate) fn keep_books(
    model: &Model,
    state: &State,
    next: &State,
    data: &mut Data,
    act: &Actuation,
    opt: &StepOptions,
) -> Ledger {
    let mut ledger = Ledger::default();
    let dt = opt.dt;
    let mid_body = |data: &Data, i: usize| (data.velocity.body[i] + data.step.next_body[i]) * 0.5;
    // The free velocities have done their part: their memory holds the step's own while `data` is borrowed.
    let mut next_v = core::mem::take(&mut data.step.free_v);
    next_v.copy_from_slice(&data.step.next_v);
    let mid = |k: usize| 0.5 * (state.v[k] + next_v[k]);

    // Gravity on every body.
    for (i, body) in model.bodies.iter().enumerate() {
        let pose = &data.position.world_from_body[i];
        let c = pose.rotation * body.inertia.center_of_mass;
        let impulse = model.gravity * (body.inertia.mass * dt);
        ledger.add_work(Account::Gravity, impulse.dot(mid_body(data, i).at(c).linear));
        ledger.add_impulse(Account::Gravity, impulse, pose.translation + c);
    }
    // Joints: what drove them, and what they do by themselves.
    let explicit = opt.formulation == Formulation::Penalty;
    for (i, body) in model.bodies.iter().enumerate() {
        let mut error = [0.0; 6];
        let (q, target) = (&state.q[body.q_range()], &act.servo.target_q[body.q_range()]);
        gather::position_error(body.joint.kind, q, target, &mut error);
        for (k, dof) in body.v_range().enumerate() {
            if act.prescribed[i] {
                continue;
            }
            let gain = if explicit { 0.0 } else { data.step.forces.joint_gain[dof] };
            let total = data.step.forces.joint[dof] - gain * data.step.next_v[dof];
            let limit = body.joint.effort_limit[k];
            let rate = if explicit { state.v[dof] } else { next_v[dof] };
            let h = if explicit { 0.0 } else { dt };
            let effort = gather::drive_effort(act, error[k], dof, rate, h);
            let effort = match data.step.saturated[dof] {
                0 if explicit => effort.clamp(-limit, limit),
                0 => effort,
                side => f64::from(side) * limit,
            };
            ledger.add_work(Account::Actuation, effort * dt * mid(dof));
            ledger.add_work(Account::Passive, (total - effort) * dt * mid(dof));
        }
    }
    if act.prescribed.contains(&true) {
        for (_, body) in model.bodies.iter().enumerate().filter(|(i, _)| act.prescribed[*i]) {
            for dof in body.v_range() {
                ledger.add_work(Account::Actuation, data.dynamics.joint_force[dof] * dt * mid(dof));
            }
        }
    }
    // Helpers from outside.
    let mut aid = |data: &Data, i: usize, wrench: Force| {
        ledger.add_work(Account::Aids, mid_body(data, i).dot(wrench * dt));
        ledger.add_impulse(Account::Aids, wrench.linear * dt, data.position.world_from_body[i].translation);
        ledger.add_angular_impulse(Account::Aids, wrench.angular * dt);
    };
    for (i, &wrench) in act.body_force.iter().enumerate() {
        if wrench != Force::ZERO {
            aid(data, i, wrench);
        }
    }
    for (body, term) in &act.implicit {
        let i = body.index();
        aid(data, i, term.at_rest - term.gain * data.step.next_body[i]);
    }
    // Contacts, unless they are rows.
    if explicit {
        for contact in &data.contact.points {
            let arm = |b: usize| contact.point - data.position.world_from_body[b].translation;
            let velocity = |b: usize| mid_body(data, b).at(arm(b)).linear;
            let relative = velocity(contact.a()) - contact.b().map_or(DVec3::ZERO, velocity);
            let impulse = contact.force * dt;
            ledger.add_work(Account::Contact, impulse.dot(relative));
            if contact.b().is_none() {
                ledger.add_impulse(Account::Contact, impulse, contact.point);
            }
        }
    }
    // Rows.
    let rows = &data.step.rows;
    for (k, spec) in rows.specs.iter().enumerate() {
        let account = match spec.cause {
            Cause::Limit => Account::Limits,
            Cause::Motor => Account::Actuation,
            Cause::Joint => Account::Passive,
            Cause::Pin | Cause::Own => Account::Aids,
            Cause::Contact => Account::Contact,
        };
        let x = rows.x[k];
        let before = spec.rate(&rows.more, &data.velocity.body, &state.v);
        let speed = 0.5 * (before + spec.rate(&rows.more, &data.step.next_body, &next_v));
        ledger.add_work(account, x * speed);
        ledger.scale += spec.all(&rows.more).map(|hit| turnover(data, hit, x, &mid)).sum::<f64>();
        // What acts between two bodies at one place adds up to nothing; a controller's own row need not be so.
        let from_outside = spec.cause == Cause::Own || spec.hits[1].is_none();
        for hit in spec.all(&rows.more).filter(|_| from_outside) {
            let Hit::Body(i, wrench) = hit else { continue };
            ledger.add_impulse(account, wrench.linear * x, data.position.world_from_body[i].translation);
            ledger.add_angular_impulse(account, wrench.angular * x);
        }
    }
    data.step.free_v = next_v;
    close(model, state, next, data, opt, ledger)
}

/// Energy an impulse passes on at one of its ends, nothing cancelling: between two bodies that move along with each
/// other, or across its own point, a large impulse does no work but for the rounding of this.
fn turnover(data: &Data, hit: Hit, impulse: f64, mid: &impl Fn(usize) -> f64) -> f64 {
    let rate = match hit {
        Hit::Body(b, wrench) => {
            let [before, after] = [data.velocity.body[b], data.step.next_body[b]];
            let (angular, linear) = (before.angular + after.angular, before.linear + after.linear);
            0.5 * (wrench.angular.length() * angular.length() + wrench.linear.length() * linear.length())
        }
        Hit::Freedom(dof, scale) => scale * mid(dof),
    };
    (impulse * rate).abs()
}

/// Energy before and after, the bias forces' work, the remainder, and how well the books close.
fn close(
    model: &Model,
    state: &State,
    next: &State,
    data: &mut Data,
    opt: &StepOptions,
    mut ledger: Ledger,
) -> Ledger {
    let before = kinetic_energy(model, data, &state.v);
    let fall = potential_energy(model, data);
    // Bias forces: Σ over bodies of the velocity-dependent inertial force and of what `J̇ v` takes.
    let mut bias_work = 0.0;
    for i in 0..model.n_bodies() {
        let mid = (data.velocity.body[i] + data.step.next_body[i]) * 0.5;
        let carried = bias::carried_acceleration(model, data, i);
        let inertial = bias::inertial_force(model, data, i, opt.dt);
        bias_work -= opt.dt * mid.dot(bias::inertia_times(model, data, i, carried) + inertial);
    }
    let same_pose = {
        core::mem::swap(&mut data.velocity.body, &mut data.step.next_body);
        let energy = kinetic_energy(model, data, &data.step.next_v);
        core::mem::swap(&mut data.velocity.body, &mut data.step.next_body);
        energy
    };
    let done: f64 = Account::ALL.iter().map(|&a| ledger.work(a)).sum::<f64>() + bias_work;
    ledger.closure = (same_pose - before - done).abs();
    ledger.scale +=
        before.abs().max(same_pose.abs()) + Account::ALL.iter().map(|&a| ledger.work(a).abs()).sum::<f64>();

    forward_kinematics(model, next, data);
    forward_velocity(model, next, data);
    let after = kinetic_energy(model, data, &next.v);
    ledger.kinetic = after - before;
    ledger.potential = potential_energy(model, data) - fall;
    ledger.remainder = after - same_pose + bias_work;
    ledger
}
