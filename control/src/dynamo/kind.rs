//! What scenes write about a tracker.

use std::sync::Arc;

use super::{
    Application, Balance, COMMANDS, Dynamo, DynamoOptions, FootLift, Frame, PUBLISHED, Space, StunOptions,
    WeakSpring,
};
use crate::controller::Controller;
use crate::kind::{Casting, Kind, Maker, Refusal, Setting};
use crate::settings::{Fields, SettingError};

/// The row of the kind.
pub const KIND: Kind = Kind {
    name: "dynamo",
    help: "World-space tracking of the character's motion, or of its start pose where it has none (Wrotek et al. 2006)",
    keys: &[KEYS],
    commands: COMMANDS,
    readings: &PUBLISHED,
    read: |fields, _| Ok(Arc::new(read(fields)?)),
};

impl Maker for DynamoOptions {
    fn make(&self, casting: &Casting<'_>) -> Result<Box<dyn Controller>, Refusal> {
        Ok(Box::new(Dynamo::new(casting.own.clone(), (casting.reference)(), *self)))
    }
}

/// Keys of a tracker.
pub(crate) const KEYS: &[Setting] = &[
    Setting::new(
        "application",
        "\"world-external\"",
        "what bones strive for (their attitude in the world, or to their parent) and how torques act (from outside, or by the joints): \
         `world-external`, `world-internal`, `world-fully-internal`, `parent-external`, `parent-internal`, `parent-fully-internal`; \
         formerly `external`, `internal`, `fully-internal` and `parent-space`",
    ),
    Setting::new(
        "outside",
        "1.0",
        "share of external torques that comes from outside; the joints do the rest",
    ),
    Setting::new(
        "frame",
        "\"by-motion\"",
        "`by-motion`, `egocentric` (targets hang on the actual root) or `absolute`",
    ),
    Setting::new("frequency", "40.0", "rad/s, of every bone's spring"),
    Setting::new("damping_ratio", "1.0", "1 is critical"),
    Setting::new("balance", "\"weak-spring\"", "`weak-spring`, `meathook`, `unpowered`"),
    Setting::new("stiffness", "1000.0", "of the weak spring, N m/rad"),
    Setting::new("damping", "200.0", "of the weak spring, N m s/rad"),
    Setting::new("limit", "200.0", "largest moment of the weak spring, N m"),
    Setting::new("breaking", "600.0", "moment at which the weak spring breaks, N m"),
    Setting::new("airborne", "0.2", "share of the weak spring that is left in the air"),
    Setting::new(
        "patience",
        "0.1",
        "seconds over which the moment is averaged before it breaks the weak spring",
    ),
    Setting::new(
        "lean",
        "0.085",
        "arm of the whole weight at which the mean moment of a second breaks the weak spring, m",
    ),
    Setting::new("yaw_limit", "60.0", "largest moment that holds the heading, N m"),
    Setting::new("fade", "0.25", "seconds over which one motion fades into the next"),
    Setting::new("push", "1.0", "share of the motion's own load that legs push with; the paper has none"),
    Setting::new(
        "effort",
        "1.5",
        "largest torque from outside on a bone, of what its joints could turn it with; the paper has no bound",
    ),
    Setting::new(
        "waist",
        "1.0",
        "share of the trunk's stiffness with which the waist holds the pelvis, by the joint; the paper has none",
    ),
    Setting::new("foot_lift", "0.22", "how high feet that are caught are lifted at most, m"),
    Setting::new("foot_rate", "5.0", "how fast they are lifted, m/s"),
    Setting::new("foot_wary", "3.0", "seconds for which both feet step high after one was stopped"),
    Setting::new("stun.gather", "0.1", "seconds over which blows are gathered"),
    Setting::new("stun.least", "10.0", "impulse that is felt, N s"),
    Setting::new("stun.most", "60.0", "impulse that knocks out, N s"),
    Setting::new("stun.down", "0.08", "seconds in which strength goes"),
    Setting::new("stun.hold", "0.15", "seconds it stays away"),
    Setting::new("stun.unconscious", "3.0", "seconds it stays away when knocked out"),
    Setting::new("stun.recovery", "0.8", "seconds in which it comes back"),
    Setting::new("stun.broken", "0.5", "seconds in which it goes when the weak spring broke"),
];

/// The cells: targets by torques. The last four are the names they had before there were all of them.
const APPLICATIONS: [(&str, (Space, Application)); 10] = [
    ("world-external", (Space::World, Application::External)),
    ("world-internal", (Space::World, Application::Internal)),
    ("world-fully-internal", (Space::World, Application::FullyInternal)),
    ("parent-external", (Space::Parent, Application::External)),
    ("parent-internal", (Space::Parent, Application::Internal)),
    ("parent-fully-internal", (Space::Parent, Application::FullyInternal)),
    ("external", (Space::World, Application::External)),
    ("internal", (Space::World, Application::Internal)),
    ("fully-internal", (Space::World, Application::FullyInternal)),
    ("parent-space", (Space::Parent, Application::Internal)),
];

