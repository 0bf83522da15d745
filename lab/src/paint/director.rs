//! A camera that keeps whoever matters in the frame, and two that face each other side by side.

use stuntlab_physics::glam::DVec3;
use stuntlab_viewer::camera::Camera;
use stuntlab_viewer::canvas::Rect;

use super::subject;
use crate::run::World;

/// Where a film or a window looks from.
#[derive(Clone, Debug)]
pub(crate) struct Director {
    /// What it would show by itself: direction and, where there is nobody to frame, everything.
    home: Camera,
    /// Body or character that a camera of the scene follows.
    follow: Option<String>,
    /// Whether it frames all characters or only follows.
    auto: bool,
    camera: Camera,
    started: bool,
}

/// Halves the way to a new target in this time, s.
const TURN: f64 = 0.25;
/// Halves the way back to a nearer place in this time, s; away is at once.
const NEARER: f64 = 1.2;
/// Halves the way to the side of a pair in this time, s: viewers keep their bearings.
const SIDE: f64 = 1.6;
/// Room about a body's centre, m: half a head, a fist, and air.
const ROOM: f64 = 0.28;
/// Never nearer, m: a figure then fills two thirds of the height.
const NEAREST: f64 = 3.4;
/// Never nearer than this part of the scene's own distance: what the scene is about must stay in sight, too.
const SURROUNDINGS: f64 = 0.65;
/// Never farther, m: beyond nobody can be made out.
const FARTHEST: f64 = 26.0;
/// A pair this far apart at most is seen from the side, m.
const PAIR: f64 = 5.0;

impl Director {
    /// A director of its own mind (`auto`), or one that keeps to a camera of the scene.
    pub(crate) fn new(home: Camera, follow: Option<String>, auto: bool) -> Self {
        Self { home, follow, auto, camera: home, started: false }
    }

    /// The camera for a world now, `dt` seconds after the last call.
    pub(crate) fn look(&mut self, world: &World, viewport: Rect, dt: f64) -> Camera {
        let soft = |half_life: f64| if self.started { half_life } else { 0.0 };
        let (turn, nearer, side) = (soft(TURN), soft(NEARER), soft(SIDE));
        self.started = true;
        let points = if self.auto { characters(world) } else { Vec::new() };
        if points.is_empty() {
            if let Some(point) = self.follow.as_ref().and_then(|name| subject(world, name)) {
                self.camera.follow(point, dt, turn);
            }
            return self.camera;
        }
        self.face(world, dt, side);
        let (low, high) = bounds(&points);
        self.camera.follow(0.5 * (low + high), dt, turn);
        let nearest = NEAREST.max(SURROUNDINGS * self.home.distance).min(FARTHEST);
        let wanted = distance_for(&self.camera, &points, viewport).clamp(nearest, FARTHEST);
        let keep = if nearer > 0.0 { (-dt / nearer).exp2() } else { 0.0 };
        let easing = wanted + (self.camera.distance - wanted) * keep;
        self.camera.distance = easing.max(wanted);
        self.camera
    }

    /// Turns to the side of two characters that are near each other, else back home.
    fn face(&mut self, world: &World, dt: f64, half_life: f64) {
        let mut goal = self.home.yaw;
        if let [a, b] = world.senses() {
            let between = (b.center_of_mass() - a.center_of_mass()).truncate();
            if between.length() > 0.2 && between.length() < PAIR {
                let across = between.y.atan2(between.x) + 0.5 * std::f64::consts::PI;
                // Of both sides the one that is nearer to where we are.
                let turn = |to: f64| wrap(to - self.camera.yaw).abs();
                let other = across + std::f64::consts::PI;
                goal = if turn(across) <= turn(other) { across } else { other };
            }
        }
        let keep = if half_life > 0.0 { (-dt / half_life).exp2() } else { 0.0 };
        self.camera.yaw = goal - wrap(goal - self.camera.yaw) * keep;
    }
}

/// An angle within half a turn.
fn wrap(angle: f64) -> f64 {
    (angle + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU) - std::f64::consts::PI
}

/// Where the bodies of all characters are.
fn characters(world: &World) -> Vec<DVec3> {
    let bodies = world.cast().iter().flat_map(|m| m.bodies.iter());
    bodies.map(|body| world.data.world_from_body(body).translation).filter(|p| p.is_finite()).collect()
}

fn bounds(points: &[DVec3]) -> (DVec3, DVec3) {
    let start = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    points.iter().fold(start, |(low, high), p| (low.min(*p), high.max(*p)))
}

/// How far a camera must be from its target for all points, with room about them, to be in the picture.
fn distance_for(camera: &Camera, points: &[DVec3], viewport: Rect) -> f64 {
    let view = camera.view(viewport);
    // A part of the height is left to names above and texts below.
    let half_height = (0.5 * camera.field_of_view).tan();
    let aspect = viewport.width as f64 / viewport.height.max(1) as f64;
    let (up, across) = (0.82 * half_height, 0.88 * half_height * aspect);
    let need = |p: &DVec3| {
        let offset = *p - camera.target;
        let nearer = -offset.dot(view.forward);
        let tall = (offset.dot(view.up).abs() + ROOM) / up;
        let wide = (offset.dot(view.right).abs() + ROOM) / across;
        nearer + tall.max(wide)
    };
    points.iter().map(need).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Hands;
    use crate::scene::Scene;

    #[test]
    fn nobody_leaves_the_frame() {
        let scene = Scene::load("base-game", &[]).unwrap();
        let mut world = World::new(&scene).unwrap();
        let viewport = Rect::new(0, 0, 640, 360);
        let mut director = Director::new(scene.cameras[0].camera, None, true);
        for _ in 0..12 {
            for _ in 0..5 {
                world.step(&Hands::default()).unwrap();
            }
            let view = director.look(&world, viewport, 5.0 / 120.0).view(viewport);
            for point in characters(&world) {
                let seen = view.project(point).unwrap().pixel;
                assert!(viewport.contains(seen.x, seen.y), "{seen}");
            }
        }
    }

    #[test]
    fn angles_wrap() {
        assert!((wrap(3.5 * std::f64::consts::PI) + 0.5 * std::f64::consts::PI).abs() < 1e-12);
    }
}
