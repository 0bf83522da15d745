//! Points in a picture: the nearest place from which all of them are seen, with room for texts above and below.
//!
//! In axes of the camera (x right, y up, z forward) an eye at `(cx, cy, -e)` sees a point with `r` of room about it where
//! `|x - cx| + r ≤ (z + e) t`, `t` the slope of the picture's edge. Each edge is thus a bound `max(±x + r - z t)` over
//! the points, opposite bounds give the centre and the least `e`, and both are exact.

use stuntlab_physics::glam::DVec3;
use stuntlab_viewer::camera::Camera;
use stuntlab_viewer::canvas::Rect;

/// Pixels of a picture that are left to texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Margins {
    pub(crate) top: usize,
    pub(crate) bottom: usize,
}

/// Room about a body's centre, m: half a head, a fist, and air.
const ROOM: f64 = 0.28;
/// Part of half the width that is used.
const ACROSS: f64 = 0.94;
/// Texts never take more than this part of the height on either side.
const MOST: f64 = 0.36;

/// A direction to look along, and the slopes of the edges of what is to be filled.
pub(crate) struct Axes {
    right: DVec3,
    up: DVec3,
    forward: DVec3,
    across: f64,
    above: f64,
    below: f64,
}

/// How far the points reach beyond the edges of an eye at the origin: right, left, above, below.
struct Reach([f64; 4]);

impl Axes {
    /// Those of a camera's direction and lens in a picture.
    pub(crate) fn new(camera: &Camera, (viewport, margins): (Rect, Margins)) -> Self {
        let view = camera.view(viewport);
        let (width, height) = (viewport.width.max(1) as f64, viewport.height.max(1) as f64);
        let slope = (0.5 * camera.field_of_view).tan();
        let free = |pixels: usize| slope * (1.0 - 2.0 * (pixels as f64 / height).min(MOST));
        Self {
            right: view.right,
            up: view.up,
            forward: view.forward,
            across: ACROSS * slope * width / height,
            above: free(margins.top),
            below: free(margins.bottom),
        }
    }

    fn reach(&self, points: &[DVec3]) -> Reach {
        let most = |f: &dyn Fn(&DVec3) -> f64| points.iter().map(f).fold(f64::NEG_INFINITY, f64::max) + ROOM;
        let (x, y) = (|p: &DVec3| p.dot(self.right), |p: &DVec3| p.dot(self.up));
        let z = |p: &DVec3| p.dot(self.forward);
        Reach([
            most(&|p| x(p) - z(p) * self.across),
            most(&|p| -x(p) - z(p) * self.across),
            most(&|p| y(p) - z(p) * self.above),
            most(&|p| -y(p) - z(p) * self.below),
        ])
    }

    /// The target and the distance from it at which the points just fill what is free, but no nearer than `nearest`.
    pub(crate) fn frame(&self, points: &[DVec3], nearest: f64) -> (DVec3, f64) {
        let Reach([right, left, above, below]) = self.reach(points);
        let depth = points.iter().map(|p| p.dot(self.forward)).sum::<f64>() / points.len().max(1) as f64;
        let wide = 0.5 * (right + left) / self.across;
        let tall = (above + below) / (self.above + self.below);
        let back = wide.max(tall).max(nearest - depth);
        let (x, y) = (0.5 * (right - left), 0.5 * (above - below + back * (self.below - self.above)));
        (self.right * x + self.up * y + self.forward * depth, depth + back)
    }

    /// The distance from a given target at which all points are in the picture.
    pub(crate) fn distance(&self, target: DVec3, points: &[DVec3]) -> f64 {
        let Reach([right, left, above, below]) = self.reach(points);
        let (x, y) = (target.dot(self.right), target.dot(self.up));
        let needs = [
            (right - x) / self.across,
            (left + x) / self.across,
            (above - y) / self.above,
            (below + y) / self.below,
        ];
        needs.into_iter().fold(f64::NEG_INFINITY, f64::max) + target.dot(self.forward)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn framed_points_are_inside_and_touch_an_edge() {
        let mut random = Random::named(3, "frame");
        let viewport = Rect::new(20, 10, 640, 360);
        for k in 0..100 {
            let mut draw = || 3.0 * random.symmetric();
            let points: Vec<DVec3> = (0..7).map(|_| DVec3::new(draw(), draw(), draw())).collect();
            let camera = Camera { yaw: draw(), pitch: 0.3 * draw(), ..Camera::default() };
            let margins = Margins { top: 50, bottom: 10 * (k % 9) };
            let axes = Axes::new(&camera, (viewport, margins));
            let (target, distance) = axes.frame(&points, 0.1);
            assert!((axes.distance(target, &points) - distance).abs() < 1e-9);
            let view = Camera { target, distance, ..camera }.view(viewport);
            for p in &points {
                let seen = view.project(*p).unwrap().pixel;
                let (top, bottom) = (10.0 + 50.0, 370.0 - margins.bottom as f64);
                assert!(viewport.contains(seen.x, seen.y) && seen.y > top && seen.y < bottom, "{seen}");
            }
            // Any nearer and one of them, with its room, is outside.
            assert!(axes.distance(target, &points) > 0.999 * distance);
        }
    }
}
