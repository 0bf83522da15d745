//! Explicit springs: sub-steps as short as the springs ask for, or a refusal that says how short.

use stuntlab_physics::figures;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::step::{StepError, step};
use stuntlab_physics::{Formulation, StepOptions};
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
