//! Screenshots and recordings.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::Instant;

use stuntlab_viewer::canvas::Canvas;
use stuntlab_viewer::gif::{GifOptions, GifWriter};
use stuntlab_viewer::png::{ImageError, write_png};

/// Frames per second of a recording.
const RATE: f64 = 20.0;
/// Widest a recording gets, pixels.
const WIDTH: usize = 640;

/// Takes pictures of the window.
pub(crate) struct Capture {
    dir: PathBuf,
    stem: String,
    taken: usize,
    wanted: bool,
    recording: Option<Recording>,
    /// What happened last, for the HUD.
    pub(crate) message: String,
}

struct Recording {
    gif: GifWriter<BufWriter<File>>,
    size: (usize, usize),
    path: PathBuf,
    last: Option<Instant>,
}

impl Capture {
    pub(crate) fn new(dir: &Path, stem: &str) -> Self {
        Self {
            dir: dir.to_owned(),
            stem: stem.to_owned(),
            taken: 0,
            wanted: false,
            recording: None,
            message: String::new(),
        }
    }

    /// Where pictures and states go.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// Asks for a screenshot of the next frame shown.
    pub(crate) fn want_screenshot(&mut self) {
        self.wanted = true;
    }

    /// Screenshots taken.
    pub(crate) fn taken(&self) -> usize {
        self.taken
    }

    /// Whether a recording runs.
    pub(crate) fn is_recording(&self) -> bool {
        self.recording.is_some()
    }

    /// A file name that is not taken yet.
    fn free_path(&self, ending: &str) -> PathBuf {
        let path = |n: usize| self.dir.join(format!("{}-{n}.{ending}", self.stem));
        (1..).map(path).find(|p| !p.exists()).unwrap_or_else(|| path(0))
    }

    /// Starts or ends a recording.
    pub(crate) fn toggle_recording(&mut self, canvas: &Canvas) {
        if self.recording.is_some() {
            self.end();
            return;
        }
        let path = self.free_path("gif");
        let width = canvas.width().min(WIDTH);
        let size = (width, (canvas.height() * width / canvas.width().max(1)).max(1));
        let options = GifOptions { frames_per_second: RATE, ..GifOptions::default() };
        match GifWriter::create(&path, options) {
            Ok(gif) => self.recording = Some(Recording { gif, size, path, last: None }),
            Err(error) => self.message = error.to_string(),
        }
    }

    /// Ends a recording.
    pub(crate) fn end(&mut self) {
        if let Some(recording) = self.recording.take() {
            self.message = match recording.gif.finish() {
                Ok(_) => format!("wrote {}", recording.path.display()),
                Err(error) => error.to_string(),
            };
        }
    }

    /// Sees every frame that is shown.
    pub(crate) fn frame(&mut self, canvas: &Canvas) {
        if std::mem::take(&mut self.wanted) {
            let path = self.free_path("png");
            self.message = match write_png(canvas, &path) {
                Ok(()) => {
                    self.taken += 1;
                    format!("wrote {}", path.display())
                }
                Err(error) => error.to_string(),
            };
        }
        let Some(recording) = &mut self.recording else { return };
        if recording.last.is_some_and(|t| t.elapsed().as_secs_f64() < 0.98 / RATE) {
            return;
        }
        recording.last = Some(Instant::now());
        let shrunk = canvas.shrunk(recording.size.0, recording.size.1);
        let pushed: Result<(), ImageError> = recording.gif.push(&shrunk);
        if let Err(error) = pushed {
            self.message = error.to_string();
            self.recording = None;
        }
    }
}
