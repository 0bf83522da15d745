//! Where it wants to be: a moment of a motion at a place, going or held.

use stuntlab_physics::Model;
use stuntlab_physics::dynamics::{forward_kinematics, forward_velocity};

use super::RoundTrip;
use super::finder::{Found, OWN_MOTION};
use super::place::Place;
use crate::controller::Sense;
use crate::reference::Reference;

/// A motion from a moment of it on, at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Passage {
    /// Which: its own, or a way back of this number less one.
    pub(super) motion: usize,
    /// Time of the motion at `since`, s.
    pub(super) at: f64,
    /// When it began, s.
    pub(super) since: f64,
    /// How fast it goes: 1, or 0 while it is held.
    pub(super) speed: f64,
    /// Where.
    pub(super) place: Place,
    /// How much higher than its place it is, m, and since when that goes, s.
    pub(super) sinking: Option<(f64, f64)>,
    /// Whether it stays at its place; else it is put where the body is while that docks.
    pub(super) stays: bool,
}

/// Time in which a motion that was put higher or lower than the ground is back on it, s: long before feet stand.
const SINKING: f64 = 1.0;

impl Passage {
    /// Its own motion, as it has been all along.
    pub(super) fn own(time: f64) -> Self {
        Self {
            motion: OWN_MOTION,
            at: time,
            since: time,
            speed: 1.0,
            place: Place::HERE,
            sinking: None,
            stays: false,
        }
    }

    /// What was found, from a time on.
    pub(super) fn found(found: &Found, time: f64, speed: f64) -> Self {
        let Found { motion, at, place, .. } = *found;
        Self { motion, at, since: time, speed, place, sinking: None, stays: false }
    }

    /// Time of the motion.
    pub(super) fn clip_time(&self, time: f64) -> f64 {
        self.at + self.speed * (time - self.since)
    }

    /// Held or let go on from where it is.
    pub(super) fn at_speed(self, speed: f64, time: f64) -> Self {
        Self { at: self.clip_time(time), since: time, speed, ..self }
    }

    /// Its coordinates at a time.
    pub(super) fn write(&self, motions: &mut [Box<dyn Reference>], own: &Model, time: f64, q: &mut [f64]) {
        motions[self.motion].write(self.clip_time(time), q);
        let mut place = self.place;
        if let Some((height, since)) = self.sinking {
            let s = ((time - since) / SINKING).clamp(0.0, 1.0);
            place.shift.z += height * (1.0 - s * s * (3.0 - 2.0 * s));
        }
        place.put(own, q);
    }

    /// From now on it sinks to the height of the ground.
    pub(super) fn sink(&mut self, ground: f64, time: f64) {
        let height = self.place.shift.z - ground;
        self.sinking = (height != 0.0).then_some((height, time));
        self.place.shift.z = ground;
    }
}

impl RoundTrip {
    /// Looks at the target now and at the end of the step: coordinates and rates.
    pub(super) fn aim(&mut self, sense: &Sense<'_>) {
        let (own, h) = (&self.own, sense.dt);
        self.passage.write(&mut self.motions, own, sense.time(), &mut self.wanted.q);
        self.passage.write(&mut self.motions, own, sense.time() + h, &mut self.next.q);
        self.wanted.difference(own, &self.next, &mut self.ways);
        for (v, way) in self.wanted.v.iter_mut().zip(&self.ways) {
            *v = way / h;
        }
        self.next.v.copy_from_slice(&self.wanted.v);
    }

    /// Has the body's own position and velocity be what the blend into the target begins with.
    pub(super) fn blend_in(&mut self, sense: &Sense<'_>, seconds: f64) {
        self.aim(sense);
        let tree = sense.tree();
        self.actual.q.copy_from_slice(&sense.state.q[tree.coordinates]);
        self.actual.v.copy_from_slice(&sense.state.v[tree.freedoms]);
        self.remainder.keep(&self.own, &self.actual, &self.wanted, sense.time(), seconds);
        // Who is to snap does so with both feet.
        if seconds > 0.0 {
            self.feet.begin(sense, &self.own, &self.wanted.q);
        } else {
            self.feet.clear();
        }
    }

    /// Bodies of the target at the end of the step and their velocities, into `target`.
    pub(super) fn look_at_target(&mut self) {
        forward_kinematics(&self.own, &self.next, &mut self.target);
        forward_velocity(&self.own, &self.next, &mut self.target);
    }
}
