//! newton#3699: a position drive on a ball joint, built from three axis-wise actuators, is a non-symmetric spring
//! away from identity and flutters unless its damping ratio exceeds about a quarter of the angle. Pass mark:
//! driven to 2.5 rad with a damping ratio of 0.02 (theirs would need 0.6), disturbed, the swing dies down and ends
//! at the target within 1e-3 rad.

use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::spatial::{Inertia, Sym3};
use stuntlab_physics::{BodySpec, Formulation, Joint, Model, StepOptions};
use stuntlab_tests::world::World;

#[test]
fn a_weakly_damped_ball_joint_drive_settles_far_from_identity() {
    for formulation in Formulation::ALL {
        let inertia = Inertia::new(1.0, DVec3::ZERO, Sym3::diagonal(0.2, 0.2, 0.2));
        let model = Model::builder()
            .gravity(DVec3::ZERO)
            .body(BodySpec::root("ball", Joint::spherical(), inertia))
            .build()
            .expect("valid");
        let mut world = World::new(model, StepOptions::at_rate(500.0).with(formulation));
        let target = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, -1.0).normalize(), 2.5);
        let (stiffness, ratio) = (20.0_f64, 0.02);
        world.act.servo.stiffness.fill(stiffness);
        world.act.servo.damping.fill(2.0 * ratio * (0.2 * stiffness).sqrt());
        world.act.servo.target_q.copy_from_slice(&target.to_array());
        world.state.q.copy_from_slice(&target.to_array());
        world.state.v.copy_from_slice(&[0.5, -0.3, 0.4]);
        let off = |world: &World| DQuat::from_slice(&world.state.q).angle_between(target);
        let mut widest = 0.0_f64;
        for _ in 0..2500 {
            world.step();
            widest = widest.max(off(&world));
        }
        assert!(widest < 0.08, "{}: swings out to {widest} rad", formulation.name());
        world.run(40.0);
        assert!(off(&world) < 1e-3, "{}: {} rad", formulation.name(), off(&world));
    }
}
