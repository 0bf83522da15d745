//! Footing: a clip whose feet stand on the ground with the figure's own soles, and clear it while they swing.
//!
//! A figure's feet are not the performer's: soles float or sink by a centimetre or two, drift while they bear, and heels
//! come in at walking speed where the performer's were just above the floor. A kinematic figure hides it; a simulated one
//! strikes early, drags, and loses its way ("dragging of the feet", Wrotek et al. 2006, section 5). So each ankle gets a
//! shift, by inverse kinematics of the leg, with the foot's orientation kept. With `p_i` the points of a sole, `z` their
//! least height, and weights `w_i ∝ exp(-(z_i - z)/s)` of those that touch:
//!
//! ```text
//! u   = Σ w_i ṗ_i                     velocity of what touches: rolling from heel to toe is no sliding      (1)
//! bears where z and |u| are small (up and down, too: who takes off does not bear), with hysteresis
//! c   = -∫ u dt, less its mean; c_z = -z        while it bears                                              (2)
//! c   goes smoothly from one stand to the next in between
//! c_z is raised until z ≥ min(h, t (|u| - u₀))  while it swings: as high as it is fast                      (3)
//! ```
//!
//! Who pushes off is on the way up already, with a foot that rolls off at half a metre per second. So while somebody carries the body, as its
//! centre of mass tells, and no other sole bears, the one that bore last goes on bearing, and the one that bears next does already.
//!
//! The whole clip is first moved by the median height of the bearing soles, so that legs are bent for what is left only;
//! where a leg is too short for its place, the root goes down by what is missing (after Kovar, Schreiner & Gleicher,
//! *Footskate Cleanup for Motion Capture Editing*, 2002). Then the root is moved so that the centre of mass goes a way that it can (`weight`), with
//! the feet where they are.

mod weight;

use crate::character::{Bone, Character, Physique, SolePoint};
use crate::contacts::{ContactOptions, intervals, replace_short_runs};
use crate::edit::{Leg, Planar, advance, fade_weight, place_planar, spread};
use crate::roles::Side;
use crate::skeleton::JointId;
use crate::{Clip, Skeleton};
use glam::{DQuat, DVec3};
use std::ops::Range;
use stuntlab_physics::Data;
use stuntlab_physics::dynamics::forward_kinematics;

/// `s`: how sharply the lowest points of a sole are chosen, m.
const SHARPNESS: f64 = 0.006;
/// `h`: a swinging sole need not be higher than this, m.
const CLEARANCE: f64 = 0.06;
/// `t` of (3): a sole on its way down at a tenth of its speed along the ground.
const APPROACH: f64 = 0.01;
/// A sole higher than this does not bear, m: it would be bent to the floor from a step.
const BEARING: f64 = 0.06;
/// A sole that is faster than this along the ground does not bear, whoever carries the body, m/s: it would be torn back.
const LEAVING: f64 = 1.5;
/// Other parts than feet whose joint is lower than this may bear, m.
const LOW: f64 = 0.2;
/// Rounds of a cycle, of which the middle one is kept: stands reach over the seam, and the way of the centre of mass over a part of a second.
const CYCLES: usize = 5;
/// The farthest that an ankle is shifted along the ground, m.
const FARTHEST: f64 = 0.15;
/// Time over which a shift fades where no stand follows, and over which a lift rises, s.
const FADE: f64 = 0.3;
const RISE: f64 = 0.06;
/// Time at the ends of a swing in which nothing is lifted, s.
const SETTLE: f64 = 0.025;
/// Share of its length to which a leg is stretched for a place: the knee of a straighter one would turn at once.
const STRETCHED: f64 = 0.99;
/// Rounds: the legs of a figure with fewer freedoms than its skeleton end a little off.
const ROUNDS: usize = 4;

/// A clip with its feet set, and what that took.
#[derive(Clone, Debug)]
pub struct Footing {
    /// The clip.
    pub clip: Clip,
    /// Way that bearing soles slid before, m per metre that the root came (of at least one metre).
    pub slide_before: f64,
    /// The same afterwards.
    pub slide: f64,
    /// The farthest that an ankle was shifted, m.
    pub farthest: f64,
}

