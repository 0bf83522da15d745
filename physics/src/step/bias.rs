//! Velocity-dependent inertial forces of a step, taken at the velocity in the middle of it.
//!
//! ```text
//! (1)  H(q) (v⁺ - v) = h (τ - C(q, v̄)),   v̄ = (v + v⁺)/2
//! ```
//!
//! `C` at the start of the step pushes where the bodies no longer head: it feeds `½ (ωh)²` of the energy of a
//! turning body into it in every step, which links with hardly any inertia about their own axis turn into an
//! explosion. With (1) the change of kinetic energy at the old pose is `h v̄·(τ - C(q, v̄))`, and
//! `v̄·C(q, v̄) = ½ v̄ᵀḢ(v̄)v̄` is just what the new pose gives back: the kick `v → v⁺` and the drift `q → q ⊕ h v⁺`
//! are both symmetric in time, so the step is leapfrog seen half a drift later, and its energy error stays
//! bounded instead of adding up.
//!
//! (1) is solved by fixed point: the tree is solved with the forces at hand, then
//!
//! ```text
//! (2)  v⁺ += h Ĥ⁻¹ (C(q, v̄ used) - C(q, v̄ found))
//! ```
//!
//! through the articulated factors of the solve (an impulse response, about a third of it). With `w = iωh/2` for a
//! body that turns at `ω`, `n` rounds multiply its velocity by `(1 + w - 2wⁿ⁺²)/(1 - w)` where (1) would by
//! `(1 + w)/(1 - w)`, of size one: 2, 3 or 6 rounds lose a little. Rounds end early once they change nothing that would
//! show ([`SETTLED`]). They are made once, with the contacts that the last step left closed; all solves of the step then
//! use the forces so found. Only **fast** trees take part, those with a body that turns by more than
//! [`FAST_TURN`] in the step.
//!
//! A blow that throws a tree about is not in the middle velocity, nor would a fixed point with it converge where a light link swings a heavy
//! one: such steps made energy without bound. So trees that turn by more than [`LEFT_TO_FLOW`] leave all of `C` out and, after
//! the kick, move along their free motion, which keeps the energy (`convex/flow.rs`); and so do those that a blow made as fast, and those whose
//! rounds lead away from (1).

use glam::DVec3;

use super::StepOptions;
use crate::convex::flow;
use crate::data::Data;
use crate::dynamics::impulse::range_response;
use crate::dynamics::kinematics::moved;
use crate::model::{JointKind, Model, NONE};
use crate::spatial::{Force, Motion, Sym3, cross_matrix};
use crate::state::State;

/// Trees whose bodies all turn less than this in a step, rad, take their bias forces as they are at its start.
const FAST_TURN: f64 = 2e-3;
/// Trees with a body that turns further than this in a step, rad, have no bias forces and move by the free flow.
const LEFT_TO_FLOW: f64 = flow::FAST;
/// Most rounds of (2) per solve; the solve with the forces so found is one more.
const ROUNDS: usize = 5;
/// Rounds end once no body's turn in the step changes by more than this, rad.
const SETTLED: f64 = 1e-5;
/// Rounds that have not ended by then and still change a turn by more than this, rad, lead nowhere: the tree is left to the flow.
const UNSETTLED: f64 = 1e-3;
/// Change of a body's turn by pins, rad, that its bias forces outlive.
const STALE_TURN: f64 = 1e-3;
/// A body that turns further than this in a step, rad, has its bias forces cut back to those of this turn: taken
/// once per step they would push in a direction that has long passed.
const RESOLVED_TURN: f64 = 0.5;

/// The bias forces of a step.
#[derive(Clone, Debug)]
pub(crate) struct Bias {
    /// Velocity of every body that its bias forces are taken at.
    at: Vec<Motion>,
    /// Share of each body's bias forces that counts.
    share: Vec<f64>,
    /// Which trees are fast, and which are too fast to have bias forces.
    fast: Vec<bool>,
    flows: Vec<bool>,
    /// Change of joint velocities in a round.
    change: Vec<f64>,
}

impl Bias {
    pub(crate) fn new(model: &Model) -> Self {
        let n = model.n_bodies();
        Self {
            at: vec![Motion::ZERO; n],
            share: vec![1.0; n],
            fast: vec![false; model.trees.len()],
            flows: vec![false; model.trees.len()],
            change: vec![0.0; model.n_v()],
        }
    }
}

impl Bias {
    /// Whether a tree takes its bias forces at the middle velocity.
    pub(crate) fn is_fast(&self, tree: usize) -> bool {
        self.fast[tree]
    }

    /// Whether a tree has no bias forces and moves by the free flow.
    pub(crate) fn flows(&self, tree: usize) -> bool {
        self.flows[tree]
    }
}

/// Starts from the velocities at the beginning of the step.
pub(crate) fn prepare(model: &Model, data: &mut Data, dt: f64) {
    for tree in 0..model.trees.len() {
        prepare_tree(model, data, dt, tree);
    }
}

