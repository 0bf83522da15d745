//! `stuntlab verify` on bad input: exit code 2 and one line that says what is wrong and where.

use std::path::PathBuf;
use std::process::{Command, Output};

/// One hinged body, as a fixture; tests break it in one place each.
const PENDULUM: &str = r#"{"kind":"dynamics","name":"pendulum","gravity":[0,0,-9.81],"model":{"bodies":[
{"name":"rod","parent":-1,"joint":{"type":"revolute","axis":[0,1,0],"placement":{"translation":[0,0,0],
"quaternion":[0,0,0,1]}},"mass":1.0,"com":[0,0,-0.5],"inertia":[0.1,0.1,0.01,0,0,0]}]},"states":[]}"#;

/// A fresh directory of the given name with the given files.
fn directory(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    if dir.exists() {
        std::fs::remove_dir_all(&dir).expect("our own directory can go");
    }
    std::fs::create_dir_all(&dir).expect("a directory for the test");
    for (file, text) in files {
        std::fs::write(dir.join(file), text).expect("a file for the test");
    }
    dir
}

fn verify(dir: &PathBuf) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stuntlab")).arg("verify").arg(dir).output().expect("the program starts")
}

/// Exit code 2, nothing on standard output, one line on standard error that holds all of `words`.
fn assert_refused(name: &str, files: &[(&str, &str)], words: &[&str]) {
    let output = verify(&directory(name, files));
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert_eq!(error.trim_end().lines().count(), 1, "{error}");
    assert!(output.stdout.is_empty());
    for word in words {
        assert!(error.contains(word), "no '{word}' in: {error}");
    }
}

#[test]
fn a_directory_that_is_not_there() {
    let output = verify(&directory("parent", &[]).join("nowhere"));
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("nowhere"));
}

#[test]
fn an_empty_directory() {
    assert_refused("empty", &[], &["no fixtures", "empty"]);
}

#[test]
fn a_directory_with_other_files() {
    assert_refused("other", &[("notes.txt", "hello")], &["no fixtures"]);
}

#[test]
fn truncated_json() {
    for cut in [1, 40, PENDULUM.len() / 2, PENDULUM.len() - 1] {
        assert_refused("truncated", &[("cut.json", &PENDULUM[..cut])], &["cut.json"]);
    }
}

#[test]
fn not_a_number() {
    for bad in ["NaN", "null", "1e999"] {
        let text = PENDULUM.replace("\"mass\":1.0", &format!("\"mass\":{bad}"));
        assert_refused("nan", &[("nan.json", &text)], &["nan.json"]);
    }
}

#[test]
fn a_field_of_the_wrong_kind_is_named() {
    let text = PENDULUM.replace("[0,0,-0.5]", "[0,0]");
    assert_refused("short", &[("short.json", &text)], &["short.json", "model.bodies[0].com"]);
}

#[test]
fn a_model_with_a_cycle() {
    let text = PENDULUM.replace("\"parent\":-1", "\"parent\":0");
    assert_refused("cycle", &[("cycle.json", &text)], &["cycle.json", "rod", "hangs on itself"]);
}

#[test]
fn a_parent_that_does_not_exist() {
    let text = PENDULUM.replace("\"parent\":-1", "\"parent\":7");
    assert_refused("orphan", &[("orphan.json", &text)], &["orphan.json", "model.bodies[0].parent", "7"]);
}

#[test]
fn an_impossible_inertia() {
    let text = PENDULUM.replace("[0.1,0.1,0.01,0,0,0]", "[0.1,0.1,0.9,0,0,0]");
    assert_refused("inertia", &[("inertia.json", &text)], &["inertia.json", "rod", "principal inertias"]);
}

#[test]
fn an_unknown_kind() {
    let text = PENDULUM.replace("\"kind\":\"dynamics\"", "\"kind\":\"cookery\"");
    assert_refused("kind", &[("kind.json", &text)], &["kind.json", "cookery", "dynamics"]);
}

