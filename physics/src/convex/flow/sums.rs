//! Momenta and energy of a tree: what the free flow has to keep.

use glam::DVec3;

use crate::data::Data;
use crate::model::Model;
use crate::spatial::{Motion, Sym3};

/// Sums over the bodies of a tree.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    pub(super) mass: f64,
    pub(super) center: DVec3,
    pub(super) momentum: DVec3,
    /// Angular momentum and rotational inertia about the centre of mass.
    pub(super) spin: DVec3,
    pub(super) inertia: Sym3,
    /// Kinetic energy, rotors included.
    pub(super) energy: f64,
}

impl Sums {
    pub(super) fn of(model: &Model, data: &Data, tree: usize, motions: &[Motion], v: &[f64]) -> Self {
        let mut sums = Self::default();
        let (mut moment, mut about, mut inertia) = (DVec3::ZERO, DVec3::ZERO, Sym3::ZERO);
        // About the root's place, so that nothing is lost far from the origin.
        let base = data.position.world_from_body[model.trees[tree].start].translation;
        for i in model.trees[tree].clone() {
            let own = &model.links[i].inertia;
            let pose = &data.position.world_from_body[i];
            let c = pose.rotation * own.center_of_mass;
            let place = pose.translation + c - base;
            let turning = own.rotational.rotated(&pose.rotation);
            let velocity = motions[i].at(c).linear;
            let w = motions[i].angular;
            let spin = turning * w;
            sums.mass += own.mass;
            moment += place * own.mass;
            sums.momentum += velocity * own.mass;
            about += spin + place.cross(velocity) * own.mass;
            inertia += turning + Sym3::point_inertia(place) * own.mass;
            sums.energy += 0.5 * (own.mass * velocity.length_squared() + w.dot(spin));
            if model.links[i].armature {
                let body = &model.bodies[i];
                for (rate, armature) in v[body.v_range()].iter().zip(&body.joint.armature) {
                    sums.energy += 0.5 * armature * rate * rate;
                }
            }
        }
        let middle = moment * (1.0 / sums.mass.max(f64::MIN_POSITIVE));
        sums.center = base + middle;
        sums.spin = about - middle.cross(sums.momentum);
        sums.inertia = inertia - Sym3::point_inertia(middle) * sums.mass;
        sums
    }

    /// `T_l`: the energy of all of it as one rigid body with the momenta of `kept`.
    pub(super) fn locked(&self, kept: &Self) -> f64 {
        let spin = self.inertia.inverse_definite() * kept.spin;
        0.5 * (kept.momentum.length_squared() / kept.mass + kept.spin.dot(spin))
    }

    /// The energy with the momenta of `kept`: what was found, less its own rigid part, plus the right one.
    pub(super) fn with_momenta_of(&self, kept: &Self) -> f64 {
        self.locked(kept) + (self.energy - self.locked(self))
    }
}
