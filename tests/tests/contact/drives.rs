//! Servos, motors and prescribed joints do what they say and no more.

use proptest::prelude::*;
use stuntlab_physics::actuation::{Effort, Key, Motor};
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::spatial::{Inertia, Sym3, rotation};
use stuntlab_physics::{BodySpec, Formulation, Freedom, Joint, Model, StepOptions, figures};
use stuntlab_tests::laws;
use stuntlab_tests::steadiness::servo_surplus;
use stuntlab_tests::world::{World, standing};

fn few() -> ProptestConfig {
    ProptestConfig { cases: ProptestConfig::default().cases.min(32), ..laws() }
}

/// One body on one joint, weightless.
fn alone(joint: Joint, inertia: Sym3, options: StepOptions) -> World {
    let inertia = Inertia::new(1.0, DVec3::ZERO, inertia);
    let model = Model::builder().gravity(DVec3::ZERO).body(BodySpec::root("b", joint, inertia));
    World::new(model.build().expect("valid"), options)
}

fn options(formulation: Formulation) -> StepOptions {
    StepOptions { substeps: 1, ..StepOptions::default().with(formulation) }
}

fn formulations() -> impl Strategy<Value = Formulation> {
    prop::sample::select(Formulation::ALL.to_vec())
}

fn implicit() -> impl Strategy<Value = Formulation> {
    let drives = [Formulation::ImplicitPenalty, Formulation::LcpPgs, Formulation::LcpDantzig];
    prop::sample::select(drives.to_vec())
}

fn vector(size: f64) -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(-size..size).prop_map(DVec3::from_array)
}

