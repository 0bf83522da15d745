//! Feet and hands brought to their places by inverse kinematics of two bones.
//!
//! All contacts of a foot without a break are one footprint: a place and a direction on the ground. With the sole flat the
//! foot's orientation is the footprint's; on heel or ball alone it turns freely about that point. Between
//! footprints the correction fades by a cubic that starts with the correction and its rate, and feet are lifted where they
//! would cut the floor.

use super::curve::smoother;
use super::plan::{Contact, Part, Plan};
use crate::Skeleton;
use crate::library::skeleton::{
    BALL, FOREARM, HEEL, N_JOINTS, PALM, PALM_RADIUS, Placed, SHANK, SOLE_HALF_WIDTH, THIGH, TOE_JOINT,
    UPPER_ARM, joints_of, sole,
};
use crate::roles::Side;
use crate::skeleton::JointId;
use glam::{DQuat, DVec3};

/// Corrections fade over this time at most, s.
const FADE: f64 = 0.3;
/// The sole turns flat within this time before and after, s.
const FLATTEN: f64 = 0.11;
/// Share of its length to which a planted leg may be stretched; the root is lowered for more.
pub(crate) const REACH: f64 = 0.993;
/// Limbs stretch freely up to this share of their length and never beyond `LIMIT`, so that hinges never snap straight.
const FREE: f64 = 0.985;
const LIMIT: f64 = 0.9985;
/// Depth within which the floor starts to push feet up, m.
const SOFT: f64 = 0.004;
/// Rounds in which leg and ankle settle.
const N_ROUNDS: usize = 12;
/// Toes are free of the floor with the ball this high, m.
const TOES_FREE: f64 = 0.2;

/// Where the end of a limb should be in every frame: ankle or palm, and the foot's orientation.
#[derive(Clone, Debug)]
pub(crate) struct Targets {
    pub(crate) side: Side,
    pub(crate) is_leg: bool,
    pub(crate) places: Vec<DVec3>,
    pub(crate) turns: Vec<DQuat>,
    /// Whether the end is planted.
    pub(crate) planted: Vec<bool>,
    /// Point that rests and where, in the foot's frame and in the world, while the sole is not flat.
    pivots: Vec<Option<(DVec3, DVec3)>>,
    /// 0 with the sole flat, 1 well before and after.
    free: Vec<f64>,
    /// Middle of the footprint while planted.
    pub(crate) prints: Vec<Option<DVec3>>,
}

/// What a contact means for one limb.
fn touches(part: Part, side: Side, leg: bool) -> bool {
    match part {
        Part::Heel(s) | Part::Toe(s) | Part::Foot(s) => leg && s == side,
        Part::Hand(s) => !leg && s == side,
        Part::Knee(_) | Part::Seat | Part::Trunk => false,
    }
}

/// Contacts of a limb that follow each other without a break.
pub(crate) struct Episode {
    pub(crate) from: f64,
    pub(crate) to: f64,
    pub(crate) contacts: Vec<Contact>,
}

/// The episodes of a limb in order of time.
pub(crate) fn episodes(plan: &Plan, side: Side, leg: bool) -> Vec<Episode> {
    let mut own: Vec<Contact> =
        plan.contacts.iter().filter(|c| touches(c.part, side, leg)).copied().collect();
    own.sort_by(|a, b| a.from.total_cmp(&b.from));
    let mut all: Vec<Episode> = Vec::new();
    for contact in own {
        match all.last_mut() {
            Some(last) if contact.from <= last.to + 1e-6 => {
                last.to = last.to.max(contact.to);
                last.contacts.push(contact);
            }
            _ => all.push(Episode { from: contact.from, to: contact.to, contacts: vec![contact] }),
        }
    }
    all
}

impl Targets {
    /// Targets of one limb along authored poses placed in the world.
    pub(crate) fn new(plan: &Plan, placed: &[Placed], side: Side, is_leg: bool) -> Self {
        let n = placed.len();
        let joint = if is_leg { joints_of(side).foot } else { joints_of(side).hand };
        let center = if is_leg { DVec3::ZERO } else { PALM };
        let mut targets = Self {
            side,
            is_leg,
            places: placed.iter().map(|p| p.point(joint, center)).collect(),
            turns: placed.iter().map(|p| p.rotation[joint]).collect(),
            planted: vec![false; n],
            pivots: vec![None; n],
            free: vec![1.0; n],
            prints: vec![None; n],
        };
        let episodes = episodes(plan, side, is_leg);
        let mut held: Vec<(usize, usize, Vec<DVec3>)> = Vec::new();
        for episode in &episodes {
            let first = (episode.from * plan.rate - 1e-6).ceil().max(0.0) as usize;
            let last = ((episode.to * plan.rate + 1e-6).floor() as usize).min(n - 1);
            if first > last {
                continue;
            }
            let places = targets.plant(plan, placed, episode, first, last, joint);
            held.push((first, last, places));
        }
        targets.join(plan, &held);
        targets.lift(placed);
        targets.spread_prints();
        targets
    }

