//! Results on disk: a line per trial, written as it ends, so that a study that was stopped goes on where it was.
//!
//! Every line ends with a fingerprint of itself. A line that does not fit its own, such as one that a stop tore in the
//! middle, is dropped when the file is opened, and its trial is done again. `plan.json` beside it says which trials these
//! are; a directory of other trials is refused, so that nothing is lost to a slip.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::plan::{Plan, Shard, Size, Trial};
use super::{Inquiry, StudyError};
use crate::disk::{self, FileError};
use crate::words::{fingerprint, spelled};

/// The results' file of a study.
pub(super) const RESULTS: &str = "results.csv";
/// The plan's file.
const PLAN: &str = "plan.json";

/// All trials of a plan with their outcomes, in the plan's order.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    /// The plan.
    pub plan: Plan,
    /// Outcomes of each trial.
    pub outcomes: Vec<Vec<f64>>,
    /// What each trial says besides; empty where the plan has no notes.
    pub notes: Vec<String>,
}

/// What came of a trial.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// A number for each of the plan's outcomes.
    pub numbers: Vec<f64>,
    /// Any text, where the plan has notes.
    pub note: String,
}

impl From<Vec<f64>> for Outcome {
    fn from(numbers: Vec<f64>) -> Self {
        Self { numbers, note: String::new() }
    }
}

/// Outcomes by [`Trial::key`].
pub(super) type Outcomes = BTreeMap<String, Outcome>;

/// Whose results a directory holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Label {
    /// Version of the program: another may give other outcomes.
    stuntlab: String,
    pub(super) study: String,
    pub(super) size: String,
    trials: usize,
    fingerprint: String,
    /// What was asked for besides, where the study's name does not say it all.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) asked: Option<serde_json::Value>,
    /// Which part; absent where it is the whole.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    shard: Option<String>,
}

impl Label {
    pub(super) fn new(study: &dyn Inquiry, size: Size, plan: &Plan, shard: Shard) -> Self {
        Self {
            stuntlab: env!("CARGO_PKG_VERSION").to_owned(),
            study: study.name().to_owned(),
            size: size.name().to_owned(),
            trials: plan.trials.len(),
            fingerprint: plan.fingerprint(),
            asked: study.asked(),
            shard: (!shard.is_whole()).then(|| shard.to_string()),
        }
    }

    /// The same of the whole study.
    pub(super) fn whole(&self) -> Self {
        Self { shard: None, ..self.clone() }
    }

    fn words(&self) -> String {
        let Self { stuntlab, study, size, trials, fingerprint, shard, .. } = self;
        let part = shard.as_ref().map_or_else(String::new, |s| format!(", shard {s}"));
        format!("{study} ({size}, {trials} trials, plan {fingerprint}, version {stuntlab}{part})")
    }

    /// What `plan.json` of a directory says; `None` where there is none.
    pub(super) fn read(dir: &Path) -> Result<Option<Self>, StudyError> {
        let path = dir.join(PLAN);
        match disk::read(&path) {
            Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|e| StudyError::Results {
                line: e.line(),
                path,
                expected: "the label of a study's results".to_owned(),
            }),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(FileError::Io { path, source }.into()),
        }
    }

    /// Puts the label on a directory, or checks that the one there is the same.
    pub(super) fn claim(&self, dir: &Path) -> Result<(), StudyError> {
        match Self::read(dir)? {
            Some(found) if found == *self => Ok(()),
            Some(found) => Err(other_plan(dir, &found, self)),
            None => {
                let text = serde_json::to_string_pretty(self).expect("texts and numbers") + "\n";
                Ok(disk::replace(&dir.join(PLAN), text.as_bytes())?)
            }
        }
    }
}

/// The error of a directory that holds other trials.
pub(super) fn other_plan(dir: &Path, found: &Label, expected: &Label) -> StudyError {
    StudyError::OtherPlan { dir: dir.to_owned(), found: found.words(), expected: expected.words() }
}

/// The results file of a directory, being added to.
#[derive(Debug)]
pub(super) struct Store {
    path: PathBuf,
    file: File,
}

impl Store {
    /// Opens the results in a file of a directory and reads what is there.
    pub(super) fn open(dir: &Path, name: &str, plan: &Plan) -> Result<(Self, Outcomes), StudyError> {
        disk::make_dir(dir)?;
        let path = dir.join(name);
        let kept = Kept::read(&path, plan)?;
        if !kept.as_it_was {
            // Beside the old file first: what is good in it must survive a stop right now.
            disk::replace(&path, kept.text.as_bytes())?;
        }
        let file = OpenOptions::new().append(true).open(&path).map_err(FileError::io(&path))?;
        Ok((Self { path, file }, kept.outcomes))
    }

