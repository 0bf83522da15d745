//! The window on a virtual display: drag, push, pause, step, swap and screenshot really act, and a session of all its tools looks
//! as it should. Needs Xvfb, xdotool and ImageMagick's `import`; says so when absent.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its scene should stop there")]

mod acceptance;
mod session;

use std::path::Path;

use session::{Session, folder, program, time};
use stuntlab_viewer::png::read_png;

#[test]
fn keys_and_mouse_really_act() {
    let arguments =
        ["view", "base-ragdoll", "--set", "character.0.at=[0,0,0]", "--set", "character.0.spin=[0,0,0]"];
    let Some(session) = Session::start("act", &arguments) else { return };

    // Pause: time stands still, and so does the state.
    session.key("space");
    session.wait("pause", |l| l["paused"] == true);
    let still = session.frames(3);
    let later = session.frames(5);
    assert_eq!(still["hash"], later["hash"]);

    // A single step.
    session.key("period");
    let stepped = session.wait("a step", |l| l["hash"] != still["hash"]);
    assert!((time(&stepped) - time(&still) - 1.0 / 120.0).abs() < 1e-9);

    // Scrub back to an earlier state, start again.
    session.key("bracketleft");
    session.wait("scrubbing", |l| time(l) < time(&stepped));
    session.key("r");
    let start = session.wait("a restart", |l| time(l) == 0.0);

    // Swap formulation and controller; both show.
    session.key("m");
    session.wait("another formulation", |l| l["formulation"] != start["formulation"]);
    session.key("k");
    session.wait("another controller", |l| l["controller"] == "pose");
    session.key("k");
    session.wait("the next", |l| l["controller"] == "dynamo");

    // A push: the same step leads elsewhere than without.
    session.key("period");
    let unpushed = session.wait("a step", |l| time(l) > 0.0);
    session.key("r");
    session.wait("a restart", |l| time(l) == 0.0);
    session.key("p");
    session.wait("a push", |l| l["pushes"] == 1);
    session.key("period");
    let pushed = session.wait("a step", |l| time(l) > 0.0);
    assert_eq!(time(&pushed), time(&unpushed));
    assert_ne!(pushed["hash"], unpushed["hash"], "the push did nothing");

    // Thrown things arrive in the world.
    session.key("b");
    session.wait("a ball", |l| l["thrown"] == 1);

    // Drag: a body under the mouse follows it.
    session.key("r");
    session.wait("a restart", |l| time(l) == 0.0);
    let hash_at_start = session.frames(2)["hash"].clone();
    let mut grabbed = false;
    'search: for y in (60..340).step_by(20) {
        for x in (240..420).step_by(20) {
            session.mouse(x, y);
            session.frames(2);
            session.xdotool(&["mousedown", "1"]);
            session.frames(3);
            if session.last().is_some_and(|l| l["dragging"] == true) {
                session.mouse(x + 120, y - 20);
                session.frames(2);
                grabbed = true;
                break 'search;
            }
            session.xdotool(&["mouseup", "1"]);
        }
    }
    assert!(grabbed, "nothing to grab");
    session.key("period");
    let dragged = session.wait("a step", |l| time(l) > 0.0);
    session.xdotool(&["mouseup", "1"]);
    session.wait("letting go", |l| l["dragging"] == false);
    assert_ne!(dragged["hash"], hash_at_start);
    assert_ne!(dragged["hash"], unpushed["hash"], "the drag did nothing");

    // The screenshot is what is on the screen, bit for bit.
    session.key("h");
    session.frames(4);
    session.key("s");
    session.wait("a screenshot", |l| l["screenshots"] == 1);
    let shot = read_png(session.dir.join("base-ragdoll-1.png")).unwrap();
    assert!(shot.pixels() == session.screen().pixels(), "the screenshot differs from the screen");

    // The help changes the picture; escape closes.
    session.key("F1");
    session.wait("help", |l| l["help"] == true);
    session.key("Escape");
    let mut session = session;
    assert!(session.program.0.wait().unwrap().success());
    std::fs::remove_dir_all(&session.dir).unwrap();
}

#[test]
fn a_split_screen_shows_its_panes_and_closes_by_itself() {
    let Some(mut session) =
        Session::start("split", &["view", "base-tower", "--split", "4", "--frames", "40"])
    else {
        return;
    };
    assert!(session.program.0.wait().unwrap().success());
    std::fs::remove_dir_all(&session.dir).unwrap();
}

fn without_display(arguments: &[&str], dir: &Path) -> std::process::Output {
    program()
        .args(arguments)
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .current_dir(dir)
        .output()
        .unwrap()
}

#[test]
fn without_a_display_one_line_offers_the_headless_way() {
    let output = without_display(&["view", "base-tower"], Path::new("."));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(text.contains("stuntlab run base-tower --out DIR"), "{text}");
}

#[test]
fn without_a_display_the_showcase_leaves_a_film_a_picture_and_a_table() {
    let dir = folder("showcase");
    let output = without_display(&[], &dir);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("pass mark"), "{text}");
    for file in ["run.gif", "sheet.png", "metrics.json", "log.csv", "manifest.json"] {
        let size = std::fs::metadata(dir.join("out").join(file)).unwrap().len();
        assert!(size > 100, "{file} has {size} bytes");
    }
    std::fs::remove_dir_all(&dir).unwrap();
}
