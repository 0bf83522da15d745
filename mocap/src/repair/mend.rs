//! How a fault of a track is put right.

use std::ops::Range;

use glam::DVec3;

use super::find::{Flaw, Kind, Limits, put_back, undone};
use super::track::{Value, arrival, bridge};

/// A jump for good is spread over this time and more, s: half of it before and half after.
const EASE: f64 = 0.15;
/// And no faster than this, rad/s: a limb that turns briskly.
const EASE_SPEED: f64 = 10.0;

/// Puts a fault right; the frames that were changed, or none where it is left.
pub(super) fn mend<V: Value>(values: &mut [V], flaw: &Flaw, limits: &Limits) -> Option<Range<usize>> {
    let frames = flaw.frames.clone();
    match &flaw.kind {
        Kind::Spike | Kind::Gap => {
            bridge(values, frames.start - 1, frames.end);
            Some(frames)
        }
        Kind::Shift { into, back } => {
            undo(values, into, back);
            Some(frames)
        }
        Kind::Pop => Some(ease(values, &frames, limits)),
        Kind::LongGap | Kind::Hang => None,
    }
}

/// Puts a displaced stretch back. What its end then misses is spread over it, and what lies in the jumps bridged.
fn undo<V: Value>(values: &mut [V], into: &Range<usize>, back: &Range<usize>) {
    let (outer, _) = undone(values, into, back);
    let (wanted, end) = put_back(values, into, back, outer);
    let (start, last) = (into.end - 1, back.start - 1);
    let (displaced, miss) = (values[start], values[back.end - 1].from(end));
    for frame in start..=last {
        let share = (frame + 1 - start) as f64 / (last + 2 - start) as f64;
        values[frame] = values[frame].moved(displaced, wanted, outer).to(share * miss);
    }
    for jump in [into, back] {
        if jump.len() > 1 {
            bridge(values, jump.start - 1, jump.end - 1);
        }
    }
}

/// Spreads a jump for good over the frames around it.
fn ease<V: Value>(values: &mut [V], across: &Range<usize>, limits: &Limits) -> Range<usize> {
    let (before, after) = (across.start, across.end - 1);
    let expected = values[before].to((after - before) as f64 * arrival(values, before));
    let jump: DVec3 = values[after].from(expected);
    let reach = limits.frames(0.5 * EASE.max(jump.length() / EASE_SPEED), 2);
    let first = before.saturating_sub(reach);
    let end = (after + reach + 1).min(values.len());
    // Smoothstep to one half on either side: the halves meet in the middle of the jump.
    let smooth = |t: f64| 0.5 * t * t * (3.0 - 2.0 * t);
    for frame in first + 1..=before {
        values[frame] = values[frame].to(smooth((frame - first) as f64 / (before - first + 1) as f64) * jump);
    }
    for frame in after..end {
        values[frame] = values[frame].to(-smooth((end - frame) as f64 / (end - after + 1) as f64) * jump);
    }
    if after > before + 1 {
        bridge(values, before, after);
    }
    first + 1..end
}

/// Takes a jump of the root along the ground out of all that follows: where on the floor a motion happens is nobody's
/// business.
pub(super) fn carry_on(positions: &mut [DVec3], across: &Range<usize>) {
    let (before, after) = (across.start, across.end - 1);
    let expected = positions[before] + (after - before) as f64 * arrival(positions, before);
    let jump = (positions[after] - expected) * DVec3::new(1.0, 1.0, 0.0);
    positions[after..].iter_mut().for_each(|p| *p -= jump);
    if after > before + 1 {
        bridge(positions, before, after);
    }
}
