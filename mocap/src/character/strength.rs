//! How strong the joint above every part is: the one table of servo gains and torque limits.
//!
//! Numbers for 45 kg (DeepMimic: Peng et al. 2018, humanoid); a grown body of 80 kg wants 1.5 to 1.8 times as much. Wrists, toes and
//! fingers are not in it: theirs are floors of our own, and the shoulder girdle has the shoulder's.

use super::anatomy::Part;

/// Stiffness, damping and torque limit of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strength {
    /// N m/rad.
    pub stiffness: f64,
    /// N m s/rad.
    pub damping: f64,
    /// Largest torque, N m.
    pub effort: f64,
    /// Least stiffness of a tracker that drives the bone in the world, N m/rad: the stiffness, but that light ends need not follow what
    /// they touch, and toes bear the body.
    pub tracking: f64,
}

/// Mass the table is for, kg.
pub const STRENGTH_MASS: f64 = 45.0;

impl Part {
    /// How strong the joint above it is; all zero for the pelvis, which has none.
    pub const fn strength(self) -> Strength {
        let (stiffness, effort, tracking) = match self {
            Self::Pelvis => (0.0, 0.0, 0.0),
            Self::Spine(_) => (1000.0, 200.0, 1000.0),
            Self::Neck(_) | Self::Head => (100.0, 50.0, 100.0),
            Self::Clavicle(_) | Self::UpperArm(_) => (400.0, 100.0, 400.0),
            Self::Forearm(_) => (300.0, 60.0, 300.0),
            Self::Hand(_) => (30.0, 15.0, 10.0),
            Self::Finger(_) => (1.0, 1.0, 10.0),
            Self::Thigh(_) => (500.0, 200.0, 500.0),
            Self::Shank(_) => (500.0, 150.0, 500.0),
            Self::Foot(_) => (400.0, 90.0, 400.0),
            Self::Toe(_) => (30.0, 15.0, 100.0),
        };
        Strength { stiffness, damping: stiffness / 10.0, effort, tracking }
    }
}
