//! Taking softness out of an answer.

use super::super::problem::Problem;
use super::{Dantzig, Place};

/// Largest correction, as a share of the largest impulse, both by the velocity they make. What is larger comes of rows that contradict each other:
/// their answer is softness and nothing else.
const LARGEST: f64 = 1e-3;

impl Dantzig {
    /// Takes the softness `ε_i`, that was put on the diagonal to make the answer one, out of the last solve's `x`: a step of iterative
    /// refinement with the factors at hand, of the rows that have their way,
    ///
    /// ```text
    /// A_CC x_C + … = -ε x_C,   x_C += (A + ε)_CC⁻¹ (ε x)_C
    /// ```
    ///
    /// What gave way by `ε` does so by its square then. Rows that depend on each other share what they carry as before: what they differ by has no part
    /// in `ε x`. Sliding rows follow their normals. An answer that would leave its bounds stays as it is.
    pub(crate) fn harden(&mut self, problem: &Problem, softness: impl Fn(usize) -> f64, x: &mut [f64]) {
        let m = self.clamped.rows().len();
        for (dx, &row) in self.dx.iter_mut().zip(self.clamped.rows()) {
            *dx = softness(row) * x[row];
        }
        self.clamped.solve(&mut self.dx[..m]);
        let rows = self.clamped.rows();
        let speed = |row: usize, x: f64| problem.entry(row, row) * x.abs();
        let largest = rows.iter().fold(0.0, |most, &row| speed(row, x[row]).max(most));
        let change = rows.iter().zip(&self.dx).fold(0.0, |most, (&row, &dx)| speed(row, dx).max(most));
        if change.is_nan() || change > LARGEST * largest {
            return;
        }
        self.kept.clear();
        self.kept.extend_from_slice(x);
        for (&row, &dx) in rows.iter().zip(&self.dx) {
            x[row] += dx;
        }
        for t in 0..problem.len() {
            if let (Some(_), Place::AtLower | Place::AtUpper) = (problem.friction(t), self.place[t]) {
                let (lower, upper) = problem.bounds(t, x);
                x[t] = if self.place[t] == Place::AtUpper { upper } else { lower };
            }
        }
        let is_within = |&row: &usize| {
            let (lower, upper) = problem.bounds(row, x);
            x[row] >= lower && x[row] <= upper
        };
        if !rows.iter().all(is_within) {
            x.copy_from_slice(&self.kept);
        }
    }
}
