//! Motors, pins and a controller's own rows as rows of the baselines.
//!
//! A pin that may only push along a direction is a row along it, which pulls with its tension at most, and two across it bounded by
//! friction times the push, like a contact's; without such a direction it is three rows, each bounded by the largest force. A
//! motor is a row per freedom; where its effort is bounded as a whole the rows are solved again with what they found shortened.
//! Bounds need not hold zero: sweeps clamp to them, and pivoting starts from the bound nearest to zero, that is with a known
//! impulse already applied.

use glam::DVec3;

use super::StepOptions;
use super::own_rows::{self, Hits};
use super::reports::{self, Kind, PinPart, Remembered, recall};
use super::rows::{Cause, RowSpec, Rows, force_hit, moment_hit};
use crate::actuation::{Actuation, Anchor, Effort, Motor, Pin, Row};
use crate::data::Data;
use crate::dynamics::impulse::Hit;
use crate::model::Model;
use crate::spatial::rotation;

/// Share of a bound from which on it counts as reached, sweeps being what they are.
const REACHED: f64 = 1.0 - 1e-6;

/// Velocity across its push direction that a pin wants and does not get from which on it slips, m/s.
const SLIPPING: f64 = 1e-9;

/// Adds the rows of all motors, pins and rows; tags are indices into the actuation's lists.
pub(crate) fn push_rows(model: &Model, data: &Data, act: &Actuation, opt: &StepOptions, rows: &mut Rows) {
    for (index, motor) in act.motors.iter().enumerate() {
        push_motor(model, data, index, motor, opt, rows, |dof| {
            RowSpec::new(Cause::Motor, Hit::Freedom(dof, 1.0))
        });
    }
    for (index, pin) in act.pins.iter().enumerate() {
        push_pin(model, data, index, pin, opt, rows);
    }
    for (index, row) in act.rows.iter().enumerate() {
        let hits = own_rows::hits(data, row, |dof, weight, hits| hits.add(Hit::Freedom(dof, weight)));
        push_own(model, data, index, row, &hits, opt, rows);
    }
}

/// Adds a motor's rows; `along` makes the row of a freedom.
pub(crate) fn push_motor(
    model: &Model,
    data: &Data,
    index: usize,
    motor: &Motor,
    opt: &StepOptions,
    rows: &mut Rows,
    along: impl Fn(usize) -> RowSpec,
) {
    let last = recall(&data.memory.efforts, Kind::Motor, motor.key).map_or(DVec3::ZERO, |r| r.force);
    let first = rows.specs.len() as u32;
    for k in 0..motor.count() {
        // Bounded as a whole it is shortened once its direction is known.
        let (lower, upper) = match motor.effort {
            Effort::Between { .. } => motor.bounds(k),
            Effort::Magnitude(_) => (f64::NEG_INFINITY, f64::INFINITY),
        };
        let spec = RowSpec {
            target: motor.velocity[k],
            compliance: motor.compliance / opt.dt,
            lower: lower * opt.dt,
            upper: upper * opt.dt,
            guess: (last[k] * opt.dt).clamp(lower * opt.dt, upper * opt.dt),
            tag: index as u32,
            component: k as u32,
            ..along(motor.first() + k)
        };
        rows.push(model, spec);
    }
    if let Effort::Magnitude(most) = motor.effort {
        rows.balls.push((first, motor.count() as u32, most * opt.dt));
    }
}

/// Adds a controller's own row on `hits`.
pub(crate) fn push_own(
    model: &Model,
    data: &Data,
    index: usize,
    row: &Row,
    hits: &Hits,
    opt: &StepOptions,
    rows: &mut Rows,
) {
    let last = recall(&data.memory.efforts, Kind::Row, row.key).map_or(0.0, |r| r.force.x);
    let (lower, upper) = (row.lower * opt.dt, row.upper * opt.dt);
    let spec = RowSpec {
        target: row.velocity,
        compliance: row.compliance / opt.dt,
        lower,
        upper,
        guess: (last * opt.dt).clamp(lower, upper),
        tag: index as u32,
        ..RowSpec::new(Cause::Own, Hit::Freedom(0, 0.0))
    };
    rows.push_on(model, spec, hits.all());
}

fn push_pin(model: &Model, data: &Data, index: usize, pin: &Pin, opt: &StepOptions, rows: &mut Rows) {
    let body = pin.body.index();
    let pose = &data.position.world_from_body[body];
    let point = pose.transform_point(pin.point);
    let (goal, turn, other) = match pin.anchor {
        Anchor::World { point, rotation } => (point, rotation, None),
        Anchor::Body { body, point, rotation } => {
            let pose = &data.position.world_from_body[body.index()];
            (pose.transform_point(point), pose.quaternion() * rotation, Some(body.index()))
        }
    };
    let last = recall(&data.memory.efforts, Kind::Pin, pin.key);
    let last = last.map_or((DVec3::ZERO, DVec3::ZERO), |r| (r.force * opt.dt, r.moment * opt.dt));
    let rate = pin.correction / opt.dt;
    let most = pin.release.force * opt.dt;
    let away = point - goal;
    let spec = |axis: DVec3| {
        let hit = force_hit(data, body, axis, point);
        RowSpec {
            hits: [Some(hit), other.map(|b| force_hit(data, b, -axis, point))],
            target: -rate * axis.dot(away),
            lower: -most,
            upper: most,
            guess: axis.dot(last.0).clamp(-most, most),
            tag: index as u32,
            ..RowSpec::new(Cause::Pin, hit)
        }
    };
    if let Some(normal) = pin.release.push_direction.try_normalize() {
        let pull = (pin.release.tension * opt.dt).min(most);
        let guess = normal.dot(last.0).clamp(-pull, most);
        let first = rows.push(model, RowSpec { lower: -pull, guess, ..spec(normal) });
        let (a, b) = normal.any_orthonormal_pair();
        let friction = pin.release.friction.is_finite().then_some((first, pin.release.friction));
        for axis in [a, b] {
            rows.push(model, RowSpec { friction, ..spec(axis) });
        }
    } else {
        for axis in DVec3::AXES {
            rows.push(model, spec(axis));
        }
    }
    if pin.weld {
        let twisted = rotation::log(pose.quaternion() * turn.conjugate());
        for axis in DVec3::AXES {
            let hit = moment_hit(body, axis);
            rows.push(
                model,
                RowSpec {
                    hits: [Some(hit), other.map(|b| moment_hit(b, -axis))],
                    target: -rate * axis.dot(twisted),
                    guess: axis.dot(last.1),
                    tag: index as u32,
                    ..RowSpec::new(Cause::Pin, hit)
                },
            );
        }
    }
}

