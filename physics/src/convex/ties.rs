//! What ties articulated bodies to each other: a gain `K` of low rank, between a few bodies.
//!
//! With `T` the trees' own matrix, `J` from rates to the tied bodies' motions and `K = L Lᵀ`,
//!
//! ```text
//! (1)  (T + Jᵀ L Lᵀ J)⁻¹ r = T⁻¹ (r - Jᵀ L y),   (1 + Lᵀ Ω L) y = Lᵀ J T⁻¹ r,   Ω = J T⁻¹ Jᵀ     (Woodbury)
//! ```
//!
//! which is well posed however singular `K` is. `L` is found body by body, fewest neighbours first: a column acts on a body
//! and on those tied to it, not on all that hang together. No motion has to be known for `Ω`, since with `T = XᵀDX`
//!
//! ```text
//! (2)  l_cᵀ Ω l_d = u_cᵀ D⁻¹ u_d,    u = X⁻ᵀJᵀl
//! ```
//!
//! where `u` is what the joints on the way to the roots take of a column's wrenches.

use crate::spatial::six::Six;
use crate::spatial::{Force, Motion};

/// Pivots of `K` below this share of its largest diagonal entry count as zero.
const RANK: f64 = 1e-12;
/// Columns that room is made for beforehand: two bodies tied in all directions to a third, twice.
const COLUMNS: usize = 24;

/// `K = L Lᵀ` and the small system of (1). Bodies that are tied to each other, and to no others, make a group; `K` is a block
/// per group.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ties {
    /// Bodies, group by group.
    pub(crate) bodies: Vec<u32>,
    /// Their nodes, and where each group ends.
    pub(super) nodes: Vec<u32>,
    pub(super) ends: Vec<u32>,
    columns: Vec<Column>,
    /// Places among `bodies` that columns act on; those of one body share them.
    support: Vec<u32>,
    /// Six numbers for each place of each column.
    values: Vec<f64>,
    /// The group at hand: its size, `K` in blocks by rows, and which blocks there are.
    n: usize,
    matrix: Vec<Six>,
    joined: Vec<bool>,
    is_done: Vec<bool>,
    small: Vec<f64>,
    /// (2) of all columns.
    effort: [Vec<f64>; 2],
    y: Vec<f64>,
    pushes: Vec<Force>,
}

/// A column of `L`: where in `support` the places stand that it acts on, and where its numbers begin.
#[derive(Clone, Copy, Debug)]
struct Column {
    first: usize,
    end: usize,
    values: usize,
}

impl Ties {
    pub(super) fn new(n_v: usize) -> Self {
        let room = || Vec::with_capacity(COLUMNS * n_v);
        Self { effort: [room(), room()], ..Self::default() }
    }

    /// Number of columns of `L`.
    pub(crate) fn rank(&self) -> usize {
        self.columns.len()
    }

    /// Before the first group.
    pub(super) fn begin(&mut self) {
        self.columns.clear();
        self.support.clear();
        self.values.clear();
    }

    /// Begins a group of `n` bodies.
    pub(super) fn make_room(&mut self, n: usize) {
        self.n = n;
        self.joined.clear();
        self.joined.resize(n * n, false);
        // Blocks that are not joined are not read.
        self.matrix.resize(self.matrix.len().max(n * n), [[0.0; 6]; 6]);
        self.is_done.clear();
        self.is_done.resize(n, false);
    }

    /// Writes the block of two bodies of the group, of one with itself on the diagonal.
    pub(super) fn put(&mut self, i: usize, j: usize, block: &Six) {
        let n = self.n;
        self.matrix[i * n + j] = *block;
        if i != j {
            self.matrix[j * n + i] = crate::spatial::six::transposed(block);
        }
        self.joined[i * n + j] = true;
        self.joined[j * n + i] = true;
    }

    /// Appends the columns of the group whose first body is the `first`, by Cholesky in blocks that ends in each at its rank. The
    /// matrix is used up.
    pub(super) fn split(&mut self, first: usize) {
        let n = self.n;
        let entries = (0..6 * n).map(|k| self.matrix[(k / 6) * (n + 1)][k % 6][k % 6]);
        let least = RANK * entries.fold(0.0, f64::max);
        for _ in 0..n {
            // Fewest neighbours first; the first of equals.
            let degree = |i: usize| (0..n).filter(|&j| self.joined[i * n + j] && !self.is_done[j]).count();
            let Some(body) = (0..n).filter(|&i| !self.is_done[i]).min_by_key(|&i| degree(i)) else { break };
            self.is_done[body] = true;
            let start = self.support.len();
            self.support.push((first + body) as u32);
            for j in (0..n).filter(|&j| self.joined[body * n + j] && !self.is_done[j]) {
                self.support.push((first + j) as u32);
            }
            self.join_all(start + 1, first);
            self.split_body(start, first, least);
        }
    }

    /// Makes blocks of all pairs of the places from `start` on, where there are none.
    fn join_all(&mut self, start: usize, first: usize) {
        for &a in &self.support[start..] {
            for &b in &self.support[start..] {
                let at = (a as usize - first) * self.n + b as usize - first;
                if !self.joined[at] {
                    self.joined[at] = true;
                    self.matrix[at] = [[0.0; 6]; 6];
                }
            }
        }
    }

