//! Running scenes: one world steps, several worlds run side by side, and what is left on disk.

mod apart;
mod bvh;
mod chosen;
mod compare;
mod files;
mod film;
mod foils;
mod hands;
mod happening;
mod lanes;
mod log;
mod manifest;
mod replay;
mod tables;
mod vary;
mod world;

pub use crate::disk::FileError;
pub use files::RunFiles;
pub use film::{FilmOptions, Recorder, SheetOptions, Slow};
pub use foils::{FoilMark, FoilOutcome, with_foils};
pub use hands::{Drag, Hands, Push};
pub(crate) use lanes::divergence;
pub use lanes::{Lane, Metrics, Run};
pub use manifest::{FileManifest, LaneManifest, Manifest};
pub use replay::{ReplayError, ReplayReport, replay};
pub use vary::{Axis, grid_of, read_axis, variants_of};
pub(crate) use world::along;
pub use world::{Snapshot, Toll, World, state_hash};
