//! The skills of the pool.

pub(super) mod fall;
pub(super) mod planar;
pub(super) mod posed;
pub(super) mod rest;
pub(super) mod upright;
