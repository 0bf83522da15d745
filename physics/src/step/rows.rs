//! Constraint rows: what must hold between joint velocities at the end of the step.
//!
//! A row asks for `J v⁺ + ε λ = target` with an impulse `λ` between bounds; then `v⁺ = v* + M̂⁻¹Jᵀλ`, and
//! `w = (J M̂⁻¹Jᵀ + ε) λ + (J v* - target)` is the complementary slack (recipes 3.1). A spring-damper
//! `f = k (d - h v⁺) - c v⁺` is the row `ε = 1/(h (hk + c))`, `target = k d/(hk + c)` (recipes 3.4).
//!
//! Rows are coupled through the trees they act on: the solver gets the blocks of `J M̂⁻¹Jᵀ` between them
//! (`responses.rs`) and works on impulses alone. Joint velocities follow from one impulse response per tree at the end.
//!
//! Rows are written once per step; responses and offsets follow the articulated factors whenever the
//! active set changes those.

use glam::DVec3;

use super::responses::{Responses, Slot, tree_of};
use crate::data::Data;
use crate::dynamics::impulse::{Hit, tree_response};
use crate::lcp::coupled::leaves_cone;
use crate::lcp::{Coupled, CoupledRow, Dantzig, Problem};
use crate::model::Model;
use crate::spatial::{Force, Motion};

/// Why a row is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A joint at its limit.
    Limit,
    /// A velocity motor.
    Motor,
    /// A pin or weld.
    Pin,
    /// A contact.
    Contact,
    /// A joint of the maximal-coordinate formulation.
    Joint,
}

/// One row as its maker sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowSpec {
    pub(crate) cause: Cause,
    /// What the row acts on; its Jacobian is the velocity conjugate to these unit impulses.
    pub(crate) hits: [Option<Hit>; 2],
    pub(crate) target: f64,
    pub(crate) compliance: f64,
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    /// Bounds `±μ x` of an earlier row instead.
    pub(crate) friction: Option<(u32, f64)>,
    /// First guess.
    pub(crate) guess: f64,
    /// What the maker calls it.
    pub(crate) tag: u32,
}

impl RowSpec {
    /// A rigid row on one thing.
    pub(crate) fn new(cause: Cause, hit: Hit) -> Self {
        Self {
            cause,
            hits: [Some(hit), None],
            target: 0.0,
            compliance: 0.0,
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            friction: None,
            guess: 0.0,
            tag: 0,
        }
    }
}

