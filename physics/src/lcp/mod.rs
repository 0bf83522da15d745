//! Boxed linear complementarity problems with friction rows. This room knows numbers only.
//!
//! | file | computes | cost |
//! |---|---|---|
//! | [`problem`] | the statement, its sign convention, the residual every solver is judged by | n² |
//! | [`pgs`] | projected Gauss–Seidel: approximate, warm-started, pyramid or circular cone | n² per sweep |
//! | [`dantzig`] | Cottle–Dantzig principal pivoting: exact, for P and semidefinite matrices | about n³ |
//! | [`lemke`] | Lemke's complementary pivoting: exact, the most general; for verification | 2 m² per pivot |
//!
//! The baselines' step has a solver of its own beside them, `coupled`: projected Gauss–Seidel on groups of rows with blocks where
//! they feel each other, island by island.
//!
//! A solver owns its workspace: make one, keep it, and a solve allocates nothing once it has met a problem
//! of that size. `x` goes in as the starting guess (used by [`Pgs`]) and comes out as the answer;
//! the [`Report`] says how good that answer is. Running out of iterations is a value, not an error.
//!
//! ```
//! use stuntlab_physics::lcp::{Dantzig, Problem, Status};
//! let matrix = [2.0, 1.0, 1.0, 2.0];
//! let problem = Problem::new(&matrix, &[-1.0, 1.0], &[0.0, 0.0], &[f64::INFINITY; 2])?;
//! let mut x = [0.0; 2];
//! let report = Dantzig::default().solve(&problem, &mut x);
//! assert_eq!(report.status, Status::Solved);
//! assert_eq!(x, [0.5, 0.0]);
//! # Ok::<(), stuntlab_physics::lcp::ProblemError>(())
//! ```

mod clamped;
mod contact_block;
pub(crate) mod coupled;
pub mod dantzig;
mod ldl;
pub mod lemke;
mod lu;
pub mod pgs;
mod plain;
pub mod problem;
mod tableau;

pub use dantzig::{Dantzig, DantzigOptions};
pub use lemke::{Lemke, LemkeOptions};
pub use pgs::{Friction, Pgs, PgsOptions, Sweep};
pub use problem::{Problem, ProblemError, Report, Status};

#[cfg(test)]
mod tests;