    /// Adds a line and waits until the disk has it.
    pub(super) fn add(&mut self, plan: &Plan, trial: &Trial, outcome: &Outcome) -> Result<(), StudyError> {
        let text = line(plan, &trial.key(), outcome);
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.sync_data());
        Ok(written.map_err(FileError::io(&self.path))?)
    }
}

/// What is good in the results of a directory.
pub(super) fn read(dir: &Path, name: &str, plan: &Plan) -> Result<Outcomes, StudyError> {
    Kept::read(&dir.join(name), plan).map(|kept| kept.outcomes)
}

/// Writes results in the order of these trials: the same bytes in whatever order they ended.
pub(super) fn write_sorted(
    dir: &Path,
    name: &str,
    plan: &Plan,
    trials: &[&Trial],
    outcomes: &Outcomes,
) -> Result<(), StudyError> {
    let mut text = header(plan);
    for key in trials.iter().map(|t| t.key()) {
        if let Some(outcome) = outcomes.get(&key) {
            text += &line(plan, &key, outcome);
        }
    }
    Ok(disk::replace(&dir.join(name), text.as_bytes())?)
}

fn header(plan: &Plan) -> String {
    let names = plan.factors.iter().copied().chain(plan.outcomes.iter().map(|o| o.name));
    let note = plan.noted.then_some("note");
    names.chain(note).chain(["fingerprint"]).collect::<Vec<_>>().join(",") + "\n"
}

/// A line of the file. Numbers are the shortest that read back as the same.
fn line(plan: &Plan, key: &str, outcome: &Outcome) -> String {
    let numbers: String = outcome.numbers.iter().map(|x| format!(",{x:?}")).collect();
    let note = if plan.noted { format!(",{}", escaped(&outcome.note)) } else { String::new() };
    let values = format!("{key}{numbers}{note}");
    format!("{values},{}\n", spelled(fingerprint(values.bytes())))
}

/// What a line says, if it is whole.
fn parse(line: &str, plan: &Plan) -> Option<(String, Outcome)> {
    let (values, print) = line.rsplit_once(',')?;
    if print != spelled(fingerprint(values.bytes())) {
        return None;
    }
    let values: Vec<&str> = values.split(',').collect();
    if values.len() != plan.factors.len() + plan.outcomes.len() + usize::from(plan.noted) {
        return None;
    }
    let (key, outcome) = values.split_at(plan.factors.len());
    let (numbers, note) = outcome.split_at(plan.outcomes.len());
    let numbers = numbers.iter().map(|x| x.parse().ok()).collect::<Option<_>>()?;
    let note = note.first().map_or_else(String::new, |note| unescaped(note));
    Some((key.join(","), Outcome { numbers, note }))
}

/// What would break a cell of a line, and how it is written.
const ESCAPES: [(char, &str); 6] =
    [('%', "%25"), (',', "%2C"), ('"', "%22"), ('\n', "%0A"), ('\r', "%0D"), (';', "%3B")];

/// A text as a cell without commas, semicolons, quotes and line breaks.
pub(crate) fn escaped(text: &str) -> String {
    text.chars().fold(String::new(), |mut out, c| {
        match ESCAPES.iter().find(|(plain, _)| *plain == c) {
            Some((_, code)) => out.push_str(code),
            None => out.push(c),
        }
        out
    })
}

/// The text that was escaped so.
pub(crate) fn unescaped(text: &str) -> String {
    // The sign of escapes last, so that none arises anew.
    ESCAPES.iter().rev().fold(text.to_owned(), |text, (plain, code)| text.replace(code, &plain.to_string()))
}

/// What is good in a file.
struct Kept {
    text: String,
    outcomes: Outcomes,
    as_it_was: bool,
}

impl Kept {
    fn read(path: &Path, plan: &Plan) -> Result<Self, StudyError> {
        let bytes = match disk::read(path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(source) => return Err(FileError::io(path)(source).into()),
        };
        let head = header(plan);
        let expected = || head.trim_end().to_owned();
        Self::of(&bytes, plan).ok_or_else(|| StudyError::Results {
            path: path.to_owned(),
            line: 1,
            expected: expected(),
        })
    }

