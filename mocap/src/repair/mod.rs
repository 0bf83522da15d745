//! Repair of recordings: spikes, pops, gaps and displaced stretches, joint by joint, with a report of every change.
//!
//! ```text
//! tracks of joints and root --find--> flaws --mend--> tracks; flaws at the same frames are one finding
//! ```
//! | fault | what is done |
//! |---|---|
//! | calibration pose in front | cut off |
//! | spike: out and back within 0.1 s | made up from both ends by a cubic |
//! | gap: stands still, then catches up; or constant and far away; up to 0.5 s | the same |
//! | shift: displaced as a whole for up to 1.5 s | put back |
//! | pop: a joint away for good | spread over 0.15 s and more, no faster than 10 rad/s |
//! | the root away for good | taken out of all that follows along the ground; its height is spread |
//! | hang: stands still and goes on from there | left |
//! | longer gaps, jumps of the whole body (another take), more faults than motion | left, with the reason |
//!
//! What is not at fault keeps its bits. Flips of Euler angles are the same rotations, so only files have them ([`repair_bvh`]).

mod file;
mod find;
mod mend;
mod track;

pub use file::{RepairError, RepairedFile, repair_bvh};

use std::ops::Range;

use glam::{DQuat, DVec3};

use crate::check::calibration;
use crate::contacts::intervals;
use crate::edit::trim;
use crate::skeleton::JointId;
use crate::{Clip, Roles};
use find::{Flaw, Kind, Limits, flaws};

/// Beyond this share of made-up values, over all joints and frames, a recording is not repaired.
const MOST_MADE_UP: f64 = 0.25;
/// A jump for good of this share of the joints that move is another take.
const WHOLE_BODY: f64 = 0.5;

/// Frames in which this share of the joints that move is made up are made up as a whole: what is at fault is the
/// frames, and joints that did not jump far are wrong in them all the same.
const BAD_FRAMES: f64 = 0.3;

/// What was wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// Frames in front that are no motion.
    Calibration,
    /// Out and back within a tenth of a second.
    Spike,
    /// Displaced as a whole, and back later.
    Shift,
    /// Away for good.
    Pop,
    /// Stands still, or far away and constant, and then catches up.
    Gap,
    /// Stands still and goes on from there.
    Hang,
    /// The whole body is elsewhere from one frame to the next.
    Cut,
    /// Angles of the same rotation that are far from those of the frame before; in files only.
    Flip,
}

impl Fault {
    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Calibration => "calibration",
            Self::Spike => "spike",
            Self::Shift => "shift",
            Self::Pop => "pop",
            Self::Gap => "gap",
            Self::Hang => "hang",
            Self::Cut => "cut",
            Self::Flip => "flip of angles",
        }
    }
}

/// What was done about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remedy {
    /// Frames were cut off.
    CutOff,
    /// Frames were made up from those around them.
    MadeUp,
    /// Frames were put back.
    PutBack,
    /// The jump was spread over frames around it.
    Spread,
    /// Angles were written as others of the same rotation.
    Unrolled,
    /// Nothing, and it can be played.
    Kept,
    /// Nothing: the reason is with it.
    Left(&'static str),
}

impl Remedy {
    /// Its words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::CutOff => "cut off",
            Self::MadeUp => "made up from the frames around",
            Self::PutBack => "put back",
            Self::Spread => "spread over the frames around",
            Self::Unrolled => "unrolled",
            Self::Kept => "left as it is",
            Self::Left(_) => "not repaired",
        }
    }
}

/// A fault and what was done about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// What was wrong.
    pub fault: Fault,
    /// What was done.
    pub remedy: Remedy,
    /// Wrong frames, of the clip as it was given.
    pub frames: Range<usize>,
    /// Frames that are other than before.
    pub changed: Range<usize>,
    /// Names of the joints; empty for the whole body.
    pub joints: Vec<String>,
    /// Whether the root's place is at fault, too.
    pub root: bool,
    /// Largest turn in one step, rad.
    pub turn: f64,
    /// Largest shift of the root in one step, m.
    pub shift: f64,
}

impl Finding {
    /// It in a sentence, with frames counted from `first` on.
    pub fn sentence(&self, first: usize) -> String {
        let (start, last) = (self.frames.start + first, (self.frames.end + first).saturating_sub(1));
        let when = if start >= last { format!("frame {start}") } else { format!("frames {start} to {last}") };
        let mut who = match self.joints.len() {
            0 => Vec::new(),
            1..=4 => self.joints.clone(),
            n => vec![format!("{n} joints ({}, …)", self.joints[..2].join(", "))],
        };
        who.extend(self.root.then(|| "the root's place".to_owned()));
        let who = if who.is_empty() { "whole body".to_owned() } else { who.join(", ") };
        let mut sizes = Vec::new();
        sizes.extend((self.turn > 0.0).then(|| format!("{:.0}°", self.turn.to_degrees())));
        sizes.extend((self.shift > 0.0).then(|| format!("{:.0} cm", 100.0 * self.shift)));
        let size = if sizes.is_empty() { String::new() } else { format!(" of {}", sizes.join(" and ")) };
        let why = if let Remedy::Left(why) = self.remedy { format!(": {why}") } else { String::new() };
        format!("{}{size} in {when}, {who}: {}{why}", self.fault.name(), self.remedy.words())
    }
}

