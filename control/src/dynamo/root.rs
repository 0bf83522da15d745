//! The root's balance: unpowered, meathook or weak spring (Wrotek 2006, eqs. 6–8).
//!
//! ```text
//! (6)  τ'' = k₁ Δ(W_d, W_a) + k₂ (ω_d - ω_a)
//! (7)  τ'  = τ'' less its component along gravity
//! (8)  τ   = c · { τ' if |τ'| < k_L;  k_L τ'/|τ'| if |τ'| < k_U;  0 beyond }
//! ```
//!
//! `c` is 1 while the character touched anything in the last step, `k_air` otherwise. A broken spring (beyond k_U)
//! re-arms only after `|τ'| < 0.8 k_L` for 0.2 s with the pelvis above 0.6 of its usual height, so that it does not
//! flicker.
//!
//! (8) alone cannot tell a gait from a balance that nobody has: the trunk of a runner asks for 200 N m to and fro, each for a tenth of a
//! second; who stands half on a crate asks for 70 N m, and goes on asking. What balances a real body is its feet, under which the weight
//! can act a decimetre from where it did. So the spring may be early with a moment, but not lean on nothing: what it was asked for
//! lately, a vector with a memory of a second,
//!
//! ```text
//! (8')  s' = (min(τ', k_L) - s)/t_S,   broken where |s| > m g d
//! ```
//!
//! breaks it beyond an arm `d`. Steps of a gait cancel in it.

use stuntlab_physics::ImplicitForce;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::Sym3;

use super::gains::YAW;
use super::targets::Targets;
use crate::controller::Sense;
use crate::reference::Attitudes;

/// How the root keeps upright.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Balance {
    /// Not at all: the character falls like any body.
    Unpowered,
    /// Held by a strong spring in every direction, gravity's included: it cannot fall ("super-balance").
    Meathook,
    /// A weak spring that gives and breaks.
    WeakSpring(WeakSpring),
}

/// Parameters of (6)–(8'), N m and N m s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeakSpring {
    /// k₁.
    pub stiffness: f64,
    /// k₂.
    pub damping: f64,
    /// k_L: no stronger than this.
    pub limit: f64,
    /// k_U: breaks beyond this.
    pub breaking: f64,
    /// k_air: share that is left without contact.
    pub airborne: f64,
    /// Time constant over which the torque is averaged before it is compared with k_U, s: a foot that strikes turns the
    /// light pelvis at several rad/s for a moment, which is not a fall.
    pub patience: f64,
    /// d: arm of the whole weight at which the mean moment breaks it, m.
    pub lean: f64,
}

impl Default for WeakSpring {
    fn default() -> Self {
        Self {
            stiffness: 1000.0,
            damping: 200.0,
            limit: 200.0,
            breaking: 600.0,
            airborne: 0.2,
            patience: 0.1,
            // Who hops on one leg asks for 0.073, who stands half on a crate for 0.098.
            lean: 0.085,
        }
    }
}

/// t_S, s: longer than a step of a gait, shorter than anybody hangs on a wall.
const MEMORY: f64 = 1.0;
/// Share of its limits below which a broken spring is calm.
const CALM: f64 = 0.8;
/// Seconds of small torque after which a broken spring holds again.
const REARM_TIME: f64 = 0.2;
/// Meathook gains.
const HOOK: (f64, f64) = (20_000.0, 2_000.0);

/// What the root needs to know of a step.
#[derive(Clone, Copy, Debug)]
pub struct RootSense {
    /// Δ(W_d, W_a), rad.
    pub error: DVec3,
    /// ω_d.
    pub wanted: DVec3,
    /// ω_a.
    pub actual: DVec3,
    /// Direction of gravity, unit.
    pub down: DVec3,
    /// Whether anything was touched in the last step.
    pub touching: bool,
    /// Weight of the whole body, N.
    pub weight: f64,
    /// Pelvis height over its usual one.
    pub height: f64,
    /// How upright the motion wants it, 0 to 1.
    pub upright: f64,
    /// Gain scale of the stun.
    pub strength: f64,
    /// Step, s.
    pub dt: f64,
}

