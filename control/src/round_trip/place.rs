//! Where on the ground a motion is played: a turn about the vertical and a shift.

use stuntlab_physics::glam::{DQuat, DVec2, DVec3};
use stuntlab_physics::spatial::Transform;
use stuntlab_physics::{JointKind, Model};

/// A turn about the vertical through the world's origin, then a shift.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Place {
    /// Rad, counter-clockwise from above.
    pub yaw: f64,
    /// M.
    pub shift: DVec3,
}

impl Place {
    /// Where the motion itself is.
    pub const HERE: Self = Self { yaw: 0.0, shift: DVec3::ZERO };

    /// A point of the motion.
    pub fn point(&self, p: DVec3) -> DVec3 {
        DQuat::from_rotation_z(self.yaw) * p + self.shift
    }

    /// A direction of the motion.
    pub fn turn(&self, v: DVec3) -> DVec3 {
        DQuat::from_rotation_z(self.yaw) * v
    }

    /// The place at which some points of a motion come nearest to others, weighed (Kovar et al. 2002, eq. 1 and its solution); heights differ
    /// by `lift`.
    pub fn fitting(pairs: impl Iterator<Item = (DVec3, DVec3, f64)> + Clone, lift: f64) -> Self {
        let (mut from, mut to, mut total) = (DVec2::ZERO, DVec2::ZERO, 0.0);
        for (a, b, w) in pairs.clone() {
            from += w * a.truncate();
            to += w * b.truncate();
            total += w;
        }
        if total <= 0.0 {
            return Self::HERE;
        }
        let (from, to) = (from / total, to / total);
        let (mut sine, mut cosine) = (0.0, 0.0);
        for (a, b, w) in pairs {
            let (a, b) = (a.truncate() - from, b.truncate() - to);
            sine += w * a.perp_dot(b);
            cosine += w * a.dot(b);
        }
        let yaw = if sine == 0.0 && cosine == 0.0 { 0.0 } else { sine.atan2(cosine) };
        Self { yaw, shift: (to - DVec2::from_angle(yaw).rotate(from)).extend(lift) }
    }

    /// Moves the root in a character's own coordinates.
    pub fn put(&self, own: &Model, q: &mut [f64]) {
        let joint = own.bodies()[0].joint();
        if *self == Self::HERE || joint.kind != JointKind::Free {
            return;
        }
        let frame: Transform = joint.parent_from_joint;
        let at = frame.transform_point(DVec3::new(q[0], q[1], q[2]));
        let at = frame.inverse_transform_point(self.point(at));
        q[..3].copy_from_slice(&at.to_array());
        let above = DQuat::from_mat3(&frame.rotation);
        let turned =
            above.conjugate() * DQuat::from_rotation_z(self.yaw) * above * DQuat::from_slice(&q[3..7]);
        q[3..7].copy_from_slice(&turned.normalize().to_array());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn points_that_were_placed_are_found_again(yaw in -3.0..3.0_f64, x in -5.0..5.0_f64, y in -5.0..5.0_f64, seed in 0..1000_u64) {
            let place = Place { yaw, shift: DVec3::new(x, y, 0.3) };
            let points: Vec<DVec3> = (0..7).map(|k| {
                let t = (seed + 1) as f64 * (k + 1) as f64;
                DVec3::new(t.sin(), (1.7 * t).cos(), (0.3 * t).sin())
            }).collect();
            let found = Place::fitting(points.iter().map(|p| (*p, place.point(*p), 1.0)), 0.3);
            for p in points {
                prop_assert!(found.point(p).distance(place.point(p)) < 1e-9);
            }
        }
    }
}
