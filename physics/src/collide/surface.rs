//! Convex shapes on terrain and triangle meshes, without ghost contacts on inner edges.
//!
//! Contacts are pairs of features that lie in each other's Voronoi regions, found feature by feature:
//!
//! | of the core | of the surface | when |
//! |---|---|---|
//! | corner | face | it projects into the triangle |
//! | corner, edge | convex edge | direction between the two face normals (and in the core edge's own arc) |
//! | corner, edge, face | peak | direction in the peak's normal cone (and in the core feature's own) |
//!
//! Flat and concave edges push along no direction of their own, so they are never asked (the surface knows which are
//! convex): a body sliding over a tessellated plane sees the plane's normal only. A corner below a heightfield is
//! pushed out of the triangle above it however deep it is; a corner behind a mesh is pushed out of the nearest face
//! while the shape's centre is in front of that face or the corner is less deep than the shape is thick.

use glam::DVec3;

use super::Aabb;
use super::manifold::{ContactPoint, FeatureKind, feature_id};
use super::narrow::NarrowScratch;
use super::polytope::{Polytope, in_arc};
use super::round::closest_parameters;
use crate::model::shape::{CONVEX_VERTEX, EDGE_DIAGONAL, EDGE_X, EDGE_Y, Heightfield, Shape, TriangleMesh};
use crate::spatial::Transform;

/// Slack of the Voronoi tests, relative: neighbouring regions overlap a little rather than leave gaps.
const SEAM: f64 = 1e-7;

/// The triangles near a shape and what sticks out of them, in the surface's frame.
#[derive(Clone, Debug, Default)]
pub(super) struct Patch {
    faces: Vec<PatchFace>,
    edges: Vec<PatchEdge>,
    peaks: Vec<PatchPeak>,
    /// Vectors from the peaks to their neighbours.
    spokes: Vec<DVec3>,
}

#[derive(Clone, Copy, Debug)]
struct PatchFace {
    corners: [DVec3; 3],
    normal: DVec3,
    id: u32,
}

#[derive(Clone, Copy, Debug)]
struct PatchEdge {
    from: DVec3,
    to: DVec3,
    /// Normals on the left and right of the edge.
    left: DVec3,
    right: DVec3,
    id: u32,
}

#[derive(Clone, Copy, Debug)]
struct PatchPeak {
    at: DVec3,
    spokes: [u32; 2],
    id: u32,
}

/// Finds the candidates; returns how many of them the manifold should keep.
pub(super) fn collide(
    shape: &Shape,
    world_from_shape: &Transform,
    surface: &Shape,
    world_from_surface: &Transform,
    margin: f64,
    scratch: &mut NarrowScratch,
) -> usize {
    let surface_from_shape = world_from_surface.inverse() * *world_from_shape;
    let Some(aabb) = shape.aabb(&surface_from_shape) else { return 0 };
    let aabb = aabb.grown(margin);
    let NarrowScratch { candidates, polytope_a, patch, .. } = scratch;
    patch.clear();
    let field = match surface {
        Shape::Heightfield(field) => {
            if aabb.min.z > field.height_range()[1] || !patch.gather_heightfield(field, &aabb) {
                return 0;
            }
            Some(&**field)
        }
        Shape::Mesh(mesh) => {
            patch.gather_mesh(mesh, &aabb);
            if patch.faces.is_empty() {
                return 0;
            }
            None
        }
        _ => return 0,
    };
    let Some(core) = polytope_a.place(shape, &surface_from_shape) else { return 0 };
    let center = core.vertices.iter().sum::<DVec3>() / core.vertices.len() as f64;
    let mut finder = Finder { core, patch, margin, center, reach: core.radius + margin, out: candidates };
    for (k, &corner) in core.vertices.iter().enumerate() {
        finder.corner(k as u32, corner, field);
    }
    if !finder.patch.edges.is_empty() || !finder.patch.peaks.is_empty() {
        for e in 0..core.topology.edges.len() {
            finder.edge(e);
        }
        finder.peaks_in_faces();
    }
    for c in candidates.iter_mut() {
        c.point_world = world_from_surface.transform_point(c.point_world);
        c.normal_world = world_from_surface.transform_vector(c.normal_world);
    }
    match shape {
        Shape::Sphere { .. } | Shape::Capsule { .. } => 3,
        _ => super::MAX_POINTS,
    }
}

