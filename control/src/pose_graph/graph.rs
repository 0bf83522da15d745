//! A pose graph as data: states with target poses, and what leads from one to another.

use stuntlab_mocap::character::Bone;

use super::mirror::Mirror;
use crate::senses::Senses;

/// A graph: it begins in its first state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// The states.
    pub states: Vec<Stance>,
}

/// A state: a pose to strive for, and ways out of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Stance {
    /// Its name.
    pub name: String,
    /// The line it was read from; 0 for none.
    pub line: usize,
    /// The state it is the mirror image of. Then it has no poses and ways out of its own.
    pub mirror: Option<String>,
    /// Parts and their joints' coordinates, degrees: a rotation vector for a ball joint, angles for others. Parts that no
    /// state names are held where the character starts.
    pub pose: Vec<(String, Vec<f64>)>,
    /// Parts and their attitudes in the world as rotation vectors, degrees, about axes that turn with the pelvis' heading.
    pub world: Vec<(String, Vec<f64>)>,
    /// Factor on all stiffnesses.
    pub stiffness: f64,
    /// Factor on all dampings.
    pub damping: f64,
    /// Factors on both for some parts.
    pub gains: Vec<(String, f64)>,
    /// Seconds from the targets there were to those of this state.
    pub blend: f64,
    /// Ways out, the first that opens is taken.
    pub exits: Vec<Exit>,
}

impl Stance {
    /// A state without targets that nothing leads out of.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            line: 0,
            mirror: None,
            pose: Vec::new(),
            world: Vec::new(),
            stiffness: 1.0,
            damping: 1.0,
            gains: Vec::new(),
            blend: 0.2,
            exits: Vec::new(),
        }
    }

    /// The mirror image of another state.
    pub fn mirror_of(name: impl Into<String>, other: impl Into<String>) -> Self {
        Self { mirror: Some(other.into()), ..Self::new(name) }
    }

    /// The same with a joint's coordinates, degrees.
    #[must_use]
    pub fn posed(mut self, part: impl Into<String>, degrees: impl Into<Vec<f64>>) -> Self {
        self.pose.push((part.into(), degrees.into()));
        self
    }

    /// The same with a part's attitude in the world, degrees.
    #[must_use]
    pub fn facing(mut self, part: impl Into<String>, degrees: [f64; 3]) -> Self {
        self.world.push((part.into(), degrees.to_vec()));
        self
    }

    /// The same with other seconds of blending.
    #[must_use]
    pub fn blending(mut self, seconds: f64) -> Self {
        self.blend = seconds;
        self
    }

    /// The same with a way out after some seconds.
    #[must_use]
    pub fn lasting(self, seconds: f64, to: impl Into<String>) -> Self {
        self.leaving(Exit { to: to.into(), after: seconds, when: Event::Time })
    }

    /// The same with a way out.
    #[must_use]
    pub fn leaving(mut self, exit: Exit) -> Self {
        self.exits.push(exit);
        self
    }
}

/// A way out of a state.
#[derive(Clone, Debug, PartialEq)]
pub struct Exit {
    /// The state it leads to.
    pub to: String,
    /// Not before so many seconds in the state.
    pub after: f64,
    /// What opens it.
    pub when: Event,
}

/// What opens a way out.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// Nothing but time.
    Time,
    /// A part touches something.
    Touch(String),
    /// A part touches nothing.
    Lift(String),
    /// A number is above a mark.
    Above(Level, f64),
    /// A number is below a mark.
    Below(Level, f64),
}

/// A number that opens ways out.
#[derive(Clone, Debug, PartialEq)]
pub enum Level {
    /// Coordinate of a part's joint, degrees.
    Angle {
        /// The part.
        part: String,
        /// Which freedom, from 0; of a ball joint the component of its rotation vector.
        freedom: usize,
    },
    /// Distance of the centre of mass from the edge of the support, positive inside, m.
    Margin,
    /// The same of the capture point, m.
    CaptureMargin,
    /// Height of the pelvis over the ground, m.
    PelvisHeight,
    /// Angle between the trunk and the vertical, degrees.
    Lean,
}

/// Force that counts as a touch, N: less is a graze.
const TOUCH: f64 = 5.0;

/// An event with its part found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Trigger {
    Time,
    Touch { bone: Bone, wanted: bool },
    Level { what: Gauge, above: bool, mark: f64 },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Gauge {
    /// Degrees.
    Angle {
        bone: Bone,
        freedom: usize,
        sign: f64,
    },
    Margin,
    CaptureMargin,
    PelvisHeight,
    Lean,
}

impl Trigger {
    /// Whether it is so now; `angle` tells a joint's coordinate, rad. Without support there is no margin, and nothing below it either.
    pub(super) fn holds(&self, senses: &Senses, angle: impl Fn(Bone, usize) -> f64) -> bool {
        match *self {
            Self::Time => true,
            Self::Touch { bone, wanted } => {
                senses.touches().get(bone.index()).is_some_and(|t| (t.force().length() > TOUCH) == wanted)
            }
            Self::Level { what, above, mark } => {
                let now = match what {
                    Gauge::Angle { bone, freedom, sign } => Some(sign * angle(bone, freedom).to_degrees()),
                    Gauge::Margin => senses.margin(),
                    Gauge::CaptureMargin => senses.capture_margin(),
                    Gauge::PelvisHeight => Some(senses.pelvis_height()),
                    Gauge::Lean => Some(senses.trunk_up().angle_between(senses.up()).to_degrees()),
                };
                now.is_some_and(|now| if above { now > mark } else { now < mark })
            }
        }
    }

    /// The event of the other side.
    pub(super) fn mirrored(self, mirror: &Mirror) -> Self {
        match self {
            Self::Touch { bone, wanted } => Self::Touch { bone: mirror.partner(bone), wanted },
            Self::Level { what: Gauge::Angle { bone, freedom, sign }, above, mark } => {
                let what = Gauge::Angle {
                    bone: mirror.partner(bone),
                    freedom,
                    sign: sign * mirror.sign(bone, freedom),
                };
                Self::Level { what, above, mark }
            }
            other => other,
        }
    }
}
