//! Worlds as pictures: the same painter serves headless runs and the window.

mod balls;
mod colors;
mod deeds;
mod director;
mod figure;
mod frame;
mod layers;
mod names;

use std::sync::Arc;

use stuntlab_mocap::character::Bone;
use stuntlab_physics::dynamics::{center_of_mass_of, forward_kinematics};
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::Transform;
use stuntlab_physics::{Bodies, BodyId, Data, JointKind, Model, State};
use stuntlab_viewer::camera::Camera;
use stuntlab_viewer::canvas::{Canvas, Rect};
use stuntlab_viewer::chart::StripChart;
use stuntlab_viewer::hud::TextBlock;
use stuntlab_viewer::palette;
use stuntlab_viewer::picture::{Paint, Picture, Stroke};
use stuntlab_viewer::raster::{Quality, Renderer};

use crate::run::World;
use colors::{Wear, fixture_paint, glowing, prop_paint, wear};
pub use deeds::Deed;
pub(crate) use deeds::deeds;
pub(crate) use director::Director;
use figure::Figure;
pub(crate) use frame::Margins;
pub use layers::Layers;
pub(crate) use names::legend;

/// Draws worlds.
#[derive(Default)]
pub struct Painter {
    renderer: Renderer,
    picture: Picture,
    ghost: Option<(State, Data)>,
    /// Figures drawn so far; a character's model is kept so that its address stays its own.
    figures: Vec<(Arc<Model>, Option<Arc<Figure>>)>,
}

/// Figures kept; beyond it all are made anew.
const FIGURES: usize = 64;

