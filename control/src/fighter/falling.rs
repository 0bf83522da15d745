//! Going down and getting up: the phases of a fighter and what leads from one to the next.

use stuntlab_physics::Actuation;
use stuntlab_physics::glam::DMat3;

use super::aid::{root_rotation, tilt_error, write_root};
use super::{Cue, Fighter, Move, Phase};
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
/// Seconds in which it comes to the first pose of getting up.
const ROLL: f64 = 0.7;
/// Settled: how far off in rad, least and most seconds; who comes to rest goes on, too.
const SETTLED: (f64, f64, f64) = (0.25, 0.55, 2.0);
/// Speed of the pelvis (m/s) at which one who settles does not settle but rolls: it lets go.
const RUNAWAY: f64 = 2.0;
/// Far from the clip: angle in rad, and seconds of it after which getting up has failed.
const ASTRAY: (f64, f64) = (0.9, 0.5);
/// Mean bone error with which one who lies on the belly begins to push up, rad.
const NEAR: f64 = 0.6;
/// Turns after which one who is not on the belly lies down again.
const TURNS: u32 = 6;
/// Errors (rad) up to which a way up goes at its own pace, and at which it waits: who pushes up takes the time that it takes.
const PACE: (f64, f64) = (0.15, 0.5);
/// Share of its pace at which it goes on all the same.
const SLOWEST: f64 = 0.1;
/// Times its own length after which a way up has failed.
const LONGEST: f64 = 1.6;
/// Seconds to take up the guard.
const STEADY: f64 = 0.8;
/// Seconds after the end of a get-up clip in which it must stand.
const GRACE: f64 = 0.6;

/// How one lies.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Lies {
    Supine {
        /// Whether its left side is the lower one.
        left: bool,
    },
    Aside {
        /// Whether it is the left one.
        left: bool,
    },
    Prone,
}

/// Upward component of the pelvis' front below which one lies on the belly, reversed.
const FLAT: f64 = 0.6;
/// Upward component of the pelvis' front above which one would roll on to the back: the joints' way to the belly throws it there.
const BACKWARDS: f64 = 0.25;

impl Lies {
    /// Of one whose pelvis is turned so.
    fn of(pelvis: &DMat3) -> Self {
        let (front, left) = (pelvis.x_axis.z, pelvis.y_axis.z < 0.0);
        if front > BACKWARDS {
            Self::Supine { left }
        } else if front > -FLAT && pelvis.z_axis.z < FLAT {
            Self::Aside { left }
        } else {
            Self::Prone
        }
    }
}

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
                if self.options.rises && rested && time > self.lie_until && !self.dynamo.is_unconscious() {
                    self.settle(sense, 0);
                }
            }
            Phase::Settling { since, start, turns } => {
                let lasted = time - since;
                let speed = sense.data.velocity.body[sense.root()].linear.length();
                if self.dynamo.is_unconscious() || speed > RUNAWAY {
                    self.fall(time);
                } else if lasted > SETTLED.2
                    || lasted > SETTLED.1 && (self.off(sense) < SETTLED.0 || self.is_still(sense))
                {
                    match start {
                        Some(start) if self.off(sense) < NEAR => {
                            let cue = Cue { motion: start.motion, at: start.at, speed: 1.0, fade: 0.2 };
                            self.playlist().play(cue, time);
                            self.phase = Phase::Rising { since: time, astray_for: 0.0 };
                        }
                        _ if turns < TURNS => self.settle(sense, turns + 1),
                        _ => self.fall(time),
                    }
                }
            }
            Phase::Rising { since, astray_for } => self.rise(sense, since, astray_for),
            Phase::Steadying { since } => self.steady(sense, since),
        }
    }

    /// Angle that it is off what it plays, rad: the mean of the bones', or the tilt of the pelvis.
    fn off(&self, sense: &Sense<'_>) -> f64 {
        let actual = sense.data.position.world_from_body[sense.root()].rotation;
        self.dynamo.error().max(tilt_error(&root_rotation(&self.wanted), &actual).length())
    }

    /// Lets go.
    fn fall(&mut self, time: f64) {
        self.dynamo.options.balance = self.options.dynamo.balance;
        self.dynamo.break_spring();
        // Two who lie on each other should not get up at once.
        let both = self.options.opponent.is_some() && self.opponent_up_for < self.options.style.fairness;
        self.lie_until = time + if both { 3.0 * self.mind.hesitate() } else { 0.0 };
        self.planned = None;
        self.sunk_for = 0.0;
        self.phase = Phase::Down { since: time, still_for: 0.0 };
    }

    /// Turns on, to a side and on to the belly, or comes to where a way up begins.
    fn settle(&mut self, sense: &Sense<'_>, turns: u32) {
        let own = &sense.data.position.world_from_body[sense.bodies];
        let (motion, at, start) = match Lies::of(&own[0].rotation) {
            Lies::Supine { left } => (self.repertoire.roll_over(left), 0.0, None),
            Lies::Aside { left } => (self.repertoire.roll_over(left), f64::INFINITY, None),
            Lies::Prone => {
                self.places.iter_mut().zip(own).for_each(|(p, t)| *p = t.translation);
                let start = self.repertoire.lying().nearest(&mut self.places, &own[0].rotation);
                (start.motion, start.at, Some(start))
            }
        };
        let cue = Cue { motion, at, speed: 0.0, fade: ROLL };
        // Wherever and however the figure was put into the scene, motions are in axes of the world.
        let mut pose = std::mem::take(&mut self.wanted);
        pose.copy_from_slice(&sense.state.q[sense.tree().coordinates]);
        write_root(&own[0], &mut pose);
        self.playlist().begin_from(&pose);
        self.wanted = pose;
        self.playlist().play(cue, sense.time());
        self.dynamo.options.balance = Balance::Unpowered;
        self.dynamo.rearm();
        self.phase = Phase::Settling { since: sense.time(), start, turns };
    }

    fn rise(&mut self, sense: &Sense<'_>, since: f64, astray_for: f64) {
        let time = sense.time();
        let actual = sense.data.position.world_from_body[sense.root()].rotation;
        let tilt = tilt_error(&root_rotation(&self.wanted), &actual).length();
        let astray_for = if tilt > ASTRAY.0 { astray_for + sense.dt } else { 0.0 };
        let off = self.dynamo.error().max(tilt);
        let pace = ((PACE.1 - off) / (PACE.1 - PACE.0)).clamp(SLOWEST, 1.0);
        let playlist = self.playlist();
        playlist.set_pace(pace, time);
        let (motion, clip_time) = (playlist.motion(), playlist.clip_time(time));
        let duration = self.repertoire.motions()[motion].duration;
        let left = duration - clip_time;
        let high = self.height_share(sense.data, sense.bodies) > SUNK.1;
        self.phase = Phase::Rising { since, astray_for };
        let given_up = time - since > LONGEST * duration;
        if self.dynamo.is_unconscious() || astray_for > ASTRAY.1 || left < -GRACE || given_up {
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
