//! A step by one convex problem: kick all velocities at once, then move on freely; look where that ends.

use super::end_pose::{self, Through};
use super::look::look_about;
use super::solve::check_finite;
use super::{Ledger, RowReport, StepError, StepOptions, StepReport, observe, prescribed, ready, sleep, told};
use crate::actuation::Actuation;
use crate::convex::{self, Convex, books, flow};
use crate::data::Data;
use crate::dynamics::kinematics::{forward_kinematics_of, forward_velocity_of};
use crate::model::Model;
use crate::state::State;

/// How often the problem is solved again with points that came through.
const AGAIN: usize = 2;
/// How often a step is halved in which limbs, that turn by a radian, end beyond their limits all the same.
const HALVED: usize = 5;
/// How often one is whose points come through all the same. What is squeezed between bodies that go where they are told comes through however short the
/// step is, and is thrown the faster.
const HALVED_FOR_POINTS: usize = 3;

/// One step.
pub(super) fn advance(
    model: &Model,
    state: &mut State,
    data: &mut Data,
    act: &Actuation,
    opt: &StepOptions,
) -> Result<StepReport, StepError> {
    data.step.told.mark(model, act);
    if data.looked.lacks(&data.step.told) {
        // Who was told when contacts were looked for and can be pushed now.
        look_about(model, state, data, opt);
        ready(model, data, opt);
    }
    told::find_idle(model, data, act, opt);
    if data.step.told.all_idle() {
        return advance_told(model, state, data, act, opt);
    }
    data.convex.take_heart();
    advance_halving(model, state, data, act, opt, HALVED)
}

/// A step in which everybody goes where they are told: there is no problem to solve.
fn advance_told(
    model: &Model,
    state: &mut State,
    data: &mut Data,
    act: &Actuation,
    opt: &StepOptions,
) -> Result<StepReport, StepError> {
    sleep::decide(model, state, data, act, opt);
    let mut next = core::mem::replace(&mut data.step.spare, State::empty());
    next.clone_from(state);
    convex::told::advance(model, state, data, act, opt.dt, &mut next);
    next.time = state.time + opt.dt;
    if let Err(error) = check_finite(model, state, data, &next) {
        data.step.spare = next;
        return Err(error);
    }
    data.contact.points.iter_mut().for_each(|contact| contact.let_go());
    let deepest = data.contact.points.iter().fold(0.0, |m, c| c.depth.max(m));
    let contacts = data.contact.points.len();
    look_about(model, &next, data, opt);
    sleep::finish(model, state, &mut next, &mut data.memory.sleep, opt);
    data.memory.keep_contacts(&[], 0, 1.0);
    data.step.spare = core::mem::replace(state, next);
    let rows = RowReport { settled: true, ..RowReport::default() };
    Ok(StepReport { contacts, deepest, rows, substeps: 1, substep: opt.dt, ..StepReport::default() })
}

/// Puts state and memory back as they were if a step that is taken in halves fails in one of them.
fn advance_whole_or_not(
    model: &Model,
    state: &mut State,
    data: &mut Data,
    act: &Actuation,
    opt: &StepOptions,
    halvings: usize,
) -> Result<StepReport, StepError> {
    let mut before = core::mem::replace(&mut data.step.before, State::empty());
    before.clone_from(state);
    let mut kept = core::mem::take(&mut data.step.kept).unwrap_or_else(|| data.memory.clone());
    kept.clone_from(&data.memory);
    // What the whole step tried in vain is not held against its halves; these share one patience, however often they are halved again.
    data.convex.take_heart();
    let report = advance_in_halves(model, state, data, act, opt, halvings);
    if report.is_err() {
        state.clone_from(&before);
        data.memory.clone_from(&kept);
    }
    data.step.before = before;
    data.step.kept = Some(kept);
    report
}

fn advance_halving(
    model: &Model,
    state: &mut State,
    data: &mut Data,
    act: &Actuation,
    opt: &StepOptions,
    halvings: usize,
) -> Result<StepReport, StepError> {
    let mut problem = core::mem::take(&mut data.convex);
    let mut next = core::mem::replace(&mut data.step.spare, State::empty());
    let tried = try_step(model, state, data, act, opt, &mut problem, &mut next, halvings);
    data.convex = problem;
    match tried {
        Ok(Some(report)) => {
            data.step.spare = core::mem::replace(state, next);
            Ok(report)
        }
        Ok(None) => {
            data.step.spare = next;
            // The outermost halving keeps what was.
            let halve = if halvings == HALVED { advance_whole_or_not } else { advance_in_halves };
            halve(model, state, data, act, opt, halvings - 1)
        }
        Err(error) => {
            data.step.spare = next;
            Err(error)
        }
    }
}

