//! A joint at rest, far from its limits, thrown at them by a torque within one step: 1 kN·m on 1 kg went 0.33 rad beyond, and a ball
//! joint farther, since only limits that were near had a row.

use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::spatial::{Inertia, Sym3};
use stuntlab_physics::{BodySpec, Joint, Limits, Model, StepOptions};
use stuntlab_tests::draws::Draws;
use stuntlab_tests::world::World;

/// Overshoot of curved limits that is allowed, rad.
const ALLOWED: f64 = 0.02;

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
                assert!(worst <= ALLOWED, "{torque} N m about {way} at {rate} Hz: {worst} rad beyond");
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
            assert!(worst <= ALLOWED, "{torque} N m about {way}: {worst} rad beyond");
        }
    }
}

/// A random limb of up to three links on joints of every curved kind, loaded by up to ten times the strength of a person's joints (five times what holds
/// the limb out straight), which changes four times a second. The farthest any joint goes beyond, rad.
fn of_random_limb(seed: u64, rate: f64) -> f64 {
    let mut d = Draws::new(seed);
    let mut builder = Model::builder();
    let (links, mut lengths) = (1 + d.below(3), Vec::new());
    let (mut parent, mut masses): (Option<String>, Vec<f64>) = (None, Vec::new());
    for k in 0..links {
        let (length, mass) = (d.between(0.15, 0.5), 8.0 * d.between(0.2, 0.7).powi(k as i32 + 1));
        let joint = match d.below(4) {
            0 => Joint::spherical().with_limits(Limits::cone(
                d.between(0.3, 2.0),
                d.between(-1.0, -0.1),
                d.between(0.1, 1.0),
            )),
            1 => {
                let frame = DQuat::from_scaled_axis(d.direction() * d.between(0.0, 1.0));
                let swing = [d.between(0.3, 2.0), d.between(0.3, 2.0)];
                let twist = [d.between(-1.0, -0.1), d.between(0.1, 1.0)];
                Joint::spherical().with_limits(Limits::SwingTwist {
                    parent_frame: frame,
                    child_frame: frame,
                    swing,
                    twist,
                })
            }
            2 => Joint::universal(DVec3::X, DVec3::Y).with_limits(Limits::Ellipse {
                center: [d.between(-0.1, 0.1), 0.0],
                radius: [d.between(0.3, 1.2), d.between(0.3, 1.2)],
            }),
            _ => Joint::revolute(d.direction())
                .with_limits(Limits::range(d.between(-1.5, -0.1), d.between(0.1, 1.5))),
        };
        let at = lengths.last().map_or(DVec3::ZERO, |&l: &f64| DVec3::NEG_Z * l);
        let inertia = Inertia::new(
            mass,
            DVec3::NEG_Z * 0.5 * length,
            Sym3::diagonal(1.0, 1.0, 0.06) * (mass * length * length / 12.0),
        );
        let name = format!("link {k}");
        let joint = joint.at(at);
        builder = builder.body(match &parent {
            None => BodySpec::root(&*name, joint, inertia),
            Some(parent) => BodySpec::child(&*name, parent, joint, inertia),
        });
        lengths.push(length);
        masses.push(mass);
        parent = Some(name);
    }
    let mut world = World::new(builder.build().expect("valid"), StepOptions::at_rate(rate));
    let strength: Vec<f64> = (0..links)
        .map(|k| {
            let reach = |j: usize| lengths[k..j].iter().sum::<f64>() + 0.5 * lengths[j];
            (k..links).map(|j| 5.0 * 9.81 * masses[j] * reach(j)).sum()
        })
        .collect();
    let steps = (2.0 * rate) as usize;
    let mut worst = 0.0_f64;
    for step in 0..steps {
        if step % (steps / 8) == 0 {
            for (i, body) in world.model.bodies().iter().enumerate() {
                let torque = d.direction() * strength[i] * d.between(0.0, 10.0);
                for (k, force) in world.act.joint_force[body.freedoms()].iter_mut().enumerate() {
                    *force = torque[k];
                }
            }
        }
        world.step();
        for body in world.model.bodies() {
            worst = worst.max(beyond(&body.joint().limits, &world.state.q[body.coordinates()]));
        }
    }
    worst
}

/// How far coordinates are beyond a limit, rad, to first order.
fn beyond(limits: &Limits, q: &[f64]) -> f64 {
    let outside = |u: [f64; 2], r: [f64; 2]| {
        let (x, y) = (u[0] / r[0], u[1] / r[1]);
        let phi = x.hypot(y);
        if phi > 1.0 { (phi - 1.0) * phi / (x / r[0]).hypot(y / r[1]) } else { 0.0 }
    };
    match limits {
        Limits::Unlimited => 0.0,
        Limits::Range { lower, upper } => (lower[0] - q[0]).max(q[0] - upper[0]),
        Limits::Ellipse { center, radius } => outside([q[0] - center[0], q[1] - center[1]], *radius),
        Limits::SwingTwist { parent_frame, child_frame, swing, twist } => {
            let r = parent_frame.conjugate() * DQuat::from_slice(q) * *child_frame;
            let turn = 2.0 * r.z.atan2(r.w);
            let turn = turn - std::f64::consts::TAU * (turn / std::f64::consts::TAU).round();
            let bone = r * DQuat::from_rotation_z(-turn);
            let s = 2.0 * bone.xyz() / bone.xyz().length().max(1e-12)
                * bone.xyz().length().atan2(bone.w.abs())
                * bone.w.signum();
            outside([s.x, s.y], *swing).max(twist[0] - turn).max(turn - twist[1])
        }
    }
}

/// Limbs that whirled ended beyond their cones and ellipses, where the free flow had led them (74 of 600, by up to 2.1 rad).
#[test]
fn limbs_stay_within_their_limits_under_ten_times_a_persons_strength() {
    for seed in 0..300 {
        let beyond = of_random_limb(seed, 120.0);
        assert!(beyond <= ALLOWED, "seed {seed}: {beyond} rad beyond");
    }
}
