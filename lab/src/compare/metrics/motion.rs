//! Energy and momentum against their values at the start.

use stuntlab_physics::glam::DVec3;

use super::{Readings, Sight};
use crate::compare::engine::BodyState;

/// What was kept, and how well.
pub(super) struct Motion {
    start: Sums,
    energy_start: f64,
    /// Largest values seen: kinetic energy, momentum, spin.
    kinetic: f64,
    momentum: f64,
    spin: f64,
    energy_drift: f64,
    energy_gain: f64,
    /// While nothing but gravity acted.
    free: bool,
    momentum_drift: f64,
    spin_drift: f64,
    spin_size: f64,
}

/// Sums over all bodies.
#[derive(Clone, Copy)]
struct Sums {
    mass: f64,
    kinetic: f64,
    potential: f64,
    momentum: DVec3,
    /// About the common centre of mass.
    spin: DVec3,
}

impl Sums {
    fn of(bodies: &[BodyState], gravity: DVec3) -> Self {
        let mass: f64 = bodies.iter().map(|b| b.mass).sum();
        let moment: DVec3 = bodies.iter().map(|b| b.mass * b.center).sum();
        let momentum: DVec3 = bodies.iter().map(|b| b.mass * b.velocity).sum();
        let per_mass = if mass > 0.0 { 1.0 / mass } else { 0.0 };
        let (center, velocity) = (moment * per_mass, momentum * per_mass);
        let spin =
            |b: &BodyState| b.angular_momentum() + b.mass * (b.center - center).cross(b.velocity - velocity);
        Self {
            mass,
            kinetic: bodies.iter().map(BodyState::kinetic).sum(),
            potential: -gravity.dot(moment),
            momentum,
            spin: bodies.iter().map(spin).sum(),
        }
    }
}

const SMALL: f64 = 1e-12;

impl Motion {
    pub(super) fn new(bodies: &[BodyState], gravity: DVec3, stored: f64) -> Self {
        let start = Sums::of(bodies, gravity);
        Self {
            energy_start: start.kinetic + start.potential + stored,
            kinetic: start.kinetic,
            momentum: start.momentum.length(),
            spin: start.spin.length(),
            energy_drift: 0.0,
            energy_gain: 0.0,
            free: true,
            momentum_drift: 0.0,
            spin_drift: 0.0,
            spin_size: 0.0,
            start,
        }
    }

    pub(super) fn look(&mut self, sight: &Sight<'_>) {
        let now = Sums::of(sight.bodies, sight.gravity);
        self.kinetic = self.kinetic.max(now.kinetic);
        self.momentum = self.momentum.max(now.momentum.length());
        self.spin = self.spin.max(now.spin.length());
        let off = now.kinetic + now.potential + sight.stored - self.energy_start;
        self.energy_drift = self.energy_drift.max(off.abs());
        self.energy_gain = self.energy_gain.max(off);
        self.free &= sight.is_free;
        let expected = self.start.momentum + now.mass * sight.gravity * sight.time;
        self.momentum_drift = self.momentum_drift.max((now.momentum - expected).length());
        self.spin_drift = self.spin_drift.max((now.spin - self.start.spin).length());
        self.spin_size = self.spin_size.max((now.spin.length() - self.start.spin.length()).abs());
    }

    pub(super) fn read(&self, out: &mut Readings) {
        out.put("energy_drift", self.energy_drift / self.kinetic.max(SMALL));
        out.put("energy_gain", self.energy_gain / self.kinetic.max(SMALL));
        if self.free {
            out.put("momentum_drift", self.momentum_drift / self.momentum.max(SMALL));
            if self.spin > SMALL {
                out.put("spin_drift", self.spin_drift / self.spin);
                out.put("spin_size", self.spin_size / self.spin);
            }
        }
    }
}
