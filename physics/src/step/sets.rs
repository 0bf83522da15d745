//! Trees solved freely, then the rows, again while servos reach their effort limits.
//!
//! ```text
//! 0. take the bias forces of fast trees at the middle velocity            (bias.rs)
//! 1. solve the trees in which something changed                           (trees.rs)
//! 2. solve the rows                                                       (rows.rs)
//! 3. cap servos beyond their limits; bring bias forces up to what pins did; again where anything changed
//! 4. look where joints would end; again with rows for the limits they would pass   (limits.rs)
//! ```

use super::rows::Cause;
use super::solve::{body_velocities, next_body_velocities};
use super::{Formulation, RowReport, StepOptions, StepReport, bias, calm, gather, limits, pins, trees};
use crate::actuation::Actuation;
use crate::data::Data;
use crate::model::Model;
use crate::state::State;

/// Leaves the velocities at the end of the step and the impulses that lead there.
pub(super) fn find(
    model: &Model,
    state: &State,
    data: &mut Data,
    act: &Actuation,
    opt: &StepOptions,
    report: &mut StepReport,
) {
    for tree in 0..model.trees.len() {
        let awake = !data.memory.sleep.asleep[tree];
        data.step.dirty[tree] = awake;
        if awake {
            trees::prepare(model, state, data, act, opt, tree);
            if data.step.bias.is_fast(tree) {
                trees::solve(model, state, data, act, opt, tree);
                bias::take_at_middle(model, state, data, opt, tree);
                trees::prepare(model, state, data, act, opt, tree);
            }
        }
    }
    data.step.moved.fill(false);
    let most = opt.passes.max(1);
    for round in 1..=most {
        report.passes = round;
        for tree in 0..model.trees.len() {
            if data.step.dirty[tree] {
                trees::solve(model, state, data, act, opt, tree);
                data.step.dirty[tree] = false;
                data.step.moved[tree] = true;
                data.step.rows.forget(tree);
            }
        }
        report.rows = solve_rows(model, data, act, opt);
        settle(model, data);
        // Rounds are work like any other: the bound holds for all of them together.
        let tired = report.rows.work > opt.most_work;
        if round == most || tired {
            return;
        }
        if !switch(model, state, data, act, opt) && !cut(model, state, data, act, opt) {
            return;
        }
    }
}

/// Rows for limits that the velocities found would pass; whether there are any.
fn cut(model: &Model, state: &State, data: &mut Data, act: &Actuation, opt: &StepOptions) -> bool {
    let mut rows = core::mem::take(&mut data.step.rows);
    let found = limits::cut(model, state, data, act, opt, &mut rows);
    if found {
        rows.assemble(model, &data.velocity.body, &state.v);
    }
    data.step.rows = rows;
    found
}

/// Joint velocities at the end of the step from the trees' own and the rows' change, of trees that moved.
fn settle(model: &Model, data: &mut Data) {
    let step = &mut data.step;
    for tree in (0..model.trees.len()).filter(|&tree| step.moved[tree]) {
        let range = model.freedoms_of(tree);
        step.next_v[range.clone()].copy_from_slice(&step.free_v[range.clone()]);
        if step.rows.touched[tree] {
            for k in range {
                step.next_v[k] += step.rows.change[k];
            }
        }
    }
}

/// Solves the rows for the present velocities of the trees.
fn solve_rows(model: &Model, data: &mut Data, act: &Actuation, opt: &StepOptions) -> RowReport {
    if data.step.rows.specs.is_empty() {
        return RowReport { settled: true, ..RowReport::default() };
    }
    let mut rows = core::mem::take(&mut data.step.rows);
    // Velocities without rows, of joints and of the bodies rows touch.
    let free_v = core::mem::take(&mut data.step.free_v);
    let mut bodies = core::mem::take(&mut data.step.next_body);
    for tree in 0..model.trees.len() {
        if rows.touched[tree] {
            body_velocities(model, data, tree, &free_v, &mut bodies);
            data.step.moved[tree] = true;
        }
    }
    rows.respond(model, data, &bodies, &free_v);
    data.step.free_v = free_v;
    data.step.next_body = bodies;
    // Pins hold chains of bodies together, which sweeps do slowly: a direct solve while it is small.
    // Joints as rows are nothing but such chains.
    let most = rows.specs.iter().map(|r| match r.cause {
        Cause::Joint => 600,
        Cause::Pin => 120,
        _ => 0,
    });
    let direct = opt.formulation == Formulation::LcpDantzig || rows.specs.len() <= most.max().unwrap_or(0);
    pins::size(model, data, act, opt, &mut rows);
    let mut report = rows.solve(model, data, opt, direct);
    while pins::soften(model, data, act, opt, &mut rows) {
        report = rows.solve(model, data, opt, direct);
    }
    if rows.shorten() {
        report = rows.solve(model, data, opt, direct);
    }
    if calm::calm(model, data, opt, &mut rows) {
        report = rows.solve(model, data, opt, direct);
    }
    calm::scale(model, data, opt, &mut rows);
    data.step.rows = rows;
    report
}

/// Caps servos and renews bias forces of the trees that moved; whether any tree must be solved again.
fn switch(model: &Model, state: &State, data: &mut Data, act: &Actuation, opt: &StepOptions) -> bool {
    let mut again = false;
    for tree in 0..model.trees.len() {
        if !data.step.moved[tree] {
            continue;
        }
        data.step.moved[tree] = false;
        let mut changed =
            opt.formulation != Formulation::Penalty && gather::saturate(model, state, data, act, opt, tree);
        // Pins force a tree lastingly: its bias forces must know.
        if !act.pins.is_empty() && data.step.rows.touched[tree] {
            next_body_velocities(model, data, tree);
            if bias::is_stale(model, data, opt.dt, tree) {
                bias::take_at_middle(model, state, data, opt, tree);
                trees::prepare(model, state, data, act, opt, tree);
                changed = true;
            }
        }
        data.step.dirty[tree] = changed;
        again |= changed;
    }
    again
}
