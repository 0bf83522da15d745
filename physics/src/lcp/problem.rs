//! The boxed linear complementarity problem: statement, sign convention, residual.
//!
//! Find x with lo ≤ x ≤ hi such that w = A x + b satisfies, row by row,
//!
//! ```text
//! x = lo  and w ≥ 0,   or   lo < x < hi  and w = 0,   or   x = hi  and w ≤ 0          (1)
//! ```
//!
//! (lo = hi leaves w free). Equivalently x = clamp(x - w, lo, hi), so that
//!
//! ```text
//! residual = max |x - clamp(x - w, lo, hi)|                                           (2)
//! ```
//!
//! A row with a friction index f has bounds that move with the solution: hi = mu x_f, lo = -hi; what
//! `lower` and `upper` hold for such a row is not read. Some texts write A x = b + w: their b is our -b.
//!
//! For symmetric semidefinite A, (1) are the optimality conditions of min ½ xᵀA x + bᵀx over the box;
//! that minimum is unbounded below exactly when the problem is [`Status::Infeasible`].
//!
//! Reference: Cottle, Pang & Stone, *The Linear Complementarity Problem* (1992), ch. 1.

use thiserror::Error;

/// A boxed linear complementarity problem over the caller's slices.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    matrix: &'a [f64],
    offset: &'a [f64],
    lower: &'a [f64],
    upper: &'a [f64],
    friction_index: &'a [Option<usize>],
    friction_coefficient: &'a [f64],
}

/// What is wrong with the numbers of a problem.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ProblemError {
    /// A slice does not fit the number of rows, which is the length of `offset`.
    #[error("lcp: {what} has {found} entries, {expected} were expected")]
    Length {
        /// Name of the slice.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length that fits.
        expected: usize,
    },
    /// A number that must be finite is not.
    #[error("lcp: {what} of row {row} is not finite")]
    NotFinite {
        /// Name of the slice.
        what: &'static str,
        /// The row.
        row: usize,
    },
    /// Bounds that leave no room, or are not numbers.
    #[error("lcp: row {row} has no value between its bounds {lower} and {upper}")]
    EmptyBox {
        /// The row.
        row: usize,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
    },
    /// A friction index that names no ordinary row.
    #[error("lcp: friction row {row} refers to row {index}, which is not an ordinary row")]
    FrictionIndex {
        /// The friction row.
        row: usize,
        /// The row it refers to.
        index: usize,
    },
    /// A negative or non-finite friction coefficient.
    #[error("lcp: friction row {row} has coefficient {coefficient}")]
    FrictionCoefficient {
        /// The friction row.
        row: usize,
        /// The offending number.
        coefficient: f64,
    },
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The residual is within the tolerance.
    Solved,
    /// Stopped by the iteration limit or by rounding before the residual was within the tolerance.
    MaxIterations,
    /// No x within its bounds gives an admissible w (a convex problem unbounded below).
    Infeasible,
    /// An admissible w exists, but pivoting found no complementary one. Without friction rows and for P or
    /// positive semidefinite matrices that is a proof that there is none; else it is only what was found.
    NoSolution,
}

/// What a solver has to say about the x it wrote.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// How the solve ended.
    pub status: Status,
    /// The residual (2) of the written x; in cone mode its circular counterpart.
    pub residual: f64,
    /// Sweeps of an iterative solver, pivots of a direct one.
    pub iterations: usize,
}

impl<'a> Problem<'a> {
    /// A problem without friction rows. `matrix` is dense and row-major; bounds may be infinite.
    ///
    /// # Errors
    /// [`ProblemError`] names the slice or row that does not fit.
    pub fn new(
        matrix: &'a [f64],
        offset: &'a [f64],
        lower: &'a [f64],
        upper: &'a [f64],
    ) -> Result<Self, ProblemError> {
        let n = offset.len();
        check_length("matrix", matrix.len(), n * n)?;
        check_length("lower", lower.len(), n)?;
        check_length("upper", upper.len(), n)?;
        if let Some(k) = matrix.iter().position(|a| !a.is_finite()) {
            return Err(ProblemError::NotFinite { what: "matrix", row: k / n });
        }
        if let Some(row) = offset.iter().position(|b| !b.is_finite()) {
            return Err(ProblemError::NotFinite { what: "offset", row });
        }
        for row in 0..n {
            let (lo, hi) = (lower[row], upper[row]);
            // A NaN fails the comparison; lo = +∞ or hi = -∞ admit no number.
            if !(lo <= hi && lo < f64::INFINITY && hi > f64::NEG_INFINITY) {
                return Err(ProblemError::EmptyBox { row, lower: lo, upper: hi });
            }
        }
        Ok(Self { matrix, offset, lower, upper, friction_index: &[], friction_coefficient: &[] })
    }

