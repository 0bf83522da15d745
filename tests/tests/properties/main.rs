//! Laws of mechanics over random trees: the same thing computed two ways, and what must never change.
//!
//! Algebraic laws run on nasty trees (`Trees::default`), laws that differentiate numerically on well
//! conditioned ones (`Trees::plain`). Tolerances are relative, in the units of
//! `stuntlab_tests::compare`, and say where they come from; `EPS` is the rounding error of one operation.

mod builder;
mod chains;
mod energy;
mod forward;
mod implicit;
mod integrators;
mod invariance;
mod inverse;
mod joints;
mod kinematics;

use stuntlab_tests::compare::ROUNDING;

/// Rounding of one operation.
const EPS: f64 = f64::EPSILON;
