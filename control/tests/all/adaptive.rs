//! Adaptive dynamics with hybrid response: exact where nothing disturbs it, local where a blow is, whole where a push goes on, back
//! within two seconds, and never with a jump.

use crate::stage::GRAVITY;
use crate::stage::adaptive::{Scene, figure};
use proptest::prelude::*;
use stuntlab_control::adaptive::AdaptiveOptions;
use stuntlab_control::adaptive::articulation::{PATIENCE, fading};
use stuntlab_control::adaptive::whole::{LEAST_REACH, Load, Whole, WholeOptions};
use stuntlab_control::reference::HeldPose;
use stuntlab_physics::State;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::Sym3;

#[test]
fn undisturbed_it_is_the_motion() {
    for clip in ["idle", "walk", "guard"] {
        let mut scene = Scene::new(clip, AdaptiveOptions::default());
        for _ in 0..300 {
            scene.step("pelvis", DVec3::ZERO);
            let mut wanted = State::new(&scene.stage.model);
            scene.reference.write(scene.stage.state.time, &mut wanted.q);
            let mut way = vec![0.0; wanted.v.len()];
            scene.stage.state.difference(&scene.stage.model, &wanted, &mut way);
            let off = way.iter().fold(0.0, |m, w| f64::max(m, w.abs()));
            assert!(off < 1e-12, "{clip} at {}: {off:e}", scene.stage.state.time);
        }
        assert_eq!(scene.reading("response"), 0.0);
    }
}

/// What a blow of 8 N s to each body makes dynamic, standing idle.
#[test]
fn a_blow_stays_in_the_limb_it_strikes() {
    const LEFT: [&str; 3] = ["luarm", "lfarm", "lhand"];
    const RIGHT: [&str; 3] = ["ruarm", "rfarm", "rhand"];
    const LEG: [&str; 3] = ["rthigh", "rshank", "rfoot"];
    // The left leg stands; it is played back, as the pelvis is.
    let table: [(&str, &[&str]); 16] = [
        ("pelvis", &[]),
        ("torso", &["waist", "torso"]),
        ("neck", &["neck"]),
        ("head", &["neck", "head"]),
        ("luarm", &["luarm"]),
        ("lfarm", &["luarm", "lfarm"]),
        ("lhand", &LEFT),
        ("ruarm", &["ruarm"]),
        ("rfarm", &["ruarm", "rfarm"]),
        ("rhand", &RIGHT),
        ("lthigh", &[]),
        ("lshank", &[]),
        ("lfoot", &[]),
        ("rthigh", &["rthigh"]),
        ("rshank", &LEG[..2]),
        ("rfoot", &LEG),
    ];
    for (struck, wanted) in table {
        let mut scene = Scene::new("idle", AdaptiveOptions::default());
        scene.run("pelvis", DVec3::ZERO, 0.2);
        let mut seen: Vec<String> = Vec::new();
        for k in 0..60 {
            // Two steps of 480 N.
            scene.step(struck, if k < 2 { DVec3::new(-480.0, 0.0, 0.0) } else { DVec3::ZERO });
            for name in scene.active() {
                if !seen.contains(&name) {
                    seen.push(name);
                }
            }
        }
        let unexpected: Vec<_> = seen.iter().filter(|n| !wanted.contains(&n.as_str())).collect();
        assert!(unexpected.is_empty(), "{struck}: {unexpected:?} too");
        assert!(wanted.is_empty() || !seen.is_empty(), "{struck}: nothing answers");
    }
}

#[test]
fn a_push_that_goes_on_reaches_the_trunk() {
    let mut scene = Scene::new("idle", AdaptiveOptions::default());
    scene.run("lfarm", DVec3::new(-60.0, 0.0, 0.0), 1.0);
    let active = scene.active();
    assert!(active.iter().any(|n| n == "torso" || n == "waist"), "{active:?}");
    assert!(active.iter().any(|n| n == "luarm"), "{active:?}");
}

#[test]
fn it_is_back_in_its_motion_within_two_seconds_and_exactly() {
    let hits =
        [("idle", "torso"), ("walk", "luarm"), ("guard", "rfarm"), ("idle", "lthigh"), ("fast-walk", "neck")];
    for (clip, body) in hits {
        let mut scene = Scene::new(clip, AdaptiveOptions::default());
        scene.run("pelvis", DVec3::ZERO, 0.5);
        scene.run(body, DVec3::new(-150.0, 90.0, 0.0), 0.08);
        scene.run("pelvis", DVec3::ZERO, 2.0);
        assert_eq!(scene.reading("response"), 0.0, "{clip} {body}");
        scene.step("pelvis", DVec3::ZERO);
        let off = scene.joints_off();
        assert!(off < 1e-12, "{clip} {body}: {off:e}");
    }
}