/// What to draw besides the world itself.
#[derive(Clone, Debug, Default)]
pub struct Look {
    /// Which debug drawings.
    pub layers: Layers,
    /// Texts in the corners.
    pub texts: Vec<TextBlock>,
    /// What is done to it from outside.
    pub deeds: Vec<Deed>,
    /// Running curves in the corners.
    pub charts: Vec<StripChart>,
    /// A body to mark.
    pub marked: Option<BodyId>,
    /// A body under the mouse.
    pub hovered: Option<BodyId>,
    /// Names above the characters.
    pub names: bool,
    /// Size of letters, pixels; 0 chooses by the viewport.
    pub letters: usize,
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
        self.picture.letters = look.letters;
        self.solids(world, look);
        if look.layers.ghost {
            self.ghosts(world);
        }
        self.strings(world);
        layers::draw(&mut self.picture, world, look);
        if look.names {
            self.names(world);
        }
        for text in &look.texts {
            self.picture.text(text.clone());
        }
        for chart in &look.charts {
            self.picture.chart(chart.clone());
        }
        self.renderer.render(&self.picture, camera, canvas, viewport, quality);
    }

    fn solids(&mut self, world: &World, look: &Look) {
        let bare = look.layers.wireframe || look.layers.collision;
        let cast: Vec<(Wear, Option<Arc<Figure>>)> =
            (0..world.cast().len()).map(|k| (wear(world, k), self.figure(world, k))).collect();
        let colliders = world.model().colliders().list().iter();
        for (collider, place) in colliders.zip(&world.data.collision.world_from_shape) {
            let paint = match collider.body {
                None => fixture_paint(&collider.shape),
                Some(body) if world.is_parked(body) => continue,
                Some(body) => match world.cast().iter().position(|m| m.bodies.contains(body)) {
                    None => lit(prop_paint(world, body), body, look),
                    Some(k) => {
                        let (wear, figure) = &cast[k];
                        if !bare && drawn(figure.as_deref(), world, k, body) {
                            continue;
                        }
                        lit(Paint::solid(wear.role), body, look)
                    }
                },
            };
            let wire = look.layers.wireframe && collider.body.is_some();
            let paint = if wire { Paint::wire(paint.color) } else { paint };
            self.picture.solid(&collider.shape, *place, paint);
        }
        if !bare {
            for (k, (wear, figure)) in cast.iter().enumerate() {
                let Some(figure) = figure else { continue };
                let poses = &world.data.position.world_from_body;
                let bodies = world.cast()[k].bodies;
                let glow = |body| world.controllers.get(k)?.glow(Bone::of(body, bodies)?);
                self.person(world, k, figure, poses, |dress, body| {
                    let plain = wear.of(dress);
                    let color = glow(body).map_or(plain, |glow| glowing(plain, glow));
                    lit(Paint::solid(color), body, look)
                });
            }
        }
    }

    /// Draws the pieces of a character at the poses of all bodies.
    fn person(
        &mut self,
        world: &World,
        member: usize,
        figure: &Figure,
        poses: &[Transform],
        paint: impl Fn(figure::Dress, BodyId) -> Paint,
    ) {
        let bodies: Vec<BodyId> = world.cast()[member].bodies.iter().collect();
        for piece in &figure.pieces {
            if let Some(body) = bodies.get(piece.bone) {
                self.picture.blob(&piece.blob, poses[body.index()], paint(piece.dress, *body));
            }
        }
    }

    /// The figure of a character, made when first seen; `None` where it is not a person.
    fn figure(&mut self, world: &World, member: usize) -> Option<Arc<Figure>> {
        let member = &world.cast()[member];
        if let Some((_, known)) = self.figures.iter().find(|(model, _)| Arc::ptr_eq(model, &member.model)) {
            return known.clone();
        }
        if self.figures.len() == FIGURES {
            self.figures.clear();
        }
        let made = Figure::new(&member.model, &member.physique).map(Arc::new);
        self.figures.push((member.model.clone(), made.clone()));
        made
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
                shown.push(k);
            }
        }
        forward_kinematics(model, target, data);
        let poses = data.position.world_from_body.clone();
        let clad = Paint::ghost(palette::MOCAP_GHOST, 0.35);
        for k in shown {
            let figure = self.figure(world, k);
            for collider in model.colliders().list() {
                let Some(body) = collider.body.filter(|b| world.cast()[k].bodies.contains(*b)) else {
                    continue;
                };
                if !drawn(figure.as_deref(), world, k, body) {
                    self.picture.solid(&collider.shape, poses[body] * collider.body_from_shape, clad);
                }
            }
            if let Some(figure) = figure {
                self.person(world, k, &figure, &poses, |_, _| clad);
            }
        }
    }

    /// The name of each character above its head.
    fn names(&mut self, world: &World) {
        for k in 0..world.cast().len() {
            let at = match self.figure(world, k) {
                Some(figure) => names::above(world, k, figure.top),
                None => names::over(world, k),
            };
            let name = &world.cast()[k].name;
            let chosen = world.controllers.get(k).and_then(|controller| controller.chronicle().last());
            let words = chosen.map_or_else(|| name.clone(), |entry| format!("{name}: {}", entry.chosen));
            self.picture.label(at, words, wear(world, k).own);
        }
    }
}

/// Whether a body of a character is drawn as a piece of its figure.
fn drawn(figure: Option<&Figure>, world: &World, member: usize, body: BodyId) -> bool {
    let bone = world.cast()[member].bodies.iter().position(|b| b == body);
    figure.zip(bone).is_some_and(|(figure, bone)| figure.drawn.get(bone) == Some(&true))
}

/// The same, brighter where it is marked or under the mouse.
fn lit(paint: Paint, body: BodyId, look: &Look) -> Paint {
    let part = if look.marked == Some(body) {
        0.65
    } else if look.hovered == Some(body) {
        0.35
    } else {
        return paint;
    };
    Paint { color: paint.color.mix(palette::YELLOW, part), ..paint }
}

/// The point a camera follows: a character's centre of mass or a body's.
pub(crate) fn subject(world: &World, name: &str) -> Option<DVec3> {
    if let Some(k) = world.cast().iter().position(|m| m.name == name) {
        return Some(world.senses()[k].center_of_mass());
    }
    let body = world.find(name)?;
    Some(center_of_mass_of(world.model(), &world.data, Bodies::one(body)).position)
}