fn advance_in_halves(
    model: &Model,
    state: &mut State,
    data: &mut Data,
    act: &Actuation,
    opt: &StepOptions,
    halvings: usize,
) -> Result<StepReport, StepError> {
    let half = StepOptions { dt: 0.5 * opt.dt, ..*opt };
    let end = state.time + opt.dt;
    observe(model, state, data, &half);
    let first = advance_halving(model, state, data, act, &half, halvings)?;
    observe(model, state, data, &half);
    prescribed::go_on(model, state, data, act);
    let second = advance_halving(model, state, data, act, &half, halvings)?;
    state.time = end;
    Ok(both(&first, second))
}

/// The report of two halves.
fn both(first: &StepReport, mut second: StepReport) -> StepReport {
    let mut ledger: Ledger = first.ledger;
    ledger.add(&second.ledger);
    second.ledger = ledger;
    (second.substeps, second.substep) = (first.substeps + second.substeps, first.substep.min(second.substep));
    second.deepest = second.deepest.max(first.deepest);
    second.solve.join(&first.solve);
    second.rows.iterations = second.solve.iterations;
    second
}

/// Poses and velocities of a tree.
fn look_at_tree(model: &Model, state: &State, data: &mut Data, tree: usize) {
    forward_kinematics_of(model, state, data, model.trees[tree].clone());
    forward_velocity_of(model, state, data, model.trees[tree].clone());
}

/// Solves and moves on, again while points come through or limits are overshot; `None` if that is so to the end, unless it has been halved often enough for that.
fn try_step(
    model: &Model,
    state: &mut State,
    data: &mut Data,
    act: &Actuation,
    opt: &StepOptions,
    problem: &mut Convex,
    next: &mut State,
    halvings: usize,
) -> Result<Option<StepReport>, StepError> {
    sleep::decide(model, state, data, act, opt);
    flow::choose(model, act, data, opt.dt, problem);
    let mut report = StepReport {
        contacts: data.contact.points.len(),
        deepest: data.contact.points.iter().fold(0.0, |m, c| c.depth.max(m)),
        ..StepReport::default()
    };
    problem.begin();
    problem.rises.copy_from_slice(&data.memory.rises);
    problem.open_all();
    next.clone_from(state);
    data.step.placed.clone_from(&data.collision.world_from_shape);
    let mut through: Vec<Through> = core::mem::take(&mut data.step.through);
    let mut again = 0;
    let (is_through, is_overshot) = loop {
        told::find_idle(model, data, act, opt);
        report.solve.join(&convex::solve(model, state, data, act, opt, problem, again > 0));
        let books = opt.ledger.then(|| books::enter(model, state, data, act, problem));
        if opt.ledger {
            for tree in (0..model.trees.len()).filter(|&tree| !problem.is_open(tree)) {
                look_at_tree(model, next, data, tree);
            }
        }
        flow::move_on(model, state, data, act, problem, next);
        next.time = state.time + opt.dt;
        if let Some(books) = books {
            report.ledger = books.close(model, data, problem, next);
        }
        check_finite(model, state, data, next)?;
        look_about(model, next, data, opt);
        end_pose::find(model, data, &problem.rows, opt.dt, &mut through);
        let (is_through, is_overshot) = (!through.is_empty(), problem.find_overshot(model, state, next, act));
        if !(is_through || is_overshot) || again == AGAIN || problem.is_tired() {
            break (is_through, is_overshot);
        }
        again += 1;
        let hit = || through.iter().flat_map(|point| point.trees(model));
        sleep::wake_hit(data, hit());
        problem.open(model, &data.memory.sleep.asleep, hit());
        // Back to the beginning, where the books look at all trees.
        for tree in (0..model.trees.len()).filter(|&tree| problem.is_open(tree) || opt.ledger) {
            look_at_tree(model, state, data, tree);
            if problem.is_open(tree) {
                let coordinates = model.coordinates_of(tree);
                next.q[coordinates.clone()].copy_from_slice(&state.q[coordinates]);
            }
        }
        data.looked.forget();
        end_pose::put_in(model, data, &problem.rows, &through, opt.dt);
    };
    data.step.through = through;
    let is_halved = is_through && halvings > HALVED - HALVED_FOR_POINTS || is_overshot && halvings > 0;
    if is_halved && !problem.is_tired() {
        return Ok(None);
    }
    report.solve.cut_short |= (is_through || is_overshot) && problem.is_tired();
    report.solve.again = again;
    (report.substeps, report.substep) = (1, opt.dt);
    report.passes = report.solve.most;
    report.rows = RowReport {
        rows: 3 * problem.rows.len() + problem.joints.len(),
        iterations: report.solve.iterations,
        residual: report.solve.residual,
        settled: report.solve.unsolved == 0,
        ..RowReport::default()
    };
    convex::keep(model, act, data, problem);
    data.memory.warm.remember(model, problem, next);
    data.memory.rises.copy_from_slice(&problem.rises);
    sleep::finish(model, state, next, &mut data.memory.sleep, opt);
    data.memory.keep_contacts(&data.contact.points, data.contact.n_static, opt.dt / data.step.whole);
    Ok(Some(report))
}

#[cfg(test)]
#[path = "convex_step_tests.rs"]
mod tests;
