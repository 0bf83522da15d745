//! Rigid-body and articulated-body inertia (RBDA 2.13, 7.1).

use core::ops::{Add, AddAssign, Mul};

use glam::{DMat3, DVec3};

use super::{Force, Motion, Sym3};

/// Mass distribution of a rigid body: ten numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertia {
    /// Mass in kg.
    pub mass: f64,
    /// Centre of mass in the body frame.
    pub center_of_mass: DVec3,
    /// Rotational inertia about the centre of mass, in body axes.
    pub rotational: Sym3,
}

impl Inertia {
    /// No mass at all: allowed for bodies that carry massive children.
    pub const ZERO: Self = Self { mass: 0.0, center_of_mass: DVec3::ZERO, rotational: Sym3::ZERO };

    /// From mass, centre of mass and rotational inertia about it (body axes).
    pub const fn new(mass: f64, center_of_mass: DVec3, rotational: Sym3) -> Self {
        Self { mass, center_of_mass, rotational }
    }

    /// Solid ball.
    pub fn solid_sphere(mass: f64, radius: f64) -> Self {
        let i = 0.4 * mass * radius * radius;
        Self::new(mass, DVec3::ZERO, Sym3::diagonal(i, i, i))
    }

    /// Solid box with the given half edge lengths.
    pub fn solid_box(mass: f64, half_extents: DVec3) -> Self {
        let s = half_extents * half_extents * (mass / 3.0);
        Self::new(mass, DVec3::ZERO, Sym3::diagonal(s.y + s.z, s.x + s.z, s.x + s.y))
    }

    /// Solid capsule along z: cylinder of half length `half_length` and two half balls.
    pub fn solid_capsule(mass: f64, radius: f64, half_length: f64) -> Self {
        let (r2, l) = (radius * radius, 2.0 * half_length);
        let (cylinder, balls) = (l * r2, 4.0 / 3.0 * radius * r2);
        let (mc, mb) = (mass * cylinder / (cylinder + balls), mass * balls / (cylinder + balls));
        let axial = 0.5 * mc * r2 + 0.4 * mb * r2;
        let lateral = mc * (l * l / 12.0 + r2 / 4.0) + mb * (0.4 * r2 + 0.375 * radius * l + l * l / 4.0);
        Self::new(mass, DVec3::ZERO, Sym3::diagonal(lateral, lateral, axial))
    }

    /// The same mass distribution moved and turned: `a_from_b` applied to a body given in `b`.
    pub fn transformed(&self, a_from_b: &super::Transform) -> Self {
        Self {
            mass: self.mass,
            center_of_mass: a_from_b.transform_point(self.center_of_mass),
            rotational: self.rotational.rotated(&a_from_b.rotation),
        }
    }

    /// Both mass distributions as one rigid body (same frame).
    pub fn combined(&self, other: &Self) -> Self {
        let mass = self.mass + other.mass;
        if mass == 0.0 {
            return Self::ZERO;
        }
        let com = (self.center_of_mass * self.mass + other.center_of_mass * other.mass) / mass;
        let about = |i: &Self| i.rotational + Sym3::point_inertia(i.center_of_mass - com) * i.mass;
        Self::new(mass, com, about(self) + about(other))
    }

    /// As a 6×6 inertia about a point from which the centre of mass lies `c` away, where
    /// `rotational_axes` is the rotational inertia already turned into the wanted axes.
    #[inline]
    pub(crate) fn about(mass: f64, c: DVec3, rotational_axes: Sym3) -> ArticulatedInertia {
        ArticulatedInertia {
            angular: rotational_axes + Sym3::point_inertia(c) * mass,
            coupling: cross_matrix(c * mass),
            linear: Sym3::diagonal(mass, mass, mass),
        }
    }
}

/// `[c]×`, the matrix with `[c]× x = c × x`.
#[inline]
pub fn cross_matrix(c: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, c.z, -c.y), DVec3::new(-c.z, 0.0, c.x), DVec3::new(c.y, -c.x, 0.0))
}

