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
    /// Characters whose root is over their lowest part by less than 60 % of what it is in their reference, or was at
    /// the start.
    Falls,
    /// Characters that are about as high and as upright as their reference.
    Standing,
    /// Mean angle between a character's bones and those of its reference, relative to their roots.
    TrackingError,
    /// Mean angle between a character's bones, root included, and those of its reference turned about the vertical to fit
    /// them best.
    AttitudeError,
    /// Angular acceleration of the bones above 10 Hz relative to the reference's own (at least 5 rad/s², a calm hand's).
    Jitter,
    /// Net moment from outside on a character per its weight at an arm of one metre.
    Cheat,
    /// Work of aids from outside so far.
    AidWork,
    /// Angle by which a character's root leans away from its reference's.
    RootTilt,
    /// Whether a character touches nothing: its total is seconds of flight.
    Flight,
    /// Deepest overlap of a character's feet.
    FootPenetration,
    /// Speed of a character's feet along what they stand on: its total is the way they slid.
    FootSlide,
    /// Way a character's feet slid so far per metre it has come.
    SlidePerMetre,
    /// How far a character has come, of how far its recording comes.
    WayShare,
    /// Scale of a character's gains: below 1 while stunned.
    Strength,
    /// Punches a fighter took on head or trunk so far.
    HitsTaken,
    /// Times a fighter went down so far.
    KnockDowns,
    /// Times a fighter stood again so far.
    Recoveries,
    /// Longest time a fighter took from going down to standing again, s.
    LongestDown,
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
    /// The root of the mean square.
    Rms,
    /// The integral over time.
    Total,
}

impl Stat {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Max, Self::Min, Self::Mean, Self::Last, Self::Rms, Self::Total];

    /// Name, as scenes spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Max => "max",
            Self::Min => "min",
            Self::Mean => "mean",
            Self::Last => "last",
            Self::Rms => "rms",
            Self::Total => "total",
        }
    }
}

impl Quantity {
    /// All of them.
    pub const ALL: [Self; 34] = [
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
        Self::Standing,
        Self::TrackingError,
        Self::AttitudeError,
        Self::Jitter,
        Self::Cheat,
        Self::AidWork,
        Self::RootTilt,
        Self::Flight,
        Self::FootPenetration,
        Self::FootSlide,
        Self::SlidePerMetre,
        Self::WayShare,
        Self::Strength,
        Self::HitsTaken,
        Self::KnockDowns,
        Self::Recoveries,
        Self::LongestDown,
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
            Self::Standing => "standing",
            Self::TrackingError => "tracking-error",
            Self::AttitudeError => "attitude-error",
            Self::Jitter => "jitter",
            Self::Cheat => "cheat",
            Self::AidWork => "aid-work",
            Self::RootTilt => "root-tilt",
            Self::Flight => "flight",
            Self::FootPenetration => "foot-penetration",
            Self::FootSlide => "foot-slide",
            Self::SlidePerMetre => "slide-per-metre",
            Self::WayShare => "way-share",
            Self::Strength => "strength",
            Self::HitsTaken => "hits-taken",
            Self::KnockDowns => "knock-downs",
            Self::Recoveries => "recoveries",
            Self::LongestDown => "longest-down",
            Self::LedgerClosure => "ledger-closure",
            Self::LostBodies => "lost-bodies",
        }
    }

    /// Unit of the number reported.
    pub const fn unit(self, stat: Stat) -> &'static str {
        match (self, stat) {
            (Self::Flight, Stat::Total) => "s",
            (Self::FootSlide, Stat::Total) => "m",
            _ => self.unit_of_sample(),
        }
    }

    const fn unit_of_sample(self) -> &'static str {
        match self {
            Self::Penetration
            | Self::BallisticError
            | Self::JointDrift
            | Self::Height
            | Self::Travel
            | Self::FootPenetration => "m",
            Self::SlidePerMetre => "m/m",
            Self::SettleSpeed | Self::Speed | Self::FootSlide => "m/s",
            Self::EnergyGain | Self::AidWork => "J",
            Self::PoseError | Self::JointAngle => "deg",
            Self::TrackingError | Self::AttitudeError | Self::RootTilt => "rad",
            Self::LongestDown => "s",
            Self::Falls
            | Self::Standing
            | Self::HitsTaken
            | Self::KnockDowns
            | Self::Recoveries
            | Self::LostBodies => "",
            Self::Flight
            | Self::Jitter
            | Self::Cheat
            | Self::Strength
            | Self::WayShare
            | Self::EnergyDrift
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

    /// Whether it is about characters, with their references and feet.
    pub(crate) const fn is_of_characters(self) -> bool {
        matches!(
            self,
            Self::Falls
                | Self::Standing
                | Self::TrackingError
                | Self::AttitudeError
                | Self::Jitter
                | Self::Cheat
                | Self::RootTilt
                | Self::Flight
                | Self::FootPenetration
                | Self::FootSlide
                | Self::SlidePerMetre
                | Self::WayShare
                | Self::Strength
                | Self::HitsTaken
                | Self::KnockDowns
                | Self::Recoveries
                | Self::LongestDown
        )
    }

    /// How its samples become one number where the scene does not say.
    pub const fn usual_stat(self) -> Stat {
        match self {
            Self::Height | Self::Travel | Self::Falls | Self::Standing | Self::JointAngle | Self::AidWork => {
                Stat::Last
            }
            Self::SlidePerMetre | Self::WayShare => Stat::Last,
            Self::TrackingError | Self::AttitudeError | Self::Cheat => Stat::Mean,
            Self::Jitter | Self::RootTilt => Stat::Rms,
            Self::Flight | Self::FootSlide => Stat::Total,
            Self::Strength => Stat::Min,
            _ => Stat::Max,
        }
    }
}