impl RootSense {
    /// Of a character with these targets for a motion that wants this.
    pub fn of(sense: &Sense<'_>, targets: &Targets, wanted: &Attitudes, strength: f64) -> Self {
        let root = sense.root();
        let gravity = sense.model.gravity();
        Self {
            error: targets.error[0],
            wanted: targets.angular_velocity[0],
            actual: sense.data.velocity.body[root].angular,
            down: gravity.try_normalize().unwrap_or(-DVec3::Z),
            touching: sense.own.is_touching(),
            weight: sense.own.mass() * gravity.length(),
            // Of the height the motion has now: who kneels on purpose has not fallen.
            height: sense.data.position.world_from_body[root].translation.z / wanted.position[0].z.max(0.1),
            upright: targets.upright,
            strength,
            dt: sense.dt,
        }
    }

    /// (5) for the root, as far as the motion is not upright (see [`Targets`]), with these gains.
    fn as_bone(&self, (k1, k2): (f64, f64)) -> Option<ImplicitForce> {
        let share = 1.0 - self.upright;
        let (k1, k2) = (k1 * share * self.strength, k2 * share * self.strength.sqrt());
        let (at_rest, gain) =
            (k1 * (self.error + self.dt * self.wanted) + k2 * self.wanted, k2 + self.dt * k1);
        (share > 0.0).then(|| ImplicitForce::moment(at_rest, Sym3::diagonal(gain, gain, gain)))
    }

    /// A weak spring about the vertical that keeps the root's own heading with the body's: (7) removes that
    /// part from the balance. At most `limit`, N m.
    pub fn yaw(&self, limit: f64) -> Option<ImplicitForce> {
        if limit <= 0.0 {
            return None;
        }
        let (k1, k2) = YAW;
        let (error, wanted, now) =
            (self.down.dot(self.error), self.down.dot(self.wanted), self.down.dot(self.actual));
        let (at_rest, gain) = (k1 * (error + self.dt * wanted) + k2 * wanted, k2 + self.dt * k1);
        let (limit, size) = (limit * self.strength, (at_rest - gain * now).abs());
        let share = if size > limit { limit / size } else { 1.0 };
        Some(ImplicitForce::moment(self.down * (share * at_rest), Sym3::outer(self.down) * (share * gain)))
    }
}

/// State of the root spring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Root {
    /// How it balances.
    pub balance: Balance,
    broken_for: f64,
    calm_for: f64,
    broken: bool,
    sustained: f64,
    /// `s` of (8').
    leaning: DVec3,
}

impl Root {
    /// A spring in order.
    pub fn new(balance: Balance) -> Self {
        Self { balance, broken_for: 0.0, calm_for: 0.0, broken: false, sustained: 0.0, leaning: DVec3::ZERO }
    }

    /// Seconds since the spring broke; zero while it holds.
    pub fn broken_for(&self) -> f64 {
        self.broken_for
    }

    /// Mean moment that the weak spring was asked for lately, N m: (8').
    pub fn leaning(&self) -> DVec3 {
        self.leaning
    }

    /// Breaks the spring, or makes it hold again without waiting for calm.
    pub fn set_broken(&mut self, broken: bool) {
        self.broken = broken;
        (self.calm_for, self.sustained, self.leaning) = (0.0, 0.0, DVec3::ZERO);
        if !broken {
            self.broken_for = 0.0;
        }
    }

    /// All moments on the root for this step: as a bone like the others with `gains`, its balance, its heading by `yaw_limit` at most, N m.
    pub fn moments(
        &mut self,
        s: &RootSense,
        gains: (f64, f64),
        yaw_limit: f64,
    ) -> [Option<ImplicitForce>; 3] {
        [s.as_bone(gains), self.moment(s), s.yaw(yaw_limit)]
    }

    /// The moment that balances the root for this step, `None` for none.
    pub fn moment(&mut self, s: &RootSense) -> Option<ImplicitForce> {
        match self.balance {
            Balance::Unpowered => None,
            Balance::Meathook => {
                let (k1, k2) = HOOK;
                let at_rest = k1 * (s.error + s.dt * s.wanted) + k2 * s.wanted;
                let gain = k2 + s.dt * k1;
                Some(ImplicitForce::moment(at_rest, Sym3::diagonal(gain, gain, gain)))
            }
            Balance::WeakSpring(spring) => self.weak(&spring, s),
        }
    }

