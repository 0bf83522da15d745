//! What a joint's muscles may give: so much at most, and no faster than they react (Lligadas, Susín and Ramírez, section 3.2).
//!
//! ```text
//! (1)  cap    |τ| ≤ min(τ_max, |τ_prev| + r h)                              as printed: forces grow by r, and end at once
//! (2)  rate   max(-τ_max, τ_prev - r h) ≤ τ ≤ min(τ_max, τ_prev + r h)      forces come and go by r
//! (3)  r = τ_max / t_r
//! ```
//! A solver that wants all of a velocity error gone within the step and may change its force by `r` only overshoots: when the rate
//! is right, the force still is what it took to get there. That is why the paper found no muscles slower than 20 ms. Whoever asks
//! for the share `h/T` of the error per step, `T` being the *lead*, wants the force `τ = I e / T` that falls off as `τ̇ = -τ/T`,
//! which (2) allows as long as
//!
//! ```text
//! (4)  |τ| / T ≤ r,  for all |τ| ≤ τ_max:  T ≥ t_r
//! ```
//! so that what was reached is kept. Targets hang on the way that is left; with the floor `F` of its time a joint then goes by
//! `T F q̈ + F q̇ + q = 0`, which does not overshoot for `F ≥ 4 T` and rings out quickly for `F ≥ 2 T`.

use stuntlab_physics::actuation::Effort;
use stuntlab_physics::glam::DVec3;

/// How a muscle's force may change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ramp {
    /// (1): the published formula to the letter.
    #[default]
    Cap,
    /// (2): what a muscle does.
    Rate,
}

/// The muscles of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Muscle {
    /// Largest torques `τ_max`, one per freedom, N m; infinite for none.
    pub most: DVec3,
    /// Reaction time `t_r`, s: from nothing to all. Zero: at once.
    pub reaction: f64,
    /// How forces change.
    pub ramp: Ramp,
}

impl Muscle {
    /// As strong as it needs to be, at once.
    pub const UNLIMITED: Self = Self { most: DVec3::INFINITY, reaction: 0.0, ramp: Ramp::Cap };

    /// What it may give in a step of `dt` after it gave `before`.
    pub fn effort(&self, before: DVec3, dt: f64) -> Effort {
        let change = if self.reaction > 0.0 { self.most * (dt / self.reaction) } else { DVec3::INFINITY };
        match self.ramp {
            Ramp::Cap => {
                let upper = self.most.min(before.abs() + change);
                Effort::Between { lower: -upper, upper }
            }
            Ramp::Rate => {
                // What was given before may be beyond the bounds after a change of strength: the way back takes time too.
                let (lower, upper) = (before - change, before + change);
                Effort::Between {
                    lower: lower.max(-self.most).min(upper),
                    upper: upper.min(self.most).max(lower),
                }
            }
        }
    }
}
