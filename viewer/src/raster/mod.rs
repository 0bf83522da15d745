//! The software raster: picture and camera in, pixels out.
//!
//! 1. *Set-up*: solids become balls, capsules, triangles and planes in sample coordinates; shadow maps fill.
//! 2. *Bands* of 8 pixel rows, each on its own: visibility (inverse depth, normal, material), then light,
//!    then the translucent layer, then lines and other marks, then the mean over samples.
//! 3. *Flat things*: labels, text and charts, over everything.
//!
//! A band reads the set-up and writes its own rows and nothing else. The picture therefore has the same bits
//! on any number of threads.

mod lanes;
mod layer;
mod lens;
mod mesh;
mod overlay;
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
use lanes::{LANES, Level, best_level, block_of};
use layer::{Layer, NOTHING};
use lens::Lens;
pub(crate) use mesh::LocalMesh;
use setup::Setup;
use shade::{Lamps, Light, RUN, Shader, Surface, sky};
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
    desks: Mutex<Vec<Desk>>,
    level: Level,
}

impl Default for Renderer {
    fn default() -> Self {
        Self {
            setup: Setup::default(),
            sun_map: ShadowMap::default(),
            sky_map: ShadowMap::default(),
            desks: Mutex::default(),
            level: best_level(),
        }
    }
}

/// Working memory of a band.
#[derive(Default)]
struct Desk {
    solid: Layer,
    ghost: Layer,
    shader: Shader,
    colors: Vec<u32>,
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
        self.setup.prepare(picture, &lens, samples, BAND * samples);
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
        let (setup, desks, stride) = (&self.setup, &self.desks, canvas.width());
        let (pixels, depth) = canvas.planes_mut();
        let rows = viewport.y * stride..(viewport.y + viewport.height) * stride;
        let bands = pixels[rows.clone()]
            .par_chunks_mut(BAND * stride)
            .zip(depth[rows].par_chunks_mut(BAND * stride))
            .enumerate();
        bands.for_each(|(number, (pixels, depth))| {
            let mut desk = lock(desks).pop().unwrap_or_default();
            desk.draw(setup, &lens, &lamps, number, samples, pixels.len() / stride);
            desk.resolve(&lens, samples, viewport.x, stride, pixels, depth);
            lock(desks).push(desk);
        });

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

impl Desk {
    /// Fills `colors` with the lit samples of a band of `height` pixel rows.
    fn draw(
        &mut self,
        setup: &Setup,
        lens: &Lens,
        lamps: &Lamps<'_>,
        number: usize,
        samples: usize,
        height: usize,
    ) {
        let (rows, top) = (height * samples, number * BAND * samples);
        self.solid.start(lens.width, rows);
        let stride = self.solid.stride;
        self.colors.resize(rows * stride, 0);
        self.shader.start(stride);
        let bin = &setup.bins[number];
        visit(&mut self.solid, setup, lens, number, 0, top, rows);
        self.light(setup, lens, lamps, top, rows, false);
        let ghosts = !bin.rounds[1].is_empty() || !bin.triangles[1].is_empty() || !setup.planes[1].is_empty();
        if ghosts {
            self.ghost.start_before(&self.solid, rows);
            visit(&mut self.ghost, setup, lens, number, 1, top, rows);
            self.light(setup, lens, lamps, top, rows, true);
        }
        for &index in &bin.overlays {
            let item = &setup.overlays.items[index as usize];
            for row in item.rows.0.max(top)..item.rows.1.min(top + rows) {
                let range = (row - top) * stride..(row - top) * stride + lens.width;
                setup.overlays.draw_row(item, row, &self.solid.w[range.clone()], &mut self.colors[range]);
            }
        }
    }

