//! Bodies that press on each other: lone bodies are eliminated like joints, what is left ties trees by a low rank.
//!
//! The terms between bodies make a graph. Its nodes are the island's lone bodies (trees of one free body) and those
//! bodies of articulated trees that touch another body. A lone body `l` with the pivot `D_l` (its inertia and all gains on
//! it) and the couplings `B_ln` to its neighbours is eliminated by
//!
//! ```text
//! (1)  Y_n = D_l⁻¹ B_ln,    D_n -= B_lnᵀ Y_n,    B_nm -= B_lnᵀ Y_m
//! ```
//!
//! least number of neighbours first, so that chains, stacks and trees of contacts fill in nothing. Neighbours that are bodies
//! of articulated trees end up with a gain `K` between them. Where such a body is tied to no other it is one more
//! implicit term of its tree. The rest (loops, two characters that touch, a limb against its own trunk) is `K = L Lᵀ`
//! of low rank, and with `T` the trees' own matrix
//!
//! ```text
//! (2)  (T + Jᵀ L Lᵀ J)⁻¹ r = T⁻¹ (r - Jᵀ L y),   (1 + Lᵀ Ω L) y = Lᵀ J T⁻¹ r,   Ω = J T⁻¹ Jᵀ     (Woodbury)
//! ```
//!
//! which is well posed however singular `K` is.

use super::rows::Row;
use super::six::{self, Six};
use crate::model::NONE;
use crate::spatial::{ArticulatedInertia, Force, Motion};

/// Pivots of `K` below this share of its largest diagonal entry count as zero.
const RANK: f64 = 1e-12;

/// The graph of one island and its factors.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pairs {
    /// Whether the graph is that of the island at hand.
    pub(crate) is_planned: bool,
    /// Bodies of the nodes: lone ones first.
    bodies: Vec<u32>,
    n_lone: usize,
    /// The node of each body, [`NONE`] if it has none.
    node_of: Vec<u32>,
    /// Neighbours and the blocks between them, while eliminated.
    links: Vec<Vec<(u32, u32)>>,
    /// Nodes of each block: rows, columns.
    ends: Vec<(u32, u32)>,
    /// Blocks that rows make themselves; the others are filled in.
    order: Vec<Elimination>,
    /// Neighbours of the eliminated nodes, with their blocks, one after the other; with `Y_n`.
    touched: Vec<(u32, u32)>,
    /// Blocks between all pairs of neighbours of an eliminated node, in order.
    fill: Vec<u32>,
    // Numbers.
    pivot: Vec<Six>,
    block: Vec<Six>,
    answers: Vec<Six>,
    rhs: Vec<[f64; 6]>,
    /// Nodes of articulated bodies that stay tied to each other.
    tied: Vec<u32>,
    pub(crate) ties: Ties,
}

#[derive(Clone, Copy, Debug)]
struct Elimination {
    node: u32,
    first: u32,
    count: u32,
    fill: u32,
}

/// What ties articulated bodies to each other: `K = L Lᵀ` and the small system (2).
#[derive(Clone, Debug, Default)]
pub(crate) struct Ties {
    /// Bodies, six rows of `L` each.
    pub(crate) bodies: Vec<u32>,
    /// Columns of `L`, each with all rows.
    columns: Vec<Vec<f64>>,
    pub(crate) rank: usize,
    matrix: Vec<f64>,
    small: Vec<f64>,
    y: Vec<f64>,
}

impl Pairs {
    /// Whether terms between bodies began or ceased to act since [`Pairs::plan`]; terms that do not act tie nothing.
    pub(crate) fn is_outdated(&self, rows: &[Row], island: &[u32]) -> bool {
        let row = |k: &u32| &rows[*k as usize];
        !self.is_planned || island.iter().map(row).any(|r| r.b != NONE && r.acts() != (r.block != NONE))
    }

    /// Bodies of articulated trees among the nodes.
    pub(crate) fn jointed(&self) -> &[u32] {
        &self.bodies[self.n_lone..]
    }

