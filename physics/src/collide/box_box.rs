//! Boxes with boxes: the fifteen axes of two oriented boxes (Gottschalk, Lin, Manocha 1996), then the contacts along
//! the best of them as for any convex pair (`convex.rs`, which also gives the same answer the slow way).

use glam::DVec3;

use super::clip::Closest;
use super::convex::{self, Axis};
use super::narrow::NarrowScratch;
use super::round::closest_parameters;
use crate::spatial::Transform;

/// An axis from edges must beat one from faces by this much (m), so that rounding does not choose between them.
const PREFER_FACES: f64 = 1e-9;

pub(super) fn collide(
    world_from_a: &Transform,
    half_a: DVec3,
    radius_a: f64,
    world_from_b: &Transform,
    half_b: DVec3,
    radius_b: f64,
    margin: f64,
    scratch: &mut NarrowScratch,
) {
    let reach = radius_a + radius_b + margin;
    if let Some(axis) = separating_axis(world_from_a, half_a, world_from_b, half_b, reach) {
        let NarrowScratch { candidates, polytope_a, polytope_b, clip: buffer, .. } = scratch;
        let a = polytope_a.place_box(world_from_a, half_a, radius_a);
        let b = polytope_b.place_box(world_from_b, half_b, radius_b);
        convex::contacts_along(&a, &b, &axis, margin, buffer, candidates);
    }
}

/// The axis of largest separation; `None` if that is beyond `reach`.
fn separating_axis(
    world_from_a: &Transform,
    half_a: DVec3,
    world_from_b: &Transform,
    half_b: DVec3,
    reach: f64,
) -> Option<Axis> {
    // Everything in A's frame: `r` holds B's axes, `t` B's centre.
    let r = world_from_a.rotation.transpose() * world_from_b.rotation;
    let t = world_from_a.inverse_transform_point(world_from_b.translation);
    let size = r.abs();
    let mut best = (f64::NEG_INFINITY, DVec3::Z, None);
    let of_a = t.abs() - half_a - size * half_b;
    let of_b = (r.transpose() * t).abs() - half_b - size.transpose() * half_a;
    if of_a.max_element() > reach || of_b.max_element() > reach {
        return None;
    }
    for i in 0..3 {
        if of_a[i] > best.0 {
            best = (of_a[i], DVec3::AXES[i], None);
        }
    }
    for j in 0..3 {
        if of_b[j] > best.0 + PREFER_FACES {
            best = (of_b[j], r.col(j), None);
        }
    }
    for i in 0..3 {
        for j in 0..3 {
            let cross = DVec3::AXES[i].cross(r.col(j));
            let length = cross.length();
            if length > 1e-8 {
                let n = cross / length;
                let gap = t.dot(n).abs() - half_a.dot(n.abs()) - half_b.dot((r.transpose() * n).abs());
                if gap > best.0 + PREFER_FACES {
                    best = (gap, n, Some((i, j)));
                }
            }
        }
    }
    let (distance, n, edges) = best;
    if distance > reach {
        return None;
    }
    // From B to A.
    let n = if n.dot(t) > 0.0 { -n } else { n };
    let (on_a, on_b) = match edges {
        Some((i, j)) => {
            let (mid_a, along_a) = support_edge(half_a, -n, i);
            let (mid_b, along_b) = support_edge(half_b, r.transpose() * n, j);
            let (mid_b, along_b) = (t + r * mid_b, r * along_b);
            let (s, u) = closest_parameters(mid_a - mid_b, along_a, along_b);
            (mid_a + along_a * s, mid_b + along_b * u)
        }
        None => {
            // The deepest corner of B under A's face; or, as good, of A under B's: they differ by the separation.
            let corner = if of_a.max_element() >= distance {
                let on_b = t + r * (half_b * (r.transpose() * n).signum());
                (on_b + n * distance, on_b)
            } else {
                let on_a = half_a * (-n).signum();
                (on_a, on_a - n * distance)
            };
            (corner.0, corner.1)
        }
    };
    let closest = Closest {
        normal: world_from_a.transform_vector(n),
        distance,
        on_a: world_from_a.transform_point(on_a),
        on_b: world_from_a.transform_point(on_b),
    };
    Some(Axis { closest, from_edges: edges.is_some() })
}

/// Middle and half vector of the box edge along axis `axis` that lies farthest in `direction`.
fn support_edge(half: DVec3, direction: DVec3, axis: usize) -> (DVec3, DVec3) {
    let mut middle = half * direction.signum();
    middle[axis] = 0.0;
    (middle, DVec3::AXES[axis] * half[axis])
}
