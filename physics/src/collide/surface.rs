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

use glam::{DMat3, DVec3};

use super::convex::contains;
use super::manifold::{ContactPoint, FeatureKind, feature_id};
use super::narrow::NarrowScratch;
use super::polytope::{Polytope, in_arc};
use super::round::closest_parameters;
use super::{mesh, terrain};
use crate::model::shape::Shape;
use crate::spatial::Transform;

/// Slack of the Voronoi tests, relative: neighbouring regions overlap a little rather than leave gaps.
pub(super) const SEAM: f64 = 1e-7;

/// Sine of the angle by which a face may lean and still lie flat on a convex edge: the edge then touches at both ends of
/// its way under the face, not at the lower one alone, which would change with the lean from step to step. As for flat
/// contacts of convex shapes, whose cosine is 0.99.
const FLAT: f64 = 0.14;

/// The triangles near a shape and what sticks out of them, in the surface's frame.
#[derive(Clone, Debug, Default)]
pub(super) struct Patch {
    pub(super) faces: Vec<PatchFace>,
    pub(super) edges: Vec<PatchEdge>,
    pub(super) peaks: Vec<PatchPeak>,
    /// Vectors from the peaks to their neighbours.
    pub(super) spokes: Vec<DVec3>,
}

/// Whether two edges form a face of the Minkowski difference on the surface's side: seen along a normal between the
/// surface edge's two, `n = ± half × along`, which lies in their arc exactly if `half` leads out of one face and into the
/// other:
///
/// ```text
/// (left × n) · along = ∓ |along|² half · left      (n × right) · along = ± |along|² half · right
/// ```
///
/// Two products in place of four crosses; with the slack of the arc it lets through a little more.
#[inline]
fn may_cross(edge: &PatchEdge, half: DVec3, slack: f64) -> bool {
    let (left, right) = (half.dot(edge.left), half.dot(edge.right));
    (left <= slack && right >= -slack) || (left >= -slack && right <= slack)
}

