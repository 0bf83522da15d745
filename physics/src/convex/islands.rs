//! Islands: trees joined by terms between their bodies. Each is a problem of its own.

use super::combined::{Combined, Part};
use super::newton::Outcome;
use super::rows::{JointRow, Row};
use crate::dynamics::impulse::Hit;
use crate::model::{Model, NONE};

/// Trees and rows sorted by island.
#[derive(Clone, Debug, Default)]
pub(crate) struct Islands {
    /// The smallest tree of each tree's island.
    root: Vec<u32>,
    /// Trees in the order of islands; then the same for rows, joint rows and combined terms.
    pub(crate) trees: Vec<u32>,
    pub(crate) rows: Vec<u32>,
    pub(crate) joints: Vec<u32>,
    pub(crate) combined: Vec<u32>,
    pub(crate) list: Vec<Island>,
    /// How each was solved.
    pub(crate) outcomes: Vec<Outcome>,
    /// The island of each tree.
    of_tree: Vec<u32>,
}

/// Where an island's members stand in the sorted lists.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Island {
    pub(crate) trees: (u32, u32),
    pub(crate) rows: (u32, u32),
    pub(crate) joints: (u32, u32),
    pub(crate) combined: (u32, u32),
}

impl Island {
    /// The part of a sorted list that belongs to the island.
    pub(crate) fn of(range: (u32, u32), list: &[u32]) -> &[u32] {
        &list[range.0 as usize..range.1 as usize]
    }

    /// Whether there is any term in it.
    pub(crate) fn has_terms(&self) -> bool {
        [self.rows, self.joints, self.combined].iter().any(|(start, end)| start < end)
    }
}

impl Islands {
    /// Finds the islands of all trees that are awake.
    pub(crate) fn find(
        &mut self,
        model: &Model,
        rows: &[Row],
        joints: &[JointRow],
        (combined, parts): (&[Combined], &[Part]),
        is_asleep: &[bool],
    ) {
        let n = model.trees.len();
        self.root.clear();
        self.root.extend(0..n as u32);
        for row in rows.iter().filter(|r| r.b != NONE) {
            let a = self.root_of(model.tree_of[row.a as usize]);
            let b = self.root_of(model.tree_of[row.b as usize]);
            self.root[a.max(b) as usize] = a.min(b);
        }
        for term in combined {
            for pair in term.of(parts).windows(2) {
                let a = self.root_of(tree_of(model, pair[0].hit));
                let b = self.root_of(tree_of(model, pair[1].hit));
                self.root[a.max(b) as usize] = a.min(b);
            }
        }
        // Number the islands by their smallest trees.
        self.of_tree.clear();
        self.list.clear();
        for tree in 0..n as u32 {
            let root = self.root_of(tree);
            let own = if is_asleep[tree as usize] {
                NONE
            } else if root == tree || self.of_tree[root as usize] == NONE {
                self.list.push(Island::default());
                self.list.len() as u32 - 1
            } else {
                self.of_tree[root as usize]
            };
            self.of_tree.push(own);
        }
        self.outcomes.clear();
        self.outcomes.resize(self.list.len(), Outcome::default());
        let of_tree = &self.of_tree;
        let island_of = |body: u32| of_tree[model.tree_of[body as usize] as usize];
        sort(&mut self.list, &mut self.trees, n, |k| of_tree[k], |island| &mut island.trees);
        sort(&mut self.list, &mut self.rows, rows.len(), |k| island_of(rows[k].a), |island| &mut island.rows);
        sort(
            &mut self.list,
            &mut self.joints,
            joints.len(),
            |k| island_of(joints[k].body),
            |island| &mut island.joints,
        );
        let first = |k: usize| of_tree[tree_of(model, parts[combined[k].parts.0 as usize].hit) as usize];
        sort(&mut self.list, &mut self.combined, combined.len(), first, |island| &mut island.combined);
    }

    /// The island of a tree, unless that sleeps.
    pub(crate) fn of_tree(&self, tree: usize) -> Option<usize> {
        Some(self.of_tree[tree] as usize).filter(|&island| island < self.list.len())
    }

    fn root_of(&self, mut tree: u32) -> u32 {
        while self.root[tree as usize] != tree {
            tree = self.root[tree as usize];
        }
        tree
    }
}

/// The tree that a unit impulse acts in.
pub(crate) fn tree_of(model: &Model, hit: Hit) -> u32 {
    match hit {
        Hit::Body(body, _) => model.tree_of[body],
        Hit::Freedom(dof, _) => model.tree_of[model.body_of_freedom(dof).index()],
    }
}

/// Counting sort of `0..n` by island, stable; members of no island are left out.
fn sort(
    list: &mut [Island],
    out: &mut Vec<u32>,
    n: usize,
    island_of: impl Fn(usize) -> u32,
    range: impl Fn(&mut Island) -> &mut (u32, u32),
) {
    list.iter_mut().for_each(|island| *range(island) = (0, 0));
    for k in 0..n {
        let island = island_of(k);
        if island != NONE {
            range(&mut list[island as usize]).1 += 1;
        }
    }
    let mut start = 0;
    for island in list.iter_mut() {
        let own = range(island);
        let count = own.1;
        *own = (start, start);
        start += count;
    }
    out.clear();
    out.resize(start as usize, 0);
    for k in 0..n {
        let island = island_of(k);
        if island != NONE {
            let own = range(&mut list[island as usize]);
            out[own.1 as usize] = k as u32;
            own.1 += 1;
        }
    }
}
