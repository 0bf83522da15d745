//! Static triangles with their neighbourhood worked out once: which edges and corners stick out, and who owns them.

use std::collections::BTreeMap;

use glam::DVec3;

use super::heightfield::is_peak;
use super::{Aabb, Bvh, ShapeError};

/// Sine of the smallest bend that counts as an edge.
const FLAT: f64 = 1e-9;

/// Triangles sharing vertices; seen by contacts from their outside only.
#[derive(Clone, Debug, PartialEq)]
pub struct TriangleMesh {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    normals: Vec<DVec3>,
    /// Normal across edge k (from corner k to corner k+1) per triangle; for a border, the direction out of the sheet.
    across: Vec<[DVec3; 3]>,
    /// Per triangle: bit k = it owns the convex edge k, bit 3 + k = it owns the peak at corner k.
    flags: Vec<u8>,
    /// Neighbours of vertex v: `spokes[spoke_starts[v]..spoke_starts[v + 1]]`.
    spoke_starts: Vec<u32>,
    spokes: Vec<u32>,
    closed: bool,
    bvh: Bvh,
}

impl TriangleMesh {
    /// From corner points and triples of their indices, counter-clockwise seen from outside.
    pub fn new(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Result<Self, ShapeError> {
        if triangles.is_empty() {
            return Err(ShapeError::EmptyMesh);
        }
        if let Some(index) = vertices.iter().position(|v| !v.is_finite()) {
            return Err(ShapeError::NotFinite { shape: "mesh", what: "vertex", index });
        }
        let mut normals = Vec::with_capacity(triangles.len());
        let mut boxes = Vec::with_capacity(triangles.len());
        for (triangle, corners) in triangles.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|&&v| v as usize >= vertices.len()) {
                return Err(ShapeError::VertexIndex { triangle, vertex, vertices: vertices.len() });
            }
            let [a, b, c] = corners.map(|v| vertices[v as usize]);
            let normal = (b - a).cross(c - a);
            if normal.length() <= 1e-12 * (b - a).length() * (c - a).length() || normal == DVec3::ZERO {
                return Err(ShapeError::FlatTriangle { triangle });
            }
            normals.push(normal.normalize());
            boxes.push(Aabb { min: a.min(b).min(c), max: a.max(b).max(c) });
        }
        let mut mesh = Self {
            across: vec![[DVec3::ZERO; 3]; triangles.len()],
            flags: vec![0; triangles.len()],
            spoke_starts: Vec::new(),
            spokes: Vec::new(),
            closed: true,
            bvh: Bvh::new(&boxes),
            vertices,
            triangles,
            normals,
        };
        mesh.find_edges();
        mesh.find_peaks();
        Ok(mesh)
    }

    /// Corner points.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// Vertex indices, counter-clockwise seen from outside.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Whether every edge is shared by exactly two triangles that run along it in opposite directions.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Corner points of a triangle.
    pub(crate) fn corners(&self, triangle: u32) -> [DVec3; 3] {
        self.triangles[triangle as usize].map(|v| self.vertices[v as usize])
    }

    /// Unit normal of a triangle.
    pub(crate) fn normal(&self, triangle: u32) -> DVec3 {
        self.normals[triangle as usize]
    }

    /// Normal on the other side of edge `k` of a triangle.
    pub(crate) fn normal_across(&self, triangle: u32, k: usize) -> DVec3 {
        self.across[triangle as usize][k]
    }

    /// Whether this triangle reports the convex edge `k`.
    pub(crate) fn owns_edge(&self, triangle: u32, k: usize) -> bool {
        self.flags[triangle as usize] & (1 << k) != 0
    }

    /// Whether this triangle reports the peak at corner `k`.
    pub(crate) fn owns_peak(&self, triangle: u32, k: usize) -> bool {
        self.flags[triangle as usize] & (8 << k) != 0
    }

    /// Calls `visit` with the vectors from a vertex to its neighbours.
    pub(crate) fn for_spokes(&self, vertex: u32, mut visit: impl FnMut(DVec3)) {
        let range =
            self.spoke_starts[vertex as usize] as usize..self.spoke_starts[vertex as usize + 1] as usize;
        for &other in &self.spokes[range] {
            visit(self.vertices[other as usize] - self.vertices[vertex as usize]);
        }
    }

    /// Hierarchy over the triangles.
    pub(crate) fn bvh(&self) -> &Bvh {
        &self.bvh
    }

    fn find_edges(&mut self) {
        // Directed edge -> triangle and side; a second triangle on the same directed edge counts as a border.
        let mut sides = BTreeMap::new();
        for (t, corners) in self.triangles.iter().enumerate() {
            for k in 0..3 {
                let twice = sides.insert((corners[k], corners[(k + 1) % 3]), t).is_some();
                self.closed &= !twice;
            }
        }
        for t in 0..self.triangles.len() {
            for k in 0..3 {
                let (v, w) = (self.triangles[t][k], self.triangles[t][(k + 1) % 3]);
                let along = (self.vertices[w as usize] - self.vertices[v as usize]).normalize_or_zero();
                let neighbour = sides.get(&(w, v)).copied();
                let (normal, owner) = match neighbour {
                    Some(other) => (self.normals[other], t < other),
                    None => {
                        self.closed = false;
                        (along.cross(self.normals[t]), true)
                    }
                };
                self.across[t][k] = normal;
                if owner && self.normals[t].cross(normal).dot(along) > FLAT {
                    self.flags[t] |= 1 << k;
                }
            }
        }
    }

    fn find_peaks(&mut self) {
        let mut pairs = Vec::with_capacity(6 * self.triangles.len());
        for [a, b, c] in &self.triangles {
            pairs.extend([(*a, *b), (*b, *a), (*b, *c), (*c, *b), (*c, *a), (*a, *c)]);
        }
        pairs.sort_unstable();
        pairs.dedup();
        let n = self.vertices.len();
        self.spoke_starts =
            (0..=n).map(|v| pairs.partition_point(|pair| (pair.0 as usize) < v) as u32).collect();
        self.spokes = pairs.iter().map(|pair| pair.1).collect();
        let mut outward = vec![DVec3::ZERO; n];
        for (corners, normal) in self.triangles.iter().zip(&self.normals) {
            for v in corners {
                outward[*v as usize] += *normal;
            }
        }
        let mut owned = vec![false; n];
        let mut spokes = Vec::new();
        for t in 0..self.triangles.len() {
            for k in 0..3 {
                let v = self.triangles[t][k];
                if !std::mem::replace(&mut owned[v as usize], true) {
                    spokes.clear();
                    self.for_spokes(v, |spoke| spokes.push(spoke));
                    // Fans of hundreds of triangles are left to their edges: the check is cubic in the spokes.
                    if spokes.len() <= 48 && is_peak(&spokes, outward[v as usize]) {
                        self.flags[t] |= 8 << k;
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_meshes_are_refused() {
        let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::X * 2.0];
        assert_eq!(TriangleMesh::new(points.clone(), vec![]), Err(ShapeError::EmptyMesh));
        assert!(matches!(
            TriangleMesh::new(points.clone(), vec![[0, 1, 7]]),
            Err(ShapeError::VertexIndex { triangle: 0, vertex: 7, .. })
        ));
        assert_eq!(
            TriangleMesh::new(points, vec![[0, 1, 2], [0, 1, 3]]),
            Err(ShapeError::FlatTriangle { triangle: 1 })
        );
    }

    #[test]
    fn a_tetrahedron_is_closed_and_all_its_edges_and_corners_stick_out() {
        let points = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        let mesh = TriangleMesh::new(points, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]).unwrap();
        assert!(mesh.is_closed());
        let bits: u32 = mesh.flags.iter().map(|f| f.count_ones()).sum();
        assert_eq!(bits, 6 + 4);
    }
}
