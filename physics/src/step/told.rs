//! Bodies that go where they are told, whatever touches them.
//!
//! A body whose joint and all joints above it are prescribed moves like a fixture that has a motor of its own: nothing pushes it aside. Between two of
//! them, or one and the world, no contact changes anything, so none is looked for, but for those of two trees that meet: controllers want to
//! know. A tree of nothing else, which neither a contact with a body that can give way nor a pin, a row or a force of somebody's acts on, is *idle*: its next velocities are
//! known, and it is no part of the convex problem. What passes through its joints is inverse dynamics (`convex/told.rs`).
//!
//! Whatever is dynamic is solved with the same numbers as before. A joint that is freed after contacts were found has them looked for again.

use crate::actuation::{Actuation, Anchor, Term};
use crate::data::Data;
use crate::model::{BodyId, JointKind, Model};
use crate::step::StepOptions;

/// Who is told.
#[derive(Clone, Debug, Default)]
pub(crate) struct Told {
    /// By body: whether it and all above it are.
    bodies: Vec<bool>,
    /// By tree: whether all of it is; and whether it takes part in nothing.
    trees: Vec<bool>,
    idle: Vec<bool>,
    any: bool,
}

impl Told {
    pub(crate) fn new(model: &Model) -> Self {
        let (bodies, trees) = (model.n_bodies(), model.trees.len());
        Self { bodies: vec![false; bodies], trees: vec![false; trees], idle: vec![false; trees], any: false }
    }

    /// Nobody.
    pub(crate) fn clear(&mut self) {
        if self.any {
            self.bodies.fill(false);
            self.trees.fill(false);
            self.idle.fill(false);
            self.any = false;
        }
    }

    /// Those of an actuation.
    pub(crate) fn mark(&mut self, model: &Model, act: &Actuation) {
        self.clear();
        if !act.prescribed.contains(&true) {
            return;
        }
        for (tree, bodies) in model.trees.iter().enumerate() {
            if !act.prescribed[bodies.start] {
                continue;
            }
            let mut all = true;
            for i in bodies.clone() {
                let above = model.bodies[i].parent.is_none_or(|p| self.bodies[p.index()]);
                let rigid = model.links[i].kind == JointKind::Fixed;
                self.bodies[i] = above && (act.prescribed[i] || rigid);
                all &= self.bodies[i];
            }
            self.trees[tree] = all;
            self.any = true;
        }
    }

    /// Whether there is anybody.
    #[inline]
    pub(crate) fn any(&self) -> bool {
        self.any
    }

    /// By tree: whether all of it is.
    pub(crate) fn trees(&self) -> &[bool] {
        &self.trees
    }

    /// Whether a tree takes part in nothing.
    #[inline]
    pub(crate) fn is_idle(&self, tree: usize) -> bool {
        self.idle[tree]
    }

    /// Whether all trees take part in nothing.
    pub(crate) fn all_idle(&self) -> bool {
        self.any && self.idle.iter().all(|idle| *idle)
    }

    /// Whether a contact changes nothing, as neither end gives way.
    #[inline]
    pub(crate) fn holds(&self, a: BodyId, b: Option<BodyId>) -> bool {
        self.any && self.bodies[a.index()] && b.is_none_or(|b| self.bodies[b.index()])
    }

    /// Whether somebody of `before` is no longer told.
    pub(crate) fn lacks(&self, before: &[bool]) -> bool {
        before.iter().zip(&self.bodies).any(|(before, now)| *before && !now)
    }

    /// Whether a body is told.
    #[inline]
    pub(crate) fn is(&self, body: usize) -> bool {
        self.any && self.bodies[body]
    }

    /// By body, for whoever remembers it.
    pub(crate) fn bodies(&self) -> &[bool] {
        &self.bodies
    }
}

/// Finds the trees that take part in nothing, from the contacts at hand.
pub(crate) fn find_idle(model: &Model, data: &mut Data, act: &Actuation, opt: &StepOptions) {
    let mut told = core::mem::take(&mut data.step.told);
    if told.any && opt.ledger {
        // The books have all that is done.
        told.idle.fill(false);
    } else if told.any {
        told.idle.copy_from_slice(&told.trees);
        let tree = |body: BodyId| model.tree_of[body.index()] as usize;
        for contact in &data.contact.points {
            if !told.holds(contact.body_a, contact.body_b) {
                for body in [Some(contact.body_a), contact.body_b].into_iter().flatten() {
                    told.idle[tree(body)] = false;
                }
            }
        }
        for (body, _) in &act.implicit {
            told.idle[tree(*body)] = false;
        }
        for pin in &act.pins {
            told.idle[tree(pin.body)] = false;
            if let Anchor::Body { body, .. } = pin.anchor {
                told.idle[tree(body)] = false;
            }
        }
        for term in act.rows.iter().flat_map(|row| row.terms.iter().flatten()) {
            for body in term.bodies().into_iter().flatten() {
                told.idle[tree(body)] = false;
            }
            if let Term::Freedom { freedom, .. } = *term {
                told.idle[tree(model.body_of(freedom))] = false;
            }
        }
    }
    data.step.told = told;
}
