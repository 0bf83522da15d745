//! The joint tree of a clip: names, parents, offsets and end sites, without motion.

use glam::{DQuat, DVec3};
use stuntlab_physics::model::Span;
use thiserror::Error;

stuntlab_physics::id_type! {
    /// A joint of a [`Skeleton`].
    JointId
}

impl JointId {
    /// The root of every skeleton.
    pub const ROOT: Self = Self::new(0);
}

/// A joint: where it sits in its parent when all rotations are zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Name as in the source; need not be unique.
    pub name: String,
    /// Index of the parent, always smaller than the joint's own; `None` for the root.
    pub parent: Option<JointId>,
    /// Origin in the parent's frame, in metres.
    pub offset: DVec3,
}

/// The free tip of a bone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EndSite {
    /// Joint that carries it.
    pub joint: JointId,
    /// Place in that joint's frame, in metres.
    pub offset: DVec3,
}

/// A tree of joints with one root, parents before children.
#[derive(Clone, Debug, PartialEq)]
pub struct Skeleton {
    joints: Vec<Joint>,
    end_sites: Vec<EndSite>,
}

/// Joints from which no tree can be made.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SkeletonError {
    /// No joint at all.
    #[error("expected at least one joint")]
    Empty,
    /// The first joint has a parent, or another one has none or a later one.
    #[error(
        "joint {joint} ({name:?}): expected the first joint to be the only root and parents to come first"
    )]
    Parent {
        /// Index of the joint.
        joint: usize,
        /// Its name.
        name: String,
    },
    /// An end site on a joint that does not exist.
    #[error("end site {0}: expected it to sit on a joint of the skeleton")]
    EndSite(usize),
    /// An offset that is not finite.
    #[error("joint {0}: expected a finite offset")]
    NotFinite(usize),
}

impl Skeleton {
    /// Checks and assembles a skeleton.
    ///
    /// # Errors
    /// See [`SkeletonError`].
    pub fn new(joints: Vec<Joint>, end_sites: Vec<EndSite>) -> Result<Self, SkeletonError> {
        if joints.is_empty() {
            return Err(SkeletonError::Empty);
        }
        for (index, joint) in joints.iter().enumerate() {
            let sound = if index == 0 {
                joint.parent.is_none()
            } else {
                joint.parent.is_some_and(|p| p.index() < index)
            };
            if !sound {
                return Err(SkeletonError::Parent { joint: index, name: joint.name.clone() });
            }
            if !joint.offset.is_finite() {
                return Err(SkeletonError::NotFinite(index));
            }
        }
        if let Some(index) = end_sites.iter().position(|e| e.joint.index() >= joints.len()) {
            return Err(SkeletonError::EndSite(index));
        }
        if let Some(site) = end_sites.iter().find(|e| !e.offset.is_finite()) {
            return Err(SkeletonError::NotFinite(site.joint.index()));
        }
        Ok(Self { joints, end_sites })
    }

    /// The joints, parents first; the root is number 0.
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// The bone tips, in file order.
    pub fn end_sites(&self) -> &[EndSite] {
        &self.end_sites
    }

    /// Ids of all joints, parents first.
    pub fn joint_ids(&self) -> Span<JointId> {
        Span::new(0..self.joints.len())
    }

    /// Number of joints.
    pub fn n_joints(&self) -> usize {
        self.joints.len()
    }

    /// First joint of this name.
    pub fn find(&self, name: &str) -> Option<JointId> {
        self.joints.iter().position(|j| j.name == name).map(JointId::new)
    }

    /// First end site of a joint.
    pub fn end_site_of(&self, joint: JointId) -> Option<DVec3> {
        self.end_sites.iter().find(|e| e.joint == joint).map(|e| e.offset)
    }

    /// Joint positions with all rotations zero and the root at its offset.
    pub fn rest_positions(&self) -> Vec<DVec3> {
        let mut positions: Vec<DVec3> = Vec::with_capacity(self.joints.len());
        for joint in &self.joints {
            let origin = joint.parent.map_or(DVec3::ZERO, |p| positions[p]);
            positions.push(origin + joint.offset);
        }
        positions
    }

    /// The same skeleton seen in turned axes and another unit: `offset' = scale · turn · offset`.
    ///
    /// # Errors
    /// Offsets that are no longer finite.
    pub fn turned_and_scaled(&self, turn: DQuat, scale: f64) -> Result<Self, SkeletonError> {
        let map = |offset: DVec3| turn * offset * scale;
        let joints = self.joints.iter().map(|j| Joint { offset: map(j.offset), ..j.clone() }).collect();
        let end_sites = self.end_sites.iter().map(|e| EndSite { offset: map(e.offset), ..*e }).collect();
        Self::new(joints, end_sites)
    }

    /// Whether two skeletons have the same joints in the same tree, whatever their lengths.
    pub fn same_layout(&self, other: &Self) -> bool {
        self.joints.len() == other.joints.len()
            && self.joints.iter().zip(&other.joints).all(|(a, b)| a.name == b.name && a.parent == b.parent)
    }
}
