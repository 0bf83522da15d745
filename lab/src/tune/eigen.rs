//! Eigenvalues and eigenvectors of a symmetric matrix by cyclic Jacobi rotations (Golub & Van Loan, *Matrix
//! Computations*, section 8.5).
//!
//! Slower than tridiagonal methods, O(n³) per sweep, but short, exact to rounding for every eigenvalue, and the same
//! on every machine that adds alike. A search in sixty dimensions decomposes in about a millisecond.

/// Sweeps after which it gives up; six to ten are usual, convergence being quadratic.
const SWEEPS: usize = 60;

/// `matrix = vectors · diag(values) · vectorsᵀ`, column `k` of `vectors` belonging to `values[k]`. Row by row, `n` by `n`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Eigen {
    pub(super) values: Vec<f64>,
    pub(super) vectors: Vec<f64>,
}

/// Decomposes a symmetric matrix given row by row; only its upper half is read.
pub(super) fn decompose(matrix: &[f64], n: usize) -> Eigen {
    let mut a = matrix.to_vec();
    for i in 0..n {
        for j in 0..i {
            a[i * n + j] = a[j * n + i];
        }
    }
    let mut vectors = vec![0.0; n * n];
    (0..n).for_each(|i| vectors[i * n + i] = 1.0);
    for _ in 0..SWEEPS {
        let off: f64 =
            (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).map(|(i, j)| a[i * n + j].abs()).sum();
        if off == 0.0 {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(&mut a, &mut vectors, n, p, q);
            }
        }
    }
    Eigen { values: (0..n).map(|i| a[i * n + i]).collect(), vectors }
}

/// Turns the plane of axes `p` and `q` so that their off-diagonal entry vanishes.
fn rotate(a: &mut [f64], vectors: &mut [f64], n: usize, p: usize, q: usize) {
    let off = a[p * n + q];
    let (first, second) = (a[p * n + p], a[q * n + q]);
    // Too small to change either diagonal entry: it is nothing.
    if off.abs() <= f64::EPSILON * 1e-2 * (first.abs() * second.abs()).sqrt() || off == 0.0 {
        a[p * n + q] = 0.0;
        a[q * n + p] = 0.0;
        return;
    }
    // The smaller of the two angles: t² + 2 t cot 2θ - 1 = 0.
    let cotangent = (second - first) / (2.0 * off);
    let t = cotangent.signum() / (cotangent.abs() + cotangent.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    let s = t * c;
    for k in 0..n {
        let (kp, kq) = (a[k * n + p], a[k * n + q]);
        a[k * n + p] = c * kp - s * kq;
        a[k * n + q] = s * kp + c * kq;
    }
    for k in 0..n {
        let (pk, qk) = (a[p * n + k], a[q * n + k]);
        a[p * n + k] = c * pk - s * qk;
        a[q * n + k] = s * pk + c * qk;
    }
    a[p * n + q] = 0.0;
    a[q * n + p] = 0.0;
    for k in 0..n {
        let (kp, kq) = (vectors[k * n + p], vectors[k * n + q]);
        vectors[k * n + p] = c * kp - s * kq;
        vectors[k * n + q] = s * kp + c * kq;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn the_parts_make_the_whole_and_vectors_are_orthonormal() {
        let mut random = Random::named(1, "eigen");
        for n in [1, 2, 3, 10, 40] {
            // Eigenvalues over twelve decades.
            let half: Vec<f64> =
                (0..n * n).map(|k| random.normal() * 10f64.powf(-6.0 * (k % n) as f64 / n as f64)).collect();
            let mut a = vec![0.0; n * n];
            for i in 0..n {
                for j in 0..n {
                    a[i * n + j] = (0..n).map(|k| half[k * n + i] * half[k * n + j]).sum();
                }
            }
            let size = a.iter().map(|x| x.abs()).fold(0.0, f64::max);
            let Eigen { values, vectors: v } = decompose(&a, n);
            for i in 0..n {
                for j in 0..n {
                    let whole: f64 = (0..n).map(|k| v[i * n + k] * values[k] * v[j * n + k]).sum();
                    assert!((whole - a[i * n + j]).abs() < 1e-13 * size * n as f64, "{n}: {i} {j}");
                    let dot: f64 = (0..n).map(|k| v[k * n + i] * v[k * n + j]).sum();
                    assert!((dot - f64::from(u8::from(i == j))).abs() < 1e-13, "{n}: {i} {j}");
                }
            }
        }
    }
}
