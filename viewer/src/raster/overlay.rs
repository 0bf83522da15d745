//! Lines, arrows, points and filled polygons: flat colour, anti-aliased by distance, tested against depth.

use glam::Vec3;

use super::lens::{Lens, Seen};
use crate::camera::NEAR;
use crate::canvas::blend_pixel;
use crate::picture::{Hiding, Mark, Picture, Stroke};

/// Marks win against surfaces this much (relative) in front of them, so that they can lie on surfaces.
const LIFT: f32 = 1.004;
/// What remains of a faint mark behind something.
const FAINT: f32 = 0.22;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Overlay {
    form: Form,
    color: u32,
    alpha: f32,
    hiding: Hiding,
    /// Rows it may touch, the last one excluded.
    pub(crate) rows: (usize, usize),
    columns: (usize, usize),
}

#[derive(Clone, Copy, Debug)]
enum Form {
    Segment {
        a: Seen,
        b: Seen,
        half_width: f32,
    },
    Disc {
        at: Seen,
        radius: f32,
    },
    /// Corners as a range of `OverlayList::corners`; `w` is `w[0] + x·w[1] + y·w[2]`.
    Polygon {
        first: usize,
        count: usize,
        w: [f32; 3],
    },
}

/// The marks of a picture in sample coordinates.
#[derive(Default)]
pub(crate) struct OverlayList {
    pub(crate) items: Vec<Overlay>,
    corners: Vec<(f32, f32)>,
    loop_a: Vec<Vec3>,
    loop_b: Vec<Vec3>,
}

impl OverlayList {
    pub(crate) fn clear(&mut self) {
        self.items.clear();
        self.corners.clear();
    }

    /// Projects all marks of a picture; `samples` per pixel widen strokes.
    pub(crate) fn add_marks(&mut self, picture: &Picture, lens: &Lens, samples: usize) {
        for (mark, stroke) in &picture.marks {
            match *mark {
                Mark::Segment { from, to } => {
                    self.add_segment(lens, lens.relative(from), lens.relative(to), stroke, samples);
                }
                Mark::Arrow { from, to } => {
                    self.add_arrow(lens, lens.relative(from), lens.relative(to), stroke, samples);
                }
                Mark::Point { at } => self.add_point(lens, lens.relative(at), stroke, samples),
                Mark::Polygon { first, count } => {
                    self.loop_a.clear();
                    let corners = picture.corners[first..first + count].iter();
                    self.loop_a.extend(corners.map(|&p| lens.relative(p)));
                    self.add_loop(lens, stroke);
                }
            }
        }
    }

    pub(crate) fn add_segment(&mut self, lens: &Lens, from: Vec3, to: Vec3, stroke: &Stroke, samples: usize) {
        if let Some((a, b)) = clip_near(lens, from, to) {
            let half_width = (0.5 * stroke.width.max(0.0) * samples as f64) as f32;
            self.push_segment(lens, lens.project(a), lens.project(b), half_width, stroke);
        }
    }

    fn push_segment(&mut self, lens: &Lens, a: Seen, b: Seen, half_width: f32, stroke: &Stroke) {
        let reach = half_width + 1.0;
        let bounds = [a.x.min(b.x) - reach, a.x.max(b.x) + reach, a.y.min(b.y) - reach, a.y.max(b.y) + reach];
        self.push(lens, Form::Segment { a, b, half_width }, bounds, stroke);
    }

    fn add_arrow(&mut self, lens: &Lens, from: Vec3, to: Vec3, stroke: &Stroke, samples: usize) {
        let Some((from, to)) = clip_near(lens, from, to) else { return };
        let (a, b) = (lens.project(from), lens.project(to));
        let half_width = (0.5 * stroke.width.max(0.0) * samples as f64) as f32;
        let (dx, dy) = (b.x - a.x, b.y - a.y);
        let length = (dx * dx + dy * dy).sqrt();
        if length < 1e-3 {
            let disc = Form::Disc { at: b, radius: 2.0 * half_width };
            let reach = 2.0 * half_width + 1.0;
            return self.push(lens, disc, [b.x - reach, b.x + reach, b.y - reach, b.y + reach], stroke);
        }
        // A head four strokes long, less on short arrows.
        let head = (8.0 * half_width + 3.0 * samples as f32).min(0.6 * length);
        let (ux, uy) = (dx / length, dy / length);
        let part = 1.0 - head / length;
        let neck = Seen { x: a.x + dx * part, y: a.y + dy * part, w: a.w + (b.w - a.w) * part };
        let end = Seen { x: neck.x + ux * 0.3 * head, y: neck.y + uy * 0.3 * head, w: neck.w };
        self.push_segment(lens, a, end, half_width, stroke);
        let side = 0.42 * head;
        let corners =
            [(b.x, b.y), (neck.x - uy * side, neck.y + ux * side), (neck.x + uy * side, neck.y - ux * side)];
        let along = (b.w - neck.w) / head;
        let w = [b.w - (b.x * ux + b.y * uy) * along, ux * along, uy * along];
        self.push_polygon(lens, &corners, w, stroke);
    }

