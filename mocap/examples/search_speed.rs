//! Search time and recall: `search_speed [FILE.bvh…]`. Without files on rows from a random 10-dimensional latent space
//! with noise; with files on the frames of the clips and their mirror images, against poses between frames.

use std::time::Instant;
use stuntlab_mocap::bvh::Bvh;
use stuntlab_mocap::convert::{ImportOptions, import};
use stuntlab_mocap::edit::mirror;
use stuntlab_mocap::features::FeatureOptions;
use stuntlab_mocap::search::{Filter, PoseDatabase, SplitIndex};
use stuntlab_physics::random::Random;

const WIDTH: usize = 48;

fn latent_rows(n: usize, random: &mut Random, mix: &[f32]) -> Vec<f32> {
    let mut rows = Vec::with_capacity(n * WIDTH);
    for _ in 0..n {
        let latent: [f32; 10] = core::array::from_fn(|_| random.normal() as f32);
        for c in 0..WIDTH {
            let value: f32 = (0..10).map(|l| latent[l] * mix[l * WIDTH + c]).sum();
            rows.push(value + 0.05 * random.normal() as f32);
        }
    }
    rows
}

fn measure(name: &str, database: &PoseDatabase, queries: &[f32]) {
    let mut searcher = database.searcher();
    let (mut times, mut wrong) = (Vec::new(), 0);
    for query in queries.chunks_exact(database.width()) {
        let mut best = f64::INFINITY;
        let mut found = None;
        for _ in 0..7 {
            let start = Instant::now();
            found = searcher.nearest(query, &Filter::ALL);
            best = best.min(start.elapsed().as_secs_f64());
        }
        times.push(best * 1e6);
        wrong += usize::from(found != database.brute_force(query, 1, &Filter::ALL).first().copied());
    }
    times.sort_by(f64::total_cmp);
    let (median, worst) = (times[times.len() / 2], times[times.len() - 1]);
    println!(
        "{name}: {} frames, median {median:.1} µs, worst {worst:.1} µs, {wrong} of {} differ from brute force",
        database.len(),
        times.len()
    );
    let split = SplitIndex::new(database);
    for candidates in [5, 20, 50] {
        let start = Instant::now();
        let mut hits = 0;
        for query in queries.chunks_exact(database.width()) {
            hits += usize::from(
                split.nearest(query, candidates, &Filter::ALL) == searcher.nearest(query, &Filter::ALL),
            );
        }
        let n = times.len();
        println!(
            "  per joint, {candidates} candidates: {:.0} µs, recall {:.0} %",
            start.elapsed().as_secs_f64() * 1e6 / n as f64,
            100.0 * hits as f64 / n as f64
        );
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let files: Vec<String> = std::env::args().skip(1).collect();
    if files.is_empty() {
        let mut random = Random::new(7);
        let mix: Vec<f32> = (0..10 * WIDTH).map(|_| random.normal() as f32).collect();
        let queries = latent_rows(200, &mut random, &mix);
        for n in [10_000, 50_000, 200_000] {
            let rows = latent_rows(n, &mut random, &mix);
            measure("latent", &PoseDatabase::from_rows(WIDTH, vec![(rows, Vec::new())])?, &queries);
        }
        return Ok(());
    }
    let mut clips = Vec::new();
    for file in &files {
        let bvh = Bvh::parse(&std::fs::read(file)?)?;
        let frames = Some(1..bvh.n_frames());
        let (clip, _) = import(file, &bvh, &ImportOptions { frames, ..ImportOptions::default() })?;
        clips.push(mirror(&clip));
        clips.push(clip);
    }
    let database = PoseDatabase::new(&clips, &FeatureOptions::default())?;
    // Queries: disturbed frames, so that no row is the answer by construction.
    let mut random = Random::new(3);
    let mut queries = Vec::new();
    for clip in 0..clips.len() {
        for frame in (0..clips[clip].n_frames()).step_by(500) {
            let row =
                database.features(stuntlab_mocap::search::FrameId { clip, frame }).ok_or("no such frame")?;
            queries.extend(row.iter().map(|v| v + 0.03 * random.normal() as f32));
        }
    }
    measure("clips", &database, &queries);
    Ok(())
}
