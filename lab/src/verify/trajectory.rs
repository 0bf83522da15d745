//! Part B of the fixtures: motions of 1–10 s, followed by each integrator.
//!
//! RK4 at 1 ms must come as close as the reference's own RK4 does, and once its step is halved come
//! clearly closer (or be at the reference's own error): an error in the dynamics would not shrink.

use std::path::Path;

use serde::Deserialize;
use stuntlab_physics::dynamics::*;
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::spatial::rotation;
use stuntlab_physics::{Data, Forces, Integrator, JointKind, State, Stepper};

use super::fixture::{FixtureModel, ModelFixture, malformed};
use super::{Report, VerifyError};

#[derive(Deserialize)]
pub(crate) struct TrajectoryFixture {
    name: String,
    gravity: [f64; 3],
    model: ModelFixture,
    control: Option<Control>,
    sample_rate: f64,
    t: Vec<f64>,
    q: Vec<Vec<f64>>,
    v: Vec<Vec<f64>>,
    kinetic_energy: Vec<f64>,
    potential_energy: Vec<f64>,
    reference_error_estimate: PerQuantity,
    baseline_max_error: Baseline,
}

#[derive(Deserialize)]
struct Control {
    #[serde(default)]
    joints: Vec<Servo>,
}

#[derive(Deserialize)]
struct Servo {
    body: usize,
    kp: f64,
    kd: f64,
    amplitude: Vec<f64>,
    frequency: Vec<f64>,
    phase: Vec<f64>,
}

#[derive(Deserialize, Clone, Copy)]
struct PerQuantity {
    q: f64,
    v: f64,
}

#[derive(Deserialize)]
struct Baseline {
    #[serde(rename = "rk4_dt_0.001")]
    rk4: PerQuantity,
    #[serde(rename = "semi_implicit_euler_dt_0.001")]
    euler: PerQuantity,
}

/// How much worse than the reference's own RK4 or Euler ours may be.
const NEAR: f64 = 2.0;
/// By what a fourth-order error (16-fold in theory) must at least shrink when the step is halved.
const SHRINK: f64 = 8.0;
/// An Euler baseline above this says nothing (README of the fixtures: chaotic cases).
const EULER_MEANINGFUL: f64 = 0.5;

pub(crate) fn check(
    path: &Path,
    fixture: &TrajectoryFixture,
    report: &mut Report,
) -> Result<(), VerifyError> {
    let built = FixtureModel::build(path, &fixture.model, fixture.gravity)?;
    check_shape(path, fixture, &built)?;
    let mut add = |quantity: &str, error: f64, tolerance: f64| {
        report.add("trajectory", quantity, || fixture.name.clone(), error, tolerance);
    };

    let coarse = follow(&built, fixture, Integrator::RungeKutta4, 1e-3);
    let base = fixture.baseline_max_error.rk4;
    let own = fixture.reference_error_estimate;
    add("q, RK4 at 1 ms", coarse.q, NEAR * base.q + 10.0 * own.q);
    add("v, RK4 at 1 ms", coarse.v, NEAR * base.v + 10.0 * own.v);
    add("energies along the reference", energies(&built, fixture), 1e-9);

    let fine = follow(&built, fixture, Integrator::RungeKutta4, 5e-4);
    add("q, RK4 at 0.5 ms", fine.q, coarse.q / SHRINK + 10.0 * own.q);
    add("v, RK4 at 0.5 ms", fine.v, coarse.v / SHRINK + 10.0 * own.v);

    let base = fixture.baseline_max_error.euler;
    if base.q < EULER_MEANINGFUL {
        let euler = follow(&built, fixture, Integrator::SemiImplicitEuler, 1e-3);
        add("q, Euler at 1 ms", euler.q, NEAR * base.q);
        add("v, Euler at 1 ms", euler.v, NEAR * base.v);
        let implicit = follow(&built, fixture, Integrator::ImplicitVelocity, 1e-3);
        add("q, implicit at 1 ms", implicit.q, NEAR * base.q);
    }
    Ok(())
}

fn check_shape(path: &Path, f: &TrajectoryFixture, built: &FixtureModel) -> Result<(), VerifyError> {
    let n = f.t.len();
    let rows = [
        ("q", f.q.len()),
        ("v", f.v.len()),
        ("kinetic_energy", f.kinetic_energy.len()),
        ("potential_energy", f.potential_energy.len()),
    ];
    for (field, length) in rows {
        if length != n {
            return Err(malformed(path, field, format!("has {length} rows, expected {n} as in t")));
        }
    }
    let widths = [("q", &f.q, built.model.n_q()), ("v", &f.v, built.model.n_v())];
    for (field, rows, width) in widths {
        if let Some(k) = rows.iter().position(|row| row.len() != width) {
            let problem = format!("has {} numbers, expected {width}", rows[k].len());
            return Err(malformed(path, format!("{field}[{k}]"), problem));
        }
    }
    if f.sample_rate.is_nan() || f.sample_rate <= 0.0 || n < 2 {
        return Err(malformed(path, "sample_rate", "expected a positive rate and at least two samples"));
    }
    for (k, servo) in f.control.iter().flat_map(|c| &c.joints).enumerate() {
        let body = built.body(path, &format!("control.joints[{k}].body"), servo.body)?;
        let n = built.model.body(body).freedoms().len();
        if [&servo.amplitude, &servo.frequency, &servo.phase].iter().any(|x| x.len() != n) {
            let problem = format!("expected {n} amplitudes, frequencies and phases");
            return Err(malformed(path, format!("control.joints[{k}]"), problem));
        }
    }
    Ok(())
}

