//! A joint at rest, far from its limits, thrown at them by a torque within one step: 1 kN·m on 1 kg went 0.33 rad beyond, and a ball
//! joint farther, since only limits that were near had a row.

use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::spatial::{Inertia, Sym3};
use stuntlab_physics::{BodySpec, Joint, Limits, Model, StepOptions};
use stuntlab_tests::world::World;

/// Overshoot of curved limits that is allowed, rad: up to a kilonewton metre, 200 times what the limb weighs; beyond that
/// turns of a hundred radians per step are cut to a corner of the limit, which a few cuts leave a little round.
fn allowed(torque: f64) -> f64 {
    if torque <= 1e3 { 0.02 } else { 0.05 }
}

fn limb(joint: Joint, rate: f64) -> World {
    let inertia = Inertia::new(1.0, DVec3::new(0.0, 0.0, -0.15), Sym3::diagonal(0.03, 0.03, 0.01));
    let model = Model::builder().body(BodySpec::root("limb", joint, inertia)).build().expect("valid");
    World::new(model, StepOptions::at_rate(rate))
}

/// Pushes with a torque for half a second; the farthest that `beyond` finds.
fn worst(world: &mut World, torque: DVec3, beyond: impl Fn(&World) -> f64) -> f64 {
    for (force, share) in world.act.joint_force.iter_mut().zip(torque.to_array()) {
        *force = share;
    }
    let steps = (0.5 / world.options.dt) as usize;
    (0..steps).fold(0.0, |worst, _| {
        world.step();
        beyond(world).max(worst)
    })
}

#[test]
fn a_hinge_thrown_from_rest_stops() {
    for rate in [60.0, 120.0, 1000.0] {
        for torque in [15.0, 1e3, 1e5, -1e3] {
            let joint = Joint::revolute(DVec3::Y).with_limits(Limits::range(-0.6, 0.8));
            let mut world = limb(joint, rate);
            let beyond = |w: &World| (w.state.q[0] - 0.8).max(-0.6 - w.state.q[0]);
            let worst = worst(&mut world, DVec3::X * torque, beyond);
            // A limit gives way by a millionth of what the torque would do in the step.
            let given = 1e-6 * torque.abs() / 0.05 / rate / rate + 1e-6;
            assert!(worst <= 10.0 * given, "{torque} N m at {rate} Hz: {worst} rad beyond");
        }
    }
}

#[test]
fn a_ball_joint_thrown_from_rest_stays_in_its_cone() {
    for rate in [120.0, 1000.0] {
        for torque in [15.0, 150.0, 1e3, 1e5] {
            for way in [DVec3::X, DVec3::new(0.6, -0.8, 0.0), DVec3::new(0.3, 0.5, 0.4), DVec3::Z] {
                let mut world = limb(Joint::spherical().with_limits(Limits::cone(0.8, -0.5, 0.5)), rate);
                let beyond = |w: &World| {
                    let q = DQuat::from_slice(&w.state.q);
                    let swing = (q * DVec3::Z).angle_between(DVec3::Z);
                    let twist = 2.0 * q.z.atan2(q.w);
                    let twist = twist - std::f64::consts::TAU * (twist / std::f64::consts::TAU).round();
                    (swing - 0.8).max(twist.abs() - 0.5)
                };
                let worst = worst(&mut world, way * torque, beyond);
                assert!(
                    worst <= allowed(torque),
                    "{torque} N m about {way} at {rate} Hz: {worst} rad beyond"
                );
            }
        }
    }
}

#[test]
fn a_universal_joint_thrown_from_rest_stays_in_its_ellipse() {
    for torque in [15.0, 1e3, 1e5] {
        for way in [DVec3::X, DVec3::Y, DVec3::new(0.6, 0.8, 0.0)] {
            let limits = Limits::Ellipse { center: [0.1, 0.0], radius: [0.6, 0.4] };
            let mut world = limb(Joint::universal(DVec3::X, DVec3::Y).with_limits(limits), 120.0);
            let beyond = |w: &World| {
                let (a, b) = ((w.state.q[0] - 0.1) / 0.6, w.state.q[1] / 0.4);
                (a.hypot(b) - 1.0) * 0.4
            };
            let worst = worst(&mut world, way * torque, beyond);
            assert!(worst <= allowed(torque), "{torque} N m about {way}: {worst} rad beyond");
        }
    }
}
