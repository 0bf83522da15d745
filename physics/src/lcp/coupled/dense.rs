//! The matrix of a small island as one: rows of a figure on the ground all feel each other, and products of whole rows cost a fraction of as many blocks.

use super::relax::is_pair;
use super::{Coupled, CoupledRow};

/// Most rows of an island that is kept so: 128 kB of numbers.
const MOST_ROWS: usize = 128;
/// Products that go on side by side.
const LANES: usize = 4;

/// An island's `A`, without compliance, and its `x`.
#[derive(Clone, Debug, Default)]
pub(super) struct Dense {
    /// Place of each group's first row.
    start: Vec<u32>,
    /// All rows, in order of the island.
    pub(super) rows: Vec<u32>,
    /// Numbers of a row, with zeros up to a whole number of lanes.
    stride: usize,
    a: Vec<f64>,
    x: Vec<f64>,
}

impl Dense {
    /// Gathers an island; false if it is too large.
    pub(super) fn gather(&mut self, coupled: &Coupled, island: &[u32]) -> bool {
        self.rows.clear();
        self.start.resize(coupled.n_groups().max(self.start.len()), 0);
        for &g in island {
            self.start[g as usize] = self.rows.len() as u32;
            self.rows.extend(coupled.rows_of(g as usize).map(|i| i as u32));
            if self.rows.len() > MOST_ROWS {
                return false;
            }
        }
        self.stride = self.rows.len().next_multiple_of(LANES);
        self.a.clear();
        self.a.resize(self.rows.len() * self.stride, 0.0);
        self.x.clear();
        self.x.resize(self.stride, 0.0);
        for &g in island {
            let group = &coupled.groups[g as usize];
            let (n, first) = (coupled.rows_of(g as usize).len(), self.start[g as usize] as usize);
            for block in &coupled.blocks[group.blocks.0 as usize..group.blocks.1 as usize] {
                let (m, at) = (block.rows as usize, self.start[block.other as usize] as usize);
                for i in 0..n {
                    let numbers = &coupled.numbers[block.from as usize + i * m..][..m];
                    self.a[(first + i) * self.stride + at..][..m].copy_from_slice(numbers);
                }
            }
        }
        true
    }

    /// Takes over `x`.
    pub(super) fn take(&mut self, x: &[f64]) {
        for (own, &i) in self.x.iter_mut().zip(&self.rows) {
            *own = x[i as usize];
        }
    }

    /// Place of a group's first row.
    #[inline]
    pub(super) fn start_of(&self, group: u32) -> usize {
        self.start[group as usize] as usize
    }

    /// A row.
    #[inline]
    pub(super) fn row(&self, at: usize) -> &[f64] {
        &self.a[at * self.stride..(at + 1) * self.stride]
    }

    /// `w` of the row at a place.
    #[inline]
    pub(super) fn slack(&self, at: usize, row: &CoupledRow) -> f64 {
        let mut sums = [0.0; LANES];
        for (a, x) in self.row(at).chunks_exact(LANES).zip(self.x.chunks_exact(LANES)) {
            for k in 0..LANES {
                sums[k] += a[k] * x[k];
            }
        }
        row.offset + row.compliance * self.x[at] + ((sums[0] + sums[1]) + (sums[2] + sums[3]))
    }

    /// What rows are off: the most that any of them would change its velocity by, were it relaxed alone.
    pub(super) fn off(&self, rows: &[CoupledRow], x: &[f64]) -> f64 {
        // What the row at a place would have without bounds, and its own entry.
        let wanted = |at: usize| {
            let row = &rows[self.rows[at] as usize];
            let own = self.row(at)[at] + row.compliance;
            (if own > 0.0 { self.x[at] - self.slack(at, row) / own } else { 0.0 }, own)
        };
        let (mut most, mut at) = (0.0_f64, 0);
        while at < self.rows.len() {
            let i = self.rows[at] as usize;
            let limit = rows[i].friction.map(|(normal, mu)| mu * x[normal as usize].max(0.0));
            let (a, own) = wanted(at);
            match limit {
                Some(limit) if is_pair(rows, i) => {
                    let (b, other) = wanted(at + 1);
                    let square = a * a + b * b;
                    let scale = if square > limit * limit { limit / square.sqrt() } else { 1.0 };
                    let off = ((scale * a - x[i]).abs() * own).max((scale * b - x[i + 1]).abs() * other);
                    most = most.max(off);
                    at += 1;
                }
                Some(limit) => most = most.max((a.clamp(-limit, limit) - x[i]).abs() * own),
                None => most = most.max((a.clamp(rows[i].lower, rows[i].upper) - x[i]).abs() * own),
            }
            at += 1;
        }
        most
    }

    /// Takes over the values of a group's rows.
    #[inline]
    pub(super) fn set(&mut self, at: usize, x: &[f64]) {
        self.x[at..at + x.len()].copy_from_slice(x);
    }
}
