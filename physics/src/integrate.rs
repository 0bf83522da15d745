//! Time stepping of smooth motion: no contacts, forces from a function of the state.
//!
//! | integrator | order | what it is for |
//! |---|---|---|
//! | [`Integrator::SemiImplicitEuler`] | 1 | the cheap standard: `v⁺ = v + h a(q, v)`, `q⁺ = q ⊕ h v⁺` |
//! | [`Integrator::RungeKutta4`] | 4 | smooth forces, references |
//! | [`Integrator::ImplicitVelocity`] | 1 | stiff joint springs, servos and fast tumbling |
//!
//! `ImplicitVelocity` takes joint springs, dampers and all implicit terms of [`Forces`] at the end of the
//! step, and the Coriolis and gyroscopic forces at the middle velocity `(v + v⁺)/2` by fixed-point
//! iteration. For a free body that is the implicit midpoint rule in body axes, which keeps the kinetic
//! energy (`ω_m · (ω_m × I ω_m) = 0`), where the explicit rules gain energy at 120 Hz.

use std::ops::Range;

use crate::data::Data;
use crate::dynamics::{
    aba, aba_at, aba_implicit_at, add_passive_explicit, add_passive_implicit, forward_kinematics,
    forward_velocity,
};
use crate::forces::Forces;
use crate::model::{JointKind, Model};
use crate::spatial::Motion;
use crate::state::{State, quaternion, vec3, write3};

/// How a step is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Integrator {
    /// First order, explicit forces.
    #[default]
    SemiImplicitEuler,
    /// Fourth order, explicit forces, four evaluations.
    RungeKutta4,
    /// First order, implicit in velocity.
    ImplicitVelocity,
}

impl Integrator {
    /// All of them, for comparisons.
    pub const ALL: [Self; 3] = [Self::SemiImplicitEuler, Self::RungeKutta4, Self::ImplicitVelocity];

    /// The name scenes and reports use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SemiImplicitEuler => "semi-implicit-euler",
            Self::RungeKutta4 => "rk4",
            Self::ImplicitVelocity => "implicit-velocity",
        }
    }

    /// The integrator with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|i| i.name() == name)
    }
}

/// Fixed-point rounds for the middle velocity. Each shrinks the remainder by about `h |ω|`.
const MIDPOINT_ROUNDS: usize = 4;

/// Work space of [`Stepper::step`]; one per model.
#[derive(Clone, Debug)]
pub struct Stepper {
    forces: Forces,
    stage: State,
    rates: [Vec<f64>; 4],
    accelerations: [Vec<f64>; 4],
    start: Vec<Motion>,
    rounding: Rounding,
}

impl Stepper {
    /// Room for stepping `model`.
    pub fn new(model: &Model) -> Self {
        Self {
            forces: Forces::new(model),
            stage: State::new(model),
            rates: core::array::from_fn(|_| vec![0.0; model.n_q()]),
            accelerations: core::array::from_fn(|_| vec![0.0; model.n_v()]),
            start: vec![Motion::ZERO; model.n_bodies()],
            rounding: Rounding::new(model),
        }
    }

    /// Advances `state` by `dt`. `act` adds what acts on the model at a given state (its forces start at
    /// zero; springs and dampers of the joints come on top by themselves).
    pub fn step(
        &mut self,
        model: &Model,
        state: &mut State,
        data: &mut Data,
        integrator: Integrator,
        dt: f64,
        mut act: impl FnMut(&State, &mut Forces),
    ) {
        match integrator {
            Integrator::SemiImplicitEuler => {
                self.gather(model, state, &mut act);
                aba(model, state, data, &self.forces);
                axpy(&mut state.v, dt, &data.dynamics.acceleration);
                let v = core::mem::take(&mut state.v);
                state.integrate(model, &v, dt);
                state.v = v;
            }
            Integrator::ImplicitVelocity => self.implicit_velocity(model, state, data, dt, &mut act),
            Integrator::RungeKutta4 => self.runge_kutta(model, state, data, dt, &mut act),
        }
        state.time += dt;
    }

