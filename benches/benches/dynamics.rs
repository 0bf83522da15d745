//! `<algorithm>/<figure>`: every dynamics algorithm on the standard figures. Each result is checked
//! before it is timed.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use stuntlab_benches::{Case, cases, dynamics_figures};
use stuntlab_physics::dynamics::*;
use stuntlab_physics::spatial::{ArticulatedInertia, Sym3};
use stuntlab_physics::{Data, ImplicitForce, Model, glam::DVec3};

/// Cycles through the cases so that consecutive calls differ.
fn timed(c: &mut Criterion, id: String, cases: &[Case], mut call: impl FnMut(&Case)) {
    let mut at = 0;
    c.bench_function(&id, |b| {
        b.iter(|| {
            at = (at + 1) % cases.len();
            call(black_box(&cases[at]));
        });
    });
}

/// `M q̈ + C = τ` with the accelerations of ABA.
fn check(model: &Model, data: &mut Data, case: &Case) {
    aba(model, &case.state, data, &case.forces);
    let acceleration = data.dynamics.acceleration.clone();
    rnea(model, &case.state, data, &acceleration);
    let worst = data
        .dynamics
        .joint_force
        .iter()
        .zip(&case.forces.joint)
        .fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
    let scale = acceleration.iter().fold(1.0_f64, |m, a| m.max(a.abs()));
    assert!(worst < 1e-9 * scale, "forward and inverse dynamics disagree by {worst}");
}

fn dynamics(c: &mut Criterion) {
    for figure in dynamics_figures() {
        let model = figure.model();
        let mut data = Data::new(&model);
        let mut cases = cases(&model, 64);
        check(&model, &mut data, &cases[0]);
        let id = |algorithm: &str| format!("{algorithm}/{}", figure.name);

        timed(c, id("kinematics"), &cases, |case| forward_kinematics(&model, &case.state, &mut data));
        timed(c, id("rnea"), &cases, |case| rnea(&model, &case.state, &mut data, &case.acceleration));
        timed(c, id("crba"), &cases, |case| crba(&model, &case.state, &mut data));
        timed(c, id("ltl"), &cases, |_| factorize(&model, &mut data));
        timed(c, id("aba"), &cases, |case| aba(&model, &case.state, &mut data, &case.forces));

        // Servo on every joint and a world-space term on every body.
        for case in &mut cases {
            case.forces.joint_gain.fill(5.0);
            let gain =
                ArticulatedInertia { linear: Sym3::diagonal(1.0, 2.0, 3.0), ..ArticulatedInertia::ZERO };
            let term = ImplicitForce { gain, ..ImplicitForce::moment(DVec3::X, Sym3::IDENTITY) };
            case.forces.implicit.extend(model.body_ids().iter().map(|body| (body, term)));
        }
        timed(c, id("aba_implicit"), &cases, |case| {
            aba_implicit(&model, &case.state, &mut data, &case.forces, 1.0 / 120.0);
        });
    }
}

criterion_group!(benches, dynamics);
criterion_main!(benches);
