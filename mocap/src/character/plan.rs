//! From joints to bodies: which joints carry a body of their own, which are merged into another and why.

use super::anatomy::{Part, is_below};
use super::report::{Merge, MergeReason};
use super::stance::Stance;
use crate::Skeleton;
use crate::roles::Side;
use crate::skeleton::JointId;
use glam::DVec3;

/// What is kept apart when joints become bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Keep {
    /// Every joint of spine and neck is a body; else straight chains become one.
    pub(super) spine: bool,
    /// Collar bones are bodies.
    pub(super) clavicles: bool,
    /// Finger bones are bodies.
    pub(super) fingers: bool,
    /// Toes are bodies.
    pub(super) toes: bool,
}

/// A body to be: a chain of joints turned as one.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub(super) part: Part,
    pub(super) name: String,
    /// Segment it hangs on.
    pub(super) parent: Option<usize>,
    /// Joints composed into one, from the one whose place is the body's origin to the one whose orientation it has.
    pub(super) chain: Vec<JointId>,
    /// Origin in the standing pose (hips at zero).
    pub(super) origin: DVec3,
}

impl Segment {
    /// The joint whose orientation the body has.
    pub(super) fn frame(&self) -> JointId {
        self.chain[self.chain.len() - 1]
    }
}

/// Segments, parents first, and the one each joint went to.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) segments: Vec<Segment>,
    pub(super) segment_of_joint: Vec<usize>,
    pub(super) merges: Vec<Merge>,
}

/// A joint and the part it carries.
type LimbJoint = (Option<JointId>, fn(Side) -> Part);

/// Bones shorter than this share of the stature are no bodies.
const SHORTEST: f64 = 0.03;
/// A spine whose joints lie nearer to the chord than this share of it is straight.
const STRAIGHT: f64 = 0.15;

impl Plan {
    pub(super) fn new(skeleton: &Skeleton, stance: &Stance, keep: Keep, stature: f64) -> Self {
        let n = skeleton.n_joints();
        let mut opens: Vec<Option<Part>> = vec![None; n];
        let mut reasons: Vec<Option<MergeReason>> = vec![None; n];
        let anatomy = &stance.anatomy;
        let roles = &anatomy.roles;
        opens[roles.hips] = Some(Part::Pelvis);
        // A chain continues the body of its first joint instead of opening one of its own.
        let mut continues = vec![false; n];

        let spine = groups(&anatomy.spine, stance, anatomy.neck_base(&stance.positions), keep.spine, stature);
        open_groups(&spine, Part::Spine, &mut opens, &mut continues, &mut reasons);
        let chest = stance.positions[roles.chest.unwrap_or(roles.hips)];
        let (at_chest, free): (Vec<JointId>, Vec<JointId>) =
            anatomy.neck.iter().partition(|&&j| stance.positions[j].distance(chest) <= 0.01);
        at_chest.iter().for_each(|&j| reasons[j] = Some(MergeReason::ZeroLength));
        let neck = groups(&free, stance, roles.head, keep.spine, stature);
        open_groups(&neck, Part::Neck, &mut opens, &mut continues, &mut reasons);
        if let Some(head) = roles.head {
            opens[head] = Some(Part::Head);
        }
        for side in Side::BOTH {
            let l = roles.side(side);
            let limbs: [LimbJoint; 7] = [
                (l.hip, Part::Thigh),
                (l.knee, Part::Shank),
                (l.ankle, Part::Foot),
                (l.toe.filter(|_| keep.toes), Part::Toe),
                (l.shoulder, Part::UpperArm),
                (l.elbow.filter(|_| l.shoulder.is_some()), Part::Forearm),
                (l.wrist.filter(|_| l.elbow.is_some()), Part::Hand),
            ];
            for (joint, part) in limbs {
                if let Some(joint) = joint {
                    opens[joint] = Some(part(side));
                }
            }
            if let Some(toe) = l.toe.filter(|_| !keep.toes) {
                reasons[toe] = Some(MergeReason::Toes);
            }
            let collar = l.collar.filter(|&c| l.shoulder.is_some_and(|s| is_below(skeleton, s, c)));
            if let Some(collar) = collar {
                let length =
                    l.shoulder.map_or(0.0, |s| stance.positions[s].distance(stance.positions[collar]));
                if keep.clavicles && length > SHORTEST * stature {
                    opens[collar] = Some(Part::Clavicle(side));
                } else {
                    reasons[collar] = Some(MergeReason::Clavicle);
                }
            }
            if let Some(wrist) = l.wrist {
                for j in skeleton.joint_ids().iter().filter(|&j| is_below(skeleton, j, wrist)) {
                    let bone = bone_length(skeleton, j);
                    if keep.fingers && bone > 0.005 {
                        opens[j] = Some(Part::Finger(side));
                    } else {
                        reasons[j] = Some(MergeReason::Finger);
                    }
                }
            }
        }
        Self::collect(skeleton, stance, &opens, &continues, &reasons)
    }

