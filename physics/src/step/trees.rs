//! One tree of a baseline solved with everything implicit in it, again while servos change sides.
//!
//! Rigid inertias, bias forces and the actuation's implicit terms are written once per step. A round folds inward only from
//! bodies where a drive changed sides up to the root: all other subtrees hand their parents what they did before.

use super::{Formulation, StepOptions, bias};
use crate::actuation::Actuation;
use crate::data::Data;
use crate::dynamics::aba::{Drive, add_implicit, drift, inward_again, outward, rigid};
use crate::model::{Model, NONE};
use crate::state::State;

/// Writes what the rounds of a step have in common for one tree, and marks all of its bodies as changed.
pub(super) fn prepare(
    model: &Model,
    state: &State,
    data: &mut Data,
    act: &Actuation,
    opt: &StepOptions,
    tree: usize,
) {
    let bodies = model.trees[tree].clone();
    let forces = core::mem::take(&mut data.step.forces);
    rigid(model, data, bodies.clone(), &forces.body);
    for i in bodies.clone() {
        if bias::is_own(model, data, i) {
            data.dynamics.articulated_bias[i] = bias::inertial_force(model, data, i, opt.dt) - forces.body[i];
        }
        if act.prescribed[i] {
            for k in model.bodies[i].v_range() {
                data.dynamics.acceleration[k] = (data.step.prescribed_v[k] - state.v[k]) / opt.dt;
            }
        }
    }
    data.step.forces = forces;
    let terms = data.step.terms_of[tree];
    if is_stiff(data, tree) {
        drift(model, data, bodies.clone());
        for k in terms.0..terms.1 {
            let (body, term) = &act.implicit[data.step.term_order[k as usize] as usize];
            add_implicit(data, body.index(), term, opt.dt);
        }
    }
    let step = &mut data.step;
    step.own_inertia[bodies.clone()].copy_from_slice(&data.dynamics.articulated_inertia[bodies.clone()]);
    step.own_bias[bodies.clone()].copy_from_slice(&data.dynamics.articulated_bias[bodies.clone()]);
    step.changed[bodies].fill(true);
}

/// Whether implicit terms act on bodies of the tree.
fn is_stiff(data: &Data, tree: usize) -> bool {
    let terms = data.step.terms_of[tree];
    terms.0 < terms.1
}

/// Articulated-body pass of one tree for the present sets; writes its free velocities.
pub(super) fn solve(
    model: &Model,
    state: &State,
    data: &mut Data,
    act: &Actuation,
    opt: &StepOptions,
    tree: usize,
) {
    let bodies = model.trees[tree].clone();
    let mut changed = core::mem::take(&mut data.step.changed);
    for i in bodies.clone().rev() {
        if changed[i] {
            data.dynamics.articulated_inertia[i] = data.step.own_inertia[i];
            data.dynamics.articulated_bias[i] = data.step.own_bias[i];
            let parent = model.links[i].parent;
            if parent != NONE {
                changed[parent as usize] = true;
            }
        }
    }
    let forces = core::mem::take(&mut data.step.forces);
    let explicit = opt.formulation == Formulation::Penalty;
    let drive =
        if explicit { Drive::explicit(&forces.joint) } else { Drive::implicit(&forces, &state.v, opt.dt) };
    let drive = drive.prescribing(&act.prescribed);
    inward_again(model, data, bodies.clone(), &drive, &changed);
    outward(model, data, bodies.clone());
    let range = model.freedoms_of(tree);
    for k in range {
        data.step.free_v[k] = state.v[k] + opt.dt * data.dynamics.acceleration[k];
    }
    // To the last bit, not but for the rounding of an acceleration.
    for i in bodies.clone().filter(|&i| act.prescribed[i]) {
        let range = model.bodies[i].v_range();
        data.step.free_v[range.clone()].copy_from_slice(&data.step.prescribed_v[range]);
    }
    changed[bodies].fill(false);
    data.step.forces = forces;
    data.step.changed = changed;
}