#[derive(Clone, Copy, Debug)]
pub(super) struct PatchFace {
    pub(super) corners: [DVec3; 3],
    pub(super) normal: DVec3,
    pub(super) id: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct PatchEdge {
    pub(super) from: DVec3,
    pub(super) to: DVec3,
    /// Normals on the left and right of the edge.
    pub(super) left: DVec3,
    pub(super) right: DVec3,
    pub(super) id: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct PatchPeak {
    pub(super) at: DVec3,
    pub(super) spokes: [u32; 2],
    pub(super) id: u32,
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
    // Most terrain is not turned.
    let turned = world_from_surface.rotation != DMat3::IDENTITY;
    let surface_from_shape = if turned {
        world_from_surface.inverse() * *world_from_shape
    } else {
        Transform {
            translation: world_from_shape.translation - world_from_surface.translation,
            ..*world_from_shape
        }
    };
    let Some(aabb) = shape.aabb(&surface_from_shape) else { return 0 };
    let aabb = aabb.grown(margin);
    let NarrowScratch { candidates, polytope_a, patch, .. } = scratch;
    let near = match surface {
        Shape::Heightfield(field) => {
            terrain::may_touch(field, &aabb, margin, |n| lowest(shape, &surface_from_shape, n))
        }
        Shape::Mesh(mesh) => mesh::gather(mesh, &aabb, patch),
        _ => false,
    };
    if !near {
        return 0;
    }
    let Some(core) = polytope_a.place(shape, &surface_from_shape) else { return 0 };
    let mut finder = Finder { core, margin, reach: core.radius + margin, out: candidates };
    match surface {
        Shape::Heightfield(field) => {
            terrain::find(&mut finder, field, &aabb, patch, |n| core_lowest(shape, &surface_from_shape, n));
        }
        Shape::Mesh(mesh) => mesh::find(&mut finder, mesh, patch),
        _ => return 0,
    }
    for c in candidates.iter_mut() {
        c.point_world = world_from_surface.transform_point(c.point_world);
        if turned {
            c.normal_world = world_from_surface.transform_vector(c.normal_world);
        }
    }
    match shape {
        Shape::Sphere { .. } | Shape::Capsule { .. } => 3,
        _ => super::MAX_POINTS,
    }
}

/// Least `n · p` of a bounded shape's points, for a unit vector.
#[inline]
fn lowest(shape: &Shape, a_from_shape: &Transform, n: DVec3) -> f64 {
    let radius = match shape {
        Shape::Sphere { radius } | Shape::Capsule { radius, .. } => *radius,
        Shape::Box { rounding, .. } => *rounding,
        _ => 0.0,
    };
    core_lowest(shape, a_from_shape, n) - radius
}

/// Least `n · p` of its core's points; for a hull no more than a bound.
#[inline]
fn core_lowest(shape: &Shape, a_from_shape: &Transform, n: DVec3) -> f64 {
    let r = &a_from_shape.rotation;
    let below = match shape {
        Shape::Sphere { .. } => 0.0,
        Shape::Capsule { half_length, .. } => half_length * n.dot(r.z_axis).abs(),
        Shape::Box { half_extents, rounding } => {
            let half = *half_extents - DVec3::splat(*rounding);
            half.x * n.dot(r.x_axis).abs() + half.y * n.dot(r.y_axis).abs() + half.z * n.dot(r.z_axis).abs()
        }
        _ => return f64::NEG_INFINITY,
    };
    n.dot(a_from_shape.translation) - below
}

impl Patch {
    pub(super) fn clear(&mut self) {
        self.faces.clear();
        self.edges.clear();
        self.peaks.clear();
        self.spokes.clear();
    }

    /// Vectors from a peak to its neighbours.
    pub(super) fn spokes_of(&self, peak: &PatchPeak) -> &[DVec3] {
        &self.spokes[peak.spokes[0] as usize..peak.spokes[1] as usize]
    }
}

/// Whether something lies wholly over one of an edge's two faces, so that it cannot cross the edge seen along any normal
/// of its arc; `lowest(n)` is its least `n · (p - from)`. Up to `thickness` deep the view may lean by the arc.
#[inline]
pub(super) fn beside(edge: &PatchEdge, thickness: f64, lowest: impl Fn(DVec3) -> f64) -> bool {
    let along = edge.to - edge.from;
    let bend = edge.left.dot(edge.right);
    let slack = || thickness * thickness * (1.0 - bend * bend) * along.length_squared();
    // Directions from the edge into its left and right face.
    let over = |into: DVec3| {
        let inside = lowest(into);
        inside > 0.0 && inside * inside > slack()
    };
    over(edge.left.cross(along)) || over(along.cross(edge.right))
}

/// Whether a unit direction makes no acute angle with any spoke.
fn in_cone(direction: DVec3, spokes: &[DVec3]) -> bool {
    spokes.iter().all(|s| {
        let along = s.dot(direction);
        along <= 0.0 || along * along <= SEAM * SEAM * s.length_squared()
    })
}

/// Looks for contacts of one core, feature by feature.
pub(super) struct Finder<'a> {
    pub(super) core: Polytope<'a>,
    margin: f64,
    /// Largest distance of the core that still counts.
    pub(super) reach: f64,
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

    /// A corner in front of (or behind) a face, `distance` along its normal.
    pub(super) fn corner_face(&mut self, k: u32, corner: DVec3, normal: DVec3, distance: f64, surface: u32) {
        self.push(corner, normal, distance, feature_id(FeatureKind::Corner, k, 0, surface));
    }

    /// A corner in the region of a convex edge.
    pub(super) fn corner_edge(&mut self, k: u32, corner: DVec3, edge: &PatchEdge) {
        let along = edge.to - edge.from;
        let t = (corner - edge.from).dot(along);
        let length_squared = along.length_squared();
        if !(0.0..=length_squared).contains(&t) {
            return;
        }
        let offset = corner - (edge.from + along * (t / length_squared));
        let distance_squared = offset.length_squared();
        if distance_squared <= self.reach * self.reach
            && distance_squared > 1e-18
            && !beside(edge, SEAM * self.reach, |n| n.dot(corner - edge.from))
        {
            let distance = distance_squared.sqrt();
            let normal = offset / distance;
            if in_arc(normal, along, edge.left, edge.right, SEAM * length_squared.sqrt()) {
                self.push(corner, normal, distance, feature_id(FeatureKind::Corner, k, 0, edge.id));
            }
        }
    }

    /// A corner in the region of a peak.
    pub(super) fn corner_peak(&mut self, k: u32, corner: DVec3, at: DVec3, spokes: &[DVec3], surface: u32) {
        let offset = corner - at;
        let distance = offset.length();
        if distance <= self.reach && distance > 1e-9 && in_cone(offset / distance, spokes) {
            let id = feature_id(FeatureKind::Corner, k, 0, surface);
            self.push(corner, offset / distance, distance, id);
        }
    }

    /// An edge of the core against convex edges and peaks; `is_inside` tells whether a point is in the surface's solid.
    pub(super) fn edge(&mut self, e: usize, patch: &Patch, is_inside: impl Fn(DVec3) -> bool) {
        let [p, q] = self.core.edge(e);
        let half = (q - p) * 0.5;
        if half == DVec3::ZERO {
            return;
        }
        let middle = p + half;
        // More than the half length times the seam: an upper bound will do.
        let slack = 2.0 * SEAM * half.abs().element_sum();
        let core = self.core;
        let faces_surface = |normal: DVec3, slack: f64| {
            let is_in = |[left, right]: [DVec3; 2]| in_arc(-normal, half, left, right, slack * half.length());
            core.edge_normals(e).is_none_or(is_in)
        };
        for edge in &patch.edges {
            if !may_cross(edge, half, slack)
                || beside(edge, self.core.thickness, |n| n.dot(middle - edge.from) - n.dot(half).abs())
            {
                continue;
            }
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
                || !faces_surface(normal, FLAT)
            {
                continue;
            }
            // Where the lines cross seen along the normal; ends belong to the corners.
            let lifted = middle - normal * distance;
            let (s, t) = closest_parameters(lifted - other, half, along);
            let (on_core, on_edge) = (lifted + half * s, other + along * t);
            let crossing = s.abs() < 1.0 && t.abs() < 1.0 && on_core.distance_squared(on_edge) < 1e-16;
            let on_core = on_core + normal * distance;
            // Overlap is real if one holds the other's point; else they are on far sides of something thin.
            let overlap = || (!core.normals.is_empty() && contains(&core, on_edge)) || is_inside(on_core);
            if crossing && (distance >= 0.0 || overlap()) {
                self.push(on_core, normal, distance, feature_id(FeatureKind::Edges, e as u32, 0, edge.id));
            }
        }
        for peak in &patch.peaks {
            let t = (peak.at - middle).dot(half) / half.length_squared();
            let on_core = middle + half * t;
            let distance = on_core.distance(peak.at);
            if t.abs() < 1.0 && distance <= self.reach && distance > 1e-9 {
                let normal = (on_core - peak.at) / distance;
                if in_cone(normal, patch.spokes_of(peak)) && faces_surface(normal, SEAM) {
                    let id = feature_id(FeatureKind::Edges, e as u32, 1, peak.id);
                    self.push(on_core, normal, distance, id);
                }
            }
        }
    }

    /// Peaks that poke into faces of the core: each against the face it is least deep under.
    pub(super) fn peaks_in_faces(&mut self, patch: &Patch) {
        for peak in &patch.peaks {
            let mut best: Option<(usize, f64)> = None;
            let mut highest = f64::NEG_INFINITY;
            for (f, normal) in self.core.normals.iter().enumerate() {
                let corner = self.core.vertices[self.core.topology.face(f)[0] as usize];
                let height = normal.dot(peak.at - corner);
                highest = highest.max(height);
                if best.is_none_or(|(_, most)| height > most) && in_cone(-*normal, patch.spokes_of(peak)) {
                    best = Some((f, height));
                }
            }
            if let Some((f, height)) = best
                // Under a face the peak must be inside; over it, no other face may be farther.
                && highest <= height.max(0.0) + 1e-9
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
