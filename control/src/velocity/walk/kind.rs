//! What scenes write about a walk.

use std::sync::Arc;

use super::{COMMANDS, PUBLISHED, Walk, WalkOptions};
use crate::controller::Controller;
use crate::kind::{Casting, Kind, Maker, Refusal, Setting};
use crate::settings::{Fields, SettingError};
use crate::velocity::drive::Muscles;
use crate::velocity::muscle::Ramp;
use crate::velocity::pins::Grip;

/// The row of the kind.
pub const KIND: Kind = Kind {
    name: "velocity-walk",
    help: "Walking by target states in time: rates as motors with muscle limits, feet pinned where they strike (Lligadas et al.)",
    keys: &[KEYS, MUSCLE_KEYS],
    commands: COMMANDS,
    readings: &PUBLISHED,
    read: |fields| Ok(Arc::new(read(fields)?)),
};

impl Maker for WalkOptions {
    fn make(&self, casting: &Casting<'_>) -> Result<Box<dyn Controller>, Refusal> {
        let walk = Walk::new(&casting.own, casting.model, casting.bodies, &casting.physique, *self)?;
        Ok(Box::new(walk))
    }
}

const KEYS: &[Setting] = &[
    Setting::new("step", "0.5", "length of a step, m"),
    Setting::new("speed", "0.8", "m/s; 0 stands"),
    Setting::new("grip", "\"bilateral\"", "`bilateral` (as published: pins pull), `unilateral`, `none`"),
    Setting::new("friction", "0.8", "of `unilateral` pins"),
    Setting::new("lift_share", "0.4", "of a step's time: until the other leg is bent"),
    Setting::new("load_share", "0.2", "of a step's time: both feet stand"),
    Setting::new("lift_hip", "0.5", "hip of the leg that swings, rad"),
    Setting::new("lift_knee", "1.25", "its knee, rad"),
    Setting::new("strike_pitch", "0.0", "pitch of the rear foot at the strike of a full step, rad"),
    Setting::new("strike_lean", "0.36", "lean of its calf, rad"),
    Setting::new("toe_off_pitch", "0.8", "pitch as it lets go, rad"),
    Setting::new("toe_off_lean", "0.6", "lean of its calf, rad"),
    Setting::new("floor", "0.04", "least time a way is spread over, s"),
    Setting::new(
        "balance",
        "true",
        "whether steps grow when the centre of mass leaves the middle of its base",
    ),
];

/// Keys of muscles.
pub(crate) const MUSCLE_KEYS: &[Setting] = &[
    Setting::new("muscles.strength", "1.0", "factor on the joints' effort limits"),
    Setting::new("muscles.reaction", "0.02", "seconds from nothing to all"),
    Setting::new(
        "muscles.ramp",
        "\"cap\"",
        "`cap` (as printed: forces grow so fast) or `rate` (and fall so fast)",
    ),
    Setting::new("muscles.lead", "0.0", "seconds over which an error of rate is taken away"),
    Setting::new(
        "muscles.drive",
        "\"motors\"",
        "`motors`, or `servos`: joint servos (stable PD) towards the same states in their place",
    ),
    Setting::new("muscles.servo_scale", "1.6", "of `servos`: factor on the table of gains by body part"),
    Setting::new("muscles.servo_damping", "0.1", "of `servos`: damping per stiffness, s"),
];

const RAMPS: [(&str, Ramp); 2] = [("cap", Ramp::Cap), ("rate", Ramp::Rate)];

#[derive(Clone, Copy)]
enum Hold {
    Bilateral,
    Unilateral,
    None,
}

const GRIPS: [(&str, Hold); 3] =
    [("bilateral", Hold::Bilateral), ("unilateral", Hold::Unilateral), ("none", Hold::None)];

/// Reads `muscles`.
pub(crate) fn read_muscles(table: &Fields<'_>) -> Result<Muscles, SettingError> {
    let usual = Muscles::default();
    let Some(own) = table.table("muscles")? else { return Ok(usual) };
    let muscles = Muscles {
        strength: own.positive("strength")?.unwrap_or(usual.strength),
        reaction: own.at_least_zero("reaction")?.unwrap_or(usual.reaction),
        ramp: own.choice("ramp", &RAMPS)?.unwrap_or(usual.ramp),
        lead: own.at_least_zero("lead")?.unwrap_or(usual.lead),
        servos: crate::velocity::servos::read(&own)?,
    };
    own.finish()?;
    Ok(muscles)
}

fn read(table: &Fields<'_>) -> Result<WalkOptions, SettingError> {
    let usual = WalkOptions::default();
    let number = |key, usual: f64| Ok::<_, SettingError>(table.number(key)?.unwrap_or(usual));
    let share = |key, usual: f64| Ok::<_, SettingError>(table.at_least_zero(key)?.unwrap_or(usual));
    let friction = table.at_least_zero("friction")?.unwrap_or(0.8);
    let grip = match table.choice("grip", &GRIPS)?.unwrap_or(Hold::Bilateral) {
        Hold::Bilateral => Grip::Bilateral,
        Hold::Unilateral => Grip::Unilateral { friction },
        Hold::None => Grip::None,
    };
    Ok(WalkOptions {
        muscles: read_muscles(table)?,
        grip,
        step: share("step", usual.step)?,
        speed: share("speed", usual.speed)?,
        shares: [share("lift_share", usual.shares[0])?, share("load_share", usual.shares[1])?],
        lift: [number("lift_hip", usual.lift[0])?, number("lift_knee", usual.lift[1])?],
        strike: [number("strike_pitch", usual.strike[0])?, number("strike_lean", usual.strike[1])?],
        toe_off: [number("toe_off_pitch", usual.toe_off[0])?, number("toe_off_lean", usual.toe_off[1])?],
        floor: table.positive("floor")?.unwrap_or(usual.floor),
        balance: table.flag("balance")?.unwrap_or(usual.balance),
    })
}
