//! Rapier beside us: the same figures and scenes, both precisions, reduced coordinates and impulse joints.
//!
//! ```text
//! peer-rapier dynamics DIR BLOCKS BLOCK_MS MODEL...   ns per contact-free step (it has no bare ABA)
//! peer-rapier ragdoll  DIR REPEATS                    µs per step of a falling figure
//! peer-rapier game     DIR RUNS FRAMES                ms per frame; FRAMES limits the (slow) multibody runs
//! peer-rapier batch    DIR REPEATS WORLDS...          steps per second on all cores
//! ```
//! The scenes are described in `../README.md`; one JSON line per measurement goes to standard output.

mod tree;
#[path = "."]
mod double {
    pub(crate) use rapier3d_f64 as rapier;
    #[path = "world.rs"]
    pub(crate) mod world;
}
#[path = "."]
mod single {
    pub(crate) use rapier3d as rapier;
    #[path = "world.rs"]
    pub(crate) mod world;
}

use std::path::Path;
use std::process::ExitCode;

use rustix::time::{ClockId, clock_gettime};

const VERSION: &str = "0.36.1";
const FRAMES: usize = 120;
const SETTLED: usize = 90;

fn nanoseconds(clock: ClockId) -> f64 {
    let t = clock_gettime(clock);
    1e9 * t.tv_sec as f64 + t.tv_nsec as f64
}

/// CPU time of this thread that `f` takes, ns.
fn cpu_time(f: impl FnOnce()) -> f64 {
    let start = nanoseconds(ClockId::ThreadCPUTime);
    f();
    nanoseconds(ClockId::ThreadCPUTime) - start
}

fn print_line(
    bench: &str,
    engine: &str,
    model: &str,
    function: &str,
    unit: &str,
    samples: &[f64],
    facts: &str,
) {
    let samples: Vec<String> = samples.iter().map(|s| format!("{s:.7e}")).collect();
    println!(
        "{{\"bench\":\"{bench}\",\"engine\":\"{engine}\",\"version\":\"{VERSION}\",\"model\":\"{model}\",\
         \"fn\":\"{function}\",\"unit\":\"{unit}\",{facts}\"samples\":[{}]}}",
        samples.join(",")
    );
}

