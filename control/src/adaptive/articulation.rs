//! Which joints are played back, which are simulated, and how they come and go (Nguyen et al. 2011, section 2).
//!
//! ```text
//! (1)  a joint becomes dynamic where C / (A + B) > ε
//! (2)  τ = k (q̃ - q) + d (q̃' - q')      while it is; k and d in proportion to the inertia it carries
//! (3)  q = q̃ ⊕ o(t)                     on its way back: o goes from what is left to nothing, with the rate it has
//! ```
//! (2) is the paper's eq. 1 but for its damper, which would lag behind a motion that moves. Growth is slow on purpose: from the bone that
//! is struck towards the foot that stands, limb by limb, and a tenth of a second between. A blow is over by then and stays in the limb it
//! struck; a push that goes on reaches the trunk.

use stuntlab_mocap::Side;
use stuntlab_mocap::character::{Bone, Part, Physique};
use stuntlab_physics::Model;
use stuntlab_physics::model::Body;

/// Seconds between two growths of what is dynamic (section 5).
pub const PATIENCE: f64 = 0.1;
/// Floor of A + B, N m: an arm that hangs bears nothing, and a fly would do.
pub const FLOOR: f64 = 2.0;
/// How near its target a joint must be to go back, rad: an outstretched arm hangs a tenth below it under (2).
const NEAR: f64 = 0.2;
/// And how slow against it, rad/s: a trunk under a walking pelvis trembles by a half.
const SLOW: f64 = 1.0;
/// For how long, s.
const CALM: f64 = 0.05;
/// Seconds without a disturbance before any joint goes back.
const QUIET: f64 = 0.1;
/// Seconds after which it goes back wherever it is: what disturbed it is long over.
const OVER: f64 = 0.8;
/// Seconds of the way back.
const WAY_BACK: f64 = 0.25;

/// What of a blow that is over is left, C/(A+B), must outweigh what the motion bears by itself for it to go on to the next limb: light ones stay
/// where they struck, hard ones reach the trunk.
const OUTWEIGHS: f64 = 1.0;

/// How a bone is struck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strike {
    /// Not at all.
    None,
    /// It is, or is about to be.
    Now,
    /// It was, and something of that is left.
    Over,
}

/// How a joint moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mode {
    /// As the motion says.
    Kinematic,
    /// As forces say, after its target.
    Dynamic {
        /// Since when, s.
        since: f64,
        /// For how long it has been near its target, s.
        calm: f64,
    },
    /// As the motion says, less and less off.
    Returning {
        /// Since when, s.
        since: f64,
        /// How far it was off then, and how fast it went: one number per freedom.
        offset: [f64; 6],
        /// See `offset`.
        rate: [f64; 6],
    },
}

/// What of a body may become dynamic.
#[derive(Clone, Debug, PartialEq)]
pub struct Allowed {
    /// By bone.
    pub bones: Vec<bool>,
    /// Joints at most.
    pub most: usize,
}

/// Modes of all joints of a character.
#[derive(Clone, Debug)]
pub struct Articulation {
    modes: Vec<Mode>,
    /// C / (A + B) by bone.
    ratios: Vec<f64>,
    /// Which limb every bone is of.
    limbs: Vec<Limb>,
    grown: f64,
    order: Vec<(usize, Bone)>,
}

/// What becomes dynamic together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Limb {
    Trunk,
    Head,
    Arm(Side),
    Leg(Side),
}

impl Limb {
    fn of(part: Option<Part>) -> Self {
        match part {
            Some(Part::Neck(_) | Part::Head) => Self::Head,
            Some(
                Part::Clavicle(side)
                | Part::UpperArm(side)
                | Part::Forearm(side)
                | Part::Hand(side)
                | Part::Finger(side),
            ) => Self::Arm(side),
            Some(Part::Thigh(side) | Part::Shank(side) | Part::Foot(side) | Part::Toe(side)) => {
                Self::Leg(side)
            }
            Some(Part::Pelvis | Part::Spine(_)) | None => Self::Trunk,
        }
    }
}

