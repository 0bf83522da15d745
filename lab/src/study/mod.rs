//! Studies: many runs of small scenes, boiled down to tables and pictures.
//!
//! | name | what |
//! |---|---|
//! | `gain-map` | how far gains may be off before a control law fails ([`gain_map`]) |

pub mod gain_map;

use std::path::PathBuf;

use thiserror::Error;

use crate::disk::FileError;

/// Names of the studies, with what they show.
pub const STUDIES: [(&str, &str); 1] =
    [("gain-map", "Tracking error, jitter and survival over stiffness and damping, for four control laws")];

/// A study that cannot be done.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StudyError {
    /// A file that cannot be read or written, or a directory that is somebody else's.
    #[error(transparent)]
    File(#[from] FileError),
    /// A line of an earlier run's results that is not one of this study's.
    #[error("{}:{line}: expected {expected}", path.display())]
    Results {
        /// Which file.
        path: PathBuf,
        /// Which line.
        line: usize,
        /// What it should be.
        expected: &'static str,
    },
    /// A scene of the study that does not fit.
    #[error(transparent)]
    Scene(#[from] crate::scene::SceneError),
}
