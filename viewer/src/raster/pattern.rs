//! What is on the ground: fields, the lines between them and, where it is not level, contours.
//!
//! Everything is filtered by the footprint of a sample, so that it fades instead of flickering.

use glam::Vec3;

use super::lanes::{Block, LANES, Level, blocks, blocks_mut, widest};
use super::shade::{Material, Surface, positive};

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
/// `tint` gets those of the surface's blocks.
pub(crate) fn pattern(
    level: Level,
    material: &Material,
    first: Vec3,
    step: Vec3,
    surface: &Surface<'_>,
    tint: &mut [f32],
) {
    let Some(grid) = &material.grid else {
        tint.fill(1.0);
        return;
    };
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
}
