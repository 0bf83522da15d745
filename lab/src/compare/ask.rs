//! What is asked for: a suite, a set-up or a scene, what is varied, how many seeds; and the cells this comes to.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::peers::PeersError;
use super::setup::{Settings, Subject};
use super::suites::{SUITES, Suite};
use super::{scenes, suites};
use crate::run::{Axis, read_axis};
use crate::scene::{LIBRARY, SceneError};
use crate::study::{Size, escaped, unescaped};

/// Most cells of a comparison, seeds included.
const MOST_CELLS: usize = 5000;
/// Most seeds.
const MOST_SEEDS: u64 = 1000;

/// What was asked for, kept with the results so that they can be merged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// Name of a suite, a set-up, a scene, or a .toml file.
    pub subject: String,
    /// The text of the file, where it is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub text: Option<String>,
    /// Lists of values, `key=a,b`.
    pub vary: Vec<String>,
    /// Seeds 1 to this.
    pub seeds: u64,
}

/// A comparison that cannot be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CompareError {
    /// A name nobody knows.
    #[error(
        "{name}: no such suite, set-up or scene, expected a .toml file, a suite ({suites}), one of its set-ups, or one of: {scenes}"
    )]
    Unknown {
        /// What was asked for.
        name: String,
        /// The suites.
        suites: String,
        /// The scenes.
        scenes: String,
    },
    /// A scene or a list of values that does not fit.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// Numbers of other engines that cannot be read.
    #[error(transparent)]
    Peers(#[from] PeersError),
    /// A value that fits nowhere.
    #[error("--vary {key}={value}: {problem}")]
    Value {
        /// The key.
        key: String,
        /// The value.
        value: String,
        /// What the first set-up said, with what is allowed.
        problem: String,
    },
    /// More than anybody can wait for.
    #[error("{cells} cells, expected at most {MOST_CELLS}: fewer values or seeds")]
    Cells {
        /// How many.
        cells: usize,
    },
    /// No seeds, or too many.
    #[error("--seeds {0}: expected 1 to {MOST_SEEDS}")]
    Seeds(u64),
}

/// A set-up with what is varied in it.
#[derive(Clone)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// What is set up.
    pub subject: Subject,
    /// What is varied.
    pub axes: Vec<Axis>,
}

/// One run of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Name of the case.
    pub case: String,
    /// What is set.
    pub settings: Settings,
    /// Where chance comes from.
    pub seed: u64,
}

impl Ask {
    /// Reads what the subject names; a file is read here once.
    ///
    /// # Errors
    /// A name nobody knows, a file that cannot be read.
    pub fn new(subject: &str, vary: &[String], seeds: u64) -> Result<Self, CompareError> {
        if !(1..=MOST_SEEDS).contains(&seeds) {
            return Err(CompareError::Seeds(seeds));
        }
        let known = SUITES.iter().any(|s| s.name == subject) || text_of(subject).is_some();
        let known = known || Subject::find(subject).is_some();
        let text = match (known, subject.ends_with(".toml")) {
            (true, _) => None,
            (false, true) => Some(std::fs::read_to_string(subject).map_err(|e| SceneError {
                file: subject.to_owned(),
                line: 0,
                key: String::new(),
                problem: e.to_string(),
                absent: false,
            })?),
            (false, false) => {
                let names = |all: Vec<&str>| all.join(", ");
                return Err(CompareError::Unknown {
                    name: subject.to_owned(),
                    suites: names(SUITES.iter().map(|s| s.name).collect()),
                    scenes: names(LIBRARY.iter().map(|(name, _)| *name).collect()),
                });
            }
        };
        Ok(Self { subject: subject.to_owned(), text, vary: vary.to_vec(), seeds })
    }

    /// The suite, where it is one.
    pub fn suite(&self) -> Option<&'static Suite> {
        SUITES.iter().find(|s| s.name == self.subject)
    }

    /// The set-ups with their axes.
    ///
    /// # Errors
    /// A list of values that is none, or given twice.
    pub fn cases(&self, size: Size) -> Result<Vec<Case>, SceneError> {
        let varied = self.vary.iter().map(|text| read_axis(text)).collect::<Result<Vec<_>, _>>()?;
        for (k, axis) in varied.iter().enumerate() {
            if varied[..k].iter().any(|other| other.key == axis.key) {
                return Err(SceneError {
                    file: format!("--vary {}", self.vary[k]),
                    line: 0,
                    key: String::new(),
                    problem: format!("varies {} a second time, expected another key", axis.key),
                    absent: false,
                });
            }
        }
        let mut cases = match self.suite() {
            Some(suite) => (suite.cases)(size),
            None => vec![Case { name: self.name(), subject: self.subject(), axes: Vec::new() }],
        };
        for case in &mut cases {
            for axis in &varied {
                match case.axes.iter_mut().find(|own| own.key == axis.key) {
                    Some(own) => *own = axis.clone(),
                    None => case.axes.push(axis.clone()),
                }
            }
        }
        Ok(cases)
    }

    /// The name of what is compared, without a file's path and ending.
    pub fn name(&self) -> String {
        let stem = std::path::Path::new(&self.subject).file_stem();
        stem.map_or_else(|| self.subject.clone(), |s| s.to_string_lossy().into_owned())
    }

    fn subject(&self) -> Subject {
        let text = self.text.as_deref().or_else(|| text_of(&self.subject)).unwrap_or_default();
        let file =
            if self.text.is_some() { self.subject.clone() } else { format!("scenes/{}.toml", self.subject) };
        Subject::find(&self.subject).unwrap_or_else(|| Subject::Scene { file, text: text.to_owned() })
    }

    /// All cells, and a check that every value that is varied fits somewhere.
    ///
    /// # Errors
    /// A scene that does not fit, a key or value that fits no set-up, too many cells.
    pub fn cells(&self, size: Size) -> Result<Vec<Cell>, CompareError> {
        let cases = self.cases(size)?;
        let seeds: Vec<u64> = (1..=self.seeds).collect();
        let cells: Vec<Cell> = cases.iter().flat_map(|case| case.cells(&seeds)).collect();
        if cells.len() > MOST_CELLS {
            return Err(CompareError::Cells { cells: cells.len() });
        }
        // A scene by itself must be right before anything is varied in it.
        if self.suite().is_none() {
            cases[0].subject.scene(&Settings::default(), 1)?;
        }
        for axis in self.vary.iter().map(|text| read_axis(text)) {
            let axis = axis?;
            for value in &axis.values {
                check(&cases, &cells, &axis.key, value)?;
            }
        }
        Ok(cells)
    }
}

