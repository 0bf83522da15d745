//! Collision geometry: what a body looks like to contacts, rays and pictures.
//!
//! Shapes that carry tables (hull, heightfield, mesh) are built by constructors that check their input, so that
//! no later code has to ask again; the plain ones are checked by [`Shape::validate`].

use std::sync::Arc;

use glam::DVec3;
use thiserror::Error;

mod aabb;
mod bvh;
mod heightfield;
mod hull;
mod mass;
mod mesh;
mod quickhull;

pub use aabb::Aabb;
pub use bvh::Bvh;
pub use heightfield::Heightfield;
pub(crate) use heightfield::{CONVEX_VERTEX, EDGE_DIAGONAL, EDGE_X, EDGE_Y};
pub use hull::Hull;
pub(crate) use hull::{NO_FACE, Topology};
pub use mass::MassProperties;
pub use mesh::TriangleMesh;

use crate::spatial::Transform;

/// A shape in its own frame. Where it sits on a body is the caller's `body_from_shape`.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Ball about the origin.
    Sphere {
        /// Radius in metres.
        radius: f64,
    },
    /// All points within `radius` of the segment from `-half_length` to `+half_length` on the z axis.
    Capsule {
        /// Radius of the round ends and of the cylinder.
        radius: f64,
        /// Half the length of the inner segment (the round ends come on top).
        half_length: f64,
    },
    /// Axis-aligned box about the origin, its edges and corners rounded by `rounding`.
    Box {
        /// Half edge lengths of the outside, rounding included.
        half_extents: DVec3,
        /// Radius of edges and corners; 0 for sharp ones; at most the smallest half extent.
        rounding: f64,
    },
    /// Convex hull of points.
    Hull(Arc<Hull>),
    /// Everything at or below the plane z = 0 (normal +z). Static only.
    Plane,
    /// Terrain on a regular grid. Static only.
    Heightfield(Arc<Heightfield>),
    /// Triangle soup with outward normals by winding. Static only.
    Mesh(Arc<TriangleMesh>),
}

/// Why a shape was refused.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ShapeError {
    /// A length that must be a positive finite number is not.
    #[error("{shape}: {what} must be a positive finite length in metres, got {value}")]
    NotPositive {
        /// Kind of shape.
        shape: &'static str,
        /// Which length.
        what: &'static str,
        /// What was given.
        value: f64,
    },
    /// A length that must be zero or positive is not.
    #[error("{shape}: {what} must be a finite length of at least 0 m, got {value}")]
    Negative {
        /// Kind of shape.
        shape: &'static str,
        /// Which length.
        what: &'static str,
        /// What was given.
        value: f64,
    },
    /// The rounding of a box does not fit into it.
    #[error("box: rounding {rounding} must be at most the smallest half extent {smallest}")]
    RoundingTooLarge {
        /// Rounding asked for.
        rounding: f64,
        /// Smallest half extent of the box.
        smallest: f64,
    },
    /// A coordinate is NaN or infinite.
    #[error("{shape}: coordinate of {what} {index} must be finite")]
    NotFinite {
        /// Kind of shape.
        shape: &'static str,
        /// Vertex or sample.
        what: &'static str,
        /// Its index.
        index: usize,
    },
    /// Points span no volume.
    #[error(
        "hull: expected at least 4 points that span a volume, got {points} points spanning {dimension} dimensions"
    )]
    FlatHull {
        /// Number of points given.
        points: usize,
        /// Dimension they span (0 to 2).
        dimension: usize,
    },
    /// More corners than a contact feature id can name.
    #[error("hull: at most {limit} corners are supported, got {corners}")]
    TooManyCorners {
        /// Corners left after the hull was taken.
        corners: usize,
        /// Largest number supported.
        limit: usize,
    },
    /// A heightfield grid is too small or its heights do not fill it.
    #[error(
        "heightfield: expected at least 2 x 2 samples and {columns} x {rows} heights, got {heights} heights"
    )]
    Grid {
        /// Samples along x.
        columns: usize,
        /// Samples along y.
        rows: usize,
        /// Heights given.
        heights: usize,
    },
    /// A mesh has no triangles.
    #[error("mesh: expected at least one triangle")]
    EmptyMesh,
    /// A triangle names a vertex that does not exist.
    #[error("mesh: triangle {triangle} names vertex {vertex}, but there are {vertices}")]
    VertexIndex {
        /// Index of the triangle.
        triangle: usize,
        /// Vertex it names.
        vertex: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// A triangle has no area.
    #[error("mesh: triangle {triangle} has no area (its corners are equal or on a line)")]
    FlatTriangle {
        /// Index of the triangle.
        triangle: usize,
    },
}

