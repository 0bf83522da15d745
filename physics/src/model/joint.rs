//! Joint kinds and what a joint does by itself: placement, limits, spring, damper, armature.

use glam::DVec3;

use super::limits::Limits;
use crate::spatial::Transform;

/// The most freedoms a joint has.
pub const MAX_FREEDOMS: usize = 6;
/// The most position coordinates a joint has.
pub const MAX_COORDINATES: usize = 7;

/// How a child body may move relative to its parent.
///
/// | kind | q | child pose in the joint frame | v |
/// |---|---|---|---|
/// | `Fixed` | – | identity | – |
/// | `Revolute` | angle | turn about `axis` | rate |
/// | `Prismatic` | distance | shift along `axis` | rate |
/// | `Universal` | 2 angles | `R(axes[0], q0) R(axes[1], q1)` | 2 rates |
/// | `Spherical` | quaternion x y z w | that rotation | relative angular velocity, child axes |
/// | `Planar` | x, y, angle | shift (x, y, 0), then turn about z | rates, joint-frame axes |
/// | `Free` | x y z, quaternion | that pose | linear (child origin), then angular; child axes |
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// Welded: no freedom.
    Fixed,
    /// Hinge.
    Revolute {
        /// Unit axis in the joint frame.
        axis: DVec3,
    },
    /// Slider.
    Prismatic {
        /// Unit axis in the joint frame.
        axis: DVec3,
    },
    /// Two hinges whose axes cross; the second turns with the first.
    Universal {
        /// Unit axes in the joint frame, perpendicular.
        axes: [DVec3; 2],
    },
    /// Ball joint.
    Spherical,
    /// Slides in the joint's xy plane and turns about its z axis.
    Planar,
    /// No constraint at all.
    Free,
}

impl JointKind {
    /// Number of position coordinates.
    pub const fn n_q(&self) -> usize {
        match self {
            Self::Fixed => 0,
            Self::Revolute { .. } | Self::Prismatic { .. } => 1,
            Self::Universal { .. } => 2,
            Self::Planar => 3,
            Self::Spherical => 4,
            Self::Free => 7,
        }
    }

    /// Number of freedoms (velocity coordinates).
    pub const fn n_v(&self) -> usize {
        match self {
            Self::Fixed => 0,
            Self::Revolute { .. } | Self::Prismatic { .. } => 1,
            Self::Universal { .. } => 2,
            Self::Planar | Self::Spherical => 3,
            Self::Free => 6,
        }
    }

    /// The kind in one word, as files and messages spell it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Revolute { .. } => "revolute",
            Self::Prismatic { .. } => "prismatic",
            Self::Universal { .. } => "universal",
            Self::Spherical => "spherical",
            Self::Planar => "planar",
            Self::Free => "free",
        }
    }

    /// Coordinates of the zero pose: zeros, and the unit quaternion where there is one.
    pub fn neutral(&self, q: &mut [f64]) {
        q.fill(0.0);
        match self {
            Self::Spherical => q[3] = 1.0,
            Self::Free => q[6] = 1.0,
            _ => {}
        }
    }

    /// Where the quaternion starts among the joint's coordinates.
    pub const fn quaternion_offset(&self) -> Option<usize> {
        match self {
            Self::Spherical => Some(0),
            Self::Free => Some(3),
            _ => None,
        }
    }

    /// The axes this kind needs, for validation.
    pub(crate) fn axes(&self) -> &[DVec3] {
        match self {
            Self::Revolute { axis } | Self::Prismatic { axis } => core::slice::from_ref(axis),
            Self::Universal { axes } => axes,
            _ => &[],
        }
    }
}

