//! What passes through the joints in a step.
//!
//! Inverse dynamics on the velocities the step ended with, less everything that acts on the bodies from outside (RBDA 5.3 with
//! `J q̈ = (J v⁺ - J v)/h`):
//!
//! ```text
//! f_i = I_i ((v⁺_i - v_i)/h + J̇v) + inertial_i - f_ext,i,   f_p += f_i,   τ_i = S_iᵀ f_i + armature q̈_i
//! ```
//!
//! The convex problem's own residual is just that (`convex/smooth.rs`); where a tree leaves its inertial forces to the free flow those of the
//! start of the step are added. The baselines do it here; in maximal coordinates joints are rows, which know (`maximal/reactions.rs`).

use super::gather::{drive_effort, position_error};
use super::rows::Cause;
use super::{Formulation, StepOptions, bias};
use crate::actuation::Actuation;
use crate::convex::Convex;
use crate::data::Data;
use crate::dynamics::impulse::Hit;
use crate::dynamics::kinematics::joint_force;
use crate::model::{Model, NONE};
use crate::spatial::{Force, Motion};
use crate::state::State;

/// Means over the last step of what passed through the joints, dynamic or prescribed, contacts and all else considered. A tree
/// that sleeps keeps those it fell asleep with; the plain integrators write none. In maximal coordinates joints and freedoms are those of the
/// model that was taken apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Reactions {
    /// By body: the whole force from its parent (or the world) on it through the joint, in world axes at the body's origin as the
    /// step began: what holds the joint together and what acts along it.
    pub wrench: Vec<Force>,
    /// By freedom: all that acts along it. Of a dynamic joint the sum of drive, motors, limits, springs and dampers; of a
    /// prescribed one what it took to move it as told.
    pub along: Vec<f64>,
    /// By freedom: the share of joint force and servo, within their effort limits. Zero of prescribed joints.
    pub drive: Vec<f64>,
    /// By freedom: the share of motors, and of controllers' rows on it.
    pub motor: Vec<f64>,
    /// By freedom: the share of joint limits.
    pub limit: Vec<f64>,
    /// By tree: whether nothing of the present step was added yet.
    is_old: Vec<bool>,
}

impl Reactions {
    pub(crate) fn new(model: &Model) -> Self {
        let zeros = || vec![0.0; model.n_v()];
        Self {
            wrench: vec![Force::ZERO; model.n_bodies()],
            along: zeros(),
            drive: zeros(),
            motor: zeros(),
            limit: zeros(),
            is_old: vec![true; model.trees.len()],
        }
    }

    /// Whether there is room for a model's joints, and no more.
    pub(crate) fn are_of(&self, model: &Model) -> bool {
        (self.along.len(), self.is_old.len()) == (model.n_v(), model.trees.len())
    }

    /// Before the first part of a step.
    pub(crate) fn begin(&mut self) {
        self.is_old.fill(true);
    }

    /// Before a part of a step adds what passed through a tree's joints.
    pub(crate) fn begin_tree(&mut self, model: &Model, tree: usize) {
        if core::mem::replace(&mut self.is_old[tree], false) {
            self.wrench[model.trees[tree].clone()].fill(Force::ZERO);
            let freedoms = model.freedoms_of(tree);
            for list in [&mut self.along, &mut self.drive, &mut self.motor, &mut self.limit] {
                list[freedoms.clone()].fill(0.0);
            }
        }
    }
}