fn positive(shape: &'static str, what: &'static str, value: f64) -> Result<(), ShapeError> {
    if value > 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(ShapeError::NotPositive { shape, what, value })
    }
}

fn not_negative(shape: &'static str, what: &'static str, value: f64) -> Result<(), ShapeError> {
    if value >= 0.0 && value.is_finite() { Ok(()) } else { Err(ShapeError::Negative { shape, what, value }) }
}

impl Shape {
    /// A ball.
    pub fn sphere(radius: f64) -> Result<Self, ShapeError> {
        let shape = Self::Sphere { radius };
        shape.validate().map(|()| shape)
    }

    /// A capsule along z.
    pub fn capsule(radius: f64, half_length: f64) -> Result<Self, ShapeError> {
        let shape = Self::Capsule { radius, half_length };
        shape.validate().map(|()| shape)
    }

    /// A box with sharp edges.
    pub fn cuboid(half_extents: DVec3) -> Result<Self, ShapeError> {
        Self::rounded_box(half_extents, 0.0)
    }

    /// A box whose outside is `half_extents` and whose edges have radius `rounding`.
    pub fn rounded_box(half_extents: DVec3, rounding: f64) -> Result<Self, ShapeError> {
        let shape = Self::Box { half_extents, rounding };
        shape.validate().map(|()| shape)
    }

    /// The convex hull of a cloud of points.
    pub fn hull(points: &[DVec3]) -> Result<Self, ShapeError> {
        Ok(Self::Hull(Arc::new(Hull::from_points(points)?)))
    }

    /// Terrain; see [`Heightfield::new`].
    pub fn heightfield(
        columns: usize,
        rows: usize,
        spacing: f64,
        heights: Vec<f64>,
    ) -> Result<Self, ShapeError> {
        Ok(Self::Heightfield(Arc::new(Heightfield::new(columns, rows, spacing, heights)?)))
    }

