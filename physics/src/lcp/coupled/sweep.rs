//! Rounds of sweeps over an island, carried on by linear solves among rows within their bounds (`subspace.rs`) as long as these bring it nearer, and
//! by conjugate gradients.
//!
//! Where few light bodies carry a heavy one, or many are stacked, sweeps alone shrink what is left by a factor near 1
//! (`1/(1 + m/M)` for a mass `M` on a mass `m`). So a round of two sweeps `x ↦ S(x)` is taken as the gradient step of the
//! nonsmooth nonlinear conjugate gradient method (Silcowitz-Hansen, Niebe & Erleben 2010), in the norm
//! `‖Δ‖² = Σ A_ii Δ_i²`, which has the unit of energy for rows of every kind:
//!
//! ```text
//! Δ_k = S(x_k) - x_k,   β = ‖Δ_k‖²/‖Δ_{k-1}‖²                                                   (1)
//! x_{k+1} = S(x_k) + β p_{k-1},   p_k = Δ_k + β p_{k-1}      while β < 1; else p_k = 0          (2)
//! ```
//!
//! Sweeps to and fro are a symmetric preconditioner, as conjugate gradients want it. What is returned is always `S(x_k)`, so
//! bounds hold, and a round that changes nothing is a solution as before.

use super::dense::Dense;
use super::subspace::{Subspace, jump};
use super::{Coupled, CoupledRow, Group};

/// Sweeps that pass over groups at rest (those whose first row, and so all of them, have no impulse) between two that
/// do not: most contacts that are prepared do not touch.
const IDLE: usize = 3;

/// Rounds of two sweeps that an island gets whatever they cost: fewer leave a worse start to the next step.
const LEAST_ROUNDS: usize = 4;

/// Share of an island's largest speed that sweeps need not resolve.
const EXACT: f64 = 1e-3;

/// How many rounds of sweeps a linear solve may cost: more, and sweeps are the cheaper way.
const JUMP: u64 = 4;

/// Linear solves on end that bring an island no nearer before it is left to sweeps.
const PATIENCE: usize = 4;

/// What a solve may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Effort {
    /// Most sweeps of an island.
    pub(crate) max_sweeps: usize,
    /// Velocity that sweeps need not resolve, m/s or rad/s.
    pub(crate) tolerance: f64,
    /// Most multiplications of all islands; beyond it each still gets a few sweeps.
    pub(crate) most_work: u64,
}

/// Per row: where a round of sweeps started, and the direction in which it is carried on.
#[derive(Clone, Debug, Default)]
pub(super) struct Ways {
    start: Vec<f64>,
    along: Vec<f64>,
    /// The impulses that the least round so far led to.
    best: Vec<f64>,
    space: Subspace,
    dense: Dense,
}

impl Ways {
    fn fit(&mut self, n: usize) {
        for list in [&mut self.start, &mut self.along, &mut self.best] {
            list.clear();
            list.resize(n, 0.0);
        }
    }
}

/// How a solve went.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub(crate) struct SweepReport {
    /// Sweeps taken, most of any island.
    pub(crate) sweeps: usize,
    /// Largest change of a row's velocity `A_ii |Δx_i|` in an island's last sweep, and in small islands what any row is off at its end.
    pub(crate) change: f64,
    /// Whether every island ended early.
    pub(crate) settled: bool,
    /// Multiplications, those of rows at rest counted in.
    pub(crate) work: u64,
}

impl SweepReport {
    /// The report of two islands.
    fn add(&mut self, island: &Self) {
        self.sweeps = self.sweeps.max(island.sweeps);
        self.change = self.change.max(island.change);
        self.settled &= island.settled;
        self.work += island.work;
    }
}

impl Coupled {
    /// Solves the islands that take part from the given `x`. An island ends early once none of its rows' velocities
    /// changed by more than the tolerance, or by a thousandth of its largest speed, and in a small one none is off by more.
    pub(crate) fn solve(
        &mut self,
        rows: &[CoupledRow],
        x: &mut [f64],
        effort: &Effort,
        takes_part: impl Fn(usize) -> bool,
    ) -> SweepReport {
        let mut ways = std::mem::take(&mut self.ways);
        ways.fit(rows.len());
        let mut report = SweepReport { settled: true, ..SweepReport::default() };
        for k in (0..self.n_islands()).filter(|&k| takes_part(k)) {
            let island = &self.order[self.islands[k] as usize..self.islands[k + 1] as usize];
            if !island.is_empty() {
                let left = effort.most_work.saturating_sub(report.work);
                let effort = Effort { most_work: left, ..*effort };
                report.add(&self.solve_island(island, rows, x, &effort, &mut ways));
            }
        }
        self.ways = ways;
        report
    }

