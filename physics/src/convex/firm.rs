//! Motors that are all but rigid, made so in stages where they jam the solve.
//!
//! A motor whose effort is bounded answers a change of velocity by a billionth of what it acts on with all of its effort. Thirty of them on a figure are
//! thirty kinks within a hair of each other, and one solve in hundreds goes from kink to kink for a hundred Newton steps without an end. Softer ones lie apart:
//! so such an island is solved with soft motors first, then with firmer ones, each time from where the last solve ended, which has most of them at
//! the right one of their bounds or between them.

use super::Convex;
use super::combined::Law;
use super::drives::MOTOR;
use super::islands::Island;
use super::newton::{self, Begin, Outcome, Scales};
use super::rows::Source;
use crate::actuation::Actuation;
use crate::data::Data;
use crate::model::Model;
use crate::state::State;

/// Softness of the stages, relative to what a motor acts on; the last is the motor's own.
const STAGES: [f64; 4] = [1e-2, 1e-4, 1e-6, MOTOR];

/// Solves an island that has motors in stages, once it was solved in vain: how the last solve went, and the Newton steps of all. None if it has no motors.
pub(super) fn solve(
    model: &Model,
    state: &State,
    data: &mut Data,
    act: &Actuation,
    convex: &mut Convex,
    island: Island,
    scales: &Scales,
    tolerance: f64,
) -> Option<(Outcome, usize)> {
    let mut last = None;
    let mut steps = 0;
    for stage in STAGES {
        if !soften(act, convex, island, stage) {
            return None;
        }
        let outcome = newton::solve(model, state, data, act, convex, island, scales, tolerance, Begin::Look);
        steps += outcome.iterations;
        last = Some((outcome, steps));
    }
    last
}

/// Gives an island's motors a softness, or their own where that is more; whether there are any.
fn soften(act: &Actuation, convex: &mut Convex, island: Island, share: f64) -> bool {
    let h = convex.dt;
    let softness = |source: Source, mobility: f64| match source {
        Source::Motor(index) => Some((act.motors[index as usize].compliance / h).max(share * mobility)),
        _ => None,
    };
    let mut any = false;
    for &k in Island::of(island.joints, &convex.islands.joints) {
        let row = &mut convex.joints[k as usize];
        if let Some(softness) = softness(row.source, row.mobility)
            && row.law.lower < row.law.upper
        {
            row.law.softness = softness;
            any = true;
        }
    }
    for &k in Island::of(island.combined, &convex.islands.combined) {
        let term = &mut convex.combined[k as usize];
        if let (Some(wanted), Law::Ball { softness, .. }) =
            (softness(term.source, term.mobility), &mut term.law)
        {
            *softness = wanted;
            any = true;
        }
    }
    any
}
