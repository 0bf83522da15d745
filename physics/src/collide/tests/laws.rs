//! Laws every pair of convex shapes obeys.

use super::*;

/// Margin of these tests: wide, so that gaps are covered as well as overlaps.
const MARGIN: f64 = 0.1;

fn distance_to_core(shape: &Shape, world_from_shape: &Transform, point: DVec3) -> f64 {
    let p = world_from_shape.inverse_transform_point(point);
    match shape {
        Shape::Sphere { radius } => p.length() - radius,
        Shape::Capsule { radius, half_length } => {
            p.distance(DVec3::Z * p.z.clamp(-half_length, *half_length)) - radius
        }
        Shape::Box { half_extents, rounding } => {
            let core = *half_extents - DVec3::splat(*rounding);
            let outside = p.distance(p.clamp(-core, core));
            if outside > 0.0 { outside - rounding } else { (p.abs() - core).max_element() - rounding }
        }
        // A lower bound for hulls: the largest height over a face.
        Shape::Hull(hull) => {
            let heights = hull.faces().zip(hull.normals());
            heights.map(|(f, n)| n.dot(p - hull.vertices()[f[0] as usize])).fold(f64::NEG_INFINITY, f64::max)
        }
        _ => unreachable!("convex shapes only"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2 * ProptestConfig::default().cases))]

    #[test]
    fn exchanging_the_two_only_turns_the_normal(
        a in any_convex(), b in any_convex(), place_a in any_place(0.4), place_b in any_place(0.4),
    ) {
        let (ab, ba) = (collide(&a, &place_a, &b, &place_b, MARGIN), collide(&b, &place_b, &a, &place_a, MARGIN));
        match (ab.deepest(), ba.deepest()) {
            (Some(p), Some(q)) => {
                prop_assert!((p.depth - q.depth).abs() < 1e-7, "{p:?} {q:?}");
            }
            (p, q) => {
                // On the rim of the margin rounding decides.
                let rim = p.or(q).map_or(-MARGIN, |c| c.depth);
                prop_assert!((rim + MARGIN).abs() < 1e-9, "{p:?} {q:?}");
            }
        }
    }

    #[test]
    fn moving_both_moves_the_contacts_along(
        a in any_convex(), b in any_convex(), place_a in any_place(0.4), place_b in any_place(0.4),
        world in any_place(5.0),
    ) {
        let here = collide(&a, &place_a, &b, &place_b, MARGIN);
        let there = collide(&a, &(world * place_a), &b, &(world * place_b), MARGIN);
        match (here.deepest(), there.deepest()) {
            (Some(p), Some(q)) => prop_assert!((p.depth - q.depth).abs() < 1e-7, "{p:?} {q:?}"),
            (p, q) => {
                let rim = p.or(q).map_or(-MARGIN, |c| c.depth);
                prop_assert!((rim + MARGIN).abs() < 1e-9, "{p:?} {q:?}");
            }
        }
    }

    #[test]
    fn moving_out_along_the_normal_by_the_depth_just_parts_them(
        a in any_convex(), b in any_convex(), place_a in any_place(0.3), place_b in any_place(0.3),
    ) {
        let m = collide(&a, &place_a, &b, &place_b, MARGIN);
        if let Some(p) = m.deepest() {
            let mut moved = place_a;
            moved.translation += p.normal_world * (p.depth + 1e-6);
            let apart = collide(&a, &moved, &b, &place_b, MARGIN);
            let gap = apart.deepest().map_or(-1.0, |q| q.depth);
            prop_assert!((gap + 1e-6).abs() < 1e-7, "left {gap} after moving {p:?}");
        }
    }

    #[test]
    fn contact_points_lie_on_both_shapes(
        a in any_convex(), b in any_convex(), place_a in any_place(0.4), place_b in any_place(0.4),
    ) {
        let m = collide(&a, &place_a, &b, &place_b, MARGIN);
        for p in m.points() {
            prop_assert!((p.normal_world.length() - 1.0).abs() < 1e-9);
            prop_assert!(p.depth >= -MARGIN - 1e-9);
            // Where they overlap, each surface point lies in the other shape as well as on its own.
            let (on_a, on_b) = (distance_to_core(&a, &place_a, p.on_a()), distance_to_core(&b, &place_b, p.on_b()));
            // Nearly parallel capsules share one normal, so their points face each other only to 0.02 rad.
            let capsules = matches!((&a, &b), (Shape::Capsule { .. }, Shape::Capsule { .. }));
            // Axes within 1e-9 m of the best count as equal; their witnesses are off by √(2 depth 1e-9) at most.
            let tolerance = if capsules { 3e-4 } else { 1e-9 + (2e-9 * p.depth.abs()).sqrt() };
            prop_assert!(on_a < tolerance && on_b < tolerance, "{on_a} {on_b} off at {p:?}");
        }
    }

    #[test]
    fn the_box_path_agrees_with_the_polytope_path(
        half_a in prop::array::uniform3(0.05..0.4_f64), half_b in prop::array::uniform3(0.05..0.4_f64),
        place_a in any_place(0.4), place_b in any_place(0.4),
    ) {
        let ([ax, ay, az], [bx, by, bz]) = (half_a, half_b);
        let fast = collide(&cuboid(ax, ay, az), &place_a, &cuboid(bx, by, bz), &place_b, MARGIN);
        let slow = collide(&box_hull(ax, ay, az), &place_a, &box_hull(bx, by, bz), &place_b, MARGIN);
        match (fast.deepest(), slow.deepest()) {
            (Some(p), Some(q)) => prop_assert!((p.depth - q.depth).abs() < 1e-7, "{p:?} {q:?}"),
            (p, q) => {
                let rim = p.or(q).map_or(-MARGIN, |c| c.depth);
                prop_assert!((rim + MARGIN).abs() < 1e-9, "{p:?} {q:?}");
            }
        }
    }
}
