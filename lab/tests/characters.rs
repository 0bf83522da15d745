//! Characters with motions: where they start, that recordings are played as they are, what is measured of them, and data
//! that is not there.

use stuntlab::run::{Hands, Run, World, variants_of};
use stuntlab::scene::{ControllerSpec, Scene};
use stuntlab_physics::glam::DVec3;

/// A scene of one walker, with room for more.
fn walker(controller: &str, more: &str) -> Scene {
    let text = format!(
        r#"schema = 1
shows = "a test"
duration = 2.0

[[terrain]]
kind = "plane"

[[character]]
name = "anna"
figure = "library"
motion = {{ clip = "walk", start = 0.2 }}
at = [1.0, 2.0, 0.0]
heading_deg = 90.0
controller = {{ {controller} }}
{more}
"#
    );
    Scene::parse("test.toml", &text, &[]).expect("a sound scene")
}

fn root(world: &World) -> DVec3 {
    world.data.position.world_from_body[world.cast()[0].bodies.at(0)].translation
}

fn value(run: &Run, name: &str) -> f64 {
    let metrics = run.metrics();
    let reading = metrics.measurements.iter().find(|m| m.name == name).expect("measured");
    reading.value.expect("sampled")
}

#[test]
fn a_character_starts_where_the_scene_says_with_the_motions_own_velocity() {
    for controller in [r#"kind = "none""#, r#"kind = "dynamo""#, r#"kind = "mocap""#] {
        let mut world = World::new(&walker(controller, "")).unwrap();
        let start = root(&world);
        assert!((start.truncate() - DVec3::new(1.0, 2.0, 0.0).truncate()).length() < 1e-9, "{start}");
        // Mid-stance of a walk along +y, which is where a heading of 90 degrees points.
        let velocity = world.data.velocity.body[world.cast()[0].bodies.at(0)].linear;
        assert!(velocity.y > 0.8 && velocity.x.abs() < 0.6, "{controller}: {velocity}");
        // Its soles rest on the ground, neither sunk nor floating.
        world.step(&Hands::default()).unwrap();
        assert!(world.deepest() < 0.04, "{controller}: {}", world.deepest());
        assert!(world.deepest() > -0.02, "{controller}: {}", world.deepest());
    }
}

