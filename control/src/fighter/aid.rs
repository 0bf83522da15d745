//! Help from outside that a fighter has beyond Dynamo's root spring: a spring that holds the pelvis at the clip's tilt
//! while it gets up, and a weak one about the vertical that turns it towards the opponent. Both act from
//! outside, so the ledger books them as aids.

use stuntlab_physics::ImplicitForce;
use stuntlab_physics::glam::{DMat3, DQuat, DVec3};
use stuntlab_physics::spatial::{Sym3, Transform, rotation};

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

/// The root's pose in a character's coordinates.
pub(super) fn root_pose(q: &[f64]) -> Transform {
    Transform::from_quaternion(DQuat::from_slice(&q[3..7]), DVec3::from_slice(&q[..3]))
}

/// Writes the root's pose into a character's coordinates.
pub(super) fn write_root(pose: &Transform, q: &mut [f64]) {
    q[..3].copy_from_slice(&pose.translation.to_array());
    q[3..7].copy_from_slice(&pose.quaternion().to_array());
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

/// Largest moments from outside on the pelvis of one who gets up, as arms of its whole weight, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aid {
    /// As long as it lies.
    pub lying: f64,
    /// Once it is half up.
    pub upright: f64,
}

impl Default for Aid {
    fn default() -> Self {
        // 60 and 300 N m for 78 kg: half as much as an arm that pushes gives, and as much as both hands on a knee. With 45 and 250 all of 48 got up, with 30 some,
        // with 200 none.
        Self { lying: 0.08, upright: 0.4 }
    }
}

/// Heights of the pelvis, as shares of standing, of one who begins to come to hands and knees, and of one who kneels.
pub(super) const HALF_UP: [f64; 2] = [0.3, 0.5];

impl Aid {
    /// With the pelvis at a share of its height when standing, m.
    pub fn at(&self, height: f64) -> f64 {
        let s = ((height - HALF_UP[0]) / (HALF_UP[1] - HALF_UP[0])).clamp(0.0, 1.0);
        self.lying + (self.upright - self.lying) * s * s * (3.0 - 2.0 * s)
    }
}

impl Spring {
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
