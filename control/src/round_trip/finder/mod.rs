//! Which moment of which motion a body is nearest to (Mandel and Zordan 2005: key frames, aligned joint positions, nearest neighbours; Zordan et al. 2005 for the way back in motion).
//!
//! Databases hold key frames of the clips that matter (`tables.rs`): beginnings of ways to get up by positions alone, what one may come to on its feet with velocities, and the same by a window.
//! What is nearest among the keys is looked at frame by frame between the keys on either side of it. A body that lies on its side has no heading
//! of its own, so it is looked for under four; what turns up is ranked by the distance that counts, that at the best place on the ground (Kovar et al. 2002).
//!
//! After an impact what counts is what the body did since (`recent.rs`): as soon as it has been simulated for the window's length, moments are looked for and ranked by all of it,
//!
//! ```text
//! (1)  D² = Σ_k w_k d²(t - b_k) / Σ w_k,  w_k = 1 - b_k/T        d the distance of the joints, the motion's moved to the place that fits now
//! ```

mod recent;
mod tables;

pub use tables::Tables;

use std::sync::Arc;

use stuntlab_mocap::Side;
use stuntlab_mocap::search::{Filter, FrameId, Match, PoseDatabase, Room};
use stuntlab_physics::dynamics::{center_of_mass, forward_kinematics};
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::{Data, Model, State};

use super::clips::{Road, Ways};
use super::place::Place;
use crate::controller::Sense;
use crate::kind::Refusal;
use crate::reference::Reference;
use recent::Recent;
use tables::{BACK, LYING, MOVING, RATE, WINDOW};

/// Share of a way to get up in which it may be entered: after it nobody lies any more.
const BEGINNING: f64 = 0.3;
/// Candidates per heading that are looked at again; of one on its feet whose frames are keys the nearest key alone, which stands for several frames: others are as near as poses,
/// but not in how they go on (a fifth of the walks had a jerk at the splice).
const CANDIDATES: usize = 6;
/// Distance that a tilt of the pelvis by one radian counts for, m: one who lies on the back and one on the face are much alike as points.
const TILT_ARM: f64 = 0.3;
/// How many times its height a body's being lifted counts: docking forces cannot carry it.
const LIFTING: f64 = 0.7;
/// How many times its distance its own motion counts: who can be back at once does not go round by a stagger.
const HOME: f64 = 0.95;
/// Ways into a gait whose ends are so many times as far from it as the nearest's are as good: mirror images.
const SAME_END: f64 = 1.1;
/// Longest part of the character's own motion that is looked at, s.
const OWN: f64 = 60.0;

/// Which motion: the character's own, or a way back.
pub const OWN_MOTION: usize = 0;

/// Among which motions one who is on its feet looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Among {
    /// Its own.
    Own,
    /// Its own and staggers.
    Moving,
    /// Staggers.
    Staggers,
    /// Ways into a gait.
    Starts,
}

/// A moment of a motion, where it fits best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// Which motion: [`OWN_MOTION`], else the way back of this number less one.
    pub motion: usize,
    /// Its time, s.
    pub at: f64,
    /// Where it is to be played.
    pub place: Place,
    /// Root mean square distance of the joints there, m.
    pub distance: f64,
}

/// How moments are looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Tolerance of key frames, as features are far from each other, m: weights of all joints add up to 20, so that 0.1 is 22 mm of each; 0 keeps every frame.
    pub keys: f64,
    /// Whether one who was hit is compared by a window of what it did since, as soon as there is one; else by a pose with velocities.
    pub window: bool,
}

impl Default for Look {
    fn default() -> Self {
        Self { keys: 0.1, window: true }
    }
}

/// Looks for moments.
#[derive(Clone)]
pub struct Finder {
    own: Arc<Model>,
    ways: Arc<Ways>,
    look: Look,
    databases: [Arc<PoseDatabase>; 3],
    beginnings: Filter,
    moving: Filter,
    staggers: Filter,
    own_only: Filter,
    starts: Filter,
    room: Room,
    query: Vec<f32>,
    found: Vec<Match>,
    recent: Recent,
    ground: f64,
    state: State,
    data: Data,
}