/// Whether a row's impulse is at one of its bounds.
fn is_at_bound(spec: &RowSpec, x: f64) -> bool {
    let near = |bound: f64| bound.is_finite() && (x - bound).abs() <= (1.0 - REACHED) * bound.abs();
    near(spec.lower) || near(spec.upper)
}

/// Reads from the solved rows what pins, motors and rows did in a part that is the given share of the step, and remembers it.
/// `act` is the actuation that the tags of the rows refer to.
pub(crate) fn report(act: &Actuation, data: &mut Data, v: &[f64], share: f64, opt: &StepOptions) {
    let mut reports = core::mem::take(&mut data.reports);
    let mut memory = core::mem::take(&mut data.memory.efforts);
    reports::forget(&mut memory);
    let per_time = 1.0 / opt.dt;
    let rows = &data.step.rows;
    let mut at = 0;
    while at < rows.specs.len() {
        let spec = &rows.specs[at];
        let same = |s: &RowSpec| s.cause == spec.cause && s.tag == spec.tag;
        let count = rows.specs[at..].iter().take_while(|s| same(s)).count();
        let own = (at..at + count).map(|k| (&rows.specs[k], rows.x[k]));
        at += count;
        let index = spec.tag as usize;
        match spec.cause {
            Cause::Pin if index < act.pins.len() => {
                let pin = &act.pins[index];
                let part = pin_part(pin, data, v, own, per_time);
                reports.add_pin(index, pin, &part, share);
                memory.push(Remembered {
                    kind: Kind::Pin,
                    key: pin.key,
                    force: part.force,
                    moment: part.moment,
                });
            }
            Cause::Motor if index < act.motors.len() => {
                let motor = &act.motors[index];
                let report = &mut reports.motors[index];
                let mut force = DVec3::ZERO;
                for (spec, x) in own {
                    let k = spec.component as usize;
                    force[k] = x * per_time;
                    report.error[k] = spec.target - spec.rate(&rows.more, &data.step.next_body, v);
                    report.at_bound |= is_at_bound(spec, x);
                }
                if let Effort::Magnitude(most) = motor.effort {
                    report.at_bound |= force.length() >= REACHED * most;
                }
                report.force += force * share;
                memory.push(Remembered { kind: Kind::Motor, key: motor.key, force, moment: DVec3::ZERO });
            }
            Cause::Own if index < act.rows.len() => {
                let report = &mut reports.rows[index];
                for (spec, x) in own {
                    let force = x * per_time;
                    report.force += force * share;
                    report.error = spec.target - spec.rate(&rows.more, &data.step.next_body, v);
                    report.at_bound |= is_at_bound(spec, x);
                    let (key, force) = (act.rows[index].key, DVec3::X * force);
                    memory.push(Remembered { kind: Kind::Row, key, force, moment: DVec3::ZERO });
                }
            }
            _ => {}
        }
    }
    reports::order(&mut memory);
    reports.end_part();
    data.memory.efforts = memory;
    data.reports = reports;
}

fn pin_part<'a>(
    pin: &Pin,
    data: &Data,
    v: &[f64],
    rows: impl Iterator<Item = (&'a RowSpec, f64)>,
    per_time: f64,
) -> PinPart {
    let mut part = PinPart::default();
    let (mut pressed, mut across, mut friction, mut is_off) = (0.0, 0.0, f64::INFINITY, false);
    for (spec, x) in rows {
        let Some(Hit::Body(_, wrench)) = spec.hits[0] else { continue };
        if wrench.linear == DVec3::ZERO {
            part.moment += wrench.angular * (x * per_time);
            continue;
        }
        part.force += wrench.linear * (x * per_time);
        match spec.friction {
            Some((_, mu)) => {
                across += x * x;
                friction = mu;
                let off = spec.target - spec.rate(&data.step.rows.more, &data.step.next_body, v);
                is_off |= off.abs() > SLIPPING;
            }
            None => {
                pressed = x;
                part.at_bound |= is_at_bound(spec, x);
            }
        }
    }
    part.slips = is_off && across.sqrt() >= REACHED * friction * pressed.max(0.0);
    let poses = &data.position.world_from_body;
    let point = poses[pin.body.index()].transform_point(pin.point);
    let goal = match pin.anchor {
        Anchor::World { point, .. } => point,
        Anchor::Body { body, point, .. } => poses[body.index()].transform_point(point),
    };
    part.error = point.distance(goal);
    part
}
