//! `stuntlab clip` as a user runs it.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn shared(folder: &str) -> Option<PathBuf> {
    let base = std::env::var_os("STUNTLAB_SHARED")
        .map(PathBuf::from)
        .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"));
    let found = Some(base.join(folder)).filter(|p| p.is_dir());
    if found.is_none() {
        println!("skipped: no reference data under {}", base.display());
    }
    found
}

fn stuntlab(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stuntlab")).arg("clip").args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A scratch folder of this test.
fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

const SMALL: &str = "HIERARCHY\nROOT Hips\n{\n\tOFFSET 0 0 0\n\tCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation\n\tEnd Site\n\t{\n\t\tOFFSET 0 160 0\n\t}\n}\nMOTION\nFrames: 2\nFrame Time: 0.0333333\n0 90 0 0 0 0\n0 90 3 0 5 0\n";

#[test]
fn info_gives_the_corpus_fields() {
    let Some(folder) = shared("mocap/dialects") else { return };
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !(name.starts_with("ok_") && name.ends_with(".bvh")) {
            continue;
        }
        let wanted: Value =
            serde_json::from_str(&std::fs::read_to_string(path.with_extension("json")).unwrap()).unwrap();
        let outcome = stuntlab::clip::info(&path, true, false).unwrap();
        let found: Value = serde_json::from_str(&outcome.text).unwrap();
        for field in
            ["joint_count", "end_site_count", "channel_count", "frame_count", "frame_time", "joints", "file"]
        {
            assert_eq!(found[field], wanted[field], "{name}: {field}");
        }
        let (found, wanted) = (found["world"].as_object().unwrap(), wanted["world"].as_object().unwrap());
        assert_eq!(found.keys().collect::<Vec<_>>(), wanted.keys().collect::<Vec<_>>(), "{name}");
        for (frame, places) in wanted {
            let flat = |v: &Value| -> Vec<f64> {
                let rows = v.as_array().unwrap().iter();
                rows.flat_map(|p| p.as_array().unwrap()).map(|x| x.as_f64().unwrap()).collect()
            };
            let (a, b) = (flat(&found[frame]), flat(places));
            let size = b.iter().fold(1e-9f64, |m, x| m.max(x.abs()));
            assert_eq!(a.len(), b.len());
            assert!(a.iter().zip(&b).all(|(x, y)| (x - y).abs() <= 1e-6 * size), "{name} frame {frame}");
        }
        count += 1;
    }
    assert!(count >= 49, "{count}");
}

#[test]
fn detected_says_what_the_clip_shows() {
    let Some(folder) = shared("mocap/cmu") else { return };
    let file = folder.join("16_15.bvh");
    let output = stuntlab(&["info", "--json", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0));
    let found: Value = serde_json::from_str(&text(&output.stdout)).unwrap();
    let detected = &found["detected"];
    assert!((detected["unit_metres"].as_f64().unwrap() - 0.0254 / 0.45).abs() < 1e-12);
    assert_eq!(detected["up_axis"], "y");
    assert_eq!(detected["frame_rate_doubt"], false);
    assert_eq!(detected["bad_frames"][0]["kind"], "calibration");
    assert!(detected["contacts"]["left"]["heel"].as_array().unwrap().len() >= 3);
    assert!(detected["character"].as_str().unwrap().contains("16 bodies"));
    // The T-pose in front needs attention, so the check does not hold.
    let output = stuntlab(&["check", file.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("first 3 frame"), "{}", text(&output.stdout));
}

#[test]
fn a_clean_file_passes_and_a_faulty_one_is_named() {
    let folder = scratch("faults");
    let good = folder.join("good.bvh");
    std::fs::write(&good, SMALL).unwrap();
    let output = stuntlab(&["check", good.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    let bad = folder.join("bad.bvh");
    std::fs::write(&bad, SMALL.replace("0 90 3", "0 x 3")).unwrap();
    for tool in ["info", "check"] {
        let output = stuntlab(&[tool, bad.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(2));
        let message = text(&output.stderr);
        assert!(
            message.contains("bad.bvh") && message.contains("line 15") && message.contains("expected"),
            "{message}"
        );
        assert_eq!(message.trim_end().lines().count(), 1, "{message}");
    }
    let output = stuntlab(&["info", folder.join("absent.bvh").to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("absent.bvh"));
}

#[test]
fn convert_writes_what_was_asked() {
    let Some(folder) = shared("mocap/cmu") else { return };
    let out = scratch("convert").join("walk.bvh");
    let (file, out_text) = (folder.join("16_15.bvh"), out.to_str().unwrap());
    let arguments = [
        "convert",
        file.to_str().unwrap(),
        out_text,
        "--from",
        "3",
        "--to",
        "122",
        "--rate",
        "30",
        "--mirror",
    ];
    let output = stuntlab(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let written = stuntlab_mocap::bvh::Bvh::parse(&std::fs::read(&out).unwrap()).unwrap();
    assert_eq!((written.n_frames(), written.n_joints()), (30, 31));
    assert!((written.frame_time() - 1.0 / 30.0).abs() < 1e-12);

    let mut arguments = arguments.to_vec();
    arguments.extend(["--retarget", "stuntperson"]);
    let output = stuntlab(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("cm off on average"));
    let written = stuntlab_mocap::bvh::Bvh::parse(&std::fs::read(&out).unwrap()).unwrap();
    assert_eq!(written.n_frames(), 30);
    assert!(written.nodes().iter().any(|n| n.name.as_deref() == Some("LeftForeArm")));

    let output = stuntlab(&["convert", file.to_str().unwrap(), out_text, "--from", "9000"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("frame range"), "{}", text(&output.stderr));
}

#[test]
fn graph_writes_json_and_a_picture() {
    let Some(folder) = shared("mocap/cmu") else { return };
    let out = scratch("graph");
    let files = ["16_15.bvh", "16_34.bvh"].map(|f| folder.join(f).to_str().unwrap().to_owned());
    let arguments = ["graph", &files[0], &files[1], "--out", out.to_str().unwrap(), "--pair", "0", "1"];
    let output = stuntlab(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let graph: Value =
        serde_json::from_str(&std::fs::read_to_string(out.join("graph.json")).unwrap()).unwrap();
    assert_eq!(graph["clips"][1]["name"], "16_34");
    let transitions = graph["transitions"].as_array().unwrap();
    assert!(!transitions.is_empty());
    assert!(transitions.iter().all(|t| t["distance_m"].as_f64().unwrap() < 0.06));
    let svg = std::fs::read_to_string(out.join("distances.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    assert!(svg.contains("<circle") && svg.contains("16_34 (across"));
    let output = stuntlab(&["graph", &files[0], "--pair", "0", "7"]);
    assert_eq!(output.status.code(), Some(2));
}
