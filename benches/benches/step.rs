//! `step/ragdoll37/<formulation>/<hz>` and `step/game_scene/<formulation>` (per 1/30 s frame of four steps). The game scene
//! is timed where it can be: Dantzig takes longer than a second per frame on its hundreds of rows, and explicit penalty at
//! 16 sub-steps does not survive it.
//! Scenes settle first; every batch starts from the same saved state.

use criterion::{Criterion, criterion_group, criterion_main};
use stuntlab_benches::scenes::{Scene, game_scene, ragdoll};
use stuntlab_physics::Formulation;

/// Times `steps` steps from the state the scene reaches after `settle`.
fn timed(c: &mut Criterion, id: &str, mut scene: Scene, settle: usize, steps: usize) {
    for _ in 0..settle {
        if let Err(error) = scene.step() {
            println!("{id}: skipped, {error}");
            return;
        }
    }
    let (state, data) = (scene.state.clone(), scene.data.clone());
    c.bench_function(id, |b| {
        b.iter_custom(|iterations| {
            let mut total = std::time::Duration::ZERO;
            for _ in 0..iterations {
                scene.state.clone_from(&state);
                scene.data.clone_from(&data);
                let start = std::time::Instant::now();
                for _ in 0..steps {
                    scene.step().expect("it did not break while settling either");
                }
                total += start.elapsed();
            }
            total
        });
    });
}

fn steps(c: &mut Criterion) {
    for formulation in Formulation::ALL {
        for hz in [120.0, 1000.0] {
            let scene = ragdoll(hz, false, formulation, (0.2, 0.5));
            let id = format!("step/ragdoll37/{}/{hz:.0}", formulation.name());
            timed(c, &id, scene, hz as usize, 1);
        }
    }
    for formulation in [Formulation::ImplicitPenalty, Formulation::LcpPgs] {
        let scene = game_scene(formulation, 0);
        timed(c, &format!("step/game_scene/{}", formulation.name()), scene, 120, 4);
    }
}

criterion_group!(benches, steps);
criterion_main!(benches);
