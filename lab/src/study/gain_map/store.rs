//! Results on disk: a line per run, written as it ends, so that a study that was stopped goes on where it was.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};

use super::plan::Trial;
use super::rollout::Outcome;
use crate::study::StudyError;

const HEADER: &str = "law,task,stiffness,damping,seed,error,jitter,tilt,cheat,survived";

/// Outcomes by [`Trial::key`].
pub type Outcomes = BTreeMap<String, Outcome>;

/// The results file.
pub struct Store {
    path: PathBuf,
    file: File,
}

impl Store {
    /// Opens `results.csv` in a directory and reads what is there.
    ///
    /// # Errors
    /// A file that cannot be read, or is not of this study.
    pub fn open(dir: &Path) -> Result<(Self, Outcomes), StudyError> {
        std::fs::create_dir_all(dir).map_err(|source| StudyError::File { path: dir.to_owned(), source })?;
        let path = dir.join("results.csv");
        let failed = |source| StudyError::File { path: path.clone(), source };
        let mut outcomes = Outcomes::new();
        let mut fresh = true;
        if let Ok(file) = File::open(&path) {
            for (k, line) in BufReader::new(file).lines().enumerate() {
                let line = line.map_err(failed)?;
                fresh = false;
                let bad = |expected| StudyError::Results { path: path.clone(), line: k + 1, expected };
                if k == 0 {
                    if line != HEADER {
                        return Err(bad(HEADER));
                    }
                } else if let Some((key, outcome)) = parse(&line) {
                    outcomes.insert(key, outcome);
                } else {
                    return Err(bad("ten values separated by commas"));
                }
            }
        }
        let mut file = OpenOptions::new().create(true).append(true).open(&path).map_err(failed)?;
        if fresh {
            writeln!(file, "{HEADER}").map_err(failed)?;
        }
        Ok((Self { path: path.clone(), file }, outcomes))
    }

    /// Adds a line.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn add(&mut self, trial: &Trial, o: &Outcome) -> Result<(), StudyError> {
        let line = format!(
            "{},{:.6},{:.6},{:.6},{:.6},{}\n",
            trial.key(),
            o.error,
            o.jitter,
            o.tilt,
            o.cheat,
            u8::from(o.survived)
        );
        // One write, so that a line is there whole or not at all.
        self.file
            .write_all(line.as_bytes())
            .map_err(|source| StudyError::File { path: self.path.clone(), source })
    }
}

fn parse(line: &str) -> Option<(String, Outcome)> {
    let values: Vec<&str> = line.split(',').collect();
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

    #[test]
    fn a_stopped_study_goes_on_where_it_was() {
        let dir = std::env::temp_dir().join(format!("stuntlab-gain-map-{}", std::process::id()));
        let trial = Plan::quick().trials()[3];
        let outcome = Outcome { error: 0.125, jitter: 1.5, tilt: 0.25, cheat: 0.5, survived: true };
        let (mut store, before) = Store::open(&dir).expect("a new directory");
        assert!(before.is_empty());
        store.add(&trial, &outcome).expect("a writable directory");
        let (_, after) = Store::open(&dir).expect("what was just written");
        assert_eq!(after.get(&trial.key()), Some(&outcome));
        std::fs::write(dir.join("results.csv"), "something else\n").expect("a writable directory");
        assert!(matches!(Store::open(&dir), Err(StudyError::Results { line: 1, .. })));
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