    /// Builds the graph of an island from its lone bodies and the rows that act; plans the elimination.
    pub(crate) fn plan(
        &mut self,
        n_bodies: usize,
        lone: impl Iterator<Item = u32>,
        rows: &mut [Row],
        island: &[u32],
    ) {
        for &body in &self.bodies {
            self.node_of[body as usize] = NONE;
        }
        self.node_of.resize(n_bodies, NONE);
        self.bodies.clear();
        for body in lone {
            self.node_of[body as usize] = self.bodies.len() as u32;
            self.bodies.push(body);
        }
        self.n_lone = self.bodies.len();
        self.ends.clear();
        self.links.iter_mut().for_each(Vec::clear);
        for &k in island {
            let row = &mut rows[k as usize];
            row.block = NONE;
            if row.b != NONE && row.acts() {
                let (a, b) = (self.node(row.a), self.node(row.b));
                row.block = self.join(a, b);
            }
        }
        self.is_planned = true;
        self.links.resize_with(self.links.len().max(self.bodies.len()), Vec::new);
        self.eliminate_symbolically();
        let n = self.bodies.len();
        self.pivot.resize(self.pivot.len().max(n), six::ZERO);
        self.rhs.resize(self.rhs.len().max(n), [0.0; 6]);
        self.block.resize(self.block.len().max(self.ends.len()), six::ZERO);
        self.answers.resize(self.answers.len().max(self.touched.len()), six::ZERO);
        self.tied.clear();
        self.ties.bodies.clear();
        for node in self.n_lone..n {
            if !self.links[node].is_empty() {
                self.tied.push(node as u32);
                self.ties.bodies.push(self.bodies[node]);
            }
        }
    }

    fn node(&mut self, body: u32) -> u32 {
        let known = &mut self.node_of[body as usize];
        if *known == NONE {
            *known = self.bodies.len() as u32;
            self.bodies.push(body);
        }
        *known
    }

    /// The block between two nodes, made if there is none.
    fn join(&mut self, a: u32, b: u32) -> u32 {
        let most = a.max(b) as usize + 1;
        if self.links.len() < most {
            self.links.resize_with(most, Vec::new);
        }
        if let Some(&(_, block)) = self.links[a as usize].iter().find(|l| l.0 == b) {
            return block;
        }
        let block = self.ends.len() as u32;
        self.ends.push((a.min(b), a.max(b)));
        self.links[a as usize].push((b, block));
        self.links[b as usize].push((a, block));
        block
    }

    fn eliminate_symbolically(&mut self) {
        self.order.clear();
        self.touched.clear();
        self.fill.clear();
        let mut left: Vec<u32> = core::mem::take(&mut self.tied);
        left.clear();
        left.extend(0..self.n_lone as u32);
        while !left.is_empty() {
            // Fewest neighbours first; the first of equals.
            let mut best = 0;
            for k in 1..left.len() {
                if self.links[left[k] as usize].len() < self.links[left[best] as usize].len() {
                    best = k;
                    if self.links[left[k] as usize].len() <= 1 {
                        break;
                    }
                }
            }
            let node = left.remove(best);
            let first = self.touched.len();
            let own = core::mem::take(&mut self.links[node as usize]);
            self.touched.extend_from_slice(&own);
            let fill = self.fill.len() as u32;
            for &(n, _) in &own {
                self.links[n as usize].retain(|l| l.0 != node);
            }
            for (k, &(n, _)) in own.iter().enumerate() {
                for &(m, _) in &own[k + 1..] {
                    let block = self.join(n, m);
                    self.fill.push(block);
                }
            }
            self.order.push(Elimination {
                node,
                first: first as u32,
                count: (self.touched.len() - first) as u32,
                fill,
            });
            // Keep the memory.
            let mut own = own;
            own.clear();
            self.links[node as usize] = own;
        }
        self.tied = left;
    }

    /// Writes the numbers: `inertia` of the lone bodies, gains of the rows.
    pub(crate) fn assemble(&mut self, inertia: impl Fn(u32) -> Six, rows: &[Row], island: &[u32]) {
        let n = self.bodies.len();
        for node in 0..n {
            self.pivot[node] = if node < self.n_lone { inertia(self.bodies[node]) } else { six::ZERO };
        }
        self.block[..self.ends.len()].fill(six::ZERO);
        for &k in island {
            let row = &rows[k as usize];
            let gain = row.folded;
            if !row.acts() {
                continue;
            }
            let a = self.node_of[row.a as usize];
            if row.b == NONE {
                if a != NONE && (a as usize) < self.n_lone {
                    six::add(&mut self.pivot[a as usize], &row.gain_at(gain, row.arm_a).to_dense());
                }
                continue;
            }
            let b = self.node_of[row.b as usize];
            six::add(&mut self.pivot[a as usize], &row.gain_at(gain, row.arm_a).to_dense());
            six::add(&mut self.pivot[b as usize], &row.gain_at(gain, row.arm_b).to_dense());
            let coupling =
                if row.spins { six::spin_coupling(gain) } else { six::coupling(gain, row.arm_a, row.arm_b) };
            let block = &mut self.block[row.block as usize];
            six::add(block, &if a < b { coupling } else { six::transposed(&coupling) });
        }
    }

