//! Where the next foot goes.
//!
//! As published, for steps ahead (Lligadas, Susín and Ramírez, section 4.3):
//!
//! ```text
//! (1)  base = from the heel of the rear foot, b, to the toes of the front foot; if the centre of mass c is not in its middle half:
//!      d = 4/3 (c - b) - 2 L,  L the length of a foot: c is at three quarters of the new base
//! ```
//! Without pins that pull, one who steps on a foot is a pendulum that falls away from it. Ahead and sideways alike the foot goes where the
//! fall that is left is that of a steady walk with steps of length `s`, width `w` and time `T` (Hof 2008, with ξ and ω₀ as in
//! [`crate::senses`]):
//!
//! ```text
//! (2)  ξ_T = p + (ξ - p) e^{ω₀ t}                  p the centre of pressure, t the time until the weight is on the other foot
//! (3)  u_x = ξ_T,x - s / (e^{ω₀T} - 1)             behind ξ, so that it walks on
//!      u_y = ξ_T,y ± w / (e^{ω₀T} + 1)             outside of ξ, so that it falls back
//! ```
//! A push moves `ξ`, and the foot by as much: whatever the fall was before the step, after it it is that of the walk. Where the foot would be
//! out of reach, it strikes sooner, for falls grow with time (Khadiv et al. 2016):
//!
//! ```text
//! (4)  t ≤ ln((limit - offset) / (ξ - p)) / ω₀
//! ```
//! Here all is told from `p`, forward and outward.

use stuntlab_physics::glam::DVec2;

/// How a walk in balance steps: (3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rhythm {
    /// Rate of the pendulum `ω₀`, 1/s.
    pub rate: f64,
    /// Time of a step `T`, s.
    pub time: f64,
    /// Length `s`, m.
    pub step: f64,
    /// Width `w`, m.
    pub width: f64,
}

impl Rhythm {
    /// (3): where the centre of pressure is from `ξ` as a step begins, m: behind and outside.
    pub fn offset(&self) -> DVec2 {
        let growth = (self.rate * self.time).exp();
        DVec2::new(-self.step / (growth - 1.0), self.width / (growth + 1.0))
    }

    /// (2): where `ξ` will be in the time that is left.
    pub fn ahead(&self, xi: DVec2, left: f64) -> DVec2 {
        xi * (self.rate * left.max(0.0)).exp()
    }

    /// (3): where the pressure of the next step is to be.
    pub fn place(&self, xi: DVec2, left: f64) -> DVec2 {
        self.ahead(xi, left) + self.offset()
    }

    /// Where `ξ` is in a steady walk with so much time left.
    pub fn steady(&self, left: f64) -> DVec2 {
        let growth = (self.rate * (self.time - left)).exp();
        // Outside of the last foot is inside of this one.
        -self.offset() * DVec2::new(1.0, -1.0) * growth
    }

    /// (4): the time in which (3) is still within bounds; infinite where it always is.
    pub fn in_reach(&self, xi: DVec2, [lower, upper]: [DVec2; 2]) -> f64 {
        let time = |xi: f64, offset: f64, lower: f64, upper: f64| {
            let share = (if xi > 0.0 { upper } else { lower } - offset) / xi;
            if share.is_nan() { f64::INFINITY } else { share.max(0.0).ln().max(0.0) / self.rate }
        };
        let offset = self.offset();
        time(xi.x, offset.x, lower.x, upper.x).min(time(xi.y, offset.y, lower.y, upper.y))
    }
}

/// (1): the length of a step, m, with feet of length `foot` and the centre of mass so far ahead of the rear ankle, where `asked` is what
/// it was to be; none where the base is good as it is.
pub fn longer_step(asked: f64, foot: f64, com: f64) -> Option<f64> {
    // The heel is behind the ankle.
    let com = com + 0.4 * foot;
    let share = com / (asked + 2.0 * foot);
    let new = (4.0 / 3.0 * com - 2.0 * foot).clamp(-0.3, 0.7).max(asked);
    (!(0.25..=0.75).contains(&share) && share > 0.0).then_some(new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// A pendulum that steps by (3) walks as it was told from the second step on, however it was pushed before.
        #[test]
        fn the_walk_is_the_same_after_every_push(
            (vx, vy) in (-2.0..2.0_f64, -1.0..1.0_f64), step in 0.0..0.8_f64, width in 0.05..0.4_f64, time in 0.3..0.8_f64,
        ) {
            let rhythm = Rhythm { rate: 3.1, time, step, width };
            let (mut xi, mut way) = (DVec2::new(vx, vy), Vec::new());
            for _ in 0..4 {
                let next = rhythm.place(xi, time);
                way.push(next);
                // From the next foot, whose outside is the other side.
                xi = (rhythm.ahead(xi, time) - next) * DVec2::new(1.0, -1.0);
                prop_assert!((xi - rhythm.steady(time)).length() < 1e-9, "{xi}");
            }
            for w in &way[1..] {
                prop_assert!((*w - DVec2::new(step, width)).length() < 1e-9, "{way:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn what_would_be_out_of_reach_is_just_in_reach_in_time(x in -0.3..0.6_f64, y in -0.3..0.3_f64) {
            let rhythm = Rhythm { rate: 3.1, time: 0.5, step: 0.5, width: 0.2 };
            let bounds = [DVec2::new(-0.4, -0.3), DVec2::new(0.6, 0.5)];
            let left = rhythm.in_reach(DVec2::new(x, y), bounds);
            let place = rhythm.place(DVec2::new(x, y), left.min(10.0));
            let over = (bounds[0] - place).max(place - bounds[1]).max_element();
            prop_assert!(left == 0.0 || over < 1e-9, "{left} {place}");
        }
    }

    #[test]
    fn a_base_that_is_good_stays() {
        assert_eq!(longer_step(0.5, 0.14, 0.3), None);
        assert!(longer_step(0.5, 0.14, 0.7).is_some_and(|d| d > 0.6));
    }
}
