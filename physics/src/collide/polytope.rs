//! Convex cores as corners, edges and faces placed in the world.

use std::sync::LazyLock;

use glam::DVec3;

use crate::model::shape::{NO_FACE, Shape, Topology};
use crate::spatial::Transform;

/// Corners and face normals in world coordinates; the memory is reused from pair to pair.
#[derive(Clone, Debug, Default)]
pub(super) struct PolytopeBuffer {
    pub(super) vertices: Vec<DVec3>,
    pub(super) normals: Vec<DVec3>,
}

/// A placed core: its tables, and the radius it is grown by.
#[derive(Clone, Copy)]
pub(super) struct Polytope<'a> {
    pub(super) vertices: &'a [DVec3],
    pub(super) normals: &'a [DVec3],
    pub(super) topology: &'a Topology,
    pub(super) radius: f64,
    /// How far inside a surface point may be before it counts as the other side of a thin wall.
    pub(super) thickness: f64,
}

/// Corner `k` of a box: bit 0, 1, 2 of `k` tell the side along x, y, z.
#[inline]
pub(super) fn box_corner(half: DVec3, k: usize) -> DVec3 {
    let sign = |bit: usize| if k & bit == 0 { -1.0 } else { 1.0 };
    half * DVec3::new(sign(1), sign(2), sign(4))
}

/// Faces of a box in the order -x, +x, -y, +y, -z, +z.
static BOX: LazyLock<Topology> = LazyLock::new(|| {
    Topology::new(&[
        vec![0, 4, 6, 2],
        vec![1, 3, 7, 5],
        vec![0, 1, 5, 4],
        vec![2, 6, 7, 3],
        vec![0, 2, 3, 1],
        vec![4, 5, 7, 6],
    ])
});
static SEGMENT: LazyLock<Topology> = LazyLock::new(|| Topology {
    face_starts: vec![0],
    loops: Vec::new(),
    edges: vec![[0, 1, NO_FACE, NO_FACE]],
});
static POINT: LazyLock<Topology> =
    LazyLock::new(|| Topology { face_starts: vec![0], loops: Vec::new(), edges: Vec::new() });

impl PolytopeBuffer {
    /// Places the core of a bounded convex shape in a frame `a`; `None` for the others.
    pub(super) fn place<'s>(
        &'s mut self,
        shape: &'s Shape,
        a_from_shape: &Transform,
    ) -> Option<Polytope<'s>> {
        match shape {
            Shape::Sphere { radius } => {
                self.vertices.clear();
                self.normals.clear();
                self.vertices.push(a_from_shape.translation);
                Some(self.view(&POINT, *radius, *radius))
            }
            Shape::Capsule { radius, half_length } => Some(self.place_segment(
                a_from_shape.translation,
                a_from_shape.rotation.z_axis * *half_length,
                *radius,
            )),
            Shape::Box { half_extents, rounding } => {
                Some(self.place_box(a_from_shape, *half_extents - DVec3::splat(*rounding), *rounding))
            }
            Shape::Hull(hull) => {
                self.vertices.clear();
                self.normals.clear();
                self.vertices.extend(hull.vertices().iter().map(|v| a_from_shape.transform_point(*v)));
                self.normals.extend(hull.normals().iter().map(|n| a_from_shape.transform_vector(*n)));
                Some(self.view(hull.topology(), 0.0, hull.inner_radius()))
            }
            Shape::Plane | Shape::Heightfield(_) | Shape::Mesh(_) => None,
        }
    }

    /// A box core.
    pub(super) fn place_box(&mut self, a_from_shape: &Transform, half: DVec3, radius: f64) -> Polytope<'_> {
        self.vertices.clear();
        self.normals.clear();
        let r = &a_from_shape.rotation;
        let (x, y, z) = (r.x_axis * half.x, r.y_axis * half.y, r.z_axis * half.z);
        for k in 0..8 {
            let side = |bit: usize, v: DVec3| if k & bit == 0 { -v } else { v };
            self.vertices.push(a_from_shape.translation + side(1, x) + side(2, y) + side(4, z));
        }
        self.normals.extend([-r.x_axis, r.x_axis, -r.y_axis, r.y_axis, -r.z_axis, r.z_axis]);
        self.view(&BOX, radius, radius + half.min_element())
    }

    /// The core of a capsule.
    pub(super) fn place_segment(&mut self, center: DVec3, half_axis: DVec3, radius: f64) -> Polytope<'_> {
        self.vertices.clear();
        self.normals.clear();
        self.vertices.extend([center - half_axis, center + half_axis]);
        self.view(&SEGMENT, radius, radius)
    }

    fn view<'s>(&'s self, topology: &'s Topology, radius: f64, thickness: f64) -> Polytope<'s> {
        Polytope { vertices: &self.vertices, normals: &self.normals, topology, radius, thickness }
    }
}

impl Polytope<'_> {
    /// Face whose normal is most along `direction`.
    pub(super) fn face_along(&self, direction: DVec3) -> Option<usize> {
        let mut best = None;
        let mut most = f64::NEG_INFINITY;
        for (f, normal) in self.normals.iter().enumerate() {
            let along = normal.dot(direction);
            if along > most {
                (best, most) = (Some(f), along);
            }
        }
        best
    }

    /// Smallest and largest `direction · vertex`.
    pub(super) fn extent(&self, direction: DVec3) -> [f64; 2] {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for v in self.vertices {
            let along = v.dot(direction);
            low = low.min(along);
            high = high.max(along);
        }
        [low, high]
    }

    /// Ends of an edge.
    pub(super) fn edge(&self, e: usize) -> [DVec3; 2] {
        let [from, to, ..] = self.topology.edges[e];
        [self.vertices[from as usize], self.vertices[to as usize]]
    }

    /// Normals left and right of an edge; `None` for a bare segment.
    pub(super) fn edge_normals(&self, e: usize) -> Option<[DVec3; 2]> {
        let [.., left, right] = self.topology.edges[e];
        if left == NO_FACE || right == NO_FACE {
            return None;
        }
        Some([self.normals[left as usize], self.normals[right as usize]])
    }
}

/// Whether a direction square to an edge lies on the arc between the normals on its left and right.
#[inline]
pub(super) fn in_arc(direction: DVec3, along: DVec3, left: DVec3, right: DVec3, tolerance: f64) -> bool {
    left.cross(direction).dot(along) >= -tolerance
        && direction.cross(right).dot(along) >= -tolerance
        && direction.dot(left + right) > 0.0
}