impl Articulation {
    /// All of a figure's joints played back.
    pub fn new(physique: &Physique) -> Self {
        let bones = physique.parts().len();
        Self {
            limbs: physique.parts().iter().map(|part| Limb::of(*part)).collect(),
            modes: vec![Mode::Kinematic; bones],
            ratios: vec![0.0; bones],
            grown: f64::NEG_INFINITY,
            order: Vec::with_capacity(bones),
        }
    }

    /// How every joint moves.
    pub fn modes(&self) -> &[Mode] {
        &self.modes
    }

    /// C / (A + B) of every joint, as of the last disturbance.
    pub fn ratios(&self) -> &[f64] {
        &self.ratios
    }

    /// 1 where a joint is simulated, 0 where it is played back, and what is left of its way back.
    pub fn simulated(&self, bone: Bone, time: f64) -> f64 {
        match self.modes.get(bone.index()) {
            Some(Mode::Dynamic { .. }) => 1.0,
            Some(Mode::Returning { since, .. }) => fading(1.0, 0.0, time - since, WAY_BACK),
            Some(Mode::Kinematic) | None => 0.0,
        }
    }

    /// Number of joints that are simulated.
    pub fn active(&self) -> usize {
        self.modes.iter().filter(|m| matches!(m, Mode::Dynamic { .. })).count()
    }

    /// Number of limbs, trunk and head among them, in which any joint is simulated.
    pub fn active_limbs(&self) -> usize {
        let active = |k: usize| matches!(self.modes[k], Mode::Dynamic { .. });
        let first = |k: usize| (0..k).all(|i| !active(i) || self.limbs[i] != self.limbs[k]);
        (0..self.modes.len()).filter(|&k| active(k) && first(k)).count()
    }

    /// Whether all joints do as the motion says.
    pub fn is_at_rest(&self) -> bool {
        self.modes.iter().all(|m| *m == Mode::Kinematic)
    }

    /// Forgets the last disturbance.
    pub fn calm(&mut self) {
        self.ratios.fill(0.0);
    }

    /// (1): C, torques of the `disturbance`, over A + B, what the motion's joints `bear`.
    pub fn compare(&mut self, disturbance: &[f64], bear: &[f64]) {
        for (k, ratio) in self.ratios.iter_mut().enumerate() {
            *ratio = disturbance[k] / bear[k].max(FLOOR);
        }
    }

    /// Lets joints become dynamic by (1), those of the limb that is struck first, if the last ones did so long enough ago.
    pub fn grow(
        &mut self,
        own: &Model,
        time: f64,
        threshold: f64,
        allowed: &Allowed,
        struck: impl Fn(Bone) -> Strike,
    ) {
        if time - self.grown < PATIENCE {
            return;
        }
        self.order.clear();
        for (k, strike) in (0..own.n_bodies()).map(|k| (Bone::new(k), struck(Bone::new(k)))) {
            if strike == Strike::None {
                continue;
            }
            let threshold = if strike == Strike::Now { threshold } else { threshold.max(OUTWEIGHS) };
            let (mut at, mut limb, mut far) = (Some(k), self.limbs[k], 0);
            while let Some(bone) = at.filter(|b| b.index() > 0) {
                far += usize::from(self.limbs[bone] != limb);
                limb = self.limbs[bone];
                let is_dynamic = matches!(self.modes[bone], Mode::Dynamic { .. });
                if allowed.bones[bone] && self.ratios[bone] > threshold && !is_dynamic {
                    self.order.push((far, bone));
                }
                at = own.bodies()[bone].parent().map(|p| Bone::new(p.index()));
            }
        }
        let Some(nearest) = self.order.iter().map(|(far, _)| *far).min() else { return };
        let mut left = allowed.most.saturating_sub(self.active());
        for &(_, bone) in self.order.iter().filter(|(far, _)| *far == nearest) {
            if left > 0 && !matches!(self.modes[bone], Mode::Dynamic { .. }) {
                self.modes[bone] = Mode::Dynamic { since: time, calm: 0.0 };
                self.grown = time;
                left -= 1;
            }
        }
    }

