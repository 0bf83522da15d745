//! Measurements: a quantity sampled after every step, boiled down to one number, held against its pass marks.

mod gauge;
mod jitter;
mod launch;
mod of_characters;
mod of_world;
mod pair;
mod quantity;
mod sample;
mod watch;
mod way;

pub use gauge::{Gauge, Reading};
pub(crate) use jitter::Jitter;
pub use quantity::{Base, Look, Quantity, Stat, Subject, Take};
pub(crate) use sample::Start;
pub(crate) use watch::has_fallen;

/// All quantities that come with the program. What controllers publish can be measured besides.
pub const QUANTITIES: &[&[Quantity]] = &[of_world::ROWS, of_characters::ROWS];
