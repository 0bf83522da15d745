//! Shards of a study, run anywhere, put together: the very files of one run.

use std::path::{Path, PathBuf};

use super::engine::{boil_down, check_whole, clear};
use super::plan::Size;
use super::store::{Label, Outcome, Outcomes, other_plan, read, write_sorted};
use super::{Inquiry, Report, StudyError, find};
use crate::disk::Lock;

/// Puts the results in `dirs` together in `out`, with tables and report.
///
/// # Errors
/// Directories of different studies, trials that are missing or contradict each other, files that cannot be read or
/// written.
pub fn merge(dirs: &[PathBuf], out: &Path) -> Result<Report, StudyError> {
    let mut first: Option<Label> = None;
    for dir in dirs {
        let not_one = || StudyError::Results {
            path: dir.join("plan.json"),
            line: 0,
            expected: "a directory with results of a study".to_owned(),
        };
        let label = Label::read(dir)?.ok_or_else(not_one)?.whole();
        match &first {
            Some(first) if *first != label => return Err(other_plan(dir, &label, first)),
            Some(_) => {}
            None => first = Some(label),
        }
    }
    let nothing = || StudyError::Missing { missing: 0, all: 0, first: "unknown".to_owned() };
    let (label, dir) = first.zip(dirs.first()).ok_or_else(nothing)?;
    let unknown = || StudyError::OtherPlan {
        dir: dir.clone(),
        found: format!("results of a study called {}", label.study),
        expected: "one that this program knows".to_owned(),
    };
    let comparison = label.asked.as_ref().and_then(crate::compare::Comparison::asked_for);
    let study: &dyn Inquiry = match (&comparison, find(&label.study)) {
        (Some(comparison), _) => comparison,
        (None, Some(study)) => study,
        (None, None) => return Err(unknown()),
    };
    let size = [Size::Full, Size::Quick].into_iter().find(|s| s.name() == label.size).ok_or_else(unknown)?;
    let plan = study.plan(size);
    let mine = Label::new(study, size, &plan, super::Shard::WHOLE);
    if mine != label {
        return Err(other_plan(dir, &label, &mine));
    }
    let mut outcomes = Outcomes::new();
    for dir in dirs {
        for (key, outcome) in read(dir, study.store(), &plan)? {
            let bits =
                |o: &Outcome| (o.numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), o.note.clone());
            match outcomes.get(&key) {
                Some(other) if bits(other) != bits(&outcome) => {
                    return Err(StudyError::Contradiction { dir: dir.clone(), trial: key });
                }
                _ => outcomes.insert(key, outcome),
            };
        }
    }
    check_whole(&plan, &outcomes)?;
    let _lock = Lock::take(out, &format!("merge {}", study.name()), &[])?;
    mine.claim(out)?;
    clear(study, out)?;
    write_sorted(out, study.store(), &plan, &plan.trials.iter().collect::<Vec<_>>(), &outcomes)?;
    boil_down(study, plan, &outcomes, out)
}
