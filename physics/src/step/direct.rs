//! Rows solved directly, island by island, within a bound on the work.
//!
//! Principal pivoting costs about n³ for an island of n rows, more where rows depend on each other. Small islands come first,
//! and one that would go beyond what is left, or that has no solution (a hand whose motion is prescribed presses a box into
//! a wall), is left to sweeps, which have a compromise for everything. Work is counted in multiplications: an answer never
//! depends on the machine or its load.

use super::responses::Responses;
use crate::lcp::coupled::{Coupled, CoupledRow, leaves_cone};
use crate::lcp::{Dantzig, DantzigOptions, Problem, Status};

/// A row whose own response is below this share of its island's largest cannot be moved but by rounding.
const LEAST_RESPONSE: f64 = 1e-13;

/// Redundant rows (four corners of a box) leave the matrix singular: this share of softness on the diagonal makes the answer
/// one, and gives way by a billionth of the load's own motion; then it is taken out of what has its way (`lcp/dantzig/harden.rs`).
const SOFTNESS: f64 = 1e-9;

/// Multiplications per entry of the matrix: two products of six numbers.
pub(super) const WORK_PER_ENTRY: u64 = 12;

/// Work space.
#[derive(Clone, Debug)]
pub(super) struct Direct {
    /// Islands by size.
    order: Vec<(u32, u32)>,
    /// Rows of the present island, and the place of each row among them.
    rows: Vec<u32>,
    place: Vec<Option<usize>>,
    matrix: Vec<f64>,
    offset: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    friction: Vec<Option<usize>>,
    coefficient: Vec<f64>,
    x: Vec<f64>,
    solver: Dantzig,
}

impl Default for Direct {
    fn default() -> Self {
        // Sweeps are there for what pivoting does not solve: no slow search for the reason, and no second method.
        let options = DantzigOptions { lemke_fallback: false, diagnose: false, ..DantzigOptions::default() };
        Self {
            order: Vec::new(),
            rows: Vec::new(),
            place: Vec::new(),
            matrix: Vec::new(),
            offset: Vec::new(),
            lower: Vec::new(),
            upper: Vec::new(),
            friction: Vec::new(),
            coefficient: Vec::new(),
            x: Vec::new(),
            solver: Dantzig::new(options),
        }
    }
}

/// How it went.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DirectReport {
    pub(super) pivots: usize,
    pub(super) residual: f64,
    pub(super) work: u64,
    /// Islands that were given up.
    pub(super) given_up: usize,
    /// Rows of the smallest of them.
    pub(super) too_many: usize,
}

impl Direct {
    /// Writes the impulses of the islands it solves to `x`; `swept` stays set for those that sweeps must look after. Islands
    /// of `too_many` rows or more are not tried.
    #[expect(clippy::too_many_arguments, reason = "one caller, which owns all of these side by side")]
    pub(super) fn solve(
        &mut self,
        rows: &[CoupledRow],
        coupled: &Coupled,
        responses: &Responses,
        most_work: u64,
        too_many: usize,
        x: &mut [f64],
        swept: &mut [bool],
    ) -> DirectReport {
        let mut report = DirectReport { too_many, ..DirectReport::default() };
        self.order.clear();
        let size = |island: usize| coupled.rows_of_island(island).count() as u32;
        self.order.extend((0..coupled.n_islands()).map(|k| (size(k), k as u32)));
        self.order.sort_unstable();
        self.place.clear();
        self.place.resize(rows.len(), None);
        for at in 0..self.order.len() {
            let (size, island) = (self.order[at].0 as usize, self.order[at].1 as usize);
            if size == 0 {
                swept[island] = false;
                continue;
            }
            let left = most_work.saturating_sub(report.work);
            let assembly = WORK_PER_ENTRY * (size * size) as u64;
            let solved = size < report.too_many && assembly < left && {
                report.work += assembly;
                self.assemble(rows, responses, coupled.rows_of_island(island));
                self.pivot(left - assembly, &mut report)
            };
            if !solved {
                report.given_up += 1;
                report.too_many = report.too_many.min(size);
                continue;
            }
            for row in coupled.rows_of_island(island) {
                x[row] = self.place[row].map_or(0.0, |k| self.x[k]);
            }
            // The direct solver bounds each tangent by itself, which lets a slide run on as if on a skate's blade.
            // Where that left the circular cone, sweeps from here lead back into it.
            swept[island] = leaves_cone(rows, x, coupled.rows_of_island(island));
        }
        report
    }

    /// The dense problem of an island's rows that anything can move.
    fn assemble(
        &mut self,
        rows: &[CoupledRow],
        responses: &Responses,
        island: impl Iterator<Item = usize> + Clone,
    ) {
        let own = |i: usize| responses.entry(i, i) + rows[i].compliance;
        let largest = island.clone().map(own).fold(0.0, f64::max);
        self.rows.clear();
        for list in
            [&mut self.matrix, &mut self.offset, &mut self.lower, &mut self.upper, &mut self.coefficient]
        {
            list.clear();
        }
        self.friction.clear();
        for i in island {
            let friction = rows[i].friction.map(|(normal, _)| self.place[normal as usize]);
            let moves = own(i) > LEAST_RESPONSE * largest && friction != Some(None);
            self.place[i] = moves.then_some(self.rows.len());
            if moves {
                self.rows.push(i as u32);
                self.friction.push(friction.flatten());
                self.coefficient.push(rows[i].friction.map_or(0.0, |(_, mu)| mu));
                self.offset.push(rows[i].offset);
                self.lower.push(rows[i].lower);
                self.upper.push(rows[i].upper);
            }
        }
        let n = self.rows.len();
        for (k, &i) in self.rows.iter().enumerate() {
            self.matrix.extend(self.rows.iter().map(|&j| responses.entry(i as usize, j as usize)));
            self.matrix[k * n + k] = own(i as usize) * (1.0 + SOFTNESS);
        }
        self.x.clear();
        self.x.resize(n, 0.0);
    }

    /// Whether the problem at hand could be solved.
    fn pivot(&mut self, most_work: u64, report: &mut DirectReport) -> bool {
        let problem = Problem::new(&self.matrix, &self.offset, &self.lower, &self.upper)
            .and_then(|p| p.with_friction(&self.friction, &self.coefficient));
        // Numbers that are not finite: sweeps carry them on, and the step names the culprit.
        let Ok(problem) = problem else { return false };
        self.solver.options.most_work = most_work;
        let solved = self.solver.solve(&problem, &mut self.x);
        report.pivots += solved.iterations;
        report.work += self.solver.work();
        if solved.status != Status::Solved {
            return false;
        }
        report.residual = report.residual.max(solved.residual);
        let (n, matrix) = (self.x.len(), &self.matrix);
        self.solver.harden(&problem, |k| matrix[k * n + k] * (SOFTNESS / (1.0 + SOFTNESS)), &mut self.x);
        true
    }
}
