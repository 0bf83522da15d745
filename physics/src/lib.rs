//! Reduced-coordinate articulated dynamics, contact and constraint solving.

pub mod actuation;
#[cfg(feature = "parallel")]
pub mod batch;
pub mod blackbox;
pub mod collide;
pub mod contact;
pub mod data;
pub mod dynamics;
pub mod figures;
pub mod forces;
pub mod gains;
pub mod integrate;
pub mod lcp;
pub mod maximal;
pub mod model;
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
pub use model::{BodyId, BodySpec, Joint, JointKind, Limits, Model, ModelBuilder, ModelError};
pub use state::State;
pub use step::{Formulation, StepError, StepOptions, StepReport, advance, observe};
