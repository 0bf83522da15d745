//! What scenes write about a walk.

use std::sync::Arc;

use super::{Balance, COMMANDS, PUBLISHED, Tone, Walk, WalkOptions};
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
    read: |fields, _| Ok(Arc::new(read(fields)?)),
};

impl Maker for WalkOptions {
    fn make(&self, casting: &Casting<'_>) -> Result<Box<dyn Controller>, Refusal> {
        let walk = Walk::new(&casting.own, casting.model, casting.bodies, &casting.physique, *self)?;
        Ok(Box::new(walk))
    }
}

const KEYS: &[Setting] = &[
    Setting::new(
        "mode",
        "\"pinned\"",
        "`pinned` (as published) or `honest` (contacts alone, feet where balance wants them): what is usual for all below, here for `pinned`",
    ),
    Setting::new("step", "0.5", "length of a step, m"),
    Setting::new("speed", "0.8", "m/s; 0 stands"),
    Setting::new("grip", "\"bilateral\"", "`bilateral` (as published: pins pull), `unilateral`, `none`"),
    Setting::new("friction", "0.8", "of `unilateral` pins"),
    Setting::new(
        "pin_strength",
        "",
        "of `bilateral` pins: largest force they bear, N; without bound where it is not written, as published",
    ),
    Setting::new("width", "0.21", "way between the feet, sideways, m"),
    Setting::new("lift_share", "0.3665", "of a step's time: until the other leg is bent"),
    Setting::new("load_share", "0.1944", "of a step's time: both feet stand"),
    Setting::new("lift_hip", "0.4558", "hip of the leg that swings, rad"),
    Setting::new("lift_knee", "1.181", "its knee, rad"),
    Setting::new("over", "0.05678", "how far over the ground a foot comes to where it is to strike, m"),
    Setting::new("lowering", "0.3256", "share of the time to reach out in which it is lowered"),
    Setting::new("stance_knee", "0.1087", "knee of the leg that stands, rad"),
    Setting::new("stance_ankle", "0.05606", "its ankle, toes up, rad"),
    Setting::new("strike_pitch", "0.0", "pitch of the rear foot at the strike of a full step, rad"),
    Setting::new("strike_lean", "0.2531", "lean of its calf, rad"),
    Setting::new("toe_off_pitch", "0.6486", "pitch as it lets go, rad"),
    Setting::new("toe_off_lean", "0.6454", "lean of its calf, rad"),
    Setting::new("floor", "0.03266", "least time a way is spread over, s"),
    Setting::new("lean", "-0.03646", "how far pelvis and trunk lean forward, rad"),
    Setting::new(
        "balance",
        "\"base\"",
        "`base` (as published: steps grow when the centre of mass leaves the middle of its base), `capture` (feet go where the fall that is left is that of the walk, sideways too), `none`",
    ),
    Setting::new("pressure", "0.05", "of `capture`: how far ahead of the ankle a foot bears on average, m"),
    Setting::new("apart_least", "0.08", "of `capture`: least way between the feet, sideways, m"),
    Setting::new("apart_most", "0.7", "of `capture`: largest, m"),
    Setting::new("reach_back", "0.5", "of `capture`: how far back a foot is placed at most, m"),
    Setting::new(
        "reach_ahead",
        "0.75",
        "of `capture`: how far ahead, m; where more is needed it strikes sooner",
    ),
    Setting::new(
        "hurry",
        "1.5",
        "of `capture`: how many times as fast a step may be taken that would be out of reach",
    ),
    Setting::new(
        "ankle_forward",
        "0.0",
        "of `capture`: how the foot that stands presses down ahead where the fall is not that of the walk, rad/m",
    ),
    Setting::new(
        "lift_forward",
        "0.0",
        "of `capture`: how much more the hip that is lifted bends then, rad/m",
    ),
    Setting::new("ankle_aside", "0.0", "of `capture`: the same as `ankle_forward` to the side, rad/m"),
    Setting::new(
        "sway_forward",
        "0.0",
        "of `capture`: how the pelvis and all above lean into such a fall, rad/m",
    ),
    Setting::new("sway_aside", "0.0", "of `capture`: the same to the side, rad/m"),
    Setting::new("passing", "0.0", "of `capture`: least way between feet that are side by side, m"),
    Setting::new(
        "eager",
        "1.0",
        "of `capture`: how many times as long as they shall be steps are asked for at first; it learns by how long they are",
    ),
    Setting::new(
        "tone.stance_hip",
        "",
        "torque per error of rate at most, N m s/rad: hip that holds the pelvis; rigid where it is not written, like all below",
    ),
    Setting::new("tone.swing_hip", "", "hip of the leg that swings"),
    Setting::new("tone.knee", "", "knees"),
    Setting::new("tone.stance_ankle", "", "ankle of the leg that stands"),
    Setting::new("tone.swing_ankle", "", "ankle of the leg that swings"),
    Setting::new("tone.trunk", "", "trunk"),
    Setting::new("tone.toe", "", "toes"),
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

const BALANCES: [(&str, Balance); 3] =
    [("base", Balance::Base), ("capture", Balance::Capture), ("none", Balance::None)];

/// Whether a mode does without pins.
const MODES: [(&str, bool); 2] = [("pinned", false), ("honest", true)];

fn read_tone(table: &Fields<'_>, usual: Tone) -> Result<Tone, SettingError> {
    let Some(own) = table.table("tone")? else { return Ok(usual) };
    let tone = |key, usual: f64| Ok::<_, SettingError>(own.positive(key)?.unwrap_or(usual));
    let read = Tone {
        stance_hip: tone("stance_hip", usual.stance_hip)?,
        swing_hip: tone("swing_hip", usual.swing_hip)?,
        knee: tone("knee", usual.knee)?,
        stance_ankle: tone("stance_ankle", usual.stance_ankle)?,
        swing_ankle: tone("swing_ankle", usual.swing_ankle)?,
        trunk: tone("trunk", usual.trunk)?,
        toe: tone("toe", usual.toe)?,
    };
    own.finish()?;
    Ok(read)
}

fn read(table: &Fields<'_>) -> Result<WalkOptions, SettingError> {
    let honest = table.choice("mode", &MODES)?.unwrap_or(false);
    let usual = if honest { WalkOptions::honest() } else { WalkOptions::default() };
    let number = |key, usual: f64| Ok::<_, SettingError>(table.number(key)?.unwrap_or(usual));
    let share = |key, usual: f64| Ok::<_, SettingError>(table.at_least_zero(key)?.unwrap_or(usual));
    let friction = table.at_least_zero("friction")?.unwrap_or(0.8);
    let strength = table.positive("pin_strength")?.unwrap_or(f64::INFINITY);
    let grip = match table.choice("grip", &GRIPS)? {
        None if honest => usual.grip,
        None => Grip::Bilateral { strength },
        Some(Hold::Bilateral) => Grip::Bilateral { strength },
        Some(Hold::Unilateral) => Grip::Unilateral { friction },
        Some(Hold::None) => Grip::None,
    };
    Ok(WalkOptions {
        muscles: read_muscles(table)?,
        tone: read_tone(table, usual.tone)?,
        grip,
        width: share("width", usual.width)?,
        step: share("step", usual.step)?,
        speed: share("speed", usual.speed)?,
        shares: [share("lift_share", usual.shares[0])?, share("load_share", usual.shares[1])?],
        lift: [number("lift_hip", usual.lift[0])?, number("lift_knee", usual.lift[1])?],
        lift_forward: number("lift_forward", usual.lift_forward)?,
        over: number("over", usual.over)?,
        lowering: share("lowering", usual.lowering)?,
        stance: [number("stance_knee", usual.stance[0])?, number("stance_ankle", usual.stance[1])?],
        strike: [number("strike_pitch", usual.strike[0])?, number("strike_lean", usual.strike[1])?],
        toe_off: [number("toe_off_pitch", usual.toe_off[0])?, number("toe_off_lean", usual.toe_off[1])?],
        floor: table.positive("floor")?.unwrap_or(usual.floor),
        lean: number("lean", usual.lean)?,
        balance: table.choice("balance", &BALANCES)?.unwrap_or(usual.balance),
        pressure: number("pressure", usual.pressure)?,
        reach: [number("reach_back", usual.reach[0])?, number("reach_ahead", usual.reach[1])?],
        hurry: number("hurry", usual.hurry)?.max(1.0),
        ankles: [number("ankle_forward", usual.ankles[0])?, number("ankle_aside", usual.ankles[1])?],
        apart: [number("apart_least", usual.apart[0])?, number("apart_most", usual.apart[1])?],
        sway: [number("sway_forward", usual.sway[0])?, number("sway_aside", usual.sway[1])?],
        passing: number("passing", usual.passing)?,
        eager: share("eager", usual.eager)?,
    })
}
