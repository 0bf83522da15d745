//! Dynamo on a body built from the library's skeleton, tracking the library's clips on flat ground.

use std::sync::Arc;

use stuntlab_control::dynamo::{Application, Balance, Dynamo, DynamoOptions, Frame, Space, WeakSpring};
use stuntlab_control::reference::{ClipReference, Reference};
use stuntlab_control::{Controller, Sense, Senses};
use stuntlab_mocap::character::{Character, CharacterOptions, Physique};
use stuntlab_mocap::library;
use stuntlab_physics::dynamics::centroidal_momentum;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::Transform;
use stuntlab_physics::{Actuation, Data, Model, ShapeSpec, State, StepOptions, advance, observe};

struct Outcome {
    /// Mean bone error over the last half, rad.
    error: f64,
    /// Pelvis height at the end over that of standing.
    height: f64,
}

fn run(clip: &str, cyclic: bool, seconds: f64, options: DynamoOptions, push: DVec3) -> Outcome {
    let (character, _) = Character::build(&library::skeleton(), &CharacterOptions::default())
        .expect("the library skeleton is a body");
    let character = Arc::new(character);
    let clip = library::clip(clip).expect("it is in the library");
    let mut builder = Model::builder().fixture(ShapeSpec::new(Shape::Plane));
    character.append_to(&mut builder, "", Transform::IDENTITY);
    let model = builder.build().expect("a valid scene");
    let mut reference = ClipReference::new(character.clone(), &clip, cyclic);
    let mut state = State::new(&model);
    reference.write(0.0, &mut state.q);
    let mut dynamo = Dynamo::new(character.model().clone(), reference.boxed_clone(), options);
    let (mut data, mut act) = (Data::new(&model), Actuation::new(&model));
    let mut senses = Senses::new(&model, model.body_ids(), Physique::of(&character).into());
    let opt = StepOptions::at_rate(120.0);
    let steps = (seconds * 120.0) as usize;
    let (mut error, mut samples) = (0.0, 0.0);
    for k in 0..steps {
        observe(&model, &state, &mut data, &opt);
        act.clear();
        senses.look(&model, &state, &data);
        let sense = Sense::new(&model, &state, &data, opt.dt, &senses);
        dynamo.act(&sense, &mut act);
        if k * 2 > steps {
            error += dynamo.error();
            samples += 1.0;
        }
        if (k as f64 * opt.dt - 1.0).abs() < 0.05 {
            act.body_force[0].linear += push;
        }
        advance(&model, &mut state, &mut data, &act, &opt).expect("a finite step");
    }
    observe(&model, &state, &mut data, &opt);
    let height = data.position.world_from_body[0].translation.z / character.root_height();
    Outcome { error: error / samples, height }
}

#[test]
fn the_weak_spring_stands_through_a_small_push() {
    let out = run("idle", true, 4.0, DynamoOptions::default(), DVec3::new(200.0, 0.0, 0.0));
    assert!(out.height > 0.95, "height {}", out.height);
    assert!(out.error < 0.15, "error {}", out.error);
}

#[test]
fn without_a_root_spring_it_falls_when_pushed() {
    // Four seconds until the waist held the pelvis: then it was at 0.7 m and on its way.
    let options = DynamoOptions { balance: Balance::Unpowered, ..DynamoOptions::default() };
    let out = run("idle", true, 6.0, options, DVec3::new(400.0, 0.0, 0.0));
    assert!(out.height < 0.6, "height {}", out.height);
}

#[test]
fn the_meathook_stands_through_a_strong_push() {
    let options = DynamoOptions { balance: Balance::Meathook, ..DynamoOptions::default() };
    let out = run("idle", true, 4.0, options, DVec3::new(900.0, 0.0, 0.0));
    assert!(out.height > 0.9, "height {}", out.height);
}

#[test]
fn clips_are_tracked_in_world_space() {
    for (clip, cyclic, seconds) in [("guard", true, 3.0), ("jab", false, 1.5), ("wave", false, 2.0)] {
        let out = run(clip, cyclic, seconds, DynamoOptions::default(), DVec3::ZERO);
        assert!(out.error < 0.15 && out.height > 0.8, "{clip}: error {} height {}", out.error, out.height);
    }
}

#[test]
fn every_law_holds_a_pose() {
    let applications =
        [Application::External, Application::Internal, Application::FullyInternal, Application::Partly(0.5)];
    for (space, application) in
        [Space::World, Space::Parent].into_iter().flat_map(|s| applications.map(|a| (s, a)))
    {
        let balance = Balance::WeakSpring(WeakSpring { breaking: 1e9, ..WeakSpring::default() });
        let options = DynamoOptions { space, application, balance, ..DynamoOptions::default() };
        let out = run("idle", true, 3.0, options, DVec3::ZERO);
        assert!(
            out.error < 0.15 && out.height > 0.9,
            "{space:?} {application:?}: error {} height {}",
            out.error,
            out.height
        );
    }
}

/// Whirls a figure's limbs far from everything, without gravity and without its root's spring; its spin about its centre of mass
/// afterwards, N m s.
fn spin_in_space(space: Space, application: Application) -> f64 {
    let (character, _) = Character::build(&library::skeleton(), &CharacterOptions::default())
        .expect("the library skeleton is a body");
    let character = Arc::new(character);
    let mut builder = Model::builder().gravity(DVec3::ZERO);
    character.append_to(&mut builder, "", Transform::IDENTITY);
    let model = builder.build().expect("a valid scene");
    let clip = library::clip("jab").expect("it is in the library");
    let reference = ClipReference::new(character.clone(), &clip, false);
    let options = DynamoOptions {
        space,
        application,
        balance: Balance::Unpowered,
        yaw_limit: 0.0,
        frame: Frame::Egocentric,
        ..DynamoOptions::default()
    };
    let mut dynamo = Dynamo::new(character.model().clone(), Box::new(reference), options);
    let (mut state, mut data, mut act) = (State::new(&model), Data::new(&model), Actuation::new(&model));
    let mut senses = Senses::new(&model, model.body_ids(), Physique::of(&character).into());
    let opt = StepOptions::at_rate(480.0);
    for _ in 0..240 {
        observe(&model, &state, &mut data, &opt);
        act.clear();
        senses.look(&model, &state, &data);
        dynamo.act(&Sense::new(&model, &state, &data, opt.dt, &senses), &mut act);
        advance(&model, &mut state, &mut data, &act, &opt).expect("a finite step");
    }
    observe(&model, &state, &mut data, &opt);
    centroidal_momentum(&model, &data).angular.length()
}

#[test]
fn torques_from_within_do_not_spin_the_body_as_a_whole() {
    for space in [Space::World, Space::Parent] {
        let outside = spin_in_space(space, Application::External);
        let inside = spin_in_space(space, Application::Internal);
        assert!(outside > 0.1, "{space:?}: from outside it spins by {outside}");
        assert!(inside < 0.01 * outside, "{space:?}: from within by {inside}, from outside by {outside}");
    }
}
