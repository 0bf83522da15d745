//! Dense LU factorisation with partial pivoting (Golub & Van Loan, *Matrix Computations*, alg. 3.4.1),
//! for small non-symmetric systems. Reusable: allocates only when it meets a larger system.

/// Factors P A = L U of the last matrix given.
#[derive(Clone, Debug, Default)]
pub(super) struct Lu {
    n: usize,
    a: Vec<f64>,
    swaps: Vec<usize>,
}

impl Lu {
    /// Factorises the n x n matrix with the given entries. False when it is singular to rounding.
    pub(super) fn factor(&mut self, n: usize, entry: impl Fn(usize, usize) -> f64) -> bool {
        self.n = n;
        self.a.clear();
        self.a.extend((0..n * n).map(|k| entry(k / n, k % n)));
        self.swaps.clear();
        let largest = self.a.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let smallest_pivot = largest * 1e-15;
        for k in 0..n {
            let mut pivot = k;
            for r in k + 1..n {
                if self.a[r * n + k].abs() > self.a[pivot * n + k].abs() {
                    pivot = r;
                }
            }
            self.swaps.push(pivot);
            if pivot != k {
                let (top, bottom) = self.a.split_at_mut(pivot * n);
                top[k * n..(k + 1) * n].swap_with_slice(&mut bottom[..n]);
            }
            let size = self.a[k * n + k].abs();
            if size.is_nan() || size <= smallest_pivot {
                return false;
            }
            let (top, bottom) = self.a.split_at_mut((k + 1) * n);
            let upper = &top[k * n..];
            for row in bottom.chunks_exact_mut(n) {
                let factor = row[k] / upper[k];
                row[k] = factor;
                if factor != 0.0 {
                    for c in k + 1..n {
                        row[c] -= factor * upper[c];
                    }
                }
            }
        }
        true
    }

    /// Replaces `rhs` by the solution.
    pub(super) fn solve(&self, rhs: &mut [f64]) {
        let n = self.n;
        for (k, &pivot) in self.swaps.iter().enumerate() {
            rhs.swap(k, pivot);
        }
        for r in 0..n {
            for c in 0..r {
                rhs[r] -= self.a[r * n + c] * rhs[c];
            }
        }
        for r in (0..n).rev() {
            for c in r + 1..n {
                rhs[r] -= self.a[r * n + c] * rhs[c];
            }
            rhs[r] /= self.a[r * n + r];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Lu;

    #[test]
    fn solves_a_system_that_needs_row_exchanges() {
        let a = [[0.0, 2.0, 1.0], [1.0, -1.0, 0.0], [3.0, 0.0, 2.0]];
        let mut lu = Lu::default();
        assert!(lu.factor(3, |r, c| a[r][c]));
        // A (1, 2, 3) = (7, -1, 9).
        let mut rhs = [7.0, -1.0, 9.0];
        lu.solve(&mut rhs);
        for (got, want) in rhs.iter().zip([1.0, 2.0, 3.0]) {
            assert!((got - want).abs() < 1e-14);
        }
    }

    #[test]
    fn reports_a_singular_matrix() {
        assert!(!Lu::default().factor(2, |r, c| ((r + 1) * (c + 1)) as f64));
    }
}
