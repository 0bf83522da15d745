//! Joint limits as terms: those that are near, and those that the step would pass all the same.
//!
//! A limit is a distance `φ(q) ≥ 0` that is left. Its row asks for `∇φ·v⁺ ≥ -φ/h`: what is left may be used up. Most joints are far
//! from most of their limits, and rows for all of them would cost more than all else; but far is not safe, a torque can
//! throw a joint that is at rest through its limit within one step. So once the problem is solved all joints are looked at again
//! where they would end, and those that would end outside get a row as well, with which it is solved again. For a
//! limit that is curved that is a cut: `φ` taken as straight at a place `r` along the way that is just outside,
//!
//! ```text
//! φ(r) + ∇φ(r)·(h v⁺ - r) ≥ 0
//! ```
//!
//! which takes that place away and nothing of the inside, `φ` being concave (Kelley 1960).
//!
//! The free flow of a limb that whirls leads elsewhere than its rates of the kick, and eight cuts may leave a corner. So the end is looked at as well, as it is for
//! points that came through (`step/end_pose.rs`): a joint that ended at a place `e` beyond a limit gets the cut there, with what the flow went astray,
//!
//! ```text
//! φ(e) + ∇φ(e)·h (v⁺ - v) ≥ 0
//! ```
//!
//! `v` the rates that led there; and where that does not help, the step is taken in halves.

use glam::DVec3;

use super::Convex;
use super::contacts::TAU;
use super::rows::{JointRow, Source};
use crate::actuation::Actuation;
use crate::model::{Limits, Model};
use crate::state::State;
use crate::step::StepOptions;
use crate::step::limits::{at_least, each_limit, each_passed, is_far, is_near};

/// Softness relative to what a limit acts on: several terms may press against it. It is met to a millionth.
const LIMIT: f64 = 1e-6;
/// Fastest correction of a violated limit that nothing loads, rad/s or m/s.
const LIMIT_PUSH_OUT: f64 = 2.0;
/// How far beyond a limit a joint may end a step, rad or m: twice what a way along its rates may.
const OVERSHOT: f64 = 2e-3;

/// A limit that was found only after the problem had been solved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unseen {
    body: u32,
    left: f64,
    direction: DVec3,
}

impl Unseen {
    /// The tree it is in.
    pub(super) fn tree(&self, model: &Model) -> usize {
        model.tree_of[self.body as usize] as usize
    }
}

/// Rows of the limits that are near, and of those found since. Softness waits for the mobilities.
pub(super) fn push(model: &Model, state: &State, act: &Actuation, opt: &StepOptions, convex: &mut Convex) {
    for (i, body) in model.bodies.iter().enumerate() {
        convex.room[i] = f64::INFINITY;
        if !is_watched(model, act, convex, i) {
            continue;
        }
        let (q, v) = (&state.q[body.q_range()], &state.v[body.v_range()]);
        let least = at_least(body, q);
        if is_far(least, v, opt.dt) {
            convex.room[i] = least;
            continue;
        }
        let is_straight = matches!(body.joint.limits, Limits::Range { .. });
        each_limit(body, q, |left, direction| {
            if is_near(left, &direction, v, opt.dt) {
                let direction = DVec3::new(direction[0], direction[1], direction[2]);
                convex.joints.push(row(model, i, left, direction, opt.dt));
                if is_straight {
                    return;
                }
            }
            convex.room[i] = convex.room[i].min(left);
        });
    }
    for k in 0..convex.unseen.len() {
        let Unseen { body, left, direction } = convex.unseen[k];
        convex.joints.push(row(model, body as usize, left, direction, opt.dt));
    }
}

fn is_watched(model: &Model, act: &Actuation, convex: &Convex, i: usize) -> bool {
    let limited = model.bodies[i].joint.limits != Limits::Unlimited;
    limited && !act.prescribed[i] && !convex.is_asleep[model.tree_of[i] as usize]
}

fn row(model: &Model, i: usize, left: f64, direction: DVec3, h: f64) -> JointRow {
    let mut row = JointRow::new(Source::Limit, model, i, model.bodies[i].v_start, DVec3::ZERO);
    row.direction = direction;
    // Negative for a distance left, which may be used up; an overlap is undone like a contact's.
    row.law.target = if left > 0.0 { -left / h } else { -left / (h * (1.0 + TAU)) };
    row
}

/// Looks for limits that the velocities found would pass; whether there are any.
pub(super) fn find_unseen(model: &Model, state: &State, act: &Actuation, convex: &mut Convex) -> bool {
    let (h, known) = (convex.dt, convex.unseen.len());
    for (i, body) in model.bodies.iter().enumerate() {
        let is_open = convex.is_open(model.tree_of[i] as usize);
        if convex.room[i].is_infinite() || !is_open || !is_watched(model, act, convex, i) {
            continue;
        }
        let v = &convex.v[body.v_range()];
        let speed = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        if h * speed > convex.room[i] {
            each_passed(body, &state.q[body.q_range()], v, h, |left, direction| {
                convex.unseen.push(Unseen { body: i as u32, left, direction });
            });
        }
    }
    convex.unseen.len() > known
}

impl Convex {
    /// Looks for limits that joints of open trees ended beyond; whether there are any. What began outside is worked off by its row.
    pub(crate) fn find_overshot(
        &mut self,
        model: &Model,
        state: &State,
        next: &State,
        act: &Actuation,
    ) -> bool {
        self.overshot = self.unseen.len();
        for (i, body) in model.bodies.iter().enumerate() {
            if !self.is_open(model.tree_of[i] as usize) || !is_watched(model, act, self, i) {
                continue;
            }
            let (q, end) = (&state.q[body.q_range()], &next.q[body.q_range()]);
            if at_least(body, end) > 0.0 {
                continue;
            }
            let (h, v) = (self.dt, &self.v[body.v_range()]);
            let mut before = f64::NAN;
            each_limit(body, end, |left, direction| {
                if left >= -OVERSHOT || direction.iter().all(|&d| d == 0.0) {
                    return;
                }
                if before.is_nan() {
                    before = 0.0;
                    each_limit(body, q, |left, _| before = left.min(before));
                }
                if left < before - OVERSHOT {
                    let rate: f64 = direction.iter().zip(v).map(|(d, v)| d * v).sum();
                    let direction = DVec3::new(direction[0], direction[1], direction[2]);
                    self.unseen.push(Unseen { body: i as u32, left: left - h * rate, direction });
                }
            });
        }
        self.unseen.len() > self.overshot
    }
}

/// Writes what the law of a limit lacks once its mobility is known; `load` is the joint's limit impulse of the last step.
pub(super) fn write_law(row: &mut JointRow, load: f64) {
    row.law.softness = LIMIT * row.mobility;
    // As with contacts, the bound on the push-out must not bound the load.
    row.law.target = row.law.target.min(LIMIT_PUSH_OUT + row.law.shortfall(load));
}