    /// Static triangles; see [`TriangleMesh::new`].
    pub fn mesh(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Result<Self, ShapeError> {
        Ok(Self::Mesh(Arc::new(TriangleMesh::new(vertices, triangles)?)))
    }

    /// Checks the numbers of a shape written down as an enum literal.
    pub fn validate(&self) -> Result<(), ShapeError> {
        match *self {
            Self::Sphere { radius } => positive("sphere", "radius", radius),
            Self::Capsule { radius, half_length } => {
                positive("capsule", "radius", radius)?;
                not_negative("capsule", "half length", half_length)
            }
            Self::Box { half_extents, rounding } => {
                for value in half_extents.to_array() {
                    positive("box", "half extent", value)?;
                }
                not_negative("box", "rounding", rounding)?;
                let smallest = half_extents.min_element();
                if rounding <= smallest {
                    Ok(())
                } else {
                    Err(ShapeError::RoundingTooLarge { rounding, smallest })
                }
            }
            Self::Hull(_) | Self::Plane | Self::Heightfield(_) | Self::Mesh(_) => Ok(()),
        }
    }

    /// Whether the shape can only be part of the static world.
    pub(crate) fn is_static_only(&self) -> bool {
        matches!(self, Self::Plane | Self::Heightfield(_) | Self::Mesh(_))
    }

    /// Smallest axis-aligned box around the shape placed in a frame `a`.
    ///
    /// `None` for those that fill space without bound: the plane, and the heightfield, which is solid downwards.
    pub fn aabb(&self, a_from_shape: &Transform) -> Option<Aabb> {
        let center = a_from_shape.translation;
        let half = match self {
            Self::Sphere { radius } => DVec3::splat(*radius),
            Self::Capsule { radius, half_length } => {
                a_from_shape.rotation.z_axis.abs() * *half_length + DVec3::splat(*radius)
            }
            Self::Box { half_extents, rounding } => {
                let core = *half_extents - DVec3::splat(*rounding);
                let r = &a_from_shape.rotation;
                r.x_axis.abs() * core.x
                    + r.y_axis.abs() * core.y
                    + r.z_axis.abs() * core.z
                    + DVec3::splat(*rounding)
            }
            Self::Hull(hull) => return Aabb::around(hull.vertices(), a_from_shape),
            Self::Mesh(mesh) => return Aabb::around(mesh.vertices(), a_from_shape),
            Self::Plane | Self::Heightfield(_) => return None,
        };
        Some(Aabb { min: center - half, max: center + half })
    }

    /// The point of a convex bounded shape that lies farthest along `direction` (shape frame; any length but 0).
    ///
    /// `None` for the static-only shapes.
    pub fn support(&self, direction: DVec3) -> Option<DVec3> {
        let unit = direction.normalize_or_zero();
        match self {
            Self::Sphere { radius } => Some(unit * *radius),
            Self::Capsule { radius, half_length } => {
                Some(unit * *radius + DVec3::Z * half_length.copysign(unit.z))
            }
            Self::Box { half_extents, rounding } => {
                let core = *half_extents - DVec3::splat(*rounding);
                Some(unit * *rounding + core * unit.signum())
            }
            Self::Hull(hull) => Some(hull.support(direction)),
            Self::Plane | Self::Heightfield(_) | Self::Mesh(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_numbers_are_refused_with_what_was_expected() {
        assert_eq!(
            Shape::sphere(-1.0).unwrap_err().to_string(),
            "sphere: radius must be a positive finite length in metres, got -1"
        );
        assert!(Shape::capsule(0.1, f64::NAN).is_err());
        assert!(Shape::capsule(0.1, 0.0).is_ok());
        assert!(Shape::cuboid(DVec3::new(1.0, 0.0, 1.0)).is_err());
        assert!(matches!(
            Shape::rounded_box(DVec3::new(1.0, 0.2, 1.0), 0.3),
            Err(ShapeError::RoundingTooLarge { .. })
        ));
        assert!(Shape::rounded_box(DVec3::splat(0.3), 0.3).is_ok());
    }

    #[test]
    fn aabb_is_touched_by_the_support_points() {
        let turn = glam::DQuat::from_xyzw(0.2, -0.5, 0.3, 0.7).normalize();
        let place = Transform::from_quaternion(turn, DVec3::new(1.0, 2.0, 3.0));
        let shapes = [
            Shape::sphere(0.3).unwrap(),
            Shape::capsule(0.1, 0.4).unwrap(),
            Shape::rounded_box(DVec3::new(0.3, 0.2, 0.5), 0.05).unwrap(),
            Shape::hull(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]).unwrap(),
        ];
        for shape in &shapes {
            let aabb = shape.aabb(&place).unwrap();
            for axis in 0..3 {
                let direction = DVec3::AXES[axis];
                let top = shape.support(place.inverse_transform_vector(direction)).unwrap();
                assert!((place.transform_point(top)[axis] - aabb.max[axis]).abs() < 1e-12, "{shape:?}");
                let bottom = shape.support(place.inverse_transform_vector(-direction)).unwrap();
                assert!((place.transform_point(bottom)[axis] - aabb.min[axis]).abs() < 1e-12, "{shape:?}");
            }
        }
    }
}
