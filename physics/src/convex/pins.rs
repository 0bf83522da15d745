//! Pins and welds as terms, with what they may hold inside the law.
//!
//! A pin wants to undo a share of its error per step, `û = -c e/h`. Along the direction in which its anchor may only push it pulls with
//! at most `tension`; across it holds at most `friction` times its push (that of the round before, as contacts do); and it holds
//! at most `force` either way. Pins of one body that contradict each other would have it turn by radians per step, and for ever; so
//! all of a body's pins are slowed down until no two of them want to change their distance by more than half of it in a step.
//!
//! A pin that cannot have its way gives up: it pulls softly and slowly, and goes on so until it is near its place. (With a new try in every step, pins on limbs
//! that reach for what is out of reach had their way now and then, at the price of hundreds of radians per second.)

use glam::DVec3;

use super::Convex;
use super::mobility::Mobility;
use super::rows::{Row, Source};
use crate::actuation::{Actuation, Anchor, Pin};
use crate::data::Data;
use crate::model::{Model, NONE};
use crate::spatial::rotation;
use crate::step::StepOptions;
use crate::step::reports::{Kind, Remembered, recall};

/// Softness of pins relative to what they act on: of pins that contradict each other none shall win by rounding.
pub(crate) const HARD: f64 = 1e-5;

/// The same of a pin that cannot have its way, see [`soften`]: it pulls with the impulse that would give its point the speed it wants
/// if nothing else held that.
const SOFT: f64 = 1.0;

/// A pin cannot have its way if it falls short by more than this share of the speed it wants.
const SHORT: f64 = 0.1;

/// Speeds below this, m/s or rad/s, are what a load presses pins away by, not a contradiction.
const SLOW: f64 = 0.05;

/// Largest change of the distance between two pins of a body that a step may want, as a share of it.
const MOST_CHANGE: f64 = 0.5;

/// Fastest that a pin pulls a body that is far from its place, m/s: three times sound.
const FASTEST: f64 = 1000.0;

/// A pin spends too much if it gives this many times the energy that moves its point, alone, at the speed it wants, and that of a fall of its
/// island over one step. One along a limb that is all but stretched can have its way, by a turn of hundreds of radians per second that lengthens the limb
/// by what is left of the bend.
const SPENDS: f64 = 4.0;

/// What it may give besides, of the kinetic energy of its island: in a net of pins that something falls into, each passes on what all of
/// the others hold.
const PASSED_ON: f64 = 0.1;

/// Fastest that a pin pulls that could not have its way, m/s or rad/s. Once it wants no more than that, it tries again, at [`SLOW`] until it is there.
const PATIENT: f64 = 1.0;

/// Time in which a pin that cannot have its way undoes its error at the soonest, s: how hard it pulls shall not hang on the step.
const UNHURRIED: f64 = 1.0 / 24.0;

/// Where a pin's point is, where it should be, by how much the body is turned away, and the other body.
fn errors(pin: &Pin, data: &Data) -> (DVec3, DVec3, DVec3, Option<usize>) {
    let pose = &data.position.world_from_body[pin.body.index()];
    let point = pose.transform_point(pin.point);
    let (goal, turn, other) = match pin.anchor {
        Anchor::World { point, rotation } => (point, rotation, None),
        Anchor::Body { body, point, rotation } => {
            let other = &data.position.world_from_body[body.index()];
            (other.transform_point(point), other.quaternion() * rotation, Some(body.index()))
        }
    };
    let twisted = if pin.weld { rotation::log(pose.quaternion() * turn.conjugate()) } else { DVec3::ZERO };
    (point, goal, twisted, other)
}

/// How far a pin's point is from its place, m.
pub(super) fn distance(pin: &Pin, data: &Data) -> f64 {
    let (point, goal, ..) = errors(pin, data);
    point.distance(goal)
}

/// Share of what a pin would undo of its error that it may, beside the other pins of its body.
fn share(pin: &Pin, data: &Data, act: &Actuation) -> f64 {
    let (here, goal, ..) = errors(pin, data);
    let mut share = 1.0_f64;
    for other in act.pins.iter().filter(|other| other.body == pin.body && !core::ptr::eq(*other, pin)) {
        let (there, wanted, ..) = errors(other, data);
        let change = (goal - here) * pin.correction - (wanted - there) * other.correction;
        let (apart, change) = (here.distance(there), change.length());
        // Pins at one place turn nothing.
        if apart > 0.0 && change > MOST_CHANGE * apart {
            share = share.min(MOST_CHANGE * apart / change);
        }
    }
    share
}

