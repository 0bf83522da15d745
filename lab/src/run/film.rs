//! The film of a run: a GIF, and a contact sheet of some of its frames.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use stuntlab_viewer::camera::Camera;
use stuntlab_viewer::canvas::Canvas;
use stuntlab_viewer::contact_sheet::contact_sheet;
use stuntlab_viewer::gif::{GifOptions, GifWriter};
use stuntlab_viewer::hud::{Corner, TextBlock};
use stuntlab_viewer::raster::Quality;

use super::lanes::Run;
use crate::disk::{FileError, settle, write_picture};
use crate::paint::{Look, Painter, subject};
use crate::scene::Scene;

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
    gif: GifWriter<BufWriter<File>>,
    path: PathBuf,
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
        let file = File::create(gif).map_err(FileError::io(gif))?;
        Ok(Self {
            painter: Painter::new(),
            canvas: Canvas::new(SIZE.0, SIZE.1),
            cameras: Vec::new(),
            camera: spec.camera,
            follow: spec.follow,
            ghost: spec.ghost,
            gif: GifWriter::new(BufWriter::new(file), options),
            path: gif.to_owned(),
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
        self.gif.push(&self.canvas).map_err(FileError::picture(&self.path))?;
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
        let written = self.gif.finish().map_err(FileError::picture(&self.path))?;
        let file = written.into_inner().map_err(|e| FileError::io(&self.path)(e.into_error()))?;
        settle(&file).map_err(FileError::io(&self.path))?;
        let frames: Vec<_> = self.sheet.iter().map(|(caption, canvas)| (caption.clone(), canvas)).collect();
        write_picture(sheet, &contact_sheet(title, &frames, 4, 320))
    }
}
