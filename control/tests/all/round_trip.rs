//! Round trips and standing: what is promised of switches, balance and search, on the library's figure.

use std::sync::Arc;

use crate::stage::trip::{begin, figure, motion, stage, step, trip};
use crate::stage::{GRAVITY, Stage};
use proptest::prelude::*;
use stuntlab_control::Controller;
use stuntlab_control::reference::{ClipReference, Reference};
use stuntlab_control::round_trip::clips::Ways;
use stuntlab_control::round_trip::{Cause, Phase, RoundTrip, RoundTripOptions};
use stuntlab_control::stand::{Stand, StandOptions, Standing, Sway};
use stuntlab_mocap::character::Physique;
use stuntlab_mocap::library;
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::random::Random;
use stuntlab_physics::spatial::Transform;
use stuntlab_physics::{Actuation, ModelBuilder, ShapeSpec, State, StepOptions};

/// Height of a flight of six steps up along x, with a landing, over level ground.
fn stairs_at(x: f64) -> f64 {
    if !(0.0..=3.28).contains(&x) { 0.0 } else { 0.17 * ((x / 0.28).floor() + 1.0).min(6.0) }
}

/// The library's figure on top of them, about to go down.
fn on_stairs() -> (Stage, Arc<stuntlab_physics::Model>) {
    let figure = figure();
    let turn = stuntlab_physics::glam::DMat3::from_rotation_z(std::f64::consts::PI);
    let place = Transform { translation: DVec3::new(2.0, 0.0, 1.02), rotation: turn };
    let mut builder = ModelBuilder::new().gravity(GRAVITY);
    builder.append("", figure.model(), place);
    let alone = builder.clone().build().expect("a figure");
    builder.push_fixture(ShapeSpec::new(Shape::Plane));
    for k in 0..6 {
        let (x, height) = (0.28 * f64::from(k), 0.17 * f64::from(k + 1));
        let half = 0.5 * DVec3::new(if k == 5 { 1.88 } else { 0.28 }, 3.0, height);
        let center = Transform::from_translation(DVec3::new(x + half.x, 0.0, half.z));
        builder.push_fixture(ShapeSpec::new(Shape::Box { half_extents: half, rounding: 0.0 }).placed(center));
    }
    let model = builder.build().expect("a figure on stairs");
    (Stage::with(model, Physique::of(&figure), StepOptions::at_rate(120.0)), Arc::new(alone))
}

/// Shoved down the stairs: how deep any joint is in them while a clip is played back, at worst, and where the pelvis is at the end.
fn down_the_stairs(level: bool) -> (f64, DVec3, Phase) {
    let (mut stage, own) = on_stairs();
    let mut trip = trip(own, "idle", RoundTripOptions { level, ..RoundTripOptions::default() });
    begin(&mut stage, "idle");
    let mut deepest = 0.0_f64;
    for k in 0..1800 {
        let force = if (120..138).contains(&k) { DVec3::X * (-140.0 / 0.15) } else { DVec3::ZERO };
        step(&mut stage, &mut trip, "torso", force);
        if trip.phase() == Phase::Playing {
            for body in 0..stage.model.n_bodies() {
                let at = stage.place(body);
                deepest = deepest.max(stairs_at(at.x) - at.z);
            }
        }
    }
    (deepest, stage.place(0), trip.phase())
}

#[test]
fn it_gets_up_where_the_ground_is_level() {
    let (deepest, pelvis, phase) = down_the_stairs(true);
    // A limb dips into the floor by 5 cm in the blend, which knows no ground.
    assert!(deepest < 0.06, "{deepest} m inside the stairs");
    assert!(phase == Phase::Playing && pelvis.x < 0.0 && pelvis.z > 0.8, "{phase:?} {pelvis}");
    let (deepest, ..) = down_the_stairs(false);
    assert!(deepest > 0.1, "as it lies it gets up inside them: {deepest} m");
}

