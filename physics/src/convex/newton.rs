//! Newton's method on one island's problem, with an exact line search and one stopping rule.
//!
//! ```text
//! (1)  ℓ(v) = ½ vᵀM̂v - pᵀv + Σ ψ(J v)                 ∇ℓ = M̂v - p - Σ Jᵀγ,   ∇²ℓ = M̂ + Σ JᵀG J
//! (2)  d = -(∇²ℓ)⁻¹ ∇ℓ                                 trees and pairs eliminated exactly (`factors.rs`)
//! (3)  v += t d, where |ℓ'(t)| ≤ 0.1 |ℓ'(0)|           Newton in t, kept within a bracket
//! (4)  stop when Σ ∇ℓ_k²/m_k ≤ ε² (Σ f_i²/m_i + Σ γᵀW γ)   a momentum small against those exchanged in the step
//! ```
//!
//! `f` are the impulses of all smooth forces at the velocities the step begins with. (Momenta themselves would be no measure: at
//! a hundred metres per second gravity would count for nothing.) `ℓ` is strictly convex and piecewise smooth, so that this converges from anywhere; started at the velocities of the
//! last step it mostly takes one to three steps. (Castro et al. 2022; Todorov 2014.)

use super::islands::Island;
use super::{Convex, factors, smooth};
use crate::actuation::Actuation;
use crate::data::Data;
use crate::model::Model;
use crate::state::State;

/// A problem that is not solved after so many steps is reported as such; none has been met that needs half as many.
const MOST: usize = 100;
/// Share of the momenta that sums over an island's bodies may lose to rounding; divided by the tolerance it counts as
/// exchanged.
const ROUNDING: f64 = 1e-8;
/// (3): how much of the slope may be left.
const SLOPE: f64 = 0.1;
/// Looks of a line search; bisection would be through with fewer.
const LOOKS: usize = 60;

/// How an island's problem was solved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) iterations: usize,
    pub(crate) converged: bool,
    /// Square root of the ratio in (4), at the end.
    pub(crate) residual: f64,
}

/// Solves the island's problem from the velocities at hand, with at least `least` steps: where nothing changes sides one
/// is exact.
pub(super) fn solve(
    model: &Model,
    state: &State,
    data: &mut Data,
    act: &Actuation,
    convex: &mut Convex,
    island: Island,
    smooth: f64,
    tolerance: f64,
    least: usize,
) -> Outcome {
    let mut outcome = Outcome::default();
    loop {
        let (residual, pressed) = evaluate(model, state, data, act, convex, island);
        let scale = smooth + pressed;
        outcome.residual = if scale > 0.0 { (residual / scale).sqrt() } else { 0.0 };
        if residual <= tolerance * tolerance * scale && outcome.iterations >= least {
            outcome.converged = true;
            return outcome;
        }
        if outcome.iterations == MOST || !residual.is_finite() {
            return outcome;
        }
        outcome.iterations += 1;
        factors::renew(model, data, act, convex, island);
        factors::direction(model, data, convex, island);
        if !search(model, convex, island) {
            // No way down that rounding lets us see: this is the bottom.
            outcome.converged = true;
            return outcome;
        }
    }
}

/// Forces of all terms at the present velocities; both sides of (4).
fn evaluate(
    model: &Model,
    state: &State,
    data: &mut Data,
    act: &Actuation,
    convex: &mut Convex,
    island: Island,
) -> (f64, f64) {
    let mut scale = 0.0;
    for k in island.trees.0..island.trees.1 {
        let tree = convex.islands.trees[k as usize] as usize;
        smooth::gradient(model, convex, tree);
    }
    for k in island.rows.0..island.rows.1 {
        let row = &mut convex.rows[convex.islands.rows[k as usize] as usize];
        let answer = row.law.answer(row.velocity);
        (row.impulse, row.gain, row.slides) = (answer.impulse, answer.gain, answer.slides);
        if row.impulse != glam::DVec3::ZERO {
            scale += row.mobility * row.impulse.length_squared();
            convex.force[row.a as usize] -= row.wrench_a(row.impulse);
            if row.b != crate::model::NONE {
                convex.force[row.b as usize] -= row.wrench_b(row.impulse);
            }
        }
    }
    for k in island.joints.0..island.joints.1 {
        let row = &mut convex.joints[convex.islands.joints[k as usize] as usize];
        (row.impulse, row.gain) = row.law.answer(row.velocity);
        if row.impulse != 0.0 {
            scale += row.mobility * row.impulse * row.impulse;
            row.push(model, -row.impulse, &mut convex.joint_force);
        }
    }
    let mut residual = 0.0;
    for k in island.trees.0..island.trees.1 {
        let tree = convex.islands.trees[k as usize] as usize;
        residual += smooth::residual(model, state, data, act, convex, tree);
    }
    (residual, scale)
}

