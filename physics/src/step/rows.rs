//! Constraint rows: what must hold between joint velocities at the end of the step.
//!
//! A row asks for `J v⁺ + ε λ = target` with an impulse `λ` between bounds; then `v⁺ = v* + M̂⁻¹Jᵀλ`, and
//! `w = (J M̂⁻¹Jᵀ + ε) λ + (J v* - target)` is the complementary slack. A spring-damper
//! `f = k (d - h v⁺) - c v⁺` is the row `ε = 1/(h (hk + c))`, `target = k d/(hk + c)`.
//!
//! Rows are coupled through the trees they act on: the solver gets the blocks of `J M̂⁻¹Jᵀ` between them
//! (`responses.rs`) and works on impulses alone. Joint velocities follow from one impulse response per tree at the end.
//!
//! Rows are written once per step; responses and offsets follow the articulated factors whenever the
//! active set changes those.

use glam::DVec3;

use super::StepOptions;
use super::direct::{Direct, WORK_PER_ENTRY};
use super::responses::{Responses, Slot, tree_of};
use crate::data::Data;
use crate::dynamics::impulse::{Hit, tree_response};
use crate::lcp::coupled::{Coupled, CoupledRow, Effort};
use crate::model::{Model, NONE};
use crate::spatial::{Force, Motion};

/// Why a row is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// A joint at its limit.
    Limit,
    /// A velocity motor.
    Motor,
    /// A pin or weld.
    Pin,
    /// A contact.
    Contact,
    /// A controller's own.
    Own,
    /// A joint of the maximal-coordinate formulation.
    Joint,
}

/// One row as its maker sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowSpec {
    pub(crate) cause: Cause,
    /// What the row acts on; its Jacobian is the velocity conjugate to these unit impulses.
    pub(crate) hits: [Option<Hit>; 2],
    /// What it acts on besides, if two are not enough: a range of [`Rows::more`].
    pub(crate) more: (u32, u32),
    pub(crate) target: f64,
    pub(crate) compliance: f64,
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    /// Bounds `±μ x` of an earlier row instead.
    pub(crate) friction: Option<(u32, f64)>,
    /// First guess.
    pub(crate) guess: f64,
    /// What the maker calls it, and which of several rows of that name it is.
    pub(crate) tag: u32,
    pub(crate) component: u32,
}

impl RowSpec {
    /// A rigid row on one thing.
    pub(crate) fn new(cause: Cause, hit: Hit) -> Self {
        Self {
            cause,
            hits: [Some(hit), None],
            more: (0, 0),
            target: 0.0,
            compliance: 0.0,
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            friction: None,
            guess: 0.0,
            tag: NONE,
            component: 0,
        }
    }
}

/// All rows of a step with their solvers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    pub(crate) specs: Vec<RowSpec>,
    /// What rows act on besides their first two; see [`RowSpec::more`].
    pub(crate) more: Vec<Hit>,
    /// Rows whose impulses together may not be longer than so much: the first, how many, the bound.
    pub(crate) balls: Vec<(u32, u32, f64)>,
    /// Points and welds that are pinned: the first of three rows, and the pin.
    pub(crate) pinned: Vec<(u32, u32)>,
    /// Impulses.
    pub(crate) x: Vec<f64>,
    /// `M̂⁻¹Jᵀx`, the change of joint velocities.
    pub(crate) change: Vec<f64>,
    /// The same change of body velocities.
    pub(crate) body_change: Vec<Motion>,
    /// Whether a tree is touched by any row.
    pub(crate) touched: Vec<bool>,
    /// What the solver sees of the rows.
    rows: Vec<CoupledRow>,
    coupled: Coupled,
    responses: Responses,
    groups: Groups,
    /// Sum of the rows' impulses on each body and freedom, while velocities are read back.
    pushes: Vec<Force>,
    joint_pushes: Vec<f64>,
    hits: Vec<Hit>,
    direct: Direct,
    /// Work space of `calm.rs`: by island, what was given beyond what may be, what may push out, and (2); rates without contacts and limits,
    /// and impulses, of all rows.
    pub(super) surplus: Vec<f64>,
    pub(super) pushed_out: Vec<f64>,
    pub(super) own: Vec<[f64; 2]>,
    pub(super) without: Vec<f64>,
    pub(super) spare_x: Vec<f64>,
    /// Islands that sweeps must look after.
    swept: Vec<bool>,
    /// Multiplications done in this step.
    work: u64,
    /// Islands given up by the direct solver in this step, and rows of the smallest: it is not tried again.
    given_up: usize,
    too_many: usize,
}

