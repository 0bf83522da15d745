//! The reader against the dialect corpus (values from an independent evaluator) and generated stress inputs.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use crate::common::shared;
use serde_json::Value;
use stuntlab_mocap::bvh::{Bvh, PositionChannels, ReadOptions};

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn check_against(name: &str, bvh: &Bvh, wanted: &Value) {
    assert_eq!(bvh.n_joints() as u64, wanted["joint_count"].as_u64().unwrap(), "{name}: joints");
    assert_eq!(bvh.n_end_sites() as u64, wanted["end_site_count"].as_u64().unwrap(), "{name}: end sites");
    assert_eq!(bvh.n_channels() as u64, wanted["channel_count"].as_u64().unwrap(), "{name}: channels");
    assert_eq!(bvh.n_frames() as u64, wanted["frame_count"].as_u64().unwrap(), "{name}: frames");
    assert_eq!(bvh.frame_time(), wanted["frame_time"].as_f64().unwrap(), "{name}: frame time");
    let joints = wanted["joints"].as_array().unwrap();
    assert_eq!(bvh.nodes().len(), joints.len(), "{name}: nodes");
    for (node, joint) in bvh.nodes().iter().zip(joints) {
        assert_eq!(node.name.as_deref(), joint["name"].as_str(), "{name}: name");
        assert_eq!(node.is_end_site(), joint["end_site"].as_bool().unwrap(), "{name}: end site");
        let parent = node.parent.map_or(-1, |p| p as i64);
        assert_eq!(parent, joint["parent"].as_i64().unwrap(), "{name}: parent");
        assert_eq!(node.offset.to_array().to_vec(), numbers(&joint["offset"]), "{name}: offset");
        let channels: Vec<&str> = node.channels.iter().map(|c| c.name()).collect();
        let listed: Vec<&str> =
            joint["channels"].as_array().unwrap().iter().map(|c| c.as_str().unwrap()).collect();
        assert_eq!(channels, listed, "{name}: channel names");
    }
    for (frame, positions) in wanted["world"].as_object().unwrap() {
        let world = bvh.world_positions(frame.parse().unwrap(), PositionChannels::Replace);
        let positions: Vec<Vec<f64>> = positions.as_array().unwrap().iter().map(numbers).collect();
        let size = positions.iter().flatten().fold(0.0f64, |m, v| m.max(v.abs()));
        for (got, want) in world.iter().zip(&positions) {
            for axis in 0..3 {
                let error = (got[axis] - want[axis]).abs();
                assert!(error <= 1e-9 * size.max(1e-9), "{name} frame {frame}: {got} instead of {want:?}");
            }
        }
    }
}

#[test]
fn good_dialects_match_the_independent_evaluator() {
    let Some(folder) = shared("mocap/dialects") else { return };
    let mut count = 0;
    for path in crate::common::files(&folder, "ok_", "bvh") {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let bvh = Bvh::parse(&std::fs::read(&path).unwrap()).unwrap_or_else(|e| panic!("{name}: {e}"));
        let wanted = std::fs::read_to_string(path.with_extension("json")).unwrap();
        let wanted = serde_json::from_str(&wanted).unwrap();
        check_against(&name, &bvh, &wanted);
        let again = Bvh::parse(bvh.write().as_bytes()).unwrap_or_else(|e| panic!("{name} written: {e}"));
        assert_eq!(again, bvh, "{name}: written and read again");
        count += 1;
    }
    assert!(count >= 49, "only {count} good dialects found");
}

/// Rows of the table in bad_expected.md: file, line, whether accepting is right too.
fn expectations(text: &str) -> Vec<(String, usize, bool)> {
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let file = cells.get(1)?.strip_prefix("`bad_")?.strip_suffix('`')?;
        let n = cells.len();
        Some((format!("bad_{file}"), cells[n - 3].parse().ok()?, cells[n - 2] == "error or accept"))
    };
    text.lines().filter_map(row).collect()
}

