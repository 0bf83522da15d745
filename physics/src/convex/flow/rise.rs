//! What a tree that hangs on the world rises by, and pays for.
//!
//! Its kick reckons with gravity along `h (P⁰ + P)/2`, and its way then lowers it by something else. With `P⁺` the momentum it ends the step
//! with and `W` what all else did in the kick,
//!
//! ```text
//! E⁺ - E⁰ = W - ½ h g·(P⁺ - P⁰) + r
//! (3)   r = ½ h g·(P + P⁺) - m g·(c⁺ - c)
//! ```
//!
//! The first difference comes and goes with the momentum. `r` is what the trapezoid rule leaves of the way: of third order in the step and
//! of either sign where a swing is resolved. Light links under the tension of a heavy end swing by radians per step, and there it only comes. So
//! `Σr` is kept, by tree, from step to step; what goes beyond a share of the tree's largest kinetic energy of late is paid for by its kinetic
//! energy, and where there is less than that the way is a shorter one. So at any time
//!
//! ```text
//! E ≤ E(0) + ΣW + ½ h |g·P| + RISEN max T
//! ```

use glam::DVec3;

use super::super::Convex;
use super::keep::MOST_GAIN;
use super::sums::Sums;
use crate::data::Data;
use crate::model::Model;

/// Share of the kinetic energy by which a tree that hangs may be ahead of its kicks.
const RISEN: f64 = 5e-3;
/// How long its largest kinetic energy counts, s: some swings of whatever is as long as a person.
const LASTS: f64 = 1.0;

/// What a tree that hangs is ahead of its kicks, from step to step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Rise {
    /// `Σr` of (3) less what was paid, J.
    pub(crate) ahead: f64,
    /// Largest kinetic energy of late, J.
    pub(crate) scale: f64,
}

/// A way of a tree, its price, and what is left.
pub(super) struct Paid {
    /// Factor on all rates.
    pub(super) share: f64,
    /// What is known afterwards.
    pub(super) rise: Rise,
    /// Whether the energy there is was enough.
    pub(super) is_paid: bool,
}

/// `g·P` of the velocities after the kick, at the pose the step begins with: what gravity does per time along the way that it reckoned with.
pub(super) fn falling(model: &Model, data: &Data, convex: &Convex, tree: usize) -> f64 {
    let momentum = model.trees[tree].clone().map(|i| {
        let inertia = &model.links[i].inertia;
        let arm = data.position.world_from_body[i].rotation * inertia.center_of_mass;
        convex.velocity[i].at(arm).linear * inertia.mass
    });
    model.gravity.dot(momentum.sum::<DVec3>())
}

/// The price of ending as `found` with the kinetic `energy` of the kick, whose fall per time was `falling`. `start` is where the centre of
/// mass was.
pub(super) fn pay(
    model: &Model,
    before: Rise,
    falling: f64,
    start: DVec3,
    found: &Sums,
    energy: f64,
    h: f64,
) -> Paid {
    let share = (energy / found.energy).sqrt().min(MOST_GAIN);
    let lowered = found.mass * model.gravity.dot(found.center - start);
    let risen = |share: f64| 0.5 * h * (falling + share * model.gravity.dot(found.momentum)) - lowered;
    let scale = energy.max(before.scale * (1.0 - h / LASTS).max(0.0));
    let allowed = RISEN * scale;
    let has = share * share * found.energy;
    let mut paid = share;
    let mut is_paid = before.ahead + risen(share) <= allowed;
    if !is_paid {
        // The largest share `x` that pays, `x² T⁺ + x ½ h g·P⁺ ≤ spare`: rates that are cut back also fall less, or rise less, and a price that is
        // reckoned without that leaves the tree ahead by as much.
        let half = 0.25 * h * model.gravity.dot(found.momentum);
        let spare = allowed + has - before.ahead - risen(0.0);
        let root = (half * half + spare * found.energy).max(0.0).sqrt();
        let most = (root - half) / found.energy;
        is_paid = half * half + spare * found.energy >= 0.0 && most >= 0.0;
        paid = if is_paid { most.min(share) } else { 0.0 };
    }
    // A tree that is behind may not be ahead for that later on.
    let ahead = before.ahead + risen(paid) - (has - paid * paid * found.energy);
    let rise = Rise { ahead: ahead.max(-allowed), scale };
    Paid { share: paid, rise, is_paid }
}
