//! A window on a virtual display, driven by real events and watched through its script log.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;
use stuntlab_viewer::canvas::Canvas;
use stuntlab_viewer::png::read_png;

pub(crate) use display::Guard;
use display::display;

#[path = "../../../viewer/tests/display/mod.rs"]
mod display;

pub(crate) fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_stuntlab"))
}

pub(crate) fn folder(name: &str) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("stuntlab-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

/// A window being driven.
pub(crate) struct Session {
    _server: Guard,
    pub(crate) program: Guard,
    display: String,
    window: String,
    log: PathBuf,
    pub(crate) dir: PathBuf,
}

impl Session {
    pub(crate) fn start(name: &str, arguments: &[&str]) -> Option<Self> {
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

    pub(crate) fn xdotool(&self, arguments: &[&str]) -> String {
        let output = Command::new("xdotool").args(arguments).env("DISPLAY", &self.display).output().unwrap();
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    pub(crate) fn key(&self, key: &str) {
        self.xdotool(&["key", key]);
    }

    pub(crate) fn mouse(&self, x: i32, y: i32) {
        self.xdotool(&["mousemove", "--window", &self.window, &x.to_string(), &y.to_string()]);
    }

    /// The last whole line of the log.
    pub(crate) fn last(&self) -> Option<Value> {
        let mut file = File::open(&self.log).ok()?;
        // Lines are a few kilobytes long.
        let end = file.metadata().ok()?.len();
        file.seek(SeekFrom::Start(end.saturating_sub(60_000))).ok()?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        let whole = &text[..text.rfind('\n')?];
        serde_json::from_str(whole.lines().last()?).ok()
    }

    /// Waits until a line says what is expected.
    pub(crate) fn wait(&self, what: &str, holds: impl Fn(&Value) -> bool) -> Value {
        let start = Instant::now();
        loop {
            if let Some(line) = self.last().filter(|l| holds(l)) {
                return line;
            }
            assert!(start.elapsed() < Duration::from_secs(20), "{what}: never; last {:?}", self.last());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The first line that has another value than `before` at `key`; none if it is the same some frames later. By frames and not by the
    /// clock: what was sent is with the window before the next one begins, however slow they are.
    pub(crate) fn changed(&self, before: &Value, key: &str) -> Option<Value> {
        for _ in 0..6 {
            let line = self.frames(1);
            if line[key] != before[key] {
                return Some(line);
            }
        }
        None
    }

    /// Waits until some more frames have been shown.
    pub(crate) fn frames(&self, n: u64) -> Value {
        let frame = |line: &Value| line["frame"].as_u64().unwrap_or(0);
        let now = self.last().as_ref().map_or(0, frame);
        self.wait("more frames", |line| frame(line) >= now + n)
    }
}

pub(crate) fn time(line: &Value) -> f64 {
    line["time"].as_f64().unwrap()
}

/// A point of a row of the side panel, `part` of the way along it.
pub(crate) fn row(line: &Value, label: &str, part: f64) -> (i32, i32) {
    let rows = line["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row[0] == label).unwrap_or_else(|| panic!("no row {label} in {rows:?}"));
    let number = |k: usize| row[1][k].as_f64().unwrap();
    ((number(0) + part * number(2)) as i32, (number(1) + 0.5 * number(3)) as i32)
}

impl Session {
    /// Presses the left button at a place and lets it go at another, as slowly as a hand.
    pub(crate) fn slide(&self, from: (i32, i32), to: (i32, i32)) {
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

impl Session {
    /// What is on the screen.
    pub(crate) fn screen(&self) -> Canvas {
        let path = self.dir.join("screen.png");
        let import = Command::new("import")
            .args(["-window", &self.window, path.to_str().unwrap()])
            .env("DISPLAY", &self.display)
            .status()
            .unwrap();
        assert!(import.success());
        read_png(&path).unwrap()
    }

    /// Takes steps one by one, so that the state is the same on every machine.
    pub(crate) fn steps(&self, n: usize) -> Value {
        let mut line = self.frames(1);
        for _ in 0..n {
            let before = time(&line);
            self.key("period");
            line = self.wait("a step", |l| time(l) > before);
        }
        line
    }
}
