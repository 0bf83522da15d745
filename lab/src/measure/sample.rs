//! One sample of a quantity.

use stuntlab_control::Bout;
use stuntlab_physics::BodyId;
use stuntlab_physics::dynamics::{
    center_of_mass_of, centroidal_momentum, kinetic_energy, potential_energy, spring_energy,
};
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::Force;
use stuntlab_physics::step::Account;

use super::Quantity;
use super::watch::{Watch, Watched};
use crate::run::World;

/// What the start of a run was like.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    energy: f64,
    kinetic: f64,
    momentum: Force,
    /// Centre of mass and velocity of every body's tree.
    place: Vec<(DVec3, DVec3)>,
    largest_kinetic: f64,
    watch: Watch,
}

fn kinetic(world: &World) -> f64 {
    kinetic_energy(world.model(), &world.data, &world.state.v)
}

/// Kinetic, potential and spring energy together.
pub(crate) fn energy(world: &World) -> f64 {
    let model = world.model();
    kinetic(world) + potential_energy(model, &world.data) + spring_energy(model, &world.state)
}

fn com_of_body(world: &World, body: BodyId) -> (DVec3, DVec3) {
    let com = center_of_mass_of(world.model(), &world.data, body.index()..body.index() + 1);
    (com.position, com.velocity)
}

impl Start {
    pub(crate) fn of(world: &World) -> Self {
        let energy_now = kinetic(world);
        Self {
            energy: energy(world),
            kinetic: energy_now,
            momentum: centroidal_momentum(world.model(), &world.data),
            place: world.model().body_ids().map(|b| com_of_body(world, b)).collect(),
            largest_kinetic: energy_now,
            watch: Watch::new(world),
        }
    }

    /// Called after every step, before samples are taken.
    pub(crate) fn follow(&mut self, world: &World) {
        self.largest_kinetic = self.largest_kinetic.max(kinetic(world));
        self.watch.follow(world);
    }

    /// The characters a measurement is about: the one a body belongs to, or all.
    fn characters(&self, of: Option<BodyId>) -> impl Iterator<Item = &Watched> {
        let mine = move |w: &&Watched| of.is_none_or(|body| w.bodies.contains(&body.index()));
        self.watch.members.iter().filter(mine)
    }

    /// How those of them that fight have fared.
    fn bouts(&self, of: Option<BodyId>) -> impl Iterator<Item = Bout> {
        self.characters(of).filter_map(|w| w.bout)
    }
}

