//! The control laws compared: what bones strive for, by how torques act, and the gains that factors of 1 stand for.

/// A control law; same motion, figure, integrator and torque limits for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Law {
    /// Attitudes in the world, torques from outside: the paper's law.
    WorldExternal,
    /// Attitudes in the world, torques by the joints.
    WorldInternal,
    /// Attitudes to the parent, torques from outside.
    ParentExternal,
    /// Attitudes to the parent, torques by the joints: the baseline.
    ParentInternal,
    /// The paper's law with gains and root spring found by `stuntlab tune`.
    WorldTuned,
    /// The baseline with gains and root spring found by `stuntlab tune`.
    ParentTuned,
}

/// What factors of 1 stand for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Base {
    /// Frequency of every bone's spring, rad/s.
    pub frequency: f64,
    /// Its damping ratio.
    pub damping_ratio: f64,
    /// Stiffness of the root's weak spring, N m/rad.
    pub spring_stiffness: f64,
    /// Damping of the root's weak spring, N m s/rad.
    pub spring_damping: f64,
    /// Its largest moment, N m.
    pub spring_limit: f64,
    /// The moment at which it breaks, N m.
    pub spring_breaking: f64,
}

/// Dynamo's own, for every cell: equal gains.
const OWN: Base = Base {
    frequency: 40.0,
    damping_ratio: 1.0,
    spring_stiffness: 1000.0,
    spring_damping: 200.0,
    spring_limit: 200.0,
    spring_breaking: 600.0,
};
/// `stuntlab tune docs/gain-map/baseline.toml --out out/parent`: cost 0.277, was 0.443 with Dynamo's own gains; all marks hold.
const PARENT_TUNED: Base = Base {
    frequency: 74.32,
    damping_ratio: 2.972,
    spring_stiffness: 4578.0,
    spring_damping: 759.4,
    spring_limit: 385.0,
    ..OWN
};
/// `stuntlab tune docs/gain-map/baseline.toml --set 'character.0.controller.application="world-external"' --out out/world`: cost 0.173; with
/// Dynamo's own gains a mark does not hold, and all do. Stiffness of the spring ended near the upper end of its range (10000 N m/rad).
const WORLD_TUNED: Base = Base {
    frequency: 51.45,
    damping_ratio: 0.3861,
    spring_stiffness: 9867.0,
    spring_damping: 307.5,
    spring_limit: 498.7,
    ..OWN
};

impl Law {
    /// The four cells, at equal gains.
    pub const CELLS: [Self; 4] =
        [Self::WorldExternal, Self::WorldInternal, Self::ParentExternal, Self::ParentInternal];
    /// The cells, and the two that were tuned.
    pub const ALL: [Self; 6] = [
        Self::WorldExternal,
        Self::WorldInternal,
        Self::ParentExternal,
        Self::ParentInternal,
        Self::WorldTuned,
        Self::ParentTuned,
    ];

    /// Name in tables and pictures.
    pub const fn name(self) -> &'static str {
        match self {
            Self::WorldTuned => "world-tuned",
            Self::ParentTuned => "parent-tuned",
            cell => cell.application(),
        }
    }

    /// What scenes call it.
    pub(super) const fn application(self) -> &'static str {
        match self {
            Self::WorldExternal | Self::WorldTuned => "world-external",
            Self::WorldInternal => "world-internal",
            Self::ParentExternal => "parent-external",
            Self::ParentInternal | Self::ParentTuned => "parent-internal",
        }
    }

    /// Its gains and root spring.
    pub const fn base(self) -> Base {
        match self {
            Self::WorldTuned => WORLD_TUNED,
            Self::ParentTuned => PARENT_TUNED,
            _ => OWN,
        }
    }
}
