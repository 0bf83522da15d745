//! Velocity motors on one or several freedoms of a joint.

use glam::DVec3;

use super::Key;
use crate::model::{BodyId, Freedom, Freedoms, JointKind, Model};

/// Reach a velocity along one to three freedoms of a joint with at most so much effort.
///
/// Between its bounds it pushes with `(v̄ - v⁺)/compliance`, `v⁺` being the velocity at the end of the step; a damper servo of
/// the damping `1/compliance` does the same. Vectors have a component per freedom; those beyond are not
/// read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motor {
    /// What the writer calls it.
    pub key: Key,
    /// What it drives: one to three freedoms of one joint. Sliding and turning freedoms of a free joint take a motor each.
    pub freedoms: Freedoms,
    /// Wanted rates.
    pub velocity: DVec3,
    /// What it may push with.
    pub effort: Effort,
    /// Softness: velocity error per force, s/(kg m²) or the like. Zero is rigid; `1/d` makes it a damper.
    pub compliance: f64,
}

/// Bounds on what a motor pushes with, N or N m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Effort {
    /// Each freedom by itself. The interval need not hold zero: a muscle whose force changes by at most `r` per second is
    /// `τ - r h` to `τ + r h` around its last force.
    Between {
        /// Least forces.
        lower: DVec3,
        /// Largest forces.
        upper: DVec3,
    },
    /// The length of the vector, so that a ball joint is as strong about every axis. Under the convex formulation a
    /// motor at its bound pushes along the velocity that is still wanting; the rigid ones shorten what it would have pushed with.
    Magnitude(f64),
}

impl Effort {
    /// The same bound either way on every freedom.
    pub const fn within(most: f64) -> Self {
        Self::Between { lower: DVec3::splat(-most), upper: DVec3::splat(most) }
    }
}

impl Motor {
    /// A rigid motor on one freedom.
    pub fn on_freedom(key: Key, freedom: Freedom, velocity: f64, effort: Effort) -> Self {
        let velocity = DVec3::new(velocity, 0.0, 0.0);
        Self { key, freedoms: Freedoms::one(freedom), velocity, effort, compliance: 0.0 }
    }

    /// A rigid motor on the joint above `body`: all its freedoms, of a free joint those that turn.
    pub fn on_joint(key: Key, model: &Model, body: BodyId, velocity: DVec3, effort: Effort) -> Self {
        let (all, kind) = (model.body(body).freedoms(), model.body(body).joint().kind);
        let freedoms = if kind == JointKind::Free { all.part(3..all.len()) } else { all };
        Self { key, freedoms, velocity, effort, compliance: 0.0 }
    }

    /// The same with a softness.
    #[must_use]
    pub const fn with_compliance(mut self, compliance: f64) -> Self {
        self.compliance = compliance;
        self
    }

    /// The first of its freedoms.
    pub(crate) fn first(&self) -> usize {
        self.freedoms.range().start
    }

    /// How many it has.
    pub(crate) fn count(&self) -> usize {
        self.freedoms.len()
    }

    /// Least and largest force on its `k`-th freedom, whatever the others do.
    pub(crate) fn bounds(&self, k: usize) -> (f64, f64) {
        match self.effort {
            Effort::Between { lower, upper } => (lower[k], upper[k]),
            Effort::Magnitude(most) => (-most, most),
        }
    }
}
