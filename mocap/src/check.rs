//! A report on a clip: frames that should not be played, and whether gravity agrees with the frame time.
//!
//! A falling body's centre of mass draws a parabola with 9.81 m/s² whatever the limbs do. Where all of the body is off
//! the ground, the height of the centre of mass is fitted with a parabola; its curvature over g is the square of
//! the factor by which the clip plays too fast. No flight, no claim.

use crate::roles::Side;
use crate::rotation::angle;
use crate::skeleton::JointId;
use crate::{Clip, Roles};
use glam::DVec3;
use std::ops::Range;

/// Standard gravity, m/s².
const GRAVITY: f64 = 9.81;
/// A joint turning faster than this in one frame is a pop, rad/s.
const POP_SPEED: f64 = 3000.0 * core::f64::consts::PI / 180.0;
/// Calibration poses are looked for in the first frames up to this one.
const LEAD_IN: usize = 10;
/// All of the body is at least this far above its lowest resting place in flight, metres.
const CLEARANCE: f64 = 0.07;

/// A frame that should not be played.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum BadFrame {
    /// The first frames are a synthetic or calibration pose (usually a T-pose), far from what follows.
    Calibration {
        /// How many frames to skip.
        n_frames: usize,
        /// Greatest turn of a joint into the motion, in radians.
        jump: f64,
    },
    /// A joint turns impossibly fast into this frame.
    Pop {
        /// The frame after the jump.
        frame: usize,
        /// Name of the joint that turns most.
        joint: String,
        /// Turn within the one frame, in radians.
        jump: f64,
    },
}

/// A flight phase and the gravity it shows.
#[derive(Clone, Debug, PartialEq)]
pub struct Flight {
    /// Frames in which nothing touches the ground.
    pub frames: Range<usize>,
    /// Downward acceleration of the centre of mass at the clip's frame time, m/s².
    pub gravity: f64,
}

/// What a check of a clip found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClipReport {
    /// Frames that should not be played.
    pub bad_frames: Vec<BadFrame>,
    /// Flights with a clean parabola.
    pub flights: Vec<Flight>,
    /// Frame time at which the flights would show 9.81 m/s², where it differs by a factor of 1.4 or more.
    pub suggested_frame_time: Option<f64>,
    /// All findings that need attention, in sentences; empty for a clean clip.
    pub warnings: Vec<String>,
}

/// Checks a clip in metres with z up.
pub fn check_clip(clip: &Clip) -> ClipReport {
    let bad_frames = find_bad_frames(clip);
    let first = match bad_frames.first() {
        Some(BadFrame::Calibration { n_frames, .. }) => *n_frames,
        _ => 0,
    };
    let flights = find_flights(clip, first);
    let suggested_frame_time = suggest_frame_time(clip, &flights);
    let mut warnings: Vec<String> = Vec::new();
    warnings.extend(bad_frames.first().and_then(|bad| match bad {
        BadFrame::Calibration { n_frames, jump } => Some(format!(
            "The first {n_frames} frame(s) are not part of the motion (joints then turn by up to {:.0}° at once): start at frame {n_frames}.",
            jump.to_degrees()
        )),
        BadFrame::Pop { .. } => None,
    }));
    warnings.extend(describe_pops(&bad_frames));
    warnings.extend(suggested_frame_time.map(|seconds| {
        let gravity = median(flights.iter().map(|f| f.gravity).collect());
        format!(
            "The frame time of {:.5} s disagrees with gravity: bodies fall with {gravity:.1} m/s² here; {seconds:.5} s would make it 9.8.",
            clip.frame_time()
        )
    }));
    ClipReport { bad_frames, flights, suggested_frame_time, warnings }
}

/// One sentence for all pops.
fn describe_pops(bad_frames: &[BadFrame]) -> Option<String> {
    let pops: Vec<(usize, &str, f64)> = bad_frames
        .iter()
        .filter_map(|bad| match bad {
            BadFrame::Pop { frame, joint, jump } => Some((*frame, joint.as_str(), *jump)),
            BadFrame::Calibration { .. } => None,
        })
        .collect();
    let worst = pops.iter().max_by(|a, b| a.2.total_cmp(&b.2))?;
    Some(format!(
        "{} frame{} with a joint turning faster than 3000°/s; the worst is frame {} ({}, {:.0}° in one frame).",
        pops.len(),
        if pops.len() == 1 { "" } else { "s" },
        worst.0,
        worst.1,
        worst.2.to_degrees()
    ))
}

