//! What is run: control laws, motions, gains, seeds.

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

/// One run of the study.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial {
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

/// How much is run.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Factors of both axes of the map.
    pub factors: Vec<f64>,
    /// Seeds per cell of the map.
    pub map_seeds: u64,
    /// Factors on stiffness along the line of constant damping ratio.
    pub scales: Vec<f64>,
    /// Seeds per point of the line.
    pub line_seeds: u64,
}

impl Plan {
    /// The study as documented: two decades each way in nine steps, 4 seeds; the line over 2⁻⁵ to 2⁵ with 10 seeds.
    pub fn full() -> Self {
        Self {
            factors: (-4..=4).map(|k| 10f64.powf(f64::from(k) / 4.0)).collect(),
            map_seeds: 4,
            scales: (-5..=5).map(|k| 2f64.powi(k)).collect(),
            line_seeds: 10,
        }
    }

    /// A small one, to see that it works.
    pub fn quick() -> Self {
        Self { factors: vec![0.1, 1.0, 10.0], map_seeds: 1, scales: vec![0.25, 1.0, 4.0], line_seeds: 2 }
    }

    /// Every run, each once, in a fixed order.
    pub fn trials(&self) -> Vec<Trial> {
        let mut trials = Vec::new();
        for law in Law::ALL {
            for task in Task::ALL {
                let mut add = |stiffness: f64, damping: f64, seeds: u64| {
                    trials.extend((0..seeds).map(|seed| Trial { law, task, stiffness, damping, seed }));
                };
                // Constant damping ratio: k₂ grows with the root of k₁.
                self.scales.iter().for_each(|&s| add(s, s.sqrt(), self.line_seeds));
                for &stiffness in &self.factors {
                    self.factors.iter().for_each(|&damping| add(stiffness, damping, self.map_seeds));
                }
            }
        }
        trials.sort_by_cached_key(Trial::key);
        trials.dedup_by_key(|t| t.key());
        trials
    }
}

impl Trial {
    /// What tells it from every other, also as text in the results.
    pub fn key(&self) -> String {
        let Self { law, task, stiffness, damping, seed } = self;
        format!("{},{},{stiffness:.6},{damping:.6},{seed}", law.name(), task.name())
    }
}
