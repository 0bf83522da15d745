//! From material, normal and depth to a colour.
//!
//! Linear light with gamma 2 (a square root is the only function needed). Light is a sun with shadows, a
//! hemisphere of sky above and ground bounce below, a small highlight and a brighter rim; air takes the
//! colour of the horizon with distance. Ground patterns are filtered by the footprint of the sample, so
//! that they fade instead of flickering. Loops work on runs of one material and have no branches.

use std::ops::Range;

use glam::Vec3;

use super::lanes::{Block, LANES, Level, block_of, blocks, blocks_mut, widest};
use super::layer::Layer;
use super::pattern::Grid;
use crate::canvas::blend_pixel;
use crate::palette::Color;
use crate::picture::{Environment, Paint};

/// Most samples handled in one go; whole blocks.
pub(crate) const RUN: usize = 128;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Material {
    albedo: Vec3,
    gloss: f32,
    /// 256 for solid.
    alpha: u32,
    pub(super) grid: Option<Grid>,
}

impl Material {
    pub(crate) fn new(paint: &Paint, grid: Option<Grid>) -> Self {
        let alpha = if paint.alpha >= 1.0 { 256 } else { (paint.alpha.max(0.0) * 256.0) as u32 };
        Self {
            albedo: Vec3::from(paint.color.linear()),
            gloss: paint.gloss.clamp(0.0, 1.0) as f32,
            alpha,
            grid,
        }
    }
}

/// The light of one picture.
pub(crate) struct Light {
    sun: Vec3,
    sun_color: Vec3,
    sky_light: Vec3,
    ground_light: Vec3,
    horizon: Vec3,
    zenith: Vec3,
    /// One over the squared fog distance.
    fog: f32,
}

impl Light {
    pub(crate) fn new(environment: &Environment) -> Self {
        let linear = |c: Color| Vec3::from(c.linear());
        let (horizon, zenith) = (linear(environment.horizon), linear(environment.zenith));
        let fog = environment.fog_distance.max(0.1) as f32;
        Self {
            sun: environment.sun.try_normalize().unwrap_or(glam::DVec3::Z).as_vec3(),
            sun_color: Vec3::new(0.86, 0.80, 0.70),
            sky_light: 0.34 * horizon.lerp(zenith, 0.55) + Vec3::splat(0.16),
            ground_light: Vec3::new(0.17, 0.16, 0.15),
            horizon,
            zenith,
            fog: 1.0 / (fog * fog),
        }
    }
}

/// Light that arrives along a row, and scratch of one run.
pub(crate) struct Shader {
    /// Sunlight, 0 to 1, of every sample of the row.
    pub(super) sun: Vec<f32>,
    /// Openness to the sky, likewise.
    pub(super) open: Vec<f32>,
    colors: [u32; RUN],
}

impl Default for Shader {
    fn default() -> Self {
        Self { sun: Vec::new(), open: Vec::new(), colors: [0; RUN] }
    }
}

/// What falls on a run in full light, and no pattern.
const FULL: [f32; RUN] = [1.0; RUN];

/// Whole blocks of a row around a run of samples of one material, read only.
pub(crate) struct Surface<'a> {
    /// Column of the first sample of the first block.
    pub(crate) column: usize,
    /// The run, counted from there.
    pub(crate) run: Range<usize>,
    pub(crate) w: &'a [f32],
    pub(crate) nx: &'a [f32],
    pub(crate) ny: &'a [f32],
    pub(crate) nz: &'a [f32],
    /// Pattern, as a factor on the colour; `None` for none.
    pub(crate) tint: Option<&'a [f32]>,
}

impl<'a> Surface<'a> {
    /// The samples `run` of a row that begins at `base` of a layer; `tint` lies as the layer does.
    pub(crate) fn new(layer: &'a Layer, tint: Option<&'a [f32]>, base: usize, run: Range<usize>) -> Self {
        let column = block_of(run.start) * LANES;
        let planes = base + column..base + run.end.next_multiple_of(LANES);
        Self {
            column,
            run: run.start - column..run.end - column,
            w: &layer.w[planes.clone()],
            nx: &layer.nx[planes.clone()],
            ny: &layer.ny[planes.clone()],
            nz: &layer.nz[planes.clone()],
            tint: tint.map(|tint| &tint[planes]),
        }
    }
}

impl Shader {
    /// Makes room for rows of so many samples.
    pub(crate) fn start(&mut self, stride: usize) {
        self.sun.clear();
        self.sun.resize(stride, 1.0);
        self.open.clear();
        self.open.resize(stride, 1.0);
    }

