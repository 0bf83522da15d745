//! Where we look from: a point on a sphere about a target, z up, with a perspective lens.

use glam::{DVec2, DVec3};

use crate::canvas::Rect;

/// Nearest distance along the view axis that is drawn, metres.
pub(crate) const NEAR: f64 = 0.02;

/// An orbiting camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The point looked at; it sits in the middle of the picture.
    pub target: DVec3,
    /// Direction from the target to the eye, turned about z from +x, radians.
    pub yaw: f64,
    /// Height of the eye over the target's horizontal plane as an angle, radians.
    pub pitch: f64,
    /// Eye to target, metres.
    pub distance: f64,
    /// Vertical opening angle, radians.
    pub field_of_view: f64,
}

impl Default for Camera {
    fn default() -> Self {
        Self { target: DVec3::new(0.0, 0.0, 0.9), yaw: -1.0, pitch: 0.22, distance: 4.5, field_of_view: 0.7 }
    }
}

impl Camera {
    /// A camera at `eye` looking at `target`.
    pub fn look_at(eye: DVec3, target: DVec3) -> Self {
        let offset = eye - target;
        let distance = offset.length().max(1e-3);
        Self {
            target,
            yaw: offset.y.atan2(offset.x),
            pitch: (offset.z / distance).clamp(-1.0, 1.0).asin(),
            distance,
            ..Self::default()
        }
        .sane()
    }

    /// Where the eye is.
    pub fn eye(&self) -> DVec3 {
        self.target + self.distance * self.backward()
    }

    /// Turns about the target by angles in radians; the pitch stops short of straight up and down.
    pub fn orbit(&mut self, yaw: f64, pitch: f64) {
        self.yaw += yaw;
        self.pitch += pitch;
        *self = self.sane();
    }

    /// Moves the target in the picture plane so that what is under the cursor follows `dx, dy` pixels.
    pub fn pan(&mut self, dx: f64, dy: f64, viewport: Rect) {
        let view = self.view(viewport);
        let metres_per_pixel = self.distance / view.focal;
        self.target += (view.up * dy - view.right * dx) * metres_per_pixel;
        *self = self.sane();
    }

    /// Multiplies the distance, within 0.3 m and 300 m.
    pub fn zoom(&mut self, factor: f64) {
        self.distance *= factor;
        *self = self.sane();
    }

    /// Lets the target drift to `point`, halving the gap every `half_life` seconds; 0 jumps there.
    pub fn follow(&mut self, point: DVec3, dt: f64, half_life: f64) {
        let keep = if half_life > 0.0 { (-dt.max(0.0) / half_life).exp2() } else { 0.0 };
        if point.is_finite() {
            self.target = point + (self.target - point) * keep;
        }
    }

    /// Looks at a ball from so far that it fills the picture, keeping the direction.
    pub fn frame(&mut self, center: DVec3, radius: f64) {
        self.target = center;
        self.distance = radius / (0.5 * self.field_of_view).sin();
        *self = self.sane();
    }

    /// The camera fitted to a viewport: projects points and casts rays.
    pub fn view(&self, viewport: Rect) -> View {
        let camera = self.sane();
        let (sin_yaw, cos_yaw) = camera.yaw.sin_cos();
        let forward = -camera.backward();
        let right = DVec3::new(-sin_yaw, cos_yaw, 0.0);
        let center = DVec2::new(
            viewport.x as f64 + 0.5 * viewport.width as f64,
            viewport.y as f64 + 0.5 * viewport.height as f64,
        );
        let focal = 0.5 * viewport.height.max(1) as f64 / (0.5 * camera.field_of_view).tan();
        View { eye: camera.eye(), forward, right, up: right.cross(forward), center, focal }
    }

    fn backward(&self) -> DVec3 {
        let (sin_yaw, cos_yaw) = self.yaw.sin_cos();
        let (sin_pitch, cos_pitch) = self.pitch.sin_cos();
        DVec3::new(cos_pitch * cos_yaw, cos_pitch * sin_yaw, sin_pitch)
    }

    /// The same camera with every number finite and in range.
    fn sane(mut self) -> Self {
        let standard = Self::default();
        let pick = |v: f64, or: f64| if v.is_finite() { v } else { or };
        if !self.target.is_finite() {
            self.target = standard.target;
        }
        self.yaw = pick(self.yaw, standard.yaw) % std::f64::consts::TAU;
        self.pitch = pick(self.pitch, standard.pitch).clamp(-1.55, 1.55);
        self.distance = pick(self.distance, standard.distance).clamp(0.3, 300.0);
        self.field_of_view = pick(self.field_of_view, standard.field_of_view).clamp(0.05, 2.4);
        self
    }
}