/// The quantity now; `None` where it says nothing (a pose error without a controller).
pub(crate) fn sample(quantity: Quantity, of: Option<BodyId>, world: &World, start: &Start) -> Option<f64> {
    let (model, data) = (world.model(), &world.data);
    let small = 1e-12;
    Some(match quantity {
        Quantity::Penetration => world.deepest(),
        Quantity::SettleSpeed | Quantity::Speed => match of {
            Some(body) => com_of_body(world, body).1.length(),
            None => model.body_ids().map(|b| com_of_body(world, b).1.length()).fold(0.0, f64::max),
        },
        Quantity::EnergyGain => energy(world) - start.energy,
        Quantity::EnergyDrift => (energy(world) - start.energy).abs() / start.largest_kinetic.max(small),
        Quantity::KineticShare => kinetic(world) / start.kinetic.max(small),
        Quantity::MomentumDrift => {
            let now = centroidal_momentum(model, data).linear;
            let expected = start.momentum.linear + model.gravity() * (model.total_mass() * world.state.time);
            (now - expected).length() / start.momentum.linear.length().max(small)
        }
        Quantity::SpinDrift => {
            let now = centroidal_momentum(model, data).angular;
            (now - start.momentum.angular).length() / start.momentum.angular.length().max(small)
        }
        Quantity::BallisticError => {
            let body = of?;
            let (position, velocity) = start.place[body.index()];
            let t = world.state.time;
            let expected = position + velocity * t + 0.5 * model.gravity() * t * t;
            com_of_body(world, body).0.distance(expected)
        }
        Quantity::PoseError => pose_error(world)?.to_degrees(),
        Quantity::JointDrift => data.reports.pins.iter().map(|p| p.error).fold(0.0, f64::max),
        Quantity::Height => com_of_body(world, of?).0.z,
        Quantity::Travel => {
            let body = of?;
            let way = com_of_body(world, body).0 - start.place[body.index()].0;
            way.truncate().length()
        }
        Quantity::JointAngle => world.state.q.get(model.body(of?).q_range().start)?.to_degrees(),
        Quantity::Falls => start.characters(of).filter(|w| w.has_fallen()).count() as f64,
        Quantity::Standing => start.characters(of).filter(|w| w.stands()).count() as f64,
        Quantity::TrackingError => mean(start.characters(of).filter_map(|w| w.tracking_error))?,
        Quantity::AttitudeError => mean(start.characters(of).filter_map(|w| w.attitude_error))?,
        Quantity::Jitter => mean(start.characters(of).filter_map(|w| w.jitter.power()).map(|p| p.0.sqrt()))?,
        Quantity::Cheat => mean(start.characters(of).map(|w| w.vitals.cheat.length() / w.weight.max(small)))?,
        Quantity::AidWork => world.ledger.work(Account::Aids),
        Quantity::RootTilt => mean(start.characters(of).filter_map(|w| w.tilt))?,
        Quantity::Flight => mean(start.characters(of).map(|w| f64::from(u8::from(w.airborne))))?,
        Quantity::FootPenetration => start.characters(of).map(|w| w.foot_depth).fold(0.0, f64::max),
        Quantity::FootSlide => mean(start.characters(of).map(|w| w.foot_slide))?,
        Quantity::SlidePerMetre => mean(start.characters(of).map(|w| w.way.slide()))?,
        Quantity::WayShare => mean(start.characters(of).filter_map(|w| w.way.share()))?,
        Quantity::Strength => start.characters(of).map(|w| w.vitals.strength).fold(1.0, f64::min),
        Quantity::HitsTaken => sum(start.bouts(of).map(|b| b.hits_taken as f64))?,
        Quantity::KnockDowns => sum(start.bouts(of).map(|b| b.knock_downs as f64))?,
        Quantity::Recoveries => sum(start.bouts(of).map(|b| b.recoveries as f64))?,
        Quantity::LongestDown => start.bouts(of).map(|b| b.longest_down).reduce(f64::max)?,
        Quantity::LedgerClosure => {
            let ledger = &world.report.ledger;
            ledger.closure / ledger.scale.max(small)
        }
        Quantity::LostBodies => {
            let lost = |b: &BodyId| {
                let at = data.world_from_body(*b).translation;
                at.z < -3.0 || at.truncate().length() > 100.0
            };
            model.body_ids().filter(lost).filter(|b| !world.is_parked(*b)).count() as f64
        }
    })
}

fn sum(values: impl Iterator<Item = f64>) -> Option<f64> {
    values.reduce(|a, b| a + b)
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), x| (sum + x, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

/// What a sample is measured against: the reference's own jitter; 1 where the sample stands for itself.
pub(crate) fn base(quantity: Quantity, of: Option<BodyId>, start: &Start) -> f64 {
    match quantity {
        Quantity::Jitter => {
            mean(start.characters(of).filter_map(|w| w.jitter.power()).map(|p| p.1.sqrt())).unwrap_or(0.0)
        }
        _ => 1.0,
    }
}

/// Mean angle between the joints of all driven characters and their targets, rad.
fn pose_error(world: &World) -> Option<f64> {
    let model = world.model();
    let mut target = world.state.clone();
    let mut joints: Vec<std::ops::Range<usize>> = Vec::new();
    for (k, controller) in world.controllers.iter().enumerate() {
        let sense = world.sense(k);
        if controller.target(&sense, &mut target.q) {
            joints.extend(
                model.bodies()[sense.bodies].iter().filter(|b| b.parent().is_some()).map(|b| b.v_range()),
            );
        }
    }
    let mut way = vec![0.0; model.n_v()];
    world.state.difference(model, &target, &mut way);
    let angle = |dofs: &std::ops::Range<usize>| way[dofs.clone()].iter().map(|x| x * x).sum::<f64>().sqrt();
    (!joints.is_empty()).then(|| joints.iter().map(angle).sum::<f64>() / joints.len() as f64)
}
