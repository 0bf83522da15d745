//! The comparison lab: closed forms of its set-ups, and its command line, which resumes, shards, refuses and reruns to the byte.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its comparison should stop there")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use stuntlab::compare::cell::{self, Note};
use stuntlab::compare::scenes::SCENES;
use stuntlab::compare::{Ask, Cell, Engine, METRICS, SUITES, Settings, Subject, WorldEngine};
use stuntlab::scene::Scene;
use stuntlab::study::Size;

/// A cell of a set-up: numbers by name, and its note.
struct Ran(Vec<f64>, Note);

impl Ran {
    fn of(setup: &str, set: &[(&str, &str)]) -> Self {
        let settings = Settings(set.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect());
        let cell = Cell { case: setup.to_owned(), settings, seed: 1 };
        let outcome = cell::run(&Subject::find(setup).unwrap(), &cell);
        let note: Note = serde_json::from_str(&outcome.note).unwrap();
        assert_eq!(note.why, None, "{setup} {set:?}");
        Self(outcome.numbers, note)
    }

    fn get(&self, name: &str) -> f64 {
        self.0[METRICS.iter().position(|m| m.name == name).unwrap()]
    }
}

/// Slope of the errors of halved steps in the logarithm.
fn slope(errors: &[f64]) -> f64 {
    (errors[0] / errors[errors.len() - 1]).log2() / (errors.len() - 1) as f64
}

#[test]
fn boxes_keep_energy_and_spin_under_runge_kutta_and_converge_in_order() {
    let fine = Ran::of("compare-boxes-complex", &[("integrator", "rk4"), ("rate", "1000")]);
    for name in ["energy_drift", "spin_size", "error"] {
        assert!(fine.get(name) < 1e-9, "{name} {}", fine.get(name));
    }
    for (integrator, order, within) in [("semi-implicit-euler", 1.0, 0.1), ("rk4", 4.0, 0.2)] {
        let at = |rate| Ran::of("compare-boxes-complex", &[("integrator", integrator), ("rate", rate)]);
        let errors = ["125", "250", "500"].map(|rate| at(rate).get("consistency"));
        let found = slope(&errors);
        assert!((found - order).abs() < within, "{integrator}: slope {found} of {errors:?}");
    }
}

#[test]
fn boxes_fly_alike_whatever_carries_them() {
    for setup in ["compare-boxes-complex", "compare-boxes-cut", "compare-boxes-carried"] {
        let ran = Ran::of(setup, &[("integrator", "rk4"), ("rate", "500")]);
        assert!(ran.get("error") < 1e-8 && ran.get("energy_drift") < 1e-9, "{setup}");
    }
    let planar = Ran::of("compare-pendulum-planar", &[("integrator", "rk4"), ("rate", "500")]);
    assert!(planar.get("headline") < 1e-9, "{}", planar.get("headline"));
}

#[test]
fn balls_on_a_pushed_plate_roll_as_they_should_either_way() {
    for setup in ["compare-rolling", "compare-rolling-diagonal"] {
        for formulation in ["implicit-penalty", "lcp-pgs", "lcp-dantzig"] {
            let ran = Ran::of(setup, &[("formulation", formulation), ("rate", "120")]);
            assert!(ran.get("error") < 0.01, "{setup} {formulation}: {}", ran.get("headline"));
        }
    }
}

#[test]
fn a_sliding_cube_stops_where_and_when_it_should() {
    for formulation in ["implicit-penalty", "lcp-pgs", "lcp-dantzig", "penalty"] {
        let ran = Ran::of("compare-sliding", &[("formulation", formulation), ("rate", "960")]);
        assert!(ran.get("error") < 0.01, "{formulation}: {} m", ran.get("headline"));
        // The curve has few points; where it ends to rise is known to two of them.
        let curve = &ran.1.curve;
        let last = curve.windows(2).filter(|w| w[1].1 - w[0].1 > 1e-6).map(|w| w[1].0).next_back().unwrap();
        assert!((last - 0.2548).abs() < 0.02, "{formulation}: {last} s");
    }
}

/// Places of all bodies of a chain after 0.2 s, and the farthest that any of them turned in a step.
fn chain(set: &[&str], rate: f64) -> (Vec<stuntlab_physics::glam::DVec3>, f64) {
    let set: Vec<String> = set
        .iter()
        .map(|s| (*s).to_owned())
        .chain([format!("rate={rate}"), "duration=0.2".to_owned()])
        .collect();
    let mut engine = WorldEngine::new(&Scene::load("compare-chain5", &set).unwrap()).unwrap();
    let (mut bodies, mut turn) = (Vec::new(), 0.0_f64);
    while engine.time() + 0.5 * engine.dt() < 0.2 {
        engine.step().unwrap();
        engine.bodies(&mut bodies);
        turn = bodies.iter().map(|b| b.spin.length() * engine.dt()).fold(turn, f64::max);
    }
    (bodies.iter().map(|b| b.center).collect(), turn)
}

