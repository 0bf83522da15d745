//! A session with every tool of the window, by real mouse and key events: select, drag, slide a gain, chart a reading, scrub to an
//! event, save and load, swap one character's controller, edit a pose. After each the screen is compared with a golden picture.
//!
//! Nothing runs by the clock (steps are taken one by one), so the pictures are the same on every machine but for the last bits
//! of the C library. `UPDATE_GOLDEN=1 cargo test -p stuntlab --test window session` writes them anew; look at them.

use std::path::Path;

use serde_json::Value;
use stuntlab_viewer::canvas::Canvas;
use stuntlab_viewer::png::{read_png, write_png};

use crate::session::{Session, row, time};

/// Goldens are half as large as the window.
const SIZE: (usize, usize) = (320, 180);
/// A channel that differs by more, of 255, has changed: the edge of a letter moved by a tenth of a pixel does not count.
const CHANNEL: i32 = 24;
/// Part of the pixels that may have changed. A dialog that is missing changes a tenth, a row of the panel or a chart a hundredth.
const CHANGED: f64 = 0.004;

fn check(session: &Session, name: &str) {
    session.frames(3);
    let small = session.screen().shrunk(SIZE.0, SIZE.1);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/session-{name}.png"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        write_png(&small, &path).unwrap();
    }
    let changed = changed(&small, &read_png(&path).unwrap());
    let kept = std::env::temp_dir().join(format!("stuntlab-session-{name}.png"));
    if changed >= CHANGED {
        write_png(&small, &kept).unwrap();
    }
    assert!(
        changed < CHANGED,
        "{name}: {:.2} % of the pixels changed; see {}",
        100.0 * changed,
        kept.display()
    );
}

/// Part of the pixels that differ.
fn changed(a: &Canvas, b: &Canvas) -> f64 {
    assert_eq!((a.width(), a.height()), (b.width(), b.height()));
    let channel = |p: u32, shift: u32| (p >> shift & 255) as i32;
    let differs =
        |(&a, &b): (&u32, &u32)| [16, 8, 0].iter().any(|s| (channel(a, *s) - channel(b, *s)).abs() > CHANNEL);
    let many = a.pixels().iter().zip(b.pixels()).filter(|p| differs(*p)).count();
    many as f64 / a.pixels().len() as f64
}

/// Where a character is on the screen.
fn place(line: &Value, name: &str) -> (i32, i32) {
    let all = line["places"].as_array().unwrap();
    let found = all.iter().find(|p| p[0] == name).unwrap();
    let number = |k: usize| found[1][k].as_f64().unwrap() as i32;
    (number(0), number(1))
}

/// Turns the wheel over the panel until a row is in sight: down to the end, then up. Each click is answered before the next, or
/// a slow display would scroll farther than a fast one.
fn reveal(session: &Session, label: &str) -> Value {
    session.mouse(560, 200);
    let mut line = session.frames(2);
    for button in ["5", "4"] {
        loop {
            if line["rows"].as_array().is_some_and(|rows| rows.iter().any(|row| row[0] == label)) {
                return line;
            }
            session.xdotool(&["click", button]);
            match session.changed(&line, "rows") {
                Some(turned) => line = turned,
                None => break,
            }
        }
    }
    panic!("no row {label}");
}

/// Presses a row of the panel.
fn press(session: &Session, label: &str) {
    let at = row(&reveal(session, label), label, 0.5);
    session.slide(at, at);
}

#[test]
fn a_session_with_every_tool_looks_as_it_should() {
    let Some(mut session) = Session::start("session", &["view", "base-game", "--paused"]) else { return };
    let start = session.frames(2);

    // Select: the body is lit and read out.
    let dora = place(&start, "dora");
    session.slide(dora, dora);
    let selected = session.wait("a body", |l| l["selected"] != Value::Null);
    assert!(selected["selected"].as_str().unwrap().starts_with("dora/"), "{selected}");
    check(&session, "1-select");

    // Drag: a spring pulls it, and it follows.
    session.mouse(dora.0, dora.1);
    session.frames(2);
    session.xdotool(&["mousedown", "1"]);
    session.wait("a hand", |l| l["dragging"] == true);
    session.mouse(dora.0 + 90, dora.1 - 60);
    session.frames(2);
    let pulled = session.steps(16);
    let after = place(&pulled, "dora");
    assert!(after.0 > dora.0 + 8 && after.1 < dora.1 - 5, "from {dora:?} to {after:?}");
    check(&session, "2-drag");
    session.xdotool(&["mouseup", "1"]);
    session.wait("letting go", |l| l["dragging"] == false);

    // Slide a gain.
    session.key("F2");
    session.wait("the panel", |l| l["rows"].as_array().is_some_and(|r| !r.is_empty()));
    let open = reveal(&session, "stiffness");
    session.slide(row(&open, "stiffness", 0.33), row(&open, "stiffness", 0.8));
    session.wait("a gain", |l| l["message"].as_str().is_some_and(|m| m.starts_with("stiffness = ")));
    check(&session, "3-gain");

    // Chart a reading of the controller.
    press(&session, "dora: strength, of 1");
    session.wait("a chart", |l| {
        l["charts"].as_array().is_some_and(|c| c.iter().any(|t| t == "dora: strength, of 1"))
    });
    session.key("p");
    let pushed = session.wait("a push", |l| l["pushes"] == 1);
    session.steps(14);
    check(&session, "4-chart");

    // Scrub to the push, by key and on the strip.
    session.key("comma");
    session.wait("the push", |l| (time(l) - time(&pushed)).abs() < 0.02);
    check(&session, "5-scrub");
    session.slide((5, 352), (5, 352));
    session.wait("the start of the strip", |l| time(l) == 0.0);
    session.key("semicolon");
    let event = session.wait("what happened first", |l| time(l) > 0.0);

    // Save and load.
    session.key("F5");
    session.wait("a kept state", |l| l["saved"] == event["time"]);
    assert!(session.dir.join("base-game.state").is_file());
    session.steps(6);
    session.key("F9");
    let back = session.wait("the kept state", |l| l["time"] == event["time"]);
    assert_eq!(back["hash"], event["hash"]);
    check(&session, "6-load");

    // Swap one character's controller.
    press(&session, "driven by");
    let swapped = session.wait("another controller", |l| l["controllers"][3] != "pose");
    assert_eq!(swapped["controllers"][0], "pose", "only one of them");
    check(&session, "7-swap");

    // Gravity and friction.
    let open = reveal(&session, "gravity, m/s²");
    session.slide(row(&open, "gravity, m/s²", 0.5), row(&open, "gravity, m/s²", 0.08));
    session.wait("less gravity", |l| l["gravity"].as_f64().is_some_and(|g| g < 3.0));
    check(&session, "8-gravity");
    session.key("q");
    assert!(session.program.0.wait().unwrap().success());
    std::fs::remove_dir_all(&session.dir).unwrap();
}
