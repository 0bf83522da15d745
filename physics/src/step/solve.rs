//! The rest of a step: rows, rounds of the active set, commit.

use glam::DVec3;

use super::ledger::{Account, Ledger};
use super::rows::Cause;
use super::{
    ExtraRows, Formulation, StepError, StepOptions, StepReport, contact_rows, gather, limits, pins, sets,
    sleep,
};
use crate::actuation::Actuation;
use crate::contact::{Phase, implicit, penalty};
use crate::data::Data;
use crate::dynamics::kinematics::moved;
use crate::dynamics::{forward_kinematics, forward_velocity, kinetic_energy, potential_energy};
use crate::model::{JointKind, Model, NONE};
use crate::spatial::{Force, Motion, Sym3, cross_matrix};
use crate::state::{State, quaternion, vec3, write3};

/// One step (or sub-step) of any formulation.
pub(crate) fn advance_once(
    model: &Model,
    state: &mut State,
    data: &mut Data,
    act: &Actuation,
    opt: &StepOptions,
    extra: &mut ExtraRows<'_>,
) -> Result<StepReport, StepError> {
    sleep::decide(model, state, data, act, opt);
    gather::gather(model, state, data, act, opt);
    take_world_axes(model, data);
    calm(model, data, opt.dt);
    sort_by_tree(model, data, act);
    data.step.forces.body.copy_from_slice(&act.body_force);
    if opt.formulation == Formulation::Penalty {
        add_explicit_contacts(model, data, opt);
    }
    assemble_rows(model, state, data, act, opt, extra);

    let mut report = StepReport {
        contacts: data.contact.points.len(),
        deepest: data.contact.points.iter().fold(0.0, |m, c| c.depth.max(m)),
        ..StepReport::default()
    };
    sets::find(model, state, data, act, opt, &mut report);
    finish_contacts(data, opt);
    pins::report(act, data, opt);
    let mut next = next_state(model, state, data, opt);
    sleep::finish(model, state, &mut next, &mut data.step.sleep, opt);
    check_finite(model, state, data, &next)?;
    if opt.ledger {
        report.ledger = keep_books(model, state, &next, data, act, opt);
    }
    let old = core::mem::replace(state, next);
    data.step.spare = old;
    Ok(report)
}

/// Linear velocities of free roots go through the step in world axes, not in the turning body's: the explicit
/// `ω × v` of the latter would lengthen the velocity of everything that spins, by `√(1 + (ωh)²)` a step.
/// [`next_state`] turns them back.
fn take_world_axes(model: &Model, data: &mut Data) {
    for (i, link) in model.links.iter().enumerate() {
        if link.parent == NONE && link.kind == JointKind::Free {
            data.velocity.bias[i].linear = DVec3::ZERO;
        }
    }
}

/// A body that turns further than this in a step, rad, has its bias forces cut back to those of this turn: taken
/// once per step they would push in a direction that has long passed.
const RESOLVED_TURN: f64 = 0.5;

/// Writes the share of each body's bias forces that counts, and scales the bias accelerations by it.
fn calm(model: &Model, data: &mut Data, dt: f64) {
    for i in 0..model.links.len() {
        let turn = data.velocity.body[i].angular.length_squared() * dt * dt;
        let parent = model.links[i].parent;
        let above = if parent == NONE { 1.0 } else { data.step.calm[parent as usize] };
        let own = (RESOLVED_TURN * RESOLVED_TURN / turn.max(f64::MIN_POSITIVE)).min(1.0);
        data.step.calm[i] = own;
        let both = own.min(above);
        if both < 1.0 {
            data.velocity.bias[i] = data.velocity.bias[i] * both;
        }
    }
}

/// The velocity-dependent inertial force of body `i` at its origin, as much of it as counts.
pub(super) fn inertial_force(model: &Model, data: &Data, i: usize, dt: f64) -> Force {
    let inertia = &model.links[i].inertia;
    let r = &data.position.world_from_body[i].rotation;
    let w = data.velocity.body[i].angular;
    let c = *r * inertia.center_of_mass;
    let share = data.step.calm[i];
    let centripetal = w.cross(w.cross(c)) * (inertia.mass * share);
    let w_body = r.transpose() * w;
    let lone = model.trees[model.tree_of[i] as usize].len() == 1;
    let spin = if lone {
        midpoint_moment(inertia.rotational, w_body, dt)
    } else {
        w_body.cross(inertia.rotational * w_body) * share
    };
    Force::new(*r * spin + c.cross(centripetal), centripetal)
}

