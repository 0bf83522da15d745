//! Shapes as contacts know them, as the balls whose hull they are.

use stuntlab_physics::glam::DVec3;
use stuntlab_physics::model::shape::Shape;

/// A centre and a radius.
pub(super) type Ball = (DVec3, f64);

/// Balls whose hull is a shape, or nearly so: edges of boxes are rounded.
pub(super) fn balls_of(shape: &Shape) -> Vec<Ball> {
    match shape {
        Shape::Sphere { radius } => vec![(DVec3::ZERO, *radius)],
        Shape::Capsule { radius, half_length } => {
            [-1.0, 1.0].map(|s| (DVec3::Z * s * *half_length, *radius)).to_vec()
        }
        Shape::Box { half_extents, rounding } => {
            let radius = rounding.max(0.9 * half_extents.min_element());
            let core = (*half_extents - DVec3::splat(radius)).max(DVec3::ZERO);
            let sign = |k: usize, bit: usize| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
            (0..8).map(|k| (core * DVec3::new(sign(k, 0), sign(k, 1), sign(k, 2)), radius)).collect()
        }
        Shape::Hull(hull) => hull.vertices().iter().map(|p| (*p, 1e-3)).collect(),
        Shape::Plane | Shape::Heightfield(_) | Shape::Mesh(_) => Vec::new(),
    }
}
