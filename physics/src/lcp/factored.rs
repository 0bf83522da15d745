//! Projected Gauss–Seidel on a matrix given as a product, `A = J W + diag(c)`, never formed.
//!
//! Row `i` of `J` and column `i` of `W` touch few of the unknowns `u`; a sweep keeps `u = W x` up to date,
//! so a row costs its own length instead of the number of rows (recipes 1.5). Same problem, same signs as
//! [`super::Problem`]: `w = A x + b`.
//!
//! A row may be followed by two friction rows that refer to it; the three are then a block: first the
//! row itself, then both tangents, projected together onto the disc `|x_t| ≤ μ x_n` (maximum dissipation)
//! or each onto `±μ x_n`.
//!
//! Sweeps go to and fro (symmetric Gauss–Seidel): a load enters a stack at one end and the reaction at the other,
//! and a sweep carries news all the way only in its own direction.

use std::ops::Range;

/// A stretch of `u` and where its numbers start in the row's storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// First entry of `u`.
    pub at: u32,
    /// First number in the storage.
    pub from: u32,
    /// How many.
    pub length: u32,
}

/// One row: where its numbers are, its bounds and what it depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FactoredRow {
    /// Its stretches of `J`, as a range of [`Factored::jacobian_runs`].
    pub jacobian: (u32, u32),
    /// Its stretches of `W`, as a range of [`Factored::response_runs`].
    pub response: (u32, u32),
    /// `b_i`.
    pub offset: f64,
    /// What is added to the diagonal.
    pub compliance: f64,
    /// Least value.
    pub lower: f64,
    /// Largest value.
    pub upper: f64,
    /// Friction row: index of the row it refers to and the coefficient; bounds then come from there.
    pub friction: Option<(u32, f64)>,
}

/// Diagonal, 1/kg or 1/(kg m²), below which a row moves nothing.
const NO_RESPONSE: f64 = 1e-12;

/// All rows with their numbers.
#[derive(Clone, Debug, Default)]
pub struct Factored {
    /// The rows.
    pub rows: Vec<FactoredRow>,
    /// Stretches of the rows of `J`.
    pub jacobian_runs: Vec<Run>,
    /// Stretches of the columns of `W`.
    pub response_runs: Vec<Run>,
    /// Numbers of `J`.
    pub jacobian: Vec<f64>,
    /// Numbers of `W`.
    pub response: Vec<f64>,
    /// Diagonal of `A`, filled by [`Factored::prepare`].
    diagonal: Vec<f64>,
}

/// How a solve went.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct SweepReport {
    /// Sweeps taken.
    pub sweeps: usize,
    /// Largest change of a row's velocity `A_ii |Δx_i|` in the last sweep.
    pub change: f64,
}

impl Factored {
    /// Empties it, keeping the memory.
    pub fn clear(&mut self) {
        self.rows.clear();
        self.jacobian_runs.clear();
        self.response_runs.clear();
        self.jacobian.clear();
        self.response.clear();
        self.diagonal.clear();
    }

    /// `J_i · u`.
    #[inline(always)]
    pub fn apply_row(&self, i: usize, u: &[f64]) -> f64 {
        let (start, end) = self.rows[i].jacobian;
        let mut sum = 0.0;
        for run in &self.jacobian_runs[start as usize..end as usize] {
            let n = run.length as usize;
            sum += dot(&self.jacobian[run.from as usize..][..n], &u[run.at as usize..][..n]);
        }
        sum
    }

    /// `u += W_i δ`.
    #[inline(always)]
    pub fn add_column(&self, i: usize, delta: f64, u: &mut [f64]) {
        let (start, end) = self.rows[i].response;
        for run in &self.response_runs[start as usize..end as usize] {
            let n = run.length as usize;
            let w = &self.response[run.from as usize..][..n];
            let u = &mut u[run.at as usize..][..n];
            u.iter_mut().zip(w).for_each(|(u, w)| *u += delta * w);
        }
    }

