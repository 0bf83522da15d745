//! Who wears which colour.

use stuntlab_control::{Glow, Role};
use stuntlab_mocap::roles::Side;
use stuntlab_physics::BodyId;
use stuntlab_physics::model::shape::Shape;
use stuntlab_viewer::palette::{self, Color};
use stuntlab_viewer::picture::Paint;

use super::figure::Dress;
use crate::run::World;

/// Terrain.
pub(crate) fn fixture_paint(shape: &Shape) -> Paint {
    match shape {
        Shape::Plane => Paint::ground(palette::GROUND),
        Shape::Heightfield(_) => Paint::ground(palette::TERRAIN),
        _ => Paint { gloss: 0.0, ..Paint::solid(palette::TERRAIN) },
    }
}

/// A loose thing.
pub(crate) fn prop_paint(world: &World, body: BodyId) -> Paint {
    Paint::solid(prop_color(world.model().body(body).name(), body.index()))
}

/// The colour of a role.
pub(crate) fn role_color(role: Role) -> Color {
    match role {
        Role::Limp => palette::LIMP,
        Role::Recording => palette::MOCAP_GHOST,
        Role::ParentSpace => palette::PARENT_SPACE,
        Role::WorldSpace => palette::WORLD_SPACE,
        Role::Upheld => palette::UPHELD,
        Role::Deciding => palette::DECIDING,
        Role::Adaptive => palette::ADAPTIVE,
    }
}

/// What a role is, in words for legends.
pub(crate) fn role_words(role: Role) -> &'static str {
    match role {
        Role::Limp => "limp",
        Role::Recording => "recording",
        Role::ParentSpace => "joint space",
        Role::WorldSpace => "world space",
        Role::Upheld => "cannot fall",
        Role::Deciding => "decides itself",
        Role::Adaptive => "answers; yellow is simulated",
    }
}

/// The colours a character wears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wear {
    /// What drives it.
    pub(crate) role: Color,
    /// Who it is: the role's colour, but for several of one role each has its own.
    pub(crate) own: Color,
}

/// What a character wears.
pub(crate) fn wear(world: &World, index: usize) -> Wear {
    let role_of = |k: usize| world.controllers.get(k).map_or(Role::Limp, |c| c.role());
    let mine = role_of(index);
    let twins = (0..world.cast().len()).filter(|k| role_of(*k) == mine);
    let (before, all) = twins.fold((0, 0), |(before, all), k| (before + usize::from(k < index), all + 1));
    let role = role_color(mine);
    // Its trunk tells by its colour whether it is simulated; names tell who it is.
    let own =
        if all > 1 && mine != Role::Adaptive { palette::OWN[before % palette::OWN.len()] } else { role };
    Wear { role, own }
}

impl Wear {
    /// The colour of a piece: who it is on the trunk, what drives it on the limbs; the left ones are light, the right ones dark.
    pub(crate) fn of(self, dress: Dress) -> Color {
        let sided = |color: Color, side: Side| match side {
            Side::Left => color.mix(palette::WHITE, 0.30),
            Side::Right => color.mix(palette::BLACK, 0.18),
        };
        match dress {
            Dress::Trunk => self.own,
            Dress::Hips => self.role,
            Dress::Limb(side) => sided(self.role, side),
            Dress::Shoe(side) => sided(palette::INK.mix(self.own, 0.25), side),
            Dress::Skin => Color::hex(0xE9D3BE),
            Dress::Visor => palette::INK,
        }
    }
}

/// The colour of a bone whose joint answers a disturbance: simulated or not is told at a glance, how much it matters on top of that.
pub(crate) fn glowing(color: Color, glow: Glow) -> Color {
    let ratio = glow.ratio.clamp(0.0, 1.0);
    palette::adaptive_joint(color, 0.6 * glow.simulated + ratio * (0.2 + 0.2 * glow.simulated))
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
