//! What scenes write about tracking by rates.

use std::sync::Arc;

use super::{PUBLISHED, Track, TrackOptions};
use crate::controller::Controller;
use crate::dynamo::{Balance, WeakSpring};
use crate::kind::{Casting, Kind, Maker, Refusal, Setting};
use crate::settings::{Fields, SettingError};
use crate::velocity::walk::{MUSCLE_KEYS, read_muscles};

/// The row of the kind.
pub const KIND: Kind = Kind {
    name: "velocity-track",
    help: "The character's motion by rates: motors with muscle limits on all joints, and an aid at the root (after Lligadas et al.)",
    keys: &[KEYS, MUSCLE_KEYS],
    commands: &[],
    readings: &PUBLISHED,
    read: |fields, _| Ok(Arc::new(read(fields)?)),
};

const KEYS: &[Setting] = &[
    Setting::new("floor", "0.1", "seconds over which an error goes"),
    Setting::new(
        "firmness",
        "5.0",
        "factor on the table of gains by body part, with which motors give way; 0: they are rigid",
    ),
    Setting::new(
        "balance",
        "\"weak-spring\"",
        "the root's aid, with the usual numbers of `dynamo`: `weak-spring`, `meathook`, `unpowered`",
    ),
];

/// Five times the reaction time of usual muscles, so that they follow (see [`crate::velocity::muscle`]); at 0.06 a walk falls.
const FLOOR: f64 = 0.1;
/// Three times the servos of a grown body: errors are a third of theirs, and it is as calm.
const FIRMNESS: f64 = 5.0;

impl Maker for TrackOptions {
    fn make(&self, casting: &Casting<'_>) -> Result<Box<dyn Controller>, Refusal> {
        let reference = (casting.reference)();
        let track = Track::new(casting.own.clone(), casting.model, casting.bodies, reference, *self);
        Ok(Box::new(track))
    }
}

fn read(table: &Fields<'_>) -> Result<TrackOptions, SettingError> {
    let weak = Balance::WeakSpring(WeakSpring::default());
    let words = [("weak-spring", weak), ("meathook", Balance::Meathook), ("unpowered", Balance::Unpowered)];
    Ok(TrackOptions {
        muscles: read_muscles(table)?,
        floor: table.positive("floor")?.unwrap_or(FLOOR),
        firmness: match table.at_least_zero("firmness")?.unwrap_or(FIRMNESS) {
            0.0 => f64::INFINITY,
            firmness => firmness,
        },
        balance: table.choice("balance", &words)?.unwrap_or(weak),
    })
}
