//! Contacts must be known before they overlap: what is looked for ahead, and which points are kept of what is found.

use super::super::ahead::{Sweep, core_span};
use super::*;
use crate::spatial::{Inertia, Motion};
use crate::{Actuation, BodySpec, Data, Joint, Model, ShapeSpec, State, StepOptions, advance, observe};

const STEP: f64 = 1.0 / 120.0;

/// Contacts of one shape on body 0 with the ground, its body moving at `velocity` for a step.
fn on_ground(shape: Shape, world_from_body: Transform, placed: Transform, velocity: Motion) -> Contacts {
    let list = vec![
        Collider::on_body(BodyId::new(0), placed, shape),
        Collider::fixed(Transform::IDENTITY, Shape::Plane),
    ];
    let colliders = Colliders::new(list, &[]).unwrap();
    let mut contacts = Contacts::new();
    let travel = |_| Travel { way: velocity * STEP, more: 0.0 };
    let options = ContactOptions { margin: 0.001 };
    find_contacts_ahead(&colliders, |_| world_from_body, travel, &options, None, &mut contacts);
    contacts
}

#[test]
fn a_fast_spinning_capsule_shows_its_end_before_it_is_in() {
    // A limb hung by one end, level, turning down at 30 rad/s about an origin that rests.
    let limb = capsule(0.05, 0.2);
    let placed = turned(DVec3::Y, std::f64::consts::FRAC_PI_2, 0.2, 0.0, 0.0);
    let spin = 30.0;
    let mut seen = false;
    for k in 0..120 {
        // Fine steps of the angle, so that the first overlap comes from every phase within a step.
        let tilt = 0.01 * f64::from(k);
        let body = turned(DVec3::Y, tilt, 0.0, 0.0, 0.3);
        let velocity = Motion::new(DVec3::Y * spin, DVec3::ZERO);
        let low = |tilt: f64| 0.3 - 0.4 * tilt.sin() - 0.05;
        let contacts = on_ground(limb.clone(), body, placed, velocity);
        if low(tilt) > 0.0 && low(tilt + spin * STEP) < 0.0 {
            let found = contacts.manifolds.first().and_then(|m| m.deepest());
            assert!(found.is_some_and(|p| p.depth < 0.0 && p.point_world.x > 0.2), "tilt {tilt}: {found:?}");
            seen = true;
        }
    }
    assert!(seen);
}

#[test]
fn turning_a_ball_moves_its_surface_nowhere_but_carries_one_that_sits_off_centre() {
    let spin = Motion::new(DVec3::Y * 10.0, DVec3::ZERO);
    let centred = on_ground(sphere(0.1), at(0.0, 0.0, 0.12), Transform::IDENTITY, spin);
    assert!(centred.manifolds.is_empty());
    let aside = on_ground(sphere(0.1), at(0.0, 0.0, 0.12), at(0.3, 0.0, 0.0), spin);
    assert_eq!(aside.manifolds.len(), 1);
}

#[test]
fn a_point_that_is_leaving_is_seen_because_a_blow_may_turn_it_round() {
    let up = Motion::new(DVec3::ZERO, DVec3::Z * 4.0);
    let contacts = on_ground(sphere(0.1), at(0.0, 0.0, 0.13), Transform::IDENTITY, up);
    assert_eq!(contacts.manifolds.len(), 1, "33 mm may be closed at that speed");
    let far = on_ground(sphere(0.1), at(0.0, 0.0, 0.14), Transform::IDENTITY, up);
    assert!(far.manifolds.is_empty());
}

