//! What drives a character, as scenes spell it.

use stuntlab_control::Gains;
use stuntlab_control::dynamo::{
    Application, Balance, DynamoOptions, FootLift, Frame, StunOptions, WeakSpring,
};

use super::SceneError;
use super::fields::Fields;

/// What drives a character.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ControllerSpec {
    /// Nothing.
    None,
    /// Joint servos that hold the start pose.
    Pose {
        /// How stiff.
        gains: Gains,
    },
    /// World-space tracking of the character's motion, or of its start pose where it has none.
    Dynamo(DynamoOptions),
    /// The character's motion, or its start pose, without simulation.
    Mocap,
}

#[derive(Clone, Copy)]
enum Kind {
    None,
    Pose,
    Dynamo,
    Mocap,
}

const KINDS: [(&str, Kind); 4] =
    [("none", Kind::None), ("pose", Kind::Pose), ("dynamo", Kind::Dynamo), ("mocap", Kind::Mocap)];

impl ControllerSpec {
    /// Names scenes may use.
    pub const NAMES: [&'static str; 4] = ["none", "pose", "dynamo", "mocap"];

    /// Name, as scenes spell it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Pose { .. } => "pose",
            Self::Dynamo(_) => "dynamo",
            Self::Mocap => "mocap",
        }
    }

    /// The controller of this name with its standard settings.
    pub fn by_name(name: &str) -> Option<Self> {
        match name {
            "none" => Some(Self::None),
            "pose" => Some(Self::Pose { gains: Gains::Inertia { stiffness: 400.0, damping: 40.0 } }),
            "dynamo" => Some(Self::Dynamo(DynamoOptions::default())),
            "mocap" => Some(Self::Mocap),
            _ => None,
        }
    }
}

/// Reads the table `controller` of a character.
pub(super) fn read(fields: &Fields<'_>) -> Result<ControllerSpec, SceneError> {
    let Some(table) = fields.table("controller")? else { return Ok(ControllerSpec::None) };
    let spec = match table.required_choice("kind", &KINDS)? {
        Kind::None => ControllerSpec::None,
        Kind::Pose => ControllerSpec::Pose { gains: read_gains(&table)? },
        Kind::Dynamo => ControllerSpec::Dynamo(read_dynamo(&table)?),
        Kind::Mocap => ControllerSpec::Mocap,
    };
    table.finish()?;
    Ok(spec)
}

fn read_gains(table: &Fields<'_>) -> Result<Gains, SceneError> {
    let words = [("table", false), ("inertia", true)];
    Ok(if table.choice("gains", &words)?.unwrap_or(true) {
        Gains::Inertia {
            stiffness: table.at_least_zero("stiffness")?.unwrap_or(400.0),
            damping: table.at_least_zero("damping")?.unwrap_or(40.0),
        }
    } else {
        Gains::Table { scale: table.at_least_zero("scale")?.unwrap_or(1.6) }
    })
}

const APPLICATIONS: [(&str, Application); 4] = [
    ("external", Application::External),
    ("internal", Application::Internal),
    ("parent-space", Application::ParentSpace),
    ("parent-space-explicit", Application::ParentSpaceExplicit),
];

const FRAMES: [(&str, Frame); 2] = [("egocentric", Frame::Egocentric), ("absolute", Frame::Absolute)];

#[derive(Clone, Copy)]
enum Root {
    Unpowered,
    Meathook,
    WeakSpring,
}

const BALANCES: [(&str, Root); 3] =
    [("weak-spring", Root::WeakSpring), ("meathook", Root::Meathook), ("unpowered", Root::Unpowered)];

fn read_dynamo(table: &Fields<'_>) -> Result<DynamoOptions, SceneError> {
    let usual = DynamoOptions::default();
    let balance = match table.choice("balance", &BALANCES)?.unwrap_or(Root::WeakSpring) {
        Root::Unpowered => Balance::Unpowered,
        Root::Meathook => Balance::Meathook,
        Root::WeakSpring => Balance::WeakSpring(read_spring(table)?),
    };
    Ok(DynamoOptions {
        frequency: table.positive("frequency")?.unwrap_or(usual.frequency),
        damping_ratio: table.at_least_zero("damping_ratio")?.unwrap_or(usual.damping_ratio),
        application: table.choice("application", &APPLICATIONS)?.unwrap_or(usual.application),
        frame: table.choice("frame", &FRAMES)?.unwrap_or(usual.frame),
        balance,
        yaw_limit: table.at_least_zero("yaw_limit")?.unwrap_or(usual.yaw_limit),
        stun: read_stun(table)?,
        foot_lift: FootLift {
            force: table.at_least_zero("foot_lift")?.unwrap_or(usual.foot_lift.force),
            ..usual.foot_lift
        },
        fade: table.at_least_zero("fade")?.unwrap_or(usual.fade),
    })
}

fn read_spring(table: &Fields<'_>) -> Result<WeakSpring, SceneError> {
    let usual = WeakSpring::default();
    let spring = WeakSpring {
        stiffness: table.at_least_zero("stiffness")?.unwrap_or(usual.stiffness),
        damping: table.at_least_zero("damping")?.unwrap_or(usual.damping),
        limit: table.positive("limit")?.unwrap_or(usual.limit),
        breaking: table.positive("breaking")?.unwrap_or(usual.breaking),
        airborne: table.at_least_zero("airborne")?.unwrap_or(usual.airborne),
        patience: table.at_least_zero("patience")?.unwrap_or(usual.patience),
    };
    if spring.breaking < spring.limit {
        let problem = format!("is {}, expected at least the limit of {}", spring.breaking, spring.limit);
        return Err(table.error("breaking", problem));
    }
    Ok(spring)
}

fn read_stun(table: &Fields<'_>) -> Result<StunOptions, SceneError> {
    let usual = StunOptions::default();
    let Some(stun) = table.table("stun")? else { return Ok(usual) };
    let seconds = |key, usual: f64| Ok::<_, SceneError>(stun.positive(key)?.unwrap_or(usual));
    let options = StunOptions {
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