/// Which contacts with the world and which implicit terms belong to which tree.
fn sort_by_tree(model: &Model, data: &mut Data, act: &Actuation) {
    let step = &mut data.step;
    let trees = model.trees.len();
    // Contacts with the world come sorted by collider, and colliders by tree.
    for contact in &mut data.contact.points {
        contact.turning = implicit::turning(contact, data.velocity.body[contact.body_a].angular);
    }
    step.contacts_of.fill((0, 0));
    for (k, contact) in data.contact.with_world().iter().enumerate() {
        let range = &mut step.contacts_of[model.tree_of[contact.body_a] as usize];
        if range.1 == 0 {
            range.0 = k as u32;
        }
        range.1 = k as u32 + 1;
    }
    // Counting sort, stable, so that the order of addition never depends on anything else.
    step.terms_of.fill((0, 0));
    for (body, _) in &act.implicit {
        step.terms_of[model.tree_of(*body)].1 += 1;
    }
    let mut start = 0;
    for t in 0..trees {
        let count = step.terms_of[t].1;
        step.terms_of[t] = (start, start);
        start += count;
    }
    step.term_order.clear();
    step.term_order.resize(act.implicit.len(), 0);
    for (k, (body, _)) in act.implicit.iter().enumerate() {
        let range = &mut step.terms_of[model.tree_of(*body)];
        step.term_order[range.1 as usize] = k as u32;
        range.1 += 1;
    }
}

/// Explicit penalty: forces of all contacts from the present velocities.
fn add_explicit_contacts(model: &Model, data: &mut Data, opt: &StepOptions) {
    for contact in &mut data.contact.points {
        if data.step.sleep.asleep[model.tree_of[contact.body_a] as usize] {
            continue;
        }
        let force = penalty::force(contact, contact.velocity, opt.normal_law);
        // Anchored anew where it touches now: a point of a rolling body leaves the ground after a while.
        contact.stick_with(contact.stretch, &data.position);
        let arm = |b: usize| contact.point - data.position.world_from_body[b].translation;
        data.step.forces.body[contact.body_a] += Force::at_offset(force, arm(contact.body_a));
        if let Some(b) = contact.body_b {
            data.step.forces.body[b] += Force::at_offset(-force, arm(b));
        }
    }
}

/// Limits, motors, pins and whatever contacts are not handled otherwise.
fn assemble_rows(
    model: &Model,
    state: &State,
    data: &mut Data,
    act: &Actuation,
    opt: &StepOptions,
    extra: &mut ExtraRows<'_>,
) {
    let mut rows = core::mem::take(&mut data.step.rows);
    rows.clear(model);
    limits::push_rows(model, state, data, opt, &mut rows);
    pins::push_rows(model, data, act, opt, &mut rows);
    extra(data, &mut rows);
    let first = match opt.formulation {
        Formulation::Penalty => data.contact.points.len(),
        Formulation::ImplicitPenalty => data.contact.n_static,
        Formulation::LcpPgs | Formulation::LcpDantzig => 0,
    };
    for index in first..data.contact.points.len() {
        if data.step.sleep.asleep[model.tree_of[data.contact.points[index].body_a] as usize] {
            continue;
        }
        let row = contact_rows::push_rows(model, data, index, opt, &mut rows);
        data.contact.points[index].row = row;
    }
    rows.assemble(model, &data.velocity.body, &state.v);
    data.step.rows = rows;
}

/// A lone body's gyroscopic moment by the implicit midpoint rule in body axes, which neither adds nor takes
/// energy; the explicit one makes fast tumbling gain (recipes 1.8). Newton on
/// `I (ω⁺ - ω) + h ω_m × I ω_m = 0`, `ω_m = (ω + ω⁺)/2`:
/// `(ω - ω⁺)·I/h` of the midpoint rule, or plainly `ω × I ω` where the body hardly turns within the step.
fn midpoint_moment(inertia: Sym3, w: DVec3, dt: f64) -> DVec3 {
    let explicit = w.cross(inertia * w);
    if w.length_squared() * dt * dt < 1e-6 {
        return explicit;
    }
    let matrix = inertia.to_mat3();
    let mut next = w;
    for _ in 0..4 {
        let m = (w + next) * 0.5;
        let l = inertia * m;
        let residual = inertia * (next - w) + m.cross(l) * dt;
        let derivative = matrix + (cross_matrix(m) * matrix - cross_matrix(l)) * (0.5 * dt);
        next -= derivative.inverse() * residual;
    }
    if next.is_finite() { inertia * (w - next) * (1.0 / dt) } else { explicit }
}

