//! Results on disk: a line per run, written as it ends, so that a study that was stopped goes on where it was.
//!
//! Every line ends with a fingerprint of itself. A line that does not fit its own, such as one that a stop tore in the
//! middle, is dropped when the file is opened, and its run is done again.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::plan::Trial;
use super::rollout::Outcome;
use crate::disk::{FileError, make_dir, read, settle_names, write};
use crate::study::StudyError;
use crate::words::{fingerprint, spelled};

const HEADER: &str = "law,task,stiffness,damping,seed,error,jitter,tilt,cheat,survived,fingerprint";

/// Outcomes by [`Trial::key`].
pub type Outcomes = BTreeMap<String, Outcome>;

/// The results file.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    file: File,
}

impl Store {
    /// Opens `results.csv` in a directory and reads what is there.
    ///
    /// # Errors
    /// A file that cannot be read or written, or is not of this study.
    pub fn open(dir: &Path) -> Result<(Self, Outcomes), StudyError> {
        make_dir(dir)?;
        let path = dir.join("results.csv");
        let bytes = match read(&path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(source) => return Err(FileError::Io { path, source }.into()),
        };
        let Some(kept) = Kept::of(&bytes) else {
            return Err(StudyError::Results { path, line: 1, expected: HEADER });
        };
        if kept.text.as_bytes() != bytes {
            // Beside the old file first: what is good in it must survive a stop right now.
            let new = dir.join("results.csv.new");
            write(&new, kept.text.as_bytes())?;
            std::fs::rename(&new, &path).map_err(FileError::io(&path))?;
            settle_names(dir)?;
        }
        let file = OpenOptions::new().append(true).open(&path).map_err(FileError::io(&path))?;
        Ok((Self { path, file }, kept.outcomes))
    }

    /// Adds a line and waits until the disk has it; gives the outcome back as it will be read.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn add(&mut self, trial: &Trial, outcome: &Outcome) -> Result<Outcome, StudyError> {
        let line = spell(&trial.key(), outcome);
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(FileError::io(&self.path))?;
        Ok(parse(line.trim_end()).map_or(*outcome, |(_, kept)| kept))
    }
}

/// What is good in a file.
struct Kept {
    text: String,
    outcomes: Outcomes,
}

impl Kept {
    /// The lines that are whole; `None` where the file is not of this study.
    fn of(bytes: &[u8]) -> Option<Self> {
        let mut kept = Self { text: format!("{HEADER}\n"), outcomes: Outcomes::new() };
        let mut lines = bytes.split_inclusive(|b| *b == b'\n');
        match lines.next() {
            // Nothing yet, or a header that a stop tore.
            None => return Some(kept),
            Some(head) if head == kept.text.as_bytes() => {}
            Some(head) if lines.next().is_none() && HEADER.as_bytes().starts_with(head) => return Some(kept),
            Some(_) => return None,
        }
        for line in lines {
            let line = std::str::from_utf8(line).ok().and_then(|line| line.strip_suffix('\n'));
            if let Some((line, (key, outcome))) = line.and_then(|line| Some((line, parse(line)?))) {
                kept.text.push_str(line);
                kept.text.push('\n');
                kept.outcomes.insert(key, outcome);
            }
        }
        Some(kept)
    }
}

/// A line of the file.
fn spell(key: &str, o: &Outcome) -> String {
    let Outcome { error, jitter, tilt, cheat, survived } = o;
    let values = format!("{key},{error:.6},{jitter:.6},{tilt:.6},{cheat:.6},{}", u8::from(*survived));
    format!("{values},{}\n", spelled(fingerprint(values.bytes())))
}

