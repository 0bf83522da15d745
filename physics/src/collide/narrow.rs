//! Narrow phase: picks the file that knows a pair of shapes.

use glam::DVec3;

use super::manifold::{ContactPoint, FLAT_POINTS, Manifold};
use super::polytope::PolytopeBuffer;
use super::{box_box, clip, convex, plane, round, round_box, surface};
use crate::model::shape::Shape;
use crate::spatial::Transform;

/// Buffers of the narrow phase; they grow to the largest pair met.
#[derive(Clone, Debug, Default)]
pub struct NarrowScratch {
    pub(super) candidates: Vec<ContactPoint>,
    pub(super) polytope_a: PolytopeBuffer,
    pub(super) polytope_b: PolytopeBuffer,
    pub(super) clip: clip::ClipBuffer,
    pub(super) patch: surface::Patch,
}

/// A core and the radius it is grown by, placed in the world.
pub(super) enum Core<'a> {
    /// A point or a segment (`half_axis` from its middle to its end).
    Round { center: DVec3, half_axis: DVec3, radius: f64 },
    /// An oriented box of half extents `half`.
    Box { world_from_shape: &'a Transform, half: DVec3, radius: f64 },
}

impl<'a> Core<'a> {
    fn of(shape: &Shape, world_from_shape: &'a Transform) -> Option<Self> {
        let center = world_from_shape.translation;
        match *shape {
            Shape::Sphere { radius } => Some(Self::Round { center, half_axis: DVec3::ZERO, radius }),
            Shape::Capsule { radius, half_length } => Some(Self::Round {
                center,
                half_axis: world_from_shape.rotation.z_axis * half_length,
                radius,
            }),
            Shape::Box { half_extents, rounding } => Some(Self::Box {
                world_from_shape,
                half: half_extents - DVec3::splat(rounding),
                radius: rounding,
            }),
            _ => None,
        }
    }
}

/// Finds the contacts of two placed shapes and writes them into `manifold` (whose collider ids it leaves alone).
///
/// Normals point from B into A. Two static-only shapes have no contacts.
pub fn collide_pair(
    shape_a: &Shape,
    world_from_a: &Transform,
    shape_b: &Shape,
    world_from_b: &Transform,
    margin: f64,
    scratch: &mut NarrowScratch,
    manifold: &mut Manifold,
) {
    if shape_a.is_static_only() {
        manifold.fill_from(&[], 0);
        if !shape_b.is_static_only() {
            collide_pair(shape_b, world_from_b, shape_a, world_from_a, margin, scratch, manifold);
            manifold.flip_points();
        }
        return;
    }
    let limit = find_candidates(shape_a, world_from_a, shape_b, world_from_b, margin, scratch);
    keep_points(shape_b, &scratch.candidates, limit, manifold);
}

/// Finds all contacts of a bounded shape with another; returns how many of them the manifold should keep.
pub(super) fn find_candidates(
    shape_a: &Shape,
    world_from_a: &Transform,
    shape_b: &Shape,
    world_from_b: &Transform,
    margin: f64,
    scratch: &mut NarrowScratch,
) -> usize {
    scratch.candidates.clear();
    match shape_b {
        Shape::Plane => plane::collide(shape_a, world_from_a, world_from_b, margin, &mut scratch.candidates),
        Shape::Heightfield(_) | Shape::Mesh(_) => {
            return surface::collide(shape_a, world_from_a, shape_b, world_from_b, margin, scratch);
        }
        _ => match (Core::of(shape_a, world_from_a), Core::of(shape_b, world_from_b)) {
            (Some(Core::Round { .. }), Some(Core::Box { .. })) => {
                convex_pair(shape_b, world_from_b, shape_a, world_from_a, margin, scratch);
                scratch.candidates.iter_mut().for_each(|c| *c = c.flipped());
            }
            _ => convex_pair(shape_a, world_from_a, shape_b, world_from_b, margin, scratch),
        },
    }
    FLAT_POINTS
}

/// Writes the best of the candidates with shape B into a manifold.
pub(super) fn keep_points(
    shape_b: &Shape,
    candidates: &[ContactPoint],
    limit: usize,
    manifold: &mut Manifold,
) {
    manifold.fill_from(candidates, limit);
    if matches!(shape_b, Shape::Heightfield(_) | Shape::Mesh(_)) {
        manifold.forget_surface_ids();
    }
}

/// Two bounded convex shapes, a box never second after a round one.
fn convex_pair(
    shape_a: &Shape,
    world_from_a: &Transform,
    shape_b: &Shape,
    world_from_b: &Transform,
    margin: f64,
    scratch: &mut NarrowScratch,
) {
    match (Core::of(shape_a, world_from_a), Core::of(shape_b, world_from_b)) {
        (
            Some(Core::Round { center: ca, half_axis: ha, radius: ra }),
            Some(Core::Round { center: cb, half_axis: hb, radius: rb }),
        ) => round::collide(ca, ha, ra, cb, hb, rb, margin, &mut scratch.candidates),
        (
            Some(Core::Box { world_from_shape, half, radius }),
            Some(Core::Round { center, half_axis, radius: rb }),
        ) => {
            round_box::collide(world_from_shape, half, radius, center, half_axis, rb, margin, scratch);
        }
        (
            Some(Core::Box { world_from_shape: wa, half: ha, radius: ra }),
            Some(Core::Box { world_from_shape: wb, half: hb, radius: rb }),
        ) => box_box::collide(wa, ha, ra, wb, hb, rb, margin, scratch),
        _ => convex::collide(shape_a, world_from_a, shape_b, world_from_b, margin, scratch),
    }
}
