//! Random states and forces.

use glam::{DQuat, DVec3};
use proptest::array::uniform6;
use proptest::collection::vec;
use proptest::prelude::*;

use super::inertia::{gains, rotations, vectors};
use crate::forces::{Forces, ImplicitForce};
use crate::model::{Body, JointKind, Limits, Model};
use crate::spatial::{Force, rotation};
use crate::state::State;

/// One body's share of a system's state and forces, before it is known which joint it has.
#[derive(Clone, Debug)]
pub(super) struct Share {
    pose: [f64; 6],
    rotation: DQuat,
    at_limit: Option<bool>,
    rate: [f64; 6],
    pub(super) acceleration: [f64; 6],
    torque: [f64; 6],
    wrench: Force,
    implicit: Option<ImplicitForce>,
    gain: [f64; 6],
}

/// Sizes that go with [`Share`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    /// Whether to mix in extremes.
    pub(super) nasty: bool,
    /// Ordinary size of rates, rad/s and m/s.
    pub(super) rate: f64,
}

pub(super) fn shares(sizes: Sizes) -> impl Strategy<Value = Share> {
    let (odd, even) = if sizes.nasty { (1, 4) } else { (0, 1) };
    // proptest refuses weight zero: an impossible choice is left out instead.
    let pick = move |common: f64, rare: [f64; 2]| -> BoxedStrategy<f64> {
        if odd == 0 {
            Just(common).boxed()
        } else {
            prop_oneof![even => Just(common), odd => Just(rare[0]), odd => Just(rare[1])].boxed()
        }
    };
    let rotation = if sizes.nasty {
        rotations().boxed()
    } else {
        vectors(1.0).prop_map(rotation::exp).boxed() // at most √3 rad from the identity
    };
    let limit = if sizes.nasty {
        prop_oneof![3 => Just(None), 1 => any::<bool>().prop_map(Some)].boxed()
    } else {
        Just(None).boxed()
    };
    let rate = (pick(sizes.rate, [0.0, 10.0 * sizes.rate]), uniform6(-1.0..1.0))
        .prop_map(|(size, x): (f64, [f64; 6])| x.map(|x| x * size));
    // None, even ones, and ones of all sizes on one joint: 10⁻² to 10⁸.
    let gain = (pick(1.0, [0.0, 5.0]), uniform6(-1.0..1.0)).prop_map(|(spread, x): (f64, [f64; 6])| {
        x.map(|x| if spread == 0.0 { 0.0 } else { 10_f64.powf(3.0 + spread * x) })
    });
    let implicit = prop_oneof![
        2 => Just(None),
        1 => (vectors(20.0), vectors(50.0), gains())
            .prop_map(|(moment, force, gain)| Some(ImplicitForce { at_rest: Force::new(moment, force), gain })),
    ];
    let scaled = |size: f64| uniform6(-1.0..1.0).prop_map(move |x: [f64; 6]| x.map(|x| x * size));
    (
        (uniform6(-1.0..1.0), rotation, limit, rate),
        (scaled(20.0), scaled(20.0), vectors(5.0), vectors(20.0), implicit, gain),
    )
        .prop_map(
            |((pose, rotation, at_limit, rate), (acceleration, torque, moment, force, implicit, gain))| {
                let wrench = Force::new(moment, force);
                Share { pose, rotation, at_limit, rate, acceleration, torque, wrench, implicit, gain }
            },
        )
}

/// Puts a share's pose and rates into the state of the body's joint.
pub(super) fn set_state(body: &Body, share: &Share, state: &mut State) {
    let q = &mut state.q[body.q_range()];
    match body.joint.kind {
        JointKind::Spherical => q.copy_from_slice(&share.rotation.to_array()),
        JointKind::Free => {
            q[..3].copy_from_slice(&share.pose[..3]);
            q[3..].copy_from_slice(&share.rotation.to_array());
        }
        // Half metres for slides, up to two radians for turns.
        JointKind::Prismatic { .. } => q[0] = 0.5 * share.pose[0],
        JointKind::Planar => q.copy_from_slice(&[share.pose[0], share.pose[1], 2.0 * share.pose[2]]),
        _ => q.iter_mut().zip(&share.pose).for_each(|(q, x)| *q = 2.0 * x),
    }
    match (&body.joint.limits, share.at_limit) {
        (Limits::Unlimited, _) => {}
        (Limits::Range { lower, upper }, at_limit) => {
            for ((q, lo), hi) in q.iter_mut().zip(lower).zip(upper) {
                *q = match at_limit {
                    Some(true) => hi - 1e-9 * (hi - lo),
                    Some(false) => lo + 1e-9 * (hi - lo),
                    None => lo + (hi - lo) * (0.5 + 0.25 * *q),
                };
            }
        }
        (Limits::Ellipse { center, radius }, at_limit) => {
            let way = DVec3::new(share.pose[0], share.pose[1], 0.0).try_normalize().unwrap_or(DVec3::X);
            let far = if at_limit.is_some() { 1.0 - 1e-9 } else { share.pose[2].abs() };
            (q[0], q[1]) = (center[0] + radius[0] * far * way.x, center[1] + radius[1] * far * way.y);
        }
        (Limits::SwingTwist { parent_frame, child_frame, swing, twist }, at_limit) => {
            let way = DVec3::new(share.pose[0], share.pose[1], 0.0).try_normalize().unwrap_or(DVec3::X);
            let far = if at_limit.is_some() { 1.0 - 1e-9 } else { share.pose[2].abs() };
            let swung = rotation::exp(DVec3::new(swing[0] * way.x, swing[1] * way.y, 0.0) * far);
            let turn = twist[0] + (twist[1] - twist[0]) * (0.5 + 0.5 * share.pose[3]);
            let relative = swung * rotation::exp(DVec3::Z * turn);
            let rotation = (*parent_frame * relative * child_frame.conjugate()).normalize();
            q.copy_from_slice(&rotation.to_array());
        }
    }
    let v = &mut state.v[body.v_range()];
    v.iter_mut().zip(&share.rate).for_each(|(v, x)| *v = *x);
}

/// Puts a share's torques, wrench and implicit terms into the forces.
pub(super) fn set_forces(model: &Model, i: usize, share: &Share, forces: &mut Forces) {
    let range = model.bodies[i].v_range();
    for (k, dof) in range.enumerate() {
        forces.joint[dof] = share.torque[k];
        forces.joint_gain[dof] = share.gain[k];
    }
    forces.body[i] = share.wrench;
    if let Some(term) = share.implicit {
        forces.implicit.push((crate::model::BodyId::new(i), term));
    }
}

const NASTY: Sizes = Sizes { nasty: true, rate: 3.0 };

/// States of `model`: joints within their limits, often a hair from them; quaternions near the identity
/// and near half turns; rates zero, ordinary and large.
pub fn states(model: &Model) -> impl Strategy<Value = State> + use<> {
    let model = model.clone();
    vec(shares(NASTY), model.n_bodies()).prop_map(move |shares| {
        let mut state = State::new(&model);
        model.bodies().iter().zip(&shares).for_each(|(body, share)| set_state(body, share, &mut state));
        state
    })
}

/// Forces on `model`: torques, wrenches, joint gains from zero to 10⁸ and positive semidefinite implicit
/// terms on a third of the bodies.
pub fn forces(model: &Model) -> impl Strategy<Value = Forces> + use<> {
    let model = model.clone();
    vec(shares(NASTY), model.n_bodies()).prop_map(move |shares| {
        let mut forces = Forces::new(&model);
        shares.iter().enumerate().for_each(|(i, share)| set_forces(&model, i, share, &mut forces));
        forces
    })
}
