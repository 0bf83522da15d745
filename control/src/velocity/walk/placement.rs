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
//! A push moves `ξ`, and the foot by as much: whatever the fall was before the step, after it it is that of the walk.

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
    /// (3): how far the centre of pressure is behind `ξ` and outside of it as a step begins, m.
    pub fn offsets(&self) -> DVec2 {
        let growth = (self.rate * self.time).exp();
        DVec2::new(self.step / (growth - 1.0), self.width / (growth + 1.0))
    }

    /// (2): where `ξ` will be in the time that is left, with the pressure where it is.
    pub fn ahead(&self, xi: DVec2, pressure: DVec2, left: f64) -> DVec2 {
        pressure + (xi - pressure) * (self.rate * left.max(0.0)).exp()
    }

    /// (3): where the pressure of the next step is to be; `outward` is +1 where the foot that swings is the left one, -1 otherwise.
    pub fn place(&self, xi: DVec2, pressure: DVec2, left: f64, outward: f64) -> DVec2 {
        self.ahead(xi, pressure, left) + self.offsets() * DVec2::new(-1.0, outward)
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
            let (mut xi, mut pressure, mut side) = (DVec2::new(vx, vy), DVec2::ZERO, 1.0);
            let mut way = Vec::new();
            for _ in 0..4 {
                let next = rhythm.place(xi, pressure, time, side);
                xi = rhythm.ahead(xi, pressure, time);
                way.push((next - pressure) * DVec2::new(1.0, side));
                (pressure, side) = (next, -side);
            }
            for w in &way[1..] {
                prop_assert!((*w - DVec2::new(step, width)).length() < 1e-9, "{way:?}");
            }
        }
    }

    #[test]
    fn a_base_that_is_good_stays() {
        assert_eq!(longer_step(0.5, 0.14, 0.3), None);
        assert!(longer_step(0.5, 0.14, 0.7).is_some_and(|d| d > 0.6));
    }
}
