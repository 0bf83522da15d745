//! Which moment of which motion a body is nearest to (Mandel and Zordan 2005: aligned joint positions, nearest neighbours; Zordan et al. 2005 for the way back in motion).
//!
//! Two databases of the same motions: beginnings of ways to get up by positions alone, and all else with velocities. A body that lies on its side has no heading
//! of its own, so it is looked for under four; what turns up is ranked by the distance that counts, that at the best place on the ground (Kovar et al. 2002).

use std::sync::Arc;

use stuntlab_mocap::character::{BodyPoint, Character};
use stuntlab_mocap::features::{FeatureLayout, FeatureOptions};
use stuntlab_mocap::search::{Filter, FrameId, Match, PoseDatabase, Room};
use stuntlab_mocap::{JointId, Side};
use stuntlab_physics::dynamics::{center_of_mass, forward_kinematics};
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::{Data, Model, State};

use super::clips::{Road, Ways};
use super::place::Place;
use crate::controller::Sense;
use crate::kind::Refusal;
use crate::reference::Reference;

/// Frames per second of the databases.
const RATE: f64 = 30.0;
/// Share of a way to get up in which it may be entered: after it nobody lies any more.
const BEGINNING: f64 = 0.3;
/// Seconds by which velocities count as positions: a hand at 1 m/s is as far off as one that is 10 cm away.
const VELOCITY_TIME: f64 = 0.1;
/// Candidates per heading that are looked at again.
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

/// Looks for moments.
#[derive(Clone)]
pub struct Finder {
    own: Arc<Model>,
    ways: Arc<Ways>,
    layouts: [FeatureLayout; 2],
    /// Joints of the features: bodies and points of them, with their weights.
    points: Arc<[(JointId, BodyPoint)]>,
    weights: Arc<[f64]>,
    databases: [Arc<PoseDatabase>; 2],
    beginnings: Filter,
    moving: Filter,
    staggers: Filter,
    own_only: Filter,
    starts: Filter,
    room: Room,
    query: Vec<f32>,
    found: Vec<Match>,
    state: State,
    data: Data,
}

impl Finder {
    /// Over a character's own motion and its ways back.
    ///
    /// # Errors
    /// A skeleton without the joints that poses are compared by.
    pub fn new(own: Arc<Model>, ways: Arc<Ways>, motion: &mut dyn Reference) -> Result<Self, Refusal> {
        let character = ways.character().clone();
        let layout = |velocity_time| {
            let options = FeatureOptions { velocity_time, window: vec![0.0] };
            FeatureLayout::new(character.skeleton(), options)
                .map_err(|e| Refusal::new("figure", e.to_string()))
        };
        let layouts = [layout(0.0)?, layout(VELOCITY_TIME)?];
        let points: Arc<[_]> =
            joints_of(&character).into_iter().map(|j| (j, character.joint_point(j))).collect();
        let features: Vec<JointId> = layouts[0].joints().collect();
        let weights: Arc<[f64]> =
            points.iter().map(|(j, _)| f64::from(u8::from(features.contains(j)))).collect();
        let (state, data) = (State::new(&own), Data::new(&own));
        let mut new = Self {
            databases: [Arc::new(empty(&layouts[0])?), Arc::new(empty(&layouts[1])?)],
            room: Room::default(),
            beginnings: Filter::ALL,
            moving: Filter::ALL,
            staggers: Filter::ALL,
            own_only: Filter::ALL,
            starts: Filter::ALL,
            query: Vec::with_capacity(layouts[1].width()),
            found: Vec::with_capacity(4 * CANDIDATES),
            own,
            ways,
            layouts,
            points,
            weights,
            state,
            data,
        };
        new.build(motion)?;
        Ok(new)
    }

