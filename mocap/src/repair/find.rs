//! What is wrong with one track: jumps that no body makes, and stretches that stand still in the middle of a motion.
//!
//! A jump is a row of at most 70 ms of steps, each longer than the steps before and after the row by more than the
//! strongest acceleration of a body gives in a frame, `α Δt²`. Muscles need several frames to reach a speed and to lose it, so
//! that a pitch (14, 25, 35, 28, 15° a frame at 120 Hz) has neighbours nearly as fast, and a fault (1, 26, 1) has none.

use std::ops::Range;

use glam::DVec3;

use super::track::{Value, arrival, departure, steps};

/// Longest row of steps that is one jump, s: some converters spread a flip over half a dozen frames.
const LONGEST_JUMP: f64 = 0.07;
/// What is usual is looked for this far on both sides, s.
const AROUND: f64 = 0.05;
/// A fault out and back within this time is made up from its ends, s: shorter than what a body does by itself.
const SHORT: f64 = 0.1;
/// A stretch without any motion in it is made up, up to this length, s; longer ones would be inventions.
const LONGEST_GAP: f64 = 0.5;
/// What was displaced is put back where it returns within this time, s.
const LONGEST_SHIFT: f64 = 1.5;
/// Fewest steps that stand still for a gap.
const FEWEST_STILL: usize = 2;
/// Steps shorter than this stand still: a millionth of a degree, of a metre.
const STILL: f64 = 2e-8;

/// What counts as a jump in a track.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Steps up to this are none.
    jump: f64,
    /// Steps out of a stretch that stands still are at least this long for a gap.
    catch_up: f64,
    frame_time: f64,
}

impl Limits {
    /// Of rotations, in radians: 3800 rad/s², 15° from one frame to the next at 120 Hz. Of 35 CMU recordings the
    /// sharpest that is real (a pitch) has 10°, a hand that meets the ground and a foot that lands from a flip 13°, and the mildest
    /// that is not 16°. Above 0.2 rad for noise of fast cameras, below 1.2 rad, the pitch at 30 Hz.
    pub(super) fn of_rotations(frame_time: f64) -> Self {
        let jump = (3800.0 * frame_time * frame_time).clamp(0.2, 1.2);
        Self { jump, catch_up: 0.02, frame_time }
    }

    /// Of the root, in metres: a pelvis takes ten g in a hard landing.
    pub(super) fn of_root(frame_time: f64) -> Self {
        let jump = (100.0 * frame_time * frame_time).clamp(0.02, 0.5);
        Self { jump, catch_up: 0.005, frame_time }
    }

    /// A gap of so many frames.
    pub(super) fn gap(&self, n_frames: usize) -> Kind {
        if n_frames <= self.frames(LONGEST_GAP, 4) { Kind::Gap } else { Kind::LongGap }
    }

    /// Frames of a time, at least so many.
    pub(super) fn frames(&self, seconds: f64, least: usize) -> usize {
        ((seconds / self.frame_time).round() as usize).max(least)
    }
}

/// A fault of one track.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Flaw {
    pub(super) kind: Kind,
    /// Frames that are wrong; for a jump for good those it goes across, the last of them sound.
    pub(super) frames: Range<usize>,
    /// The largest step, rad or m.
    pub(super) size: f64,
}

/// What kind of fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Out and back at once.
    Spike,
    /// Displaced as a whole, and back later.
    Shift {
        /// Steps into it.
        into: Range<usize>,
        /// Steps back.
        back: Range<usize>,
    },
    /// Away for good.
    Pop,
    /// Stands still and then catches up.
    Gap,
    /// The same for longer than can be made up.
    LongGap,
    /// Stands still in the middle of a motion, and goes on from there.
    Hang,
}

/// The faults of a track, in order and apart from each other.
pub(super) fn flaws<V: Value>(values: &[V], limits: &Limits) -> Vec<Flaw> {
    if values.len() < 4 {
        return Vec::new();
    }
    let lengths: Vec<f64> = steps(values).iter().map(|d| d.length()).collect();
    let mut found = gaps(values, &lengths, limits);
    let jumps = jumps(&lengths, limits, &found);
    let mut k = 0;
    while k < jumps.len() {
        let (flaw, used) = judge(values, &lengths, &jumps[k..], limits);
        found.push(flaw);
        k += used;
    }
    found.sort_by_key(|flaw| flaw.frames.start);
    found
}

/// What is usual around a stretch of steps: the lower median on either side, the livelier side's.
fn usual(lengths: &[f64], stretch: &Range<usize>, limits: &Limits) -> f64 {
    let around = limits.frames(AROUND, 3);
    let lower_median = |side: &[f64]| {
        let mut side = side.to_vec();
        side.sort_by(f64::total_cmp);
        side.get(side.len().saturating_sub(1) / 2).copied().unwrap_or(0.0)
    };
    let before = &lengths[stretch.start.saturating_sub(around).max(1)..stretch.start];
    let after = &lengths[stretch.end.min(lengths.len())..(stretch.end + around).min(lengths.len())];
    lower_median(before).max(lower_median(after))
}

