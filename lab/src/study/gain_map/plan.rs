//! What is run: control laws, motions, gains, aid from outside, seeds.

use super::law::Law;
use super::task::Task;
use crate::study::{Size, Trial};

/// Which part of the study a trial is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Factors on the gains, damping ratio constant.
    Line,
    /// Factors on stiffness and damping, each on their own.
    Map,
    /// Shares of the torques that come from outside, and factors on the root's spring, at gains of 1.
    Aid,
}

impl Part {
    /// All.
    pub const ALL: [Self; 3] = [Self::Line, Self::Map, Self::Aid];

    /// Name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Line => "line",
            Self::Map => "map",
            Self::Aid => "aid",
        }
    }
}

/// One run of the study.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// Which part it is of.
    pub part: Part,
    /// Control law.
    pub law: Law,
    /// Motion.
    pub task: Task,
    /// Factor on the law's stiffness.
    pub stiffness: f64,
    /// Factor on the law's damping.
    pub damping: f64,
    /// Share of a law's external torques that does come from outside.
    pub outside: f64,
    /// Factor on the root's spring.
    pub spring: f64,
    /// Seed of the push.
    pub seed: u64,
}

/// Names of the factors, in the order of a trial.
pub(super) const FACTORS: [&str; 8] =
    ["part", "law", "task", "stiffness", "damping", "outside", "spring", "seed"];

impl Run {
    /// A run along the line of constant damping ratio, where k₂ grows with the root of k₁.
    pub fn on_line(law: Law, task: Task, scale: f64, seed: u64) -> Self {
        let (stiffness, damping) = (scale, scale.sqrt());
        Self { part: Part::Line, law, task, stiffness, damping, outside: 1.0, spring: 1.0, seed }
    }

    /// As a trial.
    pub(super) fn cells(&self) -> Vec<String> {
        let Self { part, law, task, stiffness, damping, outside, spring, seed } = self;
        let words = [part.name(), law.name(), task.name()].map(str::to_owned);
        let numbers = [stiffness, damping, outside, spring].map(|x| format!("{x:?}"));
        words.into_iter().chain(numbers).chain([seed.to_string()]).collect()
    }

    /// From a trial; `None` where it is not one of this study.
    pub(super) fn of(trial: &Trial) -> Option<Self> {
        let named = |k: usize| trial.0.get(k).map(String::as_str);
        Some(Self {
            part: Part::ALL.into_iter().find(|p| Some(p.name()) == named(0))?,
            law: Law::ALL.into_iter().find(|l| Some(l.name()) == named(1))?,
            task: Task::ALL.into_iter().find(|t| Some(t.name()) == named(2))?,
            stiffness: trial.get(3)?,
            damping: trial.get(4)?,
            outside: trial.get(5)?,
            spring: trial.get(6)?,
            seed: trial.get(7)?,
        })
    }

    /// What tells it from every other.
    pub(super) fn key(&self) -> String {
        self.cells().join(",")
    }
}

/// How much is run.
#[derive(Clone, Debug, PartialEq)]
pub struct Extent {
    /// The motions.
    pub tasks: Vec<Task>,
    /// Factors on the gains along the line of constant damping ratio.
    pub scales: Vec<f64>,
    /// Seeds per point of the line.
    pub line_seeds: u64,
    /// Factors of both axes of the map.
    pub factors: Vec<f64>,
    /// Seeds per cell of the map.
    pub map_seeds: u64,
    /// Shares from outside.
    pub shares: Vec<f64>,
    /// Factors on the root's spring.
    pub springs: Vec<f64>,
    /// Seeds per share and spring; every other one is held back from the choice among them.
    pub aid_seeds: u64,
}

impl Extent {
    /// Full: the line over 2⁻⁵ to 2⁵ with 8 seeds, the map over two decades each way in seven steps with 2, aid in five
    /// shares by four springs with 6. Recorded motions where they are at hand.
    pub fn of(size: Size) -> Self {
        let tasks = Task::ALL.into_iter().filter(|task| task.is_here()).collect();
        match size {
            Size::Full => Self {
                tasks,
                scales: (-5..=5).map(|k| 2f64.powi(k)).collect(),
                line_seeds: 8,
                factors: (-3..=3).map(|k| 10f64.powf(f64::from(k) / 3.0)).collect(),
                map_seeds: 2,
                shares: vec![0.0, 0.25, 0.5, 0.75, 1.0],
                springs: vec![0.25, 0.5, 1.0, 2.0],
                aid_seeds: 6,
            },
            Size::Quick => Self {
                tasks,
                scales: vec![0.125, 1.0, 8.0],
                line_seeds: 2,
                factors: vec![0.1, 1.0, 10.0],
                map_seeds: 1,
                shares: vec![0.0, 1.0],
                springs: vec![1.0],
                aid_seeds: 2,
            },
        }
    }

    /// What some trials extend over.
    pub(super) fn covered(runs: &[Run]) -> Self {
        let of = |part: Part| runs.iter().filter(move |r| r.part == part);
        let values = |part: Part, pick: fn(&Run) -> f64| {
            let mut found: Vec<f64> = of(part).map(pick).collect();
            found.sort_by(f64::total_cmp);
            found.dedup();
            found
        };
        let seeds = |part: Part| of(part).map(|r| r.seed + 1).max().unwrap_or(0);
        Self {
            tasks: Task::ALL.into_iter().filter(|task| runs.iter().any(|r| r.task == *task)).collect(),
            scales: values(Part::Line, |r| r.stiffness),
            line_seeds: seeds(Part::Line),
            factors: values(Part::Map, |r| r.stiffness),
            map_seeds: seeds(Part::Map),
            shares: values(Part::Aid, |r| r.outside),
            springs: values(Part::Aid, |r| r.spring),
            aid_seeds: seeds(Part::Aid),
        }
    }

    /// Every run, in a fixed order.
    pub fn runs(&self) -> Vec<Run> {
        let mut runs = Vec::new();
        let mut add = |run: Run, seeds: u64| runs.extend((0..seeds).map(|seed| Run { seed, ..run }));
        for &task in &self.tasks {
            for law in Law::ALL {
                self.scales.iter().for_each(|&s| add(Run::on_line(law, task, s, 0), self.line_seeds));
            }
            for law in Law::CELLS {
                for (&stiffness, &damping) in pairs(&self.factors, &self.factors) {
                    let run = Run { part: Part::Map, stiffness, damping, ..Run::on_line(law, task, 1.0, 0) };
                    add(run, self.map_seeds);
                }
            }
            for law in Self::AIDED {
                for (&outside, &spring) in pairs(&self.shares, &self.springs) {
                    let run = Run { part: Part::Aid, outside, spring, ..Run::on_line(law, task, 1.0, 0) };
                    add(run, self.aid_seeds);
                }
            }
        }
        runs
    }

    /// Laws whose aid is varied: both targets, with torques from all outside to all inside.
    pub const AIDED: [Law; 2] = [Law::WorldExternal, Law::ParentExternal];
}

/// All pairs, the second fastest.
pub(super) fn pairs<'a>(a: &'a [f64], b: &'a [f64]) -> impl Iterator<Item = (&'a f64, &'a f64)> {
    a.iter().flat_map(move |x| b.iter().map(move |y| (x, y)))
}
