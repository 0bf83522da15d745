//! Explicit springs: sub-steps as short as the springs ask for, or a refusal that says how short.

use proptest::prelude::*;
use stuntlab_physics::contact::Material;
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::model::ShapeSpec;
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::{Inertia, Sym3};
use stuntlab_physics::step::{StepError, step};
use stuntlab_physics::{BodySpec, Formulation, Joint, Model, StepOptions, figures};
use stuntlab_tests::laws;
use stuntlab_tests::world::{World, block, ground, loose, standing};

fn penalty() -> StepOptions {
    StepOptions::at_rate(120.0).with(Formulation::Penalty)
}

#[test]
fn a_figure_stands_and_falls_at_120_hz() {
    let figure = figures::humanoid37();
    for (servos, lift) in [(true, 0.0), (false, 0.3)] {
        let mut world = World::new(standing(&figure, lift).build().expect("a valid figure"), penalty());
        if servos {
            world.reference_servos(&figure, 1.0);
        }
        let (mut most, mut deepest) = (0, 0.0_f64);
        for _ in 0..60 {
            let report = world.step();
            most = most.max(report.substeps);
            deepest = deepest.max(report.deepest);
            assert!(report.substep > 0.0 && report.substep <= world.options.dt / 16.0);
        }
        assert!(most > 16, "a light foot under the whole weight asks for more, not {most}");
        assert!(deepest < 5e-3, "{deepest} m deep");
        let speed = world.fastest();
        assert!(speed < 20.0, "{speed} m/s");
    }
}

#[test]
fn flight_takes_the_least_number_of_sub_steps() {
    let builder = ground().body(loose("b", block(DVec3::splat(0.1)), 1.0, DVec3::Z * 3.0));
    let mut world = World::new(builder.build().expect("a valid scene"), penalty());
    assert_eq!(world.step().substeps, 16);
    assert!((world.state.time - 1.0 / 120.0).abs() < 1e-15);
}

#[test]
fn gains_beyond_all_sub_steps_are_refused_by_name_and_rate() {
    let figure = figures::humanoid37();
    let mut world = World::new(standing(&figure, 1.0).build().expect("a valid figure"), penalty());
    world.reference_servos(&figure, 1e9);
    let before = world.state.clone();
    let error = step(&world.model, &mut world.state, &mut world.data, &world.act, &world.options)
        .expect_err("no sub-step is short enough");
    let StepError::TooStiff { body, rate, needed, allowed, .. } = &error else { panic!("{error}") };
    assert!(world.model.find(body).is_some(), "{error}");
    assert!(*needed > *allowed as f64 && *rate > 120.0, "{error}");
    assert_eq!(world.state, before, "the state stays as it was");
    // The rate it names is enough.
    world.options.dt = 1.0 / (1.01 * rate);
    step(&world.model, &mut world.state, &mut world.data, &world.act, &world.options).expect("short enough");
}

/// Squares of 1e300 are no numbers: that was taken for nothing that acts, and the box flew off.
#[test]
fn springs_stiffer_than_numbers_can_tell_are_refused() {
    let material = Material { stiffness: Some(1e300), ..Material::default() };
    let mut body = loose("b", block(DVec3::splat(0.1)), 1.0, DVec3::Z * 0.0999);
    body.shapes[0].material = material;
    let builder = ground().body(body);
    let mut world = World::new(builder.build().expect("a valid scene"), penalty());
    let error = step(&world.model, &mut world.state, &mut world.data, &world.act, &world.options);
    assert!(matches!(error, Err(StepError::TooStiff { .. })), "{error:?}");
}

#[test]
fn the_picked_sub_step_is_the_gain_check_s_with_a_margin() {
    // One box on a plane by one corner spring each: the check's limit for a single point is a bound for four of them.
    let builder = ground().body(loose("b", block(DVec3::splat(0.1)), 1.0, DVec3::Z * 0.0999));
    let mut world = World::new(builder.build().expect("a valid scene"), penalty());
    let report = world.step();
    let check = stuntlab_physics::gains::check_step(
        &world.model,
        &world.state,
        &mut world.data,
        &world.act,
        &world.options,
    );
    let one_point = check.verdicts.iter().map(|v| v.largest_stable_dt).fold(f64::INFINITY, f64::min);
    assert!(report.substep < 0.5 * one_point, "{} s, one point allows {one_point} s", report.substep);
    assert!(report.substep > 0.02 * one_point, "{} s, one point allows {one_point} s", report.substep);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.min(24), ..laws() })]

    /// Ground that gives by 6 mm does not change how a ball rolls: friction has the arm of its radius, whatever it has sunk. From
    /// a slide at `v` a ball with `I = κ m r²` ends at `v / (1 + κ)`, after `v / (μ g (1 + 1/κ))`.
    #[test]
    fn a_ball_on_soft_ground_rolls_as_on_hard(
        (mass, radius, speed) in (0.4..3.0_f64, 0.08..0.2_f64, 1.0..4.0_f64),
        (mu, kappa) in (0.1..0.4_f64, prop::sample::select(vec![0.4, 2.0 / 3.0])),
        (rate, implicit) in (prop::sample::select(vec![60.0, 120.0, 240.0]), prop::bool::ANY),
    ) {
        let soft = Material {
            friction: mu,
            stiffness: Some(1600.0 * mass),
            damping: Some(80.0 * mass),
            ..Material::default()
        };
        let inertia = Inertia::new(mass, DVec3::ZERO, Sym3::diagonal(1.0, 1.0, 1.0) * (kappa * mass * radius * radius));
        let model = Model::builder()
            .fixture(ShapeSpec::new(Shape::Plane).made_of(soft))
            .body(BodySpec::root("ball", Joint::free(), inertia).with_shape(ShapeSpec::new(Shape::Sphere { radius }).made_of(soft)))
            .build()
            .expect("a valid scene");
        let formulation = if implicit { Formulation::ImplicitPenalty } else { Formulation::Penalty };
        let mut world = World::new(model, StepOptions::at_rate(rate).with(formulation));
        world.launch("ball", DVec3::Z * radius, DQuat::IDENTITY, DVec3::X * speed, DVec3::ZERO);
        let slides = speed / (mu * 9.81 * (1.0 + 1.0 / kappa));
        world.run(1.2 * slides + 0.3);
        let velocity = world.data.body_velocity(world.model.find("ball").expect("there"));
        let rolls = speed / (1.0 + kappa);
        let left = (velocity.linear.x - rolls).abs();
        prop_assert!(left <= 2e-3 * speed, "{left} m/s off {rolls}");
        let slip = (velocity.linear.x - radius * velocity.angular.y).abs();
        prop_assert!(slip <= 1e-3 * speed, "still slips at {slip} m/s");
    }
}
