//! The film of a run: a GIF, a video and pictures of every frame where asked for, and a contact sheet of where something happened.

use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use stuntlab_viewer::avi::AviWriter;
use stuntlab_viewer::canvas::{Canvas, Rect};
use stuntlab_viewer::contact_sheet::contact_sheet;
use stuntlab_viewer::gif::{GifOptions, GifWriter};
use stuntlab_viewer::hud::{Corner, TextBlock, text_size};
use stuntlab_viewer::palette;
use stuntlab_viewer::raster::Quality;

use super::hands::Hands;
use super::happening::{Happening, Highlights};
use super::lanes::{Lane, Run};
use super::world::World;
use crate::disk::{FileError, remove, settle, write_picture};
use crate::measure::Reading;
use crate::paint::{Director, Look, Margins, Painter, deeds, legend};
use crate::scene::{CameraSpec, Scene};

/// How a film is made.
#[derive(Clone, Debug, PartialEq)]
pub struct FilmOptions {
    /// Width and height, pixels; chosen by the number of worlds where absent.
    pub size: Option<(usize, usize)>,
    /// Frames per second of the film.
    pub rate: f64,
    /// Name or number of a camera of the scene, or `auto`: all characters in the frame, seen from where the first camera looks.
    pub camera: String,
    /// Times during which the film runs slower.
    pub slow: Vec<Slow>,
    /// Whether every frame becomes a PNG file, too.
    pub frames: bool,
    /// Whether there is a GIF.
    pub gif: bool,
    /// Whether there is a video, too.
    pub video: bool,
    /// What the contact sheet is like.
    pub sheet: SheetOptions,
}

/// What a contact sheet is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SheetOptions {
    /// Frames on it.
    pub frames: usize,
    /// Frames side by side.
    pub columns: usize,
    /// Width of each, pixels.
    pub width: usize,
}

impl Default for SheetOptions {
    fn default() -> Self {
        Self { frames: 12, columns: 4, width: 480 }
    }
}

impl Default for FilmOptions {
    fn default() -> Self {
        let (camera, sheet) = ("auto".to_owned(), SheetOptions::default());
        Self {
            size: None,
            rate: 25.0,
            camera,
            slow: Vec::new(),
            frames: false,
            gif: true,
            video: false,
            sheet,
        }
    }
}

/// A time during which a film runs slower: `0.25@3.1..3.6`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slow {
    /// Simulated seconds per second of film.
    pub speed: f64,
    /// First simulated second.
    pub from: f64,
    /// Last simulated second.
    pub to: f64,
}

impl std::str::FromStr for Slow {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = || {
            let (speed, span) = text.split_once('@')?;
            let (from, to) = span.split_once("..")?;
            Some(Self { speed: speed.parse().ok()?, from: from.parse().ok()?, to: to.parse().ok()? })
        };
        let sound =
            |s: &Self| s.speed > 0.0 && s.speed <= 1.0 && s.from >= 0.0 && s.from < s.to && s.to.is_finite();
        read()
            .filter(sound)
            .ok_or_else(|| "expected SPEED@FROM..TO with a speed of 0 to 1, such as 0.25@3.1..3.6".to_owned())
    }
}

/// Pixels of a film of one world, of each of several, and of each of several with a crowd in it.
const ONE: (usize, usize) = (640, 360);
const EACH: (usize, usize) = (480, 300);
const CROWDED: (usize, usize) = (880, 250);
/// So many characters are a crowd: they need the width of the picture.
const CROWD: usize = 5;
/// Letters of a film against those of a window, so that they read at half the size, too.
const LETTERS: f64 = 1.4;
/// Letters of the legend, of 100 of the others: it must leave room to feet.
const LEGEND: usize = 85;
/// GIF players slow down what is faster.
const GIF_RATE: f64 = 50.0;

/// Films a run.
pub struct Recorder {
    painter: Painter,
    canvas: Canvas,
    director: Director,
    camera: CameraSpec,
    /// Worlds side by side.
    columns: usize,
    /// Whether the film of so many worlds is usually wider than that of one.
    wide: bool,
    options: FilmOptions,
    gif: Option<GifWriter<BufWriter<File>>>,
    video: Option<AviWriter<BufWriter<File>>>,
    path: PathBuf,
    frames_dir: Option<PathBuf>,
    happening: Happening,
    highlights: Highlights,
    frames: usize,
    time: f64,
    title: String,
}

