//! An aid that keeps a character's pelvis upright: a spring from outside on its tilt, with a limit. Meant as a layer under a controller
//! that has no balance of its own; what it gives is published and booked as an aid.

use std::sync::Arc;

use stuntlab_physics::Actuation;
use stuntlab_physics::glam::DMat3;

use crate::controller::{Controller, Role, Sense, UnknownCommand};
use crate::dynamo::{CHEAT, per_weight};
use crate::fighter::Spring;
use crate::kind::{Casting, Kind, Maker, Refusal, Setting};
use crate::readings::{Published, Readings};

/// Keeps the pelvis upright.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Upright {
    spring: Spring,
    strength: f64,
    values: [f64; 1],
}

const PUBLISHED: &[Published] = &[CHEAT];
const COMMANDS: &[&str] = &["aid"];

/// The row of the kind.
pub const KIND: Kind = Kind {
    name: "upright",
    help: "An aid: a spring from outside that keeps the pelvis upright, for a layer",
    keys: &[&[
        Setting::new("stiffness", "600.0", "N m/rad"),
        Setting::new("damping", "120.0", "N m s/rad"),
        Setting::new("limit", "120.0", "largest moment, N m"),
    ]],
    commands: COMMANDS,
    readings: PUBLISHED,
    read: |fields, _| {
        Ok(Arc::new(Upright::new(Spring {
            stiffness: fields.at_least_zero("stiffness")?.unwrap_or(600.0),
            damping: fields.at_least_zero("damping")?.unwrap_or(120.0),
            limit: fields.at_least_zero("limit")?.unwrap_or(120.0),
        })))
    },
};

impl Upright {
    /// An aid by this spring.
    pub fn new(spring: Spring) -> Self {
        Self { spring, strength: 1.0, values: [0.0] }
    }
}

impl Maker for Upright {
    fn make(&self, _casting: &Casting<'_>) -> Result<Box<dyn Controller>, Refusal> {
        Ok(Box::new(*self))
    }
}

impl Controller for Upright {
    fn name(&self) -> &'static str {
        KIND.name
    }

    fn act(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        let root = sense.root();
        let actual = sense.data.position.world_from_body[root].rotation;
        let spin = sense.data.velocity.body[root].angular;
        let term = self.spring.tilt(&DMat3::IDENTITY, &actual, spin, self.strength, sense.dt);
        self.values = [per_weight(term.at_rest.angular - term.gain.angular * spin, sense)];
        out.implicit.push((root, term));
    }

    fn commands(&self) -> &[&'static str] {
        COMMANDS
    }

    /// `aid`: factor on the spring, 0 takes it away.
    fn command(&mut self, name: &str, value: f64) -> Result<(), UnknownCommand> {
        if name != COMMANDS[0] {
            return Err(self.unknown());
        }
        self.strength = value.max(0.0);
        Ok(())
    }

    fn readings(&self) -> Readings<'_> {
        Readings::new(PUBLISHED, &self.values)
    }

    fn role(&self) -> Role {
        Role::Limp
    }

    fn boxed_clone(&self) -> Box<dyn Controller> {
        Box::new(*self)
    }
}
