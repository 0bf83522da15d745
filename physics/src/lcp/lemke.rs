//! Lemke's complementary pivoting method.
//!
//! The problem is brought to the plain form (`plain.rs`), then: with an artificial z₀ large enough every
//! slack is nonnegative; the complement of what last left the basis enters, whatever blocks it leaves, until
//! z₀ leaves (a solution) or nothing blocks (a ray). On a ray a phase-1 simplex run tells
//! [`Status::Infeasible`] from [`Status::NoSolution`]. Processes copositive-plus and P₀∩Q₀ matrices
//! (Cottle, Pang & Stone 1992, §4.4), friction rows without iterating on their bounds.
//!
//! Dense, O(m²) per pivot, and m exceeds n for boxes and friction: meant for verification. The x returned is
//! solved anew from the final basis, so that the rounding of the pivots does not stay in it.

use super::lu::Lu;
use super::plain::PlainForm;
use super::problem::{Problem, Report, Status};
use super::tableau::Tableau;

/// Covering vectors to try, see `Tableau::load`.
const TILTS: [f64; 6] = [0.0, 1.0, -0.5, 4.0, -0.9, 20.0];

/// Settings of [`Lemke`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LemkeOptions {
    /// Most pivots of one solve, as a multiple of the number of plain variables, plus 1000.
    pub pivots_per_row: usize,
    /// Residual up to which an answer counts as solved, relative to 1 + max |b|.
    pub tolerance: f64,
}

impl Default for LemkeOptions {
    fn default() -> Self {
        Self { pivots_per_row: 50, tolerance: 1e-9 }
    }
}

/// The solver with its workspace.
#[derive(Clone, Debug, Default)]
pub struct Lemke {
    /// Settings, free to change between solves.
    pub options: LemkeOptions,
    plain: PlainForm,
    tableau: Tableau,
    lu: Lu,
    z: Vec<f64>,
    active: Vec<usize>,
    values: Vec<f64>,
    candidate: Vec<f64>,
}

impl Lemke {
    /// A solver with the given settings.
    pub fn new(options: LemkeOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Writes the solution to `x`; on any other status, the clamped origin. No warm start is read.
    ///
    /// # Panics
    /// When `x` is not of the problem's length.
    pub fn solve(&mut self, problem: &Problem, x: &mut [f64]) -> Report {
        assert!(x.len() == problem.len(), "one entry per row");
        self.plain.build(problem);
        let mut report = self.attempt(problem, x, TILTS[0]);
        if report.status != Status::Solved && !self.tableau.is_feasible(&self.plain) {
            report.status = Status::Infeasible;
        }
        // In exact arithmetic one covering vector is as good as another; near a dependent set of rows it is
        // worth a second one before saying that there is no solution.
        for tilt in &TILTS[1..] {
            if matches!(report.status, Status::NoSolution | Status::MaxIterations) {
                let before = report.iterations;
                report = self.attempt(problem, x, *tilt);
                report.iterations += before;
            }
        }
        report
    }

    /// One run with the given covering vector.
    fn attempt(&mut self, problem: &Problem, x: &mut [f64], tilt: f64) -> Report {
        self.tableau.load(&self.plain, tilt);
        let (mut status, iterations) = self.pivot_to_the_end();
        self.z.clear();
        self.z.resize(self.plain.len(), 0.0);
        if status == Status::Solved {
            self.read_solution(problem, x);
        } else {
            self.plain.recover(&self.z, x);
        }
        let residual = problem.residual(x);
        let accepted = problem.is_solved(x, self.options.tolerance);
        if status == Status::Solved && !accepted {
            status = Status::MaxIterations;
        }
        Report { status, residual, iterations }
    }

    fn pivot_to_the_end(&mut self) -> (Status, usize) {
        let limit = 1000 + self.options.pivots_per_row * self.plain.len();
        let Some(mut left) = self.tableau.enter_artificial() else { return (Status::Solved, 0) };
        for pivots in 1..=limit {
            let entering = self.tableau.complement(left);
            let Some(row) = self.tableau.ratio_test(entering) else {
                // Where z₀ has vanished but for rounding this is no ray but the end.
                let end =
                    if self.tableau.artificial_vanishes() { Status::Solved } else { Status::NoSolution };
                return (end, pivots);
            };
            left = self.tableau.pivot(row, entering);
            if left == self.tableau.artificial() {
                return (Status::Solved, pivots + 1);
            }
        }
        (Status::MaxIterations, limit)
    }

    /// x from the tableau, or from a fresh solve M_BB z_B = -q_B of the final basis where that is better.
    fn read_solution(&mut self, problem: &Problem, x: &mut [f64]) {
        let m = self.plain.len();
        self.active.clear();
        for (r, &column) in self.tableau.basis.iter().enumerate() {
            if (m..2 * m).contains(&column) {
                self.z[column - m] = self.tableau.value(r).max(0.0);
                self.active.push(column - m);
            }
        }
        self.plain.recover(&self.z, x);

        let (active, plain) = (&self.active, &self.plain);
        if !self.lu.factor(active.len(), |r, c| plain.matrix[active[r] * m + active[c]]) {
            return;
        }
        self.values.clear();
        self.values.extend(active.iter().map(|&k| -plain.offset[k]));
        self.lu.solve(&mut self.values);
        for (&k, &v) in active.iter().zip(&self.values) {
            self.z[k] = v.max(0.0);
        }
        self.candidate.clear();
        self.candidate.resize(x.len(), 0.0);
        self.plain.recover(&self.z, &mut self.candidate);
        if problem.residual(&self.candidate) <= problem.residual(x) {
            x.copy_from_slice(&self.candidate);
        }
    }
}
