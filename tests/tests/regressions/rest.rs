//! At rest they stay at rest: below 1 mm/s after five seconds in the default formulation. The heap of two hundred
//! takes longer than a test may: `cargo run --release -p stuntlab-tests --example steadiness` runs it.

use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::Inertia;
use stuntlab_physics::{BodySpec, Joint, ShapeSpec, StepOptions};
use stuntlab_tests::draws::Draws;
use stuntlab_tests::rest::{Pile, speed_after};
use stuntlab_tests::world::{World, block, ground};

#[test]
fn towers_and_capsules_come_to_rest() {
    for pile in [Pile::Tower20, Pile::Capsules27] {
        let speed = speed_after(pile, 5.0);
        assert!(speed < 1e-3, "{pile:?}: {} mm/s", 1e3 * speed);
    }
}

#[test]
fn a_hundred_boxes_come_to_rest() {
    let speed = speed_after(Pile::Boxes100, 5.0);
    assert!(speed < 1e-3, "{} mm/s", 1e3 * speed);
}

/// A load of up to a thousand times what it stands on swings on contacts by micrometres before it rests. That was taken for contacts that make energy and calmed,
/// whereupon the load fell for a step and pressed them in again: one in thirty hummed for ever at 4 to 20 mm/s, from 240 Hz on.
#[test]
fn heavy_loads_on_light_boxes_rest() {
    for seed in 0..150 {
        let mut d = Draws::new(seed);
        let rate = d.pick(&[60.0, 120.0, 200.0, 240.0, 500.0, 1000.0]);
        let (count, ratio) = (2 + d.below(2), 10_f64.powf(d.between(0.0, 3.0)));
        let (mut builder, mut height) = (ground(), 0.0);
        for k in 0..count {
            let mass = if k + 1 == count { ratio } else { d.between(0.5, 2.0) };
            let half = DVec3::new(d.between(0.05, 0.2), d.between(0.05, 0.2), d.between(0.05, 0.2));
            let joint = if d.chance(0.3) { Joint::prismatic(DVec3::Z) } else { Joint::free() };
            let joint = joint.at(DVec3::Z * (height + half.z));
            let body = BodySpec::root(format!("box {k}"), joint, Inertia::solid_box(mass, half));
            builder = builder.body(body.with_shape(ShapeSpec::new(block(half))));
            height += 2.0 * half.z;
        }
        let mut world = World::new(builder.build().expect("valid"), StepOptions::at_rate(rate));
        world.run(5.0);
        let mut fastest = 0.0_f64;
        for _ in 0..rate as usize {
            world.step();
            fastest = fastest.max(world.fastest());
        }
        assert!(fastest < 1e-4, "seed {seed}: {ratio:.0} to 1 at {rate} Hz: {fastest:.1e} m/s");
    }
}