    /// The places of the limb's end during an episode; the foot's orientation is written at once.
    fn plant(
        &mut self,
        plan: &Plan,
        placed: &[Placed],
        episode: &Episode,
        first: usize,
        last: usize,
        joint: JointId,
    ) -> Vec<DVec3> {
        let time = |frame: usize| frame as f64 / plan.rate;
        let flats: Vec<&Contact> =
            episode.contacts.iter().filter(|c| matches!(c.part, Part::Foot(_))).collect();
        // The print is read off where the clip starts or ends, so that these poses stay as authored.
        let reference = if episode.from <= 1e-9 {
            first
        } else if episode.to >= plan.duration - 1e-9 {
            last
        } else {
            let span = flats.first().map_or((episode.from, episode.to), |c| (c.from, c.to));
            ((0.5 * (span.0 + span.1) * plan.rate).round() as usize).clamp(first, last)
        };
        let height = episode.contacts[0].height;
        let pose = &placed[reference];
        if !self.is_leg {
            let mut place = pose.point(joint, PALM);
            place.z = height + PALM_RADIUS;
            self.planted[first..=last].fill(true);
            return vec![place; last - first + 1];
        }
        let ahead = pose.rotation[joint] * DVec3::X;
        let flat = DQuat::from_rotation_z(ahead.y.atan2(ahead.x));
        let mut ankle =
            if flats.is_empty() { pose.point(joint, BALL) - flat * BALL } else { pose.position[joint] };
        ankle.z = height - HEEL.z;
        let print = DVec3 { z: height, ..ankle + flat * (0.5 * (HEEL + BALL)) };
        // On heel or ball the foot does not tilt sideways, from a little before to a little after.
        for frame in 0..placed.len() {
            let t = time(frame);
            let away = (episode.from - t).max(t - episode.to).max(0.0);
            let share = smoother(1.0 - away / FLATTEN);
            if share > 0.0 {
                let inside = t.clamp(episode.from, episode.to);
                let on_heel = episode.contacts.iter().any(|c| {
                    matches!(c.part, Part::Heel(_)) && (c.from - 1e-6..=c.to + 1e-6).contains(&inside)
                });
                let own = self.turns[frame];
                let level = raised(own, on_heel);
                let level = if own.dot(level) < 0.0 { -level } else { level };
                self.turns[frame] = own.slerp(level, share);
            }
        }
        // The sole turns flat a little before it rests and stays so a little longer.
        for frame in 0..placed.len() {
            let t = time(frame);
            let share = flats
                .iter()
                .map(|c| {
                    let away = (c.from - t).max(t - c.to).max(0.0);
                    smoother(1.0 - away / FLATTEN)
                })
                .fold(0.0, f64::max);
            if share > 0.0 {
                let own = self.turns[frame];
                let flat = if own.dot(flat) < 0.0 { -flat } else { flat };
                self.turns[frame] = own.slerp(flat, share);
                self.free[frame] = self.free[frame].min(1.0 - share);
            }
        }
        (first..=last)
            .map(|frame| {
                let t = time(frame);
                let covers = |c: &&Contact| (c.from - 1e-6..=c.to + 1e-6).contains(&t);
                let on =
                    |test: fn(&Part) -> bool| episode.contacts.iter().filter(covers).any(|c| test(&c.part));
                let flat_now = on(|p| matches!(p, Part::Foot(_)));
                let heel = on(|p| matches!(p, Part::Heel(_))) || flat_now;
                let point = if heel { HEEL } else { BALL };
                self.planted[frame] = true;
                let ball = on(|p| matches!(p, Part::Toe(_)));
                let middle = match (flat_now, heel, ball) {
                    (true, ..) | (_, true, true) => print,
                    (_, true, _) => ankle + flat * HEEL,
                    _ => ankle + flat * BALL,
                };
                self.prints[frame] = Some(middle);
                if !flat_now {
                    self.pivots[frame] = Some((point, ankle + flat * point));
                }
                ankle + flat * point - self.turns[frame] * point
            })
            .collect()
    }

    /// Frames just before and after a footprint know it too.
    fn spread_prints(&mut self) {
        let own = self.prints.clone();
        let known = |frame: usize| own.get(frame).copied().flatten();
        for frame in (0..own.len()).filter(|&f| own[f].is_none()) {
            let near = (1..own.len()).find_map(|d| known(frame + d).or_else(|| known(frame.checked_sub(d)?)));
            self.prints[frame] = near;
        }
    }

