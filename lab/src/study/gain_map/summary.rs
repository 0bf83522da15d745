//! From runs to numbers: how many neighbouring factors hold, by criterion, task by task and all at once; and how runs go at the laws'
//! own gains, the fallen told apart.

use serde::Serialize;

use super::Outcomes;
use super::criteria::{Criterion, longest, together};
use super::law::Law;
use super::plan::{Extent, Run};
use super::rollout::Outcome;
use super::task::Task;
use crate::stats::{self, Estimate};

/// Everything that the study says.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Tasks whose data was not at hand.
    pub absent: Vec<&'static str>,
    /// Factors tried along the line.
    pub scales: Vec<f64>,
    /// Usable gains.
    pub usable: Vec<Usable>,
    /// How much wider one law's range is than another's, push by push.
    pub wider: Vec<Wider>,
    /// Runs at factors of 1.
    pub at_one: Vec<Account>,
    /// What each kind of target does with aid from outside.
    pub aid: Vec<super::aid::Aided>,
    /// The best that each does within a budget of aid.
    pub budgets: Vec<super::aid::Budget>,
}

/// Usable gains of a law.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Usable {
    /// Control law.
    pub law: &'static str,
    /// Motion, or which motions at once.
    pub task: &'static str,
    /// What holding means.
    pub criterion: &'static str,
    /// Neighbouring factors that hold, mean over the pushes; 0 is none.
    pub factors: Estimate,
    /// Largest over smallest usable factor at that mean; not a number below one factor.
    pub ratio: f64,
}

/// A difference of usable factors, push by push.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Wider {
    /// The law …
    pub law: &'static str,
    /// … and what it is compared with.
    pub than: &'static str,
    /// Motion, or which motions at once.
    pub task: &'static str,
    /// What holding means.
    pub criterion: &'static str,
    /// Factors more, mean over the pushes.
    pub factors: Estimate,
}

/// How some runs went, each until it fell or ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Account {
    /// Control law.
    pub law: &'static str,
    /// Motion; `all` for all of them.
    pub task: &'static str,
    /// How it went.
    #[serde(flatten)]
    pub tally: Tally,
}

/// Runs in numbers: none is left out, those that fell count until then.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tally {
    /// Share that stayed up.
    pub survival: Estimate,
    /// Share that holds by [`Criterion::STRICT`].
    pub held: Estimate,
    /// Error, rad.
    pub error: Estimate,
    /// Error with the root's attitude, rad.
    pub attitude: Estimate,
    /// Jitter, of the motion's own.
    pub jitter: Estimate,
    /// Moment from outside, of the weight at 1 m.
    pub cheat: Estimate,
}

impl Tally {
    /// Of these runs.
    pub fn of(runs: &[Outcome]) -> Self {
        let mean = |pick: fn(&Outcome) -> f64| stats::mean(&runs.iter().map(pick).collect::<Vec<_>>());
        let share =
            |is: &dyn Fn(&Outcome) -> bool| stats::rate(runs.iter().filter(|o| is(o)).count(), runs.len());
        Self {
            survival: share(&|o| o.survived),
            held: share(&|o| Criterion::STRICT.holds(o, f64::NAN)),
            error: mean(|o| o.error),
            attitude: mean(|o| o.attitude),
            jitter: mean(|o| o.jitter),
            cheat: mean(|o| o.cheat),
        }
    }
}

/// Which motions must hold at once, under which name.
pub(super) fn groups(tasks: &[Task]) -> Vec<(&'static str, Vec<Task>)> {
    let one = |task: &Task| (task.name(), vec![*task]);
    let some = |name, wanted: fn(&Task) -> bool| {
        let found: Vec<Task> = tasks.iter().copied().filter(wanted).collect();
        (!found.is_empty()).then_some((name, found))
    };
    let own = some("own at once", |t| t.setting().file.is_none());
    let recorded = some("recorded at once", |t| t.setting().file.is_some());
    tasks.iter().map(one).chain(own).chain(recorded).chain(some("all at once", |_| true)).collect()
}

/// How many neighbouring factors hold for all of some tasks, push by push.
pub(super) fn counts(
    extent: &Extent,
    outcomes: &Outcomes,
    law: Law,
    tasks: &[Task],
    criterion: Criterion,
) -> Vec<f64> {
    let line = |task: Task, seed: u64| -> Vec<Option<Outcome>> {
        let at = |&scale: &f64| outcomes.get(&Run::on_line(law, task, scale, seed).key()).copied();
        extent.scales.iter().map(at).collect()
    };
    let count = |seed: u64| {
        let held: Vec<Vec<bool>> = tasks.iter().map(|&task| criterion.along(&line(task, seed))).collect();
        longest(&together(&held)) as f64
    };
    (0..extent.line_seeds).map(count).collect()
}