/// Which groups of rows each tree has, and which trees rows connect.
#[derive(Clone, Debug, Default)]
struct Groups {
    /// Groups by tree, and where each tree's start.
    list: Vec<u32>,
    start: Vec<u32>,
    /// A tree each tree is connected to, towards its island's first.
    island: Vec<u32>,
    /// The groups one group feels.
    others: Vec<u32>,
}

impl Groups {
    fn build(&mut self, n_trees: usize, coupled: &Coupled, responses: &Responses) {
        let trees = |group: usize| responses.trees_of(coupled.rows_of(group).start);
        self.start.clear();
        self.start.resize(n_trees + 1, 0);
        self.island.clear();
        self.island.extend(0..n_trees as u32);
        for group in 0..coupled.n_groups() {
            let mut root = None;
            for tree in trees(group) {
                self.start[tree as usize + 1] += 1;
                let own = self.root(tree);
                if let Some(other) = root.replace(own) {
                    let low = own.min(other);
                    self.island[own.max(other) as usize] = low;
                    root = Some(low);
                }
            }
        }
        for tree in 0..n_trees {
            self.start[tree + 1] += self.start[tree];
            self.island[tree] = self.root(tree as u32);
        }
        self.list.clear();
        self.list.resize(self.start[n_trees] as usize, 0);
        for group in (0..coupled.n_groups()).rev() {
            for tree in trees(group) {
                // From the end, so that the ends become the starts and the groups stay in order.
                self.start[tree as usize + 1] -= 1;
                self.list[self.start[tree as usize + 1] as usize] = group as u32;
            }
        }
        self.start.rotate_left(1);
        self.start[n_trees] = self.list.len() as u32;
    }

    fn root(&self, mut tree: u32) -> u32 {
        while self.island[tree as usize] != tree {
            tree = self.island[tree as usize];
        }
        tree
    }

    fn of(&self, tree: u32) -> &[u32] {
        &self.list[self.start[tree as usize] as usize..self.start[tree as usize + 1] as usize]
    }

    /// Writes the groups that share a tree with rows on `trees`, in order.
    fn gather_others(&mut self, trees: impl Iterator<Item = u32>) {
        let mut others = core::mem::take(&mut self.others);
        others.clear();
        let mut n = 0;
        for tree in trees {
            others.extend_from_slice(self.of(tree));
            n += 1;
        }
        if n > 1 {
            others.sort_unstable();
            others.dedup();
        }
        self.others = others;
    }
}

/// The rate a hit is conjugate to, from body velocities and joint rates.
#[inline]
pub(crate) fn hit_rate(hit: Hit, bodies: &[Motion], v: &[f64]) -> f64 {
    match hit {
        Hit::Body(b, wrench) => bodies[b].dot(wrench),
        Hit::Freedom(d, scale) => v[d] * scale,
    }
}

impl RowSpec {
    /// All it acts on; `more` is [`Rows::more`].
    #[inline]
    pub(crate) fn all<'a>(&'a self, more: &'a [Hit]) -> impl Iterator<Item = Hit> + 'a {
        let more = &more[self.more.0 as usize..self.more.1 as usize];
        self.hits.iter().flatten().chain(more).copied()
    }

    /// `J v`.
    #[inline]
    pub(crate) fn rate(&self, more: &[Hit], bodies: &[Motion], v: &[f64]) -> f64 {
        self.all(more).map(|hit| hit_rate(hit, bodies, v)).sum()
    }
}

/// How the rows were solved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RowReport {
    /// Number of rows.
    pub rows: usize,
    /// Sweeps or pivots.
    pub iterations: usize,
    /// Largest velocity change in the last sweep, or the direct solver's residual.
    pub residual: f64,
    /// Whether the sweeps, if there were any, ended before their number was up.
    pub settled: bool,
    /// Multiplications of all solves of the step, of leading order; [`StepOptions::most_work`] bounds them.
    pub work: u64,
    /// Islands that the direct solver was asked for and gave up, so that they were swept: too many rows for the work
    /// allowed, or no solution.
    pub given_up: usize,
}

impl Rows {
    pub(crate) fn clear(&mut self, model: &Model) {
        self.specs.clear();
        self.more.clear();
        self.balls.clear();
        self.x.clear();
        self.change.resize(model.n_v(), 0.0);
        self.body_change.resize(model.n_bodies(), Motion::ZERO);
        self.touched.clear();
        self.touched.resize(model.trees.len(), false);
        self.work = 0;
        self.given_up = 0;
        self.too_many = usize::MAX;
    }