    /// The lines that are whole; `None` where the file is not of this study.
    fn of(bytes: &[u8], plan: &Plan) -> Option<Self> {
        let mut kept = Self { text: header(plan), outcomes: Outcomes::new(), as_it_was: false };
        let mut lines = bytes.split_inclusive(|b| *b == b'\n');
        match lines.next() {
            // Nothing yet, or a header that a stop tore.
            None => return Some(kept),
            Some(head) if head == kept.text.as_bytes() => {}
            Some(head) if lines.next().is_none() && kept.text.as_bytes().starts_with(head) => {
                return Some(kept);
            }
            Some(_) => return None,
        }
        for line in lines {
            let line = std::str::from_utf8(line).ok().and_then(|line| line.strip_suffix('\n'));
            let Some((line, (key, outcome))) = line.and_then(|line| Some((line, parse(line, plan)?))) else {
                continue;
            };
            if kept.outcomes.insert(key, outcome).is_none() {
                kept.text.push_str(line);
                kept.text.push('\n');
            }
        }
        kept.as_it_was = kept.text.as_bytes() == bytes;
        Some(kept)
    }
}

#[cfg(test)]
mod tests {
    use super::super::plan::{Kind, Measured, grid};
    use super::*;

    fn folder(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("stuntlab-store-{name}-{}", std::process::id()))
    }

    fn plan() -> Plan {
        let outcome = |name| Measured { name, unit: "m", kind: Kind::Mean };
        let axis = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect();
        let trials = grid(&[axis(&["a", "b"]), axis(&["0.1", "2.5"]), axis(&["1", "2"])]);
        Plan::new(&["law", "gain", "seed"], &["seed"], &[outcome("x"), outcome("y")], trials).with_notes()
    }

    fn outcome(k: usize) -> Outcome {
        let numbers = vec![0.125 + k as f64, if k == 1 { f64::NAN } else { 1.0 / 3.0 }];
        Outcome { numbers, note: format!("{k}, 100 % \"of\" %2C;\nit") }
    }

    fn same(a: &Outcome, b: &Outcome) -> bool {
        a.numbers.iter().map(|x| x.to_bits()).eq(b.numbers.iter().map(|x| x.to_bits())) && a.note == b.note
    }

    /// A stop at any byte of the file leaves every whole line, and the next line does not stick to the torn one.
    #[test]
    fn a_stop_in_mid_line_costs_that_line_only() {
        let (dir, plan) = (folder("torn"), plan());
        let path = dir.join(RESULTS);
        let (mut store, before) = Store::open(&dir, RESULTS, &plan).unwrap();
        assert!(before.is_empty());
        for k in 0..3 {
            store.add(&plan, &plan.trials[k], &outcome(k)).unwrap();
        }
        let (_, kept) = Store::open(&dir, RESULTS, &plan).unwrap();
        assert!((0..3).all(|k| same(&kept[&plan.trials[k].key()], &outcome(k))), "to the last bit");
        let whole = std::fs::read(&path).unwrap();
        for end in 0..whole.len() {
            std::fs::write(&path, &whole[..end]).unwrap();
            let lines = whole[..end].iter().filter(|b| **b == b'\n').count().saturating_sub(1);
            let (mut store, kept) = Store::open(&dir, RESULTS, &plan).unwrap();
            assert_eq!(kept.len(), lines, "{end}");
            for (k, trial) in plan.trials.iter().enumerate().take(3).skip(lines) {
                assert!(!kept.contains_key(&trial.key()));
                store.add(&plan, trial, &outcome(k)).unwrap();
            }
            assert_eq!(std::fs::read(&path).unwrap(), whole, "{end}");
        }
        std::fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn a_line_that_does_not_fit_its_fingerprint_or_comes_twice_is_dropped() {
        let (dir, plan) = (folder("edited"), plan());
        let path = dir.join(RESULTS);
        let (mut store, _) = Store::open(&dir, RESULTS, &plan).unwrap();
        for k in [0, 1, 2, 2] {
            store.add(&plan, &plan.trials[k], &outcome(k)).unwrap();
        }
        let whole = std::fs::read_to_string(&path).unwrap();
        let bad = whole.replace("1.125", "0.125");
        assert_ne!(whole, bad);
        for bytes in [bad.as_bytes(), &[bad.as_bytes(), b"\xff\xfe\n\n,\n"].concat()] {
            std::fs::write(&path, bytes).unwrap();
            let (_, kept) = Store::open(&dir, RESULTS, &plan).unwrap();
            let keys: Vec<&String> = kept.keys().collect();
            assert_eq!(keys, [&plan.trials[0].key(), &plan.trials[2].key()]);
            assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 3);
        }
        for foreign in ["something else\n", "something else", "law,gain\n"] {
            std::fs::write(&path, foreign).unwrap();
            assert!(matches!(Store::open(&dir, RESULTS, &plan), Err(StudyError::Results { line: 1, .. })));
            assert_eq!(std::fs::read_to_string(&path).unwrap(), foreign, "left as it was");
        }
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