impl Recorder {
    /// Starts a film of `scene` in a GIF file.
    ///
    /// # Errors
    /// A file that cannot be created.
    pub fn new(scene: &Scene, gif: &Path, options: &FilmOptions) -> Result<Self, FileError> {
        let rate = if options.rate.is_finite() { options.rate.clamp(1.0, 240.0) } else { 25.0 };
        let options = FilmOptions { rate, ..options.clone() };
        let gif_options = GifOptions { frames_per_second: rate.min(GIF_RATE), ..GifOptions::default() };
        let create = |path: &Path| File::create(path).map(BufWriter::new).map_err(FileError::io(path));
        let writer = || create(gif).map(|file| GifWriter::new(file, gif_options));
        let video = || create(&gif.with_extension("avi")).map(|file| AviWriter::new(file, rate));
        let frames_dir = options.frames.then(|| gif.with_file_name("frames"));
        if let Some(dir) = &frames_dir {
            std::fs::create_dir_all(dir).map_err(FileError::io(dir))?;
            remove_frames(dir)?;
        }
        Ok(Self {
            painter: Painter::new(),
            canvas: Canvas::new(1, 1),
            director: director(&scene.camera(&options.camera), &options),
            camera: scene.camera(&options.camera),
            columns: 1,
            wide: false,
            gif: options.gif.then(writer).transpose()?,
            video: options.video.then(video).transpose()?,
            path: gif.to_owned(),
            frames_dir,
            happening: Happening::default(),
            highlights: Highlights::new(options.sheet.frames),
            frames: 0,
            time: 0.0,
            title: scene.name.clone(),
            options,
        })
    }

    /// Adds the frame of now.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn frame(&mut self, run: &Run) -> Result<(), FileError> {
        let dt = self.options.rate.recip();
        if self.frames == 0 {
            let (columns, usual) = layout(run);
            (self.columns, self.wide) = (columns, usual.0 > ONE.0);
            let (width, height) = self.options.size.unwrap_or(usual);
            self.canvas = Canvas::new(width, height);
            // Cells without a world.
            self.canvas.clear(palette::GROUND);
        }
        let cells = self.canvas.rect().grid(self.columns, run.lanes.len());
        let captions = run.lanes.iter().enumerate().zip(&cells);
        let looks: Vec<(Look, Margins)> =
            captions.map(|((k, lane), cell)| self.captions(lane, k, run.lanes.len(), *cell)).collect();
        let worlds: Vec<&World> = run.lanes.iter().map(|lane| &lane.world).collect();
        let frames: Vec<(Rect, Margins)> =
            cells.iter().copied().zip(looks.iter().map(|(_, margins)| *margins)).collect();
        let cameras = self.director.look(&worlds, &frames, dt);
        for (((world, (look, _)), camera), cell) in worlds.iter().zip(&looks).zip(&cameras).zip(&cells) {
            self.painter.paint(world, look, camera, &mut self.canvas, *cell, Quality::FINE);
        }
        self.keep_frame()?;
        let caption = self.happening.look(run);
        let (_, width) = self.sheet_layout();
        let small = (width, (self.canvas.height() * width / self.canvas.width()).max(1));
        self.highlights.offer(self.happening.sum(), caption, || self.canvas.shrunk(small.0, small.1));
        self.frames += 1;
        // To the nanosecond, so that the last of many frames ends where the run does.
        self.time = ((self.time + dt * self.speed()) * 1e9).round() / 1e9;
        Ok(())
    }

    /// Puts the canvas into the GIF, and into a file of its own where asked for.
    fn keep_frame(&mut self) -> Result<(), FileError> {
        // Frames beyond the rate that GIF players show are left out of it.
        let shown = |frame: usize| (frame as f64 * GIF_RATE / self.options.rate) as usize;
        let due =
            self.options.rate <= GIF_RATE || self.frames == 0 || shown(self.frames) != shown(self.frames - 1);
        if let Some(gif) = self.gif.as_mut().filter(|_| due) {
            gif.push(&self.canvas).map_err(FileError::picture(&self.path))?;
        }
        if let Some(video) = &mut self.video {
            video.push(&self.canvas).map_err(FileError::picture(&self.path.with_extension("avi")))?;
        }
        match &self.frames_dir {
            Some(dir) => write_picture(&dir.join(format!("{:05}.png", self.frames + 1)), &self.canvas),
            None => Ok(()),
        }
    }

    /// Simulated seconds per second of film, now.
    fn speed(&self) -> f64 {
        let slow = self.options.slow.iter().filter(|s| (s.from..s.to).contains(&self.time));
        slow.map(|s| s.speed).fold(1.0, f64::min)
    }

    /// Frames side by side on the sheet and pixels across each: several worlds need twice as much.
    fn sheet_layout(&self) -> (usize, usize) {
        let SheetOptions { columns, width, .. } = self.options.sheet;
        let wide = if self.wide { 2 } else { 1 };
        ((columns / wide).max(1), (wide * width).min(self.canvas.width()))
    }

    /// Title, time, who is driven by what, and which marks hold so far; and the room these take.
    fn captions(&self, lane: &Lane, number: usize, lanes: usize, cell: Rect) -> (Look, Margins) {
        let world = &lane.world;
        let mut title = if lane.name.is_empty() { self.title.clone() } else { lane.name.clone() };
        title += &format!("   {:.2} s", world.state.time);
        let speed = self.speed();
        if speed < 1.0 {
            title += &format!("   slow {speed}×");
        }
        if world.state.time + 1.5 * world.options.dt < self.time && lane.failure.is_none() {
            title += "   ended";
        }
        let mut top = TextBlock::new(Corner::TopLeft, &title);
        let readings: Vec<Reading> = lane.readings("").filter(Reading::has_mark).collect();
        let hold = readings.iter().filter(|r| r.passed).count();
        if !readings.is_empty() {
            let color = if hold == readings.len() { palette::SKY_BLUE } else { palette::ORANGE };
            top = top.line(format!("{hold} of {} marks hold so far", readings.len()), color);
        }
        // Room for the marks by name where the picture is large and theirs alone.
        if cell.height >= 540 && lanes == 1 {
            for reading in readings.iter().take(6) {
                let (word, color) =
                    if reading.passed { ("ok  ", palette::SKY_BLUE) } else { ("not ", palette::ORANGE) };
                let value = reading.value.map_or_else(|| "none".to_owned(), |v| format!("{v:.3}"));
                let (name, unit, marks) = (&reading.name, reading.unit, reading.marks());
                top = top.line(format!("{word} {name}: {value} {unit} ({marks})"), color);
            }
        }
        let letters = (LETTERS * text_size(cell) as f64) as usize;
        // Names are above heads.
        let mut margins = Margins { top: top.height(cell, letters) + 2 * letters, bottom: 0 };
        let mut look = Look { texts: vec![top], names: true, letters, ..Look::default() };
        look.layers.ghost = self.camera.ghost;
        look.deeds = deeds(world, &Hands::default());
        if !world.cast().is_empty() && (number == 0 || lanes <= 4) {
            look.texts.push(legend(world, Corner::BottomLeft).in_a_strip().sized(LEGEND * letters / 100));
        }
        if let Some(failure) = &lane.failure {
            look.texts.push(TextBlock::new(Corner::BottomLeft, failure));
        }
        margins.bottom = look.texts[1..].iter().map(|text| text.height(cell, letters)).sum();
        (look, margins)
    }

    /// Simulated time of the next frame, s.
    pub fn next_time(&self) -> f64 {
        self.time
    }

    /// The picture of the last frame.
    pub fn canvas(&self) -> &Canvas {
        &self.canvas
    }

    /// How to make a video of the frames, where they were kept.
    pub fn ffmpeg(&self) -> Option<String> {
        let dir = self.frames_dir.as_ref()?;
        let video = self.path.with_extension("mp4");
        let (rate, dir, video) = (self.options.rate, dir.display(), video.display());
        Some(format!(
            "ffmpeg -framerate {rate} -i {dir}/%05d.png -c:v libx264 -pix_fmt yuv420p -crf 18 {video}"
        ))
    }

    /// Ends the film and writes the contact sheet.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn finish(self, title: &str, sheet: &Path) -> Result<(), FileError> {
        let (columns, width) = self.sheet_layout();
        if let Some(gif) = self.gif {
            let written = gif.finish().map_err(FileError::picture(&self.path))?;
            let file = written.into_inner().map_err(|e| FileError::io(&self.path)(e.into_error()))?;
            settle(&file).map_err(FileError::io(&self.path))?;
        }
        if let Some(video) = self.video {
            let path = self.path.with_extension("avi");
            let written = video.finish().map_err(FileError::picture(&path))?;
            let file = written.into_inner().map_err(|e| FileError::io(&path)(e.into_error()))?;
            settle(&file).map_err(FileError::io(&path))?;
        }
        let chosen = self.highlights.chosen();
        let frames: Vec<_> = chosen.iter().map(|(caption, canvas)| (caption.clone(), *canvas)).collect();
        write_picture(sheet, &contact_sheet(title, &frames, columns, width))
    }
}

