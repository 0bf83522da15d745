//! What rows feel of each other: `W = M̂⁻¹Jᵀ`, kept as the twists of the bodies that rows touch.
//!
//! A row is six numbers per body it acts on instead of one per freedom between it and the root, and its response
//! covers only bodies (and single freedoms) that other rows of the tree are on, the tree's **slots**. `A_ik = J_i W_k`
//! is then one or two six-term products. Responses follow the articulated factors tree by tree: those of trees that
//! were not solved again since are kept.

use std::ops::Range;

use super::rows::RowSpec;
use crate::data::Data;
use crate::dynamics::impulse::{Hit, tree_response};
use crate::dynamics::response::{DIRECTIONS, ResponseScratch, contact_responses};
use crate::model::{JointKind, Model, NONE};
use crate::spatial::Force;

/// Where the numbers are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Responses {
    /// Place of each body and of each freedom among its tree's slots, [`NONE`] if no row is on it.
    body: Vec<u32>,
    freedom: Vec<u32>,
    /// What each tree's slots are, in order: bodies, then freedoms; and how many numbers they take.
    slots: Vec<Slot>,
    pub(super) slots_of: Vec<(u32, u32, u32)>,
    /// Bodies between the world and a slot, the only ones whose response matters: by mark, and listed by tree.
    needed: Vec<bool>,
    asked: Vec<u32>,
    asked_of: Vec<(u32, u32)>,
    /// Whether the responses of a tree are those of its present factors.
    pub(super) fresh: Vec<bool>,
    /// Whether any row moves anything in a tree.
    answers: Vec<bool>,
    /// What each row acts on and what comes of it, a run per tree; and where each row's begin.
    acts: Vec<Act>,
    acts_of: Vec<(u32, u32)>,
    runs: Vec<Run>,
    runs_of: Vec<(u32, u32)>,
    numbers: Vec<f64>,
    scratch: ResponseScratch,
    /// Joint velocities of a tree.
    rates: Vec<f64>,
    /// What a row acts on in one tree.
    hits: Vec<Hit>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Slot {
    Body(u32),
    Freedom(u32),
}

/// A row's Jacobian on one slot.
#[derive(Clone, Copy, Debug)]
struct Act {
    tree: u32,
    /// Place among the tree's slots.
    at: u32,
    /// Six numbers for a body, one for a freedom.
    jacobian: [f64; 6],
    is_body: bool,
}

impl Act {
    /// The rate it is conjugate to, from the response at its slot.
    #[inline]
    fn on(&self, w: &[f64]) -> f64 {
        let j = &self.jacobian;
        match w.first_chunk::<6>() {
            Some(w) if self.is_body => {
                (j[0] * w[0] + j[1] * w[1]) + (j[2] * w[2] + j[3] * w[3]) + (j[4] * w[4] + j[5] * w[5])
            }
            _ => j[0] * w[0],
        }
    }
}

/// A row's response in one tree.
#[derive(Clone, Copy, Debug)]
struct Run {
    tree: u32,
    from: u32,
}

/// The tree a hit belongs to.
pub(super) fn tree_of(model: &Model, hit: Hit) -> usize {
    let body = match hit {
        Hit::Body(body, _) => body,
        Hit::Freedom(dof, _) => model.body_of_freedom(dof).index(),
    };
    model.tree_of[body] as usize
}

