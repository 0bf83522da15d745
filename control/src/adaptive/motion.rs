//! What the motion itself does around now, and which of its legs stands.

use stuntlab_mocap::Side;
use stuntlab_physics::dynamics::{center_of_mass, forward_kinematics};
use stuntlab_physics::glam::DVec3;

use super::Adaptive;
use crate::controller::Sense;
use crate::walking::other;

/// Speed of the motion's ankle above which its foot is in the air, m/s: a foot that rolls over its toes is slower.
const AIRBORNE_SPEED: f64 = 0.4;
/// How much nearer to the centre of mass the other foot must be to become the one that stands, m.
const FIRM: f64 = 0.03;

/// What is known of the motion itself around now.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Motion {
    pub(super) com: DVec3,
    pub(super) velocity: DVec3,
    pub(super) acceleration: DVec3,
    pub(super) ankles: [DVec3; 2],
    pub(super) airborne: [bool; 2],
}

impl Adaptive {
    /// Looks at the motion a step before, at and after `time`.
    pub(super) fn look_at_motion(&mut self, time: f64, dt: f64) -> Motion {
        let mut coms = [DVec3::ZERO; 3];
        let mut ankles = [[DVec3::ZERO; 2]; 3];
        for (k, t) in [time - dt, time, time + dt].into_iter().enumerate() {
            self.reference.write(t, &mut self.next.q);
            forward_kinematics(&self.own, &self.next, &mut self.data);
            coms[k] = center_of_mass(&self.own, &self.data).position;
            ankles[k] = Side::BOTH.map(|side| {
                self.data.position.world_from_body[self.posture.leg(side).foot.index()].translation
            });
        }
        let speed = |k: usize| (ankles[2][k] - ankles[0][k]).length() / (2.0 * dt);
        Motion {
            com: coms[1],
            velocity: (coms[2] - coms[0]) / (2.0 * dt),
            acceleration: (coms[2] - 2.0 * coms[1] + coms[0]) / (dt * dt),
            ankles: ankles[1],
            airborne: [0, 1].map(|k| speed(k) > AIRBORNE_SPEED),
        }
    }

    /// The leg that stands: that of the foot which is nearest to the centre of mass (section 5).
    pub(super) fn choose_support(&mut self, motion: &Motion, sense: &Sense<'_>) {
        let feet = self.stepping.offsets(DVec3::ZERO);
        let center = sense.own.center_of_mass().truncate();
        let far = |side: Side| {
            let k = side as usize;
            let air = if motion.airborne[k] { 10.0 } else { 0.0 };
            (motion.ankles[k] + feet[k]).truncate().distance(center) + air
        };
        if let Some(side) = self.stepping.standing() {
            self.support = side;
        } else if far(other(self.support)) + FIRM < far(self.support) {
            self.support = other(self.support);
        }
    }
}
