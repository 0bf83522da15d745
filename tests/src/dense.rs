//! Small dense symmetric matrices: the slow and obvious way to check the fast one.

use crate::compare::{force_size, motion_size};
use stuntlab_physics::dynamics::{crba, point_jacobian};
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::Motion;
use stuntlab_physics::{BodyId, Data, Forces, JointKind, Model, State};

/// A square matrix, row by row, with the natural size of each freedom.
///
/// The recursions add inertias in world axes, so a freedom knows its own inertia to a rounding of the
/// largest its subtree has about any axis: turning a rod about itself is uncertain by what it takes to
/// turn it end over end. Hence sizes are `√trace` of the subtree's rotational inertia about the joint
/// for turns and `√mass` for slides, rather than `√H_ii`.
#[derive(Clone, Debug)]
pub struct Dense {
    /// Number of rows.
    pub n: usize,
    entries: Vec<f64>,
    squares: Vec<f64>,
}

impl Dense {
    /// All zeros.
    pub fn zero(n: usize) -> Self {
        Self { n, entries: vec![0.0; n * n], squares: vec![0.0; n] }
    }

    /// The joint-space inertia of a model.
    pub fn mass_matrix(model: &Model, state: &State, data: &mut Data) -> Self {
        crba(model, state, data);
        let mut out = Self::zero(model.n_v());
        data.mass_matrix.write_dense(model, &mut out.entries);
        out.measure(model, data);
        out
    }

    /// Natural sizes from the subtrees' mass, first moment and trace of the rotational inertia.
    fn measure(&mut self, model: &Model, data: &Data) {
        let mut subtrees: Vec<(f64, DVec3, f64)> = model
            .bodies()
            .iter()
            .zip(&data.position.world_from_body)
            .map(|(body, pose)| {
                let i = body.inertia();
                let c = pose.transform_point(i.center_of_mass);
                (i.mass, c * i.mass, i.rotational.trace() + 2.0 * i.mass * c.length_squared())
            })
            .collect();
        for (i, body) in model.bodies().iter().enumerate().rev() {
            let (mass, moment, trace) = subtrees[i];
            let p = data.position.world_from_body[i].translation;
            let turning = trace - 4.0 * p.dot(moment) + 2.0 * mass * p.length_squared();
            for (k, dof) in body.v_range().enumerate() {
                let natural = if k < n_slides(&body.joint().kind) { mass } else { turning };
                self.squares[dof] = self.get(dof, dof).max(natural + body.joint().armature[k]);
            }
            if let Some(parent) = body.parent() {
                let up = &mut subtrees[parent.index()];
                *up = (up.0 + mass, up.1 + moment, up.2 + trace);
            }
        }
    }

    /// What implicit terms make of it: `H + dt b + dt Σ JᵀBJ`. Poses are those in `data`.
    pub fn with_implicit(mut self, model: &Model, data: &Data, forces: &Forces, dt: f64) -> Self {
        for k in 0..self.n {
            *self.at(k, k) += dt * forces.joint_gain[k];
        }
        // The gains of a ball are turned into world axes together.
        for body in model.bodies() {
            let slides = n_slides(&body.joint().kind);
            let range = body.v_range();
            let (slide, turn) = (range.start..range.start + slides, range.start + slides..range.end);
            for block in [slide, turn] {
                let most = block.clone().map(|k| forces.joint_gain[k]).fold(0.0, f64::max);
                block.for_each(|k| self.squares[k] += dt * most);
            }
        }
        for (body, term) in &forces.implicit {
            let columns = jacobian(model, data, *body);
            for i in 0..self.n {
                let force = term.gain * columns[i];
                for j in 0..self.n {
                    *self.at(j, i) += dt * columns[j].dot(force);
                }
            }
            let point = data.world_from_body(*body).translation;
            let mut at = Some(*body);
            while let Some(id) = at {
                let owner = model.body(id);
                let seen = term.gain.seen_from(point - data.world_from_body(id).translation);
                for (k, dof) in owner.v_range().enumerate() {
                    let slide = k < n_slides(&owner.joint().kind);
                    self.squares[dof] += dt * if slide { seen.linear.trace() } else { seen.angular.trace() };
                }
                at = owner.parent();
            }
        }
        self
    }

    /// An entry, to change.
    pub fn at(&mut self, row: usize, column: usize) -> &mut f64 {
        &mut self.entries[row * self.n + column]
    }

