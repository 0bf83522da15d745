//! Projected Gauss–Seidel on groups of rows with the blocks of `A` between groups that feel each other.
//!
//! A **group** is a row and the friction rows that refer to it; groups are coupled through what they have in common
//! (for contacts: a tree of bodies), and most pairs have nothing in common. So `A` is kept as a dense block per coupled
//! pair: a visit to a group costs its own rows times the rows it feels, whatever lies between them. Groups that are
//! connected by no chain of blocks are **islands**, solved one after the other, each until it has settled.
//!
//! Same problem, same signs as [`super::Problem`]: `w = A x + b`. Two tangents in a row that refer to the same row with
//! the same coefficient are projected together onto the disc `|x_t| ≤ μ x_n` (maximum dissipation). Sweeps go to and fro
//! (symmetric Gauss–Seidel): a load enters a stack at one end and the reaction at the other, and a sweep carries news
//! all the way only in its own direction.
//!
//! Rounds of sweeps are in `sweep.rs`, the visit to one group in `relax.rs`, what ends them early in `subspace.rs`; small islands are one matrix, `dense.rs`.

mod dense;
mod relax;
mod subspace;
mod sweep;
#[cfg(test)]
mod tests;

use std::ops::Range;

pub(crate) use relax::leaves_cone;
pub(crate) use sweep::Effort;
use sweep::Ways;

/// Most rows in a group; longer ones are split, which costs convergence but no correctness.
pub(crate) const MAX_GROUP: usize = 6;

/// What bounds a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct CoupledRow {
    /// `b_i`.
    pub(crate) offset: f64,
    /// Size of velocities at the row, m/s or rad/s: sweeps need not be more exact than a small share of it.
    pub(crate) speed: f64,
    /// What is added to the diagonal.
    pub(crate) compliance: f64,
    /// Least value.
    pub(crate) lower: f64,
    /// Largest value.
    pub(crate) upper: f64,
    /// Friction row: index of the row it refers to and the coefficient; bounds then come from there.
    pub(crate) friction: Option<(u32, f64)>,
}

/// Consecutive rows and where their blocks are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Group {
    /// First row and one past the last.
    rows: (u32, u32),
    /// Range of [`Coupled::blocks`], in order of the other group, its own among them.
    blocks: (u32, u32),
    /// Where its own block's numbers start.
    own: u32,
}

/// A block of `A`: the rows of a group by the rows of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    other: u32,
    /// First row of the other group, and how many it has.
    at: u32,
    rows: u32,
    /// Where its numbers start, row by row.
    from: u32,
}

/// Rows in groups, and the blocks between them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coupled {
    groups: Vec<Group>,
    blocks: Vec<Block>,
    numbers: Vec<f64>,
    /// Groups island by island, and where each island starts.
    order: Vec<u32>,
    islands: Vec<u32>,
    ways: Ways,
}

impl Coupled {
    /// Empties it, keeping the memory.
    pub(crate) fn clear(&mut self) {
        self.groups.clear();
        self.blocks.clear();
        self.numbers.clear();
        self.order.clear();
        self.islands.clear();
    }

    /// Splits rows into groups.
    pub(crate) fn group(&mut self, rows: &[CoupledRow]) {
        self.clear();
        let mut start = 0;
        for end in 1..=rows.len() {
            let goes_on = rows.get(end).is_some_and(|row| {
                row.friction.is_some_and(|(normal, _)| normal as usize == start) && end - start < MAX_GROUP
            });
            if !goes_on {
                self.groups.push(Group { rows: (start as u32, end as u32), ..Group::default() });
                start = end;
            }
        }
    }

    /// Number of groups.
    pub(crate) fn n_groups(&self) -> usize {
        self.groups.len()
    }

    /// Rows of a group.
    #[inline]
    pub(crate) fn rows_of(&self, group: usize) -> Range<usize> {
        let (start, end) = self.groups[group].rows;
        start as usize..end as usize
    }

    /// Gives a group its blocks: `others` are the groups it feels in ascending order, itself among them, and
    /// `block(rows, columns, out)` appends the entries of `A` without compliance, row by row. Groups must be coupled in
    /// ascending order; blocks to earlier groups are theirs, transposed.
    pub(crate) fn couple(
        &mut self,
        group: usize,
        others: &[u32],
        mut block: impl FnMut(Range<usize>, Range<usize>, &mut Vec<f64>),
    ) {
        let first = self.blocks.len() as u32;
        let rows = self.rows_of(group);
        for &other in others {
            let columns = self.rows_of(other as usize);
            let from = self.numbers.len();
            let (at, rows_there) = (columns.start as u32, columns.len() as u32);
            self.blocks.push(Block { other, at, rows: rows_there, from: from as u32 });
            if (other as usize) < group {
                let theirs = self.block_between(other as usize, group);
                for i in 0..rows.len() {
                    for k in 0..columns.len() {
                        let value = self.numbers[theirs + k * rows.len() + i];
                        self.numbers.push(value);
                    }
                }
                continue;
            }
            if other as usize == group {
                self.groups[group].own = from as u32;
            }
            block(rows.clone(), columns, &mut self.numbers);
        }
        self.groups[group].blocks = (first, self.blocks.len() as u32);
    }

    fn block_between(&self, group: usize, other: usize) -> usize {
        let (start, end) = self.groups[group].blocks;
        let blocks = &self.blocks[start as usize..end as usize];
        let at = blocks.binary_search_by_key(&(other as u32), |b| b.other);
        blocks[at.expect("coupling is mutual")].from as usize
    }

    /// Orders the groups by island; `island(row)` names that of a group's first row by a number below `n_islands`.
    pub(crate) fn arrange(&mut self, n_islands: usize, island: impl Fn(usize) -> usize) {
        self.islands.clear();
        self.islands.resize(n_islands + 1, 0);
        for group in 0..self.groups.len() {
            self.islands[island(self.groups[group].rows.0 as usize) + 1] += 1;
        }
        for k in 1..self.islands.len() {
            self.islands[k] += self.islands[k - 1];
        }
        self.order.clear();
        self.order.resize(self.groups.len(), 0);
        for group in 0..self.groups.len() {
            let next = &mut self.islands[island(self.groups[group].rows.0 as usize)];
            self.order[*next as usize] = group as u32;
            *next += 1;
        }
        // Each start has become its island's end.
        self.islands.rotate_right(1);
        self.islands[0] = 0;
    }

    /// Entries of all blocks; half of them are others' transposed.
    pub(crate) fn n_numbers(&self) -> usize {
        self.numbers.len()
    }

    /// Number of islands that [`Coupled::arrange`] was told of, empty ones among them.
    pub(crate) fn n_islands(&self) -> usize {
        self.islands.len().saturating_sub(1)
    }

    /// Rows of an island, group by group.
    pub(crate) fn rows_of_island(&self, island: usize) -> impl Iterator<Item = usize> + Clone {
        let groups = &self.order[self.islands[island] as usize..self.islands[island + 1] as usize];
        groups.iter().flat_map(|&g| self.rows_of(g as usize))
    }
}
