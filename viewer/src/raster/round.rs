//! Spheres and capsules, exact per sample: no tessellation, smooth outlines, true normals.
//!
//! Ray `t·d` against a ball at c: with s = d·c/d·d the point nearest the centre is `s·d`, its offset
//! `l = c − s·d`, and the hit `t = s − √((r² − l·l)/d·d)`. Working with l instead of the textbook
//! discriminant keeps f32 good enough at any distance. A capsule does the same with all vectors projected
//! across its axis, and falls back to the ball at the nearer end where the hit lies beyond the segment.
//! The loops have no branches and no calls, and take each plane as an argument of its own (which tells the
//! compiler that they do not overlap), so that a block of samples is handled at once.

use glam::Vec3;

use super::lanes::{Block, LANES, Level, widest};
use super::layer::{Span, mask_of, pick};
use super::lens::Lens;
use crate::camera::NEAR;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    /// Centre of the first end, relative to the eye.
    start: Vec3,
    /// Unit axis to the other end.
    axis: Vec3,
    /// Distance between the ends' centres; 0 for a ball.
    length: f32,
    radius: f32,
    pub(crate) material: u32,
    /// Rows it may touch, the last one excluded.
    pub(crate) rows: (usize, usize),
    /// Picture of the ends' centres and the larger radius about them; `None` fills the screen.
    outline: Option<Outline>,
}

#[derive(Clone, Copy, Debug)]
struct Outline {
    x: f32,
    y: f32,
    dx: f32,
    dy: f32,
    reach: f32,
}

impl Round {
    /// `None` when it cannot be seen.
    pub(crate) fn new(lens: &Lens, start: Vec3, end: Vec3, radius: f32, material: u32) -> Option<Self> {
        let length = (end - start).length();
        let (axis, length) = if length > 1e-6 { ((end - start) / length, length) } else { (Vec3::Z, 0.0) };
        if lens.depth(start).max(lens.depth(end)) + radius < NEAR as f32 || radius.is_nan() || radius <= 0.0 {
            return None;
        }
        let circles = lens.circle(start, radius).zip(lens.circle(end, radius));
        let outline = circles.map(|((x0, y0, r0), (x1, y1, r1))| Outline {
            x: x0,
            y: y0,
            dx: x1 - x0,
            dy: y1 - y0,
            reach: r0.max(r1) + 1.0,
        });
        let rows = match &outline {
            None => (0, lens.height),
            Some(o) => {
                let (low, high) = (o.y.min(o.y + o.dy) - o.reach, o.y.max(o.y + o.dy) + o.reach);
                let (left, right) = (o.x.min(o.x + o.dx) - o.reach, o.x.max(o.x + o.dx) + o.reach);
                if high < 0.0 || low >= lens.height as f32 || right < 0.0 || left >= lens.width as f32 {
                    return None;
                }
                (low.max(0.0) as usize, (high.ceil() as usize).min(lens.height))
            }
        };
        Some(Self { start, axis, length, radius, material, rows, outline })
    }

    /// Samples of a row the outline can reach.
    pub(crate) fn columns(&self, row: usize, width: usize) -> (usize, usize) {
        let Some(o) = &self.outline else { return (0, width) };
        let y = row as f32 + 0.5 - o.y;
        let (mut t0, mut t1) = (0.0, 1.0);
        let mut side = o.reach;
        if self.length == 0.0 {
            side = (o.reach * o.reach - y * y).max(0.0).sqrt();
        } else if o.dy.abs() > 1e-3 {
            let (a, b) = ((y - o.reach) / o.dy, (y + o.reach) / o.dy);
            t0 = a.min(b).clamp(0.0, 1.0);
            t1 = a.max(b).clamp(0.0, 1.0);
        }
        let (a, b) = (o.x + t0 * o.dx, o.x + t1 * o.dx);
        let (mut left, mut right) = (a.min(b) - side, a.max(b) + side + 1.0);
        // The outline also lies in the endless strip along its axis.
        if self.length > 0.0 && o.dy.abs() > 1.0 {
            let middle = o.x + y / o.dy * o.dx;
            let half = o.reach * (o.dx * o.dx + o.dy * o.dy).sqrt() / o.dy.abs();
            left = left.max(middle - half);
            right = right.min(middle + half + 1.0);
        }
        ((left.max(0.0) as usize).min(width), (right.max(0.0) as usize).min(width))
    }

    /// Draws into blocks of a row; `first` is the ray of their first sample.
    pub(crate) fn draw(&self, lens: &Lens, first: Vec3, step: Vec3, span: Span<'_>) {
        let Span { w, nx, ny, nz, material, .. } = span;
        if self.length == 0.0 {
            draw_ball(lens.level, self, first, step, w, nx, ny, nz, material);
        } else {
            draw_capsule(lens.level, self, first, step, w, nx, ny, nz, material);
        }
    }
}

#[inline(never)]
fn draw_ball(
    level: Level,
    ball: &Round,
    first: Vec3,
    step: Vec3,
    w: &mut [Block],
    nx: &mut [Block],
    ny: &mut [Block],
    nz: &mut [Block],
    material: &mut [Block<u32>],
) {
    widest(
        level,
        #[inline(always)]
        || ball_blocks(ball, first, step, w, nx, ny, nz, material),
    );
}

#[inline(always)]
fn ball_blocks(
    ball: &Round,
    first: Vec3,
    step: Vec3,
    w: &mut [Block],
    nx: &mut [Block],
    ny: &mut [Block],
    nz: &mut [Block],
    material: &mut [Block<u32>],
) {
    let blocks = w.iter_mut().zip(nx).zip(ny).zip(nz).zip(material).enumerate();
    for (b, ((((w, nx), ny), nz), material)) in blocks {
        ball_block(ball, first, step, b * LANES, w, nx, ny, nz, material);
    }
}

