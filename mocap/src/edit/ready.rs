//! A recorded clip made ready to be played by a body.

use super::{align_to_ground, butterworth, trim};
use crate::check::{BadFrame, check_clip};
use crate::clip::{Clip, ClipError};

/// Highest frequency of voluntary movement kept, Hz; what is above is noise of the recording.
const CUTOFF: f64 = 12.0;
/// Fewest frames a clip may be cut down to.
const FEWEST: usize = 30;

/// The longest stretch of a recording without calibration poses and pops, smoothed, standing on z = 0 with its lowest
/// foot joint `sole` metres above it (see [`crate::character::Character::sole_height`]).
///
/// # Errors
/// A recording that is too short to be filtered.
pub fn ready_to_play(clip: &Clip, sole: f64) -> Result<Clip, ClipError> {
    let mut cuts = vec![0];
    cuts.extend(check_clip(clip).bad_frames.iter().map(|bad| match bad {
        BadFrame::Calibration { n_frames, .. } => *n_frames,
        BadFrame::Pop { frame, .. } => *frame,
    }));
    cuts.push(clip.n_frames());
    cuts.sort_unstable();
    let longest = cuts.windows(2).map(|w| w[0]..w[1]).max_by_key(|r| (r.len(), std::cmp::Reverse(r.start)));
    let clean = match longest {
        Some(range) if range.len() >= FEWEST => trim(clip, range)?,
        _ => clip.clone(),
    };
    Ok(align_to_ground(&butterworth(&clean, CUTOFF)?, sole))
}
