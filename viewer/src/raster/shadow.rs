//! Who stands in whose light: a height map seen along one direction.
//!
//! Used twice: along the sun for shadows, and straight down, coarse and fading with distance, for the
//! darkness under and between bodies that a bright sky leaves.
//!
//! A texel keeps the greatest height (along the direction) of anything above it. Balls and capsules enter
//! with their middle surface rather than their upper one, closed faceted bodies with their lower one: a lit
//! surface then never shades itself, whatever the resolution, and nothing floats off its shadow.

use glam::{DVec3, Vec3};

/// Texels per side of a tile; empty tiles cost neither clearing nor look-ups.
const TILE: usize = 8;
/// Reach of the soft edge in texels.
const EDGE: f32 = 2.0;
const EMPTY: f32 = f32::NEG_INFINITY;

#[derive(Default)]
pub(crate) struct ShadowMap {
    size: usize,
    tiles: usize,
    heights: Vec<f32>,
    /// What is the highest near any texel of a tile at most; `EMPTY` where there is nothing.
    tops: Vec<f32>,
    /// Texels per metre.
    scale: f32,
    /// Axes across and along the light, world directions.
    across: Vec3,
    up: Vec3,
    light: Vec3,
    /// Map coordinates of the eye.
    offset: (f32, f32),
    /// Metres over which the effect of something above fades, for `openness_at`.
    fade: f32,
}

/// Part of a height that counts as touching rather than covering, metres.
const BIAS: f32 = 0.012;
/// Height difference at which something above begins to darken in full, metres.
const TOUCH: f32 = 0.09;

impl ShadowMap {
    /// Empties the map and lays it over the square of half width `reach` about `center`.
    pub(crate) fn start(
        &mut self,
        size: usize,
        light: DVec3,
        eye: DVec3,
        center: DVec3,
        reach: f64,
        fade: f32,
    ) {
        let size = size.next_multiple_of(TILE).max(TILE);
        if size != self.size {
            *self = Self { size, tiles: size / TILE, ..Self::default() };
            self.heights = vec![EMPTY; size * size];
            self.tops = vec![EMPTY; self.tiles * self.tiles];
        }
        for tile in 0..self.tops.len() {
            if std::mem::replace(&mut self.tops[tile], EMPTY) > EMPTY {
                let (tx, ty) = (tile % self.tiles * TILE, tile / self.tiles * TILE);
                for row in ty..ty + TILE {
                    self.heights[row * size + tx..row * size + tx + TILE].fill(EMPTY);
                }
            }
        }
        let light = light.try_normalize().unwrap_or(DVec3::Z);
        let across = light.any_orthonormal_vector();
        let up = light.cross(across);
        let texel = 2.0 * reach / size as f64;
        // Whole texels only, so that shadows do not crawl when the camera moves.
        let corner = |axis: DVec3| (center.dot(axis) / texel).round() - 0.5 * size as f64;
        self.offset =
            ((eye.dot(across) / texel - corner(across)) as f32, (eye.dot(up) / texel - corner(up)) as f32);
        self.scale = (1.0 / texel) as f32;
        self.across = across.as_vec3();
        self.up = up.as_vec3();
        self.light = light.as_vec3();
        self.fade = fade;
    }

    /// Side of a texel, m.
    pub(crate) fn texel(&self) -> f64 {
        1.0 / f64::from(self.scale)
    }

    /// Map position and height of a point relative to the eye.
    #[inline(always)]
    pub(crate) fn place(&self, p: Vec3) -> Vec3 {
        Vec3::new(
            p.dot(self.across) * self.scale + self.offset.0,
            p.dot(self.up) * self.scale + self.offset.1,
            p.dot(self.light),
        )
    }

    /// Texel bounds of a box that is `top` high, tiles marked; `None` when it lies outside.
    fn touch(&mut self, low: (f32, f32), high: (f32, f32), top: f32) -> Option<[usize; 4]> {
        let limit = self.size as f32;
        if high.0 < 0.0 || high.1 < 0.0 || low.0 >= limit || low.1 >= limit {
            return None;
        }
        let clamp = |v: f32| v.clamp(0.0, limit) as usize;
        let tile = |v: f32| (clamp(v) / TILE).min(self.tiles - 1);
        for ty in tile(low.1 - EDGE)..=tile(high.1 + EDGE) {
            let across = tile(low.0 - EDGE)..=tile(high.0 + EDGE);
            for known in &mut self.tops[ty * self.tiles..][across] {
                *known = known.max(top);
            }
        }
        Some([clamp(low.0), clamp(high.0 + 1.0), clamp(low.1), clamp(high.1 + 1.0)])
    }

