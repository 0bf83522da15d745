//! Collision geometry: what a body looks like to contacts, rays and pictures.

use std::sync::Arc;

use glam::DVec3;

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

/// A convex polytope: vertices and outward faces.
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {
    /// Corner points.
    pub vertices: Vec<DVec3>,
    /// Faces as loops of vertex indices, counter-clockwise seen from outside.
    pub faces: Vec<Vec<u32>>,
}

/// Heights on a regular grid in x and y, two triangles per cell.
///
/// Sample `(i, j)` lies at `x = (i - (columns-1)/2) * spacing`, `y = (j - (rows-1)/2) * spacing`,
/// `z = heights[j * columns + i]`. A cell's diagonal runs from `(i, j)` to `(i+1, j+1)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Heightfield {
    /// Number of samples along x (at least 2).
    pub columns: usize,
    /// Number of samples along y (at least 2).
    pub rows: usize,
    /// Distance between neighbouring samples, metres.
    pub spacing: f64,
    /// `columns * rows` heights, x fastest.
    pub heights: Vec<f64>,
}

/// Triangles sharing vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct TriangleMesh {
    /// Corner points.
    pub vertices: Vec<DVec3>,
    /// Vertex indices, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}