/// A symmetric 6×6 map from motion to force: articulated-body inertia, or a damping matrix.
///
/// ```text
/// [ n ]   [ angular    coupling ] [ α ]
/// [ f ] = [ couplingᵀ  linear   ] [ a ]
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ArticulatedInertia {
    /// Moment per angular acceleration.
    pub angular: Sym3,
    /// Moment per linear acceleration.
    pub coupling: DMat3,
    /// Force per linear acceleration.
    pub linear: Sym3,
}

impl ArticulatedInertia {
    /// The zero map.
    pub const ZERO: Self = Self { angular: Sym3::ZERO, coupling: DMat3::ZERO, linear: Sym3::ZERO };

    /// A map that acts on rotation alone.
    pub const fn rotational(angular: Sym3) -> Self {
        Self { angular, ..Self::ZERO }
    }

    /// A 3×3 map at a point `r` away from the reference point, seen from there: `Jᵀ K J` with
    /// `J = [-[r]× 1]`.
    #[inline]
    pub fn at_point(k: Sym3, r: DVec3) -> Self {
        // B = [r]K and A = B[r]ᵀ, of which six entries will do.
        let b = DMat3::from_cols(
            r.cross(DVec3::new(k.xx, k.xy, k.xz)),
            r.cross(DVec3::new(k.xy, k.yy, k.yz)),
            r.cross(DVec3::new(k.xz, k.yz, k.zz)),
        );
        let (x, y, z) = (b.x_axis, b.y_axis, b.z_axis);
        let angular = Sym3 {
            xx: r.y * z.x - r.z * y.x,
            yy: r.z * x.y - r.x * z.y,
            zz: r.x * y.z - r.y * x.z,
            xy: r.z * x.x - r.x * z.x,
            xz: r.x * y.x - r.y * x.x,
            yz: r.x * y.y - r.y * x.y,
        };
        Self { angular, coupling: b, linear: k }
    }

    /// The same map about a reference point from which the present one lies `r` away.
    ///
    /// `C' = C`, `B' = B + [r]C`, `A' = A + [r]B'ᵀ + ([r]Bᵀ)ᵀ` (RBDA 2.66 with a pure shift).
    #[inline]
    pub fn seen_from(&self, r: DVec3) -> Self {
        let b = &self.coupling;
        let c = &self.linear;
        // Rows of B and of [r]C, as vectors: row i of [r]C is (e_i × ... ) = C (e_i-th row of [r])ᵀ.
        let rc = DMat3::from_cols(
            r.cross(DVec3::new(c.xx, c.xy, c.xz)),
            r.cross(DVec3::new(c.xy, c.yy, c.yz)),
            r.cross(DVec3::new(c.xz, c.yz, c.zz)),
        );
        let shifted = *b + rc;
        // P = [r]Bᵀ and Q = [r]B'ᵀ; column j of Bᵀ is row j of B.
        let (b0, b1, b2) = (b.row(0), b.row(1), b.row(2));
        let (s0, s1, s2) = (shifted.row(0), shifted.row(1), shifted.row(2));
        let angular = Sym3 {
            // (Q + Pᵀ)_ij = Q_ij + P_ji; Q_ij = (r × s_j)_i, P_ji = (r × b_i)_j.
            xx: self.angular.xx + (r.y * (s0.z + b0.z) - r.z * (s0.y + b0.y)),
            yy: self.angular.yy + (r.z * (s1.x + b1.x) - r.x * (s1.z + b1.z)),
            zz: self.angular.zz + (r.x * (s2.y + b2.y) - r.y * (s2.x + b2.x)),
            xy: self.angular.xy + (r.y * s1.z - r.z * s1.y) + (r.z * b0.x - r.x * b0.z),
            xz: self.angular.xz + (r.y * s2.z - r.z * s2.y) + (r.x * b0.y - r.y * b0.x),
            yz: self.angular.yz + (r.z * s2.x - r.x * s2.z) + (r.x * b1.y - r.y * b1.x),
        };
        Self { angular, coupling: shifted, linear: *c }
    }

