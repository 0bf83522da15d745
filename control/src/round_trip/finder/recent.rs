//! Where a body's joints were in the last moments: the window that is compared with motions after an impact.

use std::sync::Arc;

use stuntlab_mocap::JointId;
use stuntlab_mocap::character::BodyPoint;
use stuntlab_physics::glam::DVec3;

use crate::controller::Sense;

/// Moments that are kept, and the least time between two of them, s: a quarter of a second, between whose moments straight lines are off by millimetres.
const KEPT: usize = 16;
const SPACING: f64 = 1.0 / 61.0;

/// What a body did of late.
#[derive(Clone, Debug)]
pub(super) struct Recent {
    points: Arc<[(JointId, BodyPoint)]>,
    times: [f64; KEPT],
    /// One moment after the other.
    places: Vec<DVec3>,
    /// How many moments there have been.
    seen: usize,
}

impl Recent {
    pub(super) fn new(points: Arc<[(JointId, BodyPoint)]>) -> Self {
        Self { times: [0.0; KEPT], places: vec![DVec3::ZERO; KEPT * points.len()], seen: 0, points }
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.seen = 0;
    }

    /// Looks at the body as it is now.
    pub(super) fn look(&mut self, sense: &Sense<'_>) {
        let time = sense.time();
        if self.seen > 0 && time - self.times[(self.seen - 1) % KEPT] < SPACING {
            return;
        }
        let slot = self.seen % KEPT;
        self.times[slot] = time;
        let n = self.points.len();
        for (place, (_, point)) in self.places[slot * n..(slot + 1) * n].iter_mut().zip(&*self.points) {
            let body = sense.bodies.at(point.body.index());
            *place = sense.data.world_from_body(body).transform_point(point.point_body);
        }
        self.seen += 1;
    }

    /// Whether it is known where it was from so long ago on until `now`.
    pub(super) fn reaches(&self, back: f64, now: f64) -> bool {
        let oldest = self.seen.saturating_sub(KEPT);
        self.seen > 0 && self.times[oldest % KEPT] <= now - back
    }

    /// Where a point was at a time that is known, m; `now` is where it is at `(time, place)`.
    pub(super) fn place(&self, point: usize, time: f64, now: (f64, DVec3)) -> DVec3 {
        let at = |k: usize| (self.times[k % KEPT], self.places[(k % KEPT) * self.points.len() + point]);
        let mut later = now;
        for k in (self.seen.saturating_sub(KEPT)..self.seen).rev() {
            let earlier = at(k);
            if earlier.0 <= time {
                let whole = later.0 - earlier.0;
                let share = if whole > 0.0 { ((time - earlier.0) / whole).clamp(0.0, 1.0) } else { 0.0 };
                return earlier.1.lerp(later.1, share);
            }
            later = earlier;
        }
        later.1
    }
}