#[derive(Default)]
struct Errors {
    q: f64,
    v: f64,
}

/// Runs the motion with steps of `dt` and returns the largest errors at the samples.
fn follow(built: &FixtureModel, fixture: &TrajectoryFixture, integrator: Integrator, dt: f64) -> Errors {
    let model = &built.model;
    let (coordinates, dofs) = (built.coordinates(), built.freedoms());
    let mut state = reference_state(built, fixture, 0);
    let mut data = Data::new(model);
    let mut stepper = Stepper::new(model);
    let steps_per_sample = (1.0 / (fixture.sample_rate * dt)).round() as usize;
    let dt = 1.0 / (fixture.sample_rate * steps_per_sample as f64);
    let mut errors = Errors::default();
    for sample in 1..fixture.t.len() {
        for _ in 0..steps_per_sample {
            stepper.step(model, &mut state, &mut data, integrator, dt, |state, forces| {
                servo(built, fixture, state, forces);
            });
        }
        let expected_q = align_signs(built, &state, &fixture.q[sample]);
        for (&k, expected) in coordinates.iter().zip(&expected_q) {
            errors.q = errors.q.max((state.q[k] - expected).abs());
        }
        for (&k, expected) in dofs.iter().zip(&fixture.v[sample]) {
            errors.v = errors.v.max((state.v[k] - expected).abs());
        }
    }
    errors
}

/// Largest relative error of our energies in the reference's own states.
fn energies(built: &FixtureModel, fixture: &TrajectoryFixture) -> f64 {
    let model = &built.model;
    let mut data = Data::new(model);
    let mut worst = 0.0_f64;
    for sample in 0..fixture.t.len() {
        let state = reference_state(built, fixture, sample);
        forward_kinematics(model, &state, &mut data);
        forward_velocity(model, &state, &mut data);
        let (kinetic, potential) = (fixture.kinetic_energy[sample], fixture.potential_energy[sample]);
        let scale = 0.01 + kinetic.abs() + potential.abs();
        worst = worst.max((kinetic_energy(model, &data, &state.v) - kinetic).abs() / scale);
        worst = worst.max((potential_energy(model, &data) - potential).abs() / scale);
    }
    worst
}

/// The reference's state at a sample.
fn reference_state(built: &FixtureModel, fixture: &TrajectoryFixture, sample: usize) -> State {
    let mut state = State::new(&built.model);
    for (&ours, &theirs) in built.coordinates().iter().zip(&fixture.q[sample]) {
        state.q[ours] = theirs;
    }
    for (&ours, &theirs) in built.freedoms().iter().zip(&fixture.v[sample]) {
        state.v[ours] = theirs;
    }
    state
}

/// The reference row with every quaternion on our side of the double cover.
fn align_signs(built: &FixtureModel, state: &State, row: &[f64]) -> Vec<f64> {
    let mut row = row.to_vec();
    let mut at = 0;
    for &body in &built.bodies {
        let body = built.model.body(body);
        if let Some(k) = body.joint().kind.quaternion_offset() {
            let theirs = &mut row[at + k..at + k + 4];
            let ours = &state.q[body.coordinates()][k..k + 4];
            if ours.iter().zip(theirs.iter()).map(|(a, b)| a * b).sum::<f64>() < 0.0 {
                theirs.iter_mut().for_each(|x| *x = -*x);
            }
        }
        at += body.coordinates().len();
    }
    row
}

/// The PD law of the fixtures: sine targets, rotation vectors for ball joints.
fn servo(built: &FixtureModel, fixture: &TrajectoryFixture, state: &State, forces: &mut Forces) {
    for servo in fixture.control.iter().flat_map(|c| &c.joints) {
        let body = built.model.body(built.bodies[servo.body]);
        let target = |k: usize| {
            let angle = std::f64::consts::TAU * servo.frequency[k] * state.time + servo.phase[k];
            servo.amplitude[k] * angle.sin()
        };
        let range = body.freedoms();
        let v = &state.v[range];
        let tau = &mut forces.joint[range];
        if body.joint().kind == JointKind::Spherical {
            let wanted = rotation::exp(DVec3::new(target(0), target(1), target(2)));
            let ours: DQuat = state.rotation(body);
            let error = rotation::log(ours.conjugate() * wanted);
            for k in 0..3 {
                tau[k] += servo.kp * error[k] - servo.kd * v[k];
            }
        } else {
            let q = &state.q[body.coordinates()];
            for k in 0..v.len() {
                tau[k] += servo.kp * (target(k) - q[k]) - servo.kd * v[k];
            }
        }
    }
}
