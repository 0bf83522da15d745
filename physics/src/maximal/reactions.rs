//! What passes through joints that are rows: the impulses of those rows.
//!
//! ```text
//! wrench_i = Σ w x/h + S τ_known,   along_i = Sᵀ wrench_i + a (s⁺ - s)/h
//! ```
//!
//! over all rows of the joint above body `i` (what holds it, drives, motors, limits), with `w` their unit wrench on the body. The rotor `a` is
//! in the joint's rows but is no force of the joint.

use super::joints::{World, along, carried};
use super::parent_of;
use crate::actuation::Actuation;
use crate::data::Data;
use crate::dynamics::impulse::Hit;
use crate::dynamics::kinematics::joint_force;
use crate::spatial::{Force, Motion};
use crate::step::reaction::Reactions;
use crate::step::rows::{Cause, RowSpec};
use crate::step::{StepOptions, own_rows};

impl World<'_> {
    /// Adds what passed through the joints in a part of a step, whose rows and velocities `data` still has.
    pub(super) fn write_reactions(
        &self,
        data: &mut Data,
        act: &Actuation,
        known: &[[f64; 2]],
        opt: &StepOptions,
    ) {
        let (per_time, share) = (1.0 / opt.dt, opt.dt / data.step.whole);
        let mut reactions = core::mem::replace(&mut data.reactions, Reactions::nothing());
        for tree in 0..self.reduced.trees.len() {
            reactions.begin_tree(self.reduced, tree);
        }
        let rows = &data.step.rows;
        for (spec, x) in rows.specs.iter().zip(&rows.x) {
            let force = x * per_time * share;
            match (spec.cause, spec.hits[0]) {
                (Cause::Joint | Cause::Limit | Cause::Motor, Some(Hit::Body(i, wrench))) => {
                    self.add(&mut reactions, act, spec, i, wrench * force);
                }
                (Cause::Own, _) => {
                    // Its points act from outside, its freedoms within their joints.
                    let row = &act.rows[spec.tag as usize];
                    own_rows::hits(data, row, |dof, weight, _| {
                        let i = self.reduced.body_of_freedom(dof).index();
                        if let Some(Hit::Body(_, wrench)) = self.freedom_row(Cause::Own, i, dof).hits[0] {
                            self.add(&mut reactions, act, spec, i, wrench * (weight * force));
                        }
                    });
                }
                _ => {}
            }
        }
        for (i, body) in self.reduced.bodies.iter().enumerate() {
            let (kind, frame) = (body.joint.kind, &self.frames[i]);
            let mut tau = [0.0; 6];
            for (n, k) in body.v_range().enumerate() {
                tau[n] = known[k][0] * share;
                reactions.drive[k] += known[k][1] * share;
            }
            let wrench = along(kind, frame, &tau);
            reactions.wrench[i] += wrench;
            add_along(&mut reactions.along, self, i, wrench);
            let next = &data.step.next_body;
            let moving = parent_of(self.reduced, i).map_or(Motion::ZERO, |p| next[p]);
            let relative = next[i] - moving.at(frame.way);
            let mut rate = [0.0; 6];
            joint_force(kind, &frame.axes, Force::new(relative.angular, relative.linear), &mut rate);
            for (n, k) in body.v_range().enumerate() {
                let gained = rate[n] - self.read.v[k] + opt.dt * carried(kind, n, frame);
                reactions.along[k] += body.joint.armature[n] * gained * per_time * share;
            }
        }
        data.reactions = reactions;
    }

    /// Adds a row's mean force on the child of its joint.
    fn add(&self, reactions: &mut Reactions, act: &Actuation, spec: &RowSpec, i: usize, wrench: Force) {
        reactions.wrench[i] += wrench;
        add_along(&mut reactions.along, self, i, wrench);
        let is_motor = spec.cause == Cause::Own || (spec.tag as usize) < act.motors.len();
        match spec.cause {
            Cause::Limit => add_along(&mut reactions.limit, self, i, wrench),
            Cause::Motor | Cause::Own if is_motor => add_along(&mut reactions.motor, self, i, wrench),
            // Servos are rows without a name, and so is a motion that is told.
            Cause::Motor if !act.prescribed[i] => add_along(&mut reactions.drive, self, i, wrench),
            _ => {}
        }
    }
}

/// `Sᵀ` of a wrench onto a list by freedom.
fn add_along(list: &mut [f64], world: &World<'_>, i: usize, wrench: Force) {
    let body = &world.reduced.bodies[i];
    let mut along = [0.0; 6];
    joint_force(body.joint.kind, &world.frames[i].axes, wrench, &mut along);
    for (n, k) in body.v_range().enumerate() {
        list[k] += along[n];
    }
}
