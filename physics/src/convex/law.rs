//! The one law of all terms: a soft target with bounds on its impulse.
//!
//! A term wants the relative velocity `u` at the end of the step to be `û` and pushes with
//!
//! ```text
//! (1)  along the normal    γ_n = (û_n - u_n)/R_n   held between `lower` and `upper`
//! (2)  across it           γ_t = (û_t - u_t)/R_t   cut to the length `bound`
//! ```
//!
//! Beyond the impulse `knee` (1) goes on [`HARDER`] times as stiff, so that a hard blow or a large load presses in no further
//! than a light one. Both are minus the gradient of a convex function of `u`: a parabola that goes on as a straight line where the bound
//! is reached. Contacts (`lower = 0`, `bound = μ γ_n` of the round before), joint limits, motors, servos with effort
//! limits, pins and resistance to rolling differ only in their numbers. The gain `G = -∂γ/∂u` is
//!
//! ```text
//! (3)  G = n nᵀ/R_n (inside the bounds)  +  (1 - n nᵀ)/R_t             sticking
//!                                        +  bound/|y| (1 - n nᵀ - t tᵀ)/R_t   sliding along t, y = (û_t - u_t)/R_t
//! ```

use glam::DVec3;

use crate::spatial::Sym3;

/// How much stiffer a row is beyond its knee.
pub(crate) const HARDER: f64 = 100.0;

/// One bounded row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounded {
    /// Wanted velocity `û`.
    pub(crate) target: f64,
    /// Velocity error per impulse, `R`.
    pub(crate) softness: f64,
    /// Least and largest impulse.
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    /// The impulse from which on it is stiffer.
    pub(crate) knee: f64,
}

impl Bounded {
    /// A row that only pushes.
    pub(crate) const PUSH: Self =
        Self { target: 0.0, softness: 1.0, lower: 0.0, upper: f64::INFINITY, knee: f64::INFINITY };

    /// By how much the velocity falls short of the target at an impulse: the inverse of (1).
    #[inline]
    pub(crate) fn shortfall(&self, impulse: f64) -> f64 {
        let soft = impulse.min(self.knee);
        (soft + (impulse - soft) / HARDER) * self.softness
    }

    /// The impulse at velocity `u` (1), and the gain.
    #[inline]
    pub(crate) fn answer(&self, u: f64) -> (f64, f64) {
        let short = self.target - u;
        if self.lower == 0.0 && short <= 0.0 {
            // Most points that are seen ahead.
            return (0.0, 0.0);
        }
        // Not `short` times the gain, which is infinite where nothing gives way.
        let (mut y, mut gain) = (short / self.softness, 1.0 / self.softness);
        if y > self.knee {
            y = self.knee + (y - self.knee) * HARDER;
            gain *= HARDER;
        }
        if y <= self.lower {
            (self.lower, 0.0)
        } else if y >= self.upper {
            (self.upper, 0.0)
        } else {
            (y, gain)
        }
    }
}

/// Three rows: one along a normal, two across it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Law {
    /// Unit direction of the first row, world.
    pub(crate) normal: DVec3,
    /// Along the normal.
    pub(crate) along: Bounded,
    /// Wanted velocity across, and its softness `R_t`.
    pub(crate) target: DVec3,
    pub(crate) softness: f64,
    /// Largest impulse across.
    pub(crate) bound: f64,
}

/// What a law says at one velocity.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Answer {
    /// The impulse `γ`.
    pub(crate) impulse: DVec3,
    /// The gain (3).
    pub(crate) gain: Sym3,
    /// Whether the impulse across is at its bound.
    pub(crate) slides: bool,
}

impl Law {
    /// Pushes with nothing, whatever the velocity.
    pub(crate) fn rest(&mut self) {
        self.along = Bounded { lower: 0.0, upper: 0.0, ..Bounded::PUSH };
        self.bound = 0.0;
    }

    /// Impulse and gain at the relative velocity `u`.
    #[inline]
    pub(crate) fn answer(&self, u: DVec3) -> Answer {
        let n = self.normal;
        let u_n = n.dot(u);
        let (along, gain_n) = self.along.answer(u_n);
        if along == 0.0 && gain_n == 0.0 && self.bound <= 0.0 {
            return Answer { slides: true, ..Answer::default() };
        }
        let mut gain_t = 1.0 / self.softness;
        let mut y = (self.target - (u - n * u_n)) * gain_t;
        let square = y.length_squared();
        if square <= self.bound * self.bound {
            let gain = Sym3::outer(n) * (gain_n - gain_t) + Sym3::diagonal(gain_t, gain_t, gain_t);
            return Answer { impulse: n * along + y, gain, slides: false };
        }
        if self.bound <= 0.0 {
            return Answer { impulse: n * along, gain: Sym3::outer(n) * gain_n, slides: true };
        }
        let length = square.sqrt();
        let t = y * (1.0 / length);
        y = t * self.bound;
        gain_t *= self.bound / length;
        let gain = Sym3::outer(n) * (gain_n - gain_t) - Sym3::outer(t) * gain_t
            + Sym3::diagonal(gain_t, gain_t, gain_t);
        Answer { impulse: n * along + y, gain, slides: true }
    }

