//! Spheres and capsules with each other: closest points of two segments (Ericson 2005, 5.1.9).

use glam::DVec3;

use super::clip::contact_between;
use super::manifold::{ContactPoint, FeatureKind, feature_id};

/// Sine below which two segments count as parallel and touch along a line, at both ends of their overlap.
const PARALLEL: f64 = 0.02;

/// Two segments `center ± half_axis` (points if the axis is 0) grown by their radii.
pub(super) fn collide(
    center_a: DVec3,
    half_a: DVec3,
    radius_a: f64,
    center_b: DVec3,
    half_b: DVec3,
    radius_b: f64,
    margin: f64,
    out: &mut Vec<ContactPoint>,
) {
    let reach = radius_a + radius_b + margin;
    let (s, t) = closest_parameters(center_a - center_b, half_a, half_b);
    let (on_a, on_b) = (center_a + half_a * s, center_b + half_b * t);
    let offset = on_a - on_b;
    let distance_squared = offset.length_squared();
    if distance_squared > reach * reach {
        return;
    }
    let distance = distance_squared.sqrt();
    let normal = if distance > 1e-12 { offset / distance } else { any_normal(half_a, half_b) };
    let reach_along = |core_a: DVec3, core_b: DVec3| normal.dot(core_a - core_b) <= reach;
    let mut contact = |core_a: DVec3, core_b: DVec3, which: u32| {
        let feature = feature_id(FeatureKind::Corner, which, 0, 0);
        out.push(contact_between(core_a, core_b, normal, radius_a, radius_b, feature));
    };
    let Some([low, high]) = parallel_overlap(center_a - center_b, half_a, half_b) else {
        contact(on_a, on_b, 0);
        return;
    };
    // The end nearer to the closest pair is that pair; between crossing lines the gap along the normal is constant.
    for (which, end, other) in [(1, low, high), (2, high, low)] {
        let core_a = center_a + half_a * end;
        let t = ((core_a - center_b).dot(half_b) / half_b.length_squared()).clamp(-1.0, 1.0);
        let core_b = center_b + half_b * t;
        let nearer = (s - end).abs() <= (s - other).abs();
        if nearer && normal.dot(core_a - core_b) > distance + 1e-12 {
            contact(on_a, on_b, which);
        } else if reach_along(core_a, core_b) {
            contact(core_a, core_b, which);
        }
    }
}

/// Parameters in -1..=1 of the closest points of two segments; `offset` is from B's middle to A's.
pub(super) fn closest_parameters(offset: DVec3, half_a: DVec3, half_b: DVec3) -> (f64, f64) {
    let (a, b, e) = (half_a.length_squared(), half_a.dot(half_b), half_b.length_squared());
    let (c, f) = (half_a.dot(offset), half_b.dot(offset));
    let clamp = |x: f64| x.clamp(-1.0, 1.0);
    if a <= 0.0 {
        return (0.0, if e > 0.0 { clamp(f / e) } else { 0.0 });
    }
    if e <= 0.0 {
        return (clamp(-c / a), 0.0);
    }
    let determinant = a * e - b * b;
    let s = if determinant > 1e-14 * a * e { clamp((b * f - c * e) / determinant) } else { 0.0 };
    let t = (b * s + f) / e;
    if t.abs() <= 1.0 {
        return (s, t);
    }
    let t = clamp(t);
    (clamp((b * t - c) / a), t)
}

/// Parameters on A between which two nearly parallel segments lie side by side.
fn parallel_overlap(offset: DVec3, half_a: DVec3, half_b: DVec3) -> Option<[f64; 2]> {
    let (a, e) = (half_a.length_squared(), half_b.length_squared());
    if half_a.cross(half_b).length_squared() >= PARALLEL * PARALLEL * a * e || a <= 0.0 || e <= 0.0 {
        return None;
    }
    let (middle, half) = (-offset.dot(half_a) / a, (half_b.dot(half_a) / a).abs());
    let (low, high) = ((middle - half).max(-1.0), (middle + half).min(1.0));
    (high - low > 1e-6).then_some([low, high])
}

/// A direction square to both axes for cores that meet: the way out of crossing or coinciding capsules.
fn any_normal(half_a: DVec3, half_b: DVec3) -> DVec3 {
    let cross = half_a.cross(half_b).normalize_or_zero();
    if cross != DVec3::ZERO {
        return if cross.z < 0.0 { -cross } else { cross };
    }
    let axis = if half_a == DVec3::ZERO { half_b } else { half_a }.normalize_or_zero();
    (DVec3::Z - axis * axis.z).try_normalize().unwrap_or(DVec3::X)
}