impl Responses {
    /// Finds the slots, and makes room for the numbers.
    pub(crate) fn lay_out(&mut self, model: &Model, specs: &[RowSpec], more: &[Hit], touched: &[bool]) {
        self.find_slots(model, specs, more, touched);
        self.fresh.clear();
        self.fresh.resize(model.trees.len(), false);
        self.answers.clear();
        self.answers.resize(model.trees.len(), true);
        self.acts.clear();
        self.acts_of.clear();
        self.runs.clear();
        self.runs_of.clear();
        let mut from = 0;
        for spec in specs {
            let (first_act, first_run) = (self.acts.len(), self.runs.len());
            for hit in spec.all(more) {
                let tree = tree_of(model, hit) as u32;
                self.acts.push(match hit {
                    Hit::Body(b, wrench) => {
                        Act { tree, at: self.body[b], jacobian: wrench.to_array(), is_body: true }
                    }
                    Hit::Freedom(d, scale) => {
                        let jacobian = [scale, 0.0, 0.0, 0.0, 0.0, 0.0];
                        Act { tree, at: self.freedom[d], jacobian, is_body: false }
                    }
                });
                if self.runs[first_run..].iter().all(|run| run.tree != tree) {
                    self.runs.push(Run { tree, from });
                    from += self.slots_of[tree as usize].2;
                }
            }
            self.acts_of.push((first_act as u32, self.acts.len() as u32));
            self.runs_of.push((first_run as u32, self.runs.len() as u32));
        }
        self.numbers.clear();
        self.numbers.resize(from as usize, 0.0);
        self.scratch.fit(model.n_bodies());
        self.rates.resize(model.n_v(), 0.0);
    }

    fn find_slots(&mut self, model: &Model, specs: &[RowSpec], more: &[Hit], touched: &[bool]) {
        self.body.clear();
        self.body.resize(model.n_bodies(), NONE);
        self.freedom.clear();
        self.freedom.resize(model.n_v(), NONE);
        self.needed.clear();
        self.needed.resize(model.n_bodies(), false);
        for hit in specs.iter().flat_map(|s| s.all(more)) {
            let mut at = match hit {
                Hit::Body(b, _) => {
                    self.body[b] = 0;
                    b as u32
                }
                Hit::Freedom(d, _) => {
                    self.freedom[d] = 0;
                    model.body_of_freedom(d).index() as u32
                }
            };
            while at != NONE && !self.needed[at as usize] {
                self.needed[at as usize] = true;
                at = model.links[at as usize].parent;
            }
        }
        self.slots.clear();
        self.slots_of.clear();
        self.asked.clear();
        self.asked_of.clear();
        for (tree, range) in model.trees.iter().enumerate() {
            let (first, first_asked) = (self.slots.len() as u32, self.asked.len() as u32);
            let mut next = 0;
            if touched[tree] {
                for b in range.clone() {
                    if self.needed[b] {
                        self.asked.push(b as u32);
                    }
                    if self.body[b] != NONE {
                        self.body[b] = next;
                        self.slots.push(Slot::Body(b as u32));
                        next += 6;
                    }
                }
                for d in model.freedoms_of(tree) {
                    if self.freedom[d] != NONE {
                        self.freedom[d] = next;
                        self.slots.push(Slot::Freedom(d as u32));
                        next += 1;
                    }
                }
            }
            self.slots_of.push((first, self.slots.len() as u32, next));
            self.asked_of.push((first_asked, self.asked.len() as u32));
        }
    }

    /// Slots of a tree.
    pub(super) fn slots(&self, tree: usize) -> &[Slot] {
        let (start, end, _) = self.slots_of[tree];
        &self.slots[start as usize..end as usize]
    }

    /// `J_i W_k`.
    #[inline]
    pub(crate) fn entry(&self, i: usize, k: usize) -> f64 {
        let mut sum = 0.0;
        for act in self.acts_of(i) {
            for run in self.runs_of(k) {
                if run.tree != act.tree {
                    continue;
                }
                sum += act.on(&self.numbers[(run.from + act.at) as usize..]);
            }
        }
        sum
    }

