//! The rest of a step: rows, rounds of the active set, commit.

use glam::DVec3;

use super::rows::Cause;
use super::{
    ExtraRows, Formulation, RowReport, StepError, StepOptions, StepReport, bias, books, contact_rows, gather,
    limits, pins, sleep,
};
use crate::actuation::Actuation;
use crate::contact::{Phase, implicit, penalty};
use crate::data::Data;
use crate::dynamics::aba::{Drive, add_implicit, drift, inward, outward, rigid};
use crate::dynamics::kinematics::moved;
use crate::forces::ImplicitForce;
use crate::model::{JointKind, Model, NONE};
use crate::spatial::{Force, Motion};
use crate::state::{State, quaternion, vec3, write3};

/// Change of a row's velocity, m/s, that the rows' impulses of the first round outlive.
const STALE: f64 = 1e-3;
/// Rows whose velocities (root mean square, m/s) are below this rest: an error of the sweeps would show in them.
const RESTING: f64 = 0.02;
/// Rounds in which friction may change between stick and slip.
const FRICTION_PASSES: usize = 4;
/// Extra rounds in which contacts may only be dropped.
const DROP_PASSES: usize = 4;

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
    bias::prepare(model, data, opt.dt);
    sort_by_tree(model, data, act);
    data.step.forces.body.copy_from_slice(&act.body_force);
    if opt.formulation == Formulation::Penalty {
        add_explicit_contacts(model, data, opt);
    }
    assemble_rows(model, state, data, act, opt, extra);
    data.step.rows.change.fill(0.0);

    let mut report = StepReport {
        contacts: data.contact.points.len(),
        deepest: data.contact.points.iter().fold(0.0, |m, c| c.depth.max(m)),
        ..StepReport::default()
    };
    for (dirty, asleep) in data.step.dirty.iter_mut().zip(&data.step.sleep.asleep) {
        *dirty = !asleep;
    }
    find_sets(model, state, data, act, opt, &mut report);
    finish_contacts(data, opt);
    pins::report(act, data, opt);
    let mut next = next_state(model, state, data, opt);
    sleep::finish(model, state, &mut next, &mut data.step.sleep, opt);
    check_finite(model, state, data, &next)?;
    if opt.ledger {
        report.ledger = books::keep_books(model, state, &next, data, act, opt);
    }
    let old = core::mem::replace(state, next);
    data.step.spare = old;
    Ok(report)
}

/// Rounds until the sets of open, sticking and slipping contacts and of saturated drives stand; leaves the
/// velocities at the end of the step and the forces that lead there.
///
/// Beyond the allowed rounds only contacts that pull are dropped, which ends by itself. In between the rows keep the
/// velocity change of the first round; they are solved again once the sets stand.
fn find_sets(
    model: &Model,
    state: &State,
    data: &mut Data,
    act: &Actuation,
    opt: &StepOptions,
    report: &mut StepReport,
) {
    let most = opt.passes.max(1) + DROP_PASSES;
    let mut rows_stale = false;
    loop {
        report.passes += 1;
        rows_stale |= solve_dirty_trees(model, state, data, act, opt);
        if report.passes == 1 {
            report.rows = solve_rows(model, state, data, opt, 0.0);
            rows_stale = false;
        }
        settle_velocities(model, data);
        let mut again = switch(model, state, data, act, opt, opt.passes.saturating_sub(report.passes));
        if !again && rows_stale {
            report.rows = solve_rows(model, state, data, opt, STALE);
            rows_stale = false;
            settle_velocities(model, data);
            again = switch(model, state, data, act, opt, 0);
        }
        if !again {
            return;
        }
        if report.passes == most {
            break;
        }
    }
    // Out of rounds: the sets as they are now, solved once more and not looked at again.
    solve_dirty_trees(model, state, data, act, opt);
    report.rows = solve_rows(model, state, data, opt, STALE);
    settle_velocities(model, data);
    read_contact_forces(data, opt);
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
    rows.assemble(model);
    data.step.rows = rows;
}

