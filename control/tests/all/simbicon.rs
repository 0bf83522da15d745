//! SIMBICON on the walker: it walks by itself, steps where balance wants them, and its mirror image walks the mirror image.

use crate::stage::Stage;
use stuntlab_control::Controller;
use stuntlab_control::simbicon::{GAITS, Sideways, Simbicon, SimbiconOptions, Strengths};
use stuntlab_control::velocity::Muscles;
use stuntlab_physics::StepOptions;
use stuntlab_physics::glam::DVec3;

/// The published walk, which begins at 0.8 m/s.
fn begin(muscles: Option<Muscles>) -> (Stage, Simbicon) {
    let mut stage = Stage::walker(StepOptions::at_rate(240.0));
    stage.state.v[0] = 0.8;
    stage.look();
    let (gait, sideways, gains) = (GAITS[0].1, Sideways::default(), Strengths::default());
    let options = SimbiconOptions { gait, sideways, gains, speed: 0.0, muscles };
    let walk = Simbicon::new(&stage.model, stage.model.body_ids(), &stage.physique, options);
    (stage, walk.expect("it has two legs"))
}

#[test]
fn a_mirrored_start_gives_the_mirrored_walk() {
    let ((mut left, mut ours), (mut right, theirs)) = (begin(None), begin(None));
    let mut theirs = theirs.right_foot_first();
    let image = |name: &str| match name.strip_prefix('l') {
        Some(part) => format!("r{part}"),
        None => name.strip_prefix('r').map_or_else(|| name.to_owned(), |part| format!("l{part}")),
    };
    // Several steps; further on rounding tells the two apart. Strikes make 1e4 times more of it within a step (2e-16 m before the first,
    // 6e-9 after the second, at 32/240 s), whatever the solver starts from, and a second leaves 4e-7 to 4e-6: the bound was 1e-6, held by luck.
    for _ in 0..4 {
        left.run(0.25, |sense, out| ours.act(sense, out));
        right.run(0.25, |sense, out| theirs.act(sense, out));
        for (k, body) in left.model.bodies().iter().enumerate() {
            let other =
                right.model.find(&image(body.name())).expect("both sides have the same parts").index();
            let (a, b) = (left.place(k), right.place(other) * DVec3::new(1.0, -1.0, 1.0));
            assert!(a.distance(b) < 1e-5, "{}: {a} {b}", body.name());
        }
    }
    assert!(ours.readings().get("steps").is_some_and(|steps| steps >= 2.0));
}

#[test]
fn the_published_table_takes_several_steps_without_any_help() {
    let (mut stage, mut walk) = begin(None);
    stage.run(1.5, |sense, out| walk.act(sense, out));
    assert!(stage.place(0).z > 0.8 && stage.place(0).x > 0.7, "{}", stage.place(0));
    assert!(stage.act.body_force.iter().all(|f| f.linear == DVec3::ZERO && f.angular == DVec3::ZERO));
    assert!(stage.act.pins.is_empty() && stage.act.implicit.is_empty() && stage.act.rows.is_empty());
}

/// Motors as soft as the servos are the servos, but for bounds and for what the pelvis is told of its other joints.
#[test]
fn muscles_take_the_same_steps() {
    let quick = Muscles { reaction: 0.0, ..Muscles::default() };
    let (mut stage, mut walk) = begin(Some(quick));
    stage.run(1.0, |sense, out| walk.act(sense, out));
    assert!(!stage.act.motors.is_empty() && stage.act.servo.stiffness.iter().all(|k| *k == 0.0));
    assert!(stage.place(0).z > 0.8 && stage.place(0).x > 0.5, "{}", stage.place(0));
}