    /// Lifts free feet and hands that would cut the floor.
    fn lift(&mut self, placed: &[Placed]) {
        if !self.is_leg {
            for (place, planted) in self.places.iter_mut().zip(&self.planted) {
                if !planted {
                    place.z += push_up(place.z - PALM_RADIUS);
                }
            }
            return;
        }
        let joints = joints_of(self.side);
        for frame in (0..placed.len()).filter(|&f| !self.planted[f]).collect::<Vec<_>>() {
            let pose = &placed[frame];
            let (ankle, foot) = (self.places[frame], self.turns[frame]);
            // The sole with the foot in its wanted orientation.
            let mut toe = pose.rotation[joints.foot].conjugate() * pose.rotation[joints.toe];
            flatten_toes(foot, ankle, &mut toe);
            let lowest = sole(self.side)
                .iter()
                .map(|p| {
                    let local = if p.joint == joints.toe { TOE_JOINT + toe * p.center } else { p.center };
                    (ankle + foot * local).z
                })
                .fold(f64::INFINITY, f64::min);
            self.places[frame].z += push_up(lowest);
        }
    }

    /// Writes the held places and fades the corrections in between.
    fn join(&mut self, plan: &Plan, held: &[(usize, usize, Vec<DVec3>)]) {
        let n = self.places.len();
        let own = self.places.clone();
        let fade = (FADE * plan.rate) as usize;
        for (index, (first, last, places)) in held.iter().enumerate() {
            let offset = |frame: usize| places[frame - first] - own[frame];
            let rate_at = |frame: usize, inward: usize| {
                let (a, b) = (frame.min(inward), frame.max(inward));
                if a == b { DVec3::ZERO } else { offset(b) - offset(a) }
            };
            // Forwards, at most to the next print.
            let room = held.get(index + 1).map_or(n, |next| next.0).saturating_sub(*last).min(fade);
            let rate = rate_at(*last, last.saturating_sub(1).max(*first));
            for k in 1..room {
                self.places[last + k] += fading(offset(*last), rate, k, room);
            }
            // Backwards, at most to the print before.
            let room = index.checked_sub(1).map_or(*first, |i| first - held[i].1).min(fade);
            let rate = -rate_at(*first, (first + 1).min(*last));
            for k in 1..room {
                self.places[first - k] += fading(offset(*first), rate, k, room);
            }
        }
        for (first, _, places) in held {
            self.places[*first..first + places.len()].copy_from_slice(places);
        }
    }

    /// Turns the limb of a pose so that its end is where it should be.
    pub(crate) fn reach(&self, skeleton: &Skeleton, root: DVec3, pose: &mut [DQuat; N_JOINTS], frame: usize) {
        let joints = joints_of(self.side);
        if self.is_leg {
            let limb = Limb {
                upper: joints.hip,
                middle: joints.knee,
                end: joints.foot,
                l1: THIGH,
                l2: SHANK,
                bend: 1.0,
            };
            let (mut place, mut turn) = (self.places[frame], self.turns[frame]);
            for round in 0..N_ROUNDS {
                limb.solve(skeleton, root, pose, place);
                let shank = Placed::of(skeleton, root, pose, joints.knee).rotation[joints.knee];
                pose[joints.foot] = (shank.conjugate() * turn).normalize();
                // A flat sole stays flat; else the ankle keeps to its range, and the foot turns about what rests.
                let flat = self.planted[frame] && self.pivots[frame].is_none();
                if flat || round + 1 == N_ROUNDS {
                    break;
                }
                let inside = pose[joints.foot].slerp(within_ankle_range(pose[joints.foot]), self.free[frame]);
                let wanted = (shank * inside).normalize();
                if wanted.dot(turn).abs() > 1.0 - 1e-12 {
                    break;
                }
                turn = wanted;
                // A free foot turns about its ball, as it will when that touches.
                let about_ball = (BALL, self.places[frame] + self.turns[frame] * BALL);
                let (local, anchor) = self.pivots[frame].unwrap_or(about_ball);
                // A sole that the ankle cannot keep level rises by half of what its edge would sink.
                let tilt = |foot: DQuat| (foot * DVec3::Y).z.abs();
                let sink = SOLE_HALF_WIDTH * (tilt(turn) - tilt(self.turns[frame])).max(0.0);
                place = anchor + DVec3::Z * (0.5 * sink) - turn * local;
            }
            flatten_toes(
                turn,
                Placed::of(skeleton, root, pose, joints.foot).position[joints.foot],
                &mut pose[joints.toe],
            );
            return;
        }
        // The hand keeps its angle at the wrist; the palm's place follows in a few rounds.
        let limb = Limb {
            upper: joints.shoulder,
            middle: joints.elbow,
            end: joints.hand,
            l1: UPPER_ARM,
            l2: FOREARM,
            bend: -1.0,
        };
        for _ in 0..12 {
            let placed = Placed::of(skeleton, root, pose, joints.hand);
            let palm = placed.point(joints.hand, PALM);
            let missing = self.places[frame] - palm;
            if missing.length_squared() < 1e-12 {
                break;
            }
            limb.solve(skeleton, root, pose, placed.position[joints.hand] + missing);
        }
    }
}

