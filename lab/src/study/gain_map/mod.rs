//! How far gains may be off before a control law fails (the central claim of Wrotek 2006), and what outside aid has to do with it.
//!
//! The four cells of targets (in the world, to the parent) by torques (external, internal) track the library's motions and recorded
//! ones with the same figure, integrator, root spring and torque limits, each run pushed once by 10 to 60 N s as its seed says;
//! the paper's law and the baseline also with gains and spring that were tuned by program. Three parts:
//!
//! | part | varied |
//! |---|---|
//! | line | one factor on the gains, damping ratio constant: how many neighbouring factors hold ([`criteria`](Criterion)) |
//! | map | factors on stiffness and damping |
//! | aid | share of the torques from outside and the root's spring: the comparison at equal cheat ([`Budget`]) |

mod aid;
mod criteria;
mod law;
mod pictures;
mod plan;
mod rollout;
mod summary;
mod task;
mod words;

pub use aid::{Aided, Budget, aided, budgets};
pub use criteria::{AS_GOOD, Bound, CALM, Criterion, GOOD_ENOUGH, longest, together};
pub use law::{Base, Law};
pub use plan::{Extent, Part, Run};
pub use rollout::{Outcome, roll_out};
pub use summary::{Account, Summary, Tally, Usable, Wider, at_one, usable, wider};
pub use task::Task;

use std::collections::BTreeMap;
use std::path::Path;

use super::{Plan, Report, Results, Study, StudyError, Trial};
use crate::disk;

/// The study's row.
pub const STUDY: Study = Study {
    name: "gain-map",
    help: "How far gains may be off, for targets in the world and to the parent by external and internal torques, also at equal aid",
    plan: |size| plan_of(&Extent::of(size)),
    run,
    files: || [SUMMARY.to_owned()].into_iter().chain(pictures::names()).collect(),
    report,
};

/// The file of all that the study says.
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
    let aid = aided(&extent, &outcomes);
    let summary = Summary {
        absent: Task::ALL.iter().filter(|task| !extent.tasks.contains(task)).map(|t| t.name()).collect(),
        scales: extent.scales.clone(),
        usable: usable(&extent, &outcomes),
        wider: wider(&extent, &outcomes),
        at_one: at_one(&extent, &outcomes),
        budgets: budgets(&aid),
        aid,
    };
    pictures::write(dir, &extent, &outcomes, &summary)?;
    let text = serde_json::to_string_pretty(&summary).expect("texts and numbers") + "\n";
    disk::write(&dir.join(SUMMARY), text.as_bytes())?;
    Ok(Report { text: words::words(&summary), json: serde_json::json!(summary) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::Size;

    #[test]
    fn the_plan_is_what_the_documents_say_and_every_run_reads_back() {
        let extent = Extent { tasks: Task::ALL.to_vec(), ..Extent::of(Size::Full) };
        let plan = plan_of(&extent);
        // Six tasks; six laws by 11 factors by 8 seeds, four by 49 cells by 2, two by 20 settings by 6.
        assert_eq!(plan.trials.len(), 6 * (6 * 11 * 8 + 4 * 49 * 2 + 2 * 20 * 6));
        let runs: Vec<Run> = plan.trials.iter().filter_map(Run::of).collect();
        assert_eq!(runs, extent.runs());
        assert_eq!(Extent::covered(&runs), extent);
    }
}
