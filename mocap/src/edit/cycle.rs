//! A clip made to repeat without a seam.
//!
//! The last `k` frames are taken off and blended into the first `k`: the cycle starts as the tail and turns into the
//! head, so that its last frame is followed by what followed it in the recording.

use super::align::{Planar, place_planar};
use super::blend::{fade, meeting};
use super::time::trim;
use crate::{Clip, ClipError};

/// A clip that can be repeated.
#[derive(Clone, Debug, PartialEq)]
pub struct Cycle {
    /// One round.
    pub clip: Clip,
    /// Where the next round starts: round n is the clip moved n times by this.
    pub advance: Planar,
}

/// Blends the last `k` frames into the first.
///
/// # Errors
/// `k` zero or more than half of the clip.
pub fn make_cycle(clip: &Clip, k: usize) -> Result<Cycle, ClipError> {
    let n = clip.n_frames();
    if k == 0 || 2 * k > n {
        let expected = "a seam of at least one frame and at most half of the clip";
        return Err(ClipError::Option { expected, found: k as f64 });
    }
    let tail = n - k;
    let head_from_tail = meeting(clip, k / 2, clip, tail + k / 2);
    let moved = place_planar(clip, &head_from_tail);
    let seam = fade(&moved, tail, clip, 0, k)?;
    let rest = trim(clip, 0..tail)?;
    let mut positions = seam.root_positions().to_vec();
    positions.extend_from_slice(&rest.root_positions()[k..]);
    let mut rotations = seam.all_rotations().to_vec();
    rotations.extend_from_slice(&rest.all_rotations()[k * clip.n_joints()..]);
    Ok(Cycle { clip: clip.with_frames(positions, rotations), advance: head_from_tail.inverse() })
}