#[test]
fn nothing_jumps_at_any_switch() {
    let mut scene = Scene::new("idle", AdaptiveOptions::default());
    let n = scene.stage.state.v.len();
    let (mut before, mut way) = (scene.stage.state.clone(), vec![0.0; n]);
    let mut speeds: Vec<Vec<f64>> = Vec::new();
    for k in 0..360 {
        let pushed = (60..84).contains(&k);
        scene.step("torso", if pushed { DVec3::new(-120.0, 0.0, 0.0) } else { DVec3::ZERO });
        before.difference(&scene.stage.model, &scene.stage.state, &mut way);
        speeds.push(way.iter().map(|w| w.abs()).collect());
        before.clone_from(&scene.stage.state);
    }
    for dof in 0..n {
        for k in 2..speeds.len() - 2 {
            let around = [k - 2, k - 1, k + 1, k + 2].map(|i| speeds[i][dof]).into_iter().fold(0.0, f64::max);
            assert!(
                speeds[k][dof] <= 1.2 * around + 2e-4,
                "freedom {dof} at step {k}: {} of {around}",
                speeds[k][dof]
            );
        }
    }
}

#[test]
fn feet_that_stand_do_not_slide_and_a_hard_push_makes_it_step() {
    let mut scene = Scene::new("idle", AdaptiveOptions::default());
    scene.run("pelvis", DVec3::ZERO, 0.2);
    let feet = [scene.ankle("lfoot"), scene.ankle("rfoot")];
    // 12 N s: it sways on its feet.
    scene.run("torso", DVec3::new(60.0, 0.0, 0.0), 0.2);
    for _ in 0..240 {
        scene.step("pelvis", DVec3::ZERO);
        let slid =
            [scene.ankle("lfoot") - feet[0], scene.ankle("rfoot") - feet[1]].map(|d| d.truncate().length());
        assert!(slid.iter().all(|s| *s < 0.005), "{slid:?}");
    }
    assert_eq!(scene.reading("reactive-steps"), 0.0);
    // 40 N s from the front, where feet are short: it steps, is somewhere else, and goes on from there.
    scene.run("torso", DVec3::new(-200.0, 0.0, 0.0), 0.2);
    scene.run("pelvis", DVec3::ZERO, 4.0);
    assert!(scene.reading("reactive-steps") >= 2.0, "{}", scene.reading("reactive-steps"));
    assert_eq!(scene.reading("response"), 0.0);
    let way = scene.ankle("lfoot") - feet[0];
    assert!(way.x < -0.1, "{way}");
    assert!(scene.joints_off() < 1e-12);
}

#[test]
fn what_nobody_can_step_for_falls() {
    let mut scene = Scene::new("idle", AdaptiveOptions::default());
    scene.run("torso", DVec3::new(0.0, 900.0, 0.0), 0.2);
    scene.run("pelvis", DVec3::ZERO, 2.0);
    assert_eq!(scene.reading("response"), 2.0);
    assert!(scene.stage.senses.pelvis_height() < 0.5, "{}", scene.stage.senses.pelvis_height());
}

#[test]
fn what_is_dynamic_grows_slowly() {
    let mut scene = Scene::new("idle", AdaptiveOptions::default());
    let (mut active, mut grown) = (0, f64::NEG_INFINITY);
    for _ in 0..120 {
        let time = scene.stage.state.time;
        scene.step("lhand", DVec3::new(-80.0, 0.0, -20.0));
        let now = scene.active().len();
        if now > active {
            assert!(time - grown >= PATIENCE - 1e-9, "{now} joints {} s after {active}", time - grown);
            grown = time;
        }
        active = now;
    }
    assert!(active > 2);
}