    /// The same problem with bounds ±`coefficient[i]` x_f on every row i whose `index[i]` is `Some(f)`.
    ///
    /// # Errors
    /// [`ProblemError`] when lengths differ, an index is out of range or names a friction row, or a
    /// coefficient of a friction row is negative or not finite.
    pub fn with_friction(
        self,
        index: &'a [Option<usize>],
        coefficient: &'a [f64],
    ) -> Result<Self, ProblemError> {
        check_length("friction_index", index.len(), self.len())?;
        check_length("friction_coefficient", coefficient.len(), self.len())?;
        for (row, &f) in index.iter().enumerate() {
            let Some(f) = f else { continue };
            if index.get(f).is_none_or(|other| other.is_some()) {
                return Err(ProblemError::FrictionIndex { row, index: f });
            }
            let mu = coefficient[row];
            if !(mu >= 0.0 && mu.is_finite()) {
                return Err(ProblemError::FrictionCoefficient { row, coefficient: mu });
            }
        }
        Ok(Self { friction_index: index, friction_coefficient: coefficient, ..self })
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.offset.len()
    }

    /// Whether there is nothing to solve.
    pub fn is_empty(&self) -> bool {
        self.offset.is_empty()
    }

    /// Row `i` of A.
    pub fn row(&self, i: usize) -> &'a [f64] {
        &self.matrix[i * self.len()..(i + 1) * self.len()]
    }

    /// Entry of A.
    pub fn entry(&self, i: usize, j: usize) -> f64 {
        self.matrix[i * self.len() + j]
    }

    /// b.
    pub fn offset(&self) -> &'a [f64] {
        self.offset
    }

    /// The row whose value scales the bounds of row `i`, with the coefficient.
    pub fn friction(&self, i: usize) -> Option<(usize, f64)> {
        let f = (*self.friction_index.get(i)?)?;
        Some((f, self.friction_coefficient[i]))
    }

    /// Whether any row has a friction index.
    pub fn has_friction(&self) -> bool {
        self.friction_index.iter().any(Option::is_some)
    }

    /// Bounds of row `i` at the given x. A friction row whose x_f is negative is held at 0.
    pub fn bounds(&self, i: usize, x: &[f64]) -> (f64, f64) {
        match self.friction(i) {
            Some((f, mu)) => {
                let limit = mu * x[f].max(0.0);
                (-limit, limit)
            }
            None => (self.lower[i], self.upper[i]),
        }
    }

    /// w_i = (A x + b)_i.
    pub fn slack_of(&self, i: usize, x: &[f64]) -> f64 {
        self.offset[i] + dot(self.row(i), x)
    }

    /// w = A x + b.
    ///
    /// # Panics
    /// When `x` or `w` is not of length [`Self::len`].
    pub fn slack(&self, x: &[f64], w: &mut [f64]) {
        assert!(x.len() == self.len() && w.len() == self.len(), "one entry per row");
        for (i, w) in w.iter_mut().enumerate() {
            *w = self.slack_of(i, x);
        }
    }

    /// The residual (2), with friction bounds taken from `x` itself.
    ///
    /// # Panics
    /// When `x` is not of length [`Self::len`].
    pub fn residual(&self, x: &[f64]) -> f64 {
        assert!(x.len() == self.len(), "one entry per row");
        let mut worst = 0.0;
        for i in 0..self.len() {
            let (lo, hi) = self.bounds(i, x);
            // Of an impulse between its bounds it is the slack itself: taken from `x` a huge one would swallow it.
            let (slack, clamped) = (self.slack_of(i, x), (x[i] - self.slack_of(i, x)).clamp(lo, hi));
            let off = if lo < clamped && clamped < hi { slack } else { x[i] - clamped };
            worst = max_or_nan(worst, off.abs());
        }
        worst
    }

    /// Whether `x` solves it to a tolerance, as far as can be told: rounding of what it is made up of must be within the tolerance, too. (Rows that contradict each
    /// other are met to the digit by an `x` of 10¹⁷.)
    pub(super) fn is_solved(&self, x: &[f64], tolerance: f64) -> bool {
        let most = tolerance * self.scale();
        let size = |i: usize| self.row(i).iter().zip(x).map(|(a, x)| (a * x).abs()).sum::<f64>();
        self.residual(x) <= most && (0..self.len()).all(|i| f64::EPSILON * size(i) <= most)
    }

    /// What the tolerances of the direct solvers are relative to: 1 + max |b|.
    pub(super) fn scale(&self) -> f64 {
        1.0 + self.offset.iter().fold(0.0_f64, |m, b| m.max(b.abs()))
    }
}

/// The larger one, and NaN once there is a NaN: a residual must not hide one.
pub(super) fn max_or_nan(worst: f64, next: f64) -> f64 {
    if next > worst || next.is_nan() { next } else { worst }
}

/// Dot product over four running sums, in a fixed order.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (mut a4, mut b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let mut s = [0.0; 4];
    for (p, q) in a4.by_ref().zip(b4.by_ref()) {
        for k in 0..4 {
            s[k] += p[k] * q[k];
        }
    }
    let tail: f64 = a4.remainder().iter().zip(b4.remainder()).map(|(p, q)| p * q).sum();
    (s[0] + s[1]) + (s[2] + s[3]) + tail
}

fn check_length(what: &'static str, found: usize, expected: usize) -> Result<(), ProblemError> {
    if found == expected { Ok(()) } else { Err(ProblemError::Length { what, found, expected }) }
}
