//! Dense 6×6 matrices, angular part first: free joints, lone bodies and what couples bodies.

use glam::{DMat3, DVec3};

use super::{ArticulatedInertia, Sym3, cross_matrix};

/// A 6×6 matrix by rows.
pub(crate) type Six = [[f64; 6]; 6];

pub(crate) const ZERO: Six = [[0.0; 6]; 6];

/// `a += b`.
#[inline]
pub(crate) fn add(a: &mut Six, b: &Six) {
    for (x, y) in a.iter_mut().zip(b) {
        for (x, y) in x.iter_mut().zip(y) {
            *x += y;
        }
    }
}

/// `Aᵀ`.
#[inline]
pub(crate) fn transposed(a: &Six) -> Six {
    core::array::from_fn(|i| core::array::from_fn(|j| a[j][i]))
}

/// `a -= bᵀ c`.
#[inline]
pub(crate) fn take_product(a: &mut Six, b: &Six, c: &Six) {
    for k in 0..6 {
        for i in 0..6 {
            let left = b[k][i];
            for j in 0..6 {
                a[i][j] -= left * c[k][j];
            }
        }
    }
}

/// `A x`.
#[inline]
pub(crate) fn times(a: &Six, x: &[f64; 6]) -> [f64; 6] {
    core::array::from_fn(|i| (0..6).map(|j| a[i][j] * x[j]).sum())
}

/// `Aᵀ x`.
#[inline]
pub(crate) fn transposed_times(a: &Six, x: &[f64; 6]) -> [f64; 6] {
    let mut out = [0.0; 6];
    for i in 0..6 {
        for j in 0..6 {
            out[j] += a[i][j] * x[i];
        }
    }
    out
}

/// `LDLᵀ` of a positive definite matrix in place: `L` below the diagonal, `D⁻¹` on it.
#[inline]
pub(crate) fn factorize(m: &mut Six) {
    for k in 0..6 {
        let inverse = 1.0 / m[k][k];
        for i in k + 1..6 {
            let l = m[i][k] * inverse;
            for j in k + 1..=i {
                m[i][j] -= l * m[j][k];
            }
        }
        for i in k + 1..6 {
            m[i][k] *= inverse;
        }
        m[k][k] = inverse;
    }
}

/// Solves with the factor of [`factorize`].
#[inline]
pub(crate) fn solve(l: &Six, x: &mut [f64; 6]) {
    for i in 1..6 {
        for k in 0..i {
            x[i] -= l[i][k] * x[k];
        }
    }
    for i in (0..6).rev() {
        x[i] *= l[i][i];
        for k in i + 1..6 {
            x[i] -= l[k][i] * x[k];
        }
    }
}

/// `D⁻¹B`, column by column.
#[inline]
pub(crate) fn solve_columns(l: &Six, b: &Six) -> Six {
    let mut out = *b;
    // The same two sweeps as `solve`, on whole rows.
    for i in 1..6 {
        for k in 0..i {
            let f = l[i][k];
            for j in 0..6 {
                out[i][j] -= f * out[k][j];
            }
        }
    }
    for i in (0..6).rev() {
        for j in 0..6 {
            out[i][j] *= l[i][i];
        }
        for k in i + 1..6 {
            let f = l[k][i];
            for j in 0..6 {
                out[i][j] -= f * out[k][j];
            }
        }
    }
    out
}

/// As a symmetric 6×6 map.
pub(crate) fn to_inertia(m: &Six) -> ArticulatedInertia {
    let column = |i: usize, j: usize| DVec3::new(m[i][j], m[i + 1][j], m[i + 2][j]);
    let block = |i: usize, j: usize| DMat3::from_cols(column(i, j), column(i, j + 1), column(i, j + 2));
    ArticulatedInertia {
        angular: Sym3::symmetric_part(&block(0, 0)),
        coupling: block(0, 3),
        linear: Sym3::symmetric_part(&block(3, 3)),
    }
}

/// `-J_aᵀ G J_b` of a point force with arms `r_a`, `r_b` from the bodies' origins (`J = [-[r]× 1]`).
pub(crate) fn coupling(gain: Sym3, r_a: DVec3, r_b: DVec3) -> Six {
    // J_aᵀ G = [[r_a]×G; G], times J_b = [-[r_b]× 1].
    let g = gain.to_mat3();
    let (a, b) = (cross_matrix(r_a), cross_matrix(r_b));
    let ag = a * g;
    blocks(&(ag * b), &(-ag), &(g * b), &(-g))
}

/// `-G` on the spins.
pub(crate) fn spin_coupling(gain: Sym3) -> Six {
    let zero = DMat3::ZERO;
    blocks(&(-gain.to_mat3()), &zero, &zero, &zero)
}

fn blocks(aa: &DMat3, al: &DMat3, la: &DMat3, ll: &DMat3) -> Six {
    let mut m = ZERO;
    for i in 0..3 {
        for j in 0..3 {
            m[i][j] = aa.col(j)[i];
            m[i][j + 3] = al.col(j)[i];
            m[i + 3][j] = la.col(j)[i];
            m[i + 3][j + 3] = ll.col(j)[i];
        }
    }
    m
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coupling_is_the_off_diagonal_of_a_spring_between_two_points() {
        let g = Sym3::new(2.0, 3.0, 4.0, 0.5, -0.3, 0.7);
        let (a, b) = (DVec3::new(0.1, -0.4, 0.3), DVec3::new(-0.2, 0.5, 0.8));
        let c = coupling(g, a, b);
        // A velocity of B alone gives the force -J_aᵀ G (0 - J_b v_b)... with the sign of the block.
        let v = [0.3, -0.2, 0.5, 1.0, -0.7, 0.2];
        let (w, u) = (DVec3::new(v[0], v[1], v[2]), DVec3::new(v[3], v[4], v[5]));
        let force = -(g * (u + w.cross(b)));
        let moment = a.cross(force);
        let found = times(&c, &v);
        let expected = [moment.x, moment.y, moment.z, force.x, force.y, force.z];
        for (x, y) in found.iter().zip(expected) {
            assert!((x - y).abs() < 1e-13, "{found:?} {expected:?}");
        }
    }

    #[test]
    fn factors_solve() {
        let mut m = ZERO;
        for i in 0..6 {
            for j in 0..6 {
                m[i][j] = 1.0 / (1.0 + i as f64 + j as f64) + if i == j { 2.0 } else { 0.0 };
            }
        }
        let mut l = m;
        factorize(&mut l);
        let b = transposed(&coupling(Sym3::IDENTITY, DVec3::X, DVec3::Y));
        let x = solve_columns(&l, &b);
        for j in 0..6 {
            let column: [f64; 6] = core::array::from_fn(|i| x[i][j]);
            let back = times(&m, &column);
            for i in 0..6 {
                assert!((back[i] - b[i][j]).abs() < 1e-13);
            }
        }
    }
}
