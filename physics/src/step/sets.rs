//! Rounds until the sets of open, sticking and slipping contacts and of saturated drives stand.
//!
//! ```text
//! 0. take the bias forces of fast trees at the middle velocity that the last step's sets lead to   (bias.rs)
//! 1. solve the trees whose sets changed               (trees.rs: only the changed paths are folded again)
//! 2. first round: solve the rows between trees        (rows.rs)
//! 3. where along the way to the new velocities is the least of the trees' convex cost?   (descent.rs)
//! 4. read the sets there; where nothing changes any more the tree is done
//! ```
//!
//! Trees are independent in between: the rows keep the velocity change of the first round and are solved again once all
//! sets stand, if that moved any row by more than [`STALE`]. Beyond the allowed rounds friction only gives
//! way, while contacts go on opening and closing, without friction where they close.

use glam::DVec3;

use super::rows::Cause;
use super::solve::{body_velocities, next_body_velocities};
use super::{Formulation, RowReport, StepOptions, StepReport, bias, descent, gather, trees};
use crate::actuation::Actuation;
use crate::contact::{Phase, implicit};
use crate::data::Data;
use crate::model::Model;
use crate::state::State;

/// Change of a row's velocity, m/s, that the rows' impulses of the first round outlive (besides a hundredth of its
/// speed).
const STALE: f64 = 1e-3;
/// Sweeps of the first solve: the trees' sets are about to change, which moves the rows again.
const FIRST_SWEEPS: usize = 8;
/// Rounds in which friction may change between stick and slip.
const FRICTION_PASSES: usize = 3;
/// Share of the cone that friction falls back to where it leaves it and may only give way, so that it does so once and
/// not by hair's breadths: in the regular rounds, then in extra rounds in which contacts may only be dropped. In the last
/// of them what still leaves the cone goes without friction for this step, which ends the rounds within the laws.
const GIVE_WAY: [f64; 7] = [0.9, 0.9, 0.6, 0.3, 0.0, 0.0, 0.0];

/// Finds the sets; leaves the velocities at the end of the step and the forces that lead there.
pub(super) fn find(
    model: &Model,
    state: &State,
    data: &mut Data,
    act: &Actuation,
    opt: &StepOptions,
    report: &mut StepReport,
) {
    for tree in 0..model.trees.len() {
        let awake = !data.step.sleep.asleep[tree];
        data.step.dirty[tree] = awake;
        if awake {
            trees::prepare(model, data, act, opt, tree);
            if data.step.bias.is_fast(tree) {
                trees::solve(model, state, data, act, opt, tree);
                bias::take_at_middle(model, state, data, opt, tree);
                trees::prepare(model, data, act, opt, tree);
            }
        }
    }
    // A slide has no spring: what it kept is what a point that sticks in the next step begins with.
    for contact in &mut data.contact.points[..data.contact.n_static] {
        if contact.phase == Phase::Slip && opt.formulation == Formulation::ImplicitPenalty {
            contact.stretch = DVec3::ZERO;
        }
    }
    data.step.begun.fill(false);
    data.step.moved.fill(false);
    data.step.ways.clear();
    data.step.ways.resize(data.contact.n_static, descent::Way::default());
    let most = opt.passes.max(1) + GIVE_WAY.len() - 1;
    let (mut rows_stale, mut rows_open) = (false, false);
    loop {
        report.passes += 1;
        rows_stale |= solve_dirty_trees(model, state, data, act, opt);
        if report.passes == 1 {
            report.rows = solve_rows(model, data, opt, 0.0, opt.sweeps.min(FIRST_SWEEPS));
            rows_stale = !report.rows.settled;
            rows_open = rows_stale;
        }
        settle(model, data, opt);
        let left = opt.passes.saturating_sub(report.passes);
        let give_way = GIVE_WAY[report.passes.saturating_sub(opt.passes).min(GIVE_WAY.len() - 1)];
        let mut again = switch(model, state, data, act, opt, left, give_way);
        if !again && rows_stale {
            let stale = if rows_open { 0.0 } else { STALE };
            report.rows = solve_rows(model, data, opt, stale, opt.sweeps);
            (rows_stale, rows_open) = (false, false);
            settle(model, data, opt);
            again = switch(model, state, data, act, opt, 0, give_way);
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
    report.rows = solve_rows(model, data, opt, if rows_open { 0.0 } else { STALE }, opt.sweeps);
    settle(model, data, opt);
    read_contact_forces(data, opt);
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
            trees::solve(model, state, data, act, opt, tree);
            data.step.dirty[tree] = false;
            data.step.moved[tree] = true;
            data.step.rows.forget(tree);
            touched |= data.step.rows.touched[tree];
        }
    }
    touched
}

