//! Rays against every shape and against a whole scene: picking and dragging.
//!
//! A ray hits a surface from its outside only; one that starts inside a shape passes out of it unseen.

use glam::DVec3;

use super::{ColliderId, Colliders};
use crate::model::shape::{Heightfield, Hull, Shape, TriangleMesh};
use crate::spatial::Transform;

/// A half line, or a piece of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it starts, world.
    pub origin: DVec3,
    /// Where it goes, world; any length but 0.
    pub direction: DVec3,
    /// How far it goes, metres; may be infinite.
    pub max_distance: f64,
}

/// The nearest surface a ray meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// What was hit.
    pub collider: ColliderId,
    /// Metres from the ray's origin.
    pub distance: f64,
    /// Where, world.
    pub point_world: DVec3,
    /// Outward unit normal there, world.
    pub normal_world: DVec3,
}

/// The nearest hit among the colliders that `accept` lets through; the first in the list of equally near ones.
///
/// `world_from_shape` holds the placement of every collider, as [`super::find_contacts`] leaves it in
/// [`super::Contacts`]. A ray without direction hits nothing.
///
/// # Panics
/// If there are fewer placements than colliders.
pub fn cast_ray(
    colliders: &Colliders,
    world_from_shape: &[Transform],
    ray: &Ray,
    accept: impl Fn(ColliderId) -> bool,
) -> Option<RayHit> {
    assert!(world_from_shape.len() >= colliders.list().len(), "one placement per collider");
    let mut best: Option<RayHit> = None;
    let mut ray = *ray;
    for (k, collider) in colliders.list().iter().enumerate() {
        let id = ColliderId(k as u32);
        if !accept(id) {
            continue;
        }
        if let Some((distance, normal_world)) = ray_shape(&collider.shape, &world_from_shape[k], &ray)
            && best.is_none_or(|hit| distance < hit.distance)
        {
            let point_world = ray.origin + ray.direction.normalize_or_zero() * distance;
            best = Some(RayHit { collider: id, distance, point_world, normal_world });
            ray.max_distance = distance;
        }
    }
    best
}

/// Distance in metres to a placed shape, and the outward unit normal there.
pub fn ray_shape(shape: &Shape, world_from_shape: &Transform, ray: &Ray) -> Option<(f64, DVec3)> {
    let direction = ray.direction.try_normalize()?;
    if !ray.origin.is_finite() || ray.max_distance.is_nan() {
        return None;
    }
    let o = world_from_shape.inverse_transform_point(ray.origin);
    let d = world_from_shape.inverse_transform_vector(direction);
    let hit = match shape {
        Shape::Sphere { radius } => ray_ball(o, d, *radius),
        Shape::Capsule { radius, half_length } => ray_capsule(o, d, DVec3::Z * *half_length, *radius),
        Shape::Box { half_extents, rounding } => ray_rounded_box(o, d, *half_extents, *rounding),
        Shape::Hull(hull) => ray_hull(o, d, hull),
        Shape::Plane => (o.z >= 0.0 && d.z < 0.0).then(|| (-o.z / d.z, DVec3::Z)),
        Shape::Heightfield(field) => ray_heightfield(o, d, ray.max_distance, field),
        Shape::Mesh(mesh) => ray_mesh(o, d, ray.max_distance, mesh),
    };
    let (distance, normal) = hit?;
    (distance <= ray.max_distance).then(|| (distance, world_from_shape.transform_vector(normal)))
}

/// First root of |o + t d|² = r² with the origin outside.
fn ray_ball(o: DVec3, d: DVec3, radius: f64) -> Option<(f64, DVec3)> {
    let (b, c) = (o.dot(d), o.length_squared() - radius * radius);
    if c < 0.0 || b > 0.0 {
        return None;
    }
    let discriminant = b * b - c;
    if discriminant < 0.0 {
        return None;
    }
    // -b - √(b² - c) without cancellation.
    let t = c / (-b + discriminant.sqrt());
    let t = if t.is_finite() { t } else { 0.0 };
    Some((t, (o + d * t) / radius))
}

/// Capsule about the origin whose segment ends at ± `half_axis`.
fn ray_capsule(o: DVec3, d: DVec3, half_axis: DVec3, radius: f64) -> Option<(f64, DVec3)> {
    let length_squared = half_axis.length_squared();
    if length_squared == 0.0 {
        return ray_ball(o, d, radius);
    }
    let nearest = half_axis * (o.dot(half_axis) / length_squared).clamp(-1.0, 1.0);
    if o.distance_squared(nearest) < radius * radius {
        return None;
    }
    let across = |v: DVec3| v - half_axis * (v.dot(half_axis) / length_squared);
    let (ou, du) = (across(o), across(d));
    let (a, b, c) = (du.length_squared(), ou.dot(du), ou.length_squared() - radius * radius);
    let mut best: Option<(f64, DVec3)> = None;
    let discriminant = b * b - a * c;
    if a > 0.0 && discriminant >= 0.0 {
        let t = (-b - discriminant.sqrt()) / a;
        let p = o + d * t;
        if t >= 0.0 && p.dot(half_axis).abs() <= length_squared {
            best = Some((t, across(p) / radius));
        }
    }
    for end in [-half_axis, half_axis] {
        best = nearer(best, ray_ball(o - end, d, radius));
    }
    best
}

