//! What the scene or the user does to a world is no alarm, and whatever the black box holds can be taken again.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its scene should stop there")]

use stuntlab::run::{Hands, World};
use stuntlab::scene::{LIBRARY, Scene};
use stuntlab_physics::Formulation;

/// A crate of 2 kg on the ground, and what else the test needs.
fn scene(rest: &str, set: &[&str]) -> Scene {
    let text = format!(
        "schema = 1\nshows = \"a crate\"\nduration = 1.0\nrate = 120\n\
         [[terrain]]\nkind = \"plane\"\n\
         [[body]]\nname = \"crate\"\nshape = \"box\"\nsize = [0.4, 0.4, 0.4]\nmass = 2.0\nat = [0.0, 0.0, 0.2]\n{rest}"
    );
    let set: Vec<String> = set.iter().map(|s| (*s).to_owned()).collect();
    Scene::parse("crate.toml", &text, &set).unwrap()
}

/// Steps to the end or to the first fault; then every step the black box holds must replay.
fn run(scene: &Scene, what: &str) -> Option<String> {
    let mut world = World::new(scene).unwrap();
    let mut fault = None;
    while fault.is_none() && world.state.time + 0.5 * world.options.dt < scene.duration {
        fault = world.step(&Hands::default()).err().map(|e| e.to_string());
    }
    let mut text = Vec::new();
    world.dump().write(&mut text).unwrap();
    let dump = stuntlab_physics::blackbox::Dump::read(&text[..]).unwrap();
    for step in dump.replay(world.model()).unwrap() {
        assert!(step.same, "{what}: step {} ends elsewhere than recorded", step.step);
    }
    fault
}

#[test]
fn a_fast_throw_is_no_alarm() {
    for formulation in Formulation::ALL {
        for speed in [30.0, 300.0] {
            let throw = format!(
                "[[event]]\nkind = \"throw\"\ntime = 0.2\nbody = \"crate\"\nfrom = [0.0, 0.0, 2.0]\n\
                 velocity = [{speed}, 0.0, {speed}]\n"
            );
            let set = format!("formulation={}", formulation.name());
            assert_eq!(run(&scene(&throw, &[&set]), &set), None, "{set}, {speed} m/s");
        }
    }
}

/// A throw straight into the ground at the speed of a meteorite; the black box used to call the step before the throw
/// a step that ends elsewhere.
#[test]
fn a_throw_into_the_ground_replays() {
    for formulation in Formulation::ALL {
        let throw = "[[event]]\nkind = \"throw\"\ntime = 0.15\nbody = \"crate\"\nfrom = [0.0, 0.0, 4.0]\n\
                     velocity = [10.0, 0.0, -4e4]\nspin = [0.0, 5.0, 0.0]\n";
        let set = format!("formulation={}", formulation.name());
        let fault = run(&scene(throw, &[&set, "duration=0.4"]), &set);
        println!("{set}: {fault:?}");
        if formulation == Formulation::ImplicitPenalty {
            assert_eq!(fault, None);
        }
    }
}

#[test]
fn what_a_thrown_body_hits_is_no_alarm() {
    let pin = "[[body]]\nname = \"pin\"\nshape = \"sphere\"\nradius = 0.2\nmass = 0.2\nat = [3.0, 0.0, 0.2]\n\
               [[event]]\nkind = \"throw\"\ntime = 0.1\nbody = \"crate\"\nfrom = [0.0, 0.0, 0.21]\n\
               velocity = [60.0, 0.0, 0.0]\n";
    let scene = scene(pin, &["duration=0.5"]);
    assert_eq!(run(&scene, "pin"), None);
}

#[test]
fn pushes_and_drags_of_the_scene_are_no_alarm() {
    let push = "[[event]]\nkind = \"push\"\ntime = 0.1\nbody = \"crate\"\nimpulse = [200.0, 0.0, 100.0]\n";
    assert_eq!(run(&scene(push, &[]), "push"), None);
    let drag = "[[event]]\nkind = \"drag\"\ntime = 0.1\nbody = \"crate\"\nduration = 0.8\nfrequency = 0.3\n\
                path = [[200.0, 0.0, 2.0]]\n";
    assert_eq!(run(&scene(drag, &[]), "drag"), None);
}

#[test]
fn pushes_and_drags_of_the_user_are_no_alarm() {
    use stuntlab::run::{Drag, Push};
    use stuntlab_physics::glam::DVec3;
    let scene = scene("", &[]);
    let mut world = World::new(&scene).unwrap();
    let body = world.find("crate").unwrap();
    let (x, up) = (DVec3::X, DVec3::Z);
    let mut hands = Hands::default();
    for k in 0..100 {
        if k == 20 {
            let impulse = 150.0 * x;
            hands.pushes.push(Push { body, point_body: DVec3::ZERO, impulse, start: 0.2, duration: 0.05 });
        }
        let target = -300.0 * x + 10.0 * up;
        hands.drag = (k > 30).then_some(Drag { body, point_body: DVec3::ZERO, target, frequency: 0.3 });
        world.step(&hands).unwrap();
    }
}

/// Under a gravity that nothing withstands a crate goes through the floor, and what lifts it a little is called an
/// explosion no more; whatever is recorded of it replays.
#[test]
fn heavy_gravity_is_no_alarm_and_replays() {
    for formulation in Formulation::ALL {
        for gravity in [2e3, 3e6, 5e8, 1e160] {
            let set = [
                format!("gravity=[0.0,0.0,-{gravity:e}]"),
                format!("formulation={}", formulation.name()),
                "duration=0.3".to_owned(),
                "body.0.at=[0.0,0.0,0.6]".to_owned(),
            ];
            let set: Vec<&str> = set.iter().map(String::as_str).collect();
            let fault = run(&scene("", &set), &set.join(" "));
            println!("{set:?}: {fault:?}");
            if gravity < 1e100 && formulation != Formulation::Penalty {
                assert_eq!(fault, None, "{set:?}");
            }
        }
    }
}

/// Where the world was put back by hand, as the window does when it is scrubbed.
#[test]
fn a_world_put_back_is_no_alarm_and_replays() {
    let scene = scene("", &["body.0.at=[0.0,0.0,300.0]", "body.0.velocity=[0.0,0.0,-70.0]"]);
    let mut world = World::new(&scene).unwrap();
    let early = world.snapshot();
    for _ in 0..40 {
        world.step(&Hands::default()).unwrap();
    }
    let late = world.snapshot();
    world.restore(&early);
    world.step(&Hands::default()).unwrap();
    world.restore(&late);
    world.step(&Hands::default()).unwrap();
    let replayed = world.dump().replay(world.model()).unwrap();
    assert!(replayed.len() == 42 && replayed.iter().all(|r| r.same));
}

#[test]
fn the_last_steps_of_every_scene_replay() {
    for (name, _) in LIBRARY {
        let scene = Scene::load(name, &[]).unwrap();
        let mut world = World::new(&scene).unwrap();
        for _ in 0..40 {
            world.step(&Hands::default()).unwrap();
        }
        let replayed = world.dump().replay(world.model()).unwrap();
        let other: Vec<u64> = replayed.iter().filter(|r| !r.same).map(|r| r.step).collect();
        assert!(replayed.len() == 40 && other.is_empty(), "{name}: {other:?}");
    }
}
