//! What the import decides for files of other makers.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use glam::DVec3;
use stuntlab_mocap::bvh::{Bvh, PositionChannels};
use stuntlab_mocap::convert::{ImportError, ImportOptions, import};
use stuntlab_mocap::detect::{Unit, UpAxis};
use stuntlab_mocap::{Clip, JointId, Roles};

/// A standing figure: thigh and shank lengths, the axes of up and left, joint names, and one frame of zeros.
fn figure(leg: f64, up: DVec3, left: DVec3, names: [&str; 8]) -> String {
    let mut text = String::from("HIERARCHY\n");
    let mut joint = |keyword: &str, name: &str, offset: DVec3, channels: &str| {
        text += &format!("{keyword} {name}\n{{\nOFFSET {} {} {}\n{channels}\n", offset.x, offset.y, offset.z);
    };
    let turns = "CHANNELS 3 Zrotation Yrotation Xrotation";
    let root = "CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation";
    joint("ROOT", names[0], DVec3::ZERO, root);
    joint("JOINT", names[1], leg * up, turns);
    text += "}\n";
    for side in 0..2 {
        let sign = 1.0 - 2.0 * side as f64;
        let mut joint = |name: &str, offset: DVec3| {
            text += &format!("JOINT {name}\n{{\nOFFSET {} {} {}\n{turns}\n", offset.x, offset.y, offset.z);
        };
        joint(names[2 + 3 * side], 0.2 * leg * sign * left);
        joint(names[3 + 3 * side], -0.5 * leg * up);
        joint(names[4 + 3 * side], -0.5 * leg * up);
        text += "}\n}\n}\n";
    }
    text += "}\nMOTION\nFrames: 1\nFrame Time: .0083333\n";
    let mut row = vec!["0".to_owned(); 6 + 3 * 7];
    (0..3).for_each(|i| row[i] = (leg * up)[i].to_string());
    text + &row.join(" ") + "\n"
}

const CMU: [&str; 8] =
    ["Hips", "Head", "LeftUpLeg", "LeftLeg", "LeftFoot", "RightUpLeg", "RightLeg", "RightFoot"];

fn check_import(leg: f64, up: DVec3, left: DVec3, names: [&str; 8], unit: Unit, axis: UpAxis) {
    let bvh = Bvh::parse(figure(leg, up, left, names).as_bytes()).unwrap();
    let (clip, report) = import("figure", &bvh, &ImportOptions::default()).unwrap();
    assert_eq!((report.unit, report.up), (unit, axis), "{:?}", report.notes);
    assert_eq!(report.notes.len(), 2, "both guesses are told: {:?}", report.notes);
    assert_eq!(report.frame_time, 1.0 / 120.0);
    let roles = Roles::find(clip.skeleton());
    assert!(roles.has_legs(), "{names:?}");
    let mut world = Vec::new();
    clip.world(0, &mut world);
    let at = |joint: Option<JointId>| world[joint.unwrap()].translation;
    // Upright along z, left along +y, in metres.
    let (head, left_foot, right_foot) = (at(roles.head), at(roles.left.ankle), at(roles.right.ankle));
    assert!((head.z - left_foot.z - 2.0 * leg * unit.metres()).abs() < 1e-12);
    assert!(left_foot.y > right_foot.y && (left_foot.x - right_foot.x).abs() < 1e-12);
}

#[test]
fn units_axes_and_names_of_many_makers_are_understood() {
    let biped = [
        "Bip01",
        "Bip01 Head",
        "Bip01 L Thigh",
        "Bip01 L Calf",
        "Bip01 L Foot",
        "Bip01 R Thigh",
        "Bip01 R Calf",
        "Bip01 R Foot",
    ];
    let asf = ["root", "head", "lfemur", "ltibia", "lfoot", "rfemur", "rtibia", "rfoot"];
    let blender = ["hips", "head", "thigh.L", "shin.L", "foot.L", "thigh.R", "shin.R", "foot.R"];
    let bandai = ["Hips", "Head", "UpperLeg_L", "LowerLeg_L", "Foot_L", "UpperLeg_R", "LowerLeg_R", "Foot_R"];
    let (x, y, z) = (DVec3::X, DVec3::Y, DVec3::Z);
    check_import(15.0, y, x, CMU, Unit::Cmu, UpAxis::Y);
    check_import(84.0, y, x, CMU, Unit::Centimetres, UpAxis::Y);
    check_import(84.0, y, z, biped, Unit::Centimetres, UpAxis::Y);
    check_import(33.0, y, -x, asf, Unit::Inches, UpAxis::Y);
    check_import(0.8, z, x, blender, Unit::Metres, UpAxis::Z);
    check_import(850.0, z, y, bandai, Unit::Millimetres, UpAxis::Z);
    check_import(0.9, z, -y, CMU, Unit::Metres, UpAxis::Z);
}

