//! Forces given to the forward dynamics: known ones, and ones linear in the next velocity.

use glam::DVec3;

use crate::model::{BodyId, Model};
use crate::spatial::{ArticulatedInertia, Force, Sym3};

/// A force on a body that depends linearly on the body's velocity at the end of the step:
/// `f = at_rest - gain · v_next`, world axes at the body's origin. `gain` must be symmetric positive
/// semidefinite; then the step is stable however stiff it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImplicitForce {
    /// Force when the next velocity is zero.
    pub at_rest: Force,
    /// Force per velocity.
    pub gain: ArticulatedInertia,
}

impl ImplicitForce {
    /// A point force `force - gain v_point` acting `r` (world axes) from the body's origin.
    pub fn at_point(force: DVec3, gain: Sym3, r: DVec3) -> Self {
        Self { at_rest: Force::at_offset(force, r), gain: ArticulatedInertia::at_point(gain, r) }
    }

    /// A moment `moment - gain ω`.
    pub fn moment(moment: DVec3, gain: Sym3) -> Self {
        Self { at_rest: Force::new(moment, DVec3::ZERO), gain: ArticulatedInertia::rotational(gain) }
    }
}

/// What acts on a model besides gravity.
#[derive(Clone, Debug)]
pub struct Forces {
    /// Force of every freedom. With a gain it is the force at zero next velocity.
    pub joint: Vec<f64>,
    /// Implicit joint terms: the force of freedom `k` is `joint[k] - joint_gain[k] · v_next[k]`. A
    /// stable PD servo (Tan, Liu, Turk 2011) has `joint = kp (q̄ - q) + kd v̄` and
    /// `joint_gain = kd + dt kp`.
    pub joint_gain: Vec<f64>,
    /// Wrench on every body, world axes at its origin.
    pub body: Vec<Force>,
    /// Implicit body terms; several on one body add up.
    pub implicit: Vec<(BodyId, ImplicitForce)>,
}

impl Forces {
    /// No force at all.
    pub fn new(model: &Model) -> Self {
        Self {
            joint: vec![0.0; model.n_v()],
            joint_gain: vec![0.0; model.n_v()],
            body: vec![Force::ZERO; model.n_bodies()],
            implicit: Vec::new(),
        }
    }

    /// Back to no force, keeping the memory.
    pub fn clear(&mut self) {
        self.joint.fill(0.0);
        self.joint_gain.fill(0.0);
        self.body.fill(Force::ZERO);
        self.implicit.clear();
    }
}
