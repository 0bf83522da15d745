//! From material, normal and depth to a colour.
//!
//! Linear light with gamma 2 (a square root is the only function needed). Light is a sun with shadows, a
//! hemisphere of sky above and ground bounce below, a small highlight and a brighter rim; air takes the
//! colour of the horizon with distance. Ground patterns are filtered by the footprint of the sample, so
//! that they fade instead of flickering. Loops work on runs of one material and have no branches.

use std::ops::Range;

use glam::Vec3;

use super::lanes::{Block, LANES, Level, blocks, blocks_mut, widest};
use super::shadow::ShadowMap;
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
    grid: Option<Grid>,
}

/// Fields of a ground pattern: axes in fields per metre and the eye's place among them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    pub(crate) u: Vec3,
    pub(crate) v: Vec3,
    pub(crate) offset: (f32, f32),
    /// Ground that is not level shows its height: the axis in contours per metre, and the eye's height in contours.
    pub(crate) rise: Option<(Vec3, f32)>,
}

/// Height between contours, m: a bump of the scenes' uneven ground is one or two high.
pub(crate) const CONTOUR: f64 = 0.05;
/// Width of a contour as a part of the height between two.
const CONTOUR_LINE: f32 = 0.07;
/// Brightness gained per contour of height, and the most of it: hills are light, hollows dark.
const CONTOUR_LIGHT: f32 = 0.05;
const CONTOUR_MOST: f32 = 0.2;

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
    sun: Vec<f32>,
    /// Openness to the sky, likewise.
    open: Vec<f32>,
    tint: [f32; RUN],
    colors: [u32; RUN],
}

impl Default for Shader {
    fn default() -> Self {
        Self { sun: Vec::new(), open: Vec::new(), tint: [1.0; RUN], colors: [0; RUN] }
    }
}

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
}

/// What surfaces receive light from.
pub(crate) struct Lamps<'a> {
    pub(crate) light: &'a Light,
    /// Shadows of the sun.
    pub(crate) sun_map: Option<&'a ShadowMap>,
    /// Darkness under things.
    pub(crate) sky_map: Option<&'a ShadowMap>,
}

impl Shader {
    /// Makes room for rows of so many samples.
    pub(crate) fn start(&mut self, stride: usize) {
        self.sun.clear();
        self.sun.resize(stride, 1.0);
        self.open.clear();
        self.open.resize(stride, 1.0);
    }

    /// Finds the light that arrives at a run; `first` is the ray of the surface's first sample.
    pub(crate) fn find_light(&mut self, lamps: &Lamps<'_>, first: Vec3, step: Vec3, surface: &Surface<'_>) {
        let Range { start, end } = surface.run;
        let columns = surface.column + start..surface.column + end;
        let place = |i: usize| (first + step * (start + i) as f32) * (1.0 / surface.w[start + i]);
        if let Some(map) = lamps.sun_map {
            probe(&mut self.sun[columns.clone()], 8, &|i| map.light_at(map.place(place(i))));
        }
        if let Some(map) = lamps.sky_map {
            probe(&mut self.open[columns], 16, &|i| map.openness_at(map.place(place(i))));
        }
    }

