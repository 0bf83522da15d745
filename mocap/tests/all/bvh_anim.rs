//! Our reader against the bvh_anim package on files in the style of the CMU database.
#![cfg(feature = "bvh_anim")]
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use stuntlab_mocap::bvh::Bvh;

/// A peer's reading agrees with ours to f32 precision.
fn check_agree(name: &str, ours: &Bvh, theirs: &Bvh) {
    assert_eq!(ours.n_frames(), theirs.n_frames(), "{name}");
    assert!((ours.frame_time() - theirs.frame_time()).abs() < 1e-8, "{name}");
    assert_eq!(ours.nodes().len(), theirs.nodes().len(), "{name}");
    for (a, b) in ours.nodes().iter().zip(theirs.nodes()) {
        assert_eq!((&a.name, a.parent, a.channels), (&b.name, b.parent, b.channels), "{name}");
        assert!((a.offset - b.offset).length() <= 1e-6 * a.offset.length(), "{name}");
    }
    for frame in 0..ours.n_frames() {
        for (a, b) in ours.frame(frame).iter().zip(theirs.frame(frame)) {
            assert!((a - b).abs() <= 2e-7 * a.abs(), "{name} frame {frame}: {a} {b}");
        }
    }
}

fn cmu_like(n_frames: usize) -> String {
    let mut text = String::from(
        "HIERARCHY\r\nROOT Hips\n{\r\n\tOFFSET 0.00000 0.00000 0.00000\r\n\tCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation \r\n\tJOINT LeftUpLeg\r\n\t{\r\n\t\tOFFSET 1.57338 -1.94743 0.52196\r\n\t\tCHANNELS 3 Zrotation Yrotation Xrotation\r\n\t\tEnd Site\r\n\t\t{\r\n\t\t\tOFFSET 0 0 1\r\n\t\t}\r\n\t}\r\n}\r\nMOTION\r\n",
    );
    text += &format!("Frames: {n_frames}\nFrame Time: .0083333\n");
    for frame in 0..n_frames {
        let row: Vec<String> =
            (0..9).map(|c| format!("{:.4}", ((frame * 9 + c) as f64 * 0.7).sin() * 90.0)).collect();
        text += &(row.join(" ") + "\r\n");
    }
    text
}

#[test]
fn both_readers_agree_on_cmu_style_files() {
    let check = |name: &str, text: &[u8]| {
        let ours = Bvh::parse(text).unwrap();
        let theirs = bvh_anim::from_bytes(text).unwrap();
        check_agree(name, &ours, &Bvh::try_from(&theirs).unwrap());
        let handed_over = bvh_anim::Bvh::try_from(&ours).unwrap();
        check_agree(name, &ours, &Bvh::try_from(&handed_over).unwrap());
    };
    check("generated", cmu_like(50).as_bytes());
    let Some(folder) = crate::common::shared("mocap/cmu") else { return };
    for path in crate::common::files(&folder, "16_", "bvh") {
        check(&path.display().to_string(), &std::fs::read(&path).unwrap());
    }
}

#[test]
fn what_bvh_anim_cannot_hold_is_refused() {
    let text = "HIERARCHY ROOT A { OFFSET 0 0 0 } ROOT B { OFFSET 0 0 0 } MOTION\nFrames: 0\nFrame Time: 1\n";
    let bvh = Bvh::parse(text.as_bytes()).unwrap();
    assert!(bvh_anim::Bvh::try_from(&bvh).is_err());
}
