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
//! Where few light bodies carry a heavy one, or many are stacked, sweeps alone shrink what is left by a factor near 1
//! (`1/(1 + m/M)` for a mass `M` on a mass `m`). So a round of two sweeps `x ↦ S(x)` is taken as the gradient step of the
//! nonsmooth nonlinear conjugate gradient method (Silcowitz-Hansen, Niebe & Erleben 2010), in the norm
//! `‖Δ‖² = Σ A_ii Δ_i²`, which has the unit of energy for rows of every kind:
//!
//! ```text
//! Δ_k = S(x_k) - x_k,   β = ‖Δ_k‖²/‖Δ_{k-1}‖²                                                   (1)
//! x_{k+1} = S(x_k) + β p_{k-1},   p_k = Δ_k + β p_{k-1}      while β < 1; else p_k = 0          (2)
//! ```
//!
//! Sweeps to and fro are a symmetric preconditioner, as conjugate gradients want it. What is returned is always `S(x_k)`, so
//! bounds hold, and a round that changes nothing is a solution as before.

use std::ops::Range;

/// Most rows in a group; longer ones are split, which costs convergence but no correctness.
pub const MAX_GROUP: usize = 6;

/// Sweeps that pass over groups at rest (those whose first row, and so all of them, have no impulse) between two that
/// do not: most contacts that are prepared do not touch.
const IDLE: usize = 3;

/// Rounds of two sweeps that an island gets whatever they cost: fewer leave a worse start to the next step.
const LEAST_ROUNDS: usize = 4;

/// Share of an island's largest speed that sweeps need not resolve.
const EXACT: f64 = 1e-3;

/// What bounds a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoupledRow {
    /// `b_i`.
    pub offset: f64,
    /// Size of velocities at the row, m/s or rad/s: sweeps need not be more exact than a small share of it.
    pub speed: f64,
    /// What is added to the diagonal.
    pub compliance: f64,
    /// Least value.
    pub lower: f64,
    /// Largest value.
    pub upper: f64,
    /// Friction row: index of the row it refers to and the coefficient; bounds then come from there.
    pub friction: Option<(u32, f64)>,
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

/// What a solve may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// Most sweeps of an island.
    pub max_sweeps: usize,
    /// Velocity that sweeps need not resolve, m/s or rad/s.
    pub tolerance: f64,
    /// Most multiplications of all islands; beyond it each still gets a few sweeps.
    pub most_work: u64,
}

/// Rows in groups, and the blocks between them.
#[derive(Clone, Debug, Default)]
pub struct Coupled {
    groups: Vec<Group>,
    blocks: Vec<Block>,
    numbers: Vec<f64>,
    /// Groups island by island, and where each island starts.
    order: Vec<u32>,
    islands: Vec<u32>,
    ways: Ways,
}

/// Per row: where a round of sweeps started, and the direction in which it is carried on.
#[derive(Clone, Debug, Default)]
struct Ways {
    start: Vec<f64>,
    along: Vec<f64>,
}

impl Ways {
    fn fit(&mut self, n: usize) {
        for list in [&mut self.start, &mut self.along] {
            list.clear();
            list.resize(n, 0.0);
        }
    }
}

/// How a solve went.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct SweepReport {
    /// Sweeps taken, most of any island.
    pub sweeps: usize,
    /// Largest change of a row's velocity `A_ii |Δx_i|` in an island's last sweep.
    pub change: f64,
    /// Whether every island ended early.
    pub settled: bool,
    /// Multiplications, those of rows at rest counted in.
    pub work: u64,
}

impl SweepReport {
    /// The report of two islands.
    fn add(&mut self, island: &Self) {
        self.sweeps = self.sweeps.max(island.sweeps);
        self.change = self.change.max(island.change);
        self.settled &= island.settled;
        self.work += island.work;
    }
}

impl Coupled {
    /// Empties it, keeping the memory.
    pub fn clear(&mut self) {
        self.groups.clear();
        self.blocks.clear();
        self.numbers.clear();
        self.order.clear();
        self.islands.clear();
    }

