//! Whether pins, motors and rows make sense.

use super::StepError;
use crate::actuation::{Actuation, Anchor, Effort, Key, Motor, Pin, Row, Term};
use crate::model::{BodyId, JointKind, Model};

const BOUNDS: &str = "a least force that is not above the largest";
const COMPLIANCE: &str = "a compliance that is not negative";
const FINITE: &str = "finite numbers";
const BODIES: &str = "bodies of the model";

/// Refuses what makes no sense, naming its body.
pub(super) fn check(model: &Model, act: &Actuation, time: f64) -> Result<(), StepError> {
    let name = |body: Option<BodyId>| {
        body.filter(|b| b.index() < model.n_bodies()).map_or("?", |b| model.body(b).name()).to_owned()
    };
    let of_freedom = |dof: usize| (dof < model.n_v()).then(|| model.body_of_freedom(dof));
    let odd = |what, body, key, expected| StepError::BadRow { what, key, body: name(body), expected, time };
    for motor in &act.motors {
        let body = of_freedom(motor.first());
        check_motor(model, motor).map_err(|expected| odd("motor", body, motor.key, expected))?;
    }
    for pin in &act.pins {
        check_pin(model, pin).map_err(|expected| odd("pin", Some(pin.body), pin.key, expected))?;
    }
    for row in &act.rows {
        let body = row.terms.iter().flatten().next().and_then(|term| match *term {
            Term::Freedom { freedom, .. } => of_freedom(freedom.index()),
            _ => term.bodies()[0],
        });
        check_row(model, row).map_err(|expected| odd("row", body, row.key, expected))?;
    }
    let twice = |what, key: Option<Key>| match key {
        Some(key) => Err(StepError::SameKey { what, key, time }),
        None => Ok(()),
    };
    twice("pins", duplicate(&act.pins, |pin| pin.key))?;
    twice("motors", duplicate(&act.motors, |motor| motor.key))?;
    twice("rows", duplicate(&act.rows, |row| row.key))
}

/// A key that two things have. There are few of them, and nothing may be allocated.
fn duplicate<T>(list: &[T], key: impl Fn(&T) -> Key) -> Option<Key> {
    let known = |k: usize| list[..k].iter().any(|other| key(other) == key(&list[k]));
    (1..list.len()).find(|&k| known(k)).map(|k| key(&list[k]))
}

fn are_ordered(lower: f64, upper: f64) -> bool {
    lower <= upper && lower < f64::INFINITY && upper > f64::NEG_INFINITY
}

fn check_compliance(compliance: f64) -> Result<(), &'static str> {
    if compliance.is_finite() && compliance >= 0.0 { Ok(()) } else { Err(COMPLIANCE) }
}

/// What was expected of a motor.
fn check_motor(model: &Model, motor: &Motor) -> Result<(), &'static str> {
    let end = motor.first().checked_add(motor.count());
    if !(1..=3).contains(&motor.count()) || end.is_none_or(|end| end > model.n_v()) {
        return Err("one to three freedoms of the model");
    }
    let body = model.body(model.body_of_freedom(motor.first()));
    let (range, last) = (body.v_range(), motor.first() + motor.count() - 1);
    let half = |dof: usize| body.joint.kind == JointKind::Free && dof - range.start >= 3;
    if !range.contains(&last) || half(motor.first()) != half(last) {
        return Err("freedoms of one joint, and either sliding or turning ones of a free joint");
    }
    for k in 0..motor.count() {
        if !motor.velocity[k].is_finite() {
            return Err("a finite velocity");
        }
        let (lower, upper) = motor.bounds(k);
        if matches!(motor.effort, Effort::Between { .. }) && !are_ordered(lower, upper) {
            return Err(BOUNDS);
        }
    }
    if let Effort::Magnitude(most) = motor.effort
        && (most.is_nan() || most < 0.0)
    {
        return Err("an effort that is not negative");
    }
    check_compliance(motor.compliance)
}

/// What was expected of a pin.
fn check_pin(model: &Model, pin: &Pin) -> Result<(), &'static str> {
    let known = |body: BodyId| body.index() < model.n_bodies();
    let (other, goal, turn) = match pin.anchor {
        Anchor::World { point, rotation } => (None, point, rotation),
        Anchor::Body { body, point, rotation } => (Some(body), point, rotation),
    };
    if !known(pin.body) || other.is_some_and(|body| !known(body)) {
        return Err(BODIES);
    }
    if other == Some(pin.body) {
        return Err("another body or the world to hold on to");
    }
    if !(pin.point.is_finite() && goal.is_finite() && pin.correction.is_finite()) {
        return Err(FINITE);
    }
    if pin.weld && !(turn.is_finite() && turn.length_squared() > 0.0) {
        return Err("a rotation to be welded at");
    }
    let release = &pin.release;
    let limits = [release.tension, release.friction, release.force];
    if limits.into_iter().any(|x| x.is_nan() || x < 0.0) {
        return Err("numbers for when to let go that are not negative");
    }
    let direction = release.push_direction;
    if direction != glam::DVec3::ZERO && direction.try_normalize().is_none() {
        return Err("a direction to push along, or none");
    }
    Ok(())
}

/// What was expected of a row.
fn check_row(model: &Model, row: &Row) -> Result<(), &'static str> {
    let known = |body: BodyId| body.index() < model.n_bodies();
    if row.terms.iter().all(Option::is_none) {
        return Err("at least one term");
    }
    for term in row.terms.iter().flatten() {
        let bodies = term.bodies();
        if bodies.into_iter().flatten().any(|b| !known(b)) {
            return Err(BODIES);
        }
        if bodies[0].is_some() && bodies[0] == bodies[1] {
            return Err("another body or the world to be moved against");
        }
        match *term {
            Term::Freedom { freedom, .. } if freedom.index() >= model.n_v() => {
                return Err("freedoms of the model");
            }
            Term::Freedom { weight, .. } if !weight.is_finite() => return Err(FINITE),
            Term::Point { point, other, .. }
                if !(point.is_finite() && other.is_none_or(|(_, point)| point.is_finite())) =>
            {
                return Err(FINITE);
            }
            Term::Point { direction, .. } | Term::Spin { direction, .. }
                if direction.try_normalize().is_none() =>
            {
                return Err("a direction that is not zero");
            }
            _ => {}
        }
    }
    if !row.velocity.is_finite() {
        return Err("a finite velocity");
    }
    if !are_ordered(row.lower, row.upper) {
        return Err(BOUNDS);
    }
    check_compliance(row.compliance)
}
