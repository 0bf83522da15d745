//! Terrain and meshes: right depths, and no ghost contacts on inner edges.

use super::*;
use crate::model::shape::Heightfield;

fn terrain(field: Heightfield) -> Shape {
    Shape::Heightfield(std::sync::Arc::new(field))
}

fn flat_terrain() -> Shape {
    terrain(Heightfield::from_fn(21, 21, 0.2, |_, _| 0.0).unwrap())
}

/// The same flat ground as a mesh with alternating diagonals.
fn flat_mesh() -> Shape {
    let n = 21;
    let mut points = Vec::new();
    for j in 0..n {
        for i in 0..n {
            points.push(DVec3::new(f64::from(i) * 0.2 - 2.0, f64::from(j) * 0.2 - 2.0, 0.0));
        }
    }
    let mut triangles = Vec::new();
    for j in 0..n - 1 {
        for i in 0..n - 1 {
            let [a, b, c, d] =
                [j * n + i, j * n + i + 1, (j + 1) * n + i + 1, (j + 1) * n + i].map(|k| k as u32);
            if (i + j) % 2 == 0 {
                triangles.extend([[a, b, c], [a, c, d]]);
            } else {
                triangles.extend([[a, b, d], [b, c, d]]);
            }
        }
    }
    Shape::mesh(points, triangles).unwrap()
}

proptest! {
    #[test]
    fn flat_terrain_and_mesh_look_like_a_plane(shape in any_convex(), place in any_place(1.2), depth in -0.02..0.2_f64) {
        let ground = at(0.0, 0.0, 0.0);
        let mut place = place;
        // Put the lowest point `depth` under the ground.
        place.translation.z = 0.0;
        place.translation.z = -depth - shape.aabb(&place).unwrap().min.z;
        let want = collide(&shape, &place, &Shape::Plane, &ground, 0.03);
        for surface in [flat_terrain(), flat_mesh()] {
            let got = collide(&shape, &place, &surface, &ground, 0.03);
            let (w, g) = (want.deepest().unwrap(), got.deepest());
            // A mesh is a one-sided sheet: it holds what has its centre in front.
            let Some(g) = g else {
                prop_assert!(matches!(surface, Shape::Mesh(_)) && middle(&shape, &place).z < 0.0);
                continue;
            };
            for p in got.points() {
                prop_assert!(p.normal_world.distance(DVec3::Z) < 1e-6, "ghost normal {:?}", p);
            }
            if depth < 0.04 {
                prop_assert!((w.depth - g.depth).abs() < 1e-9, "{} instead of {}", g.depth, w.depth);
            }
        }
    }

    #[test]
    fn balls_on_rolling_terrain_are_as_deep_as_the_nearest_triangle(
        x in -1.5..1.5_f64, y in -1.5..1.5_f64, lift in -0.05..0.3_f64, radius in 0.05..0.3_f64,
    ) {
        let field = Heightfield::from_fn(31, 31, 0.15, |x, y| 0.2 * (2.1 * x).sin() * (1.7 * y).cos()).unwrap();
        let z = field.height_at(x, y).unwrap() + lift;
        let center = DVec3::new(x, y, z);
        let mut nearest = f64::INFINITY;
        for j in 0..30 {
            for i in 0..30 {
                for which in 0..2 {
                    nearest = nearest.min(triangle_distance(center, field.triangle(i, j, which)));
                }
            }
        }
        let m = collide(&sphere(radius), &Transform::from_translation(center), &terrain(field), &at(0.0, 0.0, 0.0), 0.01);
        if lift > 0.0 {
            match m.deepest() {
                Some(p) => prop_assert!((radius - nearest - p.depth).abs() < 1e-6, "{} {}", radius - nearest, p.depth),
                None => prop_assert!(nearest >= radius + 0.01 - 1e-9),
            }
        } else {
            // Below the surface: pushed up, and by enough to get the centre out.
            let p = m.deepest().unwrap();
            prop_assert!(p.normal_world.z > 0.5 && p.depth >= radius);
        }
    }

    #[test]
    fn nothing_sinks_into_rough_terrain_unnoticed(
        shape in any_convex(), place in any_place(1.0), seed in 0..50_u32,
    ) {
        // Rough: every sample its own height.
        let rough = |x: f64, y: f64| {
            0.08 * ((x * 12.9898 + y * 78.233 + f64::from(seed)).sin() * 43758.5453).fract()
        };
        let field = Heightfield::from_fn(21, 21, 0.25, rough).unwrap();
        let (surface, ground) = (terrain(field.clone()), at(0.0, 0.0, 0.0));
        // Lower the shape step by step until it first touches.
        let step = 0.002;
        let mut place = place;
        place.translation.z = 0.0;
        place.translation.z = 0.1 - shape.aabb(&place).unwrap().min.z;
        let depth = loop {
            let m = collide(&shape, &place, &surface, &ground, 0.0);
            // Two sides of a ridge may both speak up; the shallower one is the way out.
            if let Some(depth) = m.points().iter().map(|p| p.depth).reduce(f64::min) {
                break depth;
            }
            place.translation.z -= step;
            prop_assert!(place.translation.z > -2.0, "fell through");
        };
        prop_assert!(depth <= step, "first seen {depth} deep");
        // And at that moment no point of its surface is under the terrain by more than a step.
        for k in 0..400 {
            let a = f64::from(k) * 2.399963;
            let z = 1.0 - 2.0 * (f64::from(k) + 0.5) / 400.0;
            let r = (1.0 - z * z).sqrt();
            let p = place.transform_point(shape.support(DVec3::new(r * a.cos(), r * a.sin(), z)).unwrap());
            if let Some(height) = field.height_at(p.x, p.y) {
                prop_assert!(height - p.z <= step + 1e-9, "{p} is {} deep", height - p.z);
            }
        }
    }
}

