//! Whether there is ground for a way back, and where the nearest is.
//!
//! Clips are made for level ground and played back as they are, so nobody gets up inside a flight of stairs by them. Who has come to rest where the ground is not level all along its way up
//! crawls on to the nearest place where it is, simulated: by turns it gathers its legs, in the pose of the way up in which it is on hands and knees, and stretches, in the pose in which it lies. The
//! forces of docking, no stronger than they ever are, help the half of the body that comes on, along the ground and a little up:
//!
//! ```text
//! (1)  F = b_f (v̄ - ẋ),  v̄ = v_s towards that place, v_u up,   on legs or on all else in turn, Σ |F| ≤ ½ m g          b_f of `dock`
//! ```
//! an aid like all of them. All of it would not do at once: friction holds a body that lies with four fifths of its weight, of a half only four tenths. Who does not come on is put down at that place
//! by the blend that ends every way back; where there is no such place within reach it gets up where it lies.

use stuntlab_mocap::character::Part;
use stuntlab_physics::Actuation;
use stuntlab_physics::collide::{ColliderId, Ray, cast_ray};
use stuntlab_physics::dynamics::forward_kinematics;
use stuntlab_physics::glam::{DVec2, DVec3};

use super::finder::{Found, OWN_MOTION};
use super::phases::is_turn;
use super::place::Place;
use super::target::Passage;
use super::{Cause, Phase, RoundTrip};
use crate::controller::Sense;
use crate::senses::Touch;
use crate::stand::write_servos;

/// Shares of a stagger's way at which there must be ground, and how level it must be, m.
const AHEAD: [f64; 3] = [0.25, 0.5, 1.0];
const LEVEL: f64 = 0.06;
/// Moments of the rest of a way up at which its ground is looked at.
const MOMENTS: u32 = 12;
/// Joints and soles lower than this bear, or are about to: below them the ground is level. Over what is higher there is that much air: m.
const LOW: (f64, f64) = (0.5, 0.1);
/// How far a place to get up may be, and from one that is tried to the next, m; directions.
const REACH: (f64, f64) = (3.0, 0.2);
const DIRECTIONS: u32 = 16;
/// Seconds it crawls at most, and those in which it must have come on by so much, m.
const PATIENCE: (f64, f64, f64) = (8.0, 2.5, 0.1);

/// How one crawls on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crawl {
    /// Seconds in which legs are gathered, and in which it stretches.
    pub turn: f64,
    /// Share of the way up at which it is on hands and knees.
    pub gathered: f64,
    /// Speeds `v_s` and `v_u`, m/s.
    pub speed: [f64; 2],
    /// Stiffness of joints, of those that settle.
    pub tone: f64,
}

impl Default for Crawl {
    fn default() -> Self {
        Self { turn: 0.9, gathered: 0.3, speed: [0.8, 0.9], tone: 1.0 }
    }
}

impl RoundTrip {
    /// Height of what never moves at a point, looked for from `from` on down.
    fn surface(sense: &Sense<'_>, at: DVec2, from: f64) -> Option<f64> {
        let colliders = sense.model.colliders();
        let ray = Ray { origin: at.extend(from), direction: DVec3::NEG_Z, max_distance: 100.0 };
        let is_fixed = |id: ColliderId| colliders.list()[id.index()].body.is_none();
        let hit = cast_ray(colliders, &sense.data.collision.world_from_shape, &ray, is_fixed);
        hit.map(|hit| hit.point_world.z)
    }

    /// Looks at how high the ground is. Who is played back feels nothing of the world, only what lies about: it stands where its motion was put. Who was just let go stands there, too,
    /// until it feels what bears it.
    pub(super) fn look_at_ground(&mut self, sense: &Sense<'_>) {
        if self.phase == Phase::Playing {
            self.finder.stand_on(self.finder.base() + self.passage.place.shift.z);
            return;
        }
        let bears = |(part, touch): (&Option<Part>, &Touch)| {
            let is_foot = matches!(part, Some(Part::Foot(_) | Part::Toe(_)));
            touch.ground != DVec3::ZERO || is_foot && touch.load > 0.0
        };
        if sense.own.physique().parts().iter().zip(sense.own.touches()).any(bears) {
            self.finder.stand_on(sense.own.ground());
        }
    }

