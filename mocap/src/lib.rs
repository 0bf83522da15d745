//! Motion capture: BVH files, clips, pose search and motion graphs.

pub mod bvh;
pub mod check;
pub mod contacts;
pub mod convert;
pub mod detect;
pub mod edit;
pub mod features;
pub mod graph;
pub mod roles;
pub mod search;
pub mod skeleton;

mod clip;
mod rotation;
mod spline;

pub use clip::{Clip, ClipError, Pose};
pub use roles::Roles;
pub use skeleton::{Skeleton, SkeletonError};
pub use spline::{ClipSpline, JointMotion, Sample};
