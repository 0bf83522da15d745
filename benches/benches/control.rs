//! What control costs: `control/dynamo/BONES` is one step's targets and torques of a character that follows a clip,
//! `control/game_scene/dynamo` a 1/30 s frame of the game scene whose five characters are driven by Dynamo, `control/walker/…` a step of
//! 1/200 s of a walker by rates, on pinned feet and on free ones, senses and control included: 50 us are 1 % of a core, `control/adaptive/…` a step of
//! 1/120 s of characters that play their motion back, one, ten, and with some or all joints simulated.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use stuntlab_benches::adaptive::Crowd;
use stuntlab_benches::scenes::dynamo_game;
use stuntlab_benches::walker::{Walker, Who};
use stuntlab_control::dynamo::{Dynamo, DynamoOptions};
use stuntlab_control::reference::ClipReference;
use stuntlab_control::{Controller, Sense, Senses};
use stuntlab_mocap::character::{Character, Physique};
use stuntlab_mocap::library;
use stuntlab_mocap::retarget::{RetargetOptions, retarget};
use stuntlab_physics::{Actuation, Data, Formulation, State, StepOptions, observe};

fn dynamo(c: &mut Criterion) {
    let character = Arc::new(Character::ball_figure());
    let walk = library::clip("walk").expect("it is in the library");
    let clip = retarget(&walk, &character, &RetargetOptions::default()).expect("a person to a person").clip;
    let model = character.model();
    let reference = ClipReference::new(character.clone(), &clip, true);
    let mut state: State = reference.state_at(0.0);
    let (mut data, mut act) = (Data::new(model), Actuation::new(model));
    let options = StepOptions::at_rate(120.0);
    observe(model, &state, &mut data, &options);
    let mut senses = Senses::new(model, model.body_ids(), Physique::of(&character).into());
    let mut dynamo = Dynamo::new(model.clone(), Box::new(reference), DynamoOptions::default());
    c.bench_function(&format!("control/dynamo/{}", model.n_bodies()), |b| {
        b.iter(|| {
            state.time += options.dt;
            act.clear();
            senses.look(model, &state, &data);
            dynamo.act(&Sense::new(model, &state, &data, options.dt, &senses), &mut act);
            black_box(&act);
        });
    });
    assert!(act.implicit.len() >= model.n_bodies() - 1, "every bone is driven");
}

fn game(c: &mut Criterion) {
    let mut scene = dynamo_game(0);
    for _ in 0..240 {
        scene.step().expect("a sound step");
    }
    let mut group = c.benchmark_group("control/game_scene");
    group.sample_size(20);
    group.bench_function("dynamo", |b| {
        b.iter(|| {
            for _ in 0..4 {
                scene.step().expect("a sound step");
            }
        });
    });
    group.finish();
}

/// A step of a walker on flat ground at 200 Hz, by rates.
fn walker(c: &mut Criterion) {
    let mut group = c.benchmark_group("control/walker");
    for formulation in [Formulation::LcpPgs, Formulation::ImplicitPenalty] {
        for who in Who::ALL {
            let mut walker = Walker::new(formulation, who);
            for _ in 0..400 {
                walker.step();
            }
            group.bench_function(format!("{}/{}", who.name(), formulation.name()), |b| {
                b.iter(|| walker.step())
            });
            assert!(walker.senses.pelvis_height() > 0.8, "it walks on");
        }
    }
    group.finish();
}

/// A step of characters that answer, senses and control included.
fn adaptive(c: &mut Criterion) {
    let mut group = c.benchmark_group("control/adaptive");
    for (name, number, simulated) in [
        ("undisturbed", 1, None),
        ("undisturbed-ten", 10, None),
        ("quarter", 1, Some(3)),
        ("all", 1, Some(usize::MAX)),
        ("all-of-one-in-ten", 10, Some(usize::MAX)),
    ] {
        let mut crowd = Crowd::new(number, simulated);
        (0..60).for_each(|_| crowd.step());
        group.bench_function(name, |b| b.iter(|| crowd.step()));
        assert_eq!(crowd.simulated().0 > 0, simulated.is_some(), "{name}");
    }
    group.finish();
}

criterion_group!(benches, dynamo, game, walker, adaptive);
criterion_main!(benches);
