//! Whether the input of a step makes sense.

use super::{StepError, StepOptions};
use crate::actuation::{Actuation, Anchor, Pin};
use crate::model::{BodyId, Model};
use crate::state::{State, quaternion};

/// Squared length from which on a quaternion is one; the state's are unit length but for rounding.
const LEAST_QUATERNION: f64 = 1e-12;
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
        ("prescribed acceleration", &act.prescribed_acceleration),
    ];
    for (what, values) in by_freedom {
        if let Some(k) = values.iter().position(|x| !x.is_finite()) {
            return bad(what, model.body(model.body_of_freedom(k)).name(), values[k]);
        }
    }
    for (what, values) in [("position", &state.q), ("servo target", &act.servo.target_q)] {
        if let Some(k) = values.iter().position(|x| !x.is_finite()) {
            let owner = model.bodies.iter().find(|b| b.q_range().contains(&k));
            return bad(what, owner.map_or("?", |b| b.name()), values[k]);
        }
    }
    for body in &model.bodies {
        if let Some(at) = body.joint.kind.quaternion_offset()
            && quaternion(&state.q[body.q_range()], at).length_squared() < LEAST_QUATERNION
        {
            return odd("position", body.name(), "a rotation");
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
    for motor in &act.motors {
        if motor.freedom >= model.n_v() {
            return odd("motor", "?", "a freedom of the model");
        }
        let name = model.body(model.body_of_freedom(motor.freedom)).name();
        let numbers = [motor.velocity, motor.compliance];
        if let Some(&value) = numbers.iter().find(|x| !x.is_finite()) {
            return bad("motor", name, value);
        }
        if motor.lower.is_nan() || motor.upper.is_nan() || motor.lower > motor.upper {
            return odd("motor", name, "a least force that is not above the largest");
        }
        if motor.compliance < 0.0 {
            return odd("motor", name, "a compliance that is not negative");
        }
    }
    act.pins.iter().try_for_each(|pin| check_pin(model, state, pin))
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
        ("prescribed accelerations", act.prescribed_acceleration.len(), n_v),
        ("marks of prescribed joints", act.prescribed.len(), n),
        ("forces on bodies", act.body_force.len(), n),
    ];
    match lengths.into_iter().find(|(_, found, expected)| found != expected) {
        Some((what, found, expected)) => Err(StepError::WrongLength { what, found, expected }),
        None => Ok(()),
    }
}

/// Refuses a pin whose numbers make no sense, or that holds a body to itself.
fn check_pin(model: &Model, state: &State, pin: &Pin) -> Result<(), StepError> {
    let known = |body: BodyId| body.index() < model.n_bodies();
    let name = if known(pin.body) { model.body(pin.body).name() } else { "?" };
    let bad = |expected| {
        let (what, body) = ("pin", name.to_owned());
        Err(StepError::BadActuation { what, body, expected, time: state.time })
    };
    let (other, goal, turn) = match pin.anchor {
        Anchor::World { point, rotation } => (None, point, rotation),
        Anchor::Body { body, point, rotation } => (Some(body), point, rotation),
    };
    if !known(pin.body) || other.is_some_and(|body| !known(body)) {
        return bad("bodies of the model");
    }
    if other == Some(pin.body) {
        return bad("another body or the world to hold on to");
    }
    if !(pin.point.is_finite() && goal.is_finite() && pin.correction.is_finite()) {
        return bad("finite numbers");
    }
    if pin.weld && !(turn.is_finite() && turn.length_squared() > 0.0) {
        return bad("a rotation to be welded at");
    }
    let release = &pin.release;
    let direction = release.push_direction.to_array();
    let limits = [release.tension, release.friction, release.force];
    if limits.into_iter().chain(direction).any(f64::is_nan) {
        return bad("numbers for when to let go");
    }
    Ok(())
}