    /// (1) for all lone bodies; afterwards [`Pairs::gain_on`] and the ties are known.
    pub(crate) fn eliminate(&mut self) {
        for k in 0..self.order.len() {
            let Elimination { node, first, count, fill } = self.order[k];
            let pivot = &mut self.pivot[node as usize];
            six::factorize(pivot);
            let pivot = *pivot;
            let mut slot = fill as usize;
            for i in first..first + count {
                let (n, block) = self.touched[i as usize];
                let coupling = self.oriented(block, node);
                let answer = six::solve_columns(&pivot, &coupling);
                self.answers[i as usize] = answer;
                six::take_product(&mut self.pivot[n as usize], &coupling, &answer);
            }
            for i in first..first + count {
                let (n, block) = self.touched[i as usize];
                let coupling = self.oriented(block, node);
                for j in i + 1..first + count {
                    let (m, _) = self.touched[j as usize];
                    let target = self.fill[slot] as usize;
                    slot += 1;
                    let answer = self.answers[j as usize];
                    if n < m {
                        six::take_product(&mut self.block[target], &coupling, &answer);
                    } else {
                        six::take_product(&mut self.block[target], &answer, &coupling);
                    }
                }
            }
        }
        self.ties.gather(&self.tied, &self.pivot, &self.block, &self.ends);
    }

    /// The block between `node` and its neighbour, with the rows of `node`.
    #[inline]
    fn oriented(&self, block: u32, node: u32) -> Six {
        let m = &self.block[block as usize];
        if self.ends[block as usize].0 == node { *m } else { six::transposed(m) }
    }

    /// Bodies of articulated trees with a gain of their own from what presses on them, and that gain.
    pub(crate) fn gains(&self) -> impl Iterator<Item = (u32, ArticulatedInertia)> + '_ {
        (self.n_lone..self.bodies.len())
            .filter(|&node| self.links[node].is_empty())
            .map(|node| (self.bodies[node], six::to_inertia(&self.pivot[node])))
    }

    /// Takes the lone bodies' forces to their neighbours: `force` of the articulated ones is changed.
    pub(crate) fn forward(&mut self, force: &mut [Force]) {
        for (node, &body) in self.bodies.iter().enumerate() {
            self.rhs[node] = if node < self.n_lone { force[body as usize].to_array() } else { [0.0; 6] };
        }
        for k in 0..self.order.len() {
            let Elimination { node, first, count, .. } = self.order[k];
            let own = self.rhs[node as usize];
            for i in first..first + count {
                let n = self.touched[i as usize].0 as usize;
                let part = six::transposed_times(&self.answers[i as usize], &own);
                for (x, y) in self.rhs[n].iter_mut().zip(part) {
                    *x -= y;
                }
            }
        }
        for node in self.n_lone..self.bodies.len() {
            force[self.bodies[node] as usize] += to_force(&self.rhs[node]);
        }
    }

    /// Velocities of the lone bodies once those of the articulated ones are known.
    pub(crate) fn backward(&mut self, motion: &mut [Motion]) {
        for k in (0..self.order.len()).rev() {
            let Elimination { node, first, count, .. } = self.order[k];
            let mut x = self.rhs[node as usize];
            six::solve(&self.pivot[node as usize], &mut x);
            for i in first..first + count {
                let n = self.touched[i as usize].0 as usize;
                let other = motion[self.bodies[n] as usize].to_array();
                let part = six::times(&self.answers[i as usize], &other);
                for (x, y) in x.iter_mut().zip(part) {
                    *x -= y;
                }
            }
            motion[self.bodies[node as usize] as usize] = to_motion(&x);
        }
    }
}

#[inline]
pub(crate) fn to_motion(x: &[f64; 6]) -> Motion {
    Motion::new(glam::DVec3::new(x[0], x[1], x[2]), glam::DVec3::new(x[3], x[4], x[5]))
}

#[inline]
pub(crate) fn to_force(x: &[f64; 6]) -> Force {
    Force::new(glam::DVec3::new(x[0], x[1], x[2]), glam::DVec3::new(x[3], x[4], x[5]))
}

