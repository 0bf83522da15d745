//! Reduced-coordinate articulated dynamics, contact and constraint solving.

pub mod collide;
pub mod model;
pub mod spatial;

pub use glam;
