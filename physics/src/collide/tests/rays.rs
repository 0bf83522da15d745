//! Rays: a hit lies on the surface, with nothing of the shape before it.

use super::*;
use crate::model::shape::Heightfield;

fn ray(origin: [f64; 3], direction: [f64; 3]) -> Ray {
    Ray {
        origin: DVec3::from_array(origin),
        direction: DVec3::from_array(direction),
        max_distance: f64::INFINITY,
    }
}

#[test]
fn straight_down_on_everything() {
    let field = Heightfield::from_fn(11, 11, 0.5, |x, _| 0.5 * x).unwrap();
    let cases = [
        (sphere(0.3), 1.7),
        (capsule(0.1, 0.5), 1.4),
        (cuboid(0.3, 0.2, 0.4), 1.6),
        (rounded(0.3, 0.2, 0.4, 0.1), 1.6),
        (box_hull(0.3, 0.2, 0.4), 1.6),
        (Shape::Plane, 2.0),
        (Shape::Heightfield(field.into()), 2.0),
    ];
    for (shape, distance) in cases {
        let hit = ray_shape(&shape, &at(0.0, 0.0, 0.0), &ray([0.0, 0.0, 2.0], [0.0, 0.0, -3.0])).unwrap();
        assert!((hit.0 - distance).abs() < 1e-9, "{shape:?}: {hit:?}");
        assert!(hit.1.z > 0.8);
        // From inside, and pointing away: nothing.
        assert_eq!(ray_shape(&shape, &at(0.0, 0.0, 0.0), &ray([0.0, 0.0, -0.01], [0.0, 0.0, -1.0])), None);
        assert_eq!(ray_shape(&shape, &at(0.0, 0.0, 0.0), &ray([0.0, 0.0, 2.0], [0.0, 0.0, 1.0])), None);
        assert_eq!(ray_shape(&shape, &at(0.0, 0.0, 0.0), &ray([0.0, 0.0, 2.0], [0.0, 0.0, 0.0])), None);
    }
}

#[test]
fn the_nearest_collider_is_picked_and_filters_hold() {
    let list = vec![
        Collider::fixed(Transform::IDENTITY, Shape::Plane),
        Collider::on_body(BodyId::new(0), Transform::IDENTITY, sphere(0.2)),
        Collider::on_body(BodyId::new(1), Transform::IDENTITY, sphere(0.2)),
    ];
    let colliders = Colliders::new(list, &[]).unwrap();
    let mut contacts = Contacts::new();
    let poses = [at(0.0, 0.0, 1.0), at(0.0, 0.0, 2.0)];
    find_contacts(&colliders, |b| poses[b], &ContactOptions::default(), &mut contacts);
    let down = ray([0.05, 0.0, 5.0], [0.0, 0.0, -1.0]);
    let pick = |accept: &dyn Fn(ColliderId) -> bool| {
        cast_ray(&colliders, &contacts.world_from_shape, &down, accept).map(|hit| hit.collider.0)
    };
    assert_eq!(pick(&|_| true), Some(2));
    assert_eq!(pick(&|id| id.0 != 2), Some(1));
    assert_eq!(pick(&|id| id.0 == 0), Some(0));
    assert_eq!(pick(&|_| false), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2 * ProptestConfig::default().cases))]

    #[test]
    fn a_hit_is_on_the_surface_and_the_ray_is_outside_before_it(
        shape in any_convex(), place in any_place(0.5),
        from in prop::array::uniform3(-1.0..1.0_f64), aim in prop::array::uniform3(-0.3..0.3_f64),
    ) {
        let origin = DVec3::from_array(from).try_normalize().unwrap_or(DVec3::X) * 3.0;
        let target = place.translation + DVec3::from_array(aim);
        let ray = Ray { origin, direction: target - origin, max_distance: 10.0 };
        // A probe ball knows how deep its centre is: its depth less its radius.
        let probe = sphere(1e-3);
        let depth = |t: f64| {
            let center = Transform::from_translation(origin + (target - origin).normalize() * t);
            collide(&probe, &center, &shape, &place, 0.0).deepest().map_or(-1e-3, |p| p.depth - 1e-3)
        };
        let free = match ray_shape(&shape, &place, &ray) {
            Some((distance, normal)) => {
                prop_assert!(depth(distance).abs() < 1e-9, "{} off the surface", depth(distance));
                prop_assert!(normal.dot(ray.direction) <= 1e-12);
                prop_assert!((normal.length() - 1.0).abs() < 1e-9);
                distance
            }
            None => 6.0,
        };
        for k in 0..200 {
            let t = free * f64::from(k) / 200.0;
            prop_assert!(depth(t) < 1e-9, "inside at {t} of {free}");
        }
    }

    #[test]
    fn terrain_and_the_same_mesh_give_the_same_hit(
        origin in prop::array::uniform3(-2.0..2.0_f64), aim in prop::array::uniform2(-2.0..2.0_f64),
    ) {
        let field = Heightfield::from_fn(11, 11, 0.4, |x, y| 0.4 * (3.0 * x).sin() * (2.0 * y).cos()).unwrap();
        let points = (0..121).map(|k| field.sample(k % 11, k / 11)).collect();
        let mut triangles = Vec::new();
        for j in 0..10_u32 {
            for i in 0..10_u32 {
                let a = j * 11 + i;
                triangles.extend([[a, a + 1, a + 12], [a, a + 12, a + 11]]);
            }
        }
        let mesh = Shape::mesh(points, triangles).unwrap();
        let origin = DVec3::new(origin[0], origin[1], origin[2].abs() + 0.5);
        let ray = Ray { origin, direction: DVec3::new(aim[0], aim[1], -0.2) - origin, max_distance: f64::INFINITY };
        let place = turned(DVec3::X, 0.3, 0.1, 0.2, 0.3);
        let moved = Ray {
            origin: place.transform_point(origin), direction: place.transform_vector(ray.direction), ..ray
        };
        let (a, b) = (ray_shape(&Shape::Heightfield(field.into()), &place, &moved), ray_shape(&mesh, &place, &moved));
        match (a, b) {
            (Some(a), Some(b)) => prop_assert!((a.0 - b.0).abs() < 1e-9, "{a:?} {b:?}"),
            (a, b) => prop_assert_eq!(a, b),
        }
    }
}
