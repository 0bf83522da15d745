//! Rigid contacts by projected Gauss–Seidel and by Dantzig's principal pivoting.

use stuntlab_physics::figures;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::Transform;
use stuntlab_physics::{Formulation, ModelBuilder, StepOptions};
use stuntlab_tests::world::{World, block, ground, loose};

const RIGID: [Formulation; 2] = [Formulation::LcpPgs, Formulation::LcpDantzig];

/// Boxes of 0.2 m on each other, of these masses from below.
fn tower(masses: impl IntoIterator<Item = f64>) -> ModelBuilder {
    let mut builder = ground();
    for (k, mass) in masses.into_iter().enumerate() {
        let place = DVec3::Z * (0.1 + 0.2 * k as f64);
        builder.push(loose(format!("b{k}"), block(DVec3::splat(0.1)), mass, place));
    }
    builder
}

fn world(builder: ModelBuilder, formulation: Formulation) -> World {
    World::new(builder.build().expect("a valid scene"), StepOptions::default().with(formulation))
}

/// Centre of the highest box.
fn top(world: &World) -> DVec3 {
    let last = world.model.body_ids().last().expect("a tower has boxes");
    world.data.world_from_body(last).translation
}

#[test]
fn a_stack_of_ten_rests() {
    for formulation in RIGID {
        let mut world = world(tower([1.0; 10]), formulation);
        world.run(5.0);
        let speed = world.fastest();
        assert!(speed < 1e-3, "{}: {speed} m/s after 5 s", formulation.name());
        let lean = top(&world).truncate().length();
        assert!(lean < 1e-3, "{}: the top has moved by {lean} m", formulation.name());
    }
}

#[test]
fn a_stack_of_forty_stands_under_sweeps() {
    let mut world = world(tower([1.0; 40]), Formulation::LcpPgs);
    world.run(8.0);
    let speed = world.fastest();
    assert!(speed < 0.02, "{speed} m/s after 8 s");
    let top = top(&world);
    assert!(top.truncate().length() < 0.02 && (top.z - 7.9).abs() < 5e-3, "the top is at {top}");
}

/// Overlap of a heavy box on light ones, m, and how fast it still is, m/s, after five seconds.
fn pressed(lights: usize, ratio: f64, formulation: Formulation) -> (f64, f64) {
    let masses = (0..=lights).map(|k| if k == lights { ratio } else { 1.0 });
    let mut world = world(tower(masses), formulation);
    let steps = (5.0 / world.options.dt).round() as usize;
    let deepest = (0..steps).map(|_| world.step().deepest).fold(0.0, f64::max);
    (deepest, world.fastest())
}

#[test]
fn light_boxes_carry_heavy_ones() {
    // Sweeps need more rounds the heavier the load is: a thousand times its mass is what one box carries by them, a
    // hundred times what four do. The direct solver does not mind.
    let held = |lights, ratio, formulation: Formulation| {
        let (deepest, speed) = pressed(lights, ratio, formulation);
        let who = format!("{}: {ratio}:1 on {lights}", formulation.name());
        assert!(deepest < 5e-3, "{who}: {deepest} m deep");
        assert!(speed < 1e-3, "{who}: {speed} m/s after 5 s");
    };
    for formulation in RIGID {
        for (lights, ratio) in [(1, 10.0), (1, 100.0), (1, 1000.0), (4, 10.0), (4, 100.0)] {
            held(lights, ratio, formulation);
        }
    }
    for (lights, ratio) in [(1, 1e4), (4, 1e3), (4, 1e4)] {
        held(lights, ratio, Formulation::LcpDantzig);
    }
}

#[test]
fn a_direct_solve_that_is_too_long_is_swept_and_said_so() {
    // A heap of 60 boxes that touch each other: one island of hundreds of rows.
    let mut builder = ground();
    for k in 0..60 {
        let place =
            DVec3::new(0.2 * f64::from(k % 5), 0.2 * f64::from(k / 5 % 4), 0.1 + 0.2 * f64::from(k / 20));
        builder.push(loose(format!("b{k}"), block(DVec3::splat(0.1)), 1.0, place));
    }
    let mut heap = world(builder, Formulation::LcpDantzig);
    heap.options.most_work = 20_000_000;
    let mut given_up = 0;
    for step in 0..60 {
        let rows = heap.step().rows;
        given_up += rows.given_up;
        // One island gets its least number of rounds whatever they cost, and so may the bound be missed by that.
        assert!(rows.work < 40_000_000, "step {step}: {rows:?}");
    }
    assert!(given_up > 0, "no island was too long");
    let speed = heap.fastest();
    assert!(speed < 0.1, "{speed} m/s: the heap must stay in order");
}

#[test]
fn the_bound_on_work_is_the_same_on_every_run() {
    let run = || {
        let mut world = world(tower([1.0; 12]), Formulation::LcpDantzig);
        world.options.most_work = 300_000;
        let reports: Vec<_> = (0..60).map(|_| world.step().rows).collect();
        (reports, world.state)
    };
    let (first, again) = (run(), run());
    assert!(first.0.iter().any(|rows| rows.given_up > 0), "the bound must bite");
    assert_eq!(first, again);
}

#[test]
fn figures_that_move_as_they_are_told_leave_their_neighbours_alone() {
    // Two figures inside each other, and none of them can give way: rows that nothing answers to.
    let figure = figures::humanoid37().model();
    for formulation in RIGID {
        let mut builder = ground();
        for (prefix, x) in [("one ", 0.0), ("two ", 0.05)] {
            builder.append(prefix, &figure, Transform::from_translation(DVec3::X * x));
        }
        builder.push(loose("far", block(DVec3::splat(0.1)), 1.0, DVec3::new(1.5, 0.0, 0.1)));
        builder.push(loose("near", block(DVec3::splat(0.1)), 1.0, DVec3::new(0.0, 0.5, 0.1)));
        let mut world = world(builder, formulation);
        let told = 2 * figure.n_bodies();
        world.act.prescribed[..told].fill(true);
        let mut most_rows = 0;
        for step in 0..120 {
            let rows = world.step().rows;
            most_rows = most_rows.max(rows.rows);
            assert!(rows.work < 10_000_000 && rows.given_up == 0, "{} {step}: {rows:?}", formulation.name());
        }
        assert!(most_rows > 100, "{}: only {most_rows} rows, too tame a pose", formulation.name());
        for name in ["far", "near"] {
            let body = world.model.find(name).expect("there");
            let z = world.data.world_from_body(body).translation.z;
            assert!((z - 0.1).abs() < 1e-3, "{}: {name} is at height {z}", formulation.name());
        }
    }
}
