//! One JSON line per frame, for scripts that drive the window.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{App, ViewError};

/// A log being written.
pub(crate) struct ScriptLog {
    file: File,
    path: PathBuf,
}

/// What a line says.
#[derive(Serialize)]
pub(crate) struct Line {
    pub(crate) frame: u64,
    pub(crate) time: f64,
    pub(crate) paused: bool,
    pub(crate) hash: String,
    pub(crate) formulation: &'static str,
    pub(crate) controller: &'static str,
    /// Name of the fighter a person plays.
    pub(crate) playing: Option<String>,
    pub(crate) dragging: bool,
    pub(crate) pushes: usize,
    pub(crate) thrown: usize,
    pub(crate) screenshots: usize,
    pub(crate) help: bool,
    pub(crate) panel: bool,
    /// Name of the body that is selected.
    pub(crate) selected: Option<String>,
    /// Controllers of all characters.
    pub(crate) controllers: Vec<&'static str>,
    /// What is charted.
    pub(crate) charts: Vec<String>,
    /// Number of marks on the timeline.
    pub(crate) marks: usize,
    /// Time of the state that was kept.
    pub(crate) saved: Option<f64>,
    /// Size of gravity, m/s², and the factor on all friction.
    pub(crate) gravity: f64,
    pub(crate) friction: f64,
    /// What the window said last.
    pub(crate) message: String,
    /// Where the characters are in the picture: their centres of mass, pixels.
    pub(crate) places: Vec<(String, [f64; 2])>,
    /// Rows of the side panel that can be seen, by label: left, top, width, height.
    pub(crate) rows: Vec<(String, [usize; 4])>,
}

impl ScriptLog {
    pub(crate) fn create(path: &Path) -> Result<Self, ViewError> {
        let file = File::create(path).map_err(|source| ViewError::Log { path: path.to_owned(), source })?;
        Ok(Self { file, path: path.to_owned() })
    }

    pub(crate) fn line(&mut self, frame: u64, app: &App) -> Result<(), ViewError> {
        let line = app.report(frame);
        writeln!(self.file, "{line}").map_err(|source| ViewError::Log { path: self.path.clone(), source })
    }
}
