//! Axis-aligned bounding boxes.

use glam::DVec3;

use crate::spatial::Transform;

/// A box along the axes of its frame, given by two opposite corners.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Corner with the smallest coordinates.
    pub min: DVec3,
    /// Corner with the largest coordinates.
    pub max: DVec3,
}

impl Aabb {
    /// A box that holds nothing and grows by uniting it with others.
    pub const EMPTY: Self = Self { min: DVec3::splat(f64::INFINITY), max: DVec3::splat(f64::NEG_INFINITY) };

    /// Smallest box around points placed in a frame `a`; `None` without points.
    pub fn around(points: &[DVec3], a_from_b: &Transform) -> Option<Self> {
        let mut aabb = Self::EMPTY;
        for &point in points {
            let point = a_from_b.transform_point(point);
            aabb.min = aabb.min.min(point);
            aabb.max = aabb.max.max(point);
        }
        (!points.is_empty()).then_some(aabb)
    }

    /// Whether the two have a point in common.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        // Bitwise, not short-circuit: six cheap compares beat a mispredicted branch.
        (self.min.x <= other.max.x)
            & (other.min.x <= self.max.x)
            & (self.min.y <= other.max.y)
            & (other.min.y <= self.max.y)
            & (self.min.z <= other.max.z)
            & (other.min.z <= self.max.z)
    }

    /// The box grown by `by` on every side.
    #[inline]
    pub fn grown(&self, by: f64) -> Self {
        Self { min: self.min - DVec3::splat(by), max: self.max + DVec3::splat(by) }
    }

    /// Smallest box around both.
    #[inline]
    pub(crate) fn union(&self, other: &Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Middle of the box.
    #[inline]
    pub fn center(&self) -> DVec3 {
        (self.min + self.max) * 0.5
    }

    /// Where a ray `origin + t * direction` enters the box, for t in `0..=limit`; `None` where it misses.
    ///
    /// `inverse_direction` is `1 / direction` per axis (infinite where the direction is 0).
    #[inline]
    pub(crate) fn ray_entry(&self, origin: DVec3, inverse_direction: DVec3, limit: f64) -> Option<f64> {
        let (mut enter, mut leave) = (0.0_f64, limit);
        for axis in 0..3 {
            let t0 = (self.min[axis] - origin[axis]) * inverse_direction[axis];
            let t1 = (self.max[axis] - origin[axis]) * inverse_direction[axis];
            // A ray inside a slab's face gives 0 * inf = NaN, which min and max ignore.
            enter = enter.max(t0.min(t1));
            leave = leave.min(t0.max(t1));
        }
        (enter <= leave).then_some(enter)
    }
}
