//! Geometry in, contact points out; no forces.
//!
//! ```text
//! place shapes and bound them -> pairs that may touch -> contact points per pair
//!   contacts.rs, ahead.rs           broad.rs, families.rs  one file per family of shape pairs
//! ```
//!
//! **Signs.** A contact's normal points from collider B into collider A; `depth > 0` is overlap. So a body (A) on the
//! ground (B) has a normal that points up. Where one of the two is static it is B, otherwise A has the smaller index.
//!
//! **Cores.** Sphere, capsule and box are a point, a segment and a box, each grown by a radius; a hull is grown by
//! nothing. Everything below reasons about these cores and shifts the result by the sum of the radii.
//!
//! | pair | method | file |
//! |---|---|---|
//! | sphere, capsule with each other | closest points of points and segments | `round.rs` |
//! | sphere, capsule with box | piecewise quadratic distance along the segment | `round_box.rs` |
//! | box with box | separating axes of oriented boxes | `box_box.rs` |
//! | hull with any of them | separating axes pruned on the Gauss map | `convex.rs` |
//! | flat contacts of all these | one polygon clipped by the other | `clip.rs` |
//! | any with plane | corners below it | `plane.rs` |
//! | any with heightfield or mesh | features in their Voronoi regions | `surface.rs`, `terrain.rs`, `mesh.rs` |
//!
//! Deep overlap needs no special care: separating axes give the exact smallest way out for convex cores, and terrain
//! is solid down to the bottom. Nothing allocates once the buffers have grown to the scene.

mod ahead;
mod box_box;
mod broad;
mod clip;
mod collider;
mod contacts;
mod convex;
mod families;
mod manifold;
mod mesh;
mod narrow;
mod plane;
mod polytope;
mod ray;
mod round;
mod round_box;
mod surface;
mod terrain;
mod told;

pub(crate) use ahead::Travel;
pub use broad::SweepAndPrune;
pub use collider::{Collider, ColliderError, ColliderId, Colliders, Groups};
pub(crate) use contacts::find_contacts_ahead;
pub use contacts::{ContactOptions, Contacts, find_contacts};
pub use manifold::{ContactPoint, MAX_POINTS, Manifold};
pub use narrow::{NarrowScratch, collide_pair};
pub use ray::{Ray, RayHit, cast_ray, ray_shape};
pub(crate) use told::Unseen;

pub use crate::model::shape::{Aabb, Bvh};

#[cfg(test)]
mod tests;
