//! Debug drawings: contacts, forces, centre of mass and capture point, support polygon, joint frames.

use stuntlab_control::Senses;
use stuntlab_physics::contact::Phase;
use stuntlab_physics::glam::DVec3;
use stuntlab_viewer::palette;
use stuntlab_viewer::picture::{Picture, Stroke};

use super::{Look, deeds};
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
    /// Edges of the shapes contacts know.
    pub wireframe: bool,
    /// The shapes contacts know instead of the figures.
    pub collision: bool,
}

/// Metres of arrow per newton.
const METRES_PER_NEWTON: f64 = 1e-3;
/// Arrows are no longer than this, m: taller than figures they hide more than they show.
const LONGEST: f64 = 1.2;

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
            let arrow = contact.force * METRES_PER_NEWTON;
            let tip = contact.point + arrow.clamp_length_max(LONGEST);
            if contact.force.length() > 5.0 {
                picture.arrow(contact.point, tip, Stroke::new(palette::VERMILION, 2.5).on_top());
            }
        }
    }
    if layers.balance || layers.support {
        for senses in world.senses() {
            balance(picture, senses, layers);
        }
    }
    if layers.frames {
        for pose in &world.data.position.world_from_body {
            picture.frame(*pose, 0.1);
        }
    }
    for deed in &look.deeds {
        deeds::draw(picture, deed);
    }
}

fn balance(picture: &mut Picture, senses: &Senses, layers: Layers) {
    if layers.support {
        let corners = senses.support().corners().iter();
        let polygon: Vec<DVec3> = corners.map(|c| senses.on_ground(c.extend(senses.ground()))).collect();
        picture.support_polygon(&polygon, Stroke::new(palette::GREEN, 2.0).faint_behind());
        if let Some(pressure) = senses.center_of_pressure() {
            picture.point(pressure, Stroke::new(palette::GREEN, 8.0).on_top());
        }
    }
    if layers.balance {
        let center = senses.center_of_mass();
        let (below, capture) = (senses.on_ground(center), senses.capture_point());
        picture.point(center, Stroke::new(palette::YELLOW, 12.0).on_top());
        picture.line(center, below, Stroke::new(palette::YELLOW, 1.5).on_top());
        picture.point(below, Stroke::new(palette::YELLOW, 7.0).on_top());
        picture.point(capture, Stroke::new(palette::PURPLE, 9.0).on_top());
        picture.line(below, capture, Stroke::new(palette::PURPLE, 1.5).on_top());
    }
}
