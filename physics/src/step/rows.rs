//! Constraint rows: what must hold between joint velocities at the end of the step.
//!
//! A row asks for `J v⁺ + ε λ = target` with an impulse `λ` between bounds; then `v⁺ = v* + M̂⁻¹Jᵀλ`, and
//! `w = (J M̂⁻¹Jᵀ + ε) λ + (J v* - target)` is the complementary slack (recipes 3.1). A spring-damper
//! `f = k (d - h v⁺) - c v⁺` is the row `ε = 1/(h (hk + c))`, `target = k d/(hk + c)` (recipes 3.4).
//!
//! Jacobians and targets are written once per step; the responses `M̂⁻¹Jᵀ` and the offsets follow the
//! articulated factors whenever the active set changes those.

use glam::DVec3;

use crate::data::Data;
use crate::dynamics::impulse::{Hit, tree_response};
use crate::dynamics::kinematics::joint_force;
use crate::lcp::{Dantzig, Factored, FactoredRow, Problem, Run};
use crate::model::{Model, NONE};
use crate::spatial::Force;

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
    /// `M̂⁻¹Jᵀx`.
    pub(crate) change: Vec<f64>,
    /// Whether a tree is touched by any row.
    pub(crate) touched: Vec<bool>,
    scratch: Vec<f64>,
    dense: Dense,
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
        self.scratch.resize(model.n_v(), 0.0);
        self.touched.clear();
        self.touched.resize(model.trees.len(), false);
    }

    /// Adds a row with its Jacobian; the response comes later. Returns its index.
    pub(crate) fn push(&mut self, model: &Model, data: &Data, spec: RowSpec) -> u32 {
        let index = self.specs.len() as u32;
        let first_run = self.factored.jacobian_runs.len() as u32;
        for hit in spec.hits.into_iter().flatten() {
            self.touched[tree_of(model, hit)] = true;
            self.push_jacobian(model, data, hit);
        }
        self.factored.rows.push(FactoredRow {
            jacobian: (first_run, self.factored.jacobian_runs.len() as u32),
            response: (0, 0),
            offset: 0.0,
            compliance: spec.compliance,
            lower: spec.lower,
            upper: spec.upper,
            friction: spec.friction,
        });
        self.x.push(spec.guess);
        self.specs.push(spec);
        index
    }

    /// `Jᵀ` of a hit: what it does along each freedom between it and the root, in stretches.
    fn push_jacobian(&mut self, model: &Model, data: &Data, hit: Hit) {
        let f = &mut self.factored;
        let (body, mut wrench) = match hit {
            Hit::Freedom(dof, scale) => {
                let from = f.jacobian.len() as u32;
                f.jacobian_runs.push(Run { at: dof as u32, from, length: 1 });
                f.jacobian.push(scale);
                return;
            }
            Hit::Body(body, wrench) => (body, wrench),
        };
        let mut at = body;
        loop {
            let link = &model.links[at];
            let n = link.kind.n_v();
            if n > 0 {
                let from = f.jacobian.len();
                f.jacobian.resize(from + n, 0.0);
                joint_force(link.kind, &data.position.axes[at], wrench, &mut f.jacobian[from..]);
                f.jacobian_runs.push(Run { at: link.v, from: from as u32, length: n as u32 });
            }
            if link.parent == NONE {
                break;
            }
            wrench = wrench.seen_from(data.position.offset[at]);
            at = link.parent as usize;
        }
    }

    /// Responses and offsets for the present factors and the velocities `v` they lead to without rows.
    pub(crate) fn respond(&mut self, model: &Model, data: &mut Data, v: &[f64]) {
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
                let from = f.response.len();
                f.response.resize(from + end - at, 0.0);
                tree_response(model, data, tree, hits, &mut f.response[from..]);
                f.response_runs.push(Run { at: at as u32, from: from as u32, length: (end - at) as u32 });
            };
            match spec.hits {
                [Some(a), Some(b)] if tree_of(model, a) == tree_of(model, b) => add(&[a, b]),
                [a, b] => a.iter().chain(&b).for_each(|hit| add(core::slice::from_ref(hit))),
            }
            f.rows[i].response = (first, f.response_runs.len() as u32);
        }
        for (i, spec) in self.specs.iter().enumerate() {
            let offset = f.apply_row(i, v) - spec.target;
            f.rows[i].offset = offset;
        }
        f.prepare(&mut self.scratch);
    }

    /// Projected Gauss–Seidel from the present guess.
    pub(crate) fn solve_sweeps(&mut self, sweeps: usize, tolerance: f64) -> RowReport {
        let report = self.factored.solve(&mut self.x, &mut self.change, sweeps, tolerance, true);
        RowReport { rows: self.specs.len(), iterations: report.sweeps, residual: report.change }
    }

    /// Dantzig's principal pivoting on the dense matrix.
    pub(crate) fn solve_direct(&mut self) -> RowReport {
        let n = self.specs.len();
        let d = &mut self.dense;
        self.factored.write_dense(&mut self.scratch, &mut d.matrix);
        // Redundant rows (four corners of a box) leave the matrix singular: a trace of softness.
        for i in 0..n {
            d.matrix[i * n + i] *= 1.0 + 1e-9;
        }
        d.offset.clear();
        d.lower.clear();
        d.upper.clear();
        d.friction.clear();
        d.coefficient.clear();
        for row in &self.factored.rows {
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
                RowReport { rows: n, iterations: report.iterations, residual: report.residual }
            }
            // Numbers that are not finite: leave no impulse; the step names the culprit.
            Err(_) => {
                self.x.fill(0.0);
                RowReport { rows: n, iterations: 0, residual: f64::INFINITY }
            }
        };
        self.change.fill(0.0);
        for i in 0..n {
            self.factored.add_column(i, self.x[i], &mut self.change);
        }
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
