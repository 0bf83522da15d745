//! A body on a rail that lands: nothing can move across the contact, friction's stiffness had no bound, and its force was no number. Then it sank by 0.09 mm a second, as rule (3)
//! of `convex/flow.rs` took the energy of every step upwards. Pass marks: the ground carries the weight, to a thousandth, pushes straight up, and the body stays.
//!
//! On a rail that hardly rises it was pushed out of the ground at 0.5 m/s along the normal, which was any speed along the rail (10²⁹ J within a step of a random forest). Pass mark:
//! no more energy than that of a free body pushed out, and of its way up.

use stuntlab_physics::glam::DVec3;
use stuntlab_physics::model::ShapeSpec;
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::Inertia;
use stuntlab_physics::{BodySpec, Joint, Model, StepOptions};
use stuntlab_tests::world::World;

#[test]
fn the_ground_carries_what_slides_on_a_rail() {
    let ball = ShapeSpec::new(Shape::sphere(0.1).expect("a ball"));
    let slider = BodySpec::root(
        "slider",
        Joint::prismatic(DVec3::Z).at(DVec3::Z * 0.3),
        Inertia::solid_sphere(2.0, 0.1),
    );
    let builder = Model::builder().fixture(ShapeSpec::new(Shape::Plane)).body(slider.with_shape(ball));
    let mut world = World::new(builder.build().expect("a slider"), StepOptions::at_rate(120.0));
    world.run(2.0);
    let height = world.state.q[0];
    world.run(10.0);
    let sunk = height - world.state.q[0];
    assert!(sunk.abs() < 1e-5, "sank by {sunk} m in ten seconds");
    let force: DVec3 = world.data.contact.points.iter().map(|c| c.force).sum();
    assert!((force - DVec3::Z * 2.0 * 9.81).length() < 0.02, "{force} N");
}

#[test]
fn what_overlaps_on_a_level_rail_is_not_shot_along_it() {
    const MASS: f64 = 2.0;
    const DEPTH: f64 = 0.05;
    for rise in [0.3, 0.03, 1e-3, 1e-5, 1e-8, 1e-12, 0.0] {
        let axis = DVec3::new(1.0, 0.0, rise).normalize();
        let ball = ShapeSpec::new(Shape::sphere(0.1).expect("a ball"));
        let rail = Joint::prismatic(axis).at(DVec3::Z * (0.1 - DEPTH));
        let slider = BodySpec::root("slider", rail, Inertia::solid_sphere(MASS, 0.1)).with_shape(ball);
        let builder = Model::builder().fixture(ShapeSpec::new(Shape::Plane)).body(slider);
        let mut world = World::new(builder.build().expect("a slider"), StepOptions::at_rate(120.0));
        let start = world.energy();
        let most = start + 0.5 * MASS * 0.5 * 0.5 + MASS * 9.81 * DEPTH;
        for step in 0..240 {
            world.step();
            let energy = world.energy();
            assert!(energy <= 1.05 * most, "a rise of {rise}: {energy} J of {most} in step {step}");
        }
    }
}
