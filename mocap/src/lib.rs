//! Motion capture.

pub mod bvh;