    /// `J_i W_k` of two groups of rows, row by row. Rows of a group act on the same slots.
    pub(crate) fn block(&self, rows: Range<usize>, columns: Range<usize>, out: &mut Vec<f64>) {
        let (n, m, first) = (rows.len(), columns.len(), out.len());
        out.resize(first + n * m, 0.0);
        let out = &mut out[first..];
        for (a, act) in self.acts_of(rows.start).iter().enumerate() {
            let Some(r) = self.runs_of(columns.start).iter().position(|run| run.tree == act.tree) else {
                continue;
            };
            for (k, column) in columns.clone().enumerate() {
                let Some(run) = self.runs_of(column).get(r) else { continue };
                let w = &self.numbers[(run.from + act.at) as usize..];
                for (i, row) in rows.clone().enumerate() {
                    let Some(act) = self.acts_of(row).get(a) else { continue };
                    out[i * m + k] += act.on(w);
                }
            }
        }
    }

    #[inline]
    fn acts_of(&self, row: usize) -> &[Act] {
        let (start, end) = self.acts_of[row];
        &self.acts[start as usize..end as usize]
    }

    #[inline]
    fn runs_of(&self, row: usize) -> &[Run] {
        let (start, end) = self.runs_of[row];
        &self.runs[start as usize..end as usize]
    }

