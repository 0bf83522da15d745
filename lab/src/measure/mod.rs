//! Measurements: a quantity sampled after every step, boiled down to one number, held against its pass marks.

mod gauge;
mod jitter;
mod quantity;
mod sample;
mod watch;
mod way;

pub use gauge::{Gauge, Reading};
pub use quantity::{Quantity, Stat};
pub(crate) use sample::Start;
