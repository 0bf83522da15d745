//! What one on a round trip says about itself.

use super::{Phase, RoundTrip};
use crate::readings::{Published, Together};

const fn row(name: &'static str, unit: &'static str, help: &'static str, together: Together) -> Published {
    Published { name, unit, help, together }
}

pub(super) const PUBLISHED: [Published; 13] = [
    row("moving", "", "How it moves: 0 played back, 1 simulated, 2 docking", Together::Most),
    row(
        "trip-phase",
        "",
        "Where on its round trip: 0 in its motion, 1 reacting on its feet, 2 falling, 3 settling, 4 docking, 5 in a clip that leads back, 6 crawling on to where it can get up, 7 tracking what it found while the hit acts",
        Together::Most,
    ),
    row("trip-switches", "", "Switches between ways of moving so far", Together::Sum),
    row(
        "trip-cause",
        "",
        "What made it switch last: 1 a push, 2 a blow, 3 a command, 4 balance lost, 5 rest, 6 it was near enough, 7 a clip or the hit was over, 8 time was up",
        Together::Most,
    ),
    row(
        "splice",
        "m",
        "Root mean square distance of its joints from the motion at the last splice",
        Together::Most,
    ),
    row("farthest-splice", "m", "The largest of these distances so far", Together::Most),
    row("docking", "of 1", "Sum of all docking forces per weight: an aid", Together::Most),
    row("aided", "s", "Seconds of docking forces so far", Together::Most),
    row("returns", "", "Times it was back in its motion so far", Together::Sum),
    row("away", "s", "Seconds since it left its motion; 0 in it", Together::Most),
    row("longest-away", "s", "Longest time it was away from its motion so far", Together::Most),
    row("trip-falls", "", "Times it fell so far", Together::Sum),
    row("trip-staggers", "", "Times it caught itself by a stagger so far", Together::Sum),
];

impl RoundTrip {
    pub(super) fn publish(&mut self, time: f64) {
        let (moving, phase) = match self.phase {
            Phase::Playing if self.is_home() => (0.0, 0.0),
            Phase::Playing => (0.0, 5.0),
            Phase::Reacting { .. } => (1.0, 1.0),
            Phase::Falling { .. } => (1.0, 2.0),
            Phase::Settling { .. } => (1.0, 3.0),
            Phase::Docking { .. } => (2.0, 4.0),
            Phase::Crawling { .. } => (2.0, 6.0),
            Phase::Tracking { .. } => (1.0, 7.0),
        };
        let away = self.left.map_or(0.0, |left| time - left);
        self.longest = self.longest.max(away);
        self.values = [
            moving,
            phase,
            f64::from(self.switches),
            f64::from(self.cause as u8),
            self.splice,
            self.farthest,
            self.docking,
            self.aided,
            f64::from(self.returns),
            away,
            self.longest,
            f64::from(self.falls),
            f64::from(self.staggers),
        ];
    }
}