/// Pops and a synthetic first frame. Fingers, thumbs and other joints below the wrists are not looked at.
fn find_bad_frames(clip: &Clip) -> Vec<BadFrame> {
    let roles = Roles::find(clip.skeleton());
    let mut ignored = vec![false; clip.n_joints()];
    for (index, joint) in clip.skeleton().joints().iter().enumerate() {
        let wrists = [roles.left.wrist, roles.right.wrist];
        ignored[index] = joint.parent.is_some_and(|p| ignored[p] || wrists.contains(&Some(p)));
    }
    let largest_turn = |frame: usize| {
        let pairs = clip.rotations(frame - 1).iter().zip(clip.rotations(frame)).enumerate();
        let turns = pairs.filter(|(j, _)| !ignored[*j]).map(|(j, (&a, &b))| (j, angle(a, b)));
        turns.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0))
    };
    let limit = (POP_SPEED * clip.frame_time()).min(2.0);
    let n_turned = |frame: usize| {
        let pairs = clip.rotations(frame - 1).iter().zip(clip.rotations(frame));
        pairs.filter(|&(&a, &b)| angle(a, b) > 0.5 * limit).count()
    };
    let mut bad = Vec::new();
    for frame in 1..clip.n_frames() {
        let (joint, jump) = largest_turn(frame);
        if jump <= limit {
            continue;
        }
        // Several joints leaving the first frames at once mean that these were put in front of the motion.
        if frame <= LEAD_IN && n_turned(frame) >= 3 {
            bad.clear();
            bad.push(BadFrame::Calibration { n_frames: frame, jump });
        } else {
            bad.push(BadFrame::Pop { frame, joint: clip.skeleton().joints()[joint].name.clone(), jump });
        }
    }
    bad
}

/// Parts of the body with their share of the mass and the place of their centre between two joints (de Leva 1996,
/// male; Adjustments to Zatsiorsky-Seluyanov's segment inertia parameters).
struct Segment {
    mass: f64,
    from: (JointId, DVec3),
    to: (JointId, DVec3),
    /// Distance of the centre from `from`, as a share of the length.
    centre: f64,
}

/// The body's segments; empty where legs or arms are not found by name.
fn segments(clip: &Clip, roles: &Roles) -> Vec<Segment> {
    let skeleton = clip.skeleton();
    let tip = |joint: JointId| (joint, skeleton.end_site_of(joint).unwrap_or(DVec3::ZERO));
    let at = |joint: JointId| (joint, DVec3::ZERO);
    let mut segments = Vec::new();
    let limbs = Side::BOTH.iter().try_for_each(|&side| {
        let l = roles.side(side);
        let (hip, knee, ankle) = (l.hip?, l.knee?, l.ankle?);
        let (shoulder, elbow, wrist) = (l.shoulder?, l.elbow?, l.wrist?);
        for (mass, from, to, centre) in [
            (14.16, at(hip), at(knee), 0.4095),
            (4.33, at(knee), at(ankle), 0.4395),
            (1.37, at(ankle), l.toe.map_or(tip(ankle), tip), 0.4),
            (2.71, at(shoulder), at(elbow), 0.5772),
            (1.62, at(elbow), at(wrist), 0.4574),
            (0.61, at(wrist), tip(wrist), 0.5),
            // Half of the trunk along each side, from the shoulder to the hip.
            (21.73, at(shoulder), at(hip), 0.431),
        ] {
            segments.push(Segment { mass, from, to, centre });
        }
        Some(())
    });
    if limbs.is_none() {
        return Vec::new();
    }
    if let Some(head) = roles.head.or(roles.neck) {
        segments.push(Segment { mass: 6.94, from: at(head), to: tip(head), centre: 0.6 });
    }
    segments
}