    /// Takes the light of the row above for a run of samples `columns` of a material, `above` being the
    /// materials of that row. Shadows have soft edges some samples wide, so every other row can do without
    /// asking. `false` where the row above shows something else or the edge of a shadow crosses it.
    pub(crate) fn keep_light(&mut self, above: &[u32], columns: Range<usize>, material: u32) -> bool {
        let same = |m: &u32| *m == material;
        let row = &above[columns.clone()];
        let (Some(first), Some(last)) = (row.iter().position(same), row.iter().rposition(same)) else {
            return false;
        };
        if row[first..=last].iter().fold(0, |differs, m| differs | (m ^ material)) != 0 {
            return false;
        }
        // Light is never negative, so its bits are ordered as the numbers are.
        let lit = self.sun[columns.clone()][first..=last].iter().map(|x| x.to_bits());
        let (low, high) = lit.fold((u32::MAX, 0), |(low, high), x| (low.min(x), high.max(x)));
        if f32::from_bits(high) - f32::from_bits(low) > 0.5 {
            return false;
        }
        for light in [&mut self.sun[columns.clone()], &mut self.open[columns]] {
            let (left, right) = (light[first], light[last]);
            light[..first].fill(left);
            light[last + 1..].fill(right);
        }
        true
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
        let tint = &mut self.tint[..n];
        match &material.grid {
            Some(grid) => pattern(level, grid, first, step, surface, tint),
            None => tint.fill(1.0),
        }
        let columns = surface.column..surface.column + n;
        let received = Received {
            sun: blocks(&self.sun[columns.clone()]),
            open: blocks(&self.open[columns]),
            tint: blocks(tint),
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
}

/// What light arrives at the blocks of a run, and the pattern on them.
struct Received<'a> {
    sun: &'a [Block],
    open: &'a [Block],
    tint: &'a [Block],
}

/// Fills `out` from a smooth but dear function, asking only every `stride`-th sample first; where two asked
/// ones differ much, the middle is asked too, and so on; between the rest lie straight lines.
fn probe(out: &mut [f32], stride: usize, value: &impl Fn(usize) -> f32) {
    let Some(last) = out.len().checked_sub(1) else { return };
    let mut at = 0;
    out[0] = value(0);
    while at < last {
        let next = (at + stride).min(last);
        out[next] = value(next);
        fill_between(out, at, next, value);
        at = next;
    }
}

fn fill_between(out: &mut [f32], from: usize, to: usize, value: &impl Fn(usize) -> f32) {
    let (before, after) = (out[from], out[to]);
    if before == after {
        out[from..to].fill(after);
    } else if to - from > 1 {
        if (before - after).abs() > 0.35 {
            let middle = (from + to) / 2;
            out[middle] = value(middle);
            fill_between(out, from, middle, value);
            fill_between(out, middle, to, value);
        } else {
            let slope = (after - before) / (to - from) as f32;
            for i in from + 1..to {
                out[i] = before + slope * (i - from) as f32;
            }
        }
    }
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

/// Sky seen by rays that hit nothing.
#[inline(never)]
pub(crate) fn sky(level: Level, light: &Light, first: Vec3, step: Vec3, out: &mut [u32]) {
    for (number, out) in out.chunks_mut(SKY_STEP * LANES).enumerate() {
        let mut colors = [0; LANES];
        let start = first + step * ((number * LANES * SKY_STEP) as f32 + 0.5 * (SKY_STEP - 1) as f32);
        widest(
            level,
            #[inline(always)]
            || sky_block(light, start, step * SKY_STEP as f32, &mut colors),
        );
        for (out, color) in out.chunks_mut(SKY_STEP).zip(colors) {
            out.fill(color);
        }
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
fn positive(v: f32) -> f32 {
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

/// Distance to the nearest integer. The 1.5·2²³ trick rounds without a library call.
#[inline(always)]
fn triangle_wave(x: f32) -> f32 {
    const MAGIC: f32 = 12_582_912.0;
    (x - ((x + MAGIC) - MAGIC)).abs()
}

/// Mean over a box of width `width` (and one over it) about `x` of lines `thin` wide at every integer.
#[inline(always)]
fn filtered_lines(x: f32, width: f32, over_width: f32, thin: f32) -> f32 {
    // A trapezoid: covered where the box overlaps the line, at most the smaller of both widths.
    let gap = triangle_wave(x);
    let cover = 0.5 * (width + thin) - gap;
    let most = if width < thin { width } else { thin };
    let cover = if cover < most { cover } else { most };
    let near = positive(cover) * over_width;
    // Wider than a field: the mean.
    let blend = positive(1.0 - width);
    near * blend + thin * (1.0 - blend)
}

/// Samples that share one footprint; whole blocks.
const PATCH: usize = 32;

/// Ground pattern as a factor on the albedo: a faint checker and thin lines between fields.
fn pattern(level: Level, grid: &Grid, first: Vec3, step: Vec3, surface: &Surface<'_>, tint: &mut [f32]) {
    for (number, tint) in tint.chunks_mut(PATCH).enumerate() {
        let from = number * PATCH;
        let middle = (from + tint.len() / 2).clamp(surface.run.start, surface.run.end - 1);
        // Footprint of a sample on the surface, along both axes: across the view it is as wide as a sample,
        // along it stretched by one over the cosine of incidence.
        let ray = first + step * middle as f32;
        let normal = Vec3::new(surface.nx[middle], surface.ny[middle], surface.nz[middle]);
        let size = step.length() / surface.w[middle];
        let stretch = size / (ray.dot(normal).abs() / normal.length().max(1e-10) + 1e-4) / ray.length();
        let wide = |axis: Vec3| 0.8 * size * axis.length() + stretch * ray.dot(axis).abs() + 1e-5;
        let start = first + step * from as f32;
        let w = blocks(&surface.w[from..from + tint.len()]);
        let both = (wide(grid.u), wide(grid.v));
        patch(level, grid, start, step, both, w, blocks_mut(tint));
        if let Some((axis, _)) = grid.rise {
            // How much height a footprint spans: the axis along the surface.
            let normal = normal * (1.0 / normal.length().max(1e-10));
            let along = wide(axis - normal * normal.dot(axis));
            contour(level, grid, start, step, along, w, blocks_mut(tint));
        }
    }
}

/// Contours and the light of height, on top of the pattern.
#[inline(never)]
fn contour(level: Level, grid: &Grid, first: Vec3, step: Vec3, wide: f32, w: &[Block], tint: &mut [Block]) {
    widest(
        level,
        #[inline(always)]
        || {
            for (b, (w, tint)) in w.iter().zip(tint).enumerate() {
                contour_block(grid, first + step * (b * LANES) as f32, step, wide, w, tint);
            }
        },
    );
}

#[inline(always)]
fn contour_block(grid: &Grid, first: Vec3, step: Vec3, wide: f32, w: &Block, tint: &mut Block) {
    let Some((axis, eye)) = grid.rise else { return };
    let (z0, z1, over) = (first.dot(axis), step.dot(axis), 1.0 / wide);
    for i in 0..LANES {
        let height = (z0 + i as i32 as f32 * z1) / w[i] + eye;
        // Level ground at height 0 lies between two lines, not on one.
        let line = filtered_lines(height + 0.5, wide, over, CONTOUR_LINE);
        let light = CONTOUR_LIGHT * height;
        let light = if light < CONTOUR_MOST { light } else { CONTOUR_MOST };
        let light = if light > -CONTOUR_MOST { light } else { -CONTOUR_MOST };
        tint[i] *= (1.0 + light) * (1.0 - 0.34 * line);
    }
}

#[inline(never)]
fn patch(
    level: Level,
    grid: &Grid,
    first: Vec3,
    step: Vec3,
    wide: (f32, f32),
    w: &[Block],
    tint: &mut [Block],
) {
    widest(
        level,
        #[inline(always)]
        || patch_blocks(grid, first, step, wide, w, tint),
    );
}

#[inline(always)]
fn patch_blocks(grid: &Grid, first: Vec3, step: Vec3, wide: (f32, f32), w: &[Block], tint: &mut [Block]) {
    for (b, (w, tint)) in w.iter().zip(tint).enumerate() {
        patch_block(grid, first + step * (b * LANES) as f32, step, wide, w, tint);
    }
}

#[inline(always)]
fn patch_block(grid: &Grid, first: Vec3, step: Vec3, wide: (f32, f32), w: &Block, tint: &mut Block) {
    let (u, v) = (grid.u, grid.v);
    let (u0, u1, v0, v1) = (first.dot(u), step.dot(u), first.dot(v), step.dot(v));
    let (over_u, over_v) = (1.0 / wide.0, 1.0 / wide.1);
    for i in 0..LANES {
        let x = i as i32 as f32;
        let far = 1.0 / w[i];
        let (a, b) = ((u0 + x * u1) * far + grid.offset.0, (v0 + x * v1) * far + grid.offset.1);
        // Box-filtered checker: the integral of a square wave is a triangle wave.
        let check = |p: f32, width: f32, over: f32| {
            2.0 * (triangle_wave(0.5 * (p + 0.5 * width)) - triangle_wave(0.5 * (p - 0.5 * width))) * over
        };
        let checker = check(a, wide.0, over_u) * check(b, wide.1, over_v);
        let la = filtered_lines(a, wide.0, over_u, 0.022);
        let lb = filtered_lines(b, wide.1, over_v, 0.022);
        let lines = la + lb - la * lb;
        tint[i] = (1.0 + 0.075 * checker) * (1.0 - 0.30 * lines);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_keep_their_mean_at_any_width() {
        for width in [0.01f32, 0.1, 0.5, 0.9, 3.0] {
            let n = 2000;
            let mean: f32 = (0..n)
                .map(|i| filtered_lines(i as f32 / n as f32 * 4.0, width, 1.0 / width, 0.03))
                .sum::<f32>()
                / n as f32;
            assert!((mean - 0.03).abs() < 0.004, "width {width}: {mean}");
        }
    }

    #[test]
    fn packing_rounds_and_clamps() {
        assert_eq!(pack(0.0, 1.0, 2.0), 0x00FFFF);
        assert_eq!(pack(0.25, 1e-9, 1.0), 0x8000FF);
    }
}
