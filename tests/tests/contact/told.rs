//! Bodies that go where they are told: they push whatever can give way, press on nothing else, and are pushed again once they may be.

use stuntlab_physics::StepOptions;
use stuntlab_physics::glam::DVec3;
use stuntlab_tests::world::{World, block, ground, loose};

/// Blocks on each other, and the step at which which of them are told to stay.
fn tower(blocks: usize) -> World {
    let mut builder = ground();
    for k in 0..blocks {
        let place = DVec3::Z * (0.2 + 0.4 * k as f64);
        builder.push(loose(format!("b{k}"), block(DVec3::splat(0.2)), 10.0, place));
    }
    let mut world = World::new(builder.build().expect("blocks on the ground"), StepOptions::at_rate(120.0));
    world.run(0.5);
    world
}

fn carried(world: &World) -> f64 {
    world.data.memory.felt().iter().filter(|f| f.body_b.is_none()).map(|f| f.force.z).sum()
}

#[test]
fn what_is_told_to_stay_presses_on_nothing_that_cannot_give_way() {
    let mut world = tower(2);
    assert!((carried(&world) - 2.0 * 98.1).abs() < 2.0, "{}", carried(&world));
    world.act.prescribed.fill(true);
    for _ in 0..3 {
        world.step();
        assert!(world.data.memory.felt().is_empty(), "{:?}", world.data.memory.felt());
    }
    // Let go again they stand as they did.
    let place = world.state.q.clone();
    world.act.prescribed.fill(false);
    world.run(0.2);
    assert!((carried(&world) - 2.0 * 98.1).abs() < 4.0, "{}", carried(&world));
    let moved = world.state.q.iter().zip(&place).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
    assert!(moved < 1e-4, "{moved}");
}

#[test]
fn what_is_told_to_stay_carries_what_lies_on_it() {
    let mut world = tower(2);
    world.act.prescribed[0] = true;
    let place = world.state.q.clone();
    for _ in 0..60 {
        world.step();
        let on: f64 =
            world.data.memory.felt().iter().filter(|f| f.body_b.is_some()).map(|f| f.force.z.abs()).sum();
        assert!((on - 98.1).abs() < 2.0, "{on}");
        assert_eq!(carried(&world), 0.0);
    }
    let moved = world.state.q.iter().zip(&place).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
    assert!(moved < 1e-4, "{moved}");
    // And what is told to rise lifts it.
    world.act.prescribed_velocity[2] = 0.5;
    world.run(0.2);
    let rise = |k: usize| world.state.q[7 * k + 2] - place[7 * k + 2];
    assert!((rise(0) - 0.1).abs() < 1e-9 && (rise(1) - 0.1).abs() < 2e-3, "{} {}", rise(0), rise(1));
}
