//! Looking at a state: poses, velocities, and where shapes touch or are about to. Done once per state.

use super::told::Told;
use super::{Formulation, StepOptions};
use crate::collide::{ContactOptions, Travel, Unseen, find_contacts_ahead};
use crate::data::Data;
use crate::dynamics::kinematics::{forward_kinematics_of, forward_velocity_of};
use crate::model::{BodyId, Model};
use crate::state::State;

/// The state that poses, velocities and manifolds in [`Data`] belong to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Looked {
    q: Vec<f64>,
    v: Vec<f64>,
    dt: f64,
    margin: f64,
    gravity: glam::DVec3,
    ahead: bool,
    is_valid: bool,
    /// Bodies that were told where to go, whose contacts with each other and the world were not looked for.
    told: Vec<bool>,
}

impl Looked {
    /// Somebody has written something else.
    pub(crate) fn forget(&mut self) {
        self.is_valid = false;
    }

    /// Whether contacts are missing of somebody who can be pushed now.
    pub(crate) fn lacks(&self, told: &Told) -> bool {
        told.lacks(&self.told)
    }

    /// Whether poses and velocities are those of this state.
    pub(crate) fn is_of(&self, state: &State) -> bool {
        self.is_valid && self.q == state.q && self.v == state.v
    }

    fn is_at(&self, model: &Model, state: &State, opt: &StepOptions) -> bool {
        self.is_valid
            && self.dt == opt.dt
            && self.margin == opt.margin
            && self.gravity == model.gravity()
            && self.ahead == looks_ahead(opt)
            && self.is_of(state)
    }
}

/// Contacts that are solved at the end of the step are best known before they overlap: what overlaps is pushed
/// apart, which adds energy, and fast limbs would be deep inside before they are noticed.
fn looks_ahead(opt: &StepOptions) -> bool {
    opt.formulation != Formulation::Penalty
}

/// Fills `data.position`, `data.velocity` and `data.collision`, unless they are those of this very state already.
pub(crate) fn look(model: &Model, state: &State, data: &mut Data, opt: &StepOptions) {
    if data.looked.is_at(model, state, opt) {
        return;
    }
    let bodies = 0..model.n_bodies();
    forward_kinematics_of(model, state, data, bodies.clone());
    forward_velocity_of(model, state, data, bodies);
    look_about(model, state, data, opt);
}

/// [`look`] where poses and velocities are those of the state already, as the free flow leaves them: `data.collision` alone.
pub(crate) fn look_about(model: &Model, state: &State, data: &mut Data, opt: &StepOptions) {
    let poses = &data.position.world_from_body;
    let ahead = looks_ahead(opt);
    let speeds = &data.velocity.body;
    let fall = model.gravity().length() * opt.dt * opt.dt;
    let travel = |b: BodyId| {
        if ahead { Travel { way: speeds[b] * opt.dt, more: fall } } else { Travel::NONE }
    };
    let options = ContactOptions { margin: opt.margin };
    let told = &data.step.told;
    let unseen = Unseen { told: told.bodies(), tree_of: &model.tree_of };
    let mut collision = core::mem::take(&mut data.collision);
    if told.trees().contains(&true) {
        collision.leave_alone(
            &model.colliders,
            model.trees.iter().zip(told.trees()),
            |b| poses[b],
            travel,
            opt.margin,
        );
    } else {
        collision.leave_nobody_alone();
    }
    let unseen = told.any().then_some(&unseen);
    find_contacts_ahead(&model.colliders, |b| poses[b], travel, &options, unseen, &mut collision);
    data.collision = collision;
    let looked = &mut data.looked;
    looked.q.clone_from(&state.q);
    looked.v.clone_from(&state.v);
    looked.told.clear();
    if told.any() {
        looked.told.extend_from_slice(told.bodies());
    }
    (looked.dt, looked.margin, looked.gravity) = (opt.dt, opt.margin, model.gravity());
    (looked.ahead, looked.is_valid) = (ahead, true);
}
