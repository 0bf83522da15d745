//! A hand that servos press on the ground, a million times stiffer than what they carry: solves that left a ten-thousandth of those impulses left speeds at
//! which the contact seemed to give energy. It was calmed, which lets its friction go, and the arm leapt by a hundredth of a radian from rest, now and then.
//! Pass mark: from one second on nothing turns faster than 1e-3 rad/s, whatever gain and step.

use stuntlab_physics::dynamics::crba;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::{Inertia, Transform};
use stuntlab_physics::{BodySpec, Joint, ShapeSpec, StepOptions};
use stuntlab_tests::world::{World, ground};

/// Three links of 0.3 m on hinges that hang so that the last would end 0.15 m below the ground.
fn arm(rate: f64) -> World {
    let mut link = Inertia::solid_capsule(1.0, 0.03, 0.12);
    link.center_of_mass = DVec3::Z * -0.15;
    let capsule = Shape::Capsule { radius: 0.03, half_length: 0.12 };
    let shape = ShapeSpec::new(capsule).placed(Transform::from_translation(link.center_of_mass));
    let hinge = |height: f64| Joint::revolute(DVec3::Y).at(DVec3::Z * height);
    let model = ground()
        .body(BodySpec::root("upper", hinge(0.75), link).with_shape(shape.clone()))
        .body(BodySpec::child("middle", "upper", hinge(-0.3), link).with_shape(shape.clone()))
        .body(BodySpec::child("hand", "middle", hinge(-0.3), link).with_shape(shape))
        .build()
        .expect("valid");
    World::new(model, StepOptions::at_rate(rate))
}

#[test]
fn a_hand_pressed_on_the_ground_rests() {
    for kp in [1e4_f64, 1e5, 1e6] {
        for rate in [30.0, 60.0, 120.0, 240.0, 480.0] {
            let mut world = arm(rate);
            world.energy();
            crba(&world.model, &world.state, &mut world.data);
            let mut carried = [0.0; 9];
            world.data.mass_matrix.write_dense(&world.model, &mut carried);
            for k in 0..3 {
                world.act.servo.stiffness[k] = kp * carried[4 * k];
                world.act.servo.damping[k] = 2.0 * kp.sqrt() * carried[4 * k];
            }
            world.state.q.copy_from_slice(&[0.9, -1.6, 1.2]);
            world.run(1.0);
            let mut fastest = 0.0_f64;
            for _ in 0..(2.0 * rate) as usize {
                world.step();
                fastest = world.state.v.iter().fold(fastest, |m, v| m.max(v.abs()));
            }
            assert!(fastest < 1e-3, "kp {kp} at {rate} Hz: {fastest} rad/s");
        }
    }
}
