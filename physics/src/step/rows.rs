//! Constraint rows: what must hold between joint velocities at the end of the step.
//!
//! A row asks for `J v⁺ + ε λ = target` with an impulse `λ` between bounds; then `v⁺ = v* + M̂⁻¹Jᵀλ`, and
//! `w = (J M̂⁻¹Jᵀ + ε) λ + (J v* - target)` is the complementary slack (recipes 3.1). A spring-damper
//! `f = k (d - h v⁺) - c v⁺` is the row `ε = 1/(h (hk + c))`, `target = k d/(hk + c)` (recipes 3.4).
//!
//! The unknowns the solver works on are not joint velocities but the **twists of the bodies that rows touch**
//! (and the rates of single freedoms): a row is then six numbers per body instead of one per freedom
//! between it and the root, and its response covers only bodies that other rows of the tree can feel. Joint
//! velocities follow from one impulse response per tree at the end.
//!
//! Rows are written once per step; responses and offsets follow the articulated factors whenever the
//! active set changes those.

use glam::DVec3;

use crate::data::Data;
use crate::dynamics::impulse::{Hit, tree_response};
use crate::lcp::{Dantzig, Factored, FactoredRow, Problem, Run};
use crate::model::{Model, NONE};
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
    pub(crate) factored: Factored,
    /// Impulses.
    pub(crate) x: Vec<f64>,
    /// `M̂⁻¹Jᵀx`, the change of joint velocities.
    pub(crate) change: Vec<f64>,
    /// Whether a tree is touched by any row.
    pub(crate) touched: Vec<bool>,
    layout: Layout,
    /// Twists and rates of the slots: `W x` while solving.
    u: Vec<f64>,
    scratch: Vec<f64>,
    /// Sum of the rows' impulses on each body and freedom, while velocities are read back.
    hits: Vec<Hit>,
    dense: Dense,
}

/// Where the twists of touched bodies and the rates of touched freedoms stand among the unknowns, tree by tree.
#[derive(Clone, Debug, Default)]
struct Layout {
    /// First unknown of each body, [`NONE`] if no row touches it.
    body: Vec<u32>,
    /// Unknown of each freedom, [`NONE`] if no row is on it alone.
    freedom: Vec<u32>,
    /// What each tree's unknowns are, in order: bodies, then freedoms.
    slots: Vec<Slot>,
    /// Range of `slots` and of unknowns of each tree.
    trees: Vec<(u32, u32, u32, u32)>,
    /// Bodies between the world and a slot: the only ones whose response matters while solving.
    needed: Vec<bool>,
}

#[derive(Clone, Copy, Debug)]
enum Slot {
    Body(u32),
    Freedom(u32),
}

