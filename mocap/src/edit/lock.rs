//! Feet kept in place while they rest (after Kovar, Schreiner & Gleicher, *Footskate Cleanup for Motion Capture Editing*,
//! 2002).
//!
//! The ankle is held at its mean place through each heel contact by turning hip and knee (two-bone inverse kinematics);
//! the foot keeps its orientation, and the correction fades in and out around the contact with C¹ weights. Where a leg
//! is too short for its place, the root is lowered by what is missing, spread over the neighbouring frames.

use super::blend::{fade_weight, spread};
use super::leg::Leg;
use crate::contacts::{Contacts, intervals};
use crate::roles::Side;
use crate::{Clip, Roles};
use glam::DVec3;
use std::ops::Range;

/// The clip with its ankles held through every heel contact that overlaps one of the given frame ranges; corrections
/// fade over `ease` frames. Legs that are not found by name stay as they are.
pub fn lock_feet(clip: &Clip, contacts: &Contacts, ranges: &[Range<usize>], ease: usize) -> Clip {
    let roles = Roles::find(clip.skeleton());
    let feet: Vec<Foot> = Side::BOTH
        .iter()
        .filter_map(|&side| {
            let leg = Leg::find(clip, roles.side(side))?;
            let track = clip.track(&[(leg.hip, DVec3::ZERO), (leg.ankle, DVec3::ZERO)]);
            let (hips, ankles): (Vec<DVec3>, Vec<DVec3>) =
                track.chunks_exact(2).map(|p| (p[0], p[1])).unzip();
            let shifts = corrections(&ankles, &contacts.side(side).heel, ranges, ease);
            let targets = ankles.iter().zip(&shifts).map(|(a, s)| *a + *s).collect();
            Some(Foot { leg, hips, targets, shifts })
        })
        .collect();
    let drops = lowering(&feet, clip.n_frames(), ease);
    let mut rotations = clip.all_rotations().to_vec();
    let mut positions = clip.root_positions().to_vec();
    let n = clip.n_joints();
    for frame in 0..clip.n_frames() {
        positions[frame].z -= drops[frame];
        let pose = &mut rotations[frame * n..(frame + 1) * n];
        for foot in feet.iter().filter(|f| drops[frame] > 0.0 || f.shifts[frame] != DVec3::ZERO) {
            foot.leg.reach(clip.skeleton(), positions[frame], pose, foot.targets[frame], foot.leg.length);
        }
    }
    clip.with_frames(positions, rotations)
}

/// A leg with the places of its hip and the wanted places of its ankle.
struct Foot {
    leg: Leg,
    hips: Vec<DVec3>,
    targets: Vec<DVec3>,
    shifts: Vec<DVec3>,
}

/// How far the root must be lowered in every frame so that the moved ankles are within reach.
fn lowering(feet: &[Foot], n_frames: usize, ease: usize) -> Vec<f64> {
    let mut needed = vec![0.0f64; n_frames];
    for foot in feet {
        for frame in (0..n_frames).filter(|&f| foot.shifts[f] != DVec3::ZERO) {
            let away = foot.hips[frame] - foot.targets[frame];
            let across = away.truncate().length_squared();
            let height = (foot.leg.length * foot.leg.length - across).max(0.0).sqrt();
            needed[frame] = needed[frame].max(away.z - height);
        }
    }
    spread(&needed, ease)
}

/// How far the ankle must move in every frame.
fn corrections(track: &[DVec3], resting: &[bool], ranges: &[Range<usize>], ease: usize) -> Vec<DVec3> {
    let mut shifts = vec![DVec3::ZERO; track.len()];
    let rests = |frame: usize| resting.get(frame) == Some(&true);
    let overlaps = |run: &Range<usize>| ranges.iter().any(|r| r.start < run.end && run.start < r.end);
    let runs: Vec<Range<usize>> = intervals(&resting[..resting.len().min(track.len())]);
    for run in runs.iter().filter(|run| overlaps(run)) {
        let mean = track[run.clone()].iter().sum::<DVec3>() / run.len() as f64;
        run.clone().for_each(|f| shifts[f] = mean - track[f]);
        // Outside, the shift of the nearest end fades; contacts that follow soon add up smoothly.
        let (first, last) = (shifts[run.start], shifts[run.end - 1]);
        for p in 0..ease {
            let weight = fade_weight(p, ease);
            if let Some(f) = run.start.checked_sub(p + 1).filter(|&f| !rests(f)) {
                shifts[f] += first * weight;
            }
            if let Some(f) = Some(run.end + p).filter(|&f| f < track.len() && !rests(f)) {
                shifts[f] += last * weight;
            }
        }
    }
    shifts
}
