//! What a controller says of itself: named numbers with units.
//!
//! Scenes measure them by name, logs record them, the window plots them; no list elsewhere knows them. What is published is a
//! fixed slice beside the controller's code, the values are as of its last step, so that reading allocates nothing.
//!
//! ```
//! use stuntlab_control::{Published, Readings, Together};
//!
//! const PUBLISHED: &[Published] =
//!     &[Published { name: "grip", unit: "N", help: "Force of the stronger hand", together: Together::Most }];
//! let readings = Readings::new(PUBLISHED, &[12.0]);
//! assert_eq!(readings.get("grip"), Some(12.0));
//! ```

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// A name that was read, for as long as the program runs: names in scenes are few, and each is kept once.
pub fn lasting(name: &str) -> &'static str {
    static KEPT: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = kept.get(name) {
        return known;
    }
    let new: &'static str = Box::leak(name.to_owned().into_boxed_str());
    kept.insert(new);
    new
}

/// How the readings of several characters become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Together {
    /// Added up.
    Sum,
    /// Averaged.
    Mean,
    /// The least.
    Least,
    /// The largest.
    Most,
}

impl Together {
    /// One number of several; none of none.
    pub fn join(self, values: impl Iterator<Item = f64>) -> Option<f64> {
        let (mut joined, mut count) = (0.0, 0_u32);
        for x in values {
            count += 1;
            joined = match (self, count) {
                (_, 1) => x,
                (Self::Sum | Self::Mean, _) => joined + x,
                (Self::Least, _) => f64::min(joined, x),
                (Self::Most, _) => f64::max(joined, x),
            };
        }
        let n = if self == Self::Mean { f64::from(count) } else { 1.0 };
        (count > 0).then(|| joined / n)
    }
}

/// What a controller publishes under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Published {
    /// Name, as scenes spell it.
    pub name: &'static str,
    /// Unit; empty for counts, `of 1` for shares.
    pub unit: &'static str,
    /// What it is, one line.
    pub help: &'static str,
    /// How several characters' become one.
    pub together: Together,
}

/// The readings of a controller as of its last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Readings<'a> {
    published: &'a [Published],
    values: &'a [f64],
}

impl<'a> Readings<'a> {
    /// Nothing.
    pub const NONE: Self = Readings { published: &[], values: &[] };

    /// A value for each of what is published; surplus of either is left out.
    pub fn new(published: &'a [Published], values: &'a [f64]) -> Self {
        let n = published.len().min(values.len());
        Self { published: &published[..n], values: &values[..n] }
    }

    /// What there is; the same slice in every step.
    pub fn published(&self) -> &'a [Published] {
        self.published
    }

    /// The numbers, in the same order.
    pub fn values(&self) -> &'a [f64] {
        self.values
    }

    /// The number of this name.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.published.iter().position(|p| p.name == name).map(|k| self.values[k])
    }

    /// Names and numbers.
    pub fn iter(&self) -> impl Iterator<Item = (&'a Published, f64)> + use<'a> {
        self.published.iter().zip(self.values.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_become_one_as_stated() {
        let join = |t: Together| t.join([3.0, 1.0, 2.0].into_iter());
        assert_eq!(
            [Together::Sum, Together::Mean, Together::Least, Together::Most].map(join),
            [Some(6.0), Some(2.0), Some(1.0), Some(3.0)]
        );
        assert_eq!(Together::Sum.join([].into_iter()), None);
    }

    #[test]
    fn a_value_too_few_leaves_a_name_out() {
        let p = |name| Published { name, unit: "", help: "", together: Together::Sum };
        let published = [p("a"), p("b")];
        let readings = Readings::new(&published, &[4.0]);
        assert_eq!((readings.get("a"), readings.get("b")), (Some(4.0), None));
        assert_eq!(readings.iter().count(), 1);
    }
}
