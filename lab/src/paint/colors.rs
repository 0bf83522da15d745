//! Who wears which colour.

use stuntlab_control::Role;
use stuntlab_physics::BodyId;
use stuntlab_physics::model::shape::Shape;
use stuntlab_viewer::palette::{self, Color};
use stuntlab_viewer::picture::Paint;

use crate::run::World;

/// Terrain.
pub(crate) fn fixture_paint(shape: &Shape) -> Paint {
    match shape {
        Shape::Plane => Paint::ground(palette::GROUND),
        Shape::Heightfield(_) => Paint::ground(palette::TERRAIN),
        _ => Paint { gloss: 0.0, ..Paint::solid(palette::TERRAIN) },
    }
}

/// A body: its character's colour, or that of a loose thing.
pub(crate) fn body_paint(world: &World, body: BodyId) -> Paint {
    let member = world.cast().iter().position(|m| m.bodies.contains(body));
    Paint::solid(match member {
        Some(index) => character_color(world, index),
        None => prop_color(world.model().body(body).name(), body.index()),
    })
}

/// By role: limp figures pale, recordings dark, those driven in joint space blue, in world space orange, those that
/// cannot fall green, those with a mind of their own purple; several of a kind differ in lightness.
fn character_color(world: &World, index: usize) -> Color {
    let role = match world.controllers.get(index).map_or(Role::Limp, |c| c.role()) {
        Role::Limp => Color::hex(0xD8B08C),
        Role::Recording => palette::MOCAP_GHOST,
        Role::ParentSpace => palette::PARENT_SPACE,
        Role::WorldSpace => palette::WORLD_SPACE,
        Role::Upheld => palette::GREEN,
        Role::Deciding => palette::PURPLE,
    };
    let shades = [0.0, 0.28, 0.14, 0.42, 0.21];
    role.mix(palette::WHITE, shades[index % shades.len()])
}

/// Rows of equal things (`name-3`) share a hue and alternate in lightness.
fn prop_color(name: &str, body: usize) -> Color {
    let (kind, number) = match name.rsplit_once('-') {
        Some((kind, number)) => (kind, number.parse().unwrap_or(0)),
        None => (name, body),
    };
    let letters: usize = kind.bytes().map(usize::from).sum();
    let hue = palette::series(letters).mix(palette::PROP, 0.45);
    if number % 2 == 0 { hue } else { hue.mix(palette::WHITE, 0.22) }
}