impl Patch {
    fn clear(&mut self) {
        self.faces.clear();
        self.edges.clear();
        self.peaks.clear();
        self.spokes.clear();
    }

    /// Collects the cells under the box that reach up to it; false if there are none.
    fn gather_heightfield(&mut self, field: &Heightfield, aabb: &Aabb) -> bool {
        let Some((i0, i1, j0, j1)) = field.cells_in(aabb.min, aabb.max) else { return false };
        let columns = field.columns();
        for j in j0..=j1 {
            for i in i0..=i1 {
                if field.cell_range(i, j)[1] < aabb.min.z {
                    continue;
                }
                let id = 2 * (j * columns + i) as u32;
                for which in 0..2 {
                    self.faces.push(PatchFace {
                        corners: field.triangle(i, j, which),
                        normal: field.normal(i, j, which),
                        id: id + which as u32,
                    });
                }
            }
        }
        if self.faces.is_empty() {
            return false;
        }
        for j in j0..=j1 + 1 {
            for i in i0..=i1 + 1 {
                let flags = field.flags(i, j);
                if flags != 0 {
                    self.gather_sample(field, i, j, flags, aabb);
                }
            }
        }
        true
    }

    /// Convex edges that start at a sample, and the sample itself if it is a peak.
    fn gather_sample(&mut self, field: &Heightfield, i: usize, j: usize, flags: u8, aabb: &Aabb) {
        let from = field.sample(i, j);
        let id = 4 * (j * field.columns() + i) as u32;
        for (which, (edge, di, dj)) in
            [(EDGE_X, 1, 0), (EDGE_Y, 0, 1), (EDGE_DIAGONAL, 1, 1)].iter().enumerate()
        {
            if flags & edge != 0 {
                let to = field.sample(i + di, j + dj);
                if (Aabb { min: from.min(to), max: from.max(to) }).overlaps(aabb) {
                    let [left, right] = field.edge_normals(i, j, *edge);
                    self.edges.push(PatchEdge { from, to, left, right, id: id + which as u32 });
                }
            }
        }
        if flags & CONVEX_VERTEX != 0 && (Aabb { min: from, max: from }).overlaps(aabb) {
            let start = self.spokes.len() as u32;
            field.for_spokes(i, j, |spoke| self.spokes.push(spoke));
            self.peaks.push(PatchPeak { at: from, spokes: [start, self.spokes.len() as u32], id: id + 3 });
        }
    }

    fn gather_mesh(&mut self, mesh: &TriangleMesh, aabb: &Aabb) {
        let Self { faces, edges, peaks, spokes } = self;
        mesh.bvh().query(aabb, |t| {
            let (corners, normal) = (mesh.corners(t), mesh.normal(t));
            faces.push(PatchFace { corners, normal, id: t });
            for k in 0..3 {
                let id = 8 * t + k as u32;
                if mesh.owns_edge(t, k) {
                    let (from, to) = (corners[k], corners[(k + 1) % 3]);
                    edges.push(PatchEdge { from, to, left: normal, right: mesh.normal_across(t, k), id });
                }
                if mesh.owns_peak(t, k) {
                    let start = spokes.len() as u32;
                    mesh.for_spokes(mesh.triangles()[t as usize][k], |spoke| spokes.push(spoke));
                    peaks.push(PatchPeak {
                        at: corners[k],
                        spokes: [start, spokes.len() as u32],
                        id: id + 4,
                    });
                }
            }
        });
    }