    /// Colours a run whose light has been found; `first` is the ray of the surface's first sample, `out` the
    /// run's pixels.
    pub(crate) fn shade(
        &mut self,
        level: Level,
        material: &Material,
        light: &Light,
        first: Vec3,
        step: Vec3,
        surface: &Surface<'_>,
        out: &mut [u32],
    ) {
        let n = surface.w.len();
        let columns = surface.column..surface.column + n;
        let received = Received {
            sun: blocks(&self.sun[columns.clone()]),
            open: blocks(&self.open[columns]),
            tint: blocks(surface.tint.unwrap_or(&FULL[..n])),
        };
        let run = if material.gloss > 0.0 { light_run::<true> } else { light_run::<false> };
        // Whole blocks that hide all behind them need no detour.
        if material.alpha >= 256 && out.len() == n {
            run(level, material, light, first, step, surface, &received, blocks_mut(out));
            return;
        }
        run(level, material, light, first, step, surface, &received, blocks_mut(&mut self.colors[..n]));
        let colors = &self.colors[surface.run.clone()];
        if material.alpha >= 256 {
            out.copy_from_slice(colors);
        } else {
            for ((pixel, &color), i) in out.iter_mut().zip(colors).zip(surface.run.clone()) {
                let ray = first + step * i as f32;
                *pixel = blend_pixel(*pixel, color, ghost_alpha(material.alpha, ray, surface, i));
            }
        }
    }

    /// Colours a run of the ground as `shade` does where all light arrives.
    pub(crate) fn shade_full(
        &mut self,
        level: Level,
        material: &Material,
        light: &Light,
        first: Vec3,
        step: Vec3,
        surface: &Surface<'_>,
        out: &mut [u32],
    ) {
        let n = surface.w.len();
        let full = blocks(&FULL[..n]);
        let received =
            Received { sun: full, open: full, tint: surface.tint.map_or(full, |tint| blocks(tint)) };
        let run = if material.gloss > 0.0 { light_run::<true> } else { light_run::<false> };
        run(level, material, light, first, step, surface, &received, blocks_mut(&mut self.colors[..n]));
        out.copy_from_slice(&self.colors[surface.run.clone()]);
    }
}

/// What light arrives at the blocks of a run, and the pattern on them.
struct Received<'a> {
    sun: &'a [Block],
    open: &'a [Block],
    tint: &'a [Block],
}

/// One over the square root to 0.2 %, without division: the exponent trick and one Newton step.
#[inline(always)]
fn rough_rsqrt(x: f32) -> f32 {
    let guess = f32::from_bits(0x5F37_59DF_u32.wrapping_sub(x.to_bits() >> 1));
    guess * (1.5 - 0.5 * x * guess * guess)
}

/// Opacity of a translucent surface: more where it is seen edge on, so that ghosts have an outline.
fn ghost_alpha(alpha: u32, ray: Vec3, surface: &Surface<'_>, i: usize) -> u32 {
    let normal = Vec3::new(surface.nx[i], surface.ny[i], surface.nz[i]);
    let facing =
        (normal.dot(ray) * (normal.length_squared() * ray.length_squared()).max(1e-20).sqrt().recip()).abs();
    let edge = (1.0 - facing.min(1.0)) * (1.0 - facing.min(1.0));
    (alpha + ((256 - alpha) as f32 * 0.6 * edge) as u32).min(256)
}

/// Samples of sky that share a colour: it changes by much less than a step of brightness over them.
const SKY_STEP: usize = 4;

/// Sky seen by rays that hit nothing, in some columns of a row; `first` is the ray of column 0.
#[inline(never)]
pub(crate) fn sky(
    level: Level,
    light: &Light,
    first: Vec3,
    step: Vec3,
    columns: Range<usize>,
    out: &mut [u32],
) {
    const WIDE: usize = SKY_STEP * LANES;
    let mut at = columns.start;
    while at < columns.end {
        // Colours go with the columns of the picture, wherever the sky begins.
        let from = at / WIDE * WIDE;
        let to = columns.end.min(from + WIDE);
        let mut colors = [0; LANES];
        let start = first + step * (from as f32 + 0.5 * (SKY_STEP - 1) as f32);
        widest(
            level,
            #[inline(always)]
            || sky_block(light, start, step * SKY_STEP as f32, &mut colors),
        );
        for (x, out) in (at..to).zip(&mut out[at - columns.start..to - columns.start]) {
            *out = colors[(x - from) / SKY_STEP];
        }
        at = to;
    }
}

#[inline(always)]
fn sky_block(light: &Light, first: Vec3, step: Vec3, out: &mut Block<u32>) {
    let (low, high) = (light.horizon, light.zenith - light.horizon);
    for (i, pixel) in out.iter_mut().enumerate() {
        let x = i as i32 as f32;
        let (dx, dy, dz) = (first.x + x * step.x, first.y + x * step.y, first.z + x * step.z);
        let rise = dz * rough_rsqrt(dx * dx + dy * dy + dz * dz);
        let rise = if rise > 0.0 { rise } else { 0.0 };
        let part = rise * (2.4 - 1.4 * rise);
        let part = if part < 1.0 { part } else { 1.0 };
        *pixel = pack(low.x + high.x * part, low.y + high.y * part, low.z + high.z * part);
    }
}

/// Linear colour (never negative, clipped at 1) to a pixel. Adding 2²³ leaves the rounded integer in the low bits.
#[inline(always)]
fn pack(r: f32, g: f32, b: f32) -> u32 {
    const MAGIC: f32 = 8_388_608.0;
    let byte = |v: f32| {
        let v = if v < 1.0 { v } else { 1.0 };
        (v.sqrt() * 255.0 + MAGIC).to_bits() & 255
    };
    byte(r) << 16 | byte(g) << 8 | byte(b)
}