/// The benches in one precision. The two crates share no types, so this is written once as a macro.
macro_rules! benches {
    ($name:ident, $room:ident, $precision:literal) => {
        mod $name {
            use super::$room::world::{Drive, Joints, World};
            use super::tree::{Body, read_scene, read_terrain, read_tree};
            use super::*;

            const KINDS: [(Joints, &str); 2] = [
                (Joints::Impulse, concat!("Rapier ", $precision, " impulse")),
                (Joints::Multibody, concat!("Rapier ", $precision, " multibody")),
            ];

            pub(crate) fn dynamics(dir: &Path, blocks: usize, block_ms: f64, model: &str) -> Result<(), String> {
                let figure = read_tree(&dir.join(format!("{model}.tree")))?;
                for (joints, engine) in KINDS {
                    let mut world = World::new(1e-3);
                    let root = world.add_figure(&figure, [0.0; 3], joints, Drive::Nothing, |_| None);
                    world.stir(root, joints);
                    let mut steps = 1;
                    while cpu_time(|| (0..steps).for_each(|_| world.step())) < 1e6 * block_ms {
                        steps *= 2;
                    }
                    let block = |_| cpu_time(|| (0..steps).for_each(|_| world.step())) / steps as f64;
                    let samples: Vec<f64> = (0..blocks).map(block).collect();
                    print_line("dynamics", engine, model, "step", "ns", &samples, "");
                }
                Ok(())
            }

            fn ragdoll_world(figure: &[Body], hz: usize, joints: Joints, touches_self: bool, spin: [f64; 3]) -> World {
                let ground = 1 << 31;
                let neighbours = |i: usize, k: usize| figure[k].parent == Some(i) || figure[i].parent == Some(k);
                let masks = |i: usize| {
                    let others = (0..figure.len()).filter(|&k| touches_self && k != i && !neighbours(i, k));
                    Some((1 << i, others.fold(ground, |mask, k| mask | 1 << k)))
                };
                let mut world = World::new(1.0 / hz as f64);
                world.add_ground();
                let root = world.add_figure(figure, [0.0, 0.0, 0.1], joints, Drive::PassiveDamping, masks);
                world.spin(root, joints, spin);
                world
            }

            pub(crate) fn ragdoll(dir: &Path, repeats: usize) -> Result<(), String> {
                let figure = read_tree(&dir.join("humanoid37.tree"))?;
                for (hz, touches_self) in [(1000, false), (1000, true), (120, false), (120, true)] {
                    for (joints, engine) in KINDS {
                        let (mut samples, mut depth, mut broken) = (Vec::new(), 0.0, false);
                        for _ in 0..repeats {
                            let mut world = ragdoll_world(&figure, hz, joints, touches_self, [0.2, 0.5, 0.0]);
                            let time = cpu_time(|| (0..2 * hz).for_each(|_| world.step()));
                            samples.push(time / (2 * hz) as f64 / 1e3);
                            depth = world.deepest_contact();
                            broken |= !(world.kinetic_energy() < 1e5);
                        }
                        let state = if touches_self { "on" } else { "off" };
                        let function = format!("{hz} Hz, self-collision {state}");
                        let facts = format!("\"broken\":{},\"penetration_mm\":{:.3},", u8::from(broken), 1e3 * depth);
                        print_line("ragdoll", engine, "humanoid37", &function, "us", &samples, &facts);
                    }
                }
                Ok(())
            }

            pub(crate) fn game(dir: &Path, runs: usize, slow_frames: usize) -> Result<(), String> {
                let figure = read_tree(&dir.join("bones36.tree"))?;
                let terrain = read_terrain(&dir.join("terrain.txt"))?;
                let (places, loose) = read_scene(&dir.join("game_scene.txt"))?;
                for (joints, engine) in KINDS {
                    let slow = joints == Joints::Multibody;
                    let (runs, frames) = if slow { (1, slow_frames.min(FRAMES)) } else { (runs, FRAMES) };
                    if frames == 0 {
                        continue;
                    }
                    let (mut samples, mut broken) = (Vec::new(), 0);
                    let (mut depth, mut speed, mut error, mut drift) = (0.0_f64, 0.0, 0.0, 0.0_f64);
                    for run in 0..runs {
                        let mut world = World::new(1.0 / 120.0);
                        world.add_terrain(&terrain);
                        for (k, &at) in places.iter().enumerate() {
                            world.add_figure(&figure, at, joints, Drive::Servo, |_| Some((1 << k, !(1 << k))));
                        }
                        loose.iter().for_each(|body| world.add_loose(body));
                        world.perturb(run);
                        let (mut times, mut run_depth, mut run_speed) = (Vec::new(), 0.0_f64, 0.0);
                        for frame in 0..frames {
                            times.push(cpu_time(|| (0..4).for_each(|_| world.step())) / 1e6);
                            if frame >= SETTLED {
                                run_depth = run_depth.max(world.deepest_contact());
                                run_speed += world.loose_speed() / (FRAMES - SETTLED) as f64;
                            }
                        }
                        if !(world.kinetic_energy() < 1e5) {
                            broken += 1;
                            continue;
                        }
                        samples.extend(times);
                        depth = depth.max(run_depth);
                        speed += run_speed;
                        let (run_error, run_drift) = world.pose_error_and_drift();
                        error += run_error;
                        drift = drift.max(run_drift);
                    }
                    let whole = (runs - broken).max(1) as f64;
                    let quality = if broken == runs {
                        String::new()
                    } else if frames == FRAMES {
                        let (depth, drift) = (1e3 * depth, 1e3 * drift);
                        let (speed, error) = (speed / whole, error / whole);
                        format!(
                            "\"penetration_mm\":{depth:.3},\"loose_speed\":{speed:.4},\"pose_error\":{error:.4},\
                             \"joint_drift_mm\":{drift:.3},"
                        )
                    } else {
                        format!("\"only_first_frames\":{frames},")
                    };
                    let facts = format!("\"runs\":{runs},\"broken\":{broken},{quality}");
                    print_line("game", engine, "game_scene", "frame", "ms", &samples, &facts);
                }
                Ok(())
            }

            pub(crate) fn batch(dir: &Path, repeats: usize, n_worlds: usize) -> Result<(), String> {
                let figure = read_tree(&dir.join("humanoid37.tree"))?;
                let n_threads = std::thread::available_parallelism().map_or(1, usize::from).min(n_worlds);
                for (joints, engine) in KINDS {
                    if joints == Joints::Multibody && n_worlds > 64 {
                        continue; // minutes, and known to be slow from the smaller ones
                    }
                    let (mut samples, mut broken) = (Vec::new(), 0);
                    for _ in 0..repeats {
                        let spin = |i: f64| [0.2 + 0.3 * i.sin(), 0.5 * (0.7 * i).cos(), 0.0];
                        let make = |i: usize| ragdoll_world(&figure, 120, joints, false, spin(i as f64));
                        let mut worlds: Vec<World> = (0..n_worlds).map(make).collect();
                        let mut advance = |steps: usize| {
                            std::thread::scope(|scope| {
                                for share in worlds.chunks_mut(n_worlds.div_ceil(n_threads)) {
                                    scope.spawn(move || share.iter_mut().for_each(|w| (0..steps).for_each(|_| w.step())));
                                }
                            });
                        };
                        advance(120); // not timed: the contact phase is what matters
                        let start = nanoseconds(ClockId::Monotonic);
                        advance(60);
                        samples.push((n_worlds * 60) as f64 / (1e-9 * (nanoseconds(ClockId::Monotonic) - start)));
                        broken = worlds.iter().filter(|world| !(world.kinetic_energy() < 1e5)).count();
                    }
                    let facts = format!("\"threads\":{n_threads},\"broken\":{broken},");
                    print_line("batch", engine, "humanoid37", &format!("{n_worlds} worlds"), "steps/s", &samples, &facts);
                }
                Ok(())
            }
        }
    };
}

