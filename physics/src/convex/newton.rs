//! Newton's method on one island's problem, with an exact line search and one stopping rule.
//!
//! ```text
//! (1)  ℓ(v) = ½ vᵀM̂v - pᵀv + Σ ψ(J v)                 ∇ℓ = M̂v - p - Σ Jᵀγ,   ∇²ℓ = M̂ + Σ JᵀG J
//! (2)  d = -(∇²ℓ)⁻¹ ∇ℓ                                 trees and pairs eliminated exactly (`factors.rs`)
//! (3)  v += t d, where |ℓ'(t)| ≤ 0.1 |ℓ'(0)|           Newton in t, kept within a bracket
//! (4)  stop when Σ ∇ℓ_k²/m_k ≤ ε² (Σ f_i²/m_i + Σ γᵀW γ)   a momentum small against those exchanged in the step
//! (5)            Σ ∇ℓ_k²/m_k ≤ ε_q² E²/Σ γᵀW γ                and an energy small against what contacts may give (`calm.rs`)
//! ```
//!
//! `f` are the impulses of all smooth forces at the velocities the step begins with. (Momenta themselves would be no measure: at
//! a hundred metres per second gravity would count for nothing.) Loads may be a million times what moves anything, where stiff servos press a hand on the ground: a
//! velocity that is off by `δ` there is an energy `γ·δ ≤ (Σ γᵀWγ Σ ∇ℓ²/m)^½` in the books that the load seems to give. (With (4) alone its contact was calmed and let go, and the arm leapt.) `ℓ` is strictly convex and piecewise smooth, so that this converges from anywhere; started at the velocities of the
//! last step it mostly takes one to three steps. (Castro et al. 2022; Todorov 2014.)
//!
//! Contacts are so stiff that velocities of the last step, a degree further on, say little about which of them press and stick; the last step
//! itself does. So the first step of a solve is a *leap*: to where everything would be if contacts that pressed went on pressing, and
//! those that stuck sticking, as the springs they are. Where that comes true it was the only step; where it does not, the search along the way
//! there keeps what is of use, so that a leap never leaves more cost than there was. (Without, motors at their bounds sent some so far that a
//! hundred steps did not lead back.)

use super::giving::{Giving, Run};
use super::islands::{Island, Islands};
use super::{Convex, alone, calm, combined, factors, smooth};
use crate::actuation::Actuation;
use crate::data::Data;
use crate::model::Model;
use crate::state::State;

/// A problem that is not solved after so many steps is reported as such; none has been met that needs half as many.
const MOST: usize = 100;
/// Share of the momenta that sums over an island's bodies may lose to rounding; divided by the tolerance it counts as
/// exchanged.
const ROUNDING: f64 = 1e-8;
/// (5): share `ε_q` of `E`, what contacts may give.
const QUIET: f64 = 0.25;
/// (5) asks for no smaller part of (4) than this, squared: what rounding leaves of large loads.
const FINEST: f64 = 1e-4;
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

/// How a solve begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Begin {
    /// From the velocities of the last step, with a leap.
    Leap,
    /// From those at hand, with a Newton step at least: where nothing changes sides one is exact.
    Step,
    /// From those at hand, which may do.
    Look,
}

/// What is known of the scales in (4) and (5) before an island is solved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scales {
    /// `Σ f_i²/m_i`.
    smooth: f64,
    /// `ε_q E / ε`, with the `ε` of the last rounds.
    quiet: f64,
}

impl Scales {
    /// What the residual is measured by, with `Σ γᵀWγ` given.
    fn of(&self, pressed: f64) -> f64 {
        let scale = self.smooth + pressed;
        if self.quiet * self.quiet >= scale * pressed {
            return scale;
        }
        (self.quiet * self.quiet / pressed).max(FINEST * FINEST * scale)
    }
}

/// Solves the island's problem.
pub(super) fn solve(
    model: &Model,
    state: &State,
    data: &mut Data,
    act: &Actuation,
    convex: &mut Convex,
    island: Island,
    scales: &Scales,
    tolerance: f64,
    begin: Begin,
) -> Outcome {
    let mut outcome = Outcome::default();
    let alone = alone::body(model, convex, island);
    let mut leap = begin == Begin::Leap;
    answer(model, convex, island, leap);
    loop {
        let (residual, pressed) = evaluate(model, state, data, act, convex, island);
        let scale = scales.of(pressed);
        outcome.residual = if scale > 0.0 { (residual / scale).sqrt() } else { 0.0 };
        let may_end = begin == Begin::Look || outcome.iterations > 0;
        if residual <= tolerance * tolerance * scale && may_end {
            outcome.converged = true;
            return outcome;
        }
        if outcome.iterations == MOST || !residual.is_finite() {
            return outcome;
        }
        match alone {
            Some(body) => alone::direction(model, data, convex, island, body),
            None => {
                factors::renew(model, data, act, convex, island, outcome.iterations);
                factors::direction(model, data, convex, island);
            }
        }
        outcome.iterations += 1;
        if !search(model, convex, island, core::mem::take(&mut leap)) {
            // No way down that rounding lets us see: this is the bottom.
            outcome.converged = true;
            return outcome;
        }
    }
}

