//! Every scene that comes with the program, run headless; the list in `scenes/`; reruns; malformed scenes.

use std::path::{Path, PathBuf};

use stuntlab::run::{Hands, Manifest, Run, World, variants_of};
use stuntlab::scene::{LIBRARY, Scene};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes")
}

#[test]
fn every_scene_runs_for_two_seconds() {
    for (name, _) in LIBRARY {
        let scene = Scene::load(name, &[]).unwrap();
        let variants = variants_of(&scene, None).unwrap();
        let mut run = Run::new(&scene, &variants).unwrap();
        run.advance_to(2.0);
        for lane in &run.lanes {
            assert_eq!(lane.failure, None, "{name} {}", lane.name);
            // A variant may be shorter than its scene, as long as its recording.
            let end = lane.world.scene().duration.min(2.0);
            assert!(lane.world.state.time > end - 0.01, "{name} {}", lane.name);
            assert!(lane.world.state.is_finite(), "{name}");
        }
        // Nothing flies off: whatever was thrown or dropped is within a hall's size.
        for lane in &run.lanes {
            let far = |p: &stuntlab_physics::spatial::Transform| p.translation.length() > 60.0;
            assert!(!lane.world.data.position.world_from_body.iter().any(far), "{name} {}", lane.name);
        }
    }
}

