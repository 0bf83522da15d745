//! Tracks clips with Dynamo on flat ground and prints how well it goes.
//!
//! `cargo run --release -p stuntlab-control --example track -- walk run shared/mocap/cmu/16_15.bvh`

use std::sync::Arc;

use stuntlab_control::dynamo::{Application, Balance, Dynamo, DynamoOptions, Space, WeakSpring};
use stuntlab_control::reference::{ClipReference, Reference};
use stuntlab_control::{Controller, Sense, Senses};
use stuntlab_mocap::Clip;
use stuntlab_mocap::bvh::Bvh;
use stuntlab_mocap::character::{Character, CharacterOptions, Physique};
use stuntlab_mocap::convert::{ImportOptions, import};
use stuntlab_mocap::library;
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::Transform;
use stuntlab_physics::{Actuation, Data, Model, ShapeSpec, State, StepOptions, advance, observe};

fn load(name: &str) -> Clip {
    if name.ends_with(".bvh") {
        let bytes = std::fs::read(name).expect("a readable file");
        let bvh = Bvh::parse(&bytes).expect("a BVH file");
        import(name, &bvh, &ImportOptions::default()).expect("a human skeleton").0
    } else {
        library::clip(name).expect("a clip of the library")
    }
}

fn worst(dynamo: &Dynamo, model: &Model) -> String {
    let error = &dynamo.targets().error;
    let mut all: Vec<_> = (1..error.len()).map(|i| (error[i].length(), model.bodies()[i].name())).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    all[..3].iter().map(|(e, n)| format!("{n} {e:.2}")).collect::<Vec<_>>().join(" ")
}

fn main() {
    let mut options = DynamoOptions::default();
    let mut verbose = false;
    let mut names = Vec::new();
    let mut rate = 120.0;
    let mut seconds = f64::INFINITY;
    let mut cyclic = false;
    for arg in std::env::args().skip(1) {
        let number = |a: &str| a.split_once('=').and_then(|x| x.1.parse::<f64>().ok()).expect("a number");
        match arg.split('=').next().unwrap_or_default() {
            "-v" => verbose = true,
            "w" => options.frequency = number(&arg),
            "z" => options.damping_ratio = number(&arg),
            "hz" => rate = number(&arg),
            "s" => seconds = number(&arg),
            "yaw" => options.yaw_limit = number(&arg),
            "cyclic" => cyclic = true,
            "meathook" => options.balance = Balance::Meathook,
            "none" => options.balance = Balance::Unpowered,
            "limit" => {
                options.balance = Balance::WeakSpring(WeakSpring {
                    limit: number(&arg),
                    breaking: 3.0 * number(&arg),
                    ..WeakSpring::default()
                })
            }
            "parent" => options.space = Space::Parent,
            "internal" => options.application = Application::Internal,
            _ => names.push(arg),
        }
    }
    for name in &names {
        let clip = load(name);
        let (character, _) = Character::build(clip.skeleton(), &CharacterOptions::default()).expect("a body");
        let character = Arc::new(character);
        let clip = if name.ends_with(".bvh") {
            let ready = stuntlab_mocap::edit::ready_to_play(&clip, character.sole_height(), 0);
            let ready = ready.expect("long enough");
            ready.notes.iter().for_each(|note| println!("{name}: {note}"));
            ready.clip
        } else {
            clip
        };
        let mut builder = Model::builder().self_collision(false).fixture(ShapeSpec::new(Shape::Plane));
        character.append_to(&mut builder, "", Transform::IDENTITY);
        let model = builder.build().expect("a valid scene");
        let mut reference = ClipReference::new(character.clone(), &clip, cyclic);
        let opt = StepOptions::at_rate(rate);
        let mut state = State::new(&model);
        reference.write(0.0, &mut state.q);
        let mut next = State::new(&model);
        reference.write(opt.dt, &mut next.q);
        let mut v = vec![0.0; model.n_v()];
        state.difference(&model, &next, &mut v);
        v.iter_mut().for_each(|x| *x /= opt.dt);
        state.v.copy_from_slice(&v);
        let mut dynamo = Dynamo::new(character.model().clone(), reference.boxed_clone(), options);
        let (mut data, mut act) = (Data::new(&model), Actuation::new(&model));
        let mut senses = Senses::new(&model, model.body_ids(), Physique::of(&character).into());
        let total = if cyclic { seconds } else { seconds.min(clip.duration()) };
        let steps = (total * rate) as usize;
        let (mut error, mut lowest) = (0.0, f64::INFINITY);
        let mut root_error = stuntlab_physics::glam::DVec3::ZERO;
        let mut ghost = State::new(&model);
        for k in 0..steps {
            observe(&model, &state, &mut data, &opt);
            act.clear();
            senses.look(&model, &state, &data);
            let sense = Sense::new(&model, &state, &data, opt.dt, &senses);
            dynamo.act(&sense, &mut act);
            let e = dynamo.error();
            error += e;
            root_error += dynamo.targets().error[0].powf(2.0);
            reference.write(k as f64 * opt.dt, &mut ghost.q);
            let z0 = character.root_height();
            let ratio = (state.q[2] + z0) / (ghost.q[2] + z0);
            lowest = f64::min(lowest, ratio);
            if verbose && k % (rate as usize / 10) == 0 {
                let root = data.position.world_from_body[0];
                println!(
                    "{:5.2} pos {:6.2} {:6.2} {:5.2} ref {:6.2} {:6.2} {:5.2} err {:.3} up {:.3} strength {:.2} cheat {:6.0} {:6.0} {:6.0} touch {} worst {}",
                    state.time,
                    state.q[0],
                    state.q[1],
                    state.q[2],
                    ghost.q[0],
                    ghost.q[1],
                    ghost.q[2],
                    e,
                    root.rotation.z_axis.z,
                    dynamo.strength(),
                    dynamo.cheat().x,
                    dynamo.cheat().y,
                    dynamo.cheat().z,
                    data.contact
                        .points
                        .iter()
                        .filter(|c| c.force.length() > 0.0)
                        .map(|c| model.bodies()[c.body_a].name())
                        .collect::<std::collections::BTreeSet<_>>()
                        .into_iter()
                        .collect::<Vec<_>>()
                        .join(","),
                    worst(&dynamo, &model),
                );
            }
            advance(&model, &mut state, &mut data, &act, &opt).expect("a finite step");
        }
        println!(
            "{name}: error {:.3} lowest {lowest:.2} of the reference's height, {} bones, root off by {:.3} rad",
            error / steps as f64,
            model.n_bodies(),
            (root_error / steps as f64).powf(0.5)
        );
    }
}
