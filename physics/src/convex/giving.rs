//! Bodies that can give way: all that the problem moves.
//!
//! A body that goes where it is told (`step/told.rs`) has its velocity before anything is solved: no force changes it, nothing passes through its joint that
//! anybody else would feel, and its share of every sum over directions is nothing. So the passes of a solve go over the other bodies of a tree alone, in
//! runs of neighbours: limbs that were let go, or all of a tree in which nobody is told. What passes through the joints of those who are told is summed
//! up once the problem is solved.

use core::ops::Range;

use super::Convex;
use crate::actuation::Actuation;
use crate::data::Data;
use crate::dynamics::kinematics::joint_force;
use crate::model::{Model, NONE};
use crate::spatial::{Force, Motion};
use crate::state::State;
use crate::step::told::Told;

/// Bodies that follow each other, with their freedoms.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    bodies: (u32, u32),
    freedoms: (u32, u32),
}

impl Run {
    fn of(model: &Model, bodies: Range<usize>) -> Self {
        let freedoms = (model.links[bodies.start].v, model.bodies[bodies.end - 1].v_range().end as u32);
        Self { bodies: (bodies.start as u32, bodies.end as u32), freedoms }
    }

    #[inline]
    pub(super) fn bodies(self) -> Range<usize> {
        self.bodies.0 as usize..self.bodies.1 as usize
    }

    #[inline]
    pub(super) fn freedoms(self) -> Range<usize> {
        self.freedoms.0 as usize..self.freedoms.1 as usize
    }
}

/// Runs of all trees.
#[derive(Clone, Debug, Default)]
pub(super) struct Giving {
    runs: Vec<Run>,
    /// By tree: where its runs are.
    of_tree: Vec<(u32, u32)>,
    /// Whether they are whole trees.
    is_all: bool,
}

impl Giving {
    pub(super) fn new(model: &Model) -> Self {
        // At most every other body begins a run.
        let most = model.trees.len() + model.n_bodies() / 2;
        let mut new = Self { runs: Vec::with_capacity(most), ..Self::default() };
        new.find(model, &Told::new(model));
        new
    }

    /// Finds them.
    pub(super) fn find(&mut self, model: &Model, told: &Told) {
        if self.is_all && !told.any() {
            return;
        }
        self.is_all = !told.any();
        self.runs.clear();
        self.of_tree.clear();
        for bodies in &model.trees {
            let first = self.runs.len() as u32;
            let mut at = bodies.start;
            while at < bodies.end {
                let count = |is_told: bool, from: usize| {
                    told.bodies()[from..bodies.end].iter().take_while(|told| **told == is_told).count()
                };
                at += count(true, at);
                let end = at + count(false, at);
                if at < end {
                    self.runs.push(Run::of(model, at..end));
                }
                at = end;
            }
            self.of_tree.push((first, self.runs.len() as u32));
        }
    }

    /// Those of a tree, base to tip.
    #[inline]
    pub(super) fn of(&self, tree: usize) -> &[Run] {
        let (first, end) = self.of_tree[tree];
        &self.runs[first as usize..end as usize]
    }
}

/// Before the first pass over a tree: whoever is told answers nothing and leaves nothing over, which the books read as well.
pub(super) fn still(model: &Model, data: &mut Data, convex: &mut Convex, tree: usize) {
    if !data.step.told.any() {
        return;
    }
    for i in model.trees[tree].clone().filter(|&i| data.step.told.bodies()[i]) {
        data.dynamics.factor[i].prescribed = true;
        data.dynamics.response[i] = Motion::ZERO;
        convex.direction[i] = Motion::ZERO;
        for k in model.bodies[i].v_range() {
            (convex.dv[k], convex.residual[k]) = (0.0, 0.0);
            // A step of nothing, as all others take theirs: no rate is minus nothing afterwards.
            convex.v[k] += 0.0;
        }
    }
}

/// After a solve: what passes through the joints of whoever is told in the trees that were solved, to where `smooth::residual` left that of the others.
pub(super) fn pass_on(model: &Model, state: &State, data: &mut Data, act: &Actuation, convex: &Convex) {
    if !data.step.told.any() {
        return;
    }
    let per_time = 1.0 / convex.dt;
    let told = data.step.told.bodies();
    for (tree, bodies) in model.trees.iter().enumerate() {
        if convex.is_asleep[tree] || !convex.is_open(tree) {
            continue;
        }
        for i in bodies.clone().rev() {
            let (link, f): (_, Force) = (&model.links[i], data.dynamics.body_force[i]);
            if link.parent != NONE && told[link.parent as usize] {
                data.dynamics.body_force[link.parent as usize] += f.seen_from(data.position.offset[i]);
            }
            if told[i] && act.prescribed[i] {
                let mut along = [0.0; 6];
                joint_force(link.kind, &data.position.axes[i], f, &mut along);
                for (k, dof) in model.bodies[i].v_range().enumerate() {
                    let rotors = model.bodies[i].joint.armature[k] * (convex.v[dof] - state.v[dof]);
                    data.dynamics.joint_force[dof] = (along[k] + rotors) * per_time;
                }
            }
        }
    }
}
