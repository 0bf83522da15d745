//! Whole-model sums: centre of mass, centroidal momentum, energies.
//!
//! All read `data.position` and, where velocities matter, `data.velocity`; bodies welded to the world
//! count.

use glam::DVec3;

use crate::data::Data;
use crate::model::{Bodies, Model};
use crate::spatial::Force;

/// Centre of mass, its velocity and the total mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CenterOfMass {
    /// Where it is.
    pub position: DVec3,
    /// How fast it moves.
    pub velocity: DVec3,
    /// Mass of all bodies counted.
    pub mass: f64,
}

/// Centre of mass of all bodies.
pub fn center_of_mass(model: &Model, data: &Data) -> CenterOfMass {
    center_of_mass_of(model, data, model.body_ids())
}

/// Centre of mass of some bodies, such as those of a tree.
pub fn center_of_mass_of(model: &Model, data: &Data, bodies: Bodies) -> CenterOfMass {
    let (mut mass, mut moment, mut momentum) = (0.0, DVec3::ZERO, DVec3::ZERO);
    for i in bodies {
        let inertia = &model.bodies[i].inertia;
        let pose = &data.position.world_from_body[i];
        let c = pose.rotation * inertia.center_of_mass;
        mass += inertia.mass;
        moment += inertia.mass * (pose.translation + c);
        momentum += inertia.mass * data.velocity.body[i].at(c).linear;
    }
    let scale = if mass > 0.0 { 1.0 / mass } else { 0.0 };
    CenterOfMass { position: moment * scale, velocity: momentum * scale, mass }
}

/// Momentum of all bodies: linear, and angular about the centre of mass (Orin & Goswami 2008).
pub fn centroidal_momentum(model: &Model, data: &Data) -> Force {
    let com = center_of_mass(model, data);
    momentum_about(model, data, com.position)
}

/// Momentum of all bodies about a point of the world.
pub fn momentum_about(model: &Model, data: &Data, point_world: DVec3) -> Force {
    let mut total = Force::ZERO;
    for (i, body) in model.bodies.iter().enumerate() {
        let inertia = &body.inertia;
        let pose = &data.position.world_from_body[i];
        let velocity = data.velocity.body[i];
        let c = pose.rotation * inertia.center_of_mass;
        let linear = inertia.mass * velocity.at(c).linear;
        let spin = pose.rotation * (inertia.rotational * (pose.rotation.transpose() * velocity.angular));
        let arm = pose.translation + c - point_world;
        total += Force::new(spin + arm.cross(linear), linear);
    }
    total
}

/// Kinetic energy of the bodies, and of the armature (rotors count with the joint rates `v`).
pub fn kinetic_energy(model: &Model, data: &Data, v: &[f64]) -> f64 {
    let mut energy = 0.0;
    for (i, body) in model.bodies.iter().enumerate() {
        let inertia = &body.inertia;
        let pose = &data.position.world_from_body[i];
        let velocity = data.velocity.body[i];
        let at_com = velocity.at(pose.rotation * inertia.center_of_mass).linear;
        let w = pose.rotation.transpose() * velocity.angular;
        energy += 0.5 * (inertia.mass * at_com.length_squared() + inertia.rotational.quadratic(w, w));
        for (rate, armature) in v[body.v_range()].iter().zip(&body.joint.armature) {
            energy += 0.5 * armature * rate * rate;
        }
    }
    energy
}

/// Potential energy in the gravity field, zero at the world's origin: `-Σ m g·c`.
pub fn potential_energy(model: &Model, data: &Data) -> f64 {
    let mut energy = 0.0;
    for (body, pose) in model.bodies.iter().zip(&data.position.world_from_body) {
        let c = pose.transform_point(body.inertia.center_of_mass);
        energy -= body.inertia.mass * model.gravity.dot(c);
    }
    energy
}
