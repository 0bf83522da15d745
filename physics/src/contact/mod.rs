//! Contact laws: contact points in, forces or rows out; no geometry.

pub(crate) mod law;
mod material;
pub(crate) mod penalty;
pub(crate) mod point;

pub use law::Law;
pub use material::Material;
pub(crate) use point::Stick;
pub use point::{Contact, ContactSet, Phase};
