//! Blocks of one row and the two friction rows that refer to it (a normal and two tangents).
//!
//! With everything outside the block held fixed, normal and tangents are solved in turn until they agree:
//!
//! ```text
//! x_n ← clamp(x_n - w_n / A_nn, lo, hi)                                                (1)
//! x_t ← argmin ½ x_tᵀ A_tt x_t + c_tᵀ x_t   over the square or disc of size mu x_n      (2)
//! ```
//!
//! On the rim of the disc (2) reads (A_tt + λ I) x_t = -c_t with |x_t| = mu x_n and λ > 0: the sliding
//! velocity w_t = -λ x_t opposes the friction. λ comes from Newton's method on 1/|x_t(λ)|, which is concave
//! and nearly linear in λ (Moré & Sorensen 1983, the trust-region subproblem).

use super::pgs::{Friction, relaxed};
use super::problem::{Problem, max_or_nan};

/// Alternations of (1) and (2) per visit; the outer sweeps finish what they leave.
const MAX_ALTERNATIONS: usize = 8;
const MAX_NEWTON: usize = 30;

/// A unit of one Gauss–Seidel sweep.
#[derive(Clone, Copy, Debug)]
pub(super) enum Block {
    /// A single row.
    Row(usize),
    /// A normal row, its two tangents and their coefficients.
    Contact { n: usize, t: [usize; 2], mu: [f64; 2] },
}

/// Lists the blocks of a problem. Friction rows that do not come in pairs stay rows of their own.
pub(super) fn find_blocks(problem: &Problem, friction: Friction, blocks: &mut Vec<Block>) {
    blocks.clear();
    if friction == Friction::Rows || !problem.has_friction() {
        blocks.extend((0..problem.len()).map(Block::Row));
        return;
    }
    for i in 0..problem.len() {
        match tangents_of(problem, i) {
            Some((t, mu)) => blocks.push(Block::Contact { n: i, t, mu }),
            None => {
                let in_a_pair = problem.friction(i).is_some_and(|(f, _)| tangents_of(problem, f).is_some());
                if !in_a_pair {
                    blocks.push(Block::Row(i));
                }
            }
        }
    }
}

/// The two friction rows of row `n`, if it has exactly two.
fn tangents_of(problem: &Problem, n: usize) -> Option<([usize; 2], [f64; 2])> {
    let mut rows = (0..problem.len())
        .filter_map(|i| problem.friction(i).filter(|&(f, _)| f == n).map(|(_, mu)| (i, mu)));
    let ((t0, mu0), (t1, mu1)) = (rows.next()?, rows.next()?);
    rows.next().is_none().then_some(([t0, t1], [mu0, mu1]))
}

impl Block {
    /// The residual of the block when both tangents share a disc (of the smaller radius).
    pub(super) fn cone_residual(&self, problem: &Problem, x: &[f64]) -> f64 {
        match *self {
            Block::Row(i) => row_residual(problem, x, i),
            Block::Contact { n, t, mu } => {
                let stepped = t.map(|i| x[i] - problem.slack_of(i, x));
                let inside = project_on_disc(stepped, mu[0].min(mu[1]) * x[n].max(0.0));
                let normal = row_residual(problem, x, n);
                max_or_nan(normal, (x[t[0]] - inside[0]).hypot(x[t[1]] - inside[1]))
            }
        }
    }

    /// Solves a contact block in place; returns the residual it had before. A plain row is left alone.
    pub(super) fn solve(&self, problem: &Problem, x: &mut [f64], cone: bool) -> f64 {
        let Block::Contact { n, t, mu } = *self else { return 0.0 };
        let rows = [n, t[0], t[1]];
        let met = if cone {
            self.cone_residual(problem, x)
        } else {
            rows.iter().fold(0.0, |worst, &i| max_or_nan(worst, row_residual(problem, x, i)))
        };

        // w = c + A_block x_block, with c from everything outside.
        let a = rows.map(|i| rows.map(|j| problem.entry(i, j)));
        let before = rows.map(|i| x[i]);
        let w = rows.map(|i| problem.slack_of(i, x));
        let c: [f64; 3] = std::array::from_fn(|i| w[i] - (0..3).map(|j| a[i][j] * before[j]).sum::<f64>());
        let (lo, hi) = problem.bounds(n, x);

        let mut y = before;
        for _ in 0..MAX_ALTERNATIONS {
            let last = y;
            let w_n = c[0] + a[0][0] * y[0] + a[0][1] * y[1] + a[0][2] * y[2];
            y[0] = relaxed(y[0], w_n, 1.0 / a[0][0], lo, hi);
            let a_tt = [[a[1][1], a[1][2]], [a[2][1], a[2][2]]];
            let c_t = [c[1] + a[1][0] * y[0], c[2] + a[2][0] * y[0]];
            let limit = y[0].max(0.0);
            let friction = if cone {
                solve_in_disc(a_tt, c_t, mu[0].min(mu[1]) * limit, [y[1], y[2]])
            } else {
                relax_in_square(a_tt, c_t, mu.map(|mu| mu * limit), [y[1], y[2]])
            };
            y = [y[0], friction[0], friction[1]];
            let change = (0..3).fold(0.0_f64, |m, k| m.max((y[k] - last[k]).abs()));
            let size = y.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
            if change <= 1e-15 * size {
                break;
            }
        }
        for k in 0..3 {
            x[rows[k]] = y[k];
        }
        met
    }
}

