//! Feet kept in place while they rest (after Kovar, Schreiner & Gleicher, *Footskate Cleanup for Motion Capture Editing*,
//! 2002).
//!
//! The ankle is held at its mean place through each heel contact by turning hip and knee (two-bone inverse kinematics);
//! the foot keeps its orientation, and the correction fades in and out around the contact with C¹ weights. Where a leg
//! is too short for its place, the root is lowered by what is missing, spread over the neighbouring frames.

use super::blend::fade_weight;
use crate::contacts::{Contacts, intervals};
use crate::roles::{Limbs, Side};
use crate::skeleton::JointId;
use crate::{Clip, Roles, Skeleton};
use glam::{DQuat, DVec3};
use std::ops::Range;

/// The clip with its ankles held through every heel contact that overlaps one of the given frame ranges; corrections
/// fade over `ease` frames. Legs that are not found by name stay as they are.
pub fn lock_feet(clip: &Clip, contacts: &Contacts, ranges: &[Range<usize>], ease: usize) -> Clip {
    let roles = Roles::find(clip.skeleton());
    let feet: Vec<Foot> = Side::BOTH
        .iter()
        .filter_map(|&side| {
            let leg = Leg::find(clip.skeleton(), roles.side(side))?;
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
            foot.leg.reach(clip.skeleton(), positions[frame], pose, foot.targets[frame]);
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
            let height = (foot.leg.reach * foot.leg.reach - across).max(0.0).sqrt();
            needed[frame] = needed[frame].max(away.z - height);
        }
    }
    let mut drops = needed.clone();
    for (frame, &drop) in needed.iter().enumerate().filter(|n| *n.1 > 0.0) {
        for p in 0..ease {
            let weighted = drop * fade_weight(p, ease);
            for at in [frame.checked_sub(p + 1), Some(frame + p + 1)]
                .into_iter()
                .flatten()
                .filter(|&f| f < n_frames)
            {
                drops[at] = drops[at].max(weighted);
            }
        }
    }
    drops
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

/// The three joints of a leg.
struct Leg {
    hip: JointId,
    knee: JointId,
    ankle: JointId,
    /// Length of the stretched leg, less a little so that the knee keeps its side.
    reach: f64,
}

impl Leg {
    /// A leg whose shank hangs on its thigh.
    fn find(skeleton: &Skeleton, limbs: &Limbs) -> Option<Self> {
        let (hip, knee, ankle) = (limbs.hip?, limbs.knee?, limbs.ankle?);
        let joints = skeleton.joints();
        let length = joints[knee].offset.length() + joints[ankle].offset.length();
        let chained = joints[knee].parent == Some(hip) && joints[ankle].parent == Some(knee);
        chained.then_some(Self { hip, knee, ankle, reach: 0.9999 * length })
    }

    /// Turns knee and hip so that the ankle comes to `target`, as far as the leg reaches.
    fn reach(&self, skeleton: &Skeleton, root: DVec3, pose: &mut [DQuat], target: DVec3) {
        let (hip, _) = world(skeleton, root, pose, self.hip);
        let (knee, _) = world(skeleton, root, pose, self.knee);
        let (ankle, foot) = world(skeleton, root, pose, self.ankle);
        let (thigh, shank) = (knee - hip, ankle - knee);
        let (l1, l2) = (thigh.length(), shank.length());
        let shortest = (l1 - l2).abs() * 1.001;
        let distance = (target - hip).length().clamp(shortest.min(self.reach), self.reach);
        // Law of cosines for the angle between thigh and shank directions.
        let bend_for = |d: f64| ((d * d - l1 * l1 - l2 * l2) / (2.0 * l1 * l2)).clamp(-1.0, 1.0).acos();
        let Some(axis) = thigh.cross(shank).try_normalize() else { return };
        let bend = bend_for(distance) - bend_for((ankle - hip).length());
        turn(skeleton, root, pose, self.knee, DQuat::from_axis_angle(axis, bend));
        let (ankle, _) = world(skeleton, root, pose, self.ankle);
        let (from, to) = ((ankle - hip).try_normalize(), (target - hip).try_normalize());
        if let (Some(from), Some(to)) = (from, to) {
            turn(skeleton, root, pose, self.hip, DQuat::from_rotation_arc(from, to));
        }
        // The foot keeps its orientation.
        let (_, turned) = world(skeleton, root, pose, self.ankle);
        turn(skeleton, root, pose, self.ankle, foot * turned.conjugate());
    }
}

/// Position and orientation of a joint.
fn world(skeleton: &Skeleton, root: DVec3, pose: &[DQuat], joint: JointId) -> (DVec3, DQuat) {
    let (mut position, mut rotation) = (DVec3::ZERO, pose[joint]);
    let mut at = joint;
    while let Some(parent) = skeleton.joints()[at].parent {
        position = pose[parent] * (skeleton.joints()[at].offset + position);
        rotation = pose[parent] * rotation;
        at = parent;
    }
    (root + position, rotation.normalize())
}

/// Turns a joint by a rotation given in world axes.
fn turn(skeleton: &Skeleton, root: DVec3, pose: &mut [DQuat], joint: JointId, by: DQuat) {
    let (_, rotation) = world(skeleton, root, pose, joint);
    // parent_from_joint' = parent_from_world · by · world_from_joint
    let world_from_parent = rotation * pose[joint].conjugate();
    pose[joint] = (world_from_parent.conjugate() * by * rotation).normalize();
}
