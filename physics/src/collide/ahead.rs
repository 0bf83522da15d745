//! How far ahead to look: what a shape can sweep until one looks again.
//!
//! A point of a core moves at `v_c + ω × r` where `c` is the shape's origin, and `|r|` is at most the core's `span`. So
//! in a step of length `h` no point of its surface goes farther than
//!
//! ```text
//! reach = h |v_c| + h |ω| span + h² |g|
//! ```
//!
//! The radius a core is grown by does not count: turning a ball moves its surface nowhere. Gravity's share sees what
//! is at rest and about to fall. Direction does not count either: a blow within the step turns limbs round, and a
//! point that was leaving comes in.
//!
//! Two shapes do not close the sum of their reaches, or all of a falling figure's limbs would be in each other's way. A
//! blow slows: each keeps a part of its velocity, none to all of it. Of all `s v_a - t v_b` with `s`, `t` in 0..=1 the
//! largest is `v_a`, `v_b` or `v_a - v_b`, hence
//!
//! ```text
//! reach(a, b) = max(reach_a, reach_b, h |v_a - v_b| + turns and gravity of both)
//! ```

use glam::DVec3;

use crate::model::shape::Shape;
use crate::spatial::Motion;

/// What a body may do until one looks again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Travel {
    /// Its turn (rotation vector) and the way of its origin, world axes.
    pub(crate) way: Motion,
    /// What forces may add to the way of any of its points, m.
    pub(crate) more: f64,
}

impl Travel {
    /// Stays where it is.
    pub(crate) const NONE: Self = Self { way: Motion::ZERO, more: 0.0 };

    /// The farthest any point within `reach` of the body's origin gets.
    #[inline]
    pub(super) fn farthest(&self, reach: f64) -> f64 {
        self.way.linear.length() + self.way.angular.length() * reach + self.more
    }

    /// What it does to a shape whose origin is `arm` from the body's and whose core keeps within `span` of it. What is
    /// not finite reaches nothing.
    #[inline]
    pub(super) fn sweep(&self, arm: DVec3, span: f64) -> Sweep {
        // Half a turn carries a point across, by twice its arm; more turns carry it no farther.
        let turn = self.way.angular.length().min(2.0);
        let (shift, around) = (self.way.at(arm).linear, turn * span + self.more);
        let reach = shift.length() + around;
        if reach.is_finite() { Sweep { shift, around, reach } } else { Sweep::NONE }
    }
}

/// What a shape may sweep until one looks again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sweep {
    /// Way of its origin.
    shift: DVec3,
    /// What turning and forces add to that at most.
    around: f64,
    /// The farthest any of its points gets.
    pub(super) reach: f64,
}

impl Sweep {
    pub(super) const NONE: Self = Self { shift: DVec3::ZERO, around: 0.0, reach: 0.0 };

    /// The widest gap two shapes may close.
    #[inline]
    pub(super) fn closes(&self, other: &Self) -> f64 {
        let between = (self.shift - other.shift).length() + self.around + other.around;
        between.max(self.reach).max(other.reach)
    }
}

/// Radius of a shape's core about the shape's origin; 0 for those that never move.
pub(super) fn core_span(shape: &Shape) -> f64 {
    match shape {
        Shape::Sphere { .. } | Shape::Plane | Shape::Heightfield(_) | Shape::Mesh(_) => 0.0,
        Shape::Capsule { half_length, .. } => *half_length,
        Shape::Box { half_extents, rounding } => (*half_extents - DVec3::splat(*rounding)).length(),
        Shape::Hull(hull) => hull.vertices().iter().map(|v| v.length()).fold(0.0, f64::max),
    }
}
