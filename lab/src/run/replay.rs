//! Runs a run again from its manifest and compares everything it left, or takes the steps of a black box again.

use std::io::ErrorKind::NotFound;
use std::path::{Path, PathBuf};

use serde::Serialize;
use stuntlab_physics::blackbox::{Dump, DumpError};
use thiserror::Error;

use super::compare;
use super::files::{FILM, MANIFEST, METRICS, texts};
use super::lanes::Run;
use super::manifest::{FileManifest, LaneManifest, Manifest};
use super::world::World;
use crate::disk::{FileError, Lock, read};
use crate::scene::{Dynamics, SceneError};
use crate::words::one_line;

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
    /// A run that was stopped before its end, or still goes on.
    #[error("{}: {why}, expected the directory of a finished run", dir.display())]
    Unfinished {
        /// Which directory.
        dir: PathBuf,
        /// How it is known.
        why: String,
    },
    /// Not a manifest.
    #[error("{}: line {}: {source}", path.display(), source.line())]
    Malformed {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// A manifest of nothing.
    #[error("{}: lanes: is an empty list, expected the worlds that were run", path.display())]
    NoLanes {
        /// Which file.
        path: PathBuf,
    },
    /// Not a black box, or one of another model.
    #[error("{}: {source}", path.display())]
    Dump {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        source: DumpError,
    },
    /// A black box of separate bodies.
    #[error("{}: holds steps in maximal coordinates as their joints saw them, which cannot be taken again one by one; expected the directory of the run", path.display())]
    Apart {
        /// Which file.
        path: PathBuf,
    },
    /// A black box that the manifest does not know.
    #[error("{}: no lane of {MANIFEST} beside it names this black box, expected one of: {}", path.display(), known.join(", "))]
    Stray {
        /// Which file.
        path: PathBuf,
        /// Black boxes the manifest knows.
        known: Vec<String>,
    },
    /// The scene in it cannot be read.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// Data that was there when the scene was run.
    #[error("{}: the run needs data that is not here: {what}", path.display())]
    Absent {
        /// Which manifest.
        path: PathBuf,
        /// Which variant needs what.
        what: String,
    },
    /// What the run left cannot be made again.
    #[error(transparent)]
    File(#[from] FileError),
}

/// What came of a replay.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ReplayReport {
    /// Name of the scene.
    pub scene: String,
    /// States compared.
    pub compared: usize,
    /// Files compared.
    pub files: usize,
    /// What differs, in words: at most one line per lane, one per file.
    pub differences: Vec<String>,
}

impl ReplayReport {
    /// Whether everything is as it was.
    pub fn same(&self) -> bool {
        self.differences.is_empty()
    }
}