/// The union of three boxes (the core grown along one axis each) and twelve capsules (its edges).
fn ray_rounded_box(o: DVec3, d: DVec3, half: DVec3, rounding: f64) -> Option<(f64, DVec3)> {
    if rounding == 0.0 {
        return ray_box(o, d, half);
    }
    let core = half - DVec3::splat(rounding);
    if o.distance_squared(o.clamp(-core, core)) < rounding * rounding {
        return None;
    }
    let mut best = None;
    for axis in 0..3 {
        let mut grown = core;
        grown[axis] = half[axis];
        best = nearer(best, ray_box(o, d, grown));
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let mut half_axis = DVec3::ZERO;
        half_axis[axis] = core[axis];
        for (su, sv) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            let mut middle = DVec3::ZERO;
            middle[u] = su * core[u];
            middle[v] = sv * core[v];
            best = nearer(best, ray_capsule(o - middle, d, half_axis, rounding));
        }
    }
    best
}

fn ray_box(o: DVec3, d: DVec3, half: DVec3) -> Option<(f64, DVec3)> {
    let (mut enter, mut leave, mut normal) = (f64::NEG_INFINITY, f64::INFINITY, DVec3::ZERO);
    for axis in 0..3 {
        if d[axis] == 0.0 {
            if o[axis].abs() > half[axis] {
                return None;
            }
            continue;
        }
        let side = d[axis].signum();
        let t = (-side * half[axis] - o[axis]) / d[axis];
        if t > enter {
            enter = t;
            normal = DVec3::AXES[axis] * -side;
        }
        leave = leave.min((side * half[axis] - o[axis]) / d[axis]);
    }
    (enter >= 0.0 && enter <= leave).then_some((enter, normal))
}

fn ray_hull(o: DVec3, d: DVec3, hull: &Hull) -> Option<(f64, DVec3)> {
    let (mut enter, mut leave, mut normal) = (f64::NEG_INFINITY, f64::INFINITY, DVec3::ZERO);
    for (face, n) in hull.faces().zip(hull.normals()) {
        let height = n.dot(o - hull.vertices()[face[0] as usize]);
        let rate = n.dot(d);
        if rate == 0.0 {
            if height > 0.0 {
                return None;
            }
        } else if rate < 0.0 {
            if -height / rate > enter {
                (enter, normal) = (-height / rate, *n);
            }
        } else {
            leave = leave.min(-height / rate);
        }
    }
    (enter >= 0.0 && enter <= leave).then_some((enter, normal))
}

/// Walks the cells under the ray in order (Amanatides, Woo 1987).
fn ray_heightfield(o: DVec3, d: DVec3, limit: f64, field: &Heightfield) -> Option<(f64, DVec3)> {
    let [hx, hy] = field.half_size();
    let [low, high] = field.height_range();
    let bounds = super::Aabb { min: DVec3::new(-hx, -hy, low), max: DVec3::new(hx, hy, high) };
    let bounds = bounds.grown(1e-9 * (hx + hy));
    let start = bounds.ray_entry(o, d.recip(), limit)?;
    let p = o + d * start;
    let spacing = field.spacing();
    let last = [field.columns() - 2, field.rows() - 2];
    let mut cell = [0_usize; 2];
    // Ray distance to the next cell border, and between borders, per axis.
    let (mut next, mut step) = ([f64::INFINITY; 2], [f64::INFINITY; 2]);
    for axis in 0..2 {
        let half = [hx, hy][axis];
        cell[axis] = (((p[axis] + half) / spacing).max(0.0) as usize).min(last[axis]);
        if d[axis] != 0.0 {
            let border = (cell[axis] + usize::from(d[axis] > 0.0)) as f64 * spacing - half;
            next[axis] = start + (border - p[axis]) / d[axis];
            step[axis] = spacing / d[axis].abs();
        }
    }
    loop {
        let mut best = None;
        for which in 0..2 {
            let normal = field.normal(cell[0], cell[1], which);
            best = nearer(best, ray_triangle(o, d, field.triangle(cell[0], cell[1], which), normal));
        }
        if best.is_some() {
            return best;
        }
        let axis = usize::from(next[1] < next[0]);
        if next[axis] > limit || !next[axis].is_finite() {
            return None;
        }
        next[axis] += step[axis];
        let moved = if d[axis] > 0.0 { Some(cell[axis] + 1) } else { cell[axis].checked_sub(1) };
        cell[axis] = moved.filter(|&c| c <= last[axis])?;
    }
}

fn ray_mesh(o: DVec3, d: DVec3, limit: f64, mesh: &TriangleMesh) -> Option<(f64, DVec3)> {
    let mut best: Option<(f64, DVec3)> = None;
    mesh.bvh().cast_ray(o, d, limit, |t, limit| {
        best = nearer(best, ray_triangle(o, d, mesh.corners(t), mesh.normal(t)));
        best.map_or(limit, |(distance, _)| distance)
    });
    best
}

/// A triangle from its front; corners and edges belong to it.
fn ray_triangle(o: DVec3, d: DVec3, corners: [DVec3; 3], normal: DVec3) -> Option<(f64, DVec3)> {
    let rate = normal.dot(d);
    let height = normal.dot(o - corners[0]);
    if rate >= 0.0 || height < 0.0 {
        return None;
    }
    let t = -height / rate;
    let p = o + d * t;
    for k in 0..3 {
        let along = corners[(k + 1) % 3] - corners[k];
        if normal.cross(along).dot(p - corners[k]) < -1e-12 * along.length_squared() {
            return None;
        }
    }
    Some((t, normal))
}

fn nearer(a: Option<(f64, DVec3)>, b: Option<(f64, DVec3)>) -> Option<(f64, DVec3)> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.0 < a.0 { b } else { a }),
        (a, b) => a.or(b),
    }
}
