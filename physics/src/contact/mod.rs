//! Contact laws: contact points in, forces or rows out; no geometry.

mod material;

pub use material::Material;