#[test]
fn a_sound_fixture_passes() {
    let output = verify(&directory("sound", &[("pendulum.json", PENDULUM)]));
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A ball on the ground, as a contact fixture.
const BALL: &str = r#"{"kind":"contact","time_steps":{"1/120":0.008333333333333333},"cases":[{"name":"ball",
"scenario":"sphere_rest","gravity":[0,0,-9.81],"plane":{"normal":[0,0,1],"offset":0},"bodies":[{"shape":"sphere",
"radius":0.1,"mass":1,"inertia":[0.004,0.004,0.004,0,0,0],"com":[0,0,0]}],"initial":[{"position":[0,0,0.1],
"quaternion":[0,0,0,1],"linear_velocity":[0,0,0],"angular_velocity_world":[0,0,0]}],"contact":{"stiffness":2000,
"damping":60,"friction":0.5,"restitution":0},"duration":2,"expected":{"penalty":{"penetration":0.004905},
"lcp":{"penetration":0},"normal_force":9.81,"average_force_over_last":0.5},"tolerance":{
"penalty":{"1/120":{"penetration_relative":0.002,"speed":0.001}},"lcp":{"1/120":{"penetration_absolute":0.001}}}}]}"#;

#[test]
fn a_sound_contact_fixture_passes_and_a_wrong_one_fails() {
    let output = verify(&directory("ball", &[("ball.json", BALL)]));
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
    let wrong = BALL.replace("0.004905", "0.006");
    let output = verify(&directory("wrong_ball", &[("ball.json", &wrong)]));
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stdout).contains("FAIL"));
}

#[test]
fn bad_contact_fields_are_named() {
    for (name, good, bad, words) in [
        ("scenario", "sphere_rest", "juggling", ["cases[0].scenario", "juggling"]),
        ("radius", "\"radius\":0.1,", "", ["cases[0].bodies[0].radius", "missing"]),
        ("shape", "\"sphere\"", "\"teapot\"", ["cases[0].bodies[0].shape", "teapot"]),
        ("normal", "\"normal\":[0,0,1]", "\"normal\":[0,0,2]", ["cases[0].plane.normal", "length 2"]),
        ("expected", "\"normal_force\":9.81,", "", ["cases[0].expected", "normal_force"]),
        (
            "tolerance",
            "\"speed\":",
            "\"sped\":",
            ["cases[0].tolerance.penalty.1/120.sped", "no such quantity"],
        ),
        ("steps", "\"lcp\":{\"1/120\"", "\"lcp\":{\"1/90\"", ["cases[0].tolerance.lcp", "1/90"]),
        ("mass", "\"mass\":1", "\"mass\":-1", ["cases[0].bodies", "mass"]),
    ] {
        assert!(BALL.contains(good), "{name}");
        let text = BALL.replacen(good, bad, 1);
        assert_refused(&format!("ball_{name}"), &[("ball.json", &text)], &["ball.json", words[0], words[1]]);
    }
}

/// One row, as an lcp fixture.
const ROW: &str = r#"{"kind":"lcp","problems":[{"name":"row","form":"lcp","n":1,"M":[[2]],"q":[-1],"lo":[0],
"hi":[null],"expected":{"status":"solved","x":[0.5],"w":[0]},"compare":"x","pgs_iterations_to_1e-8":1}]}"#;

#[test]
fn a_sound_lcp_fixture_passes_and_bad_fields_are_named() {
    let output = verify(&directory("row", &[("row.json", ROW)]));
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
    for (name, good, bad, word) in [
        ("matrix", "[[2]]", "[[2,3]]", "problems[0].M[0]"),
        ("offset", "[-1]", "[-1,4]", "problems[0].q"),
        ("compare", "\"compare\":\"x\"", "\"compare\":\"y\"", "problems[0].compare"),
        ("status", "\"solved\"", "\"maybe\"", "problems[0].expected.status"),
        ("x", "\"x\":[0.5],", "", "problems[0].expected.x"),
        ("bounds", "\"lo\":[0],", "\"lo\":[0,0],", "problems[0].lo"),
    ] {
        assert!(ROW.contains(good), "{name}");
        assert_refused(&format!("row_{name}"), &[("row.json", &ROW.replace(good, bad))], &["row.json", word]);
    }
}
