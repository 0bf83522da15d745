//! Gain check: which stiffness, damping and step cannot go together, said before a run.
//!
//! Semi-implicit Euler with explicit forces `-K x - C v` on a mass matrix `M` has the characteristic
//! equation `(z-1)² M + (z-1) h C + z h² K = 0`; for symmetric positive semidefinite `K`, `C` the first root
//! to leave the unit circle does so at `z = -1`, where `4M - 2hC - h²K` turns singular. Hence
//!
//! ```text
//! stable  ⇔  λ_max(M⁻¹(h² K + 2h C)) < 4                                                        (1)
//! ```
//!
//! which for one freedom is `h²k + 2hc < 4m`. The largest eigenvalue and its mode come from
//! power iteration in the given pose. Alone, freedom `j` moves the inertia `1/(M⁻¹)_jj`, so its own limit is
//! `(h²k + 2hc)(M⁻¹)_jj < 4`; neighbours with gains only lower it. A contact point with the normal `n`
//! moves `1/(J M⁻¹Jᵀ)`.
//!
//! Runge–Kutta 4 is stable while `|R(hμ)| < 1`, `R(z) = 1 + z + z²/2 + z³/6 + z⁴/24`, for both roots of
//! `μ² + c̄ μ + k̄ = 0`; `k̄`, `c̄` are the Rayleigh quotients of the critical mode.
//!
//! Formulations that take these forces at the end of the step are stable with any of them. The check is
//! linear: it says nothing about a controller's own loop, nor about targets that jump.

use glam::DVec3;

use crate::actuation::Actuation;
use crate::contact::law::WORLD_DAMPING;
use crate::data::Data;
use crate::dynamics::{
    aba_at, crba_at, factorize, forward_kinematics, forward_velocity, impulse_response, solve,
};
use crate::forces::Forces;
use crate::integrate::Integrator;
use crate::model::{BodyId, Freedom, Model};
use crate::spatial::Force;
use crate::state::State;
use crate::step::{Formulation, StepOptions};

/// Rounds of the power iteration, and of the search for the step at which (1) turns.
const ROUNDS: usize = 300;
/// A freedom belongs to the critical mode when it stores this share of its energy.
const SHARE: f64 = 0.1;

/// Where a stiffness or damping comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GainSource {
    /// A servo of the actuation.
    Servo,
    /// Spring and damper of the joint itself.
    Passive,
    /// Servo and joint together.
    ServoAndPassive,
    /// A contact of one of the body's shapes with the world, straight along gravity.
    Contact,
}

impl GainSource {
    const fn name(self) -> &'static str {
        match self {
            Self::Servo => "servo",
            Self::Passive => "spring and damper",
            Self::ServoAndPassive => "servo, spring and damper",
            Self::Contact => "contact",
        }
    }
}

/// What the check has to say about one freedom or one body's contact.
#[derive(Clone, Debug, PartialEq)]
pub struct GainVerdict {
    /// The body.
    pub body: BodyId,
    /// The freedom of its joint; `None` for contacts.
    pub freedom: Option<Freedom>,
    /// What has the gains.
    pub source: GainSource,
    /// Stiffness checked.
    pub stiffness: f64,
    /// Damping checked.
    pub damping: f64,
    /// Inertia it moves when nothing else has gains: `1/(M⁻¹)_jj`.
    pub effective_inertia: f64,
    /// Whether this one takes part in an instability.
    pub stable: bool,
    /// Longest stable step, s; infinite where any is. For joints that of the mode it belongs to if it has a
    /// share in the critical one, else its own.
    pub largest_stable_dt: f64,
    /// Both gains times this are just stable at the checked step.
    pub largest_stable_scale: f64,
    /// All of it in one sentence.
    pub sentence: String,
}

/// The whole check.
#[derive(Clone, Debug, PartialEq)]
pub struct GainCheck {
    /// Step that forces are held for, s: a sub-step in the explicit formulation.
    pub dt: f64,
    /// Whether joint gains and contacts are all stable.
    pub stable: bool,
    /// Longest stable step for all joint gains together, s (infinite where any is).
    pub largest_stable_dt: f64,
    /// All joint gains times this are just stable.
    pub largest_stable_scale: f64,
    /// One entry per freedom with gains and per body with shapes; unstable ones first.
    pub verdicts: Vec<GainVerdict>,
}

/// How forces are integrated, as far as stability goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    Implicit,
    SemiImplicitEuler,
    RungeKutta4,
}