    /// `J_i W_k` without the compliance; `scratch` must be zero and is left zero.
    pub fn entry(&self, i: usize, k: usize, scratch: &mut [f64]) -> f64 {
        self.add_column(k, 1.0, scratch);
        let value = self.apply_row(i, scratch);
        let (start, end) = self.rows[k].response;
        for run in &self.response_runs[start as usize..end as usize] {
            scratch[run.at as usize..][..run.length as usize].fill(0.0);
        }
        value
    }

    /// Computes the diagonal; `u` is scratch.
    pub fn prepare(&mut self, u: &mut [f64]) {
        u.fill(0.0);
        self.diagonal.clear();
        for i in 0..self.rows.len() {
            let own = self.entry(i, i, u) + self.rows[i].compliance;
            self.diagonal.push(own);
        }
    }

    /// Whether anything moves under row `i`. What is left of the diagonal by rounding, as of a contact right under a
    /// pivot, would ask for an impulse without bound.
    #[inline]
    pub fn responds(&self, i: usize) -> bool {
        self.diagonal[i] > NO_RESPONSE
    }

    /// Solves by at most `max_sweeps` sweeps from the given `x`; writes `u = W x`. Ends early once no row's
    /// velocity changed by more than `tolerance`. With `cone` both tangents share one disc.
    pub fn solve(
        &self,
        x: &mut [f64],
        u: &mut [f64],
        max_sweeps: usize,
        tolerance: f64,
        cone: bool,
    ) -> SweepReport {
        u.fill(0.0);
        for (i, &value) in x.iter().enumerate() {
            if value != 0.0 {
                self.add_column(i, value, u);
            }
        }
        let mut report = SweepReport::default();
        for sweep in 1..=max_sweeps {
            let change = if sweep % 2 == 1 { self.sweep(x, u, cone) } else { self.sweep_back(x, u, cone) };
            report = SweepReport { sweeps: sweep, change };
            if report.change <= tolerance {
                break;
            }
        }
        report
    }

    /// One sweep over all rows, first to last; the largest change of a row's velocity.
    fn sweep(&self, x: &mut [f64], u: &mut [f64], cone: bool) -> f64 {
        self.relax(0..self.rows.len(), x, u, cone)
    }

    /// One sweep over all blocks, last to first; a row still comes before the friction rows that refer to it.
    fn sweep_back(&self, x: &mut [f64], u: &mut [f64], cone: bool) -> f64 {
        let (mut change, mut end) = (0.0_f64, self.rows.len());
        while end > 0 {
            let mut start = end - 1;
            while start > 0 && self.rows[start].friction.is_some() {
                start -= 1;
            }
            change = change.max(self.relax(start..end, x, u, cone));
            end = start;
        }
        change
    }

    /// Relaxes a range of rows in order; the largest change of a row's velocity.
    #[inline]
    fn relax(&self, rows: Range<usize>, x: &mut [f64], u: &mut [f64], cone: bool) -> f64 {
        let mut change = 0.0_f64;
        let mut i = rows.start;
        while i < rows.end {
            let wanted = |i: usize, x: &[f64], u: &[f64]| {
                let row = &self.rows[i];
                let w = self.apply_row(i, u) + row.compliance * x[i] + row.offset;
                if self.responds(i) { x[i] - w / self.diagonal[i] } else { 0.0 }
            };
            let mut set = |i: usize, value: f64, x: &mut [f64], u: &mut [f64]| {
                let delta = value - x[i];
                if delta != 0.0 {
                    x[i] = value;
                    self.add_column(i, delta, u);
                    change = change.max(delta.abs() * self.diagonal[i]);
                }
            };
            let row = &self.rows[i];
            match row.friction {
                Some((normal, mu)) if cone && self.is_pair(i) => {
                    let limit = mu * x[normal as usize].max(0.0);
                    let mut a = wanted(i, x, u);
                    let mut b = wanted(i + 1, x, u);
                    let size = (a * a + b * b).sqrt();
                    if size > limit {
                        (a, b) = (a * limit / size, b * limit / size);
                    }
                    set(i, a, x, u);
                    set(i + 1, b, x, u);
                    i += 1;
                }
                Some((normal, mu)) => {
                    let limit = mu * x[normal as usize].max(0.0);
                    set(i, wanted(i, x, u).clamp(-limit, limit), x, u);
                }
                None => set(i, wanted(i, x, u).clamp(row.lower, row.upper), x, u),
            }
            i += 1;
        }
        change
    }