    /// Adds a row; returns its index.
    pub(crate) fn push(&mut self, model: &Model, spec: RowSpec) -> u32 {
        for hit in spec.all(&self.more) {
            self.touched[tree_of(model, hit)] = true;
        }
        self.x.push(spec.guess);
        self.specs.push(spec);
        self.specs.len() as u32 - 1
    }

    /// Adds a row on any number of things, which `spec` need not name; returns its index, none if it acts on nothing.
    pub(crate) fn push_on(&mut self, model: &Model, spec: RowSpec, hits: &[Hit]) -> Option<u32> {
        let (&first, others) = hits.split_first()?;
        let start = self.more.len() as u32;
        self.more.extend_from_slice(others.get(1..).unwrap_or(&[]));
        let more = (start, self.more.len() as u32);
        Some(self.push(model, RowSpec { hits: [Some(first), others.first().copied()], more, ..spec }))
    }

    /// Bounds rows one by one so that their impulses together are no longer than they may, in the direction found; whether
    /// that changes anything.
    pub(crate) fn shorten(&mut self) -> bool {
        let mut changed = false;
        for &(first, count, most) in &self.balls {
            let range = first as usize..(first + count) as usize;
            let length = self.x[range.clone()].iter().map(|x| x * x).sum::<f64>().sqrt();
            if length > most * (1.0 + 1e-9) {
                for k in range {
                    let bound = most * (self.x[k] / length).abs();
                    (self.rows[k].lower, self.rows[k].upper) = (-bound, bound);
                    self.x[k] = self.x[k].clamp(-bound, bound);
                }
                changed = true;
            }
        }
        changed
    }

    /// Prepares the solver once all rows are there, or once more of them are; `bodies` and `v` are the velocities the step begins with.
    pub(crate) fn assemble(&mut self, model: &Model, bodies: &[Motion], v: &[f64]) {
        if self.specs.is_empty() {
            return;
        }
        self.responses.lay_out(model, &self.specs, &self.more, &self.touched);
        self.rows.clear();
        self.rows.extend(self.specs.iter().map(|spec| CoupledRow {
            offset: 0.0,
            speed: spec.rate(&self.more, bodies, v).abs(),
            compliance: spec.compliance,
            lower: spec.lower,
            upper: spec.upper,
            friction: spec.friction,
        }));
        self.pushes.resize(model.n_bodies(), Force::ZERO);
        self.joint_pushes.resize(model.n_v(), 0.0);
    }

    /// Tells that a tree has new articulated factors.
    pub(crate) fn forget(&mut self, tree: usize) {
        if self.touched[tree] {
            self.responses.fresh[tree] = false;
        }
    }

    /// Responses and offsets for the present factors; `bodies` and `v` are the velocities they lead to without
    /// rows.
    pub(crate) fn respond(&mut self, model: &Model, data: &mut Data, bodies: &[Motion], v: &[f64]) {
        self.responses.refresh(model, data, &self.specs, &self.more);
        for (row, spec) in self.rows.iter_mut().zip(&self.specs) {
            row.offset = spec.rate(&self.more, bodies, v) - spec.target;
        }
    }

    /// The island of a row, by the number of its first tree.
    pub(super) fn island_of(&self, row: usize) -> usize {
        self.responses.trees_of(row).next().map_or(0, |tree| self.groups.island[tree as usize] as usize)
    }

    /// The same of a tree.
    pub(super) fn island_of_tree(&self, tree: usize) -> usize {
        self.groups.island[tree] as usize
    }

    /// Velocity per impulse of a row by itself, its compliance left out.
    pub(crate) fn mobility(&self, row: usize) -> f64 {
        self.responses.entry(row, row)
    }

    /// The rate of a row without any rows.
    pub(crate) fn rate_before(&self, row: usize) -> f64 {
        self.rows[row].offset + self.specs[row].target
    }

    /// `J v⁺` of a row as it was last solved.
    pub(crate) fn rate_after(&self, row: usize) -> f64 {
        self.rate_before(row) + self.specs[row].rate(&self.more, &self.body_change, &self.change)
    }

    /// Gives a row another target and compliance.
    pub(crate) fn rewrite(&mut self, row: usize, target: f64, compliance: f64) {
        self.rows[row].offset += self.specs[row].target - target;
        self.rows[row].compliance = compliance;
        (self.specs[row].target, self.specs[row].compliance) = (target, compliance);
    }