/// What a pin wants: velocity of its point and spin of its body, relative to the anchor.
pub(crate) fn wants(pin: &Pin, data: &Data, act: &Actuation, dt: f64) -> (DVec3, DVec3) {
    let (point, goal, twisted, _) = errors(pin, data);
    let rate = pin.correction / dt * share(pin, data, act);
    let last = recall(&data.memory.efforts, Kind::Pin, pin.key);
    let slowed = |wanted: DVec3| match last {
        Some(last) if last.in_vain && wanted.length() <= PATIENT => wanted.clamp_length_max(SLOW),
        _ => wanted,
    };
    (slowed(((point - goal) * -rate).clamp_length_max(FASTEST)), slowed(twisted * -rate))
}

/// How far a pin got: all in m/s or rad/s, and Ns.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tried {
    /// What it wants.
    pub(crate) wanted: DVec3,
    /// By how much it falls short where nothing bounds it.
    pub(crate) short: DVec3,
    /// Velocity before the step and after it.
    pub(crate) velocity: [DVec3; 2],
    pub(crate) impulse: DVec3,
    /// Mean velocity per impulse at its point.
    pub(crate) mobility: f64,
    /// What gravity adds to a velocity in the step.
    pub(crate) fall: f64,
    /// Kinetic energy of its island as the step begins, and of a fall of it over one step, J.
    pub(crate) energies: (f64, f64),
}

impl Tried {
    /// Whether it cannot have its way, or only by throwing what it holds about.
    pub(crate) fn is_in_vain(&self) -> bool {
        let (wanted, short) = (self.wanted.length(), self.short.length());
        let gave = 0.5 * self.impulse.dot(self.velocity[0] + self.velocity[1]);
        let speed = wanted + self.fall + SLOW;
        let allowed = PASSED_ON * self.energies.0 + SPENDS * self.energies.1;
        (short > SLOW && short > SHORT * wanted)
            || (gave - allowed) * self.mobility > 0.5 * SPENDS * speed * speed
    }
}

/// What is left of what a pin wants once it is soft. With a softness larger by as much it is the same spring and damper at every rate.
fn unhurried(pin: &Pin, dt: f64) -> f64 {
    (dt / (UNHURRIED * pin.correction.max(f64::MIN_POSITIVE))).min(1.0)
}

/// How a pin goes on that has given up: the share that is left of what it wants, and its softness. `lightest` is the velocity per impulse of all that hangs
/// on it, in one piece: near a joint nothing gives way, and as soft as that it would press as hard as before.
pub(crate) fn given_up(pin: &Pin, wanted: f64, mobility: f64, lightest: f64, dt: f64) -> (f64, f64) {
    let left = unhurried(pin, dt);
    (left.min(PATIENT / wanted.max(f64::MIN_POSITIVE)), SOFT * mobility.max(lightest) / left)
}

/// Velocity per impulse of the trees a pin holds, each in one piece; no bound for a weld's turn.
pub(crate) fn lightest(model: &Model, body: usize, other: Option<usize>) -> f64 {
    1.0 / model.tree_mass[body] + other.map_or(0.0, |b| 1.0 / model.tree_mass[b])
}

/// Whether a pin wants as much as one may that tries again.
pub(crate) fn is_off(wanted: DVec3) -> bool {
    wanted.length() > 0.99 * SLOW
}

/// Whether a pin that could not have its way last time is still far from it.
pub(crate) fn is_still_in_vain(last: Option<&Remembered>, wanted: DVec3) -> bool {
    last.is_some_and(|last| last.in_vain) && wanted.length() > PATIENT
}

/// Adds the rows of all pins; those of trees that are not in this round are given back what they were (`again.rs`).
pub(super) fn push(model: &Model, data: &Data, act: &Actuation, opt: &StepOptions, convex: &mut Convex) {
    convex.pin_errors.resize(act.pins.len(), 0.0);
    for (index, pin) in act.pins.iter().enumerate() {
        let (point, goal, _, other) = errors(pin, data);
        if convex.is_in_round[model.tree_number(pin.body)] {
            convex.pin_errors[index] = point.distance(goal);
        }
        let (wanted, wanted_spin) = wants(pin, data, act, opt.dt);
        let arm = |b: usize| point - data.position.world_from_body[b].translation;
        let along = pin.release.push_direction.try_normalize();
        let normal = along.unwrap_or(DVec3::Z);
        let mut row = Row::new(Source::Pin(index as u32), pin.body.index(), other, normal);
        row.arm_a = arm(pin.body.index());
        row.arm_b = other.map_or(DVec3::ZERO, arm);
        row.law.along.target = normal.dot(wanted);
        row.law.target = wanted - normal * row.law.along.target;
        let most = pin.release.force * opt.dt;
        let pull = if along.is_some() { pin.release.tension * opt.dt } else { f64::INFINITY };
        (row.law.along.lower, row.law.along.upper) = (-pull.min(most), most);
        let last = recall(&data.memory.efforts, Kind::Pin, pin.key);
        let pressed = last.map_or(0.0, |r| r.force.dot(normal) * opt.dt);
        row.law.bound = bound(pin, pressed, most);
        row.is_calm = is_still_in_vain(last, wanted);
        convex.rows.push(row);
        if pin.weld {
            let mut row = Row::new(Source::Weld(index as u32), pin.body.index(), other, normal);
            row.spins = true;
            row.law.along.target = normal.dot(wanted_spin);
            row.law.target = wanted_spin - normal * row.law.along.target;
            (row.law.along.lower, row.law.along.upper) = (f64::NEG_INFINITY, f64::INFINITY);
            row.law.bound = f64::INFINITY;
            row.is_calm = is_still_in_vain(last, wanted_spin);
            convex.rows.push(row);
        }
    }
}

