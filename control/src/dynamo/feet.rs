//! Feet that touch too early are lifted (Wrotek 2006, section 4.3): "a small upward force on a foot with
//! forward momentum that contacts the ground", because the body's volume is not quite the performer's.
//!
//! A foot is lifted while the motion's own foot swings and it touches something fixed, either scraping along with the
//! swing or stopped by what stands in its way, and for no longer than a moment.

use stuntlab_physics::glam::DVec3;
use stuntlab_physics::{Actuation, Model};

use super::targets::Targets;
use crate::controller::Sense;
use crate::reference::Attitudes;

/// How feet are lifted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FootLift {
    /// Upward force as a share of the body's weight; zero turns it off.
    pub force: f64,
    /// Speed of the motion's own foot above which it swings, m/s.
    pub swing_speed: f64,
    /// Longest lift, s.
    pub longest: f64,
}

impl Default for FootLift {
    fn default() -> Self {
        Self { force: 0.13, swing_speed: 0.5, longest: 0.15 }
    }
}

/// The feet and how long each has been lifted.
#[derive(Clone, Debug)]
pub(super) struct Feet {
    /// Per bone: whether it is part of a foot, and seconds of its present lift.
    lifted: Vec<Option<f64>>,
    /// Per bone: what it carried in the last step if it is part of a foot, N.
    loads: Vec<f64>,
    weight: f64,
}

impl Feet {
    pub(super) fn new(model: &Model) -> Self {
        let foot = |name: &str| ["foot", "toe"].iter().any(|w| name.to_lowercase().contains(w));
        let mass: f64 = model.bodies().iter().map(|b| b.inertia().mass).sum();
        Self {
            lifted: model.bodies().iter().map(|b| foot(b.name()).then_some(0.0)).collect(),
            loads: vec![0.0; model.n_bodies()],
            weight: mass * model.gravity().length(),
        }
    }

    /// Feels what the feet carry.
    pub(super) fn feel(&mut self, sense: &Sense<'_>) {
        let up = -sense.model.gravity().try_normalize().unwrap_or(-DVec3::Z);
        self.loads.fill(0.0);
        for contact in sense.data.memory.felt() {
            let bone = contact.body_a.wrapping_sub(sense.bodies.start);
            if self.is_foot(bone) {
                self.loads[bone] += contact.force.dot(up).max(0.0);
            }
        }
    }

    /// What every bone carries as a foot, N.
    pub(super) fn loads(&self) -> impl Iterator<Item = f64> {
        self.loads.iter().copied()
    }

    pub(super) fn is_foot(&self, bone: usize) -> bool {
        self.lifted.get(bone).is_some_and(Option::is_some)
    }

    pub(super) fn lift(
        &mut self,
        options: &FootLift,
        wanted: &Attitudes,
        targets: &Targets,
        sense: &Sense<'_>,
        strength: f64,
        out: &mut Actuation,
    ) {
        if options.force <= 0.0 {
            return;
        }
        let up = -sense.model.gravity().try_normalize().unwrap_or(-DVec3::Z);
        for (i, lifted) in self.lifted.iter_mut().enumerate() {
            let Some(time) = lifted else { continue };
            let index = sense.bodies.start + i;
            let motion = targets.heading * wanted.velocity[i];
            let swing = motion - up * up.dot(motion);
            let speed = swing.length();
            let along = sense.data.velocity.body[index].linear.dot(swing) / speed.max(1e-9);
            let felt = sense.data.memory.felt().iter();
            let mut touching = felt.filter(|f| f.body_a == index && f.body_b.is_none());
            // It scrapes along, or something stands in its way.
            let scrapes = along > 0.4 * options.swing_speed;
            let hindered = touching.any(|c| scrapes || c.normal.dot(swing) < -0.3 * speed);
            let early = speed > options.swing_speed && hindered;
            if early && *time < options.longest {
                *time += sense.dt;
                out.body_force[index].linear += up * (options.force * self.weight * strength);
            } else if speed < options.swing_speed {
                *time = 0.0;
            }
        }
    }
}
