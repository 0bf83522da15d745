//! A recorded clip made ready to be played by a body.

use super::{align_to_ground, butterworth, trim};
use crate::check::check_clip;
use crate::clip::{Clip, ClipError};
use crate::repair::{Fault, repair};

/// Highest frequency of voluntary movement kept, Hz; what is above is noise of the recording.
const CUTOFF: f64 = 12.0;

/// A recording that can be played, and what was done to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Ready {
    /// The clip.
    pub clip: Clip,
    /// What was repaired, cut off or left, and doubts about the frame time, in sentences; empty for a clean recording.
    pub notes: Vec<String>,
}

/// A recording repaired ([`repair`]), smoothed, and standing on z = 0 with its lowest foot joint `sole` metres above it
/// (see [`crate::character::Character::sole_height`]). Where it cannot be repaired, the longest stretch between such places is
/// kept. Frames in the notes are counted from `first` on.
///
/// # Errors
/// A recording that is too short to be filtered.
pub fn ready_to_play(clip: &Clip, sole: f64, first: usize) -> Result<Ready, ClipError> {
    let repaired = repair(clip);
    let mut notes: Vec<String> = repaired.findings.iter().map(|f| f.sentence(first)).collect();
    let end = repaired.cut + repaired.clip.n_frames();
    // Pieces between what could not be repaired; a fault that is everywhere leaves no pieces, and all is kept.
    let mut pieces = vec![];
    let mut from = repaired.cut;
    for left in repaired.left() {
        pieces.push(from..left.frames.start);
        from = from.max(left.frames.end.min(end));
        if left.fault == Fault::Cut {
            from = left.frames.start;
        }
    }
    pieces.push(from..end);
    let longest = pieces.into_iter().max_by_key(|r| (r.len(), std::cmp::Reverse(r.start)));
    let kept = longest.filter(|r| !r.is_empty()).unwrap_or(repaired.cut..end);
    let mut clean = repaired.clip;
    if kept != (repaired.cut..end) {
        let of = end - repaired.cut;
        notes.push(format!(
            "only frames {} to {} are played, {} of {of}: the longest stretch without what was not repaired",
            kept.start + first,
            kept.end + first - 1,
            kept.len()
        ));
        clean = trim(&clean, kept.start - repaired.cut..kept.end - repaired.cut)?;
    }
    notes.extend(check_clip(&clean).frame_time_doubt);
    Ok(Ready { clip: align_to_ground(&butterworth(&clean, CUTOFF)?, sole), notes })
}