/// Sets the feet of a clip on the character's skeleton; a cycle, whose last frame is its first one moved on, stays one.
/// Skeletons without legs are left as they are.
pub fn set_feet(clip: &Clip, character: &Character, cyclic: bool) -> Footing {
    if cyclic && clip.n_frames() > 1 {
        let n = clip.n_frames() - 1;
        let set = set_feet(&over_and_over(clip), character, false);
        let (from, to) = (CYCLES / 2 * n, (CYCLES / 2 + 1) * n);
        let width = clip.n_joints();
        let rotations = set.clip.all_rotations()[from * width..(to + 1) * width].to_vec();
        let mut round = clip.with_frames(set.clip.root_positions()[from..=to].to_vec(), rotations);
        for _ in 0..CYCLES / 2 {
            round = place_planar(&round, &advance(clip).inverse());
        }
        return Footing { clip: closed(&round, &advance(clip)), ..set };
    }
    let legs = Side::BOTH.map(|side| Leg::find(clip, character.joint_roles().side(side)));
    let [Some(left), Some(right)] = legs else {
        return Footing { clip: clip.clone(), slide_before: 0.0, slide: 0.0, farthest: 0.0 };
    };
    let legs = [left, right];
    let mut set = clip.clone();
    let (mut slide_before, mut farthest) = (0.0, 0.0_f64);
    for round in 0..ROUNDS {
        let mut soles = Soles::of(&set, character);
        if round == 0 {
            slide_before = soles.slide(&set);
            let sunk = soles.median_height();
            set = moved_up(&set, -sunk);
            soles.points.iter_mut().flatten().for_each(|p| p.z -= sunk);
        }
        let shifts = soles.courses().map(|course| soles.shifts(&course));
        let all = shifts.iter().flatten().map(|s| s.length());
        farthest = farthest.max(all.fold(0.0, f64::max));
        // Feet first: where they bear is known afterwards.
        let moves = if round == 0 { vec![DVec3::ZERO; set.n_frames()] } else { soles.moves() };
        set = shifted(&set, &legs, &shifts, &moves);
    }
    let slide = Soles::of(&set, character).slide(&set);
    Footing { clip: set, slide_before, slide, farthest }
}

/// A cycle as often as it takes.
fn over_and_over(clip: &Clip) -> Clip {
    let step = advance(clip);
    let n = clip.n_frames() - 1;
    let (mut positions, mut rotations) = (Vec::new(), Vec::new());
    let mut round = clip.clone();
    for k in 0..CYCLES {
        let frames = if k + 1 == CYCLES { n + 1 } else { n };
        positions.extend_from_slice(&round.root_positions()[..frames]);
        rotations.extend_from_slice(&round.all_rotations()[..frames * clip.n_joints()]);
        round = place_planar(&round, &step);
    }
    clip.with_frames(positions, rotations)
}

/// A round whose last frame is its first one moved on, to the bit: the ends of the row of rounds reach its middle by a millionth.
fn closed(round: &Clip, step: &Planar) -> Clip {
    let (mut positions, mut rotations) = (round.root_positions().to_vec(), round.all_rotations().to_vec());
    let last = (round.n_frames() - 1) * round.n_joints();
    rotations.copy_within(..round.n_joints(), last);
    rotations[last] = (DQuat::from_rotation_z(step.yaw) * rotations[last]).normalize();
    positions[round.n_frames() - 1] = step.apply(positions[0]);
    round.with_frames(positions, rotations)
}

fn moved_up(clip: &Clip, by: f64) -> Clip {
    let positions = clip.root_positions().iter().map(|p| *p + DVec3::Z * by).collect();
    clip.with_frames(positions, clip.all_rotations().to_vec())
}

/// The soles' points, frame by frame.
struct Soles {
    frame_time: f64,
    n_frames: usize,
    /// By side and frame: the lowest points of the contact spheres.
    points: [Vec<DVec3>; 2],
    widths: [usize; 2],
    /// Centre of mass.
    center: Vec<DVec3>,
    /// Whether another part than a foot is near the ground.
    others: Vec<bool>,
}

/// What a sole does, frame by frame.
struct Course {
    height: Vec<f64>,
    /// (1), to the next frame.
    way: Vec<DVec3>,
    bears: Vec<bool>,
}

impl Soles {
    fn of(clip: &Clip, character: &Character) -> Self {
        let model = character.model();
        let mut data = Data::new(model);
        let of = |side: Side| character.soles().iter().filter(move |s| s.side == side);
        let widths = Side::BOTH.map(|side| of(side).count());
        let mut points = [Vec::new(), Vec::new()];
        let (mut center, mut others) = (Vec::new(), Vec::new());
        let physique = Physique::of(character);
        let is_low = |data: &Data, bone: usize| {
            !physique.is_foot(Bone::new(bone)) && data.position.world_from_body[bone].translation.z < LOW
        };
        for frame in 0..clip.n_frames() {
            forward_kinematics(model, &character.state_from_pose(&clip.pose(frame)), &mut data);
            let lowest = |s: &SolePoint| {
                let pose = data.world_from_body(s.body);
                pose.transform_point(s.point_body + DVec3::Z * s.radius) - DVec3::Z * s.radius
            };
            for (points, side) in points.iter_mut().zip(Side::BOTH) {
                points.extend(of(side).map(lowest));
            }
            let weighed = model.bodies().iter().zip(&data.position.world_from_body);
            let sum =
                weighed.map(|(b, pose)| pose.transform_point(b.inertia().center_of_mass) * b.inertia().mass);
            center.push(sum.sum::<DVec3>() / model.total_mass());
            others.push((0..model.n_bodies()).any(|bone| is_low(&data, bone)));
        }
        Self { frame_time: clip.frame_time(), n_frames: clip.n_frames(), points, widths, center, others }
    }

