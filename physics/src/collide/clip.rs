//! Flat contacts: the face of one core clipped by the face (or edge) of the other, all points along one normal.
//!
//! The caller knows the exact axis of least separation. If a face of either core lies across it, the overlap of the
//! two features seen along the normal is a polygon; the gap between the planes is linear over it, so its corners
//! carry everything, the deepest point included.

use glam::DVec3;

use super::manifold::{ContactPoint, FeatureKind, feature_id};
use super::polytope::Polytope;

/// Cosine of the angle to the normal up to which a face takes part in a flat contact.
const ALIGNED: f64 = 0.99;

#[derive(Clone, Copy, Debug)]
struct ClipVertex {
    at: DVec3,
    id: u32,
}

/// The polygon being clipped, and the one it is clipped into.
#[derive(Clone, Debug, Default)]
pub(super) struct ClipBuffer {
    polygon: Vec<ClipVertex>,
    next: Vec<ClipVertex>,
}

/// The exact closest (or deepest) pair of points of two cores.
#[derive(Clone, Copy, Debug)]
pub(super) struct Closest {
    /// Unit vector from B to A.
    pub(super) normal: DVec3,
    /// Distance of the cores along it; negative where they overlap.
    pub(super) distance: f64,
    /// A point of A's core and one of B's that are `distance` apart.
    pub(super) on_a: DVec3,
    pub(super) on_b: DVec3,
}

/// Appends the contacts of two cores whose closest points are known: the flat contact if there is one, the closest
/// pair itself if that is deeper.
pub(super) fn flat_contacts(
    a: &Polytope,
    b: &Polytope,
    closest: &Closest,
    margin: f64,
    buffer: &mut ClipBuffer,
    out: &mut Vec<ContactPoint>,
) {
    let deepest = clip_features(a, b, closest.normal, margin, buffer, out);
    if deepest > closest.distance + 1e-9 {
        let feature = feature_id(FeatureKind::Closest, 0, 0, 0);
        out.push(contact_between(closest.on_a, closest.on_b, closest.normal, a.radius, b.radius, feature));
    }
}

/// Appends the clipped polygon's corners; returns the smallest distance between the cores among them (infinite
/// without any).
pub(super) fn clip_features(
    a: &Polytope,
    b: &Polytope,
    normal: DVec3,
    margin: f64,
    buffer: &mut ClipBuffer,
    out: &mut Vec<ContactPoint>,
) -> f64 {
    // The face of A that looks at B, else that of B that looks at A; A is preferred so that ids do not flicker.
    let face_a = a.face_along(-normal).filter(|&f| a.normals[f].dot(-normal) > ALIGNED);
    let face_b = b.face_along(normal).filter(|&f| b.normals[f].dot(normal) > ALIGNED);
    let (reference, other, face, toward) = match (face_a, face_b) {
        (Some(f), _) => (a, b, f, -normal),
        (None, Some(f)) => (b, a, f, normal),
        (None, None) => return f64::INFINITY,
    };
    load_incident(other, -toward, &mut buffer.polygon);
    let plane = reference.normals[face];
    let corners = reference.topology.face(face);
    for (k, &corner) in corners.iter().enumerate() {
        let (from, to) = (
            reference.vertices[corner as usize],
            reference.vertices[corners[(k + 1) % corners.len()] as usize],
        );
        clip_polygon(buffer, from, (to - from).cross(plane), k as u32 + 1);
        if buffer.polygon.is_empty() {
            return f64::INFINITY;
        }
    }
    let origin = reference.vertices[corners[0] as usize];
    let slope = plane.dot(toward).recip();
    let reference_is_a = std::ptr::eq(reference, a);
    let reach = a.radius + b.radius + margin;
    let mut smallest = f64::INFINITY;
    for vertex in &buffer.polygon {
        let gap = plane.dot(vertex.at - origin) * slope;
        if gap > reach {
            continue;
        }
        smallest = smallest.min(gap);
        let foot = vertex.at - toward * gap;
        let feature = feature_id(FeatureKind::Clip, face as u32, u32::from(reference_is_a), vertex.id);
        let (on_a, on_b) = if reference_is_a { (foot, vertex.at) } else { (vertex.at, foot) };
        out.push(contact_between(on_a, on_b, normal, a.radius, b.radius, feature));
    }
    smallest
}

/// A contact from two points of the cores that face each other along the normal.
pub(super) fn contact_between(
    core_a: DVec3,
    core_b: DVec3,
    normal: DVec3,
    radius_a: f64,
    radius_b: f64,
    feature: u64,
) -> ContactPoint {
    let depth = radius_a + radius_b - normal.dot(core_a - core_b);
    let point_world = ((core_a - normal * radius_a) + (core_b + normal * radius_b)) * 0.5;
    ContactPoint { point_world, normal_world: normal, depth, feature }
}

/// The face of a core most along `direction`, or all of a core without faces.
fn load_incident(core: &Polytope, direction: DVec3, polygon: &mut Vec<ClipVertex>) {
    polygon.clear();
    match core.face_along(direction) {
        Some(f) => polygon.extend(
            core.topology.face(f).iter().map(|&v| ClipVertex { at: core.vertices[v as usize], id: v << 6 }),
        ),
        None => polygon
            .extend(core.vertices.iter().enumerate().map(|(v, &at)| ClipVertex { at, id: (v as u32) << 6 })),
    }
}

/// Sutherland–Hodgman: keeps the part with `outward · (p - from) <= 0`.
fn clip_polygon(buffer: &mut ClipBuffer, from: DVec3, outward: DVec3, plane_id: u32) {
    let ClipBuffer { polygon, next } = buffer;
    next.clear();
    let n = polygon.len();
    let tolerance = 1e-12 * outward.length();
    let side = |v: &ClipVertex| outward.dot(v.at - from);
    for k in 0..n {
        let (p, q) = (polygon[k], polygon[(k + 1) % n]);
        let (sp, sq) = (side(&p), side(&q));
        if sp <= tolerance {
            next.push(p);
        }
        // A segment has one edge, not one there and one back.
        let closing_segment = n == 2 && k == 1;
        if !closing_segment && (sp > tolerance) != (sq > tolerance) {
            let at = p.at + (q.at - p.at) * (sp / (sp - sq));
            next.push(ClipVertex { at, id: (p.id & !63) | plane_id & 63 });
        }
    }
    std::mem::swap(polygon, next);
}
