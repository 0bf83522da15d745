//! The walking machine with pinned feet: it walks as fast and as far as it is told, starts, stops and turns.

mod stage;

use stage::Stage;
use stuntlab_control::Controller;
use stuntlab_control::velocity::walk::{Walk, WalkOptions};
use stuntlab_physics::{BodyId, StepOptions};

/// At 200 Hz, as published.
fn begin(options: WalkOptions) -> (Stage, Walk) {
    let stage = Stage::walker(StepOptions::at_rate(200.0));
    let walk = Walk::new(&stage.model, &stage.model, stage.model.body_ids(), &stage.physique, options);
    (stage, walk.expect("it has two legs and toes"))
}

#[test]
fn it_walks_as_fast_as_it_is_told() {
    let (mut stage, mut walk) = begin(WalkOptions::default());
    stage.run(10.0, |sense, out| walk.act(sense, out));
    let pelvis = stage.place(0);
    assert!(pelvis.z > 0.8, "{pelvis}");
    assert!((0.64..0.96).contains(&(pelvis.x / 10.0)), "{pelvis}");
}

#[test]
fn it_steps_as_far_as_it_is_told() {
    let (mut stage, mut walk) = begin(WalkOptions::default());
    let read = |walk: &Walk, name| walk.readings().get(name).unwrap_or(f64::NAN);
    stage.run(3.0, |sense, out| walk.act(sense, out));
    let mut worst = 0.0_f64;
    // The published sequence; the step at hand goes on as it began.
    for length in [0.60, 0.20, 0.50, 0.16, 0.50, 0.30] {
        walk.command("step", length).expect("a command it knows");
        let before = read(&walk, "steps");
        while read(&walk, "steps") < before + 2.0 && stage.state.time < 30.0 {
            stage.run(0.05, |sense, out| walk.act(sense, out));
        }
        worst = worst.max((read(&walk, "step-length") - length).abs());
    }
    assert!(stage.state.time < 30.0, "it takes all steps");
    assert!(worst < 0.02, "{worst} m");
}

#[test]
fn it_starts_turns_and_stops() {
    let (mut stage, mut walk) = begin(WalkOptions { speed: 0.0, ..WalkOptions::default() });
    stage.run(1.0, |sense, out| walk.act(sense, out));
    assert!(stage.place(0).truncate().length() < 0.03, "it stands: {}", stage.place(0));
    walk.command("speed", 0.8).expect("a command it knows");
    stage.run(3.0, |sense, out| walk.act(sense, out));
    assert!(stage.place(0).x > 1.0 && stage.place(0).y.abs() < 0.1, "it walks ahead: {}", stage.place(0));
    walk.command("heading", 60.0).expect("a command it knows");
    stage.run(6.0, |sense, out| walk.act(sense, out));
    let forward = stage.data.world_from_body(BodyId::new(0)).rotation.x_axis;
    assert!((forward.y.atan2(forward.x).to_degrees() - 60.0).abs() < 10.0, "it turned: {forward}");
    walk.command("speed", 0.0).expect("a command it knows");
    stage.run(2.5, |sense, out| walk.act(sense, out));
    let stopped = stage.place(0);
    stage.run(2.0, |sense, out| walk.act(sense, out));
    assert!(stage.place(0).distance(stopped) < 0.02 && stopped.z > 0.9, "{stopped} {}", stage.place(0));
}