#[test]
fn limbs_that_fly_together_close_no_more_than_the_faster_keeps() {
    let list = (0..2).map(|k| Collider::on_body(BodyId::new(k), Transform::IDENTITY, sphere(0.1))).collect();
    let colliders = Colliders::new(list, &[]).unwrap();
    let n = |gap: f64, speeds: [f64; 2]| {
        let mut contacts = Contacts::new();
        let travel =
            |b: BodyId| Travel { way: Motion::new(DVec3::ZERO, DVec3::X * speeds[b] * STEP), more: 0.0 };
        let place = |b: BodyId| at(b.index() as f64 * (0.2 + gap), 0.0, 0.0);
        find_contacts_ahead(&colliders, place, travel, &ContactOptions { margin: 0.0 }, None, &mut contacts);
        contacts.manifolds.len()
    };
    // 4.8 m/s are 40 mm in a step.
    assert_eq!([n(0.039, [4.8, 4.8]), n(0.041, [4.8, 4.8])], [1, 0], "one stopped, the other not");
    assert_eq!([n(0.079, [4.8, -4.8]), n(0.081, [4.8, -4.8])], [1, 0], "towards each other");
}

#[test]
fn a_resting_box_shows_its_four_lower_corners_however_wide_the_margin() {
    for (x, y, z) in [(0.3, 0.2, 0.1), (0.05, 0.05, 0.05), (0.02, 0.03, 0.06), (0.13, 0.045, 0.03)] {
        for margin in [0.005, 0.05, 0.2] {
            for surface in [Shape::Plane, cuboid(1.0, 1.0, 0.5)] {
                let lift = if surface == Shape::Plane { 0.0 } else { 0.5 };
                let place = turned(DVec3::Z, 0.3, 0.0, 0.0, z + lift - 1e-4);
                let m = collide(&cuboid(x, y, z), &place, &surface, &at(0.0, 0.0, 0.0), margin);
                assert_eq!(m.points().len(), 4);
                for p in m.points() {
                    assert!((p.depth - 1e-4).abs() < 1e-9, "{x} {y} {z}, margin {margin}: {p:?}");
                }
            }
        }
    }
}

