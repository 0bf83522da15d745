//! Motors, pins and a controller's own rows as rows of the baselines.
//!
//! A pin that may only push along a direction is a row along it, which pulls with its tension at most, and two across it bounded by
//! friction times the push, like a contact's; without such a direction it is three rows, each bounded by the largest force. A
//! motor is a row per freedom; where its effort is bounded as a whole the rows are solved again with what they found shortened.
//! Pins that contradict each other, or a stop, have no answer as rigid rows. So their rows are softer than rigid by a trace, and those that
//! cannot have their way pull softly, just as in the convex problem (`convex/pins.rs`).
//!
//! Bounds need not hold zero: sweeps clamp to them, and pivoting starts from the bound nearest to zero, that is with a known
//! impulse already applied.

use glam::DVec3;

use super::StepOptions;
use super::own_rows::{self, Hits};
use super::reports::{self, Kind, PinPart, Remembered, recall};
use super::rows::{Cause, RowSpec, Rows, force_hit, moment_hit};
use crate::actuation::{Actuation, Anchor, Effort, Motor, Pin, Row};
use crate::convex::calm::energy_of;
use crate::convex::pins::{HARD, Tried, given_up, is_off, is_still_in_vain, lightest, wants};
use crate::data::Data;
use crate::dynamics::impulse::Hit;
use crate::model::Model;

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
    for index in 0..act.pins.len() {
        push_pin(model, data, act, index, opt, rows);
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

fn push_pin(model: &Model, data: &Data, act: &Actuation, index: usize, opt: &StepOptions, rows: &mut Rows) {
    let pin = &act.pins[index];
    let body = pin.body.index();
    let pose = &data.position.world_from_body[body];
    let point = pose.transform_point(pin.point);
    let other = match pin.anchor {
        Anchor::World { .. } => None,
        Anchor::Body { body, .. } => Some(body.index()),
    };
    let last = recall(&data.memory.efforts, Kind::Pin, pin.key);
    let last = last.map_or((DVec3::ZERO, DVec3::ZERO), |r| (r.force * opt.dt, r.moment * opt.dt));
    let most = pin.release.force * opt.dt;
    let (wanted, wanted_spin) = wants(pin, data, act, opt.dt);
    let spec = |axis: DVec3| {
        let hit = force_hit(data, body, axis, point);
        RowSpec {
            hits: [Some(hit), other.map(|b| force_hit(data, b, -axis, point))],
            target: axis.dot(wanted),
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
        for axis in DVec3::AXES {
            let hit = moment_hit(body, axis);
            rows.push(
                model,
                RowSpec {
                    hits: [Some(hit), other.map(|b| moment_hit(b, -axis))],
                    target: axis.dot(wanted_spin),
                    guess: axis.dot(last.1),
                    tag: index as u32,
                    ..RowSpec::new(Cause::Pin, hit)
                },
            );
        }
    }
}

/// Calls `found(first, pin)` for the three rows of every point and every weld that are pinned.
fn each_triple(rows: &Rows, mut found: impl FnMut(usize, usize)) {
    let mut at = 0;
    while at < rows.specs.len() {
        if rows.specs[at].cause == Cause::Pin {
            found(at, rows.specs[at].tag as usize);
            at += 3;
        } else {
            at += 1;
        }
    }
}

/// Gives the rows of pins their trace of softness, once responses are known.
pub(crate) fn size(model: &Model, data: &Data, act: &Actuation, opt: &StepOptions, rows: &mut Rows) {
    let mut triples = core::mem::take(&mut rows.pinned);
    triples.clear();
    each_triple(rows, |first, pin| triples.push((first as u32, pin as u32)));
    for &(first, index) in &triples {
        let (first, index) = (first as usize, index as usize);
        let three = first..first + 3;
        let mobility = mobility(rows, first);
        for k in three {
            if rows.specs[k].compliance == 0.0 {
                rows.rewrite(k, rows.specs[k].target, HARD * mobility);
            }
        }
        let last = recall(&data.memory.efforts, Kind::Pin, act.pins[index].key);
        if is_still_in_vain(last, wanted(rows, first)) {
            give_up(model, act, opt, rows, first, index, mobility);
        }
    }
    rows.pinned = triples;
}

/// Mean velocity per impulse along the three rows of a pin.
fn mobility(rows: &Rows, first: usize) -> f64 {
    (first..first + 3).map(|k| rows.mobility(k)).sum::<f64>() / 3.0
}

/// Whether a pin has given up.
fn is_soft(rows: &Rows, first: usize) -> bool {
    rows.specs[first].compliance > 2.0 * HARD * mobility(rows, first)
}

/// What the three rows of a pin want.
fn wanted(rows: &Rows, first: usize) -> DVec3 {
    (first..first + 3).map(|k| axis(&rows.specs[k]) * rows.specs[k].target).sum()
}

/// The direction of a pin's row.
fn axis(spec: &RowSpec) -> DVec3 {
    let Some(Hit::Body(_, wrench)) = spec.hits[0] else { return DVec3::ZERO };
    if wrench.linear == DVec3::ZERO { wrench.angular } else { wrench.linear }
}

/// Makes the three rows of a pin or weld soft and slow.
fn give_up(
    model: &Model,
    act: &Actuation,
    opt: &StepOptions,
    rows: &mut Rows,
    first: usize,
    index: usize,
    mobility: f64,
) {
    let pin = &act.pins[index];
    let other = match pin.anchor {
        Anchor::World { .. } => None,
        Anchor::Body { body, .. } => Some(body.index()),
    };
    let turns =
        matches!(rows.specs[first].hits[0], Some(Hit::Body(_, wrench)) if wrench.linear == DVec3::ZERO);
    let lightest = if turns { 0.0 } else { lightest(model, pin.body.index(), other) };
    let (left, softness) = given_up(pin, wanted(rows, first).length(), mobility, lightest, opt.dt);
    for k in first..first + 3 {
        rows.rewrite(k, rows.specs[k].target * left, softness);
    }
}

/// Kinetic energy of an island as the step begins, and of a fall over one step.
fn energies(model: &Model, data: &Data, rows: &Rows, island: usize, fall: f64) -> (f64, f64) {
    let trees =
        (0..model.trees.len()).filter(|&tree| rows.touched[tree] && rows.island_of_tree(tree) == island);
    trees.flat_map(|tree| model.trees[tree].clone()).fold((0.0, 0.0), |(energy, fallen), i| {
        let mass = model.links[i].inertia.mass;
        (energy + energy_of(model, data, i), fallen + 0.5 * mass * fall * fall)
    })
}

/// Makes pins soft that cannot have their way; whether there are any.
pub(crate) fn soften(
    model: &Model,
    data: &Data,
    act: &Actuation,
    opt: &StepOptions,
    rows: &mut Rows,
) -> bool {
    let is_maximal = rows.specs.iter().any(|spec| spec.cause == Cause::Joint);
    let mut any = false;
    for n in 0..rows.pinned.len() {
        let (first, index) = (rows.pinned[n].0 as usize, rows.pinned[n].1 as usize);
        if is_soft(rows, first) {
            continue;
        }
        let mobility = mobility(rows, first);
        let fall = model.gravity.length() * opt.dt;
        let energies = energies(model, data, rows, rows.island_of(first), fall);
        let mut tried = Tried { mobility, fall, energies, ..Tried::default() };
        for k in first..first + 3 {
            let spec = &rows.specs[k];
            let axis = axis(spec);
            let (x, after) = (rows.x[k], rows.rate_after(k));
            tried.wanted += axis * spec.target;
            tried.velocity[0] += axis * spec.rate(&rows.more, &data.velocity.body, &[]);
            tried.velocity[1] += axis * after;
            tried.impulse += axis * x;
            // What is at its bounds gives way as it is meant to.
            let slides = spec.friction.is_some_and(|(normal, mu)| {
                let across = rows.x[first + 1].hypot(rows.x[first + 2]);
                across >= REACHED * mu * rows.x[normal as usize]
            });
            if !slides && !is_at_bound(spec, x) {
                tried.short += axis * (spec.target - after);
            }
        }
        // Where joints are rows themselves the mobility is that of a body without what hangs on it, and says nothing about energy.
        if is_maximal {
            tried.mobility = 0.0;
        }
        if tried.is_in_vain() {
            give_up(model, act, opt, rows, first, index, mobility);
            any = true;
        }
    }
    any
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
    reports.take_vain(&memory);
    reports::forget(&mut memory);
    let per_time = 1.0 / opt.dt;
    let rows = &data.step.rows;
    let mut at = 0;
    while at < rows.specs.len() {
        let spec = &rows.specs[at];
        let same = |s: &RowSpec| s.cause == spec.cause && s.tag == spec.tag;
        let count = rows.specs[at..].iter().take_while(|s| same(s)).count();
        let own = (at..at + count).map(|k| (&rows.specs[k], rows.x[k]));
        let first = at;
        at += count;
        let index = spec.tag as usize;
        match spec.cause {
            Cause::Pin if index < act.pins.len() => {
                let pin = &act.pins[index];
                let mut part = pin_part(pin, data, v, own, per_time);
                part.gave_up = (first..at).step_by(3).any(|k| is_soft(rows, k));
                part.is_off = (first..at).step_by(3).any(|k| is_off(wanted(rows, k)));
                reports.add_pin(index, pin, &part, share);
                memory.push(Remembered {
                    kind: Kind::Pin,
                    key: pin.key,
                    force: part.force,
                    moment: part.moment,
                    in_vain: reports.pins[index].in_vain,
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
                memory.push(Remembered {
                    kind: Kind::Motor,
                    key: motor.key,
                    force,
                    moment: DVec3::ZERO,
                    in_vain: false,
                });
            }
            Cause::Own if index < act.rows.len() => {
                let report = &mut reports.rows[index];
                for (spec, x) in own {
                    let force = x * per_time;
                    report.force += force * share;
                    report.error = spec.target - spec.rate(&rows.more, &data.step.next_body, v);
                    report.at_bound |= is_at_bound(spec, x);
                    let (key, force) = (act.rows[index].key, DVec3::X * force);
                    memory.push(Remembered {
                        kind: Kind::Row,
                        key,
                        force,
                        moment: DVec3::ZERO,
                        in_vain: false,
                    });
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
