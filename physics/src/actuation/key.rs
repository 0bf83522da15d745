//! Names for what a controller writes, so that it is the same from step to step.

use core::fmt;

/// What its writer calls a pin, a motor or a row.
///
/// Friction bounds and warm starts go from step to step by key, and reports are looked up by it: the order in which pins,
/// motors and rows are written says nothing. Keys are unique per kind within a step (a pin and a motor may share one);
/// [`crate::advance`] refuses a second pin, motor or row of the same key by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Key(pub u64);

impl Key {
    /// The `number`-th thing of an owner: controllers that number their own things do not get into each other's way.
    pub const fn of(owner: u32, number: u32) -> Self {
        Self(((owner as u64) << 32) | number as u64)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
