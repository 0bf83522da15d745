//! How far gains may be off before a control law fails (the central claim of Wrotek 2006).
//!
//! Four laws (parent space explicit and implicit, world space external and internal) track four motions (standing,
//! walking, a cartwheel, walking over low steps) under factors on stiffness and damping over two decades each, with the
//! same figure, motion, integrator, root spring and torque limits, each run nudged once as its seed says.

mod pictures;
mod plan;
mod rollout;
mod summary;

pub use plan::{Extent, Law, Part, Run, Task};
pub use rollout::{Outcome, roll_out};
pub use summary::{Cell, GOOD_ENOUGH, Ratio, cell, ratios};

use std::collections::BTreeMap;
use std::path::Path;

use super::{Plan, Report, Results, Study, StudyError, Trial};
use crate::disk;

/// The study's row.
pub const STUDY: Study = Study {
    name: "gain-map",
    help: "Tracking error, jitter and survival over stiffness and damping, for four control laws",
    plan: |size| plan_of(&Extent::of(size)),
    run,
    files: || [SUMMARY.to_owned()].into_iter().chain(pictures::names()).collect(),
    report,
};

/// The table of the usable gain ratios.
const SUMMARY: &str = "summary.json";

/// Outcomes by what tells a run from others.
pub type Outcomes = BTreeMap<String, Outcome>;

/// The plan of an extent.
pub fn plan_of(extent: &Extent) -> Plan {
    Plan::new(&plan::FACTORS, &["seed"], &Outcome::MEASURED, extent.runs().iter().map(Run::cells))
}

fn run(trial: &Trial) -> Result<Vec<f64>, StudyError> {
    let nothing = || vec![f64::NAN; Outcome::MEASURED.len()];
    Run::of(trial).map_or_else(|| Ok(nothing()), |run| Ok(roll_out(&run)?.numbers()))
}

fn report(results: &Results, dir: &Path) -> Result<Report, StudyError> {
    let runs: Vec<Run> = results.plan.trials.iter().filter_map(Run::of).collect();
    let outcomes: Outcomes = results
        .plan
        .trials
        .iter()
        .zip(&results.outcomes)
        .filter_map(|(trial, numbers)| Some((trial.key(), Outcome::of(numbers)?)))
        .collect();
    let extent = Extent::covered(&runs);
    let ratios = ratios(&extent, &outcomes);
    pictures::write(dir, &extent, &outcomes)?;
    let text = serde_json::to_string_pretty(&ratios).expect("texts and numbers");
    disk::write(&dir.join(SUMMARY), text.as_bytes())?;
    Ok(Report { text: words(&ratios), json: serde_json::json!(ratios) })
}

fn words(ratios: &[Ratio]) -> String {
    use std::fmt::Write as _;
    let mut text =
        "law              task       usable ratio  95 % interval    least error  slope\n".to_owned();
    for r in ratios {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{:<16} {:<10} {:>12.1}  {:>5.1} .. {:<6.1} {:>11.3} rad  {:.2}",
            r.law, r.task, r.ratio, r.low, r.high, r.best_error, r.slope
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::Size;

    #[test]
    fn the_plan_is_what_the_documents_say_and_every_run_reads_back() {
        let extent = Extent::of(Size::Full);
        let plan = plan_of(&extent);
        // 81 cells by 4 seeds and 11 points by 10, for four laws and four tasks.
        assert_eq!(plan.trials.len(), 16 * (81 * 4 + 11 * 10));
        let runs: Vec<Run> = plan.trials.iter().filter_map(Run::of).collect();
        assert_eq!(runs, extent.runs());
        assert_eq!(Extent::covered(&runs), extent);
    }
}