#[test]
fn a_recording_takes_no_notice_of_what_hits_it_and_the_simulated_walker_does() {
    let thrown = r#"
[[body]]
name = "crate"
shape = "box"
size = [0.4, 0.4, 0.4]
mass = 20.0
at = [4.0, 3.0, 1.2]
velocity = [-6.0, 0.0, 1.5]

[[measure]]
quantity = "tracking-error"
of = "anna"
stat = "max"
max = 1.0
"#;
    let played = |controller: &str| {
        let scene = walker(controller, thrown);
        let mut run = Run::new(&scene, &variants_of(&scene, None).unwrap()).unwrap();
        run.advance_to(1.5);
        assert_eq!(run.lanes[0].failure, None);
        (value(&run, "tracking-error"), root(&run.lanes[0].world))
    };
    let (error, end) = played(r#"kind = "mocap""#);
    assert!(error < 1e-6, "{error}");
    assert!(end.y > 3.5 && (end.x - 1.0).abs() < 0.1, "{end}");
    let (error, elsewhere) = played(r#"kind = "dynamo""#);
    assert!(error > 0.1 && elsewhere.distance(end) > 0.15, "{error} {elsewhere}");
}

#[test]
fn flights_are_counted_in_seconds_and_a_standing_figure_stands() {
    let scene = Scene::load("dynamo-jump", &["variant=[]".to_owned()]).unwrap();
    let measures = [
        r#"{ name = "jump", quantity = "flight", of = "jump", min = 0.0 }"#,
        r#"{ name = "stands", quantity = "standing", of = "hop-mocap", min = 0.0 }"#,
        r#"{ name = "falls", quantity = "falls", stat = "max", max = 9.0 }"#,
        r#"{ name = "strength", quantity = "strength", max = 1.0 }"#,
    ];
    let scene = scene.with(&[format!("measure=[{}]", measures.join(", "))]).unwrap();
    let mut run = Run::new(&scene, &variants_of(&scene, None).unwrap()).unwrap();
    run.advance_to(2.5);
    assert!((0.3..0.7).contains(&value(&run, "jump")), "{}", value(&run, "jump"));
    assert_eq!(value(&run, "stands"), 1.0);
    assert_eq!(value(&run, "falls"), 0.0);
    assert_eq!(value(&run, "strength"), 1.0);
}

#[test]
fn a_variant_whose_data_is_not_here_is_skipped_and_said_so() {
    let more = r#"
[[variant]]
name = "own"

[[variant]]
name = "recorded"
set = ['character.0.motion.bvh="${shared}/nowhere/0.bvh"']
"#;
    let scene = walker(r#"kind = "dynamo""#, more);
    let run = Run::new(&scene, &scene.variants).unwrap();
    assert_eq!(run.lanes.len(), 1);
    let metrics = run.metrics();
    assert!(
        metrics.skipped[0].starts_with("recorded: \"${shared}/nowhere/0.bvh\" is not here"),
        "{metrics:?}"
    );
    // A file that is named outright and missing is a mistake.
    let set = ["character.0.motion.bvh=nowhere/0.bvh".to_owned()];
    let error = scene.with(&set).unwrap_err();
    assert!(!error.absent && error.to_string().contains("nowhere/0.bvh"), "{error}");
}

#[test]
fn every_controller_can_take_over_in_the_middle() {
    let mut world = World::new(&walker(r#"kind = "dynamo""#, "")).unwrap();
    let registry = world.scene().registry.clone();
    for kind in registry.controllers().iter().chain(registry.controller("dynamo")) {
        for _ in 0..30 {
            world.step(&Hands::default()).unwrap();
        }
        // Kinds that need settings have no usual ones.
        let Ok(spec) = ControllerSpec::usual(kind) else { continue };
        assert_eq!(spec.name(), kind.name);
        match world.make_controller(&world.cast()[0], &spec) {
            Ok(controller) => world.controllers[0] = controller,
            // A kind for other figures says which.
            Err(refusal) => {
                assert!(
                    refusal.key == "figure" && refusal.problem.contains("expected a figure"),
                    "{refusal:?}"
                );
                continue;
            }
        }
        assert_eq!(world.controllers[0].name(), kind.name);
    }
    for _ in 0..30 {
        world.step(&Hands::default()).unwrap();
    }
    assert!(world.state.is_finite() && root(&world).length() < 20.0);
}

/// Two fighters of the library's figure; the first has a `controller`.
fn bout(controller: &str, seed: u64) -> World {
    let text = format!(
        r#"schema = 1
shows = "a test"
duration = 60.0
seed = {seed}
formulation = "lcp-pgs"

[[terrain]]
kind = "plane"

[[character]]
name = "anna"
figure = "library"
at = [-0.6, 0.0, 0.0]
controller = {{ kind = "fighter", opponent = "bert"{controller} }}

[[character]]
name = "bert"
figure = "library"
at = [0.6, 0.0, 0.0]
heading_deg = 180.0
controller = {{ kind = "fighter", opponent = "anna" }}
"#
    );
    World::new(&Scene::parse("test.toml", &text, &[]).expect("a sound scene")).expect("a sound world")
}

fn run_for(world: &mut World, seconds: f64) {
    for _ in 0..(seconds * 120.0) as usize {
        world.step(&Hands::default()).expect("a sound step");
    }
}

#[test]
fn fighters_of_a_scene_face_each_other_and_land_punches_by_the_scenes_seed() {
    let fight = |seed| {
        let mut world = bout("", seed);
        run_for(&mut world, 8.0);
        let hits = world.controllers.iter().map(|c| c.readings().get("hits-taken").expect("it fights"));
        (hits.sum::<f64>(), world.hash())
    };
    let first = fight(1);
    assert!(first.0 >= 1.0, "no punch landed");
    assert_eq!(fight(1), first);
    assert_ne!(fight(2).1, first.1, "another seed, the same fight");
}

#[test]
fn a_fighter_without_a_mind_of_its_own_waits_for_commands() {
    let mut world = bout(", autonomous = false", 1);
    run_for(&mut world, 1.0);
    let punches = |world: &World| world.controllers[0].readings().get("punches");
    assert_eq!(punches(&world), Some(0.0));
    world.controllers[0].command("punch-left", 1.0).expect("a fighter's word");
    run_for(&mut world, 1.0);
    assert_eq!(punches(&world), Some(1.0));
}
