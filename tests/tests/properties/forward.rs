//! Forward dynamics, hybrid dynamics and impulses.

use proptest::prelude::*;
use stuntlab_physics::dynamics::{aba, hybrid, impulse_response, impulses_response, rnea_with_wrenches};
use stuntlab_physics::strategies::{System, Trees};
use stuntlab_physics::{BodyId, Data, Forces};
use stuntlab_tests::chains::{allowed, undone};
use stuntlab_tests::compare::{force_gap, force_scale, force_size, motion_gap};
use stuntlab_tests::dense::{Dense, jacobian};
use stuntlab_tests::laws;

use super::ROUNDING;

/// The joint forces for accelerations, wrenches included.
fn inverse(s: &System, data: &mut Data, acceleration: &[f64]) -> Vec<f64> {
    rnea_with_wrenches(&s.model, &s.state, data, acceleration, &s.forces.body);
    data.dynamics.joint_force.clone()
}

/// Accelerations under the system's forces, implicit terms left out.
fn forward(s: &System, data: &mut Data) -> Vec<f64> {
    aba(&s.model, &s.state, data, &s.forces);
    data.dynamics.acceleration.clone()
}

/// The body a law picks.
fn pick(s: &System, choice: usize) -> BodyId {
    s.model.body_ids().iter().nth(choice % s.model.n_bodies()).expect("index in range")
}

