//! Forces that are linear in the next velocity.

use proptest::prelude::*;
use stuntlab_physics::dynamics::{aba, aba_implicit, bias_force, forward_kinematics, impulse_response};
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::Force;
use stuntlab_physics::strategies::{System, Trees};
use stuntlab_physics::{Data, Forces, Integrator, Stepper};
use stuntlab_tests::compare::{force_scale, largest, motion_gap};
use stuntlab_tests::dense::{Dense, jacobian};
use stuntlab_tests::laws;

use super::ROUNDING;

/// `τ + Σ Jᵀ(f + f0 - B J v) - b v - C`: what the augmented matrix is solved for, and its size
/// with nothing cancelling.
fn right_side(s: &System, data: &mut Data, dt: f64) -> (Vec<f64>, Vec<f64>) {
    let n = s.model.n_v();
    let (model, state, forces) = (&s.model, &s.state, &s.forces);
    let mut bias = vec![0.0; n];
    bias_force(model, state, data, &mut bias);
    let velocities = data.velocity.body.clone();
    // With zero joint accelerations inverse dynamics leaves J̇v - g in the body accelerations.
    let drift = data.dynamics.body_acceleration.clone();
    let mut size = force_scale(model, state, data, &vec![0.0; n], &forces.body);
    let mut rhs: Vec<f64> =
        (0..n).map(|k| forces.joint[k] - forces.joint_gain[k] * state.v[k] - bias[k]).collect();
    for k in 0..n {
        size[k] += forces.joint[k].abs() + (forces.joint_gain[k] * state.v[k]).abs();
    }
    forward_kinematics(model, state, data);
    let mut add = |body, force: Force, apart: Force| {
        for (k, c) in jacobian(model, data, body).iter().enumerate() {
            rhs[k] += c.dot(force);
            let force = apart;
            size[k] +=
                c.angular.length() * force.angular.length() + c.linear.length() * force.linear.length();
        }
    };
    for body in model.body_ids() {
        add(body, forces.body[body.index()], forces.body[body.index()]);
    }
    for (body, term) in &forces.implicit {
        let i = body.index();
        // The recursion also adds and takes away `dt B (J̇v - g)`: it counts for rounding.
        let apart = [term.at_rest, term.gain * velocities[i], term.gain * drift[i] * dt];
        let sum = |part: fn(&Force) -> DVec3| apart.iter().map(|f| part(f).length()).sum::<f64>() * DVec3::X;
        let apart = Force::new(sum(|f| f.angular), sum(|f| f.linear));
        add(*body, term.at_rest - term.gain * velocities[i], apart);
    }
    (rhs, size)
}