    /// As a dense row-major 6×6 matrix, angular part first.
    pub fn to_dense(&self) -> [[f64; 6]; 6] {
        let mut m = [[0.0; 6]; 6];
        let (a, c) = (self.angular.to_mat3(), self.linear.to_mat3());
        for i in 0..3 {
            for j in 0..3 {
                m[i][j] = a.col(j)[i];
                m[i][j + 3] = self.coupling.col(j)[i];
                m[j + 3][i] = self.coupling.col(j)[i];
                m[i + 3][j + 3] = c.col(j)[i];
            }
        }
        m
    }

    /// Whether every entry is a finite number.
    pub fn is_finite(&self) -> bool {
        self.angular.is_finite() && self.coupling.is_finite() && self.linear.is_finite()
    }
}

impl Mul<Motion> for ArticulatedInertia {
    type Output = Force;
    #[inline]
    fn mul(self, a: Motion) -> Force {
        Force {
            angular: self.angular * a.angular + self.coupling * a.linear,
            linear: self.coupling.transpose() * a.angular + self.linear * a.linear,
        }
    }
}

impl Mul<f64> for ArticulatedInertia {
    type Output = Self;
    #[inline]
    fn mul(self, k: f64) -> Self {
        Self { angular: self.angular * k, coupling: self.coupling * k, linear: self.linear * k }
    }
}

impl Add for ArticulatedInertia {
    type Output = Self;
    #[inline]
    fn add(self, o: Self) -> Self {
        Self {
            angular: self.angular + o.angular,
            coupling: self.coupling + o.coupling,
            linear: self.linear + o.linear,
        }
    }
}

impl AddAssign for ArticulatedInertia {
    #[inline]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> ArticulatedInertia {
        ArticulatedInertia {
            angular: Sym3::new(5.0, 6.0, 7.0, 0.5, -0.3, 0.7),
            coupling: DMat3::from_cols_array(&[0.1, 0.9, -0.4, 0.3, 0.2, 0.8, -0.6, 0.5, 0.4]),
            linear: Sym3::new(2.0, 3.0, 4.0, 0.2, -0.1, 0.3),
        }
    }

    #[test]
    fn shifting_agrees_with_moving_motion_and_force() {
        let r = DVec3::new(0.4, -0.7, 0.2);
        let a = Motion::new(DVec3::new(0.3, -1.0, 2.0), DVec3::new(1.0, 0.5, -0.2));
        let expected = (sample() * a.at(r)).seen_from(r);
        let found = sample().seen_from(r) * a;
        assert!((found - expected).angular.length() < 1e-13, "{found:?} {expected:?}");
        assert!((found - expected).linear.length() < 1e-13);
    }

    #[test]
    fn rigid_inertia_gives_newton_euler() {
        let c = DVec3::new(0.1, 0.2, -0.3);
        let i = Inertia::about(2.0, c, Sym3::diagonal(0.3, 0.4, 0.5));
        let a = Motion::new(DVec3::new(0.3, -1.0, 2.0), DVec3::new(1.0, 0.5, -0.2));
        let f = i * a;
        let force = (a.linear + a.angular.cross(c)) * 2.0;
        assert!((f.linear - force).length() < 1e-14);
        let moment = Sym3::diagonal(0.3, 0.4, 0.5) * a.angular + c.cross(force);
        assert!((f.angular - moment).length() < 1e-14);
    }

    #[test]
    fn combined_keeps_mass_and_first_moment() {
        let a = Inertia::new(1.0, DVec3::X, Sym3::IDENTITY);
        let b = Inertia::new(3.0, -DVec3::X, Sym3::IDENTITY);
        let c = a.combined(&b);
        assert_eq!(c.mass, 4.0);
        assert!((c.center_of_mass - DVec3::new(-0.5, 0.0, 0.0)).length() < 1e-15);
        // Two ones, plus 1·1.5² + 3·0.5² across the axis.
        assert!((c.rotational.yy - 5.0).abs() < 1e-14 && (c.rotational.xx - 2.0).abs() < 1e-14);
    }
}