/// Impulses and gains of all terms at the present velocities; before a `leap`, those of contacts as expected.
fn answer(model: &Model, convex: &mut Convex, island: Island, leap: bool) {
    for &tree in Island::of(island.trees, &convex.islands.trees) {
        let bodies = model.trees[tree as usize].clone();
        let (own, constant) = (&convex.own[bodies.clone()], &convex.constant[bodies.clone()]);
        let velocity = &convex.velocity[bodies.clone()];
        for (i, smooth) in convex.smooth[bodies].iter_mut().enumerate() {
            *smooth = own[i] * velocity[i] + constant[i];
        }
    }
    for &k in Island::of(island.rows, &convex.islands.rows) {
        let row = &mut convex.rows[k as usize];
        if leap { row.expect() } else { row.answer() }
    }
    for &k in Island::of(island.joints, &convex.islands.joints) {
        convex.joints[k as usize].answer();
    }
    combined::answer(convex, island);
}

/// Forces of all terms, whose impulses are known, on bodies and joints; both sides of (4).
fn evaluate(
    model: &Model,
    state: &State,
    data: &mut Data,
    act: &Actuation,
    convex: &mut Convex,
    island: Island,
) -> (f64, f64) {
    let mut scale = 0.0;
    for &tree in Island::of(island.trees, &convex.islands.trees) {
        let bodies = model.trees[tree as usize].clone();
        convex.force[bodies.clone()].copy_from_slice(&convex.smooth[bodies]);
        for freedoms in convex.giving.of(tree as usize).iter().map(|run| run.freedoms()) {
            let (gain, constant) =
                (&convex.joint_gain[freedoms.clone()], &convex.joint_constant[freedoms.clone()]);
            let v = &convex.v[freedoms.clone()];
            for (k, force) in convex.joint_force[freedoms].iter_mut().enumerate() {
                *force = gain[k] * v[k] - constant[k];
            }
        }
    }
    for &k in Island::of(island.rows, &convex.islands.rows) {
        let row = &convex.rows[k as usize];
        if row.impulse != glam::DVec3::ZERO {
            scale += row.mobility * row.impulse.length_squared();
            convex.force[row.a as usize] -= row.wrench_a(row.impulse);
            if row.b != crate::model::NONE {
                convex.force[row.b as usize] -= row.wrench_b(row.impulse);
            }
        }
    }
    for &k in Island::of(island.joints, &convex.islands.joints) {
        let row = &convex.joints[k as usize];
        if row.impulse != 0.0 {
            scale += row.mobility * row.impulse * row.impulse;
            row.push(model, -row.impulse, &mut convex.joint_force);
        }
    }
    scale += combined::take_off(convex, island);
    let mut residual = 0.0;
    for k in island.trees.0..island.trees.1 {
        let tree = convex.islands.trees[k as usize] as usize;
        residual += smooth::residual(model, state, data, act, convex, tree);
    }
    (residual, scale)
}

/// Both scales: `E` of (5), and `Σ f_i²/m_i` of (4): impulses on bodies against their masses and inertias, on joints against what they carry, all at the
/// velocities the step begins with; and what rounding leaves of the momenta themselves.
pub(super) fn scales(
    model: &Model,
    state: &State,
    data: &Data,
    convex: &Convex,
    island: Island,
    tolerance: f64,
) -> Scales {
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
            scale += force.powi(2) * convex.weight[k];
        }
    }
    let (energy, fall) = calm::energies(model, data, convex, island);
    let gives = fall + calm::SHARE * convex.dt * energy;
    // Where nothing falls and nothing moves there is no such measure.
    let quiet = if gives > 0.0 { QUIET * gives / tolerance } else { f64::INFINITY };
    Scales { smooth: scale + ROUNDING * ROUNDING * carried, quiet }
}