#[test]
fn malformed_files_name_the_line() {
    let Some(folder) = shared("mocap/dialects") else { return };
    let table = expectations(&std::fs::read_to_string(folder.join("bad_expected.md")).unwrap());
    assert!(table.len() >= 82, "only {} rows found", table.len());
    let mut faults = Vec::new();
    for (file, line, may_accept) in table {
        let text = std::fs::read(folder.join(&file)).unwrap();
        match Bvh::parse(&text) {
            Ok(bvh) if may_accept => {
                let finite =
                    |f| bvh.world_positions(f, PositionChannels::Replace).iter().all(|p| p.is_finite());
                assert!((0..=bvh.n_frames()).all(finite), "{file}");
            }
            Ok(_) => faults.push(format!("{file}: accepted, line {line} is wrong")),
            Err(error) => {
                println!("{file}: {error}");
                let text = error.to_string();
                // A file that ends too early may name its last line or the one after.
                let past_end = text.contains("end of the file") && error.line == line + 1;
                if !(error.line == line || past_end) || !text.contains("expected") {
                    faults.push(format!("{file}: should name line {line}: {error}"));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn likely_causes_are_named() {
    let Some(folder) = shared("mocap/dialects") else { return };
    for (file, word) in [
        ("bad_utf16le", "UTF-16"),
        ("bad_utf16be_no_bom", "UTF-16"),
        ("bad_frame_time_comma", "comma"),
        ("bad_row_decimal_comma", "comma"),
        ("bad_row_glued_minus", "minus"),
        ("bad_row_msvc_nan", "finite"),
        ("bad_row_overflow", "large"),
        ("bad_row_hex", "hexadecimal"),
    ] {
        let text = std::fs::read(folder.join(file).with_extension("bvh")).unwrap();
        let error = Bvh::parse(&text).unwrap_err().to_string();
        assert!(error.contains(word), "{file}: {error}");
    }
}

#[test]
fn tolerant_readings_mean_what_they_should() {
    let Some(folder) = shared("mocap/dialects") else { return };
    let read = |file: &str| Bvh::parse(&std::fs::read(folder.join(file)).unwrap()).unwrap();
    assert_eq!(read("bad_utf8_bom.bvh").nodes()[0].name.as_deref(), Some("Hips"));
    assert_eq!(read("bad_invalid_utf8_name.bvh").nodes()[1].name.as_deref(), Some("Echéine"));
    assert_eq!(read("bad_trailing_ctrl_z.bvh").n_frames(), 3);
    assert_eq!(read("bad_frames_zero.bvh").n_frames(), 0);
}

#[test]
fn lenient_mode_takes_the_rows_that_are_there() {
    let lenient = ReadOptions { lenient_frame_count: true };
    let file = |frames: u64, rows: &str| {
        format!(
            "HIERARCHY\nROOT A\n{{\nOFFSET 0 0 0\nCHANNELS 2 Xposition Yrotation\n}}\nMOTION\nFrames: {frames}\nFrame Time: 0.1\n{rows}"
        )
    };
    for (declared, rows, n_frames) in
        [(5, "1 2\n3 4\n", 2), (1, "1 2\n3 4\n5 6", 3), (3, "1 2\n3 4\n5", 2), (4_000_000_000, "1 2\n3 -", 1)]
    {
        let text = file(declared, rows);
        assert!(Bvh::parse(text.as_bytes()).is_err());
        let reading = Bvh::read(text.as_bytes(), lenient).unwrap();
        assert_eq!(reading.bvh.n_frames(), n_frames);
        assert!(!reading.warnings.is_empty());
    }
    // A short row inside the recording stays an error.
    assert_eq!(Bvh::read(file(3, "1 2\n3\n5 6\n").as_bytes(), lenient).unwrap_err().line, 11);
}

const ROOT: &str = "HIERARCHY\nROOT Hips\n{\n\tOFFSET 0 0 0\n\tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n";
const TAIL: &str = "\tJOINT Spine\n\t{\n\t\tOFFSET 0 10 0\n\t\tCHANNELS 3 Zrotation Xrotation Yrotation\n\t\tEnd Site\n\t\t{\n\t\t\tOFFSET 0 5 0\n\t\t}\n\t}\n}\n";

fn deep(n: usize) -> String {
    let mut text = ROOT.to_owned();
    for i in 1..n {
        text += &format!("JOINT J{i}\n{{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n");
    }
    text += "End Site\n{\nOFFSET 0 1 0\n}\n";
    text += &"}\n".repeat(n);
    text += "MOTION\nFrames: 2\nFrame Time: 0.0333333\n";
    let row = vec!["0"; 6 + 3 * (n - 1)].join(" ");
    text + &row + "\n" + &row + "\n"
}

#[test]
fn sixty_thousand_nested_joints_load_and_write() {
    let bvh = Bvh::parse(deep(60_000).as_bytes()).unwrap();
    assert_eq!(bvh.n_joints(), 60_000);
    let tip = bvh.world_positions(0, PositionChannels::Replace).pop().unwrap();
    assert_eq!(tip.to_array(), [0.0, 60_000.0, 0.0]);
    assert_eq!(Bvh::parse(bvh.write().as_bytes()).unwrap(), bvh);
}

#[test]
fn a_million_open_joints_hit_the_nesting_limit() {
    let text = ROOT.to_owned() + &"JOINT J\n{\nOFFSET 0 1 0\n".repeat(1_000_000);
    let error = Bvh::parse(text.as_bytes()).unwrap_err();
    assert!(error.to_string().contains("nested"), "{error}");
}

#[test]
fn millions_of_braces_fail_at_the_first_wrong_one() {
    let text = "HIERARCHY\nROOT Hips\n{\n".to_owned() + &"{".repeat(5_000_000);
    assert_eq!(Bvh::parse(text.as_bytes()).unwrap_err().line, 4);
}

#[test]
fn long_names_rows_and_lists_are_fine() {
    let name = "S".repeat(8_000_000);
    let motion = "MOTION\nFrames: 1\nFrame Time: 0.0333333\n";
    let text = (ROOT.to_owned() + TAIL).replace("Spine", &name) + motion + "1 2 3 4 5 6 7 8 9\n";
    assert_eq!(Bvh::parse(text.as_bytes()).unwrap().nodes()[1].name.as_deref(), Some(&*name));

    let text = ROOT.to_owned() + TAIL + motion + &"1 ".repeat(3_000_000) + "\n";
    assert_eq!(Bvh::parse(text.as_bytes()).unwrap_err().line, 19);

    let rows: String = (0..200_000).map(|i| format!("{i} 2 3 4 5 6 7 8 9\n")).collect();
    let text = ROOT.to_owned() + TAIL + "MOTION\nFrames: 200000\nFrame Time: 0.0333333\n" + &rows;
    let bvh = Bvh::parse(text.as_bytes()).unwrap();
    assert_eq!(bvh.n_frames(), 200_000);
    assert_eq!(bvh.frame(199_999)[0], 199_999.0);
}

#[test]
fn fifty_thousand_children_load() {
    let n = 50_000;
    let mut text = ROOT.to_owned();
    for i in 0..n {
        text += &format!("JOINT C{i} {{ OFFSET 1 0 0 CHANNELS 1 Zrotation End Site {{ OFFSET 0 1 0 }} }}\n");
    }
    text += "}\nMOTION\nFrames: 1\nFrame Time: 0.0333333\n";
    text += &vec!["0"; 6 + n].join(" ");
    let bvh = Bvh::parse(text.as_bytes()).unwrap();
    assert_eq!(bvh.n_joints(), n + 1);
    assert_eq!(Bvh::parse(bvh.write().as_bytes()).unwrap(), bvh);
}

#[test]
fn a_skeleton_without_channels_has_as_many_frames_as_lines_allow() {
    let file = |frames: &str, rest: &str| {
        Bvh::parse(
            format!("HIERARCHY ROOT A {{ OFFSET 0 0 0 }} MOTION\nFrames: {frames}\nFrame Time: 1\n{rest}")
                .as_bytes(),
        )
    };
    assert_eq!(file("2", "\n\n").unwrap().n_frames(), 2);
    assert!(file("4000000000", "\n\n").is_err());
    assert!(file("1", "5\n").is_err());
}
