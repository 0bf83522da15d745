//! What is measured, once for all suites and engines: every number is taken from what an [`Engine`] shows after its steps.
//!
//! [`METRICS`] names, explains and orders them: columns of `results.csv`, the glossary of the report and `docs/comparison.md` are this
//! table. What does not apply to a set-up is NaN. Costs in time are apart, in [`super::cost`]: they differ from run to run.

mod contact;
mod motion;
mod shaking;

use super::engine::{BodyState, Engine, Touch};
use crate::study::Kind;
use stuntlab_physics::glam::DVec3;

/// A number that every cell of a comparison gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// Name of its column.
    pub name: &'static str,
    /// Its unit; empty for a plain number.
    pub unit: &'static str,
    /// What it is, with its formula.
    pub help: &'static str,
    /// How cells that differ in their seeds alone become one.
    pub kind: Kind,
}

const fn metric(name: &'static str, unit: &'static str, help: &'static str) -> Metric {
    Metric { name, unit, help, kind: Kind::Mean }
}

/// All of them.
pub const METRICS: &[Metric] = &[
    Metric {
        kind: Kind::Rate,
        ..metric(
            "survived",
            "",
            "1 where the run came to its end, 0 where a step failed or the state left all bounds",
        )
    },
    metric("ended", "s", "When the run ended, by itself or by a failure"),
    metric("headline", "", "The number the set-up is about (see its section)"),
    metric("expected", "", "What the headline should be, in closed form"),
    metric("error", "of 1", "|headline - expected| / |expected|"),
    metric(
        "energy_drift",
        "of 1",
        "max |E - E₀| / max K: mechanical energy away from that at the start, over the largest kinetic energy seen. For set-ups that keep \
         energy",
    ),
    metric("energy_gain", "of 1", "max (E - E₀) / max K: what nothing passive may do"),
    metric(
        "momentum_drift",
        "of 1",
        "max |p - p₀ - m g t| / max |p|, where nothing but gravity acts from outside",
    ),
    metric(
        "spin_drift",
        "of 1",
        "max |L - L₀| / max |L| about the centre of mass, where nothing but gravity acts from outside",
    ),
    metric("spin_size", "of 1", "max ||L| - |L₀|| / |L₀|: the length of the angular momentum alone"),
    metric(
        "closure",
        "of 1",
        "Largest mismatch of a step's own books: change of kinetic energy at the old pose against the work of all causes",
    ),
    metric("joint_drift", "m", "Largest distance of the two sides of a joint (maximal coordinates)"),
    metric("penetration", "m", "Deepest overlap of shapes"),
    metric("rest_penetration", "m", "Mean of the deepest overlap over the last fifth of the run"),
    metric(
        "creep",
        "m/s",
        "RMS of the sliding speed of contacts whose friction is below 95 % of its bound: what should stick",
    ),
    metric("cone", "of 1", "Largest (|f_t| - μ f_n) / max f_n of a step: friction outside of Coulomb's cone"),
    metric(
        "signorini",
        "J",
        "Mean over steps of max λ_n |w_n| with λ = h f and w_n = u_n⁺ + gap/h: what presses and yet parts, or closes too far",
    ),
    metric(
        "dissipation",
        "W",
        "Mean over steps of Σ |μ f_n |u_t| + f_t·u_t|: power by which friction falls short of maximum dissipation",
    ),
    metric(
        "ncp",
        "N",
        "Mean over steps of max |f - P(f - ρ û)|, û = u + μ|u_t| n + gap/h n, P onto Coulomb's cone, ρ = m/h with the lighter mass: \
         residual of the nonlinear complementarity problem (de Saxcé and Feng 1998)",
    ),
    metric(
        "inner_force",
        "of 1",
        "(Σ |f_t| - |Σ f_t|) / weight over the last fifth: friction that works against itself at rest, on level ground",
    ),
    metric(
        "consistency",
        "m",
        "RMS distance of the centres of all bodies from the same formulation's own small steps, restarted from these every piece",
    ),
    metric("jitter", "rad/s²", "RMS angular acceleration of all bodies above 10 Hz"),
    metric("iterations", "", "Mean iterations of the solver per step: Newton steps, sweeps or pivots"),
    metric(
        "tracking",
        "rad",
        "Mean angle between a character's bones and those of its reference, relative to their roots",
    ),
    metric("falls", "", "Characters that lie at the end"),
    metric(
        "aid_work",
        "J",
        "Work of aids from outside (root springs, pins, torques in the world) and of the scene's own pushes",
    ),
    metric(
        "muscle_work",
        "J",
        "Net work of joint forces, servos, motors and prescribed joints over the run, by the ledger: what muscles gave less what they took \
         back. Torques in the world are aids",
    ),
];