/// The directory a file is in.
fn dir_of(path: &Path) -> &Path {
    path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn read_manifest(path: &Path) -> Result<Manifest, ReplayError> {
    let dir = dir_of(path);
    let unfinished = |why: &str| {
        let who = Lock::holder_of(dir).map_or_else(String::new, |holder| format!(" ({holder} is at it)"));
        ReplayError::Unfinished { dir: dir.to_owned(), why: format!("{why}{who}") }
    };
    let text = match read(path) {
        Ok(text) => text,
        Err(e) if e.kind() == NotFound && dir.is_dir() && path.ends_with(MANIFEST) => {
            return Err(unfinished(&format!("has no {MANIFEST}, so the run did not finish")));
        }
        Err(source) => return Err(ReplayError::Io { path: path.to_owned(), source }),
    };
    let manifest: Manifest = match serde_json::from_slice(&text) {
        Ok(manifest) => manifest,
        Err(e) if e.is_eof() => {
            let why = format!("its {MANIFEST} ends in line {}, so the run did not finish", e.line());
            return Err(unfinished(&why));
        }
        Err(source) => return Err(ReplayError::Malformed { path: path.to_owned(), source }),
    };
    match manifest.lanes.is_empty() {
        true => Err(ReplayError::NoLanes { path: path.to_owned() }),
        false => Ok(manifest),
    }
}

/// Takes the steps of a black box again, on the model of the manifest beside it.
fn replay_dump(path: &Path) -> Result<ReplayReport, ReplayError> {
    let file =
        std::fs::File::open(path).map_err(|source| ReplayError::Io { path: path.to_owned(), source })?;
    let manifest = read_manifest(&path.with_file_name(MANIFEST))?;
    let (scene, variants) = manifest.scene()?;
    let name = path.file_name().map(|s| s.to_string_lossy().into_owned());
    let lane = manifest.lanes.iter().position(|l| l.black_box.is_some() && l.black_box == name);
    let Some(variant) = lane.map(|k| &variants[k]) else {
        let known = manifest.lanes.iter().filter_map(|l| l.black_box.clone()).collect();
        return Err(ReplayError::Stray { path: path.to_owned(), known });
    };
    let scene = if variant.set.is_empty() { scene } else { scene.with(&variant.set)? };
    if scene.dynamics != Dynamics::Reduced {
        return Err(ReplayError::Apart { path: path.to_owned() });
    }
    let world = World::new(&scene)?;
    let bad = |source| ReplayError::Dump { path: path.to_owned(), source };
    let steps = Dump::read(file).map_err(bad)?.replay(world.model()).map_err(bad)?;
    let elsewhere = steps.iter().filter(|s| !s.same);
    let differences = elsewhere.map(|s| format!("step {} ends elsewhere than recorded", s.step)).collect();
    Ok(ReplayReport { scene: scene.name.clone(), compared: steps.len(), files: 1, differences })
}

/// Runs the run in `dir` again (or, given a black box, its steps) and compares states, measurements, logs and all else it
/// left; `progress` hears the simulated time and the duration.
///
/// # Errors
/// A run that did not finish, a manifest that is malformed, a scene that needs data which is not here.
pub fn replay(dir: &Path, mut progress: impl FnMut(f64, f64)) -> Result<ReplayReport, ReplayError> {
    if dir.extension().is_some_and(|e| e == "txt") {
        return replay_dump(dir);
    }
    let path = if dir.is_dir() { dir.join(MANIFEST) } else { dir.to_owned() };
    let manifest = read_manifest(&path)?;
    let (scene, variants) = manifest.scene()?;
    let mut run = Run::new(&scene, &variants)?;
    if let Some(what) = run.skipped.pop() {
        return Err(ReplayError::Absent { path, what });
    }
    run.skipped.clone_from(&manifest.skipped);
    let seconds = run.seconds();
    for second in 1..=seconds.ceil() as u64 {
        let time = (second as f64).min(seconds);
        run.advance_to(time);
        progress(time, seconds);
    }
    let mut report = ReplayReport { scene: scene.name.clone(), ..ReplayReport::default() };
    let files = Remade::of(&run, &manifest)?;
    let again = Manifest::of(&run).with_files(files.listed());
    report.compare_states(&manifest, &again);
    report.compare_rest(&manifest, &again);
    report.compare_files(dir_of(&path), &manifest, &files);
    Ok(report)
}

/// The files of a run that was run again: texts are made anew, of the film only what the manifest says is known.
struct Remade {
    texts: Vec<(String, String)>,
    film: Vec<FileManifest>,
}

impl Remade {
    fn of(run: &Run, manifest: &Manifest) -> Result<Self, FileError> {
        let is_film = |file: &&FileManifest| FILM.contains(&file.name.as_str());
        Ok(Self { texts: texts(run)?, film: manifest.files.iter().filter(is_film).cloned().collect() })
    }

    fn listed(&self) -> Vec<FileManifest> {
        let texts = self.texts.iter().map(|(name, text)| FileManifest::of(name, text.as_bytes()));
        texts.chain(self.film.iter().cloned()).collect()
    }
}

impl ReplayReport {
    /// Hashes of the states, lane by lane.
    fn compare_states(&mut self, then: &Manifest, now: &Manifest) {
        for (then, now) in then.lanes.iter().zip(&now.lanes) {
            let n = then.hashes.len().max(now.hashes.len());
            self.compared += n;
            let differs = |k: &usize| then.hashes.get(*k) != now.hashes.get(*k);
            if let Some(k) = (0..n).find(differs) {
                let told = |lane: &LaneManifest| match lane.hashes.get(k) {
                    Some(hash) => one_line(hash),
                    None => "nothing".to_owned(),
                };
                let lane = if then.name.is_empty() { String::new() } else { format!("{}: ", then.name) };
                let when = if k + 1 == n { "at the end".to_owned() } else { format!("at {k} s") };
                let words = format!("{lane}{when} the state was {} and is {}", told(then), told(now));
                self.differences.push(words);
            }
        }
    }

    /// Everything else the manifest says, the files aside.
    fn compare_rest(&mut self, then: &Manifest, now: &Manifest) {
        let bare = |manifest: &Manifest| {
            let mut bare = Manifest { files: Vec::new(), seal: String::new(), ..manifest.clone() };
            bare.lanes.iter_mut().for_each(|lane| lane.hashes.clear());
            serde_json::to_value(bare).expect("texts and numbers")
        };
        let difference = compare::json(MANIFEST, &bare(then), &bare(now));
        // What the run was made from is taken on trust, so an edit there shows only in the seal.
        let broken = (then.seal != then.proper_seal()).then(|| {
            format!(
                "{MANIFEST}: was edited after the run: its seal was {} and is {}",
                one_line(&then.seal),
                then.proper_seal()
            )
        });
        self.differences.extend(difference.into_iter().chain(broken));
    }

    /// The files beside the manifest: with what the manifest says of them, and with what the run gives now.
    fn compare_files(&mut self, dir: &Path, manifest: &Manifest, remade: &Remade) {
        let listed = remade.listed();
        for file in &manifest.files {
            if !listed.iter().any(|f| f.name == file.name) {
                let name = one_line(&file.name);
                self.differences.push(format!("{MANIFEST}: files has {name}, which the run does not leave"));
            }
        }
        for file in &listed {
            self.files += 1;
            let said = manifest.files.iter().find(|f| f.name == file.name);
            let text = remade.texts.iter().find(|(name, _)| *name == file.name).map(|(_, text)| text);
            self.differences.extend(compare_file(dir, said, file, text));
        }
    }
}

/// How a file differs from what the manifest `said` of it and from what the run gives `now`.
fn compare_file(
    dir: &Path,
    said: Option<&FileManifest>,
    now: &FileManifest,
    text: Option<&String>,
) -> Option<String> {
    let name = &now.name;
    let Some(said) = said else { return Some(format!("{MANIFEST}: files lacks {name}")) };
    let found = match read(&dir.join(name)) {
        Ok(found) => found,
        Err(e) => return Some(format!("{name}: {e}")),
    };
    let is = FileManifest::of(name, &found);
    let edited = is != *said;
    let place = text.and_then(|text| {
        let found = String::from_utf8_lossy(&found);
        match (name.as_str(), name.rsplit('.').next()) {
            (METRICS, _) => compare_metrics(&found, text),
            (_, Some("csv")) => compare::table(name, &found, text),
            _ => compare::text(name, &found, text),
        }
    });
    match (edited, place) {
        (_, Some(place)) if edited && said == now => Some(format!("{place}: edited after the run")),
        (_, Some(place)) => Some(place),
        (true, None) => Some(format!(
            "{name}: edited after the run: it had {} bytes with hash {} and has {} with {}",
            said.bytes,
            one_line(&said.hash),
            is.bytes,
            is.hash
        )),
        (false, None) => None,
    }
}

fn compare_metrics(found: &str, now: &str) -> Option<String> {
    let value = |text: &str| serde_json::from_str::<serde_json::Value>(text);
    match (value(found), value(now)) {
        (Ok(found), Ok(now)) => compare::json(METRICS, &found, &now),
        (Err(e), _) => Some(format!("{METRICS}:{}: {e}", e.line())),
        _ => compare::text(METRICS, found, now),
    }
}