/// Flights of at least twelve frames whose centre of mass follows a parabola.
fn find_flights(clip: &Clip, first: usize) -> Vec<Flight> {
    let roles = Roles::find(clip.skeleton());
    let segments = segments(clip, &roles);
    if segments.is_empty() {
        return Vec::new();
    }
    let total: f64 = segments.iter().map(|s| s.mass).sum();
    let mut world = Vec::new();
    let (mut lowest, mut centre) = (Vec::new(), Vec::new());
    let mut points: Vec<DVec3> = Vec::new();
    let width = clip.n_joints() + clip.skeleton().end_sites().len();
    for frame in first..clip.n_frames() {
        clip.world(frame, &mut world);
        let place = |(joint, offset): (JointId, DVec3)| world[joint].transform_point(offset);
        points.extend(world.iter().map(|t| t.translation));
        points.extend(clip.skeleton().end_sites().iter().map(|e| place((e.joint, e.offset))));
        lowest.push(points[points.len() - width..].iter().map(|p| p.z).fold(f64::INFINITY, f64::min));
        let mass_point = |s: &Segment| s.mass / total * place(s.from).lerp(place(s.to), s.centre);
        centre.push(segments.iter().map(mass_point).sum::<DVec3>());
    }
    // The floor is where the lowest point is in the middle of the frames of a clip that stands at times.
    let mut sorted = lowest.clone();
    sorted.sort_by(f64::total_cmp);
    let Some(&ground) = sorted.get(sorted.len() / 4) else { return Vec::new() };
    let airborne: Vec<bool> = lowest.iter().map(|&z| z > ground + CLEARANCE).collect();
    crate::contacts::intervals(&airborne)
        .into_iter()
        .filter(|run| run.len() >= 12 && run.start > 0 && run.end < airborne.len())
        .filter_map(|run| {
            let (rise, gravity) = fit_fall(&centre[run.clone()], clip.frame_time())?;
            let during = &points[run.start * width..run.end * width];
            (!is_supported(during, width, rise))
                .then_some(Flight { frames: run.start + first..run.end + first, gravity })
        })
        .collect()
}

/// Whether some point of the body stays in place through half of a phase, as a hand in a cartwheel or a foot on a
/// block does, while in free fall all of it moves with the parabola. Lengths only, so that the frame time plays no
/// part.
fn is_supported(points: &[DVec3], width: usize, rise: f64) -> bool {
    let n_frames = points.len() / width;
    let limit = 0.25 * rise + 0.01;
    let rests = |frames: Range<usize>, point: usize| {
        let start = points[frames.start * width + point];
        frames.clone().all(|f| points[f * width + point].distance(start) < limit)
    };
    (0..width).any(|point| rests(0..n_frames / 2, point) || rests(n_frames / 2..n_frames, point))
}

/// Rise and downward acceleration of the centre of mass at equal steps, where free fall explains its path: the
/// remainder must be small against the rise, the top must lie inside, and the path must be straight from above.
fn fit_fall(path: &[DVec3], step: f64) -> Option<(f64, f64)> {
    // Least squares on orthogonal polynomials over u = -1..1: 1, u, u² - mean.
    let n = path.len() as f64;
    let u = |i: usize| 2.0 * i as f64 / (n - 1.0) - 1.0;
    let mean_square = (0..path.len()).map(|i| u(i) * u(i)).sum::<f64>() / n;
    let mean = path.iter().sum::<DVec3>() / n;
    let (mut slope, mut bend, mut bend_norm) = (DVec3::ZERO, DVec3::ZERO, 0.0);
    for (i, &p) in path.iter().enumerate() {
        let p2 = u(i) * u(i) - mean_square;
        slope += u(i) * (p - mean);
        bend += p2 * (p - mean);
        bend_norm += p2 * p2;
    }
    slope /= n * mean_square;
    bend /= bend_norm;
    let error = path.iter().enumerate().map(|(i, &p)| {
        let fit = mean.z + slope.z * u(i) + bend.z * (u(i) * u(i) - mean_square);
        (p.z - fit) * (p.z - fit)
    });
    let error = (error.sum::<f64>() / n).sqrt();
    let rise = -bend.z;
    let half = 0.5 * (n - 1.0) * step;
    let falls = rise > 0.02 && error < 0.05 * rise && slope.z.abs() < 2.0 * rise;
    let straight = bend.truncate().length() < 0.2 * rise;
    (falls && straight).then(|| (rise, 2.0 * rise / (half * half)))
}

/// The frame time that would make the flights fall with g, where it is clearly another one.
fn suggest_frame_time(clip: &Clip, flights: &[Flight]) -> Option<f64> {
    if flights.is_empty() {
        return None;
    }
    let factor = (median(flights.iter().map(|f| f.gravity).collect()) / GRAVITY).sqrt();
    if (1.0 / 1.4..=1.4).contains(&factor) {
        return None;
    }
    // Files are off by whole factors; a near one is meant.
    let whole = if factor > 1.0 { factor.round() } else { 1.0 / (1.0 / factor).round() };
    let factor = if (factor / whole - 1.0).abs() < 0.2 { whole } else { factor };
    Some(clip.frame_time() * factor)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
