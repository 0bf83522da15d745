//! The trait every controller implements, and what it gets to see.

use std::fmt;
use std::sync::Arc;

use stuntlab_mocap::character::Bone;
use stuntlab_physics::model::Body;
use stuntlab_physics::{Actuation, Bodies, BodyId, Data, Model, State, Tree};

use crate::chronicle::Entry;
use crate::kind::{Casting, Kind, Maker, Refusal};
use crate::readings::Readings;
use crate::reference::Beginning;
use crate::senses::Senses;

/// What a controller sees of the world: read-only, after `observe` has looked at the state.
#[derive(Clone)]
pub struct Sense<'a> {
    /// Everything that is simulated.
    pub model: &'a Model,
    /// Positions, velocities, time.
    pub state: &'a State,
    /// Poses and velocities of the bodies, and the contacts with their forces of the last step.
    pub data: &'a Data,
    /// Length of the coming step, s.
    pub dt: f64,
    /// The bodies that are the controller's own: a tree.
    pub bodies: Bodies,
    /// What its character feels of itself.
    pub own: &'a Senses,
}

impl<'a> Sense<'a> {
    /// Looks at the world on behalf of the character with these senses, which have looked at the state.
    pub fn new(model: &'a Model, state: &'a State, data: &'a Data, dt: f64, own: &'a Senses) -> Self {
        Self { model, state, data, dt, bodies: own.bodies(), own }
    }

    /// The root of its character.
    pub fn root(&self) -> BodyId {
        self.bodies.at(0)
    }

    /// The body that a bone of its character is.
    pub fn body_of(&self, bone: Bone) -> BodyId {
        bone.among(self.bodies)
    }

    /// A bone of its character, with its joint.
    pub fn bone(&self, bone: Bone) -> &'a Body {
        self.model.body(self.body_of(bone))
    }

    /// What belongs to its character.
    pub fn tree(&self) -> Tree {
        self.model.tree_of(self.root())
    }

    /// Time since the start, s.
    pub fn time(&self) -> f64 {
        self.state.time
    }
}

/// A command the controller does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownCommand {
    /// What it does know.
    pub known: Vec<String>,
}

impl fmt::Display for UnknownCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.known.as_slice() {
            [] => f.write_str("this controller takes no commands"),
            known => write!(f, "expected one of: {}", known.join(", ")),
        }
    }
}

impl std::error::Error for UnknownCommand {}

/// What kind of driver a character has; pictures give each its colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// None: a ragdoll.
    #[default]
    Limp,
    /// A recording played back without simulation.
    Recording,
    /// Joint servos, or tracking in parent space.
    ParentSpace,
    /// Tracking in world space.
    WorldSpace,
    /// Tracking with a root that cannot fall.
    Upheld,
    /// One that chooses among several ways of moving.
    Deciding,
    /// A recording played back until something touches it.
    Adaptive,
}

/// How the joint above a bone answers a disturbance, for pictures and studies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Glow {
    /// Torque of the disturbance over that of the motion itself.
    pub ratio: f64,
    /// 1: simulated, 0: played back, between on the way back.
    pub simulated: f64,
}

/// Drives one character.
pub trait Controller: Send {
    /// Name, as scenes spell it.
    fn name(&self) -> &'static str;

    /// Writes this step's actuation of its own bodies; what others wrote stays.
    fn act(&mut self, sense: &Sense<'_>, out: &mut Actuation);

    /// Called before the first step in which it has a say, and whenever it has one again.
    fn enter(&mut self, _sense: &Sense<'_>) {}

    /// Its motion begins anew, then and there; called before [`Controller::enter`]. One without a motion has nothing to do.
    fn begin(&mut self, _at: Beginning) {}

    /// Called when it has no say any more, for now or for good.
    fn leave(&mut self) {}

    /// Commands it takes.
    fn commands(&self) -> &[&'static str] {
        &[]
    }

    /// Takes a command such as `strength = 0.5`.
    ///
    /// # Errors
    /// A name it does not know.
    fn command(&mut self, _name: &str, _value: f64) -> Result<(), UnknownCommand> {
        Err(self.unknown())
    }

    /// What a person in its place may ask it for, first things first; of one that does nothing unasked nothing.
    fn orders(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// The error of a command it does not know.
    fn unknown(&self) -> UnknownCommand {
        UnknownCommand { known: self.commands().iter().map(|c| (*c).to_owned()).collect() }
    }

    /// Writes where it wants its character to be into `q` (the layout of [`State::q`]), for the ghost in
    /// pictures and for pose errors. Returns whether it wants anything.
    fn target(&self, _sense: &Sense<'_>, _q: &mut [f64]) -> bool {
        false
    }

    /// Numbers about itself as of the last step, by name. Names and units never change during its life.
    fn readings(&self) -> Readings<'_> {
        Readings::NONE
    }

    /// What it has chosen so far, and why; nothing of one that does not choose.
    fn chronicle(&self) -> &[Entry] {
        &[]
    }

    /// How the joint above a bone answers; nothing of a driver whose joints are all alike.
    fn glow(&self, _bone: Bone) -> Option<Glow> {
        None
    }

    /// What kind of driver it is.
    fn role(&self) -> Role {
        Role::Limp
    }

    /// A copy with the same memory, so that a run can be continued from the middle.
    fn boxed_clone(&self) -> Box<dyn Controller>;
}

impl Clone for Box<dyn Controller> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}

/// Does nothing: the character is a ragdoll.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Idle;

/// The row of the kind that does nothing.
pub const IDLE: Kind = Kind {
    name: "none",
    help: "Nothing: a rag doll",
    keys: &[],
    commands: &[],
    readings: &[],
    read: |_, _| Ok(Arc::new(Idle)),
};

impl Maker for Idle {
    fn make(&self, _casting: &Casting<'_>) -> Result<Box<dyn Controller>, Refusal> {
        Ok(Box::new(Self))
    }
}

impl Controller for Idle {
    fn name(&self) -> &'static str {
        "none"
    }

    fn act(&mut self, _sense: &Sense<'_>, _out: &mut Actuation) {}

    fn boxed_clone(&self) -> Box<dyn Controller> {
        Box::new(*self)
    }
}