    fn add_point(&mut self, lens: &Lens, at: Vec3, stroke: &Stroke, samples: usize) {
        if !lens.is_in_front(at) {
            return;
        }
        let seen = lens.project(at);
        let radius = (0.5 * stroke.width.max(0.0) * samples as f64) as f32;
        // A light rim keeps dots apart from what they lie on.
        let rim = radius + 1.2 * samples as f32;
        let light = Stroke { color: crate::palette::WHITE, alpha: 0.85 * stroke.alpha, ..*stroke };
        for (radius, stroke) in [(rim, &light), (radius, stroke)] {
            let reach = radius + 1.0;
            let bounds = [seen.x - reach, seen.x + reach, seen.y - reach, seen.y + reach];
            self.push(lens, Form::Disc { at: seen, radius }, bounds, stroke);
        }
    }

    /// Clips `loop_a` at the near plane, projects and stores it.
    fn add_loop(&mut self, lens: &Lens, stroke: &Stroke) {
        self.loop_b.clear();
        for i in 0..self.loop_a.len() {
            let (p, q) = (self.loop_a[i], self.loop_a[(i + 1) % self.loop_a.len()]);
            let (dp, dq) = (lens.depth(p) - near(), lens.depth(q) - near());
            if dp > 0.0 {
                self.loop_b.push(p);
            }
            if (dp > 0.0) != (dq > 0.0) {
                self.loop_b.push(p + (q - p) * (dp / (dp - dq)));
            }
        }
        if self.loop_b.len() < 3 {
            return;
        }
        let seen: Vec<Seen> = self.loop_b.iter().map(|&p| lens.project(p)).collect();
        // Plane of inverse depth through three corners as far apart as the fan allows.
        let a = seen[0];
        let spread = |k: usize| {
            let (b, c) = (seen[k], seen[k + 1]);
            ((b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y)).abs()
        };
        let Some(k) = (1..seen.len() - 1).max_by(|&i, &j| spread(i).total_cmp(&spread(j))) else { return };
        let (b, c) = (seen[k], seen[k + 1]);
        let area = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
        if area.abs() < 1e-3 || !area.is_finite() {
            return;
        }
        let across = ((b.w - a.w) * (c.y - a.y) - (c.w - a.w) * (b.y - a.y)) / area;
        let down = ((c.w - a.w) * (b.x - a.x) - (b.w - a.w) * (c.x - a.x)) / area;
        let corners: Vec<(f32, f32)> = seen.iter().map(|s| (s.x, s.y)).collect();
        self.push_polygon(lens, &corners, [a.w - a.x * across - a.y * down, across, down], stroke);
    }