    /// Whether a pair of tangents is outside its disc by more than rounding.
    pub fn leaves_cone(&self, x: &[f64]) -> bool {
        (0..self.rows.len()).any(|i| match self.rows[i].friction {
            Some((normal, mu)) if self.is_pair(i) => {
                x[i].hypot(x[i + 1]) > (1.0 + 1e-9) * mu * x[normal as usize].max(0.0) + f64::MIN_POSITIVE
            }
            _ => false,
        })
    }

    /// Whether rows `i` and `i + 1` are the two tangents of one contact.
    #[inline]
    fn is_pair(&self, i: usize) -> bool {
        match (self.rows[i].friction, self.rows.get(i + 1).and_then(|r| r.friction)) {
            (Some((a, mu)), Some((b, nu))) => a == b && mu == nu,
            _ => false,
        }
    }

    /// The dense matrix `J W + diag(c)`, row by row, into `out`; `u` is scratch.
    pub fn write_dense(&self, u: &mut [f64], out: &mut Vec<f64>) {
        let n = self.rows.len();
        u.fill(0.0);
        out.clear();
        out.resize(n * n, 0.0);
        for k in 0..n {
            self.add_column(k, 1.0, u);
            for i in 0..n {
                out[i * n + k] = self.apply_row(i, u);
            }
            let (start, end) = self.rows[k].response;
            for run in &self.response_runs[start as usize..end as usize] {
                u[run.at as usize..][..run.length as usize].fill(0.0);
            }
            out[k * n + k] += self.rows[k].compliance;
        }
    }
}

/// Scalar product; six numbers, the usual length, without a loop or a long chain of additions.
#[inline(always)]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    match (<&[f64; 6]>::try_from(a), <&[f64; 6]>::try_from(b)) {
        (Ok(a), Ok(b)) => {
            (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5])
        }
        _ => a.iter().zip(b).map(|(a, b)| a * b).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two unknowns with masses 1 and 2, rows on each and on their difference.
    fn sample() -> Factored {
        let mut f = Factored::default();
        let rows: [(&[(u32, f64)], f64); 2] = [(&[(0, 1.0)], -1.0), (&[(0, -1.0), (1, 1.0)], 0.5)];
        for (entries, offset) in rows {
            let start = f.jacobian_runs.len() as u32;
            for &(at, value) in entries {
                let run = Run { at, from: f.jacobian.len() as u32, length: 1 };
                f.jacobian_runs.push(run);
                f.response_runs.push(run);
                f.jacobian.push(value);
                f.response.push(value / (1.0 + f64::from(at)));
            }
            let end = f.jacobian_runs.len() as u32;
            f.rows.push(FactoredRow {
                jacobian: (start, end),
                response: (start, end),
                offset,
                compliance: 0.0,
                lower: 0.0,
                upper: f64::INFINITY,
                friction: None,
            });
        }
        f
    }

    #[test]
    fn sweeps_reach_the_dense_solution() {
        let mut f = sample();
        let mut u = [0.0; 2];
        f.prepare(&mut u);
        let mut dense = Vec::new();
        f.write_dense(&mut u, &mut dense);
        assert_eq!(dense, [1.0, -1.0, -1.0, 1.5]);
        let mut x = [0.0; 2];
        let report = f.solve(&mut x, &mut u, 200, 1e-14, false);
        // [1 -1; -1 1.5] x = [1, -0.5] has the solution (2, 1).
        assert!((x[0] - 2.0).abs() < 1e-12 && (x[1] - 1.0).abs() < 1e-12, "{x:?} {report:?}");
        assert!((u[0] - 1.0).abs() < 1e-12 && (u[1] - 0.5).abs() < 1e-12);
    }
}
