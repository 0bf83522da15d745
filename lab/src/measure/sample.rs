//! What samples are measured against: the start of a run, and what is watched since.

use stuntlab_physics::dynamics::{
    center_of_mass_of, centroidal_momentum, kinetic_energy, potential_energy, spring_energy,
};
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::Force;
use stuntlab_physics::{Bodies, BodyId};

use super::pair::Pair;
use super::watch::{Watch, Watched};
use crate::run::World;

/// What the start of a run was like.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    pub(super) energy: f64,
    pub(super) kinetic: f64,
    pub(super) momentum: Force,
    /// Centre of mass and velocity of every body's tree.
    pub(super) place: Vec<(DVec3, DVec3)>,
    pub(super) largest_kinetic: f64,
    watch: Watch,
}

pub(super) fn kinetic(world: &World) -> f64 {
    kinetic_energy(world.model(), &world.data, &world.state.v)
}

/// Kinetic, potential and spring energy together.
pub(crate) fn energy(world: &World) -> f64 {
    let model = world.model();
    kinetic(world) + potential_energy(model, &world.data) + spring_energy(model, &world.state)
}

pub(super) fn com_of_body(world: &World, body: BodyId) -> (DVec3, DVec3) {
    let com = center_of_mass_of(world.model(), &world.data, Bodies::one(body));
    (com.position, com.velocity)
}

impl Start {
    pub(crate) fn of(world: &World) -> Self {
        let energy_now = kinetic(world);
        Self {
            energy: energy(world),
            kinetic: energy_now,
            momentum: centroidal_momentum(world.model(), &world.data),
            place: world.model().body_ids().iter().map(|b| com_of_body(world, b)).collect(),
            largest_kinetic: energy_now,
            watch: Watch::new(world),
        }
    }

    /// Called after every step, before samples are taken.
    pub(crate) fn follow(&mut self, world: &World) {
        self.largest_kinetic = self.largest_kinetic.max(kinetic(world));
        self.watch.follow(world);
    }

    /// Two characters who fight.
    pub(super) fn pair(&self) -> &Pair {
        &self.watch.pair
    }

    /// The characters a measurement is about: the one a body belongs to, or all.
    pub(super) fn characters(&self, of: Option<BodyId>) -> impl Iterator<Item = &Watched> {
        let mine = move |w: &&Watched| of.is_none_or(|body| w.bodies.contains(body));
        self.watch.members.iter().filter(mine)
    }
}