/// Jumps as ranges of steps.
fn jumps(lengths: &[f64], limits: &Limits, gaps: &[Flaw]) -> Vec<Range<usize>> {
    let longest = limits.frames(LONGEST_JUMP, 1);
    let in_gap = |i: usize| gaps.iter().any(|g| g.frames.start <= i && i <= g.frames.end);
    let beside = |i: usize| lengths.get(i).copied().unwrap_or(0.0);
    let mut jumps: Vec<Range<usize>> = Vec::new();
    let mut i = 1;
    while i < lengths.len() {
        let level = limits.jump + if i > 1 { beside(i - 1) } else { 0.0 };
        // The row from here that ends most sharply, and as sharply as it begins. Not the shortest: a leap out by 95 cm and
        // back by 92 ends sharply after its first step, too.
        let row = (i..lengths.len().min(i + longest)).take_while(|&k| lengths[k] > level);
        let (mut least, mut sharpest, mut end) = (f64::INFINITY, limits.jump, None);
        for k in row {
            least = least.min(lengths[k]);
            let drop = least - beside(k + 1);
            if drop > sharpest {
                (sharpest, end) = (drop, Some(k + 1));
            }
        }
        match end.filter(|_| !in_gap(i)) {
            Some(end) => {
                jumps.push(i..end);
                i = end;
            }
            None => i += 1,
        }
    }
    jumps
}

/// What the first of these jumps is, and how many of them it takes.
fn judge<V: Value>(values: &[V], lengths: &[f64], jumps: &[Range<usize>], limits: &Limits) -> (Flaw, usize) {
    let first = &jumps[0];
    let largest = |range: Range<usize>| lengths[range].iter().copied().fold(0.0, f64::max);
    let before = first.start - 1;
    // Whether frame `last` is where the motion of `before` would have come to meanwhile.
    let is_back = |last: usize| {
        let usual = usual(lengths, &(first.start..last + 1), limits);
        let way = values[last].from(values[before]).length();
        way <= limits.jump + 2.0 * usual * (last - before) as f64
    };
    let is_still = |range: Range<usize>| lengths[range].iter().all(|&d| d < STILL);
    // Out and back within a short time; the farthest such return, so that a burst is one fault.
    let near = jumps.iter().take_while(|j| j.end - first.start <= limits.frames(SHORT, 2) + 1);
    if let Some(used) = (0..near.count()).rev().find(|&k| {
        let last = jumps[k].end - 1;
        last > first.start && is_back(last)
    }) {
        let frames = first.start..jumps[used].end - 1;
        let size = largest(first.start..jumps[used].end);
        return (Flaw { kind: Kind::Spike, frames, size }, used + 1);
    }
    if let Some(second) = jumps.get(1) {
        let size = largest(first.clone()).max(largest(second.clone()));
        let inside = first.end..second.start;
        // Nothing was recorded in between: zeros, or another constant.
        if inside.len() >= FEWEST_STILL && is_still(inside.clone()) {
            let frames = first.start..second.end - 1;
            return (Flaw { kind: limits.gap(frames.len()), frames, size }, 2);
        }
        let soon = second.start - first.end <= limits.frames(LONGEST_SHIFT, 4);
        if soon && undone(values, first, second).1 <= 0.3 * size + limits.jump {
            if second.end - first.start <= limits.frames(SHORT, 2) + 1 {
                // Too short to tell a displaced motion from a scatter of wrong frames: a burst of motion had hidden the way back.
                return (Flaw { kind: Kind::Spike, frames: first.start..second.end - 1, size }, 2);
            }
            let kind = Kind::Shift { into: first.clone(), back: second.clone() };
            return (Flaw { kind, frames: first.start..second.end - 1, size }, 2);
        }
    }
    let size = largest(first.clone());
    (Flaw { kind: Kind::Pop, frames: before..first.end, size }, 1)
}

/// How a displaced stretch is put back, in outer axes or its own, and by how much its end then misses. The one is right
/// that goes on as the motion outside does at both ends: in place, in steps, and in how these change (a limb that turns back just there has next to no
/// steps to tell by), each for what it comes to over four frames.
pub(super) fn undone<V: Value>(values: &[V], first: &Range<usize>, second: &Range<usize>) -> (bool, f64) {
    const FRAMES: f64 = 4.0;
    let (start, last, after) = (first.end - 1, second.start - 1, second.end - 1);
    let outside = |to: usize| values[to].from(values[to - 1]);
    let missed = |outer: bool| {
        let (wanted, end) = put_back(values, first, second, outer);
        let inside = |to: usize| {
            let at = |frame: usize| values[frame].moved(values[start], wanted, outer);
            at(to).from(at(to - 1))
        };
        let miss = values[after].from(end).length();
        let mut cost = miss;
        if last > start {
            let leaves = inside(start + 1) - arrival(values, first.start - 1);
            let reaches = inside(last) - departure(values, after);
            cost += FRAMES * (leaves.length() + reaches.length());
        }
        if last > start + 1 && first.start > 2 && after + 2 < values.len() {
            let leaves = (inside(start + 2) - inside(start + 1))
                - (outside(first.start - 1) - outside(first.start - 2));
            let reaches = (inside(last) - inside(last - 1)) - (outside(after + 2) - outside(after + 1));
            cost += 0.5 * FRAMES * FRAMES * (leaves.length() + reaches.length());
        }
        (cost, miss)
    };
    let (outer, inner) = (missed(true), missed(false));
    if outer.0 <= inner.0 { (true, outer.1) } else { (false, inner.1) }
}