/// The same for one tree, whose velocities may have been found anew.
pub(crate) fn prepare_tree(model: &Model, data: &mut Data, dt: f64, tree: usize) {
    let Data { velocity, step, .. } = data;
    let bias = &mut step.bias;
    let bodies = model.trees[tree].clone();
    bias.at[bodies.clone()].copy_from_slice(&velocity.body[bodies.clone()]);
    let turns = velocity.body[bodies.clone()].iter().map(|v| v.angular.length_squared() * dt * dt);
    let turn = turns.fold(0.0, f64::max);
    let one = bodies.len() == 1;
    bias.flows[tree] = !one && turn > LEFT_TO_FLOW * LEFT_TO_FLOW;
    bias.fast[tree] = !one && !bias.flows[tree] && turn > FAST_TURN * FAST_TURN;
    for i in bodies {
        let turn = velocity.body[i].angular.length_squared() * dt * dt;
        bias.share[i] = if bias.flows[tree] { 0.0 } else { share_of(turn) };
        velocity.bias[i] = counted(model, bias, i, velocity.bias[i], model.links[i].kind);
    }
}

/// Share of the bias forces of a body that counts, from the square of its turn.
#[inline]
fn share_of(turn_squared: f64) -> f64 {
    (RESOLVED_TURN * RESOLVED_TURN / turn_squared.max(f64::MIN_POSITIVE)).min(1.0)
}

/// Bias acceleration of a body, as much of it as counts.
///
/// Linear velocities of free roots go through the step in world axes, not in the turning body's: the explicit
/// `ω × v` of the latter would lengthen the velocity of everything that spins, by `√(1 + (ωh)²)` a step. The end
/// of the step turns them back.
#[inline]
fn counted(model: &Model, bias: &Bias, i: usize, mut c: Motion, kind: JointKind) -> Motion {
    let parent = model.links[i].parent;
    if parent == NONE {
        if kind == JointKind::Free {
            c.linear = DVec3::ZERO;
        }
        c * bias.share[i]
    } else {
        c * bias.share[i].min(bias.share[parent as usize])
    }
}

/// Whether the inertial forces of body `i` differ from those at its velocity at the start of the step.
#[inline]
pub(crate) fn is_own(model: &Model, data: &Data, i: usize) -> bool {
    let tree = model.tree_of[i] as usize;
    data.step.bias.fast[tree] || data.step.bias.share[i] < 1.0 || model.trees[tree].len() == 1
}

/// The velocity-dependent inertial force of body `i` at its origin, as much of it as counts.
pub(crate) fn inertial_force(model: &Model, data: &Data, i: usize, dt: f64) -> Force {
    let inertia = &model.links[i].inertia;
    let r = &data.position.world_from_body[i].rotation;
    let w = data.step.bias.at[i].angular;
    let c = *r * inertia.center_of_mass;
    let share = data.step.bias.share[i];
    let centripetal = w.cross(w.cross(c)) * (inertia.mass * share);
    let w_body = r.transpose() * w;
    let lone = model.trees[model.tree_of[i] as usize].len() == 1;
    let spin = if lone {
        midpoint_moment(inertia.rotational, w_body, dt)
    } else {
        w_body.cross(inertia.rotational * w_body) * share
    };
    Force::new(*r * spin + c.cross(centripetal), centripetal)
}

/// What it takes to accelerate body `i` by `a`, at its origin.
pub(crate) fn inertia_times(model: &Model, data: &Data, i: usize, a: Motion) -> Force {
    let inertia = &model.links[i].inertia;
    let r = &data.position.world_from_body[i].rotation;
    let c = *r * inertia.center_of_mass;
    let linear = (a.linear + a.angular.cross(c)) * inertia.mass;
    let moment = *r * (inertia.rotational * (r.transpose() * a.angular));
    Force::new(moment + c.cross(linear), linear)
}

/// Brings the bias forces of a fast tree to the middle velocity, and its velocities without rows along.
pub(crate) fn take_at_middle(model: &Model, state: &State, data: &mut Data, opt: &StepOptions, tree: usize) {
    if !data.step.bias.fast[tree] {
        return;
    }
    let mut last = f64::INFINITY;
    for round in 1..=ROUNDS {
        let turned = renew_and_respond(model, state, data, opt.dt, tree);
        if turned < SETTLED {
            break;
        }
        // A light link that swings a heavy one: rounds lead away from (1), or not to it in time.
        if turned >= last || turned.is_nan() || (round == ROUNDS && turned > UNSETTLED) {
            data.step.bias.fast[tree] = false;
            data.step.bias.flows[tree] = true;
            renew_and_respond(model, state, data, opt.dt, tree);
            break;
        }
        last = turned;
    }
}

