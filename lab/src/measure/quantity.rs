//! The registry of quantities a scene may measure.

/// What can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Deepest overlap of shapes.
    Penetration,
    /// Fastest body near the end of the run.
    SettleSpeed,
    /// Speed of a body's centre of mass, or of the fastest body.
    Speed,
    /// Mechanical energy above that at the start.
    EnergyGain,
    /// Mechanical energy away from that at the start, relative to the largest kinetic energy seen.
    EnergyDrift,
    /// Kinetic energy relative to that at the start.
    KineticShare,
    /// Linear momentum away from `p₀ + m g t`, relative to the momentum at the start.
    MomentumDrift,
    /// Angular momentum about the centre of mass away from that at the start, relative.
    SpinDrift,
    /// Distance of a body's centre of mass from its parabola.
    BallisticError,
    /// Mean angle between joints and where their controller wants them.
    PoseError,
    /// Distance of pinned points from their anchors.
    JointDrift,
    /// Height of a body's centre of mass.
    Height,
    /// Horizontal distance of a body from where it started.
    Travel,
    /// First coordinate of the joint above a body.
    JointAngle,
    /// Characters whose root is below 60 % of its height at the start.
    Falls,
    /// Mismatch of the step's energy books relative to the energies involved.
    LedgerClosure,
    /// Bodies that fell out of the world.
    LostBodies,
}

/// How samples become one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stat {
    /// The largest.
    Max,
    /// The smallest.
    Min,
    /// The mean.
    Mean,
    /// The last.
    Last,
}

impl Stat {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Max, Self::Min, Self::Mean, Self::Last];

    /// Name, as scenes spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Max => "max",
            Self::Min => "min",
            Self::Mean => "mean",
            Self::Last => "last",
        }
    }
}

impl Quantity {
    /// All of them.
    pub const ALL: [Self; 17] = [
        Self::Penetration,
        Self::SettleSpeed,
        Self::Speed,
        Self::EnergyGain,
        Self::EnergyDrift,
        Self::KineticShare,
        Self::MomentumDrift,
        Self::SpinDrift,
        Self::BallisticError,
        Self::PoseError,
        Self::JointDrift,
        Self::Height,
        Self::Travel,
        Self::JointAngle,
        Self::Falls,
        Self::LedgerClosure,
        Self::LostBodies,
    ];

    /// Name, as scenes spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Penetration => "penetration",
            Self::SettleSpeed => "settle-speed",
            Self::Speed => "speed",
            Self::EnergyGain => "energy-gain",
            Self::EnergyDrift => "energy-drift",
            Self::KineticShare => "kinetic-share",
            Self::MomentumDrift => "momentum-drift",
            Self::SpinDrift => "spin-drift",
            Self::BallisticError => "ballistic-error",
            Self::PoseError => "pose-error",
            Self::JointDrift => "joint-drift",
            Self::Height => "height",
            Self::Travel => "travel",
            Self::JointAngle => "joint-angle",
            Self::Falls => "falls",
            Self::LedgerClosure => "ledger-closure",
            Self::LostBodies => "lost-bodies",
        }
    }

    /// Unit of the number reported.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Penetration | Self::BallisticError | Self::JointDrift | Self::Height | Self::Travel => "m",
            Self::SettleSpeed | Self::Speed => "m/s",
            Self::EnergyGain => "J",
            Self::PoseError | Self::JointAngle => "deg",
            Self::Falls | Self::LostBodies => "",
            Self::EnergyDrift
            | Self::KineticShare
            | Self::MomentumDrift
            | Self::SpinDrift
            | Self::LedgerClosure => "of 1",
        }
    }

    /// Whether it is about one body or character.
    pub const fn needs_subject(self) -> bool {
        matches!(self, Self::BallisticError | Self::Height | Self::Travel | Self::JointAngle)
    }

    /// How its samples become one number where the scene does not say.
    pub const fn usual_stat(self) -> Stat {
        match self {
            Self::Height | Self::Travel | Self::Falls | Self::JointAngle => Stat::Last,
            _ => Stat::Max,
        }
    }
}