/// Where the first displaced frame should be, and where the stretch then comes to at the end of the second jump.
pub(super) fn put_back<V: Value>(
    values: &[V],
    first: &Range<usize>,
    second: &Range<usize>,
    outer: bool,
) -> (V, V) {
    let (start, last) = (first.end - 1, second.start - 1);
    let wanted = values[first.start - 1].to(first.len() as f64 * arrival(values, first.start - 1));
    let at = |frame: usize| values[frame].moved(values[start], wanted, outer);
    // On from there for as long as the second jump takes, as it moved last: in the axes it has when it is put back.
    let pace = if last > start { at(last).from(at(last - 1)) } else { DVec3::ZERO };
    (wanted, at(last).to(second.len() as f64 * pace))
}

/// Stretches that stand still though the motion goes on around them: it moves before and after, and catches up (a gap)
/// or goes on from where it stood (a hang). A joint at its stop does the same, but turns back there.
fn gaps<V: Value>(values: &[V], lengths: &[f64], limits: &Limits) -> Vec<Flaw> {
    let still: Vec<bool> = lengths.iter().enumerate().map(|(i, &d)| i > 0 && d < STILL).collect();
    let step = |i: usize| values[i].from(values[i - 1]);
    let mut found = Vec::new();
    for run in crate::contacts::intervals(&still) {
        // Steps `run` stand still, and the one after them leaves.
        if run.len() < FEWEST_STILL || run.start < 2 || run.end + 2 > lengths.len() {
            continue;
        }
        let (before, leap, after) = (step(run.start - 1), step(run.end), step(run.end + 1));
        if run.start > 2 && before.length() > limits.jump + step(run.start - 2).length() {
            // It jumped to where it stands, and its first frame there is as wrong: zeros, or another constant.
            continue;
        }
        let pace = 0.5 * (before.length() + after.length());
        let missed = (run.len() + 1) as f64 * pace;
        let along = |a: DVec3, b: DVec3| a.dot(b) > 0.5 * a.length() * b.length();
        // A joint that leaves its stop leaps no farther than it goes on.
        let catches_up = along(leap, after) && leap.length() > 2.0 * before.length().max(after.length());
        let hangs = along(before, leap) && before.length().min(after.length()) > 0.2 * pace;
        let leap = leap.length();
        let frames = run.start..run.end;
        if catches_up && leap > limits.catch_up && leap > 0.4 * missed && leap < 2.5 * missed {
            found.push(Flaw { kind: limits.gap(frames.len()), frames, size: leap });
        } else if hangs && leap < 2.0 * pace && pace > 0.1 * limits.catch_up {
            found.push(Flaw { kind: Kind::Hang, frames, size: 0.0 });
        }
    }
    found
}

/// Stretches in which none of these tracks moves though the motion went on meanwhile: together they leap far out of it, about as far as
/// their pace before and after would have taken them. One joint at its stop looks the same and turns back there ([`gaps`] asks for
/// that), but not all of them at once and to the last digit.
pub(super) fn frozen<V: Value>(tracks: &[&[V]], limits: &Limits) -> Vec<Flaw> {
    let n_frames = tracks.first().map_or(0, |track| track.len());
    let moved = |i: usize| tracks.iter().map(|t| t[i].from(t[i - 1]).length()).sum::<f64>();
    let is_still = |i: usize| i > 0 && tracks.iter().all(|t| t[i].from(t[i - 1]).length() < STILL);
    let still: Vec<bool> = (0..n_frames).map(is_still).collect();
    let mut found = Vec::new();
    for run in crate::contacts::intervals(&still) {
        if run.len() < FEWEST_STILL || run.start < 2 || run.end + 2 > n_frames {
            continue;
        }
        let (before, leap, after) = (moved(run.start - 1), moved(run.end), moved(run.end + 1));
        let missed = (run.len() + 1) as f64 * 0.5 * (before + after);
        let catches_up = leap > 2.0 * before.max(after) && leap > 0.4 * missed && leap < 2.5 * missed;
        if catches_up && leap > limits.catch_up * tracks.len() as f64 {
            found.push(Flaw { kind: limits.gap(run.len()), frames: run, size: 0.0 });
        }
    }
    found
}

/// Whether a track stands still in these frames, where it had come to without a jump.
pub(super) fn is_held<V: Value>(values: &[V], frames: &Range<usize>, limits: &Limits) -> bool {
    let Some(held) = frames.start.checked_sub(1).filter(|&held| held > 1) else { return false };
    let step = |to: usize| values[to].from(values[to - 1]).length();
    step(held) <= limits.jump + step(held - 1) && frames.clone().all(|f| step(f) < STILL)
}
