//! `step_times ragdoll|game|batch [--quick] [--formulation NAME] [--runs N]`: whole steps timed, a JSON line each:
//! our rows of the comparison with other engines (`benches/peers/run`).

use std::time::Instant;

use stuntlab_benches::cpu_seconds;
use stuntlab_benches::scenes::{Scene, game_scene, pose_error, ragdoll};
use stuntlab_physics::{Formulation, StepReport, Tree};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let quick = args.iter().any(|a| a == "--quick");
    let value = |flag: &str| args.iter().position(|a| a == flag).and_then(|k| args.get(k + 1));
    let formulation = value("--formulation").and_then(|n| Formulation::from_name(n)).unwrap_or_default();
    let runs = value("--runs").and_then(|n| n.parse().ok());
    match args.first().map(String::as_str) {
        Some("ragdoll") => time_ragdoll(formulation, runs.unwrap_or(if quick { 3 } else { 10 })),
        Some("game") => time_game(formulation, runs.unwrap_or(if quick { 1 } else { 8 })),
        Some("batch") => time_batch(formulation, quick),
        _ => {
            eprintln!("usage: step_times ragdoll|game|batch [--quick] [--formulation NAME] [--runs N]");
            std::process::exit(2);
        }
    }
}

fn line(bench: &str, model: &str, function: &str, unit: &str, samples: &[f64], facts: &str) {
    let samples: Vec<String> = samples.iter().map(|s| format!("{s:.4}")).collect();
    println!(
        "{{\"bench\":\"{bench}\",\"engine\":\"stuntlab\",\"version\":\"{}\",\"model\":\"{model}\",\"fn\":\"{function}\",\"unit\":\"{unit}\",\"samples\":[{}]{facts}}}",
        env!("CARGO_PKG_VERSION"),
        samples.join(",")
    );
}

/// A step of the scene, unless it goes wrong.
fn step(scene: &mut Scene) -> Option<StepReport> {
    match scene.step() {
        Ok(report) => Some(report),
        Err(error) => {
            eprintln!("{error}");
            None
        }
    }
}

fn time_ragdoll(formulation: Formulation, repeats: usize) {
    for hz in [1000.0, 120.0] {
        for on in [false, true] {
            let steps = (2.0 * hz) as usize;
            let mut samples = Vec::new();
            let mut broken = false;
            let mut deepest = 0.0_f64;
            for _ in 0..repeats {
                let mut scene = ragdoll(hz, on, formulation, (0.2, 0.5));
                let start = cpu_seconds();
                for _ in 0..steps {
                    match step(&mut scene) {
                        Some(report) => deepest = deepest.max(report.deepest),
                        None => {
                            broken = true;
                            break;
                        }
                    }
                }
                samples.push((cpu_seconds() - start) * 1e6 / steps as f64);
                broken |= scene.kinetic_energy() > 1e5;
            }
            let function = format!("{hz:.0} Hz, self-collision {}", if on { "on" } else { "off" });
            let facts = format!(",\"broken\":{},\"penetration_mm\":{:.3}", u8::from(broken), 1e3 * deepest);
            line("ragdoll", "humanoid37", &function, "us", &samples, &facts);
        }
    }
}

fn time_game(formulation: Formulation, runs: usize) {
    let mut samples = Vec::new();
    let (mut broken, mut deepest, mut speed, mut error) = (0, 0.0_f64, 0.0, 0.0);
    let (mut steps, mut unsolved, mut again, mut newton) = (0_usize, 0, 0, 0);
    for run in 0..runs {
        let mut scene = game_scene(formulation, run);
        let mut frames = Vec::new();
        let mut whole = true;
        let (mut run_deepest, mut run_speed) = (0.0_f64, 0.0);
        for frame in 0..120 {
            let start = cpu_seconds();
            let mut frame_deepest = 0.0_f64;
            for _ in 0..4 {
                match step(&mut scene) {
                    Some(report) => {
                        frame_deepest = frame_deepest.max(report.deepest);
                        steps += 1;
                        unsolved += usize::from(report.solve.unsolved > 0);
                        again += report.solve.again;
                        newton += report.solve.iterations;
                    }
                    None => whole = false,
                }
            }
            frames.push((cpu_seconds() - start) * 1e3);
            whole &= scene.kinetic_energy() < 1e5;
            if !whole {
                eprintln!("run {run} broke in frame {frame}: kinetic energy {:.3e}", scene.kinetic_energy());
                break;
            }
            if frame >= 90 {
                run_deepest = run_deepest.max(frame_deepest);
                let loose = scene.model.trees().skip(5);
                let speed = |t: Tree| scene.data.velocity.body[t.bodies.at(0)].linear.length();
                let sum: f64 = loose.clone().map(speed).sum();
                run_speed += sum / loose.len() as f64 / 30.0;
            }
        }
        if whole {
            samples.extend(frames);
            deepest = deepest.max(run_deepest);
            speed += run_speed;
            error += pose_error(&scene);
        } else {
            broken += 1;
        }
    }
    let whole = (runs - broken).max(1) as f64;
    let facts = format!(
        ",\"runs\":{runs},\"broken\":{broken},\"penetration_mm\":{:.3},\"loose_speed\":{:.5},\"pose_error\":{:.4},\"steps\":{steps},\"unsolved_steps\":{unsolved},\"solved_again\":{again},\"newton_per_step\":{:.1}",
        1e3 * deepest,
        speed / whole,
        error / whole,
        newton as f64 / steps.max(1) as f64
    );
    line("game", "game_scene", "frame", "ms", &samples, &facts);
}

fn time_batch(formulation: Formulation, quick: bool) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    for worlds in [1usize, 64, 1024] {
        let mut samples = Vec::new();
        let mut broken = 0;
        for _ in 0..if quick { 1 } else { 3 } {
            let mut scenes: Vec<(Scene, bool)> = (0..worlds)
                .map(|i| {
                    let spin = (0.2 + 0.3 * (i as f64).sin(), 0.5 * (0.7 * i as f64).cos());
                    (ragdoll(120.0, false, formulation, spin), true)
                })
                .collect();
            let share = worlds.div_ceil(cores);
            let mut advance = |steps: usize| {
                std::thread::scope(|scope| {
                    for chunk in scenes.chunks_mut(share) {
                        scope.spawn(move || {
                            for (scene, whole) in chunk {
                                for _ in 0..steps {
                                    *whole = *whole && scene.step().is_ok();
                                }
                            }
                        });
                    }
                });
            };
            advance(120);
            let start = Instant::now();
            advance(60);
            samples.push((60 * worlds) as f64 / start.elapsed().as_secs_f64());
            broken = scenes.iter().filter(|(s, whole)| !whole || s.kinetic_energy() > 1e5).count();
        }
        let name = if worlds == 1 { "1 world".to_owned() } else { format!("{worlds} worlds") };
        line("batch", "humanoid37", &name, "steps/s", &samples, &format!(",\"broken\":{broken}"));
    }
}
