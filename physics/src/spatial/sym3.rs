//! Symmetric 3×3 matrices in six numbers.

use core::ops::{Add, AddAssign, Mul, Sub};

use glam::{DMat3, DVec3};

/// A symmetric 3×3 matrix; six numbers instead of nine halve the work of the inward passes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[expect(missing_docs, reason = "the fields are the matrix entries of the same name")]
pub struct Sym3 {
    pub xx: f64,
    pub yy: f64,
    pub zz: f64,
    pub xy: f64,
    pub xz: f64,
    pub yz: f64,
}

impl Sym3 {
    /// The zero matrix.
    pub const ZERO: Self = Self::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    /// The unit matrix.
    pub const IDENTITY: Self = Self::diagonal(1.0, 1.0, 1.0);

    /// From its entries, diagonal first.
    #[inline]
    pub const fn new(xx: f64, yy: f64, zz: f64, xy: f64, xz: f64, yz: f64) -> Self {
        Self { xx, yy, zz, xy, xz, yz }
    }

    /// A diagonal matrix.
    #[inline]
    pub const fn diagonal(xx: f64, yy: f64, zz: f64) -> Self {
        Self::new(xx, yy, zz, 0.0, 0.0, 0.0)
    }

    /// The symmetric part of a general matrix.
    pub fn symmetric_part(m: &DMat3) -> Self {
        Self::new(
            m.x_axis.x,
            m.y_axis.y,
            m.z_axis.z,
            0.5 * (m.y_axis.x + m.x_axis.y),
            0.5 * (m.z_axis.x + m.x_axis.z),
            0.5 * (m.z_axis.y + m.y_axis.z),
        )
    }

    /// `a aᵀ`.
    #[inline]
    pub fn outer(a: DVec3) -> Self {
        Self::new(a.x * a.x, a.y * a.y, a.z * a.z, a.x * a.y, a.x * a.z, a.y * a.z)
    }

    /// `|c|² 1 - c cᵀ = -[c]×[c]×`, the inertia of a unit point mass at `c`.
    #[inline]
    pub fn point_inertia(c: DVec3) -> Self {
        let (x2, y2, z2) = (c.x * c.x, c.y * c.y, c.z * c.z);
        Self::new(y2 + z2, x2 + z2, x2 + y2, -c.x * c.y, -c.x * c.z, -c.y * c.z)
    }

    /// As a general matrix.
    #[inline]
    pub fn to_mat3(self) -> DMat3 {
        DMat3::from_cols(
            DVec3::new(self.xx, self.xy, self.xz),
            DVec3::new(self.xy, self.yy, self.yz),
            DVec3::new(self.xz, self.yz, self.zz),
        )
    }

    /// `R self Rᵀ`.
    #[inline(always)]
    pub fn rotated(&self, r: &DMat3) -> Self {
        // Columns of (R S), then only the six dot products that are needed. Most bodies have their
        // frame along the principal axes.
        let (a, b, c) = if self.xy == 0.0 && self.xz == 0.0 && self.yz == 0.0 {
            (r.x_axis * self.xx, r.y_axis * self.yy, r.z_axis * self.zz)
        } else {
            (
                r.x_axis * self.xx + r.y_axis * self.xy + r.z_axis * self.xz,
                r.x_axis * self.xy + r.y_axis * self.yy + r.z_axis * self.yz,
                r.x_axis * self.xz + r.y_axis * self.yz + r.z_axis * self.zz,
            )
        };
        let (rx, ry, rz) = (r.x_axis, r.y_axis, r.z_axis);
        Self {
            xx: a.x * rx.x + b.x * ry.x + c.x * rz.x,
            yy: a.y * rx.y + b.y * ry.y + c.y * rz.y,
            zz: a.z * rx.z + b.z * ry.z + c.z * rz.z,
            xy: a.x * rx.y + b.x * ry.y + c.x * rz.y,
            xz: a.x * rx.z + b.x * ry.z + c.x * rz.z,
            yz: a.y * rx.z + b.y * ry.z + c.y * rz.z,
        }
    }

    /// Inverse of a positive definite matrix by `LDLᵀ`: no cofactors, whose rounding grows with the square of the
    /// condition where two eigenvalues are small.
    #[inline]
    pub fn inverse_definite(&self) -> Self {
        let i1 = 1.0 / self.xx;
        let (l21, l31) = (self.xy * i1, self.xz * i1);
        let i2 = 1.0 / (self.yy - l21 * self.xy);
        let below = self.yz - l31 * self.xy;
        let l32 = below * i2;
        let i3 = 1.0 / (self.zz - l31 * self.xz - l32 * below);
        let a = l21 * l32 - l31;
        Self {
            xx: i1 + l21 * l21 * i2 + a * a * i3,
            yy: i2 + l32 * l32 * i3,
            zz: i3,
            xy: -l21 * i2 - a * l32 * i3,
            xz: a * i3,
            yz: -l32 * i3,
        }
    }

    /// Determinant.
    pub fn determinant(&self) -> f64 {
        self.xx * (self.yy * self.zz - self.yz * self.yz)
            + self.xy * (self.xz * self.yz - self.xy * self.zz)
            + self.xz * (self.xy * self.yz - self.xz * self.yy)
    }

    /// Sum of the diagonal.
    pub fn trace(&self) -> f64 {
        self.xx + self.yy + self.zz
    }