    /// Lights a layer, run by run of equal material.
    fn light(
        &mut self,
        setup: &Setup,
        lens: &Lens,
        lamps: &Lamps<'_>,
        top: usize,
        rows: usize,
        translucent: bool,
    ) {
        let layer = if translucent { &self.ghost } else { &self.solid };
        for row in 0..rows {
            let (first, step) = lens.row(top + row);
            let base = row * layer.stride;
            let materials = &layer.material[base..base + lens.width];
            let above = (row % 2 == 1).then(|| &layer.material[base - layer.stride..base]);
            let mut from = 0;
            while from < lens.width {
                let number = materials[from];
                let column = block_of(from) * LANES;
                let longest = if number == NOTHING { lens.width } else { (column + RUN).min(lens.width) };
                let to = end_of_run(materials, from, longest);
                let out = &mut self.colors[base + from..base + to];
                if number != NOTHING {
                    let planes = base + column..base + to.next_multiple_of(LANES);
                    let surface = Surface {
                        column,
                        run: from - column..to - column,
                        w: &layer.w[planes.clone()],
                        nx: &layer.nx[planes.clone()],
                        ny: &layer.ny[planes.clone()],
                        nz: &layer.nz[planes],
                    };
                    let ray = first + step * column as f32;
                    let shader = &mut self.shader;
                    if !above.is_some_and(|above| shader.keep_light(above, from..to, number)) {
                        shader.find_light(lamps, ray, step, &surface);
                    }
                    let material = &setup.materials[number as usize];
                    shader.shade(lens.level, material, lamps.light, ray, step, &surface, out);
                } else if !translucent {
                    sky(lens.level, lamps.light, first + step * from as f32, step, out);
                }
                from = to;
            }
        }
    }

    /// Writes the mean over each pixel's samples, and the depth of its first, to the canvas rows.
    fn resolve(
        &self,
        lens: &Lens,
        samples: usize,
        left: usize,
        stride: usize,
        pixels: &mut [u32],
        depth: &mut [f32],
    ) {
        let (width, line) = (lens.width / samples, self.solid.stride);
        let rows = pixels.chunks_mut(stride).zip(depth.chunks_mut(stride));
        for (row, (pixels, depth)) in rows.enumerate() {
            let pixels = &mut pixels[left..left + width];
            let depth = &mut depth[left..left + width];
            let from = row * samples * line;
            if samples == 1 {
                pixels.copy_from_slice(&self.colors[from..from + width]);
                depth.copy_from_slice(&self.solid.w[from..from + width]);
                continue;
            }
            let upper = self.colors[from..from + lens.width].chunks_exact(2);
            let lower = self.colors[from + line..from + line + lens.width].chunks_exact(2);
            for ((pixel, a), b) in pixels.iter_mut().zip(upper).zip(lower) {
                *pixel = mean(a[0], a[1], b[0], b[1]);
            }
            for (w, pair) in depth.iter_mut().zip(self.solid.w[from..from + lens.width].chunks_exact(2)) {
                *w = pair[0];
            }
        }
    }
}

/// Decides what is seen in a band of one layer.
fn visit(
    layer: &mut Layer,
    setup: &Setup,
    lens: &Lens,
    number: usize,
    which: usize,
    top: usize,
    rows: usize,
) {
    let bin = &setup.bins[number];
    for &index in &bin.rounds[which] {
        let round = &setup.rounds[index as usize];
        for row in round.rows.0.max(top)..round.rows.1.min(top + rows) {
            let (from, to) = round.columns(row, lens.width);
            if from < to {
                let (first, step) = lens.row(row);
                let span = layer.span(row - top, from, to);
                round.draw(lens, first + step * span.first as f32, step, span);
            }
        }
    }
    for &index in &bin.triangles[which] {
        setup.triangles[index as usize].draw(lens, layer, top, rows);
    }
    for plane in &setup.planes[which] {
        for row in 0..rows {
            let (first, step) = lens.row(top + row);
            plane.draw(lens, first, step, layer.span(row, 0, lens.width));
        }
    }
}

/// Where the run of equal materials that starts at `from` ends, at the latest at `limit`.
fn end_of_run(materials: &[u32], from: usize, limit: usize) -> usize {
    let material = materials[from];
    let run = &materials[from..limit];
    let (blocks, _) = run.as_chunks::<LANES>();
    let equal = |block: &&[u32; LANES]| block.iter().fold(0, |differs, m| differs | (m ^ material)) == 0;
    let whole = blocks.iter().take_while(equal).count() * LANES;
    from + whole + run[whole..].iter().take(LANES).take_while(|m| **m == material).count()
}

/// Mean of four pixels, channel by channel.
#[inline(always)]
fn mean(a: u32, b: u32, c: u32, d: u32) -> u32 {
    let even = (a & 0xFF00FF) + (b & 0xFF00FF) + (c & 0xFF00FF) + (d & 0xFF00FF) + 0x020002;
    let odd = (a & 0x00FF00) + (b & 0x00FF00) + (c & 0x00FF00) + (d & 0x00FF00) + 0x000200;
    even >> 2 & 0xFF00FF | odd >> 2 & 0x00FF00
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