fn row_residual(problem: &Problem, x: &[f64], i: usize) -> f64 {
    let (lo, hi) = problem.bounds(i, x);
    (x[i] - (x[i] - problem.slack_of(i, x)).clamp(lo, hi)).abs()
}

/// One Gauss–Seidel step of (2) over the square.
fn relax_in_square(a: [[f64; 2]; 2], c: [f64; 2], limit: [f64; 2], x: [f64; 2]) -> [f64; 2] {
    let w0 = c[0] + a[0][0] * x[0] + a[0][1] * x[1];
    let x0 = relaxed(x[0], w0, 1.0 / a[0][0], -limit[0], limit[0]);
    let w1 = c[1] + a[1][0] * x0 + a[1][1] * x[1];
    [x0, relaxed(x[1], w1, 1.0 / a[1][1], -limit[1], limit[1])]
}

fn project_on_disc(v: [f64; 2], radius: f64) -> [f64; 2] {
    let length = v[0].hypot(v[1]);
    if length <= radius { v } else { v.map(|e| e * (radius / length)) }
}

/// (2) over the disc. A singular A_tt gets a projected gradient step from `x` instead.
fn solve_in_disc(a: [[f64; 2]; 2], c: [f64; 2], radius: f64, x: [f64; 2]) -> [f64; 2] {
    if radius <= 0.0 {
        return [0.0; 2];
    }
    // x(λ) = -(A + λ I)⁻¹ c, and its derivative -(A + λ I)⁻¹ x.
    let solve = |lambda: f64, rhs: [f64; 2]| {
        let (p, q) = (a[0][0] + lambda, a[1][1] + lambda);
        let det = p * q - a[0][1] * a[1][0];
        [(q * rhs[0] - a[0][1] * rhs[1]) / det, (p * rhs[1] - a[1][0] * rhs[0]) / det]
    };
    let trace = a[0][0] + a[1][1];
    let det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    if det.is_nan() || det <= 1e-14 * trace * trace {
        let w = [c[0] + a[0][0] * x[0] + a[0][1] * x[1], c[1] + a[1][0] * x[0] + a[1][1] * x[1]];
        let step = if trace > 0.0 { 1.0 / trace } else { 1.0 };
        return project_on_disc([x[0] - step * w[0], x[1] - step * w[1]], radius);
    }
    let mut lambda = 0.0;
    let mut y = solve(lambda, [-c[0], -c[1]]);
    let mut length = y[0].hypot(y[1]);
    if length <= radius {
        return y;
    }
    for _ in 0..MAX_NEWTON {
        let dy = solve(lambda, [-y[0], -y[1]]);
        let slope = (y[0] * dy[0] + y[1] * dy[1]) / length;
        lambda -= (length - radius) * length / (radius * slope);
        lambda = lambda.max(0.0);
        y = solve(lambda, [-c[0], -c[1]]);
        length = y[0].hypot(y[1]);
        if (length - radius).abs() <= 1e-15 * radius {
            break;
        }
    }
    project_on_disc(y, radius)
}

#[cfg(test)]
mod tests {
    use super::solve_in_disc;

    #[test]
    fn sliding_friction_opposes_the_sliding_velocity() {
        let a = [[2.0, 0.7], [0.7, 1.0]];
        let c = [3.0, -5.0];
        let x = solve_in_disc(a, c, 0.4, [0.0; 2]);
        assert!((x[0].hypot(x[1]) - 0.4).abs() < 1e-15);
        let w = [c[0] + a[0][0] * x[0] + a[0][1] * x[1], c[1] + a[1][0] * x[0] + a[1][1] * x[1]];
        assert!((w[0] * x[1] - w[1] * x[0]).abs() < 1e-13, "parallel");
        assert!(w[0] * x[0] + w[1] * x[1] < 0.0, "opposed");
    }

    #[test]
    fn sticking_friction_stops_the_motion() {
        let x = solve_in_disc([[2.0, 0.0], [0.0, 4.0]], [1.0, -2.0], 1.0, [0.0; 2]);
        assert_eq!(x, [-0.5, 0.5]);
    }
}
