//! `stuntlab clip`: what a BVH file holds, whether it is sound, its repair, what it becomes, and how clips join.
//!
//! Every tool returns its text and exit status (0 fine, 1 a check does not hold); what cannot be read or written is an
//! error that names the file, the line and what was expected.

mod convert;
mod distance_map;
mod graph;
mod info;
mod repair;

pub use convert::{ConvertOptions, Figure, convert};
pub use graph::{GraphRequest, graph};
pub use info::{check, info};
pub use repair::repair;

use std::path::{Path, PathBuf};

use stuntlab_mocap::bvh::{BuildError, Bvh, ReadError, ReadOptions, Reading};
use stuntlab_mocap::convert::ImportError;
use stuntlab_mocap::graph::GraphError;
use stuntlab_mocap::repair::RepairError;
use stuntlab_mocap::retarget::RetargetError;
use stuntlab_mocap::{ClipError, check as clip_check};
use thiserror::Error;

/// What a tool says and how it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Text for standard output.
    pub text: String,
    /// Exit status: 0 fine, 1 a check does not hold.
    pub status: u8,
}

impl Outcome {
    fn done(text: String) -> Self {
        Self { text, status: 0 }
    }
}

/// Bad input: one line with file, line and expectation.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ToolError {
    /// A file that cannot be read or written.
    #[error("{}: expected a file that can be {action}: {source}", file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// What was tried.
        action: &'static str,
        /// Why it failed.
        source: std::io::Error,
    },
    /// A BVH with a fault.
    #[error("{}: {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// Line and expectation.
        source: ReadError,
    },
    /// A BVH that does not become a clip.
    #[error("{}: {source}", file.display())]
    Import {
        /// The file.
        file: PathBuf,
        /// Why.
        source: ImportError,
    },
    /// A BVH that cannot be looked at for repair.
    #[error("{}: {source}", file.display())]
    Repair {
        /// The file.
        file: PathBuf,
        /// Why.
        source: RepairError,
    },
    /// An edit that the clip does not allow.
    #[error("{}: {source}", file.display())]
    Edit {
        /// The file.
        file: PathBuf,
        /// Why.
        source: ClipError,
    },
    /// A clip that does not go onto a figure.
    #[error("{}: {source}", file.display())]
    Retarget {
        /// The file.
        file: PathBuf,
        /// Why.
        source: RetargetError,
    },
    /// A clip that cannot be written as BVH.
    #[error("{}: {source}", file.display())]
    Export {
        /// The file to be written.
        file: PathBuf,
        /// Why.
        source: BuildError,
    },
    /// Clips that make no graph.
    #[error("motion graph: {0}")]
    Graph(#[from] GraphError),
    /// A pair of clips that does not exist.
    #[error("expected two clip numbers below {n_clips}, found {pair:?}")]
    Pair {
        /// Numbers asked for.
        pair: [usize; 2],
        /// Clips given.
        n_clips: usize,
    },
}

impl ToolError {
    /// Whether nothing is wrong but that a file could not be written.
    pub fn is_unwritten(&self) -> bool {
        matches!(self, Self::File { action, .. } if *action != READ)
    }
}

/// What is tried with a file that is input.
const READ: &str = "read";

/// Reads a BVH file.
fn read(file: &Path, lenient: bool) -> Result<Reading, ToolError> {
    let text = std::fs::read(file).map_err(|source| ToolError::File {
        file: file.to_owned(),
        action: READ,
        source,
    })?;
    let options = ReadOptions { lenient_frame_count: lenient };
    Bvh::read(&text, options).map_err(|source| ToolError::Read { file: file.to_owned(), source })
}

fn write(file: &Path, text: &str) -> Result<(), ToolError> {
    crate::disk::save(file, text.as_bytes()).map_err(|source| ToolError::File {
        file: file.to_owned(),
        action: "written",
        source,
    })
}

/// The name of a clip: its file's without ending.
fn name_of(file: &Path) -> String {
    file.file_stem().map_or_else(|| "clip".to_owned(), |s| s.to_string_lossy().into_owned())
}

/// Frames at the start that are no motion.
fn calibration_frames(clip: &stuntlab_mocap::Clip) -> usize {
    match clip_check::check_clip(clip).bad_frames.first() {
        Some(clip_check::BadFrame::Calibration { n_frames, .. }) => *n_frames,
        _ => 0,
    }
}
