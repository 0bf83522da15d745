//! Spheres and capsules with boxes.
//!
//! In the box's frame the squared distance from a point p(t) = m + t h of the segment to the box is
//! Σ (pᵢ - clamp(pᵢ))², convex and piecewise quadratic in t with breaks where a coordinate enters or leaves its slab.
//! Its derivative is piecewise linear and never falls, so the minimum lies between two neighbouring breaks and is
//! found exactly. Where the segment enters the box, the least separating axis takes over: the three face normals and
//! their cross products with the segment.

use glam::DVec3;

use super::clip::{self, Closest, contact_between};
use super::manifold::{ContactPoint, FeatureKind, feature_id};
use super::narrow::NarrowScratch;
use crate::spatial::Transform;

/// Box (A) of half extents `half` grown by `radius_a`, segment (B) `center ± half_axis` grown by `radius_b`.
pub(super) fn collide(
    world_from_box: &Transform,
    half: DVec3,
    radius_a: f64,
    center: DVec3,
    half_axis: DVec3,
    radius_b: f64,
    margin: f64,
    scratch: &mut NarrowScratch,
) {
    let m = world_from_box.inverse_transform_point(center);
    let h = world_from_box.inverse_transform_vector(half_axis);
    let reach = radius_a + radius_b + margin;
    if (m.abs() - h.abs() - half).max_element() > reach {
        return;
    }
    let t = closest_parameter(m, h, half);
    let p = m + h * t;
    let q = p.clamp(-half, half);
    let distance = p.distance(q);
    if distance > reach {
        return;
    }
    let (normal, distance, on_box, on_segment) =
        if distance > 1e-10 { ((q - p) / distance, distance, q, p) } else { least_overlap(m, h, half) };
    let closest = Closest {
        normal: world_from_box.transform_vector(normal),
        distance,
        on_a: world_from_box.transform_point(on_box),
        on_b: world_from_box.transform_point(on_segment),
    };
    if h == DVec3::ZERO {
        let feature = feature_id(FeatureKind::Corner, 0, 0, 0);
        scratch.candidates.push(contact_between(
            closest.on_a,
            closest.on_b,
            closest.normal,
            radius_a,
            radius_b,
            feature,
        ));
        return;
    }
    let NarrowScratch { candidates, polytope_a, polytope_b, clip: buffer, .. } = scratch;
    let first: usize = candidates.len();
    let a = polytope_a.place_box(world_from_box, half, radius_a);
    let b = polytope_b.place_segment(center, half_axis, radius_b);
    clip::flat_contacts(&a, &b, &closest, margin, buffer, candidates);
    thin_out(candidates, first);
}

/// A capsule needs two points: where the closest pair came third, it replaces its nearest neighbour.
fn thin_out(candidates: &mut Vec<ContactPoint>, first: usize) {
    if candidates.len() - first > 2
        && let Some(closest) = candidates.pop()
    {
        let away = |k: usize| candidates[k].point_world.distance_squared(closest.point_world);
        let nearest = if away(first) <= away(first + 1) { first } else { first + 1 };
        let feature = candidates[nearest].feature;
        candidates[nearest] = ContactPoint { feature, ..closest };
    }
}

/// Parameter in -1..=1 of the point of the segment `m + t h` closest to the box; the middle of an interval of them.
fn closest_parameter(m: DVec3, h: DVec3, half: DVec3) -> f64 {
    if h == DVec3::ZERO {
        return 0.0;
    }
    let slope = |t: f64| {
        let p = m + h * t;
        h.dot(p - p.clamp(-half, half))
    };
    let mut breaks = [-1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let mut n = 2;
    for axis in 0..3 {
        for side in [-half[axis], half[axis]] {
            let t = (side - m[axis]) / h[axis];
            if t.abs() < 1.0 {
                breaks[n] = t;
                n += 1;
            }
        }
    }
    breaks[..n].sort_unstable_by(f64::total_cmp);
    // Last break with a falling distance and first with a rising one; between them it is level or has its root.
    let (mut low, mut low_slope) = (-1.0, slope(-1.0));
    if low_slope > 0.0 {
        return -1.0;
    }
    let level = 1e-12 * h.length_squared();
    for &t in &breaks[1..n] {
        let s = slope(t);
        if s > level {
            return if low_slope < -level {
                low + (t - low) * (low_slope / (low_slope - s))
            } else {
                level_middle(&breaks[..n], low, slope, level)
            };
        }
        (low, low_slope) = (t, s);
    }
    if low_slope < -level { 1.0 } else { level_middle(&breaks[..n], 1.0, slope, level) }
}

/// Middle of the run of breaks with level distance that ends at `end`.
fn level_middle(breaks: &[f64], end: f64, slope: impl Fn(f64) -> f64, level: f64) -> f64 {
    let start = breaks.iter().copied().find(|&t| slope(t) >= -level).unwrap_or(end).min(end);
    0.5 * (start + end)
}

/// Segment and box overlap: shortest way to part them. Returns the normal (segment to box), the negative distance,
/// and a point of each.
fn least_overlap(m: DVec3, h: DVec3, half: DVec3) -> (DVec3, f64, DVec3, DVec3) {
    let mut best = (DVec3::Z, f64::NEG_INFINITY);
    for axis in 0..3 {
        // The segment leaves towards the side its middle is nearer to.
        let side = if m[axis] < 0.0 { -1.0 } else { 1.0 };
        let gap = m[axis].abs() - h[axis].abs() - half[axis];
        if gap > best.1 {
            best = (DVec3::AXES[axis] * side, gap);
        }
    }
    for axis in 0..3 {
        let cross = h.cross(DVec3::AXES[axis]);
        let length = cross.length();
        if length > 1e-9 * h.length() {
            let n = cross / length;
            let n = if n.dot(m) < 0.0 { -n } else { n };
            let gap = n.dot(m) - n.abs().dot(half);
            if gap > best.1 + 1e-9 {
                best = (n, gap);
            }
        }
    }
    let (out, gap) = best;
    // Witnesses: the end (or middle) of the segment deepest inside, and the box's surface straight above it.
    let along = h.dot(out);
    let t = if along.abs() <= 1e-12 { crossing_parameter(m, h, half, out) } else { -along.signum() };
    let p = m + h * t;
    (-out, gap, p - out * gap, p)
}

/// For an axis square to the segment: the parameter in the middle of the part of it that lies over the box.
fn crossing_parameter(m: DVec3, h: DVec3, half: DVec3, out: DVec3) -> f64 {
    let (mut low, mut high) = (-1.0_f64, 1.0_f64);
    for axis in 0..3 {
        if h[axis].abs() > 1e-12 && out[axis].abs() < 1.0 - 1e-9 {
            let (s, t) = ((-half[axis] - m[axis]) / h[axis], (half[axis] - m[axis]) / h[axis]);
            low = low.max(s.min(t));
            high = high.min(s.max(t));
        }
    }
    if low <= high { 0.5 * (low + high) } else { 0.0 }
}
