//! From where a joint is and where it shall be to the rate that leads there in time (Lligadas, Susín and Ramírez, section 3.2).
//!
//! ```text
//! (1)  qₜ = q_c* q_d = (v sin θ/2, cos θ/2),  ω = θ v / t,  0 ≤ θ ≤ π
//! (2)  t = max(time left in the state, floor, h)
//! ```
//! `ω` is in the child's axes, which is what the rates of a ball joint are in. Hinges and universal joints take the difference of their
//! angles instead of `θ v`. Asked anew in every step, (1) is a constant rate that arrives on time. Towards the end `1/t` would turn
//! every disturbance into a blow, so `t` has a floor: from there on the way that is left shrinks by the share `h/t` per step.

use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::spatial::rotation;
use stuntlab_physics::{JointKind, State, model::Body};

/// How much time there is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Until the state ends, s.
    pub left: f64,
    /// Least time a way is spread over, s.
    pub floor: f64,
}

impl Pace {
    /// (2): seconds the way is spread over, in steps of `dt`.
    pub fn seconds(&self, dt: f64) -> f64 {
        self.left.max(self.floor).max(dt)
    }
}

/// Whether a joint is of a kind that is driven: one to three freedoms that are nobody's root.
pub fn is_driven(kind: &JointKind) -> bool {
    use JointKind::{Prismatic, Revolute, Spherical, Universal};
    matches!(kind, Revolute { .. } | Prismatic { .. } | Universal { .. } | Spherical)
}

/// The way from a joint's coordinates to others, in its freedoms: (1) times `t`. Zero for joints that are not driven.
pub fn way(kind: &JointKind, now: &[f64], target: &[f64]) -> DVec3 {
    match (kind, now, target) {
        (JointKind::Spherical, &[x, y, z, w, ..], &[tx, ty, tz, tw, ..]) => {
            rotation::log(DQuat::from_xyzw(x, y, z, w).conjugate() * DQuat::from_xyzw(tx, ty, tz, tw))
        }
        (kind, now, target) if is_driven(kind) => {
            let mut way = [0.0; 3];
            let both = now.iter().zip(target).take(kind.n_v());
            way.iter_mut().zip(both).for_each(|(way, (now, target))| *way = target - now);
            DVec3::from_array(way)
        }
        _ => DVec3::ZERO,
    }
}

/// (1): the rates at which the joint above `body` reaches the coordinates `target` in `seconds`.
pub fn desired_rate(body: &Body, state: &State, target: &[f64], seconds: f64) -> DVec3 {
    way(&body.joint().kind, &state.q[body.coordinates()], target) / seconds
}