/// A recording after its repair.
#[derive(Clone, Debug, PartialEq)]
pub struct Repaired {
    /// The clip without its calibration pose, repaired as far as that goes.
    pub clip: Clip,
    /// Frames that were cut off in front.
    pub cut: usize,
    /// What was found, by frame.
    pub findings: Vec<Finding>,
}

impl Repaired {
    /// What could not be repaired.
    pub fn left(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|f| matches!(f.remedy, Remedy::Left(_)))
    }
}

/// One finding before those of other tracks at the same frames are added.
struct Single {
    track: Option<usize>,
    flaw: Flaw,
    remedy: Remedy,
    changed: Range<usize>,
}

/// Repairs a clip in metres with z up. A clip without faults comes back bit for bit.
pub fn repair(clip: &Clip) -> Repaired {
    let lead = calibration(clip);
    let mut findings = Vec::new();
    let mut clip = clip.clone();
    let cut = lead.map_or(0, |(n_frames, jump)| {
        findings.push(Finding {
            fault: Fault::Calibration,
            remedy: Remedy::CutOff,
            frames: 0..n_frames,
            changed: 0..n_frames,
            joints: Vec::new(),
            root: false,
            turn: jump,
            shift: 0.0,
        });
        n_frames
    });
    if let Some(rest) = (cut > 0).then(|| trim(&clip, cut..clip.n_frames()).ok()).flatten() {
        clip = rest;
    }
    let mut tracks = Tracks::of(&clip);
    let singles = tracks.repair();
    if singles.is_empty() {
        return Repaired { clip, cut, findings };
    }
    if made_up(&singles) > MOST_MADE_UP * tracks.n_values() as f64 {
        let why = "more than a quarter of it would be made up";
        let n = clip.n_frames();
        findings.push(Finding {
            fault: Fault::Pop,
            remedy: Remedy::Left(why),
            frames: cut..cut + n,
            changed: 0..0,
            joints: Vec::new(),
            root: false,
            turn: singles.iter().filter(|s| s.track.is_some()).map(|s| s.flaw.size).fold(0.0, f64::max),
            shift: singles.iter().filter(|s| s.track.is_none()).map(|s| s.flaw.size).fold(0.0, f64::max),
        });
        return Repaired { clip, cut, findings };
    }
    findings.extend(grouped(&singles, &clip, cut));
    let (positions, rotations) = tracks.give();
    Repaired { clip: clip.with_frames(positions, rotations), cut, findings }
}

/// Which joints are looked at: not fingers, thumbs and what else is below the wrists, which few systems record.
pub(crate) fn looked_at(clip: &Clip) -> Vec<bool> {
    let roles = Roles::find(clip.skeleton());
    let wrists = [roles.left.wrist, roles.right.wrist];
    let mut looked: Vec<bool> = Vec::with_capacity(clip.n_joints());
    for joint in clip.skeleton().joints() {
        let below = |p: JointId| !looked[p.index()] || wrists.contains(&Some(p));
        looked.push(!joint.parent.is_some_and(below));
    }
    looked
}

/// The clip as a row of values per joint, and one of the root's places.
struct Tracks {
    joints: Vec<Vec<DQuat>>,
    root: Vec<DVec3>,
    looked_at: Vec<bool>,
    frame_time: f64,
}

impl Tracks {
    fn of(clip: &Clip) -> Self {
        let n = clip.n_joints();
        let track = |joint: usize| clip.all_rotations().iter().skip(joint).step_by(n).copied().collect();
        Self {
            joints: (0..n).map(track).collect(),
            root: clip.root_positions().to_vec(),
            looked_at: looked_at(clip),
            frame_time: clip.frame_time(),
        }
    }

    /// How many rotations are looked at.
    fn n_values(&self) -> usize {
        self.looked_at.iter().filter(|looked| **looked).count() * self.root.len()
    }

    /// Root positions and all rotations, frame by frame.
    fn give(&self) -> (Vec<DVec3>, Vec<DQuat>) {
        let frame = |f: usize| self.joints.iter().map(move |track| track[f]);
        (self.root.clone(), (0..self.root.len()).flat_map(frame).collect())
    }