    /// Lets everything that may become dynamic do so at once, from the ends of the limbs inwards as long as more may.
    pub fn grow_all(&mut self, time: f64, allowed: &Allowed) {
        let mut left = allowed.most.saturating_sub(self.active());
        for (mode, _) in self.modes.iter_mut().zip(&allowed.bones).rev().filter(|(_, allowed)| **allowed) {
            if left > 0 && !matches!(mode, Mode::Dynamic { .. }) {
                *mode = Mode::Dynamic { since: time, calm: 0.0 };
                left -= 1;
            }
        }
    }

    /// Lets one joint become dynamic, whatever acts.
    pub fn free(&mut self, bone: Bone, time: f64) {
        if let Some(mode) = self.modes.get_mut(bone.index()) {
            *mode = Mode::Dynamic { since: time, calm: 0.0 };
        }
    }

    /// Has all joints go back to the motion from wherever they are: `off` and `rates` as for [`Articulation::settle`].
    pub fn return_all(&mut self, time: f64, own: &Model, off: &[f64], rates: &[f64]) {
        for (mode, body) in self.modes.iter_mut().zip(own.bodies()) {
            *mode = returning(time, body, off, rates);
        }
    }

    /// Sends joints that are near their targets back, and ends ways back. `off` and `rates` are how far every freedom is off its target
    /// and how fast it goes against it; joints that are no longer `allowed` go back at once.
    pub fn settle(
        &mut self,
        own: &Model,
        time: f64,
        dt: f64,
        quiet_for: f64,
        allowed: &Allowed,
        off: &[f64],
        rates: &[f64],
    ) {
        for (k, mode) in self.modes.iter_mut().enumerate() {
            let dofs = own.bodies()[k].freedoms();
            let size = |x: &[f64]| dofs.iter().map(|dof| x[dof] * x[dof]).sum::<f64>().sqrt();
            match mode {
                Mode::Kinematic => {}
                Mode::Returning { since, .. } => {
                    if time - *since >= WAY_BACK - 0.5 * dt {
                        *mode = Mode::Kinematic;
                    }
                }
                Mode::Dynamic { calm, since } => {
                    let near = size(off) < NEAR && size(rates) < SLOW;
                    *calm = if near { *calm + dt } else { 0.0 };
                    // Not to and fro within the time in which nothing new may happen.
                    let settled = *calm >= CALM && quiet_for >= QUIET || quiet_for >= OVER;
                    if settled && time - *since >= PATIENCE || !allowed.bones[k] {
                        *mode = returning(time, &own.bodies()[k], off, rates);
                    }
                }
            }
        }
    }

    /// (3): writes what every freedom is off its target at `time`; nothing for those that are not on their way back.
    pub fn offsets(&self, own: &Model, time: f64, out: &mut [f64]) {
        for (mode, body) in self.modes.iter().zip(own.bodies()) {
            let Mode::Returning { since, offset, rate } = mode else {
                out[body.freedoms()].fill(0.0);
                continue;
            };
            for (i, dof) in body.freedoms().iter().enumerate() {
                out[dof] = fading(offset[i], rate[i], time - since, WAY_BACK);
            }
        }
    }
}

/// A joint that begins its way back, `off` by so much and with such `rates`.
fn returning(time: f64, body: &Body, off: &[f64], rates: &[f64]) -> Mode {
    let (mut offset, mut rate) = ([0.0; 6], [0.0; 6]);
    for (i, dof) in body.freedoms().iter().enumerate() {
        (offset[i], rate[i]) = (off[dof], rates[dof]);
    }
    Mode::Returning { since: time, offset, rate }
}

/// From `offset` with `rate` to rest at nothing in the time `whole`, a cubic; nothing after it.
pub fn fading(offset: f64, rate: f64, time: f64, whole: f64) -> f64 {
    let s = (time / whole).clamp(0.0, 1.0);
    let left = 1.0 - s;
    left * left * (offset * (1.0 + 2.0 * s) + rate * whole * s)
}
