//! The law a contact's force follows: what two surfaces are together, sized for what touches.

use crate::collide::ContactPoint;
use crate::data::Positions;
use crate::model::{BodyId, Model};

use super::Material;

/// The material law of a contact: what two surfaces are together, made ready for the step.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    /// The surfaces together.
    pub material: Material,
    /// Normal stiffness, N/m.
    pub stiffness: f64,
    /// Normal damping, N s/m.
    pub damping: f64,
    /// Share of the step the implicit normal spring looks ahead, 0 to 1: looking ahead by all of it is stable
    /// at any stiffness and damps like `h k`; a spring the step resolves well needs none and keeps its bounce.
    pub foresight: f64,
    /// The part of the overlap the spring acts on.
    pub(crate) pressed: f64,
}

/// What sizes stiffness where a material gives none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizing {
    pub(crate) time: f64,
    pub(crate) dt: f64,
    /// Whether the stretch is kept as it is rather than by anchors on both bodies.
    pub(crate) carries: bool,
}

/// Damping of contacts with the world sized by mass, as a share of critical: overdamped, so that light limbs are
/// not thrown. Contacts between bodies are critical: harder rows would need more sweeps.
pub(crate) const WORLD_DAMPING: f64 = 2.0;
/// Fastest speed at which an overlap of such contacts is undone, m/s.
const PUSH_OUT: f64 = 0.5;

impl Law {
    /// The law of a point between two bodies, or of one and the world.
    pub(crate) fn new(
        model: &Model,
        positions: &Positions,
        (body_a, body_b): (BodyId, Option<BodyId>),
        material: Material,
        point: &ContactPoint,
        sizing: Sizing,
    ) -> Self {
        // The lighter tree feels the contact; its whole mass may rest on this point.
        let mass = match body_b {
            Some(b) => model.tree_mass[body_a].min(model.tree_mass[b]),
            None => model.tree_mass[body_a],
        };
        let stiffness = material.stiffness.unwrap_or(mass / (sizing.time * sizing.time));
        let ratio = if body_b.is_some() { 1.0 } else { WORLD_DAMPING };
        let damping = material.damping.unwrap_or(2.0 * ratio * (stiffness * mass).sqrt());
        // Sized by mass, a contact sinks by a fraction of a millimetre; more than this is an accident (a fast
        // impact, a body placed inside another) and is worked off without a jump.
        let pressed = match material.stiffness {
            None => point.depth.min(PUSH_OUT * damping / stiffness),
            Some(_) => point.depth,
        };
        // What is sized by mass is damped critically anyway and always looks ahead.
        let foresight = match material.stiffness {
            None => 1.0,
            Some(k) => {
                let bodies = [Some(body_a), body_b].into_iter().flatten();
                let mobility: f64 = bodies.map(|b| mobility(model, positions, b, point)).sum();
                foresight(k * mobility * sizing.dt * sizing.dt)
            }
        };
        Self { material, stiffness, damping, foresight, pressed }
    }

    /// That of a point which only ever presses with what a step finds: no spring of its own.
    pub(crate) fn rigid(material: Material) -> Self {
        Self { material, stiffness: 0.0, damping: 0.0, foresight: 1.0, pressed: 0.0 }
    }
}

/// Velocity along the normal per impulse at the point, of the body by itself.
fn mobility(model: &Model, positions: &Positions, body: BodyId, point: &ContactPoint) -> f64 {
    let pose = &positions.world_from_body[body];
    let inertia = &model.links[body].inertia;
    let arm = pose.inverse_transform_point(point.point_world) - inertia.center_of_mass;
    let turning = arm.cross(pose.inverse_transform_vector(point.normal_world));
    1.0 / inertia.mass + inertia.rotational.inverse_definite().quadratic(turning, turning)
}

/// How far ahead a spring must look whose `h² k / m` is `stiff`, `m` being the least mass that can be behind it
/// (the body's own at that point; neighbours only add to it). Semi-implicit Euler is stable up to 4; four
/// corners of a box may share that mass.
fn foresight(stiff: f64) -> f64 {
    ((4.0 * stiff - 0.2) / 0.2).clamp(0.0, 1.0)
}
