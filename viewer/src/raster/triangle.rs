//! Flat geometry: triangles row by row, and infinite planes.
//!
//! Inverse depth `w` and `w`-weighted normals are linear over the picture, so each is three numbers: value at
//! the sample origin, change along x, change along y. Row ends are found by walking every edge in one fixed
//! direction, so that neighbours sharing an edge leave neither gap nor overlap.

use glam::Vec3;

use super::lanes::{Block, LANES, Level, widest};
use super::layer::{Layer, Span, mask_of, pick};
use super::lens::{Lens, Seen};
use crate::camera::NEAR;

/// `value + x·across + y·down`.
#[derive(Clone, Copy, Debug, Default)]
struct Linear {
    value: f32,
    across: f32,
    down: f32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Triangle {
    edges: [Edge; 3],
    w: Linear,
    normal: Shade,
    pub(crate) material: u32,
    /// Rows it covers, the last one excluded.
    pub(crate) rows: (usize, usize),
}

/// An edge, walked downwards.
#[derive(Clone, Copy, Debug)]
struct Edge {
    top: f32,
    bottom: f32,
    x: f32,
    slope: f32,
}

impl Edge {
    fn new(p: Seen, q: Seen) -> Self {
        let (p, q) = if (p.y, p.x) <= (q.y, q.x) { (p, q) } else { (q, p) };
        // Level edges cross no row, their slope is never used.
        Self { top: p.y, bottom: q.y, x: p.x, slope: (q.x - p.x) / (q.y - p.y) }
    }
}

#[derive(Clone, Copy, Debug)]
enum Shade {
    Flat(Vec3),
    Smooth([Linear; 3]),
}

impl Triangle {
    /// From three points in front of the eye, seen counter-clockwise from outside; `normals`, times inverse depths, for smooth
    /// shading, else `flat`. `None` for back faces and what lies outside the picture.
    pub(crate) fn new(
        lens: &Lens,
        corners: [Seen; 3],
        normals: Option<[Vec3; 3]>,
        flat: Vec3,
        material: u32,
    ) -> Option<Self> {
        let [a, b, c] = corners;
        let (width, height) = (lens.width as f32, lens.height as f32);
        let (low, high) = (a.y.min(b.y).min(c.y), a.y.max(b.y).max(c.y));
        let (left, right) = (a.x.min(b.x).min(c.x), a.x.max(b.x).max(c.x));
        if high < 0.0 || low >= height || right < 0.0 || left >= width {
            return None;
        }
        // Twice the area; negative because the picture's y points down.
        let area = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
        if area >= -1e-9 || !area.is_finite() {
            return None;
        }
        let rows = ((low.max(0.0) + 0.5) as usize, ((high + 0.5) as usize).min(lens.height));
        if rows.0 >= rows.1 {
            return None;
        }
        let over = 1.0 / area;
        let linear = |va: f32, vb: f32, vc: f32| {
            let across = ((vb - va) * (c.y - a.y) - (vc - va) * (b.y - a.y)) * over;
            let down = ((vc - va) * (b.x - a.x) - (vb - va) * (c.x - a.x)) * over;
            Linear { value: va - a.x * across - a.y * down, across, down }
        };
        let normal = match normals {
            None => Shade::Flat(flat),
            Some([na, nb, nc]) => {
                Shade::Smooth([linear(na.x, nb.x, nc.x), linear(na.y, nb.y, nc.y), linear(na.z, nb.z, nc.z)])
            }
        };
        let edges = [Edge::new(a, b), Edge::new(b, c), Edge::new(c, a)];
        Some(Self { edges, w: linear(a.w, b.w, c.w), normal, material, rows })
    }

    /// Samples of a row whose centres lie inside.
    #[inline(always)]
    fn columns(&self, row: usize, width: usize) -> (usize, usize) {
        let y = row as f32 + 0.5;
        let (mut left, mut right) = (f32::INFINITY, f32::NEG_INFINITY);
        for edge in &self.edges {
            if edge.top <= y && y < edge.bottom {
                let x = edge.x + (y - edge.top) * edge.slope;
                left = left.min(x);
                right = right.max(x);
            }
        }
        let column = |x: f32| ((x + 0.5).max(0.0) as usize).min(width);
        if left <= right { (column(left), column(right)) } else { (0, 0) }
    }

    /// Draws what lies in the rows of a layer, of which `top` is the first. Most triangles are a few samples wide and high, so
    /// that all their rows are one loop.
    #[inline(never)]
    pub(crate) fn draw(&self, lens: &Lens, layer: &mut Layer, top: usize, rows: usize) {
        widest(
            lens.level,
            #[inline(always)]
            || {
                for row in self.rows.0.max(top)..self.rows.1.min(top + rows) {
                    let (from, to) = self.columns(row, lens.width);
                    if from < to {
                        self.draw_row(row, (from, to), layer.span(row - top, from, to));
                    }
                }
            },
        );
    }