    /// Height of the pelvis over the ground below it or the lowest it touches, whichever is higher, m: on stairs these differ.
    pub(super) fn over_ground(&self, sense: &Sense<'_>) -> f64 {
        let height = sense.own.pelvis_height();
        let pelvis = sense.data.world_from_body(sense.root()).translation;
        let below = Self::surface(sense, pelvis.truncate(), pelvis.z).unwrap_or(f64::NEG_INFINITY);
        height.min(pelvis.z - below)
    }

    /// Whether a way that was found goes over ground as high as the one it stands on: nobody staggers on air down a flight of stairs.
    pub(super) fn has_ground(&mut self, sense: &Sense<'_>, found: &Found) -> bool {
        if found.motion == OWN_MOTION {
            return true;
        }
        let (end, ground) = (self.motions[found.motion].duration(), self.finder.ground());
        AHEAD.iter().all(|share| {
            let at = found.at + share * (end - found.at);
            self.motions[found.motion].write(at, &mut self.wanted.q);
            let root = self.own.bodies()[0].joint().parent_from_joint;
            let at = root.transform_point(DVec3::new(self.wanted.q[0], self.wanted.q[1], self.wanted.q[2]));
            let at = found.place.point(at);
            let height = Self::surface(sense, at.truncate(), at.z);
            height.is_some_and(|height| (height - ground).abs() < LEVEL)
        })
    }

    /// Height of the ground on which a way up may be played at a place; none where it is not level, or something is in the way.
    fn room(&mut self, sense: &Sense<'_>, found: &Found, place: &Place) -> Option<f64> {
        let (end, base) = (self.motions[found.motion].duration(), self.finder.base());
        let above = self.finder.ground() + 2.0 * self.tall;
        let mut ground = None;
        // From the end on: where it stands says how high the ground is.
        for k in (0..=MOMENTS).rev() {
            let at = found.at + f64::from(k) / f64::from(MOMENTS) * (end - found.at);
            self.motions[found.motion].write(at, &mut self.wanted.q);
            forward_kinematics(&self.own, &self.wanted, &mut self.target);
            let poses = &self.target.position.world_from_body;
            let soles = sense.own.physique().soles().iter();
            let soles = soles.map(|sole| poses[sole.bone.index()].transform_point(sole.point_body));
            for point in poses.iter().map(|pose| pose.translation).chain(soles) {
                let (point, height) = (place.point(point), point.z - base);
                let surface = Self::surface(sense, point.truncate(), above)?;
                let over = surface - *ground.get_or_insert(surface);
                let (low, air) = LOW;
                if over > (height - air).max(LEVEL) || height < low && over < -LEVEL {
                    return None;
                }
            }
        }
        ground
    }

    /// Whether what was found may be played where it was found.
    pub(super) fn may_get_up(&mut self, sense: &Sense<'_>, found: &Found) -> bool {
        !self.options.level || self.room(sense, found, &found.place).is_some()
    }

    /// The way along the ground to the nearest place where a way up may be played, m; of several as near the lowest.
    fn nearest_room(&mut self, sense: &Sense<'_>, found: &Found) -> Option<DVec2> {
        let (reach, stride) = REACH;
        let mut distance = stride;
        while distance <= reach {
            let mut best: Option<(f64, DVec2)> = None;
            for k in 0..DIRECTIONS {
                let angle = std::f64::consts::TAU * f64::from(k) / f64::from(DIRECTIONS);
                let way = distance * DVec2::from_angle(found.place.yaw + angle);
                if let Some(ground) = self.room(sense, found, &shifted(&found.place, way))
                    && best.is_none_or(|(lowest, _)| ground < lowest)
                {
                    best = Some((ground, way));
                }
            }
            if let Some((_, way)) = best {
                return Some(way);
            }
            distance += stride;
        }
        None
    }

