//! Principal axes of the rows of a table: eigenvectors of the covariance by Jacobi rotations (Golub & Van Loan, *Matrix
//! Computations*, 4th ed., alg. 8.5.3).

/// Most rows that the covariance looks at; larger tables are thinned evenly.
const MAX_ROWS: usize = 4000;
const MAX_SWEEPS: usize = 30;

/// Mean of the rows and their principal axes, largest variance first, one axis per `width` numbers. The axes are
/// orthonormal whatever the rows, so distances along them are distances.
pub(super) fn principal_axes(rows: &[f32], width: usize) -> (Vec<f64>, Vec<f64>) {
    let n = rows.len() / width;
    let step = n.div_ceil(MAX_ROWS).max(1);
    let used = || rows.chunks_exact(width).step_by(step);
    let count = used().count().max(1) as f64;
    let mut mean = vec![0.0; width];
    for row in used() {
        mean.iter_mut().zip(row).for_each(|(m, &v)| *m += f64::from(v) / count);
    }
    let mut covariance = vec![0.0; width * width];
    let mut centred = vec![0.0; width];
    for row in used() {
        centred.iter_mut().zip(row).zip(&mean).for_each(|((c, &v), m)| *c = f64::from(v) - m);
        for i in 0..width {
            let line = &mut covariance[i * width..i * width + i + 1];
            line.iter_mut().zip(&centred).for_each(|(s, c)| *s += centred[i] * c / count);
        }
    }
    for i in 0..width {
        for j in 0..i {
            covariance[j * width + i] = covariance[i * width + j];
        }
    }
    let axes = jacobi(&mut covariance, width);
    let mut order: Vec<usize> = (0..width).collect();
    order.sort_by(|&a, &b| covariance[b * width + b].total_cmp(&covariance[a * width + a]).then(a.cmp(&b)));
    let sorted = order.iter().flat_map(|&i| axes[i * width..(i + 1) * width].iter().copied()).collect();
    (mean, sorted)
}

/// Diagonalises a symmetric matrix in place; returns the eigenvectors as rows.
fn jacobi(a: &mut [f64], n: usize) -> Vec<f64> {
    let mut vectors = vec![0.0; n * n];
    (0..n).for_each(|i| vectors[i * n + i] = 1.0);
    let scale: f64 = (0..n).map(|i| a[i * n + i].abs()).sum();
    for _ in 0..MAX_SWEEPS {
        let off: f64 =
            (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| a[i * n + j].abs()).sum();
        if off <= 1e-9 * scale {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(a, &mut vectors, n, p, q);
            }
        }
    }
    vectors
}

/// One Jacobi rotation that makes entry (p, q) zero.
fn rotate(a: &mut [f64], vectors: &mut [f64], n: usize, p: usize, q: usize) {
    let apq = a[p * n + q];
    if apq == 0.0 {
        return;
    }
    let tau = (a[q * n + q] - a[p * n + p]) / (2.0 * apq);
    let t = tau.signum() / (tau.abs() + (1.0 + tau * tau).sqrt());
    let t = if tau == 0.0 { 1.0 } else { t };
    let c = 1.0 / (1.0 + t * t).sqrt();
    let s = t * c;
    for k in 0..n {
        let (x, y) = (a[k * n + p], a[k * n + q]);
        (a[k * n + p], a[k * n + q]) = (c * x - s * y, s * x + c * y);
    }
    for k in 0..n {
        let (x, y) = (a[p * n + k], a[q * n + k]);
        (a[p * n + k], a[q * n + k]) = (c * x - s * y, s * x + c * y);
    }
    for k in 0..n {
        let (x, y) = (vectors[p * n + k], vectors[q * n + k]);
        (vectors[p * n + k], vectors[q * n + k]) = (c * x - s * y, s * x + c * y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_orthonormal_and_sorted_by_variance() {
        let rows: Vec<f32> = (0..600)
            .flat_map(|i| {
                let t = i as f32;
                [3.0 * (0.1 * t).sin(), (0.1 * t).sin() + 0.1 * (1.7 * t).cos(), 0.01 * (2.3 * t).sin(), 5.0]
            })
            .collect();
        let (_, axes) = principal_axes(&rows, 4);
        for i in 0..4 {
            for j in 0..4 {
                let dot: f64 = (0..4).map(|k| axes[i * 4 + k] * axes[j * 4 + k]).sum();
                assert!((dot - f64::from(u8::from(i == j))).abs() < 1e-12);
            }
        }
        assert!((axes[0] / axes[1] - 3.0).abs() < 0.1);
    }
}
