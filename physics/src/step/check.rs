//! Whether the input of a step makes sense.

use super::{StepError, StepOptions, check_rows};
use crate::actuation::Actuation;
use crate::model::Model;
use crate::state::{State, quaternion};

/// How far the squared length of a quaternion may be from one. The state's are of unit length but for rounding; a file that
/// keeps four digits is off by less. Longer ones would stretch what they turn: a step moves a free joint by `h R v`.
const OFF_UNIT: f64 = 1e-3;
const GAIN: &str = "gains that are not negative";

/// Refuses input that is not finite, naming the body.
pub(crate) fn check_input(
    model: &Model,
    state: &State,
    act: &Actuation,
    opt: &StepOptions,
) -> Result<(), StepError> {
    if !(opt.dt.is_finite() && opt.dt > 0.0) {
        return Err(StepError::BadStep { dt: opt.dt });
    }
    check_options(opt)?;
    check_lengths(model, state, act)?;
    let bad = |what, body: &str, value| {
        Err(StepError::BadInput { what, body: body.to_owned(), value, time: state.time })
    };
    let odd = |what, body: &str, expected| {
        Err(StepError::BadActuation { what, body: body.to_owned(), expected, time: state.time })
    };
    let by_freedom = [
        ("velocity", &state.v),
        ("joint force", &act.joint_force),
        ("servo stiffness", &act.servo.stiffness),
        ("servo damping", &act.servo.damping),
        ("servo target velocity", &act.servo.target_v),
        ("prescribed velocity", &act.prescribed_velocity),
    ];
    for (what, values) in by_freedom {
        if let Some(k) = first_bad(values) {
            return bad(what, model.body(model.body_of_freedom(k)).name(), values[k]);
        }
    }
    for (what, values) in [("position", &state.q), ("servo target", &act.servo.target_q)] {
        if let Some(k) = first_bad(values) {
            let owner = model.bodies.iter().find(|b| b.q_range().contains(&k));
            return bad(what, owner.map_or("?", |b| b.name()), values[k]);
        }
    }
    for body in &model.bodies {
        if let Some(at) = body.joint.kind.quaternion_offset()
            && (quaternion(&state.q[body.q_range()], at).length_squared() - 1.0).abs() > OFF_UNIT
        {
            return odd(
                "position",
                body.name(),
                "a quaternion of unit length (State::normalize makes it one)",
            );
        }
    }
    for (what, gains) in [("servo stiffness", &act.servo.stiffness), ("servo damping", &act.servo.damping)] {
        if let Some(k) = gains.iter().position(|&x| x < 0.0) {
            return odd(what, model.body(model.body_of_freedom(k)).name(), GAIN);
        }
    }
    for (body, force) in model.bodies.iter().zip(&act.body_force) {
        if !force.is_finite() {
            return bad("external force", body.name(), f64::NAN);
        }
    }
    for (body, term) in &act.implicit {
        if body.index() >= model.n_bodies() {
            return odd("implicit force", "?", "a body of the model");
        }
        if !(term.at_rest.is_finite() && term.gain.is_finite()) {
            return bad("implicit force", model.body(*body).name(), f64::NAN);
        }
        let (turning, moving) = (&term.gain.angular, &term.gain.linear);
        let diagonal = [turning.xx, turning.yy, turning.zz, moving.xx, moving.yy, moving.zz];
        if diagonal.iter().any(|&x| x < 0.0) {
            return odd("implicit force", model.body(*body).name(), GAIN);
        }
    }
    check_rows::check(model, act, state.time)
}

/// Refuses settings without which contacts would be without force, and nobody told.
fn check_options(opt: &StepOptions) -> Result<(), StepError> {
    let settings = [
        ("contact_time", opt.contact_time),
        ("margin", opt.margin),
        ("tolerance", opt.tolerance),
        ("correction", opt.correction),
        ("slop", opt.slop),
        ("max_correction_speed", opt.max_correction_speed),
        ("restitution_threshold", opt.restitution_threshold),
        ("sleep_after", opt.sleep_after.unwrap_or(0.0)),
    ];
    match settings.into_iter().find(|(_, value)| value.is_nan() || *value < 0.0) {
        Some((what, value)) => Err(StepError::BadOption { what, value }),
        None => Ok(()),
    }
}

/// The first number that is not finite. There mostly is none, which is asked of all at once: nothing times a number is nothing, but of one that is not
/// finite.
fn first_bad(values: &[f64]) -> Option<usize> {
    let (fours, rest) = values.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for four in fours {
        (0..4).for_each(|k| sums[k] += 0.0 * four[k]);
    }
    let sum = rest.iter().fold(sums.iter().sum::<f64>(), |sum, x| sum + 0.0 * x);
    if sum == 0.0 { None } else { values.iter().position(|x| !x.is_finite()) }
}

/// Refuses vectors that are not the model's.
fn check_lengths(model: &Model, state: &State, act: &Actuation) -> Result<(), StepError> {
    let (n, n_v, n_q) = (model.n_bodies(), model.n_v(), model.n_q());
    let servo = &act.servo;
    let lengths = [
        ("positions of the state", state.q.len(), n_q),
        ("velocities of the state", state.v.len(), n_v),
        ("joint forces", act.joint_force.len(), n_v),
        ("servo stiffnesses", servo.stiffness.len(), n_v),
        ("servo dampings", servo.damping.len(), n_v),
        ("servo target velocities", servo.target_v.len(), n_v),
        ("servo target positions", servo.target_q.len(), n_q),
        ("prescribed velocities", act.prescribed_velocity.len(), n_v),
        ("marks of prescribed joints", act.prescribed.len(), n),
        ("forces on bodies", act.body_force.len(), n),
    ];
    match lengths.into_iter().find(|(_, found, expected)| found != expected) {
        Some((what, found, expected)) => Err(StepError::WrongLength { what, found, expected }),
        None => Ok(()),
    }
}
