//! A body on a rail that lands: nothing can move across the contact, friction's stiffness had no bound, and its force was no number. Then it sank by 0.09 mm a second, as rule (3)
//! of `convex/flow.rs` took the energy of every step upwards. Pass marks: the ground carries the weight, to a thousandth, pushes straight up, and the body stays.

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