/// A joint: kind, placement and passive properties. Per-freedom arrays use the first `n_v` entries.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// How the child may move.
    pub kind: JointKind,
    /// Pose of the joint frame in the parent's body frame. At zero the child's body frame coincides
    /// with the joint frame.
    pub parent_from_joint: Transform,
    /// How far it may go.
    pub limits: Limits,
    /// Spring towards `spring_reference`, N m/rad or N/m per freedom.
    pub stiffness: [f64; MAX_FREEDOMS],
    /// Viscous damping, N m s/rad or N s/m per freedom.
    pub damping: [f64; MAX_FREEDOMS],
    /// Rotor inertia seen at the joint, added to the diagonal of the mass matrix.
    pub armature: [f64; MAX_FREEDOMS],
    /// Largest effort a drive may apply, per freedom; infinite by default.
    pub effort_limit: [f64; MAX_FREEDOMS],
    /// Position at which the spring is at rest (first `n_q` entries).
    pub spring_reference: [f64; MAX_COORDINATES],
}

impl Joint {
    /// A joint of the given kind at the parent's origin, without limits or passive forces.
    pub fn new(kind: JointKind) -> Self {
        let mut spring_reference = [0.0; MAX_COORDINATES];
        kind.neutral(&mut spring_reference[..kind.n_q()]);
        Self {
            kind,
            parent_from_joint: Transform::IDENTITY,
            limits: Limits::Unlimited,
            stiffness: [0.0; MAX_FREEDOMS],
            damping: [0.0; MAX_FREEDOMS],
            armature: [0.0; MAX_FREEDOMS],
            effort_limit: [f64::INFINITY; MAX_FREEDOMS],
            spring_reference,
        }
    }

    /// Welded to its parent.
    pub fn fixed() -> Self {
        Self::new(JointKind::Fixed)
    }

    /// A hinge about `axis` (made unit length when built).
    pub fn revolute(axis: DVec3) -> Self {
        Self::new(JointKind::Revolute { axis })
    }

    /// A slider along `axis` (made unit length when built).
    pub fn prismatic(axis: DVec3) -> Self {
        Self::new(JointKind::Prismatic { axis })
    }

    /// Two crossing hinges.
    pub fn universal(first: DVec3, second: DVec3) -> Self {
        Self::new(JointKind::Universal { axes: [first, second] })
    }

    /// A ball joint.
    pub fn spherical() -> Self {
        Self::new(JointKind::Spherical)
    }

    /// Two shifts and a turn in the joint's xy plane.
    pub fn planar() -> Self {
        Self::new(JointKind::Planar)
    }

    /// Six freedoms: a body that floats.
    pub fn free() -> Self {
        Self::new(JointKind::Free)
    }

    /// Puts the joint frame at `parent_from_joint`.
    pub fn placed(mut self, parent_from_joint: Transform) -> Self {
        self.parent_from_joint = parent_from_joint;
        self
    }

    /// Puts the joint frame at a point of the parent, axes parallel.
    pub fn at(self, point_parent: DVec3) -> Self {
        self.placed(Transform::from_translation(point_parent))
    }

    /// Sets the limits.
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The same viscous damping on every freedom.
    pub fn with_damping(mut self, damping: f64) -> Self {
        self.damping = [damping; MAX_FREEDOMS];
        self
    }

    /// The same spring stiffness on every freedom.
    pub fn with_stiffness(mut self, stiffness: f64) -> Self {
        self.stiffness = [stiffness; MAX_FREEDOMS];
        self
    }

    /// The same rotor inertia on every freedom.
    pub fn with_armature(mut self, armature: f64) -> Self {
        self.armature = [armature; MAX_FREEDOMS];
        self
    }

    /// The same effort limit on every freedom.
    pub fn with_effort_limit(mut self, effort_limit: f64) -> Self {
        self.effort_limit = [effort_limit; MAX_FREEDOMS];
        self
    }

    /// Sets where the spring is at rest; `reference` has the joint's `n_q` coordinates.
    ///
    /// # Panics
    /// If `reference` is longer than [`MAX_COORDINATES`].
    pub fn with_spring_reference(mut self, reference: &[f64]) -> Self {
        self.spring_reference[..reference.len()].copy_from_slice(reference);
        self
    }
}
