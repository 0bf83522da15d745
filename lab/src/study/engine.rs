//! Runs what is missing of a study and boils it down.

use std::path::Path;

use super::plan::{Plan, Shard, Size, Trial};
use super::store::{Label, Outcome, Outcomes, Results, Store, write_sorted};
use super::table::{self, Table};
use super::{Inquiry, Report, StudyError};
use crate::disk::{self, Lock};
use crate::parallel;

/// Which part of a study is run, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// How much of it.
    pub size: Size,
    /// Which part of that.
    pub shard: Shard,
    /// Threads; 0 is one per core. Results do not depend on it.
    pub threads: usize,
}

/// What came of an order.
#[derive(Clone, Debug, PartialEq)]
pub enum Finished {
    /// A shard's trials are done; how many they are.
    Shard(usize),
    /// All is done.
    Whole(Report),
}

/// Runs what is missing of a study on all cores and writes tables and pictures into `dir`, or only the results for a
/// shard. `progress` hears how many trials are done, of how many. What was boiled down from fewer results is removed at
/// the start.
///
/// # Errors
/// A directory that another run is writing into or that holds other trials, files that cannot be read or written.
pub fn conduct(
    study: &dyn Inquiry,
    order: Order,
    dir: &Path,
    progress: &dyn Fn(usize, usize),
) -> Result<Finished, StudyError> {
    let plan = study.plan(order.size);
    let _lock = Lock::take(dir, &format!("run {}", study.name()), &[])?;
    disk::has_room(dir, study.room())?;
    Label::new(study, order.size, &plan, order.shard).claim(dir)?;
    let (mut store, mut outcomes) = Store::open(dir, study.store(), &plan)?;
    clear(study, dir)?;
    let trials = plan.shard(order.shard);
    let missing: Vec<_> = trials.iter().copied().filter(|t| !outcomes.contains_key(&t.key())).collect();
    let mut done = trials.len() - missing.len();
    progress(done, trials.len());
    let work = |k: usize| study.run(missing[k]);
    parallel::each(missing.len(), order.threads, work, |k, outcome| -> Result<(), StudyError> {
        let outcome = outcome?;
        store.add(&plan, missing[k], &outcome)?;
        outcomes.insert(missing[k].key(), outcome);
        done += 1;
        progress(done, trials.len());
        Ok(())
    })?;
    drop(store);
    write_sorted(dir, study.store(), &plan, &trials, &outcomes)?;
    if order.shard.is_whole() {
        boil_down(study, plan, &outcomes, dir).map(Finished::Whole)
    } else {
        Ok(Finished::Shard(trials.len()))
    }
}

/// Removes what earlier runs boiled down.
pub(super) fn clear(study: &dyn Inquiry, dir: &Path) -> Result<(), StudyError> {
    for name in table::FILES.map(str::to_owned).into_iter().chain(study.files()) {
        disk::remove(&dir.join(name))?;
    }
    Ok(())
}

/// Every trial must be there.
pub(super) fn check_whole(plan: &Plan, outcomes: &Outcomes) -> Result<(), StudyError> {
    let lost: Vec<String> =
        plan.trials.iter().map(Trial::key).filter(|k| !outcomes.contains_key(k)).collect();
    match lost.first() {
        None => Ok(()),
        Some(first) => {
            Err(StudyError::Missing { missing: lost.len(), all: plan.trials.len(), first: first.clone() })
        }
    }
}

/// Writes the tables and the study's own report; every trial must be there.
pub(super) fn boil_down(
    study: &dyn Inquiry,
    plan: Plan,
    outcomes: &Outcomes,
    dir: &Path,
) -> Result<Report, StudyError> {
    check_whole(&plan, outcomes)?;
    let of = |t: &Trial| outcomes[&t.key()].clone();
    let (outcomes, notes) =
        plan.trials.iter().map(of).map(|Outcome { numbers, note }| (numbers, note)).unzip();
    let results = Results { plan, outcomes, notes };
    Table::of(&results).write(dir)?;
    let report = study.report(&results, dir)?;
    disk::settle_names(dir)?;
    Ok(report)
}
