//! Changes to whole clips; every function returns a new clip.

mod align;
mod blend;
mod cycle;
mod filter;
mod leg;
mod lock;
mod mirror;
mod ready;
mod supple;
mod time;

pub(crate) use align::heading_direction;
pub use align::{Planar, advance, align_to_ground, face_forward, heading, place_planar};
pub(crate) use blend::spread;
pub use blend::{blend, concatenate, fade, fade_weight};
pub use cycle::{Cycle, make_cycle};
pub use filter::butterworth;
pub(crate) use leg::Leg;
pub use lock::lock_feet;
pub use mirror::mirror;
pub use ready::{Ready, ready_to_play};
pub use supple::supple;
pub use time::{change_speed, resample, trim};
