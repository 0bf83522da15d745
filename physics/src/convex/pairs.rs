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
//! of low rank (`ties.rs`).

use super::rows::Row;
use super::ties::Ties;
use crate::model::NONE;
use crate::spatial::six::{self, Six};
use crate::spatial::{ArticulatedInertia, Force, Motion};

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
    /// Work space: nodes that are left; each node's place among the tied ones.
    left: Vec<u32>,
    place: Vec<u32>,
    pub(crate) ties: Ties,
}

#[derive(Clone, Copy, Debug)]
struct Elimination {
    node: u32,
    first: u32,
    count: u32,
    fill: u32,
}

impl Pairs {
    pub(crate) fn new(n_v: usize) -> Self {
        Self { ties: Ties::new(n_v), ..Self::default() }
    }

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
        self.group_ties();
    }

    /// Sorts what is left of the graph into groups.
    fn group_ties(&mut self) {
        let Self { ties, links, place, bodies, n_lone, .. } = self;
        ties.nodes.clear();
        ties.ends.clear();
        place.clear();
        place.resize(bodies.len(), NONE);
        for start in *n_lone..bodies.len() {
            if links[start].is_empty() || place[start] != NONE {
                continue;
            }
            let mut next = ties.nodes.len();
            place[start] = next as u32;
            ties.nodes.push(start as u32);
            while next < ties.nodes.len() {
                for &(n, _) in &links[ties.nodes[next] as usize] {
                    if place[n as usize] == NONE {
                        place[n as usize] = ties.nodes.len() as u32;
                        ties.nodes.push(n);
                    }
                }
                next += 1;
            }
            ties.ends.push(ties.nodes.len() as u32);
        }
        ties.bodies.clear();
        ties.bodies.extend(ties.nodes.iter().map(|&node| bodies[node as usize]));
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
        let mut left: Vec<u32> = core::mem::take(&mut self.left);
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
        self.left = left;
    }

    /// Writes the numbers: `inertia` of the lone bodies, gains of the rows.
    pub(crate) fn assemble(&mut self, inertia: impl Fn(u32) -> Six, rows: &[Row], island: &[u32]) {
        let n = self.bodies.len();
        if n == 0 {
            return;
        }
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
        self.gather_ties();
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

impl Pairs {
    /// Hands what is left of the graph over to the ties, group by group.
    fn gather_ties(&mut self) {
        let Self { ties, links, place, pivot, block, ends, .. } = self;
        ties.begin();
        let mut first = 0;
        for group in 0..ties.ends.len() {
            let end = ties.ends[group] as usize;
            ties.make_room(end - first);
            for k in first..end {
                let node = ties.nodes[k];
                ties.put(k - first, k - first, &pivot[node as usize]);
                for &(other, b) in &links[node as usize] {
                    // Each block stands in the rows of its first node, and turned round in those of its second.
                    if ends[b as usize].0 == node {
                        ties.put(k - first, place[other as usize] as usize - first, &block[b as usize]);
                    }
                }
            }
            ties.split(first);
            first = end;
        }
    }
}
