//! Joint positions against their limits: how far outside, and the nearest ones inside.
//!
//! A ball joint's rotation in its limit frames is split into a twist about z and a swing, `R = swing · twist`
//! (Baerlocher & Boulic 2001); the swing vector is brought to the ellipse along its own direction, the twist to its range.

use crate::rotation::{exp, log};
use glam::{DQuat, DVec2, DVec3};
use stuntlab_physics::model::Body;
use stuntlab_physics::{Limits, Model, State};

/// Brings every joint of a state within its limits; returns how many were outside.
pub fn clamp_to_limits(model: &Model, state: &mut State) -> usize {
    model.bodies().iter().filter(|body| clamp_joint(body, state)).count()
}

/// The largest violation of a joint limit, in radians (metres for sliding joints); zero inside.
pub fn limit_violation(model: &Model, state: &State) -> f64 {
    let violation = |body: &Body| match &body.joint().limits {
        Limits::Unlimited => 0.0,
        Limits::Range { lower, upper } => {
            let q = &state.q[body.coordinates()];
            let over = q.iter().zip(lower.iter().zip(upper)).map(|(q, (lo, hi))| (lo - q).max(q - hi));
            over.fold(0.0, f64::max)
        }
        Limits::Ellipse { center, radius } => {
            let q = &state.q[body.coordinates()];
            let off = DVec2::new(q[0] - center[0], q[1] - center[1]);
            excess(off, *radius)
        }
        Limits::SwingTwist { parent_frame, child_frame, swing, twist } => {
            let (s, t) = swing_twist(parent_frame.conjugate() * state.rotation(body) * *child_frame);
            excess(s, *swing).max(twist[0] - t).max(t - twist[1]).max(0.0)
        }
    };
    model.bodies().iter().map(violation).fold(0.0, f64::max)
}

fn clamp_joint(body: &Body, state: &mut State) -> bool {
    match &body.joint().limits {
        Limits::Unlimited => false,
        Limits::Range { lower, upper } => {
            let q = &mut state.q[body.coordinates()];
            let mut outside = false;
            for (q, (lo, hi)) in q.iter_mut().zip(lower.iter().zip(upper)) {
                outside |= *q < *lo || *q > *hi;
                *q = q.clamp(*lo, *hi);
            }
            outside
        }
        Limits::Ellipse { center, radius } => {
            let q = &mut state.q[body.coordinates()];
            let off = DVec2::new(q[0] - center[0], q[1] - center[1]);
            let inside = onto_ellipse(off, *radius);
            (q[0], q[1]) = (center[0] + inside.x, center[1] + inside.y);
            inside != off
        }
        Limits::SwingTwist { parent_frame, child_frame, swing, twist } => {
            let (s, t) = swing_twist(parent_frame.conjugate() * state.rotation(body) * *child_frame);
            let (s_in, t_in) = (onto_ellipse(s, *swing), t.clamp(twist[0], twist[1]));
            if s_in == s && t_in == t {
                return false;
            }
            let inside = exp(s_in.extend(0.0)) * DQuat::from_rotation_z(t_in);
            state.set_rotation(body, *parent_frame * inside * child_frame.conjugate());
            true
        }
    }
}

/// A limit of a ball joint seen from where it stands: a unit direction in its freedoms (child axes) that leads out, and
/// how far it is, in radians (negative outside).
pub(crate) struct Bound {
    pub(crate) outward: DVec3,
    pub(crate) distance: f64,
}

/// The limits of a ball joint, linearised: the swing ellipse and the nearer end of the twist range.
pub(crate) fn ball_bounds(body: &Body, state: &State) -> Option<[Bound; 2]> {
    let Limits::SwingTwist { parent_frame, child_frame, swing, twist } = &body.joint().limits else {
        return None;
    };
    let rotation = state.rotation(body);
    let at = |turn: DVec3| {
        let (s, t) = swing_twist(parent_frame.conjugate() * rotation * exp(turn) * *child_frame);
        (stretch(s, *swing), t)
    };
    let (size, angle) = at(DVec3::ZERO);
    let step = 1e-5;
    let slope = |f: &dyn Fn((f64, f64)) -> f64| {
        let along = |axis: DVec3| (f(at(axis * step)) - f(at(-axis * step))) / (2.0 * step);
        DVec3::new(along(DVec3::X), along(DVec3::Y), along(DVec3::Z))
    };
    let bound = |gradient: DVec3, left: f64| {
        let length = gradient.length().max(1e-9);
        Bound { outward: gradient / length, distance: left / length }
    };
    let upper = twist[1] - angle < angle - twist[0];
    let sign = if upper { 1.0 } else { -1.0 };
    let left = if upper { twist[1] - angle } else { angle - twist[0] };
    Some([bound(slope(&|x| x.0), 1.0 - size), bound(slope(&|x| sign * x.1), left)])
}

/// Swing vector and twist angle of a rotation, z being the twist axis.
fn swing_twist(q: DQuat) -> (DVec2, f64) {
    let twist = DQuat::from_xyzw(0.0, 0.0, q.z, q.w);
    let twist = if twist.length_squared() < 1e-20 { DQuat::IDENTITY } else { twist.normalize() };
    let swing: DVec3 = log((q * twist.conjugate()).normalize());
    let angle = 2.0 * twist.z.atan2(twist.w);
    (swing.truncate(), angle - core::f64::consts::TAU * (angle / core::f64::consts::TAU).round())
}

/// How many times too long a vector is for an ellipse; below one inside.
fn stretch(off: DVec2, radius: [f64; 2]) -> f64 {
    DVec2::new(off.x / radius[0], off.y / radius[1]).length()
}

fn excess(off: DVec2, radius: [f64; 2]) -> f64 {
    let times = stretch(off, radius);
    if times > 1.0 { off.length() * (1.0 - 1.0 / times) } else { 0.0 }
}

fn onto_ellipse(off: DVec2, radius: [f64; 2]) -> DVec2 {
    let times = stretch(off, radius);
    if times > 1.0 { off / times * (1.0 - 1e-12) } else { off }
}
