//! Pins and welds: points or frames held to the world or to another body.

use glam::{DQuat, DVec3};

use super::Key;
use crate::model::BodyId;

/// What a pin holds on to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Anchor {
    /// A place in the world.
    World {
        /// Where the pinned point should be.
        point: DVec3,
        /// How the body should be turned (welds only).
        rotation: DQuat,
    },
    /// A place on another body.
    Body {
        /// Which body.
        body: BodyId,
        /// The point on it, in its frame.
        point: DVec3,
        /// Rotation of the pinned body relative to it (welds only).
        rotation: DQuat,
    },
}

/// Holds a point of a body, or with `weld` its whole frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pin {
    /// What the writer calls it.
    pub key: Key,
    /// The body held.
    pub body: BodyId,
    /// The point held, in its frame.
    pub point: DVec3,
    /// What it is held to.
    pub anchor: Anchor,
    /// Hold the rotation too.
    pub weld: bool,
    /// Fraction of the position error removed per step, 0 to 1.
    pub correction: f64,
    /// When it lets go; see [`Release`].
    pub release: Release,
}

/// When a pin lets go. What it holds is bounded by this within the solve (it slides, or gives way, with just that force);
/// the step reports it, and whoever wrote the pin stops writing it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Release {
    /// Direction along which the anchor may only push (a foot on the ground: up). Zero: none.
    pub push_direction: DVec3,
    /// Largest pull against `push_direction` before it lets go, N.
    pub tension: f64,
    /// Largest force across `push_direction` per push; infinite: glued.
    pub friction: f64,
    /// Largest force altogether, N.
    pub force: f64,
}

impl Release {
    /// Never.
    pub const NEVER: Self = Self {
        push_direction: DVec3::ZERO,
        tension: f64::INFINITY,
        friction: f64::INFINITY,
        force: f64::INFINITY,
    };

    /// Whether a pin that exerts `force` on the body must let go.
    pub fn lets_go(&self, force: DVec3) -> bool {
        let push = self.push_direction.dot(force);
        let across = (force - self.push_direction * push).length();
        force.length() > self.force
            || -push > self.tension
            || (self.push_direction != DVec3::ZERO && across > self.friction * push.max(0.0))
    }
}

impl Pin {
    /// Holds a point of `body` at a place in the world.
    pub fn point_to_world(key: Key, body: BodyId, point_body: DVec3, point_world: DVec3) -> Self {
        Self {
            key,
            body,
            point: point_body,
            anchor: Anchor::World { point: point_world, rotation: DQuat::IDENTITY },
            weld: false,
            correction: 0.2,
            release: Release::NEVER,
        }
    }

    /// Holds `body` where it is to be: point and rotation.
    pub fn weld_to_world(
        key: Key,
        body: BodyId,
        point_body: DVec3,
        point_world: DVec3,
        rotation: DQuat,
    ) -> Self {
        Self {
            anchor: Anchor::World { point: point_world, rotation },
            weld: true,
            ..Self::point_to_world(key, body, point_body, point_world)
        }
    }

    /// Holds a point of `body` to a point of another body.
    pub fn point_to_body(
        key: Key,
        body: BodyId,
        point_body: DVec3,
        other: BodyId,
        point_other: DVec3,
    ) -> Self {
        Self {
            anchor: Anchor::Body { body: other, point: point_other, rotation: DQuat::IDENTITY },
            ..Self::point_to_world(key, body, point_body, DVec3::ZERO)
        }
    }
}