/// Whether any cell can be built in which the key has the value.
fn check(cases: &[Case], cells: &[Cell], key: &str, value: &str) -> Result<(), CompareError> {
    if key == "seed" {
        return match value.parse::<u64>() {
            Ok(_) => Ok(()),
            Err(_) => Err(CompareError::Value {
                key: key.to_owned(),
                value: value.to_owned(),
                problem: "expected a whole number".to_owned(),
            }),
        };
    }
    let mut first = None;
    for cell in cells.iter().filter(|c| c.settings.get(key) == Some(value)) {
        let Some(case) = cases.iter().find(|c| c.name == cell.case) else { continue };
        match case.subject.build(&cell.settings, cell.seed, true) {
            Ok(_) => return Ok(()),
            Err(error) => first = first.or(Some(error)),
        }
    }
    let problem = first.map_or_else(|| "fits no set-up".to_owned(), |e| format!("{}: {}", e.key, e.problem));
    Err(CompareError::Value { key: key.to_owned(), value: value.to_owned(), problem })
}

fn text_of(name: &str) -> Option<&'static str> {
    LIBRARY.iter().find(|(n, _)| *n == name).map(|(_, text)| *text).or_else(|| scenes::text(name))
}

impl Case {
    /// A case of ours.
    ///
    /// # Panics
    /// If there is no such set-up: a fault of the suite, which a test would find.
    pub fn of(name: &str, axes: &[(&str, &[&str])]) -> Self {
        let subject = Subject::find(name).unwrap_or_else(|| panic!("no set-up called {name}"));
        let axis = |(key, values): &(&str, &[&str])| Axis {
            key: (*key).to_owned(),
            values: values.iter().map(|v| (*v).to_owned()).collect(),
        };
        Self { name: name.to_owned(), subject, axes: axes.iter().map(axis).collect() }
    }

    fn cells(&self, seeds: &[u64]) -> Vec<Cell> {
        let mut all = vec![Settings::default()];
        let mut own_seeds = seeds.to_vec();
        for axis in &self.axes {
            if axis.key == "seed" {
                own_seeds = axis.values.iter().filter_map(|v| v.parse().ok()).collect();
                continue;
            }
            let with = |s: &Settings| {
                let s = s.clone();
                axis.values.iter().map(move |v| {
                    let mut s = s.clone();
                    s.0.push((axis.key.clone(), v.clone()));
                    s
                })
            };
            all = all.iter().flat_map(with).collect();
        }
        let cell = |settings: Settings| {
            let name = self.name.clone();
            own_seeds.iter().map(move |&seed| Cell { case: name.clone(), settings: settings.clone(), seed })
        };
        all.into_iter().flat_map(cell).collect()
    }
}

impl Cell {
    /// As a line of a plan: case, settings, seed.
    pub fn line(&self) -> Vec<String> {
        let set = self.settings.0.iter().map(|(k, v)| format!("{}={}", escaped(k), escaped(v)));
        vec![escaped(&self.case), set.collect::<Vec<_>>().join(";"), self.seed.to_string()]
    }

    /// Reads such a line.
    pub fn read(line: &[String]) -> Option<Self> {
        let [case, settings, seed] = line else { return None };
        let pair = |text: &str| text.split_once('=').map(|(k, v)| (unescaped(k), unescaped(v)));
        let settings = settings.split(';').filter(|s| !s.is_empty()).map(pair).collect::<Option<_>>()?;
        Some(Self { case: unescaped(case), settings: Settings(settings), seed: seed.parse().ok()? })
    }

    /// The settings in few words: values, after the last word of their keys where there are several.
    pub fn words(&self) -> String {
        let one = |(k, v): &(String, String)| {
            let last = k.rsplit('.').next().unwrap_or(k);
            if self.settings.0.len() == 1 { v.clone() } else { format!("{last} {}", suites::label(v)) }
        };
        self.settings.0.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    /// The command that runs this cell alone; `subject` is what was asked for, where that is a scene or file.
    pub fn command(&self, subject: &str) -> String {
        let quoted =
            |v: &str| if v.contains([' ', '{', '[', '"', '*']) { format!("'{v}'") } else { v.to_owned() };
        let vary = self.settings.0.iter().map(|(k, v)| format!(" --vary {}", quoted(&format!("{k}={v}"))));
        let seed = if self.seed == 1 { String::new() } else { format!(" --vary seed={}", self.seed) };
        format!("stuntlab compare {subject}{}{seed}", vary.collect::<String>())
    }
}