    fn push_polygon(&mut self, lens: &Lens, corners: &[(f32, f32)], w: [f32; 3], stroke: &Stroke) {
        let first = self.corners.len();
        // Stored so that the inside is on the left of every edge.
        let turn: f32 = (0..corners.len())
            .map(|i| {
                let (p, q) = (corners[i], corners[(i + 1) % corners.len()]);
                p.0 * q.1 - q.0 * p.1
            })
            .sum();
        if turn >= 0.0 {
            self.corners.extend_from_slice(corners);
        } else {
            self.corners.extend(corners.iter().rev());
        }
        let fold = |pick: fn(&(f32, f32)) -> f32| {
            let values = corners.iter().map(pick);
            values.fold((f32::INFINITY, f32::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)))
        };
        let ((left, right), (low, high)) = (fold(|c| c.0), fold(|c| c.1));
        let form = Form::Polygon { first, count: corners.len(), w };
        self.push(lens, form, [left - 1.0, right + 1.0, low - 1.0, high + 1.0], stroke);
    }

    fn push(&mut self, lens: &Lens, form: Form, bounds: [f32; 4], stroke: &Stroke) {
        let [left, right, low, high] = bounds;
        let (width, height) = (lens.width as f32, lens.height as f32);
        let visible = right > 0.0 && left < width && high > 0.0 && low < height;
        if visible && stroke.alpha > 0.0 {
            self.items.push(Overlay {
                form,
                color: stroke.color.pixel(),
                alpha: stroke.alpha.min(1.0) as f32,
                hiding: stroke.hiding,
                rows: (low.max(0.0) as usize, (high + 1.0).min(height) as usize),
                columns: (left.max(0.0) as usize, (right + 1.0).min(width) as usize),
            });
        }
    }

    /// Draws one mark into one row of samples.
    pub(crate) fn draw_row(&self, item: &Overlay, row: usize, w: &[f32], out: &mut [u32]) {
        let y = row as f32 + 0.5;
        match item.form {
            Form::Segment { a, b, half_width } => {
                let (dx, dy) = (b.x - a.x, b.y - a.y);
                let over = 1.0 / (dx * dx + dy * dy).max(1e-6);
                let reach = half_width + 1.0;
                let (from, to) = columns_of_segment(item, a, dx, dy, y, reach);
                let thin = (2.0 * half_width).min(1.0);
                for x in from..to {
                    let (px, py) = (x as f32 + 0.5 - a.x, y - a.y);
                    let k = ((px * dx + py * dy) * over).clamp(0.0, 1.0);
                    let (ex, ey) = (px - k * dx, py - k * dy);
                    let cover =
                        (half_width.max(0.5) + 0.5 - (ex * ex + ey * ey).sqrt()).clamp(0.0, 1.0) * thin;
                    item.blend(cover, a.w + (b.w - a.w) * k, w[x], &mut out[x]);
                }
            }
            Form::Disc { at, radius } => {
                for x in item.columns.0..item.columns.1 {
                    let (px, py) = (x as f32 + 0.5 - at.x, y - at.y);
                    let cover = (radius + 0.5 - (px * px + py * py).sqrt()).clamp(0.0, 1.0);
                    item.blend(cover, at.w, w[x], &mut out[x]);
                }
            }
            Form::Polygon { first, count, w: plane } => {
                let corners = &self.corners[first..first + count];
                for x in item.columns.0..item.columns.1 {
                    let px = x as f32 + 0.5;
                    let cover = inside(corners, px, y);
                    item.blend(cover, plane[0] + px * plane[1] + y * plane[2], w[x], &mut out[x]);
                }
            }
        }
    }
}

impl Overlay {
    #[inline]
    fn blend(&self, cover: f32, here: f32, surface: f32, pixel: &mut u32) {
        if cover <= 0.0 {
            return;
        }
        let shown = match self.hiding {
            Hiding::OnTop => 1.0,
            _ if here * LIFT >= surface => 1.0,
            Hiding::Faint => FAINT,
            Hiding::Hidden => return,
        };
        *pixel = blend_pixel(*pixel, self.color, (256.0 * cover * self.alpha * shown) as u32);
    }
}

/// Columns of a row within reach of a segment.
fn columns_of_segment(item: &Overlay, a: Seen, dx: f32, dy: f32, y: f32, reach: f32) -> (usize, usize) {
    let (mut t0, mut t1) = (0.0f32, 1.0f32);
    if dy.abs() > 1e-4 {
        let (p, q) = ((y - reach - a.y) / dy, (y + reach - a.y) / dy);
        t0 = p.min(q).clamp(0.0, 1.0);
        t1 = p.max(q).clamp(0.0, 1.0);
    }
    let (p, q) = (a.x + t0 * dx, a.x + t1 * dx);
    let from = ((p.min(q) - reach).max(0.0) as usize).max(item.columns.0);
    let to = ((p.max(q) + reach + 1.0).max(0.0) as usize).min(item.columns.1);
    (from, to)
}

/// Coverage of a sample by a convex polygon: distance to the nearest edge, softened over one sample.
fn inside(corners: &[(f32, f32)], x: f32, y: f32) -> f32 {
    let mut nearest = f32::INFINITY;
    for i in 0..corners.len() {
        let (p, q) = (corners[i], corners[(i + 1) % corners.len()]);
        let (dx, dy) = (q.0 - p.0, q.1 - p.1);
        let length = (dx * dx + dy * dy).sqrt();
        if length > 1e-6 {
            nearest = nearest.min((dx * (y - p.1) - dy * (x - p.0)) / length);
        }
    }
    (nearest + 0.5).clamp(0.0, 1.0)
}

fn near() -> f32 {
    NEAR as f32
}

/// The part of a segment in front of the near plane.
fn clip_near(lens: &Lens, from: Vec3, to: Vec3) -> Option<(Vec3, Vec3)> {
    let (a, b) = (lens.depth(from) - near() * 1.01, lens.depth(to) - near() * 1.01);
    match (a > 0.0, b > 0.0) {
        (true, true) => Some((from, to)),
        (false, false) => None,
        (true, false) => Some((from, from + (to - from) * (a / (a - b)))),
        (false, true) => Some((from + (to - from) * (a / (a - b)), to)),
    }
}