/// Velocities at the end of the step from the trees' own and the rows' change, for joints and for bodies with
/// contacts, of trees that moved.
fn settle(model: &Model, data: &mut Data, opt: &StepOptions) {
    let step = &mut data.step;
    for tree in 0..model.trees.len() {
        if !step.moved[tree] {
            continue;
        }
        let range = model.freedoms_of(tree);
        let touched = step.rows.touched[tree];
        step.next_v[range.clone()].copy_from_slice(&step.free_v[range.clone()]);
        if touched {
            for k in range {
                step.next_v[k] += step.rows.change[k];
            }
        }
        if opt.formulation != Formulation::ImplicitPenalty {
            continue;
        }
        let (start, end) = step.contacts_of[tree];
        let mut last = usize::MAX;
        for contact in &data.contact.points[start as usize..end as usize] {
            let i = contact.body_a;
            if i == last {
                continue;
            }
            last = i;
            // J (v + h q̈), as J q̈ is the acceleration beyond the drift.
            let gained = data.dynamics.body_acceleration[i] - data.velocity.drift[i];
            step.next_body[i] = data.velocity.body[i] + gained * opt.dt;
            if touched {
                step.next_body[i] += step.rows.body_change[i];
            }
        }
    }
}

/// Solves the rows; impulses found before are only applied anew where no row's velocity moved by more than `stale`.
fn solve_rows(model: &Model, data: &mut Data, opt: &StepOptions, stale: f64, sweeps: usize) -> RowReport {
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
            // Whatever the rows do, it is not a step along the old way.
            data.step.moved[tree] = true;
            data.step.begun[tree] = false;
        }
    }
    let again = stale == 0.0 || rows.is_stale(&bodies, &free_v, stale);
    if again {
        rows.respond(model, data, &bodies, &free_v);
    }
    data.step.free_v = free_v;
    data.step.next_body = bodies;
    if !again {
        rows.reapply(model, data);
        data.step.rows = rows;
        return RowReport { rows: data.step.rows.specs.len(), settled: true, ..RowReport::default() };
    }
    // Pins hold chains of bodies together, which sweeps do slowly: a direct solve while it is small.
    // Joints as rows are nothing but such chains.
    let most = rows.specs.iter().map(|r| match r.cause {
        Cause::Joint => 600,
        Cause::Pin => 120,
        _ => 0,
    });
    let direct = opt.formulation == Formulation::LcpDantzig || rows.specs.len() <= most.max().unwrap_or(0);
    let report = if direct {
        rows.solve_direct(model, data, sweeps, opt.tolerance)
    } else {
        rows.solve_sweeps(model, data, sweeps, opt.tolerance)
    };
    data.step.rows = rows;
    report
}

/// Lets contacts and servos of the trees that moved change sides; whether any tree must be solved again.
fn switch(
    model: &Model,
    state: &State,
    data: &mut Data,
    act: &Actuation,
    opt: &StepOptions,
    rounds_left: usize,
    give_way: f64,
) -> bool {
    let mut again = false;
    for tree in 0..model.trees.len() {
        if !data.step.moved[tree] {
            continue;
        }
        data.step.moved[tree] = false;
        let mut changed = false;
        if opt.formulation == Formulation::ImplicitPenalty {
            changed |= switch_contacts(data, opt, tree, rounds_left, give_way);
        }
        if rounds_left > 0
            && opt.formulation != Formulation::Penalty
            && gather::saturate(model, state, data, act, opt, tree)
        {
            changed = true;
            data.step.begun[tree] = false;
        }
        // Pins force a tree lastingly: its bias forces must know.
        if rounds_left > 0 && !act.pins.is_empty() && data.step.rows.touched[tree] {
            next_body_velocities(model, data, tree);
            if bias::is_stale(model, data, opt.dt, tree) {
                bias::take_at_middle(model, state, data, opt, tree);
                trees::prepare(model, data, act, opt, tree);
                changed = true;
            }
        }
        data.step.dirty[tree] = changed;
        again |= changed;
    }
    again
}

/// Lets the contacts of one tree with the world change sides; whether it must be solved again.
fn switch_contacts(
    data: &mut Data,
    opt: &StepOptions,
    tree: usize,
    rounds_left: usize,
    give_way: f64,
) -> bool {
    let friction_left = rounds_left.saturating_sub(opt.passes - opt.passes.min(FRICTION_PASSES));
    let (start, end) = data.step.contacts_of[tree];
    let range = start as usize..end as usize;
    let contacts = &mut data.contact.points[range.clone()];
    let ways = &mut data.step.ways[range];
    for (contact, way) in contacts.iter().zip(ways.iter_mut()) {
        let r = contact.point - data.position.world_from_body[contact.body_a].translation;
        way.arrive(contact, data.step.next_body[contact.body_a].at(r).linear, opt.dt);
    }
    let searching = data.step.begun[tree];
    let share = if searching { descent::share(contacts, ways, opt.dt) } else { 1.0 };
    data.step.begun[tree] = true;
    let body_changed = &mut data.step.changed;
    let mut read = |share: f64| {
        let mut changed = false;
        for (contact, way) in contacts.iter_mut().zip(ways.iter_mut()) {
            if implicit::switch(contact, way.at(share), opt.dt, friction_left, give_way) {
                body_changed[contact.body_a] = true;
                changed = true;
            }
        }
        for (contact, way) in contacts.iter_mut().zip(ways.iter_mut()) {
            way.start_from(share, contact, opt.dt);
        }
        changed
    };
    let mut changed = read(share);
    if share < 1.0 && !changed {
        // Stopped before the end for nothing that shows in the sets.
        changed = read(1.0);
    }
    changed
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
