//! Contact laws: contact points in, forces or rows out; no geometry.

mod material;
pub(crate) mod penalty;
pub(crate) mod point;

pub use material::Material;
pub use point::{Contact, ContactSet, Phase};