    /// The columns of the body whose place is the first of `support` from `start` on; its neighbours' follow.
    fn split_body(&mut self, start: usize, first: usize, least: f64) {
        let end = self.support.len();
        let block = |a: u32, b: u32| (a as usize - first) * self.n + b as usize - first;
        let body = self.support[start];
        for _ in 0..6 {
            let own = &self.matrix[block(body, body)];
            let (mut best, mut most) = (0, least);
            for k in 0..6 {
                if own[k][k] > most {
                    (best, most) = (k, own[k][k]);
                }
            }
            if most <= least {
                break;
            }
            let (values, scale) = (self.values.len(), 1.0 / most.sqrt());
            self.columns.push(Column { first: start, end, values });
            for &j in &self.support[start..end] {
                let row = &self.matrix[block(body, j)][best];
                self.values.extend(row.iter().map(|x| x * scale));
            }
            // Takes the column's outer product off the blocks it acts on.
            let column = &self.values[values..];
            for (&a, left) in self.support[start..end].iter().zip(column.chunks_exact(6)) {
                for (&b, right) in self.support[start..end].iter().zip(column.chunks_exact(6)) {
                    for (to, l) in self.matrix[block(a, b)].iter_mut().zip(left) {
                        to.iter_mut().zip(right).for_each(|(x, r)| *x -= l * r);
                    }
                }
            }
            // What is left in this row and column is rounding.
            let own = &mut self.matrix[block(body, body)];
            own[best] = [0.0; 6];
            own.iter_mut().for_each(|row| row[best] = 0.0);
        }
    }

    /// The bodies that a column acts on, with its wrenches on them.
    fn wrenches(&self, c: usize) -> impl Iterator<Item = (u32, Force)> + '_ {
        let Column { first, end, values } = self.columns[c];
        let places = self.support[first..end].iter();
        places.zip(self.values[values..].chunks_exact(6)).map(|(&k, x)| (self.bodies[k as usize], wrench(x)))
    }

    /// `L_cᵀ` times the motions of all bodies.
    fn project(&self, c: usize, motions: &[Motion]) -> f64 {
        self.wrenches(c).map(|(body, f)| motions[body as usize].dot(f)).sum()
    }

    /// Builds and factors `1 + LᵀΩL`. `take` takes a column's wrenches in to the roots and appends what the joints on the way
    /// are left with: `u` and `D⁻¹u` of each freedom, (2).
    pub(crate) fn factorize(
        &mut self,
        mut take: impl FnMut(&mut dyn Iterator<Item = (u32, Force)>, &mut [Vec<f64>; 2]),
    ) {
        let r = self.rank();
        let mut small = core::mem::take(&mut self.small);
        let mut effort = core::mem::take(&mut self.effort);
        small.clear();
        small.resize(r * r, 0.0);
        effort.iter_mut().for_each(Vec::clear);
        for c in 0..r {
            take(&mut self.wrenches(c), &mut effort);
        }
        let [taken, moved] = &effort;
        let length = taken.len() / r.max(1);
        for c in 0..r {
            let own = &taken[c * length..(c + 1) * length];
            for d in c..r {
                let other = &moved[d * length..(d + 1) * length];
                small[d * r + c] = dot(own, other) + if c == d { 1.0 } else { 0.0 };
            }
        }
        self.effort = effort;
        // Plain Cholesky, lower triangle; the sum of one and a positive matrix.
        for j in 0..r {
            for i in j..r {
                let mut s = small[i * r + j];
                for k in 0..j {
                    s -= small[i * r + k] * small[j * r + k];
                }
                small[i * r + j] =
                    if i == j { s.max(f64::MIN_POSITIVE).sqrt() } else { s / small[j * r + j] };
            }
        }
        self.small = small;
    }

    /// The forces `-L y` that the ties put on the tied bodies whose own solve gives all bodies the motions `found`.
    pub(crate) fn react(&mut self, found: &[Motion]) -> impl Iterator<Item = (u32, Force)> + '_ {
        let r = self.rank();
        let mut y = core::mem::take(&mut self.y);
        y.clear();
        y.extend((0..r).map(|c| self.project(c, found)));
        let l = &self.small;
        for i in 0..r {
            for k in 0..i {
                y[i] -= l[i * r + k] * y[k];
            }
            y[i] /= l[i * r + i];
        }
        for i in (0..r).rev() {
            for k in i + 1..r {
                y[i] -= l[k * r + i] * y[k];
            }
            y[i] /= l[i * r + i];
        }
        self.pushes.clear();
        self.pushes.resize(self.bodies.len(), Force::ZERO);
        for (column, y) in self.columns.iter().zip(&y) {
            let places = self.support[column.first..column.end].iter();
            for (&k, x) in places.zip(self.values[column.values..].chunks_exact(6)) {
                self.pushes[k as usize] -= wrench(x) * *y;
            }
        }
        self.y = y;
        self.bodies.iter().copied().zip(self.pushes.iter().copied())
    }
}

/// `a · b`, in four sums side by side: one would wait for every addition.
#[inline]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (fours, rest) = (a.chunks_exact(4).zip(b.chunks_exact(4)), a.len() - a.len() % 4);
    for (a, b) in fours {
        for k in 0..4 {
            sums[k] += a[k] * b[k];
        }
    }
    let tail: f64 = a[rest..].iter().zip(&b[rest..]).map(|(a, b)| a * b).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + tail
}

#[inline]
fn wrench(x: &[f64]) -> Force {
    Force::new(glam::DVec3::new(x[0], x[1], x[2]), glam::DVec3::new(x[3], x[4], x[5]))
}
