//! Each pair where the answer can be written down.

use super::*;

/// Expects `n` points, all along `normal`, the deepest `depth` deep.
fn check(manifold: &Manifold, n: usize, normal: DVec3, depth: f64) {
    assert_eq!(manifold.points().len(), n, "{manifold:?}");
    for p in manifold.points() {
        assert!(p.normal_world.distance(normal) < 1e-9, "{p:?} should point along {normal}");
    }
    let deepest = manifold.deepest().map(|p| p.depth);
    assert!(deepest.is_some_and(|d| (d - depth).abs() < 1e-9), "{deepest:?} should be {depth}");
}

#[test]
fn balls() {
    let m = collide(&sphere(0.5), &at(0.0, 0.0, 0.9), &sphere(0.5), &at(0.0, 0.0, 0.0), 0.0);
    check(&m, 1, DVec3::Z, 0.1);
    assert!(m.points()[0].point_world.distance(DVec3::new(0.0, 0.0, 0.45)) < 1e-12);
    let apart = collide(&sphere(0.5), &at(0.0, 0.0, 1.1), &sphere(0.5), &at(0.0, 0.0, 0.0), 0.05);
    assert!(apart.points().is_empty());
    // Within the margin a gap is a negative depth.
    let near = collide(&sphere(0.5), &at(0.0, 0.0, 1.1), &sphere(0.5), &at(0.0, 0.0, 0.0), 0.2);
    check(&near, 1, DVec3::Z, -0.1);
    // Concentric: some way out, as long as both radii.
    let same = collide(&sphere(0.5), &at(1.0, 0.0, 0.0), &sphere(0.3), &at(1.0, 0.0, 0.0), 0.0);
    assert!((same.points()[0].depth - 0.8).abs() < 1e-12);
}

#[test]
fn capsules() {
    let c = capsule(0.1, 0.5);
    // Crossed: one point. Parallel: two, at the ends of the overlap.
    let crossed =
        collide(&c, &turned(DVec3::X, 1.5, 0.0, 0.0, 0.0), &c, &turned(DVec3::Y, 1.5, 0.15, 0.0, 0.0), 0.0);
    assert_eq!(crossed.points().len(), 1);
    let side = collide(&c, &at(0.15, 0.0, 0.4), &c, &at(0.0, 0.0, 0.0), 0.0);
    check(&side, 2, DVec3::X, 0.05);
    let mut heights: Vec<f64> = side.points().iter().map(|p| p.point_world.z).collect();
    heights.sort_by(f64::total_cmp);
    assert!((heights[0] + 0.1).abs() < 1e-12 && (heights[1] - 0.5).abs() < 1e-12, "{heights:?}");
    // End to end on one line: one point between the caps.
    check(&collide(&c, &at(0.0, 0.0, 1.15), &c, &at(0.0, 0.0, 0.0), 0.0), 1, DVec3::Z, 0.05);
    check(&collide(&sphere(0.2), &at(0.25, 0.0, 0.3), &c, &at(0.0, 0.0, 0.0), 0.0), 1, DVec3::X, 0.05);
}

#[test]
fn all_on_a_plane() {
    let plane = Shape::Plane;
    let ground = at(0.0, 0.0, 0.0);
    check(&collide(&sphere(0.3), &at(1.0, 2.0, 0.25), &plane, &ground, 0.0), 1, DVec3::Z, 0.05);
    let lying = turned(DVec3::X, std::f64::consts::FRAC_PI_2, 0.0, 0.0, 0.09);
    check(&collide(&capsule(0.1, 0.4), &lying, &plane, &ground, 0.0), 2, DVec3::Z, 0.01);
    let m = collide(&rounded(0.3, 0.2, 0.1, 0.02), &at(0.0, 0.0, 0.095), &plane, &ground, 0.0);
    check(&m, 4, DVec3::Z, 0.005);
    for p in m.points() {
        let corner = DVec3::new(0.28, 0.18, 0.0);
        assert!((p.point_world.abs() - corner).truncate().length() < 1e-12);
        assert!((p.point_world.z + 0.0025).abs() < 1e-12, "midway between the surfaces");
    }
    check(&collide(&box_hull(0.3, 0.2, 0.1), &at(0.0, 0.0, 0.095), &plane, &ground, 0.0), 4, DVec3::Z, 0.005);
    // On an incline, and with the plane first.
    let slope = turned(DVec3::Y, 0.3, 0.0, 0.0, 1.0);
    let up = slope.transform_vector(DVec3::Z);
    let ball = Transform::from_translation(slope.translation + up * 0.2);
    check(&collide(&sphere(0.3), &ball, &plane, &slope, 0.0), 1, up, 0.1);
    check(&collide(&plane, &slope, &sphere(0.3), &ball, 0.0), 1, -up, 0.1);
}

