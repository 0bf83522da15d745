//! Motion and force vectors (RBDA 2.2–2.3), angular part first.

use core::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use glam::DVec3;

macro_rules! spatial_vector {
    ($name:ident) => {
        impl $name {
            /// All components zero.
            pub const ZERO: Self = Self { angular: DVec3::ZERO, linear: DVec3::ZERO };

            /// From its angular and linear parts.
            #[inline]
            pub const fn new(angular: DVec3, linear: DVec3) -> Self {
                Self { angular, linear }
            }

            /// Whether every component is a finite number.
            pub fn is_finite(&self) -> bool {
                self.angular.is_finite() && self.linear.is_finite()
            }

            /// Components as an array, angular first.
            pub fn to_array(self) -> [f64; 6] {
                let (a, l) = (self.angular, self.linear);
                [a.x, a.y, a.z, l.x, l.y, l.z]
            }
        }

        impl Add for $name {
            type Output = Self;
            #[inline]
            fn add(self, other: Self) -> Self {
                Self { angular: self.angular + other.angular, linear: self.linear + other.linear }
            }
        }

        impl Sub for $name {
            type Output = Self;
            #[inline]
            fn sub(self, other: Self) -> Self {
                Self { angular: self.angular - other.angular, linear: self.linear - other.linear }
            }
        }

        impl AddAssign for $name {
            #[inline]
            fn add_assign(&mut self, other: Self) {
                *self = *self + other;
            }
        }

        impl SubAssign for $name {
            #[inline]
            fn sub_assign(&mut self, other: Self) {
                *self = *self - other;
            }
        }

        impl Neg for $name {
            type Output = Self;
            #[inline]
            fn neg(self) -> Self {
                Self { angular: -self.angular, linear: -self.linear }
            }
        }

        impl Mul<f64> for $name {
            type Output = Self;
            #[inline]
            fn mul(self, scale: f64) -> Self {
                Self { angular: self.angular * scale, linear: self.linear * scale }
            }
        }
    };
}

/// Velocity or acceleration of a rigid body, at a stated point and in stated axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Motion {
    /// Angular velocity ω (or angular acceleration).
    pub angular: DVec3,
    /// Velocity of the reference point (or its acceleration).
    pub linear: DVec3,
}
spatial_vector!(Motion);

impl Motion {
    /// The same rigid motion seen at a point `r` away: `v' = v + ω × r`.
    #[inline]
    pub fn at(self, r: DVec3) -> Self {
        Self { angular: self.angular, linear: self.linear + self.angular.cross(r) }
    }

    /// `self × other`, the rate of change of `other` carried along by `self` (RBDA 2.9).
    #[inline]
    pub fn cross_motion(self, other: Self) -> Self {
        Self {
            angular: self.angular.cross(other.angular),
            linear: self.angular.cross(other.linear) + self.linear.cross(other.angular),
        }
    }

    /// `self ×* force` (RBDA 2.9).
    #[inline]
    pub fn cross_force(self, force: Force) -> Force {
        Force {
            angular: self.angular.cross(force.angular) + self.linear.cross(force.linear),
            linear: self.angular.cross(force.linear),
        }
    }

    /// Power (or work): the scalar product with a force at the same point.
    #[inline]
    pub fn dot(self, force: Force) -> f64 {
        self.angular.dot(force.angular) + self.linear.dot(force.linear)
    }
}

/// Force, impulse or momentum of a rigid body, at a stated point and in stated axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Force {
    /// Moment about the reference point.
    pub angular: DVec3,
    /// Force.
    pub linear: DVec3,
}
spatial_vector!(Force);

impl Force {
    /// A force applied `r` away from the reference point: `n = r × f`.
    #[inline]
    pub fn at_offset(force: DVec3, r: DVec3) -> Self {
        Self { angular: r.cross(force), linear: force }
    }

    /// The same wrench about a reference point from which the present one lies `r` away:
    /// `n' = n + r × f`.
    #[inline]
    pub fn seen_from(self, r: DVec3) -> Self {
        Self { angular: self.angular + r.cross(self.linear), linear: self.linear }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn power_does_not_depend_on_the_reference_point() {
        let v = Motion::new(DVec3::new(0.3, -1.0, 2.0), DVec3::new(1.0, 0.5, -0.2));
        let f = Force::new(DVec3::new(2.0, 0.1, -0.7), DVec3::new(-1.0, 4.0, 0.3));
        let r = DVec3::new(0.4, -0.8, 0.9);
        // Velocity at the point r away; force whose reference moved the other way.
        assert!((v.at(r).dot(f) - v.dot(f.seen_from(r))).abs() < 1e-13);
    }
}
