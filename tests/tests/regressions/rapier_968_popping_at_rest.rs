//! rapier#968: two bodies joined as a multibody popped up from the ground again and again and never came to
//! rest. Pass mark: dropped from half a metre, they rest after three seconds and then neither move faster
//! than 1 mm/s nor rise by more than 0.1 mm, in every formulation.

use stuntlab_physics::glam::DVec3;
use stuntlab_physics::model::ShapeSpec;
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::Inertia;
use stuntlab_physics::{BodySpec, Formulation, Joint, StepOptions};
use stuntlab_tests::world::{World, ground, loose};

#[test]
fn a_block_with_a_mast_stays_down() {
    for formulation in Formulation::ALL {
        let half = DVec3::new(0.3, 0.3, 0.1);
        let base = loose("base", stuntlab_tests::world::block(half), 5.0, DVec3::Z * 0.6);
        let mast = BodySpec::child(
            "mast",
            "base",
            Joint::fixed().at(DVec3::Z * 1.0),
            Inertia::solid_sphere(1.0, 0.1),
        )
        .with_shape(ShapeSpec::new(Shape::Sphere { radius: 0.1 }));
        let model = ground().body(base).body(mast).build().expect("valid");
        let mut world = World::new(model, StepOptions::default().with(formulation));
        world.run(3.0);
        let height = world.state.q[2];
        for _ in 0..240 {
            world.step();
            assert!(world.fastest() < 1e-3, "{}: {} m/s", formulation.name(), world.fastest());
            assert!((world.state.q[2] - height).abs() < 1e-4, "{}", formulation.name());
        }
    }
}
