//! Stunning: impacts weaken the tracking for a while (Wrotek 2006, section on unconsciousness).
//!
//! The impulse `J` of a blow on anything but the feet, whoever gives it, gathered over 100 ms, lowers the gain scale to
//! `1 - (J - J₀)/(J₁ - J₀)` within 80 ms; it holds for 0.15 s (3 s at zero: unconscious) and comes back linearly in
//! 0.8 s. A root spring that has been broken for 0.5 s takes the rest of the strength with it.

use stuntlab_physics::glam::DVec3;

/// Parameters of the stun.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StunOptions {
    /// Seconds over which the impulse of a blow is gathered; with 0 every step counts for itself.
    pub gather: f64,
    /// Impulse that begins to be felt, N s.
    pub least: f64,
    /// Impulse that knocks out, N s.
    pub most: f64,
    /// Seconds to go down.
    pub down: f64,
    /// Seconds at the bottom.
    pub hold: f64,
    /// Seconds at the bottom when knocked out.
    pub unconscious: f64,
    /// Seconds from nothing to full strength.
    pub recovery: f64,
    /// Seconds of a broken root spring after which strength is gone.
    pub broken: f64,
}

impl Default for StunOptions {
    fn default() -> Self {
        Self {
            gather: 0.1,
            least: 10.0,
            most: 60.0,
            down: 0.08,
            hold: 0.15,
            unconscious: 3.0,
            recovery: 0.8,
            broken: 0.5,
        }
    }
}

/// Gain scale over time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stun {
    /// Parameters.
    pub options: StunOptions,
    strength: f64,
    goal: f64,
    hold: f64,
    /// Impulse of blows lately, N s.
    blow: DVec3,
    /// Force that has lasted, N.
    steady: DVec3,
}

/// Force up to which a touch is a push and no blow, N: leaning on something does not stun.
const PUSH: f64 = 100.0;
/// Seconds after which a force has lasted and is no blow any more: who is held up or dragged along is not stunned by it.
const LASTED: f64 = 0.3;

impl Stun {
    /// At full strength.
    pub fn new(options: StunOptions) -> Self {
        Self { options, strength: 1.0, goal: 1.0, hold: 0.0, blow: DVec3::ZERO, steady: DVec3::ZERO }
    }

    /// Gain scale, 0 to 1.
    pub fn strength(&self) -> f64 {
        self.strength
    }

    /// Loses all strength at once; it comes back as usual.
    pub fn faint(&mut self) {
        self.strength = 0.0;
    }

    /// Whether knocked out.
    pub fn is_unconscious(&self) -> bool {
        self.goal == 0.0 && self.hold > 0.0
    }

    /// The impulse of a blow (N s) as of a step of `dt` in which other things act with a net force: an impact lasts
    /// several steps, and it is all of it that stuns; what is squeezed between the limbs is none.
    pub fn gather(&mut self, force: DVec3, dt: f64) -> f64 {
        let time = self.options.gather;
        let sudden = force - self.steady;
        self.steady += sudden * (dt / (LASTED + dt));
        self.blow = if time > 0.0 {
            let hard = sudden - sudden.clamp_length_max(PUSH);
            self.blow * (-dt / time).exp() + hard * dt
        } else {
            force * dt
        };
        self.blow.length()
    }

    /// Advances by `dt` under an impulse (N s) and a root spring broken for so long; returns the strength.
    pub fn update(&mut self, impulse: f64, broken_for: f64, dt: f64) -> f64 {
        let o = &self.options;
        let left = 1.0 - ((impulse - o.least) / (o.most - o.least)).clamp(0.0, 1.0);
        if left < self.goal.min(1.0) {
            self.goal = left;
            self.hold = if left == 0.0 { o.unconscious } else { o.hold };
        }
        if self.strength > self.goal {
            self.strength = (self.strength - dt / o.down).max(self.goal);
        } else if self.hold > 0.0 {
            self.hold -= dt;
        } else {
            self.goal = 1.0;
            self.strength = (self.strength + dt / o.recovery).min(1.0);
        }
        if broken_for > 0.0 {
            // Without balance strength fades within half a second, and returns with it.
            self.strength = (self.strength - dt / o.broken).max(0.0);
        }
        self.strength
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn strength_stays_within_bounds_and_never_jumps(
            hits in prop::collection::vec((0.0..200.0_f64, prop::bool::weighted(0.2)), 1..400),
        ) {
            let mut stun = Stun::new(StunOptions::default());
            let dt = 1.0 / 120.0;
            let mut broken_for = 0.0;
            for (impulse, broken) in hits {
                broken_for = if broken { broken_for + dt } else { 0.0 };
                let before = stun.strength();
                let after = stun.update(impulse, broken_for, dt);
                prop_assert!((0.0..=1.0).contains(&after));
                prop_assert!((after - before).abs() <= dt / stun.options.down + dt / stun.options.broken + 1e-12);
            }
        }
    }

    #[test]
    fn a_blow_is_felt_alike_however_many_steps_it_lasts_and_leaning_is_not_one() {
        let felt = |rate: f64, seconds: f64, force: f64| {
            let mut stun = Stun::new(StunOptions::default());
            let steps = (rate * seconds).round() as usize;
            (0..steps).map(|_| stun.gather(DVec3::X * force, 1.0 / rate)).fold(0.0, f64::max)
        };
        // 60 N s in 10 or 30 ms, at 100 to 1000 steps per second.
        let blows = [
            felt(100.0, 0.01, 6100.0),
            felt(100.0, 0.03, 2100.0),
            felt(1000.0, 0.01, 6100.0),
            felt(1000.0, 0.03, 2100.0),
        ];
        assert!(blows.iter().all(|b| (44.0..=60.0 + 1e-9).contains(b)), "{blows:?}");
        assert_eq!(felt(120.0, 10.0, 90.0), 0.0);
    }

    #[test]
    fn who_is_held_up_by_the_weight_comes_to_after_a_while() {
        let mut stun = Stun::new(StunOptions::default());
        let dt = 1.0 / 120.0;
        let strength: Vec<f64> = (0..360)
            .map(|_| {
                let felt = stun.gather(DVec3::Z * 600.0, dt);
                stun.update(felt, 0.0, dt)
            })
            .collect();
        assert!(strength[30] < 0.9, "being seized is felt: {}", strength[30]);
        assert_eq!(strength[359], 1.0);
    }

    #[test]
    fn a_knock_out_lasts_three_seconds_and_passes() {
        let mut stun = Stun::new(StunOptions::default());
        let dt = 1.0 / 120.0;
        stun.update(100.0, 0.0, dt);
        let out = (0..1200).filter(|_| stun.update(0.0, 0.0, dt) < 0.01).count() as f64 * dt;
        assert!((2.9..3.3).contains(&out), "{out}");
        assert_eq!(stun.strength(), 1.0);
    }
}