/// Removes the frames an earlier film left; other files stay.
fn remove_frames(dir: &Path) -> Result<(), FileError> {
    for entry in std::fs::read_dir(dir).map_err(FileError::io(dir))?.flatten() {
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.strip_suffix(".png"));
        if number.is_some_and(|n| n.len() == 5 && n.bytes().all(|b| b.is_ascii_digit())) {
            remove(&entry.path())?;
        }
    }
    Ok(())
}

/// The director of a film.
fn director(spec: &CameraSpec, options: &FilmOptions) -> Director {
    Director::new(spec.camera, spec.follow.clone(), options.camera == "auto")
}

/// Worlds side by side in a film, and its usual size. Crowds are stacked: they are wide.
fn layout(run: &Run) -> (usize, (usize, usize)) {
    let lanes = run.lanes.len();
    let most = run.lanes.iter().map(|lane| lane.world.cast().len()).max().unwrap_or(0);
    if lanes <= 1 {
        return (1, ONE);
    }
    let square = (1..).find(|c| c * c >= lanes).unwrap_or(1);
    let (columns, each) = if most >= CROWD && lanes <= 6 { (1, CROWDED) } else { (square, EACH) };
    (columns, (each.0 * columns, each.1 * lanes.div_ceil(columns)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_times_are_read_and_nonsense_is_not() {
        assert_eq!("0.25@3.1..3.6".parse(), Ok(Slow { speed: 0.25, from: 3.1, to: 3.6 }));
        for wrong in ["", "0.25", "0@1..2", "2@1..2", "0.5@2..1", "0.5@1..inf", "a@b..c"] {
            assert!(wrong.parse::<Slow>().is_err(), "{wrong}");
        }
    }
}