    /// Draws the samples `from..to` of `row`, which lie in the blocks of `span`.
    #[inline(always)]
    fn draw_row(&self, row: usize, (from, to): (usize, usize), span: Span<'_>) {
        let (x, y) = (span.first as f32 + 0.5, row as f32 + 0.5);
        let start = |l: &Linear| l.value + x * l.across + y * l.down;
        let run = ((from - span.first) as f32, (to - span.first) as f32);
        let (w, change, number) = (start(&self.w), self.w.across, self.material);
        let Span { w: ws, nx, ny, nz, material, .. } = span;
        match &self.normal {
            Shade::Flat(n) => flat_blocks(run, w, change, *n, number, ws, nx, ny, nz, material),
            Shade::Smooth(n) => {
                let from = Vec3::new(start(&n[0]), start(&n[1]), start(&n[2]));
                let turn = Vec3::new(n[0].across, n[1].across, n[2].across);
                smooth_blocks(run, w, change, from, turn, number, ws, nx, ny, nz, material);
            }
        }
    }
}

/// An infinite plane: `w = n·d / n·p` for the ray d, p any point of the plane seen from the eye.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plane {
    normal: Vec3,
    over: f32,
    pub(crate) material: u32,
}

impl Plane {
    /// `None` when the eye is not above the plane.
    pub(crate) fn new(normal: Vec3, point: Vec3, material: u32) -> Option<Self> {
        let height = -normal.dot(point);
        // A hair behind its place, so that terrain and polygons lying in the plane win.
        (height > 1e-4).then(|| Self { normal, over: -0.9999 / height, material })
    }

    /// Draws a whole row; `first` is the ray of its first sample.
    pub(crate) fn draw(&self, lens: &Lens, first: Vec3, step: Vec3, span: Span<'_>) {
        let (w, change) = (self.normal.dot(first) * self.over, self.normal.dot(step) * self.over);
        let run = (0.0, lens.width as f32);
        let Span { w: ws, nx, ny, nz, material, .. } = span;
        fill_flat(lens.level, run, w, change, self.normal, self.material, ws, nx, ny, nz, material);
    }
}

/// Fills the samples `run.0..run.1` of some blocks, counted from the first, where `start + i·step` is nearer.
#[inline(never)]
fn fill_flat(
    level: Level,
    run: (f32, f32),
    start: f32,
    step: f32,
    normal: Vec3,
    number: u32,
    w: &mut [Block],
    nx: &mut [Block],
    ny: &mut [Block],
    nz: &mut [Block],
    material: &mut [Block<u32>],
) {
    widest(
        level,
        #[inline(always)]
        || flat_blocks(run, start, step, normal, number, w, nx, ny, nz, material),
    );
}

#[inline(always)]
fn flat_blocks(
    run: (f32, f32),
    start: f32,
    step: f32,
    normal: Vec3,
    number: u32,
    w: &mut [Block],
    nx: &mut [Block],
    ny: &mut [Block],
    nz: &mut [Block],
    material: &mut [Block<u32>],
) {
    let blocks = w.iter_mut().zip(nx).zip(ny).zip(nz).zip(material).enumerate();
    for (b, ((((w, nx), ny), nz), material)) in blocks {
        flat_block(run, start, step, normal, number, b * LANES, w, nx, ny, nz, material);
    }
}

#[inline(always)]
fn flat_block(
    run: (f32, f32),
    start: f32,
    step: f32,
    normal: Vec3,
    number: u32,
    first_column: usize,
    w: &mut Block,
    nx: &mut Block,
    ny: &mut Block,
    nz: &mut Block,
    material: &mut Block<u32>,
) {
    for i in 0..LANES {
        let x = (first_column + i) as i32 as f32;
        let here = start + x * step;
        let hit = (x >= run.0) & (x < run.1) & (here > w[i]) & (here < (1.0 / NEAR) as f32);
        let mask = mask_of(hit);
        w[i] = pick(mask, here, w[i]);
        nx[i] = pick(mask, normal.x, nx[i]);
        ny[i] = pick(mask, normal.y, ny[i]);
        nz[i] = pick(mask, normal.z, nz[i]);
        material[i] = (number & mask) | (material[i] & !mask);
    }
}

/// Like `flat_blocks`, with a normal that turns from sample to sample.
#[inline(always)]
fn smooth_blocks(
    run: (f32, f32),
    start: f32,
    step: f32,
    normal: Vec3,
    turn: Vec3,
    number: u32,
    w: &mut [Block],
    nx: &mut [Block],
    ny: &mut [Block],
    nz: &mut [Block],
    material: &mut [Block<u32>],
) {
    let blocks = w.iter_mut().zip(nx).zip(ny).zip(nz).zip(material).enumerate();
    for (b, ((((w, nx), ny), nz), material)) in blocks {
        smooth_block(run, start, step, normal, turn, number, b * LANES, w, nx, ny, nz, material);
    }
}

#[inline(always)]
fn smooth_block(
    run: (f32, f32),
    start: f32,
    step: f32,
    normal: Vec3,
    turn: Vec3,
    number: u32,
    first_column: usize,
    w: &mut Block,
    nx: &mut Block,
    ny: &mut Block,
    nz: &mut Block,
    material: &mut Block<u32>,
) {
    for i in 0..LANES {
        let x = (first_column + i) as i32 as f32;
        let here = start + x * step;
        let mask = mask_of((x >= run.0) & (x < run.1) & (here > w[i]));
        w[i] = pick(mask, here, w[i]);
        nx[i] = pick(mask, normal.x + x * turn.x, nx[i]);
        ny[i] = pick(mask, normal.y + x * turn.y, ny[i]);
        nz[i] = pick(mask, normal.z + x * turn.z, nz[i]);
        material[i] = (number & mask) | (material[i] & !mask);
    }
}