/// What was read, by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Readings(Vec<(&'static str, f64)>);

impl Readings {
    /// Puts a number down.
    pub(super) fn put(&mut self, name: &'static str, value: f64) {
        debug_assert!(METRICS.iter().any(|m| m.name == name), "{name}");
        self.0.push((name, value));
    }

    /// The number of a metric; NaN where it was not measured.
    pub fn get(&self, name: &str) -> f64 {
        self.0.iter().rev().find(|(n, _)| *n == name).map_or(f64::NAN, |(_, x)| *x)
    }

    /// All of [`METRICS`], in order.
    pub fn row(&self) -> Vec<f64> {
        METRICS.iter().map(|m| self.get(m.name)).collect()
    }
}

/// What there is to see after a step.
pub(super) struct Sight<'a> {
    pub(super) time: f64,
    /// Length of the step that was taken.
    pub(super) dt: f64,
    /// When the run is to end.
    pub(super) end: f64,
    pub(super) gravity: DVec3,
    pub(super) bodies: &'a [BodyState],
    pub(super) touches: &'a [Touch],
    pub(super) deepest: f64,
    pub(super) stored: f64,
    pub(super) is_free: bool,
}

impl Sight<'_> {
    /// Whether it is the last fifth of the run.
    pub(super) fn is_late(&self) -> bool {
        self.time > 0.8 * self.end
    }
}

/// Measures an engine from step to step.
pub struct Meter {
    motion: motion::Motion,
    contact: contact::Contact,
    shaking: shaking::Shaking,
    end: f64,
    closure: Option<f64>,
    joint_drift: Option<f64>,
    iterations: (f64, u64),
    bodies: Vec<BodyState>,
    touches: Vec<Touch>,
}

impl Meter {
    /// At the start of a run that lasts until `end`.
    pub fn new(engine: &dyn Engine, end: f64) -> Self {
        let mut bodies = Vec::new();
        engine.bodies(&mut bodies);
        let motion = motion::Motion::new(&bodies, engine.gravity(), engine.stored());
        Self {
            motion,
            contact: contact::Contact::default(),
            shaking: shaking::Shaking::new(bodies.len(), engine.dt()),
            end,
            closure: None,
            joint_drift: None,
            iterations: (0.0, 0),
            bodies,
            touches: Vec::new(),
        }
    }

    /// The bodies as they were last seen.
    pub fn bodies(&self) -> &[BodyState] {
        &self.bodies
    }

    /// The contacts as they were last seen.
    pub fn touches(&self) -> &[Touch] {
        &self.touches
    }

    /// After a step.
    pub fn look(&mut self, engine: &mut dyn Engine) {
        let worst = |old: Option<f64>, new: Option<f64>| match (old, new) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
        self.closure = worst(self.closure, engine.closure());
        self.joint_drift = worst(self.joint_drift, engine.joint_drift());
        if let Some(n) = engine.iterations() {
            self.iterations = (self.iterations.0 + n, self.iterations.1 + 1);
        }
        engine.bodies(&mut self.bodies);
        engine.touches(&mut self.touches);
        let sight = Sight {
            time: engine.time(),
            dt: engine.dt(),
            end: self.end,
            gravity: engine.gravity(),
            bodies: &self.bodies,
            touches: &self.touches,
            deepest: engine.deepest(),
            stored: engine.stored(),
            is_free: engine.is_free(),
        };
        self.motion.look(&sight);
        self.contact.look(&sight);
        self.shaking.look(&sight);
    }

    /// Whether anything is so far or so fast that nobody would call it simulated any more: a kilometre, or a kilometre per second.
    pub fn is_lost(&self) -> bool {
        let wild = |v: DVec3| !v.is_finite() || v.length() > 1000.0;
        self.bodies.iter().any(|b| wild(b.center) || wild(b.velocity))
    }

    /// What was measured so far.
    pub fn readings(&self) -> Readings {
        let mut out = Readings::default();
        self.motion.read(&mut out);
        self.contact.read(&mut out);
        self.shaking.read(&mut out);
        let mut put = |name, value: Option<f64>| value.into_iter().for_each(|x| out.put(name, x));
        put("closure", self.closure);
        put("joint_drift", self.joint_drift);
        put("iterations", (self.iterations.1 > 0).then(|| self.iterations.0 / self.iterations.1 as f64));
        out
    }
}
