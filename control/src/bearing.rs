//! How two feet bear a body that stands, and what their legs' joints have to give for it (virtual model control: Pratt et al. 2001).
//!
//! ```text
//! (1)  p = g + c (ξ - g),  c = 3                     where the ground is to press; g where ξ is to be
//! (2)  p = s p_L + (1 - s) p_R,  p_k = a_k + o       s the share of the left foot, a_k the ankles, o the same way from both, no further than the soles
//! (3)  F = m g ((c - p)/z, 1)                        towards the centre of mass c, z above the ground: it turns nothing
//! (4)  τ_j = -(p_k - x_j) × s_k F                    on what is below the joint at x_j of the leg k
//! ```
//! A pendulum that is pressed at (1) goes by `ξ̇ = ω₀ (ξ - p) = -ω₀ (c - 1)(ξ - g)`: its fall comes back, whatever the body's posture. What (2)
//! cannot have by the weight of one foot or the other it has by their soles; what is beyond these is a step.

use stuntlab_physics::glam::{DVec2, DVec3};

/// `c` of (1).
const TOPPLING: f64 = 3.0;

/// What one foot does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bearing {
    /// Where it presses, m.
    pub(crate) point: DVec3,
    /// What the ground gives there, N.
    pub(crate) force: DVec3,
}

/// A body that stands, course axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Standing {
    /// Ankles, left and right, on the ground below.
    pub(crate) feet: [DVec3; 2],
    /// How far from the ankle a foot can press: least and most, forward and left, m.
    pub(crate) edges: [DVec2; 2],
    pub(crate) center_of_mass: DVec3,
    /// `ξ`.
    pub(crate) capture_point: DVec2,
    /// `m g`, N.
    pub(crate) weight: f64,
}

impl Standing {
    /// (1), and (2) as the share of the left foot and the way from the ankles.
    fn press(&self, goal: DVec2) -> (DVec2, f64, DVec2) {
        let pressed = goal + TOPPLING * (self.capture_point - goal);
        let [left, right] = self.feet;
        let across = (left - right).truncate();
        let from_right = pressed - right.truncate();
        let share = if across.length_squared() > 0.0 {
            (from_right.dot(across) / across.length_squared()).clamp(0.0, 1.0)
        } else {
            0.5
        };
        let off = (from_right - share * across).clamp(self.edges[0], self.edges[1]);
        (pressed, share, off)
    }

    /// How far beyond the soles the ground would have to press, m.
    pub(crate) fn beyond(&self, goal: DVec2) -> DVec2 {
        let (pressed, share, off) = self.press(goal);
        let [left, right] = self.feet.map(DVec3::truncate);
        pressed - (right + share * (left - right) + off)
    }

    /// (1) to (3) for both feet; `goal` is where `ξ` is to be.
    pub(crate) fn bear(&self, goal: DVec2) -> [Bearing; 2] {
        let (_, share, off) = self.press(goal);
        let [left, right] = self.feet;
        let ground = right + share * (left - right);
        let pressed = ground + off.extend(0.0);
        let arm = self.center_of_mass - pressed;
        let whole = self.weight * (arm / arm.z.max(f64::MIN_POSITIVE)).with_z(1.0);
        [(left, share), (right, 1.0 - share)]
            .map(|(foot, share)| Bearing { point: foot + off.extend(0.0), force: share * whole })
    }
}

impl Bearing {
    /// (4): on what is below the joint.
    pub(crate) fn torque_at(&self, joint: DVec3) -> DVec3 {
        -(self.point - joint).cross(self.force)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn standing(xi: DVec2) -> Standing {
        Standing {
            feet: [DVec3::new(0.1, 0.1, 0.0), DVec3::new(-0.1, -0.1, 0.0)],
            edges: [DVec2::new(-0.04, -0.03), DVec2::new(0.14, 0.03)],
            center_of_mass: DVec3::new(0.02, 0.01, 1.0),
            capture_point: xi,
            weight: 800.0,
        }
    }

    proptest! {
        /// Feet push only, carry the weight, and turn the body about nothing.
        #[test]
        fn both_feet_together_are_one_push_through_the_centre_of_mass(x in -0.3..0.3_f64, y in -0.3..0.3_f64) {
            let stands = standing(DVec2::new(x, y));
            let feet = stands.bear(DVec2::new(0.04, 0.0));
            prop_assert!(feet.iter().all(|foot| foot.force.z >= 0.0));
            prop_assert!((feet[0].force.z + feet[1].force.z - 800.0).abs() < 1e-9);
            let moment: DVec3 =
                feet.iter().map(|foot| (foot.point - stands.center_of_mass).cross(foot.force)).sum();
            prop_assert!(moment.truncate().length() < 1e-9, "{moment}");
        }
    }

    #[test]
    fn it_presses_beyond_the_fall_as_long_as_feet_reach() {
        let (xi, goal) = (DVec2::new(0.03, 0.02), DVec2::ZERO);
        let feet = standing(xi).bear(goal);
        let pressed = (feet[0].point * feet[0].force.z + feet[1].point * feet[1].force.z) / 800.0;
        assert!((pressed.truncate() - TOPPLING * xi).length() < 1e-9, "{pressed}");
    }
}
