//! What pins, motors and rows did in a step, by key; and what is remembered of it for the next.

use glam::DVec3;

use crate::actuation::{Actuation, Key, Pin};
use crate::data::Data;

/// What a pin did.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct PinReport {
    /// Whose report this is.
    pub key: Key,
    /// Mean force on the pinned body over the step, world; it acts at the pinned point. Times the step's length it is the impulse.
    pub force: DVec3,
    /// Mean moment on the pinned body about the pinned point (welds), world. With the force it gives the centre of
    /// pressure of a foot that is welded to the ground.
    pub moment: DVec3,
    /// Distance of the pinned point from its anchor at the start of the step.
    pub error: f64,
    /// Mean pull against the push direction of its [`crate::actuation::Release`]; zero while it pushes or if there is none.
    pub tension: f64,
    /// Whether its friction was used up in the step.
    pub slips: bool,
    /// Whether any of its bounds was reached in the step: it may not hold what was asked of it.
    pub at_bound: bool,
    /// Whether its [`crate::actuation::Release`] says it must let go.
    pub let_go: bool,
    /// Whether it could not have its way, against a stop, the ground or another pin, and pulls softly until it is near its place.
    pub in_vain: bool,
}

/// What a motor did.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct MotorReport {
    /// Whose report this is.
    pub key: Key,
    /// Mean force per freedom over the step. Times the step's length it is the impulse.
    pub force: DVec3,
    /// Wanted minus reached rates.
    pub error: DVec3,
    /// Whether any of its bounds was reached in the step.
    pub at_bound: bool,
}

/// What a [`crate::actuation::Row`] did.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct RowForce {
    /// Whose report this is.
    pub key: Key,
    /// Mean force over the step. Times the step's length it is the impulse.
    pub force: f64,
    /// Wanted minus reached velocity.
    pub error: f64,
    /// Whether one of its bounds was reached in the step.
    pub at_bound: bool,
}

/// Reports of the last step, in the order in which things were written. Steps that are taken in parts are summed up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reports {
    /// How the pins fared.
    pub pins: Vec<PinReport>,
    /// How the motors fared.
    pub motors: Vec<MotorReport>,
    /// How rows fared.
    pub rows: Vec<RowForce>,
    /// Whether a part of the step was taken.
    begun: bool,
}

/// What kind of thing a key names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Pin,
    Motor,
    Row,
}

/// What is remembered of a pin, motor or row: the force it ended the step with, and a weld's moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Remembered {
    pub(crate) kind: Kind,
    pub(crate) key: Key,
    pub(crate) force: DVec3,
    pub(crate) moment: DVec3,
    /// Of a pin: see [`PinReport::in_vain`].
    pub(crate) in_vain: bool,
}

/// The last force and moment of something, none if it is new.
pub(crate) fn recall(memory: &[Remembered], kind: Kind, key: Key) -> Option<&Remembered> {
    memory.binary_search_by_key(&(kind, key), |r| (r.kind, r.key)).ok().map(|k| &memory[k])
}

/// What a pin did in a part of a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PinPart {
    pub(crate) force: DVec3,
    pub(crate) moment: DVec3,
    pub(crate) error: f64,
    pub(crate) slips: bool,
    pub(crate) at_bound: bool,
    /// Whether it has given up in this part; whether it wants more than a little.
    pub(crate) gave_up: bool,
    pub(crate) is_off: bool,
}

impl Reports {
    /// Before the first part of a step.
    pub(crate) fn begin(&mut self, act: &Actuation) {
        self.begun = false;
        self.pins.clear();
        self.pins.extend(act.pins.iter().map(|pin| PinReport { key: pin.key, ..PinReport::default() }));
        self.motors.clear();
        self.motors
            .extend(act.motors.iter().map(|motor| MotorReport { key: motor.key, ..MotorReport::default() }));
        self.rows.clear();
        self.rows.extend(act.rows.iter().map(|row| RowForce { key: row.key, ..RowForce::default() }));
    }

    /// Before what is remembered is forgotten: which pins could not have their way last time.
    pub(crate) fn take_vain(&mut self, memory: &[Remembered]) {
        for report in &mut self.pins {
            report.in_vain = recall(memory, Kind::Pin, report.key).is_some_and(|last| last.in_vain);
        }
    }

    /// Adds what a pin did in a part that is the given share of the step.
    pub(crate) fn add_pin(&mut self, index: usize, pin: &Pin, part: &PinPart, share: f64) {
        let begun = self.begun;
        let report = &mut self.pins[index];
        report.force += part.force * share;
        report.moment += part.moment * share;
        if !begun {
            report.error = part.error;
        }
        report.slips |= part.slips;
        report.in_vain = part.gave_up || report.in_vain && part.is_off;
        report.at_bound |= part.at_bound || part.slips;
        report.let_go |= part.at_bound || part.slips || pin.release.lets_go(part.force);
        let push = pin.release.push_direction.normalize_or_zero().dot(report.force);
        report.tension = (-push).max(0.0);
    }

    /// Ends a part of a step.
    pub(crate) fn end_part(&mut self) {
        self.begun = true;
    }
}

/// Starts to remember anew what acted.
pub(crate) fn forget(memory: &mut Vec<Remembered>) {
    memory.clear();
}

/// Remembers everything in the order of keys.
pub(crate) fn order(memory: &mut [Remembered]) {
    memory.sort_unstable_by_key(|r| (r.kind, r.key));
}

impl Data {
    /// How the pin called `key` fared in the last step; none if there was no such pin.
    pub fn report_of_pin(&self, key: Key) -> Option<&PinReport> {
        self.reports.pins.iter().find(|report| report.key == key)
    }

    /// How the motor called `key` fared in the last step; none if there was no such motor.
    pub fn report_of_motor(&self, key: Key) -> Option<&MotorReport> {
        self.reports.motors.iter().find(|report| report.key == key)
    }

    /// How the row called `key` fared in the last step; none if there was no such row.
    pub fn report_of_row(&self, key: Key) -> Option<&RowForce> {
        self.reports.rows.iter().find(|report| report.key == key)
    }
}
