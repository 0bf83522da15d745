//! What scenes write about a gait.

use std::sync::Arc;

use super::gait::{GAITS, Gait, Pose, Sideways, Strengths};
use super::{COMMANDS, Simbicon, SimbiconOptions};
use crate::controller::Controller;
use crate::kind::{Casting, Kind, Maker, Refusal, Setting};
use crate::settings::{Fields, SettingError};
use crate::velocity::walk::{MUSCLE_KEYS, read_muscles};
use crate::walking::STRIDE;

/// The row of the kind.
pub const KIND: Kind = Kind {
    name: "simbicon",
    help: "Walking by joint servos through published states, with feedback of balance on the swing hip (Yin et al. 2007)",
    keys: &[KEYS, MUSCLE_KEYS],
    commands: COMMANDS,
    readings: &STRIDE,
    read: |fields, _| Ok(Arc::new(read(fields)?)),
};

impl Maker for SimbiconOptions {
    fn make(&self, casting: &Casting<'_>) -> Result<Box<dyn Controller>, Refusal> {
        Ok(Box::new(Simbicon::new(casting.model, casting.bodies, &casting.physique, *self)?))
    }
}

const KEYS: &[Setting] = &[
    Setting::new(
        "gait",
        "\"walk\"",
        "`walk`, `plane-walk`, `fast-walk`, `in-place`, `backward`, `high-step`, `crouch`, `slow-run`, `fast-run`: a published table",
    ),
    Setting::new("speed", "0.0", "of `cv`: velocity forward that is fed back as none, m/s"),
    Setting::new(
        "time",
        "",
        "seconds of the first state; the table's where it is not written, like all below",
    ),
    Setting::new("up.cd", "", "first state: feedback of distance, rad/m"),
    Setting::new("up.cv", "", "of velocity, rad s/m"),
    Setting::new("up.torso", "", "trunk and pelvis, rad; forward is negative"),
    Setting::new("up.swing_hip", "", "rad; flexion is positive"),
    Setting::new("up.swing_knee", "", "rad; flexion is negative"),
    Setting::new("up.swing_ankle", "", "rad; toes up is positive"),
    Setting::new("up.stance_knee", "", "rad"),
    Setting::new("up.stance_ankle", "", "rad"),
    Setting::new("down.cd", "", "second state: the same"),
    Setting::new("down.cv", "", "rad s/m"),
    Setting::new("down.torso", "", "rad"),
    Setting::new("down.swing_hip", "", "rad"),
    Setting::new("down.swing_knee", "", "rad"),
    Setting::new("down.swing_ankle", "", "rad"),
    Setting::new("down.stance_knee", "", "rad"),
    Setting::new("down.stance_ankle", "", "rad"),
    Setting::new("sideways.outward", "0.06", "how far outward the swing leg is held, rad"),
    Setting::new("sideways.cd", "0.55", "feedback of distance, rad/m"),
    Setting::new("sideways.cv", "0.3", "of velocity, rad s/m"),
    Setting::new("gains.torso", "1000.0", "pelvis, by the hip of the leg that stands, N m/rad"),
    Setting::new("gains.hip", "1000.0", "N m/rad"),
    Setting::new("gains.knee", "300.0", "N m/rad"),
    Setting::new("gains.ankle", "300.0", "N m/rad"),
    Setting::new("gains.inversion", "30.0", "ankles sideways and about the shank, N m/rad"),
    Setting::new("gains.trunk", "300.0", "N m/rad"),
    Setting::new("gains.toe", "30.0", "N m/rad"),
    Setting::new("gains.damping", "0.1", "damping per stiffness, s"),
    Setting::new(
        "drive",
        "\"servos\"",
        "`servos`, or `muscles`: motors as soft as the servos, within muscle limits",
    ),
];

fn read(table: &Fields<'_>) -> Result<SimbiconOptions, SettingError> {
    let mut gait: Gait = table.choice("gait", &GAITS)?.unwrap_or(GAITS[0].1);
    gait.time = table.positive("time")?.unwrap_or(gait.time);
    if let Some(up) = table.table("up")? {
        gait.up = read_pose(up, gait.up)?;
    }
    if let Some(down) = table.table("down")? {
        gait.down = Some(read_pose(down, gait.down.unwrap_or(gait.up))?);
    }
    let mut sideways = Sideways::default();
    if let Some(own) = table.table("sideways")? {
        sideways = Sideways {
            outward: own.number("outward")?.unwrap_or(sideways.outward),
            cd: own.number("cd")?.unwrap_or(sideways.cd),
            cv: own.number("cv")?.unwrap_or(sideways.cv),
        };
        own.finish()?;
    }
    let mut gains = Strengths::default();
    if let Some(own) = table.table("gains")? {
        let gain = |key, usual: f64| Ok::<_, SettingError>(own.at_least_zero(key)?.unwrap_or(usual));
        gains = Strengths {
            torso: gain("torso", gains.torso)?,
            hip: gain("hip", gains.hip)?,
            knee: gain("knee", gains.knee)?,
            ankle: gain("ankle", gains.ankle)?,
            inversion: gain("inversion", gains.inversion)?,
            trunk: gain("trunk", gains.trunk)?,
            toe: gain("toe", gains.toe)?,
            damping: gain("damping", gains.damping)?,
        };
        own.finish()?;
    }
    let muscles = read_muscles(table)?;
    let by_rates = table.choice("drive", &[("servos", false), ("muscles", true)])?.unwrap_or(false);
    Ok(SimbiconOptions {
        gait,
        sideways,
        gains,
        speed: table.number("speed")?.unwrap_or(0.0),
        muscles: by_rates.then_some(muscles),
    })
}

fn read_pose(table: Fields<'_>, usual: Pose) -> Result<Pose, SettingError> {
    let number = |key, usual: f64| Ok::<_, SettingError>(table.number(key)?.unwrap_or(usual));
    let pose = Pose {
        cd: number("cd", usual.cd)?,
        cv: number("cv", usual.cv)?,
        torso: number("torso", usual.torso)?,
        swing_hip: number("swing_hip", usual.swing_hip)?,
        swing_knee: number("swing_knee", usual.swing_knee)?,
        swing_ankle: number("swing_ankle", usual.swing_ankle)?,
        stance_knee: number("stance_knee", usual.stance_knee)?,
        stance_ankle: number("stance_ankle", usual.stance_ankle)?,
    };
    table.finish()?;
    Ok(pose)
}
