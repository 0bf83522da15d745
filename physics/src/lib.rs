//! Reduced-coordinate articulated dynamics, contact and constraint solving.

pub mod lcp;
pub mod model;
pub mod spatial;

pub use glam;
