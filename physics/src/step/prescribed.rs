//! Joints that move exactly as they are told.
//!
//! A prescribed joint takes its way at the rate it is to end the step with, `q⁺ = q ⊕ h v̄`, and has that rate at the end. In parts of a step it
//! keeps it; only a free root's linear rate is turned along, since it is a vector of the world seen in axes that turn.

use crate::actuation::Actuation;
use crate::data::Data;
use crate::model::{JointKind, Model};
use crate::state::State;

/// Before the first part of a step.
pub(crate) fn begin(data: &mut Data, act: &Actuation) {
    data.step.prescribed_v.clone_from(&act.prescribed_velocity);
}

/// Before another part: `state` is where the last one ended.
pub(crate) fn go_on(model: &Model, state: &State, data: &mut Data, act: &Actuation) {
    for (body, _) in model.bodies.iter().zip(&act.prescribed).filter(|(_, on)| **on) {
        if body.joint.kind == JointKind::Free && body.parent.is_none() {
            let linear = body.v_start..body.v_start + 3;
            data.step.prescribed_v[linear.clone()].copy_from_slice(&state.v[linear]);
        }
    }
}
