//! Convex polytopes with the tables that separating-axis tests want: faces, planes, edges with both neighbours.

use glam::DVec3;

use super::{ShapeError, quickhull};

/// In place of a face index where an edge has no face (the core of a capsule).
pub(crate) const NO_FACE: u32 = u32::MAX;
/// Contact feature ids name corners and faces with 15 bits.
const MAX_CORNERS: usize = 1 << 14;

/// How corners, edges and faces hang together; the same for every placement.
#[derive(Clone, Debug, PartialEq, Default)]
pub(crate) struct Topology {
    /// Face f is `loops[face_starts[f]..face_starts[f + 1]]`, counter-clockwise seen from outside.
    pub face_starts: Vec<u32>,
    /// Vertex indices of all faces.
    pub loops: Vec<u32>,
    /// Per edge: from, to, face on its left, face on its right (`NO_FACE` if there is none).
    pub edges: Vec<[u32; 4]>,
}

impl Topology {
    pub(crate) fn new(faces: &[Vec<u32>]) -> Self {
        let mut topology = Self { face_starts: vec![0], loops: Vec::new(), edges: Vec::new() };
        let mut sides = std::collections::BTreeMap::new();
        for (f, face) in faces.iter().enumerate() {
            topology.loops.extend(face);
            topology.face_starts.push(topology.loops.len() as u32);
            for k in 0..face.len() {
                sides.insert((face[k], face[(k + 1) % face.len()]), f as u32);
            }
        }
        for (&(from, to), &left) in &sides {
            if from < to {
                let right = sides.get(&(to, from)).copied().unwrap_or(NO_FACE);
                topology.edges.push([from, to, left, right]);
            }
        }
        topology
    }

    /// Number of faces.
    #[inline]
    pub(crate) fn n_faces(&self) -> usize {
        self.face_starts.len().saturating_sub(1)
    }

    /// Corners of a face.
    #[inline]
    pub(crate) fn face(&self, f: usize) -> &[u32] {
        &self.loops[self.face_starts[f] as usize..self.face_starts[f + 1] as usize]
    }
}

/// A convex polytope: vertices and outward faces.
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {
    vertices: Vec<DVec3>,
    normals: Vec<DVec3>,
    topology: Topology,
    /// Radius of the largest ball about the mean vertex that fits inside.
    inner_radius: f64,
}

impl Hull {
    /// The convex hull of a cloud of at least four points; coplanar faces are merged, inner points dropped.
    pub fn from_points(points: &[DVec3]) -> Result<Self, ShapeError> {
        let (vertices, faces) = quickhull::convex_hull(points)?;
        if vertices.len() > MAX_CORNERS {
            return Err(ShapeError::TooManyCorners { corners: vertices.len(), limit: MAX_CORNERS });
        }
        let topology = Topology::new(&faces);
        let normals: Vec<DVec3> =
            (0..faces.len()).map(|f| loop_normal(&vertices, topology.face(f))).collect();
        let middle = vertices.iter().sum::<DVec3>() / vertices.len() as f64;
        let inner_radius = (0..faces.len())
            .map(|f| normals[f].dot(vertices[topology.face(f)[0] as usize] - middle))
            .fold(f64::INFINITY, f64::min);
        Ok(Self { vertices, normals, topology, inner_radius })
    }

    /// The eight corners and six faces of a box.
    pub fn from_box(half_extents: DVec3) -> Result<Self, ShapeError> {
        super::Shape::cuboid(half_extents)?;
        let corner = |k: usize| {
            let sign = |bit: usize| if k & bit == 0 { -1.0 } else { 1.0 };
            half_extents * DVec3::new(sign(1), sign(2), sign(4))
        };
        Self::from_points(&(0..8).map(corner).collect::<Vec<_>>())
    }

    /// Corner points.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// Faces as loops of vertex indices, counter-clockwise seen from outside.
    pub fn faces(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.topology.n_faces()).map(|f| self.topology.face(f))
    }

    /// Outward unit normals, one per face.
    pub fn normals(&self) -> &[DVec3] {
        &self.normals
    }

    /// The vertex farthest along `direction`.
    pub fn support(&self, direction: DVec3) -> DVec3 {
        let mut best = self.vertices[0];
        for &vertex in &self.vertices[1..] {
            if vertex.dot(direction) > best.dot(direction) {
                best = vertex;
            }
        }
        best
    }

    pub(crate) fn topology(&self) -> &Topology {
        &self.topology
    }

    pub(crate) fn inner_radius(&self) -> f64 {
        self.inner_radius
    }
}

/// Unit normal of a planar loop (Newell's method).
pub(super) fn loop_normal(vertices: &[DVec3], face: &[u32]) -> DVec3 {
    let origin = vertices[face[0] as usize];
    let corner = |k: usize| vertices[face[k % face.len()] as usize] - origin;
    (0..face.len()).map(|k| corner(k).cross(corner(k + 1))).sum::<DVec3>().normalize_or_zero()
}
