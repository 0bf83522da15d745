//! Several motions one after the other, faded into each other by interpolating the wanted world-space poses (Wrotek
//! 2006, section 3.4: "we simply linearly interpolate the world space desired poses").
//!
//! A motion that comes in is turned about the vertical so that its root heads where the one before it was heading; its
//! weight then rises smoothly to one and the others' fall in proportion, so the weights always sum to one.
//!
//! However fast motions follow each other, a bounded number of them sounds: the oldest gives way to the one after it, which
//! goes on from the pose and the rates the two had together ([`Remnant`]). Nothing jumps.

use stuntlab_physics::Model;
use stuntlab_physics::glam::DQuat;

use super::remnant::{Fall, Moment, Remnant};
use super::{Attitudes, Reference};

#[derive(Clone)]
struct Track {
    reference: Box<dyn Reference>,
    started: f64,
    /// Time over which it comes in; zero for the first.
    fade: f64,
    /// Turn that made its heading that of the others when it came in; found at its first use.
    heading: Option<DQuat>,
}

/// Fades between motions.
#[derive(Clone)]
pub struct Medley {
    tracks: Vec<Track>,
    /// What motions that gave way still add to the oldest.
    remnant: Remnant,
    /// Time at which the oldest took over from others, s.
    took_over: f64,
    scratch: Attitudes,
}

/// Motions that may sound at once; the oldest gives way.
const MOST_TRACKS: usize = 4;

/// Time over which the speed of what gives way is measured, s: short beside any motion, long beside rounding.
const BRIEF: f64 = 1e-6;

impl Medley {
    /// One motion from `time` on.
    pub fn new(reference: Box<dyn Reference>, time: f64) -> Self {
        let mut tracks = Vec::with_capacity(MOST_TRACKS + 1);
        tracks.push(Track { reference, started: time, fade: 0.0, heading: Some(DQuat::IDENTITY) });
        Self { tracks, remnant: Remnant::default(), took_over: time, scratch: Attitudes::default() }
    }

    /// Brings in another motion at `time`, over `fade` seconds.
    pub fn follow(&mut self, reference: Box<dyn Reference>, time: f64, fade: f64) {
        // One that nobody has looked at yet has changed nothing; it is not missed.
        self.tracks.pop_if(|newest| newest.heading.is_none());
        self.tracks.push(Track { reference, started: time, fade, heading: None });
    }

    /// The newest motion.
    pub fn newest_mut(&mut self) -> &mut dyn Reference {
        self.tracks.last_mut().expect("a medley always has a track").reference.as_mut()
    }

    /// Weight of every motion at `time`, oldest first; they sum to one.
    pub fn weights(&self, time: f64) -> impl Iterator<Item = f64> {
        self.tracks.iter().enumerate().map(move |(k, track)| {
            let after = self.tracks[k + 1..].iter();
            let own = if k == 0 { 1.0 } else { track.rise(time) };
            after.fold(own, |w, later| w * (1.0 - later.rise(time)))
        })
    }

    /// Writes the newest motion's coordinates at `time`.
    pub fn write(&mut self, time: f64, q: &mut [f64]) {
        if let Some(track) = self.tracks.last_mut() {
            track.reference.write(time - track.started, q);
        }
    }

    /// What every bone should do at `time`; motions that have faded out are dropped.
    pub fn attitudes(&mut self, model: &Model, time: f64, out: &mut Attitudes) {
        if let Some(k) = self.tracks.iter().rposition(|t| t.rise(time) >= 1.0) {
            self.tracks.drain(..k);
            self.remnant.clear();
        }
        if self.scratch.len() != out.len() {
            self.scratch = Attitudes::new(out.len());
        }
        if self.tracks.len() > MOST_TRACKS {
            self.give_way(model, time);
        }
        self.oldest(model, time, out);
        for track in &mut self.tracks[1..] {
            track.heading.get_or_insert_with(|| {
                track.reference.attitudes(model, time - track.started, &mut self.scratch);
                heading_turn(self.scratch.orientation[0], out.orientation[0])
            });
            track.sample(model, time, &mut self.scratch);
            out.blend(&self.scratch, track.rise(time));
        }
    }

    /// The oldest motion with what is left of those before it.
    fn oldest(&mut self, model: &Model, time: f64, out: &mut Attitudes) {
        let oldest = &mut self.tracks[0];
        oldest.sample(model, time, out);
        let left = (1.0 - oldest.rise(time)) / (1.0 - oldest.rise(self.took_over));
        if left > 0.0 {
            self.remnant.add(time, left, out);
        }
    }

    /// Lets the oldest motion give way to the next, which goes on from where the two are.
    fn give_way(&mut self, model: &Model, time: f64) {
        let mut look = |time: f64| {
            let (mut old, mut new) = (self.scratch.clone(), self.scratch.clone());
            self.oldest(model, time, &mut old);
            self.tracks[1].sample(model, time, &mut new);
            old.blend(&new, self.tracks[1].rise(time));
            (old, new)
        };
        let (before, now) = (look(time - BRIEF), look(time));
        let old = Moment { before: &before.0, now: &now.0 };
        let new = Moment { before: &before.1, now: &now.1 };
        let fall = self.tracks[1].fall(time);
        self.remnant.keep(time, BRIEF, old, new, fall);
        self.took_over = time;
        self.tracks.remove(0);
    }
}

impl Track {
    fn sample(&mut self, model: &Model, time: f64, out: &mut Attitudes) {
        self.reference.attitudes(model, time - self.started, out);
        if let Some(heading) = self.heading.filter(|h| *h != DQuat::IDENTITY) {
            out.turn(heading);
        }
    }

    /// How the weight of those before it falls; asked only while it rises.
    fn fall(&self, time: f64) -> Fall {
        let s = ((time - self.started) / self.fade).clamp(0.0, 1.0);
        let slope = 6.0 * s * (1.0 - s) / self.fade;
        Fall { rate: -slope / (1.0 - self.rise(time)), left: self.fade * (1.0 - s) }
    }

    /// Smooth rise from 0 to 1, without a jump in velocity at either end.
    fn rise(&self, time: f64) -> f64 {
        if self.fade <= 0.0 {
            return 1.0;
        }
        let s = ((time - self.started) / self.fade).clamp(0.0, 1.0);
        s * s * (3.0 - 2.0 * s)
    }
}

/// Turn about the vertical that brings `from` as near to `to` as any.
pub fn heading_turn(from: DQuat, to: DQuat) -> DQuat {
    let r = to * from.conjugate();
    twist(r.w, r.z)
}

/// The rotation about z with this w and z, up to scale; none where both vanish.
pub(crate) fn twist(w: f64, z: f64) -> DQuat {
    let size = w.hypot(z);
    if size < 1e-12 { DQuat::IDENTITY } else { DQuat::from_xyzw(0.0, 0.0, z / size, w / size) }
}
