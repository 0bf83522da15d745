//! How fast the window would be: the same frames, simulated and drawn without showing them.

use std::fmt;
use std::time::Instant;

use serde::Serialize;
use stuntlab_viewer::canvas::Canvas;
use stuntlab_viewer::window::Input;

use super::{App, ViewError, ViewOptions};
use crate::scene::{Scene, Variant};

/// Frames drawn where nobody says how many.
const FRAMES: u64 = 300;
/// Simulated time per frame, s.
const FRAME: f64 = 1.0 / 60.0;

/// What frames of 1/60 s cost, ms.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Pace {
    /// Frames measured.
    pub frames: u64,
    /// Width and height, pixels.
    pub size: (usize, usize),
    /// Median cost of simulating a frame.
    pub simulation_ms: f64,
    /// Median cost of drawing a frame.
    pub drawing_ms: f64,
    /// Median cost of a frame.
    pub frame_ms: f64,
    /// Cost 95 of 100 frames stay below.
    pub frame_ms_95: f64,
    /// Frames per second at the median cost.
    pub frames_per_second: f64,
}

impl fmt::Display for Pace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { frames, size: (width, height), simulation_ms, drawing_ms, .. } = self;
        writeln!(f, "{frames} frames of {width}x{height}, 1/60 s each, medians:")?;
        writeln!(f, "simulation {simulation_ms:7.2} ms")?;
        writeln!(f, "drawing    {drawing_ms:7.2} ms")?;
        writeln!(f, "together   {:7.2} ms, 95 % below {:.2} ms", self.frame_ms, self.frame_ms_95)?;
        writeln!(f, "           {:7.1} frames/s", self.frames_per_second)
    }
}

/// Simulates and draws frames as the window would.
///
/// # Errors
/// A scene that does not work under these settings.
pub fn measure(scene: &Scene, variants: &[Variant], options: &ViewOptions) -> Result<Pace, ViewError> {
    let mut app = App::new(scene, variants, options)?;
    let mut canvas = Canvas::new(options.size.0, options.size.1);
    let frames = options.frames.unwrap_or(FRAMES).max(1);
    let (mut simulation, mut drawing, mut whole) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..frames {
        let start = Instant::now();
        app.frame(&Input::default(), FRAME, &canvas);
        let simulated = start.elapsed();
        app.draw(&mut canvas);
        let all = start.elapsed();
        simulation.push(simulated.as_secs_f64() * 1e3);
        drawing.push((all - simulated).as_secs_f64() * 1e3);
        whole.push(all.as_secs_f64() * 1e3);
    }
    let frame_ms = share(&mut whole, 0.5);
    Ok(Pace {
        frames,
        size: options.size,
        simulation_ms: share(&mut simulation, 0.5),
        drawing_ms: share(&mut drawing, 0.5),
        frame_ms,
        frame_ms_95: share(&mut whole, 0.95),
        frames_per_second: 1e3 / frame_ms,
    })
}

/// The value a share of the numbers stays below.
fn share(numbers: &mut [f64], part: f64) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[((numbers.len() - 1) as f64 * part).round() as usize]
}
