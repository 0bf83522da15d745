//! Runs a run again from its manifest and compares the state's hashes.

use std::path::{Path, PathBuf};

use serde::Serialize;
use thiserror::Error;

use super::lanes::Run;
use super::manifest::Manifest;
use crate::scene::SceneError;

/// Why a run could not be replayed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The file system said no.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// What it said.
        source: std::io::Error,
    },
    /// Not a manifest.
    #[error("{}: line {}: {source}", path.display(), source.line())]
    Malformed {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// The scene in it cannot be read.
    #[error(transparent)]
    Scene(#[from] SceneError),
}

/// What came of a replay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReplayReport {
    /// Name of the scene.
    pub scene: String,
    /// Hashes compared.
    pub compared: usize,
    /// The first that differs, in words.
    pub difference: Option<String>,
}

/// Runs the run in `dir` again; `progress` hears the simulated time and the duration.
///
/// # Errors
/// A manifest that is missing or malformed.
pub fn replay(dir: &Path, mut progress: impl FnMut(f64, f64)) -> Result<ReplayReport, ReplayError> {
    let path = if dir.is_dir() { dir.join("manifest.json") } else { dir.to_owned() };
    let text =
        std::fs::read_to_string(&path).map_err(|source| ReplayError::Io { path: path.clone(), source })?;
    let manifest: Manifest =
        serde_json::from_str(&text).map_err(|source| ReplayError::Malformed { path, source })?;
    let (scene, variants) = manifest.scene()?;
    let mut run = Run::new(&scene, &variants)?;
    let seconds = scene.duration.ceil() as u64;
    for second in 1..=seconds {
        let time = (second as f64).min(scene.duration);
        run.advance_to(time);
        progress(time, scene.duration);
    }
    let again = Manifest::of(&run, &variants);
    let mut report = ReplayReport { scene: scene.name.clone(), compared: 0, difference: None };
    for (then, now) in manifest.lanes.iter().zip(&again.lanes) {
        let n = then.hashes.len().max(now.hashes.len());
        for k in 0..n {
            report.compared += 1;
            if then.hashes.get(k) != now.hashes.get(k) && report.difference.is_none() {
                let missing = "nothing".to_owned();
                let lane = if then.name.is_empty() { String::new() } else { format!("{}: ", then.name) };
                report.difference = Some(format!(
                    "{lane}at {k} s the state was {} and is {}",
                    then.hashes.get(k).unwrap_or(&missing),
                    now.hashes.get(k).unwrap_or(&missing)
                ));
            }
        }
    }
    Ok(report)
}