    /// The same as if it pressed, whatever the velocity, and stuck to what it presses on or not: neither the other sides of the law nor its
    /// knee are looked at.
    pub(crate) fn expect(&self, u: DVec3, sticks: bool) -> Answer {
        let n = self.normal;
        let gain = 1.0 / self.along.softness;
        let along = (self.along.target - n.dot(u)) * gain;
        let bound = if sticks { f64::INFINITY } else { self.bound };
        let mut answer =
            Self { along: Bounded { lower: along, upper: along, ..self.along }, bound, ..*self }.answer(u);
        answer.gain += Sym3::outer(n) * gain;
        answer
    }

    /// `γ·d` and `dᵀG d` at `u`: what the term adds to slope (negative) and curvature of the cost along `d`.
    #[inline]
    pub(crate) fn along_line(&self, u: DVec3, d: DVec3) -> (f64, f64) {
        let n = self.normal;
        let (u_n, d_n) = (n.dot(u), n.dot(d));
        let (along, gain_n) = self.along.answer(u_n);
        let (mut slope, mut curvature) = (along * d_n, gain_n * d_n * d_n);
        if self.bound > 0.0 {
            let across = d - n * d_n;
            let gain = 1.0 / self.softness;
            let y = (self.target - (u - n * u_n)) * gain;
            let (square, with) = (y.length_squared(), y.dot(across));
            if square <= self.bound * self.bound {
                slope += with;
                curvature += across.length_squared() * gain;
            } else {
                let share = self.bound / square.sqrt();
                slope += share * with;
                curvature += share * (across.length_squared() - with * with / square).max(0.0) * gain;
            }
        }
        (slope, curvature)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn law(bound: f64) -> Law {
        Law {
            normal: DVec3::new(0.6, 0.0, 0.8),
            along: Bounded { target: 0.3, softness: 0.02, knee: 9.0, ..Bounded::PUSH },
            target: DVec3::new(0.08, 0.1, -0.06),
            softness: 0.05,
            bound,
        }
    }

    #[test]
    fn the_gain_is_minus_the_derivative_of_the_impulse() {
        for bound in [0.0, 0.7, 3.0, 100.0] {
            for u in [DVec3::new(0.1, -0.2, 0.05), DVec3::new(-0.4, 0.3, 0.9), DVec3::new(0.2, 1.2, -0.7)] {
                let law = law(bound);
                let gain = law.answer(u).gain.to_mat3();
                for axis in DVec3::AXES {
                    let e = 1e-6;
                    let change = law.answer(u + axis * e).impulse - law.answer(u - axis * e).impulse;
                    let expected = -change / (2.0 * e);
                    assert!((gain * axis - expected).length() < 1e-5 * (1.0 + expected.length()));
                }
            }
        }
    }

    #[test]
    fn what_was_expected_is_right_where_it_comes_true() {
        let (pressed, law) = (DVec3::new(0.2, 0.08, 0.05), law(100.0));
        let (expected, found) = (law.expect(pressed, true), law.answer(pressed));
        assert!(found.impulse.dot(law.normal) > 0.0 && !found.slides);
        assert!((expected.impulse - found.impulse).length() < 1e-12);
        assert!((expected.gain - found.gain).to_mat3().abs_diff_eq(glam::DMat3::ZERO, 1e-12));
        // One that parts is pulled back as the spring that it is taken for.
        assert!(law.expect(DVec3::Z, true).impulse.dot(law.normal) < 0.0);
    }

    #[test]
    fn the_shortfall_undoes_the_impulse() {
        let row = law(0.0).along;
        for u in [0.25, 0.0, -0.4, -3.0] {
            let (impulse, _) = row.answer(u);
            assert!((row.shortfall(impulse) - (row.target - u)).abs() < 1e-14, "{u}");
        }
    }

    #[test]
    fn slope_and_curvature_agree_with_impulse_and_gain() {
        let d = DVec3::new(0.4, -0.9, 0.3);
        for bound in [0.0, 0.7, 100.0] {
            for u in [DVec3::new(0.1, -0.2, 0.05), DVec3::new(-0.4, 0.3, 0.9)] {
                let law = law(bound);
                let answer = law.answer(u);
                let (slope, curvature) = law.along_line(u, d);
                assert!((slope - answer.impulse.dot(d)).abs() < 1e-10 * (1.0 + slope.abs()));
                assert!((curvature - answer.gain.quadratic(d, d)).abs() < 1e-9 * (1.0 + curvature));
            }
        }
    }
}