    /// Crawls on where there is no room for what was found, if there is some elsewhere.
    pub(super) fn crawl_on(&mut self, sense: &Sense<'_>, found: &Found, cause: Cause) -> bool {
        if self.may_get_up(sense, found) {
            return false;
        }
        let Some(way) = self.nearest_room(sense, found) else { return false };
        let time = sense.time();
        self.passage = Passage::found(found, time, 0.0);
        let here = sense.own.center_of_mass().truncate();
        self.switch(Phase::Crawling { since: time, to: here + way, last: (time, here) }, cause);
        true
    }

    /// Whether one who crawls on may get up where it is by now, or does not come on.
    pub(super) fn look_for_room(&mut self, sense: &Sense<'_>, since: f64, last: (f64, DVec2)) {
        let (time, here) = (sense.time(), sense.own.center_of_mass().truncate());
        if !is_turn(time, sense.dt) {
            return;
        }
        let Some(found) = self.finder.lying(sense, &mut self.motions) else { return };
        if self.may_get_up(sense, &found) {
            return self.settle_into(sense, &found, Cause::Near);
        }
        let (longest, a_while, far) = PATIENCE;
        let stuck = time - last.0 > a_while && here.distance(last.1) < far;
        if stuck || time - since > longest {
            // To the place that was looked for, as it is.
            let way = self.nearest_room(sense, &found).unwrap_or(DVec2::ZERO);
            let ground = self.room(sense, &found, &shifted(&found.place, way));
            self.settle_into(sense, &found, Cause::Late);
            self.passage.place = shifted(&found.place, way);
            self.passage.place.shift.z = ground.map_or(found.place.shift.z, |g| g - self.finder.base());
            self.passage.stays = ground.is_some();
            return;
        }
        (self.passage.place, self.passage.motion) = (found.place, found.motion);
        if let Phase::Crawling { last, .. } = &mut self.phase
            && time - last.0 > a_while
        {
            *last = (time, here);
        }
    }

    /// (1), and joints that gather and stretch.
    pub(super) fn crawl(&mut self, sense: &Sense<'_>, since: f64, to: DVec2, out: &mut Actuation) {
        let (crawl, lasted) = (self.options.crawl, sense.time() - since);
        let gathers = ((lasted / crawl.turn) as u64).is_multiple_of(2);
        let length = self.motions[self.passage.motion].duration();
        self.passage.at = if gathers { crawl.gathered * length } else { 0.0 };
        self.passage.since = sense.time();
        self.aim(sense);
        self.gains.look(sense);
        write_servos(sense, &self.own, &self.gains, &self.next, &self.next.v, out, |_| (crawl.tone, 1.0));
        let way = to - sense.own.center_of_mass().truncate();
        let [along, up] = crawl.speed;
        let velocity = (along * way.normalize_or_zero()).extend(0.0) + up * sense.own.up();
        let weight = sense.own.mass() * sense.model.gravity().length();
        let parts = sense.own.physique().parts();
        let comes_on = |k: usize| {
            let leg =
                matches!(parts[k], Some(Part::Thigh(_) | Part::Shank(_) | Part::Foot(_) | Part::Toe(_)));
            leg == gathers
        };
        let pull = self.options.dock.drag(sense, &self.own, velocity, comes_on, lasted % crawl.turn, out);
        self.docking = if weight > 0.0 { pull / weight } else { 0.0 };
        self.aided += if pull > 0.0 { sense.dt } else { 0.0 };
    }
}

fn shifted(place: &Place, way: DVec2) -> Place {
    Place { shift: place.shift + way.extend(0.0), ..*place }
}
