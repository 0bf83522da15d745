//! Heavy on light: contacts carried 200 N per point and kilogram of the lighter side at most, so that 80 kg went through a 1 kg
//! ball and 100:1 through a stack until both lay in one place. Pass mark from 120 Hz on: boxes of 100:1 sink by half a millimetre per
//! contact at most, 1000:1 by three, whether one, two or four light ones are below; 22 and 80 kg on one point of a 1 kg ball
//! half a millimetre; all at rest, and not even 10,000:1 is anywhere near what carries it.

use stuntlab_physics::glam::DVec3;
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::Inertia;
use stuntlab_physics::{BodySpec, Joint, ShapeSpec, StepOptions};
use stuntlab_tests::world::{World, block, ground, loose};

/// Boxes of 0.2 m: `light` of a kilogram below, one of `ratio` on top.
fn stack(light: usize, ratio: f64) -> World {
    let mut builder = ground();
    for k in 0..=light {
        let mass = if k == light { ratio } else { 1.0 };
        builder.push(loose(
            format!("b{k}"),
            block(DVec3::splat(0.1)),
            mass,
            DVec3::Z * (0.1 + 0.2 * k as f64),
        ));
    }
    World::new(builder.build().expect("valid"), StepOptions::at_rate(120.0))
}

/// Farthest that a body came closer to what is below it, m.
fn sunk(world: &mut World) -> f64 {
    world.energy();
    let heights: Vec<f64> =
        world.model.body_ids().iter().map(|b| world.data.world_from_body(b).translation.z).collect();
    let mut below = -0.1;
    let mut worst = 0.0_f64;
    for height in heights {
        worst = worst.max(0.2 - (height - below));
        below = height;
    }
    worst
}

fn carries(ratio: f64, allowed: f64, seconds: f64) {
    for light in [1, 2, 4] {
        let mut world = stack(light, ratio);
        world.run(seconds);
        let (sunk, speed) = (sunk(&mut world), world.fastest());
        println!("{ratio}:1 on {light}: sunk {:.3} mm, {:.1e} m/s", 1e3 * sunk, speed);
        assert!(sunk <= allowed, "{ratio}:1 on {light}: {:.2} mm", 1e3 * sunk);
        assert!(speed < 1e-3, "{ratio}:1 on {light}: still at {speed} m/s");
    }
}

#[test]
fn stacks_carry_a_hundred_and_a_thousand_times_their_weight() {
    for (ratio, allowed) in [(10.0, 0.5e-3), (100.0, 0.5e-3), (1000.0, 3e-3)] {
        carries(ratio, allowed, 3.0);
    }
}

#[test]
fn nothing_rests_coincident() {
    carries(10_000.0, 0.05, 10.0);
}

#[test]
fn one_point_of_a_light_ball_carries_a_person() {
    for rate in [120.0, 240.0, 1000.0] {
        for mass in [22.0, 80.0] {
            let shape = |shape| ShapeSpec::new(shape);
            let half = DVec3::splat(0.2);
            let guided = |height: f64| Joint::prismatic(DVec3::Z).at(DVec3::Z * height);
            let ball = BodySpec::root("ball", guided(0.1), Inertia::solid_sphere(1.0, 0.1))
                .with_shape(shape(Shape::Sphere { radius: 0.1 }));
            let load = BodySpec::root("load", guided(0.4), Inertia::solid_box(mass, half))
                .with_shape(shape(block(half)));
            let model = ground().body(ball).body(load).build().expect("valid");
            let mut world = World::new(model, StepOptions::at_rate(rate));
            world.run(3.0);
            let (ball, load) = (-world.state.q[0], world.state.q[0] - world.state.q[1]);
            println!("{mass} kg at {rate} Hz: {:.3} and {:.3} mm", 1e3 * ball, 1e3 * load);
            assert!(ball.max(load) <= 0.5e-3, "{mass} kg at {rate} Hz: {ball} and {load} m");
            assert!(world.fastest() < 1e-3, "{mass} kg at {rate} Hz: {} m/s", world.fastest());
        }
    }
}