/// Mean corner of a shape, world.
fn middle(shape: &Shape, world_from_shape: &Transform) -> DVec3 {
    match shape {
        Shape::Hull(h) => {
            let sum: DVec3 = h.vertices().iter().map(|v| world_from_shape.transform_point(*v)).sum();
            sum / h.vertices().len() as f64
        }
        _ => world_from_shape.translation,
    }
}

/// Distance from a point to a triangle, by the closest of its features.
fn triangle_distance(p: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    let n = (b - a).cross(c - a).normalize();
    let inside = [(a, b), (b, c), (c, a)].iter().all(|(u, v)| n.cross(*v - *u).dot(p - *u) >= 0.0);
    if inside {
        return n.dot(p - a).abs();
    }
    let segment = |u: DVec3, v: DVec3| p.distance(convex::closest_on_segment(p, u, v));
    segment(a, b).min(segment(b, c)).min(segment(c, a))
}

#[test]
fn sliding_over_tessellated_ground_never_sees_an_edge() {
    let ground = at(0.0, 0.0, 0.0);
    let shapes = [
        (sphere(0.1), at(0.0, 0.0, 0.099)),
        (capsule(0.1, 0.3), turned(DVec3::Y, std::f64::consts::FRAC_PI_2, 0.0, 0.0, 0.099)),
        (cuboid(0.15, 0.1, 0.1), at(0.0, 0.0, 0.099)),
        (rounded(0.15, 0.1, 0.1, 0.03), at(0.0, 0.0, 0.099)),
        (box_hull(0.15, 0.1, 0.1), at(0.0, 0.0, 0.099)),
    ];
    for surface in [flat_terrain(), flat_mesh()] {
        for (shape, start) in &shapes {
            let want = collide(shape, start, &Shape::Plane, &ground, 0.005);
            for k in 0..200 {
                let mut place = *start;
                place.translation += DVec3::new(0.0113, 0.0071, 0.0) * (f64::from(k) - 100.0);
                let m = collide(shape, &place, &surface, &ground, 0.005);
                assert_eq!(m.points().len(), want.points().len(), "{shape:?} step {k}");
                for (p, w) in m.points().iter().zip(want.points()) {
                    assert!(p.normal_world.distance(DVec3::Z) < 1e-12);
                    assert!((p.depth - 0.001).abs() < 1e-12);
                    assert_eq!(p.feature, w.feature, "named after the shape's own corner");
                }
            }
        }
    }
}

#[test]
fn a_ridge_under_a_capsule_and_a_peak_under_a_box_are_felt() {
    let ground = at(0.0, 0.0, 0.0);
    let ridge = terrain(Heightfield::from_fn(9, 9, 0.25, |x, _| if x == 0.0 { 0.5 } else { 0.0 }).unwrap());
    let across = turned(DVec3::Y, std::f64::consts::FRAC_PI_2, 0.05, 0.1, 0.59);
    let m = collide(&capsule(0.1, 0.4), &across, &ridge, &ground, 0.0);
    let p = m.deepest().unwrap();
    assert!((p.depth - 0.01).abs() < 1e-9 && p.normal_world.distance(DVec3::Z) < 1e-9, "{m:?}");
    assert!(p.point_world.x.abs() < 1e-9, "touches on the ridge");
    let bump = |x: f64, y: f64| if x == 0.0 && y == 0.0 { 0.5 } else { 0.0 };
    let peak = terrain(Heightfield::from_fn(9, 9, 0.25, bump).unwrap());
    for b in [cuboid(0.2, 0.2, 0.1), rounded(0.2, 0.2, 0.1, 0.05), box_hull(0.2, 0.2, 0.1)] {
        let m = collide(&b, &at(0.05, 0.02, 0.59), &peak, &ground, 0.0);
        let p = m.deepest().unwrap();
        assert!((p.depth - 0.01).abs() < 1e-9 && p.normal_world.distance(DVec3::Z) < 1e-9, "{m:?}");
    }
}

