//! A report on a clip: frames that should not be played, and whether gravity agrees with the frame time.
//!
//! A falling body's centre of mass draws a parabola with 9.81 m/s² whatever the limbs do. Where all of the body is off
//! the ground, the height of the centre of mass is fitted with a parabola; its curvature over g is the square of
//! the factor by which the clip plays too fast. Without a flight, `tempo` looks at how it falls and walks.

mod tempo;

use crate::repair::{Fault, Finding, looked_at, repair};
use crate::roles::Side;
use crate::rotation::angle;
use crate::skeleton::JointId;
use crate::{Clip, Roles};
use glam::DVec3;
use std::ops::Range;

/// Standard gravity, m/s².
const GRAVITY: f64 = 9.81;
/// A joint that turns faster than this out of the first frames leaves a calibration pose, rad/s.
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
    /// A joint jumps as none does by itself: the first frame that [`repair`](mod@crate::repair) would mend.
    Pop {
        /// The first wrong frame.
        frame: usize,
        /// Name of the joint, of one of several, or "root".
        joint: String,
        /// Largest turn within one frame, in radians; zero where only the root's place jumps.
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
    /// Why the frame time is doubtful, in a sentence.
    pub frame_time_doubt: Option<String>,
    /// All findings that need attention, in sentences; empty for a clean clip.
    pub warnings: Vec<String>,
}

/// Checks a clip in metres with z up.
pub fn check_clip(clip: &Clip) -> ClipReport {
    let repaired = repair(clip);
    let bad_frames: Vec<BadFrame> = repaired.findings.iter().filter_map(bad_frame).collect();
    let roles = Roles::find(clip.skeleton());
    // Limbs that pop fall by no gravity.
    let path = Path::of(&repaired.clip, &roles, repaired.cut);
    let flights = path.as_ref().map_or_else(Vec::new, |path| find_flights(path, clip.frame_time()));
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
    let by_flights = suggested_frame_time.map(|seconds| {
        let gravity = median(flights.iter().map(|f| f.gravity).collect());
        format!(
            "The frame time of {:.5} s disagrees with gravity: bodies fall with {gravity:.1} m/s² here; {seconds:.5} s would make it 9.8.",
            clip.frame_time()
        )
    });
    let by_tempo =
        || path.as_ref().filter(|_| flights.is_empty()).and_then(|path| tempo::doubt(clip, &roles, path));
    let frame_time_doubt = by_flights.or_else(by_tempo);
    warnings.extend(frame_time_doubt.clone());
    ClipReport { bad_frames, flights, suggested_frame_time, frame_time_doubt, warnings }
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
        "{} fault{} that no body makes (pops, spikes, gaps); the worst begins at frame {} ({}, {:.0}° in one frame). \
         `stuntlab clip repair` mends them.",
        pops.len(),
        if pops.len() == 1 { "" } else { "s" },
        worst.0,
        worst.1,
        worst.2.to_degrees()
    ))
}

/// What a repair would find, as a bad frame.
fn bad_frame(finding: &Finding) -> Option<BadFrame> {
    match finding.fault {
        Fault::Calibration => {
            Some(BadFrame::Calibration { n_frames: finding.frames.end, jump: finding.turn })
        }
        Fault::Hang => None,
        _ => Some(BadFrame::Pop {
            frame: finding.frames.start,
            joint: finding.joints.first().map_or_else(|| "root".to_owned(), Clone::clone),
            jump: finding.turn,
        }),
    }
}

/// Frames in front of the motion, and the largest turn out of them, rad: several joints leave the first frames at once.
pub(crate) fn calibration(clip: &Clip) -> Option<(usize, f64)> {
    let looked_at = looked_at(clip);
    let limit = (POP_SPEED * clip.frame_time()).min(2.0);
    let leaving = |frame: usize| {
        let pairs = clip.rotations(frame - 1).iter().zip(clip.rotations(frame));
        let turns: Vec<f64> = pairs.map(|(&a, &b)| angle(a, b)).collect();
        let largest = turns.iter().zip(&looked_at).filter(|(_, looked)| **looked).map(|(turn, _)| *turn);
        let jump = largest.fold(0.0, f64::max);
        let n_turned = turns.iter().filter(|turn| **turn > 0.5 * limit).count();
        (jump > limit && n_turned >= 3).then_some((frame, jump))
    };
    // A clip that is hardly longer has no motion behind them.
    (1..=LEAD_IN.min(clip.n_frames().saturating_sub(4))).rev().find_map(leaving)
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

/// Where the body is in every frame.
struct Path {
    /// Number of the first of them in the recording.
    first: usize,
    /// Points per frame.
    width: usize,
    points: Vec<DVec3>,
    lowest: Vec<f64>,
    centre: Vec<DVec3>,
}

impl Path {
    /// None where legs or arms are not found by name.
    fn of(clip: &Clip, roles: &Roles, first: usize) -> Option<Self> {
        let segments = segments(clip, roles);
        if segments.is_empty() {
            return None;
        }
        let total: f64 = segments.iter().map(|s| s.mass).sum();
        let width = clip.n_joints() + clip.skeleton().end_sites().len();
        let mut path = Self { first, width, points: Vec::new(), lowest: Vec::new(), centre: Vec::new() };
        let mut world = Vec::new();
        for frame in 0..clip.n_frames() {
            clip.world(frame, &mut world);
            let place = |(joint, offset): (JointId, DVec3)| world[joint].transform_point(offset);
            path.points.extend(world.iter().map(|t| t.translation));
            path.points.extend(clip.skeleton().end_sites().iter().map(|e| place((e.joint, e.offset))));
            let heights = path.points[path.points.len() - width..].iter().map(|p| p.z);
            path.lowest.push(heights.fold(f64::INFINITY, f64::min));
            let mass_point = |s: &Segment| s.mass / total * place(s.from).lerp(place(s.to), s.centre);
            path.centre.push(segments.iter().map(mass_point).sum::<DVec3>());
        }
        Some(path)
    }
}

/// Flights of at least twelve frames whose centre of mass follows a parabola.
fn find_flights(path: &Path, frame_time: f64) -> Vec<Flight> {
    let Path { first, width, points, lowest, centre } = path;
    // The floor is where the lowest point is in the middle of the frames of a clip that stands at times.
    let mut sorted = lowest.clone();
    sorted.sort_by(f64::total_cmp);
    let Some(&ground) = sorted.get(sorted.len() / 4) else { return Vec::new() };
    let airborne: Vec<bool> = lowest.iter().map(|&z| z > ground + CLEARANCE).collect();
    crate::contacts::intervals(&airborne)
        .into_iter()
        .filter(|run| run.len() >= 12 && run.start > 0 && run.end < airborne.len())
        .filter_map(|run| {
            let (rise, gravity) = fit_fall(&centre[run.clone()], frame_time)?;
            let during = &points[run.start * width..run.end * width];
            (!is_supported(during, *width, rise))
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
