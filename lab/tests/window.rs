//! The window on a virtual display: drag, push, pause, step, swap and screenshot really act. Needs Xvfb, xdotool and
//! ImageMagick's `import`; says so when absent.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its scene should stop there")]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use stuntlab_viewer::png::read_png;

/// Ends a helper program when the test does, whichever way.
struct Guard(Child);

impl Drop for Guard {
    fn drop(&mut self) {
        // Already gone is fine.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn installed(program: &str) -> bool {
    Command::new("which").arg(program).output().is_ok_and(|o| o.status.success())
}

fn display() -> Option<(Guard, String)> {
    if let Some(missing) = ["Xvfb", "xdotool", "import"].into_iter().find(|p| !installed(p)) {
        println!("skipped: {missing} is not installed");
        return None;
    }
    let mut server = Command::new("Xvfb")
        .args(["-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut number = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut number).unwrap();
    Some((Guard(server), format!(":{}", number.trim())))
}

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_stuntlab"))
}

fn folder(name: &str) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("stuntlab-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

/// A window being driven.
struct Session {
    _server: Guard,
    program: Guard,
    display: String,
    window: String,
    log: PathBuf,
    dir: PathBuf,
}

impl Session {
    fn start(name: &str, arguments: &[&str]) -> Option<Self> {
        let (server, display) = display()?;
        let dir = folder(name);
        let log = dir.join("log.jsonl");
        let program = program()
            .args(arguments)
            .args(["--size", "640x360", "--script-log", log.to_str().unwrap()])
            .args(["--shots", dir.to_str().unwrap()])
            .env("DISPLAY", &display)
            .spawn()
            .unwrap();
        let mut session =
            Self { _server: server, program: Guard(program), display, window: String::new(), log, dir };
        session.window = session.xdotool(&["search", "--sync", "--onlyvisible", "--name", "stuntlab"]);
        let window = session.window.clone();
        session.xdotool(&["windowfocus", "--sync", &window]);
        session.wait("the first frame", |_| true);
        Some(session)
    }

    fn xdotool(&self, arguments: &[&str]) -> String {
        let output = Command::new("xdotool").args(arguments).env("DISPLAY", &self.display).output().unwrap();
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    fn key(&self, key: &str) {
        self.xdotool(&["key", key]);
    }

    fn mouse(&self, x: i32, y: i32) {
        self.xdotool(&["mousemove", "--window", &self.window, &x.to_string(), &y.to_string()]);
    }

    /// The last whole line of the log.
    fn last(&self) -> Option<Value> {
        let text = std::fs::read_to_string(&self.log).unwrap_or_default();
        let whole = &text[..text.rfind('\n')?];
        serde_json::from_str(whole.lines().last()?).ok()
    }

    /// Waits until a line says what is expected.
    fn wait(&self, what: &str, holds: impl Fn(&Value) -> bool) -> Value {
        let start = Instant::now();
        loop {
            if let Some(line) = self.last().filter(|l| holds(l)) {
                return line;
            }
            assert!(start.elapsed() < Duration::from_secs(20), "{what}: never; last {:?}", self.last());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until some more frames have been shown.
    fn frames(&self, n: u64) -> Value {
        let frame = |line: &Value| line["frame"].as_u64().unwrap_or(0);
        let now = self.last().as_ref().map_or(0, frame);
        self.wait("more frames", |line| frame(line) >= now + n)
    }
}

fn time(line: &Value) -> f64 {
    line["time"].as_f64().unwrap()
}

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
    let on_screen = session.dir.join("screen.png");
    let import = Command::new("import")
        .args(["-window", &session.window, on_screen.to_str().unwrap()])
        .env("DISPLAY", &session.display)
        .status()
        .unwrap();
    assert!(import.success());
    let shot = read_png(session.dir.join("base-ragdoll-1.png")).unwrap();
    assert!(
        shot.pixels() == read_png(&on_screen).unwrap().pixels(),
        "the screenshot differs from the screen"
    );

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

/// A point of a row of the side panel, `part` of the way along it.
fn row(line: &Value, label: &str, part: f64) -> (i32, i32) {
    let rows = line["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row[0] == label).unwrap_or_else(|| panic!("no row {label} in {rows:?}"));
    let number = |k: usize| row[1][k].as_f64().unwrap();
    ((number(0) + part * number(2)) as i32, (number(1) + 0.5 * number(3)) as i32)
}

impl Session {
    /// Presses the left button at a place and lets it go at another, as slowly as a hand.
    fn slide(&self, from: (i32, i32), to: (i32, i32)) {
        self.mouse(from.0, from.1);
        self.frames(2);
        self.xdotool(&["mousedown", "1"]);
        self.frames(2);
        self.mouse(to.0, to.1);
        self.frames(2);
        self.xdotool(&["mouseup", "1"]);
        self.frames(2);
    }
}

#[test]
fn panel_strip_and_selection_work_by_real_events() {
    let Some(mut session) = Session::start("tools", &["view", "base-game", "--paused"]) else { return };
    let start = session.frames(2);

    // The panel: a gain, a chart, one character's controller.
    session.key("F2");
    let open = session
        .wait("the panel", |l| l["panel"] == true && l["rows"].as_array().is_some_and(|r| !r.is_empty()));
    session.slide(row(&open, "stiffness", 0.33), row(&open, "stiffness", 0.8));
    session.wait("a gain", |l| l["message"].as_str().is_some_and(|m| m.starts_with("stiffness = ")));
    let swap = row(&open, "driven by", 0.5);
    session.slide(swap, swap);
    let swapped = session.wait("another controller", |l| l["controllers"][0] != "pose");
    assert_eq!(swapped["controllers"][1], "pose", "only one of them");
    session.key("F2");
    session.wait("no panel", |l| l["panel"] == false);

    // A body is selected by a click.
    'search: for y in (60..300).step_by(16) {
        for x in (160..480).step_by(16) {
            session.slide((x, y), (x, y));
            if session.last().is_some_and(|l| l["selected"] != Value::Null) {
                break 'search;
            }
        }
    }
    session.wait("a body", |l| l["selected"] != Value::Null);

    // Kept, gone on, come back.
    session.key("F5");
    session.wait("a kept state", |l| l["saved"] == start["time"]);
    session.key("space");
    session.wait("time", |l| time(l) > 0.1);
    session.key("space");
    session.wait("a pause", |l| l["paused"] == true);
    // The left end of the strip is the start.
    session.slide((5, 352), (5, 352));
    session.wait("the start of the strip", |l| time(l) == 0.0);
    session.slide((500, 352), (600, 352));
    session.wait("scrubbing", |l| time(l) > 0.0);
    session.key("F9");
    let back = session.wait("the kept state", |l| time(l) == 0.0);
    assert_eq!(back["hash"], start["hash"]);
    session.key("q");
    assert!(session.program.0.wait().unwrap().success());
    std::fs::remove_dir_all(&session.dir).unwrap();
}
