//! What is run: control laws, motions, gains, seeds.

use crate::study::{Size, Trial};

/// The control laws compared; same motion, integrator, root spring and torque limits for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Law {
    /// Joint angles, torques of the present state.
    ParentExplicit,
    /// Joint angles, torques of the end of the step.
    ParentImplicit,
    /// World orientations, torques from outside.
    WorldExternal,
    /// World orientations, torques by the joints.
    WorldInternal,
}

impl Law {
    /// All laws.
    pub const ALL: [Self; 4] =
        [Self::ParentExplicit, Self::ParentImplicit, Self::WorldExternal, Self::WorldInternal];

    /// Name in tables and pictures.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ParentExplicit => "parent-explicit",
            Self::ParentImplicit => "parent-implicit",
            Self::WorldExternal => "world-external",
            Self::WorldInternal => "world-internal",
        }
    }

    /// What scenes call it.
    pub(super) const fn application(self) -> &'static str {
        match self {
            Self::ParentExplicit => "parent-space-explicit",
            Self::ParentImplicit => "parent-space",
            Self::WorldExternal => "external",
            Self::WorldInternal => "internal",
        }
    }
}

/// The motions tracked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Task {
    /// Standing.
    Stand,
    /// Walking.
    Walk,
    /// A cartwheel.
    Cartwheel,
    /// Walking over low steps.
    Obstacles,
}

impl Task {
    /// All tasks.
    pub const ALL: [Self; 4] = [Self::Stand, Self::Walk, Self::Cartwheel, Self::Obstacles];

    /// Name in tables and pictures.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stand => "stand",
            Self::Walk => "walk",
            Self::Cartwheel => "cartwheel",
            Self::Obstacles => "obstacles",
        }
    }
}

/// Which of the two parts a trial is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Stiffness and damping each on their own.
    Map,
    /// Damping ratio constant.
    Line,
}

impl Part {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Line, Self::Map];

    /// Name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Map => "map",
            Self::Line => "line",
        }
    }
}

/// One run of the study.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// Map or line.
    pub part: Part,
    /// Control law.
    pub law: Law,
    /// Motion.
    pub task: Task,
    /// Factor on the reference stiffness.
    pub stiffness: f64,
    /// Factor on the reference damping.
    pub damping: f64,
    /// Seed of the disturbance.
    pub seed: u64,
}

/// Names of the factors, in the order of a trial.
pub(super) const FACTORS: [&str; 6] = ["part", "law", "task", "stiffness", "damping", "seed"];

impl Run {
    /// As a trial.
    pub(super) fn cells(&self) -> Vec<String> {
        let Self { part, law, task, stiffness, damping, seed } = self;
        vec![
            part.name().to_owned(),
            law.name().to_owned(),
            task.name().to_owned(),
            format!("{stiffness:?}"),
            format!("{damping:?}"),
            seed.to_string(),
        ]
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
            seed: trial.get(5)?,
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
    /// Factors of both axes of the map.
    pub factors: Vec<f64>,
    /// Seeds per cell of the map.
    pub map_seeds: u64,
    /// Factors on stiffness along the line of constant damping ratio.
    pub scales: Vec<f64>,
    /// Seeds per point of the line.
    pub line_seeds: u64,
}

impl Extent {
    /// Full: two decades each way in nine steps, 4 seeds; the line over 2⁻⁵ to 2⁵ with 10 seeds.
    pub fn of(size: Size) -> Self {
        match size {
            Size::Full => Self {
                factors: (-4..=4).map(|k| 10f64.powf(f64::from(k) / 4.0)).collect(),
                map_seeds: 4,
                scales: (-5..=5).map(|k| 2f64.powi(k)).collect(),
                line_seeds: 10,
            },
            Size::Quick => Self {
                factors: vec![0.1, 1.0, 10.0],
                map_seeds: 1,
                scales: vec![0.25, 1.0, 4.0],
                line_seeds: 2,
            },
        }
    }

    /// What some trials extend over.
    pub(super) fn covered(runs: &[Run]) -> Self {
        let of = |part: Part| runs.iter().filter(move |r| r.part == part);
        let stiffness = |part: Part| {
            let mut found: Vec<f64> = of(part).map(|r| r.stiffness).collect();
            found.sort_by(f64::total_cmp);
            found.dedup();
            found
        };
        let seeds = |part: Part| of(part).map(|r| r.seed + 1).max().unwrap_or(0);
        Self {
            factors: stiffness(Part::Map),
            map_seeds: seeds(Part::Map),
            scales: stiffness(Part::Line),
            line_seeds: seeds(Part::Line),
        }
    }

    /// Every run, in a fixed order.
    pub fn runs(&self) -> Vec<Run> {
        let mut runs = Vec::new();
        for law in Law::ALL {
            for task in Task::ALL {
                let mut add = |part: Part, stiffness: f64, damping: f64, seeds: u64| {
                    runs.extend((0..seeds).map(|seed| Run { part, law, task, stiffness, damping, seed }));
                };
                // Constant damping ratio: k₂ grows with the root of k₁.
                self.scales.iter().for_each(|&s| add(Part::Line, s, s.sqrt(), self.line_seeds));
                for &stiffness in &self.factors {
                    self.factors
                        .iter()
                        .for_each(|&damping| add(Part::Map, stiffness, damping, self.map_seeds));
                }
            }
        }
        runs
    }
}
