//! How far to go along a round's change of velocity.
//!
//! With friction bounded by the last normal forces, the velocities at the end of the step minimise a convex function:
//! `½ (u - u*)ᵀ M̂ (u - u*) + Σ ψ_c(v_c)`, where `-∇ψ_c` is contact `c`'s force law (a spring that only pushes, friction
//! up to its bound) and `M̂` holds inertia, servos and drags. A round is a Newton step on it: it solves for the sets as
//! they are. Taken in full such steps may jump between two sets for ever, a body thrown up by all its contacts in one
//! round and dropped by all of them in the next. So the sets of the next round are read at the least value **along**
//! the step, which makes the method end (as in MuJoCo's Newton solver; Todorov 2014).
//!
//! Nothing of `M̂` is needed for that: each round solves `M̂ (u - u*) = Jᵀ F` with the linearised forces `F` of its
//! contacts, and points between two such solutions have `F` in between. The slope along the step `Δ` is
//!
//! ```text
//!   s(α) = Σ_c (F_c(α) - f_c(v_c + α Δ_c)) · Δ_c      grows with α; its zero is sought
//! ```

use glam::DVec3;

use crate::contact::{Contact, implicit};

/// One contact along the step of a round.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Way {
    /// Velocity of the point where the sets were read last, and the force the bodies feel there.
    from: DVec3,
    felt: DVec3,
    /// The same for the round's solution.
    to: DVec3,
    to_felt: DVec3,
    /// Largest friction, from the normal force where the sets were read last.
    bound: f64,
}

impl Way {
    /// Notes the solution of a round: the point's velocity and the linearised force that led there.
    pub(super) fn arrive(&mut self, contact: &Contact, v: DVec3, dt: f64) {
        self.to = v;
        self.to_felt = implicit::felt(contact, v, dt);
    }

    /// Velocity of the point at `alpha`.
    pub(super) fn at(&self, alpha: f64) -> DVec3 {
        if alpha == 1.0 { self.to } else { self.from + (self.to - self.from) * alpha }
    }

    /// Moves on to `alpha`, where the sets were read just now.
    pub(super) fn start_from(&mut self, alpha: f64, contact: &Contact, dt: f64) {
        let v = self.at(alpha);
        self.felt = if alpha == 1.0 { self.to_felt } else { self.felt + (self.to_felt - self.felt) * alpha };
        self.from = v;
        self.bound = implicit::friction_bound(contact, v, dt);
    }
}

/// Most looks at the slope.
const LOOKS: usize = 8;
/// The slope counts as zero below this share of the one the step starts with.
const FLAT: f64 = 0.03;

/// Share of the step to take.
pub(super) fn share(contacts: &[Contact], ways: &[Way], dt: f64) -> f64 {
    let slope = |alpha: f64| -> f64 {
        let along = |(contact, way): (&Contact, &Way)| {
            let step = way.to - way.from;
            let felt = way.felt + (way.to_felt - way.felt) * alpha;
            (felt - implicit::law(contact, way.from + step * alpha, way.bound, dt)).dot(step)
        };
        contacts.iter().zip(ways).map(along).sum()
    };
    // Numbers that are not finite take the whole step: the step's end names the culprit.
    let end = slope(1.0);
    if end <= 0.0 || end.is_nan() {
        return 1.0;
    }
    let start = slope(0.0);
    if start >= 0.0 || start.is_nan() || end <= -FLAT * start {
        return 1.0;
    }
    // Regula falsi, halving the end that stays (Illinois).
    let (mut low, mut high) = ((0.0, start), (1.0, end));
    let mut alpha = 1.0;
    for _ in 0..LOOKS {
        alpha = (low.0 * high.1 - high.0 * low.1) / (high.1 - low.1);
        let here = slope(alpha);
        if here.abs() <= -FLAT * start {
            break;
        }
        if here < 0.0 {
            low = (alpha, here);
            high.1 *= 0.5;
        } else {
            high = (alpha, here);
            low.1 *= 0.5;
        }
    }
    alpha
}
