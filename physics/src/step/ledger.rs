//! The books of a step: work and impulse by cause.
//!
//! A force that acts with the impulse `p` while the velocity goes from `v` to `v⁺` does the work
//! `p · (v + v⁺)/2`; summed over all causes and the bias forces this is exactly the change of kinetic
//! energy at the old pose, `½ v⁺ᵀH v⁺ - ½ vᵀH v`. That identity is computed from both sides; the
//! difference is `closure`. What the new pose changes (`H(q⁺)` for `H(q)`), together with the work of
//! the bias forces, is the integrator's remainder.

use glam::DVec3;

use crate::spatial::Force;

/// What did work or gave an impulse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Account {
    /// Gravity.
    Gravity,
    /// Joint forces, servos, motors and prescribed joints.
    Actuation,
    /// Joint limits.
    Limits,
    /// Contacts.
    Contact,
    /// External helpers: wrenches, world-space springs, pins.
    Aids,
    /// Springs and dampers of the joints themselves.
    Passive,
}

impl Account {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Gravity, Self::Actuation, Self::Limits, Self::Contact, Self::Aids, Self::Passive];

    /// The name reports use.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gravity => "gravity",
            Self::Actuation => "actuation",
            Self::Limits => "limits",
            Self::Contact => "contact",
            Self::Aids => "aids",
            Self::Passive => "passive",
        }
    }
}

/// Work and impulses, of one step or summed over many.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ledger {
    work: [f64; 6],
    impulse: [Force; 6],
    /// Change of kinetic energy.
    pub kinetic: f64,
    /// Change of potential energy of gravity.
    pub potential: f64,
    /// What the integrator adds: bias forces, and the new pose under the old forces.
    pub remainder: f64,
    /// Largest mismatch of a step's books, J: change of energy at the old pose against all work done.
    pub closure: f64,
    /// Largest energy involved in a step, J, against which `closure` is to be judged: kinetic energy, work by cause, and
    /// what rows' impulses pass from body to body.
    pub scale: f64,
}

impl Ledger {
    /// Work done by a cause, J.
    pub fn work(&self, account: Account) -> f64 {
        self.work[account as usize]
    }

    /// Impulse given from outside by a cause: linear, N s, and angular about the world's origin, N m s.
    pub fn impulse(&self, account: Account) -> Force {
        self.impulse[account as usize]
    }

    /// Enters work.
    pub(crate) fn add_work(&mut self, account: Account, work: f64) {
        self.work[account as usize] += work;
    }

    /// Enters an external impulse `p` at a point of the world.
    pub(crate) fn add_impulse(&mut self, account: Account, p: DVec3, point_world: DVec3) {
        self.impulse[account as usize] += Force::at_offset(p, point_world);
    }

    /// Enters an external angular impulse.
    pub(crate) fn add_angular_impulse(&mut self, account: Account, moment: DVec3) {
        self.impulse[account as usize].angular += moment;
    }

    /// Adds the books of a later step.
    pub fn add(&mut self, other: &Self) {
        for k in 0..6 {
            self.work[k] += other.work[k];
            self.impulse[k] += other.impulse[k];
        }
        self.kinetic += other.kinetic;
        self.potential += other.potential;
        self.remainder += other.remainder;
        self.closure = self.closure.max(other.closure);
        self.scale = self.scale.max(other.scale);
    }
}
