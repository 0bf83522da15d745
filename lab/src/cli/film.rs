//! Options of films.

use clap::Args;
use stuntlab::run::{FilmOptions, Slow};

use super::view::parse_size;

/// How `run` films.
#[derive(Args)]
pub(super) struct FilmArgs {
    /// Size of the film in pixels; by the number of worlds where absent.
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = parse_size, requires = "out")]
    film: Option<(usize, usize)>,
    /// Frames of the film per second; a GIF shows 50 at most.
    #[arg(long, value_name = "N", default_value_t = 25.0, value_parser = parse_rate)]
    fps: f64,
    /// Name or number of a camera of the scene, or auto: everybody in the frame.
    #[arg(long, value_name = "NAME|auto", default_value = "auto")]
    camera: String,
    /// Run slower for a time, such as 0.25@3.1..3.6; may be given several times.
    #[arg(long, value_name = "SPEED@FROM..TO")]
    slow: Vec<Slow>,
    /// Write every frame as a PNG file, too, and say how ffmpeg makes a video of them.
    #[arg(long, requires = "out")]
    frames: bool,
    /// Write a video, too: run.avi, Motion JPEG, with all frames per second.
    #[arg(long, requires = "out")]
    video: bool,
    /// Leave the GIF and the contact sheet out.
    #[arg(long)]
    no_film: bool,
}

fn parse_rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate| (1.0..=240.0).contains(rate));
    rate.ok_or_else(|| "expected 1 to 240 frames per second".to_owned())
}

impl FilmArgs {
    /// What they ask for; `None` for no film.
    pub(super) fn options(self) -> Option<FilmOptions> {
        let Self { film: size, fps: rate, camera, slow, frames, video, no_film } = self;
        (!no_film).then(|| FilmOptions { size, rate, camera, slow, frames, video, ..FilmOptions::default() })
    }
}