proptest! {
    #![proptest_config(laws())]

    /// `aba(rnea(a)) = a`.
    #[test]
    fn forward_dynamics_undoes_inverse_dynamics(mut s in Trees::default().systems()) {
        let (gap, allowed) = undone(&mut s);
        prop_assert!(gap <= allowed, "{gap:e} of {allowed:e}");
    }

    /// `rnea(aba(τ)) = τ`.
    #[test]
    fn inverse_dynamics_undoes_forward_dynamics(s in Trees::default().systems()) {
        let mut data = Data::new(&s.model);
        let a = forward(&s, &mut data);
        let found = inverse(&s, &mut data, &a);
        let h = Dense::mass_matrix(&s.model, &s.state, &mut data);
        let gap = force_gap(&h, &found, &s.forces.joint);
        let allowed = allowed(&s, &mut data, &h, &a);
        prop_assert!(gap <= allowed, "{gap:e} of {allowed:e}");
    }

    /// The same on chains of 20 to 40 bodies.
    #[test]
    fn forward_dynamics_undoes_inverse_dynamics_on_long_chains(mut s in Trees::long_chains().systems()) {
        let (gap, allowed) = undone(&mut s);
        prop_assert!(gap <= allowed, "{gap:e} of {allowed:e}");
    }

    /// Hybrid dynamics with nothing prescribed is ABA, to the bit, and reports the given forces.
    #[test]
    fn hybrid_with_nothing_prescribed_is_forward_dynamics(mut s in Trees::default().systems()) {
        let mut data = Data::new(&s.model);
        s.forces.joint_gain.fill(0.0);
        let expected = forward(&s, &mut data);
        let none = vec![false; s.model.n_bodies()];
        hybrid(&s.model, &s.state, &mut data, &s.forces, &none, 0.0);
        prop_assert_eq!(&data.dynamics.acceleration, &expected);
        prop_assert_eq!(&data.dynamics.joint_force, &s.forces.joint);
    }

    /// Hybrid dynamics with everything prescribed is RNEA.
    #[test]
    fn hybrid_with_everything_prescribed_is_inverse_dynamics(s in Trees::default().systems()) {
        let mut data = Data::new(&s.model);
        let expected = inverse(&s, &mut data, &s.acceleration);
        data.dynamics.acceleration.copy_from_slice(&s.acceleration);
        let all = vec![true; s.model.n_bodies()];
        hybrid(&s.model, &s.state, &mut data, &s.forces, &all, 0.0);
        prop_assert_eq!(&data.dynamics.acceleration, &s.acceleration);
        let found = data.dynamics.joint_force.clone();
        let h = Dense::mass_matrix(&s.model, &s.state, &mut data);
        let scale = force_scale(&s.model, &s.state, &mut data, &s.acceleration, &s.forces.body);
        prop_assert!(force_gap(&h, &found, &expected) <= ROUNDING * force_size(&h, &scale));
    }

    /// Prescribing what would happen anyway changes nothing, and takes the given forces.
    #[test]
    fn prescribing_what_happens_anyway_changes_nothing(
        mut s in Trees::default().systems(),
        flags in prop::collection::vec(any::<bool>(), 10),
    ) {
        let mut data = Data::new(&s.model);
        s.forces.joint_gain.fill(0.0);
        let expected = forward(&s, &mut data);
        hybrid(&s.model, &s.state, &mut data, &s.forces, &flags[..s.model.n_bodies()], 0.0);
        let (a, tau) = (data.dynamics.acceleration.clone(), data.dynamics.joint_force.clone());
        let h = Dense::mass_matrix(&s.model, &s.state, &mut data);
        let allowed = allowed(&s, &mut data, &h, &expected);
        prop_assert!(motion_gap(&h, &a, &expected) <= allowed);
        prop_assert!(force_gap(&h, &tau, &s.forces.joint) <= allowed);
    }

    /// Whatever is prescribed, the outcome satisfies the equations of motion: `rnea(a) = τ`, prescribed
    /// accelerations and given forces are kept.
    #[test]
    fn hybrid_satisfies_the_equations_of_motion(
        mut s in Trees::default().systems(),
        flags in prop::collection::vec(any::<bool>(), 10),
    ) {
        let mut data = Data::new(&s.model);
        s.forces.joint_gain.fill(0.0);
        data.dynamics.acceleration.copy_from_slice(&s.acceleration);
        hybrid(&s.model, &s.state, &mut data, &s.forces, &flags[..s.model.n_bodies()], 0.0);
        let (a, tau) = (data.dynamics.acceleration.clone(), data.dynamics.joint_force.clone());
        for (body, &prescribed) in s.model.bodies().iter().zip(&flags) {
            let k = body.freedoms();
            if prescribed {
                prop_assert_eq!(&a[k], &s.acceleration[k]);
            } else {
                prop_assert_eq!(&tau[k], &s.forces.joint[k]);
            }
        }
        let found = inverse(&s, &mut data, &a);
        let h = Dense::mass_matrix(&s.model, &s.state, &mut data);
        let gap = force_gap(&h, &found, &tau);
        let allowed = allowed(&s, &mut data, &h, &a);
        prop_assert!(gap <= allowed, "{gap:e} of {allowed:e}");
    }

    /// `Δv = H⁻¹ Jᵀ λ` for an impulse on any body.
    #[test]
    fn impulse_response_is_inverse_mass_times_transposed_jacobian(
        s in Trees::default().systems(),
        choice in any::<usize>(),
    ) {
        let mut data = Data::new(&s.model);
        let body = pick(&s, choice);
        let impulse = s.forces.body[body.index()];
        forward(&s, &mut data);
        let mut found = vec![0.0; s.model.n_v()];
        impulse_response(&s.model, &mut data, body, impulse, &mut found);
        let columns = jacobian(&s.model, &data, body);
        let rhs: Vec<f64> = columns.iter().map(|c| c.dot(impulse)).collect();
        // What takes part: the impulse with its lever arms, not only its part along the joints.
        let size: Vec<f64> = columns.iter().map(|c| {
            c.angular.length() * impulse.angular.length() + c.linear.length() * impulse.linear.length()
        }).collect();
        let h = Dense::mass_matrix(&s.model, &s.state, &mut data);
        let expected = h.solve(&rhs);
        let gap = motion_gap(&h, &found, &expected);
        let allowed = h.bound(ROUNDING, &expected, &size);
        prop_assert!(gap <= allowed, "{gap:e} of {allowed:e}");
    }

    /// Impulses on all bodies and joints at once are the sum: `Δv = H⁻¹ (τ + Σ Jᵀ λ)`.
    #[test]
    fn impulses_add_up(s in Trees::default().systems()) {
        let mut data = Data::new(&s.model);
        forward(&s, &mut data);
        let mut found = vec![0.0; s.model.n_v()];
        impulses_response(&s.model, &mut data, &s.forces.body, &s.forces.joint, &mut found);
        let mut rhs = s.forces.joint.clone();
        let mut size: Vec<f64> = rhs.iter().map(|x| x.abs()).collect();
        for body in s.model.body_ids() {
            let f = s.forces.body[body.index()];
            for (k, c) in jacobian(&s.model, &data, body).iter().enumerate() {
                rhs[k] += c.dot(f);
                size[k] += c.angular.length() * f.angular.length() + c.linear.length() * f.linear.length();
            }
        }
        let h = Dense::mass_matrix(&s.model, &s.state, &mut data);
        let expected = h.solve(&rhs);
        let gap = motion_gap(&h, &found, &expected);
        let allowed = h.bound(ROUNDING, &expected, &size);
        prop_assert!(gap <= allowed, "{gap:e} of {allowed:e}");
    }

    /// After a hybrid run an impulse moves the free joints only, as if the prescribed ones were welded.
    #[test]
    fn impulse_response_after_hybrid_leaves_prescribed_joints_alone(
        mut s in Trees::default().systems(),
        flags in prop::collection::vec(any::<bool>(), 10),
        choice in any::<usize>(),
    ) {
        let mut data = Data::new(&s.model);
        s.forces.joint_gain.fill(0.0);
        hybrid(&s.model, &s.state, &mut data, &s.forces, &flags[..s.model.n_bodies()], 0.0);
        let body = pick(&s, choice);
        let impulse = s.forces.body[body.index()];
        let mut found = vec![0.0; s.model.n_v()];
        impulse_response(&s.model, &mut data, body, impulse, &mut found);
        let columns = jacobian(&s.model, &data, body);
        let mut rhs: Vec<f64> = columns.iter().map(|c| c.dot(impulse)).collect();
        let mut size: Vec<f64> = columns.iter().map(|c| {
            c.angular.length() * impulse.angular.length() + c.linear.length() * impulse.linear.length()
        }).collect();
        // The dense way: rows and columns of prescribed freedoms become those of the unit matrix.
        let mut h = Dense::mass_matrix(&s.model, &s.state, &mut data);
        for (owner, _) in s.model.bodies().iter().zip(&flags).filter(|(_, f)| **f) {
            for k in owner.freedoms() {
                for j in 0..h.n {
                    (*h.at(k.index(), j), *h.at(j, k.index())) = (0.0, 0.0);
                }
                *h.at(k.index(), k.index()) = 1.0;
                (rhs[k], size[k]) = (0.0, 0.0);
                prop_assert_eq!(found[k], 0.0);
            }
        }
        let expected = h.solve(&rhs);
        let gap = motion_gap(&h, &found, &expected);
        let allowed = h.bound(ROUNDING, &expected, &size);
        prop_assert!(gap <= allowed, "{gap:e} of {allowed:e}");
    }

    /// Accelerations are linear in the forces: twice the difference to no force for twice the force.
    #[test]
    fn accelerations_are_linear_in_the_forces(s in Trees::default().systems()) {
        let mut data = Data::new(&s.model);
        let once = forward(&s, &mut data);
        let mut double = s.forces.clone();
        double.joint.iter_mut().for_each(|f| *f *= 2.0);
        double.body.iter_mut().for_each(|f| *f = *f * 2.0);
        aba(&s.model, &s.state, &mut data, &double);
        let twice = data.dynamics.acceleration.clone();
        aba(&s.model, &s.state, &mut data, &Forces::new(&s.model));
        let never = data.dynamics.acceleration.clone();
        let found: Vec<f64> = twice.iter().zip(&never).map(|(a, b)| a - b).collect();
        let expected: Vec<f64> = once.iter().zip(&never).map(|(a, b)| 2.0 * (a - b)).collect();
        let h = Dense::mass_matrix(&s.model, &s.state, &mut data);
        let allowed = allowed(&s, &mut data, &h, &once) + allowed(&s, &mut data, &h, &never);
        prop_assert!(motion_gap(&h, &found, &expected) <= 2.0 * allowed);
    }
}