/// Solves the dirty trees; whether rows touch any of them.
fn solve_dirty_trees(
    model: &Model,
    state: &State,
    data: &mut Data,
    act: &Actuation,
    opt: &StepOptions,
) -> bool {
    let mut touched = false;
    for tree in 0..model.trees.len() {
        if data.step.dirty[tree] {
            solve_tree(model, state, data, act, opt, tree);
            touched |= data.step.rows.touched[tree];
        }
    }
    touched
}

/// Velocities at the end of the step from the trees' own and the rows' change, for joints and for bodies with
/// contacts.
fn settle_velocities(model: &Model, data: &mut Data) {
    let step = &mut data.step;
    if step.rows.specs.is_empty() {
        step.next_v.copy_from_slice(&step.free_v);
    } else {
        for (k, v) in step.next_v.iter_mut().enumerate() {
            *v = step.free_v[k] + step.rows.change[k];
        }
    }
    for tree in 0..model.trees.len() {
        let (start, end) = data.step.contacts_of[tree];
        if start < end && (data.step.dirty[tree] || data.step.rows.touched[tree]) {
            next_body_velocities(model, data, tree);
        }
    }
}

/// Solves the rows; impulses found before are only applied anew where no row's velocity moved by more than `stale`.
fn solve_rows(model: &Model, state: &State, data: &mut Data, opt: &StepOptions, stale: f64) -> RowReport {
    if data.step.rows.specs.is_empty() {
        return RowReport::default();
    }
    let mut rows = core::mem::take(&mut data.step.rows);
    // Velocities without rows, of joints and of the bodies rows touch.
    let free_v = core::mem::take(&mut data.step.free_v);
    let mut bodies = core::mem::take(&mut data.step.next_body);
    for tree in 0..model.trees.len() {
        if rows.touched[tree] {
            body_velocities(model, data, tree, &free_v, &mut bodies);
        }
    }
    let again = stale == 0.0 || rows.staleness(&bodies, &free_v) > stale;
    if again {
        rows.respond(model, data, &bodies, &free_v);
    }
    data.step.free_v = free_v;
    data.step.next_body = bodies;
    if !again {
        rows.reapply(model, data);
        data.step.rows = rows;
        return RowReport { rows: data.step.rows.specs.len(), ..RowReport::default() };
    }
    // Pins hold chains of bodies together, which sweeps do slowly: a direct solve while it is small.
    // Joints as rows are nothing but such chains.
    let most = rows.specs.iter().map(|r| match r.cause {
        Cause::Joint => 600,
        Cause::Pin => 120,
        _ => 0,
    });
    let direct = opt.formulation == Formulation::LcpDantzig || rows.specs.len() <= most.max().unwrap_or(0);
    let rests = rows.typical_speed(&data.velocity.body, &state.v) < RESTING;
    let sweeps = if rests { opt.sweeps } else { opt.sweeps.div_ceil(4) };
    let report = if direct {
        rows.solve_direct(model, data, sweeps, opt.tolerance)
    } else {
        rows.solve_sweeps(model, data, sweeps, opt.tolerance)
    };
    data.step.rows = rows;
    report
}