/// Checks what a step with these options would do with the servos of `act`, the joints' springs and dampers,
/// and the contacts, in the pose of `state`.
pub fn check_step(
    model: &Model,
    state: &State,
    data: &mut Data,
    act: &Actuation,
    opt: &StepOptions,
) -> GainCheck {
    let explicit = opt.formulation == Formulation::Penalty;
    let rule = if explicit { Rule::SemiImplicitEuler } else { Rule::Implicit };
    let dt = if explicit { opt.dt / opt.substeps.max(1) as f64 } else { opt.dt };
    let contact_time = explicit.then_some(opt.contact_time);
    Check::new(model, state, data, act).run(model, data, rule, dt, opt.formulation.name(), contact_time)
}

/// Checks what [`crate::integrate::Stepper`] would do with the joints' springs and dampers and, as explicit
/// forces, with the servos of `act`.
pub fn check_integrator(
    model: &Model,
    state: &State,
    data: &mut Data,
    act: &Actuation,
    integrator: Integrator,
    dt: f64,
) -> GainCheck {
    let rule = match integrator {
        Integrator::SemiImplicitEuler => Rule::SemiImplicitEuler,
        Integrator::RungeKutta4 => Rule::RungeKutta4,
        Integrator::ImplicitVelocity => Rule::Implicit,
    };
    Check::new(model, state, data, act).run(model, data, rule, dt, integrator.name(), None)
}

/// The numbers the check works on.
struct Check {
    stiffness: Vec<f64>,
    damping: Vec<f64>,
    source: Vec<GainSource>,
    /// `(M⁻¹)_jj`.
    mobility: Vec<f64>,
    mode: Vec<f64>,
}

/// The critical mode's Rayleigh quotients: stiffness and damping per unit of mass.
#[derive(Clone, Copy, Debug)]
struct Mode {
    stiffness: f64,
    damping: f64,
}

impl Check {
    fn new(model: &Model, state: &State, data: &mut Data, act: &Actuation) -> Self {
        let nv = model.n_v();
        let mut check = Self {
            stiffness: vec![0.0; nv],
            damping: vec![0.0; nv],
            source: vec![GainSource::Passive; nv],
            mobility: vec![0.0; nv],
            mode: vec![0.0; nv],
        };
        for (i, body) in model.bodies.iter().enumerate() {
            for (k, dof) in body.v_range().enumerate() {
                if act.prescribed[i] {
                    continue;
                }
                let own = (body.joint.stiffness[k], body.joint.damping[k]);
                let servo = (act.servo.stiffness[dof], act.servo.damping[dof]);
                check.stiffness[dof] = own.0 + servo.0;
                check.damping[dof] = own.1 + servo.1;
                check.source[dof] = match (servo != (0.0, 0.0), own != (0.0, 0.0)) {
                    (true, true) => GainSource::ServoAndPassive,
                    (true, false) => GainSource::Servo,
                    _ => GainSource::Passive,
                };
            }
        }
        forward_kinematics(model, state, data);
        forward_velocity(model, state, data);
        crba_at(model, data);
        factorize(model, data);
        let mut column = vec![0.0; nv];
        for dof in 0..nv {
            column.fill(0.0);
            column[dof] = 1.0;
            solve(model, data, &mut column);
            check.mobility[dof] = column[dof];
        }
        check
    }

    /// Power iteration on `M⁻¹(h²K + 2hC)`: the largest eigenvalue; its mode stays in `self.mode`.
    fn largest_eigenvalue(&mut self, model: &Model, data: &Data, h: f64) -> (f64, Mode) {
        let nv = self.mode.len();
        if self.mode.iter().all(|&x| x == 0.0) {
            // A start with something of every mode, the same each time.
            for (k, x) in self.mode.iter_mut().enumerate() {
                *x = self.mobility[k].sqrt() * (1.0 + 0.5 * (1.7 * k as f64).sin());
            }
        }
        let weight = |k: usize| h * h * self.stiffness[k] + 2.0 * h * self.damping[k];
        let mut next = vec![0.0; nv];
        let mut largest = 0.0;
        let mut quotients = Mode { stiffness: 0.0, damping: 0.0 };
        for _ in 0..ROUNDS {
            for k in 0..nv {
                next[k] = weight(k) * self.mode[k];
            }
            let energy: f64 = next.iter().zip(&self.mode).map(|(f, x)| f * x).sum();
            solve(model, data, &mut next);
            // xᵀA M⁻¹A x / xᵀA x, the Rayleigh quotient after half a round.
            let response: f64 = (0..nv).map(|k| weight(k) * self.mode[k] * next[k]).sum();
            if energy <= 0.0 {
                return (0.0, quotients);
            }
            let was = largest;
            largest = response / energy;
            // The mode with unit kinetic energy: xᵀM x = xᵀA x/λ for an eigenvector.
            let size = next.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            for (x, n) in self.mode.iter_mut().zip(&next) {
                *x = n / size;
            }
            let sum = |gain: &[f64]| -> f64 { gain.iter().zip(&self.mode).map(|(g, x)| g * x * x).sum() };
            let (k, c) = (sum(&self.stiffness), sum(&self.damping));
            let mass = (h * h * k + 2.0 * h * c) / largest;
            quotients = Mode { stiffness: k / mass, damping: c / mass };
            if (largest - was).abs() < 1e-6 * largest {
                break;
            }
        }
        (largest, quotients)
    }