    /// Starts the sums anew, as a fresh stepper would.
    pub(crate) fn forget_rounding(&mut self) {
        self.rounding.left.0.clear();
    }

    fn gather(&mut self, model: &Model, state: &State, act: &mut impl FnMut(&State, &mut Forces)) {
        self.forces.clear();
        act(state, &mut self.forces);
        add_passive_explicit(model, state, &mut self.forces);
    }

    fn implicit_velocity(
        &mut self,
        model: &Model,
        state: &mut State,
        data: &mut Data,
        dt: f64,
        act: &mut impl FnMut(&State, &mut Forces),
    ) {
        self.forces.clear();
        act(state, &mut self.forces);
        add_passive_implicit(model, state, &mut self.forces, dt);
        forward_kinematics(model, state, data);
        forward_velocity(model, state, data);
        self.start.copy_from_slice(&data.velocity.body);
        self.stage.q.copy_from_slice(&state.q);
        for round in 0..MIDPOINT_ROUNDS {
            if round > 0 {
                for (k, v) in self.stage.v.iter_mut().enumerate() {
                    *v = state.v[k] + 0.5 * dt * data.dynamics.acceleration[k];
                }
                forward_velocity(model, &self.stage, data);
            }
            // The implicit body terms count from the velocity at the start, not from the middle one.
            let moved = |i: usize| self.start[i] - data.velocity.body[i];
            for (body, term) in &mut self.forces.implicit {
                term.at_rest -= term.gain * moved(body.index());
            }
            aba_implicit_at(model, state, data, &self.forces, dt);
            for (body, term) in &mut self.forces.implicit {
                let i = body.index();
                term.at_rest += term.gain * (self.start[i] - data.velocity.body[i]);
            }
        }
        axpy(&mut state.v, dt, &data.dynamics.acceleration);
        let v = core::mem::take(&mut state.v);
        state.integrate(model, &v, dt);
        state.v = v;
    }

    /// Classical Runge–Kutta on `(q, v)` with quaternions as four numbers: their exact flow keeps the
    /// length, so normalising each stage keeps the order.
    fn runge_kutta(
        &mut self,
        model: &Model,
        state: &mut State,
        data: &mut Data,
        dt: f64,
        act: &mut impl FnMut(&State, &mut Forces),
    ) {
        for (k, &fraction) in [0.0, 0.5, 0.5, 1.0].iter().enumerate() {
            self.stage.q.copy_from_slice(&state.q);
            self.stage.v.copy_from_slice(&state.v);
            self.stage.time = state.time + fraction * dt;
            if k > 0 {
                axpy(&mut self.stage.q, fraction * dt, &self.rates[k - 1]);
                axpy(&mut self.stage.v, fraction * dt, &self.accelerations[k - 1]);
                self.stage.normalize(model);
            }
            self.forces.clear();
            act(&self.stage, &mut self.forces);
            add_passive_explicit(model, &self.stage, &mut self.forces);
            forward_kinematics(model, &self.stage, data);
            forward_velocity(model, &self.stage, data);
            aba_at(model, data, &self.forces);
            self.accelerations[k].copy_from_slice(&data.dynamics.acceleration);
            coordinate_rates(model, &self.stage, &mut self.rates[k]);
        }
        // `stage` becomes the increment: q in `rates[0]`, v in `accelerations[0]`.
        combine(&mut self.rates, dt);
        combine(&mut self.accelerations, dt);
        stay_normal(model, &state.q, &mut self.rates[0]);
        self.rounding.add(state, &self.rates[0], &self.accelerations[0]);
    }
}

