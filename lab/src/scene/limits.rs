//! Joint limits of the standard figures, which themselves have none (ranges as DeepMimic and the Simbicon models have them).
//!
//! Frames: x forward, y left, z up, T-pose at zero. Ball joints get a swing ellipse about the middle of the
//! range and a twist range about the bone.

use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::{JointKind, Limits};

/// Range of a ball joint, degrees: rotations about the part's two swing axes and about the bone.
struct Ball {
    /// Direction of the bone at zero.
    bone: DVec3,
    /// About x, for the left side.
    x: [f64; 2],
    /// About y.
    y: [f64; 2],
    /// About z, for the left side.
    z: [f64; 2],
}

/// The limits of the joint above the part called `name`, if it is a part of a standard figure.
pub(crate) fn standard_limits(name: &str, kind: &JointKind) -> Option<Limits> {
    let (side, part) = match (name.strip_prefix('l'), name.strip_prefix('r')) {
        (Some(part), _) => (1.0, part),
        (_, Some(part)) => (-1.0, part),
        _ => (1.0, name),
    };
    let range = |[a, b]: [f64; 2]| (a.to_radians(), b.to_radians());
    // What turns about x or z is mirrored on the right.
    let mirrored = |[a, b]: [f64; 2]| if side > 0.0 { range([a, b]) } else { range([-b, -a]) };
    match kind {
        JointKind::Revolute { .. } => match (name, part) {
            ("head", _) => Some(Limits::ranges(&[range([-40.0, 40.0])])),
            (_, "shank") => Some(Limits::ranges(&[range([0.0, 150.0])])),
            _ => None,
        },
        JointKind::Universal { .. } => match part {
            "uarm" => Some(Limits::ranges(&[mirrored([-100.0, 60.0]), mirrored([-120.0, 45.0])])),
            "farm" => Some(Limits::ranges(&[mirrored([-150.0, 0.0]), range([-80.0, 80.0])])),
            "hand" => Some(Limits::ranges(&[range([-70.0, 70.0]), mirrored([-25.0, 25.0])])),
            "foot" => Some(Limits::ranges(&[range([-25.0, 50.0]), mirrored([-25.0, 25.0])])),
            _ => None,
        },
        JointKind::Spherical => ball(name, part, side),
        _ => None,
    }
}

fn ball(name: &str, part: &str, side: f64) -> Option<Limits> {
    let upright = |x, y, z| Ball { bone: DVec3::Z, x, y, z };
    let hanging = |x, y, z| Ball { bone: DVec3::NEG_Z, x, y, z };
    let sideways = |x, y, z| Ball { bone: DVec3::Y, x, y, z };
    let ball = match (name, part) {
        ("torso", _) => upright([-30.0, 30.0], [-25.0, 60.0], [-40.0, 40.0]),
        ("spine1" | "spine2" | "spine3" | "spine4", _) => upright([-9.0, 9.0], [-8.0, 16.0], [-10.0, 10.0]),
        ("neck", _) => upright([-35.0, 35.0], [-45.0, 45.0], [-70.0, 70.0]),
        ("neck1" | "neck2" | "head", _) => upright([-14.0, 14.0], [-18.0, 18.0], [-25.0, 25.0]),
        (_, "thigh") => hanging([-25.0, 45.0], [-125.0, 30.0], [-40.0, 40.0]),
        (_, "shank") => hanging([-3.0, 3.0], [-2.0, 150.0], [-5.0, 5.0]),
        (_, "foot") => hanging([-25.0, 25.0], [-25.0, 50.0], [-15.0, 15.0]),
        (_, "toe") => hanging([-3.0, 3.0], [-60.0, 10.0], [-3.0, 3.0]),
        (_, "clav") => sideways([-10.0, 25.0], [-10.0, 10.0], [-15.0, 15.0]),
        (_, "uarm") => sideways([-100.0, 60.0], [-60.0, 60.0], [-120.0, 45.0]),
        (_, "farm") => sideways([-3.0, 3.0], [-60.0, 60.0], [-150.0, 2.0]),
        (_, "hand") => sideways([-60.0, 60.0], [-10.0, 10.0], [-25.0, 25.0]),
        (_, "thumb1" | "thumb2" | "index1" | "index2" | "fing1" | "fing2") => {
            sideways([-70.0, 20.0], [-5.0, 5.0], [-20.0, 20.0])
        }
        _ => return None,
    };
    Some(ball.limits(side))
}

impl Ball {
    fn limits(&self, side: f64) -> Limits {
        let radians = |[a, b]: [f64; 2]| [a.to_radians(), b.to_radians()];
        let mirrored = |[a, b]: [f64; 2]| if side > 0.0 { [a, b] } else { [-b, -a] };
        let ranges = [radians(mirrored(self.x)), radians(self.y), radians(mirrored(self.z))];
        // Limit frame: z along the bone, x the body's x axis.
        let bone = if self.bone.y != 0.0 { DVec3::Y * side } else { self.bone };
        let frame = DQuat::from_rotation_arc(DVec3::Z, bone);
        let middle = |[a, b]: [f64; 2]| 0.5 * (a + b);
        let half = |[a, b]: [f64; 2]| 0.5 * (b - a);
        let along = if self.bone.y != 0.0 { 1 } else { 2 };
        let (first, second) = (0, if along == 1 { 2 } else { 1 });
        // The middle of the swing range as one rotation; the twist range keeps its own bounds.
        let mut center = DVec3::ZERO;
        center[first] = middle(ranges[first]);
        center[second] = middle(ranges[second]);
        let twist_sign = bone[along];
        let twist = if twist_sign > 0.0 { ranges[along] } else { [-ranges[along][1], -ranges[along][0]] };
        Limits::SwingTwist {
            parent_frame: DQuat::from_scaled_axis(center) * frame,
            child_frame: frame,
            swing: [half(ranges[first]), half(ranges[second])],
            twist,
        }
    }
}
