//! What the motion itself does around now, and which of its legs stands.

use stuntlab_mocap::Side;
use stuntlab_physics::glam::DVec3;

use super::Adaptive;
use super::profile::root_pose;
use crate::controller::Sense;
use crate::walking::other;

/// Speed of the motion's ankle above which its foot is in the air, m/s: a foot that rolls over its toes is slower.
const AIRBORNE_SPEED: f64 = 0.4;
/// Above that by so much it swings with all of its speed, m/s.
const SWING_SPEED: f64 = 0.8;
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
    /// How much the feet swing, 0 to 1.
    pub(super) swings: [f64; 2],
}

impl Adaptive {
    /// Looks at the motion at `time`.
    pub(super) fn look_at_motion(&mut self, time: f64) -> Motion {
        if self.seen.0 != time {
            self.play(time);
        }
        let root = root_pose(&self.own, &self.seen.1);
        let row = self.profile.at(&self.own, self.reference.as_mut(), time);
        Motion {
            com: root.transform_point(row.com),
            velocity: root.rotation * row.velocity,
            acceleration: root.rotation * row.acceleration,
            ankles: row.ankles.map(|ankle| root.transform_point(ankle)),
            airborne: row.speeds.map(|speed| speed > AIRBORNE_SPEED),
            swings: row.speeds.map(|speed| {
                let s = ((speed - AIRBORNE_SPEED) / SWING_SPEED).clamp(0.0, 1.0);
                s * s * (3.0 - 2.0 * s)
            }),
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