/// Articulated-body pass of one tree with everything implicit in it; writes its free velocities.
fn solve_tree(
    model: &Model,
    state: &State,
    data: &mut Data,
    act: &Actuation,
    opt: &StepOptions,
    tree: usize,
) {
    let bodies = model.trees[tree].clone();
    let forces = core::mem::take(&mut data.step.forces);
    rigid(model, data, bodies.clone(), &forces.body);
    for i in bodies.clone() {
        if bias::is_own(model, data, i) {
            data.dynamics.articulated_bias[i] = bias::inertial_force(model, data, i, opt.dt) - forces.body[i];
        }
    }
    let contacts = data.step.contacts_of[tree];
    let terms = data.step.terms_of[tree];
    let implicit_contacts = opt.formulation == Formulation::ImplicitPenalty && contacts.0 < contacts.1;
    if implicit_contacts || terms.0 < terms.1 {
        drift(model, data, bodies.clone());
        for k in terms.0..terms.1 {
            let (body, term) = &act.implicit[data.step.term_order[k as usize] as usize];
            add_implicit(data, body.index(), term, opt.dt);
        }
    }
    if implicit_contacts {
        for k in contacts.0..contacts.1 {
            let contact = &data.contact.points[k as usize];
            if contact.phase != Phase::Open {
                let i = contact.body_a;
                let r = contact.point - data.position.world_from_body[i].translation;
                let term: ImplicitForce = implicit::term(contact, r, opt.dt);
                add_implicit(data, i, &term, opt.dt);
            }
        }
    }
    let first = model.links[bodies.start].v as usize;
    let end = model.bodies[bodies.end - 1].v_range().end;
    for i in bodies.clone() {
        if act.prescribed[i] {
            let range = model.bodies[i].v_range();
            data.dynamics.acceleration[range.clone()].copy_from_slice(&act.prescribed_acceleration[range]);
        }
    }
    let explicit = opt.formulation == Formulation::Penalty;
    let drive =
        if explicit { Drive::explicit(&forces.joint) } else { Drive::implicit(&forces, &state.v, opt.dt) };
    let stiff = implicit_contacts || terms.0 < terms.1;
    inward(model, data, bodies.clone(), &drive.prescribing(&act.prescribed).stiffened(stiff));
    outward(model, data, bodies);
    for k in first..end {
        data.step.free_v[k] = state.v[k] + opt.dt * data.dynamics.acceleration[k];
    }
    data.step.forces = forces;
    bias::take_at_middle(model, state, data, opt, tree);
}

/// Body velocities of a tree at the end of the step (old pose, new rates).
pub(super) fn next_body_velocities(model: &Model, data: &mut Data, tree: usize) {
    let mut bodies = core::mem::take(&mut data.step.next_body);
    body_velocities(model, data, tree, &data.step.next_v, &mut bodies);
    data.step.next_body = bodies;
}

/// Body velocities of a tree for given joint rates.
fn body_velocities(model: &Model, data: &Data, tree: usize, v: &[f64], out: &mut [Motion]) {
    for i in model.trees[tree].clone() {
        let link = &model.links[i];
        let parent = if link.parent == NONE { Motion::ZERO } else { out[link.parent as usize] };
        let (r, axes) = (data.position.offset[i], &data.position.axes[i]);
        out[i] = moved(link.kind, parent, r, axes, &v[link.v as usize..]).0;
    }
}

/// Lets contacts and servos change sides; whether any tree must be solved again.
fn switch(
    model: &Model,
    state: &State,
    data: &mut Data,
    act: &Actuation,
    opt: &StepOptions,
    rounds_left: usize,
) -> bool {
    let mut again = false;
    let friction_left = rounds_left.saturating_sub(opt.passes - opt.passes.min(FRICTION_PASSES));
    for tree in 0..model.trees.len() {
        if data.step.sleep.asleep[tree] {
            continue;
        }
        let mut changed = false;
        if opt.formulation == Formulation::ImplicitPenalty {
            let (start, end) = data.step.contacts_of[tree];
            for k in start..end {
                let contact = &mut data.contact.points[k as usize];
                let r = contact.point - data.position.world_from_body[contact.body_a].translation;
                let v = data.step.next_body[contact.body_a].at(r).linear;
                changed |= implicit::switch(contact, v, opt.dt, rounds_left, friction_left);
            }
        }
        if rounds_left > 0 && opt.formulation != Formulation::Penalty {
            changed |= gather::saturate(model, state, data, act, opt, tree);
        }
        if rounds_left > 0 && !act.pins.is_empty() && data.step.rows.touched[tree] {
            next_body_velocities(model, data, tree);
            changed |= bias::is_stale(model, data, opt.dt, tree);
        }
        data.step.dirty[tree] = changed;
        again |= changed;
    }
    again
}

/// Forces of implicit contacts at the final velocities; nothing switches any more.
fn read_contact_forces(data: &mut Data, opt: &StepOptions) {
    if opt.formulation != Formulation::ImplicitPenalty {
        return;
    }
    for contact in &mut data.contact.points[..data.contact.n_static] {
        let r = contact.point - data.position.world_from_body[contact.body_a].translation;
        let v = data.step.next_body[contact.body_a].at(r).linear;
        contact.force =
            if contact.phase == Phase::Open { DVec3::ZERO } else { implicit::force(contact, v, opt.dt) };
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
