//! Jitter: the power of angular acceleration above 10 Hz, of all bodies.

use stuntlab_physics::spatial::Transform;

use super::{Readings, Sight};
use crate::measure::Jitter;

/// How much it shakes.
pub(super) struct Shaking {
    jitter: Jitter,
    poses: Vec<Transform>,
    sum: f64,
    count: f64,
}

impl Shaking {
    pub(super) fn new(bodies: usize, dt: f64) -> Self {
        Self { jitter: Jitter::new(bodies, dt), poses: Vec::new(), sum: 0.0, count: 0.0 }
    }

    pub(super) fn look(&mut self, sight: &Sight<'_>) {
        self.poses.clear();
        self.poses.extend(sight.bodies.iter().map(|b| Transform::new(b.rotation, b.center)));
        self.jitter.follow(&self.poses, &[]);
        if let Some((power, _)) = self.jitter.power() {
            self.sum += power;
            self.count += 1.0;
        }
    }

    pub(super) fn read(&self, out: &mut Readings) {
        if self.count > 0.0 {
            out.put("jitter", (self.sum / self.count).sqrt());
        }
    }
}
