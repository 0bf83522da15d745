//! Standing balance by the legs' joints alone (Mandel and Zordan 2005, "Standing Balance"; virtual model control: `bearing.rs`).
//!
//! ```text
//! (1)  g = mid of the ankles + (c̄ - mid of the motion's ankles)       where the centre of mass is wanted, over the soles
//! (2)  p = g + k (ξ - g),  kept on the soles                           where the ground is to press: F_r of the talk, as a place
//! (3)  M = F × X at ankles, knees and hips                             what the joints give for it, shared by load
//! (4)  e = p wanted - p on the soles                                   what ankles cannot do: hips and arms turn with the fall
//! ```
//! The talk's force `k_r err - b_r ėrr` is (2) in other words: the ground that presses at `p` pushes the centre of mass with `m g (c - p)/z`. Kept on the soles, the torque of an
//! ankle never tips its foot, which is all the limit there is. (4) is angular momentum: a trunk that bends and arms that whirl in the sense of the fall push the
//! rest of the body back.

use stuntlab_mocap::Side;
use stuntlab_mocap::character::Physique;
use stuntlab_physics::Actuation;
use stuntlab_physics::glam::{DQuat, DVec2, DVec3};

use crate::bearing::{Bearing, Standing};
use crate::controller::Sense;
use crate::joint_axes::add_torque;
use crate::kind::Refusal;
use crate::walking::{Biped, heading_of};

/// How far within the edge of a sole the ground presses at most, m: nearer, it presses on a line and the foot tips.
const INSET: f64 = 0.01;
/// Share of the soles' length, from either end, within which the centre of mass is wanted: people stand so (Winter 1995: a third before the ankle), and may be pushed from
/// before and from behind alike.
const SAFE: f64 = 0.4;
/// Share of the weight on a foot with which it fully bears.
const BEARS: f64 = 0.1;

/// How a body stands, after a look.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Poise {
    /// Whether a foot bears at all.
    pub stands: bool,
    /// Direction of the feet, rad about +z from +x.
    pub heading: f64,
    /// (4), forward and left, m.
    pub beyond: DVec2,
    /// How much each foot bears, 0 to 1 from `BEARS` of the weight on.
    pub bears: [f64; 2],
}

/// What the ground is to give one foot, world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Press {
    /// Where it presses, m.
    pub point: DVec3,
    /// `F`, N.
    pub force: DVec3,
}

/// Balance of one character.
#[derive(Clone, Debug)]
pub struct Balance {
    biped: Biped,
}

/// What the motion wants of the feet and the centre of mass, in its own place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wanted {
    /// Ankles, left and right, m.
    pub ankles: [DVec3; 2],
    /// Centre of mass, m.
    pub center_of_mass: DVec3,
    /// Direction of the feet, rad.
    pub heading: f64,
}

impl Balance {
    /// Of a figure on two legs.
    ///
    /// # Errors
    /// Any other figure.
    pub fn new(physique: &Physique) -> Result<Self, Refusal> {
        Ok(Self { biped: Biped::of(physique)? })
    }

    pub(crate) fn biped(&self) -> &Biped {
        &self.biped
    }

    /// How it stands, without doing anything about it.
    fn poise(&self, sense: &Sense<'_>) -> Poise {
        let weight = sense.own.mass() * sense.model.gravity().length();
        let bears = Side::BOTH.map(|side| (sense.own.load(side) / (BEARS * weight)).clamp(0.0, 1.0));
        let forward: DVec2 = Side::BOTH
            .into_iter()
            .map(|side| DVec2::from_angle(heading_of(sense, self.biped.leg(side).foot)))
            .sum();
        let heading = if forward.length() > 0.1 { forward.to_angle() } else { 0.0 };
        Poise { stands: bears[0] + bears[1] > 0.0, heading, beyond: DVec2::ZERO, bears }
    }

