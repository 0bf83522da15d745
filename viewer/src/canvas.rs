//! The picture as plain memory: one `0x00RRGGBB` word and one inverse depth per pixel, and flat drawing on it.

use crate::palette::Color;

/// A rectangle of pixels; `x` to the right, `y` down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rect {
    /// Left edge.
    pub x: usize,
    /// Top edge.
    pub y: usize,
    /// Pixels across.
    pub width: usize,
    /// Pixels down.
    pub height: usize,
}

impl Rect {
    /// From left, top, width and height.
    pub const fn new(x: usize, y: usize, width: usize, height: usize) -> Self {
        Self { x, y, width, height }
    }

    /// Whether a point in pixels lies inside.
    pub fn contains(&self, x: f64, y: f64) -> bool {
        x >= self.x as f64
            && y >= self.y as f64
            && x < (self.x + self.width) as f64
            && y < (self.y + self.height) as f64
    }

    /// Smaller by `margin` on every side.
    pub fn inset(&self, margin: usize) -> Self {
        Self {
            x: self.x + margin,
            y: self.y + margin,
            width: self.width.saturating_sub(2 * margin),
            height: self.height.saturating_sub(2 * margin),
        }
    }

    /// Cells of a split screen, row by row: 1 is the whole, 2 side by side, 3 and 4 two by two, more a
    /// near-square grid. One pixel is left free between neighbours.
    pub fn split(&self, cells: usize) -> Vec<Rect> {
        self.grid((1..).find(|c| c * c >= cells).unwrap_or(1), cells)
    }

    /// Cells in so many columns, row by row. One pixel is left free between neighbours.
    pub fn grid(&self, columns: usize, cells: usize) -> Vec<Rect> {
        let columns = columns.max(1);
        let rows = cells.div_ceil(columns);
        let edge = |from: usize, length: usize, i: usize, n: usize| from + length * i / n;
        (0..cells)
            .map(|cell| {
                let (i, j) = (cell % columns, cell / columns);
                let (x0, x1) =
                    (edge(self.x, self.width, i, columns), edge(self.x, self.width, i + 1, columns));
                let (y0, y1) = (edge(self.y, self.height, j, rows), edge(self.y, self.height, j + 1, rows));
                let gap_x = usize::from(i + 1 < columns);
                let gap_y = usize::from(j + 1 < rows);
                Rect::new(x0, y0, (x1 - x0).saturating_sub(gap_x), (y1 - y0).saturating_sub(gap_y))
            })
            .collect()
    }
}

/// Pixels and their depths.
#[derive(Clone, Debug, PartialEq)]
pub struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<u32>,
    depth: Vec<f32>,
    /// Flat drawing stays inside.
    clip: Rect,
}

impl Canvas {
    /// A black canvas. Sides are at least one pixel and at most 16384.
    pub fn new(width: usize, height: usize) -> Self {
        let (width, height) = (width.clamp(1, 16384), height.clamp(1, 16384));
        let n = width * height;
        let clip = Rect::new(0, 0, width, height);
        Self { width, height, pixels: vec![0; n], depth: vec![0.0; n], clip }
    }

    /// Changes the size; the contents are undefined afterwards unless the size stayed.
    pub fn resize(&mut self, width: usize, height: usize) {
        if (width, height) != (self.width, self.height) {
            *self = Self::new(width, height);
        }
    }

    /// Pixels across.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Pixels down.
    pub fn height(&self) -> usize {
        self.height
    }

    /// The whole canvas as a rectangle.
    pub fn rect(&self) -> Rect {
        Rect::new(0, 0, self.width, self.height)
    }

    /// All pixels, row by row, `0x00RRGGBB`.
    pub fn pixels(&self) -> &[u32] {
        &self.pixels
    }

    /// All pixels for writing.
    pub fn pixels_mut(&mut self) -> &mut [u32] {
        &mut self.pixels
    }

    /// One over the distance along the view axis, per pixel; 0 is the sky.
    pub fn inverse_depth(&self) -> &[f32] {
        &self.depth
    }

