//! Resting trees fall asleep: they are neither solved nor moved until something happens to them.
//!
//! Trees that touch form an island, and an island sleeps as a whole: once every one of its trees has been
//! still for [`StepOptions::sleep_after`]. So a tree that is awake and comes near wakes all it touches. A
//! change of what acts on a sleeping tree, of its position or of its velocity wakes it too; trees with
//! motors, pins, rows of a controller's own, implicit terms or prescribed joints never sleep.

use super::StepOptions;
use crate::actuation::{Actuation, Anchor, Term};
use crate::contact::ContactSet;
use crate::data::Data;
use crate::fingerprint::Fingerprint;
use crate::model::Model;
use crate::spatial::Motion;
use crate::state::State;

/// A tree is still while no freedom is faster than this, m/s or rad/s.
pub const STILL_SPEED: f64 = 0.01;

/// Who sleeps, and what must not change meanwhile. Indexed by tree.
#[derive(Debug, PartialEq)]
pub(crate) struct Sleep {
    /// Seconds of stillness.
    pub(crate) still: Vec<f64>,
    /// Whether it sleeps in this step.
    pub(crate) asleep: Vec<bool>,
    /// Fingerprint of position and actuation when it fell asleep.
    pub(crate) print: Vec<u64>,
}

/// Work space: the island each tree belongs to, and the least stillness in it.
#[derive(Clone, Debug)]
pub(crate) struct Rest {
    island: Vec<u32>,
    least: Vec<f64>,
}

impl Clone for Sleep {
    fn clone(&self) -> Self {
        Self { still: self.still.clone(), asleep: self.asleep.clone(), print: self.print.clone() }
    }

    /// Reuses the memory, which the derived one would not.
    fn clone_from(&mut self, source: &Self) {
        self.still.clone_from(&source.still);
        self.asleep.clone_from(&source.asleep);
        self.print.clone_from(&source.print);
    }
}

impl Sleep {
    pub(crate) fn new(trees: usize) -> Self {
        Self { still: vec![0.0; trees], asleep: vec![false; trees], print: vec![0; trees] }
    }

    fn wake(&mut self, tree: usize) {
        self.asleep[tree] = false;
        self.still[tree] = 0.0;
    }
}

impl Rest {
    pub(crate) fn new(trees: usize) -> Self {
        Self { island: vec![0; trees], least: vec![0.0; trees] }
    }

    /// Joins touching trees; afterwards `island` names the smallest tree of each island.
    fn find_islands(&mut self, model: &Model, contacts: &ContactSet) {
        for (k, island) in self.island.iter_mut().enumerate() {
            *island = k as u32;
        }
        for contact in contacts.between_bodies() {
            let Some(b) = contact.b() else { continue };
            let (a, b) = (self.root(model.tree_of[contact.a()]), self.root(model.tree_of[b]));
            self.island[a.max(b) as usize] = a.min(b);
        }
        for k in 0..self.island.len() {
            self.island[k] = self.root(k as u32);
        }
    }

    fn root(&self, mut tree: u32) -> u32 {
        while self.island[tree as usize] != tree {
            tree = self.island[tree as usize];
        }
        tree
    }
}

/// Decides who sleeps through the coming step, stops those who fall asleep, and zeroes the velocities the
/// step would otherwise compute for them.
pub(crate) fn decide(model: &Model, state: &mut State, data: &mut Data, act: &Actuation, opt: &StepOptions) {
    let sleep = &mut data.memory.sleep;
    let Some(after) = opt.sleep_after else {
        sleep.asleep.fill(false);
        return;
    };
    for tree in 0..model.trees.len() {
        if sleep.asleep[tree]
            && (state.v[freedoms(model, tree)].iter().any(|&v| v != 0.0)
                || sleep.print[tree] != fingerprint(model, state, act, tree))
        {
            sleep.wake(tree);
        }
    }
    keep_busy_awake(model, sleep, act);
    let rest = &mut data.step.rest;
    rest.find_islands(model, &data.contact);
    rest.least.fill(f64::INFINITY);
    for tree in 0..model.trees.len() {
        let least = &mut rest.least[rest.island[tree] as usize];
        *least = least.min(sleep.still[tree]);
    }
    for tree in 0..model.trees.len() {
        let rests = data.step.rest.least[data.step.rest.island[tree] as usize] >= after;
        if !rests {
            if sleep.asleep[tree] {
                sleep.wake(tree);
            }
            continue;
        }
        let range = freedoms(model, tree);
        if !sleep.asleep[tree] {
            sleep.asleep[tree] = true;
            sleep.print[tree] = fingerprint(model, state, act, tree);
            state.v[range.clone()].fill(0.0);
            data.velocity.body[model.trees[tree].clone()].fill(Motion::ZERO);
            data.velocity.bias[model.trees[tree].clone()].fill(Motion::ZERO);
        }
        data.step.free_v[range.clone()].fill(0.0);
        data.step.next_v[range].fill(0.0);
        data.step.next_body[model.trees[tree].clone()].fill(Motion::ZERO);
    }
}

