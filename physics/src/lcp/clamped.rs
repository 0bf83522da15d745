//! The set C of principal pivoting (rows with w = 0) with a factorisation of A_CC: LDLᵀ kept up to date
//! where A is symmetric, LU made anew at each change where it is not.

use super::ldl::Ldl;
use super::lu::Lu;
use super::problem::Problem;

/// See the file header.
#[derive(Clone, Debug, Default)]
pub(super) struct Clamped {
    rows: Vec<usize>,
    symmetric: bool,
    least_pivot: f64,
    ldl: Ldl,
    lu: Lu,
    response: Vec<f64>,
}

impl Clamped {
    /// Empties the set. From now on a row whose Schur complement is below `least_pivot` times
    /// [`size_of_motion`] counts as dependent on those in C.
    pub(super) fn reset(&mut self, problem: &Problem, least_pivot: f64) {
        let n = problem.len();
        self.rows.clear();
        self.least_pivot = least_pivot;
        self.rows.reserve(n);
        self.symmetric = is_symmetric(problem);
        if self.symmetric {
            self.ldl.reset(n);
        }
        self.refactor(problem);
    }

    /// The rows in C, in the order of the factors.
    pub(super) fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// Adds row `j`; false (and no change) where A_CC would become singular.
    pub(super) fn insert(&mut self, problem: &Problem, j: usize) -> bool {
        let mut response = std::mem::take(&mut self.response);
        response.clear();
        response.extend(self.rows.iter().map(|&c| problem.entry(c, j)));
        self.solve(&mut response);
        let least_pivot = self.least_pivot * size_of_motion(problem, j, &self.rows, &response);
        let diagonal = problem.entry(j, j);
        let accepted = if self.symmetric {
            self.ldl.append(self.rows.iter().map(|&c| problem.entry(c, j)), diagonal, least_pivot)
        } else {
            let coupled: f64 = self.rows.iter().zip(&response).map(|(&c, y)| problem.entry(j, c) * y).sum();
            diagonal - coupled > least_pivot
        };
        self.response = response;
        if accepted {
            self.rows.push(j);
            self.refactor(problem);
        }
        accepted
    }

    /// Takes row `j` out.
    pub(super) fn remove(&mut self, problem: &Problem, j: usize) {
        if let Some(k) = self.rows.iter().position(|&c| c == j) {
            self.rows.remove(k);
            if self.symmetric {
                self.ldl.remove(k);
            }
            self.refactor(problem);
        }
    }

    /// Replaces `rhs` (in the order of [`Self::rows`]) by A_CC⁻¹ rhs.
    pub(super) fn solve(&mut self, rhs: &mut [f64]) {
        if self.symmetric { self.ldl.solve(rhs) } else { self.lu.solve(rhs) }
    }

    fn refactor(&mut self, problem: &Problem) {
        if !self.symmetric {
            let rows = &self.rows;
            // Every row passed the test of `insert`; what rounding does beyond shows in the residual.
            self.lu.factor(rows.len(), |r, c| problem.entry(rows[r], rows[c]));
        }
    }
}

/// A_ii + Σ y_c² A_cc with y = A_CC⁻¹ A_Ci: the rounding error of the Schur complement of row i is of this
/// size times the machine's, because y amplifies that of A_CC.
pub(super) fn size_of_motion(problem: &Problem, i: usize, rows: &[usize], y: &[f64]) -> f64 {
    let through: f64 = rows.iter().zip(y).map(|(&c, y)| y * y * problem.entry(c, c).abs()).sum();
    problem.entry(i, i).abs() + through
}

/// Symmetric to rounding, relative to the diagonal.
fn is_symmetric(problem: &Problem) -> bool {
    let n = problem.len();
    (0..n).all(|i| {
        (0..i).all(|j| {
            let size = problem.entry(i, i).abs().max(problem.entry(j, j).abs());
            (problem.entry(i, j) - problem.entry(j, i)).abs() <= 1e-12 * size
        })
    })
}
