//! Who is who: names above characters and the legend of what drives whom.

use stuntlab_physics::glam::DVec3;
use stuntlab_viewer::hud::{Corner, TextBlock};
use stuntlab_viewer::palette::Color;

use super::balls::balls_of;
use super::colors::{role_words, wear};
use crate::run::World;

/// Room between a head and the name above it, m.
const GAP: f64 = 0.10;

/// How far a body other than the head reaches above its joint, about, m: a foot, a knee, a hip.
const LIMB: f64 = 0.12;

/// Above the top of a person, whichever way up it is. `rise` is how far its head's body reaches over its origin when it stands.
pub(super) fn above(world: &World, member: usize, (bone, rise): (usize, f64)) -> DVec3 {
    let bodies = world.cast()[member].bodies.iter().enumerate();
    let tops = bodies.map(|(k, body)| {
        world.data.world_from_body(body).translation.z + if k == bone { rise } else { LIMB }
    });
    let center = world.senses()[member].center_of_mass();
    center.with_z(tops.fold(center.z, f64::max) + GAP)
}

/// Above the centre of anything else, as far as its shapes go.
pub(super) fn over(world: &World, member: usize) -> DVec3 {
    let bodies = world.cast()[member].bodies;
    let center = world.senses()[member].center_of_mass();
    let colliders = world.model().colliders().list().iter().zip(&world.data.collision.world_from_shape);
    let own = colliders.filter(|(collider, _)| collider.body.is_some_and(|b| bodies.contains(b)));
    let tops = own.flat_map(|(collider, place)| {
        balls_of(&collider.shape).into_iter().map(|(at, radius)| place.transform_point(at).z + radius)
    });
    center.with_z(tops.fold(center.z, f64::max) + GAP)
}

/// Most lines of a legend, and most names in one of them.
const LINES: usize = 8;
const NAMES: usize = 4;

/// Who is driven by what: a line per controller and role, in the colour of their limbs (which is that of one alone).
pub(crate) fn legend(world: &World, corner: Corner) -> TextBlock {
    let mut lines: Vec<(Vec<&str>, &str, &str, Color)> = Vec::new();
    for (k, member) in world.cast().iter().enumerate() {
        let Some(controller) = world.controllers.get(k) else { continue };
        let (driver, words, color) = (controller.name(), role_words(controller.role()), wear(world, k).role);
        match lines.iter_mut().find(|line| (line.1, line.2) == (driver, words)) {
            Some((names, ..)) => names.push(&member.name),
            None => lines.push((vec![&member.name], driver, words, color)),
        }
    }
    lines.truncate(LINES);
    let line = |(names, driver, words, color): (Vec<&str>, &str, &str, Color)| {
        let who = match names[..] {
            [first, .., last] if names.len() > NAMES => format!("{first} … {last}"),
            _ => names.join(", "),
        };
        // A recording called mocap is said once.
        let text =
            if who == driver { format!("{who} ({words})") } else { format!("{who}: {driver} ({words})") };
        (text, color)
    };
    TextBlock::legend(corner, lines.into_iter().map(line).collect())
}
