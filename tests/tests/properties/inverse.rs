//! Inverse dynamics and the mass matrix.

use proptest::prelude::*;
use stuntlab_physics::dynamics::{
    bias_force, factorize, forward_kinematics, gravity_force, rnea, rnea_with_wrenches, solve,
};
use stuntlab_physics::strategies::{System, Trees};
use stuntlab_physics::{Data, Model, State};
use stuntlab_tests::compare::{
    force_gap, force_scale, force_size, largest, motion_gap, motion_size, state_with,
};
use stuntlab_tests::dense::{Dense, jacobian};
use stuntlab_tests::laws;

use super::ROUNDING;

fn inverse(model: &Model, state: &State, data: &mut Data, acceleration: &[f64]) -> Vec<f64> {
    rnea(model, state, data, acceleration);
    data.dynamics.joint_force.clone()
}

proptest! {
    #![proptest_config(laws())]

    /// `H a + C = rnea(a)`.
    #[test]
    fn mass_matrix_times_acceleration_plus_bias_is_inverse_dynamics(s in Trees::default().systems()) {
        let System { model, state, acceleration, .. } = s;
        let mut data = Data::new(&model);
        let expected = inverse(&model, &state, &mut data, &acceleration);
        let mut bias = vec![0.0; model.n_v()];
        bias_force(&model, &state, &mut data, &mut bias);
        let h = Dense::mass_matrix(&model, &state, &mut data);
        let found: Vec<f64> = h.times(&acceleration).iter().zip(&bias).map(|(a, b)| a + b).collect();
        let scale = force_scale(&model, &state, &mut data, &acceleration, &[]);
        prop_assert!(force_gap(&h, &found, &expected) <= ROUNDING * force_size(&h, &scale));
    }

    /// The matrix whose columns are `rnea(e_i) - rnea(0)` at rest is symmetric: an independent route to
    /// the one CRBA fills, entry by entry.
    #[test]
    fn mass_matrix_is_the_symmetric_one_of_inverse_dynamics(s in Trees::default().systems()) {
        let System { model, state, .. } = s;
        let n = model.n_v();
        let mut data = Data::new(&model);
        let h = Dense::mass_matrix(&model, &state, &mut data);
        let still = state_with(&state, &vec![0.0; n]);
        let weight = inverse(&model, &still, &mut data, &vec![0.0; n]);
        let sizes = h.sizes();
        for i in 0..n {
            // An acceleration of unit energy, so that columns are alike.
            let mut unit = vec![0.0; n];
            unit[i] = 1.0 / sizes[i];
            let column = inverse(&model, &still, &mut data, &unit);
            let scale = force_scale(&model, &still, &mut data, &unit, &[]);
            let allowed = ROUNDING * force_size(&h, &scale);
            for j in 0..n {
                let found = (column[j] - weight[j]) / sizes[j];
                let wanted = h.get(i, j) / (sizes[i] * sizes[j]);
                prop_assert!((found - wanted).abs() <= allowed, "({i}, {j}): {found} and {wanted}");
                prop_assert_eq!(h.get(i, j), h.get(j, i));
            }
        }
    }

    /// `H > 0`: every motion has energy.
    #[test]
    fn mass_matrix_is_positive_definite(s in Trees::default().systems()) {
        let System { model, state, .. } = s;
        let h = Dense::mass_matrix(&model, &state, &mut Data::new(&model));
        prop_assert!(h.scaled().cholesky().is_some());
    }

    /// The sparse factors solve as a dense Cholesky does. Both are backward stable, so they differ by
    /// rounding times the condition of the matrix.
    #[test]
    fn sparse_factorisation_solves_as_dense_cholesky(s in Trees::default().systems()) {
        let System { model, state, forces, .. } = s;
        let mut data = Data::new(&model);
        let h = Dense::mass_matrix(&model, &state, &mut data);
        factorize(&model, &mut data);
        let mut x = forces.joint.clone();
        solve(&model, &data, &mut x);
        let expected = h.solve(&forces.joint);
        let allowed = h.bound(ROUNDING, &expected, &forces.joint);
        prop_assert!(motion_gap(&h, &x, &expected) <= allowed);
    }

    /// The same on chains of 20 to 40 bodies.
    #[test]
    fn sparse_factorisation_solves_long_chains(s in Trees::long_chains().systems()) {
        let System { model, state, forces, .. } = s;
        let mut data = Data::new(&model);
        let h = Dense::mass_matrix(&model, &state, &mut data);
        factorize(&model, &mut data);
        let mut x = forces.joint.clone();
        solve(&model, &data, &mut x);
        let back = h.times(&x);
        // The residual does not know the condition number.
        let size = motion_size(&h, &x) * h.n as f64 + force_size(&h, &forces.joint);
        prop_assert!(force_gap(&h, &back, &forces.joint) <= ROUNDING * size);
    }

    /// At rest the bias force is the weight.
    #[test]
    fn bias_force_at_rest_is_the_gravity_force(s in Trees::default().systems()) {
        let System { model, state, .. } = s;
        let mut data = Data::new(&model);
        let still = state_with(&state, &vec![0.0; model.n_v()]);
        let (mut bias, mut weight) = (vec![0.0; model.n_v()], vec![0.0; model.n_v()]);
        bias_force(&model, &still, &mut data, &mut bias);
        gravity_force(&model, &state, &mut data, &mut weight);
        let h = Dense::mass_matrix(&model, &state, &mut data);
        let scale = force_scale(&model, &still, &mut data, &vec![0.0; model.n_v()], &[]);
        prop_assert!(force_gap(&h, &bias, &weight) <= ROUNDING * force_size(&h, &scale));
    }

    /// Coriolis and centrifugal forces are quadratic in the rates: `C(3v) - G = 9 (C(v) - G)`.
    #[test]
    fn velocity_forces_are_quadratic_in_the_rates(s in Trees::default().systems()) {
        let System { model, state, .. } = s;
        let n = model.n_v();
        let mut data = Data::new(&model);
        let fast = state_with(&state, &state.v.iter().map(|v| 3.0 * v).collect::<Vec<_>>());
        let (mut once, mut thrice, mut weight) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        bias_force(&model, &state, &mut data, &mut once);
        bias_force(&model, &fast, &mut data, &mut thrice);
        gravity_force(&model, &state, &mut data, &mut weight);
        let found: Vec<f64> = (0..n).map(|i| thrice[i] - weight[i]).collect();
        let expected: Vec<f64> = (0..n).map(|i| 9.0 * (once[i] - weight[i])).collect();
        let h = Dense::mass_matrix(&model, &state, &mut data);
        let scale = force_scale(&model, &fast, &mut data, &vec![0.0; n], &[]);
        prop_assert!(force_gap(&h, &found, &expected) <= 9.0 * ROUNDING * force_size(&h, &scale));
    }

    /// A wrench on a body takes `Jᵀ f` off the joint forces.
    #[test]
    fn wrenches_count_by_the_transposed_jacobian(s in Trees::default().systems()) {
        let System { model, state, acceleration, forces } = s;
        let mut data = Data::new(&model);
        let mut expected = inverse(&model, &state, &mut data, &acceleration);
        rnea_with_wrenches(&model, &state, &mut data, &acceleration, &forces.body);
        let found = data.dynamics.joint_force.clone();
        forward_kinematics(&model, &state, &mut data);
        for body in model.body_ids() {
            let columns = jacobian(&model, &data, body);
            for (e, column) in expected.iter_mut().zip(&columns) {
                *e -= column.dot(forces.body[body.index()]);
            }
        }
        let h = Dense::mass_matrix(&model, &state, &mut data);
        let scale = force_scale(&model, &state, &mut data, &acceleration, &forces.body);
        prop_assert!(force_gap(&h, &found, &expected) <= ROUNDING * force_size(&h, &scale));
    }

    /// Rerunning gives the same bits, whatever was computed in between.
    #[test]
    fn results_are_the_same_bits_on_every_rerun(s in Trees::default().systems()) {
        let System { model, state, acceleration, .. } = s;
        let mut data = Data::new(&model);
        let first = inverse(&model, &state, &mut data, &acceleration);
        let fast = state_with(&state, &state.v.iter().map(|v| 3.0 * v).collect::<Vec<_>>());
        inverse(&model, &fast, &mut data, &acceleration);
        let again = inverse(&model, &state, &mut data, &acceleration);
        prop_assert!(first.iter().zip(&again).all(|(a, b)| a.to_bits() == b.to_bits()));
        prop_assert!(largest(first) < f64::INFINITY);
    }
}
