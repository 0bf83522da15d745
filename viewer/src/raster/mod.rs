//! The software raster: picture and camera in, pixels out.
//!
//! 1. *Set-up*: solids become balls, capsules, triangles and planes in sample coordinates; shadow maps fill.
//! 2. *Bands* of 8 pixel rows, each on its own: visibility (inverse depth, normal, material), then light,
//!    then the translucent layer, then lines and other marks, then the mean over samples.
//! 3. *Flat things*: labels, text and charts, over everything.
//!
//! A band reads the set-up and writes its own rows and nothing else. The picture therefore has the same bits
//! on any number of threads.

mod arrive;
mod desk;
mod ground;
mod lanes;
mod layer;
mod lens;
mod mesh;
mod overlay;
mod part;
mod pattern;
mod round;
mod setup;
mod shade;
mod shadow;
mod triangle;
mod wire;

use std::sync::Mutex;

use rayon::prelude::*;

use crate::camera::Camera;
use crate::canvas::{Canvas, Rect};
use crate::chart::{draw_chart, lay_charts};
use crate::hud::{Laid, Stack, lay};
use crate::label;
use crate::picture::Picture;
use arrive::Lamps;
use desk::{Desk, Job, Rows};
use ground::{Grounds, Kept, Way};
use lanes::{Level, best_level};
use lens::Lens;
pub(crate) use mesh::LocalMesh;
use setup::Setup;
use shade::Light;
use shadow::ShadowMap;

/// Pixel rows per band, an even number: what a band of 1280 pixels knows of its samples, 24 bytes each, is half of a small second-level
/// cache (512 kB).
const BAND: usize = 8;

/// How much work goes into a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quality {
    /// 1, or 2 for four samples a pixel (smooth edges at about four times the cost).
    pub samples: usize,
    /// Texels per side of the sun's shadow map; 0 for no shadows.
    pub shadow_map: usize,
    /// Whether bodies darken what is under and beside them.
    pub ambient_occlusion: bool,
}

impl Quality {
    /// For a window at full speed.
    pub const FAST: Self = Self { samples: 1, shadow_map: 512, ambient_occlusion: true };
    /// For pictures that are kept.
    pub const FINE: Self = Self { samples: 2, shadow_map: 1024, ambient_occlusion: true };
    /// Shapes only.
    pub const DRAFT: Self = Self { samples: 1, shadow_map: 0, ambient_occlusion: false };
}

/// Draws pictures; keeps cut meshes and working memory from one to the next.
pub struct Renderer {
    setup: Setup,
    sun_map: ShadowMap,
    sky_map: ShadowMap,
    grounds: Grounds,
    desks: Mutex<Vec<Desk>>,
    level: Level,
}

impl Default for Renderer {
    fn default() -> Self {
        Self {
            setup: Setup::default(),
            sun_map: ShadowMap::default(),
            sky_map: ShadowMap::default(),
            grounds: Grounds::default(),
            desks: Mutex::default(),
            level: best_level(),
        }
    }
}

/// Draws one picture without keeping anything; a `Renderer` is faster for many.
pub fn render(picture: &Picture, camera: &Camera, canvas: &mut Canvas, viewport: Rect, quality: Quality) {
    Renderer::new().render(picture, camera, canvas, viewport, quality);
}

impl Renderer {
    /// A renderer with empty memory.
    pub fn new() -> Self {
        Self::default()
    }

    /// A renderer that uses no vector instructions beyond those every machine has. Same picture, slower.
    pub fn plain() -> Self {
        Self { level: Level::baseline(), ..Self::default() }
    }