/// Body velocities of a tree at the end of the step (old pose, new rates).
fn next_body_velocities(model: &Model, data: &mut Data, tree: usize) {
    let mut bodies = core::mem::take(&mut data.step.next_body);
    body_velocities(model, data, tree, &data.step.next_v, &mut bodies);
    data.step.next_body = bodies;
}

/// Body velocities of a tree for given joint rates.
pub(super) fn body_velocities(model: &Model, data: &Data, tree: usize, v: &[f64], out: &mut [Motion]) {
    for i in model.trees[tree].clone() {
        let link = &model.links[i];
        let parent = if link.parent == NONE { Motion::ZERO } else { out[link.parent as usize] };
        let (r, axes) = (data.position.offset[i], &data.position.axes[i]);
        out[i] = moved(link.kind, parent, r, axes, &v[link.v as usize..]).0;
    }
}

/// After the last round: final forces, and anchors for the next step.
fn finish_contacts(data: &mut Data, opt: &StepOptions) {
    match opt.formulation {
        Formulation::Penalty => {}
        Formulation::ImplicitPenalty => {
            for contact in &mut data.contact.points[..data.contact.n_static] {
                contact.stick_with(implicit::kept_stretch(contact), &data.position);
                let r = contact.point - data.position.world_from_body[contact.body_a].translation;
                implicit::look_forward(contact, data.step.next_body[contact.body_a].at(r).linear);
            }
            contact_rows::read_back(data, opt);
        }
        Formulation::LcpPgs | Formulation::LcpDantzig => contact_rows::read_back(data, opt),
    }
}

fn next_state(model: &Model, state: &State, data: &mut Data, opt: &StepOptions) -> State {
    let mut next =
        core::mem::replace(&mut data.step.spare, State { q: Vec::new(), v: Vec::new(), time: 0.0 });
    next.clone_from(state);
    next.v.copy_from_slice(&data.step.next_v);
    next.integrate(model, &data.step.next_v, opt.dt);
    next.time = state.time + opt.dt;
    for body in &model.bodies {
        if body.parent.is_none() && body.joint.kind == JointKind::Free {
            let v = &mut next.v[body.v_range()];
            let world = state.rotation(body) * vec3(v, 0);
            let turned = quaternion(&next.q, body.q_start + 3).conjugate() * world;
            write3(v, 0, turned);
        }
    }
    next
}

/// Names the first body whose motion is not finite, and the first term that made it so.
fn check_finite(model: &Model, state: &State, data: &mut Data, next: &State) -> Result<(), StepError> {
    if next.is_finite() {
        return Ok(());
    }
    let owner = model
        .bodies
        .iter()
        .enumerate()
        .find(|(_, b)| !next.v[b.v_range()].iter().chain(&next.q[b.q_range()]).all(|x| x.is_finite()));
    let (i, body) = owner.map_or((0, "?".to_owned()), |(i, b)| (i, b.name.clone()));
    let value = model.bodies.get(i).map_or(f64::NAN, |b| {
        let numbers = next.v[b.v_range()].iter().chain(&next.q[b.q_range()]);
        numbers.copied().find(|x| !x.is_finite()).unwrap_or(f64::NAN)
    });
    let step = &data.step;
    let term = if let Some(k) = step.forces.joint.iter().position(|x| !x.is_finite()) {
        format!("joint force of '{}'", model.body(model.body_of_freedom(k)).name())
    } else if let Some(c) = data.contact.points.iter().find(|c| !c.force.is_finite()) {
        format!("contact force on '{}'", model.bodies[c.body_a].name)
    } else if let Some(k) = step.rows.x.iter().position(|x| !x.is_finite()) {
        format!("impulse of row {k} ({:?})", step.rows.specs[k].cause)
    } else if let Some(b) = (0..model.n_bodies()).find(|&b| !data.dynamics.articulated_inertia[b].is_finite())
    {
        format!("articulated inertia of '{}'", model.bodies[b].name)
    } else {
        format!("acceleration of '{body}' (a freedom without inertia, or numbers out of range)")
    };
    Err(StepError::NotFinite { what: "motion", body, value, time: state.time, term })
}

