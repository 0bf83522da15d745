//! Any convex shape on the half space below a plane: its corners (centre, ends) that are under it.

use glam::DVec3;

use super::manifold::{ContactPoint, FeatureKind, feature_id};
use super::polytope::box_corner;
use crate::model::shape::Shape;
use crate::spatial::Transform;

pub(super) fn collide(
    shape: &Shape,
    world_from_shape: &Transform,
    world_from_plane: &Transform,
    margin: f64,
    out: &mut Vec<ContactPoint>,
) {
    let normal = world_from_plane.rotation.z_axis;
    let origin = world_from_plane.translation;
    let mut corner = |index: usize, at: DVec3, radius: f64| {
        let depth = radius - normal.dot(at - origin);
        if depth >= -margin {
            out.push(ContactPoint {
                point_world: at - normal * (radius - 0.5 * depth),
                normal_world: normal,
                depth,
                feature: feature_id(FeatureKind::Corner, index as u32, 0, 0),
            });
        }
    };
    let center = world_from_shape.translation;
    match shape {
        Shape::Sphere { radius } => corner(0, center, *radius),
        Shape::Capsule { radius, half_length } => {
            let half_axis = world_from_shape.rotation.z_axis * *half_length;
            corner(0, center - half_axis, *radius);
            corner(1, center + half_axis, *radius);
        }
        Shape::Box { half_extents, rounding } => {
            let half = *half_extents - DVec3::splat(*rounding);
            // The lowest corner decides whether any of the eight can touch.
            let reach = world_from_shape.inverse_transform_vector(normal).abs().dot(half);
            if normal.dot(center - origin) - reach - rounding <= margin {
                for k in 0..8 {
                    corner(k, world_from_shape.transform_point(box_corner(half, k)), *rounding);
                }
            }
        }
        Shape::Hull(hull) => {
            for (k, v) in hull.vertices().iter().enumerate() {
                corner(k, world_from_shape.transform_point(*v), 0.0);
            }
        }
        Shape::Plane | Shape::Heightfield(_) | Shape::Mesh(_) => {}
    }
}
