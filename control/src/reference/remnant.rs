//! What motions that gave way leave behind: the difference between where they had bones and where the motion that takes
//! over has them, which dies out with no jump in pose or rate (Bollo 2018 calls it inertialization).
//!
//! With `D` the turn from the one to the other when it was taken, `δ = log D` and `w` the weight the older motions had left,
//!
//! ```text
//! W(t) = exp(r t (1 - t/τ)²) exp(δ w(t)/w(0)) W_new(t)
//! ```
//!
//! `r` is what the old blend turned by beyond this, so that the first derivative has no jump either; it dies within `τ`.

use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::rotation;

use super::Attitudes;

/// Longest that the speed of a motion that gave way is felt, s: at 15 rad/s, the forearm of a punch, it carries a bone
/// 0.2 rad off.
const CARRY: f64 = 0.1;

/// A difference of a bone's place, and what it changed by beyond its fading.
#[derive(Clone, Copy, Debug, Default)]
struct Bone {
    turn: DVec3,
    extra_spin: DVec3,
    angular_velocity: DVec3,
    shift: DVec3,
    extra_speed: DVec3,
    velocity: DVec3,
}

/// What is left of motions that gave way.
#[derive(Clone, Debug, Default)]
pub(super) struct Remnant {
    since: f64,
    carry: f64,
    bones: Vec<Bone>,
}

/// An old blend or the motion that takes over, `before` and at the moment itself.
pub(super) struct Moment<'a> {
    pub(super) before: &'a Attitudes,
    pub(super) now: &'a Attitudes,
}

/// How the weight of the older motions falls.
#[derive(Clone, Copy)]
pub(super) struct Fall {
    /// Its relative rate, 1/s.
    pub(super) rate: f64,
    /// Time until it is gone, s.
    pub(super) left: f64,
}

impl Remnant {
    /// Forgets what was left.
    pub(super) fn clear(&mut self) {
        self.bones.clear();
    }

    /// Keeps the difference between an `old` blend and the `new` motion at `time`, both also known `apart` seconds before.
    pub(super) fn keep(&mut self, time: f64, apart: f64, old: Moment<'_>, new: Moment<'_>, fall: Fall) {
        self.since = time;
        self.carry = fall.left.min(CARRY);
        self.bones.clear();
        self.bones.extend((0..old.now.len()).map(|i| {
            let turn = |o: &Attitudes, n: &Attitudes| o.orientation[i] * n.orientation[i].conjugate();
            let shift = |o: &Attitudes, n: &Attitudes| o.position[i] - n.position[i];
            let (was, is) = (turn(old.before, new.before), turn(old.now, new.now));
            let delta = rotation::log(is);
            let spin = rotation::log(is * was.conjugate()) / apart;
            let (gone, here) = (shift(old.before, new.before), shift(old.now, new.now));
            Bone {
                turn: delta,
                extra_spin: spin - delta * fall.rate,
                angular_velocity: old.now.angular_velocity[i] - new.now.angular_velocity[i],
                shift: here,
                extra_speed: (here - gone) / apart - here * fall.rate,
                velocity: old.now.velocity[i] - new.now.velocity[i],
            }
        }));
    }

    /// Adds it to the motion that took over, of whose weight when it was taken the older ones have the share `left`.
    pub(super) fn add(&self, time: f64, left: f64, out: &mut Attitudes) {
        let t = time - self.since;
        let coast = if t < self.carry { t * (1.0 - t / self.carry).powi(2) } else { 0.0 };
        for (i, bone) in self.bones.iter().enumerate() {
            let turn = rotation::exp(bone.extra_spin * coast) * rotation::exp(bone.turn * left);
            out.orientation[i] = turn * out.orientation[i];
            out.angular_velocity[i] += bone.angular_velocity * left;
            out.position[i] += bone.shift * left + bone.extra_speed * coast;
            out.velocity[i] += bone.velocity * left;
        }
    }
}
