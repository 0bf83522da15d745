//! Left and right swapped.

use crate::roles::mirror_partners;
use crate::skeleton::JointId;
use crate::skeleton::{EndSite, Joint};
use crate::{Clip, Skeleton};
use glam::{DQuat, DVec3};
use std::sync::Arc;

/// The clip reflected in the plane y = 0 with left and right joints swapped. The skeleton is reflected too, so the
/// motion is exact for bodies whose sides differ, and mirroring twice gives the clip back.
pub fn mirror(clip: &Clip) -> Clip {
    let partners = mirror_partners(clip.skeleton());
    let skeleton = mirror_skeleton(clip.skeleton(), &partners);
    let positions = clip.root_positions().iter().map(|&p| reflect(p)).collect();
    let mut rotations = Vec::with_capacity(clip.all_rotations().len());
    for frame in 0..clip.n_frames() {
        let frame = clip.rotations(frame);
        rotations.extend(partners.iter().map(|&partner| reflect_rotation(frame[partner])));
    }
    clip.with_frames(positions, rotations).with_skeleton(Arc::new(skeleton))
}

fn mirror_skeleton(skeleton: &Skeleton, partners: &[JointId]) -> Skeleton {
    let joints = skeleton.joints();
    let mirrored = joints.iter().zip(partners);
    let mirrored = mirrored
        .map(|(j, &partner)| Joint { offset: reflect(joints[partner].offset), ..j.clone() })
        .collect();
    // The n-th end site of a joint belongs to the n-th of its partner.
    let sites = skeleton.end_sites();
    let end_sites = sites.iter().enumerate().map(|(index, site)| {
        let rank = sites[..index].iter().filter(|s| s.joint == site.joint).count();
        let partner = sites.iter().filter(|s| s.joint == partners[site.joint]).nth(rank).unwrap_or(site);
        EndSite { joint: site.joint, offset: reflect(partner.offset) }
    });
    Skeleton::new(mirrored, end_sites.collect()).expect("the tree is the one of a sound skeleton")
}

fn reflect(p: DVec3) -> DVec3 {
    DVec3::new(p.x, -p.y, p.z)
}

/// Rotation axes are pseudovectors: the reflected axis is the reflection's negative.
fn reflect_rotation(q: DQuat) -> DQuat {
    DQuat::from_xyzw(-q.x, q.y, -q.z, q.w)
}
