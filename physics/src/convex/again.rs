//! Solving again where something was added: a point that came through, a limit that would be passed.
//!
//! Islands know nothing of each other. What is added to one leaves the solutions of all others as they are, so those keep their terms, their
//! velocities and, once they moved on, their place at the end of the step; their trees are closed.

use super::Convex;
use super::combined::{Combined, Part};
use super::islands::{Island, Islands};
use super::rows::{JointRow, Row};
use crate::model::Model;

/// The terms and islands of the solve before.
#[derive(Clone, Debug, Default)]
pub(super) struct Before {
    rows: Vec<Row>,
    joints: Vec<JointRow>,
    combined: Vec<Combined>,
    parts: Vec<Part>,
    islands: Islands,
}

impl Convex {
    /// All trees are to be solved.
    pub(crate) fn open_all(&mut self) {
        self.is_open.fill(true);
    }

    /// Only the islands that something was added to, at the given trees or at limits that were overshot, are to be solved and moved again, and trees that woke up
    /// meanwhile.
    pub(crate) fn open(&mut self, model: &Model, is_asleep: &[bool], added: impl Iterator<Item = usize>) {
        let overshot = self.unseen[self.overshot..].iter().map(|limit| limit.tree(model));
        mark(&mut self.is_open, &self.islands, added.chain(overshot));
        for (tree, mark) in self.is_open.iter_mut().enumerate() {
            *mark |= self.is_asleep[tree] && !is_asleep[tree];
        }
    }

    /// The same for one more round of a solve, among the trees that are open.
    pub(super) fn open_for_round(&mut self, added: impl Iterator<Item = usize>) {
        mark(&mut self.is_in_round, &self.islands, added);
        self.is_in_round.iter_mut().zip(&self.is_open).for_each(|(mark, open)| *mark &= open);
    }

    /// Whether a tree is to be solved and moved.
    #[inline]
    pub(crate) fn is_open(&self, tree: usize) -> bool {
        self.is_open[tree]
    }

    /// Whether an island is to be solved in this round; all its trees are or none.
    pub(super) fn is_island_in_round(&self, island: Island) -> bool {
        Island::of(island.trees, &self.islands.trees).iter().any(|&tree| self.is_in_round[tree as usize])
    }

    /// Puts the terms away before they are gathered anew.
    pub(super) fn put_away(&mut self) {
        let before = &mut self.before;
        core::mem::swap(&mut self.rows, &mut before.rows);
        core::mem::swap(&mut self.joints, &mut before.joints);
        core::mem::swap(&mut self.combined, &mut before.combined);
        core::mem::swap(&mut self.parts, &mut before.parts);
        core::mem::swap(&mut self.islands, &mut before.islands);
        self.rows.clear();
        self.joints.clear();
        self.combined.clear();
        self.parts.clear();
    }

    /// Gives closed islands their solved terms back. They have the same ones in the same order; only contacts are counted anew.
    pub(super) fn take_back(&mut self) {
        for k in 0..self.islands.list.len() {
            let island = self.islands.list[k];
            let trees = Island::of(island.trees, &self.islands.trees);
            let (false, Some(&tree)) = (self.is_island_in_round(island), trees.first()) else { continue };
            let Before { rows, joints, combined, parts, islands } = &self.before;
            let Some(old) = islands.of_tree(tree as usize) else { continue };
            self.islands.outcomes[k] = islands.outcomes[old];
            let old = islands.list[old];
            let pairs =
                Island::of(island.rows, &self.islands.rows).iter().zip(Island::of(old.rows, &islands.rows));
            for (&to, &from) in pairs {
                let row = &mut self.rows[to as usize];
                *row = Row { source: row.source, ..rows[from as usize] };
            }
            let pairs = Island::of(island.joints, &self.islands.joints)
                .iter()
                .zip(Island::of(old.joints, &islands.joints));
            for (&to, &from) in pairs {
                self.joints[to as usize] = joints[from as usize];
            }
            let pairs = Island::of(island.combined, &self.islands.combined)
                .iter()
                .zip(Island::of(old.combined, &islands.combined));
            for (&to, &from) in pairs {
                let (term, known) = (&mut self.combined[to as usize], &combined[from as usize]);
                let own = &mut self.parts[term.parts.0 as usize..term.parts.1 as usize];
                own.copy_from_slice(known.of(parts));
                *term = Combined { parts: term.parts, ..*known };
            }
        }
    }
}

/// Marks the islands of some trees. One that sleeps has none.
fn mark(marks: &mut [bool], islands: &Islands, added: impl Iterator<Item = usize>) {
    marks.fill(false);
    for island in added.filter_map(|tree| islands.of_tree(tree)) {
        for &tree in Island::of(islands.list[island].trees, &islands.trees) {
            marks[tree as usize] = true;
        }
    }
}