/// A reduced tree moves by its free flow where a body of it turns by more than this in a step, rad (`physics/src/convex/flow.rs`).
const LEFT_TO_FLOW: f64 = 0.02;

/// Both kick and then move, both are of first order, and their errors begin alike: half a step of the motion itself, 2.4 mm at 480 Hz after
/// 0.2 s, of which the difference of the two is a fortieth. What is left of it is clean only where the reduced step is one formula at all steps
/// compared: trees that turn by more than [`LEFT_TO_FLOW`] move by another one. Across that switch (below 3840 Hz here) the difference jumps,
/// and its slope between two steps is anything from -1.8 to 2.5; below it all three are 1.
#[test]
fn reduced_and_maximal_coordinates_come_together_in_the_order_of_their_steps() {
    let (exact, _) = chain(&["integrator=rk4"], 3840.0);
    let steps = [3840.0, 7680.0, 15_360.0].map(|rate| {
        let (reduced, turn) = chain(&["formulation=lcp-dantzig"], rate);
        assert!(turn < LEFT_TO_FLOW, "at {rate} Hz the reduced step is another one: {turn} rad");
        let (maximal, _) = chain(&["formulation=lcp-dantzig", "dynamics=maximal"], rate);
        let apart = |a: &[stuntlab_physics::glam::DVec3], b: &[stuntlab_physics::glam::DVec3]| {
            a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
        };
        [apart(&reduced, &maximal), apart(&reduced, &exact), apart(&maximal, &exact)]
    });
    for (k, name) in ["reduced from maximal", "reduced from exact", "maximal from exact"].iter().enumerate() {
        let errors = steps.map(|e| e[k]);
        let found = slope(&errors);
        assert!((found - 1.0).abs() < 0.1, "{name}: slope {found} of {errors:?}");
    }
    assert!(steps[2][0] < 2e-5, "{steps:?}");
}

