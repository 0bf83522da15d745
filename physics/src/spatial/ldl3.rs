//! Factors of small symmetric matrices, to solve with instead of an inverse.

use core::ops::{Mul, Sub};

use glam::DVec3;

use super::Sym3;

/// A row of right-hand sides: a number, or as many as stand side by side.
pub(crate) trait Row: Copy + Mul<f64, Output = Self> + Sub<Output = Self> {}
impl<T: Copy + Mul<f64, Output = T> + Sub<Output = T>> Row for T {}

/// `M = L Δ Lᵀ` of a positive definite 3×3 matrix, `L` unit lower triangular and `Δ` diagonal.
///
/// Solving with the factor is off by what a rounding of `M` does to the solution. A product with `M⁻¹` is off by a
/// rounding of the largest number that takes part, which for a light body with a heavy one on it is larger than the
/// result by the condition of `M`.
///
/// One and two rows are the head of three: what is left of `L` and `Δ⁻¹` is zero then, and so is that of solutions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ldl3 {
    /// `Δ⁻¹`.
    pub(crate) pivot: DVec3,
    /// `L`: row 2 column 1, row 3 column 1, row 3 column 2.
    pub(crate) l21: f64,
    pub(crate) l31: f64,
    pub(crate) l32: f64,
}

impl Ldl3 {
    /// Of nothing: all solutions are zero.
    pub(crate) const ZERO: Self = Self { pivot: DVec3::ZERO, l21: 0.0, l31: 0.0, l32: 0.0 };

    /// Factor of the first two rows. The second pivot comes from the determinant `Δ₁Δ₂`, which is as exact as the
    /// usual elimination (off by a rounding of `yy`) and lets both divisions run at once.
    #[inline(always)]
    pub(crate) fn two(m: &Sym3) -> Self {
        let p1 = 1.0 / m.xx;
        let p2 = m.xx / (m.xx * m.yy - m.xy * m.xy);
        Self { pivot: DVec3::new(p1, p2, 0.0), l21: m.xy * p1, ..Self::ZERO }
    }

    /// Factor of the whole matrix, the head as in [`Ldl3::two`].
    #[inline(always)]
    pub(crate) fn three(m: &Sym3) -> Self {
        let p1 = 1.0 / m.xx;
        let per_both = 1.0 / (m.xx * m.yy - m.xy * m.xy);
        let (l21, l31) = (m.xy * p1, m.xz * p1);
        let l32 = (m.xx * m.yz - m.xy * m.xz) * per_both;
        let below = m.yz - l31 * m.xy;
        let p3 = 1.0 / (m.zz - l31 * m.xz - l32 * below);
        Self { pivot: DVec3::new(p1, m.xx * per_both, p3), l21, l31, l32 }
    }

    /// `L⁻¹ B` of the three rows of `B`.
    #[inline(always)]
    pub(crate) fn forward<T: Row>(&self, b: [T; 3]) -> [T; 3] {
        let second = b[1] - b[0] * self.l21;
        [b[0], second, b[2] - b[0] * self.l31 - second * self.l32]
    }

    /// `Δ⁻¹ B`.
    #[inline(always)]
    pub(crate) fn scaled<T: Row>(&self, b: [T; 3]) -> [T; 3] {
        [b[0] * self.pivot.x, b[1] * self.pivot.y, b[2] * self.pivot.z]
    }

    /// `L⁻ᵀ B`.
    #[inline(always)]
    pub(crate) fn backward<T: Row>(&self, b: [T; 3]) -> [T; 3] {
        let second = b[1] - b[2] * self.l32;
        [b[0] - second * self.l21 - b[2] * self.l31, second, b[2]]
    }

    /// `M⁻¹ b`.
    #[inline(always)]
    pub(crate) fn solve(&self, b: DVec3) -> DVec3 {
        self.backward(self.scaled(self.forward(b.to_array()))).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solving_undoes_multiplying() {
        let m = Sym3::new(2.0, 3.0, 4.0, 0.5, -0.3, 0.7);
        let x = DVec3::new(0.3, -1.2, 2.5);
        assert!((Ldl3::three(&m).solve(m * x) - x).length() < 1e-15);
        let flat = DVec3::new(x.x, x.y, 0.0);
        assert!((Ldl3::two(&m).solve(m * flat) - flat).length() < 1e-15);
    }

    /// `M = 10⁸ a aᵀ + 1`: the solution of `M x = a` is `a / (1 + 10⁸ |a|²)`, a hundred-millionth of the entries of
    /// the inverse that it would be the sum of.
    #[test]
    fn small_solutions_keep_their_digits() {
        let a = DVec3::new(0.6, -0.5, 0.7);
        let m = Sym3::outer(a) * 1e8 + Sym3::IDENTITY;
        let expected = a / (1.0 + 1e8 * a.length_squared());
        let off = (Ldl3::three(&m).solve(a) - expected).length() / expected.length();
        assert!(off < 1e-7, "{off:e}");
    }
}
