//! Debug drawings: contacts, forces, centre of mass and capture point, support polygon, joint frames.

use stuntlab_physics::contact::Phase;
use stuntlab_physics::dynamics::center_of_mass_of;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::Transform;
use stuntlab_viewer::palette;
use stuntlab_viewer::picture::{Picture, Stroke};

use super::Look;
use crate::run::World;

/// Which debug drawings are on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layers {
    /// Contact points: sticking green, sliding orange.
    pub contacts: bool,
    /// Contact forces, 1 m per kN, and pin forces.
    pub forces: bool,
    /// Centre of mass and capture point (Pratt 2006) of each character.
    pub balance: bool,
    /// Support polygon of each character.
    pub support: bool,
    /// Joint frames.
    pub frames: bool,
    /// Where the controllers want their characters.
    pub ghost: bool,
    /// Edges only.
    pub wireframe: bool,
}

/// Metres of arrow per newton.
const METRES_PER_NEWTON: f64 = 1e-3;

pub(super) fn draw(picture: &mut Picture, world: &World, look: &Look) {
    let layers = look.layers;
    if layers.contacts {
        for contact in world.data.contact.points.iter().filter(|c| c.depth > -1e-3) {
            let color = match contact.phase {
                Phase::Stick => palette::GREEN,
                Phase::Slip => palette::ORANGE,
                Phase::Open => palette::SKY_BLUE,
            };
            picture.point(contact.point, Stroke::new(color, 7.0).on_top());
            let tip = contact.point + 0.06 * contact.normal;
            picture.line(contact.point, tip, Stroke::new(color, 1.5).on_top());
        }
    }
    if layers.forces {
        for contact in &world.data.contact.points {
            let tip = contact.point + contact.force * METRES_PER_NEWTON;
            if contact.force.length() > 5.0 {
                picture.arrow(contact.point, tip, Stroke::new(palette::VERMILION, 2.5).on_top());
            }
        }
    }
    if layers.balance || layers.support {
        for member in world.cast() {
            balance(picture, world, member.bodies.clone(), layers);
        }
    }
    if layers.frames {
        for pose in &world.data.position.world_from_body {
            picture.frame(*pose, 0.1);
        }
    }
    for &(from, to) in &look.arrows {
        picture.arrow(from, to, Stroke::new(palette::VERMILION, 4.0).on_top());
        picture.frame(Transform::from_translation(from), 0.03);
    }
}

fn balance(picture: &mut Picture, world: &World, bodies: std::ops::Range<usize>, layers: Layers) {
    let com = center_of_mass_of(world.model(), &world.data, bodies.clone());
    let feet: Vec<DVec3> = world
        .data
        .contact
        .with_world()
        .iter()
        .filter(|c| bodies.contains(&c.body_a) && c.depth > -1e-3)
        .map(|c| c.point)
        .collect();
    let ground = feet.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    let ground = if ground.is_finite() { ground } else { 0.0 };
    if layers.support {
        picture.support_polygon(&feet, Stroke::new(palette::GREEN, 2.0).faint_behind());
    }
    if layers.balance {
        let below = DVec3::new(com.position.x, com.position.y, ground);
        let height = (com.position.z - ground).max(0.05);
        let omega = (world.model().gravity().length() / height).sqrt();
        let lead = if omega > 0.0 { com.velocity / omega } else { DVec3::ZERO };
        let capture = below + DVec3::new(lead.x, lead.y, 0.0);
        picture.point(com.position, Stroke::new(palette::YELLOW, 12.0).on_top());
        picture.line(com.position, below, Stroke::new(palette::YELLOW, 1.5).on_top());
        picture.point(below, Stroke::new(palette::YELLOW, 7.0).on_top());
        picture.point(capture, Stroke::new(palette::PURPLE, 9.0).on_top());
        picture.line(below, capture, Stroke::new(palette::PURPLE, 1.5).on_top());
    }
}