/// All rows of a step with their solvers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    pub(crate) specs: Vec<RowSpec>,
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
    dense: Dense,
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
        let trees = |group: usize| responses.trees_of(coupled.rows_of(group).start).into_iter().flatten();
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
    fn gather_others(&mut self, trees: [Option<u32>; 2]) {
        let mut others = core::mem::take(&mut self.others);
        others.clear();
        let a = trees[0].map_or(&[][..], |t| self.of(t));
        let b = trees[1].map_or(&[][..], |t| self.of(t));
        let (mut i, mut k) = (0, 0);
        while i < a.len() || k < b.len() {
            let next = match (a.get(i), b.get(k)) {
                (Some(&x), Some(&y)) => x.min(y),
                (Some(&x), None) => x,
                (None, Some(&y)) => y,
                (None, None) => break,
            };
            i += usize::from(a.get(i) == Some(&next));
            k += usize::from(b.get(k) == Some(&next));
            others.push(next);
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
    /// `J v`.
    #[inline]
    pub(crate) fn rate(&self, bodies: &[Motion], v: &[f64]) -> f64 {
        self.hits.iter().flatten().map(|&hit| hit_rate(hit, bodies, v)).sum()
    }
}

#[derive(Clone, Debug, Default)]
struct Dense {
    matrix: Vec<f64>,
    offset: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    friction: Vec<Option<usize>>,
    coefficient: Vec<f64>,
    solver: Dantzig,
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
}

impl Rows {
    pub(crate) fn clear(&mut self, model: &Model) {
        self.specs.clear();
        self.x.clear();
        self.change.resize(model.n_v(), 0.0);
        self.body_change.resize(model.n_bodies(), Motion::ZERO);
        self.touched.clear();
        self.touched.resize(model.trees.len(), false);
    }

    /// Adds a row; returns its index.
    pub(crate) fn push(&mut self, model: &Model, spec: RowSpec) -> u32 {
        for hit in spec.hits.into_iter().flatten() {
            self.touched[tree_of(model, hit)] = true;
        }
        self.x.push(spec.guess);
        self.specs.push(spec);
        self.specs.len() as u32 - 1
    }

    /// Prepares the solver once all rows are there; `bodies` and `v` are the velocities the step begins with.
    pub(crate) fn assemble(&mut self, model: &Model, bodies: &[Motion], v: &[f64]) {
        if self.specs.is_empty() {
            return;
        }
        self.responses.lay_out(model, &self.specs, &self.touched);
        self.rows.clear();
        self.rows.extend(self.specs.iter().map(|spec| CoupledRow {
            offset: 0.0,
            speed: spec.rate(bodies, v).abs(),
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
        self.responses.refresh(model, data, &self.specs);
        for (row, spec) in self.rows.iter_mut().zip(&self.specs) {
            row.offset = spec.rate(bodies, v) - spec.target;
        }
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
        for hit in self.specs.iter().flat_map(|s| s.hits.iter().flatten()) {
            match *hit {
                Hit::Body(b, _) => self.pushes[b] = Force::ZERO,
                Hit::Freedom(d, _) => self.joint_pushes[d] = 0.0,
            }
        }
        for (spec, &x) in self.specs.iter().zip(&self.x) {
            for hit in spec.hits.iter().flatten() {
                match *hit {
                    Hit::Body(b, wrench) => self.pushes[b] += wrench * x,
                    Hit::Freedom(d, scale) => self.joint_pushes[d] += scale * x,
                }
            }
        }
    }

    /// Projected Gauss–Seidel from the present guess.
    pub(crate) fn solve_sweeps(
        &mut self,
        model: &Model,
        data: &mut Data,
        sweeps: usize,
        tolerance: f64,
    ) -> RowReport {
        self.coupled.group(&self.rows);
        self.groups.build(model.trees.len(), &self.coupled, &self.responses);
        for group in 0..self.coupled.n_groups() {
            self.groups.gather_others(self.responses.trees_of(self.coupled.rows_of(group).start));
            let responses = &self.responses;
            self.coupled.couple(group, &self.groups.others, |i, k, out| responses.block(i, k, out));
        }
        let (responses, groups) = (&self.responses, &self.groups);
        self.coupled.arrange(model.trees.len(), |row| {
            responses.trees_of(row)[0].map_or(0, |tree| groups.island[tree as usize] as usize)
        });
        let report = self.coupled.solve(&self.rows, &mut self.x, sweeps, tolerance);
        self.reapply(model, data);
        RowReport {
            rows: self.specs.len(),
            iterations: report.sweeps,
            residual: report.change,
            settled: report.settled,
        }
    }

    /// Dantzig's principal pivoting on the dense matrix.
    pub(crate) fn solve_direct(
        &mut self,
        model: &Model,
        data: &mut Data,
        sweeps: usize,
        tolerance: f64,
    ) -> RowReport {
        let n = self.specs.len();
        let d = &mut self.dense;
        d.matrix.clear();
        for i in 0..n {
            d.matrix.extend((0..n).map(|k| self.responses.entry(i, k)));
            d.matrix[i * n + i] += self.rows[i].compliance;
        }
        // Redundant rows (four corners of a box) leave the matrix singular: a trace of softness.
        for i in 0..n {
            d.matrix[i * n + i] *= 1.0 + 1e-9;
        }
        d.offset.clear();
        d.lower.clear();
        d.upper.clear();
        d.friction.clear();
        d.coefficient.clear();
        for row in &self.rows {
            d.offset.push(row.offset);
            d.lower.push(row.lower);
            d.upper.push(row.upper);
            d.friction.push(row.friction.map(|(normal, _)| normal as usize));
            d.coefficient.push(row.friction.map_or(0.0, |(_, mu)| mu));
        }
        let problem = Problem::new(&d.matrix, &d.offset, &d.lower, &d.upper)
            .and_then(|p| p.with_friction(&d.friction, &d.coefficient));
        let report = match problem {
            Ok(problem) => {
                let report = d.solver.solve(&problem, &mut self.x);
                RowReport { rows: n, iterations: report.iterations, residual: report.residual, settled: true }
            }
            // Numbers that are not finite: leave no impulse; the step names the culprit.
            Err(_) => {
                self.x.fill(0.0);
                RowReport { rows: n, iterations: 0, residual: f64::INFINITY, settled: true }
            }
        };
        // The direct solver bounds each tangent by itself, which lets a slide run on as if on a skate's
        // blade. Where that left the circular cone, sweeps from here lead back into it.
        if leaves_cone(&self.rows, &self.x) {
            let swept = self.solve_sweeps(model, data, sweeps, tolerance);
            return RowReport { iterations: report.iterations + swept.iterations, ..swept };
        }
        self.reapply(model, data);
        report
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