    /// Trees a row acts on that answer to rows: one whose motion is prescribed couples nothing.
    pub(crate) fn trees_of(&self, row: usize) -> impl Iterator<Item = u32> + '_ {
        self.runs_of(row).iter().map(|run| run.tree).filter(|&tree| self.answers[tree as usize])
    }

    /// Computes the responses of trees whose factors are new.
    pub(crate) fn refresh(&mut self, model: &Model, data: &mut Data, specs: &[RowSpec], more: &[Hit]) {
        let mut row = 0;
        while row < specs.len() {
            let together = self.refresh_contact(model, data, &specs[row..], row);
            if together > 0 {
                row += together;
                continue;
            }
            for k in self.runs_of[row].0..self.runs_of[row].1 {
                let run = self.runs[k as usize];
                if !self.fresh[run.tree as usize] {
                    self.refresh_row(model, data, &specs[row], more, run);
                }
            }
            row += 1;
        }
        self.fresh.fill(true);
        self.answers.fill(false);
        for run in &self.runs {
            let numbers = self.slots_of[run.tree as usize].2 as usize;
            let own = &self.numbers[run.from as usize..][..numbers];
            self.answers[run.tree as usize] |= own.iter().any(|&x| x != 0.0);
        }
    }

    /// Three rows on the same bodies of trees whose only free joint is the root's; how many rows it took.
    fn refresh_contact(&mut self, model: &Model, data: &Data, specs: &[RowSpec], row: usize) -> usize {
        let Some([a, b, c]) = specs.get(..DIRECTIONS) else { return 0 };
        if [a, b, c].iter().any(|spec| spec.more.0 < spec.more.1) {
            return 0;
        }
        let mut hits = [None; 2];
        for k in 0..2 {
            hits[k] = match (a.hits[k], b.hits[k], c.hits[k]) {
                (Some(Hit::Body(i, p)), Some(Hit::Body(j, q)), Some(Hit::Body(l, r))) if i == j && j == l => {
                    Some((i, [p, q, r]))
                }
                (None, None, None) => None,
                _ => return 0,
            };
        }
        let [Some(first), other] = hits else { return 0 };
        let tree = |(body, _): (usize, [Force; DIRECTIONS])| model.tree_of[body];
        let plain = |hit| {
            let bodies = &model.trees[tree(hit) as usize];
            bodies.len() == 1
                || model.links[bodies.start + 1..bodies.end].iter().all(|l| l.kind != JointKind::Free)
        };
        if !plain(first) || other.is_some_and(|hit| !plain(hit)) {
            return 0;
        }
        for k in self.runs_of[row].0..self.runs_of[row].1 {
            let run = self.runs[k as usize];
            if self.fresh[run.tree as usize] {
                continue;
            }
            let list = self.asked_of[run.tree as usize];
            let asked = &self.asked[list.0 as usize..list.1 as usize];
            match other {
                Some(other) if tree(other) == tree(first) => {
                    contact_responses(model, data, asked, &[first, other], &mut self.scratch);
                }
                Some(other) if tree(other) == run.tree => {
                    contact_responses(model, data, asked, &[other], &mut self.scratch);
                }
                _ => contact_responses(model, data, asked, &[first], &mut self.scratch),
            }
            // The three rows' runs in this tree.
            let froms: [usize; DIRECTIONS] = std::array::from_fn(|k| {
                let run = self.runs_of(row + k).iter().find(|r| r.tree == run.tree);
                run.expect("three rows on the same bodies").from as usize
            });
            // A freedom of the tree that has a row of its own needs joint rates.
            let mut at = 0;
            let (start, end, _) = self.slots_of[run.tree as usize];
            for slot in start as usize..end as usize {
                match self.slots[slot] {
                    Slot::Body(b) => {
                        for k in 0..DIRECTIONS {
                            let twist = self.scratch.motion[b as usize][k].to_array();
                            self.numbers[froms[k] + at..froms[k] + at + 6].copy_from_slice(&twist);
                        }
                        at += 6;
                    }
                    Slot::Freedom(d) => {
                        for k in 0..DIRECTIONS {
                            self.numbers[froms[k] + at] = self.rate_of(model, data, d as usize, k);
                        }
                        at += 1;
                    }
                }
            }
        }
        DIRECTIONS
    }

    /// Rate of one freedom from the responses of its body and the parent.
    fn rate_of(&self, model: &Model, data: &Data, freedom: usize, direction: usize) -> f64 {
        let i = model.body_of_freedom(freedom).index();
        let link = &model.links[i];
        let motion = self.scratch.motion[i][direction];
        let relative = if link.parent == NONE {
            motion
        } else {
            motion - self.scratch.motion[link.parent as usize][direction].at(data.position.offset[i])
        };
        joint_rate(link.kind, &data.position.axes[i], relative, freedom - link.v as usize)
    }

    fn refresh_row(&mut self, model: &Model, data: &mut Data, spec: &RowSpec, more: &[Hit], run: Run) {
        let tree = run.tree as usize;
        self.hits.clear();
        self.hits.extend(spec.all(more).filter(|&hit| tree_of(model, hit) == tree));
        let freedoms = model.freedoms_of(tree);
        let rates = &mut self.rates[..freedoms.len()];
        tree_response(model, data, tree, &self.hits, &self.needed, rates);
        let mut at = run.from as usize;
        let (start, end, _) = self.slots_of[tree];
        for slot in &self.slots[start as usize..end as usize] {
            match *slot {
                Slot::Body(b) => {
                    let twist = data.dynamics.response[b as usize].to_array();
                    self.numbers[at..at + 6].copy_from_slice(&twist);
                    at += 6;
                }
                Slot::Freedom(d) => {
                    self.numbers[at] = rates[d as usize - freedoms.start];
                    at += 1;
                }
            }
        }
    }
}

/// The rate of freedom `k` of a joint whose child moves by `relative` against its parent.
fn joint_rate(kind: JointKind, axes: &glam::DMat3, relative: crate::spatial::Motion, k: usize) -> f64 {
    let (w, v) = (relative.angular, relative.linear);
    match kind {
        JointKind::Revolute { .. } => axes.x_axis.dot(w),
        JointKind::Prismatic { .. } => axes.x_axis.dot(v),
        // The axes are not orthogonal in general: the part along one that the other does not make.
        JointKind::Universal { .. } => {
            let (s, t) = (axes.x_axis, axes.y_axis);
            let (own, other) = if k == 0 { (s, t) } else { (t, s) };
            let across = other.cross(own).cross(other);
            across.dot(w) / across.dot(own)
        }
        JointKind::Planar => [axes.x_axis.dot(v), axes.y_axis.dot(v), axes.z_axis.dot(w)][k.min(2)],
        JointKind::Spherical => axes.col(k.min(2)).dot(w),
        JointKind::Free if k < 3 => axes.col(k).dot(v),
        JointKind::Free => axes.col((k - 3).min(2)).dot(w),
        JointKind::Fixed => 0.0,
    }
}
