//! newton#4269: a featherstone solver turned serial arms and humanoids without actuation into NaN within a
//! quarter of a second. Pass mark: ten seconds at 1 to 5 ms stay finite; the energy of what was dropped never rises
//! above its start by more than a hundredth, of the undamped arm by more than a fiftieth of the drop; and what was
//! dropped lies on the ground.

use stuntlab_physics::figures;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::{Formulation, StepOptions};
use stuntlab_tests::world::{World, ground, standing};

fn check(mut world: World, name: &str) -> World {
    let start = world.energy();
    let steps = (10.0 / world.options.dt).round() as usize;
    for k in 0..steps {
        world.step();
        if k % 20 == 0 {
            let energy = world.energy();
            let swing = start.abs().max(1.0);
            assert!(
                energy <= start + 0.01 * swing,
                "{name} at {} ms, {:.2} s: {energy} J of {start}",
                1e3 * world.options.dt,
                world.state.time
            );
        }
    }
    world
}

#[test]
fn a_dropped_passive_humanoid_ends_on_the_ground() {
    for (dt, formulation) in [
        (0.001, Formulation::ImplicitPenalty),
        (0.005, Formulation::ImplicitPenalty),
        (0.005, Formulation::LcpPgs),
    ] {
        let model = standing(&figures::humanoid37(), 0.5).build().expect("valid");
        let mut world = World::new(model, StepOptions { dt, ..StepOptions::default().with(formulation) });
        (world.state.v[3], world.state.v[4]) = (0.3, 0.5);
        let mut world = check(world, "humanoid");
        world.energy();
        let pelvis = world.model.body_ids().iter().next().expect("a pelvis");
        let height = world.data.world_from_body(pelvis).translation.z;
        assert!((0.0..0.5).contains(&height), "{}: pelvis at {height} m", formulation.name());
    }
}

/// The arm dropped from a bent pose, without any friction.
fn arm(dt: f64) -> World {
    let mut figure = figures::chain(7);
    figure.parts[0].joint = figure.parts[0].joint.clone().at(DVec3::Z * 3.0);
    let mut builder = ground().self_collision(false);
    figure.parts.iter().for_each(|part| builder.push(part.spec()));
    let mut world = World::new(builder.build().expect("valid"), StepOptions { dt, ..StepOptions::default() });
    for (k, q) in world.state.q.iter_mut().enumerate() {
        *q = 0.9 - 0.2 * k as f64;
    }
    world
}

/// Undamped, with hinges along links that have hardly any inertia about themselves: bodies reach 100 rad/s, half a
/// radian per step at 5 ms. The drop frees 27 J (to hanging straight down); no more than a fiftieth of it is gained or
/// lost at any time, by the energy of the state as it stands.
#[test]
fn a_passive_seven_link_arm_swings_on() {
    let mut hanging = arm(0.001);
    hanging.state.q.fill(0.0);
    let lowest = hanging.energy();
    for dt in [0.001, 0.002, 0.005] {
        let mut world = arm(dt);
        let start = world.energy();
        let drop = start - lowest;
        assert!((27.0..28.0).contains(&drop), "{drop} J");
        let (mut fastest, steps) = (0.0_f64, (10.0 / dt).round() as usize);
        for _ in 0..steps {
            world.step();
            let gain = (world.energy() - start) / drop;
            let time = world.state.time;
            assert!(gain < 0.02, "{} ms, {time:.2} s: gained {gain:.3} of the drop", 1e3 * dt);
            assert!(gain > -0.02, "{} ms, {time:.2} s: lost {gain:.3} of the drop", 1e3 * dt);
            let spin = |b| world.data.body_velocity(b).angular.length();
            fastest = world.model.body_ids().iter().map(spin).fold(fastest, f64::max);
        }
        assert!(fastest > 50.0, "{} ms: it never whirled ({fastest} rad/s)", 1e3 * dt);
    }
}
