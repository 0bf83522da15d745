//! Poses, velocities, accelerations and Jacobians.

use proptest::prelude::*;
use stuntlab_physics::dynamics::{forward_kinematics, forward_velocity, point_jacobian, rnea};
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::{Motion, rotation};
use stuntlab_physics::strategies::{System, Trees};
use stuntlab_physics::{Data, Integrator, JointKind, Model, State, Stepper};
use stuntlab_tests::compare::{body_gap, largest};
use stuntlab_tests::dense::jacobian;
use stuntlab_tests::{laws, surgery};

use super::{EPS, ROUNDING};

/// Data with poses and velocities of `state`.
fn moved(model: &Model, state: &State) -> Data {
    let mut data = Data::new(model);
    forward_kinematics(model, state, &mut data);
    forward_velocity(model, state, &mut data);
    data
}

/// Velocity of body `i` by the central difference of its pose along `q ⊕ ±h v`.
fn difference_of_poses(model: &Model, state: &State, v: &[f64], i: usize, h: f64) -> Motion {
    let pose = |dt: f64| {
        let mut other = state.clone();
        other.integrate(model, v, dt);
        moved(model, &other).position.world_from_body[i]
    };
    let (a, b) = (pose(-h), pose(h));
    let turn = b.quaternion() * a.quaternion().conjugate();
    Motion::new(rotation::log(turn) / (2.0 * h), (b.translation - a.translation) / (2.0 * h))
}

proptest! {
    #![proptest_config(laws())]

    /// Columns of the Jacobian are derivatives of the pose. Central differences with h = 1e-5 err by
    /// h² (third derivatives of order one per joint) and by rounding / h.
    #[test]
    fn jacobian_is_the_derivative_of_the_pose(
        s in Trees::plain().systems(),
        choice in any::<usize>(),
        offset in prop::array::uniform3(-0.5..0.5),
    ) {
        let System { model, state, .. } = s;
        let h = 1e-5;
        let i = choice % model.n_bodies();
        let body = model.body_ids().iter().nth(i).expect("index in range");
        let data = moved(&model, &state);
        let point_body = DVec3::from_array(offset);
        let arm = data.world_from_body(body).rotation * point_body;
        let mut columns = vec![Motion::ZERO; model.n_v()];
        point_jacobian(&model, &data, body, data.world_from_body(body).transform_point(point_body), &mut columns);
        for k in 0..model.n_v() {
            let mut unit = vec![0.0; model.n_v()];
            unit[k] = 1.0;
            let found = difference_of_poses(&model, &state, &unit, i, h).at(arm);
            prop_assert!(body_gap(found, columns[k]) <= 1e-8, "freedom {k}: {found:?} {:?}", columns[k]);
        }
    }

    /// Body velocities are `J v`.
    #[test]
    fn body_velocity_is_jacobian_times_rates(s in Trees::default().systems()) {
        let System { model, state, .. } = s;
        let data = moved(&model, &state);
        for body in model.body_ids() {
            let (mut sum, mut size) = (Motion::ZERO, 0.0);
            for (c, &v) in jacobian(&model, &data, body).iter().zip(&state.v) {
                sum += *c * v;
                size += largest(c.to_array()) * v.abs();
            }
            prop_assert!(body_gap(sum, data.body_velocity(body)) <= ROUNDING * size);
        }
    }

    /// Body accelerations of inverse dynamics are derivatives of body velocities along
    /// `q ⊕ ±h v, v ± h a`.
    #[test]
    fn body_acceleration_is_the_derivative_of_body_velocity(s in Trees::plain().systems()) {
        let System { model, state, acceleration, .. } = s;
        let h = 1e-5;
        let mut data = Data::new(&model);
        rnea(&model, &state, &mut data, &acceleration);
        let expected = surgery::body_accelerations(&model, &data);
        let at = |dt: f64| {
            let mut other = state.clone();
            other.integrate(&model, &state.v, dt);
            other.v.iter_mut().zip(&acceleration).for_each(|(v, a)| *v += dt * a);
            moved(&model, &other)
        };
        let (before, after) = (at(-h), at(h));
        for i in 0..model.n_bodies() {
            let found = (after.velocity.body[i] - before.velocity.body[i]) * (0.5 / h);
            let size = largest(found.to_array()).max(1.0);
            // h² times third derivatives (rates² times accelerations, summed along the chain).
            prop_assert!(body_gap(found, expected[i]) <= 1e-7 * size, "{found:?} {:?}", expected[i]);
        }
    }

    /// Joints that only turn keep the child's origin on the parent's anchor, after 60 steps of any
    /// integrator as at the start: reduced coordinates cannot drift apart.
    #[test]
    fn child_anchors_stay_on_their_parents(
        s in Trees::plain().systems(),
        integrator in prop::sample::select(&Integrator::ALL[..]),
    ) {
        let System { model, mut state, .. } = s;
        let (mut data, mut stepper) = (Data::new(&model), Stepper::new(&model));
        for _ in 0..60 {
            stepper.step(&model, &mut state, &mut data, integrator, 1.0 / 240.0, |_, _| {});
        }
        let data = moved(&model, &state);
        for (i, body) in model.bodies().iter().enumerate() {
            let Some(parent) = body.parent() else { continue };
            let joint = body.joint();
            let slides = matches!(
                joint.kind,
                JointKind::Prismatic { .. } | JointKind::Planar | JointKind::Free
            );
            if !slides {
                let anchor = data.world_from_body(parent).transform_point(joint.parent_from_joint.translation);
                let gap = (anchor - data.position.world_from_body[i].translation).length();
                prop_assert!(gap <= 10.0 * EPS * (1.0 + anchor.length()), "{}: {gap}", body.name());
            }
        }
    }

    /// `(q ⊕ w) ⊖ q = w` for turns below π, and `q ⊕ (p ⊖ q) = p` as poses.
    #[test]
    fn difference_undoes_integrate(s in Trees::default().systems(), scale in 0.0..0.08) {
        let System { model, state, acceleration, .. } = s;
        // At most 20·0.08 in each of three axes: 2.8 rad.
        let w: Vec<f64> = acceleration.iter().map(|a| a * scale).collect();
        let mut there = state.clone();
        there.integrate(&model, &w, 1.0);
        let mut found = vec![0.0; model.n_v()];
        state.difference(&model, &there, &mut found);
        let gap = largest(found.iter().zip(&w).map(|(a, b)| a - b));
        prop_assert!(gap <= 20.0 * EPS * (1.0 + largest(state.q.iter().chain(&there.q).copied())), "{gap:e}");
        let mut back = state.clone();
        back.integrate(&model, &found, 1.0);
        let (a, b) = (moved(&model, &back), moved(&model, &there));
        for (a, b) in a.position.world_from_body.iter().zip(&b.position.world_from_body) {
            prop_assert!((a.translation - b.translation).length() <= ROUNDING * (1.0 + b.translation.length()));
            prop_assert!(a.rotation.abs_diff_eq(b.rotation, ROUNDING));
        }
    }

    /// Every pose is a rotation, whatever the state.
    #[test]
    fn poses_are_rotations(s in Trees::default().systems()) {
        let data = moved(&s.model, &s.state);
        for pose in &data.position.world_from_body {
            let gram = pose.rotation.transpose() * pose.rotation;
            prop_assert!(gram.abs_diff_eq(stuntlab_physics::glam::DMat3::IDENTITY, ROUNDING));
            prop_assert!(pose.rotation.determinant() > 0.0);
        }
    }
}
