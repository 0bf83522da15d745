//! `walker_times [--seconds N] [--only NAME]`: what a step of one walker costs at 200 Hz, senses, control and looking included.
//!
//! Processor time of this thread over walks of so many seconds, so that double support and strikes have their share: 50 us are 1 % of a core.

use stuntlab_benches::cpu_seconds;
use stuntlab_benches::walker::{Walker, Who};
use stuntlab_physics::Formulation;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let value = |flag: &str| args.iter().position(|a| a == flag).and_then(|k| args.get(k + 1));
    let seconds: f64 = value("--seconds").and_then(|n| n.parse().ok()).unwrap_or(20.0);
    println!("walker formulation us/step core rows solves-per-step most settled");
    for formulation in [Formulation::LcpPgs, Formulation::LcpDantzig, Formulation::ImplicitPenalty] {
        for who in Who::ALL {
            let name = format!("{}/{}", who.name(), formulation.name());
            if value("--only").is_none_or(|only| name.contains(only.as_str())) {
                time(&name, Walker::new(formulation, who), (200.0 * seconds) as usize);
            }
        }
    }
}

fn time(name: &str, mut walker: Walker, steps: usize) {
    for _ in 0..200 {
        walker.step();
    }
    let (mut rows, mut iterations, mut most, mut settled) = (0, 0, 0, 0);
    let start = cpu_seconds();
    for _ in 0..steps {
        let report = walker.step();
        rows += report.rows.rows;
        iterations += report.rows.iterations + report.solve.iterations;
        most = most.max(report.rows.iterations + report.solve.iterations);
        settled += usize::from(report.rows.settled);
    }
    let each = (cpu_seconds() - start) / steps as f64;
    let mean = |sum: usize| sum as f64 / steps as f64;
    let upright = if walker.senses.pelvis_height() > 0.7 { "" } else { " (fell)" };
    println!(
        "{name} {:.1} {:.2}% {:.1} {:.1} {most} {:.4}{upright}",
        1e6 * each,
        100.0 * each * 200.0,
        mean(rows),
        mean(iterations),
        mean(settled)
    );
}
