//! What the solution says of pins, motors and rows, and of what passes through the joints.

use glam::DVec3;

use super::Convex;
use super::pins;
use super::rows::Source;
use crate::actuation::{Actuation, Term};
use crate::data::Data;
use crate::dynamics::impulse::Hit;
use crate::model::Model;
use crate::step::Reactions;
use crate::step::reports::{self, Kind, PinPart, Remembered, Reports};

/// Adds what pins, motors and rows did in a part that is the given share of the step, and remembers it.
pub(super) fn write(act: &Actuation, data: &mut Data, convex: &Convex, share: f64) {
    let per_time = 1.0 / convex.dt;
    let mut reports = core::mem::take(&mut data.reports);
    let mut memory = core::mem::take(&mut data.memory.efforts);
    reports.take_vain(&memory);
    reports::forget(&mut memory);
    for (k, row) in convex.rows.iter().enumerate() {
        match row.source {
            Source::Pin(index) => {
                let pin = &act.pins[index as usize];
                let push = row.law.normal.dot(row.impulse);
                let (lower, upper) = (row.law.along.lower, row.law.along.upper);
                let weld = convex.rows.get(k + 1).filter(|next| next.source == Source::Weld(index));
                let part = PinPart {
                    force: row.impulse * per_time,
                    moment: weld.map_or(DVec3::ZERO, |weld| weld.impulse * per_time),
                    error: convex.pin_errors[index as usize],
                    slips: row.slides,
                    at_bound: push <= lower || push >= upper,
                    gave_up: row.is_calm || weld.is_some_and(|weld| weld.is_calm),
                    is_off: pins::is_off(row.wanted())
                        || weld.is_some_and(|weld| pins::is_off(weld.wanted())),
                };
                reports.add_pin(index as usize, pin, &part, share);
                memory.push(Remembered {
                    kind: Kind::Pin,
                    key: pin.key,
                    force: part.force,
                    moment: part.moment,
                    in_vain: reports.pins[index as usize].in_vain,
                });
            }
            Source::Own(index) => {
                // The direction's length is the row's weight.
                let weight = own_weight(act, index);
                let impulse = row.law.normal.dot(row.impulse);
                let (lower, upper) = (row.law.along.lower, row.law.along.upper);
                let error = (row.law.along.target - row.law.normal.dot(row.velocity)) * weight;
                let part = (impulse / weight * per_time, error, impulse <= lower || impulse >= upper);
                add_row(act, index, part, share, &mut reports, &mut memory);
            }
            _ => {}
        }
    }
    for row in &convex.joints {
        let at_bound = row.impulse <= row.law.lower || row.impulse >= row.law.upper;
        match row.source {
            Source::Motor(index) => {
                let motor = &act.motors[index as usize];
                let first = motor.first() - row.first as usize;
                let k = (0..motor.count()).find(|k| row.direction[first + k] != 0.0).unwrap_or(0);
                let report = &mut reports.motors[index as usize];
                let force = row.impulse * per_time;
                report.force[k] += force * share;
                report.error[k] = row.law.target - row.velocity;
                report.at_bound |= at_bound;
                let key = motor.key;
                match memory.last_mut() {
                    Some(last) if (last.kind, last.key) == (Kind::Motor, key) => last.force[k] = force,
                    _ => {
                        let mut all = DVec3::ZERO;
                        all[k] = force;
                        memory.push(Remembered {
                            kind: Kind::Motor,
                            key,
                            force: all,
                            moment: DVec3::ZERO,
                            in_vain: false,
                        });
                    }
                }
            }
            Source::Own(index) => {
                let part = (row.impulse * per_time, row.law.target - row.velocity, at_bound);
                add_row(act, index, part, share, &mut reports, &mut memory);
            }
            _ => {}
        }
    }
    for term in &convex.combined {
        let force = term.impulse * per_time;
        match term.source {
            Source::Own(index) => {
                let part = (force.x, term.error().x, term.is_at_bound());
                add_row(act, index, part, share, &mut reports, &mut memory);
            }
            Source::Motor(index) => {
                let report = &mut reports.motors[index as usize];
                report.force += force * share;
                report.error = term.error();
                report.at_bound |= term.is_at_bound();
                let key = act.motors[index as usize].key;
                memory.push(Remembered {
                    kind: Kind::Motor,
                    key,
                    force,
                    moment: DVec3::ZERO,
                    in_vain: false,
                });
            }
            _ => {}
        }
    }
    reports::order(&mut memory);
    reports.end_part();
    data.memory.efforts = memory;
    data.reports = reports;
}

/// Adds a controller's own row: its force, what it lacks of its velocity, whether it is at a bound.
fn add_row(
    act: &Actuation,
    index: u32,
    (force, error, at_bound): (f64, f64, bool),
    share: f64,
    reports: &mut Reports,
    memory: &mut Vec<Remembered>,
) {
    let report = &mut reports.rows[index as usize];
    report.force += force * share;
    report.error = error;
    report.at_bound |= at_bound;
    let (kind, key) = (Kind::Row, act.rows[index as usize].key);
    memory.push(Remembered { kind, key, force: DVec3::X * force, moment: DVec3::ZERO, in_vain: false });
}

/// The weight of a row about a single point or spin.
fn own_weight(act: &Actuation, index: u32) -> f64 {
    match act.rows[index as usize].terms[0] {
        Some(Term::Point { direction, .. } | Term::Spin { direction, .. }) => direction.length(),
        _ => 1.0,
    }
}

/// Adds what passed through the joints in a part that is the given share of the step. The impulse at every body is the one that the
/// last residual left (`smooth.rs`).
pub(super) fn write_reactions(model: &Model, act: &Actuation, data: &mut Data, convex: &Convex, share: f64) {
    let per_time = 1.0 / convex.dt;
    let mut reactions = core::mem::replace(&mut data.reactions, Reactions::nothing());
    for tree in (0..model.trees.len()).filter(|&tree| !convex.is_asleep[tree] || data.step.told.is_idle(tree))
    {
        reactions.begin_tree(model, tree);
        for i in model.trees[tree].clone() {
            reactions.wrench[i] += (data.dynamics.body_force[i] * per_time + convex.flow_force[i]) * share;
            for k in model.bodies[i].v_range() {
                let along = if act.prescribed[i] {
                    data.dynamics.joint_force[k]
                } else {
                    let [force, gain] = convex.drive[k];
                    reactions.drive[k] += (force - gain * convex.v[k]) * share;
                    convex.forces.joint[k] - convex.forces.joint_gain[k] * convex.v[k]
                };
                reactions.along[k] += (along + convex.flow_along[k]) * share;
            }
        }
    }
    let Reactions { along, drive, motor, limit, .. } = &mut reactions;
    for row in &convex.joints {
        let force = row.impulse * per_time * share;
        row.push(model, force, along);
        match row.source {
            Source::Servo(_) => row.push(model, force, drive),
            Source::Limit => row.push(model, force, limit),
            _ => row.push(model, force, motor),
        }
    }
    for term in &convex.combined {
        for part in term.of(&convex.parts) {
            if let Hit::Freedom(k, scale) = part.hit
                && !act.prescribed[model.body_of_freedom(k).index()]
            {
                let force = term.impulse[part.component] * scale * per_time * share;
                along[k] += force;
                motor[k] += force;
            }
        }
    }
    data.reactions = reactions;
}