    /// Finds and mends, and says what.
    fn repair(&mut self) -> Vec<Single> {
        let (turning, moving) = (Limits::of_rotations(self.frame_time), Limits::of_root(self.frame_time));
        let looked: Vec<usize> = (0..self.joints.len()).filter(|&j| self.looked_at[j]).collect();
        let mut of_joints: Vec<Vec<Flaw>> =
            looked.iter().map(|&j| flaws(&self.joints[j], &turning)).collect();
        let mut of_root = flaws(&self.root, &moving);
        let is_lively = |track: &[DQuat]| track.windows(2).any(|w| w[0] != w[1]);
        let n_lively = looked.iter().filter(|&&j| is_lively(&self.joints[j])).count();
        let bad = bad_frames(&of_joints, n_lively);
        let is_frozen = |f: &&Flaw| f.kind == Kind::Gap && self.is_frozen(&f.frames, &turning, &moving);
        let frozen: Vec<Flaw> =
            of_joints.iter().chain([&of_root]).flatten().filter(is_frozen).cloned().collect();
        let frozen = frozen.into_iter().map(|flaw| Flaw { size: 0.0, ..flaw });
        let tracks: Vec<&[DQuat]> = looked.iter().map(|&j| &self.joints[j][..]).collect();
        let frozen = frozen.chain(find::frozen(&tracks, &turning));
        for flaw in self.empty_rows(&turning).into_iter().chain(bad).chain(frozen) {
            of_joints.iter_mut().chain([&mut of_root]).for_each(|flaws| make_up(flaws, &flaw));
        }
        let all = || of_joints.iter().flatten();
        // Pops of half of the body in one frame: a cut to another take. No limb is then at fault.
        let is_take = |flaw: &Flaw| {
            let here = |other: &&Flaw| {
                other.kind == Kind::Pop && other.frames.start.abs_diff(flaw.frames.start) <= 1
            };
            n_lively >= 4 && all().filter(here).count() as f64 >= WHOLE_BODY * n_lively as f64
        };
        // One joint that stands still for a moment may be at its stop; recordings hang as a whole.
        let is_hang_of_all = |flaw: &Flaw| {
            let here = |other: &&Flaw| other.kind == Kind::Hang && other.frames == flaw.frames;
            all().filter(here).count() as f64 >= WHOLE_BODY * n_lively as f64
        };
        let counts = |flaw: &&Flaw| flaw.kind != Kind::Hang || is_hang_of_all(flaw);
        let mut singles = Vec::new();
        for (&joint, flaws) in looked.iter().zip(&of_joints) {
            for flaw in flaws.iter().filter(counts) {
                let left = self.reason(flaw, flaw.kind == Kind::Pop && is_take(flaw));
                let track = &mut self.joints[joint];
                singles.push(single(Some(joint), flaw, left, || mend::mend(track, flaw, &turning)));
            }
        }
        for flaw in of_root.iter().filter(counts) {
            let left = self.reason(flaw, flaw.kind == Kind::Pop && is_take(flaw));
            let root = &mut self.root;
            singles.push(single(None, flaw, left, || {
                if flaw.kind == Kind::Pop {
                    mend::carry_on(root, &flaw.frames);
                    mend::mend(root, flaw, &moving).map(|changed| changed.start..root.len())
                } else {
                    mend::mend(root, flaw, &moving)
                }
            }));
        }
        singles
    }

    /// Rows of zeros inside the motion: nothing was recorded, however near to zero the pose around them is.
    fn empty_rows(&self, limits: &Limits) -> Vec<Flaw> {
        let n_frames = self.root.len();
        let is_zero = |f: usize| self.joints.iter().all(|track| track[f].xyz().length() < 1e-9);
        let empty: Vec<bool> = (0..n_frames).map(is_zero).collect();
        let mut runs = intervals(&empty);
        // A skeleton that hardly turns at all has zeros that are meant.
        runs.retain(|run| self.joints.len() >= 4 && run.start > 0 && run.end < n_frames);
        runs.into_iter().map(|frames| Flaw { kind: limits.gap(frames.len()), frames, size: 0.0 }).collect()
    }

    /// Whether nothing moves at all in these frames, which hold the pose the motion had come to: the recorder stood, not a joint.
    fn is_frozen(&self, frames: &Range<usize>, turning: &Limits, moving: &Limits) -> bool {
        let looked =
            self.joints.iter().zip(&self.looked_at).filter_map(|(track, looked)| looked.then_some(track));
        find::is_held(&self.root, frames, moving)
            && looked.into_iter().all(|t| find::is_held(t, frames, turning))
    }

    /// Why a fault is left, where it is.
    fn reason(&self, flaw: &Flaw, take: bool) -> Option<Remedy> {
        match flaw.kind {
            _ if take => Some(Remedy::Left("the whole body is elsewhere, as after a cut to another take")),
            Kind::LongGap => Some(Remedy::Left("what is missing lasts longer than 0.5 s")),
            Kind::Hang => Some(Remedy::Kept),
            _ => None,
        }
    }
}