    pub(crate) fn add_round(&mut self, start: Vec3, end: Vec3, radius: f32) {
        let (a, b) = (self.place(start), self.place(end));
        let r = radius * self.scale;
        let low = (a.x.min(b.x) - r, a.y.min(b.y) - r);
        let high = (a.x.max(b.x) + r, a.y.max(b.y) + r);
        let Some([x0, x1, y0, y1]) = self.touch(low, high, a.z.max(b.z)) else { return };
        let d = b - a;
        let over = 1.0 / (d.x * d.x + d.y * d.y).max(1e-6);
        for y in y0..y1 {
            let py = y as f32 + 0.5 - a.y;
            for (x, height) in (x0..).zip(&mut self.heights[y * self.size + x0..y * self.size + x1]) {
                let px = x as f32 + 0.5 - a.x;
                let k = ((px * d.x + py * d.y) * over).clamp(0.0, 1.0);
                let (ex, ey) = (px - k * d.x, py - k * d.y);
                let here = a.z + k * d.z;
                if ex * ex + ey * ey < r * r && here > *height {
                    *height = here;
                }
            }
        }
    }

    /// A triangle, counter-clockwise from outside. Of a `closed` body the faces turned from the light count,
    /// else those turned to it.
    pub(crate) fn add_triangle(&mut self, corners: [Vec3; 3], closed: bool) {
        let [a, b, c] = corners.map(|p| self.place(p));
        let area = (b.x - a.x) * (c.y - a.y) - (c.x - a.x) * (b.y - a.y);
        if (area > 0.0) == closed || area.abs() < 1e-6 || !area.is_finite() {
            return;
        }
        let low = (a.x.min(b.x).min(c.x), a.y.min(b.y).min(c.y));
        let high = (a.x.max(b.x).max(c.x), a.y.max(b.y).max(c.y));
        let across = ((b.z - a.z) * (c.y - a.y) - (c.z - a.z) * (b.y - a.y)) / area;
        let down = ((c.z - a.z) * (b.x - a.x) - (b.z - a.z) * (c.x - a.x)) / area;
        // Texels half a texel beyond the corners are written, too.
        let top = a.z.max(b.z).max(c.z) + across.abs() + down.abs();
        let Some([_, _, y0, y1]) = self.touch(low, high, top) else { return };
        for row in y0..y1 {
            let y = row as f32 + 0.5;
            let (mut left, mut right) = (f32::INFINITY, f32::NEG_INFINITY);
            for (p, q) in [(a, b), (b, c), (c, a)] {
                if (p.y <= y) != (q.y <= y) {
                    let x = p.x + (y - p.y) * (q.x - p.x) / (q.y - p.y);
                    left = left.min(x);
                    right = right.max(x);
                }
            }
            if left > right {
                continue;
            }
            // Half a texel wider on both sides closes the cracks between faces.
            let column = |x: f32| (x.max(0.0) as usize).min(self.size);
            let (x0, x1) = (column(left), column(right + 1.0));
            let start = a.z + (x0 as f32 + 0.5 - a.x) * across + (y - a.y) * down;
            for (i, height) in self.heights[row * self.size + x0..row * self.size + x1].iter_mut().enumerate()
            {
                let here = start + i as f32 * across;
                if here > *height {
                    *height = here;
                }
            }
        }
    }

    /// Whether nothing was added.
    pub(crate) fn is_empty(&self) -> bool {
        !self.tops.iter().any(|&top| top > EMPTY)
    }