    fn solve_island(
        &self,
        island: &[u32],
        rows: &[CoupledRow],
        x: &mut [f64],
        effort: &Effort,
        ways: &mut Ways,
    ) -> SweepReport {
        let mut report = SweepReport::default();
        let rows_of = |&g: &u32| self.rows_of(g as usize);
        let speed = island.iter().flat_map(rows_of).fold(0.0, |most: f64, i| rows[i].speed.max(most));
        let tolerance = effort.tolerance.max(EXACT * speed);
        let per_round = 2 * island.iter().map(|&g| self.work_of(g as usize)).sum::<u64>().max(1);
        let affordable = usize::try_from(effort.most_work / per_round).unwrap_or(usize::MAX);
        let rounds = effort.max_sweeps.div_ceil(2).min(affordable.max(LEAST_ROUNDS)).max(1);
        let mut before = f64::INFINITY;
        let is_small = ways.dense.gather(self, island);
        let (mut jumps, mut jumped, mut least, mut vain) = (is_small, false, f64::INFINITY, 0);
        for round in 1..=rounds {
            for i in island.iter().flat_map(rows_of) {
                ways.start[i] = x[i];
            }
            let all = round % (IDLE + 1) == 1 || round == rounds || report.settled || jumped;
            if is_small {
                ways.dense.take(x);
            }
            let mut dense = is_small.then_some(&mut ways.dense);
            let mut visit = |change: f64, &g: &u32| {
                if !all && x[self.groups[g as usize].rows.0 as usize] == 0.0 {
                    return change;
                }
                change.max(self.relax(rows, g, x, dense.as_deref_mut()))
            };
            island.iter().fold(0.0, &mut visit);
            report.change = island.iter().rev().fold(0.0, &mut visit);
            report.sweeps += 2;
            report.work += per_round;
            report.settled = report.change <= tolerance;
            if (report.settled && all) || round == rounds {
                // What changed last, row after row, may be a fifth of what all of them are off together.
                if is_small {
                    report.change = report.change.max(ways.dense.off(rows, x));
                    report.work += per_round / 2;
                    report.settled &= report.change <= tolerance;
                }
                if report.settled || round == rounds {
                    break;
                }
            }
            if jumps {
                let size = self.size(island, rows, x, ways);
                vain = if size < least { 0 } else { vain + 1 };
                if size < least {
                    least = size;
                    copy(island.iter().flat_map(rows_of), x, &mut ways.best);
                } else if vain >= PATIENCE {
                    copy(island.iter().flat_map(rows_of), &ways.best, x);
                }
                jumps = vain < PATIENCE && jump(rows, x, JUMP * per_round, &mut ways.dense, &mut ways.space);
                report.work += if jumps { per_round } else { 0 };
                jumped = jumps;
                if jumps || vain > 0 {
                    continue;
                }
            }
            jumped = false;
            before = self.carry_on(island, rows, x, before, ways);
        }
        report
    }

    /// ‖Δ_k‖² of a round that started at `ways.start`.
    fn size(&self, island: &[u32], rows: &[CoupledRow], x: &[f64], ways: &Ways) -> f64 {
        let mut size = 0.0;
        for &g in island {
            let own = &self.numbers[self.groups[g as usize].own as usize..];
            let n = self.rows_of(g as usize).len();
            for (k, i) in self.rows_of(g as usize).enumerate() {
                size += (own[k * n + k] + rows[i].compliance) * (x[i] - ways.start[i]).powi(2);
            }
        }
        size
    }

    /// (2) after a round that started at `ways.start`, where the one before had the size `before`; returns ‖Δ_k‖².
    fn carry_on(
        &self,
        island: &[u32],
        rows: &[CoupledRow],
        x: &mut [f64],
        before: f64,
        ways: &mut Ways,
    ) -> f64 {
        let size = self.size(island, rows, x, ways);
        let first = before.is_infinite();
        let share = if !first && size < before { size / before } else { 0.0 };
        for i in island.iter().flat_map(|&g| self.rows_of(g as usize)) {
            let step = x[i] - ways.start[i];
            if share > 0.0 {
                let ahead = x[i] + share * ways.along[i];
                x[i] = match rows[i].friction {
                    // Others pass over a group whose first row is zero: then all of it must be.
                    Some((normal, _)) if x[normal as usize] == 0.0 => 0.0,
                    Some(_) => ahead,
                    None => ahead.clamp(rows[i].lower, rows[i].upper),
                };
            }
            ways.along[i] = if first || share > 0.0 { step + share * ways.along[i] } else { 0.0 };
        }
        size
    }

    /// Multiplications of a visit.
    fn work_of(&self, group: usize) -> u64 {
        let Group { rows, blocks, .. } = self.groups[group];
        let columns: u64 =
            self.blocks[blocks.0 as usize..blocks.1 as usize].iter().map(|b| u64::from(b.rows)).sum();
        u64::from(rows.1 - rows.0) * columns
    }
}

fn copy(rows: impl Iterator<Item = usize>, from: &[f64], to: &mut [f64]) {
    rows.for_each(|i| to[i] = from[i]);
}
