//! Dense Cholesky solve of the normal equations, in place.

/// Solves `A x = b` for a symmetric positive definite `A` (row major, lower triangle read and overwritten by `L`); `b`
/// becomes `x`. False where `A` is not positive definite.
pub(super) fn solve(a: &mut [f64], b: &mut [f64]) -> bool {
    let n = b.len();
    for i in 0..n {
        for j in 0..=i {
            let (row_i, row_j) = (&a[i * n..i * n + j], &a[j * n..j * n + j]);
            let sum = a[i * n + j] - row_i.iter().zip(row_j).map(|(x, y)| x * y).sum::<f64>();
            if i == j {
                if sum.is_nan() || sum <= 0.0 {
                    return false;
                }
                a[i * n + i] = sum.sqrt();
            } else {
                a[i * n + j] = sum / a[j * n + j];
            }
        }
    }
    for i in 0..n {
        let sum: f64 = (0..i).map(|k| a[i * n + k] * b[k]).sum();
        b[i] = (b[i] - sum) / a[i * n + i];
    }
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|k| a[k * n + i] * b[k]).sum();
        b[i] = (b[i] - sum) / a[i * n + i];
    }
    true
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn solution_solves(values in prop::collection::vec(-1.0f64..1.0, 36), b in prop::collection::vec(-1.0f64..1.0, 6)) {
            let at = |i: usize, j: usize| {
                let dot: f64 = (0..6).map(|k| values[i * 6 + k] * values[j * 6 + k]).sum();
                dot + if i == j { 0.1 } else { 0.0 }
            };
            let mut a: Vec<f64> = (0..36).map(|k| at(k / 6, k % 6)).collect();
            let mut x = b.clone();
            prop_assert!(super::solve(&mut a, &mut x));
            for i in 0..6 {
                let row: f64 = (0..6).map(|j| at(i, j) * x[j]).sum();
                prop_assert!((row - b[i]).abs() < 1e-9);
            }
        }
    }
}
