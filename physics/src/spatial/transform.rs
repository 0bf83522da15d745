//! Rigid change of coordinates.

use glam::{DMat3, DQuat, DVec3};

/// A rigid placement: takes coordinates of a frame `b` to those of a frame `a`.
///
/// Values are named `a_from_b` (`world_from_body`, `parent_from_joint`) and compose by reading order:
/// `a_from_c = a_from_b * b_from_c`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transform {
    /// Rotation part; its columns are the axes of `b` seen in `a`.
    pub rotation: DMat3,
    /// Origin of `b` seen in `a`.
    pub translation: DVec3,
}

impl Transform {
    /// The change of coordinates that changes nothing.
    pub const IDENTITY: Self = Self { rotation: DMat3::IDENTITY, translation: DVec3::ZERO };

    /// From a rotation matrix and the origin of `b` in `a`.
    pub const fn new(rotation: DMat3, translation: DVec3) -> Self {
        Self { rotation, translation }
    }

    /// From a unit quaternion and the origin of `b` in `a`.
    pub fn from_quaternion(rotation: DQuat, translation: DVec3) -> Self {
        Self { rotation: DMat3::from_quat(rotation), translation }
    }

    /// A pure shift.
    pub const fn from_translation(translation: DVec3) -> Self {
        Self { rotation: DMat3::IDENTITY, translation }
    }

    /// A pure turn.
    pub const fn from_rotation(rotation: DMat3) -> Self {
        Self { rotation, translation: DVec3::ZERO }
    }

    /// Rotation as a unit quaternion.
    pub fn quaternion(&self) -> DQuat {
        DQuat::from_mat3(&self.rotation).normalize()
    }

    /// Coordinates in `a` of a point given in `b`.
    #[inline]
    pub fn transform_point(&self, point: DVec3) -> DVec3 {
        self.rotation * point + self.translation
    }

    /// Coordinates in `a` of a free vector (direction, force) given in `b`.
    #[inline]
    pub fn transform_vector(&self, vector: DVec3) -> DVec3 {
        self.rotation * vector
    }

    /// Coordinates in `b` of a point given in `a`.
    #[inline]
    pub fn inverse_transform_point(&self, point: DVec3) -> DVec3 {
        self.rotation.transpose() * (point - self.translation)
    }

    /// Coordinates in `b` of a free vector given in `a`.
    #[inline]
    pub fn inverse_transform_vector(&self, vector: DVec3) -> DVec3 {
        self.rotation.transpose() * vector
    }

    /// `b_from_a`.
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.transpose();
        Self { rotation, translation: -(rotation * self.translation) }
    }

    /// Whether every entry is a finite number.
    pub fn is_finite(&self) -> bool {
        self.rotation.is_finite() && self.translation.is_finite()
    }
}

impl core::ops::Mul for Transform {
    type Output = Self;
    #[inline]
    fn mul(self, b_from_c: Self) -> Self {
        Self {
            rotation: self.rotation * b_from_c.rotation,
            translation: self.rotation * b_from_c.translation + self.translation,
        }
    }
}

impl Default for Transform {
    fn default() -> Self {
        Self::IDENTITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_undoes() {
        let a_from_b = Transform::from_quaternion(
            DQuat::from_xyzw(0.1, -0.4, 0.2, 0.8).normalize(),
            DVec3::new(1.0, -2.0, 0.5),
        );
        let p = DVec3::new(0.3, 0.2, -0.9);
        let back = a_from_b.inverse().transform_point(a_from_b.transform_point(p));
        assert!((back - p).length() < 1e-14);
        assert!((a_from_b.inverse_transform_point(a_from_b.transform_point(p)) - p).length() < 1e-14);
    }
}
