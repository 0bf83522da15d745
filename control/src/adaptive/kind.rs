//! What scenes write about a character that answers what disturbs it.

use std::sync::Arc;

use super::published::PUBLISHED;
use super::{Adaptive, AdaptiveOptions, Estimate, GiveUp};
use crate::controller::Controller;
use crate::kind::{Casting, Kind, Maker, Refusal, Setting};
use crate::settings::{Fields, SettingError};

pub(super) const COMMANDS: &[&str] = &["threshold", "local", "global", "steps", "free", "fall"];

/// The row of the kind.
pub const KIND: Kind = Kind {
    name: "adaptive",
    help: "The character's motion played back until something touches it; then joints that matter are simulated, the whole body answers, and it steps (Nguyen et al.)",
    keys: &[KEYS],
    commands: COMMANDS,
    readings: &PUBLISHED,
    read: |fields, _| Ok(Arc::new(read(fields)?)),
};

const KEYS: &[Setting] = &[
    Setting::new(
        "threshold",
        "0.25",
        "ε: torque of the disturbance over that of the motion from which a joint is simulated",
    ),
    Setting::new(
        "estimate",
        "\"jointwise\"",
        "what the motion's joints bear: `jointwise` as published, or `rnea`, its full inverse dynamics",
    ),
    Setting::new("local", "true", "whether joints are simulated at all"),
    Setting::new("everything", "false", "whether all are at the first touch"),
    Setting::new("most", "", "joints that may be simulated at once; all where it is not written"),
    Setting::new("keep", "[]", "bones that never are"),
    Setting::new("frequency", "16.0", "of the tracker of simulated joints, rad/s"),
    Setting::new("damping_ratio", "0.8", "of the tracker"),
    Setting::new("global", "true", "whether the whole body answers"),
    Setting::new("balance", "0.8", "frequency of its balance, Hz"),
    Setting::new("righting", "1.0", "frequency of its righting, Hz"),
    Setting::new("friction", "0.8", "of the ground, as it takes it to be"),
    Setting::new("farthest", "0.18", "how far its centre of mass goes without a step, m"),
    Setting::new("tilt_deg", "22.0", "how far it leans"),
    Setting::new("steps", "true", "whether it steps"),
    Setting::new("step_time", "0.38", "seconds of a step"),
    Setting::new("step_height", "0.09", "m"),
    Setting::new("longest_step", "0.8", "m; who would need a longer one gives up"),
    Setting::new("give_up", "\"ragdoll\"", "`ragdoll`, `dynamo` (world-space tracking) or `never`"),
];

const GIVE_UPS: [(&str, GiveUp); 3] =
    [("ragdoll", GiveUp::Ragdoll), ("dynamo", GiveUp::Dynamo), ("never", GiveUp::Never)];

const ESTIMATES: [(&str, Estimate); 2] = [("jointwise", Estimate::Jointwise), ("rnea", Estimate::Rnea)];

impl Maker for AdaptiveOptions {
    fn make(&self, casting: &Casting<'_>) -> Result<Box<dyn Controller>, Refusal> {
        let reference = (casting.reference)();
        Ok(Box::new(Adaptive::new(casting.own.clone(), &casting.physique, reference, self.clone())?))
    }
}

fn read(table: &Fields<'_>) -> Result<AdaptiveOptions, SettingError> {
    let mut o = AdaptiveOptions::default();
    let flag = |key, to: &mut bool| {
        *to = table.flag(key)?.unwrap_or(*to);
        Ok::<_, SettingError>(())
    };
    let number = |key, to: &mut f64| {
        *to = table.at_least_zero(key)?.unwrap_or(*to);
        Ok::<_, SettingError>(())
    };
    number("threshold", &mut o.threshold)?;
    o.estimate = table.choice("estimate", &ESTIMATES)?.unwrap_or(o.estimate);
    flag("local", &mut o.local)?;
    flag("everything", &mut o.everything)?;
    o.most = table.count("most", 0, 1000)?.map_or(o.most, |n| n as usize);
    o.keep = table.texts("keep")?;
    number("frequency", &mut o.frequency)?;
    number("damping_ratio", &mut o.damping_ratio)?;
    flag("global", &mut o.global)?;
    number("balance", &mut o.whole.balance)?;
    number("righting", &mut o.whole.righting)?;
    number("friction", &mut o.whole.friction)?;
    number("farthest", &mut o.whole.farthest)?;
    o.whole.tilt = table.at_least_zero("tilt_deg")?.map_or(o.whole.tilt, f64::to_radians);
    flag("steps", &mut o.steps)?;
    o.stepping.seconds = table.positive("step_time")?.unwrap_or(o.stepping.seconds);
    number("step_height", &mut o.stepping.height)?;
    number("longest_step", &mut o.stepping.longest)?;
    o.give_up = table.choice("give_up", &GIVE_UPS)?.unwrap_or(o.give_up);
    Ok(o)
}