impl Finder {
    /// Over a character's own motion and its ways back.
    ///
    /// # Errors
    /// A motion whose poses are no numbers.
    pub fn new(
        own: Arc<Model>,
        ways: Arc<Ways>,
        motion: &mut dyn Reference,
        look: Look,
    ) -> Result<Self, Refusal> {
        let bad = |e: &dyn std::fmt::Display| Refusal::new("figure", e.to_string());
        let length = motion.period().unwrap_or_else(|| motion.duration()).min(OWN);
        let tables = ways.tables();
        let all = tables.databases(&own, base(&own, &ways), motion, length).map_err(|e| bad(&e))?;
        let of = |road: Road| -> Vec<usize> {
            let all = ways.list().iter().enumerate();
            all.filter(|(_, way)| way.road == road).map(|(k, _)| k + 1).collect()
        };
        let of_clips = |clips: &[usize]| all[MOVING].with_clips(clips);
        let own_only = of_clips(&[OWN_MOTION]);
        // Ways into its own gait: those that end nearest to it, and nearer than they begin: nobody who stands goes round by a walk.
        let ends: Vec<(usize, f64)> = {
            let mut search = all[MOVING].searcher();
            let mut far = |clip: usize, frame: usize| {
                let row = all[MOVING].features(FrameId { clip, frame })?;
                Some(search.nearest(row, &own_only)?.distance)
            };
            let mut end = |k: usize| {
                let last = (ways.list()[k - 1].motion.duration() * RATE) as usize;
                let (begin, end) = (far(k, 0)?, far(k, last)?);
                (end < begin).then_some((k, end))
            };
            of(Road::Start).into_iter().filter_map(&mut end).collect()
        };
        let least = ends.iter().map(|end| end.1).fold(f64::INFINITY, f64::min);
        let fit: Vec<usize> = ends.iter().filter(|end| end.1 <= SAME_END * least).map(|end| end.0).collect();
        let moving: Vec<usize> = of(Road::Stagger).into_iter().chain([OWN_MOTION]).collect();
        let widest = tables.layouts.iter().map(|layout| layout.width()).max().unwrap_or(0);
        Ok(Self {
            beginnings: Filter::ALL.within(0.0..BEGINNING),
            moving: of_clips(&moving),
            staggers: of_clips(&of(Road::Stagger)),
            starts: of_clips(&fit).within(0.0..BEGINNING),
            own_only,
            room: Room::new(&all[WINDOW], 4 * CANDIDATES),
            databases: all.map(|all| Arc::new(if look.keys > 0.0 { all.key_frames(look.keys) } else { all })),
            query: Vec::with_capacity(widest),
            found: Vec::with_capacity(4 * CANDIDATES),
            recent: Recent::new(tables.points.clone()),
            ground: base(&own, &ways),
            state: State::new(&own),
            data: Data::new(&own),
            look,
            own,
            ways,
        })
    }

    /// Looks at a body that is simulated, for windows.
    pub fn remember(&mut self, sense: &Sense<'_>) {
        self.recent.look(sense);
    }

    /// Forgets what it did: a window begins with an impact.
    pub fn forget(&mut self) {
        self.recent.clear();
    }

    /// Height of the ground that motions are made for, as the character was put into the scene, m.
    pub fn base(&self) -> f64 {
        base(&self.own, &self.ways)
    }

    /// Notes the height of the ground that it stands or lies on, m.
    pub fn stand_on(&mut self, ground: f64) {
        self.ground = ground;
    }

    /// Height of the ground that it stands or lies on, m.
    pub fn ground(&self) -> f64 {
        self.ground
    }

    /// How much higher the ground is that a character stands or lies on, m.
    pub fn lift(&self) -> f64 {
        self.ground - self.base()
    }

    /// Whether a motion is a way into a gait.
    pub fn is_start(&self, motion: usize) -> bool {
        motion > 0 && self.ways.list()[motion - 1].road == Road::Start
    }

