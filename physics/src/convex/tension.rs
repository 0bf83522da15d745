//! Light links under a load that is pinned to them.
//!
//! A link of length `r` that is pulled with `f` turns back with `f·r` per radian, as a plucked string does. That stiffness is not in the problem, whose
//! forces act at the pose the step begins with; symplectic as the step is, it carries `K h² < 4 I` and no more. A hundred kilograms on
//! links of 0.1 kg and 0.3 m are beyond that at 120 Hz: zigzags grow until the pin is given up. So what goes beyond the link's own
//! inertia becomes a damper of its joint, as the step's end would feel it (after Andrews, Teichmann and Kry 2017, with joints in place of bodies):
//!
//! ```text
//! (1)  d_i = h max(0, K_i - I_i/h²),   K_i = Σ ½ (f·r + |f||r|)  over what pulls beyond joint i, where f·r > 0
//! ```
//!
//! Of joints that turn by more than [`TURN`] in a step it says nothing, linear as it is, nor of pins that are off their place by that share of their arm: these would pull the harder
//! the harder they had pulled. It acts between a link and the one before it, so it takes zigzags, hardly swings, and no momentum but at the world; twists are damped with them. Pulls are those of the last step.

use glam::DVec3;

use super::{Convex, pins};
use crate::actuation::{Actuation, Anchor};
use crate::data::Data;
use crate::model::{JointKind, Link, Model, NONE};
use crate::spatial::Inertia;
use crate::step::reports::{Kind, recall};

/// Largest turn in a step, or that a pin wants of one, to which (1) applies, rad. A damper passes at most this share of a pull on to the pull of the next step.
const TURN: f64 = 0.25;

/// Stiffness against turning by what pulls at an arm.
fn stiffness(pull: DVec3, arm: DVec3) -> f64 {
    let along = pull.dot(arm);
    if along > 0.0 { 0.5 * (along + pull.length() * arm.length()) } else { 0.0 }
}

/// Inertia of a link against being turned across about its joint.
fn inertia(link: &Link) -> f64 {
    let Inertia { mass, center_of_mass, rotational } = &link.inertia;
    rotational.xx.max(rotational.yy).max(rotational.zz) + mass * center_of_mass.length_squared()
}

fn bends(kind: JointKind) -> bool {
    matches!(kind, JointKind::Revolute { .. } | JointKind::Universal { .. } | JointKind::Spherical)
}

/// Rate at which a body turns against the one before it, rad/s.
fn turn(data: &Data, body: usize, parent: u32) -> f64 {
    let spin = |i: usize| data.velocity.body[i].angular;
    (spin(body) - if parent == NONE { DVec3::ZERO } else { spin(parent as usize) }).length()
}

/// Adds (1) to the gains of joints.
pub(super) fn damp(model: &Model, data: &Data, act: &Actuation, convex: &mut Convex) {
    if act.pins.is_empty() {
        return;
    }
    let h = convex.dt;
    let Convex { pulls, stretched, forces, .. } = convex;
    pulls.fill(DVec3::ZERO);
    stretched.fill(0.0);
    for pin in &act.pins {
        let Some(last) = recall(&data.memory.efforts, Kind::Pin, pin.key) else { continue };
        let off = pins::distance(pin, data);
        let mut pull = |body: usize, point: DVec3, force: DVec3| {
            if off < TURN * point.length() {
                stretched[body] += stiffness(force, data.position.world_from_body[body].rotation * point);
                pulls[body] += force;
            }
        };
        pull(pin.body.index(), pin.point, last.force);
        if let Anchor::Body { body, point, .. } = pin.anchor {
            pull(body.index(), point, -last.force);
        }
    }
    for i in (0..model.links.len()).rev() {
        let link = &model.links[i];
        if link.parent != NONE && pulls[i] != DVec3::ZERO {
            let parent = link.parent as usize;
            stretched[parent] += stiffness(pulls[i], data.position.offset[i]);
            let pull = pulls[i];
            pulls[parent] += pull;
        }
        let beyond = stretched[i] - inertia(link) / (h * h);
        if beyond > 0.0 && bends(link.kind) && turn(data, i, link.parent) * h < TURN {
            for k in model.bodies[i].v_range() {
                forces.joint_gain[k] += h * beyond;
            }
        }
    }
}