#[test]
fn undisturbed_it_is_its_motion() {
    let (mut stage, own) = stage(0.0);
    let mut trip = trip(own.clone(), "walk", RoundTripOptions::default());
    begin(&mut stage, "walk");
    for _ in 0..300 {
        step(&mut stage, &mut trip, "pelvis", DVec3::ZERO);
    }
    let mut wanted = State::new(&own);
    motion("walk").write(stage.state.time, &mut wanted.q);
    let mut way = vec![0.0; own.n_v()];
    stage.state.difference(&own, &wanted, &mut way);
    assert!(way.iter().all(|w| w.abs() < 1e-9), "{way:?}");
    assert_eq!(trip.readings().get("trip-switches"), Some(0.0));
}

#[test]
fn a_switch_touches_no_position_and_no_velocity_and_says_why() {
    let (mut stage, own) = stage(0.0);
    let mut trip = trip(own, "walk", RoundTripOptions::default());
    begin(&mut stage, "walk");
    for _ in 0..100 {
        step(&mut stage, &mut trip, "pelvis", DVec3::ZERO);
    }
    // A command, and nothing that pushes: simulation goes on with the state there is.
    trip.command("let-go", 1.0).expect("a command");
    let before = stage.state.clone();
    let mut act = Actuation::new(&stage.model);
    trip.act(&stage.sense(), &mut act);
    assert_eq!((trip.cause(), before), (Cause::Command, stage.state.clone()));
    assert!(matches!(trip.phase(), Phase::Reacting { .. }));
    assert!(act.prescribed.iter().all(|p| !p));
    // A push is noticed in the step in which it acts, before it moves anything.
    let (mut stage, own) = self::stage(0.0);
    let mut trip = self::trip(own, "idle", RoundTripOptions::default());
    begin(&mut stage, "idle");
    step(&mut stage, &mut trip, "torso", DVec3::ZERO);
    step(&mut stage, &mut trip, "torso", DVec3::X * 300.0);
    assert_eq!(trip.cause(), Cause::Push);
    assert!(stage.senses.velocity().x > 0.0);
}

/// Hits one who stands and says where the pelvis is when it is over, and what it was about.
fn shoved(turn: f64, force: DVec3, seconds: f64) -> (DVec3, Vec<f64>) {
    let (mut stage, own) = stage(turn);
    let mut trip = trip(own, "idle", RoundTripOptions::default());
    begin(&mut stage, "idle");
    let mut phases = Vec::new();
    for k in 0..(seconds * 120.0) as usize {
        let push = if (30..42).contains(&k) { DQuat::from_rotation_z(turn) * force } else { DVec3::ZERO };
        step(&mut stage, &mut trip, "torso", push);
        let phase = trip.readings().get("trip-phase").expect("published");
        if phases.last() != Some(&phase) {
            phases.push(phase);
        }
    }
    (DQuat::from_rotation_z(-turn) * stage.place(0), phases)
}

#[test]
fn turned_by_any_yaw_the_answer_is_the_same() {
    // Before the ground is struck: what tumbles magnifies rounding.
    let (straight, phases) = shoved(0.0, DVec3::new(-350.0, 60.0, 0.0), 1.0);
    for turn in [0.7, 2.4, -1.9] {
        let (turned, same) = shoved(turn, DVec3::new(-350.0, 60.0, 0.0), 1.0);
        assert!(turned.distance(straight) < 1e-6, "{turned} {straight}");
        assert_eq!(same, phases);
    }
}

/// Hits one who stands in a motion or in its mirror image; where the pelvis is, mirrored back, and what it was about.
fn shoved_in(clip: &stuntlab_mocap::Clip, side: f64, force: DVec3, seconds: f64) -> (DVec3, Vec<f64>) {
    let (mut stage, own) = stage(0.0);
    let figure = figure();
    let ways = Ways::of(&figure).expect("its own clips");
    let motion = ClipReference::new(figure.clone(), clip, true);
    let start = motion.clone().state_at(0.0);
    let options = RoundTripOptions::default();
    let mut trip =
        RoundTrip::new(own, ways, &Physique::of(&figure), Box::new(motion), options).expect("a biped");
    (stage.state.q, stage.state.v) = (start.q, start.v);
    stage.look();
    let mut phases = Vec::new();
    for k in 0..(seconds * 120.0) as usize {
        let push = if (30..42).contains(&k) { force * DVec3::new(1.0, side, 1.0) } else { DVec3::ZERO };
        step(&mut stage, &mut trip, "torso", push);
        let phase = trip.readings().get("trip-phase").expect("published");
        if phases.last() != Some(&phase) {
            phases.push(phase);
        }
    }
    (stage.place(0) * DVec3::new(1.0, side, 1.0), phases)
}

