//! Pins hold, say what they carry, and let go when told.

use stuntlab_physics::actuation::{Anchor, Effort, Key, Motor, Pin, Release};
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::{Formulation, Freedom, Model, StepOptions, advance, observe};
use stuntlab_tests::world::{World, block, loose};

const WEIGHT: f64 = 4.0 * 9.81;

fn hanging(formulation: Formulation, n: usize) -> World {
    let mut builder = Model::builder();
    for k in 0..n {
        builder.push(loose(format!("b{k}"), block(DVec3::splat(0.1)), 4.0, DVec3::X * k as f64));
    }
    World::new(builder.build().expect("valid"), StepOptions::default().with(formulation))
}

#[test]
fn a_point_pin_carries_the_weight_of_a_pendulum_at_rest() {
    for formulation in Formulation::ALL {
        let mut world = hanging(formulation, 1);
        let b = world.model.find("b0").expect("a body");
        let top = DVec3::new(0.0, 0.0, 0.1);
        world.act.pins.push(Pin::point_to_world(Key(1), b, top, top));
        world.run(1.0);
        let pin = world.data.reports.pins[0];
        assert!((pin.force - DVec3::Z * WEIGHT).length() < 1e-6 * WEIGHT, "{}: {pin:?}", formulation.name());
        assert!(pin.error < 1e-6, "{}: {pin:?}", formulation.name());
    }
}

#[test]
fn a_swinging_pendulum_stays_on_its_pin() {
    for formulation in Formulation::ALL {
        let mut world = hanging(formulation, 1);
        let b = world.model.find("b0").expect("a body");
        let end = DVec3::new(0.1, 0.1, 0.1);
        world.act.pins.push(Pin::point_to_world(Key(1), b, end, end));
        let mut worst = 0.0_f64;
        for _ in 0..360 {
            world.step();
            worst = worst.max(world.data.reports.pins[0].error);
        }
        // What the curvature of the swing adds within a step.
        assert!(worst < 2e-3, "{}: {worst} m", formulation.name());
    }
}

#[test]
fn a_weld_carries_force_and_moment() {
    for formulation in Formulation::ALL {
        let mut world = hanging(formulation, 1);
        let b = world.model.find("b0").expect("a body");
        let side = DVec3::new(0.1, 0.0, 0.0);
        world.act.pins.push(Pin::weld_to_world(Key(1), b, side, side, DQuat::IDENTITY));
        world.run(1.0);
        let pin = world.data.reports.pins[0];
        assert!((pin.force - DVec3::Z * WEIGHT).length() < 1e-6 * WEIGHT, "{}: {pin:?}", formulation.name());
        // The force acts at the pinned side; the moment balances the weight's lever about it.
        assert!((pin.moment - DVec3::Y * (0.1 * WEIGHT)).length() < 1e-5 * WEIGHT, "{pin:?}");
        let turn = world.data.world_from_body(b).quaternion().angle_between(DQuat::IDENTITY);
        assert!(turn < 1e-6, "{}: {turn}", formulation.name());
    }
}

#[test]
fn a_body_hangs_on_another_that_hangs_on_the_world() {
    for formulation in Formulation::ALL {
        let mut world = hanging(formulation, 2);
        let (a, b) = (world.model.find("b0").expect("a body"), world.model.find("b1").expect("a body"));
        let (top, bottom) = (DVec3::Z * 0.1, DVec3::Z * -0.1);
        world.launch("b1", DVec3::new(0.0, 0.0, -0.2), DQuat::IDENTITY, DVec3::ZERO, DVec3::ZERO);
        world.act.pins.push(Pin::point_to_world(Key(2), a, top, top));
        world.act.pins.push(Pin::point_to_body(Key(1), b, top, a, bottom));
        world.run(1.0);
        let pins = &world.data.reports.pins;
        assert!((pins[0].force - DVec3::Z * 2.0 * WEIGHT).length() < 1e-6 * WEIGHT, "{pins:?}");
        assert!((pins[1].force - DVec3::Z * WEIGHT).length() < 1e-6 * WEIGHT, "{pins:?}");
        // A weld between the two holds as well.
        world.act.pins[1].weld = true;
        world.act.pins[1].anchor = Anchor::Body { body: a, point: bottom, rotation: DQuat::IDENTITY };
        world.run(0.5);
        assert!((world.data.reports.pins[1].force - DVec3::Z * WEIGHT).length() < 1e-6 * WEIGHT);
    }
}