    /// Keeps the impulses and applies them through the present factors: one response per tree.
    pub(crate) fn reapply(&mut self, model: &Model, data: &mut Data) {
        self.sum_impulses();
        for (tree, range) in model.trees.iter().enumerate() {
            if !self.touched[tree] {
                continue;
            }
            self.hits.clear();
            self.hits.extend(self.responses.slots(tree).iter().map(|slot| match *slot {
                Slot::Body(b) => Hit::Body(b as usize, self.pushes[b as usize]),
                Slot::Freedom(d) => Hit::Freedom(d as usize, self.joint_pushes[d as usize]),
            }));
            let freedoms = model.freedoms_of(tree);
            tree_response(model, data, tree, &self.hits, &[], &mut self.change[freedoms]);
            self.body_change[range.clone()].copy_from_slice(&data.dynamics.response[range.clone()]);
        }
    }

    /// `Jᵀx` by body and freedom.
    fn sum_impulses(&mut self) {
        for hit in self.specs.iter().flat_map(|s| s.all(&self.more)) {
            match hit {
                Hit::Body(b, _) => self.pushes[b] = Force::ZERO,
                Hit::Freedom(d, _) => self.joint_pushes[d] = 0.0,
            }
        }
        for (spec, &x) in self.specs.iter().zip(&self.x) {
            for hit in spec.all(&self.more) {
                match hit {
                    Hit::Body(b, wrench) => self.pushes[b] += wrench * x,
                    Hit::Freedom(d, scale) => self.joint_pushes[d] += scale * x,
                }
            }
        }
    }

    /// Solves the rows from the present guess: directly, if asked for, what can be so within half the work allowed; the rest
    /// by projected Gauss–Seidel.
    pub(crate) fn solve(
        &mut self,
        model: &Model,
        data: &mut Data,
        opt: &StepOptions,
        directly: bool,
    ) -> RowReport {
        self.find_islands(model);
        let mut report = RowReport { rows: self.specs.len(), settled: true, ..RowReport::default() };
        if directly {
            let most_work = (opt.most_work / 2).saturating_sub(self.work);
            let direct = self.direct.solve(
                &self.rows,
                &self.coupled,
                &self.responses,
                most_work,
                self.too_many,
                &mut self.x,
                &mut self.swept,
            );
            report.iterations = direct.pivots;
            report.residual = direct.residual;
            self.work += direct.work;
            self.given_up = self.given_up.max(direct.given_up);
            self.too_many = direct.too_many;
        }
        if self.swept.contains(&true) {
            self.couple();
            self.work += WORK_PER_ENTRY * self.coupled.n_numbers() as u64 / 2;
            let most_work = opt.most_work.saturating_sub(self.work);
            let effort = Effort { max_sweeps: opt.sweeps, tolerance: opt.tolerance, most_work };
            let swept = &self.swept;
            let sweeps = self.coupled.solve(&self.rows, &mut self.x, &effort, |island| swept[island]);
            report.iterations += sweeps.sweeps;
            report.residual = report.residual.max(sweeps.change);
            report.settled = sweeps.settled;
            self.work += sweeps.work;
        }
        self.reapply(model, data);
        RowReport { work: self.work, given_up: self.given_up, ..report }
    }

    /// Groups of rows, and which of them feel each other through some chain of trees.
    fn find_islands(&mut self, model: &Model) {
        self.coupled.group(&self.rows);
        self.groups.build(model.trees.len(), &self.coupled, &self.responses);
        let (responses, groups) = (&self.responses, &self.groups);
        self.coupled.arrange(model.trees.len(), |row| {
            let tree = responses.trees_of(row).next();
            tree.map_or(0, |tree| groups.island[tree as usize] as usize)
        });
        self.swept.clear();
        self.swept.resize(self.coupled.n_islands(), true);
    }

    /// The blocks between groups of the islands that are swept.
    fn couple(&mut self) {
        for group in 0..self.coupled.n_groups() {
            let first = self.coupled.rows_of(group).start;
            let tree = self.responses.trees_of(first).next();
            let island = tree.map_or(0, |t| self.groups.island[t as usize]);
            if !self.swept[island as usize] {
                continue;
            }
            self.groups.gather_others(self.responses.trees_of(first));
            if self.groups.others.is_empty() {
                // Nothing answers to it; it still has a block of its own.
                self.groups.others.push(group as u32);
            }
            let responses = &self.responses;
            self.coupled.couple(group, &self.groups.others, |i, k, out| responses.block(i, k, out));
        }
    }
}

/// A unit force along `direction` at a point of the world on body `body`.
#[inline]
pub(crate) fn force_hit(data: &Data, body: usize, direction: DVec3, point: DVec3) -> Hit {
    let arm = point - data.position.world_from_body[body].translation;
    Hit::Body(body, Force::at_offset(direction, arm))
}

/// A unit moment along `direction` on body `body`.
#[inline]
pub(crate) fn moment_hit(body: usize, direction: DVec3) -> Hit {
    Hit::Body(body, Force::new(direction, DVec3::ZERO))
}
