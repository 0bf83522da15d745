//! What a controller may write. It lives here because the step reads it; physics never calls a controller.

use glam::{DQuat, DVec3};

use crate::forces::ImplicitForce;
use crate::model::{BodyId, Model};
use crate::spatial::Force;
use crate::state::State;

/// Everything that acts on a model by someone's will during one step. Cleared and written anew each step.
#[derive(Clone, Debug, PartialEq)]
pub struct Actuation {
    /// Joint forces, one per freedom; limited by the joints' effort limits together with the servo.
    pub joint_force: Vec<f64>,
    /// Position and velocity servos of the joints.
    pub servo: Servos,
    /// External wrenches on bodies, world axes at the body's origin: aids that no muscle provides.
    pub body_force: Vec<Force>,
    /// External forces linear in the next velocity: world-space servos, springs to the world. Also aids.
    pub implicit: Vec<(BodyId, ImplicitForce)>,
    /// Velocity motors with bounded effort, solved together with the contacts.
    pub motors: Vec<Motor>,
    /// Points or frames held to the world or to another body.
    pub pins: Vec<Pin>,
    /// Per body whether its joint moves exactly as `prescribed_acceleration` says.
    pub prescribed: Vec<bool>,
    /// Accelerations of the prescribed joints, one per freedom.
    pub prescribed_acceleration: Vec<f64>,
}

/// Joint servos: `τ = k (q̄ ⊖ q) + d (v̄ - v)`, taken at the end of the step (stable PD; Tan, Liu, Turk 2011).
#[derive(Clone, Debug, PartialEq)]
pub struct Servos {
    /// Stiffness per freedom; zero turns the position part off.
    pub stiffness: Vec<f64>,
    /// Damping per freedom.
    pub damping: Vec<f64>,
    /// Wanted positions, in the layout of [`State::q`].
    pub target_q: Vec<f64>,
    /// Wanted velocities, in the layout of [`State::v`].
    pub target_v: Vec<f64>,
}

/// Reach a joint velocity with at most so much effort.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motor {
    /// Which freedom.
    pub freedom: usize,
    /// Wanted rate.
    pub velocity: f64,
    /// Least force it may apply (usually negative).
    pub lower: f64,
    /// Largest force it may apply.
    pub upper: f64,
    /// Softness: velocity error per force, s/(kg m²) or the like. Zero is rigid; `1/d` makes it a damper.
    pub compliance: f64,
}

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

/// When a pin lets go: the step reports it, and whoever wrote the pin stops writing it.
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
    pub fn point_to_world(body: BodyId, point_body: DVec3, point_world: DVec3) -> Self {
        Self {
            body,
            point: point_body,
            anchor: Anchor::World { point: point_world, rotation: DQuat::IDENTITY },
            weld: false,
            correction: 0.2,
            release: Release::NEVER,
        }
    }

    /// Holds `body` where it is to be: point and rotation.
    pub fn weld_to_world(body: BodyId, point_body: DVec3, point_world: DVec3, rotation: DQuat) -> Self {
        Self {
            anchor: Anchor::World { point: point_world, rotation },
            weld: true,
            ..Self::point_to_world(body, point_body, point_world)
        }
    }

    /// Holds a point of `body` to a point of another body.
    pub fn point_to_body(body: BodyId, point_body: DVec3, other: BodyId, point_other: DVec3) -> Self {
        Self {
            anchor: Anchor::Body { body: other, point: point_other, rotation: DQuat::IDENTITY },
            ..Self::point_to_world(body, point_body, DVec3::ZERO)
        }
    }
}

impl Actuation {
    /// Nothing acts.
    pub fn new(model: &Model) -> Self {
        let nv = model.n_v();
        Self {
            joint_force: vec![0.0; nv],
            servo: Servos {
                stiffness: vec![0.0; nv],
                damping: vec![0.0; nv],
                target_q: State::new(model).q,
                target_v: vec![0.0; nv],
            },
            body_force: vec![Force::ZERO; model.n_bodies()],
            implicit: Vec::new(),
            motors: Vec::new(),
            pins: Vec::new(),
            prescribed: vec![false; model.n_bodies()],
            prescribed_acceleration: vec![0.0; nv],
        }
    }

    /// Back to nothing, keeping the memory (and the servo targets, which do not matter at zero gain).
    pub fn clear(&mut self) {
        self.joint_force.fill(0.0);
        self.servo.stiffness.fill(0.0);
        self.servo.damping.fill(0.0);
        self.servo.target_v.fill(0.0);
        self.body_force.fill(Force::ZERO);
        self.implicit.clear();
        self.motors.clear();
        self.pins.clear();
        self.prescribed.fill(false);
        self.prescribed_acceleration.fill(0.0);
    }

    /// Adds a force at a point of the world (`origin_world` is the body's origin).
    pub fn push(&mut self, body: BodyId, force: DVec3, point_world: DVec3, origin_world: DVec3) {
        self.body_force[body.index()] += Force::at_offset(force, point_world - origin_world);
    }
}