    /// Keeps flat drawing inside a rectangle (`None`: the whole canvas) until told otherwise.
    pub fn set_clip(&mut self, clip: Option<Rect>) {
        let r = clip.unwrap_or(self.rect());
        let (x, y) = (r.x.min(self.width), r.y.min(self.height));
        self.clip = Rect::new(x, y, r.width.min(self.width - x), r.height.min(self.height - y));
    }

    /// Pixels and inverse depths together for the raster.
    pub(crate) fn planes_mut(&mut self) -> (&mut [u32], &mut [f32]) {
        (&mut self.pixels, &mut self.depth)
    }

    /// Distance along the view axis at a pixel; `None` for sky and outside.
    pub fn depth_at(&self, x: usize, y: usize) -> Option<f64> {
        if x >= self.width || y >= self.height {
            return None;
        }
        let inverse = self.depth[y * self.width + x];
        (inverse > 0.0).then(|| 1.0 / f64::from(inverse))
    }

    /// Colour of a pixel; black outside.
    pub fn get(&self, x: usize, y: usize) -> Color {
        if x < self.width && y < self.height {
            Color::hex(self.pixels[y * self.width + x])
        } else {
            Color::default()
        }
    }

    /// Paints everything in one colour and forgets depths.
    pub fn clear(&mut self, color: Color) {
        self.pixels.fill(color.pixel());
        self.depth.fill(0.0);
    }

    /// Sets one pixel; outside nothing happens.
    pub fn set(&mut self, x: i32, y: i32, color: Color) {
        if let Some(pixel) = self.pixel_mut(x, y) {
            *pixel = color.pixel();
        }
    }

    /// Mixes `alpha` (0..1) of a colour into one pixel.
    pub fn blend(&mut self, x: i32, y: i32, color: Color, alpha: f64) {
        if let Some(pixel) = self.pixel_mut(x, y) {
            *pixel = blend_pixel(*pixel, color.pixel(), (alpha.clamp(0.0, 1.0) * 256.0) as u32);
        }
    }

    /// Mixes a colour into pixels from `(x, y)` to the right, `alpha` of it times their coverage (255 is all).
    pub(crate) fn blend_row(&mut self, x: i32, y: i32, coverage: &[u8], color: Color, alpha: f64) {
        let r = self.clip;
        if y < r.y as i32 || y >= (r.y + r.height) as i32 {
            return;
        }
        let part = (alpha.clamp(0.0, 1.0) * 256.0) as u32;
        let row = y as usize * self.width;
        for (x, cover) in (x..).zip(coverage) {
            if *cover > 0 && x >= r.x as i32 && x < (r.x + r.width) as i32 {
                let pixel = &mut self.pixels[row + x as usize];
                *pixel = blend_pixel(*pixel, color.pixel(), part * u32::from(*cover) / 255);
            }
        }
    }

    /// Mixes `alpha` of a colour into a rectangle.
    pub fn blend_rect(&mut self, x: i32, y: i32, width: i32, height: i32, color: Color, alpha: f64) {
        let part = (alpha.clamp(0.0, 1.0) * 256.0) as u32;
        let r = self.clip;
        let across = |v: i64| v.clamp(r.x as i64, (r.x + r.width) as i64) as usize;
        let down = |v: i64| v.clamp(r.y as i64, (r.y + r.height) as i64) as usize;
        let (x0, x1) = (across(x.into()), across(i64::from(x) + i64::from(width)));
        let (y0, y1) = (down(y.into()), down(i64::from(y) + i64::from(height)));
        if x0 >= x1 {
            return;
        }
        for row in y0..y1 {
            for pixel in &mut self.pixels[row * self.width + x0..row * self.width + x1] {
                *pixel = blend_pixel(*pixel, color.pixel(), part);
            }
        }
    }