    /// Splits rows into groups.
    pub fn group(&mut self, rows: &[CoupledRow]) {
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
    pub fn n_groups(&self) -> usize {
        self.groups.len()
    }

    /// Rows of a group.
    #[inline]
    pub fn rows_of(&self, group: usize) -> Range<usize> {
        let (start, end) = self.groups[group].rows;
        start as usize..end as usize
    }

    /// Gives a group its blocks: `others` are the groups it feels in ascending order, itself among them, and
    /// `block(rows, columns, out)` appends the entries of `A` without compliance, row by row. Groups must be coupled in
    /// ascending order; blocks to earlier groups are theirs, transposed.
    pub fn couple(
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
    pub fn arrange(&mut self, n_islands: usize, island: impl Fn(usize) -> usize) {
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

    /// Solves the islands that take part from the given `x`. An island ends early once none of its rows' velocities
    /// changed by more than the tolerance, or by a thousandth of its largest speed.
    pub fn solve(
        &mut self,
        rows: &[CoupledRow],
        x: &mut [f64],
        effort: &Effort,
        takes_part: impl Fn(usize) -> bool,
    ) -> SweepReport {
        let mut ways = std::mem::take(&mut self.ways);
        ways.fit(rows.len());
        let mut report = SweepReport { settled: true, ..SweepReport::default() };
        for k in (0..self.n_islands()).filter(|&k| takes_part(k)) {
            let island = &self.order[self.islands[k] as usize..self.islands[k + 1] as usize];
            if !island.is_empty() {
                let left = effort.most_work.saturating_sub(report.work);
                let effort = Effort { most_work: left, ..*effort };
                report.add(&self.solve_island(island, rows, x, &effort, &mut ways));
            }
        }
        self.ways = ways;
        report
    }

    fn solve_island(
        &self,
        island: &[u32],
        rows: &[CoupledRow],
        x: &mut [f64],
        effort: &Effort,
        ways: &mut Ways,
    ) -> SweepReport {
        let mut report = SweepReport::default();
        let rows_of = |&g: &u32| self.rows_of(g as usize);
        let speed = island.iter().flat_map(rows_of).fold(0.0, |most: f64, i| rows[i].speed.max(most));
        let tolerance = effort.tolerance.max(EXACT * speed);
        let per_round = 2 * island.iter().map(|&g| self.work_of(g as usize)).sum::<u64>().max(1);
        let affordable = usize::try_from(effort.most_work / per_round).unwrap_or(usize::MAX);
        let rounds = effort.max_sweeps.div_ceil(2).min(affordable.max(LEAST_ROUNDS)).max(1);
        let mut before = f64::INFINITY;
        for round in 1..=rounds {
            for i in island.iter().flat_map(rows_of) {
                ways.start[i] = x[i];
            }
            let all = round % (IDLE + 1) == 1 || round == rounds || report.settled;
            let mut visit = |change: f64, &g: &u32| {
                let group = &self.groups[g as usize];
                if !all && x[group.rows.0 as usize] == 0.0 {
                    return change;
                }
                change.max(self.relax(rows, group, x))
            };
            island.iter().fold(0.0, &mut visit);
            report.change = island.iter().rev().fold(0.0, &mut visit);
            report.sweeps += 2;
            report.work += per_round;
            report.settled = report.change <= tolerance;
            if (report.settled && all) || round == rounds {
                break;
            }
            before = self.carry_on(island, rows, x, before, ways);
        }
        report
    }

    /// (2) after a round that started at `ways.start`, where the one before had the size `before`; returns ‖Δ_k‖².
    fn carry_on(
        &self,
        island: &[u32],
        rows: &[CoupledRow],
        x: &mut [f64],
        before: f64,
        ways: &mut Ways,
    ) -> f64 {
        let mut size = 0.0;
        for &g in island {
            let own = &self.numbers[self.groups[g as usize].own as usize..];
            let n = self.rows_of(g as usize).len();
            for (k, i) in self.rows_of(g as usize).enumerate() {
                size += (own[k * n + k] + rows[i].compliance) * (x[i] - ways.start[i]).powi(2);
            }
        }
        let first = before.is_infinite();
        let share = if !first && size < before { size / before } else { 0.0 };
        for i in island.iter().flat_map(|&g| self.rows_of(g as usize)) {
            let step = x[i] - ways.start[i];
            if share > 0.0 {
                let ahead = x[i] + share * ways.along[i];
                x[i] = match rows[i].friction {
                    // Others pass over a group whose first row is zero: then all of it must be.
                    Some((normal, _)) if x[normal as usize] == 0.0 => 0.0,
                    Some(_) => ahead,
                    None => ahead.clamp(rows[i].lower, rows[i].upper),
                };
            }
            ways.along[i] = if first || share > 0.0 { step + share * ways.along[i] } else { 0.0 };
        }
        size
    }

    /// Entries of all blocks; half of them are others' transposed.
    pub fn n_numbers(&self) -> usize {
        self.numbers.len()
    }

    /// Number of islands that [`Coupled::arrange`] was told of, empty ones among them.
    pub fn n_islands(&self) -> usize {
        self.islands.len().saturating_sub(1)
    }

    /// Rows of an island, group by group.
    pub fn rows_of_island(&self, island: usize) -> impl Iterator<Item = usize> + Clone {
        let groups = &self.order[self.islands[island] as usize..self.islands[island + 1] as usize];
        groups.iter().flat_map(|&g| self.rows_of(g as usize))
    }

    /// Multiplications of a visit.
    fn work_of(&self, group: usize) -> u64 {
        let Group { rows, blocks, .. } = self.groups[group];
        let columns: u64 =
            self.blocks[blocks.0 as usize..blocks.1 as usize].iter().map(|b| u64::from(b.rows)).sum();
        u64::from(rows.1 - rows.0) * columns
    }

    /// Relaxes the rows of a group in order; the largest change of a row's velocity.
    #[inline]
    fn relax(&self, rows: &[CoupledRow], group: &Group, x: &mut [f64]) -> f64 {
        let rows = &rows[group.rows.0 as usize..group.rows.1 as usize];
        match <&[CoupledRow; 3]>::try_from(rows) {
            Ok(rows) if is_pair(rows, 1) => self.relax_contact(rows, group, x),
            _ => self.relax_any(rows, group, x),
        }
    }

    /// A row and its two tangents, the usual group, without loops.
    #[inline]
    fn relax_contact(&self, rows: &[CoupledRow; 3], group: &Group, x: &mut [f64]) -> f64 {
        let start = group.rows.0 as usize;
        let own: &[f64; 9] = self.numbers[group.own as usize..][..9].try_into().expect("nine numbers");
        let [mut n, mut s, mut t] = [x[start], x[start + 1], x[start + 2]];
        let [mut w0, mut w1, mut w2] = [
            rows[0].offset + rows[0].compliance * n,
            rows[1].offset + rows[1].compliance * s,
            rows[2].offset + rows[2].compliance * t,
        ];
        for block in &self.blocks[group.blocks.0 as usize..group.blocks.1 as usize] {
            // The rows of a group follow its first.
            if x[block.at as usize] == 0.0 {
                continue;
            }
            if block.rows == 3
                && let Some(a) = self.numbers[block.from as usize..].first_chunk::<9>()
                && let Some(y) = x[block.at as usize..].first_chunk::<3>()
            {
                w0 += a[0] * y[0] + a[1] * y[1] + a[2] * y[2];
                w1 += a[3] * y[0] + a[4] * y[1] + a[5] * y[2];
                w2 += a[6] * y[0] + a[7] * y[1] + a[8] * y[2];
            } else {
                let m = block.rows as usize;
                let y = &x[block.at as usize..][..m];
                let a = &self.numbers[block.from as usize..][..3 * m];
                for k in 0..m {
                    w0 += a[k] * y[k];
                    w1 += a[m + k] * y[k];
                    w2 += a[2 * m + k] * y[k];
                }
            }
        }
        let diagonal =
            [own[0] + rows[0].compliance, own[4] + rows[1].compliance, own[8] + rows[2].compliance];
        let step = |w: f64, d: f64, x: f64| if d > 0.0 { x - w / d } else { 0.0 };
        let normal = step(w0, diagonal[0], n).clamp(rows[0].lower, rows[0].upper);
        let delta = normal - n;
        n = normal;
        w1 += own[3] * delta;
        w2 += own[6] * delta;
        let limit = rows[1].friction.map_or(0.0, |(_, mu)| mu) * n.max(0.0);
        let (mut a, mut b) = (step(w1, diagonal[1], s), step(w2, diagonal[2], t));
        let square = a * a + b * b;
        if square > limit * limit {
            let scale = limit / square.sqrt();
            (a, b) = (a * scale, b * scale);
        }
        let change =
            (delta.abs() * diagonal[0]).max((a - s).abs() * diagonal[1]).max((b - t).abs() * diagonal[2]);
        (s, t) = (a, b);
        x[start..start + 3].copy_from_slice(&[n, s, t]);
        change
    }

    fn relax_any(&self, rows: &[CoupledRow], group: &Group, x: &mut [f64]) -> f64 {
        let start = group.rows.0 as usize;
        let n = rows.len();
        let own = &self.numbers[group.own as usize..][..n * n];
        let mut w = [0.0; MAX_GROUP];
        for i in 0..n {
            w[i] = rows[i].offset + rows[i].compliance * x[start + i];
        }
        for block in &self.blocks[group.blocks.0 as usize..group.blocks.1 as usize] {
            let m = block.rows as usize;
            let y = &x[block.at as usize..][..m];
            if y[0] == 0.0 {
                continue;
            }
            let a = &self.numbers[block.from as usize..][..n * m];
            for i in 0..n {
                w[i] += a[i * m..(i + 1) * m].iter().zip(y).map(|(a, y)| a * y).sum::<f64>();
            }
        }
        let mut change = 0.0_f64;
        let mut i = 0;
        while i < n {
            let diagonal = |i: usize| own[i * n + i] + rows[i].compliance;
            let wanted = |i: usize, x: &[f64], w: &[f64; MAX_GROUP]| {
                let diagonal = diagonal(i);
                if diagonal > 0.0 { x[start + i] - w[i] / diagonal } else { 0.0 }
            };
            let mut set = |i: usize, value: f64, x: &mut [f64], w: &mut [f64; MAX_GROUP]| {
                let delta = value - x[start + i];
                if delta != 0.0 {
                    x[start + i] = value;
                    for k in i + 1..n {
                        w[k] += own[k * n + i] * delta;
                    }
                    change = change.max(delta.abs() * diagonal(i));
                }
            };
            match rows[i].friction {
                Some((normal, mu)) if is_pair(rows, i) => {
                    let limit = mu * x[normal as usize].max(0.0);
                    let (mut a, mut b) = (wanted(i, x, &w), wanted(i + 1, x, &w));
                    let square = a * a + b * b;
                    if square > limit * limit {
                        let scale = limit / square.sqrt();
                        (a, b) = (a * scale, b * scale);
                    }
                    set(i, a, x, &mut w);
                    set(i + 1, b, x, &mut w);
                    i += 1;
                }
                Some((normal, mu)) => {
                    let limit = mu * x[normal as usize].max(0.0);
                    let value = wanted(i, x, &w).clamp(-limit, limit);
                    set(i, value, x, &mut w);
                }
                None => {
                    let value = wanted(i, x, &w).clamp(rows[i].lower, rows[i].upper);
                    set(i, value, x, &mut w);
                }
            }
            i += 1;
        }
        change
    }
}

/// Whether rows `i` and `i + 1` are the two tangents of one contact.
#[inline]
pub fn is_pair(rows: &[CoupledRow], i: usize) -> bool {
    match (rows[i].friction, rows.get(i + 1).and_then(|r| r.friction)) {
        (Some((a, mu)), Some((b, nu))) => a == b && mu == nu,
        _ => false,
    }
}

/// Whether a pair of tangents among `which` is outside its disc by more than rounding.
pub fn leaves_cone(rows: &[CoupledRow], x: &[f64], mut which: impl Iterator<Item = usize>) -> bool {
    which.any(|i| match rows[i].friction {
        Some((normal, mu)) if is_pair(rows, i) => {
            x[i].hypot(x[i + 1]) > (1.0 + 1e-9) * mu * x[normal as usize].max(0.0) + f64::MIN_POSITIVE
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: CoupledRow = CoupledRow {
        offset: 0.0,
        speed: 0.0,
        compliance: 0.0,
        lower: 0.0,
        upper: f64::INFINITY,
        friction: None,
    };

    fn effort(max_sweeps: usize, tolerance: f64) -> Effort {
        Effort { max_sweeps, tolerance, most_work: u64::MAX }
    }

    /// Couples all groups that a dense matrix couples.
    fn coupled(rows: &[CoupledRow], matrix: &[f64]) -> Coupled {
        let n = rows.len();
        let mut c = Coupled::default();
        c.group(rows);
        for group in 0..c.n_groups() {
            let all: Vec<u32> = (0..c.n_groups() as u32).collect();
            let feels = |&other: &u32| {
                let columns = c.rows_of(other as usize);
                c.rows_of(group).any(|i| columns.clone().any(|k| matrix[i * n + k] != 0.0))
            };
            let others: Vec<u32> = all.iter().copied().filter(feels).collect();
            c.couple(group, &others, |rows, columns, out| {
                for i in rows {
                    out.extend(columns.clone().map(|k| matrix[i * n + k]));
                }
            });
        }
        c.arrange(1, |_| 0);
        c
    }

    #[test]
    fn sweeps_reach_the_dense_solution() {
        let rows = [CoupledRow { offset: -1.0, ..ROW }, CoupledRow { offset: 0.5, ..ROW }];
        let mut x = [0.0; 2];
        let mut coupled = coupled(&rows, &[1.0, -1.0, -1.0, 1.5]);
        // Two groups get 44 sweeps at a time; a solve goes on where the last one stopped.
        let mut report = SweepReport::default();
        for _ in 0..4 {
            report = coupled.solve(&rows, &mut x, &effort(400, 1e-14), |_| true);
        }
        // [1 -1; -1 1.5] x = [1, -0.5] has the solution (2, 1).
        assert!((x[0] - 2.0).abs() < 1e-12 && (x[1] - 1.0).abs() < 1e-12, "{x:?} {report:?}");
        assert!(report.settled);
    }

    #[test]
    fn a_group_of_three_finds_what_single_visits_find() {
        // Two contacts, the second felt by the first; tangents slip on one and stick on the other.
        let friction = |normal, mu| Some((normal, mu));
        let mut rows = [ROW; 6];
        for (i, offset) in [-1.0, 2.0, 0.5, -2.0, 0.1, -0.1].into_iter().enumerate() {
            let normal = if i < 3 { 0 } else { 3 };
            rows[i] = CoupledRow {
                offset,
                compliance: 0.05,
                friction: if i % 3 == 0 { None } else { friction(normal, 0.5) },
                ..ROW
            };
        }
        let n = 6;
        let mut matrix = vec![0.0; n * n];
        for i in 0..n {
            for k in 0..n {
                matrix[i * n + k] = if i == k { 2.0 } else { 0.3 / (1.0 + (i as f64 - k as f64).abs()) };
            }
        }
        let mut x = [0.0; 6];
        let report = coupled(&rows, &matrix).solve(&rows, &mut x, &effort(200, 1e-13), |_| true);
        assert!(report.settled, "{report:?}");
        for i in 0..n {
            let w: f64 = rows[i].offset
                + rows[i].compliance * x[i]
                + (0..n).map(|k| matrix[i * n + k] * x[k]).sum::<f64>();
            match i {
                // Pressed: nothing left over. The first slips: at its bound, against what is left over.
                0 | 3 | 4 | 5 => assert!(w.abs() < 1e-11, "row {i}: {w}"),
                _ => assert!(w * x[i] < 0.0, "row {i}: {w} {}", x[i]),
            }
        }
        assert!((x[1].hypot(x[2]) - 0.5 * x[0]).abs() < 1e-12);
        assert!(!leaves_cone(&rows, &x, 0..n));
    }
}
