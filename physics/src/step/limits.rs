//! Joint limits as one-sided rows.
//!
//! A limit is a function `φ(q) ≥ 0`, the distance left. Its row asks for `∇φ · v⁺ ≥ -φ/h`: the joint may use
//! up what is left but no more, so a coordinate limit is met exactly and never overshot; where it is
//! violated already, a share of the overlap is worked off per step. Swing and twist of ball joints
//! (Baerlocher & Boulic 2001; recipes 1.9) get their gradient by differences of `φ` along the joint's own
//! freedoms.

use glam::{DQuat, DVec3};

use super::StepOptions;
use super::rows::{Cause, RowSpec, Rows};
use crate::data::Data;
use crate::dynamics::impulse::Hit;
use crate::model::{Body, JointKind, Limits, Model};
use crate::spatial::{Force, rotation};
use crate::state::State;

/// Rows are made from this far before a limit on, rad or m, beyond what two steps of motion cover.
const NEAR: f64 = 0.05;

/// Adds a row for every limit that could matter in this step.
pub(crate) fn push_rows(model: &Model, state: &State, data: &Data, opt: &StepOptions, rows: &mut Rows) {
    for (i, body) in model.bodies.iter().enumerate() {
        match &body.joint.limits {
            Limits::Unlimited => {}
            Limits::Range { lower, upper } => {
                range_rows(model, state, data, opt, rows, (i, body), (lower, upper));
            }
            Limits::Ellipse { center, radius } => {
                let q = &state.q[body.q_range()];
                let u = [q[0] - center[0], q[1] - center[1]];
                let phi = ((u[0] / radius[0]).powi(2) + (u[1] / radius[1]).powi(2)).sqrt();
                if phi > 0.2 {
                    // Distance to the ellipse, to first order: (1 - φ)/|∇φ|.
                    let gradient =
                        [u[0] / (radius[0] * radius[0] * phi), u[1] / (radius[1] * radius[1] * phi)];
                    let size = gradient[0].hypot(gradient[1]);
                    let direction = [-gradient[0] / size, -gradient[1] / size, 0.0];
                    joint_row(model, state, data, opt, rows, (i, body), (1.0 - phi) / size, direction);
                }
            }
            Limits::SwingTwist { parent_frame, child_frame, swing, twist } => {
                let q = state.rotation(body);
                let split = |q: DQuat| swing_twist(parent_frame.conjugate() * q * *child_frame);
                let at = split(q);
                let phi = |s: &SwingTwist| {
                    ((s.swing[0] / swing[0]).powi(2) + (s.swing[1] / swing[1]).powi(2)).sqrt()
                };
                let nudged = |axis: DVec3| split(q * rotation::exp(axis * STEP));
                let near = [nudged(DVec3::X), nudged(DVec3::Y), nudged(DVec3::Z)];
                let here = phi(&at);
                if here > 0.2 {
                    let gradient = DVec3::from_array(near.map(|s| (phi(&s) - here) / STEP));
                    let size = gradient.length();
                    if size > 1e-9 {
                        let direction = (-gradient / size).to_array();
                        joint_row(model, state, data, opt, rows, (i, body), (1.0 - here) / size, direction);
                    }
                }
                let gradient = DVec3::from_array(near.map(|s| wrap(s.twist - at.twist) / STEP));
                let size = gradient.length();
                if size > 1e-9 {
                    let up = (gradient / size).to_array();
                    let down = (-gradient / size).to_array();
                    joint_row(model, state, data, opt, rows, (i, body), (at.twist - twist[0]) / size, up);
                    joint_row(model, state, data, opt, rows, (i, body), (twist[1] - at.twist) / size, down);
                }
            }
        }
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

fn range_rows(
    model: &Model,
    state: &State,
    data: &Data,
    opt: &StepOptions,
    rows: &mut Rows,
    (i, body): (usize, &Body),
    (lower, upper): (&[f64; 3], &[f64; 3]),
) {
    let q = &state.q[body.q_range()];
    if body.joint.kind == JointKind::Free {
        // Translations are along the joint frame's axes; the freedoms are along the body's.
        let parent =
            body.parent.map_or(glam::DMat3::IDENTITY, |p| data.position.world_from_body[p.index()].rotation);
        let frame = parent * body.joint.parent_from_joint.rotation;
        for k in 0..3 {
            let rate = frame.col(k).dot(data.velocity.body[i].linear);
            for (left, sign) in [(q[k] - lower[k], 1.0), (upper[k] - q[k], -1.0)] {
                if is_near(left, sign * rate, opt) {
                    let push = Force::new(DVec3::ZERO, frame.col(k) * sign);
                    push_row(model, opt, rows, left, Hit::Body(i, push), None);
                }
            }
        }
        return;
    }
    for k in 0..body.joint.kind.n_v().min(3) {
        let dof = body.v_start + k;
        for (left, sign) in [(q[k] - lower[k], 1.0), (upper[k] - q[k], -1.0)] {
            if is_near(left, sign * state.v[dof], opt) {
                push_row(model, opt, rows, left, Hit::Freedom(dof, sign), None);
            }
        }
    }
}

/// A row whose direction mixes the joint's freedoms.
fn joint_row(
    model: &Model,
    state: &State,
    data: &Data,
    opt: &StepOptions,
    rows: &mut Rows,
    (i, body): (usize, &Body),
    left: f64,
    direction: [f64; 3],
) {
    let v = &state.v[body.v_range()];
    let rate: f64 = direction.iter().zip(v).map(|(d, v)| d * v).sum();
    if !is_near(left, rate, opt) {
        return;
    }
    match body.joint.kind {
        JointKind::Universal { .. } => {
            let hit = |k: usize| Hit::Freedom(body.v_start + k, direction[k]);
            push_row(model, opt, rows, left, hit(0), Some(hit(1)));
        }
        // A moment along the child's axes on the child, its opposite on the parent.
        _ => {
            let axis = data.position.world_from_body[i].rotation * DVec3::from_array(direction);
            let on = |b: usize, axis| Hit::Body(b, Force::new(axis, DVec3::ZERO));
            let parent = body.parent.map(|p| on(p.index(), -axis));
            push_row(model, opt, rows, left, on(i, axis), parent);
        }
    }
}

fn is_near(left: f64, rate: f64, opt: &StepOptions) -> bool {
    left < NEAR + 2.0 * opt.dt * rate.abs()
}

fn push_row(model: &Model, opt: &StepOptions, rows: &mut Rows, left: f64, hit: Hit, other: Option<Hit>) {
    let target = if left > 0.0 { -left / opt.dt } else { -left * opt.correction / opt.dt };
    let spec = RowSpec {
        hits: [Some(hit), other],
        target: target.min(opt.max_correction_speed.max(1.0)),
        lower: 0.0,
        ..RowSpec::new(Cause::Limit, hit)
    };
    rows.push(model, spec);
}
