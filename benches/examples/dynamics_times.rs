//! Prints nanoseconds per call of every algorithm on the standard figures, a JSON line each: our rows of
//! the comparison with other engines (`benches/peers/run`).

use std::hint::black_box;
use std::time::Instant;

use stuntlab_benches::{cases, dynamics_figures};
use stuntlab_physics::Data;
use stuntlab_physics::dynamics::*;

fn main() {
    let quick = std::env::args().any(|a| a == "--quick");
    let only: Option<String> = std::env::args().skip(1).find(|a| !a.starts_with("--"));
    let (blocks, block_ms) = if quick { (15, 0.5) } else { (101, 0.5) };
    for figure in dynamics_figures() {
        if only.as_ref().is_some_and(|o| *o != figure.name) {
            continue;
        }
        let model = figure.model();
        let mut data = Data::new(&model);
        let cases = cases(&model, 64);
        let mut row = |name: &str, call: &mut dyn FnMut(usize, &mut Data)| {
            let samples = time(blocks, block_ms, |i| call(i % cases.len(), &mut data));
            let samples: Vec<String> = samples.iter().map(|s| format!("{s:.1}")).collect();
            println!(
                "{{\"bench\":\"dynamics\",\"engine\":\"stuntlab\",\"model\":\"{}\",\"fn\":\"{name}\",\"unit\":\"ns\",\"samples\":[{}]}}",
                figure.name,
                samples.join(",")
            );
        };
        row("FK", &mut |i, d| forward_kinematics(&model, &cases[i].state, d));
        row("RNEA", &mut |i, d| rnea(&model, &cases[i].state, d, &cases[i].acceleration));
        row("CRBA", &mut |i, d| crba(&model, &cases[i].state, d));
        row("ABA", &mut |i, d| aba(&model, &cases[i].state, d, &cases[i].forces));
    }
}

/// Nanoseconds per call, one sample per block.
fn time(blocks: usize, block_ms: f64, mut call: impl FnMut(usize)) -> Vec<f64> {
    let mut count = 16;
    let mut run = |n: usize| {
        let start = Instant::now();
        for i in 0..n {
            call(black_box(i));
        }
        start.elapsed().as_secs_f64() * 1e9 / n as f64
    };
    let per_call = run(256).min(run(256));
    count = count.max((block_ms * 1e6 / per_call) as usize);
    (0..blocks).map(|_| run(count)).collect()
}