impl Layout {
    fn build(&mut self, model: &Model, specs: &[RowSpec], touched: &[bool]) -> usize {
        self.body.clear();
        self.body.resize(model.n_bodies(), NONE);
        self.freedom.clear();
        self.freedom.resize(model.n_v(), NONE);
        self.slots.clear();
        self.trees.clear();
        for hit in specs.iter().flat_map(|s| s.hits.iter().flatten()) {
            match *hit {
                Hit::Body(b, _) => self.body[b] = 0,
                Hit::Freedom(d, _) => self.freedom[d] = 0,
            }
        }
        let mut next = 0;
        for (tree, range) in model.trees.iter().enumerate() {
            let (first_slot, first) = (self.slots.len() as u32, next);
            if touched[tree] {
                for b in range.clone() {
                    if self.body[b] != NONE {
                        self.body[b] = next;
                        self.slots.push(Slot::Body(b as u32));
                        next += 6;
                    }
                }
                let dofs = model.bodies[range.start].v_start..model.bodies[range.end - 1].v_range().end;
                for d in dofs {
                    if self.freedom[d] != NONE {
                        self.freedom[d] = next;
                        self.slots.push(Slot::Freedom(d as u32));
                        next += 1;
                    }
                }
            }
            self.trees.push((first_slot, self.slots.len() as u32, first, next));
        }
        self.needed.clear();
        self.needed.resize(model.n_bodies(), false);
        for slot in &self.slots {
            let mut at = match *slot {
                Slot::Body(b) => b,
                Slot::Freedom(d) => model.body_of_freedom(d as usize).index() as u32,
            };
            while at != NONE && !self.needed[at as usize] {
                self.needed[at as usize] = true;
                at = model.links[at as usize].parent;
            }
        }
        next as usize
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
}

impl Rows {
    pub(crate) fn clear(&mut self, model: &Model) {
        self.specs.clear();
        self.factored.clear();
        self.x.clear();
        self.change.resize(model.n_v(), 0.0);
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

    /// Lays the unknowns out and writes the Jacobian, once all rows are there.
    pub(crate) fn assemble(&mut self, model: &Model) {
        let n = self.layout.build(model, &self.specs, &self.touched);
        self.u.clear();
        self.u.resize(n, 0.0);
        self.scratch.clear();
        self.scratch.resize(n.max(model.n_v()), 0.0);
        let f = &mut self.factored;
        for spec in &self.specs {
            let first_run = f.jacobian_runs.len() as u32;
            for hit in spec.hits.into_iter().flatten() {
                let from = f.jacobian.len() as u32;
                match hit {
                    Hit::Body(b, wrench) => {
                        f.jacobian.extend_from_slice(&wrench.to_array());
                        f.jacobian_runs.push(Run { at: self.layout.body[b], from, length: 6 });
                    }
                    Hit::Freedom(d, scale) => {
                        f.jacobian.push(scale);
                        f.jacobian_runs.push(Run { at: self.layout.freedom[d], from, length: 1 });
                    }
                }
            }
            f.rows.push(FactoredRow {
                jacobian: (first_run, f.jacobian_runs.len() as u32),
                response: (0, 0),
                offset: 0.0,
                compliance: spec.compliance,
                lower: spec.lower,
                upper: spec.upper,
                friction: spec.friction,
            });
        }
    }

    /// Responses and offsets for the present factors; `bodies` and `v` are the velocities they lead to without
    /// rows.
    pub(crate) fn respond(&mut self, model: &Model, data: &mut Data, bodies: &[Motion], v: &[f64]) {
        let f = &mut self.factored;
        f.response.clear();
        f.response_runs.clear();
        for (i, spec) in self.specs.iter().enumerate() {
            let first = f.response_runs.len() as u32;
            let mut add = |hits: &[Hit]| {
                let tree = tree_of(model, hits[0]);
                let range = &model.trees[tree];
                let at = model.links[range.start].v as usize;
                let end = model.bodies[range.end - 1].v_range().end;
                let out = &mut self.scratch[..end - at];
                tree_response(model, data, tree, hits, &self.layout.needed, out);
                let (slot, last_slot, first, last) = self.layout.trees[tree];
                let from = f.response.len() as u32;
                for slot in &self.layout.slots[slot as usize..last_slot as usize] {
                    match *slot {
                        Slot::Body(b) => {
                            f.response.extend_from_slice(&data.dynamics.response[b as usize].to_array());
                        }
                        Slot::Freedom(d) => f.response.push(self.scratch[d as usize - at]),
                    }
                }
                f.response_runs.push(Run { at: first, from, length: last - first });
            };
            match spec.hits {
                [Some(a), Some(b)] if tree_of(model, a) == tree_of(model, b) => add(&[a, b]),
                [a, b] => a.iter().chain(&b).for_each(|hit| add(core::slice::from_ref(hit))),
            }
            f.rows[i].response = (first, f.response_runs.len() as u32);
            f.rows[i].offset = spec.rate(bodies, v) - spec.target;
        }
        f.prepare(&mut self.u);
    }

    /// Largest change of a row's velocity without rows since the last [`Rows::respond`].
    pub(crate) fn staleness(&self, bodies: &[Motion], v: &[f64]) -> f64 {
        let change =
            |(spec, row): (&RowSpec, &FactoredRow)| (spec.rate(bodies, v) - spec.target - row.offset).abs();
        self.specs.iter().zip(&self.factored.rows).map(change).fold(0.0, f64::max)
    }

    /// Root mean square of the rows' velocities, m/s or rad/s.
    pub(crate) fn typical_speed(&self, bodies: &[Motion], v: &[f64]) -> f64 {
        let sum: f64 = self.specs.iter().map(|spec| spec.rate(bodies, v).powi(2)).sum();
        (sum / self.specs.len().max(1) as f64).sqrt()
    }

    /// Keeps the impulses and applies them through the present factors.
    pub(crate) fn reapply(&mut self, model: &Model, data: &mut Data) {
        self.sum_impulses();
        self.read_change(model, data);
    }

    /// Joint velocities from the impulses: one response per tree.
    fn read_change(&mut self, model: &Model, data: &mut Data) {
        self.change.fill(0.0);
        for (tree, range) in model.trees.iter().enumerate() {
            let (slot, last_slot, first, _) = self.layout.trees[tree];
            if slot == last_slot {
                continue;
            }
            // Sum the impulses slot by slot; `scratch` holds the sums at the slots' places.
            let mut at = first as usize;
            self.hits.clear();
            for slot in &self.layout.slots[slot as usize..last_slot as usize] {
                match *slot {
                    Slot::Body(b) => {
                        let sum = &self.scratch[at..at + 6];
                        let wrench = Force::new(crate::state::vec3(sum, 0), crate::state::vec3(sum, 3));
                        self.hits.push(Hit::Body(b as usize, wrench));
                        at += 6;
                    }
                    Slot::Freedom(d) => {
                        self.hits.push(Hit::Freedom(d as usize, self.scratch[at]));
                        at += 1;
                    }
                }
            }
            let start = model.links[range.start].v as usize;
            let end = model.bodies[range.end - 1].v_range().end;
            tree_response(model, data, tree, &self.hits, &[], &mut self.change[start..end]);
        }
    }

    /// `Jᵀx` into `scratch`, in the layout of the unknowns.
    fn sum_impulses(&mut self) {
        self.scratch.fill(0.0);
        for (row, &x) in self.factored.rows.iter().zip(&self.x) {
            if x == 0.0 {
                continue;
            }
            let (start, end) = row.jacobian;
            for run in &self.factored.jacobian_runs[start as usize..end as usize] {
                for k in 0..run.length as usize {
                    self.scratch[run.at as usize + k] += x * self.factored.jacobian[run.from as usize + k];
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
        let report = self.factored.solve(&mut self.x, &mut self.u, sweeps, tolerance, true);
        self.reapply(model, data);
        RowReport { rows: self.specs.len(), iterations: report.sweeps, residual: report.change }
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
        self.factored.write_dense(&mut self.u, &mut d.matrix);
        // Redundant rows (four corners of a box) leave the matrix singular: a trace of softness.
        for i in 0..n {
            d.matrix[i * n + i] *= 1.0 + 1e-9;
        }
        d.offset.clear();
        d.lower.clear();
        d.upper.clear();
        d.friction.clear();
        d.coefficient.clear();
        for (i, row) in self.factored.rows.iter().enumerate() {
            let (lower, upper) = if self.factored.responds(i) { (row.lower, row.upper) } else { (0.0, 0.0) };
            d.offset.push(row.offset);
            d.lower.push(lower);
            d.upper.push(upper);
            d.friction.push(row.friction.map(|(normal, _)| normal as usize));
            d.coefficient.push(row.friction.map_or(0.0, |(_, mu)| mu));
        }
        let problem = Problem::new(&d.matrix, &d.offset, &d.lower, &d.upper)
            .and_then(|p| p.with_friction(&d.friction, &d.coefficient));
        let report = match problem {
            Ok(problem) => {
                let report = d.solver.solve(&problem, &mut self.x);
                RowReport { rows: n, iterations: report.iterations, residual: report.residual }
            }
            // Numbers that are not finite: leave no impulse; the step names the culprit.
            Err(_) => {
                self.x.fill(0.0);
                RowReport { rows: n, iterations: 0, residual: f64::INFINITY }
            }
        };
        // The direct solver bounds each tangent by itself, which lets a slide run on as if on a skate's
        // blade. Where that left the circular cone, sweeps from here lead back into it.
        if self.factored.leaves_cone(&self.x) {
            let swept = self.solve_sweeps(model, data, sweeps, tolerance);
            return RowReport { iterations: report.iterations + swept.iterations, ..swept };
        }
        self.reapply(model, data);
        report
    }
}

/// The tree a hit belongs to.
fn tree_of(model: &Model, hit: Hit) -> usize {
    let body = match hit {
        Hit::Body(body, _) => body,
        Hit::Freedom(dof, _) => model.body_of_freedom(dof).index(),
    };
    model.tree_of[body] as usize
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