    /// Both courses, with stands as long as the body is carried.
    fn courses(&self) -> [Course; 2] {
        let mut courses = Side::BOTH.map(|side| self.course(side));
        let carried = weight::carried(&self.center, self.frame_time);
        let backwards = (0..self.n_frames).rev();
        for (frame, before) in
            (1..self.n_frames).map(|f| (f, f - 1)).chain(backwards.skip(1).map(|f| (f, f + 1)))
        {
            if !carried[frame] || self.others[frame] || courses.iter().any(|c| c.bears[frame]) {
                continue;
            }
            for course in &mut courses {
                let slow = course.way[frame].length() < LEAVING * self.frame_time;
                course.bears[frame] = course.bears[before] && slow && course.height[frame] < BEARING;
            }
        }
        courses
    }

    /// By how much the root is to be moved so that the centre of mass goes a way that it can.
    fn moves(&self) -> Vec<DVec3> {
        let courses = self.courses();
        let soles: Vec<bool> = (0..self.n_frames).map(|f| courses.iter().any(|c| c.bears[f])).collect();
        let bearers = weight::bearers(&self.center, self.frame_time, &soles, &self.others);
        weight::moves(&self.center, self.frame_time, &bearers)
    }

    fn course(&self, side: Side) -> Course {
        let (points, width) = (&self.points[side as usize], self.widths[side as usize]);
        let at = |frame: usize| &points[frame * width..(frame + 1) * width];
        let height: Vec<f64> =
            (0..self.n_frames).map(|f| at(f).iter().map(|p| p.z).fold(f64::INFINITY, f64::min)).collect();
        let way = |frame: usize| {
            let next = (frame + 1).min(self.n_frames - 1);
            let (mut sum, mut total) = (DVec3::ZERO, 0.0);
            for (a, b) in at(frame).iter().zip(at(next)) {
                let weight = (-(a.z - height[frame]) / SHARPNESS).exp();
                sum += (*b - *a) * weight;
                total += weight;
            }
            sum / f64::max(total, 1e-12)
        };
        let mut way: Vec<DVec3> = (0..self.n_frames).map(way).collect();
        let o = ContactOptions::default();
        let mut resting = false;
        let mut bears: Vec<bool> = (0..self.n_frames)
            .map(|f| {
                let limit = if resting { o.end_speed } else { o.begin_speed };
                resting = height[f] < BEARING && way[f].length() < limit * self.frame_time;
                resting
            })
            .collect();
        replace_short_runs(&mut bears, false, (o.max_gap / self.frame_time) as usize);
        replace_short_runs(&mut bears, true, (o.min_duration / self.frame_time) as usize);
        way.iter_mut().for_each(|w| w.z = 0.0);
        Course { height, way, bears }
    }

    /// Median height of the soles that bear; zero where none does.
    fn median_height(&self) -> f64 {
        let mut heights: Vec<f64> = Vec::new();
        for course in self.courses() {
            heights.extend(course.height.iter().zip(&course.bears).filter(|h| *h.1).map(|h| *h.0));
        }
        heights.sort_by(f64::total_cmp);
        heights.get(heights.len() / 2).copied().unwrap_or(0.0)
    }

    /// Way that bearing soles slide per metre that the root comes.
    fn slide(&self, clip: &Clip) -> f64 {
        let slid = |course: Course| {
            course.way.iter().zip(&course.bears).filter(|w| *w.1).map(|w| w.0.length()).sum::<f64>()
        };
        let root = clip.root_positions();
        let way: f64 = root.windows(2).map(|w| (w[1] - w[0]).truncate().length()).sum();
        self.courses().map(slid).iter().sum::<f64>() / way.max(1.0)
    }

    /// How far the ankle must move in every frame: (2), (3).
    fn shifts(&self, course: &Course) -> Vec<DVec3> {
        let mut shifts = vec![DVec3::ZERO; self.n_frames];
        let stands = intervals(&course.bears);
        for stand in &stands {
            let mut slid = DVec3::ZERO;
            for frame in stand.clone() {
                shifts[frame] = -slid;
                slid += course.way[frame];
            }
            let mean = shifts[stand.clone()].iter().sum::<DVec3>() / stand.len() as f64;
            for frame in stand.clone() {
                let along = (shifts[frame] - mean).clamp_length_max(FARTHEST);
                shifts[frame] = along.with_z(-course.height[frame]);
            }
        }
        let fade = ((FADE / self.frame_time) as usize).max(1);
        for swing in swings(&stands, self.n_frames) {
            bridge(&mut shifts, &swing, fade);
            self.lift(&mut shifts, course, &swing);
        }
        shifts
    }

