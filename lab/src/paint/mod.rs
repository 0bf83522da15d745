//! Worlds as pictures: the same painter serves headless runs and the window.

mod colors;
mod layers;

use stuntlab_physics::dynamics::{center_of_mass_of, forward_kinematics};
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::{Bodies, BodyId, Data, JointKind, State};
use stuntlab_viewer::camera::Camera;
use stuntlab_viewer::canvas::{Canvas, Rect};
use stuntlab_viewer::chart::StripChart;
use stuntlab_viewer::hud::TextBlock;
use stuntlab_viewer::palette;
use stuntlab_viewer::picture::{Paint, Picture, Stroke};
use stuntlab_viewer::raster::{Quality, Renderer};

use crate::run::World;
use colors::{body_paint, fixture_paint};
pub use layers::Layers;

/// Draws worlds.
#[derive(Default)]
pub struct Painter {
    renderer: Renderer,
    picture: Picture,
    ghost: Option<(State, Data)>,
}

/// What to draw besides the world itself.
#[derive(Clone, Debug, Default)]
pub struct Look {
    /// Which debug drawings.
    pub layers: Layers,
    /// Texts in the corners.
    pub texts: Vec<TextBlock>,
    /// Arrows of the user's pushes and drags: from, to.
    pub arrows: Vec<(DVec3, DVec3)>,
    /// Running curves in the corners.
    pub charts: Vec<StripChart>,
    /// A body to mark.
    pub marked: Option<BodyId>,
}

impl Painter {
    /// A painter that has drawn nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Draws a world into a part of a canvas.
    pub fn paint(
        &mut self,
        world: &World,
        look: &Look,
        camera: &Camera,
        canvas: &mut Canvas,
        viewport: Rect,
        quality: Quality,
    ) {
        self.picture.clear();
        self.solids(world, look);
        if look.layers.ghost {
            self.ghosts(world);
        }
        self.strings(world);
        layers::draw(&mut self.picture, world, look);
        for text in &look.texts {
            self.picture.text(text.clone());
        }
        for chart in &look.charts {
            self.picture.chart(chart.clone());
        }
        self.renderer.render(&self.picture, camera, canvas, viewport, quality);
    }

    fn solids(&mut self, world: &World, look: &Look) {
        let colliders = world.model().colliders().list().iter();
        for (collider, place) in colliders.zip(&world.data.collision.world_from_shape) {
            let mut paint = match collider.body {
                None => fixture_paint(&collider.shape),
                Some(body) => body_paint(world, body),
            };
            if let Some(body) = collider.body {
                if world.is_parked(body) {
                    continue;
                }
                if look.marked == Some(body) {
                    paint.color = paint.color.mix(palette::YELLOW, 0.6);
                }
                if look.layers.wireframe {
                    paint = Paint::wire(paint.color);
                }
            }
            self.picture.solid(&collider.shape, *place, paint);
        }
    }

    /// What hangs on the world away from its joint hangs on a string.
    fn strings(&mut self, world: &World) {
        for (body, pose) in world.model().bodies().iter().zip(&world.data.position.world_from_body) {
            let swings = matches!(body.joint().kind, JointKind::Revolute { .. } | JointKind::Spherical);
            if body.parent().is_none() && swings {
                let center = pose.transform_point(body.inertia().center_of_mass);
                self.picture.line(pose.translation, center, Stroke::new(palette::INK, 1.5));
            }
        }
    }

    /// Where the controllers want their characters.
    fn ghosts(&mut self, world: &World) {
        let model = world.model();
        let fits = |(state, _): &(State, Data)| state.q.len() == model.n_q();
        if !self.ghost.as_ref().is_some_and(fits) {
            self.ghost = Some((State::new(model), Data::new(model)));
        }
        let Some((target, data)) = &mut self.ghost else { return };
        target.clone_from(&world.state);
        let mut shown = Vec::new();
        for (k, controller) in world.controllers.iter().enumerate() {
            let sense = world.sense(k);
            if controller.target(&sense, &mut target.q) {
                shown.push(sense.bodies);
            }
        }
        forward_kinematics(model, target, data);
        for collider in model.colliders().list() {
            let Some(body) = collider.body else { continue };
            if shown.iter().any(|bodies| bodies.contains(body)) {
                let place = data.position.world_from_body[body] * collider.body_from_shape;
                self.picture.solid(&collider.shape, place, Paint::ghost(palette::MOCAP_GHOST, 0.35));
            }
        }
    }
}

/// The point a camera follows: a character's centre of mass or a body's.
pub(crate) fn subject(world: &World, name: &str) -> Option<DVec3> {
    if let Some(k) = world.cast().iter().position(|m| m.name == name) {
        return Some(world.senses()[k].center_of_mass());
    }
    let body = world.find(name)?;
    Some(center_of_mass_of(world.model(), &world.data, Bodies::one(body)).position)
}
