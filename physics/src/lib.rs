//! Reduced-coordinate articulated dynamics, contact and constraint solving.
//!
//! # Conventions
//! SI units and radians; right-handed; z is up in everything we ship. Values that change coordinates are
//! named `a_from_b` and compose by reading order. Spatial vectors put the angular part first; body
//! quantities are in **world axes at the body's origin** unless a field says otherwise. Contact normals
//! point from B into A, and a positive depth is overlap. Joint coordinates and rates are described at
//! [`JointKind`]: a free joint has `q = (position, quaternion x y z w)` and `v = (linear, angular)` in body
//! axes; a ball joint's rate is in child axes.
//!
//! # Map
//! | room | what it holds |
//! |---|---|
//! | [`model`], [`state`], [`data`] | what is simulated; where it is; the desk everything is computed on |
//! | [`spatial`] | six-dimensional algebra |
//! | [`dynamics`] | kinematics, RNEA, ABA with implicit terms, CRBA, hybrid dynamics, impulse response, sums |
//! | [`integrate`] | smooth motion: semi-implicit Euler, RK4, implicit in velocity |
//! | [`collide`] | shapes to contact points |
//! | [`contact`], [`lcp`] | contact laws; boxed complementarity solvers that know numbers only |
//! | [`actuation`], [`step`] | what a controller may write; observe and advance |
//! | [`maximal`] | the same model as separate bodies with joint rows, to compare with |
//! | [`blackbox`], [`gains`], `batch` | recording and replay of what went wrong; which gains can be stable; many worlds at once |
//! | [`figures`] | the standard figures that tests, benches and scenes share |
//! | [`random`], [`fingerprint`] | numbers from a seed; numbers that tell data apart |
//!
//! # Example
//! A pendulum swings for a second; the step looks first, then acts.
//!
//! ```
//! use stuntlab_physics::glam::DVec3;
//! use stuntlab_physics::spatial::Inertia;
//! use stuntlab_physics::{Actuation, BodySpec, Data, Joint, Model, State, StepOptions, advance, observe};
//!
//! let mut rod = Inertia::solid_capsule(1.0, 0.02, 0.48);
//! rod.center_of_mass = DVec3::new(0.0, 0.0, -0.5);
//! let model = Model::builder().body(BodySpec::root("rod", Joint::revolute(DVec3::Y), rod)).build()?;
//!
//! let mut state = State::new(&model);
//! state.q[0] = 0.5;
//! let mut data = Data::new(&model);
//! let mut act = Actuation::new(&model);
//! let options = StepOptions::at_rate(240.0);
//! for _ in 0..240 {
//!     observe(&model, &state, &mut data, &options);
//!     act.clear(); // a controller would read `data` and write here
//!     advance(&model, &mut state, &mut data, &act, &options)?;
//! }
//! assert!(state.q[0].abs() < 0.6 && state.time > 0.99);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//! * `strategies`: proptest generators of random models, states and forces, for property tests of your own.
//! * `parallel`: `batch`, many independent worlds on several threads (rayon).

pub mod actuation;
#[cfg(feature = "parallel")]
pub mod batch;
pub mod blackbox;
pub mod collide;
pub mod contact;
mod convex;
pub mod data;
pub mod dynamics;
pub mod figures;
pub mod fingerprint;
pub mod forces;
pub mod gains;
pub mod integrate;
pub mod lcp;
pub mod maximal;
pub mod memory;
pub mod model;
pub mod random;
pub mod spatial;
pub mod state;
pub mod step;
#[cfg(feature = "strategies")]
pub mod strategies;

pub use actuation::Actuation;
pub use blackbox::BlackBox;
pub use data::Data;
pub use forces::{Forces, ImplicitForce};
pub use glam;
pub use integrate::{Integrator, Stepper};
pub use maximal::Maximal;
pub use model::{
    Bodies, BodyId, BodySpec, Coordinate, Coordinates, Freedom, Freedoms, Joint, JointKind, Limits, Model,
    ModelBuilder, ModelError, ShapeSpec, Tree, TreeId,
};
pub use state::State;
pub use step::{Formulation, StepError, StepOptions, StepReport, advance, observe};