proptest! {
    #![proptest_config(few())]

    /// The energy of spring and body never grows beyond what it was, wherever the target is and however weak
    /// the damping.
    #[test]
    fn a_ball_joint_drive_is_passive_at_any_pose(
        formulation in implicit(),
        start in vector(1.7),
        target in vector(1.7),
        spin in vector(3.0),
        stiffness in 1.0..1e5_f64,
        ratio in 0.0..0.1_f64,
    ) {
        let inertia = Sym3::diagonal(0.3, 0.2, 0.15);
        let mut world = alone(Joint::spherical(), inertia, StepOptions::at_rate(240.0).with(formulation));
        let goal = DQuat::from_scaled_axis(target);
        world.state.q.copy_from_slice(&DQuat::from_scaled_axis(start).to_array());
        world.state.v.copy_from_slice(&spin.to_array());
        world.act.servo.stiffness.fill(stiffness);
        world.act.servo.damping.fill(2.0 * ratio * (0.2 * stiffness).sqrt());
        world.act.servo.target_q.copy_from_slice(&goal.to_array());
        let energy = |world: &World| {
            let w = DVec3::from_slice(&world.state.v);
            let error = rotation::log(DQuat::from_slice(&world.state.q).conjugate() * goal);
            0.5 * inertia.quadratic(w, w) + 0.5 * stiffness * error.length_squared()
        };
        let first = energy(&world);
        for step in 0..480 {
            world.step();
            // A hundredth for what the explicit turning of the inertia with the body may add within a step.
            prop_assert!(energy(&world) <= 1.01 * first, "step {}: {} of {}", step, energy(&world), first);
        }
    }

    #[test]
    fn a_saturated_servo_pulls_no_harder_than_its_limit(
        formulation in formulations(),
        target in -3.0..3.0_f64,
        speed in -5.0..5.0_f64,
        stiffness in 0.0..1e4_f64,
        limit in 0.1..20.0_f64,
    ) {
        let joint = Joint::revolute(DVec3::Z).with_effort_limit(limit);
        let mut world = alone(joint, Sym3::diagonal(0.5, 0.5, 0.5), options(formulation));
        world.state.v[0] = speed;
        world.act.servo.stiffness[0] = stiffness;
        world.act.servo.damping[0] = 0.1 * stiffness;
        world.act.servo.target_q[0] = target;
        for _ in 0..120 {
            let before = world.state.v[0];
            world.step();
            let effort = 0.5 * (world.state.v[0] - before) / world.options.dt;
            prop_assert!(effort.abs() <= limit * (1.0 + 1e-9), "{} Nm of {}", effort, limit);
        }
    }

    #[test]
    fn a_motor_reaches_its_speed_within_its_effort(
        formulation in formulations(),
        wanted in -6.0..6.0_f64,
        effort in 0.5..10.0_f64,
    ) {
        let mut world =
            alone(Joint::revolute(DVec3::Z), Sym3::diagonal(0.5, 0.5, 0.5), options(formulation));
        world.act.motors.push(Motor::on_freedom(Key(0), Freedom::new(0), wanted, Effort::within(effort)));
        let dt = world.options.dt;
        for step in 1..=720 {
            world.step();
            let reachable = effort / 0.5 * dt * f64::from(step);
            let expected = wanted.clamp(-reachable, reachable);
            // Sub-stepped or not, a constant effort gives the same speed.
            prop_assert!((world.state.v[0] - expected).abs() < 1e-9, "{} {}", world.state.v[0], expected);
        }
        prop_assert!((world.state.v[0] - wanted).abs() < 1e-9);
    }

    #[test]
    fn a_prescribed_joint_lands_exactly(formulation in formulations(), accelerations in prop::array::uniform3(-20.0..20.0_f64)) {
        // An arm of three, the middle joint prescribed, gravity pulling.
        let inertia = Inertia::new(1.0, DVec3::new(0.2, 0.0, 0.0), Sym3::diagonal(0.01, 0.02, 0.02));
        let link = |axis: DVec3| Joint::revolute(axis).at(DVec3::new(0.4, 0.0, 0.0));
        let model = Model::builder()
            .body(BodySpec::root("a", Joint::revolute(DVec3::Y), inertia))
            .body(BodySpec::child("b", "a", link(DVec3::Z), inertia))
            .body(BodySpec::child("c", "b", link(DVec3::Y), inertia))
            .build()
            .expect("valid");
        let mut world = World::new(model, StepOptions::default().with(formulation));
        let b = world.model.find("b").expect("a body");
        let dof = world.model.body(b).freedoms().at(0);
        world.act.prescribed[b.index()] = true;
        let mut expected = 0.0;
        for step in 0..60 {
            let acceleration = accelerations[step % 3];
            expected += acceleration * world.options.dt;
            world.act.prescribed_velocity[dof] = expected;
            let way = world.state.q[dof] + expected * world.options.dt;
            world.step();
            prop_assert!((world.state.v[dof] - expected).abs() < 1e-12);
            prop_assert!((world.state.q[dof] - way).abs() < 1e-12);
        }
    }

    /// A figure that holds its pose gets nothing from its servos in any step beyond what their springs held,
    /// whatever their gains, the rate and the ground.
    #[test]
    fn servos_with_fixed_targets_are_passive_in_every_step(
        formulation in implicit(),
        factor in (-1.0..3.0_f64).prop_map(|e| 10_f64.powf(e)),
        hz in prop::sample::select(vec![60.0, 120.0, 240.0, 1000.0]),
        spin in vector(5.0),
    ) {
        let figure = figures::humanoid37();
        let model = standing(&figure, 0.1).build().expect("valid");
        let mut world = World::new(model, StepOptions::at_rate(hz).with(formulation));
        world.reference_servos(&figure, factor);
        world.state.v[3..6].copy_from_slice(&spin.to_array());
        world.state.v[6..].iter_mut().enumerate().for_each(|(k, v)| *v = 2.0 * (k as f64 + spin.x).sin());
        for step in 0..60 {
            let before = world.state.clone();
            world.step();
            let (surplus, turnover) = servo_surplus(&world, &before);
            prop_assert!(surplus <= 1e-9 * turnover, "step {step}: {surplus:e} of {turnover:e} J");
        }
    }
}