/// A round of (2); the largest change of a body's turn, rad. Of a tree that is left to the flow it takes the bias forces back.
fn renew_and_respond(model: &Model, state: &State, data: &mut Data, dt: f64, tree: usize) -> f64 {
    let turned = renew(model, state, data, dt, tree);
    let mut change = core::mem::take(&mut data.step.bias.change);
    range_response(model, data, model.trees[tree].clone(), &mut change);
    for k in model.freedoms_of(tree) {
        data.step.free_v[k] += change[k];
    }
    data.step.bias.change = change;
    turned
}

/// Velocity of body `i` in the middle of the step by the joint velocities found so far, and its bias acceleration.
#[inline]
fn middle(model: &Model, state: &State, data: &Data, i: usize, parent: Motion) -> (Motion, Motion) {
    let link = &model.links[i];
    let mut mid = [0.0; 6];
    for (x, k) in mid.iter_mut().zip(model.bodies[i].v_range()) {
        *x = 0.5 * (state.v[k] + data.step.free_v[k] + data.step.rows.change[k]);
    }
    moved(link.kind, parent, data.position.offset[i], &data.position.axes[i], &mid)
}

/// Takes the bias forces of a tree at the middle velocity and leaves minus their change over the step in the work
/// space of the impulse response; the largest change of a body's turn, rad.
fn renew(model: &Model, state: &State, data: &mut Data, dt: f64, tree: usize) -> f64 {
    let mut turned = 0.0_f64;
    for i in model.trees[tree].clone() {
        let link = &model.links[i];
        let above = link.parent as usize;
        let parent = if link.parent == NONE { Motion::ZERO } else { data.step.bias.at[above] };
        let (velocity, c) = middle(model, state, data, i, parent);
        let before = inertial_force(model, data, i, dt);
        turned = turned.max((velocity.angular - data.step.bias.at[i].angular).length_squared());
        data.step.bias.at[i] = velocity;
        let turn = velocity.angular.length_squared() * dt * dt;
        data.step.bias.share[i] = if data.step.bias.flows[tree] { 0.0 } else { share_of(turn) };
        let c = counted(model, &data.step.bias, i, c, link.kind);
        let carried = if link.parent == NONE { Motion::ZERO } else { data.dynamics.response[above] };
        let carried = carried.at(data.position.offset[i]) + (c - data.velocity.bias[i]);
        data.velocity.bias[i] = c;
        data.dynamics.response[i] = carried;
        let more = inertial_force(model, data, i, dt) - before + inertia_times(model, data, i, carried);
        data.dynamics.impulse[i] = more * -dt;
    }
    turned.sqrt() * dt
}

/// Whether rows moved a fast tree so far from where its bias forces were taken that it must be solved again, by the
/// velocities of its bodies at the end of the step. Asked where there are pins, which force a tree lastingly; the
/// blows of contacts and limits take more energy than this could give.
pub(crate) fn is_stale(model: &Model, data: &Data, dt: f64, tree: usize) -> bool {
    data.step.bias.fast[tree]
        && model.trees[tree].clone().any(|i| {
            let middle = (data.velocity.body[i].angular + data.step.next_body[i].angular) * 0.5;
            let off = middle - data.step.bias.at[i].angular;
            off.length_squared() * dt * dt > STALE_TURN * STALE_TURN
        })
}

/// `J̇ v` of body `i`: its acceleration when no joint accelerates. Bodies come base to tip.
pub(crate) fn carried_acceleration(model: &Model, data: &mut Data, i: usize) -> Motion {
    let link = &model.links[i];
    let parent =
        if link.parent == NONE { Motion::ZERO } else { data.dynamics.response[link.parent as usize] };
    let own = parent.at(data.position.offset[i]) + data.velocity.bias[i];
    data.dynamics.response[i] = own;
    own
}

/// A lone body's gyroscopic moment by the implicit midpoint rule in body axes, which neither adds nor takes
/// energy; the explicit one makes fast tumbling gain. Newton on
/// `I (ω⁺ - ω) + h ω_m × I ω_m = 0`, `ω_m = (ω + ω⁺)/2`:
/// `(ω - ω⁺)·I/h` of the midpoint rule, or plainly `ω × I ω` where the body hardly turns within the step.
fn midpoint_moment(inertia: Sym3, w: DVec3, dt: f64) -> DVec3 {
    let explicit = w.cross(inertia * w);
    if w.length_squared() * dt * dt < 1e-6 {
        return explicit;
    }
    let matrix = inertia.to_mat3();
    let mut next = w;
    for _ in 0..4 {
        let m = (w + next) * 0.5;
        let l = inertia * m;
        let residual = inertia * (next - w) + m.cross(l) * dt;
        let derivative = matrix + (cross_matrix(m) * matrix - cross_matrix(l)) * (0.5 * dt);
        next -= derivative.inverse() * residual;
    }
    if next.is_finite() { inertia * (w - next) * (1.0 / dt) } else { explicit }
}