    fn weak(&mut self, k: &WeakSpring, s: &RootSense) -> Option<ImplicitForce> {
        let level = |v: DVec3| v - s.down * s.down.dot(v); // (7)
        let torque = level(k.stiffness * s.error + k.damping * (s.wanted - s.actual)); // (6)
        let size = torque.length();
        // Who lies or rolls on purpose has no balance to lose.
        self.sustained += (size * s.upright - self.sustained) * (s.dt / (k.patience + s.dt));
        let asked = torque.clamp_length_max(k.limit) * (s.upright * s.strength);
        self.leaning += (asked - self.leaning) * (s.dt / (MEMORY + s.dt)); // (8')
        self.leaning = self.leaning.clamp_length_max(k.lean * s.weight);
        self.update_break(k, s);
        if self.broken {
            return None;
        }
        // (8), both gains scaled down alike so that the clamped spring stays implicit: a light pelvis would chatter
        // under a bare force.
        let clamp = if size > k.limit { k.limit / size } else { 1.0 };
        let c = clamp * s.strength * if s.touching { 1.0 } else { k.airborne };
        let at_rest = level(k.stiffness * (s.error + s.dt * s.wanted) + k.damping * s.wanted);
        let across = Sym3::IDENTITY - Sym3::outer(s.down);
        Some(ImplicitForce::moment(at_rest * c, across * (c * (k.damping + s.dt * k.stiffness))))
    }

    fn update_break(&mut self, k: &WeakSpring, s: &RootSense) {
        let leaning = self.leaning.length() / (k.lean * s.weight).max(1e-12);
        if self.sustained >= k.breaking || leaning >= 1.0 - 1e-12 {
            self.broken = true;
            self.calm_for = 0.0;
        } else if self.broken {
            let calm = self.sustained < CALM * k.limit && leaning < CALM && s.height > 0.6;
            self.calm_for = if calm { self.calm_for + s.dt } else { 0.0 };
            if self.calm_for >= REARM_TIME {
                self.broken = false;
            }
        }
        self.broken_for = if self.broken { self.broken_for + s.dt } else { 0.0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sense(error: DVec3, actual: DVec3) -> RootSense {
        RootSense {
            error,
            wanted: DVec3::ZERO,
            actual,
            down: -DVec3::Z,
            touching: true,
            weight: 600.0,
            height: 1.0,
            upright: 1.0,
            strength: 1.0,
            dt: 1.0 / 120.0,
        }
    }

    proptest! {
        #[test]
        fn weak_spring_is_level_and_within_its_limit_or_zero(
            e in prop::array::uniform3(-3.0..3.0_f64),
            w in prop::array::uniform3(-20.0..20.0_f64),
        ) {
            let spring = WeakSpring::default();
            let mut root = Root::new(Balance::WeakSpring(spring));
            let s = sense(DVec3::from_array(e), DVec3::from_array(w));
            if let Some(term) = root.moment(&s) {
                // The torque if the velocity did not change within the step.
                let torque = term.at_rest.angular - term.gain.angular * s.actual;
                prop_assert!(torque.z.abs() < 1e-9 * (1.0 + torque.length()));
                prop_assert!(torque.length() <= spring.limit * (1.0 + 1e-9) + spring.stiffness * s.dt * s.actual.length());
            } else {
                prop_assert!(root.broken_for() > 0.0);
            }
        }
    }

    #[test]
    fn who_leans_on_the_spring_falls_and_who_sways_does_not() {
        // 70 N m to one side: more than 600 N at 0.085 m, far less than the limit.
        let error = DVec3::X * 0.07;
        let mut leaning = Root::new(Balance::WeakSpring(WeakSpring::default()));
        let held = (0..600).take_while(|_| leaning.moment(&sense(error, DVec3::ZERO)).is_some()).count();
        assert!((60..360).contains(&held), "{held}");
        // More to and fro, every half a second.
        let mut swaying = Root::new(Balance::WeakSpring(WeakSpring::default()));
        let to_and_fro = |k: usize| if (k / 60).is_multiple_of(2) { 1.3 * error } else { -1.3 * error };
        assert!((0..1200).all(|k| swaying.moment(&sense(to_and_fro(k), DVec3::ZERO)).is_some()));
    }

    #[test]
    fn a_broken_spring_holds_again_only_after_a_calm_while() {
        let mut root = Root::new(Balance::WeakSpring(WeakSpring::default()));
        let falling = sense(DVec3::X * 2.0, DVec3::ZERO);
        assert!(root.moment(&falling).is_some(), "a moment's torque does not break it");
        let held = (0..60).take_while(|_| root.moment(&falling).is_some()).count();
        assert!(held < 12, "{held}");
        let calm = sense(DVec3::X * 0.05, DVec3::ZERO);
        let steps = (0..120).take_while(|_| root.moment(&calm).is_none()).count();
        assert!((24..60).contains(&steps), "{steps}");
    }
}
