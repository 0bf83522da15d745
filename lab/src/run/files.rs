//! What a run leaves on disk: metrics.json, log.csv and what the scene logs besides, run.bvh, run.gif and a contact sheet, after a step that went wrong
//! the black box, and last of all manifest.json, which lists the others.
//!
//! The directory is the run's own from start to end. What an earlier run left is removed at the start, its manifest
//! first, so that a manifest always stands beside the files it lists; a directory without one holds a run that did not
//! finish. Files that no run owns stay.

use std::path::{Path, PathBuf};

use super::chosen;
use super::film::{FilmOptions, Recorder};
use super::lanes::{Lane, Run};
use super::manifest::{FileManifest, Manifest};
use crate::disk::{FileError, Lock, Names, read, remove, settle_names, write};
use crate::scene::Scene;

/// The manifest's file.
pub(super) const MANIFEST: &str = "manifest.json";
/// The measurements' file.
pub(super) const METRICS: &str = "metrics.json";
/// Files of the film.
pub(super) const FILM: [&str; 2] = ["run.gif", "sheet.png"];
/// Files a run leaves whatever its lanes are called.
const FIXED: [&str; 8] =
    [MANIFEST, METRICS, "run.gif", "run.avi", "sheet.png", "log.csv", "run.bvh", "blackbox.txt"];
/// How names of the other files of a run begin and end.
const OWN: [(&str, &str); 9] = [
    ("skills", ".csv"),
    ("skills", ".svg"),
    ("log-", ".csv"),
    ("run-", ".bvh"),
    ("blackbox-", ".txt"),
    ("bodies", ".csv"),
    ("joints", ".csv"),
    ("contacts", ".csv"),
    ("readings", ".csv"),
];

/// Names of the files of one lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LaneFiles {
    pub(super) log: String,
    /// One per table.
    pub(super) tables: Vec<String>,
    pub(super) black_box: String,
    /// Table and timeline of what was chosen.
    pub(super) chosen: [String; 2],
    /// One per character.
    pub(super) motions: Vec<String>,
}

/// Names of the files of every lane; run.bvh for a single character, else one each.
pub(super) fn lane_files(run: &Run) -> Vec<LaneFiles> {
    let mut names = Names::default();
    let mut of = |lane: &Lane| LaneFiles {
        log: names.give("log", &lane.name, "csv"),
        tables: lane.tables.iter().map(|table| names.give(table.name(), &lane.name, "csv")).collect(),
        black_box: names.give("blackbox", &lane.name, "txt"),
        chosen: ["csv", "svg"].map(|ending| names.give("skills", &lane.name, ending)),
        motions: lane
            .tracks
            .iter()
            .map(|track| match (lane.tracks.len(), lane.name.as_str()) {
                (1, lane) => names.give("run", lane, "bvh"),
                (_, "") => names.give("run", track.name(), "bvh"),
                (_, lane) => names.give("run", &format!("{lane}-{}", track.name()), "bvh"),
            })
            .collect(),
    };
    run.lanes.iter().map(&mut of).collect()
}

