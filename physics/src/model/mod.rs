//! What is simulated: immutable once built.

pub mod shape;
