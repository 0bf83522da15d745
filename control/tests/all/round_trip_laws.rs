//! Laws of round trips: what takes over begins with the body's own velocities, forces of docking end at the landmark, legs give what the ground is to press with, and
//! one who is still being hit tracks what it found without aids.

use crate::stage::trip::{begin, stage, step, trip};
use proptest::prelude::*;
use stuntlab_control::round_trip::dock::Dock;
use stuntlab_control::round_trip::{Phase, RoundTripOptions};
use stuntlab_control::stand::{Balance, Wanted};
use stuntlab_control::{Controller, Sense};
use stuntlab_mocap::Side;
use stuntlab_mocap::character::Part;
use stuntlab_physics::dynamics::{forward_kinematics, forward_velocity};
use stuntlab_physics::glam::{DVec2, DVec3};
use stuntlab_physics::{Actuation, Data, State, StepOptions};

/// A step so short that nothing but a jump changes a velocity within it by more than a millionth, s.
const SHORT: f64 = 1e-8;

/// A rate at which a short step takes the decisions of the step that is about to be taken: looks, thirty a second, fall on whole steps, and the quiet after a hit, 0.02 s, is three of them.
/// At 120 a second a hit was over between two steps, and looks were a step late by how the time was rounded: a short step saw neither.
const RATE: f64 = 150.0;
/// Where the clock begins, s: later than the rounding of a sum of steps, so that a look is never a step late.
const BEGIN: f64 = 0.1 * SHORT;

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.min(6), ..ProptestConfig::default() })]
    /// Acceptance: switches keep positions and velocities. Nobody but the step changes the state; what is told in the first step of a recording are the velocities there are, feet
    /// that stay where they stand included.
    #[test]
    fn what_takes_over_goes_on_as_fast_as_the_body_is(angle in 0.0..6.2_f64, size in 300.0..900.0_f64, walks in any::<bool>()) {
        let (mut stage, own) = stage(0.0);
        let clip = if walks { "walk" } else { "idle" };
        let mut trip = trip(own, clip, RoundTripOptions::default());
        begin(&mut stage, clip);
        stage.options = StepOptions::at_rate(RATE);
        stage.state.time = BEGIN;
        let force = DVec3::new(angle.cos(), angle.sin(), 0.0) * size;
        let mut switches = 0;
        while stage.state.time < 7.5 {
            if !matches!(trip.phase(), Phase::Playing) {
                let mut next = trip.clone();
                let sense = Sense::new(&stage.model, &stage.state, &stage.data, SHORT, &stage.senses);
                let mut act = Actuation::new(&stage.model);
                next.act(&sense, &mut act);
                if next.phase() == Phase::Playing {
                    switches += 1;
                    prop_assert!(act.prescribed.iter().all(|p| *p));
                    for (told, is) in act.prescribed_velocity.iter().zip(&stage.state.v) {
                        // Coordinates are rounded to 1e-16 of a metre or a turn: divided by the step.
                        prop_assert!((told - is).abs() < 1e-5, "{told} {is}");
                    }
                }
            }
            let pushes = (0.25..0.35).contains(&stage.state.time);
            step(&mut stage, &mut trip, "torso", if pushes { force } else { DVec3::ZERO });
        }
        prop_assert!(switches > 0 || !matches!(trip.phase(), Phase::Playing));
    }

    /// Acceptance: docking force bounded and zero at the landmark, as it is written for a whole body.
    #[test]
    fn a_body_at_its_landmarks_is_not_pulled(
        rates in prop::collection::vec(-2.0..2.0_f64, 120), off in prop::array::uniform3(-1.0..1.0_f64), since in 0.0..1.0_f64,
    ) {
        let (mut stage, own) = stage(0.0);
        begin(&mut stage, "walk");
        let n = own.n_v();
        stage.state.v.copy_from_slice(&rates[..n]);
        stage.look();
        let (mut wanted, mut data) = (State::new(&own), Data::new(&own));
        wanted.q.copy_from_slice(&stage.state.q);
        wanted.v.copy_from_slice(&stage.state.v);
        let mut look = |wanted: &State| {
            forward_kinematics(&own, wanted, &mut data);
            forward_velocity(&own, wanted, &mut data);
            let mut act = Actuation::new(&stage.model);
            let sum = Dock::default().act(&stage.sense(), &own, &data, since, &mut act);
            (sum, act)
        };
        let weight = stage.senses.mass() * 9.81;
        let (sum, _) = look(&wanted);
        prop_assert!(sum < 1e-9 * weight, "{sum}");
        // Anywhere else it is, and is bounded.
        for (q, way) in wanted.q.iter_mut().zip(off) {
            *q += way;
        }
        let (sum, act) = look(&wanted);
        prop_assert!(sum <= 0.45 * weight * (1.0 + 1e-12));
        prop_assert!(since == 0.0 || sum > 0.0);
        let told: DVec3 = act.body_force.iter().map(|f| f.linear).sum();
        prop_assert!(told.length() <= 0.45 * weight * (1.0 + 1e-12));
    }

    /// Acceptance: balance torques sum to the wanted force. Whatever the joints of the legs do with the pelvis held, their torques do the work of the ground's forces
    /// on the soles, and these are the weight through the centre of mass, pressed where it was wanted.
    #[test]
    fn torques_of_the_legs_are_the_force_that_was_wanted(
        turns in prop::collection::vec(-0.15..0.15_f64, 12), rates in prop::collection::vec(-1.0..1.0_f64, 120),
        goal in prop::array::uniform2(-0.03..0.03_f64), speed in prop::array::uniform2(-0.1..0.1_f64), strength in 0.3..1.5_f64,
    ) {
        let (mut stage, own) = stage(0.4);
        begin(&mut stage, "idle");
        // On its feet for a moment, so that they have felt the ground, then with legs as they come.
        let mut stand = trip(own.clone(), "idle", RoundTripOptions::default());
        stand.command("let-go", 1.0).expect("a command");
        for _ in 0..20 {
            step(&mut stage, &mut stand, "pelvis", DVec3::ZERO);
        }
        let legs: Vec<_> = stage.physique.parts().iter().enumerate()
            .filter(|(_, part)| matches!(part, Some(Part::Thigh(_) | Part::Shank(_) | Part::Foot(_))))
            .map(|(k, _)| own.body_ids().at(k))
            .collect();
        let mut way = vec![0.0; own.n_v()];
        for (body, turn) in legs.iter().zip(&turns) {
            way[own.body(*body).freedoms().range().start] = *turn;
        }
        stage.state.integrate(&own, &way, 1.0);
        stage.state.v.fill(0.0);
        (stage.state.v[3], stage.state.v[4]) = (speed[0], speed[1]);
        stage.look();
        let physique = stage.physique.clone();
        let balance = Balance::new(&physique).expect("a biped");
        let sense = stage.sense();
        let foot = |side: Side| physique.parts().iter().position(|p| *p == Some(Part::Foot(side))).expect("a foot");
        let ankles = Side::BOTH.map(|side| stage.place(foot(side)));
        let middle = 0.5 * (ankles[0] + ankles[1]) + DVec2::from_array(goal).extend(0.9);
        let wanted = Wanted { ankles, center_of_mass: middle, heading: 0.4 };
        let (poise, presses) = balance.press(&sense, &wanted, strength);
        prop_assert!(poise.stands);
        let mut act = Actuation::new(&stage.model);
        balance.act(&sense, &wanted, strength, &mut act);
        // The forces: the weight, through the centre of mass.
        let whole: DVec3 = presses.iter().map(|p| p.force).sum();
        let weight = strength * sense.own.mass() * 9.81;
        prop_assert!((whole.z - weight).abs() < 1e-9 * weight, "{whole}");
        let at: DVec3 = presses.iter().map(|p| p.point * p.force.z).sum::<DVec3>() / weight;
        let arm = sense.own.center_of_mass() - at;
        prop_assert!((whole.truncate() - weight / arm.z * arm.truncate()).length() < 1e-9 * weight, "{whole} {arm}");
        // The torques: the pelvis held, the work of the joints is that of the ground, the other way round.
        let (mut moving, mut data) = (State::new(&own), Data::new(&own));
        moving.q.copy_from_slice(&stage.state.q);
        for body in &legs {
            for dof in own.body(*body).freedoms() {
                moving.v[dof.index()] = rates[dof.index()];
            }
        }
        forward_kinematics(&own, &moving, &mut data);
        forward_velocity(&own, &moving, &mut data);
        let joints: f64 = act.joint_force.iter().zip(&moving.v).map(|(f, v)| f * v).sum();
        let ground: f64 = Side::BOTH.into_iter().zip(presses)
            .map(|(side, p)| p.force.dot(data.point_velocity(own.body_ids().at(foot(side)), p.point)))
            .sum();
        prop_assert!((joints + ground).abs() < 1e-9 * weight, "{joints} {ground}");
        prop_assert!(ground.abs() > 0.0);
    }

    /// While the hit still acts what was found is tracked by joints alone; docking begins when it is over.
    #[test]
    fn who_is_still_being_hit_is_not_docked(angle in 0.0..6.2_f64, size in 150.0..400.0_f64, delay in 0.0..0.15_f64) {
        let (mut stage, own) = stage(0.0);
        let options = RoundTripOptions { delay, track: 1.0, ..RoundTripOptions::default() };
        let mut trip = trip(own, "walk", options);
        begin(&mut stage, "walk");
        let force = DVec3::new(angle.cos(), angle.sin(), 0.0) * size;
        for k in 0..120 {
            let hit = (30..60).contains(&k);
            step(&mut stage, &mut trip, "torso", if hit { force } else { DVec3::ZERO });
            if hit {
                prop_assert!(!matches!(trip.phase(), Phase::Docking { .. } | Phase::Playing), "{:?}", trip.phase());
                prop_assert_eq!(trip.readings().get("docking"), Some(0.0));
                let lasted = f64::from(k - 30) / 120.0;
                let tracks = matches!(trip.phase(), Phase::Tracking { .. });
                prop_assert!(lasted >= delay - 1e-9 || !tracks, "{lasted} {delay}");
            }
        }
    }
}

#[test]
fn what_was_found_is_tracked_while_the_hit_acts_in_some_walk() {
    let (mut stage, own) = stage(0.0);
    let options = RoundTripOptions { track: 1.0, ..RoundTripOptions::default() };
    let mut trip = trip(own, "walk", options);
    begin(&mut stage, "walk");
    let mut tracked = 0;
    for k in 0..90 {
        let force = if (30..60).contains(&k) { DVec3::Y * 150.0 } else { DVec3::ZERO };
        step(&mut stage, &mut trip, "torso", force);
        tracked += usize::from(matches!(trip.phase(), Phase::Tracking { .. }));
    }
    assert!(tracked >= 20, "{tracked} steps of 30");
}
