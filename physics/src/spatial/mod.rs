//! Six-dimensional algebra; knows nothing of trees (RBDA ch. 2).
//!
//! All spatial quantities of a body are kept **in world axes at the body's origin**, and
//! accelerations are the classical ones of that origin (not Plücker accelerations). Then nothing has
//! to be rotated between parent and child, only shifted by the vector between their origins; see
//! [`crate::dynamics`].

mod inertia;
mod ldl3;
pub mod rotation;
pub(crate) mod six;
mod sym3;
mod transform;
mod vectors;

pub use inertia::{ArticulatedInertia, Inertia, cross_matrix};
pub(crate) use ldl3::Ldl3;
pub use sym3::Sym3;
pub use transform::Transform;
pub use vectors::{Force, Motion};
