//! Rows of a controller's own: a wish for one linear functional of the velocities.

use glam::DVec3;

use super::Key;
use crate::model::{BodyId, Freedom};

/// Most terms of a [`Row`].
pub const MOST_TERMS: usize = 4;

/// A scalar row, solved together with contacts, limits and everything else.
///
/// The terms' sum `u` at the end of the step shall be `velocity`; to that end the row pushes with the force
/// `f = (velocity - u)/compliance`, held between `lower` and `upper`, each term with its own share of `f` where it is (the
/// transposed Jacobian). Docking two points, a gear between joints, a hand that follows a line, a momentum about a direction are
/// such rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// What the writer calls it.
    pub key: Key,
    /// What it is about; the sum of all terms there are.
    pub terms: [Option<Term>; MOST_TERMS],
    /// Wanted value of the sum at the end of the step.
    pub velocity: f64,
    /// Softness: error per force. Zero is rigid.
    pub compliance: f64,
    /// Least force.
    pub lower: f64,
    /// Largest force. The interval need not hold zero.
    pub upper: f64,
}

/// One part of what a [`Row`] is about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Term {
    /// Velocity of a point of a body along a direction, less that of a point of another body. The force acts on one and
    /// its opposite on the other: points that are apart across the direction make a couple out of them.
    Point {
        /// Which body.
        body: BodyId,
        /// The point, in its frame.
        point: DVec3,
        /// The other body and its point, in its own frame; none for the world.
        other: Option<(BodyId, DVec3)>,
        /// Along what, in world axes; its length is the term's weight.
        direction: DVec3,
    },
    /// Spin of a body along a direction, less that of another.
    Spin {
        /// Which body.
        body: BodyId,
        /// The other; none for the world.
        other: Option<BodyId>,
        /// About what, in world axes; its length is the term's weight.
        direction: DVec3,
    },
    /// Rate of a joint's freedom.
    Freedom {
        /// Which.
        freedom: Freedom,
        /// How much of it.
        weight: f64,
    },
}

impl Row {
    /// A rigid row that wants the sum of up to [`MOST_TERMS`] terms (more do not compile) to be zero, at any price.
    pub const fn new<const N: usize>(key: Key, terms: [Term; N]) -> Self {
        const { assert!(N >= 1 && N <= MOST_TERMS, "a row has one to four terms") };
        let mut all = [None; MOST_TERMS];
        let mut k = 0;
        while k < N {
            all[k] = Some(terms[k]);
            k += 1;
        }
        let (lower, upper) = (f64::NEG_INFINITY, f64::INFINITY);
        Self { key, terms: all, velocity: 0.0, compliance: 0.0, lower, upper }
    }

    /// The same with another wanted velocity.
    #[must_use]
    pub const fn towards(mut self, velocity: f64) -> Self {
        self.velocity = velocity;
        self
    }

    /// The same with bounds on the force.
    #[must_use]
    pub const fn between(mut self, lower: f64, upper: f64) -> Self {
        (self.lower, self.upper) = (lower, upper);
        self
    }

    /// The same with a softness.
    #[must_use]
    pub const fn with_compliance(mut self, compliance: f64) -> Self {
        self.compliance = compliance;
        self
    }
}

impl Term {
    /// The body it is about first, if it is about bodies.
    pub(crate) fn bodies(&self) -> [Option<BodyId>; 2] {
        match *self {
            Self::Point { body, other, .. } => [Some(body), other.map(|(b, _)| b)],
            Self::Spin { body, other, .. } => [Some(body), other],
            Self::Freedom { .. } => [None, None],
        }
    }
}