    /// The longest step for which all joint gains together are stable, with the mode that ends it.
    fn longest_step(&mut self, model: &Model, data: &Data, rule: Rule) -> f64 {
        let start = (0..self.mode.len()).map(|k| self.alone(k, rule)).fold(f64::INFINITY, f64::min);
        if !start.is_finite() {
            return f64::INFINITY;
        }
        // Each round takes the mode at the present step and asks when that mode turns unstable.
        let mut h = start;
        for _ in 0..ROUNDS {
            let (_, mode) = self.largest_eigenvalue(model, data, h);
            let next = longest(rule, mode);
            if (next - h).abs() < 1e-6 * h {
                break;
            }
            h = next;
        }
        h
    }

    /// The longest step of freedom `dof` if it alone had gains.
    fn alone(&self, dof: usize, rule: Rule) -> f64 {
        let m = self.mobility[dof];
        longest(rule, Mode { stiffness: self.stiffness[dof] * m, damping: self.damping[dof] * m })
    }

    fn run(
        mut self,
        model: &Model,
        data: &mut Data,
        rule: Rule,
        dt: f64,
        name: &str,
        contact_time: Option<f64>,
    ) -> GainCheck {
        let scale = self.largest_scale(model, data, rule, dt);
        // Last, so that the mode that ends stability is the one left in `self.mode`.
        let longest_dt = self.longest_step(model, data, rule);
        let energy = |k: usize, mode: &[f64]| {
            (longest_dt * longest_dt * self.stiffness[k] + 2.0 * longest_dt * self.damping[k])
                * mode[k]
                * mode[k]
        };
        let total: f64 = (0..self.mode.len()).map(|k| energy(k, &self.mode)).sum();
        let mut verdicts = Vec::new();
        for dof in 0..model.n_v() {
            let (k, c) = (self.stiffness[dof], self.damping[dof]);
            if k == 0.0 && c == 0.0 {
                continue;
            }
            let critical = longest_dt.is_finite() && energy(dof, &self.mode) >= SHARE * total;
            let alone = self.alone(dof, rule);
            let limit = if critical { longest_dt.min(alone) } else { alone };
            let own = largest_scale(rule, self.mobility[dof] * k, self.mobility[dof] * c, dt);
            let mut verdict = GainVerdict {
                body: model.body_of_freedom(dof),
                freedom: Some(Freedom::new(dof)),
                source: self.source[dof],
                stiffness: k,
                damping: c,
                effective_inertia: 1.0 / self.mobility[dof],
                stable: dt < limit,
                largest_stable_dt: limit,
                largest_stable_scale: if critical { scale.min(own) } else { own },
                sentence: String::new(),
            };
            verdict.sentence = sentence(model, &verdict, name, dt);
            verdicts.push(verdict);
        }
        if let Some(time) = contact_time {
            contacts(model, data, time, dt, name, &mut verdicts);
        }
        verdicts.sort_by_key(|v| v.stable);
        GainCheck {
            dt,
            stable: dt < longest_dt && verdicts.iter().all(|v| v.stable),
            largest_stable_dt: longest_dt,
            largest_stable_scale: scale,
            verdicts,
        }
    }

    /// All gains times this are just stable at `dt`.
    fn largest_scale(&mut self, model: &Model, data: &Data, rule: Rule, dt: f64) -> f64 {
        let (_, mode) = self.largest_eigenvalue(model, data, dt);
        largest_scale(rule, mode.stiffness, mode.damping, dt)
    }
}

/// The longest stable step of one mode.
fn longest(rule: Rule, Mode { stiffness: k, damping: c }: Mode) -> f64 {
    if k <= 0.0 && c <= 0.0 {
        return f64::INFINITY;
    }
    match rule {
        Rule::Implicit => f64::INFINITY,
        // h²k + 2hc = 4, in the form that does not cancel.
        Rule::SemiImplicitEuler => 4.0 / (c + (c * c + 4.0 * k).sqrt()),
        Rule::RungeKutta4 => {
            // The region is left for good beyond 4/|μ|.
            let fastest = 0.5 * (c + (c * c - 4.0 * k).max(0.0).sqrt()).max(2.0 * k.sqrt());
            bisect(4.0 / fastest, |h| runge_kutta_keeps(k, c, h))
        }
    }
}

