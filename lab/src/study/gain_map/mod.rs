//! How far gains may be off before a control law fails (the central claim of Wrotek 2006).
//!
//! Four laws (parent space explicit and implicit, world space external and internal) track four motions (standing,
//! walking, a cartwheel, walking over low steps) under factors on stiffness and damping over two decades each, with the
//! same figure, motion, integrator, root spring and torque limits, each run nudged once as its seed says. Runs are
//! independent and kept in `results.csv` as they end; a study that was stopped goes on where it was.

mod pictures;
mod plan;
mod rollout;
mod store;
mod summary;

pub use plan::{Law, Plan, Task, Trial};
pub use rollout::{Outcome, roll_out};
pub use store::{Outcomes, Store};
pub use summary::{Cell, GOOD_ENOUGH, Ratio, cell, ratios};

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use super::StudyError;
use crate::disk::{self, Lock};

/// The table of the usable gain ratios; written last.
const SUMMARY: &str = "summary.json";

/// Runs what is missing of the study on all cores and writes pictures and tables into `dir`. `progress` hears how many
/// runs are done, of how many. What an earlier study drew from fewer or other runs is removed at the start.
///
/// # Errors
/// A directory that another run is writing into, files that cannot be read or written.
pub fn run(dir: &Path, plan: &Plan, progress: &dyn Fn(usize, usize)) -> Result<Vec<Ratio>, StudyError> {
    let _lock = Lock::take(dir, "run gain-map", &[])?;
    let (mut store, mut outcomes) = Store::open(dir)?;
    for name in [SUMMARY.to_owned()].into_iter().chain(pictures::names()) {
        disk::remove(&dir.join(name))?;
    }
    let trials = plan.trials();
    let missing: Vec<Trial> = trials.iter().filter(|t| !outcomes.contains_key(&t.key())).copied().collect();
    let mut done = trials.len() - missing.len();
    progress(done, trials.len());
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(missing.len().max(1));
    std::thread::scope(|scope| -> Result<(), StudyError> {
        let (sender, results) = mpsc::channel();
        for _ in 0..threads {
            let (sender, next, missing) = (sender.clone(), &next, &missing);
            scope.spawn(move || {
                while let Some(trial) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if sender.send((*trial, roll_out(trial))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for (trial, outcome) in results {
            let outcome = store.add(&trial, &outcome?)?;
            outcomes.insert(trial.key(), outcome);
            done += 1;
            progress(done, trials.len());
        }
        Ok(())
    })?;
    let ratios = ratios(plan, &outcomes);
    pictures::write(dir, plan, &outcomes)?;
    let text = serde_json::to_string_pretty(&ratios).expect("texts and numbers");
    disk::write(&dir.join(SUMMARY), text.as_bytes())?;
    disk::settle_names(dir)?;
    Ok(ratios)
}