    /// Draws a picture into a part of the canvas, the rest is left alone. Runs on the current rayon pool.
    pub fn render(
        &mut self,
        picture: &Picture,
        camera: &Camera,
        canvas: &mut Canvas,
        viewport: Rect,
        quality: Quality,
    ) {
        let viewport = cut(viewport, canvas);
        if viewport.width == 0 || viewport.height == 0 {
            return;
        }
        let samples = quality.samples.clamp(1, 2);
        let view = camera.view(viewport);
        let lens = Lens::new(&view, viewport, samples, self.level);
        let (sun_wanted, sky_wanted) = (quality.shadow_map > 0, quality.ambient_occlusion);
        let reach = (1.25 * camera.distance).clamp(3.5, 30.0);
        if sun_wanted {
            let size = quality.shadow_map.clamp(64, 4096);
            let sun = picture.environment.sun;
            self.sun_map.start(size, sun, view.eye, camera.target, reach, f32::INFINITY);
        }
        if sky_wanted {
            let size = (2.0 * reach / 0.045).clamp(64.0, 512.0) as usize;
            self.sky_map.start(size, glam::DVec3::Z, view.eye, camera.target, reach, 0.7);
        }
        // Finer pictures are kept ones, of which there are seldom two of the same sight.
        let bands = viewport.height.div_ceil(BAND);
        let (way, kept) = match samples {
            1 => self.grounds.next(picture, &lens, viewport, bands),
            _ => (Way::Drawn, &mut [][..]),
        };
        let texel = if sun_wanted { self.sun_map.texel() } else { f64::INFINITY };
        let texel = if sky_wanted { texel.min(self.sky_map.texel()) } else { texel };
        self.setup.prepare(picture, &lens, samples, BAND * samples, texel, way == Way::Known);
        let (setup, sun_map, sky_map) = (&self.setup, &mut self.sun_map, &mut self.sky_map);
        rayon::join(
            || sun_wanted.then(|| setup.cast_into(sun_map)),
            || sky_wanted.then(|| setup.cast_into(sky_map)),
        );

        let light = Light::new(&picture.environment);
        let lamps = Lamps {
            light: &light,
            sun_map: (sun_wanted && !self.sun_map.is_empty()).then_some(&self.sun_map),
            sky_map: (sky_wanted && !self.sky_map.is_empty()).then_some(&self.sky_map),
        };
        let (desks, stride) = (&self.desks, canvas.width());
        let job = Job { setup: &self.setup, lens: &lens, lamps: &lamps, samples, way };
        let (pixels, depth) = canvas.planes_mut();
        let rows = viewport.y * stride..(viewport.y + viewport.height) * stride;
        let draw = |number: usize, pixels: &mut [u32], depth: &mut [f32], kept: &mut Kept| {
            let mut desk = lock(desks).pop().unwrap_or_default();
            desk.fill(&job, number, kept, Rows { pixels, stride, left: viewport.x }, depth);
            lock(desks).push(desk);
        };
        let bands = pixels[rows.clone()]
            .par_chunks_mut(BAND * stride)
            .zip(depth[rows].par_chunks_mut(BAND * stride))
            .enumerate();
        if kept.is_empty() {
            bands.for_each(|(number, (pixels, depth))| draw(number, pixels, depth, &mut Kept::default()));
        } else {
            bands.zip(kept).for_each(|((number, (pixels, depth)), kept)| draw(number, pixels, depth, kept));
        }

        canvas.set_clip(Some(viewport));
        let mut stack = Stack::new(viewport, picture.letters);
        let blocks: Vec<Laid> = picture.texts.iter().map(|block| lay(block, &mut stack)).collect();
        let charts = lay_charts(&picture.charts, &mut stack);
        // Names keep clear of the corners; help, in the middle, covers them.
        label::draw(&picture.labels, &view, viewport, &stack, canvas);
        blocks.iter().for_each(|block| block.draw(canvas));
        for (chart, place) in picture.charts.iter().zip(charts) {
            if let Some(place) = place {
                draw_chart(chart, place, stack.size(), canvas);
            }
        }
        canvas.set_clip(None);
    }
}

/// The part of a rectangle that lies on the canvas.
fn cut(rect: Rect, canvas: &Canvas) -> Rect {
    let (x, y) = (rect.x.min(canvas.width()), rect.y.min(canvas.height()));
    Rect::new(x, y, rect.width.min(canvas.width() - x), rect.height.min(canvas.height() - y))
}

/// A poisoned lock only means that another band panicked; the memory inside is scratch.
fn lock(desks: &Mutex<Vec<Desk>>) -> std::sync::MutexGuard<'_, Vec<Desk>> {
    desks.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