const FRAMES: [(&str, Frame); 3] =
    [("by-motion", Frame::ByMotion), ("egocentric", Frame::Egocentric), ("absolute", Frame::Absolute)];

#[derive(Clone, Copy)]
enum Root {
    Unpowered,
    Meathook,
    WeakSpring,
}

const BALANCES: [(&str, Root); 3] =
    [("weak-spring", Root::WeakSpring), ("meathook", Root::Meathook), ("unpowered", Root::Unpowered)];

pub(crate) fn read(table: &Fields<'_>) -> Result<DynamoOptions, SettingError> {
    let usual = DynamoOptions::default();
    let balance = match table.choice("balance", &BALANCES)?.unwrap_or(Root::WeakSpring) {
        Root::Unpowered => Balance::Unpowered,
        Root::Meathook => Balance::Meathook,
        Root::WeakSpring => Balance::WeakSpring(read_spring(table)?),
    };
    let (space, application) = read_cell(table)?;
    Ok(DynamoOptions {
        frequency: table.positive("frequency")?.unwrap_or(usual.frequency),
        damping_ratio: table.at_least_zero("damping_ratio")?.unwrap_or(usual.damping_ratio),
        space,
        application,
        frame: table.choice("frame", &FRAMES)?.unwrap_or(usual.frame),
        balance,
        yaw_limit: table.at_least_zero("yaw_limit")?.unwrap_or(usual.yaw_limit),
        aid: usual.aid,
        stun: read_stun(table)?,
        push: table.at_least_zero("push")?.unwrap_or(usual.push),
        effort: table.positive("effort")?.unwrap_or(usual.effort),
        waist: table.at_least_zero("waist")?.unwrap_or(usual.waist),
        foot_lift: FootLift {
            highest: table.at_least_zero("foot_lift")?.unwrap_or(usual.foot_lift.highest),
            rate: table.positive("foot_rate")?.unwrap_or(usual.foot_lift.rate),
            wary: table.at_least_zero("foot_wary")?.unwrap_or(usual.foot_lift.wary),
            ..usual.foot_lift
        },
        fade: table.at_least_zero("fade")?.unwrap_or(usual.fade),
    })
}

fn read_cell(table: &Fields<'_>) -> Result<(Space, Application), SettingError> {
    let usual = DynamoOptions::default();
    let (space, application) =
        table.choice("application", &APPLICATIONS)?.unwrap_or((usual.space, usual.application));
    let outside = table.at_least_zero("outside")?.unwrap_or(1.0);
    if outside > 1.0 {
        return Err(table.error("outside", format!("is {outside}, expected a share from 0 to 1")));
    }
    let partly = application == Application::External && outside < 1.0;
    Ok((space, if partly { Application::Partly(outside) } else { application }))
}

fn read_spring(table: &Fields<'_>) -> Result<WeakSpring, SettingError> {
    let usual = WeakSpring::default();
    let spring = WeakSpring {
        stiffness: table.at_least_zero("stiffness")?.unwrap_or(usual.stiffness),
        damping: table.at_least_zero("damping")?.unwrap_or(usual.damping),
        limit: table.positive("limit")?.unwrap_or(usual.limit),
        breaking: table.positive("breaking")?.unwrap_or(usual.breaking),
        airborne: table.at_least_zero("airborne")?.unwrap_or(usual.airborne),
        patience: table.at_least_zero("patience")?.unwrap_or(usual.patience),
        lean: table.positive("lean")?.unwrap_or(usual.lean),
    };
    if spring.breaking < spring.limit {
        let problem = format!("is {}, expected at least the limit of {}", spring.breaking, spring.limit);
        return Err(table.error("breaking", problem));
    }
    Ok(spring)
}

fn read_stun(table: &Fields<'_>) -> Result<StunOptions, SettingError> {
    let usual = StunOptions::default();
    let Some(stun) = table.table("stun")? else { return Ok(usual) };
    let seconds = |key, usual: f64| Ok::<_, SettingError>(stun.positive(key)?.unwrap_or(usual));
    let options = StunOptions {
        gather: stun.at_least_zero("gather")?.unwrap_or(usual.gather),
        least: stun.at_least_zero("least")?.unwrap_or(usual.least),
        most: stun.positive("most")?.unwrap_or(usual.most),
        down: seconds("down", usual.down)?,
        hold: seconds("hold", usual.hold)?,
        unconscious: seconds("unconscious", usual.unconscious)?,
        recovery: seconds("recovery", usual.recovery)?,
        broken: seconds("broken", usual.broken)?,
    };
    if options.most <= options.least {
        let problem = format!("is {}, expected more than the least of {}", options.most, options.least);
        return Err(stun.error("most", problem));
    }
    stun.finish()?;
    Ok(options)
}