/// The step's books; see [`Ledger`].
fn keep_books(
    model: &Model,
    state: &State,
    next: &State,
    data: &mut Data,
    act: &Actuation,
    opt: &StepOptions,
) -> Ledger {
    let mut ledger = Ledger::default();
    let dt = opt.dt;
    for tree in 0..model.trees.len() {
        next_body_velocities(model, data, tree);
    }
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
        if act.prescribed[i] {
            crate::dynamics::write_reaction(model, data, i);
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
    if !opt.formulation.is_rigid() {
        let n = if explicit { data.contact.points.len() } else { data.contact.n_static };
        for contact in &data.contact.points[..n] {
            let arm = |b: usize| contact.point - data.position.world_from_body[b].translation;
            let velocity = |b: usize| mid_body(data, b).at(arm(b)).linear;
            let relative = velocity(contact.body_a) - contact.body_b.map_or(DVec3::ZERO, velocity);
            let impulse = contact.force * dt;
            ledger.add_work(Account::Contact, impulse.dot(relative));
            if contact.phase != Phase::Open && !explicit {
                let a = contact.body_a;
                let resistance = contact.turning * data.step.next_body[a].angular * -dt;
                ledger.add_work(Account::Contact, resistance.dot(mid_body(data, a).angular));
                ledger.add_angular_impulse(Account::Contact, resistance);
            }
            if contact.body_b.is_none() {
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
            Cause::Pin => Account::Aids,
            Cause::Contact => Account::Contact,
        };
        let x = rows.x[k];
        let before = spec.rate(&data.velocity.body, &state.v);
        let speed = 0.5 * (before + spec.rate(&data.step.next_body, &next_v));
        ledger.add_work(account, x * speed);
        if let [Some(crate::dynamics::impulse::Hit::Body(i, wrench)), None] = spec.hits {
            ledger.add_impulse(account, wrench.linear * x, data.position.world_from_body[i].translation);
            ledger.add_angular_impulse(account, wrench.angular * x);
        }
    }
    data.step.free_v = next_v;
    close(model, state, next, data, opt, ledger)
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
    // Bias forces at the start of the step: Σ over bodies of the velocity-dependent inertial force.
    let mut bias_work = 0.0;
    for (i, link) in model.links.iter().enumerate() {
        let r = data.position.world_from_body[i].rotation;
        let c = r * link.inertia.center_of_mass;
        let mid = (data.velocity.body[i] + data.step.next_body[i]) * 0.5;
        // Acceleration of the body that the pose's change alone causes: J̇ v.
        let carried = carried_acceleration(model, data, i);
        data.dynamics.response[i] = carried;
        let at_com = carried.linear + carried.angular.cross(c);
        let moment = r * (link.inertia.rotational * (r.transpose() * carried.angular));
        let inertial = inertial_force(model, data, i, opt.dt);
        bias_work -= opt.dt
            * (link.inertia.mass * at_com.dot(mid.at(c).linear)
                + moment.dot(mid.angular)
                + mid.dot(inertial));
    }
    let same_pose = {
        core::mem::swap(&mut data.velocity.body, &mut data.step.next_body);
        let energy = kinetic_energy(model, data, &data.step.next_v);
        core::mem::swap(&mut data.velocity.body, &mut data.step.next_body);
        energy
    };
    let done: f64 = Account::ALL.iter().map(|&a| ledger.work(a)).sum::<f64>() + bias_work;
    ledger.closure = (same_pose - before - done).abs();
    ledger.scale =
        before.abs().max(same_pose.abs()) + Account::ALL.iter().map(|&a| ledger.work(a).abs()).sum::<f64>();

    forward_kinematics(model, next, data);
    forward_velocity(model, next, data);
    let after = kinetic_energy(model, data, &next.v);
    ledger.kinetic = after - before;
    ledger.potential = potential_energy(model, data) - fall;
    ledger.remainder = after - same_pose + bias_work;
    ledger
}

/// `J̇ v` of body `i`: its acceleration when no joint accelerates.
fn carried_acceleration(model: &Model, data: &Data, i: usize) -> Motion {
    let link = &model.links[i];
    let parent =
        if link.parent == NONE { Motion::ZERO } else { data.dynamics.response[link.parent as usize] };
    parent.at(data.position.offset[i]) + data.velocity.bias[i]
}
