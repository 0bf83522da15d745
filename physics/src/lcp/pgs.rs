//! Projected Gauss–Seidel, by rows or by contact blocks.
//!
//! One sweep visits the rows in turn and applies
//!
//! ```text
//! x_i ← clamp(x_i - ω (A x + b)_i / A_ii, lo_i, hi_i)                                  (1)
//! ```
//!
//! with friction bounds from the latest x_f. For symmetric positive definite A and 0 < ω < 2 it converges
//! (Cottle, Pang & Stone 1992, thm 5.3.2); for others it may not, and the report says so. In block mode a
//! row and its two friction rows are solved together, see [`Friction`].
//!
//! A row with A_ii ≤ 0 cannot be relaxed: it goes to the bound its w points to, if that is finite.

use super::contact_block::{Block, find_blocks};
use super::plain::PlainForm;
use super::problem::{Problem, Report, Status, dot, max_or_nan};
use super::tableau::Tableau;

/// Order in which a sweep visits the rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sweep {
    /// First row to last.
    #[default]
    Forward,
    /// Forward and backward in turn, which treats the ends of a stack alike. Each counts as one sweep.
    Symmetric,
}

/// How friction rows are treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Friction {
    /// Row by row, each friction row within its own bounds: what [`Problem`] states.
    #[default]
    Rows,
    /// Blocks of a row and the two friction rows that refer to it, solved together; same solution as `Rows`,
    /// in fewer sweeps where tangents and normal are strongly coupled.
    Pyramid,
    /// The same blocks with both tangents inside one disc, |x_t| ≤ mu x_f, and sliding opposed to w_t
    /// (maximum dissipation). This is another problem than the pyramid's: the residual is the circular one.
    Cone,
}

/// Settings of [`Pgs`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PgsOptions {
    /// Most sweeps of one solve.
    pub max_sweeps: usize,
    /// The residual at which a solve ends; absolute.
    pub tolerance: f64,
    /// ω of (1), over-relaxation above 1. Blocks are always solved with 1.
    pub relaxation: f64,
    /// Order of the rows.
    pub sweep: Sweep,
    /// Treatment of friction rows.
    pub friction: Friction,
    /// Record the residual after every sweep; costs about as much as the sweep.
    pub record_history: bool,
    /// When a solve does not converge, find out by linear programming whether it could have: then an
    /// infeasible problem is reported as such instead of as [`Status::MaxIterations`]. Costs about n³.
    pub diagnose: bool,
}

impl Default for PgsOptions {
    fn default() -> Self {
        Self {
            max_sweeps: 50,
            tolerance: 1e-8,
            relaxation: 1.0,
            sweep: Sweep::Forward,
            friction: Friction::Rows,
            record_history: false,
            diagnose: false,
        }
    }
}

/// The solver with its workspace.
#[derive(Clone, Debug, Default)]
pub struct Pgs {
    /// Settings, free to change between solves.
    pub options: PgsOptions,
    history: Vec<f64>,
    blocks: Vec<Block>,
    plain: PlainForm,
    tableau: Tableau,
}

impl Pgs {
    /// A solver with the given settings.
    pub fn new(options: PgsOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Residual after each sweep of the last solve; empty unless `record_history` is set.
    pub fn history(&self) -> &[f64] {
        &self.history
    }

    /// Improves `x`, which is the warm start (values outside their bounds are clamped first).
    ///
    /// # Panics
    /// When `x` is not of the problem's length.
    pub fn solve(&mut self, problem: &Problem, x: &mut [f64]) -> Report {
        assert!(x.len() == problem.len(), "one entry per row");
        self.history.clear();
        find_blocks(problem, self.options.friction, &mut self.blocks);
        enter_bounds(problem, x);
        let (mut status, mut iterations) = (Status::MaxIterations, 0);
        while iterations < self.options.max_sweeps {
            let backward = self.options.sweep == Sweep::Symmetric && iterations % 2 == 1;
            let moved = self.sweep(problem, x, backward);
            iterations += 1;
            if self.options.record_history {
                self.history.push(self.residual(problem, x));
            }
            // The residuals met during the sweep are free of charge; only small ones are worth confirming.
            let promising = moved <= 2.0 * self.options.tolerance;
            if promising && self.residual(problem, x) <= self.options.tolerance {
                status = Status::Solved;
                break;
            }
            if !moved.is_finite() {
                break;
            }
        }
        let residual = self.residual(problem, x);
        if residual <= self.options.tolerance {
            status = Status::Solved;
        } else if self.options.diagnose {
            self.plain.build(problem);
            if !self.tableau.is_feasible(&self.plain) {
                status = Status::Infeasible;
            }
        }
        Report { status, residual, iterations }
    }

    /// The residual of `x` in the chosen treatment of friction.
    pub fn residual(&self, problem: &Problem, x: &[f64]) -> f64 {
        match self.options.friction {
            Friction::Rows | Friction::Pyramid => problem.residual(x),
            Friction::Cone => {
                let rows = self.blocks.iter().map(|block| block.cone_residual(problem, x));
                rows.fold(0.0, max_or_nan)
            }
        }
    }

    /// One pass over all blocks; returns the largest residual met on the way.
    fn sweep(&self, problem: &Problem, x: &mut [f64], backward: bool) -> f64 {
        let (cone, relaxation) = (self.options.friction == Friction::Cone, self.options.relaxation);
        let mut worst = 0.0;
        for k in 0..self.blocks.len() {
            let block = &self.blocks[if backward { self.blocks.len() - 1 - k } else { k }];
            let met = match *block {
                Block::Row(i) => relax_row(problem, x, i, relaxation),
                Block::Contact { .. } => block.solve(problem, x, cone),
            };
            worst = max_or_nan(worst, met);
        }
        worst
    }
}

/// Clamps x into its bounds, ordinary rows first because friction bounds depend on them.
fn enter_bounds(problem: &Problem, x: &mut [f64]) {
    for friction in [false, true] {
        for i in 0..x.len() {
            if problem.friction(i).is_some() == friction {
                let (lo, hi) = problem.bounds(i, x);
                x[i] = if x[i].is_nan() { 0.0_f64.clamp(lo, hi) } else { x[i].clamp(lo, hi) };
            }
        }
    }
}

/// (1) for one row; returns the residual the row had before.
fn relax_row(problem: &Problem, x: &mut [f64], i: usize, relaxation: f64) -> f64 {
    let row = problem.row(i);
    let w = problem.offset()[i] + dot(row, x);
    let (lo, hi) = problem.bounds(i, x);
    let residual = (x[i] - (x[i] - w).clamp(lo, hi)).abs();
    x[i] = relaxed(x[i], w, relaxation / row[i], lo, hi);
    residual
}

/// A coordinate step within bounds. `step` is ω/A_ii; where that is no positive number, the bound that w
/// points to.
pub(super) fn relaxed(x: f64, w: f64, step: f64, lo: f64, hi: f64) -> f64 {
    if step > 0.0 && step.is_finite() {
        return (x - step * w).clamp(lo, hi);
    }
    let target = if w > 0.0 { lo } else { hi };
    if w != 0.0 && target.is_finite() { target } else { x.clamp(lo, hi) }
}
