//! Small dense symmetric matrices: the slow and obvious way to check the fast one.

use stuntlab_physics::dynamics::{crba, point_jacobian};
use stuntlab_physics::spatial::Motion;
use stuntlab_physics::{BodyId, Data, Forces, Model, State};

/// A square matrix, row by row.
#[derive(Clone, Debug)]
pub struct Dense {
    /// Number of rows.
    pub n: usize,
    entries: Vec<f64>,
}

impl Dense {
    /// All zeros.
    pub fn zero(n: usize) -> Self {
        Self { n, entries: vec![0.0; n * n] }
    }

    /// The joint-space inertia of a model.
    pub fn mass_matrix(model: &Model, state: &State, data: &mut Data) -> Self {
        crba(model, state, data);
        let mut out = Self::zero(model.n_v());
        data.mass_matrix.write_dense(model, &mut out.entries);
        out
    }

    /// What implicit terms make of it: `H + dt b + dt Σ JᵀBJ`. Poses are those in `data`.
    pub fn with_implicit(mut self, model: &Model, data: &Data, forces: &Forces, dt: f64) -> Self {
        for k in 0..self.n {
            *self.at(k, k) += dt * forces.joint_gain[k];
        }
        for (body, term) in &forces.implicit {
            let columns = jacobian(model, data, *body);
            for i in 0..self.n {
                let force = term.gain * columns[i];
                for j in 0..self.n {
                    *self.at(j, i) += dt * columns[j].dot(force);
                }
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

    /// Square roots of the diagonal: the natural size of each freedom.
    pub fn sizes(&self) -> Vec<f64> {
        (0..self.n).map(|i| self.get(i, i).sqrt()).collect()
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

    /// Solves `A x = b` by Cholesky on the matrix scaled to a unit diagonal, which makes the result as
    /// good as [`Dense::inverse_norm`] says.
    ///
    /// # Panics
    /// If the matrix is not positive definite.
    pub fn solve(&self, b: &[f64]) -> Vec<f64> {
        let sizes = self.sizes();
        let l = self.scaled().cholesky().expect("positive definite");
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

    /// `D⁻¹ A D⁻¹` with unit diagonal.
    pub fn scaled(&self) -> Self {
        let sizes = self.sizes();
        let mut out = self.clone();
        for i in 0..self.n {
            for j in 0..self.n {
                *out.at(i, j) /= sizes[i] * sizes[j];
            }
        }
        out
    }

    /// Largest row sum of the inverse of the matrix scaled to a unit diagonal: by how much solving
    /// magnifies errors of the right-hand side, units taken out.
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

/// Columns of the Jacobian of a body at its origin. Poses are those in `data`.
pub fn jacobian(model: &Model, data: &Data, body: BodyId) -> Vec<Motion> {
    let mut columns = vec![Motion::ZERO; model.n_v()];
    point_jacobian(model, data, body, data.world_from_body(body).translation, &mut columns);
    columns
}
