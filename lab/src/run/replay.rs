//! Runs a run again from its manifest and compares the state's hashes, or takes the steps of a black box again.

use std::path::{Path, PathBuf};

use serde::Serialize;
use stuntlab_physics::blackbox::{Dump, DumpError};
use thiserror::Error;

use super::lanes::Run;
use super::manifest::Manifest;
use super::world::World;
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
    /// Not a black box, or one of another model.
    #[error("{}: {source}", path.display())]
    Dump {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        source: DumpError,
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

fn read_manifest(path: &Path) -> Result<Manifest, ReplayError> {
    let text =
        std::fs::read_to_string(path).map_err(|source| ReplayError::Io { path: path.to_owned(), source })?;
    serde_json::from_str(&text).map_err(|source| ReplayError::Malformed { path: path.to_owned(), source })
}

/// Takes the steps of a black box again, on the model of the manifest beside it.
fn replay_dump(path: &Path) -> Result<ReplayReport, ReplayError> {
    let manifest = read_manifest(&path.with_file_name("manifest.json"))?;
    let (scene, variants) = manifest.scene()?;
    let stem = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let lane = stem.strip_prefix("blackbox-").unwrap_or("");
    let variant = variants.iter().find(|v| v.name == lane);
    let scene = match variant {
        Some(variant) if !variant.set.is_empty() => scene.with(&variant.set)?,
        _ => scene,
    };
    let world = World::new(&scene)?;
    let file =
        std::fs::File::open(path).map_err(|source| ReplayError::Io { path: path.to_owned(), source })?;
    let bad = |source| ReplayError::Dump { path: path.to_owned(), source };
    let steps = Dump::read(file).map_err(bad)?.replay(world.model()).map_err(bad)?;
    let difference =
        steps.iter().find(|s| !s.same).map(|s| format!("step {} ends elsewhere than recorded", s.step));
    Ok(ReplayReport { scene: scene.name.clone(), compared: steps.len(), difference })
}

/// Runs the run in `dir` again (or, given a black box, its steps); `progress` hears the simulated time and the duration.
///
/// # Errors
/// A manifest that is missing or malformed.
pub fn replay(dir: &Path, mut progress: impl FnMut(f64, f64)) -> Result<ReplayReport, ReplayError> {
    if dir.extension().is_some_and(|e| e == "txt") {
        return replay_dump(dir);
    }
    let path = if dir.is_dir() { dir.join("manifest.json") } else { dir.to_owned() };
    let manifest = read_manifest(&path)?;
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
