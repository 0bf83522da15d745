//! A camera that keeps whoever matters in the frame, as large as it can, apart from each other and not behind things.

use stuntlab_physics::collide::{Ray, cast_ray};
use stuntlab_physics::glam::{DVec2, DVec3};
use stuntlab_physics::{BodyId, JointKind};
use stuntlab_viewer::camera::Camera;
use stuntlab_viewer::canvas::Rect;

use super::frame::{Axes, Margins};
use super::subject;
use crate::run::World;

/// Where a film looks from: into all its worlds from the same side, each as near as it can be.
#[derive(Clone, Debug)]
pub(crate) struct Director {
    /// What it would show by itself: direction and, where there is nobody to frame, everything.
    home: Camera,
    /// Body or character that a camera of the scene follows.
    follow: Option<String>,
    /// Whether it frames all characters or only follows.
    auto: bool,
    /// The side it is on its way to: yaw and pitch.
    side: (f64, f64),
    /// Time since it last looked for a better one, s.
    since: f64,
    cameras: Vec<Camera>,
}

/// Halves the way to a new target in this time, s.
const TURN: f64 = 0.25;
/// Halves the way back to a nearer place in this time, s; away is at once.
const NEARER: f64 = 1.2;
/// Halves the way to another side in this time, s: viewers keep their bearings.
const SIDE: f64 = 1.2;
/// Never nearer, m: a figure then fills two thirds of the height.
const NEAREST: f64 = 3.4;
/// Never nearer than this part of the scene's own distance: what the scene is about must stay in sight, too.
const SURROUNDINGS: f64 = 0.5;
/// Never farther, m: beyond nobody can be made out.
const FARTHEST: f64 = 60.0;
/// Looks for a better side this often, s of film.
const LOOKS: f64 = 0.5;
/// Sides to either hand of the scene's own, and the angle between them: a quarter turn at most, so that left stays left.
const SIDES: i32 = 6;
const BETWEEN: f64 = std::f64::consts::PI / 12.0;
/// How much higher it may look from, radians: over what stands about.
const HIGHER: f64 = 0.3;
/// While a film runs another side must be so much better than the present one.
const BETTER: f64 = 0.85;
/// What a quarter turn away from the scene's own side costs, as a part of the distance.
const AWAY: f64 = 0.15;
/// What it costs that all stand behind each other instead of side by side.
const BEHIND: f64 = 0.5;
/// What it costs that all are hidden.
const HIDDEN: f64 = 1.5;
/// What hangs together so far from a character, on the ground, belongs to it, m.
const AROUND: f64 = 2.5;
/// A ray ends this far before what it looks for, m: its own surface does not hide it.
const OWN: f64 = 0.3;

impl Director {
    /// A director of its own mind (`auto`), or one that keeps to a camera of the scene.
    pub(crate) fn new(home: Camera, follow: Option<String>, auto: bool) -> Self {
        let side = (home.yaw, home.pitch);
        Self { home, follow, auto, side, since: f64::INFINITY, cameras: Vec::new() }
    }

    /// The cameras for worlds now, each for its cell with room for texts, `dt` seconds after the last call.
    pub(crate) fn look(&mut self, worlds: &[&World], cells: &[(Rect, Margins)], dt: f64) -> Vec<Camera> {
        let started = self.cameras.len() == worlds.len();
        if !started {
            self.cameras = vec![self.home; worlds.len()];
        }
        let soft = |half_life: f64| if started { half_life } else { 0.0 };
        let (turn, nearer, around) = (soft(TURN), soft(NEARER), soft(SIDE));
        if let (true, Some(world), Some(cell)) = (self.auto, worlds.first(), cells.first()) {
            self.since += dt;
            if self.since >= LOOKS {
                self.since = 0.0;
                self.choose_side(world, cell, if started { BETTER } else { 1.0 });
            }
        }
        for (k, (world, cell)) in worlds.iter().zip(cells).enumerate() {
            let camera = &mut self.cameras[k];
            let points = if self.auto { framed(world) } else { Vec::new() };
            if points.is_empty() {
                if let Some(point) = self.follow.as_ref().and_then(|name| subject(world, name)) {
                    camera.follow(point, dt, turn);
                }
                continue;
            }
            let keep = |half_life: f64| if half_life > 0.0 { (-dt / half_life).exp2() } else { 0.0 };
            camera.yaw = self.side.0 - wrap(self.side.0 - camera.yaw) * keep(around);
            camera.pitch = self.side.1 - (self.side.1 - camera.pitch) * keep(around);
            let nearest = NEAREST.max(SURROUNDINGS * self.home.distance);
            let axes = Axes::new(camera, *cell);
            let (target, _) = axes.frame(&points, nearest);
            camera.follow(target, dt, turn);
            let wanted = axes.distance(camera.target, &points).clamp(nearest, FARTHEST);
            let easing = wanted + (camera.distance - wanted) * keep(nearer);
            camera.distance = easing.max(wanted);
        }
        self.cameras.clone()
    }