#[test]
fn the_library_is_the_folder() {
    let mut files: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .map(|p| p.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    files.sort();
    let names: Vec<&str> = LIBRARY.iter().map(|(name, _)| *name).collect();
    assert_eq!(files, names);
    for name in names {
        assert!(name.split_once('-').is_some(), "{name} does not start with its system");
    }
}

#[test]
fn the_readme_lists_every_scene_with_what_it_shows_and_measures() {
    let readme = std::fs::read_to_string(folder().join("README.md")).unwrap();
    for (name, _) in LIBRARY {
        let scene = Scene::load(name, &[]).unwrap();
        let mut measures: Vec<&str> = Vec::new();
        for measure in &scene.measures {
            if !measures.contains(&measure.name.as_str()) {
                measures.push(&measure.name);
            }
        }
        let line = format!("| `{name}` | {} | {} |", scene.shows, measures.join(", "));
        assert!(readme.contains(&line), "scenes/README.md lacks this line:\n{line}");
    }
}

/// `UPDATE_REFERENCE=1 cargo test -p stuntlab --test scenes reference` makes the tables anew.
#[test]
fn the_reference_in_the_readme_is_made_from_the_registry() {
    let path = folder().join("README.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let fresh = stuntlab::reference::refresh(&text, &stuntlab::registry::Registry::standard()).unwrap();
    if std::env::var_os("UPDATE_REFERENCE").is_some() {
        std::fs::write(&path, &fresh).unwrap();
        return;
    }
    for (had, now) in text.lines().zip(fresh.lines()) {
        assert_eq!(
            had, now,
            "scenes/README.md is not what the registry says; see the comment above this test"
        );
    }
    assert_eq!(text, fresh);
}

/// Keys that a table may have, as the message about a key nobody knows lists them.
fn keys(text: &str) -> Vec<String> {
    let message = Scene::parse("keys.toml", text, &[]).expect_err("a key nobody knows").to_string();
    let (_, keys) = message.split_once("unknown key, expected one of: ").expect(&message);
    keys.split(", ").map(str::to_owned).collect()
}

#[test]
fn the_readme_names_every_key() {
    let readme = std::fs::read_to_string(folder().join("README.md")).unwrap();
    let row = |head: &str| {
        let line = readme.lines().find(|l| l.starts_with(&format!("| {head} |")));
        line.unwrap_or_else(|| panic!("scenes/README.md has no row for {head}"))
    };
    let top = "schema = 1\nshows = \"a\"\nduration = 1.0\n";
    let push = "[[event]]\nkind = \"push\"\ntime = 0.0\nbody = \"a\"\nimpulse = [0.0, 0.0, 0.0]\n";
    let throw = "[[event]]\nkind = \"throw\"\ntime = 0.0\nbody = \"a\"\nfrom = [0.0, 0.0, 0.0]\nvelocity = [0.0, 0.0, 0.0]\n";
    let drag = "[[event]]\nkind = \"drag\"\ntime = 0.0\nbody = \"a\"\npath = [[0.0, 0.0, 0.0]]\n";
    let command = "[[event]]\nkind = \"command\"\ntime = 0.0\ncharacter = \"a\"\ncommand = \"b\"\n";
    let foil = "[[foil]]\nname = \"a\"\nset = [\"seed=2\"]\nbreaks = [\"b\"]\n";
    for (head, table) in [
        ("`[solver]`", "[solver]\n"),
        ("`[log]`", "[log]\n"),
        ("`[[event]]`", push),
        ("`[[event]]`", throw),
        ("`[[event]]`", drag),
        ("`[[event]]`", command),
        ("`[[measure]]`", "[[measure]]\nquantity = \"speed\"\n"),
        ("`[[camera]]`", "[[camera]]\n"),
        ("`[[variant]]`", "[[variant]]\nname = \"a\"\n"),
        ("`[[foil]]`", foil),
    ] {
        for key in keys(&format!("{top}{table}colour = 1\n")) {
            assert!(row(head).contains(&format!("`{key}`")), "scenes/README.md, row {head}: lacks {key}");
        }
    }
    // Tables have rows of their own.
    for key in keys(&format!("colour = 1\n{top}")) {
        let named = [format!("`{key}`"), format!("`[{key}]`"), format!("`[[{key}]]`")];
        assert!(named.iter().any(|n| readme.contains(n)), "scenes/README.md lacks {key}");
    }
}

#[test]
fn reruns_give_the_same_bits() {
    let once = || {
        let scene =
            Scene::load("base-ragdoll", &["duration=1.5".to_owned(), "measure=[]".to_owned()]).unwrap();
        let variants = variants_of(&scene, Some("formulation=implicit-penalty,lcp-pgs")).unwrap();
        let mut run = Run::new(&scene, &variants).unwrap();
        run.advance_to(1.5);
        (run.metrics(), Manifest::of(&run))
    };
    let (first, again) = (once(), once());
    assert_eq!(first.0, again.0);
    assert_eq!(first.1, again.1);
    let hashes = |k: usize| first.1.lanes[k].hashes.clone();
    assert_eq!(hashes(0).len(), 3, "at 0 s, at 1 s, at the end");
    assert_eq!(hashes(0)[0], hashes(1)[0]);
    assert_ne!(hashes(0)[2], hashes(1)[2], "another formulation, another fall");
}

#[test]
fn a_world_continues_from_a_snapshot_as_if_nothing_had_happened() {
    let scene = Scene::load("base-pile", &[]).unwrap();
    let mut world = World::new(&scene).unwrap();
    let run = |world: &mut World, steps: usize| {
        for _ in 0..steps {
            world.step(&Hands::default()).unwrap();
        }
        world.hash()
    };
    run(&mut world, 60);
    let snapshot = world.snapshot();
    let ahead = run(&mut world, 40);
    world.restore(&snapshot);
    assert_eq!(run(&mut world, 40), ahead);
}

/// A scene that is fine, with marks where tests put their mistakes.
const GOOD: &str = r#"schema = 1
shows = "a test"
duration = 1.0
formulation = "lcp-pgs"

[[terrain]]
kind = "plane"

[[character]]
name = "doll"
figure = "humanoid37"

[[body]]
name = "crate"
shape = "box"
size = [1.0, 1.0, 1.0]
mass = 2.0

[[event]]
kind = "push"
time = 0.5
body = "crate"
impulse = [1.0, 0.0, 0.0]

[[measure]]
quantity = "height"
of = "crate"
max = 2.0
"#;

#[test]
fn the_good_scene_is_good() {
    Scene::parse("good.toml", GOOD, &[]).unwrap();
}

#[test]
fn malformed_scenes_are_refused_in_one_line_with_the_right_line_number() {
    // What is replaced, by what, the line to blame, and words the message must have.
    let cases: &[(&str, &str, usize, &str)] = &[
        ("schema = 1\n", "", 1, "schema: missing, expected 1"),
        ("schema = 1", "schema = 2", 1, "schema: is 2, expected 1"),
        ("schema = 1", "schema = 1\ncolour = 3", 2, "colour: unknown key, expected one of: schema, shows"),
        ("duration = 1.0", "duration = -1.0", 3, "duration: is -1, expected a number above 0"),
        ("duration = 1.0", "duration = \"long\"", 3, "duration: is a text, expected a number"),
        ("duration = 1.0", "duration = inf", 3, "expected a finite number"),
        ("duration = 1.0", "duration = 1.0\nrate = 1", 4, "rate: is 1, expected 10 to 100000"),
        ("\"lcp-pgs\"", "\"magic\"", 4, "expected one of: penalty, implicit-penalty, lcp-pgs, lcp-dantzig"),
        (
            "kind = \"plane\"",
            "kind = \"sea\"",
            7,
            "terrain[0].kind: is \"sea\", expected one of: plane, heightfield",
        ),
        ("kind = \"plane\"", "kind = \"heightfield\"", 6, "formula: missing"),
        ("kind = \"plane\"", "kind = \"heightfield\"\nformula = \"sinus(x)\"", 8, "unknown word 'sinus'"),
        ("\"humanoid37\"", "\"humanoid38\"", 11, "expected one of: humanoid37, bones36"),
        (
            "figure = \"humanoid37\"",
            "figure = \"humanoid37\"\npose_deg = { tail = 3.0 }",
            12,
            "has no part \"tail\", expected one of: pelvis",
        ),
        (
            "figure = \"humanoid37\"",
            "figure = \"humanoid37\"\npose_deg = { torso = 3.0 }",
            12,
            "1 angles, expected 3 angles",
        ),
        (
            "figure = \"humanoid37\"",
            "figure = \"humanoid37\"\ncontroller = { kind = \"dance\" }",
            12,
            "character[0].controller.kind: is \"dance\", expected one of: none, pose, dynamo, mocap, fighter",
        ),
        (
            "figure = \"humanoid37\"",
            "figure = \"humanoid37\"\ncontroller = { kind = \"fighter\" }",
            11,
            "character[0].figure: has no skeleton that clips could be put on",
        ),
        (
            "figure = \"humanoid37\"",
            "figure = \"library\"\ncontroller = { kind = \"fighter\", opponent = \"crate\" }",
            9,
            "is \"crate\", expected another character of the same figure: none is there",
        ),
        (
            "figure = \"humanoid37\"",
            "figure = \"library\"\ncontroller = { kind = \"fighter\", aggression = 2.0 }",
            12,
            "character[0].controller.aggression: is 2, expected 0 to 1",
        ),
        (
            "figure = \"humanoid37\"",
            "figure = \"humanoid37\"\ncontroller = { kind = \"dynamo\", balance = \"rope\" }",
            12,
            "controller.balance: is \"rope\", expected one of: weak-spring, meathook, unpowered",
        ),
        (
            "figure = \"humanoid37\"",
            "figure = \"humanoid37\"\ncontroller = { kind = \"dynamo\", limit = 700.0 }",
            12,
            "breaking: is 600, expected at least the limit of 700",
        ),
        (
            "figure = \"humanoid37\"",
            "figure = \"humanoid37\"\nmotion = { clip = \"walk\" }",
            11,
            "character[0].figure: has no skeleton for a motion",
        ),
        (
            "figure = \"humanoid37\"",
            "figure = \"library\"\nmotion = { clip = \"fly\" }",
            12,
            "motion.clip: no clip \"fly\" in the library: expected one of idle",
        ),
        (
            "figure = \"humanoid37\"",
            "figure = \"library\"\nmotion = { clip = \"jab\", start = 60.0 }",
            12,
            "motion.start: is 60, but the clip lasts",
        ),
        (
            "figure = \"humanoid37\"",
            "figure = \"library\"\nmotion = { bvh = \"nowhere.bvh\", frames = [3, 2] }",
            12,
            "motion.frames: expected the first and the last frame",
        ),
        ("shape = \"box\"", "shape = \"cone\"", 15, "expected one of: box, sphere, capsule"),
        (
            "size = [1.0, 1.0, 1.0]",
            "size = [1.0, 1.0]",
            16,
            "is a list of 2 items, expected a list of 3 numbers",
        ),
        ("size = [1.0, 1.0, 1.0]", "size = [1.0, 0.0, 1.0]", 16, "three lengths above 0"),
        ("size = [1.0, 1.0, 1.0]\n", "", 13, "body[0].size: missing"),
        ("mass = 2.0", "mass = 2.0\ndensity = 3.0", 18, "stands beside mass"),
        ("mass = 2.0", "", 13, "mass in kg or density"),
        ("name = \"crate\"", "name = \"doll/head\"", 13, "\"doll/head\" is defined twice"),
        ("kind = \"push\"", "kind = \"hug\"", 20, "expected one of: push, throw, drag, command"),
        ("time = 0.5\n", "", 19, "time: missing"),
        ("body = \"crate\"", "body = \"crat\"", 19, "is \"crat\", expected a body: doll/pelvis"),
        ("impulse = [1.0, 0.0, 0.0]", "impulse = 3.0", 23, "is a number, expected a list of 3 numbers"),
        ("\"height\"", "\"hight\"", 26, "expected one of: penetration, settle-speed"),
        ("of = \"crate\"\n", "", 25, "of: missing, expected the name of a body"),
        ("max = 2.0", "max = 2.0\nmin = 3.0", 29, "above max"),
        ("shows = \"a test\"", "shows = \"a test", 2, "string"),
        ("[[terrain]]", "[terrain]", 6, "expected tables written as [[terrain]]"),
    ];
    assert!(cases.len() >= 20);
    for (good, bad, line, words) in cases {
        assert!(GOOD.contains(good), "{good}");
        let text = GOOD.replacen(good, bad, 1);
        let Err(error) = Scene::parse("bad.toml", &text, &[]) else { panic!("accepted: {bad:?}") };
        let message = error.to_string();
        assert_eq!(message.lines().count(), 1, "{message}");
        assert!(message.starts_with(&format!("bad.toml:{line}: ")), "expected line {line}: {message}");
        assert!(message.contains(words), "expected \"{words}\": {message}");
    }
}

#[test]
fn a_command_the_controller_does_not_know_is_refused_where_it_is_written() {
    let text = GOOD.to_owned()
        + "\n[[event]]\nkind = \"command\"\ntime = 0.1\ncharacter = \"doll\"\ncommand = \"dance\"\n";
    let scene = Scene::parse("bad.toml", &text, &[]).unwrap();
    let Err(error) = World::new(&scene) else { panic!("accepted") };
    let line = 1 + text.lines().position(|l| l.starts_with("command")).unwrap();
    let message = error.to_string();
    assert!(message.starts_with(&format!("bad.toml:{line}: event[1].command: is \"dance\", ")), "{message}");
    assert!(message.contains("takes no commands"), "{message}");
    // One that takes commands lists them.
    let driven = text.replace("\"humanoid37\"", "\"humanoid37\"\ncontroller = { kind = \"pose\" }");
    let scene = Scene::parse("bad.toml", &driven, &[]).unwrap();
    let message = World::new(&scene).err().unwrap().to_string();
    assert!(message.contains("expected one of: "), "{message}");
}

#[test]
fn overrides_reach_every_value_and_are_checked() {
    let with = |set: &str| Scene::parse("good.toml", GOOD, &[set.to_owned()]);
    assert_eq!(with("duration=2").unwrap().duration, 2.0);
    assert_eq!(with("formulation=lcp-dantzig").unwrap().options.formulation.name(), "lcp-dantzig");
    assert!(with("body.0.at=[0, 0, 3]").is_ok());
    assert!(with("body[0].mass=4").is_ok());
    assert!(with("solver.sweeps=7").unwrap().options.sweeps == 7);
    for (set, words) in [
        ("duration", "expected path=value"),
        ("body.3.mass=1", "'3' is not an item of a list of 1"),
        ("body.0.mass=-1", "body[0].mass: is -1"),
        ("duration.x=1", "lies inside a number"),
        ("seed=[", "not a TOML value"),
        ("colour=red", "unknown key"),
    ] {
        let message = with(set).unwrap_err().to_string();
        assert!(message.contains(words), "{set}: {message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}