/// Adds what passed through the joints of a baseline in a part that is the given `share` of the step; the mean force of every prescribed
/// joint also goes to `data.dynamics.joint_force`. `flow` knows the inertial forces that are left to the free flow. `data.step.next_body` must hold the velocities of all bodies at the end.
pub(crate) fn write(
    model: &Model,
    state: &State,
    data: &mut Data,
    act: &Actuation,
    share: f64,
    opt: &StepOptions,
    flow: &Convex,
) {
    let per_time = 1.0 / opt.dt;
    for i in 0..model.n_bodies() {
        let carried = bias::carried_acceleration(model, data, i);
        let gained = (data.step.next_body[i] - data.velocity.body[i]) * per_time;
        let acceleration = carried + gained - Motion::new(glam::DVec3::ZERO, model.gravity);
        data.dynamics.body_force[i] = bias::inertia_times(model, data, i, acceleration)
            + bias::inertial_force(model, data, i, opt.dt)
            - act.body_force[i];
    }
    take_off_what_acts(data, act, opt);
    let mut reactions = core::mem::replace(&mut data.reactions, Reactions::nothing());
    for (tree, _) in data.memory.sleep.asleep.iter().enumerate().filter(|(_, asleep)| !**asleep) {
        reactions.begin_tree(model, tree);
    }
    for i in (0..model.n_bodies()).rev() {
        let link = &model.links[i];
        let through = data.dynamics.body_force[i];
        if link.parent != NONE {
            data.dynamics.body_force[link.parent as usize] += through.seen_from(data.position.offset[i]);
        }
        if data.memory.sleep.asleep[model.tree_of[i] as usize] {
            continue;
        }
        reactions.wrench[i] += (through + flow.flow_force[i]) * share;
        let body = &model.bodies[i];
        let mut along = [0.0; 6];
        joint_force(link.kind, &data.position.axes[i], through, &mut along);
        for (n, k) in body.v_range().enumerate() {
            let gained = data.step.next_v[k] - state.v[k];
            along[n] += body.joint.armature[n] * gained * per_time;
            reactions.along[k] += (along[n] + flow.flow_along[k]) * share;
            if act.prescribed[i] {
                data.dynamics.joint_force[k] = along[n];
            }
        }
        if !act.prescribed[i] {
            add_drives(model, state, data, act, share, opt, i, &mut reactions.drive);
        }
    }
    let rows = &data.step.rows;
    for (spec, x) in rows.specs.iter().zip(&rows.x) {
        let to = match spec.cause {
            Cause::Limit => &mut reactions.limit,
            Cause::Motor | Cause::Own => &mut reactions.motor,
            _ => continue,
        };
        for hit in spec.all(&rows.more) {
            match hit {
                Hit::Freedom(dof, scale) => {
                    to[dof] += scale * x * per_time * share;
                    // What rows do along a freedom is theirs, not the prescribed motion's.
                    if act.prescribed[model.body_of_freedom(dof).index()] {
                        data.dynamics.joint_force[dof] -= scale * x * per_time;
                    }
                }
                // The limit of a ball joint: a wrench on the child, its opposite on the parent.
                Hit::Body(i, wrench) if spec.cause == Cause::Limit && spec.hits[0] == Some(hit) => {
                    let mut along = [0.0; 6];
                    joint_force(model.links[i].kind, &data.position.axes[i], wrench, &mut along);
                    for (n, k) in model.bodies[i].v_range().enumerate() {
                        to[k] += along[n] * x * per_time * share;
                        if act.prescribed[i] {
                            data.dynamics.joint_force[k] -= along[n] * x * per_time;
                        }
                    }
                }
                Hit::Body(..) => {}
            }
        }
    }
    data.reactions = reactions;
}

/// Joint force and servo of a dynamic joint.
fn add_drives(
    model: &Model,
    state: &State,
    data: &Data,
    act: &Actuation,
    share: f64,
    opt: &StepOptions,
    i: usize,
    out: &mut [f64],
) {
    let body = &model.bodies[i];
    let explicit = opt.formulation == Formulation::Penalty;
    let mut error = [0.0; 6];
    let (q, target) = (&state.q[body.q_range()], &act.servo.target_q[body.q_range()]);
    if act.servo.stiffness[body.v_range()].iter().any(|&k| k != 0.0) {
        position_error(body.joint.kind, q, target, &mut error);
    }
    for (n, k) in body.v_range().enumerate() {
        let (rate, h) = if explicit { (state.v[k], 0.0) } else { (data.step.next_v[k], opt.dt) };
        let limit = body.joint.effort_limit[n];
        let effort = match data.step.saturated[k] {
            0 => drive_effort(act, error[n], k, rate, h).clamp(-limit, limit),
            side => f64::from(side) * limit,
        };
        out[k] += effort * share;
    }
}

/// Takes implicit terms, contacts and rows off the forces the bodies need.
fn take_off_what_acts(data: &mut Data, act: &Actuation, opt: &StepOptions) {
    let forces = &mut data.dynamics.body_force;
    let next = &data.step.next_body;
    for (body, term) in &act.implicit {
        let i = body.index();
        forces[i] -= term.at_rest - term.gain * next[i];
    }
    if opt.formulation == Formulation::Penalty {
        for contact in &data.contact.points {
            let at = |b: usize, force| {
                Force::at_offset(force, contact.point - data.position.world_from_body[b].translation)
            };
            let a = contact.a();
            forces[a] -= at(a, contact.force);
            if let Some(b) = contact.b() {
                forces[b] += at(b, contact.force);
            }
        }
    }
    let per_time = 1.0 / opt.dt;
    let rows = &data.step.rows;
    for (spec, x) in rows.specs.iter().zip(&rows.x) {
        // The limit of a ball joint acts within the joint, though on both its bodies.
        for hit in spec.all(&rows.more).filter(|_| spec.cause != Cause::Limit) {
            if let Hit::Body(b, wrench) = hit {
                forces[b] -= wrench * (x * per_time);
            }
        }
    }
}

impl Reactions {
    /// Room for nothing, while the room is used elsewhere.
    pub(crate) fn nothing() -> Self {
        let none = Vec::new;
        Self {
            wrench: Vec::new(),
            along: none(),
            drive: none(),
            motor: none(),
            limit: none(),
            is_old: Vec::new(),
        }
    }
}