#[test]
fn round_shapes_on_boxes() {
    let b = cuboid(0.5, 0.4, 0.3);
    let o = at(0.0, 0.0, 0.0);
    check(&collide(&sphere(0.2), &at(0.1, 0.1, 0.45), &b, &o, 0.0), 1, DVec3::Z, 0.05);
    // Over a corner, along the diagonal.
    let diagonal = DVec3::ONE.normalize();
    let corner = Transform::from_translation(DVec3::new(0.5, 0.4, 0.3) + diagonal * 0.15);
    check(&collide(&sphere(0.2), &corner, &b, &o, 0.0), 1, diagonal, 0.05);
    // Centre inside: out by the nearest face.
    check(&collide(&sphere(0.2), &at(0.0, 0.0, 0.25), &b, &o, 0.0), 1, DVec3::Z, 0.25);
    // Lying on the top face, sticking out on one side.
    let lying = turned(DVec3::Y, std::f64::consts::FRAC_PI_2, 0.3, 0.0, 0.39);
    let m = collide(&capsule(0.1, 0.4), &lying, &b, &o, 0.0);
    check(&m, 2, DVec3::Z, 0.01);
    let mut xs: Vec<f64> = m.points().iter().map(|p| p.point_world.x).collect();
    xs.sort_by(f64::total_cmp);
    assert!((xs[0] + 0.1).abs() < 1e-9 && (xs[1] - 0.5).abs() < 1e-9, "{xs:?}");
    // Driven right through: still out by the nearest side.
    let through = collide(&capsule(0.1, 2.0), &at(0.35, 0.0, 0.0), &b, &o, 0.0);
    assert!((through.deepest().unwrap().depth - 0.25).abs() < 1e-9);
    assert!(through.points()[0].normal_world.distance(DVec3::X) < 1e-9);
    // Rounding counts to the outside.
    check(
        &collide(&sphere(0.2), &at(0.0, 0.0, 0.45), &rounded(0.5, 0.4, 0.3, 0.1), &o, 0.0),
        1,
        DVec3::Z,
        0.05,
    );
}

#[test]
fn boxes_on_boxes_and_hulls_agree() {
    let o = at(0.0, 0.0, 0.0);
    for (a, b) in [
        (cuboid(0.5, 0.4, 0.3), cuboid(0.3, 0.3, 0.2)),
        (box_hull(0.5, 0.4, 0.3), box_hull(0.3, 0.3, 0.2)),
        (rounded(0.5, 0.4, 0.3, 0.05), box_hull(0.3, 0.3, 0.2)),
        (rounded(0.5, 0.4, 0.3, 0.05), rounded(0.3, 0.3, 0.2, 0.1)),
    ] {
        let m = collide(&b, &at(0.1, 0.0, 0.49), &a, &o, 0.0);
        check(&m, 4, DVec3::Z, 0.01);
        let m = collide(&b, &at(0.1, 0.0, 0.51), &a, &o, 0.02);
        check(&m, 4, DVec3::Z, -0.01);
        // A quarter turn about the vertical plus 45 degrees: an octagon reduced to four.
        let m = collide(&b, &turned(DVec3::Z, 0.785, 0.0, 0.0, 0.49), &a, &o, 0.0);
        check(&m, 4, DVec3::Z, 0.01);
    }
}

#[test]
fn crossed_box_edges_touch_in_one_point() {
    let beam = cuboid(1.0, 0.1, 0.1);
    let quarter = std::f64::consts::FRAC_PI_4;
    let lower = turned(DVec3::X, quarter, 0.0, 0.0, 0.0);
    let upper = Transform::from_quaternion(
        DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2) * DQuat::from_rotation_x(quarter),
        DVec3::new(0.0, 0.0, 0.2 * 2.0_f64.sqrt() - 0.01),
    );
    for beam in [beam, box_hull(1.0, 0.1, 0.1)] {
        let m = collide(&beam, &upper, &beam, &lower, 0.0);
        check(&m, 1, DVec3::Z, 0.01);
        assert!(m.points()[0].point_world.truncate().length() < 1e-9);
    }
}

#[test]
fn a_corner_over_an_edge_is_as_far_as_the_closest_points() {
    // Separating axes alone would say less: the closest features are a corner and an edge.
    let o = at(0.0, 0.0, 0.0);
    for (a, b) in
        [(cuboid(0.2, 0.2, 0.2), cuboid(1.0, 1.0, 1.0)), (box_hull(0.2, 0.2, 0.2), box_hull(1.0, 1.0, 1.0))]
    {
        let m = collide(&a, &at(1.23, 0.0, 1.24), &b, &o, 0.1);
        check(&m, 1, DVec3::new(0.6, 0.0, 0.8), -0.05);
    }
}

#[test]
fn feature_ids_stay_while_a_box_slides() {
    let (a, b) = (cuboid(0.2, 0.2, 0.2), cuboid(1.0, 1.0, 0.1));
    let ids = |x: f64, tilt: f64| {
        let m = collide(&a, &turned(DVec3::Y, tilt, x, 0.0, 0.299), &b, &at(0.0, 0.0, 0.0), 0.01);
        let mut ids: Vec<u64> = m.points().iter().map(|p| p.feature).collect();
        ids.sort_unstable();
        ids
    };
    let first = ids(0.0, 0.0);
    assert_eq!(first.len(), 4);
    for k in 1..10 {
        assert_eq!(ids(0.03 * f64::from(k), 1e-4 * f64::from(k - 5)), first);
    }
    for k in 0..4 {
        assert!(!first[..k].contains(&first[k]), "unique in the manifold");
    }
}
