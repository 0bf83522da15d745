//! A boxed problem with friction rows written as a plain one: s = M z + q, s ≥ 0, z ≥ 0, sᵀz = 0.
//!
//! | row | x | plain variables and their slacks |
//! |---|---|---|
//! | lo finite | lo + y | y ⊥ w (+ u) |
//! | both finite | | u ⊥ hi - lo - y, so that w + u ≥ 0 leaves w < 0 only at hi |
//! | only hi finite | hi - y | y ⊥ -w |
//! | free | y₊ - y₋ | y₊ ⊥ w, y₋ ⊥ -w, hence w = 0 |
//! | lo = hi | lo | none |
//! | friction | β₊ - β₋ | β₊ ⊥ w + λ, β₋ ⊥ -w + λ, λ ⊥ mu x_f - β₊ - β₋ |
//!
//! The friction rows are those of Anitescu & Potra (1997) with one pair of directions each. M is copositive
//! for positive semidefinite A: zᵀM z = xᵀA x + Σ mu λ x_f ≥ 0 (f with lo = 0), which makes Lemke's method
//! process it. M and q are then scaled by powers of two so that rows and columns are of order 1.

use super::problem::Problem;

/// One plain variable.
#[derive(Clone, Copy, Debug)]
enum Variable {
    /// Adds `sign` times itself to x[row]; its slack is sign w[row] plus the row's multiplier.
    Value { row: usize, sign: f64 },
    /// Multiplier of the distance of x[row] to its upper bound.
    Upper { row: usize },
    /// Multiplier of the friction bound of x[row].
    Cone { row: usize, f: usize, mu: f64 },
}

/// The plain form, scaled: M' = D M D, q' = D q / g, z = g D z'.
#[derive(Clone, Debug, Default)]
pub(super) struct PlainForm {
    variables: Vec<Variable>,
    /// M', row-major.
    pub(super) matrix: Vec<f64>,
    /// q'.
    pub(super) offset: Vec<f64>,
    origin: Vec<f64>,
    span: Vec<f64>,
    scale: Vec<f64>,
    gain: f64,
}

impl PlainForm {
    /// Number of plain variables.
    pub(super) fn len(&self) -> usize {
        self.variables.len()
    }

    /// Writes the plain form of `problem`.
    pub(super) fn build(&mut self, problem: &Problem) {
        self.choose_variables(problem);
        self.fill(problem);
        self.equilibrate();
    }

    /// x of the boxed problem from scaled plain values.
    pub(super) fn recover(&self, z: &[f64], x: &mut [f64]) {
        x.copy_from_slice(&self.origin);
        for (k, variable) in self.variables.iter().enumerate() {
            if let Variable::Value { row, sign } = *variable {
                x[row] += sign * z[k] * self.scale[k] * self.gain;
            }
        }
    }

    fn choose_variables(&mut self, problem: &Problem) {
        let n = problem.len();
        self.variables.clear();
        self.origin.clear();
        self.span.clear();
        for row in 0..n {
            let (mut origin, mut span) = (0.0, f64::INFINITY);
            if let Some((f, mu)) = problem.friction(row) {
                self.variables.push(Variable::Value { row, sign: 1.0 });
                self.variables.push(Variable::Value { row, sign: -1.0 });
                self.variables.push(Variable::Cone { row, f, mu });
            } else {
                let (lo, hi) = problem.bounds(row, &self.origin);
                if lo.is_finite() {
                    (origin, span) = (lo, hi - lo);
                    if span > 0.0 {
                        self.variables.push(Variable::Value { row, sign: 1.0 });
                    }
                    if span > 0.0 && span.is_finite() {
                        self.variables.push(Variable::Upper { row });
                    }
                } else if hi.is_finite() {
                    origin = hi;
                    self.variables.push(Variable::Value { row, sign: -1.0 });
                } else {
                    self.variables.push(Variable::Value { row, sign: 1.0 });
                    self.variables.push(Variable::Value { row, sign: -1.0 });
                }
            }
            self.origin.push(origin);
            self.span.push(span);
        }
    }

    fn fill(&mut self, problem: &Problem) {
        let m = self.variables.len();
        self.matrix.clear();
        self.matrix.resize(m * m, 0.0);
        self.offset.clear();
        for (r, variable) in self.variables.iter().enumerate() {
            let out = &mut self.matrix[r * m..(r + 1) * m];
            let offset = match *variable {
                Variable::Value { row, sign } => {
                    for (c, other) in self.variables.iter().enumerate() {
                        out[c] = match *other {
                            Variable::Value { row: j, sign: s } => sign * s * problem.entry(row, j),
                            Variable::Upper { row: j } | Variable::Cone { row: j, .. } => f64::from(j == row),
                        };
                    }
                    sign * problem.slack_of(row, &self.origin)
                }
                Variable::Upper { row } => {
                    for (c, other) in self.variables.iter().enumerate() {
                        out[c] = match *other {
                            Variable::Value { row: j, .. } if j == row => -1.0,
                            _ => 0.0,
                        };
                    }
                    self.span[row]
                }
                Variable::Cone { row, f, mu } => {
                    for (c, other) in self.variables.iter().enumerate() {
                        out[c] = match *other {
                            Variable::Value { row: j, .. } if j == row => -1.0,
                            Variable::Value { row: j, sign } if j == f => mu * sign,
                            _ => 0.0,
                        };
                    }
                    mu * self.origin[f]
                }
            };
            self.offset.push(offset);
        }
    }

    /// Symmetric equilibration (Ruiz 2001) by powers of two, so that it adds no rounding.
    fn equilibrate(&mut self) {
        let m = self.variables.len();
        self.scale.clear();
        self.scale.resize(m, 1.0);
        for _ in 0..4 {
            for k in 0..m {
                let row = (0..m).map(|c| self.matrix[k * m + c]);
                let column = (0..m).map(|r| self.matrix[r * m + k]);
                let largest = row.chain(column).fold(0.0_f64, |a, v| a.max(v.abs()));
                if largest > 0.0 {
                    let s = power_of_two(1.0 / largest.sqrt());
                    self.scale[k] *= s;
                    for c in 0..m {
                        self.matrix[k * m + c] *= s;
                        self.matrix[c * m + k] *= s;
                    }
                }
            }
        }
        for (q, s) in self.offset.iter_mut().zip(&self.scale) {
            *q *= s;
        }
        let largest = self.offset.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
        self.gain = if largest > 0.0 { power_of_two(largest) } else { 1.0 };
        for q in &mut self.offset {
            *q /= self.gain;
        }
    }
}

fn power_of_two(v: f64) -> f64 {
    v.log2().round().clamp(-500.0, 500.0).exp2()
}
