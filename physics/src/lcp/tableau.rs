//! The tableau shared by Lemke's method and the feasibility test.
//!
//! It holds s - M z - d z₀ = q solved for the basic variables. Columns: s (m), z (m), z₀, right-hand side.
//! The s columns are the basis inverse, which is what the lexicographic ratio test compares, so that no
//! degenerate problem makes it cycle (Cottle, Pang & Stone 1992, §4.9; Murty 1988, §2.2.7).

use super::plain::PlainForm;

/// Smallest pivot wanted; entries are of order 1 after equilibration.
const LEAST_PIVOT: f64 = 1e-10;
/// Smallest pivot where none of that size is to be had.
const LEAST_RESORT: f64 = 1e-13;
/// Ratios closer than this tie.
const TIE: f64 = 1e-12;
/// Value below which the artificial variable counts as zero.
const FEASIBLE: f64 = 1e-9;
/// Entries of z beyond this are none: M and q are of order 1, and rounding of M z is then above what [`FEASIBLE`] asks for.
const LARGEST: f64 = 1e8;

/// See the file header.
#[derive(Clone, Debug, Default)]
pub(super) struct Tableau {
    m: usize,
    entries: Vec<f64>,
    pivot_row: Vec<f64>,
    ties: Vec<usize>,
    /// Basic variable of each row, as a column number.
    pub(super) basis: Vec<usize>,
}

impl Tableau {
    /// Column of z₀.
    pub(super) fn artificial(&self) -> usize {
        2 * self.m
    }

    /// The column complementary to s_k or z_k.
    pub(super) fn complement(&self, column: usize) -> usize {
        if column < self.m { column + self.m } else { column - self.m }
    }

    /// Value of the basic variable of row `r`.
    pub(super) fn value(&self, r: usize) -> f64 {
        self.entries[r * self.width() + 2 * self.m + 1]
    }

    /// Loads M and q with all s basic. The covering vector d is 1 in the first row and 1 + `tilt` towards the
    /// last; any positive one will do.
    pub(super) fn load(&mut self, plain: &PlainForm, tilt: f64) {
        let m = plain.len();
        self.m = m;
        let width = self.width();
        self.entries.clear();
        self.entries.resize(m * width, 0.0);
        self.pivot_row.clear();
        self.pivot_row.resize(width, 0.0);
        self.basis.clear();
        self.basis.extend(0..m);
        self.ties.clear();
        self.ties.reserve(m);
        for (r, row) in self.entries.chunks_exact_mut(width.max(1)).enumerate() {
            row[r] = 1.0;
            for c in 0..m {
                row[m + c] = -plain.matrix[r * m + c];
            }
            row[2 * m] = -1.0 - tilt * r as f64 / m as f64;
            row[2 * m + 1] = plain.offset[r];
        }
    }

    /// Brings z₀ into the basis in the lexicographically most negative row, which makes the basis
    /// nonnegative. Returns the variable that left, or `None` when q was nonnegative already.
    pub(super) fn enter_artificial(&mut self) -> Option<usize> {
        let mut row = 0;
        let ratio = |r: usize| -self.value(r) / self.entries[r * self.width() + self.artificial()];
        for r in 1..self.m {
            // Among equal q the last unit vector is the lexicographically smallest.
            if ratio(r) <= ratio(row) {
                row = r;
            }
        }
        if self.m == 0 || self.value(row) >= 0.0 {
            return None;
        }
        Some(self.pivot(row, self.artificial()))
    }