/// A foot on its ball does not push the heel into the floor, nor one on its heel the ball, and neither tilts sideways.
fn raised(foot: DQuat, on_heel: bool) -> DQuat {
    let ahead = foot * DVec3::X;
    let down = -ahead.z.clamp(-1.0, 1.0).asin();
    let down = if on_heel { down.min(0.0) } else { down.max(0.0) };
    DQuat::from_rotation_z(ahead.y.atan2(ahead.x)) * DQuat::from_rotation_y(down)
}

/// An ankle's rotation with its angles kept inside their ranges, softly over the last degrees.
fn within_ankle_range(ankle: DQuat) -> DQuat {
    let (y, x, z) = ankle.to_euler(glam::EulerRot::YXZ);
    let soft = |angle: f64, lower: f64, upper: f64| {
        let (degrees, margin) = (angle.to_degrees(), 2.0);
        let over = |past: f64| margin * (1.0 - (-past / margin).exp());
        let kept = if degrees > upper - margin {
            upper - margin + over(degrees - upper + margin)
        } else if degrees < lower + margin {
            lower + margin - over(lower + margin - degrees)
        } else {
            degrees
        };
        kept.to_radians()
    };
    DQuat::from_euler(glam::EulerRot::YXZ, -soft(-y, -50.0, 25.0), soft(x, -25.0, 25.0), z)
}

/// Bends toes up as the heel rises over a ball near the floor.
fn flatten_toes(foot: DQuat, ankle: DVec3, toe: &mut DQuat) {
    let near = 1.0 - smoother((ankle + foot * BALL).z / TOES_FREE);
    let down = -(foot * DVec3::X).z.clamp(-1.0, 1.0).asin();
    let flat = down.clamp(0.0, 60f64.to_radians());
    let (own, _, _) = toe.to_euler(glam::EulerRot::YXZ);
    *toe = DQuat::from_rotation_y(-(-own + near * (flat.max(-own) + own)));
}

/// A cubic from `offset` with rate `rate` per frame to nothing at `room` frames.
fn fading(offset: DVec3, rate: DVec3, k: usize, room: usize) -> DVec3 {
    let s = k as f64 / room as f64;
    let w = 1.0 - s;
    offset * (w * w * (1.0 + 2.0 * s)) + rate * (room as f64 * s * w * w)
}

/// How far the floor pushes up at height z: nothing above, all of the depth less half of the soft range below.
fn push_up(z: f64) -> f64 {
    if z >= 0.0 {
        0.0
    } else if z > -SOFT {
        z * z / (2.0 * SOFT)
    } else {
        -z - 0.5 * SOFT
    }
}

/// Two bones with a hinge between them.
struct Limb {
    upper: JointId,
    middle: JointId,
    end: JointId,
    l1: f64,
    l2: f64,
    /// Sign of the hinge's turn about y in flexion.
    bend: f64,
}

impl Limb {
    /// Bends the hinge to the wanted length (law of cosines), then swings the whole limb onto the target.
    fn solve(&self, skeleton: &Skeleton, root: DVec3, pose: &mut [DQuat; N_JOINTS], target: DVec3) {
        let start = Placed::of(skeleton, root, pose, self.upper).position[self.upper];
        let (l1, l2) = (self.l1, self.l2);
        let share = (target - start).length() / (l1 + l2);
        let room = LIMIT - FREE;
        let share = if share > FREE { FREE + room * (1.0 - (-(share - FREE) / room).exp()) } else { share };
        let distance = share.max(0.26) * (l1 + l2);
        let flexion = ((distance * distance - l1 * l1 - l2 * l2) / (2.0 * l1 * l2)).clamp(-1.0, 1.0).acos();
        // A forearm's twist about its bone stays.
        let (_, _, twist) = pose[self.middle].to_euler(glam::EulerRot::YXZ);
        pose[self.middle] = DQuat::from_rotation_y(self.bend * flexion) * DQuat::from_rotation_z(twist);
        let placed = Placed::of(skeleton, root, pose, self.end);
        let from = (placed.position[self.end] - start).try_normalize();
        let to = (target - start).try_normalize();
        if let (Some(from), Some(to)) = (from, to) {
            let swing = DQuat::from_rotation_arc(from, to);
            let upper = placed.rotation[self.upper];
            let world_from_parent = upper * pose[self.upper].conjugate();
            pose[self.upper] = (world_from_parent.conjugate() * swing * upper).normalize();
        }
    }
}