/// (3): goes along the direction to where the cost is least; whether there was any way to go, which a `leap` need not have. Leaves impulses and
/// gains of the terms there.
fn search(model: &Model, convex: &mut Convex, island: Island, leap: bool) -> bool {
    // The slope is `start + a t + Σ (γ(0) - γ(t))·δ`, with `δ` the changes of the terms' velocities.
    let (mut start, mut a, mut pressed) = (0.0, 0.0, 0.0);
    for run in runs_of(&convex.islands, &convex.giving, island) {
        let (bodies, freedoms) = (run.bodies(), run.freedoms());
        let (own, direction) = (&convex.own[bodies.clone()], &convex.direction[bodies.clone()]);
        for (i, along) in convex.along[bodies].iter_mut().enumerate() {
            *along = own[i] * direction[i];
            a += direction[i].dot(*along);
        }
        let (gain, residual) = (&convex.joint_gain[freedoms.clone()], &convex.residual[freedoms.clone()]);
        for (k, d) in convex.dv[freedoms].iter().enumerate() {
            a += gain[k] * d * d;
            start += d * residual[k];
        }
    }
    if !leap && (start.is_nan() || start >= 0.0) {
        return false;
    }
    // The whole way first: mostly it is right, and the answers there are what the next step needs.
    let (combined_pressed, mut slope, combined_curvature) = combined::go(convex, island);
    pressed += combined_pressed;
    let mut curvature = a + combined_curvature;
    let rows = Island::of(island.rows, &convex.islands.rows);
    let joints = Island::of(island.joints, &convex.islands.joints);
    for &k in rows {
        let row = &mut convex.rows[k as usize];
        row.change = row.relative(&convex.direction);
        pressed += row.impulse.dot(row.change);
        row.velocity += row.change;
        row.answer();
        if row.acts_now() {
            slope -= row.impulse.dot(row.change);
            curvature += row.gain.quadratic(row.change, row.change);
        }
    }
    for &k in joints {
        let row = &mut convex.joints[k as usize];
        row.change = row.rate(model, &convex.dv);
        pressed += row.impulse * row.change;
        row.velocity += row.change;
        row.answer();
        slope -= row.impulse * row.change;
        curvature += row.gain * row.change * row.change;
    }
    let b = start + pressed;
    slope += b + a;
    // What was expected is not what is: a leap goes by the slope that there is at its beginning.
    let start = if leap { b - pressed_along(convex, island, 0.0) } else { start };
    let mut t = 1.0;
    if slope.abs() > -SLOPE * start {
        t = if start < 0.0 { look_for(convex, island, b, a, start, slope, curvature) } else { 0.0 };
        for &k in rows {
            let row = &mut convex.rows[k as usize];
            row.velocity += row.change * (t - 1.0);
            row.answer();
        }
        for &k in joints {
            let row = &mut convex.joints[k as usize];
            row.velocity += row.change * (t - 1.0);
            row.answer();
        }
        combined::settle(convex, island, t);
    }
    for run in runs_of(&convex.islands, &convex.giving, island) {
        let (bodies, freedoms) = (run.bodies(), run.freedoms());
        for (v, d) in convex.velocity[bodies.clone()].iter_mut().zip(&convex.direction[bodies.clone()]) {
            *v += *d * t;
        }
        for (f, along) in convex.smooth[bodies.clone()].iter_mut().zip(&convex.along[bodies]) {
            *f += *along * t;
        }
        for (v, d) in convex.v[freedoms.clone()].iter_mut().zip(&convex.dv[freedoms]) {
            *v += d * t;
        }
    }
    true
}

/// The bodies of an island that can give way.
fn runs_of<'a>(islands: &'a Islands, giving: &'a Giving, island: Island) -> impl Iterator<Item = Run> + 'a {
    Island::of(island.trees, &islands.trees).iter().flat_map(|&tree| giving.of(tree as usize)).copied()
}

/// `Σ γ·δ` at a place on the line; the terms stand at its end, `t = 1`.
fn pressed_along(convex: &Convex, island: Island, t: f64) -> f64 {
    let rows = Island::of(island.rows, &convex.islands.rows).iter().map(|&k| &convex.rows[k as usize]);
    let joints =
        Island::of(island.joints, &convex.islands.joints).iter().map(|&k| &convex.joints[k as usize]);
    let of_rows = rows.map(|row| row.law.along_line(row.velocity + row.change * (t - 1.0), row.change).0);
    let of_joints = joints.map(|row| row.law.answer(row.velocity + row.change * (t - 1.0)).0 * row.change);
    of_rows.sum::<f64>() + of_joints.sum::<f64>() + combined::along_line(convex, island, t).0
}

/// Newton in `t`, kept within a bracket, from `t = 1` with its slope and curvature; the terms stand there. The smooth part of
/// the slope is `b + a t`.
fn look_for(
    convex: &Convex,
    island: Island,
    b: f64,
    a: f64,
    start: f64,
    mut slope: f64,
    mut curvature: f64,
) -> f64 {
    let rows = Island::of(island.rows, &convex.islands.rows);
    let joints = Island::of(island.joints, &convex.islands.joints);
    let (mut low, mut high, mut t) = (0.0, f64::INFINITY, 1.0);
    for _ in 0..LOOKS {
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
        let (pressed, gained) = combined::along_line(convex, island, t);
        (slope, curvature) = (b + a * t - pressed, a + gained);
        for &k in rows {
            let row = &convex.rows[k as usize];
            let (s, c) = row.law.along_line(row.velocity + row.change * (t - 1.0), row.change);
            slope -= s;
            curvature += c;
        }
        for &k in joints {
            let row = &convex.joints[k as usize];
            let (impulse, gain) = row.law.answer(row.velocity + row.change * (t - 1.0));
            slope -= impulse * row.change;
            curvature += gain * row.change * row.change;
        }
        if slope.abs() <= -SLOPE * start {
            break;
        }
    }
    t
}