/// Spikes and gaps that so many joints have at once that all of the body is meant.
fn bad_frames(of_joints: &[Vec<Flaw>], n_lively: usize) -> Vec<Flaw> {
    let mut bad: Vec<Flaw> = Vec::new();
    for flaw in of_joints.iter().flatten().filter(|f| matches!(f.kind, Kind::Spike | Kind::Gap)) {
        let n = of_joints.iter().filter(|flaws| flaws.iter().any(|f| f.frames == flaw.frames)).count();
        let enough = n >= 3 && n as f64 >= BAD_FRAMES * n_lively as f64;
        if enough && bad.iter().all(|b| b.frames != flaw.frames) {
            bad.push(Flaw { size: 0.0, ..flaw.clone() });
        }
    }
    bad
}

/// Adds a fault of the whole body to those of a track, in place of those it has there: jumps in or out of it, too.
fn make_up(flaws: &mut Vec<Flaw>, flaw: &Flaw) {
    let holds = |outer: &Flaw, inner: &Flaw, slack: usize| {
        outer.frames.start <= inner.frames.start + slack && inner.frames.end <= outer.frames.end + slack
    };
    let is_made_up = |f: &Flaw| matches!(f.kind, Kind::Spike | Kind::Gap | Kind::LongGap);
    if flaws.iter().any(|f| is_made_up(f) && f.frames != flaw.frames && holds(f, flaw, 0)) {
        // All of it and more is made up already.
        return;
    }
    let size = flaws.iter().filter(|f| holds(flaw, f, 1)).map(|f| f.size).fold(0.0, f64::max);
    flaws.retain(|f| !holds(flaw, f, 1));
    let apart = |f: &Flaw| f.frames.end < flaw.frames.start || flaw.frames.end < f.frames.start;
    if flaws.iter().all(apart) {
        flaws.push(Flaw { size, ..flaw.clone() });
    }
}

fn single(
    track: Option<usize>,
    flaw: &Flaw,
    left: Option<Remedy>,
    mend: impl FnOnce() -> Option<Range<usize>>,
) -> Single {
    let changed = if left.is_some() { None } else { mend() };
    let remedy = left.unwrap_or(match flaw.kind {
        Kind::Spike | Kind::Gap => Remedy::MadeUp,
        Kind::Shift { .. } => Remedy::PutBack,
        Kind::Pop => Remedy::Spread,
        Kind::LongGap | Kind::Hang => Remedy::Kept,
    });
    Single { track, flaw: flaw.clone(), remedy, changed: changed.unwrap_or(0..0) }
}

/// How many rotations would be made up.
fn made_up(singles: &[Single]) -> f64 {
    let made_up = |s: &&Single| s.track.is_some() && matches!(s.remedy, Remedy::MadeUp | Remedy::Spread);
    singles.iter().filter(made_up).map(|s| s.changed.len()).sum::<usize>() as f64
}

/// Faults of the same kind at the same frames are one finding.
fn grouped(singles: &[Single], clip: &Clip, cut: usize) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for single in singles {
        let fault = match (&single.flaw.kind, single.remedy) {
            (Kind::Pop, Remedy::Left(_)) => Fault::Cut,
            (Kind::Pop, _) => Fault::Pop,
            (Kind::Spike, _) => Fault::Spike,
            (Kind::Shift { .. }, _) => Fault::Shift,
            (Kind::Gap | Kind::LongGap, _) => Fault::Gap,
            (Kind::Hang, _) => Fault::Hang,
        };
        // A pop lies between two frames; the one after it is named.
        let skip = usize::from(single.flaw.kind == Kind::Pop);
        let frames = single.flaw.frames.start + skip + cut..single.flaw.frames.end + cut;
        let changed = single.changed.start + cut..single.changed.end + cut;
        let same = |f: &&mut Finding| f.fault == fault && f.remedy == single.remedy && f.frames == frames;
        let mut fresh = None;
        let finding = match findings.iter_mut().find(same) {
            Some(finding) => finding,
            None => fresh.insert(Finding {
                fault,
                remedy: single.remedy,
                frames,
                changed: changed.clone(),
                joints: Vec::new(),
                root: false,
                turn: 0.0,
                shift: 0.0,
            }),
        };
        finding.changed = finding.changed.start.min(changed.start)..finding.changed.end.max(changed.end);
        match single.track {
            Some(joint) => {
                finding.joints.push(clip.skeleton().joints()[JointId::new(joint)].name.clone());
                finding.turn = finding.turn.max(single.flaw.size);
            }
            None => {
                finding.root = true;
                finding.shift = finding.shift.max(single.flaw.size);
            }
        }
        findings.extend(fresh);
    }
    findings.sort_by_key(|f| f.frames.start);
    findings
}
