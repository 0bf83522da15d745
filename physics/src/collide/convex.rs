//! Convex polytopes in general: separating axes, exact for overlap and for gaps alike.
//!
//! The separation along a face normal or along the cross product of two edges bounds the distance from below; the
//! largest of them is the distance (or, negative, the smallest way out) whenever the closest features are a face and
//! a corner, or two edges. Pairs of edges that form no face of the Minkowski difference are skipped by the Gauss-map
//! test (Gregorius 2013, "The Separating Axis Test between Convex Polyhedra"). What remains for cores that are apart,
//! a corner closest to an edge or corner, is looked for among the few features near the separating plane. No iteration,
//! hence nothing that fails to converge.

use glam::DVec3;

use super::clip::{self, Closest};
use super::narrow::NarrowScratch;
use super::polytope::{Polytope, in_arc};
use super::round::closest_parameters;
use crate::model::shape::Shape;
use crate::spatial::Transform;

/// Gaps below this are treated as touching: the direction between the closest points would be noise.
const TOUCHING: f64 = 1e-9;

/// The best separating axis and witnesses for it.
#[derive(Clone, Copy)]
pub(super) struct Axis {
    pub(super) closest: Closest,
    /// From two edges rather than a face; then the witnesses are the closest points of the edges.
    pub(super) from_edges: bool,
}

pub(super) fn collide(
    shape_a: &Shape,
    world_from_a: &Transform,
    shape_b: &Shape,
    world_from_b: &Transform,
    margin: f64,
    scratch: &mut NarrowScratch,
) {
    let NarrowScratch { candidates, polytope_a, polytope_b, clip: buffer, .. } = scratch;
    let (Some(a), Some(b)) =
        (polytope_a.place(shape_a, world_from_a), polytope_b.place(shape_b, world_from_b))
    else {
        return;
    };
    if let Some(axis) = separating_axis(&a, &b, a.radius + b.radius + margin) {
        contacts_along(&a, &b, &axis, margin, buffer, candidates);
    }
}

/// Contacts of two cores whose best separating axis is known.
pub(super) fn contacts_along(
    a: &Polytope,
    b: &Polytope,
    axis: &Axis,
    margin: f64,
    buffer: &mut clip::ClipBuffer,
    out: &mut Vec<super::ContactPoint>,
) {
    let separation = axis.closest.distance;
    let realised = separation <= TOUCHING
        || (axis.from_edges && axis.closest.on_a.distance(axis.closest.on_b) <= separation + TOUCHING);
    if realised {
        clip::flat_contacts(a, b, &axis.closest, margin, buffer, out);
        return;
    }
    let first = out.len();
    if !axis.from_edges
        && clip::clip_features(a, b, axis.closest.normal, margin, buffer, out) <= separation + TOUCHING
    {
        return;
    }
    out.truncate(first);
    let reach = a.radius + b.radius + margin;
    if let Some(closest) = closest_corner(a, b, axis, reach) {
        clip::flat_contacts(a, b, &closest, margin, buffer, out);
    }
}

/// The axis of largest separation; `None` if that is beyond `reach`.
fn separating_axis(a: &Polytope, b: &Polytope, reach: f64) -> Option<Axis> {
    let start =
        Closest { normal: DVec3::Z, distance: f64::NEG_INFINITY, on_a: DVec3::ZERO, on_b: DVec3::ZERO };
    let mut best = Axis { closest: start, from_edges: false };
    for (f, &normal) in a.normals.iter().enumerate() {
        let (on_b, separation) = face_separation(a, f, b);
        if separation > best.closest.distance {
            let on_a = on_b - normal * separation;
            best.closest = Closest { normal: -normal, distance: separation, on_a, on_b };
        }
    }
    for (f, &normal) in b.normals.iter().enumerate() {
        let (on_a, separation) = face_separation(b, f, a);
        if separation > best.closest.distance + TOUCHING {
            let on_b = on_a - normal * separation;
            best.closest = Closest { normal, distance: separation, on_a, on_b };
        }
    }
    if best.closest.distance > reach {
        return None;
    }
    for ea in 0..a.topology.edges.len() {
        for eb in 0..b.topology.edges.len() {
            if let Some(normal) = edge_axis(a, ea, b, eb) {
                let ([pa, qa], [pb, qb]) = (a.edge(ea), b.edge(eb));
                let separation = normal.dot(pa - pb);
                if separation > best.closest.distance + TOUCHING {
                    let (ha, hb) = ((qa - pa) * 0.5, (qb - pb) * 0.5);
                    let (s, t) = closest_parameters(pa + ha - pb - hb, ha, hb);
                    let (on_a, on_b) = (pa + ha * (1.0 + s), pb + hb * (1.0 + t));
                    best = Axis {
                        closest: Closest { normal, distance: separation, on_a, on_b },
                        from_edges: true,
                    };
                }
            }
        }
    }
    (best.closest.distance <= reach).then_some(best)
}

