//! Going down and getting up: the phases of a fighter and what leads from one to the next.

use stuntlab_physics::Actuation;

use super::aid::{root_rotation, tilt_error};
use super::{Cue, FAIRNESS, Fighter, Move, Phase};
use crate::controller::Sense;
use crate::dynamo::Balance;

/// Speeds (m/s) of bodies at rest, for this long (s), and what is waited for rest at most.
pub(super) const REST: (f64, f64, f64) = (0.25, 0.25, 3.0);
/// Seconds of a broken spring that fell it [P].
const FELLED: f64 = 0.5;
/// Share of the standing height below which it has sunk down, and above which it stands.
pub(super) const SUNK: (f64, f64) = (0.55, 0.75);
/// Factors on frequency and damping ratio while it settles: softer and overdamped.
pub(super) const SETTLING: (f64, f64) = (0.5, 3.0);
/// Share of the spring that tilts the pelvis while it gets up that is there while it settles: 90 N m, as much as an arm that pushes gives. With all of it
/// who lay on the side was turned on the back within a third of a second, legs in the air.
pub(super) const ROLLING: f64 = 0.15;
/// Seconds in which it comes to the first pose of getting up.
const ROLL: f64 = 0.9;
/// Settled: mean bone error in rad, least and most seconds.
const SETTLED: (f64, f64, f64) = (0.25, 0.7, 2.0);
/// Speed of the pelvis (m/s) at which one who settles does not settle but rolls: it lets go.
const RUNAWAY: f64 = 2.0;
/// Far from the clip: angle in rad, and seconds of it after which getting up has failed.
const ASTRAY: (f64, f64) = (0.9, 0.2);
/// Height of the pelvis' own vertical above which it is upright.
pub(super) const UPRIGHT: f64 = 0.4;
/// Seconds to take up the guard.
const STEADY: f64 = 0.8;
/// Seconds after the end of a get-up clip in which it must stand.
const GRACE: f64 = 0.6;

impl Fighter {
    pub(super) fn go_on(&mut self, sense: &Sense<'_>) {
        let time = sense.time();
        match self.phase {
            Phase::Standing => {
                let sunk = self.height_share(sense.data, sense.bodies) < SUNK.0;
                self.sunk_for = if sunk { self.sunk_for + sense.dt } else { 0.0 };
                let felled = self.dynamo.broken_for() > FELLED || self.sunk_for > FELLED;
                if felled || self.dynamo.is_unconscious() {
                    self.fell_at = time;
                    self.tally.falls += 1;
                    self.fall(time);
                } else {
                    self.fight(sense);
                }
            }
            Phase::Down { since, still_for } => {
                let still = self.is_still(sense);
                let still_for = if still { still_for + sense.dt } else { 0.0 };
                self.phase = Phase::Down { since, still_for };
                let rested = still_for > REST.1 || time - since > REST.2;
                if rested && time > self.lie_until && !self.dynamo.is_unconscious() {
                    self.settle(sense);
                }
            }
            Phase::Settling { since, start } => {
                let lasted = time - since;
                let speed = sense.data.velocity.body[sense.root()].linear.length();
                if self.dynamo.is_unconscious() || speed > RUNAWAY {
                    self.fall(time);
                } else if lasted > SETTLED.2 || lasted > SETTLED.1 && self.dynamo.error() < SETTLED.0 {
                    let cue = Cue { motion: start.motion, at: start.at, speed: 1.0, fade: 0.2 };
                    self.playlist().play(cue, time);
                    self.phase = Phase::Rising { astray_for: 0.0 };
                }
            }
            Phase::Rising { astray_for } => self.rise(sense, astray_for),
            Phase::Steadying { since } => self.steady(sense, since),
        }
    }

    /// Lets go.
    fn fall(&mut self, time: f64) {
        self.dynamo.options.balance = self.options.dynamo.balance;
        self.dynamo.break_spring();
        // Two who lie on each other should not get up at once.
        let both = self.options.opponent.is_some() && self.opponent_up_for < FAIRNESS;
        self.lie_until = time + if both { 3.0 * self.mind.hesitate() } else { 0.0 };
        self.planned = None;
        self.sunk_for = 0.0;
        self.phase = Phase::Down { since: time, still_for: 0.0 };
    }

    /// Chooses how to get up.
    fn settle(&mut self, sense: &Sense<'_>) {
        let own = &sense.data.position.world_from_body[sense.bodies];
        self.places.iter_mut().zip(own).for_each(|(p, t)| *p = t.translation);
        let start = self.repertoire.lying().nearest(&mut self.places, &own[0].rotation);
        let cue = Cue { motion: start.motion, at: start.at, speed: 0.0, fade: ROLL };
        self.playlist().begin_from(&sense.state.q[sense.tree().coordinates]);
        self.playlist().play(cue, sense.time());
        self.dynamo.options.balance = Balance::Unpowered;
        self.dynamo.rearm();
        self.phase = Phase::Settling { since: sense.time(), start };
    }

    fn rise(&mut self, sense: &Sense<'_>, astray_for: f64) {
        let time = sense.time();
        let actual = sense.data.position.world_from_body[sense.root()].rotation;
        let astray = tilt_error(&root_rotation(&self.wanted), &actual).length() > ASTRAY.0;
        let astray_for = if astray { astray_for + sense.dt } else { 0.0 };
        let playlist = self.playlist();
        let (motion, clip_time) = (playlist.motion(), playlist.clip_time(time));
        let left = self.repertoire.motions()[motion].duration - clip_time;
        let high = self.height_share(sense.data, sense.bodies) > SUNK.1;
        self.phase = Phase::Rising { astray_for };
        if self.dynamo.is_unconscious() || astray_for > ASTRAY.1 || left < -GRACE {
            self.fall(time);
        } else if left < 0.15 && high && sense.own.stands_on_something() {
            self.playlist().play(Cue { motion: Move::Guard.motion(), at: 0.0, speed: 1.0, fade: 0.4 }, time);
            self.phase = Phase::Steadying { since: time };
        }
    }

    /// Takes up the guard before the weak spring holds it alone.
    fn steady(&mut self, sense: &Sense<'_>, since: f64) {
        let time = sense.time();
        let high = self.height_share(sense.data, sense.bodies) > SUNK.0;
        if self.dynamo.is_unconscious() || !high {
            self.fall(time);
        } else if time - since > STEADY {
            self.tally.recoveries += 1;
            self.tally.longest = self.tally.longest.max(time - self.fell_at);
            self.dynamo.options.balance = self.options.dynamo.balance;
            self.dynamo.rearm();
            self.heading = None;
            if self.bout.stand() {
                self.hurt.amount = 0.0;
            }
            self.phase = Phase::Standing;
        }
    }

    /// Joint dampers of a rag doll.
    pub(super) fn slacken(&self, sense: &Sense<'_>, out: &mut Actuation) {
        for (body, damping) in sense.model.bodies()[sense.bodies].iter().zip(&self.joint_damping) {
            let (q, v) = (body.coordinates(), body.freedoms());
            out.servo.target_q[q].copy_from_slice(&sense.state.q[q]);
            out.servo.damping[v].fill(self.options.tone * damping);
        }
    }
}