    /// The row that limits the growth of the entering column, `None` on a ray. z₀ wins a tie.
    pub(super) fn ratio_test(&mut self, column: usize) -> Option<usize> {
        let (m, width) = (self.m, self.width());
        let at = |r: usize, c: usize| self.entries[r * width + c];
        self.ties.clear();
        // Small pivots only where the alternative is a ray.
        for least_pivot in [LEAST_PIVOT, LEAST_RESORT] {
            if self.ties.is_empty() {
                self.ties.extend((0..m).filter(|&r| at(r, column) > least_pivot));
            }
        }
        // Right-hand side first, then the columns of the basis inverse.
        for key in std::iter::once(2 * m + 1).chain(0..m) {
            if self.ties.len() <= 1 {
                break;
            }
            let ratio = |r: usize| at(r, key) / at(r, column);
            let least = self.ties.iter().map(|&r| ratio(r)).fold(f64::INFINITY, f64::min);
            self.ties.retain(|&r| ratio(r) <= least + TIE * (1.0 + least.abs()));
            if key == 2 * m + 1 {
                let artificial = self.ties.iter().find(|&&r| self.basis[r] == 2 * m);
                if let Some(&r) = artificial {
                    return Some(r);
                }
            }
        }
        self.ties.first().copied()
    }

    /// Makes `column` basic in `row`; returns the column that left.
    pub(super) fn pivot(&mut self, row: usize, column: usize) -> usize {
        let width = self.width();
        let source = &mut self.entries[row * width..(row + 1) * width];
        let inverse = 1.0 / source[column];
        for v in source.iter_mut() {
            *v *= inverse;
        }
        source[column] = 1.0;
        self.pivot_row.copy_from_slice(source);
        for (r, target) in self.entries.chunks_exact_mut(width).enumerate() {
            let factor = target[column];
            if r != row && factor != 0.0 {
                for (t, p) in target.iter_mut().zip(&self.pivot_row) {
                    *t -= factor * p;
                }
                target[column] = 0.0;
            }
        }
        std::mem::replace(&mut self.basis[row], column)
    }

    /// Whether some z ≥ 0 has M z + q ≥ 0: the phase-1 simplex method on min z₀ (Murty 1983, ch. 2).
    pub(super) fn is_feasible(&mut self, plain: &PlainForm) -> bool {
        self.load(plain, 0.0);
        if self.enter_artificial().is_none() {
            return true;
        }
        let (m, width) = (self.m, self.width());
        // The lexicographic rule ends by itself; the limit is for rounding gone wrong.
        for _ in 0..1000 + 50 * m {
            if self.artificial_vanishes() {
                return true;
            }
            let Some(row) = self.artificial_row() else { return true };
            if self.row_proves_infeasible(plain, row) {
                return false;
            }
            // z₀ falls fastest along the largest entry of its row; column 2m is z₀ itself.
            let entries = &self.entries[row * width..row * width + 2 * m];
            let mut column = 0;
            for c in 1..2 * m {
                if entries[c] > entries[column] {
                    column = c;
                }
            }
            if entries[column] <= LEAST_PIVOT {
                return false;
            }
            let Some(leaving) = self.ratio_test(column) else { return false };
            self.pivot(leaving, column);
        }
        false
    }

    /// Whether the multipliers of z₀'s row, y = -(its s columns), show by the problem itself that there is nothing to be found
    /// (Farkas): with y ≥ 0, every z ≥ 0 that has M z + q ≥ 0 has yᵀM z ≥ -yᵀq > 0, so some entry of z is at least
    /// -yᵀq / (m max yᵀM). Nearly dependent rows leave entries of the tableau that are nothing but rounding over a small pivot;
    /// large enough to pivot on, they lead anywhere.
    fn row_proves_infeasible(&self, plain: &PlainForm, row: usize) -> bool {
        let (m, width) = (self.m, self.width());
        let y = |r: usize| (-self.entries[row * width + r]).max(0.0);
        let missing = -(0..m).map(|r| y(r) * plain.offset[r]).sum::<f64>();
        let weight: f64 = (0..m).map(y).sum();
        let most = missing / (LARGEST * m as f64);
        missing > FEASIBLE * weight
            && (0..m).all(|c| (0..m).map(|r| y(r) * plain.matrix[r * m + c]).sum::<f64>() <= most)
    }

    /// Whether z₀ is zero to rounding.
    pub(super) fn artificial_vanishes(&self) -> bool {
        self.artificial_row().is_none_or(|r| self.value(r) <= FEASIBLE)
    }

    fn artificial_row(&self) -> Option<usize> {
        self.basis.iter().position(|&b| b == self.artificial())
    }

    fn width(&self) -> usize {
        2 * self.m + 2
    }
}