    /// An anti-aliased straight stroke of `width` pixels.
    pub fn stroke(&mut self, from: (f64, f64), to: (f64, f64), width: f64, color: Color, alpha: f64) {
        let finite = from.0.is_finite() && from.1.is_finite() && to.0.is_finite() && to.1.is_finite();
        let Some((from, to)) =
            finite.then(|| clip(from, to, self.width as f64, self.height as f64)).flatten()
        else {
            return;
        };
        let reach = 0.5 * width + 0.5;
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length2 = (dx * dx + dy * dy).max(1e-12);
        let first = (from.1.min(to.1) - reach).floor().max(0.0) as i32;
        let last = (from.1.max(to.1) + reach).ceil().min(self.height as f64 - 1.0) as i32;
        for y in first..=last {
            let row = f64::from(y) + 0.5;
            // The part of the segment within reach of this row bounds the pixels to look at.
            let (mut t0, mut t1) = (0.0, 1.0);
            if dy.abs() > 1e-9 {
                let (a, b) = ((row - reach - from.1) / dy, (row + reach - from.1) / dy);
                t0 = a.min(b).clamp(0.0, 1.0);
                t1 = a.max(b).clamp(0.0, 1.0);
            }
            let (xa, xb) = (from.0 + t0 * dx, from.0 + t1 * dx);
            let left = (xa.min(xb) - reach).floor().max(0.0) as i32;
            let right = (xa.max(xb) + reach).ceil().min(self.width as f64 - 1.0) as i32;
            for x in left..=right {
                let (px, py) = (f64::from(x) + 0.5 - from.0, row - from.1);
                let t = ((px * dx + py * dy) / length2).clamp(0.0, 1.0);
                let distance = ((px - t * dx).powi(2) + (py - t * dy).powi(2)).sqrt();
                let coverage = (reach - distance).clamp(0.0, 1.0).min(width);
                if coverage > 0.0 {
                    self.blend(x, y, color, alpha * coverage);
                }
            }
        }
    }

    /// An anti-aliased filled disc.
    pub fn disc(&mut self, center: (f64, f64), radius: f64, color: Color, alpha: f64) {
        let reach = radius + 1.0;
        let bound = |v: f64, limit: usize| v.clamp(0.0, limit as f64) as i32;
        for y in bound(center.1 - reach, self.height)..bound(center.1 + reach + 1.0, self.height) {
            for x in bound(center.0 - reach, self.width)..bound(center.0 + reach + 1.0, self.width) {
                let distance = (f64::from(x) + 0.5 - center.0).hypot(f64::from(y) + 0.5 - center.1);
                self.blend(x, y, color, alpha * (radius + 0.5 - distance).clamp(0.0, 1.0));
            }
        }
    }

    /// Copies another canvas here, its top left corner at `(x, y)`; what sticks out is cut off.
    pub fn paste(&mut self, source: &Canvas, x: usize, y: usize) {
        let columns = source.width.min(self.width.saturating_sub(x));
        for row in 0..source.height.min(self.height.saturating_sub(y)) {
            let (to, from) = ((y + row) * self.width + x, row * source.width);
            self.pixels[to..to + columns].copy_from_slice(&source.pixels[from..from + columns]);
            self.depth[to..to + columns].copy_from_slice(&source.depth[from..from + columns]);
        }
    }

    /// A smaller copy: every target pixel is the mean of the source pixels it covers.
    pub fn shrunk(&self, width: usize, height: usize) -> Canvas {
        let mut small = Canvas::new(width.min(self.width), height.min(self.height));
        let (w, h) = (small.width, small.height);
        for y in 0..h {
            let rows = y * self.height / h..((y + 1) * self.height).div_ceil(h).max(y * self.height / h + 1);
            for x in 0..w {
                let columns = x * self.width / w..((x + 1) * self.width).div_ceil(w);
                let mut sum = [0u32; 3];
                for row in rows.clone() {
                    for pixel in
                        &self.pixels[row * self.width + columns.start..row * self.width + columns.end]
                    {
                        sum[0] += pixel >> 16 & 255;
                        sum[1] += pixel >> 8 & 255;
                        sum[2] += pixel & 255;
                    }
                }
                let count = (rows.len() * columns.len()) as u32;
                let [r, g, b] = sum.map(|s| (s + count / 2) / count);
                small.pixels[y * w + x] = r << 16 | g << 8 | b;
            }
        }
        small
    }