/// What a line says, if it is whole.
fn parse(line: &str) -> Option<(String, Outcome)> {
    let (values, print) = line.rsplit_once(',')?;
    if print != spelled(fingerprint(values.bytes())) {
        return None;
    }
    let values: Vec<&str> = values.split(',').collect();
    let [law, task, stiffness, damping, seed, error, jitter, tilt, cheat, survived] = values[..] else {
        return None;
    };
    let number = |text: &str| text.parse::<f64>().ok();
    let outcome = Outcome {
        error: number(error)?,
        jitter: number(jitter)?,
        tilt: number(tilt)?,
        cheat: number(cheat)?,
        survived: survived == "1",
    };
    Some(([law, task, stiffness, damping, seed].join(","), outcome))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::gain_map::plan::{Law, Plan, Task};

    fn folder(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("stuntlab-gain-map-{name}-{}", std::process::id()))
    }

    fn outcome(k: usize) -> Outcome {
        let x = k as f64;
        Outcome { error: 0.125 + x, jitter: 1.5, tilt: f64::NAN, cheat: 1.0 / 3.0, survived: k != 1 }
    }

    #[test]
    fn a_stopped_study_goes_on_where_it_was() {
        let dir = folder("stopped");
        let trial = Plan::quick().trials()[3];
        let outcome = Outcome { error: 0.125, jitter: 1.5, tilt: 0.25, cheat: 1.0 / 3.0, survived: true };
        let (mut store, before) = Store::open(&dir).expect("a new directory");
        assert!(before.is_empty());
        let kept = store.add(&trial, &outcome).expect("a writable directory");
        assert_eq!(kept.cheat, 0.333333, "a run that goes on uses what one that comes back would read");
        let (_, after) = Store::open(&dir).expect("what was just written");
        assert_eq!(after.get(&trial.key()), Some(&kept));
        for foreign in ["something else\n", "something else", "law,task\n"] {
            std::fs::write(dir.join("results.csv"), foreign).expect("a writable directory");
            assert!(matches!(Store::open(&dir), Err(StudyError::Results { line: 1, .. })));
            assert_eq!(std::fs::read_to_string(dir.join("results.csv")).expect("as it was"), foreign);
        }
        std::fs::remove_dir_all(&dir).expect("our own directory");
    }

    /// A stop at any byte of the file leaves every whole line, and the next line does not stick to the torn one.
    #[test]
    fn a_stop_in_mid_line_costs_that_line_only() {
        let dir = folder("torn");
        let trials = Plan::quick().trials();
        let path = dir.join("results.csv");
        let (mut store, _) = Store::open(&dir).expect("a new directory");
        for k in 0..3 {
            store.add(&trials[k], &outcome(k)).expect("a writable directory");
        }
        let whole = std::fs::read(&path).expect("the results");
        for end in 0..whole.len() {
            std::fs::write(&path, &whole[..end]).expect("a writable directory");
            let lines = whole[..end].iter().filter(|b| **b == b'\n').count().saturating_sub(1);
            let (mut store, kept) = Store::open(&dir).expect("a torn file");
            assert_eq!(kept.len(), lines, "{end}");
            for (k, trial) in trials.iter().enumerate().take(3).skip(lines) {
                assert!(!kept.contains_key(&trial.key()));
                store.add(trial, &outcome(k)).expect("a writable directory");
            }
            assert_eq!(std::fs::read(&path).expect("the results"), whole, "{end}");
        }
        std::fs::remove_dir_all(&dir).expect("our own directory");
    }

    #[test]
    fn a_line_that_does_not_fit_its_fingerprint_is_dropped() {
        let dir = folder("edited");
        let trials = Plan::quick().trials();
        let path = dir.join("results.csv");
        let (mut store, _) = Store::open(&dir).expect("a new directory");
        for k in 0..3 {
            store.add(&trials[k], &outcome(k)).expect("a writable directory");
        }
        let whole = std::fs::read_to_string(&path).expect("the results");
        let bad = whole.replace("1.125000", "0.125000");
        assert_ne!(whole, bad);
        for bytes in [bad.as_bytes(), &[bad.as_bytes(), b"\xff\xfe\n\n,\n"].concat()] {
            std::fs::write(&path, bytes).expect("a writable directory");
            let (_, kept) = Store::open(&dir).expect("an edited file");
            let keys: Vec<&String> = kept.keys().collect();
            assert_eq!(keys, [&trials[0].key(), &trials[2].key()]);
            assert_eq!(std::fs::read_to_string(&path).expect("the results").lines().count(), 3);
        }
        std::fs::remove_dir_all(&dir).expect("our own directory");
    }

    #[test]
    fn every_trial_has_a_key_of_its_own() {
        let trials = Plan::full().trials();
        let keys: std::collections::BTreeSet<String> = trials.iter().map(Trial::key).collect();
        assert_eq!(keys.len(), trials.len());
        let per_law = trials.len() / (Law::ALL.len() * Task::ALL.len());
        // 81 cells by 4 seeds and 11 points by 10; the centre is in both.
        assert_eq!(per_law, 81 * 4 + 11 * 10 - 4);
    }
}
