//! Random models, states and forces for property tests (cargo feature `strategies`).
//!
//! A law of mechanics holds for every tree, so it is best tested on many: these are
//! [proptest](https://docs.rs/proptest) strategies, made to be used on your own code as well as on ours.
//!
//! ```
//! use proptest::prelude::*;
//! use proptest::test_runner::TestRunner;
//! use stuntlab_physics::dynamics::{aba, rnea_with_wrenches};
//! use stuntlab_physics::strategies::Trees;
//! use stuntlab_physics::Data;
//!
//! // With the `proptest!` macro: `fn my_law(s in Trees::default().systems()) { ... }`.
//! TestRunner::deterministic()
//!     .run(&Trees::default().bodies(1..=5).systems(), |s| {
//!         let mut data = Data::new(&s.model);
//!         aba(&s.model, &s.state, &mut data, &s.forces);
//!         let a = data.dynamics.acceleration.clone();
//!         rnea_with_wrenches(&s.model, &s.state, &mut data, &a, &s.forces.body);
//!         for (found, wanted) in data.dynamics.joint_force.iter().zip(&s.forces.joint) {
//!             prop_assert!((found - wanted).abs() < 1e-4 * (1.0 + wanted.abs()));
//!         }
//!         Ok(())
//!     })
//!     .expect("inverse dynamics undoes forward dynamics");
//! ```
//!
//! | wanted | from |
//! |---|---|
//! | a model, or a whole [`System`] (model, state, forces, accelerations) | [`Trees`] |
//! | states or forces for a model of your own | [`states`], [`forces`] |
//! | mass distributions | [`inertias`], [`plain_inertias`] |
//! | rotations, also close to the identity and to half turns | [`rotations`] |
//! | symmetric positive semidefinite gains | [`gains`] |
//!
//! **What is nasty.** [`Trees::default`] mixes in nearly singular inertias (rods, plates), masses that
//! differ 1:1000 between neighbours, massless frames, long serial chains, joints at their limits,
//! quaternions within 1e-9 of the identity and of ±π, zero and large rates. [`Trees::plain`] has none
//! of that: well conditioned, for laws that differentiate numerically.
//!
//! **Shrinking.** A system is one list with everything about a body in one element, so that a failing
//! case first loses bodies (together with their share of state and forces), then its numbers move
//! towards zero.

mod inertia;
mod motion;
mod tree;

pub use inertia::{gains, inertias, plain_inertias, rotations, unit_vectors};
pub use motion::{forces, states};
pub use tree::{Base, Kind, System, Topology, Trees};