    /// (3), over one swing.
    fn lift(&self, shifts: &mut [DVec3], course: &Course, swing: &Range<usize>) {
        let begin = ContactOptions::default().begin_speed;
        let settle = ((SETTLE / self.frame_time) as usize).max(1);
        let rise = ((RISE / self.frame_time) as usize).max(1);
        let missing = |frame: usize| {
            let speed = course.way[frame].length() / self.frame_time;
            let wanted = (APPROACH * (speed - begin).max(0.0)).min(CLEARANCE);
            (wanted - (course.height[frame] + shifts[frame].z)).max(0.0)
        };
        let missing: Vec<f64> = swing.clone().map(missing).collect();
        let lift = spread(&missing, rise);
        // No jump where the foot comes to stand or leaves.
        let n = swing.len();
        for (k, lift) in lift.iter().enumerate() {
            let from_stand = |distance: usize| 1.0 - fade_weight(distance, settle);
            let before = if swing.start > 0 { from_stand(k) } else { 1.0 };
            let after = if swing.end < course.bears.len() { from_stand(n - 1 - k) } else { 1.0 };
            shifts[swing.start + k].z += lift * before.min(after);
        }
    }
}

/// The frames between stands.
fn swings(stands: &[Range<usize>], n_frames: usize) -> Vec<Range<usize>> {
    let ends = std::iter::once(0).chain(stands.iter().map(|s| s.end));
    let starts = stands.iter().map(|s| s.start).chain([n_frames]);
    ends.zip(starts).map(|(a, b)| a..b).filter(|s| !s.is_empty()).collect()
}

/// Leads from the shift before a swing to that after it; over long ones both fade to nothing.
fn bridge(shifts: &mut [DVec3], swing: &Range<usize>, fade: usize) {
    let before = swing.start.checked_sub(1).map(|f| shifts[f]);
    let after = shifts.get(swing.end).copied();
    let n = swing.len();
    let span = if before.is_some() && after.is_some() { fade.max(n.min(2 * fade)) } else { fade };
    for k in 0..n {
        let from = before.map_or(DVec3::ZERO, |s| s * fade_weight(k, span.min(n)));
        let to = after.map_or(DVec3::ZERO, |s| s * fade_weight(n - 1 - k, span.min(n)));
        shifts[swing.start + k] = from + to;
    }
}

/// The clip with its ankles and its root moved, and its root lowered where a leg is too short.
fn shifted(clip: &Clip, legs: &[Leg; 2], shifts: &[Vec<DVec3>; 2], moves: &[DVec3]) -> Clip {
    let skeleton: &Skeleton = clip.skeleton();
    let n = clip.n_joints();
    let points: Vec<(JointId, DVec3)> =
        legs.iter().flat_map(|l| [(l.hip, DVec3::ZERO), (l.ankle, DVec3::ZERO)]).collect();
    let track = clip.track(&points);
    let mut drops = vec![0.0_f64; clip.n_frames()];
    for (frame, drop) in drops.iter_mut().enumerate() {
        for (k, leg) in legs.iter().enumerate() {
            let (hip, ankle) = (track[4 * frame + 2 * k], track[4 * frame + 2 * k + 1]);
            let away = hip + moves[frame] - (ankle + shifts[k][frame]);
            let length = limit(leg, hip, ankle);
            let height = (length * length - away.truncate().length_squared()).max(0.0).sqrt();
            *drop = drop.max(away.z - height);
        }
    }
    let drops = spread(&drops, ((FADE / clip.frame_time()) as usize).max(1));
    let mut rotations = clip.all_rotations().to_vec();
    let mut positions = clip.root_positions().to_vec();
    for frame in 0..clip.n_frames() {
        positions[frame] += moves[frame] - DVec3::Z * drops[frame];
        let pose = &mut rotations[frame * n..(frame + 1) * n];
        for (k, leg) in legs.iter().enumerate() {
            if drops[frame] > 0.0 || shifts[k][frame] != moves[frame] {
                let target = track[4 * frame + 2 * k + 1] + shifts[k][frame];
                let (hip, ankle) = (track[4 * frame + 2 * k], track[4 * frame + 2 * k + 1]);
                leg.reach(skeleton, positions[frame], pose, target, limit(leg, hip, ankle));
            }
        }
    }
    clip.with_frames(positions, rotations)
}

/// How far a leg may be stretched: no farther than it is, or to where its knee would snap straight.
fn limit(leg: &Leg, hip: DVec3, ankle: DVec3) -> f64 {
    (STRETCHED * leg.length).max((hip - ankle).length()).min(leg.length)
}