#[test]
fn deep_under_terrain_everything_is_pushed_up() {
    let ground = at(0.0, 0.0, 0.0);
    for shape in [sphere(0.1), capsule(0.1, 0.3), cuboid(0.1, 0.2, 0.1), box_hull(0.1, 0.1, 0.1)] {
        let m = collide(&shape, &at(0.3, 0.2, -5.0), &flat_terrain(), &ground, 0.0);
        let p = m.deepest().unwrap();
        assert!(p.normal_world.distance(DVec3::Z) < 1e-12 && p.depth > 5.0);
        // Beside the terrain there is nothing.
        assert!(collide(&shape, &at(9.0, 0.2, -5.0), &flat_terrain(), &ground, 0.0).points().is_empty());
    }
}

#[test]
fn a_ball_in_a_groove_touches_both_sides_with_names_of_their_own() {
    let groove = terrain(Heightfield::from_fn(9, 9, 0.5, |x, _| x.abs()).unwrap());
    let m = collide(&sphere(0.2), &at(0.0, 0.1, 0.28), &groove, &at(0.0, 0.0, 0.0), 0.0);
    assert_eq!(m.points().len(), 2, "{m:?}");
    assert_ne!(m.points()[0].feature, m.points()[1].feature);
    for p in m.points() {
        assert!((p.depth - (0.2 - 0.28 / 2.0_f64.sqrt())).abs() < 1e-9);
        assert!((p.normal_world.z - 0.5_f64.sqrt()).abs() < 1e-9);
    }
}

#[test]
fn a_closed_mesh_holds_shapes_out_on_every_side_and_not_from_behind_thin_walls() {
    let hull = Hull::from_box(DVec3::new(0.5, 0.5, 0.02)).unwrap();
    let triangles: Vec<[u32; 3]> =
        hull.faces().flat_map(|f| [[f[0], f[1], f[2]], [f[0], f[2], f[3]]]).collect();
    let slab = Shape::mesh(hull.vertices().to_vec(), triangles).unwrap();
    let o = at(0.0, 0.0, 0.0);
    for (z, up) in [(0.11, 1.0), (-0.11, -1.0)] {
        let m = collide(&sphere(0.1), &at(0.1, 0.0, z), &slab, &o, 0.0);
        assert_eq!(m.points().len(), 1, "{m:?}");
        assert!(m.points()[0].normal_world.distance(DVec3::Z * up) < 1e-9);
        assert!((m.points()[0].depth - 0.01).abs() < 1e-9);
    }
    // Over its rim: an edge contact, outwards.
    let m = collide(&sphere(0.1), &at(0.56, 0.0, 0.02 + 0.07), &slab, &o, 0.0);
    let d = DVec3::new(0.06, 0.0, 0.07);
    assert!(m.points()[0].normal_world.distance(d.normalize()) < 1e-9, "{m:?}");
    assert!((m.points()[0].depth - (0.1 - d.length())).abs() < 1e-9);
}

#[test]
fn a_face_on_a_ridge_touches_at_both_ends_of_its_way_whatever_it_leans() {
    // A roof along y, 3 degrees to each side; the box lies across it.
    let roof = terrain(Heightfield::from_fn(21, 21, 0.2, |x, _| -0.05 * x.abs()).unwrap());
    let mut first = None;
    for lean in [-0.02, -1e-6, 0.0, 1e-6, 0.02] {
        let place = turned(DVec3::X, lean, 0.03, 0.04, 0.1 - 1e-3);
        let m = collide(&cuboid(0.15, 0.1, 0.1), &place, &roof, &at(0.0, 0.0, 0.0), 0.005);
        let mut ridge: Vec<_> = m.points().iter().filter(|p| p.point_world.x.abs() < 1e-3).collect();
        ridge.sort_by(|p, q| p.point_world.y.total_cmp(&q.point_world.y));
        assert_eq!(ridge.len(), 2, "lean {lean}: {m:?}");
        assert!((ridge[0].point_world.y + 0.06).abs() < 3e-3 && (ridge[1].point_world.y - 0.14).abs() < 3e-3);
        let ids = [ridge[0].feature, ridge[1].feature];
        assert_eq!(*first.get_or_insert(ids), ids, "lean {lean}");
    }
}