/// Mirrored hits on a mirrored pose are answered in the mirror.
#[test]
fn a_mirrored_hit_has_a_mirrored_answer() {
    let run = |side: f64| {
        let figure = figure();
        let mut q = State::new(figure.model()).q;
        q[2] = figure.root_height();
        let mut scene =
            Scene::with(&figure, Box::new(HeldPose::new(q.clone())), &q, AdaptiveOptions::default());
        let arm = if side > 0.0 { "luarm" } else { "ruarm" };
        scene.run(arm, DVec3::new(-40.0, 30.0 * side, 0.0), 0.3);
        scene.run("pelvis", DVec3::ZERO, 0.3);
        let place = |name: &str| scene.ankle(name);
        [place("head"), place(if side > 0.0 { "lfarm" } else { "rfarm" }), place("pelvis")]
    };
    let (left, right) = (run(1.0), run(-1.0));
    for (l, r) in left.iter().zip(right) {
        assert!((DVec3::new(l.x, -l.y, l.z) - r).length() < 2e-3, "{l} {r}");
    }
}

fn vector(size: f64) -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(-size..size).prop_map(DVec3::from_array)
}

fn load(force: DVec3, moment: DVec3, acceleration: DVec3, reach: f64) -> Load {
    Load {
        force,
        moment,
        acceleration,
        reach,
        height: 1.0,
        home: DVec3::ZERO,
        mass: 60.0,
        inertia: Sym3::diagonal(9.0, 8.0, 1.5),
        gravity: GRAVITY,
        dt: 1.0 / 120.0,
    }
}

proptest! {
    /// Whatever the motion asks of the ground, it moves nobody away from the motion.
    #[test]
    fn a_motion_that_asks_too_much_is_no_disturbance(acceleration in vector(30.0), reach in 0.0..0.3_f64) {
        let options = WholeOptions::default();
        let load = load(DVec3::ZERO, DVec3::ZERO, acceleration, reach);
        let mut whole = Whole::default();
        for k in 0..120 {
            whole.step(&options, &load, true, f64::from(k) * load.dt);
        }
        prop_assert_eq!(whole.posture(), (DVec3::ZERO, DVec3::ZERO));
    }

    #[test]
    fn the_ground_gives_no_more_than_it_can(force in vector(3000.0), acceleration in vector(15.0), reach in 0.0..0.3_f64) {
        let options = WholeOptions::default();
        let load = load(DVec3::ZERO, DVec3::ZERO, acceleration, reach);
        let ground = Whole::ground(&options, &load, force);
        prop_assert!(ground.z >= 0.0 && ground.z <= 3.0 * 60.0 * 9.81 + 1e-9);
        prop_assert!(ground.truncate().length() <= options.friction * ground.z + 1e-9, "{ground}");
        // What is beyond the motion's own stays within the soles.
        let beyond = ground.truncate() - 60.0 * acceleration.truncate();
        let slides = ground.truncate().length() > options.friction * ground.z - 1e-9;
        prop_assert!(slides || beyond.length() <= reach.max(LEAST_REACH) * ground.z + 1e-9, "{ground}");
    }

    #[test]
    fn the_whole_body_stays_within_its_caps_and_comes_to_rest(
        force in vector(2000.0), moment in vector(1500.0), steps in 1..60_u32,
    ) {
        let (options, mut whole) = (WholeOptions::default(), Whole::default());
        let mut time = 0.0;
        for k in 0..2400 {
            let pushed = k < steps;
            let load = if pushed { load(force, moment, DVec3::ZERO, 0.1) } else { load(DVec3::ZERO, DVec3::ZERO, DVec3::ZERO, 0.1) };
            whole.step(&options, &load, pushed, time);
            time += load.dt;
            let (shift, tilt) = whole.posture();
            prop_assert!(shift.truncate().length() <= options.farthest + 1e-9);
            prop_assert!(shift.z.abs() <= options.highest + 1e-9);
            prop_assert!(tilt.length() <= options.tilt + 1e-9 && tilt.z.abs() < 1e-12);
        }
        prop_assert!(whole.is_at_rest() && whole.shift == DVec3::ZERO && whole.tilt == DVec3::ZERO);
    }

    #[test]
    fn ways_back_begin_as_they_are_and_end_at_rest(offset in -1.0..1.0_f64, rate in -3.0..3.0_f64) {
        let at = |t: f64| fading(offset, rate, t, 0.25);
        prop_assert!((at(0.0) - offset).abs() < 1e-12 && at(0.25) == 0.0 && at(1.0) == 0.0);
        let h = 1e-6;
        prop_assert!(((at(h) - at(0.0)) / h - rate).abs() < 1e-3);
        prop_assert!((at(0.25 - h) / h).abs() < 1e-3);
    }
}
