//! The skills of the pool, and any controller as one.

pub(super) mod driven;
pub(super) mod fall;
pub(super) mod planar;
pub(super) mod posed;
pub(super) mod rest;
pub(super) mod upright;