    fn pixel_mut(&mut self, x: i32, y: i32) -> Option<&mut u32> {
        let (x, y) = (usize::try_from(x).ok()?, usize::try_from(y).ok()?);
        let r = self.clip;
        let inside = x >= r.x && y >= r.y && x < r.x + r.width && y < r.y + r.height;
        inside.then(|| &mut self.pixels[y * self.width + x])
    }
}

/// `part`/256 of `over` mixed into `under`.
#[inline]
pub(crate) fn blend_pixel(under: u32, over: u32, part: u32) -> u32 {
    let keep = 256 - part;
    let red_blue = ((under & 0xFF00FF) * keep + (over & 0xFF00FF) * part + 0x800080) >> 8 & 0xFF00FF;
    let green = ((under & 0x00FF00) * keep + (over & 0x00FF00) * part + 0x008000) >> 8 & 0x00FF00;
    red_blue | green
}

/// The piece of a segment within some pixels of the canvas, so that far ends cost nothing (Liang–Barsky).
fn clip(from: (f64, f64), to: (f64, f64), width: f64, height: f64) -> Option<((f64, f64), (f64, f64))> {
    const MARGIN: f64 = 64.0;
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let (mut t0, mut t1) = (0.0f64, 1.0f64);
    let sides = [
        (-dx, from.0 + MARGIN),
        (dx, width + MARGIN - from.0),
        (-dy, from.1 + MARGIN),
        (dy, height + MARGIN - from.1),
    ];
    for (p, q) in sides {
        if p == 0.0 {
            if q < 0.0 {
                return None;
            }
        } else if p < 0.0 {
            t0 = t0.max(q / p);
        } else {
            t1 = t1.min(q / p);
        }
    }
    (t0 <= t1).then_some(((from.0 + t0 * dx, from.1 + t0 * dy), (from.0 + t1 * dx, from.1 + t1 * dy)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palette::{BLACK, WHITE};

    #[test]
    fn split_covers_without_overlap() {
        for cells in 1..=9 {
            let parts = Rect::new(3, 5, 1280, 719).split(cells);
            assert_eq!(parts.len(), cells);
            let area: usize = parts.iter().map(|r| r.width * r.height).sum();
            assert!(area <= 1280 * 719);
            for (i, a) in parts.iter().enumerate() {
                assert!(a.width > 300 && a.height > 200);
                for b in &parts[i + 1..] {
                    let apart = a.x + a.width <= b.x
                        || b.x + b.width <= a.x
                        || a.y + a.height <= b.y
                        || b.y + b.height <= a.y;
                    assert!(apart, "{a:?} {b:?}");
                }
            }
        }
    }

    #[test]
    fn drawing_outside_is_harmless() {
        let mut canvas = Canvas::new(20, 10);
        canvas.stroke((-1e12, 5.0), (1e12, 5.0), 2.0, WHITE, 1.0);
        canvas.stroke((f64::NAN, 5.0), (3.0, 5.0), 2.0, WHITE, 1.0);
        canvas.disc((-50.0, 4.0), 3.0, WHITE, 1.0);
        canvas.blend_rect(-5, -5, i32::MAX, 7, WHITE, 1.0);
        assert_eq!(canvas.get(10, 5), WHITE);
        assert_eq!(canvas.get(10, 1), WHITE);
        assert_eq!(canvas.get(10, 8), BLACK);
    }

    #[test]
    fn shrinking_keeps_the_mean() {
        let mut canvas = Canvas::new(64, 48);
        for (i, pixel) in canvas.pixels_mut().iter_mut().enumerate() {
            *pixel = Color::new((i % 251) as u8, 100, 0).pixel();
        }
        let small = canvas.shrunk(16, 12);
        let mean = |c: &Canvas| {
            c.pixels().iter().map(|p| f64::from(p >> 16 & 255)).sum::<f64>() / c.pixels().len() as f64
        };
        assert!((mean(&canvas) - mean(&small)).abs() < 0.5);
        assert_eq!(small.get(3, 3).g, 100);
    }
}