#[inline(always)]
pub(super) fn positive(v: f32) -> f32 {
    if v > 0.0 { v } else { 0.0 }
}

/// Lights whole blocks; only glossy surfaces have highlights and rims.
#[inline(never)]
fn light_run<const GLOSSY: bool>(
    level: Level,
    material: &Material,
    light: &Light,
    first: Vec3,
    step: Vec3,
    surface: &Surface<'_>,
    received: &Received<'_>,
    out: &mut [Block<u32>],
) {
    widest(
        level,
        #[inline(always)]
        || light_blocks::<GLOSSY>(material, light, first, step, surface, received, out),
    );
}

#[inline(always)]
fn light_blocks<const GLOSSY: bool>(
    material: &Material,
    light: &Light,
    first: Vec3,
    step: Vec3,
    surface: &Surface<'_>,
    received: &Received<'_>,
    out: &mut [Block<u32>],
) {
    let planes =
        blocks(surface.w).iter().zip(blocks(surface.nx)).zip(blocks(surface.ny)).zip(blocks(surface.nz));
    let received = received.sun.iter().zip(received.open).zip(received.tint);
    for (b, (((((w, nx), ny), nz), ((sun, open), tint)), out)) in planes.zip(received).zip(out).enumerate() {
        let first = first + step * (b * LANES) as f32;
        light_block::<GLOSSY>(material, light, first, step, w, [nx, ny, nz], [sun, open, tint], out);
    }
}

#[inline(always)]
fn light_block<const GLOSSY: bool>(
    material: &Material,
    light: &Light,
    first: Vec3,
    step: Vec3,
    w: &Block,
    [nx, ny, nz]: [&Block; 3],
    [sun, open, tint]: [&Block; 3],
    out: &mut Block<u32>,
) {
    let l = light.sun;
    let (albedo, gloss) = (material.albedo, material.gloss);
    let shine = gloss * 0.55;
    let rim = 0.10 + 0.25 * gloss;
    let (sky, bounce) = (light.sky_light, light.ground_light);
    for i in 0..LANES {
        let x = i as i32 as f32;
        let (dx, dy, dz) = (first.x + x * step.x, first.y + x * step.y, first.z + x * step.z);
        let d2 = dx * dx + dy * dy + dz * dz;
        let over_n = rough_rsqrt(nx[i] * nx[i] + ny[i] * ny[i] + nz[i] * nz[i] + 1e-20);
        let (ax, ay, az) = (nx[i] * over_n, ny[i] * over_n, nz[i] * over_n);

        let facing_sun = positive(ax * l.x + ay * l.y + az * l.z) * sun[i];
        let half = 0.5 + 0.5 * az;
        let ambient = open[i];
        let (mut highlight, mut edge) = (0.0, 0.0);
        if GLOSSY {
            let over_d = rough_rsqrt(d2);
            let (vx, vy, vz) = (-dx * over_d, -dy * over_d, -dz * over_d);
            let (hx, hy, hz) = (vx + l.x, vy + l.y, vz + l.z);
            let over_h = rough_rsqrt(hx * hx + hy * hy + hz * hz + 1e-20);
            let mirror = positive((ax * hx + ay * hy + az * hz) * over_h);
            let m4 = (mirror * mirror) * (mirror * mirror);
            let m16 = (m4 * m4) * (m4 * m4);
            highlight = shine * (m16 * m16) * facing_sun;
            let away = 1.0 - positive(ax * vx + ay * vy + az * vz);
            edge = rim * (away * away) * (away * away) * half * ambient;
        }

        // Air takes q/(1 + q) of the colour, q the squared distance over that of the fog. Before, a tone
        // curve close to 1.2 c/(1 + c/4) keeps bright surfaces from clipping.
        let haze = d2 * light.fog;
        let air = haze / (w[i] * w[i] + haze);
        let channel = |albedo: f32, sun: f32, sky: f32, bounce: f32, horizon: f32| {
            let body = albedo * tint[i] * ((bounce + (sky - bounce) * half) * ambient + sun * facing_sun);
            let lit = if GLOSSY { body + highlight + edge * sky } else { body };
            let toned = lit * (1.2 + lit * (0.03 * lit - 0.27));
            toned + (horizon - toned) * air
        };
        let r = channel(albedo.x, light.sun_color.x, sky.x, bounce.x, light.horizon.x);
        let g = channel(albedo.y, light.sun_color.y, sky.y, bounce.y, light.horizon.y);
        let b = channel(albedo.z, light.sun_color.z, sky.z, bounce.z, light.horizon.z);
        out[i] = pack(r, g, b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_rounds_and_clamps() {
        assert_eq!(pack(0.0, 1.0, 2.0), 0x00FFFF);
        assert_eq!(pack(0.25, 1e-9, 1.0), 0x8000FF);
    }
}