/// What additions to a state have rounded away so far, to be added with the next (Kahan 1965): a hundred thousand small
/// steps then end where the method leads, not where rounding does. An unstable spin makes a difference of 10⁻¹⁰ of it.
#[derive(Clone, Debug)]
struct Rounding {
    q: Vec<f64>,
    v: Vec<f64>,
    /// The state that was left; another one starts anew.
    left: (Vec<f64>, Vec<f64>),
}

impl Rounding {
    fn new(model: &Model) -> Self {
        let (nq, nv) = (model.n_q(), model.n_v());
        Self { q: vec![0.0; nq], v: vec![0.0; nv], left: (Vec::with_capacity(nq), Vec::with_capacity(nv)) }
    }

    fn add(&mut self, state: &mut State, q: &[f64], v: &[f64]) {
        if self.left.0 != state.q || self.left.1 != state.v {
            self.q.fill(0.0);
            self.v.fill(0.0);
        }
        add_compensated(&mut state.q, q, &mut self.q);
        add_compensated(&mut state.v, v, &mut self.v);
        self.left.0.clone_from(&state.q);
        self.left.1.clone_from(&state.v);
    }
}

fn add_compensated(sum: &mut [f64], terms: &[f64], lost: &mut [f64]) {
    for ((sum, term), lost) in sum.iter_mut().zip(terms).zip(lost) {
        let term = term + *lost;
        let next = *sum + term;
        *lost = term - (next - *sum);
        *sum = next;
    }
}

/// The weighted mean of the stages times the step, into the first.
fn combine(stages: &mut [Vec<f64>; 4], dt: f64) {
    let [first, second, third, fourth] = stages;
    for (k, x) in first.iter_mut().enumerate() {
        *x = (*x + fourth[k] + 2.0 * (second[k] + third[k])) * (dt / 6.0);
    }
}

/// Adds to the increment what brings quaternions back to unit length: `q + Δ` becomes `(q + Δ)(1 + δ)`. Normalising the
/// sum instead would round it anew.
fn stay_normal(model: &Model, q: &[f64], increment: &mut [f64]) {
    for body in model.bodies() {
        let Some(k) = body.joint().kind.quaternion_offset() else { continue };
        let range = body.q_range().start + k..body.q_range().start + k + 4;
        let (q, increment) = (&q[range.clone()], &mut increment[range]);
        // |q + Δ|² - 1 without the cancellation of its large parts.
        let excess: f64 = q.iter().zip(&*increment).map(|(q, d)| d * (2.0 * q + d)).sum();
        let length: f64 = q.iter().map(|q| q * q).sum();
        let shrink = 1.0 / (length + excess).sqrt() - 1.0;
        for (q, d) in q.iter().zip(increment) {
            *d += (q + *d) * shrink;
        }
    }
}

fn axpy(y: &mut [f64], a: f64, x: &[f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += a * x);
}

/// `q̇` from `q` and `v`: `½ q ⊗ (ω, 0)` for quaternions, `R v` for the origin of a free joint.
fn coordinate_rates(model: &Model, state: &State, out: &mut [f64]) {
    coordinate_rates_of(model, state, out, 0..model.n_bodies());
}

/// The same for a range of bodies.
pub(crate) fn coordinate_rates_of(model: &Model, state: &State, out: &mut [f64], bodies: Range<usize>) {
    for body in &model.bodies()[bodies] {
        let (q, v) = (&state.q[body.q_range()], &state.v[body.v_range()]);
        let out = &mut out[body.q_range()];
        let spin = |at: usize, w| {
            let rate = quaternion(q, at) * glam::DQuat::from_vec4(glam::DVec3::extend(w, 0.0));
            (rate * 0.5).to_array()
        };
        match body.joint().kind {
            JointKind::Spherical => out.copy_from_slice(&spin(0, vec3(v, 0))),
            JointKind::Free => {
                write3(out, 0, quaternion(q, 3) * vec3(v, 0));
                out[3..7].copy_from_slice(&spin(3, vec3(v, 3)));
            }
            _ => out.copy_from_slice(v),
        }
    }
}
