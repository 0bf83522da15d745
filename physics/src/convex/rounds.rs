//! One island's problem in rounds: friction bounded by the normal impulses just found, contacts that made energy calmed.

use super::islands::Island;
use super::newton::{self, Begin};
use super::{Convex, calm, contacts, firm, pins};
use crate::actuation::Actuation;
use crate::data::Data;
use crate::model::Model;
use crate::state::State;
use crate::step::StepOptions;

/// (4) of `newton.rs`: the momentum that may be left over, relative to those at work.
const TOLERANCE: f64 = 1e-4;
/// The same while friction's bounds are still to be found: no more digits than those have.
const ROUGH: f64 = 1e-2;
/// Most rounds of friction: with the bounds of the last step, then with those just found. The second mostly ends it.
const FRICTION_ROUNDS: usize = 10;
/// How often an island is solved again whose contacts made energy: those to blame calmed, twice, as calming some may bring out others, then all.
const CALMED: usize = 3;

/// Solves one island; again with its contacts calmed while those make energy. How the last solve went, and the Newton steps of all.
pub(super) fn solve(
    model: &Model,
    state: &State,
    data: &mut Data,
    act: &Actuation,
    opt: &StepOptions,
    convex: &mut Convex,
    island: Island,
    begin: Begin,
) -> (newton::Outcome, usize) {
    convex.pairs.is_planned = false;
    let scales = newton::scales(model, state, data, convex, island, TOLERANCE);
    let (mut outcome, mut steps) =
        solve_in_rounds(model, state, data, act, opt, convex, island, &scales, begin);
    for _ in 0..CALMED {
        if !calm::calm(model, state, data, convex, island) {
            break;
        }
        let (again, more) =
            solve_in_rounds(model, state, data, act, opt, convex, island, &scales, Begin::Look);
        (outcome, steps) = (again, steps + more);
    }
    (outcome, steps)
}

/// Solves one island with friction in rounds: how the last one went, and the Newton steps of all.
fn solve_in_rounds(
    model: &Model,
    state: &State,
    data: &mut Data,
    act: &Actuation,
    opt: &StepOptions,
    convex: &mut Convex,
    island: Island,
    scales: &newton::Scales,
    begin: Begin,
) -> (newton::Outcome, usize) {
    let (mut steps, mut round, mut tolerance) = (0, 0, ROUGH);
    let mut bounds = contacts::Bounds::default();
    let energies = if act.pins.is_empty() { (0.0, 0.0) } else { calm::energies(model, data, convex, island) };
    loop {
        // Bounds that changed are answered by a step at least: a rough solve may pass without, and they would seem to stand.
        let begin = match round {
            0 => begin,
            _ if tolerance == ROUGH => Begin::Step,
            _ => Begin::Look,
        };
        let mut outcome = newton::solve(model, state, data, act, convex, island, scales, tolerance, begin);
        steps += outcome.iterations;
        if !outcome.converged
            && let Some((firmed, more)) =
                firm::solve(model, state, data, act, convex, island, scales, tolerance)
        {
            (outcome, steps) = (firmed, steps + more);
        }
        let rows = Island::of(island.rows, &convex.islands.rows);
        if round == 0
            && !act.pins.is_empty()
            && pins::soften(model, data, act, &mut convex.rows, rows, energies, opt.dt)
        {
            // Whatever hard pins did that contradict something is no measure of anything.
            continue;
        }
        round += 1;
        if !outcome.converged || round == FRICTION_ROUNDS {
            return (outcome, steps);
        }
        let mut again = round == 1 && contacts::rebound(&mut convex.rows, rows);
        again |= bounds.renew(data, &mut convex.rows, rows);
        again |= pins::renew_bounds(act, &mut convex.rows, rows, opt);
        if round + 1 == FRICTION_ROUNDS || !again {
            // Bounds that stand: the rest of the way.
            if outcome.residual <= TOLERANCE {
                return (outcome, steps);
            }
            tolerance = TOLERANCE;
            round = FRICTION_ROUNDS - 1;
        }
    }
}