#[inline(always)]
fn ball_block(
    ball: &Round,
    first: Vec3,
    step: Vec3,
    first_column: usize,
    w: &mut Block,
    nx: &mut Block,
    ny: &mut Block,
    nz: &mut Block,
    material: &mut Block<u32>,
) {
    let (c, r2, number) = (ball.start, ball.radius * ball.radius, ball.material);
    for i in 0..LANES {
        let x = (first_column + i) as i32 as f32;
        let (dx, dy, dz) = (first.x + x * step.x, first.y + x * step.y, first.z + x * step.z);
        let over = 1.0 / (dx * dx + dy * dy + dz * dz);
        let s = (dx * c.x + dy * c.y + dz * c.z) * over;
        let (lx, ly, lz) = (c.x - s * dx, c.y - s * dy, c.z - s * dz);
        let inside = r2 - (lx * lx + ly * ly + lz * lz);
        let t = s - (select(inside > 0.0, inside, 0.0) * over).sqrt();
        let here = 1.0 / t;
        let hit = (inside > 0.0) & (t > NEAR as f32) & (here > w[i]);
        let mask = mask_of(hit);
        w[i] = pick(mask, here, w[i]);
        nx[i] = pick(mask, t * dx - c.x, nx[i]);
        ny[i] = pick(mask, t * dy - c.y, ny[i]);
        nz[i] = pick(mask, t * dz - c.z, nz[i]);
        material[i] = (number & mask) | (material[i] & !mask);
    }
}

#[inline(never)]
fn draw_capsule(
    level: Level,
    capsule: &Round,
    first: Vec3,
    step: Vec3,
    w: &mut [Block],
    nx: &mut [Block],
    ny: &mut [Block],
    nz: &mut [Block],
    material: &mut [Block<u32>],
) {
    widest(
        level,
        #[inline(always)]
        || capsule_blocks(capsule, first, step, w, nx, ny, nz, material),
    );
}

#[inline(always)]
fn capsule_blocks(
    capsule: &Round,
    first: Vec3,
    step: Vec3,
    w: &mut [Block],
    nx: &mut [Block],
    ny: &mut [Block],
    nz: &mut [Block],
    material: &mut [Block<u32>],
) {
    let blocks = w.iter_mut().zip(nx).zip(ny).zip(nz).zip(material).enumerate();
    for (b, ((((w, nx), ny), nz), material)) in blocks {
        capsule_block(capsule, first, step, b * LANES, w, nx, ny, nz, material);
    }
}

#[inline(always)]
fn capsule_block(
    capsule: &Round,
    first: Vec3,
    step: Vec3,
    first_column: usize,
    w: &mut Block,
    nx: &mut Block,
    ny: &mut Block,
    nz: &mut Block,
    material: &mut Block<u32>,
) {
    let (p, u, length, number) = (capsule.start, capsule.axis, capsule.length, capsule.material);
    let r2 = capsule.radius * capsule.radius;
    // Along and across the axis; both are linear in the sample index.
    let (along0, along1) = (first.dot(u), step.dot(u));
    let (e0, e1) = (first - along0 * u, step - along1 * u);
    let p_along = p.dot(u);
    let c = p - p_along * u;
    for i in 0..LANES {
        let x = (first_column + i) as i32 as f32;
        let (dx, dy, dz) = (first.x + x * step.x, first.y + x * step.y, first.z + x * step.z);
        let (ex, ey, ez) = (e0.x + x * e1.x, e0.y + x * e1.y, e0.z + x * e1.z);
        let du = along0 + x * along1;
        // The infinite cylinder.
        let across = 1.0 / (ex * ex + ey * ey + ez * ez + 1e-12);
        let s = (ex * c.x + ey * c.y + ez * c.z) * across;
        let (lx, ly, lz) = (c.x - s * ex, c.y - s * ey, c.z - s * ez);
        let inside = r2 - (lx * lx + ly * ly + lz * lz);
        let t_side = s - (select(inside > 0.0, inside, 0.0) * across).sqrt();
        let height = t_side * du - p_along;
        let on_side = (height >= 0.0) & (height <= length);
        // The ball at the end the side hit lies beyond.
        let cap = select(height > 0.0, length, 0.0);
        let (bx, by, bz) = (p.x + cap * u.x, p.y + cap * u.y, p.z + cap * u.z);
        let over = 1.0 / (dx * dx + dy * dy + dz * dz);
        let s_cap = (dx * bx + dy * by + dz * bz) * over;
        let (mx, my, mz) = (bx - s_cap * dx, by - s_cap * dy, bz - s_cap * dz);
        let in_cap = r2 - (mx * mx + my * my + mz * mz);
        let t_cap = s_cap - (select(in_cap > 0.0, in_cap, 0.0) * over).sqrt();
        // Whichever counts; the normal points away from the nearest point of the inner segment.
        let t = select(on_side, t_side, t_cap);
        let foot = select(on_side, height, cap);
        let here = 1.0 / t;
        let hit = (inside > 0.0) & (on_side | (in_cap > 0.0)) & (t > NEAR as f32) & (here > w[i]);
        let mask = mask_of(hit);
        w[i] = pick(mask, here, w[i]);
        nx[i] = pick(mask, t * dx - p.x - foot * u.x, nx[i]);
        ny[i] = pick(mask, t * dy - p.y - foot * u.y, ny[i]);
        nz[i] = pick(mask, t * dz - p.z - foot * u.z, nz[i]);
        material[i] = (number & mask) | (material[i] & !mask);
    }
}

#[inline(always)]
fn select(condition: bool, yes: f32, no: f32) -> f32 {
    if condition { yes } else { no }
}
