//! Joint limits as one-sided rows.
//!
//! A limit is a function `φ(q) ≥ 0`, the distance left. Its row asks for `∇φ · v⁺ ≥ -φ/h`: the joint may use
//! up what is left but no more, so a coordinate limit is met exactly and never overshot; where it is
//! violated already, a share of the overlap is worked off per step. Swing and twist of ball joints
//! (Baerlocher & Boulic 2001) get their gradient by differences of `φ` along the joint's own
//! freedoms.
//!
//! Solved velocities are looked at: a joint that would end outside all the same, because its limit was far or is curved, gets a
//! cut as in the convex problem (`convex/limits.rs`), with which the rows are solved again: `φ` taken as straight at a place `r` of
//! the way that is just outside, `φ(r) + ∇φ(r)·(h v⁺ - r) ≥ 0` (Kelley 1960).

use glam::{DQuat, DVec3};

use super::StepOptions;
use super::rows::{Cause, RowSpec, Rows};
use crate::actuation::Actuation;
use crate::data::Data;
use crate::dynamics::impulse::Hit;
use crate::dynamics::kinematics::joint_motion;
use crate::model::{Body, JointKind, Limits, Model};
use crate::spatial::{Force, rotation};
use crate::state::{State, quaternion};

/// Rows are made from this far before a limit on, rad or m.
const NEAR: f64 = 0.05;
/// How far beyond a limit a joint may end without being looked at again, rad or m: what the next step works off unseen.
const PASSED: f64 = 1e-3;
/// How far beyond the place where it leaves the inside a way is cut, rad: far enough for a gradient, near enough to be the same bend.
const OUTSIDE: f64 = 0.1;
/// Turn between two looks along a way, rad; as in the convex problem.
const LOOK: f64 = 0.5;

/// Adds a row for every limit that could matter in this step.
pub(crate) fn push_rows(model: &Model, state: &State, data: &Data, opt: &StepOptions, rows: &mut Rows) {
    for (i, body) in model.bodies.iter().enumerate() {
        if body.joint.limits == Limits::Unlimited || data.memory.sleep.asleep[model.tree_of[i] as usize] {
            continue;
        }
        let (q, v) = (&state.q[body.q_range()], &state.v[body.v_range()]);
        if is_far(at_least(body, q), v, opt.dt) {
            continue;
        }
        each_limit(body, q, |left, direction| {
            if !is_near(left, &direction, v, opt.dt) {
                return;
            }
            if let [Some(first), other] = hits(body, i, data, &direction) {
                rows.push(model, row(left, first, other, opt));
            }
        });
    }
}

/// What a limit of body `i` acts on whose distance grows along `direction`.
fn hits(body: &Body, i: usize, data: &Data, direction: &[f64; 6]) -> [Option<Hit>; 2] {
    let hit = |k: usize| Hit::Freedom(body.v_start + k, direction[k]);
    match body.joint.kind {
        JointKind::Universal { .. } if direction[0] != 0.0 && direction[1] != 0.0 => {
            [Some(hit(0)), Some(hit(1))]
        }
        // A wrench along the child's axes on the child, its opposite on the parent.
        kind @ (JointKind::Spherical | JointKind::Free) => {
            let along = joint_motion(kind, &data.position.axes[i], direction);
            let wrench = Force::new(along.angular, along.linear);
            let back = -wrench.seen_from(data.position.offset[i]);
            [Some(Hit::Body(i, wrench)), body.parent.map(|p| Hit::Body(p.index(), back))]
        }
        _ => [direction.iter().position(|&d| d != 0.0).map(hit), None],
    }
}

/// Adds a row for every limit beyond which the rates found would take a joint; whether there is any.
pub(super) fn cut(
    model: &Model,
    state: &State,
    data: &Data,
    act: &Actuation,
    opt: &StepOptions,
    rows: &mut Rows,
) -> bool {
    let known = rows.specs.len();
    for (i, body) in model.bodies.iter().enumerate() {
        let is_idle = act.prescribed[i] || data.memory.sleep.asleep[model.tree_of[i] as usize];
        if body.joint.limits == Limits::Unlimited || is_idle {
            continue;
        }
        let (q, v) = (&state.q[body.q_range()], &data.step.next_v[body.v_range()]);
        let way = opt.dt * v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let mut room = f64::INFINITY;
        if way > PASSED && way > at_least(body, q) {
            each_limit(body, q, |left, _| room = room.min(left));
        }
        if way <= room {
            continue;
        }
        each_passed(body, q, v, opt.dt, |left, direction| {
            let direction = [direction.x, direction.y, direction.z, 0.0, 0.0, 0.0];
            if let [Some(first), other] = hits(body, i, data, &direction) {
                rows.push(model, row(left, first, other, opt));
            }
        });
    }
    rows.specs.len() > known
}

