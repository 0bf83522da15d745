//! Formulation, integrator and coordinates are settings of a scene like any other, and the manifest says what took effect.

use stuntlab::run::{LaneManifest, Manifest, Run, variants_of};
use stuntlab::scene::{Scene, SceneError};

/// A chain that hangs on the world by one end, in the air.
const SWING: &str = r#"schema = 1
shows = "A chain swings"
duration = 0.5
rate = 240

[[chain]]
name = "chain"
links = 4
from = [0.0, 0.0, 3.0]
to = [0.6, 0.0, 2.6]
end = "free"
radius = 0.02
mass = 1.0
"#;

const DROP: &str = r#"schema = 1
shows = "A box drops"
duration = 0.5

[[terrain]]
kind = "plane"

[[body]]
name = "box"
shape = "box"
size = [0.2, 0.2, 0.2]
mass = 1.0
at = [0.0, 0.0, 0.11]
"#;

fn scene(text: &str, set: &[&str]) -> Result<Scene, SceneError> {
    let set: Vec<String> = set.iter().map(|s| (*s).to_owned()).collect();
    Scene::parse("here.toml", text, &set)
}

/// Runs to the end; what the manifest says of each lane.
fn lanes(text: &str, set: &[&str], vary: Option<&str>) -> Vec<LaneManifest> {
    let scene = scene(text, set).expect("a scene that reads");
    let variants = variants_of(&scene, vary).expect("variants that fit");
    let mut run = Run::new(&scene, &variants).expect("worlds that build");
    run.advance_to(scene.duration);
    Manifest::of(&run).lanes
}

#[test]
fn integrators_are_chosen_by_name_and_kept_in_the_manifest() {
    let lanes = lanes(SWING, &[], Some("integrator=rk4,semi-implicit-euler,implicit-velocity"));
    let names: Vec<&str> = lanes.iter().map(|l| l.integrator.as_str()).collect();
    assert_eq!(names, ["rk4", "semi-implicit-euler", "implicit-velocity"]);
    for lane in &lanes {
        assert_eq!((lane.failure.as_deref(), lane.substeps, lane.substep), (None, 1, 1.0 / 240.0));
    }
    let ends: Vec<_> = lanes.iter().map(|l| l.hashes.last()).collect();
    assert!(ends[0] != ends[1] && ends[1] != ends[2] && ends[0] != ends[2], "{ends:?}");
}

#[test]
fn the_formulation_s_own_integrator_is_no_other_run() {
    let plain = lanes(SWING, &["formulation=lcp-pgs"], None);
    let named = lanes(SWING, &["formulation=lcp-pgs", "integrator=implicit-velocity"], None);
    assert_eq!(plain, named);
    assert_eq!(plain[0].integrator, "implicit-velocity");
    assert_eq!(lanes(SWING, &["formulation=penalty"], None)[0].integrator, "semi-implicit-euler");
}

#[test]
fn separate_bodies_swing_nearly_as_joints_do() {
    let run = || {
        let scene = scene(SWING, &["formulation=lcp-dantzig", "rate=1000"]).unwrap();
        let variants = variants_of(&scene, Some("dynamics=reduced,maximal")).unwrap();
        let mut run = Run::new(&scene, &variants).unwrap();
        run.advance_to(scene.duration);
        run
    };
    let first = run();
    let manifest = Manifest::of(&first);
    let names: Vec<&str> = manifest.lanes.iter().map(|l| l.dynamics.as_str()).collect();
    assert_eq!(names, ["reduced", "maximal"]);
    let apart = first.divergence()[1];
    assert!(apart > 1e-9 && apart < 5e-3, "{apart} m apart");
    assert_eq!(manifest, Manifest::of(&run()), "a second run");
}

#[test]
fn explicit_springs_say_how_often_they_looked() {
    let lane = &lanes(DROP, &["formulation=penalty"], None)[0];
    assert_eq!(lane.failure, None);
    assert!(
        lane.substeps > 16 && lane.substep < 1.0 / (120.0 * 16.0),
        "{} of {} s",
        lane.substeps,
        lane.substep
    );
    let fixed =
        &lanes(DROP, &["formulation=penalty", "solver.most_substeps=0", "solver.substeps=64"], None)[0];
    assert_eq!((fixed.failure.as_deref(), fixed.substeps), (None, 64));
}

#[test]
fn a_bound_on_the_work_is_a_setting() {
    let bound = ["formulation=lcp-dantzig", "solver.most_work=500"];
    let lane = &lanes(DROP, &bound, None)[0];
    assert!(lane.failure.is_none() && lane.given_up > 0, "{lane:?}");
    assert_eq!(lanes(DROP, &bound[..1], None)[0].given_up, 0);
}

#[test]
fn what_does_not_go_together_is_refused_with_its_line() {
    let told = |text: &str, set: &[&str]| scene(text, set).unwrap_err().to_string();
    let with = |line: &str| DROP.replacen("duration = 0.5", &format!("duration = 0.5\n{line}"), 1);
    for (lines, place, words) in [
        (
            "dynamics = \"maximal\"",
            "here.toml:4: dynamics",
            "expected formulation penalty, lcp-pgs or lcp-dantzig",
        ),
        ("formulation = \"penalty\"\nintegrator = \"rk4\"", "here.toml:5: integrator", "semi-implicit-euler"),
        ("formulation = \"lcp-pgs\"\nintegrator = \"rk4\"", "here.toml:5: integrator", "implicit-velocity"),
        ("integrator = \"rk5\"", "here.toml:4: integrator", "expected one of: semi-implicit-euler, rk4"),
        ("dynamics = \"minimal\"", "here.toml:4: dynamics", "expected one of: reduced, maximal"),
    ] {
        let error = told(&with(lines), &[]);
        assert!(error.starts_with(place) && error.contains(words), "{error}");
    }
    let held = SWING.replacen("end = \"free\"\n", "", 1);
    let error = told(&held, &["integrator=rk4"]);
    assert!(
        error.contains("integrator: takes smooth motion only") && error.contains("held at both ends"),
        "{error}"
    );
}

#[test]
fn a_smooth_run_ends_where_something_touches() {
    let lane = &lanes(DROP, &["integrator=rk4"], None)[0];
    let failure = lane.failure.as_deref().expect("the box lands");
    assert!(failure.contains("a contact of body 'box'") && failure.contains("rk4"), "{failure}");
}