    fn collect(
        skeleton: &Skeleton,
        stance: &Stance,
        opens: &[Option<Part>],
        continues: &[bool],
        reasons: &[Option<MergeReason>],
    ) -> Self {
        let n = skeleton.n_joints();
        let hips = stance.anatomy.roles.hips;
        let mut segments: Vec<Segment> = Vec::new();
        let mut segment_of_joint = vec![0; n];
        let mut merged: Vec<JointId> = Vec::new();
        for j in skeleton.joint_ids() {
            let parent = skeleton.joints()[j].parent.map(|p| segment_of_joint[p]);
            // Joints above the hips count as pelvis, which is always the first segment.
            if j < hips && segments.is_empty() {
                merged.push(j);
                continue;
            }
            match opens[j] {
                Some(part) if part == Part::Pelvis || !segments.is_empty() => {
                    segment_of_joint[j] = segments.len();
                    let parent = if part == Part::Pelvis { None } else { parent };
                    let name = name_of(part, &segments);
                    segments.push(Segment {
                        part,
                        name,
                        parent,
                        chain: vec![j],
                        origin: stance.positions[j],
                    });
                }
                _ => {
                    let segment = parent.unwrap_or(0);
                    segment_of_joint[j] = segment;
                    merged.push(j);
                    if continues[j] && !segments.is_empty() {
                        segments[segment].chain.push(j);
                    }
                }
            }
        }
        let merges = merged
            .into_iter()
            .map(|j| {
                let bone = skeleton.joints()[j].offset.length();
                let reason = reasons[j].unwrap_or(if j < hips {
                    MergeReason::AboveHips
                } else if bone < 0.005 {
                    MergeReason::ZeroLength
                } else {
                    MergeReason::Unknown
                });
                let into = segments[segment_of_joint[j]].name.clone();
                Merge { joint: skeleton.joints()[j].name.clone(), into, reason }
            })
            .collect();
        Self { segments, segment_of_joint, merges }
    }

    /// First segment of a part.
    pub(super) fn find(&self, part: Part) -> Option<usize> {
        self.segments.iter().position(|s| s.part == part)
    }

    /// Segments of the trunk above the pelvis, lowest first.
    pub(super) fn spine(&self) -> Vec<usize> {
        (0..self.segments.len()).filter(|&i| matches!(self.segments[i].part, Part::Spine(_))).collect()
    }
}

/// Cuts a chain of joints into bodies: one if it is straight (or `keep` is off), else one per bone that is long enough.
fn groups(
    chain: &[JointId],
    stance: &Stance,
    end: Option<JointId>,
    keep: bool,
    stature: f64,
) -> Vec<Vec<JointId>> {
    let (Some(&first), Some(&last)) = (chain.first(), chain.last()) else { return Vec::new() };
    let place = |j: JointId| stance.positions[j];
    let tip = place(end.unwrap_or(last));
    let chord = tip - place(first);
    let off = |j: &JointId| {
        let along = chord.normalize_or_zero();
        let way = place(*j) - place(first);
        (way - along * way.dot(along)).length()
    };
    if !keep && chain.iter().all(|j| off(j) <= STRAIGHT * chord.length().max(0.05)) {
        return vec![chain.to_vec()];
    }
    let mut groups: Vec<Vec<JointId>> = Vec::new();
    let mut short = false;
    for (i, &j) in chain.iter().enumerate() {
        let next = chain.get(i + 1).map_or(tip, |&k| place(k));
        match groups.last_mut() {
            Some(group) if short => group.push(j),
            _ => groups.push(vec![j]),
        }
        short = next.distance(place(groups[groups.len() - 1][0])) < SHORTEST * stature;
    }
    // A short end joins the group below it.
    if short && groups.len() > 1 {
        let end = groups.pop().unwrap_or_default();
        groups.last_mut().expect("one is left").extend(end);
    }
    groups
}

fn open_groups(
    groups: &[Vec<JointId>],
    part: fn(u8) -> Part,
    opens: &mut [Option<Part>],
    continues: &mut [bool],
    reasons: &mut [Option<MergeReason>],
) {
    for (i, group) in groups.iter().enumerate() {
        opens[group[0]] = Some(part(i.min(255) as u8));
        for &j in &group[1..] {
            continues[j] = true;
            reasons[j] = Some(MergeReason::Straight);
        }
    }
}

/// Length of the bone below a joint: to its first child or its tip.
fn bone_length(skeleton: &Skeleton, joint: JointId) -> f64 {
    let child = skeleton.joints().iter().find(|j| j.parent == Some(joint)).map(|j| j.offset);
    child.or(skeleton.end_site_of(joint)).map_or(0.0, |o| o.length())
}

/// Names as the standard figures have them.
fn name_of(part: Part, before: &[Segment]) -> String {
    let side = match part.side() {
        Some(Side::Left) => "l",
        Some(Side::Right) => "r",
        None => "",
    };
    let word = match part {
        Part::Pelvis => "pelvis".to_owned(),
        Part::Spine(0) => "torso".to_owned(),
        Part::Spine(i) => format!("torso{}", i + 1),
        Part::Neck(0) => "neck".to_owned(),
        Part::Neck(i) => format!("neck{}", i + 1),
        Part::Head => "head".to_owned(),
        Part::Clavicle(_) => "clav".to_owned(),
        Part::UpperArm(_) => "uarm".to_owned(),
        Part::Forearm(_) => "farm".to_owned(),
        Part::Hand(_) => "hand".to_owned(),
        Part::Finger(_) => {
            let n = before.iter().filter(|s| s.part == part).count();
            format!("finger{}", n + 1)
        }
        Part::Thigh(_) => "thigh".to_owned(),
        Part::Shank(_) => "shank".to_owned(),
        Part::Foot(_) => "foot".to_owned(),
        Part::Toe(_) => "toe".to_owned(),
    };
    format!("{side}{word}")
}
