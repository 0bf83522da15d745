//! What a controller may write. It lives here because the step reads it; physics never calls a controller.
//!
//! | what | holds | bounded by | answered by |
//! |---|---|---|---|
//! | joint force, [`Servos`] | joints, softly | the joints' effort limits | [`crate::Data::reactions`] |
//! | [`Motor`] | rates of a joint | [`Effort`] | [`crate::Data::report_of_motor`] |
//! | [`Pin`] | a point or frame in its place | [`Release`] | [`crate::Data::report_of_pin`] |
//! | [`Row`] | any combination of a few velocities | its least and largest force | [`crate::Data::report_of_row`] |
//! | [`Actuation::prescribe`] | a joint's motion, exactly | nothing | [`crate::Data::reactions`] |
//!
//! All of it is solved at once with contacts and limits. Pins, motors and rows have a [`Key`] that says which is which from
//! step to step.
//!
//! ```
//! use stuntlab_physics::actuation::{Effort, Key, Motor, Pin, Row, Term};
//! use stuntlab_physics::glam::DVec3;
//! use stuntlab_physics::spatial::Inertia;
//! use stuntlab_physics::{Actuation, BodySpec, Data, Joint, Model, State, StepOptions, advance, observe};
//!
//! let ball = Inertia::solid_sphere(1.0, 0.1);
//! let model = Model::builder()
//!     .body(BodySpec::root("trunk", Joint::free(), ball))
//!     .body(BodySpec::child("arm", "trunk", Joint::spherical().at(DVec3::X * 0.3), ball))
//!     .build()?;
//! let (trunk, arm) = (model.find("trunk").unwrap(), model.find("arm").unwrap());
//! let (mut state, mut data, mut act) = (State::new(&model), Data::new(&model), Actuation::new(&model));
//! let options = StepOptions::default();
//! let (hand, shoulder, rise) = (Key(1), Key(1), Key(1)); // unique per kind
//! for _ in 0..10 {
//!     observe(&model, &state, &mut data, &options);
//!     act.clear();
//!     act.pins.push(Pin::point_to_world(hand, arm, DVec3::ZERO, DVec3::X * 0.3));
//!     let turn = DVec3::new(0.0, 1.0, 0.0);
//!     act.motors.push(Motor::on_joint(shoulder, &model, arm, turn, Effort::Magnitude(5.0)));
//!     let up = Term::Point { body: trunk, point: DVec3::ZERO, other: None, direction: DVec3::Z };
//!     act.rows.push(Row::new(rise, [up]).towards(0.1).between(0.0, 15.0));
//!     advance(&model, &mut state, &mut data, &act, &options)?;
//! }
//! let (pin, row) = (data.report_of_pin(hand).unwrap(), data.report_of_row(rise).unwrap());
//! // All that acts from outside: the two weights, the pin, the row.
//! assert!(pin.force.z + row.force > 0.0 && row.force <= 15.0);
//! assert!(data.report_of_motor(shoulder).unwrap().force.length() <= 5.0 + 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod key;
mod motor;
mod pin;
mod row;

pub use key::Key;
pub use motor::{Effort, Motor};
pub use pin::{Anchor, Pin, Release};
pub use row::{MOST_TERMS, Row, Term};

use glam::DVec3;

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
    /// Rows of the controller's own.
    pub rows: Vec<Row>,
    /// Per body whether its joint is prescribed: it moves exactly at `prescribed_velocity`. The others are dynamic.
    pub prescribed: Vec<bool>,
    /// Rates of the prescribed joints, one per freedom: those the step takes them on with and ends with, so that
    /// `q⁺ = q ⊕ h v̄` ([`State::integrate`]) however the step is taken. A free root's linear part is in its axes at the start of the
    /// step, and the same vector in the world at its end. Joints that are not prescribed do not read it.
    pub prescribed_velocity: Vec<f64>,
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
            rows: Vec::new(),
            prescribed: vec![false; model.n_bodies()],
            prescribed_velocity: vec![0.0; nv],
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
        self.rows.clear();
        self.prescribed.fill(false);
        self.prescribed_velocity.fill(0.0);
    }

    /// Becomes equal to `source`, reusing the memory.
    pub fn copy_from(&mut self, source: &Self) {
        let Self {
            joint_force,
            servo,
            body_force,
            implicit,
            motors,
            pins,
            rows,
            prescribed,
            prescribed_velocity,
        } = source;
        self.joint_force.clone_from(joint_force);
        self.servo.stiffness.clone_from(&servo.stiffness);
        self.servo.damping.clone_from(&servo.damping);
        self.servo.target_q.clone_from(&servo.target_q);
        self.servo.target_v.clone_from(&servo.target_v);
        self.body_force.clone_from(body_force);
        self.implicit.clone_from(implicit);
        self.motors.clone_from(motors);
        self.pins.clone_from(pins);
        self.rows.clone_from(rows);
        self.prescribed.clone_from(prescribed);
        self.prescribed_velocity.clone_from(prescribed_velocity);
    }

    /// Has the joint above `body` move at `rates`, one per freedom of it: see [`Actuation::prescribed_velocity`].
    pub fn prescribe(&mut self, model: &Model, body: BodyId, rates: &[f64]) {
        self.prescribed[body.index()] = true;
        let own = &mut self.prescribed_velocity[model.body(body).v_range()];
        own.iter_mut().zip(rates).for_each(|(own, rate)| *own = *rate);
    }

    /// Adds a force at a point of the world (`origin_world` is the body's origin).
    pub fn push(&mut self, body: BodyId, force: DVec3, point_world: DVec3, origin_world: DVec3) {
        self.body_force[body.index()] += Force::at_offset(force, point_world - origin_world);
    }
}