    /// Eigenvalues in ascending order, each to a few roundings of the largest.
    ///
    /// Cyclic Jacobi rotations (Golub & Van Loan 8.5): the closed solution of the characteristic cubic is
    /// faster but loses half of all digits where two eigenvalues coincide, as those of a rod do.
    pub fn eigenvalues(&self) -> [f64; 3] {
        let mut m = self.to_mat3().to_cols_array_2d();
        for _ in 0..12 {
            for (p, q, r) in [(0, 1, 2), (0, 2, 1), (1, 2, 0)] {
                if m[p][q] == 0.0 {
                    continue;
                }
                let theta = 0.5 * (m[q][q] - m[p][p]) / m[p][q];
                let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
                let c = 1.0 / t.hypot(1.0);
                let s = t * c;
                let (off, far_p, far_q) = (m[p][q], m[r][p], m[r][q]);
                m[p][p] -= t * off;
                m[q][q] += t * off;
                (m[p][q], m[q][p]) = (0.0, 0.0);
                (m[r][p], m[p][r]) = (c * far_p - s * far_q, c * far_p - s * far_q);
                (m[r][q], m[q][r]) = (s * far_p + c * far_q, s * far_p + c * far_q);
            }
        }
        let mut values = [m[0][0], m[1][1], m[2][2]];
        values.sort_by(f64::total_cmp);
        values
    }

    /// `x · self · y`.
    #[inline]
    pub fn quadratic(&self, x: DVec3, y: DVec3) -> f64 {
        x.dot(*self * y)
    }

    /// Whether every entry is a finite number.
    pub fn is_finite(&self) -> bool {
        [self.xx, self.yy, self.zz, self.xy, self.xz, self.yz].iter().all(|x| x.is_finite())
    }
}

impl Mul<DVec3> for Sym3 {
    type Output = DVec3;
    #[inline]
    fn mul(self, v: DVec3) -> DVec3 {
        DVec3::new(
            self.xx * v.x + self.xy * v.y + self.xz * v.z,
            self.xy * v.x + self.yy * v.y + self.yz * v.z,
            self.xz * v.x + self.yz * v.y + self.zz * v.z,
        )
    }
}

impl Mul<DMat3> for Sym3 {
    type Output = DMat3;
    #[inline]
    fn mul(self, m: DMat3) -> DMat3 {
        DMat3::from_cols(self * m.x_axis, self * m.y_axis, self * m.z_axis)
    }
}

impl Mul<f64> for Sym3 {
    type Output = Self;
    #[inline]
    fn mul(self, k: f64) -> Self {
        Self::new(self.xx * k, self.yy * k, self.zz * k, self.xy * k, self.xz * k, self.yz * k)
    }
}

impl Add for Sym3 {
    type Output = Self;
    #[inline]
    fn add(self, o: Self) -> Self {
        Self::new(
            self.xx + o.xx,
            self.yy + o.yy,
            self.zz + o.zz,
            self.xy + o.xy,
            self.xz + o.xz,
            self.yz + o.yz,
        )
    }
}

impl Sub for Sym3 {
    type Output = Self;
    #[inline]
    fn sub(self, o: Self) -> Self {
        self + o * -1.0
    }
}

impl AddAssign for Sym3 {
    #[inline]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    fn sample() -> Sym3 {
        Sym3::new(2.0, 3.0, 4.0, 0.5, -0.3, 0.7)
    }

    #[test]
    fn inverse_times_itself_is_one() {
        let one = sample().inverse_definite() * sample().to_mat3();
        assert!((one - DMat3::IDENTITY).abs_diff_eq(DMat3::ZERO, 1e-14));
    }

    #[test]
    fn definite_inverse_survives_one_stiff_axis() {
        let r = DMat3::from_quat(DQuat::from_xyzw(0.3, 0.4, -0.2, 0.5).normalize());
        let stiff = Sym3::diagonal(1e8, 2e-2, 1e-2).rotated(&r);
        let back = Sym3::diagonal(1e-8, 50.0, 100.0).rotated(&r);
        assert!(stiff.inverse_definite().to_mat3().abs_diff_eq(back.to_mat3(), 1e-3), "{stiff:?}");
    }

    #[test]
    fn rotation_agrees_with_the_general_product() {
        let r = DMat3::from_quat(DQuat::from_xyzw(0.1, -0.4, 0.2, 0.8).normalize());
        let expected = r * sample().to_mat3() * r.transpose();
        assert!(sample().rotated(&r).to_mat3().abs_diff_eq(expected, 1e-14));
    }

    #[test]
    fn eigenvalues_survive_rotation() {
        let r = DMat3::from_quat(DQuat::from_xyzw(0.3, 0.4, -0.2, 0.5).normalize());
        let found = Sym3::diagonal(5.0, 1.0, 2.0).rotated(&r).eigenvalues();
        for (a, b) in found.iter().zip([1.0, 2.0, 5.0]) {
            assert!((a - b).abs() < 1e-12, "{found:?}");
        }
    }

    #[test]
    fn equal_eigenvalues_keep_their_digits() {
        let r = DMat3::from_quat(DQuat::from_xyzw(0.3, 0.4, -0.2, 0.5).normalize());
        let found = Sym3::diagonal(0.0, 3.0, 3.0).rotated(&r).eigenvalues();
        for (a, b) in found.iter().zip([0.0, 3.0, 3.0]) {
            assert!((a - b).abs() < 1e-14, "{found:?}");
        }
    }
}
