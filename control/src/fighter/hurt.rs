//! What hits do.
//!
//! A jolt is the impulse of every thing that strikes the fighter, gathered over a seventh of a second: an impact lasts
//! several steps, and Dynamo's stun should feel all of it. Fists hurt besides: on head and trunk, hardly on
//! the arms, and hurt adds up until the fighter is knocked out. The more hurt there is, the more a punch is felt.

use stuntlab_mocap::character::Part;
use stuntlab_physics::{Bodies, BodyId};

use crate::controller::Sense;

/// How hits hurt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HurtOptions {
    /// Force per contact above which it is a blow and not a push, N.
    pub blow: f64,
    /// Weighted impulse after which the next good hit knocks out, N s.
    pub endurance: f64,
    /// Least weighted impulse of a step that hurts, N s.
    pub threshold: f64,
    /// Speed of a fist's approach that makes it a punch, m/s: neither leaning on each other nor stepping into a guard hurts. At 1 m/s
    /// there were more hits than punches.
    pub speed: f64,
    /// Share of the hurt that passes per second.
    pub recovery: f64,
    /// How many times stronger than the contact's impulse a hit is felt when fully hurt.
    pub weakness: f64,
}

impl Default for HurtOptions {
    fn default() -> Self {
        Self { blow: 100.0, endurance: 110.0, threshold: 1.0, speed: 2.5, recovery: 0.01, weakness: 2.0 }
    }
}

/// Hits taken so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hurt {
    /// Weighted impulse that still hurts, N s.
    pub amount: f64,
    /// Punches that landed on head or trunk.
    pub hits: u64,
    quiet_for: f64,
    striking_for: f64,
    jolt: f64,
    /// Impulse of the punch that is landing, N s.
    landing: f64,
}

/// What a step's hits do.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Blow {
    /// Impulse to be felt, N s: of the whole punch so far, since a fist lands over several steps.
    pub felt: f64,
    /// Whether a punch begins to land.
    pub fresh: bool,
    /// Whether it is one too many.
    pub knocks_out: bool,
}

/// Seconds without touch after which a touch is a new punch.
const NEW_PUNCH: f64 = 0.25;
/// Seconds a punch goes on hurting after the fist met its mark.
const STRIKE_TIME: f64 = 0.1;
/// What is left of the hurt after a knock-out.
const AFTER_KNOCK_OUT: f64 = 0.3;

/// Seconds over which a jolt is gathered.
const JOLT_TIME: f64 = 0.15;

impl Hurt {
    /// The impulse of blows by anything but oneself and the opponent on anything but the feet lately, N s.
    pub fn jolt(
        &mut self,
        sense: &Sense<'_>,
        opponent: Option<Bodies>,
        parts: &[Part],
        options: &HurtOptions,
    ) -> f64 {
        let is_opponent = |b: BodyId| opponent.is_some_and(|o| o.contains(b));
        let own = |b: BodyId| parts.get(sense.bodies.place_of(b)?);
        self.jolt *= (-sense.dt / JOLT_TIME).exp();
        for contact in sense.data.contact.between_bodies() {
            let struck = match (own(contact.body_a), contact.body_b.and_then(own)) {
                (Some(part), None) | (None, Some(part)) => part,
                _ => continue,
            };
            let foreign = !is_opponent(contact.body_a) && !contact.body_b.is_some_and(is_opponent);
            if foreign && !matches!(struck, Part::Foot(_) | Part::Toe(_)) {
                self.jolt += (contact.force.length() - options.blow).max(0.0) * sense.dt;
            }
        }
        self.jolt
    }

    /// Looks at the contacts of the last step for fists of the opponent, who is of the same figure.
    pub fn update(
        &mut self,
        sense: &Sense<'_>,
        opponent: Bodies,
        parts: &[Part],
        options: &HurtOptions,
    ) -> Blow {
        let own = |b: BodyId| parts.get(sense.bodies.place_of(b)?);
        let other = |b: BodyId| parts.get(opponent.place_of(b)?);
        let mut impulse = 0.0;
        self.striking_for -= sense.dt;
        for contact in sense.data.contact.between_bodies() {
            let (a, Some(b)) = (contact.body_a, contact.body_b) else { continue };
            let pair = own(a).zip(other(b)).or_else(|| own(b).zip(other(a)));
            if let Some((hit, Part::Hand(_) | Part::Forearm(_))) = pair {
                impulse += vulnerability(*hit) * contact.force.length() * sense.dt;
                if contact.velocity.dot(contact.normal) < -options.speed {
                    self.striking_for = STRIKE_TIME;
                }
            }
        }
        self.amount *= 1.0 - options.recovery * sense.dt;
        self.quiet_for += sense.dt;
        if impulse < options.threshold || self.striking_for <= 0.0 {
            return Blow::default();
        }
        let fresh = self.quiet_for > NEW_PUNCH;
        if fresh {
            self.hits += 1;
            self.landing = 0.0;
        }
        self.quiet_for = 0.0;
        self.amount += impulse;
        self.landing += impulse;
        let share = (self.amount / options.endurance).min(1.0);
        let knocks_out = self.amount >= options.endurance;
        if knocks_out {
            self.amount = AFTER_KNOCK_OUT * options.endurance;
        }
        Blow { felt: self.landing * (1.0 + options.weakness * share), fresh, knocks_out }
    }
}

/// How much of an impulse hurts.
fn vulnerability(part: Part) -> f64 {
    match part {
        Part::Head | Part::Neck(_) => 1.5,
        Part::Pelvis | Part::Spine(_) => 1.0,
        _ => 0.15,
    }
}