/// Both gains of a mode times this are just stable at `dt`.
fn largest_scale(rule: Rule, k: f64, c: f64, dt: f64) -> f64 {
    if k <= 0.0 && c <= 0.0 {
        return f64::INFINITY;
    }
    match rule {
        Rule::Implicit => f64::INFINITY,
        Rule::SemiImplicitEuler => 4.0 / (dt * dt * k + 2.0 * dt * c),
        Rule::RungeKutta4 => {
            let most = 16.0 / (dt * dt * k + dt * c);
            bisect(most, |s| runge_kutta_keeps(s * k, s * c, dt))
        }
    }
}

/// The largest `x` up to `most` for which `holds`, which fails at `most` if anywhere.
fn bisect(most: f64, holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, most);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if holds(middle) { low = middle } else { high = middle }
    }
    low
}

/// Whether `|R(hμ)| ≤ 1` for both roots of `μ² + c μ + k = 0`.
fn runge_kutta_keeps(k: f64, c: f64, h: f64) -> bool {
    let size = |re: f64, im: f64| {
        // Horner: 1 + z(1 + z/2(1 + z/3(1 + z/4))).
        let (mut a, mut b) = (1.0, 0.0);
        for n in [4.0, 3.0, 2.0, 1.0] {
            (a, b) = (1.0 + (a * re - b * im) / n, (a * im + b * re) / n);
        }
        a.hypot(b)
    };
    let discriminant = c * c - 4.0 * k;
    if discriminant < 0.0 {
        size(-0.5 * h * c, 0.5 * h * (-discriminant).sqrt()) <= 1.0
    } else {
        let root = discriminant.sqrt();
        size(-0.5 * h * (c + root), 0.0) <= 1.0 && size(-0.5 * h * (c - root), 0.0) <= 1.0
    }
}

/// Verdicts on the explicit contacts of every body with shapes: one point straight below its first shape.
fn contacts(model: &Model, data: &mut Data, time: f64, dt: f64, name: &str, verdicts: &mut Vec<GainVerdict>) {
    let up = (-model.gravity).try_normalize().unwrap_or(DVec3::Z);
    aba_at(model, data, &Forces::new(model));
    let mut out = vec![0.0; model.n_v()];
    let mut seen = None;
    for (collider, material) in model.colliders.list().iter().zip(&model.materials) {
        let Some(b) = collider.body.map(BodyId::index).filter(|&b| seen != Some(b)) else { continue };
        seen = Some(b);
        let body = BodyId::new(b);
        let pose = data.position.world_from_body[b];
        let arm = pose.rotation * collider.body_from_shape.translation;
        impulse_response(model, data, body, Force::at_offset(up, arm), &mut out);
        let mobility = data.dynamics.response[b].at(arm).linear.dot(up);
        if mobility <= 0.0 {
            continue;
        }
        let mass = model.tree_mass[b];
        let k = material.stiffness.unwrap_or(mass / (time * time));
        let c = material.damping.unwrap_or(2.0 * WORLD_DAMPING * (k * mass).sqrt());
        let rule = Rule::SemiImplicitEuler;
        let limit = longest(rule, Mode { stiffness: k * mobility, damping: c * mobility });
        let mut verdict = GainVerdict {
            body,
            freedom: None,
            source: GainSource::Contact,
            stiffness: k,
            damping: c,
            effective_inertia: 1.0 / mobility,
            stable: dt < limit,
            largest_stable_dt: limit,
            largest_stable_scale: largest_scale(rule, k * mobility, c * mobility, dt),
            sentence: String::new(),
        };
        verdict.sentence = sentence(model, &verdict, name, dt);
        verdicts.push(verdict);
    }
}

fn sentence(model: &Model, v: &GainVerdict, name: &str, dt: f64) -> String {
    let body = model.body(v.body);
    let who = match v.freedom {
        Some(dof) if body.v_range().len() > 1 => {
            format!(
                "{} of joint '{}', freedom {}",
                v.source.name(),
                body.name(),
                dof.index() - body.v_range().start
            )
        }
        Some(_) => format!("{} of joint '{}'", v.source.name(), body.name()),
        None => format!("{} of body '{}'", v.source.name(), body.name()),
    };
    let gains = format!("stiffness {:.3} and damping {:.3}", v.stiffness, v.damping);
    if v.largest_stable_dt.is_infinite() {
        return format!("{who}: {gains} are stable at any step with {name}");
    }
    let verdict = if v.stable { "are stable" } else { "cannot be stable" };
    format!(
        "{who}: {gains} on an inertia of {:.4} {verdict} with {name} at steps of {:.3} ms; \
         the longest step is {:.3} ms, or the gains at most {:.3} times as large",
        v.effective_inertia,
        1e3 * dt,
        1e3 * v.largest_stable_dt,
        v.largest_stable_scale
    )
}

#[cfg(test)]
#[path = "gains_tests.rs"]
mod tests;