/// Usable gains of every law, for every task and group, under every criterion.
pub fn usable(extent: &Extent, outcomes: &Outcomes) -> Vec<Usable> {
    let step = extent.scales.get(1).zip(extent.scales.first()).map_or(f64::NAN, |(b, a)| b / a);
    let mut out = Vec::new();
    for criterion in Criterion::ALL {
        for (task, tasks) in groups(&extent.tasks) {
            for law in Law::ALL {
                let factors = stats::mean(&counts(extent, outcomes, law, &tasks, criterion));
                let ratio = if factors.value < 1.0 { f64::NAN } else { step.powf(factors.value - 1.0) };
                out.push(Usable { law: law.name(), task, criterion: criterion.name(), factors, ratio });
            }
        }
    }
    out
}

/// What the study is about: world space by external torques against the baseline, as they are and as they were tuned, and against
/// targets to the parent by the same external torques.
const PAIRS: [(Law, Law); 3] = [
    (Law::WorldExternal, Law::ParentInternal),
    (Law::WorldExternal, Law::ParentExternal),
    (Law::WorldTuned, Law::ParentTuned),
];

/// How much wider the first law's range is than the second's, all tasks at once and each.
pub fn wider(extent: &Extent, outcomes: &Outcomes) -> Vec<Wider> {
    let mut out = Vec::new();
    for criterion in Criterion::ALL {
        for (task, tasks) in groups(&extent.tasks) {
            for (law, than) in PAIRS {
                let of = |law| counts(extent, outcomes, law, &tasks, criterion);
                let more: Vec<f64> = of(law).iter().zip(of(than)).map(|(a, b)| a - b).collect();
                let (law, than) = (law.name(), than.name());
                let factors = stats::mean(&more);
                out.push(Wider { law, than, task, criterion: criterion.name(), factors });
            }
        }
    }
    out
}

/// Runs of every law at factors of 1, by task and all together.
pub fn at_one(extent: &Extent, outcomes: &Outcomes) -> Vec<Account> {
    let mut out = Vec::new();
    for law in Law::ALL {
        let runs = |task: Task| {
            let key = move |seed| Run::on_line(law, task, 1.0, seed).key();
            (0..extent.line_seeds).filter_map(move |seed| outcomes.get(&key(seed)).copied())
        };
        for &task in &extent.tasks {
            let tally = Tally::of(&runs(task).collect::<Vec<_>>());
            out.push(Account { law: law.name(), task: task.name(), tally });
        }
        let all: Vec<Outcome> = extent.tasks.iter().flat_map(|&task| runs(task)).collect();
        out.push(Account { law: law.name(), task: "all", tally: Tally::of(&all) });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::Size;

    /// A table in which a law holds between these factors, the same for every push.
    fn table(extent: &Extent, ranges: &[(Task, f64, f64)]) -> Outcomes {
        let mut outcomes = Outcomes::new();
        for &(task, low, high) in ranges {
            for (&scale, seed) in
                extent.scales.iter().flat_map(|s| (0..extent.line_seeds).map(move |k| (s, k)))
            {
                let error = if (low..=high).contains(&scale) { 0.1 } else { 0.3 };
                let o = Outcome { error, attitude: error, jitter: 1.0, cheat: 0.1, up: 1.0, survived: true };
                outcomes.insert(Run::on_line(Law::WorldExternal, task, scale, seed).key(), o);
            }
        }
        outcomes
    }

    #[test]
    fn all_at_once_is_where_each_holds_not_where_their_mean_does() {
        let extent = Extent { tasks: vec![Task::Stand, Task::Walk], ..Extent::of(Size::Full) };
        let outcomes = table(&extent, &[(Task::Stand, 0.25, 4.0), (Task::Walk, 1.0, 32.0)]);
        let found = usable(&extent, &outcomes);
        let of = |task: &str| {
            let is = |u: &&Usable| u.law == "world-external" && u.task == task && u.criterion == "absolute";
            found.iter().find(is).map(|u| (u.factors.value, u.ratio))
        };
        assert_eq!(of("stand"), Some((5.0, 16.0)));
        assert_eq!(of("walk"), Some((6.0, 32.0)));
        // 1, 2 and 4: the mean of the two errors is 0.2 elsewhere, but that is nobody's error.
        assert_eq!(of("all at once"), Some((3.0, 4.0)));
        assert_eq!(of("recorded at once"), None);
    }

    #[test]
    fn the_fallen_are_counted() {
        let up = Outcome { error: 0.1, attitude: 0.1, jitter: 1.0, cheat: 0.2, up: 1.0, survived: true };
        let fell = Outcome { error: 0.3, survived: false, up: 0.5, ..up };
        let tally = Tally::of(&[up, up, up, fell]);
        assert!((tally.survival.value - 0.75).abs() < 1e-12 && (tally.held.value - 0.75).abs() < 1e-12);
        assert!((tally.error.value - 0.15).abs() < 1e-12, "until the fall, over all runs");
    }
}
