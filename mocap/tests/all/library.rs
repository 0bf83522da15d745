//! The clips of the library keep what they promise, and keyframe files are refused with file, line and reason.

use stuntlab_mocap::Clip;
use stuntlab_mocap::check::check_clip;
use stuntlab_mocap::keyframe::{PoseBook, compile};
use stuntlab_mocap::library::{self, Limits};

#[test]
fn every_clip_passes_its_check() {
    let mut complaints = Vec::new();
    for name in library::names() {
        let check = library::check(name).unwrap();
        complaints.extend(check.complaints(&Limits::default()));
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// Greatest difference of two poses in degrees, the root's heading and place aside.
fn difference(a: &Clip, frame_a: usize, b: &Clip, frame_b: usize) -> f64 {
    let joints = a.rotations(frame_a).iter().zip(b.rotations(frame_b)).skip(1);
    joints.map(|(p, q)| p.angle_between(*q).to_degrees()).fold(0.0, f64::max)
}

#[test]
fn punches_and_block_start_and_end_in_the_same_guard() {
    let guard = library::clip("guard").unwrap();
    for name in ["jab", "cross", "hook", "uppercut", "block"] {
        let clip = library::clip(name).unwrap();
        assert!(difference(&clip, 0, &guard, 0) < 3.0, "{name} starts apart");
        assert!(difference(&clip, clip.n_frames() - 1, &guard, 0) < 3.0, "{name} ends apart");
    }
}

#[test]
fn what_ends_standing_ends_in_the_same_stand() {
    let idle = library::clip("idle").unwrap();
    for name in [
        "stop",
        "turn",
        "jump",
        "jump-forward",
        "hop",
        "cartwheel",
        "forward-roll",
        "get-up-supine",
        "get-up-prone",
        "get-up-side",
        "kneel-up",
        "stagger-forward-left",
        "stagger-back-left",
        "rise",
    ] {
        let clip = library::clip(name).unwrap();
        let apart = difference(&clip, clip.n_frames() - 1, &idle, 0);
        assert!(apart < 6.0, "{name} ends {apart:.1} degrees from standing");
    }
}

#[test]
fn gaits_go_forward_at_their_speed() {
    let speed = |name: &str| {
        let clip = library::clip(name).unwrap();
        let way = clip.root_position(clip.n_frames() - 1) - clip.root_position(0);
        assert!(way.y.abs() < 0.01, "{name} drifts sideways");
        way.x / clip.duration()
    };
    let (walk, fast, run) = (speed("walk"), speed("fast-walk"), speed("run"));
    assert!((1.0..1.5).contains(&walk), "walk at {walk}");
    assert!((1.6..2.2).contains(&fast), "fast walk at {fast}");
    assert!((2.8..4.5).contains(&run), "run at {run}");
}

#[test]
fn jumps_agree_with_gravity_in_the_clip_report() {
    let report = check_clip(&library::clip("jump").unwrap());
    assert!(report.warnings.is_empty(), "{:?}", report.warnings);
}

#[test]
fn clips_are_chosen_by_tag_and_unknown_names_list_the_known() {
    assert_eq!(library::names().count(), 31);
    assert!(library::clip("jab").unwrap().tags.iter().any(|t| t == "punch"));
    let message = library::clip("moonwalk").unwrap_err().to_string();
    assert!(message.contains("moonwalk") && message.contains("cartwheel"), "{message}");
}

#[test]
fn wrong_files_are_refused_with_line_and_reason() {
    let head = "schema = 1\n[[contacts]]\non = \"feet\"\nfrom = 0\nto = 1\n";
    for (text, line, word) in [
        ("schema = 2\n".to_owned(), 1, "schema 2: expected 1"),
        ("schema = 1\nspeed = 3\n".to_owned(), 2, "unknown field"),
        (format!("{head}[[keys]]\ntime = 0\npose = \"flying\"\n"), 8, "no pose \"flying\""),
        (
            format!("{head}[[keys]]\ntime = 0\nwith = {{ knee = -4 }}\n"),
            8,
            "knee flexion -4: expected 0 to 150",
        ),
        (format!("{head}[[keys]]\ntime = 0\nwith = {{ knee = [4, 5] }}\n"), 8, "at most 1 angle"),
        (format!("{head}[[keys]]\ntime = 0\n[[keys]]\ntime = 0\n"), 9, "in order of time"),
        (format!("{head}[[keys]]\ntime = 0.5\n"), 7, "first key at time 0"),
        (format!("{head}[[keys]]\ntime = 0\nease = \"bouncy\"\n"), 8, "smooth"),
        ("schema = 1\nduration = 1\n[[keys]]\ntime = 0\n".to_owned(), 1, "contact or a flight"),
        (head.replace("feet", "tail") + "[[keys]]\ntime = 0\n[[keys]]\ntime = 1\n", 3, "no part \"tail\""),
        (head.replace("to = 1", "to = 9") + "[[keys]]\ntime = 0\n[[keys]]\ntime = 1\n", 4, "inside 0 to 1"),
        ("schema = 1\n[poses.a]\nbase = \"b\"\n[poses.b]\nbase = \"a\"\n".to_owned(), 3, "no pose"),
    ] {
        let error = compile("mine.toml", &text, &PoseBook::default()).unwrap_err();
        assert_eq!(error.line, line, "{error}");
        assert!(error.to_string().starts_with("mine.toml:") && error.what.contains(word), "{error}");
    }
}
