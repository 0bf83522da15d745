//! Islands know nothing of each other: what is far away changes no bit of a step.
//!
//! A step that has to be taken in halves, or that goes on with what it has, is so for all of the forest: up to there.

use proptest::prelude::*;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::Transform;
use stuntlab_physics::{Actuation, Model, advance, observe};
use stuntlab_tests::soak::Case;
use stuntlab_tests::world::World;

/// How far away, m: beyond what anything reaches.
const FAR: DVec3 = DVec3::new(1e4, 0.0, 0.0);
/// Steps looked at.
const STEPS: usize = 40;

/// A forest and, after it, another one far away; some of the joints there are prescribed.
fn with_another(near: &World, case: &Case, far: &World, parked: u64) -> World {
    let mut builder = Model::builder().gravity(near.model.gravity());
    case.ground.iter().for_each(|shape| builder.push_fixture(shape.clone()));
    builder.append("", &near.model, Transform::IDENTITY);
    builder.append("far ", &far.model, Transform::from_translation(FAR));
    let mut world = World::new(builder.build().expect("two forests"), near.options);
    let (near_state, far_state) = (&near.state, &far.state);
    world.state.q.copy_from_slice(&[&near_state.q[..], &far_state.q[..]].concat());
    world.state.v.copy_from_slice(&[&near_state.v[..], &far_state.v[..]].concat());
    let Actuation { servo, motors, pins, prescribed, .. } = &mut world.act;
    let both = |a: &[f64], b: &[f64]| [a, b].concat();
    let (own, other) = (&near.act.servo, &far.act.servo);
    servo.target_q = both(&own.target_q, &other.target_q);
    servo.target_v = both(&own.target_v, &other.target_v);
    servo.stiffness = both(&own.stiffness, &other.stiffness);
    servo.damping = both(&own.damping, &other.damping);
    motors.clone_from(&near.act.motors);
    pins.clone_from(&near.act.pins);
    for (k, mark) in prescribed[near.model.n_bodies()..].iter_mut().enumerate() {
        *mark = parked >> (k % 64) & 1 == 1;
    }
    world
}

/// One step; whether it went well, and island by island.
fn step(world: &mut World) -> bool {
    let World { model, state, data, act, options } = world;
    observe(model, state, data, options);
    advance(model, state, data, act, options)
        .is_ok_and(|report| report.substeps == 1 && !report.solve.cut_short)
}

/// Fails at the first step that differs.
fn check(seed: u64, far_seed: u64, parked: u64) -> Result<(), TestCaseError> {
    let case = Case::of(seed);
    let (Ok(mut near), Ok(far)) = (case.world(), Case::of(far_seed).world()) else { return Ok(()) };
    let mut both = with_another(&near, &case, &far, parked);
    let (n_q, n_v) = (near.state.q.len(), near.state.v.len());
    for k in 0..STEPS {
        if !(step(&mut near) && step(&mut both)) {
            break;
        }
        let at = format!("seeds {seed} and {far_seed} ({parked:x}), step {k}");
        prop_assert!(near.state.q[..] == both.state.q[..n_q], "{at}: places");
        prop_assert!(near.state.v[..] == both.state.v[..n_v], "{at}: velocities");
    }
    Ok(())
}

proptest! {
    #![proptest_config(stuntlab_tests::laws())]

    #[test]
    fn what_is_far_away_changes_no_bit(seed in any::<u64>(), far in any::<u64>(), parked in any::<u64>()) {
        check(seed, far, parked)?;
    }
}

/// Points of a pair were taken to be in the order of their features. Whether the search found one then hung on how many contacts
/// there were anywhere, and one that came through went into the problem beside itself.
#[test]
fn a_point_that_came_through_is_found_among_its_pair() {
    check(13_074_464_874_332_106_887, 12_149_895_436_240_346_286, 2_848_712_038_261_361_582)
        .expect("the same bits");
}