#[test]
fn a_box_about_to_land_tilted_shows_its_near_corners() {
    let half = DVec3::new(0.13, 0.045, 0.03);
    let shape = cuboid(half.x, half.y, half.z);
    for (axis, tilt) in [(DVec3::Y, 0.3), (DVec3::X, 0.4), (DVec3::new(1.0, 2.0, 0.5), 0.5)] {
        let mut place = turned(axis, tilt, 0.0, 0.0, 0.0);
        place.translation.z = 0.02 - shape.aabb(&place).unwrap().min.z;
        let mut heights: Vec<f64> =
            (0..8).map(|k| place.transform_point(polytope::box_corner(half, k)).z).collect();
        heights.sort_by(f64::total_cmp);
        // Falling at 18 m/s, all eight are within reach.
        let m = collide(&shape, &place, &Shape::Plane, &at(0.0, 0.0, 0.0), 0.15);
        let gaps: Vec<f64> = m.points().iter().map(|p| -p.depth).collect();
        assert_eq!(gaps.len(), 4);
        let shown = |height: f64| gaps.iter().any(|g| (g - height).abs() < 1e-9);
        assert!(shown(heights[0]) && shown(heights[1]), "{axis} {tilt}: {gaps:?} of {heights:?}");
        assert!(gaps.iter().all(|&g| g <= heights[5]), "{axis} {tilt}: {gaps:?} of {heights:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.min(64)))]

    #[test]
    fn no_point_of_a_shape_goes_farther_than_its_reach(
        shape in any_convex(), body in any_place(0.5), placed in any_place(0.5),
        spin in prop::array::uniform3(-40.0..40.0_f64), speed in prop::array::uniform3(-5.0..5.0_f64),
        side in prop::array::uniform3(-1.0..1.0_f64),
    ) {
        let (spin, speed) = (DVec3::from_array(spin), DVec3::from_array(speed));
        let travel = Travel { way: Motion::new(spin, speed) * STEP, more: 0.0 };
        let arm = body.transform_vector(placed.translation);
        let reach = travel.sweep(arm, core_span(&shape)).reach;
        // Support along a fixed direction before and after: how far the surface comes that way.
        let direction = DVec3::from_array(side).try_normalize().unwrap_or(DVec3::Z);
        let turn = DQuat::from_scaled_axis(spin * STEP);
        let after = Transform::from_quaternion(turn * body.quaternion(), body.translation + speed * STEP);
        let extent = |world_from_body: Transform| {
            let place = world_from_body * placed;
            let local = place.inverse_transform_vector(direction);
            place.transform_point(shape.support(local).unwrap()).dot(direction)
        };
        // To second order of the turn: the arm bends inwards.
        let bend = 0.5 * (spin.length() * STEP).powi(2) * arm.length();
        prop_assert!(extent(after) - extent(body) <= reach + bend + 1e-9);
    }

    #[test]
    fn the_broad_phase_misses_no_pair_that_may_close(
        poses in prop::collection::vec(any_place(0.8), 8),
        ways in prop::collection::vec(prop::array::uniform6(-0.15..0.15_f64), 8),
    ) {
        let shapes = [sphere(0.1), capsule(0.05, 0.2), cuboid(0.1, 0.2, 0.05), box_hull(0.1, 0.1, 0.2)];
        let list: Vec<Collider> = (0..8)
            .map(|k| Collider::on_body(BodyId::new(k), Transform::IDENTITY, shapes[k % 4].clone()))
            .chain([Collider::fixed(at(0.0, 0.0, -0.5), cuboid(0.3, 0.3, 0.1))])
            .collect();
        let colliders = Colliders::new(list.clone(), &[]).unwrap();
        let travel = |b: BodyId| {
            let [a, b, c, x, y, z] = ways[b];
            Travel { way: Motion::new(DVec3::new(a, b, c), DVec3::new(x, y, z)), more: 1e-3 }
        };
        let mut contacts = Contacts::new();
        let options = ContactOptions { margin: 0.01 };
        find_contacts_ahead(&colliders, |b| poses[b], travel, &options, None, &mut contacts);
        let sweep = |k: usize| match list[k].body {
            Some(b) => travel(b).sweep(DVec3::ZERO, core_span(&list[k].shape)),
            None => Sweep::NONE,
        };
        let mut expected = Vec::new();
        for a in 0..8 {
            for b in a + 1..9 {
                let place = |k: usize| if k < 8 { poses[k] } else { list[k].body_from_shape };
                let margin = 0.01 + sweep(a).closes(&sweep(b));
                let m = collide(&list[a].shape, &place(a), &list[b].shape, &place(b), margin);
                if !m.points().is_empty() {
                    expected.push((a as u32, b as u32, m.points().to_vec()));
                }
            }
        }
        let found: Vec<_> = contacts
            .manifolds
            .iter()
            .map(|m| (m.collider_a.0, m.collider_b.0, m.points().to_vec()))
            .collect();
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn whatever_a_blow_does_to_a_rod_no_end_is_in_that_the_solve_was_not_shown() {
    // One end strikes first; what that does to the other one could not tell from the velocity before.
    let rod = ShapeSpec::new(capsule(0.04, 0.3));
    let inertia = Inertia::solid_capsule(2.0, 0.04, 0.3);
    let model = Model::builder()
        .fixture(ShapeSpec::new(Shape::Plane))
        .body(BodySpec::root("rod", Joint::free(), inertia).with_shape(rod))
        .build()
        .unwrap();
    let options = StepOptions::at_rate(120.0);
    let act = Actuation::new(&model);
    for k in 0..20 {
        let mut state = State::new(&model);
        let mut data = Data::new(&model);
        let lean = 1.2 + 0.017 * f64::from(k);
        state.set_rotation(&model.bodies()[0], DQuat::from_rotation_y(lean));
        state.q[2] = 0.6 + 0.01 * f64::from(k);
        state.v[2] = -4.0;
        let mut shown: Vec<u64> = Vec::new();
        for _ in 0..60 {
            observe(&model, &state, &mut data, &options);
            for contact in data.contact.points.iter().filter(|c| c.depth > 1e-4) {
                assert!(shown.contains(&contact.key.2), "lean {lean}: {} mm in", 1e3 * contact.depth);
            }
            shown.clear();
            shown.extend(data.contact.points.iter().map(|c| c.key.2));
            advance(&model, &mut state, &mut data, &act, &options).unwrap();
        }
    }
}