    /// How much of the light arrives at a map position: 1 all, 0 none. A tent filter over 4 by 4 texels.
    #[inline]
    pub(crate) fn light_at(&self, place: Vec3) -> f32 {
        let (s, t, height) = (place.x, place.y, place.z);
        let threshold = height + BIAS;
        let Some((x, y)) = self.first_texel(s, t, threshold) else { return 1.0 };
        let (fx, fy) = (s - 1.5 - x as f32, t - 1.5 - y as f32);
        let wy = [1.0 - fy, 1.0, 1.0, fy];
        let mut dark = [0.0f32; 4];
        for (j, down) in wy.into_iter().enumerate() {
            let row = &self.heights[(y + j) * self.size + x..][..4];
            for i in 0..4 {
                dark[i] += if row[i] > threshold { down } else { 0.0 };
            }
        }
        1.0 - (dark[0] * (1.0 - fx) + dark[1] + dark[2] + dark[3] * fx) * (1.0 / 9.0)
    }

    /// Like `light_at`, but what is above counts the less the farther it is, and little while it touches.
    #[inline]
    pub(crate) fn openness_at(&self, place: Vec3) -> f32 {
        let (s, t, height) = (place.x, place.y, place.z);
        let Some((x, y)) = self.first_texel(s, t, height) else { return 1.0 };
        let (fx, fy) = (s - 1.5 - x as f32, t - 1.5 - y as f32);
        let wy = [1.0 - fy, 1.0, 1.0, fy];
        let (rise, fall) = (1.0 / TOUCH, 1.0 / self.fade);
        let mut dark = [0.0f32; 4];
        for (j, down) in wy.into_iter().enumerate() {
            let row = &self.heights[(y + j) * self.size + x..][..4];
            for i in 0..4 {
                let above = row[i] - height;
                let (near, far) = (above * rise, 1.0 - above * fall);
                let part = if near < far { near } else { far };
                let part = if part < 1.0 { part } else { 1.0 };
                dark[i] += if part > 0.0 { part * down } else { 0.0 };
            }
        }
        1.0 - (dark[0] * (1.0 - fx) + dark[1] + dark[2] + dark[3] * fx) * (1.0 / 9.0)
    }

    /// First texel of the filter about a map position; `None` where nothing can be above a height.
    #[inline(always)]
    fn first_texel(&self, s: f32, t: f32, height: f32) -> Option<(usize, usize)> {
        let (s, t) = (s - 1.5, t - 1.5);
        let limit = (self.size - 4) as f32;
        if !(s >= 0.0 && t >= 0.0 && s < limit && t < limit) {
            return None;
        }
        let (x, y) = (s as i32 as usize, t as i32 as usize);
        (self.tops[(y + 2) / TILE * self.tiles + (x + 2) / TILE] > height).then_some((x, y))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map_with_ball() -> ShadowMap {
        let mut map = ShadowMap::default();
        let eye = DVec3::new(3.0, 2.0, 1.0);
        map.start(256, DVec3::new(0.0, 0.0, 1.0), eye, DVec3::ZERO, 4.0, f32::INFINITY);
        let ball = (DVec3::new(0.5, 0.5, 1.0) - eye).as_vec3();
        map.add_round(ball, ball, 0.3);
        map
    }

    fn light(map: &ShadowMap, world: DVec3) -> f32 {
        map.light_at(map.place((world - DVec3::new(3.0, 2.0, 1.0)).as_vec3()))
    }

    #[test]
    fn shade_lies_below_and_nowhere_else() {
        let map = map_with_ball();
        assert!(light(&map, DVec3::new(0.5, 0.5, 0.0)) < 0.01);
        assert!(light(&map, DVec3::new(0.5, 0.5, 1.3)) > 0.99, "the lit side of the ball");
        assert!(light(&map, DVec3::new(0.95, 0.5, 0.0)) > 0.99);
        assert!(light(&map, DVec3::new(99.0, 0.5, 0.0)) > 0.99);
        let edge = light(&map, DVec3::new(0.8, 0.5, 0.0));
        assert!(edge > 0.1 && edge < 0.9, "soft edge, got {edge}");
    }

    #[test]
    fn starting_again_forgets() {
        let mut map = map_with_ball();
        let eye = DVec3::new(3.0, 2.0, 1.0);
        map.start(256, DVec3::Z, eye, DVec3::ZERO, 4.0, f32::INFINITY);
        assert!(map.is_empty());
        assert_eq!(light(&map, DVec3::new(0.5, 0.5, 0.0)), 1.0);
    }
}
