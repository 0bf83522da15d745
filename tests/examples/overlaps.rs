//! How deep things go: limp figures in many poses, and the game scene from many seeds.
//! `cargo run --release -p stuntlab-tests --example overlaps -- --poses N --seeds N`
//!
//! Marks at 120 Hz: limp figures at most 1.5 mm, 2 mm where their parts collide with each other, half of them below 1 mm. Game scenes whole
//! (no error, nobody below the ground), at least 99.9 % of steps solved to their residual, at most 2 mm deep in the last second.

use std::process::ExitCode;

use stuntlab::run::{Hands, World};
use stuntlab::scene::Scene;
use stuntlab_tests::impacts::deepest;

/// Marks, m.
const ALONE: f64 = 1.5e-3;
const WITH_PARTS: f64 = 2e-3;
const HALF_OF_THEM: f64 = 1e-3;
const GAME: f64 = 2e-3;
/// Share of steps that are solved.
const SOLVED: f64 = 0.999;
/// Height that nothing on the game scene's ground comes down to, m.
const LOWEST: f64 = -0.6;
/// How far that ground goes from its middle, m: a ball may roll over its edge, as in seed 72.
const EDGE: f64 = 9.8;

fn main() -> ExitCode {
    let (mut poses, mut seeds) = (40, 100);
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next().and_then(|v| v.parse().ok());
        match (word.as_str(), value) {
            ("--poses", Some(n)) => poses = n,
            ("--seeds", Some(n)) => seeds = n,
            _ => {
                eprintln!("{word}: expected --poses N or --seeds N");
                return ExitCode::from(2);
            }
        }
    }
    let mut good = impacts(poses, false, ALONE) & impacts(poses, true, WITH_PARTS);
    match games(seeds) {
        Ok(held) => good &= held,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    }
    ExitCode::from(u8::from(!good))
}

/// Median and largest overlap of limp figures; whether both are within their marks.
fn impacts(poses: u64, self_collision: bool, most: f64) -> bool {
    let mut depths = deepest(0..poses, self_collision);
    depths.sort_by(f64::total_cmp);
    let (Some(&worst), Some(&median)) = (depths.last(), depths.get(depths.len() / 2)) else { return true };
    println!(
        "{poses} limp figures, self-collision {self_collision}: median {:.2} mm, most {:.2} mm",
        1e3 * median,
        1e3 * worst
    );
    worst <= most && median < HALF_OF_THEM
}

/// The game scene from seeds; whether all marks hold.
fn games(seeds: u64) -> Result<bool, Box<dyn std::error::Error>> {
    let (mut whole, mut steps, mut solved, mut most, mut last_most) = (0_u64, 0_u64, 0_u64, 0.0_f64, 0.0_f64);
    for seed in 0..seeds {
        let scene = Scene::load("base-game", &[format!("seed={seed}")])?;
        let mut world = World::new(&scene)?;
        let end = scene.duration;
        let (mut deep, mut last) = (0.0_f64, 0.0_f64);
        let mut is_whole = true;
        while world.state.time < end - 0.5 * world.options.dt {
            if let Err(fault) = world.step(&Hands::default()) {
                println!("seed {seed}: {fault}");
                is_whole = false;
                break;
            }
            steps += 1;
            solved += u64::from(world.report.solve.unsolved == 0 && !world.report.solve.cut_short);
            deep = deep.max(world.deepest());
            if world.state.time > end - 1.0 {
                last = last.max(world.deepest());
            }
        }
        let ids = world.model().body_ids();
        is_whole &= ids.iter().all(|b| {
            let at = world.data.world_from_body(b).translation;
            at.z > LOWEST || at.x.abs().max(at.y.abs()) > EDGE
        });
        whole += u64::from(is_whole);
        if !is_whole || last > GAME {
            println!(
                "seed {seed}: whole {is_whole}, {:.2} mm, {:.2} mm in the last second",
                1e3 * deep,
                1e3 * last
            );
        }
        (most, last_most) = (most.max(deep), last_most.max(last));
    }
    println!(
        "game scene: {whole} of {seeds} whole, {solved} of {steps} steps solved, {:.2} mm, {:.2} mm in the last second",
        1e3 * most,
        1e3 * last_most
    );
    Ok(whole == seeds && solved as f64 >= SOLVED * steps as f64 && last_most <= GAME)
}
