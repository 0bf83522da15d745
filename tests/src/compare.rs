//! Comparing numbers of different sizes and units.
//!
//! Freedoms of one model differ in unit (rad, m) and in inertia by many orders. With `s_i = √H_ii` the
//! products `s_i q̈_i` and quotients `τ_i / s_i` all have the unit √(J/s²), so these are compared, by
//! largest entry.
//!
//! Rounding enters a recursion through the largest number that takes part in a sum, not through the
//! result: [`force_scale`] adds up what passes each joint without letting anything cancel.

use stuntlab_physics::dynamics::rnea;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::{Force, Motion};
use stuntlab_physics::{Data, JointKind, Model, State};

use crate::dense::Dense;

/// Largest absolute entry.
pub fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(0.0, |most, x| if x.is_nan() { f64::INFINITY } else { most.max(x.abs()) })
}

/// Largest difference of accelerations or rates, in units where inertias are one.
pub fn motion_gap(h: &Dense, found: &[f64], expected: &[f64]) -> f64 {
    let sizes = h.sizes();
    largest(found.iter().zip(expected).zip(&sizes).map(|((a, b), s)| (a - b) * s))
}

/// Largest acceleration or rate in units where inertias are one.
pub fn motion_size(h: &Dense, x: &[f64]) -> f64 {
    largest(x.iter().zip(h.sizes()).map(|(x, s)| x * s))
}

/// Largest difference of joint forces, in units where inertias are one.
pub fn force_gap(h: &Dense, found: &[f64], expected: &[f64]) -> f64 {
    let sizes = h.sizes();
    largest(found.iter().zip(expected).zip(&sizes).map(|((a, b), s)| (a - b) / s))
}

/// Largest joint force in units where inertias are one.
pub fn force_size(h: &Dense, x: &[f64]) -> f64 {
    largest(x.iter().zip(h.sizes()).map(|(x, s)| x / s))
}

/// For every freedom the size of all that passes its joint in inverse dynamics, with nothing cancelling:
/// the number that rounding errors of joint forces are relative to.
pub fn force_scale(
    model: &Model,
    state: &State,
    data: &mut Data,
    acceleration: &[f64],
    wrenches: &[Force],
) -> Vec<f64> {
    let still = state_with(state, &vec![0.0; model.n_v()]);
    let mut total = vec![0.0; model.n_v()];
    // Gravity with acceleration, and velocity terms: two runs whose sums could cancel each other.
    for (state, acceleration) in
        [(state, acceleration), (&still, acceleration), (state, &vec![0.0; model.n_v()])]
    {
        rnea(model, state, data, acceleration);
        let n = model.n_bodies();
        let mut own: Vec<Force> = data.dynamics.body_force.clone();
        for (i, body) in model.bodies().iter().enumerate() {
            if let Some(p) = body.parent() {
                let passed = data.dynamics.body_force[i].seen_from(data.position.offset[i]);
                own[p.index()] -= passed;
            }
        }
        let mut sums: Vec<(f64, f64)> = own.iter().map(|f| (f.angular.length(), f.linear.length())).collect();
        for (sum, wrench) in sums.iter_mut().zip(wrenches) {
            *sum = (sum.0 + wrench.angular.length(), sum.1 + wrench.linear.length());
        }
        for i in (0..n).rev() {
            let body = &model.bodies()[i];
            let (angular, linear) = sums[i];
            let slides = match body.joint().kind {
                JointKind::Prismatic { .. } => 1,
                JointKind::Planar => 2,
                JointKind::Free => 3,
                _ => 0,
            };
            for (k, dof) in body.v_range().enumerate() {
                total[dof] += if k < slides { linear } else { angular };
                total[dof] += body.joint().armature[k] * acceleration[dof].abs();
            }
            if let Some(p) = body.parent() {
                let arm = data.position.offset[i].length();
                sums[p.index()].0 += angular + arm * linear;
                sums[p.index()].1 += linear;
            }
        }
    }
    total
}

/// The same positions with other rates.
pub fn state_with(state: &State, v: &[f64]) -> State {
    State { v: v.to_vec(), ..state.clone() }
}

/// Largest component of the difference of two motions (angular and linear alike), relative to `size`.
pub fn body_gap(a: Motion, b: Motion) -> f64 {
    largest((a - b).to_array())
}

/// Length of the longer of two vectors, at least `floor`.
pub fn longer(a: DVec3, b: DVec3, floor: f64) -> f64 {
    a.length().max(b.length()).max(floor)
}