impl Ties {
    /// `K = L Lᵀ` by Cholesky with the largest pivot first, which ends at the rank.
    fn gather(&mut self, tied: &[u32], pivot: &[Six], block: &[Six], ends: &[(u32, u32)]) {
        let n = 6 * tied.len();
        self.rank = 0;
        if n == 0 {
            return;
        }
        self.matrix.clear();
        self.matrix.resize(n * n, 0.0);
        let m = &mut self.matrix;
        let place = |node: u32| tied.iter().position(|&t| t == node);
        for (k, &node) in tied.iter().enumerate() {
            for i in 0..6 {
                for j in 0..6 {
                    m[(6 * k + i) * n + 6 * k + j] = pivot[node as usize][i][j];
                }
            }
        }
        for (b, &(low, high)) in ends.iter().enumerate() {
            if let (Some(r), Some(c)) = (place(low), place(high)) {
                for i in 0..6 {
                    for j in 0..6 {
                        m[(6 * r + i) * n + 6 * c + j] = block[b][i][j];
                        m[(6 * c + j) * n + 6 * r + i] = block[b][i][j];
                    }
                }
            }
        }
        let largest = (0..n).map(|i| m[i * n + i]).fold(0.0, f64::max);
        while self.rank < n {
            let (mut best, mut most) = (0, RANK * largest);
            for i in 0..n {
                if m[i * n + i] > most {
                    (best, most) = (i, m[i * n + i]);
                }
            }
            if most <= RANK * largest {
                break;
            }
            if self.columns.len() == self.rank {
                self.columns.push(Vec::new());
            }
            let column = &mut self.columns[self.rank];
            column.clear();
            let scale = 1.0 / most.sqrt();
            column.extend((0..n).map(|i| m[i * n + best] * scale));
            for i in 0..n {
                let f = column[i];
                if f != 0.0 {
                    for j in 0..n {
                        m[i * n + j] -= f * column[j];
                    }
                }
            }
            // What is left in this row and column is rounding.
            for i in 0..n {
                m[i * n + best] = 0.0;
                m[best * n + i] = 0.0;
            }
            self.rank += 1;
        }
    }

    /// The wrench of column `c` on the `k`-th tied body.
    pub(crate) fn wrench(&self, c: usize, k: usize) -> Force {
        let x: [f64; 6] = core::array::from_fn(|i| self.columns[c][6 * k + i]);
        to_force(&x)
    }

    /// Builds and factors `1 + LᵀΩL`; `respond(c, out)` writes `Ω L_c` for the tied bodies.
    pub(crate) fn factorize(&mut self, mut respond: impl FnMut(&Self, usize, &mut [Motion])) {
        let r = self.rank;
        let mut small = core::mem::take(&mut self.small);
        small.clear();
        small.resize(r * r, 0.0);
        let mut motion = [Motion::ZERO; 64];
        let mut long = Vec::new();
        let motions: &mut [Motion] = if self.bodies.len() <= motion.len() {
            &mut motion[..self.bodies.len()]
        } else {
            long.resize(self.bodies.len(), Motion::ZERO);
            &mut long
        };
        for c in 0..r {
            respond(self, c, motions);
            for d in c..r {
                small[d * r + c] = self.project(d, motions) + if c == d { 1.0 } else { 0.0 };
            }
        }
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

    /// `L_cᵀ` times the motions of the tied bodies.
    fn project(&self, c: usize, motions: &[Motion]) -> f64 {
        motions.iter().enumerate().map(|(k, m)| m.dot(self.wrench(c, k))).sum()
    }

    /// The forces `-L y` that the ties put on the tied bodies whose own solve gives all bodies the motions `found`.
    pub(crate) fn react(&mut self, found: &[Motion]) -> impl Iterator<Item = (u32, Force)> + '_ {
        let r = self.rank;
        let mut y = core::mem::take(&mut self.y);
        y.clear();
        for c in 0..r {
            let bodies = self.bodies.iter().enumerate();
            y.push(bodies.map(|(k, &b)| found[b as usize].dot(self.wrench(c, k))).sum());
        }
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
        self.y = y;
        let ties = &*self;
        let total = move |k: usize| (0..r).fold(Force::ZERO, |sum, c| sum + ties.wrench(c, k) * ties.y[c]);
        ties.bodies.iter().enumerate().map(move |(k, &body)| (body, -total(k)))
    }
}
