//! Reduced-coordinate articulated dynamics, contact and constraint solving.

pub mod collide;
pub mod contact;
pub mod data;
pub mod dynamics;
pub mod figures;
pub mod forces;
pub mod integrate;
pub mod lcp;
pub mod model;
pub mod spatial;
pub mod state;

pub use data::Data;
pub use forces::{Forces, ImplicitForce};
pub use glam;
pub use integrate::{Integrator, Stepper};
pub use model::{BodyId, BodySpec, Joint, JointKind, Limits, Model, ModelBuilder, ModelError};
pub use state::State;
