//! What building a character decided: merges, guesses, shapes that had to give way.

use core::fmt;
use stuntlab_physics::ModelError;
use thiserror::Error;

/// Why a joint has no body of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MergeReason {
    /// It sits where its parent does.
    ZeroLength,
    /// Part of a straight chain of spine or neck joints.
    Straight,
    /// A finger or thumb.
    Finger,
    /// Toes, rigid with the foot.
    Toes,
    /// A collar bone, rigid with the chest; its turns go to the shoulder.
    Clavicle,
    /// A joint above the hips.
    AboveHips,
    /// No part of a body that is known.
    Unknown,
}

impl fmt::Display for MergeReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ZeroLength => "it has no length",
            Self::Straight => "the chain is straight",
            Self::Finger => "fingers move with the hand",
            Self::Toes => "toes move with the foot",
            Self::Clavicle => "collar bones move with the chest",
            Self::AboveHips => "it is above the hips",
            Self::Unknown => "it is no part that is known",
        })
    }
}

/// A joint that became part of another's body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merge {
    /// Name of the joint.
    pub joint: String,
    /// Name of the body it went to.
    pub into: String,
    /// Why.
    pub reason: MergeReason,
}

/// Two bodies whose shapes met in the standing pose.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlap {
    /// One body.
    pub a: String,
    /// The other.
    pub b: String,
    /// Depth of the overlap before anything was done, in metres.
    pub depth: f64,
    /// Whether the shapes were made smaller; else the two never collide.
    pub shrunk: bool,
}

/// What was decided while building.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CharacterReport {
    /// Stature used, in metres.
    pub stature: f64,
    /// Mass used, in kg.
    pub mass: f64,
    /// Joints without a body of their own.
    pub merges: Vec<Merge>,
    /// Shapes that met in the standing pose.
    pub overlaps: Vec<Overlap>,
    /// What was guessed, in sentences.
    pub notes: Vec<String>,
}

impl fmt::Display for CharacterReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "stature {:.2} m, mass {:.1} kg", self.stature, self.mass)?;
        for merge in &self.merges {
            writeln!(f, "{} is part of {}: {}", merge.joint, merge.into, merge.reason)?;
        }
        for o in &self.overlaps {
            let done = if o.shrunk { "were made smaller" } else { "never collide" };
            writeln!(f, "{} and {} overlapped by {:.1} cm and {done}", o.a, o.b, 100.0 * o.depth)?;
        }
        self.notes.iter().try_for_each(|note| writeln!(f, "{note}"))
    }
}

/// A skeleton or options from which no character can be made.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum CharacterError {
    /// Not a humanoid, by names or by shape.
    #[error("expected a humanoid skeleton, found none of its {0} by name or by shape")]
    Missing(&'static str),
    /// A bone that must have a length.
    #[error("expected bones of at least 2 cm between {0:?} and {1:?}")]
    NoLength(String, String),
    /// A number out of range.
    #[error("expected {expected}, found {found}")]
    Option {
        /// What is allowed.
        expected: &'static str,
        /// The number given.
        found: f64,
    },
    /// The bodies do not make a model.
    #[error(transparent)]
    Model(#[from] ModelError),
}