/// The text files of a run that has ended, with their names, in the order they are written.
pub(super) fn texts(run: &Run) -> Result<Vec<(String, String)>, FileError> {
    let mut texts = Vec::new();
    for (lane, names) in run.lanes.iter().zip(lane_files(run)) {
        texts.push((names.log, lane.log.text().to_owned()));
        let tables = lane.tables.iter().map(|table| table.text().to_owned());
        texts.extend(names.tables.into_iter().zip(tables));
        if chosen::any(&lane.world) {
            let [table, timeline] = names.chosen;
            texts.push((table, chosen::table(&lane.world)));
            texts.push((timeline, chosen::timeline(&lane.world)));
        }
        for (track, name) in lane.tracks.iter().zip(names.motions) {
            let problem = |e: String| FileError::io(Path::new(&name))(std::io::Error::other(e));
            let text = track.write(lane.world.model()).map_err(problem)?;
            texts.push((name, text));
        }
        if lane.failure.is_some() {
            let mut bytes = Vec::new();
            let dumped = lane.world.dump().write(&mut bytes);
            dumped.map_err(FileError::io(Path::new(&names.black_box)))?;
            texts.push((names.black_box, String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    texts.push((METRICS.to_owned(), json(&run.metrics())));
    Ok(texts)
}

/// A value as the text of a file.
pub(super) fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).expect("reports hold only text and numbers") + "\n"
}

/// The directory of a run, from its start to its end.
#[derive(Debug)]
pub struct RunFiles {
    dir: PathBuf,
    /// Whether there is a film.
    filmed: bool,
    // Nobody else writes here meanwhile.
    _lock: Lock,
}

impl RunFiles {
    /// Takes a directory for a run, making it where it is not there, and removes what earlier runs left in it.
    ///
    /// # Errors
    /// A directory that another run is writing into, or that cannot be written.
    pub fn create(dir: &Path, run: &Run) -> Result<Self, FileError> {
        let lane_names = |names: LaneFiles| {
            [vec![names.log, names.black_box], names.chosen.to_vec(), names.tables, names.motions].concat()
        };
        let coming: Vec<String> = lane_files(run).into_iter().flat_map(lane_names).collect();
        let lock = Lock::take(dir, &format!("run {}", run.scene.name), &coming)?;
        clear(dir, lock.left())?;
        Ok(Self { dir: dir.to_owned(), filmed: false, _lock: lock })
    }

    /// The path of a file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Starts the film of the run.
    ///
    /// # Errors
    /// A file that cannot be made.
    pub fn film(&self, scene: &Scene, options: &FilmOptions) -> Result<Recorder, FileError> {
        Recorder::new(scene, &self.path(FILM[0]), options)
    }

    /// Ends the film.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn end_film(&mut self, recorder: Recorder, title: &str) -> Result<(), FileError> {
        recorder.finish(title, &self.path(FILM[1]))?;
        self.filmed = true;
        Ok(())
    }

    /// Writes everything that is text, the manifest last: then the run is finished.
    ///
    /// # Errors
    /// A file that cannot be written; the run is then unfinished.
    pub fn finish(self, run: &Run) -> Result<(), FileError> {
        let mut files = Vec::new();
        for (name, text) in texts(run)? {
            write(&self.path(&name), text.as_bytes())?;
            files.push(FileManifest::of(&name, text.as_bytes()));
        }
        for name in FILM.into_iter().filter(|_| self.filmed) {
            let path = self.path(name);
            if path.is_file() {
                let bytes = read(&path).map_err(FileError::io(&path))?;
                files.push(FileManifest::of(name, &bytes));
            }
        }
        settle_names(&self.dir)?;
        let manifest = Manifest::of(run).with_files(files);
        write(&self.path(MANIFEST), json(&manifest).as_bytes())?;
        settle_names(&self.dir)
    }
}

/// Removes what earlier runs left: files whatever lanes are called, those the last manifest lists, and those a run was
/// writing that did not finish (`unfinished`).
fn clear(dir: &Path, unfinished: &[String]) -> Result<(), FileError> {
    let manifest = dir.join(MANIFEST);
    let listed = read(&manifest)
        .ok()
        .and_then(|text| serde_json::from_slice::<serde_json::Value>(&text).ok())
        .and_then(|value| value["files"].as_array().cloned())
        .unwrap_or_default();
    let listed = listed.iter().filter_map(|file| file["name"].as_str());
    // A list may have been tampered with: only names that runs give, in this directory.
    let own = |name: &&str| {
        let shape = |(head, tail): &(&str, &str)| name.starts_with(head) && name.ends_with(tail);
        OWN.iter().any(shape) && !name.contains(['/', '\\'])
    };
    let others = unfinished.iter().map(String::as_str).chain(listed).filter(own);
    for name in FIXED.into_iter().chain(others) {
        remove(&dir.join(name))?;
    }
    settle_names(dir)
}