/// `Σ f_i²/m_i` of (4): impulses on bodies against their masses and inertias, on joints against what they carry, all at the
/// velocities the step begins with; and what rounding leaves of the momenta themselves.
pub(super) fn smooth_scale(
    model: &Model,
    state: &State,
    data: &Data,
    convex: &Convex,
    island: Island,
) -> f64 {
    let (mut scale, mut carried) = (0.0, 0.0);
    for &tree in Island::of(island.trees, &convex.islands.trees) {
        for i in model.trees[tree as usize].clone() {
            let own = &convex.own[i];
            let momentum = *own * data.velocity.body[i];
            let f = momentum + convex.constant[i];
            let (mass, inertia) = (own.linear.trace(), own.angular.trace());
            if mass > 0.0 {
                scale += 3.0 * f.linear.length_squared() / mass;
                carried += 3.0 * momentum.linear.length_squared() / mass;
            }
            if inertia > 0.0 {
                scale += 3.0 * f.angular.length_squared() / inertia;
                carried += 3.0 * momentum.angular.length_squared() / inertia;
            }
        }
        for k in model.freedoms_of(tree as usize) {
            let force = convex.joint_gain[k] * state.v[k] - convex.joint_constant[k];
            scale += force.powi(2) / (convex.scale[k] + convex.joint_gain[k]);
        }
    }
    scale + ROUNDING * ROUNDING * carried
}

/// (3): goes along the direction to where the cost is least; whether there was any way to go.
fn search(model: &Model, convex: &mut Convex, island: Island) -> bool {
    // The smooth part of the slope, b + a t.
    let (mut a, mut b) = (0.0, 0.0);
    for k in island.trees.0..island.trees.1 {
        let tree = convex.islands.trees[k as usize] as usize;
        for i in model.trees[tree].clone() {
            let d = convex.direction[i];
            let along = convex.own[i] * d;
            a += d.dot(along);
            b += convex.velocity[i].dot(along) + d.dot(convex.constant[i]);
        }
        for k in model.freedoms_of(tree) {
            let d = convex.dv[k];
            a += convex.joint_gain[k] * d * d;
            b += d * (convex.joint_gain[k] * convex.v[k] - convex.joint_constant[k]);
        }
    }
    for k in Island::of(island.rows, &convex.islands.rows) {
        let row = &mut convex.rows[*k as usize];
        row.change = row.relative(&convex.direction);
    }
    for k in Island::of(island.joints, &convex.islands.joints) {
        let row = &mut convex.joints[*k as usize];
        row.change = row.rate(model, &convex.dv);
    }
    let convex_rows = Island::of(island.rows, &convex.islands.rows);
    let joint_rows = Island::of(island.joints, &convex.islands.joints);
    let slope_at = |t: f64| {
        let (mut slope, mut curvature) = (b + a * t, a);
        for &k in convex_rows {
            let row = &convex.rows[k as usize];
            let (s, c) = row.law.along_line(row.velocity + row.change * t, row.change);
            slope -= s;
            curvature += c;
        }
        for &k in joint_rows {
            let row = &convex.joints[k as usize];
            let (impulse, gain) = row.law.answer(row.velocity + row.change * t);
            slope -= impulse * row.change;
            curvature += gain * row.change * row.change;
        }
        (slope, curvature)
    };
    let (start, _) = slope_at(0.0);
    if start.is_nan() || start >= 0.0 {
        return false;
    }
    let (mut low, mut high, mut t) = (0.0, f64::INFINITY, 1.0);
    for _ in 0..LOOKS {
        let (slope, curvature) = slope_at(t);
        if slope.abs() <= -SLOPE * start {
            break;
        }
        if slope < 0.0 {
            low = t;
        } else {
            high = t;
        }
        let next = t - slope / curvature;
        t = if next > low && next < high {
            next
        } else if high.is_finite() {
            0.5 * (low + high)
        } else {
            2.0 * t
        };
    }
    go(model, convex, island, t);
    true
}

/// `v += t d`, for joints, bodies and terms.
fn go(model: &Model, convex: &mut Convex, island: Island, t: f64) {
    for k in island.trees.0..island.trees.1 {
        let tree = convex.islands.trees[k as usize] as usize;
        for i in model.trees[tree].clone() {
            convex.velocity[i] += convex.direction[i] * t;
        }
        for k in model.freedoms_of(tree) {
            convex.v[k] += convex.dv[k] * t;
        }
    }
    for k in Island::of(island.rows, &convex.islands.rows) {
        let row = &mut convex.rows[*k as usize];
        row.velocity += row.change * t;
    }
    for k in Island::of(island.joints, &convex.islands.joints) {
        let row = &mut convex.joints[*k as usize];
        row.velocity += row.change * t;
    }
}