benches!(in_double, double, "f64");
benches!(in_single, single, "f32");

fn run(arguments: &[String]) -> Result<(), String> {
    let [what, dir, rest @ ..] = arguments else {
        return Err("usage: peer-rapier dynamics|ragdoll|game|batch DIR ...".to_owned());
    };
    let dir = Path::new(dir);
    let number = |i: usize| -> Result<usize, String> {
        let word = rest.get(i).ok_or("an argument is missing")?;
        word.parse().map_err(|_| format!("`{word}` is not a number"))
    };
    match what.as_str() {
        "dynamics" => {
            for model in rest.iter().skip(2) {
                in_double::dynamics(dir, number(0)?, number(1)? as f64, model)?;
                in_single::dynamics(dir, number(0)?, number(1)? as f64, model)?;
            }
        }
        "ragdoll" => {
            in_double::ragdoll(dir, number(0)?)?;
            in_single::ragdoll(dir, number(0)?)?;
        }
        "game" => {
            in_single::game(dir, number(0)?, 0)?;
            in_double::game(dir, number(0)?, number(1)?)?;
        }
        "batch" => {
            for i in 1..rest.len() {
                in_single::batch(dir, number(0)?, number(i)?)?;
                in_double::batch(dir, number(0)?, number(i)?)?;
            }
        }
        other => return Err(format!("unknown bench {other}")),
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("peer-rapier: {error}");
            ExitCode::FAILURE
        }
    }
}