/// Calls `found(left, direction)` for every limit beyond which the rates `v` take a joint.
pub(crate) fn each_passed(body: &Body, q: &[f64], v: &[f64], h: f64, mut found: impl FnMut(f64, DVec3)) {
    if let Limits::Range { .. } = body.joint.limits {
        each_limit(body, q, |left, direction| {
            let rate: f64 = direction.iter().zip(v).map(|(d, v)| d * v).sum();
            if left + h * rate < -PASSED {
                found(left, DVec3::new(direction[0], direction[1], direction[2]));
            }
        });
        return;
    }
    let at = |k: usize| v.get(k).copied().unwrap_or(0.0);
    let way = DVec3::new(at(0), at(1), at(2)) * h;
    // What was outside already is worked off by the row that is near.
    let least = inside(body, q, DVec3::ZERO).min(0.0) - PASSED;
    // A turn of more than a half comes round again: look where it goes, not only where it ends.
    let looks = (way.length().min(core::f64::consts::PI) / LOOK).ceil().max(1.0);
    let part = (core::f64::consts::PI / way.length()).min(1.0) / looks;
    let passed = |k: &f64| inside(body, q, way * (part * k)) < least;
    let Some(first) = (1..=looks as usize).map(|k| k as f64).find(passed) else { return };
    let (mut low, mut high) = (part * (first - 1.0), part * first);
    while high - low > 1e-3 * part {
        let middle = 0.5 * (low + high);
        if inside(body, q, way * middle) > least {
            low = middle;
        } else {
            high = middle;
        }
    }
    let r = way * (high + OUTSIDE / way.length()).min(1.0);
    nearest(body, q, r, |left, direction| found(left - direction.dot(r), direction));
}