    /// Key frames in the databases.
    pub fn len(&self) -> usize {
        self.databases.iter().map(|database| database.len()).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How far a body is from a motion at a time, and the place at which it is nearest; the foot that bears more counts `feet` times.
    pub fn measure(
        &mut self,
        sense: &Sense<'_>,
        motion: &mut dyn Reference,
        at: f64,
        lift: f64,
        feet: f64,
    ) -> (Place, f64) {
        motion.write(at, &mut self.state.q);
        forward_kinematics(&self.own, &self.state, &mut self.data);
        let parts = sense.own.physique();
        // The foot that bears more stays; the other can take a step. Feet that were played back have not felt anything: then both.
        let loads = Side::BOTH.map(|side| sense.own.load(side));
        let stays = |side: Side| loads[side as usize] >= loads[0].max(loads[1]);
        let pairs = self.ways.tables().points.iter().zip(self.ways.tables().weights.iter()).map(
            |((_, point), weight)| {
                let bone = stuntlab_mocap::character::Bone::new(point.body.index());
                let from = self.data.world_from_body(point.body).transform_point(point.point_body);
                let to = sense.data.world_from_body(sense.body_of(bone)).transform_point(point.point_body);
                (from, to, if parts.foot(bone).is_some_and(stays) { feet * weight } else { *weight })
            },
        );
        let place = Place::fitting(pairs.clone(), lift);
        (place, rms(pairs.map(|(from, to, _)| (place.point(from), to))))
    }

    /// How much faster or slower the body's centre of mass goes than that of a motion at a time and place, m/s.
    pub fn speed_off(
        &mut self,
        sense: &Sense<'_>,
        motion: &mut dyn Reference,
        at: f64,
        place: &Place,
    ) -> f64 {
        let mut center = |at: f64| {
            motion.write(at, &mut self.state.q);
            forward_kinematics(&self.own, &self.state, &mut self.data);
            center_of_mass(&self.own, &self.data).position
        };
        let velocity = (center(at + sense.dt) - center(at)) / sense.dt;
        sense.own.velocity().distance(place.turn(velocity))
    }

    /// How much higher the body's joints are than those of the motion that was measured last, in the mean, less its lift, m.
    pub fn height_off(&self, sense: &Sense<'_>) -> f64 {
        let ground = self.lift();
        let (mut sum, mut n) = (0.0, 0.0);
        for ((_, point), weight) in self.ways.tables().points.iter().zip(self.ways.tables().weights.iter()) {
            let body = sense.bodies.at(point.body.index());
            let is = sense.data.world_from_body(body).transform_point(point.point_body).z;
            let wanted = self.data.world_from_body(point.body).transform_point(point.point_body).z;
            sum += weight * (is - ground - wanted);
            n += weight;
        }
        if n > 0.0 { sum / n } else { 0.0 }
    }

    /// The same at a place that is given.
    pub fn distance(&mut self, sense: &Sense<'_>, q: &[f64]) -> f64 {
        self.state.q.copy_from_slice(q);
        forward_kinematics(&self.own, &self.state, &mut self.data);
        rms(self
            .ways
            .tables()
            .points
            .iter()
            .zip(self.ways.tables().weights.iter())
            .filter(|(_, w)| **w > 0.0)
            .map(|((_, point), _)| {
                let bone = stuntlab_mocap::character::Bone::new(point.body.index());
                let from = self.data.world_from_body(point.body).transform_point(point.point_body);
                (from, sense.data.world_from_body(sense.body_of(bone)).transform_point(point.point_body))
            }))
    }

    /// How far what a body did of late is from what a motion does before a time, at a place: (1).
    fn window_distance(
        &mut self,
        sense: &Sense<'_>,
        motion: &mut dyn Reference,
        at: f64,
        place: &Place,
        now: f64,
    ) -> f64 {
        let (ways, goes_round) = (self.ways.clone(), motion.period().is_some());
        let tables = ways.tables();
        let (mut sum, mut whole) = (now * now, 1.0);
        for back in &BACK[1..] {
            let then = if goes_round { at - back } else { (at - back).max(0.0) };
            motion.write(then, &mut self.state.q);
            forward_kinematics(&self.own, &self.state, &mut self.data);
            let all = tables.points.iter().zip(tables.weights.iter()).enumerate();
            let pairs = all.filter(|(_, (_, weight))| **weight > 0.0).map(|(k, ((_, point), _))| {
                let from = self.data.world_from_body(point.body).transform_point(point.point_body);
                let body = sense.bodies.at(point.body.index());
                let is = sense.data.world_from_body(body).transform_point(point.point_body);
                let was = self.recent.place(k, sense.time() - back, (sense.time(), is));
                (place.point(from), was)
            });
            let taper = tables.taper(*back);
            sum += taper * rms(pairs).powi(2);
            whole += taper;
        }
        (sum / whole).sqrt()
    }

    /// Whether there is a window of what it did since it was hit.
    fn has_window(&self, sense: &Sense<'_>) -> bool {
        self.look.window && self.recent.reaches(BACK[BACK.len() - 1], sense.time())
    }

    /// Candidates under some headings, into `found`.
    fn search(&mut self, sense: &Sense<'_>, look: usize, turns: &[f64], filter: &Filter) {
        let ground = DVec3::Z * self.ground;
        let candidates = if look != LYING && self.look.keys > 0.0 { 1 } else { CANDIDATES };
        self.found.clear();
        let mut room = std::mem::take(&mut self.room);
        let mut query = std::mem::take(&mut self.query);
        let ways = self.ways.clone();
        let tables = ways.tables();
        let number = |joint| tables.points.iter().position(|(j, _)| *j == joint).unwrap_or(0);
        let place = |k: usize| {
            let point = tables.points[k].1;
            let body = sense.bodies.at(point.body.index());
            (body, sense.data.world_from_body(body).transform_point(point.point_body))
        };
        let velocity = |joint| {
            let (body, at) = place(number(joint));
            sense.data.point_velocity(body, at)
        };
        let position = |back: usize, joint| {
            let k = number(joint);
            let now = (sense.time(), place(k).1);
            let at = if back == 0 { now.1 } else { self.recent.place(k, now.0 - BACK[back], now) };
            at - ground
        };
        for turn in turns {
            let layout = &tables.layouts[look];
            let now = |joint| place(number(joint)).1 - ground;
            layout.write_window(*turn, now, position, |_, joint| velocity(joint), &mut query);
            let mut search = room.enter(&self.databases[look]);
            search.k_nearest_more(&query, candidates, filter, &mut self.found);
            room = search.leave();
        }
        (self.room, self.query) = (room, query);
    }

    /// The way to get up whose first frame, flat on the ground, one who lies is nearest to: for who could not come to any other.
    pub fn flat(&mut self, sense: &Sense<'_>, motions: &mut [Box<dyn Reference>]) -> Option<Found> {
        self.found.clear();
        let first = |(k, way): (usize, &super::clips::Way)| {
            let id = FrameId { clip: k + 1, frame: 0 };
            (way.road == Road::GetUp).then_some(Match { id, distance: 0.0 })
        };
        self.found.extend(self.ways.list().iter().enumerate().filter_map(first));
        self.best(sense, motions, 1.0, false).map(|(_, found)| found)
    }

    /// The moment of the ways to get up that one who lies is nearest to. `motions` are the motions by number.
    pub fn lying(&mut self, sense: &Sense<'_>, motions: &mut [Box<dyn Reference>]) -> Option<Found> {
        let turns = [0.0, 0.5, 1.0, 1.5].map(|k| k * std::f64::consts::PI);
        let filter = std::mem::take(&mut self.beginnings);
        self.search(sense, LYING, &turns, &filter);
        self.beginnings = filter;
        let best = self.best(sense, motions, 1.0, false)?;
        Some(self.between_keys(sense, motions, best, LYING, 1.0, BEGINNING))
    }

    /// The moment that one who moves is nearest to: of its own motion, of that and of staggers, or of the beginnings of ways into a gait. By a window, as soon as there is one.
    pub fn moving(
        &mut self,
        sense: &Sense<'_>,
        motions: &mut [Box<dyn Reference>],
        among: Among,
    ) -> Option<Found> {
        let filter = std::mem::take(self.filter_of(among));
        let windowed = self.has_window(sense);
        let look = if windowed { WINDOW } else { MOVING };
        self.search(sense, look, &[0.0], &filter);
        *self.filter_of(among) = filter;
        let best = self.best(sense, motions, 3.0, windowed)?;
        let until = if among == Among::Starts { BEGINNING } else { 1.0 };
        Some(self.between_keys(sense, motions, best, look, 3.0, until))
    }

    fn filter_of(&mut self, among: Among) -> &mut Filter {
        match among {
            Among::Own => &mut self.own_only,
            Among::Moving => &mut self.moving,
            Among::Staggers => &mut self.staggers,
            Among::Starts => &mut self.starts,
        }
    }

    /// The best of what was found, with what counts of it: at each candidate's best place.
    fn best(
        &mut self,
        sense: &Sense<'_>,
        motions: &mut [Box<dyn Reference>],
        feet: f64,
        windowed: bool,
    ) -> Option<(f64, Found)> {
        let mut best: Option<(f64, Found)> = None;
        for k in 0..self.found.len() {
            let Match { id, .. } = self.found[k];
            let at = id.frame as f64 / RATE;
            if let Some(judged) = self.judge(sense, motions, (id.clip, at), feet, windowed)
                && best.is_none_or(|(least, _)| judged.0 < least)
            {
                best = Some(judged);
            }
        }
        best
    }

    /// What stands for a key frame: the best of the frames between the keys on either side of it, `until` a share of the motion.
    fn between_keys(
        &mut self,
        sense: &Sense<'_>,
        motions: &mut [Box<dyn Reference>],
        best: (f64, Found),
        look: usize,
        feet: f64,
        until: f64,
    ) -> Found {
        let (mut least, mut found) = best;
        let (clip, key) = (found.motion, (found.at * RATE).round() as usize);
        let last = until * motions.get(clip).map_or(0.0, |motion| motion.duration());
        for frame in self.databases[look].between(FrameId { clip, frame: key }) {
            if frame == key || frame as f64 / RATE >= last {
                continue;
            }
            let moment = (clip, frame as f64 / RATE);
            if let Some((score, other)) = self.judge(sense, motions, moment, feet, look == WINDOW)
                && score < least
            {
                (least, found) = (score, other);
            }
        }
        found
    }

    /// How far a moment is that may be entered, all counted, and where it is played.
    fn judge(
        &mut self,
        sense: &Sense<'_>,
        motions: &mut [Box<dyn Reference>],
        (clip, at): (usize, f64),
        feet: f64,
        windowed: bool,
    ) -> Option<(f64, Found)> {
        if clip > OWN_MOTION && at > self.ways.list()[clip - 1].entry {
            return None;
        }
        let motion = motions.get_mut(clip)?;
        let (place, distance) = self.measure(sense, motion.as_mut(), at, self.lift(), feet);
        let up = sense.data.world_from_body(sense.root()).rotation.transpose() * sense.own.up();
        let root = self.data.world_from_body(self.own.body_ids().at(0));
        let tilt = (root.rotation.transpose() * DVec3::Z).angle_between(up);
        // What has to be lifted is farther than what has only to turn.
        let lifted = self.height_off(sense).min(0.0).abs();
        let far = if windowed {
            self.window_distance(sense, motion.as_mut(), at, &place, distance)
        } else {
            distance
        };
        let own = if clip == OWN_MOTION { HOME } else { 1.0 };
        let score = own * (far.hypot(TILT_ARM * tilt) + LIFTING * lifted);
        Some((score, Found { motion: clip, at, place, distance }))
    }
}

/// Height of the ground that a character's motions are made for, m.
fn base(own: &Model, ways: &Ways) -> f64 {
    let height = |model: &Model| model.bodies()[0].joint().parent_from_joint.translation.z;
    height(own) - height(ways.character().model())
}

fn rms(pairs: impl Iterator<Item = (DVec3, DVec3)>) -> f64 {
    let (sum, n) = pairs.fold((0.0, 0_u32), |(sum, n), (a, b)| (sum + a.distance_squared(b), n + 1));
    (sum / f64::from(n.max(1))).sqrt()
}
