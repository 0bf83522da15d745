//! The program from outside: exit codes, files, replay, lists.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its scene should stop there")]

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

fn stuntlab(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stuntlab")).args(arguments).output().unwrap()
}

fn folder(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("stuntlab-{name}-{}", std::process::id()))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_run_leaves_its_files_and_reruns_leave_the_same() {
    let (first, again) = (folder("first"), folder("again"));
    for dir in [&first, &again] {
        let output = stuntlab(&["run", "base-tumble", "--out", dir.to_str().unwrap(), "--quiet"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
        assert!(output.stdout.is_empty() && output.stderr.is_empty());
        for file in ["metrics.json", "log.csv", "run.gif", "sheet.png", "manifest.json"] {
            assert!(dir.join(file).exists(), "{file}");
        }
    }
    for file in ["metrics.json", "manifest.json", "log.csv", "run.gif"] {
        assert!(
            std::fs::read(first.join(file)).unwrap() == std::fs::read(again.join(file)).unwrap(),
            "{file} differs between reruns"
        );
    }
    let replay = stuntlab(&["replay", first.to_str().unwrap()]);
    assert_eq!(replay.status.code(), Some(0), "{}", text(&replay.stdout));
    assert!(text(&replay.stdout).contains("all 4 states are the same"), "{}", text(&replay.stdout));

    // A state that was another is found.
    let path = again.join("manifest.json");
    let mut manifest: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    manifest["lanes"][0]["hashes"][2] = Value::from("0000000000000000");
    std::fs::write(&path, manifest.to_string()).unwrap();
    let replay = stuntlab(&["replay", again.to_str().unwrap()]);
    assert_eq!(replay.status.code(), Some(1));
    assert!(
        text(&replay.stdout).contains("at 2 s the state was 0000000000000000"),
        "{}",
        text(&replay.stdout)
    );
    for dir in [first, again] {
        std::fs::remove_dir_all(dir).unwrap();
    }
}

#[test]
fn a_measurement_that_fails_is_exit_code_one_and_says_so() {
    let output = stuntlab(&["run", "base-tumble", "--set", "measure.0.max=1e-30", "--set", "duration=0.5"]);
    assert_eq!(output.status.code(), Some(1));
    let table = text(&output.stdout);
    assert!(table.lines().any(|l| l.starts_with("energy-drift") && l.ends_with("FAIL")), "{table}");
    let json = stuntlab(&["run", "base-tumble", "--set", "duration=0.5", "--json"]);
    let value: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(value["passed"], true);
    assert_eq!(value["measurements"].as_array().unwrap().len(), 5);
}

#[test]
fn bad_input_is_one_line_and_exit_code_two() {
    for (arguments, words) in [
        (&["run", "base-nothing"][..], "no such scene, expected a .toml file or one of: adaptive-bags"),
        (&["run", "missing.toml"], "missing.toml: No such file"),
        (&["run", "base-tumble", "--set", "rate=fast"], "rate: is a text, expected a number"),
        (&["run", "base-tumble", "--vary", "rate"], "expected key=a,b"),
        (&["replay", "/nonexistent"], "/nonexistent: No such file"),
    ] {
        let output = stuntlab(arguments);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn the_list_says_what_each_scene_shows_and_measures() {
    let output = stuntlab(&["scenes", "--json"]);
    let list: Value = serde_json::from_slice(&output.stdout).unwrap();
    let list = list.as_array().unwrap();
    assert!(list.len() >= 8);
    for entry in list {
        assert!(entry["name"].as_str().unwrap().contains('-'));
        assert!(!entry["shows"].as_str().unwrap().is_empty());
        assert!(!entry["measures"].as_array().unwrap().is_empty());
    }
    assert!(text(&stuntlab(&["scenes"]).stdout).contains("base-ragdoll"));
}

#[test]
fn shells_complete_the_commands() {
    let script = text(&stuntlab(&["completions", "bash"]).stdout);
    assert!(script.contains("replay") && script.contains("--set"), "{script}");
}

#[test]
fn every_command_can_be_quiet_and_speak_json() {
    let commands: [&[&str]; 3] = [
        &["scenes"],
        &["run", "base-tumble", "--set", "duration=0.1"],
        &["view", "base-tumble", "--headless", "--frames", "2", "--size", "160x90"],
    ];
    for command in commands {
        let quiet = stuntlab(&[command, &["--quiet"]].concat());
        assert!(quiet.status.success(), "{command:?}: {}", text(&quiet.stderr));
        assert!(quiet.stdout.is_empty() && quiet.stderr.is_empty(), "{command:?}");
        let json = stuntlab(&[command, &["--json"]].concat());
        serde_json::from_slice::<Value>(&json.stdout).unwrap();
        assert!(!stuntlab(command).stdout.is_empty(), "{command:?}");
    }
}

#[test]
fn frames_without_a_window_are_counted_and_timed() {
    let output =
        stuntlab(&["view", "base-tumble", "--headless", "--frames", "3", "--size", "160x90", "--json"]);
    let pace: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(pace["frames"], 3);
    assert_eq!(pace["size"], serde_json::json!([160, 90]));
    assert!(pace["frames_per_second"].as_f64().unwrap() > 0.0);
}

#[test]
fn a_variant_that_lasts_longer_than_its_scene_is_run_to_its_end() {
    let dir = folder("longer");
    std::fs::create_dir_all(&dir).unwrap();
    let scene = "schema = 1\nshows = \"a fall\"\nduration = 0.5\nrate = 120\n\
                 [[body]]\nname = \"ball\"\nshape = \"sphere\"\nradius = 0.1\nmass = 1.0\nat = [0.0, 0.0, 10.0]\n\
                 [[measure]]\nquantity = \"speed\"\nof = \"ball\"\nstat = \"max\"\n\
                 [[variant]]\nname = \"short\"\n[[variant]]\nname = \"long\"\nset = [\"duration=1.0\"]\n";
    let path = dir.join("fall.toml");
    std::fs::write(&path, scene).unwrap();
    let output = stuntlab(&["run", path.to_str().unwrap(), "--no-film", "--json"]);
    let metrics: Value = serde_json::from_slice(&output.stdout).unwrap();
    let speeds: Vec<f64> =
        metrics["measurements"].as_array().unwrap().iter().map(|m| m["value"].as_f64().unwrap()).collect();
    assert!((speeds[0] - 4.9).abs() < 0.1 && (speeds[1] - 9.8).abs() < 0.1, "{speeds:?}");
    assert_eq!(metrics["duration"].as_f64(), Some(1.0));
    std::fs::remove_dir_all(dir).unwrap();
}
