//! A step of the baselines: trees solved freely, rows on top, commit.

use super::{
    ExtraRows, Formulation, StepError, StepOptions, StepReport, bias, books, contact_rows, gather, limits,
    pins, reaction, sets, sleep,
};
use crate::actuation::Actuation;
use crate::contact::penalty;
use crate::convex::flow;
use crate::data::Data;
use crate::dynamics::kinematics::moved;
use crate::model::{JointKind, Model, NONE};
use crate::spatial::{Force, Motion};
use crate::state::{State, quaternion, vec3, write3};

/// One step (or sub-step) of explicit springs or of a rigid formulation. `named` is the actuation that reports are about: `act`,
/// unless its motors and rows come by `extra`, as joints do. Whoever has those says what passed through the joints.
pub(crate) fn advance_once(
    model: &Model,
    state: &mut State,
    data: &mut Data,
    act: &Actuation,
    named: &Actuation,
    opt: &StepOptions,
    mut extra: Option<&mut ExtraRows<'_>>,
) -> Result<StepReport, StepError> {
    sleep::decide(model, state, data, act, opt);
    gather::gather(model, state, data, act, opt);
    bias::prepare(model, data, opt.dt);
    sort_by_tree(model, data, act);
    data.step.forces.body.copy_from_slice(&act.body_force);
    if opt.formulation == Formulation::Penalty {
        add_explicit_contacts(model, data, opt);
    }
    assemble_rows(model, state, data, act, opt, extra.as_deref_mut());
    data.step.rows.change.fill(0.0);

    let mut report = StepReport {
        contacts: data.contact.points.len(),
        deepest: data.contact.points.iter().fold(0.0, |m, c| c.depth.max(m)),
        ..StepReport::default()
    };
    sets::find(model, state, data, act, opt, &mut report);
    finish_contacts(model, data, opt);
    for tree in 0..model.trees.len() {
        next_body_velocities(model, data, tree);
    }
    let share = opt.dt / data.step.whole;
    let next_v = core::mem::take(&mut data.step.next_v);
    pins::report(named, data, &next_v, share, opt);
    data.step.next_v = next_v;
    let mut problem = core::mem::take(&mut data.convex);
    flow::take_over(model, data, act, opt, &mut problem);
    if extra.is_none() {
        reaction::write(model, state, data, act, share, opt, &problem);
    }
    let mut next = next_state(model, state, data, opt);
    problem.rises.copy_from_slice(&data.memory.rises);
    flow::move_fast(model, state, data, act, &mut problem, &mut next);
    data.convex = problem;
    sleep::finish(model, state, &mut next, &mut data.memory.sleep, opt);
    check_finite(model, state, data, &next)?;
    if opt.ledger {
        report.ledger = books::keep_books(model, state, &next, data, act, opt);
    }
    data.memory.rises.copy_from_slice(&data.convex.rises);
    data.memory.keep_contacts(&data.contact.points, data.contact.n_static, share);
    let old = core::mem::replace(state, next);
    data.step.spare = old;
    Ok(report)
}

/// Which implicit terms belong to which tree.
fn sort_by_tree(model: &Model, data: &mut Data, act: &Actuation) {
    let step = &mut data.step;
    let trees = model.trees.len();
    // Counting sort, stable, so that the order of addition never depends on anything else.
    step.terms_of.fill((0, 0));
    for (body, _) in &act.implicit {
        step.terms_of[model.tree_number(*body)].1 += 1;
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
        let range = &mut step.terms_of[model.tree_number(*body)];
        step.term_order[range.1 as usize] = k as u32;
        range.1 += 1;
    }
}

/// Explicit penalty: forces of all contacts from the present velocities.
fn add_explicit_contacts(model: &Model, data: &mut Data, opt: &StepOptions) {
    for contact in &mut data.contact.points {
        if data.memory.sleep.asleep[model.tree_of[contact.a()] as usize] {
            continue;
        }
        let force = penalty::force(contact, contact.velocity, opt.normal_law);
        // Anchored anew where it touches now: a point of a rolling body leaves the ground after a while.
        contact.stick_with(contact.stick.stretch, &data.position);
        let arm = |b: usize| contact.point - data.position.world_from_body[b].translation;
        data.step.forces.body[contact.a()] += Force::at_offset(force, arm(contact.a()));
        if let Some(b) = contact.b() {
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
    extra: Option<&mut ExtraRows<'_>>,
) {
    let mut rows = core::mem::take(&mut data.step.rows);
    rows.clear(model);
    limits::push_rows(model, state, data, opt, &mut rows);
    pins::push_rows(model, data, act, opt, &mut rows);
    if let Some(extra) = extra {
        extra(data, &mut rows);
    }
    let n_rows = if opt.formulation.is_rigid() { data.contact.points.len() } else { 0 };
    for index in 0..n_rows {
        if data.memory.sleep.asleep[model.tree_of[data.contact.points[index].body_a] as usize] {
            continue;
        }
        let row = contact_rows::push_rows(model, data, index, opt, &mut rows);
        data.contact.points[index].row = row;
    }
    rows.assemble(model, &data.velocity.body, &state.v);
    data.step.rows = rows;
}

/// Body velocities of a tree at the end of the step (old pose, new rates).
pub(super) fn next_body_velocities(model: &Model, data: &mut Data, tree: usize) {
    let mut bodies = core::mem::take(&mut data.step.next_body);
    body_velocities(model, data, tree, &data.step.next_v, &mut bodies);
    data.step.next_body = bodies;
}

/// Body velocities of a tree for given joint rates.
pub(crate) fn body_velocities(model: &Model, data: &Data, tree: usize, v: &[f64], out: &mut [Motion]) {
    for i in model.trees[tree].clone() {
        let link = &model.links[i];
        let parent = if link.parent == NONE { Motion::ZERO } else { out[link.parent as usize] };
        let (r, axes) = (data.position.offset[i], &data.position.axes[i]);
        out[i] = moved(link.kind, parent, r, axes, &v[link.v as usize..]).0;
    }
}

/// After the last round: the contacts' final forces.
fn finish_contacts(model: &Model, data: &mut Data, opt: &StepOptions) {
    if opt.formulation.is_rigid() {
        contact_rows::read_back(model, data, opt);
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
pub(super) fn check_finite(
    model: &Model,
    state: &State,
    data: &mut Data,
    next: &State,
) -> Result<(), StepError> {
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