    fn build(&mut self, motion: &mut dyn Reference) -> Result<(), Refusal> {
        let length = motion.period().unwrap_or_else(|| motion.duration()).min(OWN);
        let mut both = vec![self.rows(motion, length)];
        let ways = self.ways.clone();
        for way in ways.list() {
            let mut reference = way.motion.clone();
            let length = reference.duration();
            let rows = self.rows(&mut reference, length);
            both.push(rows);
        }
        // Each motion has rows with and without velocities.
        let frames: Vec<usize> = both.iter().map(|rows| rows.0.len() / self.layouts[0].width()).collect();
        let (positions, with): (Vec<_>, Vec<_>) = both.into_iter().unzip();
        let make = |width, rows: Vec<Vec<f32>>| {
            let tables = rows.into_iter().map(|rows| (rows, Vec::new())).collect();
            PoseDatabase::from_rows(width, tables).map_err(|e| Refusal::new("figure", e.to_string()))
        };
        let databases = [make(self.layouts[0].width(), positions)?, make(self.layouts[1].width(), with)?];
        let of = |road: Road| -> Vec<usize> {
            let all = ways.list().iter().enumerate();
            all.filter(|(_, way)| way.road == road).map(|(k, _)| k + 1).collect()
        };
        self.beginnings = databases[0].with_clips(&of(Road::GetUp)).within(0.0..BEGINNING);
        self.staggers = databases[1].with_clips(&of(Road::Stagger));
        let moving: Vec<usize> = of(Road::Stagger).into_iter().chain([OWN_MOTION]).collect();
        self.moving = databases[1].with_clips(&moving);
        self.own_only = databases[1].with_clips(&[OWN_MOTION]);
        // Ways into its own gait: those that end nearest to it.
        let ends: Vec<(usize, f64)> = {
            let mut search = databases[1].searcher();
            let end = |k: usize| {
                let last = databases[1].features(FrameId { clip: k, frame: frames[k] - 1 })?;
                Some((k, search.nearest(last, &self.own_only)?.distance))
            };
            of(Road::Start).into_iter().filter_map(end).collect()
        };
        let least = ends.iter().map(|end| end.1).fold(f64::INFINITY, f64::min);
        let fit: Vec<usize> = ends.iter().filter(|end| end.1 <= SAME_END * least).map(|end| end.0).collect();
        self.starts = databases[1].with_clips(&fit).within(0.0..BEGINNING);
        self.room = Room::new(&databases[1], 4 * CANDIDATES);
        self.databases = databases.map(Arc::new);
        Ok(())
    }

    /// Feature rows of a motion, without and with velocities.
    fn rows(&mut self, motion: &mut dyn Reference, length: f64) -> (Vec<f32>, Vec<f32>) {
        let n = if length.is_finite() { (length * RATE) as usize + 1 } else { 1 };
        let mut out = (Vec::new(), Vec::new());
        let (mut places, mut later) =
            (vec![DVec3::ZERO; self.points.len()], vec![DVec3::ZERO; self.points.len()]);
        let mut row = Vec::new();
        // Velocities look ahead, at the end back.
        let ahead = 0.5 / RATE;
        for at in (0..n).map(|k| k as f64 / RATE) {
            let from = if at + ahead > length { (at - ahead).max(0.0) } else { at };
            self.places(motion, from, &mut places);
            self.places(motion, from + ahead, &mut later);
            let speeds: Vec<DVec3> = later.iter().zip(&places).map(|(b, a)| (*b - *a) / ahead).collect();
            self.places(motion, at, &mut places);
            let points = &self.points;
            let number = |joint| points.iter().position(|(j, _)| *j == joint).unwrap_or(0);
            for (layout, out) in self.layouts.iter().zip([&mut out.0, &mut out.1]) {
                layout.write_pose(0.0, |j| places[number(j)], |j| speeds[number(j)], &mut row);
                out.extend_from_slice(&row);
            }
        }
        out
    }

    /// Height of the ground that motions are made for, as the character was put into the scene, m.
    pub fn base(&self) -> f64 {
        let height = |model: &Model| model.bodies()[0].joint().parent_from_joint.translation.z;
        height(&self.own) - height(self.ways.character().model())
    }