#[test]
fn a_mirrored_hit_has_the_mirrored_answer() {
    let clip = library::clip("idle").expect("in the library");
    let mirrored = stuntlab_mocap::edit::mirror(&clip);
    for force in [DVec3::new(-350.0, 90.0, 0.0), DVec3::new(120.0, 420.0, 0.0), DVec3::new(300.0, -60.0, 0.0)]
    {
        let (one, phases) = shoved_in(&clip, 1.0, force, 1.0);
        let (other, same) = shoved_in(&mirrored, -1.0, force, 1.0);
        assert_eq!(phases, same);
        // The solver takes left before right: it ends by a residual, not at the same digits.
        assert!(one.distance(other) < 1e-3, "{one} {other}");
    }
}

#[test]
fn a_shove_that_fells_ends_in_the_motion_again() {
    let (_, phases) = shoved(0.0, DVec3::new(-1200.0, 0.0, 0.0), 10.0);
    assert_eq!(phases.first(), Some(&0.0));
    assert_eq!(phases.last(), Some(&0.0), "{phases:?}");
    assert!(phases.contains(&2.0), "{phases:?}");
}

#[test]
fn pushes_of_the_prototype_are_stood_in_twenty_of_twenty_phases() {
    let figure = figure();
    let pushes = [
        ("pelvis", DVec3::new(36.0, 0.0, 0.0)),
        ("pelvis", DVec3::new(-24.0, 0.0, 0.0)),
        ("pelvis", DVec3::new(0.0, 22.0, 0.0)),
        ("torso", DVec3::new(26.0, 0.0, 0.0)),
        ("torso", DVec3::new(-17.0, 0.0, 0.0)),
        ("torso", DVec3::new(0.0, 17.0, 0.0)),
    ];
    // Ankles alone; and a quarter more with hips and arms, but for the push forward at the pelvis, of which they stand 6 of 20.
    for (factor, sway, from) in [(1.0, Sway::NONE, 0), (1.25, Sway::default(), 1)] {
        let mut fallen = Vec::new();
        for seed in 0..20 {
            let start = Random::named(seed, "pushes").between(0.3, 2.3);
            for (body, impulse) in pushes.into_iter().skip(from) {
                let (mut stage, own) = stage(0.0);
                let options = StandOptions { sway, ..StandOptions::default() };
                let stand = Stand::new(own, &Physique::of(&figure), options).expect("a biped");
                let mut standing = Standing::new(stand, Box::new(motion("idle")));
                begin(&mut stage, "idle");
                while stage.state.time < start + 2.5 {
                    let acts = (start..start + 0.2).contains(&stage.state.time);
                    let force = if acts { factor * impulse / 0.2 } else { DVec3::ZERO };
                    step(&mut stage, &mut standing, body, force);
                }
                if stage.senses.pelvis_height() < 0.85 || stage.senses.velocity().length() > 0.2 {
                    fallen.push((seed, body, impulse));
                }
            }
        }
        assert!(fallen.is_empty(), "times {factor}: {fallen:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.min(8), ..ProptestConfig::default() })]
    /// Docking forces are aids of at most half the weight, and there are none elsewhere.
    #[test]
    fn aids_are_bounded_and_only_there_while_it_docks(angle in 0.0..6.2_f64, size in 400.0..1500.0_f64) {
        let (mut stage, own) = stage(0.0);
        let mut trip = trip(own, "idle", RoundTripOptions::default());
        begin(&mut stage, "idle");
        let force = DVec3::new(angle.cos(), angle.sin(), 0.0) * size;
        for k in 0..720 {
            step(&mut stage, &mut trip, "torso", if (30..42).contains(&k) { force } else { DVec3::ZERO });
            let docking = trip.readings().get("docking").expect("published");
            let docks = matches!(trip.phase(), Phase::Docking { .. } | Phase::Crawling { .. });
            prop_assert!(docking <= 0.5 && (docks || docking == 0.0), "{docking} {:?}", trip.phase());
            let pulled = !stage.act.implicit.is_empty();
            prop_assert!(docks || !pulled);
        }
    }
}
