//! Joint limits hold against ten times the torque the joint needs to carry its load.
//!
//! The stated bound: a scalar limit is not overshot by more than 1e-6 rad. A curved one (ellipse, swing cone, twist
//! under swing) is straight within a step, so that what turns by ωh in it may cut the curve by (ωh)²/2r, and a
//! fifth of what was cut is worked off per step: sliding along the curve settles at five times that.

use proptest::prelude::*;
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::spatial::{Inertia, Sym3};
use stuntlab_physics::{BodySpec, Formulation, Joint, Limits, Model, StepOptions};
use stuntlab_tests::laws;
use stuntlab_tests::world::World;

const MASS: f64 = 2.0;
const ARM: f64 = 0.3;
/// What holds the arm level.
const RATED: f64 = MASS * ARM * 9.81;

fn few() -> ProptestConfig {
    ProptestConfig { cases: ProptestConfig::default().cases.min(16), ..laws() }
}

fn arm(joint: Joint, formulation: Formulation) -> World {
    let inertia = Inertia::new(MASS, DVec3::new(0.0, 0.0, -ARM), Sym3::diagonal(0.03, 0.03, 0.01));
    let model = Model::builder().body(BodySpec::root("arm", joint, inertia)).build().expect("valid");
    World::new(model, StepOptions::default().with(formulation))
}

/// Pushes with ten times the rated torque, now this way, now that; calls `check` after each step.
fn torment(world: &mut World, pushes: &[[f64; 3]], mut check: impl FnMut(&World)) {
    for push in pushes {
        for (force, share) in world.act.joint_force.iter_mut().zip(push) {
            *force = 10.0 * RATED * share;
        }
        // What twists a limb about its bone carries a tenth of what lifts it.
        if let Some(twist) = world.act.joint_force.get_mut(2) {
            *twist *= 0.1;
        }
        for _ in 0..20 {
            world.step();
            check(world);
        }
    }
}

/// What steps at the largest joint speed may cut off a curve of that radius.
fn bound(speed: f64, radius: f64) -> f64 {
    let options = StepOptions::default();
    (speed * options.dt).powi(2) / (2.0 * radius * options.correction) + 1e-6
}

fn speed(world: &World) -> f64 {
    world.state.v.iter().map(|v| v * v).sum::<f64>().sqrt()
}

fn pushes() -> impl Strategy<Value = Vec<[f64; 3]>> {
    prop::collection::vec(prop::array::uniform3(-1.0..1.0_f64), 3..10)
}

fn formulations() -> impl Strategy<Value = Formulation> {
    prop::sample::select(Formulation::ALL.to_vec())
}

proptest! {
    #![proptest_config(few())]

    #[test]
    fn a_hinge_stops(pushes in pushes(), formulation in formulations()) {
        let joint = Joint::revolute(DVec3::Y).with_limits(Limits::range(-0.4, 0.7));
        let mut world = arm(joint, formulation);
        let mut worst = 0.0_f64;
        torment(&mut world, &pushes, |w| worst = worst.max(w.state.q[0] - 0.7).max(-0.4 - w.state.q[0]));
        prop_assert!(worst <= 1e-6, "{} rad", worst);
    }

    #[test]
    fn a_universal_joint_stays_in_its_ellipse(pushes in pushes(), formulation in formulations()) {
        let limits = Limits::Ellipse { center: [0.1, 0.0], radius: [0.6, 0.4] };
        let mut world = arm(Joint::universal(DVec3::X, DVec3::Y).with_limits(limits), formulation);
        let (mut worst, mut fastest) = (0.0_f64, 0.0_f64);
        torment(&mut world, &pushes, |w| {
            fastest = fastest.max(speed(w));
            let (a, b) = (w.state.q[0] - 0.1, w.state.q[1]);
            let phi = ((a / 0.6).powi(2) + (b / 0.4).powi(2)).sqrt();
            worst = worst.max((phi - 1.0) * 0.4);
        });
        // The sharpest bend of the ellipse.
        let allowed = bound(fastest, 0.4 * 0.4 / 0.6);
        prop_assert!(worst <= allowed, "{} rad of {}", worst, allowed);
    }

    #[test]
    fn a_ball_joint_stays_in_its_cone(pushes in pushes(), formulation in formulations()) {
        let mut world = arm(Joint::spherical().with_limits(Limits::cone(0.8, -0.5, 0.5)), formulation);
        let (mut worst, mut fastest) = ([0.0_f64; 2], 0.0_f64);
        torment(&mut world, &pushes, |w| {
            fastest = fastest.max(speed(w));
            let q = DQuat::from_slice(&w.state.q);
            let swing = (q * DVec3::Z).angle_between(DVec3::Z);
            let twist = 2.0 * q.z.atan2(q.w);
            let twist = twist - std::f64::consts::TAU * (twist / std::f64::consts::TAU).round();
            worst = [worst[0].max(swing - 0.8), worst[1].max(twist.abs() - 0.5)];
        });
        let allowed = bound(fastest, 0.5);
        prop_assert!(worst[0] <= allowed && worst[1] <= allowed, "{:?} rad of {}", worst, allowed);
    }
}

/// A joint that was set down outside its range is neither held there nor thrown back.
#[test]
fn a_joint_that_starts_outside_is_pushed_back() {
    for formulation in [Formulation::ImplicitPenalty, Formulation::LcpPgs, Formulation::LcpDantzig] {
        for outside in [0.02, 0.5, 1.5] {
            let joint = Joint::revolute(DVec3::X).with_limits(Limits::range(-0.4, 0.7));
            let mut world = arm(joint, formulation);
            world.state.q[0] = 0.7 + outside;
            world.act.joint_force[0] = RATED; // presses on, up to level
            let (left, fastest) = comes_back(&mut world, outside, |w| w.state.q[0] - 0.7);
            assert!(
                left < 0.01 && fastest < 4.5,
                "{formulation:?}: {outside} rad out; {left} left, {fastest} rad/s"
            );

            let cone = Joint::spherical().with_limits(Limits::cone(0.8, -0.5, 0.5));
            let mut world = arm(cone, formulation);
            DQuat::from_rotation_x(0.8 + outside).write_to_slice(&mut world.state.q);
            let swing = |w: &World| (DQuat::from_slice(&w.state.q) * DVec3::Z).angle_between(DVec3::Z) - 0.8;
            let (left, fastest) = comes_back(&mut world, outside, swing);
            // It swings down by itself: no faster than a fall from upright, √(4mgl / I).
            let fall = (4.0 * RATED / (MASS * ARM * ARM + 0.03)).sqrt();
            assert!(
                left < 0.01 && fastest < fall,
                "{formulation:?}: {outside} rad out; {left} left, {fastest} rad/s"
            );
        }
    }
}

/// How far outside it is after the time the way back should take, and how fast it went.
fn comes_back(world: &mut World, outside: f64, left: impl Fn(&World) -> f64) -> (f64, f64) {
    let mut fastest = 0.0_f64;
    for _ in 0..(120.0 * (1.0 + outside / 0.15)) as usize {
        world.step();
        fastest = fastest.max(speed(world));
    }
    (left(world), fastest)
}
