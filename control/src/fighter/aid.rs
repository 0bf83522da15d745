//! Help from outside that a fighter has beyond Dynamo's root spring: a spring that holds the pelvis at the clip's tilt
//! while it gets up, and a weak one about the vertical that turns it towards the opponent. Both act from
//! outside, so the ledger books them as aids.

use stuntlab_physics::ImplicitForce;
use stuntlab_physics::glam::{DMat3, DQuat, DVec3};
use stuntlab_physics::spatial::{Sym3, rotation};

/// A spring with a limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// N m/rad.
    pub stiffness: f64,
    /// N m s/rad.
    pub damping: f64,
    /// No stronger than this, N m.
    pub limit: f64,
}

/// The level rotation vector that tilts `actual` as `wanted` is tilted, whatever the headings: it takes the body
/// direction which should point up to the vertical.
pub(super) fn tilt_error(wanted: &DMat3, actual: &DMat3) -> DVec3 {
    let up = *actual * (wanted.transpose() * DVec3::Z);
    let axis = up.cross(DVec3::Z);
    let sine = axis.length();
    if sine > 1e-9 { axis * (sine.atan2(up.z) / sine) } else { DVec3::ZERO }
}

/// The root's rotation in a character's coordinates.
pub(super) fn root_rotation(q: &[f64]) -> DMat3 {
    rotation::matrix(DQuat::from_slice(&q[3..7]))
}

/// Direction of the x axis seen from above, rad.
pub(super) fn yaw(rotation: &DMat3) -> f64 {
    rotation.x_axis.y.atan2(rotation.x_axis.x)
}

/// The angle within ±π.
pub(super) fn wrap(angle: f64) -> f64 {
    use std::f64::consts::{PI, TAU};
    (angle + PI).rem_euclid(TAU) - PI
}

impl Spring {
    /// A share of it.
    pub fn share(self, share: f64) -> Self {
        Self { stiffness: self.stiffness * share, damping: self.damping * share, limit: self.limit * share }
    }

    /// Tilts the root as `wanted` is tilted; the moment is level.
    pub fn tilt(&self, wanted: &DMat3, actual: &DMat3, spin: DVec3, strength: f64, dt: f64) -> ImplicitForce {
        let error = tilt_error(wanted, actual);
        let torque = self.stiffness * error - self.damping * DVec3::new(spin.x, spin.y, 0.0);
        let across = Sym3::IDENTITY - Sym3::outer(DVec3::Z);
        self.limited(torque, self.stiffness * error, across, strength, dt)
    }

    /// Turns about the vertical by `angle`.
    pub fn turn(&self, angle: f64, spin: DVec3, strength: f64, dt: f64) -> ImplicitForce {
        let torque = DVec3::Z * (self.stiffness * angle - self.damping * spin.z);
        self.limited(torque, DVec3::Z * (self.stiffness * angle), Sym3::outer(DVec3::Z), strength, dt)
    }

    /// Within the limit the damping is taken at the end of the step, beyond it the force is constant.
    fn limited(&self, now: DVec3, at_rest: DVec3, axes: Sym3, strength: f64, dt: f64) -> ImplicitForce {
        let size = now.length();
        if size < self.limit {
            let gain = self.damping + dt * self.stiffness;
            ImplicitForce::moment(at_rest * strength, axes * (gain * strength))
        } else {
            let share = if size > 0.0 { strength * self.limit / size } else { 0.0 };
            ImplicitForce::moment(now * share, Sym3::ZERO)
        }
    }
}
