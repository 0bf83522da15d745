//! Stacks: of forty boxes the upper half leaned over and fell within eight seconds. Pass mark: ten, twenty and forty boxes stand
//! for eight seconds at 120 Hz without leaning by more than a millimetre, sunk by less than half a millimetre per box and
//! still; the foil stands askew, its centre of mass beside its foot, and falls.

use stuntlab_physics::StepOptions;
use stuntlab_physics::glam::DVec3;
use stuntlab_tests::world::{World, block, ground, loose};

/// So many boxes of 0.2 m and a kilogram, each `aside` metres beside the one below.
fn stack(count: usize, aside: f64) -> World {
    let mut builder = ground();
    for k in 0..count {
        let place = DVec3::new(aside * k as f64, 0.0, 0.1 + 0.2 * k as f64);
        builder.push(loose(format!("b{k}"), block(DVec3::splat(0.1)), 1.0, place));
    }
    World::new(builder.build().expect("valid"), StepOptions::at_rate(120.0))
}

/// How far any box is aside of where it began, and how far the top sank, m.
fn settled(world: &mut World) -> (f64, f64) {
    world.energy();
    let place = |b| world.data.world_from_body(b).translation;
    let start = |b| world.model.body(b).joint().parent_from_joint.translation;
    let aside =
        world.model.body_ids().iter().map(|b| (place(b) - start(b)).truncate().length()).fold(0.0, f64::max);
    let top = world.model.body_ids().last().expect("a top");
    (aside, start(top).z - place(top).z)
}

fn stands(count: usize, seconds: f64) {
    let mut world = stack(count, 0.0);
    world.run(seconds);
    let (aside, sunk) = settled(&mut world);
    let speed = world.fastest();
    println!("{count} boxes after {seconds} s: {aside:.2e} m aside, {sunk:.2e} m lower, {speed:.1e} m/s");
    assert!(aside <= 1e-3, "{count} boxes lean by {aside} m");
    assert!(sunk <= 5e-4 * count as f64, "{count} boxes sank by {sunk} m");
    assert!(speed < 1e-3, "{count} boxes: {speed} m/s");
}

#[test]
fn ten_and_twenty_boxes_stand() {
    stands(10, 8.0);
    stands(20, 8.0);
}

#[test]
fn forty_boxes_stand() {
    stands(40, 8.0);
}

#[test]
#[ignore = "a minute of forty boxes takes several seconds"]
fn forty_boxes_stand_for_a_minute() {
    stands(40, 60.0);
}

#[test]
fn ten_boxes_askew_fall() {
    // The nine upper ones have their centre 0.15 m beside the lowest's, whose edge is at 0.1.
    let mut world = stack(10, 0.03);
    world.run(3.0);
    let (aside, _) = settled(&mut world);
    assert!(aside > 0.3, "a stack beyond its foot still stands ({aside} m)");
}
