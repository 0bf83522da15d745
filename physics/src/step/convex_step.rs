//! A step by one convex problem: kick all velocities at once, then move on freely.

use super::solve::check_finite;
use super::{RowReport, StepError, StepOptions, StepReport, sleep};
use crate::actuation::Actuation;
use crate::convex::{self, books, flow};
use crate::data::Data;
use crate::model::Model;
use crate::state::State;

/// One step.
pub(super) fn advance(
    model: &Model,
    state: &mut State,
    data: &mut Data,
    act: &Actuation,
    opt: &StepOptions,
) -> Result<StepReport, StepError> {
    sleep::decide(model, state, data, act, opt);
    let mut problem = core::mem::take(&mut data.convex);
    flow::choose(model, act, data, opt.dt, &mut problem);
    let mut report = StepReport {
        contacts: data.contact.points.len(),
        deepest: data.contact.points.iter().fold(0.0, |m, c| c.depth.max(m)),
        ..StepReport::default()
    };
    report.solve = convex::solve(model, state, data, act, opt, &mut problem);
    report.passes = report.solve.most;
    report.rows = RowReport {
        rows: 3 * problem.rows.len() + problem.joints.len(),
        iterations: report.solve.iterations,
        residual: report.solve.residual,
        settled: report.solve.unsolved == 0,
        ..RowReport::default()
    };
    let books = opt.ledger.then(|| books::enter(model, state, data, act, &mut problem));
    let mut next =
        core::mem::replace(&mut data.step.spare, State { q: Vec::new(), v: Vec::new(), time: 0.0 });
    next.clone_from(state);
    flow::move_on(model, state, data, act, &mut problem, &mut next);
    next.time = state.time + opt.dt;
    if let Some(books) = books {
        report.ledger = books.close(model, data, &next);
    }
    data.memory.warm.remember(model, &problem, &next);
    data.convex = problem;
    sleep::finish(model, state, &mut next, &mut data.memory.sleep, opt);
    check_finite(model, state, data, &next)?;
    data.memory.keep_contacts(&data.contact.points, data.contact.n_static);
    let old = core::mem::replace(state, next);
    data.step.spare = old;
    Ok(report)
}