    /// Goes to another side where what speaks against it is less than `part` of what does against the present one.
    fn choose_side(&mut self, world: &World, cell: &(Rect, Margins), part: f64) {
        let points = framed(world);
        if points.is_empty() {
            return;
        }
        let cost = |side: (f64, f64)| self.cost(world, &points, cell, side);
        let mut best = (self.side, part * cost(self.side));
        for k in -SIDES..=SIDES {
            for higher in [0.0, HIGHER] {
                let side = (self.home.yaw + f64::from(k) * BETWEEN, self.home.pitch + higher);
                let cost = cost(side);
                if cost < best.1 {
                    best = (side, cost);
                }
            }
        }
        self.side = best.0;
    }

    /// What speaks against a side: distance, being away from home, characters behind each other or behind things.
    fn cost(&self, world: &World, points: &[DVec3], cell: &(Rect, Margins), (yaw, pitch): (f64, f64)) -> f64 {
        let mut camera = Camera { yaw, pitch, ..self.home };
        let nearest = NEAREST.max(SURROUNDINGS * self.home.distance);
        let axes = Axes::new(&camera, *cell);
        (camera.target, camera.distance) = axes.frame(points, nearest);
        let away = wrap(yaw - self.home.yaw).abs() / std::f64::consts::FRAC_PI_2
            + (pitch - self.home.pitch).abs() / HIGHER;
        // As far as the farthest: it is the smallest.
        let (eye, forward) = (camera.eye(), camera.view(cell.0).forward);
        let far = points.iter().map(|p| (*p - eye).dot(forward)).fold(0.0, f64::max);
        far * (1.0 + AWAY * away) * (1.0 + BEHIND * behind(world, yaw)) * (1.0 + HIDDEN * hidden(world, eye))
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

/// What is to be in the frame: all characters, and what nets, bridges, ropes and other things that hang together are made of
/// around them.
fn framed(world: &World) -> Vec<DVec3> {
    let mut points = characters(world);
    if points.is_empty() {
        return points;
    }
    let centers: Vec<DVec3> = world.senses().iter().map(|s| s.center_of_mass()).collect();
    let near = |p: &DVec3| centers.iter().any(|c| (*c - *p).truncate().length() < AROUND);
    let all = world.model().bodies().iter().zip(&world.data.position.world_from_body);
    let hangs = all.enumerate().filter(|(k, (body, _))| {
        let id = BodyId::new(*k);
        let free = body.parent().is_none() && matches!(body.joint().kind, JointKind::Free);
        !free && !world.is_parked(id) && !world.cast().iter().any(|m| m.bodies.contains(id))
    });
    let middles = hangs.map(|(_, (body, pose))| pose.transform_point(body.inertia().center_of_mass));
    points.extend(middles.filter(|p| p.is_finite() && near(p)));
    points
}

/// How far the characters stand behind each other, seen from `yaw`: 0 side by side, 1 in a file.
fn behind(world: &World, yaw: f64) -> f64 {
    let places: Vec<DVec2> = world.senses().iter().map(|s| s.center_of_mass().truncate()).collect();
    let mean = places.iter().sum::<DVec2>() / places.len().max(1) as f64;
    let along = DVec2::from_angle(yaw);
    let sum = |f: &dyn Fn(DVec2) -> f64| places.iter().map(|p| f(*p - mean)).sum::<f64>();
    let (all, deep) = (sum(&|p| p.length_squared()), sum(&|p| p.dot(along).powi(2)));
    if all > 1e-3 && all.is_finite() { deep / all } else { 0.0 }
}

/// Part of the characters' heads, middles and feet that an eye does not see for other characters, things or ground.
fn hidden(world: &World, eye: DVec3) -> f64 {
    let colliders = world.model().colliders();
    let (mut all, mut unseen) = (0, 0);
    for (member, senses) in world.cast().iter().zip(world.senses()) {
        let place = |body| world.data.world_from_body(body).translation;
        let by_height = |a: &DVec3, b: &DVec3| a.z.total_cmp(&b.z);
        let ends = [
            member.bodies.iter().map(place).max_by(by_height),
            Some(senses.center_of_mass()),
            member.bodies.iter().map(place).min_by(by_height),
        ];
        for point in ends.into_iter().flatten() {
            let way = point - eye;
            let max_distance = way.length() - OWN;
            let ray = Ray { origin: eye, direction: way.normalize_or(DVec3::X), max_distance };
            let others =
                |id| colliders.get(id).body.is_none_or(|b| !member.bodies.contains(b) && !world.is_parked(b));
            all += 1;
            let hit = max_distance > 0.0
                && cast_ray(colliders, &world.data.collision.world_from_shape, &ray, others).is_some();
            unseen += usize::from(hit);
        }
    }
    if all > 0 { unseen as f64 / f64::from(all) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Hands;
    use crate::scene::Scene;

    #[test]
    fn nobody_leaves_the_frame_or_hides_under_the_texts() {
        let scene = Scene::load("base-game", &[]).unwrap();
        let mut world = World::new(&scene).unwrap();
        let cell = (Rect::new(0, 0, 640, 360), Margins { top: 60, bottom: 40 });
        let mut director = Director::new(scene.cameras[0].camera, None, true);
        for _ in 0..12 {
            for _ in 0..5 {
                world.step(&Hands::default()).unwrap();
            }
            let cameras = director.look(&[&world], &[cell], 5.0 / 120.0);
            let view = cameras[0].view(cell.0);
            for point in characters(&world) {
                let seen = view.project(point).unwrap().pixel;
                assert!(cell.0.contains(seen.x, seen.y) && seen.y > 60.0 && seen.y < 320.0, "{seen}");
            }
        }
    }

    #[test]
    #[ignore = "minutes: every scene from start to end"]
    fn nobody_leaves_any_film() {
        use crate::run::variants_of;
        use crate::scene::LIBRARY;
        let cell = (Rect::new(0, 0, 480, 300), Margins { top: 74, bottom: 40 });
        let mut small: Vec<(String, f64)> = Vec::new();
        for (name, _) in LIBRARY {
            let scene = Scene::load(name, &[]).unwrap();
            for variant in variants_of(&scene, None).unwrap() {
                let scene = scene.with(&variant.set);
                let Ok(scene) = scene else { continue };
                let mut world = World::new(&scene).unwrap();
                let spec = scene.camera("auto");
                let mut director = Director::new(spec.camera, spec.follow, true);
                // Pixels a metre has at the farthest character, at the worst time.
                let mut least = f64::INFINITY;
                while world.state.time < scene.duration && !world.cast().is_empty() {
                    let view = director.look(&[&world], &[cell], 0.04)[0].view(cell.0);
                    for point in characters(&world) {
                        let seen = view.project(point).unwrap();
                        least = least.min(view.focal / seen.depth);
                        let inside = cell.0.contains(seen.pixel.x, seen.pixel.y);
                        assert!(inside, "{name} {}: {} at {}", variant.name, seen.pixel, world.state.time);
                    }
                    let next = world.state.time + 0.04 - 1e-9;
                    while world.state.time < next {
                        if world.step(&Hands::default()).is_err() {
                            world.state.time = scene.duration;
                            break;
                        }
                    }
                }
                small.push((format!("{name} {}", variant.name), least));
            }
        }
        small.sort_by(|a, b| a.1.total_cmp(&b.1));
        println!("{:#?}", &small[..12.min(small.len())]);
    }

    #[test]
    fn a_row_is_seen_from_its_side() {
        let cell = (Rect::new(0, 0, 640, 360), Margins { top: 60, bottom: 40 });
        for name in ["dynamo-shoves", "dynamo-jump", "dynamo-punches", "velocity-pushes"] {
            let scene = Scene::load(name, &[]).unwrap();
            let world = World::new(&scene).unwrap();
            let mut director = Director::new(scene.cameras[0].camera, None, true);
            let camera = director.look(&[&world], &[cell], 0.04)[0];
            assert!(behind(&world, camera.yaw) < 0.1 && behind(&world, director.home.yaw) > 0.1, "{name}");
            assert!(hidden(&world, camera.eye()) < 0.01, "{name}");
        }
    }

    #[test]
    fn angles_wrap() {
        assert!((wrap(3.5 * std::f64::consts::PI) + 0.5 * std::f64::consts::PI).abs() < 1e-12);
    }
}
