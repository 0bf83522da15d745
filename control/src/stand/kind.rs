//! What scenes write about one who stands.

use std::sync::Arc;

use super::{Stand, StandOptions, Standing, Sway};
use crate::controller::Controller;
use crate::gains::Gains;
use crate::kind::{Casting, Kind, Maker, Refusal, Setting};
use crate::settings::{Fields, SettingError};

pub(super) const COMMANDS: &[&str] = &["balance"];

/// The row of the kind.
pub const KIND: Kind = Kind {
    name: "stand",
    help: "The character's motion on its own two feet, without aids: joint servos, legs that balance, hips and arms (Mandel and Zordan)",
    keys: &[KEYS],
    commands: COMMANDS,
    readings: &super::PUBLISHED,
    read: |fields, _| Ok(Arc::new(StandMaker { options: read(fields)? })),
};

pub(crate) const KEYS: &[Setting] = &[
    Setting::new(
        "stiffness",
        "300.0",
        "of the servos per inertia that a joint carries, 1/s²: one spring for the figure",
    ),
    Setting::new("damping", "30.0", "the same of the damper, 1/s"),
    Setting::new("balance", "1.0", "factor on what legs give to balance; 0 leaves them to the servos"),
    Setting::new(
        "sway",
        "1.0",
        "how far hips go per metre that the soles are too short, rad/m; 0: ankles only",
    ),
    Setting::new("sway_hips", "0.25", "farthest that hips go, rad"),
    Setting::new("sway_arms", "2.0", "how many times as far arms swing"),
    Setting::new("sway_rate", "8.0", "fastest that they do, rad/s"),
    Setting::new("sway_back", "2.0", "fastest that they go back, rad/s"),
];

/// Reads what is written.
pub(crate) fn read(table: &Fields<'_>) -> Result<StandOptions, SettingError> {
    let usual = Sway::default();
    Ok(StandOptions {
        gains: Gains::Carried {
            stiffness: table.positive("stiffness")?.unwrap_or(300.0),
            damping: table.at_least_zero("damping")?.unwrap_or(30.0),
        },
        balance: table.at_least_zero("balance")?.unwrap_or(1.0),
        sway: Sway {
            gain: table.at_least_zero("sway")?.unwrap_or(usual.gain),
            hips: table.at_least_zero("sway_hips")?.unwrap_or(usual.hips),
            arms: table.at_least_zero("sway_arms")?.unwrap_or(usual.arms),
            rate: table.at_least_zero("sway_rate")?.unwrap_or(usual.rate),
            back: table.at_least_zero("sway_back")?.unwrap_or(usual.back),
        },
    })
}

#[derive(Debug)]
struct StandMaker {
    options: StandOptions,
}

impl Maker for StandMaker {
    fn make(&self, casting: &Casting<'_>) -> Result<Box<dyn Controller>, Refusal> {
        let stand = Stand::new(casting.own.clone(), &casting.physique, self.options)?;
        Ok(Box::new(Standing::new(stand, (casting.reference)())))
    }
}
