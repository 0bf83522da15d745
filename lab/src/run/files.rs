//! What a run leaves on disk: metrics.json, log.csv, manifest.json, run.bvh, run.gif and a contact sheet, and after a
//! step that went wrong the black box.

use std::path::{Path, PathBuf};

use stuntlab_viewer::camera::Camera;
use stuntlab_viewer::canvas::Canvas;
use stuntlab_viewer::contact_sheet::contact_sheet;
use stuntlab_viewer::gif::{GifOptions, GifWriter};
use stuntlab_viewer::hud::{Corner, TextBlock};
use stuntlab_viewer::png::{ImageError, write_png};
use stuntlab_viewer::raster::Quality;
use thiserror::Error;

use super::lanes::{Lane, Run};
use super::manifest::Manifest;
use crate::paint::{Look, Painter, subject};
use crate::scene::{Scene, Variant};

/// A file that could not be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file system said no.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// What it said.
        source: std::io::Error,
    },
    /// A picture could not be written.
    #[error(transparent)]
    Image(#[from] ImageError),
}

/// Frames of a GIF per simulated second.
const FRAME_RATE: f64 = 25.0;
const SIZE: (usize, usize) = (480, 270);
/// Frames on a contact sheet.
const SHEET: usize = 12;

/// Films a run.
pub struct Recorder {
    painter: Painter,
    canvas: Canvas,
    /// One per lane: each follows its own.
    cameras: Vec<Camera>,
    camera: Camera,
    follow: Option<String>,
    ghost: bool,
    gif: GifWriter<std::io::BufWriter<std::fs::File>>,
    sheet: Vec<(String, Canvas)>,
    frames: usize,
    total: usize,
}

impl Recorder {
    /// Starts a film of `scene` in a GIF file.
    ///
    /// # Errors
    /// A file that cannot be created.
    pub fn new(scene: &Scene, gif: &Path) -> Result<Self, FileError> {
        let spec = scene.cameras.first().cloned().unwrap_or_default();
        let options = GifOptions { frames_per_second: FRAME_RATE, ..GifOptions::default() };
        Ok(Self {
            painter: Painter::new(),
            canvas: Canvas::new(SIZE.0, SIZE.1),
            cameras: Vec::new(),
            camera: spec.camera,
            follow: spec.follow,
            ghost: spec.ghost,
            gif: GifWriter::create(gif, options)?,
            sheet: Vec::new(),
            frames: 0,
            total: (scene.duration * FRAME_RATE).ceil() as usize + 1,
        })
    }

    /// Adds the frame of now.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn frame(&mut self, run: &Run) -> Result<(), FileError> {
        let cells = self.canvas.rect().split(run.lanes.len());
        self.cameras.resize(run.lanes.len(), self.camera);
        for ((lane, cell), camera) in run.lanes.iter().zip(cells).zip(&mut self.cameras) {
            if let Some(point) = self.follow.as_ref().and_then(|name| subject(&lane.world, name)) {
                let half_life = if self.frames == 0 { 0.0 } else { 0.25 };
                camera.follow(point, 1.0 / FRAME_RATE, half_life);
            }
            let time = format!("{:5.2} s", lane.world.state.time);
            let caption = if lane.name.is_empty() { time } else { format!("{} {time}", lane.name) };
            let mut look = Look { texts: vec![TextBlock::new(Corner::TopLeft, &caption)], ..Look::default() };
            look.layers.ghost = self.ghost;
            if let Some(failure) = &lane.failure {
                look.texts.push(TextBlock::new(Corner::BottomLeft, failure));
            }
            self.painter.paint(&lane.world, &look, camera, &mut self.canvas, cell, Quality::FINE);
        }
        self.gif.push(&self.canvas)?;
        // Evenly spread over the run, first and last included.
        let due = self.sheet.len() * (self.total - 1) / (SHEET - 1).max(1);
        if self.frames >= due && self.sheet.len() < SHEET {
            let time = self.frames as f64 / FRAME_RATE;
            self.sheet.push((format!("{time:.2} s"), self.canvas.clone()));
        }
        self.frames += 1;
        Ok(())
    }

    /// Time of the next frame, s.
    pub fn next_time(&self) -> f64 {
        self.frames as f64 / FRAME_RATE
    }

    /// The picture of the last frame.
    pub fn canvas(&self) -> &Canvas {
        &self.canvas
    }

    /// Ends the film and writes the contact sheet.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn finish(self, title: &str, sheet: &Path) -> Result<(), FileError> {
        self.gif.finish()?;
        let frames: Vec<_> = self.sheet.iter().map(|(caption, canvas)| (caption.clone(), canvas)).collect();
        write_png(&contact_sheet(title, &frames, 4, 320), sheet)?;
        Ok(())
    }
}

/// `stem.ext`, or `stem-suffix.ext`.
fn suffixed(stem: &str, suffix: &str, ext: &str) -> String {
    if suffix.is_empty() { format!("{stem}.{ext}") } else { format!("{stem}-{suffix}.{ext}") }
}

/// The directory of a run.
#[derive(Clone, Debug)]
pub struct RunFiles {
    dir: PathBuf,
}

impl RunFiles {
    /// Creates the directory.
    ///
    /// # Errors
    /// A directory that cannot be created.
    pub fn create(dir: &Path) -> Result<Self, FileError> {
        std::fs::create_dir_all(dir).map_err(|source| FileError::Io { path: dir.to_owned(), source })?;
        Ok(Self { dir: dir.to_owned() })
    }

    /// The path of a file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Writes everything that is text: metrics, log (one per lane), manifest.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write(&self, run: &Run, variants: &[Variant]) -> Result<(), FileError> {
        self.json("metrics.json", &run.metrics())?;
        self.json("manifest.json", &Manifest::of(run, variants))?;
        for lane in &run.lanes {
            self.text(&suffixed("log", &lane.name, "csv"), lane.log.text())?;
            self.motions(lane)?;
            if lane.failure.is_some() {
                let path = self.path(&suffixed("blackbox", &lane.name, "txt"));
                let io = |source| FileError::Io { path: path.clone(), source };
                let file = std::fs::File::create(&path).map_err(io)?;
                lane.world.dump().write(std::io::BufWriter::new(file)).map_err(io)?;
            }
        }
        Ok(())
    }

    /// The characters' motions: run.bvh for a single one, else one file each.
    fn motions(&self, lane: &Lane) -> Result<(), FileError> {
        for track in &lane.tracks {
            let who = match (lane.tracks.len(), lane.name.as_str()) {
                (1, lane) => lane.to_owned(),
                (_, "") => track.name().to_owned(),
                (_, lane) => format!("{lane}-{}", track.name()),
            };
            let name = suffixed("run", &who, "bvh");
            let text = track.write(lane.world.model()).map_err(|problem| FileError::Io {
                path: self.path(&name),
                source: std::io::Error::other(problem),
            })?;
            self.text(&name, &text)?;
        }
        Ok(())
    }

    fn json(&self, name: &str, value: &impl serde::Serialize) -> Result<(), FileError> {
        let mut text = serde_json::to_string_pretty(value).expect("reports hold only text and numbers");
        text.push('\n');
        self.text(name, &text)
    }

    fn text(&self, name: &str, text: &str) -> Result<(), FileError> {
        let path = self.path(name);
        std::fs::write(&path, text).map_err(|source| FileError::Io { path, source })
    }
}
