//! Slides of the foot that supports: how far it goes along the ground while it stands, against the same foot of the twin, so that a gait's
//! own rolling does not count.

use stuntlab_mocap::Side;
use stuntlab_mocap::character::{Bone, Part};
use stuntlab_physics::glam::{DVec2, DVec3};

use crate::run::World;

/// A foot of the twin that is faster than this is in the air, m/s.
const AIRBORNE: f64 = 0.4;
/// A foot that is so much higher than its twin's is in the air, m.
const LIFTED: f64 = 2e-3;

/// Looks at the feet of the first character.
#[derive(Default)]
pub(super) struct Slides {
    /// Where a foot was off its twin when it began to stand, left and right.
    stands: [Option<DVec2>; 2],
    twins: [Option<DVec3>; 2],
    farthest: f64,
}

impl Slides {
    pub(super) fn look(&mut self, world: &World, twin: &World) {
        let senses = &world.senses()[0];
        let (bodies, parts) = (senses.bodies(), senses.physique().parts());
        let ankle = |world: &World, side: Side| {
            let bone = parts.iter().position(|p| *p == Some(Part::Foot(side)))?;
            Some(world.data.world_from_body(Bone::new(bone).among(bodies)).translation)
        };
        let center = senses.center_of_mass().truncate();
        let far =
            Side::BOTH.map(|s| ankle(world, s).map_or(f64::INFINITY, |a| a.truncate().distance(center)));
        for side in Side::BOTH {
            let k = side as usize;
            let (Some(own), Some(other)) = (ankle(world, side), ankle(twin, side)) else { continue };
            let speed = self.twins[k].map_or(0.0, |before| (other - before).length() / world.options.dt);
            self.twins[k] = Some(other);
            // The leg that stands is played back: one that is simulated is not it.
            let leg = |p: &Option<Part>| matches!(p, Some(Part::Thigh(s) | Part::Shank(s) | Part::Foot(s) | Part::Toe(s)) if *s == side);
            let answers = parts.iter().enumerate().filter(|(_, p)| leg(p)).any(|(bone, _)| {
                world.controllers[0].glow(Bone::new(bone)).is_none_or(|g| g.simulated > 0.0)
            });
            let supports = far[k] <= far[1 - k] && !answers;
            if !supports || speed > AIRBORNE || (own.z - other.z).abs() > LIFTED {
                self.stands[k] = None;
                continue;
            }
            let off = (own - other).truncate();
            let from = *self.stands[k].get_or_insert(off);
            self.farthest = self.farthest.max(off.distance(from));
        }
    }

    /// The farthest, m.
    pub(super) fn farthest(&self) -> f64 {
        self.farthest
    }
}
