//! Tuning: parameters of a scene by CMA-ES, as a patch of the scene.
//!
//! ```text
//! [tune] of a scene --score--> cost of a candidate, over seeds      cma, ipop: numbers only
//!        parameters --space--> the unit cube the search works in    eigen: symmetric matrices
//!                   --session-> generations, checkpoint after each  patch: what `run --patch` applies
//! ```
//! A tuning gives the same bits on every rerun, for any number of threads, and when it was stopped and went on.

pub mod cma;
mod eigen;
pub mod ipop;
mod patch;
mod report;
mod score;
mod session;
pub mod space;

pub use patch::Patch;
pub use report::{Outcome, Tally, Tuned};
pub use session::{Generation, Heard, Tuning};

use std::path::PathBuf;

use thiserror::Error;

use crate::disk::FileError;
use crate::scene::SceneError;

/// A tuning that cannot be done.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TuneError {
    /// A file that cannot be read or written, or a directory that is somebody else's.
    #[error(transparent)]
    File(#[from] FileError),
    /// A scene or a `[tune]` table that does not fit.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A checkpoint that this tuning cannot go on from.
    #[error("{}: {problem}", path.display())]
    Checkpoint {
        /// Which file.
        path: PathBuf,
        /// What is wrong and what was expected.
        problem: String,
    },
}
