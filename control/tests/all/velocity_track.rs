//! A recorded walk by rates: it is followed, calmly, and falls without the root's aid; servos follow it too.

use std::sync::Arc;

use stuntlab_control::dynamo::{Balance, WeakSpring};
use stuntlab_control::reference::ClipReference;
use stuntlab_control::velocity::track::{Track, TrackOptions};
use stuntlab_control::velocity::{Muscles, Servos};
use stuntlab_control::{Controller, Sense, Senses};
use stuntlab_mocap::character::{Character, CharacterOptions, Physique};
use stuntlab_mocap::footing::set_feet;
use stuntlab_mocap::library;
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::Transform;
use stuntlab_physics::{Actuation, Data, Model, ShapeSpec, State, StepOptions, advance, observe};

/// Follows the library's walk for so many seconds: how high the pelvis is at the end, of how high it should be, and how far it came, m.
fn follow(options: TrackOptions, seconds: f64) -> (f64, f64) {
    let clip = library::clip("walk").expect("it is in the library");
    let figure = Arc::new(Character::build(clip.skeleton(), &CharacterOptions::default()).expect("a body").0);
    let clip = set_feet(&clip, &figure, true).clip;
    let mut builder = Model::builder().fixture(ShapeSpec::new(Shape::Plane)).self_collision(false);
    figure.append_to(&mut builder, "", Transform::IDENTITY);
    let model = builder.build().expect("a figure on a plane");
    let reference = ClipReference::new(figure.clone(), &clip, true);
    let mut state: State = reference.state_at(0.0);
    let bodies = model.body_ids();
    let (mut data, mut act) = (Data::new(&model), Actuation::new(&model));
    let mut senses = Senses::new(&model, bodies, Arc::new(Physique::of(&figure)));
    let mut track = Track::new(figure.shared_model(), &model, bodies, Box::new(reference), options);
    let step = StepOptions::at_rate(200.0);
    observe(&model, &state, &mut data, &step);
    senses.look(&model, &state, &data);
    let (height, from) = (senses.pelvis_height(), senses.center_of_mass());
    while state.time < seconds {
        act.clear();
        track.act(&Sense::new(&model, &state, &data, step.dt, &senses), &mut act);
        advance(&model, &mut state, &mut data, &act, &step).expect("a sound step");
        observe(&model, &state, &mut data, &step);
        senses.look(&model, &state, &data);
    }
    let way = senses.center_of_mass() - from;
    (senses.pelvis_height() / height, way.truncate().length())
}

fn options(muscles: Muscles, balance: Balance) -> TrackOptions {
    TrackOptions { muscles, floor: 0.1, firmness: 5.0, balance }
}

#[test]
fn a_walk_is_followed_by_rates_and_by_servos() {
    let aid = Balance::WeakSpring(WeakSpring::default());
    let servos = Muscles { servos: Some(Servos::default()), ..Muscles::default() };
    for muscles in [Muscles::default(), servos] {
        let (height, way) = follow(options(muscles, aid), 2.0);
        assert!(height > 0.9 && way > 1.5, "{muscles:?}: {height} {way}");
    }
}

#[test]
fn without_the_aid_of_the_root_it_falls() {
    let (height, _) = follow(options(Muscles::default(), Balance::Unpowered), 3.0);
    assert!(height < 0.6, "{height}");
}

#[test]
fn without_strength_it_falls() {
    let weak = Muscles { strength: 0.02, ..Muscles::default() };
    let (height, _) = follow(options(weak, Balance::WeakSpring(WeakSpring::default())), 2.0);
    assert!(height < 0.6, "{height}");
}