/// Largest impulse across the push direction.
fn bound(pin: &Pin, pressed: f64, most: f64) -> f64 {
    if pin.release.push_direction == DVec3::ZERO || pin.release.friction.is_infinite() {
        most
    } else {
        most.min(pin.release.friction * pressed.max(0.0))
    }
}

/// Writes the softness of a pin's or weld's row once mobilities are known.
pub(super) fn write_law(model: &Model, act: &Actuation, row: &mut Row, known: &[Mobility], dt: f64) {
    let mean = |body: u32, arm: DVec3| {
        let m = &known[body as usize];
        let all = DVec3::AXES.map(|axis| if row.spins { m.spin_along(axis) } else { m.along(arm, axis) });
        all.iter().sum::<f64>() / 3.0
    };
    let other = if row.b == NONE { 0.0 } else { mean(row.b, row.arm_b) };
    row.mobility = (mean(row.a, row.arm_a) + other).max(f64::MIN_POSITIVE);
    if row.is_immovable() {
        return row.law.rest();
    }
    row.law.softness = HARD * row.mobility;
    row.law.along.softness = row.law.softness;
    if row.is_calm {
        give_up(model, act, row, dt);
    }
}

/// Makes a pin's or weld's row soft and slow.
fn give_up(model: &Model, act: &Actuation, row: &mut Row, dt: f64) {
    let (Source::Pin(index) | Source::Weld(index)) = row.source else { return };
    let other = (row.b != NONE).then_some(row.b as usize);
    let lightest = if row.spins { 0.0 } else { lightest(model, row.a as usize, other) };
    let wanted = row.wanted().length();
    let (left, softness) = given_up(&act.pins[index as usize], wanted, row.mobility, lightest, dt);
    (row.law.softness, row.law.along.softness) = (softness, softness);
    row.law.target *= left;
    row.law.along.target *= left;
    row.is_calm = true;
}

/// Makes pins soft that cannot have their way, as against a stop, the ground or another pin: hard as they are they would press with
/// ten thousand times the impulse that moves what they hold, and what cancels of that would drown all else. Whether there are any.
pub(super) fn soften(
    model: &Model,
    data: &Data,
    act: &Actuation,
    rows: &mut [Row],
    island: &[u32],
    energies: (f64, f64),
    dt: f64,
) -> bool {
    let mut any = false;
    for &k in island {
        let row = &mut rows[k as usize];
        let (Source::Pin(_) | Source::Weld(_)) = row.source else { continue };
        if row.is_calm || row.is_immovable() {
            continue;
        }
        let (n, along) = (row.law.normal, &row.law.along);
        let wanted = row.wanted();
        // What is at its bounds gives way as it is meant to.
        let mut short = wanted - row.velocity;
        let pressed = n.dot(row.impulse);
        if pressed <= along.lower || pressed >= along.upper {
            short -= n * n.dot(short);
        }
        if row.slides {
            short = n * n.dot(short);
        }
        let velocity = [row.relative(&data.velocity.body), row.velocity];
        let (impulse, mobility, fall) = (row.impulse, row.mobility, model.gravity.length() * dt);
        if (Tried { wanted, short, velocity, impulse, mobility, fall, energies }).is_in_vain() {
            give_up(model, act, row, dt);
            any = true;
        }
    }
    any
}

/// Bounds friction of pins by the push just found; whether that changes anything that would show.
pub(super) fn renew_bounds(act: &Actuation, rows: &mut [Row], island: &[u32], opt: &StepOptions) -> bool {
    let mut changed = false;
    for &k in island {
        let row = &mut rows[k as usize];
        if let Source::Pin(index) = row.source
            && !row.is_immovable()
        {
            let pin = &act.pins[index as usize];
            let before = row.law.bound;
            row.law.bound = bound(pin, row.law.normal.dot(row.impulse), pin.release.force * opt.dt);
            changed |= (row.law.bound - before).abs() > super::contacts::SETTLED * row.law.bound;
        }
    }
    changed
}