    /// An entry.
    pub fn get(&self, row: usize, column: usize) -> f64 {
        self.entries[row * self.n + column]
    }

    /// `A x`.
    pub fn times(&self, x: &[f64]) -> Vec<f64> {
        (0..self.n).map(|i| (0..self.n).map(|j| self.get(i, j) * x[j]).sum()).collect()
    }

    /// The natural size of each freedom.
    pub fn sizes(&self) -> Vec<f64> {
        self.squares.iter().map(|s| s.sqrt()).collect()
    }

    /// The lower Cholesky factor, `None` unless positive definite.
    pub fn cholesky(&self) -> Option<Self> {
        let mut l = Self::zero(self.n);
        for i in 0..self.n {
            for j in 0..=i {
                let sum: f64 = (0..j).map(|k| l.get(i, k) * l.get(j, k)).sum();
                let rest = self.get(i, j) - sum;
                *l.at(i, j) = if i == j {
                    if rest.is_nan() || rest <= 0.0 {
                        return None;
                    }
                    rest.sqrt()
                } else {
                    rest / l.get(j, j)
                };
            }
        }
        Some(l)
    }

    /// Solves `A x = b` by Cholesky on the matrix scaled to a unit diagonal.
    ///
    /// # Panics
    /// If the matrix is not positive definite.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let sizes: Vec<f64> = (0..self.n).map(|i| self.get(i, i).sqrt()).collect();
        let l = self.scaled_by(&sizes).cholesky().expect("positive definite");
        let mut x: Vec<f64> = b.iter().zip(&sizes).map(|(b, s)| b / s).collect();
        for i in 0..self.n {
            let sum: f64 = (0..i).map(|k| l.get(i, k) * x[k]).sum();
            x[i] = (x[i] - sum) / l.get(i, i);
        }
        for i in (0..self.n).rev() {
            let sum: f64 = (i + 1..self.n).map(|k| l.get(k, i) * x[k]).sum();
            x[i] = (x[i] - sum) / l.get(i, i);
        }
        x.iter().zip(&sizes).map(|(x, s)| x / s).collect()
    }

    /// `D⁻¹ A D⁻¹` with the natural sizes as `D`.
    pub fn scaled(&self) -> Self {
        self.scaled_by(&self.sizes())
    }

    fn scaled_by(&self, sizes: &[f64]) -> Self {
        let mut out = self.clone();
        for i in 0..self.n {
            for j in 0..self.n {
                *out.at(i, j) /= sizes[i] * sizes[j];
            }
        }
        out
    }

    /// The textbook bound on the error of a solution `x` of `A x = b` when `A` and `b` are off by a
    /// relative `rounding`: `|A⁻¹| (|A| |x| + |b|)`, all in natural sizes (Golub & Van Loan 2.6).
    /// Forward dynamics of badly conditioned trees cannot do better.
    pub fn bound(&self, rounding: f64, x: &[f64], b: &[f64]) -> f64 {
        let scaled = self.scaled();
        let norm =
            (0..self.n).map(|i| (0..self.n).map(|j| scaled.get(i, j).abs()).sum::<f64>()).fold(0.0, f64::max);
        rounding * self.inverse_norm() * (norm * motion_size(self, x) + force_size(self, b))
    }

    /// Largest row sum of the inverse of [`Dense::scaled`]: by how much solving magnifies errors of the
    /// right-hand side, units taken out.
    pub fn inverse_norm(&self) -> f64 {
        let scaled = self.scaled();
        let mut sums = vec![0.0; self.n];
        let mut unit = vec![0.0; self.n];
        for j in 0..self.n {
            unit[j] = 1.0;
            scaled.solve(&unit).iter().zip(&mut sums).for_each(|(x, sum)| *sum += x.abs());
            unit[j] = 0.0;
        }
        sums.into_iter().fold(1.0, f64::max)
    }
}

/// How many of a joint's freedoms slide; they come first.
pub fn n_slides(kind: &JointKind) -> usize {
    match kind {
        JointKind::Prismatic { .. } => 1,
        JointKind::Planar => 2,
        JointKind::Free => 3,
        _ => 0,
    }
}

/// Columns of the Jacobian of a body at its origin. Poses are those in `data`.
pub fn jacobian(model: &Model, data: &Data, body: BodyId) -> Vec<Motion> {
    let mut columns = vec![Motion::ZERO; model.n_v()];
    point_jacobian(model, data, body, data.world_from_body(body).translation, &mut columns);
    columns
}
