//! What drives a character, as scenes spell it.

use stuntlab_control::Gains;
use stuntlab_control::dynamo::{
    Application, Balance, DynamoOptions, FootLift, Frame, StunOptions, WeakSpring,
};
use stuntlab_control::fighter::{FighterOptions, HurtOptions, Style};

use super::SceneError;
use super::fields::Fields;

/// What drives a character.
#[derive(Clone, Debug, PartialEq)]
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
    /// A boxer above Dynamo, for the library's figure.
    Fighter(Box<FighterSpec>),
}

/// A fighter as scenes describe it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FighterSpec {
    /// Name of the character it fights.
    pub opponent: Option<String>,
    /// Seed of its chances; from the scene's seed and the character's name where absent.
    pub seed: Option<u64>,
    /// All else; bodies of the opponent and the seed are filled in when the scene is built.
    pub options: FighterOptions,
}

#[derive(Clone, Copy)]
enum Kind {
    None,
    Pose,
    Dynamo,
    Mocap,
    Fighter,
}

const KINDS: [(&str, Kind); 5] = [
    ("none", Kind::None),
    ("pose", Kind::Pose),
    ("dynamo", Kind::Dynamo),
    ("mocap", Kind::Mocap),
    ("fighter", Kind::Fighter),
];

impl ControllerSpec {
    /// Names scenes may use.
    pub const NAMES: [&'static str; 5] = ["none", "pose", "dynamo", "mocap", "fighter"];

    /// Name, as scenes spell it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Pose { .. } => "pose",
            Self::Dynamo(_) => "dynamo",
            Self::Mocap => "mocap",
            Self::Fighter(_) => "fighter",
        }
    }

    /// The controller of this name with its standard settings.
    pub fn by_name(name: &str) -> Option<Self> {
        match name {
            "none" => Some(Self::None),
            "pose" => Some(Self::Pose { gains: Gains::Inertia { stiffness: 400.0, damping: 40.0 } }),
            "dynamo" => Some(Self::Dynamo(DynamoOptions::default())),
            "mocap" => Some(Self::Mocap),
            "fighter" => Some(Self::Fighter(Box::default())),
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
        Kind::Fighter => ControllerSpec::Fighter(Box::new(read_fighter(&table)?)),
    };
    table.finish()?;
    Ok(spec)
}

fn read_fighter(table: &Fields<'_>) -> Result<FighterSpec, SceneError> {
    let (style, hurt) = (Style::default(), HurtOptions::default());
    let share = |key, usual: f64| match table.at_least_zero(key)? {
        Some(x) if x > 1.0 => Err(table.error(key, format!("is {x}, expected 0 to 1"))),
        x => Ok(x.unwrap_or(usual)),
    };
    let options = FighterOptions {
        dynamo: read_dynamo(table)?,
        autonomous: table.flag("autonomous")?.unwrap_or(true),
        style: Style {
            aggression: share("aggression", style.aggression)?,
            caution: share("caution", style.caution)?,
            ..style
        },
        hurt: HurtOptions { endurance: table.positive("endurance")?.unwrap_or(hurt.endurance), ..hurt },
        ..FighterOptions::default()
    };
    Ok(FighterSpec {
        opponent: table.text("opponent")?.map(str::to_owned),
        seed: table.count("seed", 0, u64::MAX >> 1)?,
        options,
    })
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

const APPLICATIONS: [(&str, Application); 5] = [
    ("external", Application::External),
    ("internal", Application::Internal),
    ("fully-internal", Application::FullyInternal),
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
