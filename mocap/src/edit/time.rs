//! Resampling, trimming and speed.

use crate::spline::{ClipSpline, Sample};
use crate::{Clip, ClipError};
use std::ops::Range;

/// The clip at another rate in frames per second, through its C² spline; the last frame is the last that fits.
///
/// # Errors
/// A rate that is not positive and finite, or that would give more than 10 million frames.
pub fn resample(clip: &Clip, rate: f64) -> Result<Clip, ClipError> {
    let expected = "a rate above zero giving at most 10 million frames";
    if !(rate.is_finite() && rate > 0.0 && clip.duration() * rate < 1e7) {
        return Err(ClipError::Option { expected, found: rate });
    }
    // A last frame that is missed by rounding only is kept.
    let n_frames = (clip.duration() * rate + 1e-6) as usize + 1;
    sample_frames(clip, n_frames, 1.0 / rate, 1.0 / rate)
}

/// The clip played faster (`factor` above 1) or slower at the same frame rate.
///
/// # Errors
/// A factor outside of 0.01 to 100.
pub fn change_speed(clip: &Clip, factor: f64) -> Result<Clip, ClipError> {
    if !(0.01..=100.0).contains(&factor) {
        return Err(ClipError::Option { expected: "a speed factor from 0.01 to 100", found: factor });
    }
    let step = clip.frame_time() * factor;
    let n_frames = (clip.duration() / step + 1e-6) as usize + 1;
    sample_frames(clip, n_frames, step, clip.frame_time())
}

/// Frames sampled every `step` seconds of the clip, `frame_time` apart in the result.
fn sample_frames(clip: &Clip, n_frames: usize, step: f64, frame_time: f64) -> Result<Clip, ClipError> {
    let spline = ClipSpline::new(clip);
    let mut sample = Sample::default();
    let mut positions = Vec::with_capacity(n_frames);
    let mut rotations = Vec::with_capacity(n_frames * clip.n_joints());
    for frame in 0..n_frames {
        spline.sample((frame as f64 * step).min(clip.duration()), &mut sample);
        positions.push(sample.pose.root_position);
        rotations.extend_from_slice(&sample.pose.rotations);
    }
    clip.with_frames(positions, rotations).with_frame_time(frame_time)
}

/// The frames of a range.
///
/// # Errors
/// A range that is empty or reaches past the end.
pub fn trim(clip: &Clip, range: Range<usize>) -> Result<Clip, ClipError> {
    if range.is_empty() || range.end > clip.n_frames() {
        return Err(ClipError::Range { start: range.start, end: range.end, n_frames: clip.n_frames() });
    }
    let n = clip.n_joints();
    let rotations = clip.all_rotations()[range.start * n..range.end * n].to_vec();
    Ok(clip.with_frames(clip.root_positions()[range].to_vec(), rotations))
}
