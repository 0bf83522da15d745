//! Flat geometry: triangles row by row, and infinite planes.
//!
//! Inverse depth `w` and `w`-weighted normals are linear over the picture, so each is three numbers: value at
//! the sample origin, change along x, change along y. Row ends are found by walking every edge in one fixed
//! direction, so that neighbours sharing an edge leave neither gap nor overlap.

use glam::Vec3;

use super::layer::{Span, mask_of, pick};
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
    corners: [Seen; 3],
    w: Linear,
    normal: Shade,
    pub(crate) material: u32,
    /// Rows it covers, the last one excluded.
    pub(crate) rows: (usize, usize),
}

#[derive(Clone, Copy, Debug)]
enum Shade {
    Flat(Vec3),
    Smooth([Linear; 3]),
}

impl Triangle {
    /// From three points in front of the eye, seen counter-clockwise from outside; `normals` for smooth
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
        let linear = |va: f32, vb: f32, vc: f32| {
            let across = ((vb - va) * (c.y - a.y) - (vc - va) * (b.y - a.y)) / area;
            let down = ((vc - va) * (b.x - a.x) - (vb - va) * (c.x - a.x)) / area;
            Linear { value: va - a.x * across - a.y * down, across, down }
        };
        let normal = match normals {
            None => Shade::Flat(flat),
            Some([na, nb, nc]) => Shade::Smooth([
                linear(na.x * a.w, nb.x * b.w, nc.x * c.w),
                linear(na.y * a.w, nb.y * b.w, nc.y * c.w),
                linear(na.z * a.w, nb.z * b.w, nc.z * c.w),
            ]),
        };
        Some(Self { corners, w: linear(a.w, b.w, c.w), normal, material, rows })
    }

    /// Samples of a row whose centres lie inside.
    pub(crate) fn columns(&self, row: usize, width: usize) -> (usize, usize) {
        let y = row as f32 + 0.5;
        let (mut left, mut right) = (f32::INFINITY, f32::NEG_INFINITY);
        for (i, j) in [(0, 1), (1, 2), (2, 0)] {
            let (p, q) = (self.corners[i], self.corners[j]);
            let (p, q) = if (p.y, p.x) <= (q.y, q.x) { (p, q) } else { (q, p) };
            if p.y <= y && y < q.y {
                let x = p.x + (y - p.y) * ((q.x - p.x) / (q.y - p.y));
                left = left.min(x);
                right = right.max(x);
            }
        }
        let column = |x: f32| ((x + 0.5).max(0.0) as usize).min(width);
        if left <= right { (column(left), column(right)) } else { (0, 0) }
    }

    /// Draws the run of samples of `row` that starts at column `from`.
    pub(crate) fn draw(&self, row: usize, from: usize, span: Span<'_>) {
        let (x, y) = (from as f32 + 0.5, row as f32 + 0.5);
        let start = |l: &Linear| l.value + x * l.across + y * l.down;
        match &self.normal {
            Shade::Flat(n) => {
                let (w, step) = (start(&self.w), self.w.across);
                fill_flat(w, step, *n, self.material, span.w, span.nx, span.ny, span.nz, span.material);
            }
            Shade::Smooth(n) => {
                let from = Vec3::new(start(&n[0]), start(&n[1]), start(&n[2]));
                let step = Vec3::new(n[0].across, n[1].across, n[2].across);
                let (w, across) = (start(&self.w), self.w.across);
                let number = self.material;
                fill_smooth(w, across, from, step, number, span.w, span.nx, span.ny, span.nz, span.material);
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

    pub(crate) fn draw(&self, first: Vec3, step: Vec3, span: Span<'_>) {
        let (w, change) = (self.normal.dot(first) * self.over, self.normal.dot(step) * self.over);
        let number = self.material;
        fill_flat(w, change, self.normal, number, span.w, span.nx, span.ny, span.nz, span.material);
    }
}

#[inline(never)]
fn fill_flat(
    start: f32,
    step: f32,
    normal: Vec3,
    number: u32,
    w: &mut [f32],
    nx: &mut [f32],
    ny: &mut [f32],
    nz: &mut [f32],
    material: &mut [u32],
) {
    let n = w.len();
    let (nx, ny, nz, material) = (&mut nx[..n], &mut ny[..n], &mut nz[..n], &mut material[..n]);
    for i in 0..n {
        let here = start + i as i32 as f32 * step;
        let hit = (here > w[i]) & (here < (1.0 / NEAR) as f32);
        let mask = mask_of(hit);
        w[i] = pick(mask, here, w[i]);
        nx[i] = pick(mask, normal.x, nx[i]);
        ny[i] = pick(mask, normal.y, ny[i]);
        nz[i] = pick(mask, normal.z, nz[i]);
        material[i] = (number & mask) | (material[i] & !mask);
    }
}

#[inline(never)]
fn fill_smooth(
    start: f32,
    step: f32,
    normal: Vec3,
    turn: Vec3,
    number: u32,
    w: &mut [f32],
    nx: &mut [f32],
    ny: &mut [f32],
    nz: &mut [f32],
    material: &mut [u32],
) {
    let n = w.len();
    let (nx, ny, nz, material) = (&mut nx[..n], &mut ny[..n], &mut nz[..n], &mut material[..n]);
    for i in 0..n {
        let x = i as i32 as f32;
        let here = start + x * step;
        let hit = here > w[i];
        let mask = mask_of(hit);
        w[i] = pick(mask, here, w[i]);
        nx[i] = pick(mask, normal.x + x * turn.x, nx[i]);
        ny[i] = pick(mask, normal.y + x * turn.y, ny[i]);
        nz[i] = pick(mask, normal.z + x * turn.z, nz[i]);
        material[i] = (number & mask) | (material[i] & !mask);
    }
}
