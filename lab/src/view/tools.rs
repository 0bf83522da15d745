//! What the mouse finds and does: picking, dragging, pushing, throwing.

use stuntlab_physics::BodyId;
use stuntlab_physics::collide::{Ray, cast_ray};
use stuntlab_physics::glam::DVec3;
use stuntlab_viewer::camera::View;

use crate::run::{Drag, Push, World};

/// A point of a body under the mouse.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Picked {
    pub(crate) body: BodyId,
    pub(crate) point_body: DVec3,
    /// Distance along the view axis.
    pub(crate) depth: f64,
}

/// The body under a pixel.
pub(crate) fn pick(world: &World, view: &View, (x, y): (f64, f64)) -> Option<Picked> {
    let ray = view.ray(x, y);
    let colliders = world.model().colliders();
    let owner = |id| colliders.get(id).body;
    let ray = Ray { origin: ray.origin, direction: ray.direction, max_distance: 1e3 };
    // Terrain hides what is behind it.
    let seen = |id| owner(id).is_none_or(|b| !world.is_parked(b));
    let hit = cast_ray(colliders, &world.data.collision.world_from_shape, &ray, seen)?;
    let body = owner(hit.collider)?;
    let point_body = world.data.world_from_body(body).inverse_transform_point(hit.point_world);
    Some(Picked { body, point_body, depth: (hit.point_world - view.eye).dot(view.forward) })
}

impl Picked {
    /// A spring from the point to what is under the mouse now.
    pub(crate) fn drag(&self, view: &View, (x, y): (f64, f64)) -> Drag {
        let target = view.unproject(x, y, self.depth);
        Drag { body: self.body, point_body: self.point_body, target, frequency: 2.0 }
    }
}

/// Change of speed a push gives to the whole tree, m/s.
const PUSH_SPEED: f64 = 0.9;

/// A push along `direction` in proportion to the mass of the body's tree.
pub(crate) fn push(world: &World, body: BodyId, point_body: DVec3, direction: DVec3) -> Push {
    let model = world.model();
    let mass: f64 = model.bodies()[model.tree_of(body).bodies].iter().map(|b| b.inertia().mass).sum();
    let impulse = direction.normalize_or(DVec3::X) * (PUSH_SPEED * mass);
    Push { body, point_body, impulse, start: world.state.time, duration: 0.1 }
}

/// What is pushed when the mouse points at nothing: the chest of the first figure, or the first body.
pub(crate) fn usual_target(world: &World) -> Option<(BodyId, DVec3)> {
    let own = world.cast().first().map_or(world.model().body_ids(), |m| m.bodies);
    let chest = |b: &BodyId| {
        let name = world.model().body(*b).name();
        name.ends_with("/torso") || name.ends_with("/spine4")
    };
    let body = own.iter().find(chest).or_else(|| own.first())?;
    Some((body, world.model().body(body).inertia().center_of_mass))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;
    use stuntlab_viewer::camera::Camera;
    use stuntlab_viewer::canvas::Rect;

    #[test]
    fn picking_is_the_inverse_of_projecting() {
        let world = World::new(&Scene::load("base-game", &[]).unwrap()).unwrap();
        let viewport = Rect::new(40, 20, 640, 360);
        let mut hits = 0;
        for turn in 0..12 {
            let camera = Camera { yaw: 0.5 * f64::from(turn), distance: 6.0, ..Camera::default() };
            let view = camera.view(viewport);
            for body in world.model().body_ids().iter() {
                let center = world.data.world_from_body(body).translation;
                let Some(seen) = view.project(center).filter(|s| viewport.contains(s.pixel.x, s.pixel.y))
                else {
                    continue;
                };
                let pixel = (seen.pixel.x, seen.pixel.y);
                let Some(picked) = pick(&world, &view, pixel) else { continue };
                // What was found lies under the pixel, and not behind what was aimed at.
                let found = world.data.world_from_body(picked.body).transform_point(picked.point_body);
                let again = view.project(found).unwrap();
                assert!((again.pixel - seen.pixel).length() < 1e-6, "{} and {}", again.pixel, seen.pixel);
                assert!((again.depth - picked.depth).abs() < 1e-9);
                assert!((picked.drag(&view, pixel).target - found).length() < 1e-9);
                hits += usize::from(picked.body == body);
            }
        }
        assert!(hits > 200, "{hits} bodies were hit");
    }
}
