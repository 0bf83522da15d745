//! What sweeps leave where it is known which bounds hold: one linear solve.
//!
//! After a round of sweeps most rows are strictly within their bounds and stay there. With `F` these rows and all others kept where they are,
//!
//! ```text
//! A_FF δ = -w_F,   x_F ← P(x_F + δ)                                                             (1)
//! ```
//! with `P` the way back within bounds (Silcowitz, Niebles & Erleben 2010, projected Gauss–Seidel with subspace minimisation). Where `F` was right this is
//! the solution, and the next round only says so; where it was not, that round tells. Of rows that depend on each other (the corners of a sole) those that
//! come first are in `F`, the rest keep what they have: one solution of many. Tangents that slide are left to sweeps. (Taken along by the linearised cone of
//! Alart & Curnier they had the corners of a sole contradict each other, and steps of 1e8.)

use super::CoupledRow;
use super::dense::Dense;
use super::relax::is_pair;
use crate::lcp::ldl::Ldl;

/// A row whose pivot is less than this share of its own entry depends on those before it.
const DEPENDENT: f64 = 1e-9;

/// A friction row that uses less than this share of what it may is within its bounds.
const STICKS: f64 = 1.0 - 1e-9;

/// Work space.
#[derive(Clone, Debug, Default)]
pub(super) struct Subspace {
    factors: Ldl,
    /// Places, among the island's rows, of those that are solved for.
    free: Vec<u32>,
    solved: Vec<u32>,
    step: Vec<f64>,
}

/// (1) for the rows of an island, if that takes no more than `most_work` multiplications; whether it was done.
pub(super) fn jump(
    rows: &[CoupledRow],
    x: &mut [f64],
    most_work: u64,
    dense: &mut Dense,
    space: &mut Subspace,
) -> bool {
    space.free.clear();
    let places = dense.rows.iter().zip(0_u32..);
    space.free.extend(places.filter(|&(&i, _)| is_free(rows, x, i as usize)).map(|(_, at)| at));
    let n = space.free.len();
    if n == 0 || (n as u64).pow(3) / 6 > most_work {
        return false;
    }
    dense.take(x);
    space.factors.reset(n);
    space.solved.clear();
    space.step.clear();
    for k in 0..n {
        let at = space.free[k] as usize;
        let (row, numbers) = (&rows[dense.rows[at] as usize], dense.row(at));
        let own = numbers[at] + row.compliance;
        let couplings = space.solved.iter().map(|&other| numbers[other as usize]);
        if own > 0.0 && space.factors.append(couplings, own, DEPENDENT * own) {
            space.solved.push(at as u32);
            space.step.push(-dense.slack(at, row));
        }
    }
    space.factors.solve(&mut space.step);
    for (&at, step) in space.solved.iter().zip(&space.step) {
        x[dense.rows[at as usize] as usize] += step;
    }
    for &i in &dense.rows {
        enter_bounds(rows, x, i as usize);
    }
    true
}

/// The first of two tangents, if the row is one of a pair.
fn first_of_pair(rows: &[CoupledRow], i: usize) -> Option<usize> {
    if i > 0 && is_pair(rows, i - 1) { Some(i - 1) } else { is_pair(rows, i).then_some(i) }
}

fn is_free(rows: &[CoupledRow], x: &[f64], i: usize) -> bool {
    let Some((normal, mu)) = rows[i].friction else { return rows[i].lower < x[i] && x[i] < rows[i].upper };
    let limit = STICKS * mu * x[normal as usize].max(0.0);
    match first_of_pair(rows, i) {
        Some(k) => x[k] * x[k] + x[k + 1] * x[k + 1] < limit * limit,
        None => x[i].abs() < limit,
    }
}

/// `P`: rows in order, so that friction follows what it depends on.
fn enter_bounds(rows: &[CoupledRow], x: &mut [f64], i: usize) {
    let Some((normal, mu)) = rows[i].friction else {
        x[i] = x[i].clamp(rows[i].lower, rows[i].upper);
        return;
    };
    let limit = mu * x[normal as usize].max(0.0);
    match first_of_pair(rows, i) {
        Some(k) if k == i => {
            let square = x[k] * x[k] + x[k + 1] * x[k + 1];
            if square > limit * limit {
                let scale = limit / square.sqrt();
                x[k] *= scale;
                x[k + 1] *= scale;
            }
        }
        Some(_) => {}
        None => x[i] = x[i].clamp(-limit, limit),
    }
}