/// The corner of `other` deepest below face `f`, and its height over it.
fn face_separation(face_owner: &Polytope, f: usize, other: &Polytope) -> (DVec3, f64) {
    let normal = face_owner.normals[f];
    let offset = normal.dot(face_owner.vertices[face_owner.topology.face(f)[0] as usize]);
    let (mut lowest, mut corner) = (f64::INFINITY, DVec3::ZERO);
    for &v in other.vertices {
        let height = normal.dot(v);
        if height < lowest {
            (lowest, corner) = (height, v);
        }
    }
    (corner, lowest - offset)
}

/// The direction from B to A square to both edges, if their Gauss arcs cross (they form a face of A - B).
fn edge_axis(a: &Polytope, ea: usize, b: &Polytope, eb: usize) -> Option<DVec3> {
    let ([pa, qa], [pb, qb]) = (a.edge(ea), b.edge(eb));
    let (da, db) = (qa - pa, qb - pb);
    match (a.edge_normals(ea), b.edge_normals(eb)) {
        (Some([n1, n2]), Some([m1, m2])) => {
            // Arc n1-n2 of A against arc (-m1)-(-m2) of B; the arcs' planes are square to the edges.
            let (c, d) = (-m1, -m2);
            let (cba, dba) = (-c.dot(da), -d.dot(da));
            let (adc, bdc) = (-n1.dot(db), -n2.dot(db));
            if cba * dba >= 0.0 || adc * bdc >= 0.0 || cba * bdc <= 0.0 {
                return None;
            }
            let normal = unit_cross(da, db)?;
            Some(if normal.dot(n1 + n2) > 0.0 { -normal } else { normal })
        }
        (Some([n1, n2]), None) => {
            let normal = unit_cross(da, db)?;
            let outward = if normal.dot(n1 + n2) > 0.0 { normal } else { -normal };
            in_arc(outward, da, n1, n2, 0.0).then_some(-outward)
        }
        (None, Some([m1, m2])) => {
            let normal = unit_cross(da, db)?;
            let outward = if normal.dot(m1 + m2) > 0.0 { normal } else { -normal };
            in_arc(outward, db, m1, m2, 0.0).then_some(outward)
        }
        (None, None) => None,
    }
}

fn unit_cross(a: DVec3, b: DVec3) -> Option<DVec3> {
    let cross = a.cross(b);
    let length = cross.length();
    (length > 1e-8 * a.length() * b.length() && length > 0.0).then(|| cross / length)
}

/// The closest corner-edge or corner-corner pair of cores that are apart, near the separating plane.
fn closest_corner(a: &Polytope, b: &Polytope, axis: &Axis, reach: f64) -> Option<Closest> {
    let n = axis.closest.normal;
    let slack = reach - axis.closest.distance;
    let (low_a, high_b) = (a.extent(n)[0] + slack, b.extent(n)[1] - slack);
    let mut best = (reach, DVec3::ZERO, DVec3::ZERO);
    for &v in a.vertices.iter().filter(|v| n.dot(**v) <= low_a) {
        for e in 0..b.topology.edges.len() {
            let [p, q] = b.edge(e);
            if n.dot(p).max(n.dot(q)) >= high_b {
                let on_b = closest_on_segment(v, p, q);
                let distance = v.distance(on_b);
                if distance < best.0 {
                    best = (distance, v, on_b);
                }
            }
        }
    }
    for &v in b.vertices.iter().filter(|v| n.dot(**v) >= high_b) {
        for e in 0..a.topology.edges.len() {
            let [p, q] = a.edge(e);
            if n.dot(p).min(n.dot(q)) <= low_a {
                let on_a = closest_on_segment(v, p, q);
                let distance = v.distance(on_a);
                if distance < best.0 {
                    best = (distance, on_a, v);
                }
            }
        }
    }
    let (distance, on_a, on_b) = best;
    (distance < reach).then(|| Closest { normal: (on_a - on_b) / distance, distance, on_a, on_b })
}

/// The point of the segment p-q closest to `v`.
pub(super) fn closest_on_segment(v: DVec3, p: DVec3, q: DVec3) -> DVec3 {
    let along = q - p;
    let length_squared = along.length_squared();
    if length_squared <= 0.0 {
        return p;
    }
    p + along * ((v - p).dot(along) / length_squared).clamp(0.0, 1.0)
}