#[test]
fn a_resting_root_above_the_hips_is_merged() {
    let text = "HIERARCHY ROOT World { OFFSET 0 0 0 CHANNELS 3 Zrotation Xrotation Yrotation JOINT Hips { OFFSET 0 90 0 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation JOINT Spine { OFFSET 0 20 0 CHANNELS 3 Xposition Yposition Zposition } } } MOTION\nFrames: 2\nFrame Time: 0.1\n0 0 90 1 90 2 0 0 0 0 20 0\n0 0 90 51 90 2 0 0 0 0 20 0\n";
    let bvh = Bvh::parse(text.as_bytes()).unwrap();
    let options =
        ImportOptions { unit: Some(Unit::Centimetres), up: Some(UpAxis::Y), ..ImportOptions::default() };
    let (clip, report) = import("merged", &bvh, &options).unwrap();
    assert_eq!(clip.skeleton().joints()[0].name, "Hips");
    assert!(report.notes.iter().any(|n| n.contains("World")), "{:?}", report.notes);
    // The clip's joints are where the file's are: x → y, y → z, z → x.
    let mut world = Vec::new();
    for frame in 0..2 {
        clip.world(frame, &mut world);
        for (joint, p) in bvh.world_positions(frame, PositionChannels::Replace)[1..].iter().enumerate() {
            assert!(world[joint].translation.distance(DVec3::new(p.z, p.x, p.y) * 0.01) < 1e-12);
        }
    }
}

#[test]
fn added_positions_are_an_option() {
    let text =
        "HIERARCHY ROOT A { OFFSET 10 0 0 CHANNELS 1 Xposition } MOTION\nFrames: 1\nFrame Time: 1\n5\n";
    let bvh = Bvh::parse(text.as_bytes()).unwrap();
    assert_eq!(bvh.world_positions(0, PositionChannels::Replace)[0].x, 5.0);
    assert_eq!(bvh.world_positions(0, PositionChannels::Add)[0].x, 15.0);
}

#[test]
fn actors_and_ranges_are_chosen_and_checked() {
    let text = "HIERARCHY ROOT A { OFFSET 0 0 0 CHANNELS 1 Xposition } ROOT B { OFFSET 0 0 0 CHANNELS 1 Xposition } MOTION\nFrames: 3\nFrame Time: 1\n1 2\n3 4\n5 6\n";
    let bvh = Bvh::parse(text.as_bytes()).unwrap();
    let read = |actor, frames| {
        let unit = Some(Unit::Metres);
        let options = ImportOptions { actor, frames, unit, up: Some(UpAxis::Y), ..ImportOptions::default() };
        import("two", &bvh, &options).map(|r| r.0)
    };
    let y = |clip: Clip| clip.root_positions().iter().map(|p| p.y).collect::<Vec<_>>();
    assert_eq!(y(read(1, Some(1..3)).unwrap()), [4.0, 6.0]);
    assert_eq!(read(2, None), Err(ImportError::Actor { actor: 2, n_roots: 2 }));
    assert!(matches!(read(0, Some(2..4)), Err(ImportError::Clip(_))));
    let empty = Bvh::parse(b"HIERARCHY ROOT A { OFFSET 0 0 0 } MOTION\nFrames: 0\nFrame Time: 1\n").unwrap();
    assert_eq!(import("none", &empty, &ImportOptions::default()).unwrap_err(), ImportError::NoFrames);
}
