//! Solving again where something was added: a point that came through, a limit that would be passed.
//!
//! Islands know nothing of each other. What is added to one leaves the solutions of all others as they are, so those keep their terms, their
//! velocities and, once they moved on, their place at the end of the step; their trees are closed.

use super::Convex;
use super::islands::{Island, Islands};
use super::rows::{JointRow, Row};
use crate::actuation::Actuation;

/// The terms and islands of the solve before.
#[derive(Clone, Debug, Default)]
pub(super) struct Before {
    rows: Vec<Row>,
    joints: Vec<JointRow>,
    islands: Islands,
}

impl Convex {
    /// All trees are to be solved.
    pub(crate) fn open_all(&mut self) {
        self.is_open.fill(true);
    }

    /// Only the islands that something was added to, at the given trees, are to be solved and moved again; all of them where [`needs_all`].
    pub(crate) fn open(&mut self, act: &Actuation, added: impl Iterator<Item = usize>) {
        let all = needs_all(act);
        mark(&mut self.is_open, &self.islands, all, added);
    }

    /// The same for one more round of a solve, among the trees that are open.
    pub(super) fn open_for_round(&mut self, act: &Actuation, added: impl Iterator<Item = usize>) {
        let all = needs_all(act);
        mark(&mut self.is_in_round, &self.islands, all, added);
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
        core::mem::swap(&mut self.islands, &mut before.islands);
        self.rows.clear();
        self.joints.clear();
    }

    /// Gives closed islands their solved terms back. They have the same ones in the same order; only contacts are counted anew.
    pub(super) fn take_back(&mut self) {
        for k in 0..self.islands.list.len() {
            let island = self.islands.list[k];
            let trees = Island::of(island.trees, &self.islands.trees);
            let (false, Some(&tree)) = (self.is_island_in_round(island), trees.first()) else { continue };
            let Before { rows, joints, islands } = &self.before;
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
        }
    }
}

/// Whether everything has to be solved again: how far pins are off is measured as the step begins, what drives do in the flow is one sum, and combined
/// terms are in no island's order.
fn needs_all(act: &Actuation) -> bool {
    let is_driven = !act.motors.is_empty() || act.prescribed.iter().any(|&on| on);
    is_driven || !act.pins.is_empty() || !act.rows.is_empty()
}

/// Marks the islands of some trees, or all.
fn mark(marks: &mut [bool], islands: &Islands, all: bool, added: impl Iterator<Item = usize>) {
    marks.fill(all);
    for tree in added {
        let Some(island) = islands.of_tree(tree) else {
            // Asleep until now: whom it touches is not known.
            return marks.fill(true);
        };
        for &tree in Island::of(islands.list[island].trees, &islands.trees) {
            marks[tree as usize] = true;
        }
    }
}
