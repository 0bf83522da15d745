//! LDLᵀ factors of a symmetric positive definite matrix that grows and shrinks by one row.
//!
//! Appending a row costs m², removing row k costs (m - k)²: what principal pivoting needs to keep the
//! factors of A_CC while indices enter and leave C.
//! Removal leaves L₃₃ D₃ L₃₃ᵀ + d_k l lᵀ, a positive rank-one update, done by method C1 of
//! Gill, Golub, Murray & Saunders, *Methods for modifying matrix factorizations* (1974).

use super::problem::dot;

/// The factors; L is stored by rows, `stride` apart, without its unit diagonal.
#[derive(Clone, Debug, Default)]
pub(super) struct Ldl {
    m: usize,
    stride: usize,
    l: Vec<f64>,
    d: Vec<f64>,
    column: Vec<f64>,
}

impl Ldl {
    /// Empties the factors and makes room for up to `capacity` rows.
    pub(super) fn reset(&mut self, capacity: usize) {
        self.m = 0;
        self.stride = capacity;
        self.l.clear();
        self.l.resize(capacity * capacity, 0.0);
        self.d.clear();
        self.d.resize(capacity, 0.0);
        self.column.clear();
        self.column.resize(capacity, 0.0);
    }

    /// Appends the row with the given couplings to the present ones. Refuses (and changes nothing) when
    /// the new pivot, the Schur complement of the row, would not exceed `least_pivot`.
    pub(super) fn append(
        &mut self,
        coupling: impl Iterator<Item = f64>,
        diagonal: f64,
        least_pivot: f64,
    ) -> bool {
        let (m, s) = (self.m, self.stride);
        for (slot, a) in self.column.iter_mut().zip(coupling) {
            *slot = a;
        }
        self.forward(m);
        let mut pivot = diagonal;
        for k in 0..m {
            let l = self.column[k] / self.d[k];
            self.l[m * s + k] = l;
            pivot -= l * self.column[k];
        }
        if pivot.is_nan() || pivot <= least_pivot {
            return false;
        }
        self.d[m] = pivot;
        self.m += 1;
        true
    }

    /// Removes row and column `k`.
    pub(super) fn remove(&mut self, k: usize) {
        let (m, s) = (self.m, self.stride);
        let mut alpha = self.d[k];
        // Close the gap in L and d, keeping column k below the diagonal: it is the vector of the update.
        for r in k + 1..m {
            self.column[r - 1] = self.l[r * s + k];
            for c in 0..r {
                let from = if c < k { c } else { c + 1 };
                if from < r {
                    self.l[(r - 1) * s + c] = self.l[r * s + from];
                }
            }
            self.d[r - 1] = self.d[r];
        }
        self.m -= 1;
        for j in k..self.m {
            let p = self.column[j];
            let d = self.d[j] + alpha * p * p;
            let beta = alpha * p / d;
            alpha *= self.d[j] / d;
            self.d[j] = d;
            for r in j + 1..self.m {
                self.column[r] -= p * self.l[r * s + j];
                self.l[r * s + j] += beta * self.column[r];
            }
        }
    }

    /// Replaces `rhs` by the solution.
    pub(super) fn solve(&mut self, rhs: &mut [f64]) {
        let (m, s) = (self.m, self.stride);
        self.column[..m].copy_from_slice(&rhs[..m]);
        self.forward(m);
        for k in 0..m {
            self.column[k] /= self.d[k];
        }
        for r in (0..m).rev() {
            let v = self.column[r];
            for c in 0..r {
                self.column[c] -= self.l[r * s + c] * v;
            }
        }
        rhs[..m].copy_from_slice(&self.column[..m]);
    }

    /// column ← L⁻¹ column.
    fn forward(&mut self, m: usize) {
        for r in 1..m {
            let (head, tail) = self.column.split_at_mut(r);
            tail[0] -= dot(&self.l[r * self.stride..r * self.stride + r], head);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Ldl;

    /// A diagonally dominant symmetric matrix with nothing regular about it.
    fn entry(r: usize, c: usize) -> f64 {
        let (a, b) = (r.min(c) as f64, r.max(c) as f64);
        if r == c { 6.0 + a } else { (1.3 * a + 0.7 * b).sin() }
    }

    #[test]
    fn factors_survive_appends_and_removals() {
        let mut ldl = Ldl::default();
        ldl.reset(6);
        let mut kept: Vec<usize> = Vec::new();
        for j in 0..6 {
            assert!(ldl.append(kept.iter().map(|&c| entry(c, j)), entry(j, j), 0.0));
            kept.push(j);
        }
        for gone in [2, 0, 3] {
            ldl.remove(gone);
            kept.remove(gone);
        }
        assert!(ldl.append(kept.iter().map(|&c| entry(c, 0)), entry(0, 0), 0.0));
        kept.push(0);
        let want = [1.0, -2.0, 0.5, 3.0];
        let mut x: Vec<f64> =
            kept.iter().map(|&r| kept.iter().zip(want).map(|(&c, v)| entry(r, c) * v).sum()).collect();
        ldl.solve(&mut x);
        for (got, want) in x.iter().zip(want) {
            assert!((got - want).abs() < 1e-13, "{x:?}");
        }
    }

    #[test]
    fn refuses_a_dependent_row() {
        let mut ldl = Ldl::default();
        ldl.reset(2);
        assert!(ldl.append(std::iter::empty(), 4.0, 1e-12));
        assert!(!ldl.append([2.0].into_iter(), 1.0, 1e-12));
        let mut x = [8.0];
        ldl.solve(&mut x);
        assert_eq!(x, [2.0]);
    }
}
