//! How a step is taken.

use crate::integrate::Integrator;

/// How contacts act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Formulation {
    /// Explicit springs and dampers with stiction anchors, sub-stepped; servos are explicit too. The
    /// textbook baseline, stable only while `h²k + 2hc < 4m`.
    Penalty,
    /// Near-rigid springs, dampers and stiction taken at the end of the step, together with everything else that acts:
    /// one convex problem per island, solved by Newton's method.
    #[default]
    ImplicitPenalty,
    /// Rigid contacts at velocity level, projected Gauss–Seidel.
    LcpPgs,
    /// Rigid contacts at velocity level, Dantzig's principal pivoting.
    LcpDantzig,
}

impl Formulation {
    /// All of them, for comparisons.
    pub const ALL: [Self; 4] = [Self::Penalty, Self::ImplicitPenalty, Self::LcpPgs, Self::LcpDantzig];

    /// The name scenes and reports use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Penalty => "penalty",
            Self::ImplicitPenalty => "implicit-penalty",
            Self::LcpPgs => "lcp-pgs",
            Self::LcpDantzig => "lcp-dantzig",
        }
    }

    /// The formulation with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.name() == name)
    }

    /// Whether contacts are rigid rows.
    pub const fn is_rigid(self) -> bool {
        matches!(self, Self::LcpPgs | Self::LcpDantzig)
    }
}

/// The normal law of [`Formulation::Penalty`].
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum NormalLaw {
    /// `max(0, k d + c ḋ)`.
    #[default]
    KelvinVoigt,
    /// `k dᵖ max(0, 1 + 3/2 α ḋ)` (Hunt & Crossley 1975): no jump at touch-down, never sticky.
    HuntCrossley {
        /// Exponent p, 1 for points and boxes, 1.5 for spheres.
        exponent: f64,
        /// α in s/m; restitution is about `1 - α v`.
        dissipation: f64,
    },
}

/// Settings of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepOptions {
    /// Length of the step, s.
    pub dt: f64,
    /// How contacts act.
    pub formulation: Formulation,
    /// Steps smooth motion by this integrator instead of the formulation's own; what is not smooth is refused.
    pub integrator: Option<Integrator>,
    /// Least sub-steps of [`Formulation::Penalty`]; it takes as many more as its springs ask for.
    pub substeps: usize,
    /// Most sub-steps of [`Formulation::Penalty`]: a step that would need more is refused. With 0 it takes `substeps` of them,
    /// stable or not.
    pub most_substeps: usize,
    /// Normal law of [`Formulation::Penalty`].
    pub normal_law: NormalLaw,
    /// Time constant that sizes stiffness and damping where the material gives none, s.
    pub contact_time: f64,
    /// Gap below which contacts are prepared, m.
    pub margin: f64,
    /// Most rounds of the rigid formulations in which servos may reach their effort limits.
    pub passes: usize,
    /// Most sweeps of projected Gauss–Seidel over the rows. A bound, not a cost: sweeps end by `tolerance`, and at rest a
    /// solve that is cut short leaves the next step a worse start.
    pub sweeps: usize,
    /// Most multiplications of the rigid formulations' solvers in a step, so that no step takes minutes. The direct solver may
    /// use half of them; what it gives up is swept, see [`super::RowReport::given_up`].
    pub most_work: u64,
    /// Sweeps end once no row's velocity changes by more than this, m/s or rad/s.
    pub tolerance: f64,
    /// Rigid contacts and limits: share of the overlap removed per step.
    pub correction: f64,
    /// Rigid contacts: overlap that is left alone, m.
    pub slop: f64,
    /// Rigid contacts: fastest correction, m/s.
    pub max_correction_speed: f64,
    /// Rigid contacts: approach speed below which nothing bounces, m/s.
    pub restitution_threshold: f64,
    /// Keep the books of energy and momentum.
    pub ledger: bool,
    /// Put resting trees to sleep after this many seconds; `None` never.
    pub sleep_after: Option<f64>,
}

impl Default for StepOptions {
    fn default() -> Self {
        Self {
            dt: 1.0 / 120.0,
            formulation: Formulation::default(),
            integrator: None,
            substeps: 16,
            // A light foot under a figure of 70 kg asks for 4000 at 120 Hz; five times that is a slow step, not a stuck one.
            most_substeps: 20_000,
            normal_law: NormalLaw::default(),
            contact_time: 0.005,
            margin: 0.005,
            passes: 16,
            sweeps: 400,
            // About a tenth of a second; a humanoid on the ground takes a hundredth of it.
            most_work: 100_000_000,
            tolerance: 1e-6,
            correction: 0.2,
            slop: 1e-4,
            max_correction_speed: 2.0,
            restitution_threshold: 0.1,
            ledger: false,
            sleep_after: None,
        }
    }
}

impl StepOptions {
    /// The default settings at another rate.
    pub fn at_rate(hz: f64) -> Self {
        Self { dt: 1.0 / hz, ..Self::default() }
    }

    /// The integrator that takes effect: the one asked for, or the formulation's own. Explicit springs come with
    /// semi-implicit Euler, everything else is implicit in velocity.
    pub fn integrator_in_effect(&self) -> Integrator {
        self.integrator.unwrap_or(match self.formulation {
            Formulation::Penalty => Integrator::SemiImplicitEuler,
            _ => Integrator::ImplicitVelocity,
        })
    }

    /// With another formulation.
    pub fn with(self, formulation: Formulation) -> Self {
        Self { formulation, ..self }
    }
}
