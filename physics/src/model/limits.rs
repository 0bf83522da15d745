//! How far a joint may go.

use glam::DQuat;

/// Limits of a joint's position.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum Limits {
    /// None.
    #[default]
    Unlimited,
    /// A range per coordinate: revolute, prismatic, universal, planar; for a free joint the three
    /// translations. Infinite bounds are allowed.
    Range {
        /// Smallest value per coordinate.
        lower: [f64; 3],
        /// Largest value per coordinate.
        upper: [f64; 3],
    },
    /// Universal joint: `((q0-c0)/r0)² + ((q1-c1)/r1)² ≤ 1`.
    Ellipse {
        /// Middle of the ellipse, rad.
        center: [f64; 2],
        /// Half axes, rad.
        radius: [f64; 2],
    },
    /// Spherical joint, swing ellipse and twist range (Baerlocher & Boulic 2001).
    ///
    /// The rotation `parent_frame⁻¹ · R(q) · child_frame` is split into a twist about z followed by a
    /// swing about an axis in the xy plane; choosing the frames puts z along the bone and the middle
    /// of the range at zero.
    SwingTwist {
        /// Limit frame in the joint frame (parent side).
        parent_frame: DQuat,
        /// Limit frame in the child's body frame.
        child_frame: DQuat,
        /// Half axes of the swing ellipse about x and y, rad, each below π.
        swing: [f64; 2],
        /// Twist range about z, rad.
        twist: [f64; 2],
    },
}

impl Limits {
    /// A range for a joint with one freedom.
    pub fn range(lower: f64, upper: f64) -> Self {
        Self::ranges(&[(lower, upper)])
    }

    /// A range for each coordinate, unlimited where not given (at most three are used).
    pub fn ranges(ranges: &[(f64, f64)]) -> Self {
        let mut lower = [f64::NEG_INFINITY; 3];
        let mut upper = [f64::INFINITY; 3];
        for (k, &(lo, hi)) in ranges.iter().take(3).enumerate() {
            (lower[k], upper[k]) = (lo, hi);
        }
        Self::Range { lower, upper }
    }

    /// A circular cone of half angle `swing` about z, with a twist range.
    pub fn cone(swing: f64, twist_lower: f64, twist_upper: f64) -> Self {
        Self::SwingTwist {
            parent_frame: DQuat::IDENTITY,
            child_frame: DQuat::IDENTITY,
            swing: [swing, swing],
            twist: [twist_lower, twist_upper],
        }
    }

    /// In one word, for messages.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Unlimited => "unlimited",
            Self::Range { .. } => "range",
            Self::Ellipse { .. } => "ellipse",
            Self::SwingTwist { .. } => "swing-twist",
        }
    }
}
