//! Prints nanoseconds per call of every algorithm on the standard figures, a JSON line each: our rows of
//! the comparison with other engines (`benches/peers/run`).
//!
//! `dynamics_times [--quick] [FIGURE]`. Time is CPU time of this thread, as the peers take it.

use std::hint::black_box;

use rustix::time::{ClockId, clock_gettime};
use stuntlab_benches::{cases, dynamics_figures};
use stuntlab_physics::dynamics::*;
use stuntlab_physics::{Data, Model, State};

fn main() {
    let quick = std::env::args().any(|a| a == "--quick");
    let only: Option<String> = std::env::args().skip(1).find(|a| !a.starts_with("--"));
    let (blocks, block_ms) = if quick { (4, 1.0) } else { (15, 2.0) };
    for figure in dynamics_figures() {
        if only.as_ref().is_some_and(|o| *o != figure.name) {
            continue;
        }
        let model = figure.model();
        let mut data = Data::new(&model);
        let trace = trace_at_rest(&model, &mut data);
        let mut cases = cases(&model, 64);
        let mut row = |name: &str, call: &mut dyn FnMut(usize, &mut Data)| {
            let samples = time(blocks, block_ms, |i| call(i % 64, &mut data));
            let samples: Vec<String> = samples.iter().map(|s| format!("{s:.1}")).collect();
            println!(
                "{{\"bench\":\"dynamics\",\"engine\":\"stuntlab\",\"version\":\"{}\",\"model\":\"{}\",\
                 \"fn\":\"{name}\",\"unit\":\"ns\",\"nv\":{},\"trace_of_mass_matrix\":{trace:.12e},\
                 \"samples\":[{}]}}",
                env!("CARGO_PKG_VERSION"),
                figure.name,
                model.n_v(),
                samples.join(",")
            );
        };
        row("FK", &mut |i, d| forward_kinematics(&model, &cases[i].state, d));
        row("RNEA", &mut |i, d| rnea(&model, &cases[i].state, d, &cases[i].acceleration));
        row("CRBA", &mut |i, d| crba(&model, &cases[i].state, d));
        row("ABA", &mut |i, d| aba(&model, &cases[i].state, d, &cases[i].forces));
        // As in a step: every joint with a servo's implicit gain.
        cases.iter_mut().for_each(|case| case.forces.joint_gain.fill(3.0));
        let dt = 1.0 / 120.0;
        row("ABA implicit", &mut |i, d| aba_implicit(&model, &cases[i].state, d, &cases[i].forces, dt));
    }
}

/// By which the comparison checks that all engines got the same figure.
fn trace_at_rest(model: &Model, data: &mut Data) -> f64 {
    crba(model, &State::new(model), data);
    model.freedoms().iter().filter_map(|f| data.mass_matrix.row(model, f).last()).sum()
}

/// Nanoseconds per call, one sample per block.
fn time(blocks: usize, block_ms: f64, mut call: impl FnMut(usize)) -> Vec<f64> {
    let mut run = |n: usize| {
        let start = cpu_ns();
        for i in 0..n {
            call(black_box(i));
        }
        (cpu_ns() - start) / n as f64
    };
    let per_call = run(256).min(run(256));
    let count = ((block_ms * 1e6 / per_call) as usize).max(16);
    (0..blocks).map(|_| run(count)).collect()
}

/// CPU time of this thread: what other processes take does not count.
fn cpu_ns() -> f64 {
    let t = clock_gettime(ClockId::ThreadCPUTime);
    t.tv_sec as f64 * 1e9 + t.tv_nsec as f64
}
