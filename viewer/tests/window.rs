//! The window, on a virtual display. Needs Xvfb, xdotool and ImageMagick's `import`; says so when absent.
//!
//! Each test starts this very program again as a child with its own `DISPLAY`; the child is the ignored test
//! `child`, told by `STUNTLAB_WINDOW_CHILD` what to do.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its scene should stop there")]

mod display;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use stuntlab_viewer::canvas::Canvas;
use stuntlab_viewer::palette::{self, Color};
use stuntlab_viewer::png::{read_png, write_png};
use stuntlab_viewer::window::{Input, Key, Window};

use display::{Guard, display};

fn child_command(task: &str, directory: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "child", "--ignored", "--nocapture"])
        .env("STUNTLAB_WINDOW_CHILD", task)
        .env("STUNTLAB_WINDOW_DIR", directory)
        .stdout(Stdio::piped());
    command
}

fn xdotool(display: &str, arguments: &[&str]) -> String {
    let output = Command::new("xdotool").args(arguments).env("DISPLAY", display).output().unwrap();
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

fn picture() -> Canvas {
    let mut canvas = Canvas::new(320, 200);
    for (i, pixel) in canvas.pixels_mut().iter_mut().enumerate() {
        *pixel = Color::new((i % 320 / 2) as u8, (i / 320) as u8, ((i / 7) % 256) as u8).pixel();
    }
    canvas.disc((160.0, 100.0), 40.0, palette::ORANGE, 1.0);
    canvas
}

#[test]
#[ignore = "run by the other tests as a child"]
fn child() {
    let Ok(task) = std::env::var("STUNTLAB_WINDOW_CHILD") else { return };
    let directory = std::env::var("STUNTLAB_WINDOW_DIR").unwrap();
    match (task.as_str(), Window::open("stuntlab window test", 320, 200)) {
        ("refuse", Ok(_)) => println!("opened"),
        ("refuse", Err(error)) => println!("error: {error}"),
        (_, Err(error)) => panic!("{error}"),
        (_, Ok(mut window)) => {
            let canvas = picture();
            write_png(&canvas, Path::new(&directory).join("shown.png")).unwrap();
            let start = Instant::now();
            while start.elapsed() < Duration::from_secs(20) {
                window.present(&canvas).unwrap();
                let input = window.poll();
                report(&input);
                if input.pressed.contains(&Key::Escape) {
                    return;
                }
                // Slow frames: taps are shorter.
                std::thread::sleep(Duration::from_millis(60));
            }
            panic!("nobody pressed escape");
        }
    }
}

fn report(input: &Input) {
    for key in &input.pressed {
        println!("key {key:?} shift {}", input.modifiers.shift);
    }
    if input.mouse.moved != (0.0, 0.0) {
        println!("mouse {:?}", input.mouse.position);
    }
    if input.mouse.left.pressed {
        println!("left");
    }
    if input.mouse.wheel != 0.0 {
        println!("wheel {}", input.mouse.wheel);
    }
    if let Some(size) = input.resized {
        println!("resized {size:?}");
    }
}

#[test]
fn without_a_display_there_is_one_clear_line() {
    let output = child_command("refuse", Path::new("."))
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}");
    assert!(text.lines().any(|line| line.starts_with("error: cannot open a window")), "{text}");
}

#[test]
fn keys_mouse_and_pixels_go_through() {
    let Some((_server, display)) = display() else { return };
    let directory = std::env::temp_dir().join(format!("stuntlab-window-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let mut program = Guard(child_command("show", &directory).env("DISPLAY", &display).spawn().unwrap());
    let window = xdotool(&display, &["search", "--sync", "--onlyvisible", "--name", "stuntlab window test"]);
    let pause = || std::thread::sleep(Duration::from_millis(250));
    xdotool(&display, &["windowfocus", "--sync", &window]);
    pause();

    let shot = directory.join("screen.png");
    let import = Command::new("import")
        .args(["-window", &window, shot.to_str().unwrap()])
        .env("DISPLAY", &display)
        .status()
        .unwrap();
    assert!(import.success());
    xdotool(&display, &["mousemove", "--window", &window, "100", "80"]);
    pause();
    xdotool(&display, &["mousedown", "1"]);
    pause();
    xdotool(&display, &["mouseup", "1", "click", "4"]);
    pause();
    // Taps shorter than a frame, twice the same.
    xdotool(&display, &["key", "p"]);
    xdotool(&display, &["key", "p"]);
    xdotool(&display, &["key", "period"]);
    pause();
    xdotool(&display, &["windowsize", &window, "400", "240"]);
    pause();
    xdotool(&display, &["key", "Escape"]);

    let lines: Vec<String> =
        BufReader::new(program.0.stdout.take().unwrap()).lines().map_while(Result::ok).collect();
    assert!(program.0.wait().unwrap().success(), "{lines:?}");
    let count = |wanted: &str| lines.iter().filter(|line| line.starts_with(wanted)).count();
    assert_eq!(count("key Char('p')"), 2, "{lines:?}");
    assert_eq!(count("key Char('.')"), 1, "{lines:?}");
    assert_eq!(count("mouse (100.0, 80.0)"), 1, "{lines:?}");
    assert_eq!(count("left"), 1, "{lines:?}");
    assert_eq!(count("wheel 1"), 1, "a click is one: {lines:?}");
    assert_eq!(count("wheel"), 1, "{lines:?}");
    assert_eq!(count("resized (400, 240)"), 1, "{lines:?}");

    let (shown, screen) = (read_png(directory.join("shown.png")).unwrap(), read_png(&shot).unwrap());
    assert_eq!((screen.width(), screen.height()), (320, 200));
    assert!(shown.pixels() == screen.pixels(), "the screenshot differs from the canvas");
    std::fs::remove_dir_all(&directory).unwrap();
}