#[test]
fn pins_let_go_when_they_carry_too_much() {
    let mut world = hanging(Formulation::ImplicitPenalty, 1);
    let b = world.model.find("b0").expect("a body");
    let held = |release| {
        let mut pin = Pin::point_to_world(Key(1), b, DVec3::ZERO, DVec3::ZERO);
        pin.release = release;
        pin
    };
    world.act.pins = vec![
        // The pin pushes the body up with its weight: a limit above holds, one below does not.
        held(Release { force: 1.1 * WEIGHT, ..Release::NEVER }),
    ];
    world.step();
    assert!(!world.data.reports.pins[0].let_go);
    world.act.pins = vec![held(Release { force: 0.9 * WEIGHT, ..Release::NEVER })];
    world.step();
    assert!(world.data.reports.pins[0].let_go);
    // A foot may be pushed by the ground, not pulled.
    let foot =
        Release { push_direction: DVec3::Z, tension: 0.5 * WEIGHT, friction: 0.5, force: f64::INFINITY };
    world.act.pins = vec![held(foot)];
    world.step();
    assert!(!world.data.reports.pins[0].let_go, "it stands");
    world.act.push(b, DVec3::Z * 2.0 * WEIGHT, DVec3::ZERO, DVec3::ZERO);
    world.step();
    assert!(world.data.reports.pins[0].let_go, "it is pulled off");
    world.act.body_force.fill(stuntlab_physics::spatial::Force::ZERO);
    world.act.push(b, DVec3::X * 0.6 * WEIGHT, DVec3::ZERO, DVec3::ZERO);
    world.step();
    assert!(world.data.reports.pins[0].let_go, "it slips");
}

/// One bad pin used to take every contact away without a word.
#[test]
fn pins_and_motors_that_make_no_sense_are_refused_by_name() {
    for formulation in Formulation::ALL {
        let b = hanging(formulation, 1).model.find("b0").expect("a body");
        let pins = [
            Pin::point_to_world(Key(1), b, DVec3::NAN, DVec3::ZERO),
            Pin::point_to_world(Key(1), b, DVec3::ZERO, DVec3::INFINITY),
            Pin::point_to_body(Key(1), b, DVec3::ZERO, b, DVec3::X),
            Pin { correction: f64::NAN, ..Pin::point_to_world(Key(1), b, DVec3::ZERO, DVec3::ZERO) },
        ];
        for pin in pins {
            let mut world = hanging(formulation, 1);
            world.act.pins.push(pin);
            let error = refusal(&mut world);
            assert!(error.contains("b0"), "{}: {error}", formulation.name());
        }
        for (freedom, lower, upper) in [(0, 1.0, -1.0), (0, f64::NAN, 1.0), (10_000, -1.0, 1.0)] {
            let mut world = hanging(formulation, 1);
            let effort = Effort::Between { lower: DVec3::splat(lower), upper: DVec3::splat(upper) };
            world.act.motors.push(Motor::on_freedom(Key(0), Freedom::new(freedom), 0.0, effort));
            let error = refusal(&mut world);
            assert!(error.contains("motor"), "{}: {error}", formulation.name());
        }
    }
}

/// What the step says to the actuation at hand.
fn refusal(world: &mut World) -> String {
    observe(&world.model, &world.state, &mut world.data, &world.options);
    let outcome = advance(&world.model, &mut world.state, &mut world.data, &world.act, &world.options);
    outcome.expect_err("it makes no sense").to_string()
}
