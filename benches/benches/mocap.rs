//! Motion capture: `bvh/read` (MB/s), `search/{10k,50k,200k}`, `graph/build`, `retarget/stuntperson`. Results are checked
//! before they are timed. Inputs are generated from a seed, so that the bench needs no data.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use stuntlab_mocap::bvh::Bvh;
use stuntlab_mocap::character::Character;
use stuntlab_mocap::convert::{ExportOptions, export};
use stuntlab_mocap::graph::{GraphOptions, MotionGraph};
use stuntlab_mocap::retarget::{RetargetOptions, retarget};
use stuntlab_mocap::search::{Filter, PoseDatabase};
use stuntlab_mocap::{Clip, Skeleton};
use stuntlab_physics::State;
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::random::Random;

/// A stuntperson stepping on the spot with its own rhythm.
fn stepping(figure: &Character, frames: usize, rate: f64, rhythm: f64) -> Clip {
    let roles = figure.roles();
    let states: Vec<State> = (0..frames)
        .map(|i| {
            let phase = rhythm * i as f64 / rate;
            let mut state = State::new(figure.model());
            for (side, shift) in [(&roles.left, 0.0), (&roles.right, core::f64::consts::PI)] {
                let swing = (phase + shift).sin();
                let bodies = [side.thigh, side.shank, side.upper_arm, side.forearm];
                let angles = [0.5 * swing.max(-0.4), 0.9 * swing.max(0.0), -0.4 * swing, 0.6];
                for (body, angle) in bodies.into_iter().zip(angles) {
                    figure.set_angles(&mut state, body.expect("it has limbs"), [angle, 0.0, 0.0]);
                }
            }
            state.q[0] = 0.8 * i as f64 / rate;
            state.q[2] = 0.02 * (2.0 * phase).sin();
            state
        })
        .collect();
    figure.clip_from_states("stepping", 1.0 / rate, &states).expect("states of the figure")
}

/// Reading of a file of the shape of the CMU database's: 31 joints, 96 channels, rounded to five digits.
fn bvh(c: &mut Criterion) {
    let joints = (0..31).map(|j: usize| stuntlab_mocap::skeleton::Joint {
        name: format!("Joint{j}"),
        parent: j.checked_sub(1).map(stuntlab_mocap::JointId::new),
        offset: DVec3::new(0.1, 0.2, 0.3),
    });
    let skeleton = Skeleton::new(joints.collect(), Vec::new()).expect("a chain is a tree");
    let mut random = Random::new(5);
    let turn = |random: &mut Random| {
        let v = DVec3::new(random.normal(), random.normal(), random.normal());
        DQuat::from_scaled_axis(v)
    };
    let n = 1000;
    let rotations = (0..31 * n).map(|_| turn(&mut random)).collect();
    let clip = Clip::new("random", Arc::new(skeleton), 1.0 / 120.0, vec![DVec3::ZERO; n], rotations)
        .expect("unit quaternions");
    let exact = export(&clip, &ExportOptions::default()).expect("names that can be written");
    let rounded = |v: &f64| (v * 1e5).round() / 1e5;
    let values = (0..n).flat_map(|f| exact.frame(f).iter().map(rounded).collect::<Vec<_>>()).collect();
    let file = Bvh::new(exact.nodes().to_vec(), 0.0083333, n, values).expect("the same nodes");
    let text = file.write();
    assert_eq!(Bvh::parse(text.as_bytes()).as_ref(), Ok(&file), "what is read is what was written");

    let mut group = c.benchmark_group("bvh");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("read", |b| b.iter(|| Bvh::parse(black_box(text.as_bytes()))));
    group.throughput(Throughput::Elements(n as u64));
    group.bench_function("write", |b| b.iter(|| black_box(&file).write()));
    group.finish();
}

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

/// Exact nearest neighbour among rows from a ten-dimensional latent space; recall against brute force must be 1.
fn search(c: &mut Criterion) {
    let mut random = Random::new(7);
    let mix: Vec<f32> = (0..10 * WIDTH).map(|_| random.normal() as f32).collect();
    let queries = latent_rows(64, &mut random, &mix);
    let mut group = c.benchmark_group("search");
    for (name, n) in [("10k", 10_000), ("50k", 50_000), ("200k", 200_000)] {
        let rows = latent_rows(n, &mut random, &mix);
        let database = PoseDatabase::from_rows(WIDTH, vec![(rows, Vec::new())]).expect("rows of one width");
        let mut searcher = database.searcher();
        for query in queries.chunks_exact(WIDTH) {
            let wanted = database.brute_force(query, 1, &Filter::ALL).first().copied();
            assert_eq!(searcher.nearest(query, &Filter::ALL), wanted, "recall of 1 at {name}");
        }
        let mut at = 0;
        group.bench_function(name, |b| {
            b.iter(|| {
                at = (at + 1) % 64;
                searcher.nearest(black_box(&queries[at * WIDTH..(at + 1) * WIDTH]), &Filter::ALL)
            });
        });
    }
    group.finish();
}

/// A graph of four clips of ten seconds, and a clip put on the stuntperson.
fn graph(c: &mut Criterion) {
    let figure = Character::stuntperson();
    let clips: Vec<Clip> =
        [4.0, 5.0, 6.0, 7.0].iter().map(|&rhythm| stepping(&figure, 300, 30.0, rhythm)).collect();
    let build = || MotionGraph::build(&clips, &GraphOptions::default(), &|_, _| {}).expect("one skeleton");
    let built = build();
    assert!(built.core_size() > 1, "stepping leads back to itself");
    assert!(built.transitions().iter().all(|t| t.distance < 0.06));
    let mut group = c.benchmark_group("graph");
    group.sample_size(10);
    group.bench_function("build", |b| b.iter_batched(|| (), |()| build(), BatchSize::LargeInput));
    group.finish();

    let clip = stepping(&figure, 60, 30.0, 5.0);
    let options = RetargetOptions { keep_contacts: false, ..RetargetOptions::default() };
    let fit = || retarget(&clip, &figure, &options).expect("a humanoid");
    assert!(fit().report.mean_cm < 0.1, "its own motion fits: {:?}", fit().report);
    let mut group = c.benchmark_group("retarget");
    group.sample_size(10);
    group.throughput(Throughput::Elements(60));
    group.bench_function("stuntperson", |b| b.iter(fit));
    group.finish();
}

criterion_group!(benches, bvh, search, graph);
criterion_main!(benches);
