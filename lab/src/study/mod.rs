//! Studies: many runs of small scenes, boiled down to tables and pictures.
//!
//! A study is a row of [`STUDIES`]: a plan of trials, a runner of one trial, and a report. The engine does the rest:
//!
//! ```text
//! plan (grids, seeds, samples) -> shard i of n -> all cores -> results.csv, a line per trial as it ends
//!                                     merge of shards ------^        -> tables with 95 % intervals, the study's report
//! ```
//! A trial knows nothing of others and draws from its own seed, so that results do not depend on threads, on shards, or on
//! stops in between: the files at the end are the same bytes.
//!
//! | name | what |
//! |---|---|
//! | `adaptive-study` | what random hits do to characters that answer ([`adaptive`]) |
//! | `dynamo-trials` | how often world-space control does what its scenes show, from many seeds ([`dynamo_trials`]) |
//! | `get-up-study` | whether a stuntperson gets up, whatever way it fell ([`get_up`]) |
//! | `gain-map` | how far gains may be off before a control law fails ([`gain_map`]) |
//! | `clip-trials` | how the tracker's defaults do on every recording at hand ([`clip_trials`]) |
//! | `push-atlas` | how hard walkers may be pushed, for how long, when and from where ([`push_atlas`]) |
//! | `search-study` | time and accuracy of pose search, from a thousand frames to a million ([`search`]) |
//! | `stand-atlas` | how hard a standing character may be pushed, from where ([`stand_atlas`]) |

pub mod adaptive;
pub mod clip_trials;
pub mod dynamo_trials;
mod engine;
pub mod gain_map;
pub mod get_up;
mod mark;
mod merge;
mod plan;
pub mod push_atlas;
pub mod round_trip;
pub mod search;
pub mod stand_atlas;
mod store;
mod table;
mod turns;

pub use engine::{Finished, Order, conduct};
pub use mark::Mark;
pub use merge::merge;
pub use plan::{Kind, Measured, Plan, Shard, Size, Trial, grid, latin_hypercube};
pub use store::{Outcome, Results};
pub(crate) use store::{escaped, unescaped};
pub use table::{Cell, Table};

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::disk::FileError;

/// A study. Adding one is adding a row to [`STUDIES`], with its code beside it.
#[derive(Clone, Copy, Debug)]
pub struct Study {
    /// Name, as in `stuntlab run NAME`.
    pub name: &'static str,
    /// What it shows, one line.
    pub help: &'static str,
    /// Its trials.
    pub plan: fn(Size) -> Plan,
    /// Runs a trial: a number for each of the plan's outcomes.
    pub run: fn(&Trial) -> Result<Vec<f64>, StudyError>,
    /// Names of the files that `report` writes.
    pub files: fn() -> Vec<String>,
    /// Boils all results down, writes pictures and tables of its own into a directory.
    pub report: fn(&Results, &Path) -> Result<Report, StudyError>,
}

/// What the engine conducts: a study of the table, or a comparison as it was asked for on the command line.
pub trait Inquiry: Sync {
    /// Its name.
    fn name(&self) -> &str;
    /// What was asked for besides, where the name does not say it all: kept with the results, for whoever merges them.
    fn asked(&self) -> Option<serde_json::Value> {
        None
    }
    /// The file of its results.
    fn store(&self) -> &str {
        store::RESULTS
    }
    /// Its trials.
    fn plan(&self, size: Size) -> Plan;
    /// Runs a trial.
    ///
    /// # Errors
    /// A trial that cannot be run at all; one that goes wrong is an outcome.
    fn run(&self, trial: &Trial) -> Result<Outcome, StudyError>;
    /// Bytes it may leave, for which there must be room before anything is begun; 0 where nobody looks.
    fn room(&self) -> usize {
        0
    }
    /// Names of the files that `report` writes.
    fn files(&self) -> Vec<String>;
    /// Boils all results down, writes pictures and tables of its own into a directory.
    ///
    /// # Errors
    /// Files that cannot be written.
    fn report(&self, results: &Results, dir: &Path) -> Result<Report, StudyError>;
}

impl Inquiry for Study {
    fn name(&self) -> &str {
        self.name
    }

    fn plan(&self, size: Size) -> Plan {
        (self.plan)(size)
    }

    fn run(&self, trial: &Trial) -> Result<Outcome, StudyError> {
        (self.run)(trial).map(Outcome::from)
    }

    fn files(&self) -> Vec<String> {
        (self.files)()
    }

    fn report(&self, results: &Results, dir: &Path) -> Result<Report, StudyError> {
        (self.report)(results, dir)
    }
}

/// What a study says at its end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// For people.
    pub text: String,
    /// For machines.
    pub json: serde_json::Value,
}

/// All studies, by name.
pub const STUDIES: &[Study] = &[
    adaptive::STUDY,
    clip_trials::STUDY,
    dynamo_trials::STUDY,
    gain_map::STUDY,
    get_up::STUDY,
    push_atlas::STUDY,
    round_trip::STUDY,
    search::STUDY,
    stand_atlas::STUDY,
];

/// The study of this name.
pub fn find(name: &str) -> Option<&'static Study> {
    STUDIES.iter().find(|s| s.name == name)
}

/// A study that cannot be done.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StudyError {
    /// A file that cannot be read or written, or a directory that is somebody else's.
    #[error(transparent)]
    File(#[from] FileError),
    /// A file of an earlier run that is not one of this study's.
    #[error("{}:{line}: expected {expected}", path.display())]
    Results {
        /// Which file.
        path: PathBuf,
        /// Which line.
        line: usize,
        /// What it should be.
        expected: String,
    },
    /// A directory that holds other trials than are asked for.
    #[error("{}: holds {found}, expected {expected}", dir.display())]
    OtherPlan {
        /// Which directory.
        dir: PathBuf,
        /// What is there.
        found: String,
        /// What was expected.
        expected: String,
    },
    /// Shards that do not make a whole.
    #[error(
        "{missing} of {all} trials are in none of the directories, the first is {first}; expected every shard, finished"
    )]
    Missing {
        /// How many are missing.
        missing: usize,
        /// Of how many.
        all: usize,
        /// The first of them.
        first: String,
    },
    /// A trial that came out differently in two directories.
    #[error("{}: trial {trial} came out otherwise in another directory, expected the same program for all shards", dir.display())]
    Contradiction {
        /// One of the directories.
        dir: PathBuf,
        /// Which trial.
        trial: String,
    },
    /// A shard that is none.
    #[error("--shard {0}: expected i/n with i from 1 to n, such as 2/16")]
    Shard(String),
    /// A scene of the study that does not fit.
    #[error(transparent)]
    Scene(#[from] crate::scene::SceneError),
}
