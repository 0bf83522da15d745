//! Motion capture: BVH files, clips, pose search and motion graphs.
//!
//! # Conventions
//! Clips are in metres, seconds and radians, z up; the rest pose faces +x with its left towards +y. A joint's rotation is
//! `parent_from_joint`. BVH files keep their own units and axes until [`convert::import`]. Nothing here opens files:
//! readers take bytes and writers give text.
//!
//! # Map
//! | module | what it does |
//! |---|---|
//! | [`bvh`] | reads and writes BVH text; every error names its line |
//! | [`convert`] | BVH to [`Clip`] and back |
//! | [`detect`], [`check`] | unit and up axis of a file; bad frames and wrong frame times of a clip |
//! | [`repair`] | spikes, pops, gaps and displaced stretches put right, with a report |
//! | [`skeleton`], [`roles`] | joint trees; which joint is the left knee |
//! | [`Clip`], [`ClipSpline`] | frames; smooth sampling with velocities and accelerations |
//! | [`edit`] | resample, trim, mirror, cycle, filter, speed, align, join, blend, hold feet |
//! | [`contacts`] | when heels and toes rest |
//! | [`footing`] | feet that stand where they rest and clear the ground where they swing |
//! | [`features`], [`search`] | numbers that compare poses; nearest poses among many |
//! | [`graph`] | clips joined where they are alike |
//! | [`character`] | dynamic bodies from skeletons; the standard figures |
//! | [`keyframe`], [`library`] | motions written as key poses; the clips that come with the program |
//! | [`retarget`] | a clip on another body |
//!
//! # Example
//! ```
//! use stuntlab_mocap::bvh::Bvh;
//! use stuntlab_mocap::convert::{ImportOptions, import};
//! use stuntlab_mocap::{ClipSpline, Sample};
//!
//! let text = b"HIERARCHY ROOT Hips { OFFSET 0 0 0
//!     CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
//!     End Site { OFFSET 0 40 0 } }
//! MOTION
//! Frames: 3
//! Frame Time: 0.0333333
//! 0 90 0 0 0 0
//! 0 91 3 0 5 0
//! 0 90 6 0 10 0
//! ";
//! let (clip, report) = import("step", &Bvh::parse(text)?, &ImportOptions::default())?;
//! for note in &report.notes {
//!     println!("{note}");
//! }
//! let spline = ClipSpline::new(&clip);
//! let mut sample = Sample::default();
//! spline.sample(0.05, &mut sample);
//! // The file's z is the way forward.
//! assert!(sample.root_velocity.x > 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//! * `parallel`: motion graphs on several threads (rayon), with the same result.
//! * `bvh_anim`: conversions to and from the f32 types of the bvh_anim package.

pub mod bvh;
pub mod character;
pub mod check;
pub mod contacts;
pub mod convert;
pub mod detect;
pub mod edit;
pub mod features;
pub mod footing;
pub mod graph;
pub mod keyframe;
pub mod library;
pub mod repair;
pub mod retarget;
pub mod roles;
pub mod search;
pub mod skeleton;

mod clip;
mod each;
mod rotation;
mod spline;

pub use clip::{Clip, ClipError, Pose};
pub use roles::{Roles, Side};
pub use skeleton::{JointId, Skeleton, SkeletonError};
pub use spline::{ClipSpline, JointMotion, Sample};
