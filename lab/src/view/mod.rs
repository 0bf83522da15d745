//! The window: worlds that can be watched, pushed, dragged and compared while they run.
//!
//! [`App`] holds everything and knows no window: it takes an [`stuntlab_viewer::window::Input`] and draws into a
//! canvas. [`open`] connects it to a real window.

mod app;
mod board;
mod capture;
mod charts;
mod history;
mod hud;
mod keys;
mod mouse;
mod pace;
mod pane;
mod panel;
mod play;
mod readout;
mod script_log;
mod show;
mod timeline;
mod tools;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use stuntlab_viewer::canvas::Canvas;
use stuntlab_viewer::window::{Window, WindowError};
use thiserror::Error;

use crate::scene::{Scene, SceneError, Variant};
pub use app::App;
pub use keys::{KEYS, KeyHelp};
pub use pace::{Pace, measure};
use script_log::ScriptLog;

/// How to open a window.
#[derive(Clone, Debug)]
pub struct ViewOptions {
    /// Width and height in pixels.
    pub size: (usize, usize),
    /// Close by itself after so many frames.
    pub frames: Option<u64>,
    /// Directory for screenshots, recordings and states.
    pub shots: PathBuf,
    /// File that gets a JSON line about every frame.
    pub script_log: Option<PathBuf>,
    /// Start paused.
    pub paused: bool,
    /// A state to start from, as the window keeps them.
    pub state: Option<PathBuf>,
}

impl Default for ViewOptions {
    fn default() -> Self {
        Self {
            size: (1280, 720),
            frames: None,
            shots: PathBuf::from("."),
            script_log: None,
            paused: false,
            state: None,
        }
    }
}

/// Why there is nothing to see.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ViewError {
    /// No window.
    #[error(transparent)]
    Window(#[from] WindowError),
    /// The scene does not work under these settings.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The log of the script cannot be written.
    #[error("{}: {source}", path.display())]
    Log {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// Time between frames.
const FRAME: Duration = Duration::from_micros(16_600);

/// Shows a scene in a window until it is closed.
///
/// # Errors
/// No display, or a scene that does not work under these settings.
pub fn open(scene: &Scene, variants: &[Variant], options: &ViewOptions) -> Result<(), ViewError> {
    let (width, height) = options.size;
    let mut window = Window::open(&format!("stuntlab {}", scene.name), width, height)?;
    let mut app = App::new(scene, variants, options)?;
    let mut canvas = Canvas::new(width, height);
    let mut log = options.script_log.as_deref().map(ScriptLog::create).transpose()?;
    let mut before = Instant::now();
    let mut frame = 0;
    loop {
        let start = Instant::now();
        let elapsed = start.duration_since(before).as_secs_f64();
        before = start;
        let input = window.poll();
        if let Some((width, height)) = input.resized {
            canvas.resize(width, height);
        }
        app.frame(&input, elapsed, &canvas);
        // A picture that would be the same is not drawn again.
        if app.has_changed(&canvas) {
            app.draw(&mut canvas);
        }
        window.present(&canvas)?;
        app.capture(&canvas);
        frame += 1;
        if let Some(log) = &mut log {
            log.line(frame, &app)?;
        }
        if input.closed || app.wants_to_close() || options.frames.is_some_and(|n| frame >= n) {
            app.end();
            return Ok(());
        }
        std::thread::sleep(FRAME.saturating_sub(start.elapsed()));
    }
}
