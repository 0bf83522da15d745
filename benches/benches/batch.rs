//! `batch/ragdoll37/N`: one step of N independent worlds of the falling and lying ragdoll at 120 Hz, on all cores.
//! Worlds differ in their spin and are a second into the fall; every batch starts from the same saved states.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use stuntlab_benches::scenes::ragdoll;
use stuntlab_physics::Formulation;
use stuntlab_physics::batch::{World, step_worlds};

fn batches(c: &mut Criterion) {
    let scene = ragdoll(120.0, false, Formulation::default(), (0.2, 0.5));
    let mut group = c.benchmark_group("batch/ragdoll37");
    group.sample_size(10);
    for n in [1, 64, 1024] {
        let mut saved: Vec<World> = (0..n)
            .map(|k| {
                let mut world = World::new(&scene.model);
                world.state.clone_from(&scene.state);
                (world.state.v[3], world.state.v[4]) = (0.2 + 0.001 * k as f64, 0.5 - 0.0007 * k as f64);
                world
            })
            .collect();
        step_worlds(&scene.model, &mut saved, &scene.options, 120, |_, _, _, _| {});
        let mut worlds = saved.clone();
        group.throughput(Throughput::Elements(n as u64));
        group.bench_function(BenchmarkId::from_parameter(n), |b| {
            b.iter_custom(|iterations| {
                let mut total = std::time::Duration::ZERO;
                for _ in 0..iterations {
                    for (world, from) in worlds.iter_mut().zip(&saved) {
                        world.state.clone_from(&from.state);
                        world.data.clone_from(&from.data);
                    }
                    let start = std::time::Instant::now();
                    step_worlds(&scene.model, &mut worlds, &scene.options, 1, |_, _, _, _| {});
                    total += start.elapsed();
                }
                assert!(worlds.iter().all(|w| w.outcome.is_ok()), "a world broke");
                total
            });
        });
    }
    group.finish();
}

criterion_group!(benches, batches);
criterion_main!(benches);
