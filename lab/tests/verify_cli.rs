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