    /// How much higher the ground is that a character stands or lies on, m.
    pub fn lift(&self, sense: &Sense<'_>) -> f64 {
        sense.own.ground() - self.base()
    }

    /// Where a motion has the joints at a time.
    fn places(&mut self, motion: &mut dyn Reference, at: f64, out: &mut [DVec3]) {
        let base = self.base();
        motion.write(at, &mut self.state.q);
        forward_kinematics(&self.own, &self.state, &mut self.data);
        for (out, (_, point)) in out.iter_mut().zip(self.points.iter()) {
            *out = self.data.world_from_body(point.body).transform_point(point.point_body);
            out.z -= base;
        }
    }

    /// Whether a motion is a way into a gait.
    pub fn is_start(&self, motion: usize) -> bool {
        motion > 0 && self.ways.list()[motion - 1].road == Road::Start
    }

    /// Frames in the databases.
    pub fn len(&self) -> usize {
        self.databases[0].len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.databases[0].is_empty()
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
        let pairs = self.points.iter().zip(self.weights.iter()).map(|((_, point), weight)| {
            let bone = stuntlab_mocap::character::Bone::new(point.body.index());
            let from = self.data.world_from_body(point.body).transform_point(point.point_body);
            let to = sense.data.world_from_body(sense.body_of(bone)).transform_point(point.point_body);
            (from, to, if parts.foot(bone).is_some_and(stays) { feet * weight } else { *weight })
        });
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
        let ground = self.lift(sense);
        let (mut sum, mut n) = (0.0, 0.0);
        for ((_, point), weight) in self.points.iter().zip(self.weights.iter()) {
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
        rms(self.points.iter().zip(self.weights.iter()).filter(|(_, w)| **w > 0.0).map(|((_, point), _)| {
            let bone = stuntlab_mocap::character::Bone::new(point.body.index());
            let from = self.data.world_from_body(point.body).transform_point(point.point_body);
            (from, sense.data.world_from_body(sense.body_of(bone)).transform_point(point.point_body))
        }))
    }

    /// Candidates under some headings, into `found`.
    fn search(&mut self, sense: &Sense<'_>, with_velocity: bool, turns: &[f64], filter: &Filter) {
        let which = usize::from(with_velocity);
        let ground = DVec3::Z * sense.own.ground();
        self.found.clear();
        let mut room = std::mem::take(&mut self.room);
        let points = self.points.clone();
        let place = |joint| {
            let point = points.iter().find(|(j, _)| *j == joint).map_or(points[0].1, |(_, point)| *point);
            let body = sense.bodies.at(point.body.index());
            (body, sense.data.world_from_body(body).transform_point(point.point_body))
        };
        for turn in turns {
            let mut query = std::mem::take(&mut self.query);
            let position = |joint| place(joint).1 - ground;
            let velocity = |joint| {
                let (body, at) = place(joint);
                sense.data.point_velocity(body, at)
            };
            self.layouts[which].write_pose(*turn, position, velocity, &mut query);
            let database = self.databases[which].clone();
            let mut search = room.enter(&database);
            let known = self.found.len();
            search.k_nearest_more(&query, CANDIDATES, filter, &mut self.found);
            debug_assert!(self.found.len() <= known + CANDIDATES);
            room = search.leave();
            self.query = query;
        }
        self.room = room;
    }

    /// The way to get up whose first frame, flat on the ground, one who lies is nearest to: for who could not come to any other.
    pub fn flat(&mut self, sense: &Sense<'_>, motions: &mut [Box<dyn Reference>]) -> Option<Found> {
        self.found.clear();
        let first = |(k, way): (usize, &super::clips::Way)| {
            let id = FrameId { clip: k + 1, frame: 0 };
            (way.road == Road::GetUp).then_some(Match { id, distance: 0.0 })
        };
        self.found.extend(self.ways.list().iter().enumerate().filter_map(first));
        self.best(sense, motions, 1.0)
    }

    /// The moment of the ways to get up that one who lies is nearest to. `motions` are the motions by number.
    pub fn lying(&mut self, sense: &Sense<'_>, motions: &mut [Box<dyn Reference>]) -> Option<Found> {
        let turns = [0.0, 0.5, 1.0, 1.5].map(|k| k * std::f64::consts::PI);
        let filter = std::mem::take(&mut self.beginnings);
        self.search(sense, false, &turns, &filter);
        self.beginnings = filter;
        self.best(sense, motions, 1.0)
    }

    /// The moment that one who moves is nearest to: of its own motion, of that and of staggers, or of the beginnings of ways into a gait.
    pub fn moving(
        &mut self,
        sense: &Sense<'_>,
        motions: &mut [Box<dyn Reference>],
        among: Among,
    ) -> Option<Found> {
        let filter = std::mem::take(self.filter_of(among));
        self.search(sense, true, &[0.0], &filter);
        *self.filter_of(among) = filter;
        self.best(sense, motions, 3.0)
    }

    fn filter_of(&mut self, among: Among) -> &mut Filter {
        match among {
            Among::Own => &mut self.own_only,
            Among::Moving => &mut self.moving,
            Among::Staggers => &mut self.staggers,
            Among::Starts => &mut self.starts,
        }
    }

    fn best(&mut self, sense: &Sense<'_>, motions: &mut [Box<dyn Reference>], feet: f64) -> Option<Found> {
        let lift = self.lift(sense);
        let up = sense.data.world_from_body(sense.root()).rotation.transpose() * sense.own.up();
        let mut best: Option<(f64, Found)> = None;
        for k in 0..self.found.len() {
            let Match { id, .. } = self.found[k];
            let at = id.frame as f64 / RATE;
            if id.clip > OWN_MOTION && at > self.ways.list()[id.clip - 1].entry {
                continue;
            }
            let Some(motion) = motions.get_mut(id.clip) else { continue };
            let (place, distance) = self.measure(sense, motion.as_mut(), at, lift, feet);
            let root = self.data.world_from_body(self.own.body_ids().at(0));
            let tilt = (root.rotation.transpose() * DVec3::Z).angle_between(up);
            // What has to be lifted is farther than what has only to turn.
            let lifted = self.height_off(sense).min(0.0).abs();
            let own = if id.clip == OWN_MOTION { HOME } else { 1.0 };
            let score = own * (distance.hypot(TILT_ARM * tilt) + LIFTING * lifted);
            if best.is_none_or(|(least, _)| score < least) {
                best = Some((score, Found { motion: id.clip, at, place, distance }));
            }
        }
        best.map(|(_, found)| found)
    }
}

fn rms(pairs: impl Iterator<Item = (DVec3, DVec3)>) -> f64 {
    let (sum, n) = pairs.fold((0.0, 0_u32), |(sum, n), (a, b)| (sum + a.distance_squared(b), n + 1));
    (sum / f64::from(n.max(1))).sqrt()
}

/// Joints that features are made of.
fn joints_of(character: &Character) -> Vec<JointId> {
    let roles = character.joint_roles();
    let mut joints = vec![roles.hips];
    joints.extend([roles.chest, roles.neck, roles.head].into_iter().flatten());
    for limbs in [&roles.left, &roles.right] {
        let all = [limbs.shoulder, limbs.elbow, limbs.wrist, limbs.hip, limbs.knee, limbs.ankle, limbs.toe];
        joints.extend(all.into_iter().flatten());
    }
    joints
}

fn empty(layout: &FeatureLayout) -> Result<PoseDatabase, Refusal> {
    PoseDatabase::from_rows(layout.width(), Vec::new()).map_err(|e| Refusal::new("figure", e.to_string()))
}
