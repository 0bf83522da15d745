//! Triangle meshes: the patch of triangles near a shape, and which side of it the shape's corners are on.

use glam::DVec3;

use super::Aabb;
use super::surface::{Finder, Patch, PatchEdge, PatchFace, PatchPeak, SEAM};
use crate::model::shape::TriangleMesh;

/// Collects the triangles near a box and what sticks out of them; false if there are none.
pub(super) fn gather(mesh: &TriangleMesh, aabb: &Aabb, patch: &mut Patch) -> bool {
    patch.clear();
    let Patch { faces, edges, peaks, spokes } = patch;
    mesh.bvh().query(aabb, |t| {
        let face = patch_face(mesh, t);
        let PatchFace { corners, normal, .. } = face;
        faces.push(face);
        for k in 0..3 {
            let id = 8 * t + k as u32;
            if mesh.owns_edge(t, k) {
                let (from, to) = (corners[k], corners[(k + 1) % 3]);
                edges.push(PatchEdge { from, to, left: normal, right: mesh.normal_across(t, k), id });
            }
            if mesh.owns_peak(t, k) {
                let start = spokes.len() as u32;
                mesh.for_spokes(mesh.triangles()[t as usize][k], |spoke| spokes.push(spoke));
                peaks.push(PatchPeak { at: corners[k], spokes: [start, spokes.len() as u32], id: id + 4 });
            }
        }
    });
    !faces.is_empty()
}

/// Contacts of a core with the gathered patch.
pub(super) fn find(finder: &mut Finder, mesh: &TriangleMesh, patch: &Patch) {
    let core = finder.core;
    let center = core.vertices.iter().sum::<DVec3>() / core.vertices.len() as f64;
    for (k, &corner) in core.vertices.iter().enumerate() {
        find_corner(finder, mesh, patch, k as u32, corner, center);
    }
    for e in 0..core.topology.edges.len() {
        finder.edge(e, patch, |p| nearest(mesh, patch, p).is_behind(p));
    }
    finder.peaks_in_faces(patch);
}

fn find_corner(
    finder: &mut Finder,
    mesh: &TriangleMesh,
    patch: &Patch,
    k: u32,
    corner: DVec3,
    center: DVec3,
) {
    let nearest = nearest(mesh, patch, corner);
    if nearest.is_behind(corner) {
        let Nearest { distance_squared, at, normal, id } = nearest;
        let distance = distance_squared.sqrt();
        if distance <= finder.core.thickness || (center - at).dot(normal) > 0.0 {
            let out = if distance > 1e-9 { (at - corner) / distance } else { normal.normalize_or_zero() };
            finder.corner_face(k, corner, out, -distance, id);
        }
        return;
    }
    for face in &patch.faces {
        let distance = face.normal.dot(corner - face.corners[0]);
        if (0.0..=finder.reach).contains(&distance) && projects_into(face.corners, face.normal, corner) {
            finder.corner_face(k, corner, face.normal, distance, face.id);
        }
    }
    for edge in &patch.edges {
        finder.corner_edge(k, corner, edge);
    }
    for peak in &patch.peaks {
        finder.corner_peak(k, corner, peak.at, patch.spokes_of(peak), peak.id);
    }
}

/// The nearest point of the surface, as far as it matters for telling inside from outside.
fn nearest(mesh: &TriangleMesh, patch: &Patch, p: DVec3) -> Nearest {
    let mut nearest = Nearest::NONE;
    for face in &patch.faces {
        nearest.try_face(mesh, face, p);
    }
    if nearest.is_behind(p) {
        // The patch ends at the shape's box; behind it something nearer may say that this is outside after all.
        let around = Aabb { min: p, max: p }.grown(nearest.distance_squared.sqrt());
        mesh.bvh().query(&around, |t| nearest.try_face(mesh, &patch_face(mesh, t), p));
    }
    nearest
}

/// The nearest point of the surface met so far.
struct Nearest {
    distance_squared: f64,
    at: DVec3,
    /// Tells the inside of the surface from its outside there.
    normal: DVec3,
    id: u32,
}

impl Nearest {
    const NONE: Self = Self { distance_squared: f64::INFINITY, at: DVec3::ZERO, normal: DVec3::Z, id: 0 };

    fn try_face(&mut self, mesh: &TriangleMesh, face: &PatchFace, p: DVec3) {
        // No point of a triangle is nearer than its plane.
        let height = face.normal.dot(p - face.corners[0]);
        if height * height < self.distance_squared {
            let (at, normal) = closest_on_triangle(mesh, face, p);
            let distance_squared = at.distance_squared(p);
            if distance_squared < self.distance_squared {
                *self = Self { distance_squared, at, normal, id: face.id };
            }
        }
    }

    fn is_behind(&self, p: DVec3) -> bool {
        self.distance_squared < f64::INFINITY && (p - self.at).dot(self.normal) < 0.0
    }
}

fn patch_face(mesh: &TriangleMesh, t: u32) -> PatchFace {
    PatchFace { corners: mesh.corners(t), normal: mesh.normal(t), id: t }
}

/// The point of a triangle closest to `p` (Ericson 2005, 5.1.5), and the pseudonormal of the feature it lies on.
fn closest_on_triangle(mesh: &TriangleMesh, face: &PatchFace, p: DVec3) -> (DVec3, DVec3) {
    let mut best = (f64::INFINITY, DVec3::ZERO, DVec3::Z);
    let mut inside = true;
    for k in 0..3 {
        let (from, to) = (face.corners[k], face.corners[(k + 1) % 3]);
        let along = to - from;
        if face.normal.cross(along).dot(p - from) >= 0.0 {
            continue;
        }
        // Beyond this edge: the closest point is on it or on the other one p is beyond.
        inside = false;
        let t = (p - from).dot(along) / along.length_squared();
        let (at, normal) = if t <= 0.0 {
            (from, mesh.vertex_normal(face.id, k))
        } else if t >= 1.0 {
            (to, mesh.vertex_normal(face.id, (k + 1) % 3))
        } else {
            (from + along * t, face.normal + mesh.normal_across(face.id, k))
        };
        let distance = at.distance_squared(p);
        if distance < best.0 {
            best = (distance, at, normal);
        }
    }
    if inside {
        return (p - face.normal * face.normal.dot(p - face.corners[0]), face.normal);
    }
    (best.1, best.2)
}

/// Whether a point lies in the prism over (and under) a triangle, up to the seam.
#[inline]
fn projects_into([a, b, c]: [DVec3; 3], normal: DVec3, point: DVec3) -> bool {
    let inside = |from: DVec3, to: DVec3| {
        let along = to - from;
        normal.cross(along).dot(point - from) >= -SEAM * along.length_squared()
    };
    inside(a, b) && inside(b, c) && inside(c, a)
}