/// Whether nothing at such a distance [`is_near`], whatever its direction.
pub(crate) fn is_far(left: f64, v: &[f64], dt: f64) -> bool {
    left > NEAR + 2.0 * dt * v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Whether a limit is so near that it might be reached within two steps.
pub(crate) fn is_near(left: f64, direction: &[f64; 6], v: &[f64], dt: f64) -> bool {
    let rate: f64 = direction.iter().zip(v).map(|(d, v)| d * v).sum();
    left < NEAR + 2.0 * dt * rate.abs() && direction.iter().any(|&d| d != 0.0)
}

/// Calls `found(left, direction)` for every limit of a joint: the distance left, and the unit direction in the joint's
/// freedoms along which it grows. So far inside that it grows in all directions, that is zero.
pub(crate) fn each_limit(body: &Body, q: &[f64], mut found: impl FnMut(f64, [f64; 6])) {
    let turn = |d: DVec3| [d.x, d.y, d.z, 0.0, 0.0, 0.0];
    match &body.joint.limits {
        Limits::Unlimited => {}
        Limits::Range { lower, upper } => {
            for k in 0..body.joint.kind.n_v().min(3) {
                // Translations of a free joint are along the joint frame's axes; its freedoms are along the
                // child's.
                let unit = if body.joint.kind == JointKind::Free {
                    quaternion(q, 3).conjugate() * DVec3::AXES[k]
                } else {
                    DVec3::AXES[k]
                };
                found(q[k] - lower[k], turn(unit));
                found(upper[k] - q[k], turn(-unit));
            }
        }
        Limits::Ellipse { center, radius } => {
            let u = [q[0] - center[0], q[1] - center[1]];
            let phi = ((u[0] / radius[0]).powi(2) + (u[1] / radius[1]).powi(2)).sqrt();
            if phi > 0.2 {
                // Distance to the ellipse, to first order: (1 - φ)/|∇φ|.
                let gradient = [u[0] / (radius[0] * radius[0] * phi), u[1] / (radius[1] * radius[1] * phi)];
                let size = gradient[0].hypot(gradient[1]);
                found((1.0 - phi) / size, turn(DVec3::new(-gradient[0] / size, -gradient[1] / size, 0.0)));
            } else {
                found((1.0 - phi) * radius[0].min(radius[1]), [0.0; 6]);
            }
        }
        Limits::SwingTwist { parent_frame, child_frame, swing, twist } => {
            let q = quaternion(q, 0);
            let split = |q: DQuat| swing_twist(parent_frame.conjugate() * q * *child_frame);
            let at = split(q);
            let phi =
                |s: &SwingTwist| ((s.swing[0] / swing[0]).powi(2) + (s.swing[1] / swing[1]).powi(2)).sqrt();
            let nudged = |axis: DVec3| split(q * rotation::exp(axis * STEP));
            let near = [nudged(DVec3::X), nudged(DVec3::Y), nudged(DVec3::Z)];
            let here = phi(&at);
            if here > 0.2 {
                let gradient = DVec3::from_array(near.map(|s| (phi(&s) - here) / STEP));
                let size = gradient.length();
                if size > 1e-9 {
                    found((1.0 - here) / size, turn(-gradient / size));
                }
            } else {
                found((1.0 - here) * swing[0].min(swing[1]), [0.0; 6]);
            }
            let gradient = DVec3::from_array(near.map(|s| wrap(s.twist - at.twist) / STEP));
            let size = gradient.length();
            if size > 1e-9 {
                found((at.twist - twist[0]) / size, turn(gradient / size));
                found((twist[1] - at.twist) / size, turn(-gradient / size));
            }
        }
    }
}

/// A bound from below, without a single angle, for every distance that [`each_limit`] finds of a joint: where it is large, as it mostly is, nobody needs
/// the distances themselves, whose logarithms and differences cost more than all else that is known of the joint. Negative where it tells nothing.
///
/// With `s` the swing, `k = sin s/2` and `t = tan θ/2` of the twist `θ`:
/// ```text
/// (1)  s ≤ 2k + (π - 2) k³                                   asin lies below its cubic through the ends
/// (2)  |∇φ| ≤ π/2 / min(r)                                    a turn moves the swing by at most (s/2)/sin(s/2)
/// (3)  |θ - 2t/(1 + 0.28 t²)| ≤ 0.01 for |t| ≤ 1              |∇θ| = 1/cos s/2
/// ```
pub(crate) fn at_least(body: &Body, q: &[f64]) -> f64 {
    let Limits::SwingTwist { parent_frame, child_frame, swing, twist } = &body.joint.limits else {
        return f64::NEG_INFINITY;
    };
    let q = parent_frame.conjugate() * quaternion(q, 0) * *child_frame;
    let (cos_squared, t) = (q.w * q.w + q.z * q.z, q.z / q.w);
    if t.is_nan() || t.abs() > 1.0 {
        return f64::NEG_INFINITY;
    }
    let c = cos_squared.sqrt();
    // The swing's own quaternion has the twist's half turn taken off.
    let (x, y) = ((q.x * q.w - q.y * q.z) / c, (q.y * q.w + q.x * q.z) / c);
    let stretch = 2.0 + (core::f64::consts::PI - 2.0) * (x * x + y * y);
    let phi = stretch * ((x / swing[0]).powi(2) + (y / swing[1]).powi(2)).sqrt();
    let left = (1.0 - phi) * swing[0].min(swing[1]) * core::f64::consts::FRAC_2_PI;
    let angle = 2.0 * t / (1.0 + 0.28 * t * t);
    let turn = (angle - twist[0]).min(twist[1] - angle) - 0.01;
    left.min(turn * c)
}

/// The joint's coordinates after a small motion `way` along its first three freedoms, for limits that are curved.
fn moved(body: &Body, q: &[f64], way: DVec3) -> [f64; 4] {
    match body.joint.limits {
        Limits::SwingTwist { .. } => (quaternion(q, 0) * rotation::exp(way)).to_array(),
        _ => [q[0] + way.x, q[1] + way.y, 0.0, 0.0],
    }
}

/// The distance left to the nearest of a joint's limits after a motion `way`, negative outside.
fn inside(body: &Body, q: &[f64], way: DVec3) -> f64 {
    let mut least = f64::INFINITY;
    each_limit(body, &moved(body, q, way), |left, _| least = least.min(left));
    least
}

/// Calls `found(left, direction)` for the nearest of a joint's limits after a motion `way`.
fn nearest(body: &Body, q: &[f64], way: DVec3, found: impl FnOnce(f64, DVec3)) {
    let (mut least, mut inward) = (f64::INFINITY, [0.0; 6]);
    each_limit(body, &moved(body, q, way), |left, direction| {
        if left < least {
            (least, inward) = (left, direction);
        }
    });
    let inward = DVec3::new(inward[0], inward[1], inward[2]);
    if inward != DVec3::ZERO {
        found(least, inward);
    }
}

/// The row of a limit that acts on `first` and, if there is one, on `other`.
pub(crate) fn row(left: f64, first: Hit, other: Option<Hit>, opt: &StepOptions) -> RowSpec {
    let target = if left > 0.0 { -left / opt.dt } else { -left * opt.correction / opt.dt };
    RowSpec {
        hits: [Some(first), other],
        target: target.min(opt.max_correction_speed.max(1.0)),
        lower: 0.0,
        ..RowSpec::new(Cause::Limit, first)
    }
}

const STEP: f64 = 1e-6;

fn wrap(angle: f64) -> f64 {
    let turn = core::f64::consts::TAU;
    angle - turn * (angle / turn).round()
}

/// A rotation as a twist about z followed by a swing about an axis in the xy plane.
#[derive(Clone, Copy)]
pub(crate) struct SwingTwist {
    pub(crate) swing: [f64; 2],
    pub(crate) twist: f64,
}

pub(crate) fn swing_twist(q: DQuat) -> SwingTwist {
    let q = if q.w < 0.0 { -q } else { q };
    let twist = 2.0 * q.z.atan2(q.w);
    let length = q.z.hypot(q.w);
    // At a swing of π the twist is not defined; any will do.
    let about =
        if length < 1e-12 { DQuat::IDENTITY } else { DQuat::from_xyzw(0.0, 0.0, q.z / length, q.w / length) };
    let swing = rotation::log(q * about.conjugate());
    SwingTwist { swing: [swing.x, swing.y], twist: wrap(twist) }
}

#[cfg(test)]
#[path = "limits_tests.rs"]
mod tests;