    /// Whether a direction makes no acute angle with any spoke of the peak.
    fn in_cone(&self, direction: DVec3, peak: &PatchPeak) -> bool {
        let spokes = &self.spokes[peak.spokes[0] as usize..peak.spokes[1] as usize];
        spokes.iter().all(|s| {
            let along = s.dot(direction);
            along <= 0.0 || along * along <= SEAM * SEAM * s.length_squared()
        })
    }
}

struct Finder<'a> {
    core: Polytope<'a>,
    patch: &'a Patch,
    margin: f64,
    /// Mean of the core's corners.
    center: DVec3,
    /// Largest distance of the core that still counts.
    reach: f64,
    out: &'a mut Vec<ContactPoint>,
}

impl Finder<'_> {
    /// Notes a contact of a core point `distance` above the surface along `normal`.
    fn push(&mut self, on_core: DVec3, normal: DVec3, distance: f64, feature: u64) {
        let depth = self.core.radius - distance;
        let point_world = on_core - normal * (0.5 * (self.core.radius + distance));
        // Seams make the same contact twice.
        let same = |c: &ContactPoint| {
            c.point_world.distance_squared(point_world) < 1e-12 && c.normal_world.dot(normal) > 1.0 - 1e-9
        };
        if depth >= -self.margin && !self.out.iter().any(same) {
            self.out.push(ContactPoint { point_world, normal_world: normal, depth, feature });
        }
    }

    fn corner(&mut self, k: u32, corner: DVec3, field: Option<&Heightfield>) {
        let id = |surface: u32| feature_id(FeatureKind::Corner, k, 0, surface);
        if let Some(field) = field
            && let Some((i, j, which)) = field.triangle_at(corner.x, corner.y)
        {
            let normal = field.normal(i, j, which);
            let distance = normal.dot(corner - field.sample(i, j));
            if distance < 0.0 {
                let surface = 2 * (j * field.columns() + i) + which;
                self.push(corner, normal, distance, id(surface as u32));
                return;
            }
        }
        // Nearest face it projects into, to tell front from back where there is no column to ask.
        let mut nearest: Option<(f64, DVec3, u32)> = None;
        for n in 0..self.patch.faces.len() {
            let face = self.patch.faces[n];
            let distance = face.normal.dot(corner - face.corners[0]);
            let behind = field.is_none()
                && distance < 0.0
                && (-distance <= self.core.thickness || face.normal.dot(self.center - face.corners[0]) > 0.0);
            if !(behind || (0.0..=self.reach).contains(&distance)) || !projects_into(&face, corner) {
                continue;
            }
            if nearest.is_none_or(|(d, ..)| distance.abs() < d.abs()) {
                nearest = Some((distance, face.normal, face.id));
            }
            if !behind {
                self.push(corner, face.normal, distance, id(face.id));
            }
        }
        if let Some((distance, normal, surface)) = nearest
            && distance < 0.0
        {
            self.push(corner, normal, distance, id(surface));
            return;
        }
        for n in 0..self.patch.edges.len() {
            let edge = self.patch.edges[n];
            let along = edge.to - edge.from;
            let t = (corner - edge.from).dot(along) / along.length_squared();
            let offset = corner - (edge.from + along * t);
            let distance = offset.length();
            if (0.0..=1.0).contains(&t) && distance <= self.reach && distance > 1e-9 {
                let normal = offset / distance;
                if in_arc(normal, along, edge.left, edge.right, SEAM * along.length()) {
                    self.push(corner, normal, distance, id(edge.id));
                }
            }
        }
        for n in 0..self.patch.peaks.len() {
            let peak = self.patch.peaks[n];
            let offset = corner - peak.at;
            let distance = offset.length();
            if distance <= self.reach && distance > 1e-9 && self.patch.in_cone(offset / distance, &peak) {
                self.push(corner, offset / distance, distance, id(peak.id));
            }
        }
    }

    /// An edge of the core against convex edges and peaks.
    fn edge(&mut self, e: usize) {
        let [p, q] = self.core.edge(e);
        let half = (q - p) * 0.5;
        if half == DVec3::ZERO {
            return;
        }
        let middle = p + half;
        let arc = self.core.edge_normals(e);
        let faces_surface = |normal: DVec3| {
            arc.is_none_or(|[left, right]| in_arc(-normal, half, left, right, SEAM * half.length()))
        };
        for n in 0..self.patch.edges.len() {
            let edge = self.patch.edges[n];
            let along = (edge.to - edge.from) * 0.5;
            let cross = half.cross(along);
            let length = cross.length();
            if length <= 1e-6 * half.length() * along.length() {
                continue;
            }
            let normal = cross / length;
            let normal = if normal.dot(edge.left + edge.right) < 0.0 { -normal } else { normal };
            let other = edge.from + along;
            let distance = normal.dot(middle - other);
            if distance > self.reach
                || -distance > self.core.thickness
                || !in_arc(normal, along, edge.left, edge.right, SEAM * along.length())
                || !faces_surface(normal)
            {
                continue;
            }
            // Where the lines cross seen along the normal; ends belong to the corners.
            let lifted = middle - normal * distance;
            let (s, t) = closest_parameters(lifted - other, half, along);
            let (on_core, on_edge) = (lifted + half * s, other + along * t);
            if s.abs() < 1.0 && t.abs() < 1.0 && on_core.distance_squared(on_edge) < 1e-16 {
                let id = feature_id(FeatureKind::Edges, e as u32, 0, edge.id);
                self.push(on_core + normal * distance, normal, distance, id);
            }
        }
        for n in 0..self.patch.peaks.len() {
            let peak = self.patch.peaks[n];
            let t = (peak.at - middle).dot(half) / half.length_squared();
            let on_core = middle + half * t;
            let distance = on_core.distance(peak.at);
            if t.abs() < 1.0 && distance <= self.reach && distance > 1e-9 {
                let normal = (on_core - peak.at) / distance;
                if self.patch.in_cone(normal, &peak) && faces_surface(normal) {
                    let id = feature_id(FeatureKind::Edges, e as u32, 1, peak.id);
                    self.push(on_core, normal, distance, id);
                }
            }
        }
    }

    /// Peaks that poke into faces of the core: each against the face it is least deep under.
    fn peaks_in_faces(&mut self) {
        for n in 0..self.patch.peaks.len() {
            let peak = self.patch.peaks[n];
            let mut best: Option<(usize, f64)> = None;
            let mut outside = false;
            for (f, normal) in self.core.normals.iter().enumerate() {
                let corner = self.core.vertices[self.core.topology.face(f)[0] as usize];
                let height = normal.dot(peak.at - corner);
                outside |= height > self.reach;
                if best.is_none_or(|(_, most)| height > most) && self.patch.in_cone(-*normal, &peak) {
                    best = Some((f, height));
                }
            }
            if let Some((f, height)) = best
                && !outside
                && self.over_face(f, peak.at)
            {
                let normal = -self.core.normals[f];
                let on_core = peak.at + normal * height;
                self.push(on_core, normal, height, feature_id(FeatureKind::Face, f as u32, 0, peak.id));
            }
        }
    }

    /// Whether a point lies in the prism over (and under) a face of the core.
    fn over_face(&self, f: usize, point: DVec3) -> bool {
        let face = self.core.topology.face(f);
        let vertex = |k: usize| self.core.vertices[face[k % face.len()] as usize];
        (0..face.len()).all(|k| {
            let (from, to) = (vertex(k), vertex(k + 1));
            (to - from).cross(self.core.normals[f]).dot(point - from) <= 0.0
        })
    }
}

/// Whether a point lies in the prism over (and under) a triangle, up to the seam.
fn projects_into(face: &PatchFace, point: DVec3) -> bool {
    let [a, b, c] = face.corners;
    let inside = |from: DVec3, to: DVec3| {
        let along = to - from;
        face.normal.cross(along).dot(point - from) >= -SEAM * along.length_squared()
    };
    inside(a, b) && inside(b, c) && inside(c, a)
}