/// A ray in world coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it starts.
    pub origin: DVec3,
    /// Unit direction.
    pub direction: DVec3,
}

/// A point on the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Projected {
    /// Canvas pixels; the centre of the top left pixel is (0.5, 0.5).
    pub pixel: DVec2,
    /// Metres along the view axis.
    pub depth: f64,
}

/// A camera with its viewport: the perspective map and its inverse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Centre of projection.
    pub eye: DVec3,
    /// View axis, unit.
    pub forward: DVec3,
    /// Direction of growing x in the picture, unit, horizontal.
    pub right: DVec3,
    /// Direction of falling y in the picture, unit.
    pub up: DVec3,
    /// Canvas pixel the view axis meets.
    pub center: DVec2,
    /// Focal length in pixels.
    pub focal: f64,
}

impl View {
    /// Where a world point appears; `None` behind the eye.
    pub fn project(&self, point: DVec3) -> Option<Projected> {
        let offset = point - self.eye;
        let depth = offset.dot(self.forward);
        (depth > NEAR).then(|| {
            let plane = DVec2::new(offset.dot(self.right), -offset.dot(self.up));
            Projected { pixel: self.center + plane * (self.focal / depth), depth }
        })
    }

    /// The ray through a canvas position in pixels, for picking.
    pub fn ray(&self, x: f64, y: f64) -> Ray {
        Ray { origin: self.eye, direction: self.slope(x, y).normalize() }
    }

    /// The world point at a canvas position and a depth along the view axis.
    pub fn unproject(&self, x: f64, y: f64, depth: f64) -> DVec3 {
        self.eye + self.slope(x, y) * depth
    }

    /// Metres one pixel covers at a depth.
    pub fn metres_per_pixel(&self, depth: f64) -> f64 {
        depth / self.focal
    }

    /// Ray direction scaled to one metre along the view axis.
    fn slope(&self, x: f64, y: f64) -> DVec3 {
        let plane = (DVec2::new(x, y) - self.center) / self.focal;
        self.forward + self.right * plane.x - self.up * plane.y
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VIEWPORT: Rect = Rect::new(40, 10, 640, 360);

    #[test]
    fn the_picking_ray_meets_the_projected_point() {
        let camera = Camera { yaw: 2.3, pitch: 0.4, ..Camera::default() };
        let view = camera.view(VIEWPORT);
        for p in [DVec3::new(0.3, -0.2, 1.7), DVec3::new(-1.0, 0.5, 0.0), DVec3::new(0.0, 0.0, 0.9)] {
            let seen = view.project(p).unwrap();
            let ray = view.ray(seen.pixel.x, seen.pixel.y);
            let miss = (p - ray.origin).cross(ray.direction).length();
            assert!(miss < 1e-12, "{miss}");
            assert!((view.unproject(seen.pixel.x, seen.pixel.y, seen.depth) - p).length() < 1e-12);
        }
    }

    #[test]
    fn the_target_is_in_the_middle_and_up_is_up() {
        let camera = Camera::look_at(DVec3::new(3.0, -4.0, 2.0), DVec3::new(0.5, 0.5, 1.0));
        assert!((camera.eye() - DVec3::new(3.0, -4.0, 2.0)).length() < 1e-12);
        let view = camera.view(VIEWPORT);
        let middle = view.project(camera.target).unwrap().pixel;
        assert!((middle - DVec2::new(360.0, 190.0)).length() < 1e-9);
        assert!(view.project(camera.target + DVec3::Z * 0.1).unwrap().pixel.y < middle.y);
        assert!(view.project(camera.eye() - view.forward).is_none());
    }

    #[test]
    fn panning_drags_the_target_with_the_cursor() {
        let mut camera = Camera::default();
        let grabbed = camera.target;
        camera.pan(25.0, -14.0, VIEWPORT);
        let moved = camera.view(VIEWPORT).project(grabbed).unwrap().pixel;
        assert!((moved - DVec2::new(360.0 + 25.0, 190.0 - 14.0)).length() < 1e-9, "{moved}");
    }

    #[test]
    fn wild_numbers_are_tamed() {
        let mut camera = Camera { yaw: f64::NAN, distance: f64::INFINITY, ..Camera::default() };
        camera.orbit(f64::NAN, 1e9);
        camera.zoom(0.0);
        camera.follow(DVec3::NAN, 0.1, 0.2);
        let view = camera.view(Rect::new(0, 0, 0, 0));
        assert!(view.eye.is_finite() && view.forward.is_finite() && view.focal > 0.0);
    }
}