#[test]
fn every_suite_has_cells_that_can_be_built_and_columns_that_are_measured() {
    for suite in SUITES {
        for size in [Size::Full, Size::Quick] {
            let ask = Ask::new(suite.name, &[], 1).unwrap();
            let cells = ask.cells(size).unwrap();
            assert!(cells.len() > 3, "{}", suite.name);
            for case in ask.cases(size).unwrap() {
                let row = case.subject.row().unwrap();
                for column in row.columns {
                    assert!(METRICS.iter().any(|m| m.name == *column), "{}: {column}", row.name);
                }
            }
        }
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes/compare");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    let mut names: Vec<&str> = SCENES.iter().map(|(name, _)| *name).collect();
    files.sort();
    names.sort_unstable();
    assert_eq!(files, names);
    for (name, text) in SCENES {
        Scene::load(name, &[]).unwrap();
        assert!(text.starts_with('#'), "{name} does not say where it is from");
    }
}

fn folder(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compare").join(name);
    let _ = std::fs::remove_dir_all(&dir);
    dir
}

fn stuntlab(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stuntlab")).args(arguments).output().unwrap()
}

fn words(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const BALL: &str = "schema = 1\nshows = \"a ball\"\nduration = 1.0\n[[terrain]]\nkind = \"plane\"\n[[body]]\nname = \"ball\"\nshape = \"sphere\"\n\
                    radius = 0.1\nmass = 1.0\nat = [0.0, 0.0, 0.5]\nrepeat = { count = [2, 2, 2], step = [0.25, 0.25, 0.25], jitter = 0.01 }\n";

const VARY: [&str; 6] =
    ["--vary", "formulation=implicit-penalty,lcp-pgs", "--vary", "rate=60,120,240", "--seeds", "2"];

/// A scene of one's own.
fn ball(dir: &Path) -> String {
    std::fs::create_dir_all(dir).unwrap();
    let path = dir.join("ball.toml");
    std::fs::write(&path, BALL).unwrap();
    path.display().to_string()
}

fn compare(scene: &str, out: &Path, more: &[&str]) -> Output {
    let out = out.display().to_string();
    let output = stuntlab(&[&["compare", scene, "--out", &out], &VARY[..], more].concat());
    assert!(output.status.success(), "{}", words(&output.stderr));
    output
}

#[test]
fn reruns_threads_shards_and_stops_leave_the_same_bytes() {
    let dir = folder("bytes");
    let scene = ball(&dir);
    let output = compare(&scene, &dir.join("one"), &[]);
    let text = words(&output.stdout);
    assert!(text.contains("energy_gain") && text.contains("each alone"), "{text}");
    let result = |name: &str| std::fs::read(dir.join(name).join("results.csv")).unwrap();
    let first = result("one");
    assert_eq!(words(&first).lines().count(), 1 + 2 * 3 * 2);
    compare(&scene, &dir.join("again"), &["--threads", "1", "--no-timing"]);
    assert_eq!(first, result("again"));
    // One that goes on with nothing left to do.
    compare(&scene, &dir.join("one"), &["--no-timing"]);
    assert_eq!(first, result("one"));
    // Two shards, merged.
    compare(&scene, &dir.join("a"), &["--shard", "1/2"]);
    compare(&scene, &dir.join("b"), &["--shard", "2/2"]);
    let path = |name: &str| dir.join(name).display().to_string();
    let merged = stuntlab(&["merge", &path("a"), &path("b"), "--out", &path("both")]);
    assert!(merged.status.success(), "{}", words(&merged.stderr));
    assert_eq!(first, result("both"));
    // Stopped by the clock after its first lines.
    let out = path("stopped");
    let child = Command::new(env!("CARGO_BIN_EXE_stuntlab"))
        .args([&["compare", &scene, "--out", &out, "--threads", "1"], &VARY[..]].concat())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let mut child = child.unwrap();
    let cells = Path::new(&out).join("cells.csv");
    for _ in 0..2000 {
        let lines = std::fs::read_to_string(&cells).map_or(0, |t| t.lines().count());
        if lines >= 3 || child.try_wait().unwrap().is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let _ = child.kill();
    let _ = child.wait();
    compare(&scene, Path::new(&out), &["--no-timing"]);
    assert_eq!(first, result("stopped"));
    // A cell alone has the numbers it has among the others.
    let line = words(&first).lines().nth(5).unwrap().to_owned();
    let command = line.rsplit(',').next().unwrap().trim_matches('"').to_owned();
    let arguments: Vec<&str> = command.split(' ').skip(1).collect();
    let alone = stuntlab(&[&arguments[..], &["--out", &path("alone"), "--no-timing"]].concat());
    assert!(alone.status.success(), "{command}: {}", words(&alone.stderr));
    assert_eq!(words(&result("alone")).lines().nth(1).unwrap(), line);
}

#[test]
fn what_cannot_be_is_one_line_and_says_what_can() {
    let dir = folder("refused");
    let scene = ball(&dir);
    let out = dir.join("out").display().to_string();
    for (arguments, expected) in [
        (vec!["compare", "no-such"], "no such suite, set-up or scene"),
        (vec!["compare", &scene, "--vary", "formulatoin=penalty"], "unknown key, expected one of: schema"),
        (vec!["compare", &scene, "--vary", "formulation=magic"], "expected one of: penalty"),
        (vec!["compare", "hard-contact", "--vary", "formulation=magic"], "expected one of: penalty"),
        (vec!["compare", "servo", "--vary", "law=bang-bang"], "expected one of: explicit-pd"),
        (vec!["compare", "servo", "--vary", "gain=1"], "unknown key, expected one of: law"),
        (vec!["compare", &scene, "--vary", "rate=0"], "expected a number above 0"),
        (vec!["compare", &scene, "--vary", "rate"], "expected key=a,b"),
        (vec!["compare", &scene, "--vary", "rate=60", "--vary", "rate=120"], "a second time"),
        (vec!["compare", &scene, "--seeds", "0"], "expected 1 to"),
        (vec!["compare", &scene, "--vary", "rate=60", "--shard", "3/2"], "expected i/n"),
    ] {
        let output = stuntlab(&[&arguments[..], &["--out", &out]].concat());
        let error = words(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(error.contains(expected), "{error}");
        assert!(!Path::new(&out).exists(), "{arguments:?} left something");
    }
    // A directory that cannot be written.
    let blocked = dir.join("ball.toml/out").display().to_string();
    let output = stuntlab(&["compare", "free-bodies", "--out", &blocked]);
    let error = words(&output.stderr);
    assert!(!output.status.success() && error.lines().count() == 1, "{error}");
}

#[test]
fn what_fails_or_does_not_go_together_is_a_result() {
    let dir = folder("failures");
    let scene = ball(&dir);
    let out = dir.join("out").display().to_string();
    // The plain integrator ends where something touches; maximal coordinates have no convex problem.
    let output = stuntlab(&[
        "compare",
        &scene,
        "--vary",
        "formulation=implicit-penalty,lcp-pgs",
        "--vary",
        "dynamics=reduced,maximal",
        "--out",
        &out,
    ]);
    assert!(output.status.success(), "{}", words(&output.stderr));
    let text = words(&std::fs::read(Path::new(&out).join("results.csv")).unwrap());
    assert_eq!(text.lines().filter(|l| l.contains("refused: ")).count(), 1, "{text}");
    let touched = dir.join("touched").display().to_string();
    let output = stuntlab(&["compare", &scene, "--vary", "integrator=rk4", "--out", &touched]);
    assert!(output.status.success(), "{}", words(&output.stderr));
    let text = words(&std::fs::read(Path::new(&touched).join("results.csv")).unwrap());
    assert!(text.contains("a contact") && text.contains("at 0."), "{text}");
    // The page needs nothing but itself, and says it all.
    let page = words(&std::fs::read(Path::new(&out).join("report.html")).unwrap());
    assert!(page.replace("http://www.w3.org/2000/svg", "").find("http").is_none(), "an address");
    for part in [
        "<svg",
        "data:image/png;base64,",
        "What is measured",
        "refused: ",
        "kind = &quot;plane&quot;",
        "stuntlab compare",
    ] {
        assert!(page.contains(part), "{part}");
    }
}