/// Wakes the sleepers among trees that were hit in the step, with all that they touch.
pub(crate) fn wake_hit(data: &mut Data, hit: impl Iterator<Item = usize>) {
    let (sleep, islands) = (&mut data.memory.sleep, &data.step.rest.island);
    for tree in hit {
        if sleep.asleep[tree] {
            for other in (0..islands.len()).filter(|&other| islands[other] == islands[tree]) {
                sleep.wake(other);
            }
        }
    }
}

/// After a step: sleepers stay exactly where they were, the others' stillness is timed.
pub(crate) fn finish(model: &Model, state: &State, next: &mut State, sleep: &mut Sleep, opt: &StepOptions) {
    if opt.sleep_after.is_none() {
        return;
    }
    for tree in 0..model.trees.len() {
        if sleep.asleep[tree] {
            let q = coordinates(model, tree);
            next.q[q.clone()].copy_from_slice(&state.q[q]);
        } else if next.v[freedoms(model, tree)].iter().all(|v| v.abs() < STILL_SPEED) {
            sleep.still[tree] += opt.dt;
        } else {
            sleep.still[tree] = 0.0;
        }
    }
}

/// Trees that someone is working on do not rest.
fn keep_busy_awake(model: &Model, sleep: &mut Sleep, act: &Actuation) {
    for (body, _) in &act.implicit {
        sleep.wake(model.tree_number(*body));
    }
    for motor in &act.motors {
        sleep.wake(model.tree_number(model.body_of_freedom(motor.first())));
    }
    for pin in &act.pins {
        sleep.wake(model.tree_number(pin.body));
        if let Anchor::Body { body, .. } = pin.anchor {
            sleep.wake(model.tree_number(body));
        }
    }
    for term in act.rows.iter().flat_map(|row| row.terms.iter().flatten()) {
        for body in term.bodies().into_iter().flatten() {
            sleep.wake(model.tree_number(body));
        }
        if let Term::Freedom { freedom, .. } = *term {
            sleep.wake(model.tree_number(model.body_of(freedom)));
        }
    }
    for (i, _) in act.prescribed.iter().enumerate().filter(|(_, on)| **on) {
        sleep.wake(model.tree_of[i] as usize);
    }
}

fn freedoms(model: &Model, tree: usize) -> std::ops::Range<usize> {
    let bodies = &model.trees[tree];
    model.bodies[bodies.start].v_start..model.bodies[bodies.end - 1].v_range().end
}

fn coordinates(model: &Model, tree: usize) -> std::ops::Range<usize> {
    let bodies = &model.trees[tree];
    model.bodies[bodies.start].q_start..model.bodies[bodies.end - 1].q_range().end
}

/// Over the bits of a tree's position and of all that acts on it.
fn fingerprint(model: &Model, state: &State, act: &Actuation, tree: usize) -> u64 {
    let mut print = Fingerprint::default();
    let mut add = |x: f64| print.word(x.to_bits());
    let (q, v) = (coordinates(model, tree), freedoms(model, tree));
    let servo = &act.servo;
    for values in [&state.q[q.clone()], &servo.target_q[q]] {
        values.iter().for_each(|&x| add(x));
    }
    for values in [&act.joint_force, &servo.stiffness, &servo.damping, &servo.target_v] {
        values[v.clone()].iter().for_each(|&x| add(x));
    }
    for force in &act.body_force[model.trees[tree].clone()] {
        force.to_array().into_iter().for_each(&mut add);
    }
    print.value()
}

#[cfg(test)]
#[path = "sleep_tests.rs"]
mod tests;
