//! The camera as the raster's inner loops want it: f32, eye at the origin, axes of the world, sample grid.
//!
//! The ray through sample (x, y) is `d = d₀(y) + x·step`, scaled so that its part along the view axis is 1.
//! A point `t·d` then has depth `t`, and `w = 1/t` is linear over the picture on any plane.

use glam::{DVec3, Vec3};

use super::lanes::Level;
use crate::camera::{NEAR, View};
use crate::canvas::Rect;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Lens {
    pub(crate) eye: DVec3,
    pub(crate) forward: Vec3,
    pub(crate) right: Vec3,
    pub(crate) up: Vec3,
    /// Focal length in samples.
    pub(crate) focal: f32,
    /// Sample the view axis meets.
    pub(crate) center: (f32, f32),
    /// Samples across and down.
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// Instructions the loops over samples may use.
    pub(crate) level: Level,
}

/// A point seen: sample position and inverse depth.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) w: f32,
}

impl Lens {
    pub(crate) fn new(view: &View, viewport: Rect, samples: usize, level: Level) -> Self {
        let n = samples as f64;
        Self {
            eye: view.eye,
            forward: view.forward.as_vec3(),
            right: view.right.as_vec3(),
            up: view.up.as_vec3(),
            focal: (view.focal * n) as f32,
            center: (
                ((view.center.x - viewport.x as f64) * n) as f32,
                ((view.center.y - viewport.y as f64) * n) as f32,
            ),
            width: viewport.width * samples,
            height: viewport.height * samples,
            level,
        }
    }

    /// World point relative to the eye.
    pub(crate) fn relative(&self, world: DVec3) -> Vec3 {
        (world - self.eye).as_vec3()
    }

    pub(crate) fn depth(&self, relative: Vec3) -> f32 {
        relative.dot(self.forward)
    }

    /// Projects a point known to lie in front of the near plane.
    pub(crate) fn project(&self, relative: Vec3) -> Seen {
        let w = 1.0 / self.depth(relative);
        Seen {
            x: self.center.0 + relative.dot(self.right) * w * self.focal,
            y: self.center.1 - relative.dot(self.up) * w * self.focal,
            w,
        }
    }

    pub(crate) fn is_in_front(&self, relative: Vec3) -> bool {
        self.depth(relative) > NEAR as f32
    }

    /// Direction through the centre of sample (0, y) and its change from sample to sample.
    pub(crate) fn row(&self, y: usize) -> (Vec3, Vec3) {
        let scale = 1.0 / self.focal;
        let across = (0.5 - self.center.0) * scale;
        let down = (y as f32 + 0.5 - self.center.1) * scale;
        (self.forward + self.right * across - self.up * down, self.right * scale)
    }

    /// The smallest circle about a ball's picture, in samples; `None` when the ball reaches the near plane.
    ///
    /// The cone of rays touching the ball has half angle α, its axis leans β off the view axis; the picture
    /// stretches from tan(β−α) to tan(β+α) along the lean, and less across it.
    pub(crate) fn circle(&self, center: Vec3, radius: f32) -> Option<(f32, f32, f32)> {
        let z = self.depth(center);
        let (x, y) = (center.dot(self.right), -center.dot(self.up));
        let lean = (x * x + y * y).sqrt();
        let touch = (z * z + lean * lean - radius * radius).max(0.0).sqrt();
        let (near_side, far_side) = (z * touch + lean * radius, z * touch - lean * radius);
        if z - radius < NEAR as f32 || far_side <= 1e-6 {
            return None;
        }
        let low = (lean * touch - z * radius) / near_side;
        let high = (lean * touch + z * radius) / far_side;
        let (middle, half) = (0.5 * (low + high) * self.focal, 0.5 * (high - low) * self.focal);
        let (ux, uy) = if lean > 1e-6 { (x / lean, y / lean) } else { (1.0, 0.0) };
        Some((self.center.0 + ux * middle, self.center.1 + uy * middle, half))
    }
}