    /// (1) to (4): writes what the legs' joints give, on top of whatever tracks the motion.
    pub fn act(&self, sense: &Sense<'_>, wanted: &Wanted, strength: f64, out: &mut Actuation) -> Poise {
        let (poise, presses) = self.press(sense, wanted, strength);
        if !poise.stands {
            return poise;
        }
        for (side, press) in Side::BOTH.into_iter().zip(presses) {
            let bearing = Bearing { point: press.point, force: press.force };
            let leg = self.biped.leg(side);
            for bone in [leg.thigh, leg.shank, leg.foot] {
                let body = sense.body_of(bone);
                let joint = sense.data.world_from_body(body).translation;
                add_torque(sense.model, sense.data, body, bearing.torque_at(joint), out); // (3)
            }
        }
        poise
    }

    /// (1) and (2): how it stands, and where and how the ground is to press under each foot; nothing where no foot bears.
    pub fn press(&self, sense: &Sense<'_>, wanted: &Wanted, strength: f64) -> (Poise, [Press; 2]) {
        let mut poise = self.poise(sense);
        let nothing = Press { point: DVec3::ZERO, force: DVec3::ZERO };
        if !poise.stands {
            return (poise, [nothing; 2]);
        }
        let world = DQuat::from_rotation_z(poise.heading);
        let own = |v: DVec3| world.conjugate() * v;
        let ground = sense.own.ground();
        let place =
            |side: Side| sense.data.world_from_body(sense.body_of(self.biped.leg(side).foot)).translation;
        let mut feet = Side::BOTH.map(|side| own(place(side)).with_z(ground));
        let [left, right] = poise.bears;
        // A foot in the air bears nothing: both are where the other is.
        if left == 0.0 {
            feet[0] = feet[1];
        } else if right == 0.0 {
            feet[1] = feet[0];
        }
        let edges = self.edges(sense, &poise, own);
        let mid = 0.5 * (feet[0] + feet[1]).truncate();
        let way = wanted.center_of_mass - 0.5 * (wanted.ankles[0] + wanted.ankles[1]);
        let way = (DQuat::from_rotation_z(-wanted.heading) * way).truncate();
        let half = 0.5 * (feet[0] - feet[1]).truncate().abs();
        let (least, most) = (edges[0] - half, edges[1] + half);
        let safe = SAFE * (most - least);
        let goal = mid + way.clamp(least + safe, most - safe);
        let standing = Standing {
            feet,
            edges,
            center_of_mass: own(sense.own.center_of_mass()),
            capture_point: own(sense.own.capture_point()).truncate(),
            weight: strength * sense.own.mass() * sense.model.gravity().length(),
        };
        let bearings = standing.bear(goal);
        poise.beyond = standing.beyond(goal);
        let one_foot = (left == 0.0) != (right == 0.0);
        let presses = Side::BOTH.map(|side| {
            let k = side as usize;
            let mut bearing = bearings[k];
            if one_foot {
                bearing.force = if poise.bears[k] > 0.0 { 2.0 * bearing.force } else { DVec3::ZERO };
            }
            Press { point: world * bearing.point, force: world * bearing.force }
        });
        (poise, presses)
    }

    /// How far from the ankles the soles that bear reach, least and most, forward and left, m.
    fn edges(&self, sense: &Sense<'_>, poise: &Poise, own: impl Fn(DVec3) -> DVec3) -> [DVec2; 2] {
        let mut edges = [DVec2::splat(f64::NEG_INFINITY), DVec2::splat(f64::INFINITY)];
        for side in Side::BOTH.into_iter().filter(|side| poise.bears[*side as usize] > 0.0) {
            let ankle = sense.data.world_from_body(sense.body_of(self.biped.leg(side).foot)).translation;
            let soles = sense.own.physique().soles().iter().filter(|sole| sole.side == side);
            let (mut least, mut most) = (DVec2::splat(f64::INFINITY), DVec2::splat(f64::NEG_INFINITY));
            for sole in soles {
                let point =
                    sense.data.world_from_body(sense.body_of(sole.bone)).transform_point(sole.point_body);
                let off = own(point - ankle).truncate();
                (least, most) = (least.min(off), most.max(off));
            }
            edges = [edges[0].max(least + DVec2::splat(INSET)), edges[1].min(most - DVec2::splat(INSET))];
        }
        [edges[0].min(DVec2::ZERO), edges[1].max(DVec2::ZERO)]
    }
}
