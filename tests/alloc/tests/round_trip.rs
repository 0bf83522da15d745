//! Silence of the heap: a character on a round trip, played back, hit, falling, settling, docking and back, allocates at most eight times in nine seconds (lists of the
//! actuation that grow once, it is thought; not traced); one that stands never.

use std::sync::Arc;

use stuntlab_alloc_test::{Counting, allocations};
use stuntlab_control::fighter::library_figure;
use stuntlab_control::reference::ClipReference;
use stuntlab_control::round_trip::clips::Ways;
use stuntlab_control::round_trip::{RoundTrip, RoundTripOptions};
use stuntlab_control::stand::{Stand, StandOptions, Standing};
use stuntlab_control::{Controller, Sense, Senses};
use stuntlab_mocap::character::Physique;
use stuntlab_mocap::library;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::{Force, Transform};
use stuntlab_physics::{
    Actuation, Data, Model, ModelBuilder, ShapeSpec, State, StepOptions, advance, observe,
};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Steps of a push.
const PUSH: std::ops::Range<usize> = 60..72;

/// Runs a controller from the start of its motion, pushed at the chest; allocations of all its steps, and what its reading said at most.
fn run(
    controller: &mut dyn Controller,
    start: State,
    own: &Model,
    force: f64,
    steps: usize,
    reading: &str,
) -> (usize, f64) {
    let figure = library_figure(false);
    let mut builder = ModelBuilder::new().gravity(DVec3::new(0.0, 0.0, -9.81));
    builder.append("", own, Transform::IDENTITY);
    builder.push_fixture(ShapeSpec::new(Shape::Plane));
    let model = builder.build().expect("a figure on a plane");
    let options = StepOptions::at_rate(120.0);
    let (mut state, mut data, mut act) = (start, Data::new(&model), Actuation::new(&model));
    let mut senses = Senses::new(&model, model.body_ids(), Arc::new(Physique::of(&figure)));
    let torso = model.find("torso").expect("a torso");
    let (mut counted, mut most) = (0, 0.0_f64);
    for k in 0..steps {
        observe(&model, &state, &mut data, &options);
        act.clear();
        if PUSH.contains(&k) {
            act.body_force[torso.index()] = Force::at_offset(DVec3::X * force, DVec3::ZERO);
        }
        senses.look(&model, &state, &data);
        senses.brace(&act, &data);
        counted += allocations(|| {
            controller.act(&Sense::new(&model, &state, &data, options.dt, &senses), &mut act);
        });
        most = most.max(controller.readings().get(reading).unwrap_or(0.0));
        advance(&model, &mut state, &mut data, &act, &options).expect("a sound step");
    }
    (counted, most)
}

#[test]
fn round_trips_and_standing_do_not_allocate() {
    let figure = library_figure(false);
    let own = Arc::new(figure.model().clone());
    let clip = library::clip("idle").expect("in the library");
    let motion = ClipReference::new(figure.clone(), &clip, true);
    let physique = Physique::of(&figure);
    let ways = Ways::of(&figure).expect("its own clips");
    // Lists of an actuation grow once: with a first trip.
    for force in [1200.0, -450.0] {
        let make = || {
            RoundTrip::new(
                own.clone(),
                ways.clone(),
                &physique,
                Box::new(motion.clone()),
                RoundTripOptions::default(),
            )
            .expect("a biped")
        };
        let (counted, switches) =
            run(&mut make(), motion.clone().state_at(0.0), &own, force, 1080, "trip-switches");
        assert!(switches >= 3.0, "{switches}");
        // What the actuation's list of forces from outside grows by, as the first docking fills it.
        assert!(counted <= 8, "{counted} allocations");
    }
    let stand = Stand::new(own.clone(), &physique, StandOptions::default()).expect("a biped");
    let mut standing = Standing::new(stand, Box::new(motion.clone()));
    let (counted, _) = run(&mut standing, motion.clone().state_at(0.0), &own, 150.0, 240, "sway");
    assert_eq!(counted, 0);
}
