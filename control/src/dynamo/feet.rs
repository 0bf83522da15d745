//! Feet that touch too early are lifted (Wrotek 2006, section 4.3): "a small upward force on a foot with
//! forward momentum that contacts the ground", because the body's volume is not quite the performer's.
//!
//! A foot is lifted while the motion's own foot swings and it touches something fixed, either scraping along with the
//! swing or stopped by what stands in its way, and for no longer than a moment.

use stuntlab_mocap::character::Bone;
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
        Self { force: 0.8, swing_speed: 0.5, longest: 0.15 }
    }
}

/// How long each bone that is part of a foot has been lifted.
#[derive(Clone, Debug)]
pub(super) struct Feet {
    /// Seconds of the present lift, per bone.
    lifted: Vec<f64>,
}

impl Feet {
    pub(super) fn new(model: &Model) -> Self {
        Self { lifted: vec![0.0; model.n_bodies()] }
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
        let up = sense.own.up();
        let weight = sense.own.mass() * sense.model.gravity().length();
        let physique = sense.own.physique();
        let bones = self.lifted.iter_mut().enumerate().map(|(k, time)| (Bone::new(k), time));
        for (bone, time) in bones.filter(|(bone, _)| physique.is_foot(*bone)) {
            let body = sense.body_of(bone);
            let motion = targets.heading * wanted.velocity[bone];
            let swing = motion - up * up.dot(motion);
            let speed = swing.length();
            let along = sense.data.velocity.body[body].linear.dot(swing) / speed.max(1e-9);
            let felt = sense.data.memory.felt().iter();
            let mut touching = felt.filter(|f| f.body_a == body && f.body_b.is_none());
            // It scrapes along, or something stands in its way.
            let scrapes = along > 0.4 * options.swing_speed;
            let hindered = touching.any(|c| scrapes || c.normal.dot(swing) < -0.3 * speed);
            let early = speed > options.swing_speed && hindered;
            if early && *time < options.longest {
                *time += sense.dt;
                out.body_force[body].linear += up * (options.force * weight * strength);
            } else if speed < options.swing_speed {
                *time = 0.0;
            }
        }
    }
}
