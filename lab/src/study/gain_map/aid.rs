//! The comparison at equal cheat: what targets in the world and targets to the parent make of the same aid from outside.
//!
//! Torques act from outside in shares from 0 (the internal cell) to 1 (the external one) and the root's spring is scaled, at gains of 1.
//! Each such setting costs some aid, the mean moment from outside over the weight at one metre. For a budget of aid each kind of target
//! gets its best setting within it: most runs that hold, then the least error. It is chosen on every other push and reported on the
//! rest, which the choice has not seen.

use serde::Serialize;

use super::Outcomes;
use super::plan::{Extent, Part, Run, pairs};
use super::rollout::Outcome;
use super::summary::Tally;

/// Budgets of aid, of the weight at one metre: from what the root's spring alone takes to what all torques do.
const BUDGETS: [f64; 6] = [0.1, 0.15, 0.2, 0.3, 0.4, 0.5];

/// Runs with some aid.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Aided {
    /// What bones strive for: the external cell it comes from.
    pub law: &'static str,
    /// Share of the torques that comes from outside.
    pub outside: f64,
    /// Factor on the root's spring.
    pub spring: f64,
    /// How it went, all tasks.
    #[serde(flatten)]
    pub tally: Tally,
    /// On the pushes that choices are made on, and on the rest.
    #[serde(skip)]
    halves: [Tally; 2],
}

/// The best within a budget.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Budget {
    /// Largest aid.
    pub budget: f64,
    /// What bones strive for.
    pub law: &'static str,
    /// Share from outside that was chosen.
    pub outside: f64,
    /// Factor on the root's spring that was chosen.
    pub spring: f64,
    /// How it went on the pushes that were held back.
    #[serde(flatten)]
    pub tally: Tally,
}

/// Every setting.
pub fn aided(extent: &Extent, outcomes: &Outcomes) -> Vec<Aided> {
    let mut out = Vec::new();
    for law in Extent::AIDED {
        for (&outside, &spring) in pairs(&extent.shares, &extent.springs) {
            let runs = |wanted: &dyn Fn(u64) -> bool| -> Vec<Outcome> {
                let of = |task| {
                    let run = Run { part: Part::Aid, outside, spring, ..Run::on_line(law, task, 1.0, 0) };
                    (0..extent.aid_seeds).map(move |seed| Run { seed, ..run })
                };
                let all = extent.tasks.iter().flat_map(|&task| of(task)).filter(|run| wanted(run.seed));
                all.filter_map(|run| outcomes.get(&run.key()).copied()).collect()
            };
            let halves = [0, 1].map(|half| Tally::of(&runs(&|seed| seed % 2 == half)));
            out.push(Aided { law: law.name(), outside, spring, tally: Tally::of(&runs(&|_| true)), halves });
        }
    }
    out
}

/// The best of each kind of target within each budget; none where all settings cost more.
pub fn budgets(aided: &[Aided]) -> Vec<Budget> {
    let mut out = Vec::new();
    for budget in BUDGETS {
        for law in Extent::AIDED.map(super::law::Law::name) {
            let within = |a: &&Aided| a.law == law && a.halves[0].cheat.value <= budget;
            let better = |a: &&Aided, b: &&Aided| {
                let held = |x: &Aided| x.halves[0].held.value;
                let error = |x: &Aided| x.halves[0].attitude.value;
                held(a).total_cmp(&held(b)).then(error(b).total_cmp(&error(a)))
            };
            out.extend(aided.iter().filter(within).max_by(better).map(|best| Budget {
                budget,
                law,
                outside: best.outside,
                spring: best.spring,
                tally: best.halves[1].clone(),
            }));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::Size;
    use crate::study::gain_map::Task;

    #[test]
    fn a_budget_is_kept_and_the_choice_does_not_see_what_is_reported() {
        let extent = Extent {
            tasks: vec![Task::Stand],
            shares: vec![0.0, 1.0],
            springs: vec![1.0],
            aid_seeds: 4,
            ..Extent::of(Size::Quick)
        };
        let mut outcomes = Outcomes::new();
        for run in extent.runs().into_iter().filter(|r| r.part == Part::Aid) {
            // More from outside is better on the pushes chosen on, worse on the others.
            let good = (run.outside > 0.5) == (run.seed % 2 == 0);
            let error = if good { 0.05 } else { 0.1 };
            let cheat = 0.12 + 0.3 * run.outside;
            let o = Outcome { error, attitude: error, jitter: 1.0, cheat, up: 1.0, survived: true };
            outcomes.insert(run.key(), o);
        }
        let found = budgets(&aided(&extent, &outcomes));
        let world: Vec<_> = found.iter().filter(|b| b.law == "world-external").collect();
        assert_eq!(world.iter().map(|b| b.budget).collect::<Vec<_>>(), [0.15, 0.2, 0.3, 0.4, 0.5]);
        assert!(world.iter().all(|b| b.tally.cheat.value <= b.budget));
        assert_eq!(world.iter().map(|b| b.outside).collect::<Vec<_>>(), [0.0, 0.0, 0.0, 0.0, 1.0]);
        assert!((world[4].tally.error.value - 0.1).abs() < 1e-12, "as on the pushes held back");
    }
}