proptest! {
    #![proptest_config(laws())]

    /// `aba_implicit` solves `(H + dt b + dt Σ JᵀBJ) q̈ = τ + Σ Jᵀ(f0 - B v) - b v - C` as a dense solver
    /// does, gains up to 10⁸ included, ten orders apart on one joint.
    #[test]
    fn implicit_forward_dynamics_is_the_dense_augmented_solve(
        s in Trees::default().systems(),
        dt in 1e-3..0.05,
    ) {
        let mut data = Data::new(&s.model);
        let (rhs, size) = right_side(&s, &mut data, dt);
        let h = Dense::mass_matrix(&s.model, &s.state, &mut data)
            .with_implicit(&s.model, &data, &s.forces, dt);
        let expected = h.solve(&rhs);
        aba_implicit(&s.model, &s.state, &mut data, &s.forces, dt);
        let found = &data.dynamics.acceleration;
        let gap = motion_gap(&h, found, &expected);
        let allowed = h.bound(ROUNDING, &expected, &size);
        prop_assert!(gap <= allowed, "{gap:e} of {allowed:e}");
    }

    /// Without gains implicit forward dynamics is forward dynamics.
    #[test]
    fn implicit_forward_dynamics_without_gains_is_the_explicit_one(mut s in Trees::default().systems()) {
        let mut data = Data::new(&s.model);
        s.forces.joint_gain.fill(0.0);
        s.forces.implicit.clear();
        aba(&s.model, &s.state, &mut data, &s.forces);
        let expected = data.dynamics.acceleration.clone();
        aba_implicit(&s.model, &s.state, &mut data, &s.forces, 0.01);
        prop_assert_eq!(&data.dynamics.acceleration, &expected);
    }

    /// After an implicit run impulses meet the augmented inertia: `Δv = (H + dt b + dt Σ JᵀBJ)⁻¹ Jᵀ λ`.
    #[test]
    fn impulse_response_meets_the_augmented_inertia(
        s in Trees::default().systems(),
        choice in any::<usize>(),
        dt in 1e-3..0.05,
    ) {
        let mut data = Data::new(&s.model);
        let body = s.model.body_ids().iter().nth(choice % s.model.n_bodies()).expect("index in range");
        let impulse = s.forces.body[body.index()];
        aba_implicit(&s.model, &s.state, &mut data, &s.forces, dt);
        let mut found = vec![0.0; s.model.n_v()];
        impulse_response(&s.model, &mut data, body, impulse, &mut found);
        let columns = jacobian(&s.model, &data, body);
        let rhs: Vec<f64> = columns.iter().map(|c| c.dot(impulse)).collect();
        let size: Vec<f64> = columns.iter().map(|c| {
            c.angular.length() * impulse.angular.length() + c.linear.length() * impulse.linear.length()
        }).collect();
        let h = Dense::mass_matrix(&s.model, &s.state, &mut data)
            .with_implicit(&s.model, &data, &s.forces, dt);
        let expected = h.solve(&rhs);
        let gap = motion_gap(&h, &found, &expected);
        let allowed = h.bound(ROUNDING, &expected, &size);
        prop_assert!(gap <= allowed, "{gap:e} of {allowed:e}");
    }

    /// A body held by an ever stiffer implicit damper comes to rest within the step.
    #[test]
    fn huge_gains_stop_what_they_hold(s in Trees::default().gravity(0.0).rates(1.0).systems()) {
        let mut data = Data::new(&s.model);
        let mut forces = Forces::new(&s.model);
        forces.joint_gain.fill(1e12);
        let dt = 1.0 / 120.0;
        aba_implicit(&s.model, &s.state, &mut data, &forces, dt);
        let next = s.state.v.iter().zip(&data.dynamics.acceleration).map(|(v, a)| v + dt * a);
        // What is left is of the order inertia / (dt gain), at most 1e5 kg / 1e10.
        prop_assert!(largest(next) <= 1e-3 * largest(s.state.v.iter().copied()).max(1e-3));
    }

    /// A stable PD servo (Tan, Liu, Turk 2011) of any gain at 120 Hz: the servo's spring energy and the
    /// kinetic energy together never exceed what the spring held at the start. An explicit servo of these
    /// gains multiplies its energy every step.
    #[test]
    fn implicit_servo_is_stable_for_any_gain_at_120_hz(
        s in Trees::plain().bodies(1..=4).gravity(0.0).systems(),
        log_stiffness in 0.0..8.0_f64,
        log_ratio in -3.0..0.0_f64,
    ) {
        let dt = 1.0 / 120.0;
        let (kp, kd) = (10_f64.powf(log_stiffness), 10_f64.powf(log_stiffness + log_ratio));
        let model = &s.model;
        let target = s.state.clone();
        let mut state = target.clone();
        // Start at rest a quarter of the pose away.
        let away: Vec<f64> = s.acceleration.iter().map(|a| a / 80.0).collect();
        state.integrate(model, &away, 1.0);
        state.v.fill(0.0);
        let (mut data, mut stepper) = (Data::new(model), Stepper::new(model));
        let mut x = vec![0.0; model.n_v()];
        state.difference(model, &target, &mut x);
        let start = 0.5 * kp * x.iter().map(|x| x * x).sum::<f64>();
        for _ in 0..120 {
            stepper.step(model, &mut state, &mut data, Integrator::ImplicitVelocity, dt, |now, forces| {
                now.difference(model, &target, &mut x);
                for k in 0..x.len() {
                    forces.joint[k] = kp * x[k];
                    forces.joint_gain[k] = kd + dt * kp;
                }
            });
            forward_kinematics(model, &state, &mut data);
            stuntlab_physics::dynamics::forward_velocity(model, &state, &mut data);
            state.difference(model, &target, &mut x);
            let energy = 0.5 * kp * x.iter().map(|x| x * x).sum::<f64>()
                + stuntlab_physics::dynamics::kinetic_energy(model, &data, &state.v);
            prop_assert!(energy <= start * 1.0001, "{energy} J from {start} J");
        }
    }
}
