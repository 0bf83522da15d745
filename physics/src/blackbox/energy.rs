//! What the articulations hold, and what comes from outside.

use crate::data::Data;
use crate::forces::ImplicitForce;
use crate::model::{BodyId, Model};
use crate::spatial::Motion;

/// Energy of one tree at one time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Energy {
    pub(super) kinetic: f64,
    /// Kinetic and gravity's.
    pub(super) total: f64,
    /// What had come from outside until then.
    pub(super) given: f64,
}

impl Energy {
    /// What the tree holds besides that.
    pub(super) fn own(&self) -> f64 {
        self.total - self.given
    }
}

/// A force from outside during one step.
#[derive(Clone, Debug)]
pub(super) struct Helper {
    pub(super) body: BodyId,
    force: ImplicitForce,
    /// The body's velocity before the step.
    before: Motion,
}

impl Helper {
    pub(super) fn new(body: BodyId, force: ImplicitForce) -> Self {
        Self { body, force, before: Motion::ZERO }
    }

    /// Takes the velocity before the step.
    pub(super) fn look(&mut self, data: &Data) {
        self.before = data.velocity.body[self.body.index()];
    }

    /// Work it did, J, by the mean of the velocities before and after. What it took away is no excuse for anything.
    pub(super) fn work(&self, after: &Data, dt: f64) -> f64 {
        let after = after.velocity.body[self.body.index()];
        let wrench = self.force.at_rest - self.force.gain * after;
        let middle = (self.before + after) * 0.5;
        middle.dot(wrench * dt).max(0.0)
    }
}

/// Kinetic energy of body `i` and of its joint's rotors.
pub(super) fn kinetic(model: &Model, data: &Data, v: &[f64], i: usize) -> f64 {
    let body = &model.bodies[i];
    let pose = &data.position.world_from_body[i];
    let velocity = data.velocity.body[i];
    let at_com = velocity.at(pose.rotation * body.inertia.center_of_mass).linear;
    let w = pose.rotation.transpose() * velocity.angular;
    let rotors: f64 = v[body.v_range()].iter().zip(&body.joint.armature).map(|(v, a)| a * v * v).sum();
    0.5 * (body.inertia.mass * at_com.length_squared() + body.inertia.rotational.quadratic(w, w) + rotors)
}

/// Kinetic and total energy of every tree; what was given stays as it is.
pub(super) fn energies(model: &Model, data: &Data, v: &[f64], out: &mut [Energy]) {
    for (tree, out) in model.trees.iter().zip(out) {
        let (mut moving, mut raised) = (0.0, 0.0);
        for i in tree.clone() {
            let inertia = &model.bodies[i].inertia;
            moving += kinetic(model, data, v, i);
            let center = data.position.world_from_body[i].transform_point(inertia.center_of_mass);
            raised -= inertia.mass * model.gravity.dot(center);
        }
        (out.kinetic, out.total) = (moving, moving + raised);
    }
}
