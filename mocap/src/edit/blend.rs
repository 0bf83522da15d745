//! Blending and joining clips with the C¹ weights of Kovar, Gleicher & Pighin, *Motion Graphs*, 2002, eq. 6:
//! α(p) = 2((p+1)/k)³ − 3((p+1)/k)² + 1 for −1 < p < k.

use super::align::{Planar, heading, place_planar};
use crate::rotation::slerp;
use crate::{Clip, ClipError};
use glam::DVec2;

/// Weight of the outgoing clip in frame `p` of a blend of `k` frames: nearly 1 at the start, 0 at the end.
pub fn fade_weight(p: usize, k: usize) -> f64 {
    let u = ((p + 1) as f64 / k.max(1) as f64).min(1.0);
    (2.0 * u - 3.0) * u * u + 1.0
}

/// Every value reaches its neighbours, fading over `ease` of them; the largest counts.
pub(crate) fn spread(values: &[f64], ease: usize) -> Vec<f64> {
    let mut spread = values.to_vec();
    for (frame, &value) in values.iter().enumerate().filter(|v| *v.1 > 0.0) {
        for p in 0..ease {
            let part = value * fade_weight(p, ease);
            for at in [frame.checked_sub(p + 1), Some(frame + p + 1)].into_iter().flatten() {
                if let Some(s) = spread.get_mut(at) {
                    *s = s.max(part);
                }
            }
        }
    }
    spread
}

/// Whether two clips can share frames.
fn check_compatible(a: &Clip, b: &Clip) -> Result<(), ClipError> {
    let same_time = (a.frame_time() - b.frame_time()).abs() < 1e-9 * a.frame_time();
    if same_time && a.skeleton().same_layout(b.skeleton()) {
        Ok(())
    } else {
        Err(ClipError::Mismatch(a.name.clone(), b.name.clone()))
    }
}

/// Two clips mixed frame by frame, `weight` 0 gives `a`, 1 gives `b`; as long as the shorter, on `a`'s skeleton.
///
/// # Errors
/// Clips on different skeletons or with different frame times.
pub fn blend(a: &Clip, b: &Clip, weight: f64) -> Result<Clip, ClipError> {
    check_compatible(a, b)?;
    let n = a.n_frames().min(b.n_frames());
    Ok(mix(a, 0, b, 0, n, |_| 1.0 - weight))
}

/// `k` frames going over from `a` at `frame_a` to `b` at `frame_b`, both read forward, with C¹ weights.
///
/// # Errors
/// Clips that do not match, or fewer than `k` frames left in either.
pub fn fade(a: &Clip, frame_a: usize, b: &Clip, frame_b: usize, k: usize) -> Result<Clip, ClipError> {
    check_compatible(a, b)?;
    for (clip, start) in [(a, frame_a), (b, frame_b)] {
        let end = start.saturating_add(k);
        if k == 0 || end > clip.n_frames() {
            return Err(ClipError::Range { start, end, n_frames: clip.n_frames() });
        }
    }
    Ok(mix(a, frame_a, b, frame_b, k, |p| fade_weight(p, k)))
}

/// Root lerp, joint slerp; `weight` is that of `a`.
fn mix(a: &Clip, frame_a: usize, b: &Clip, frame_b: usize, n: usize, weight: impl Fn(usize) -> f64) -> Clip {
    let mut positions = Vec::with_capacity(n);
    let mut rotations = Vec::with_capacity(n * a.n_joints());
    for p in 0..n {
        let w = 1.0 - weight(p);
        positions.push(a.root_position(frame_a + p).lerp(b.root_position(frame_b + p), w));
        let pairs = a.rotations(frame_a + p).iter().zip(b.rotations(frame_b + p));
        rotations.extend(pairs.map(|(&qa, &qb)| slerp(qa, qb, w)));
    }
    a.with_frames(positions, rotations)
}

/// `a`, then `b` moved along the floor to go on from there, overlapping by `k` frames of C¹ blend.
///
/// # Errors
/// Clips that do not match, or `k` zero or longer than either.
pub fn concatenate(a: &Clip, b: &Clip, k: usize) -> Result<Clip, ClipError> {
    check_compatible(a, b)?;
    let start =
        a.n_frames().checked_sub(k).ok_or(ClipError::Range { start: 0, end: k, n_frames: a.n_frames() })?;
    if k > b.n_frames() {
        return Err(ClipError::Range { start: 0, end: k, n_frames: b.n_frames() });
    }
    let middle = k / 2;
    let moved = place_planar(b, &meeting(a, (start + middle).min(a.n_frames() - 1), b, middle));
    let between = fade(a, start, &moved, 0, k)?;
    let mut positions = a.root_positions()[..start].to_vec();
    positions.extend_from_slice(between.root_positions());
    positions.extend_from_slice(&moved.root_positions()[k..]);
    let n = a.n_joints();
    let mut rotations = a.all_rotations()[..start * n].to_vec();
    rotations.extend_from_slice(between.all_rotations());
    rotations.extend_from_slice(&moved.all_rotations()[k * n..]);
    Ok(a.with_frames(positions, rotations))
}

/// The placement of `b` that brings its frame onto `a`'s in heading and floor position.
pub(crate) fn meeting(a: &Clip, frame_a: usize, b: &Clip, frame_b: usize) -> Planar {
    let yaw = heading(a, frame_a) - heading(b, frame_b);
    let root_b = DVec2::from_angle(yaw).rotate(b.root_position(frame_b).truncate());
    Planar { yaw, shift: a.root_position(frame_a).truncate() - root_b }
}
