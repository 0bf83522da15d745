//! How far the joint above every part may go: the one table, in degrees.
//!
//! Characters stand with their arms at their sides; their joints are described by flexion, abduction and twist (signs as in
//! `joints.rs`). Plain figures stand with their arms out and have no skeleton; theirs are rotations about the body's x, y and z axes for
//! the left side (ranges as DeepMimic and the Simbicon models have them), which the right side mirrors.

use super::anatomy::Part;
use super::{Bone, Physique};
use crate::roles::Side;
use glam::{DQuat, DVec3};
use stuntlab_physics::{BodyId, JointKind, Limits, Model};

/// A range of an angle in degrees.
pub(super) type Range = [f64; 2];

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranges {
    pub(super) flexion: Range,
    pub(super) abduction: Range,
    pub(super) twist: Range,
    arms_out: ArmsOut,
}

/// Ranges about x, y and z of a figure that stands with its arms out.
#[derive(Clone, Copy, Debug)]
struct ArmsOut {
    /// Direction of the bone at zero, for the left side.
    bone: DVec3,
    /// Of a ball joint.
    ball: [Range; 3],
    /// Of each of several ball joints that share a spine or neck.
    piece: [Range; 3],
    /// Of a joint of one or two axes.
    axis: [Range; 3],
}

impl ArmsOut {
    const fn new(bone: DVec3, ball: [Range; 3]) -> Self {
        Self { bone, ball, piece: ball, axis: ball }
    }

    const fn in_pieces(mut self, piece: [Range; 3]) -> Self {
        self.piece = piece;
        self
    }

    const fn on_axes(mut self, axis: [Range; 3]) -> Self {
        self.axis = axis;
        self
    }
}

const fn row([flexion, abduction, twist]: [Range; 3], arms_out: ArmsOut) -> Ranges {
    Ranges { flexion, abduction, twist, arms_out }
}

const fn up(ball: [Range; 3]) -> ArmsOut {
    ArmsOut::new(DVec3::Z, ball)
}

const fn down(ball: [Range; 3]) -> ArmsOut {
    ArmsOut::new(DVec3::NEG_Z, ball)
}

const fn aside(ball: [Range; 3]) -> ArmsOut {
    ArmsOut::new(DVec3::Y, ball)
}

/// The table.
#[rustfmt::skip]
pub(super) const fn ranges(part: Part) -> Ranges {
    const ALL: [Range; 3] = [[-180.0, 180.0]; 3];
    match part {
        Part::Pelvis => row(ALL, up(ALL)),
        Part::Spine(_) => row(
            [[-25.0, 60.0], [-30.0, 30.0], [-40.0, 40.0]],
            up([[-30.0, 30.0], [-25.0, 60.0], [-40.0, 40.0]])
                .in_pieces([[-9.0, 9.0], [-8.0, 16.0], [-10.0, 10.0]]),
        ),
        Part::Neck(_) => row(
            [[-45.0, 45.0], [-35.0, 35.0], [-70.0, 70.0]],
            up([[-35.0, 35.0], [-45.0, 45.0], [-70.0, 70.0]])
                .in_pieces([[-14.0, 14.0], [-18.0, 18.0], [-25.0, 25.0]]),
        ),
        Part::Head => row(
            [[-45.0, 45.0], [-35.0, 35.0], [-70.0, 70.0]],
            up([[-14.0, 14.0], [-18.0, 18.0], [-25.0, 25.0]])
                .on_axes([[-14.0, 14.0], [-40.0, 40.0], [-25.0, 25.0]]),
        ),
        Part::Clavicle(_) => row(
            [[-20.0, 20.0], [-10.0, 35.0], [-20.0, 20.0]],
            aside([[-10.0, 25.0], [-10.0, 10.0], [-15.0, 15.0]]),
        ),
        Part::UpperArm(_) => row(
            [[-60.0, 180.0], [-20.0, 150.0], [-90.0, 90.0]],
            aside([[-100.0, 60.0], [-60.0, 60.0], [-120.0, 45.0]]),
        ),
        Part::Forearm(_) => row(
            [[0.0, 150.0], [-5.0, 5.0], [-80.0, 80.0]],
            aside([[-3.0, 3.0], [-60.0, 60.0], [-150.0, 2.0]])
                .on_axes([[-3.0, 3.0], [-80.0, 80.0], [-150.0, 0.0]]),
        ),
        Part::Hand(_) => row(
            [[-70.0, 80.0], [-25.0, 25.0], [-20.0, 20.0]],
            aside([[-60.0, 60.0], [-10.0, 10.0], [-25.0, 25.0]])
                .on_axes([[-70.0, 70.0], [-10.0, 10.0], [-25.0, 25.0]]),
        ),
        Part::Finger(_) => row(
            [[-10.0, 100.0], [-20.0, 20.0], [-10.0, 10.0]],
            aside([[-70.0, 20.0], [-5.0, 5.0], [-20.0, 20.0]]),
        ),
        Part::Thigh(_) => row(
            [[-30.0, 125.0], [-25.0, 45.0], [-40.0, 40.0]],
            down([[-25.0, 45.0], [-125.0, 30.0], [-40.0, 40.0]]),
        ),
        Part::Shank(_) => row(
            [[0.0, 150.0], [-5.0, 5.0], [-10.0, 10.0]],
            down([[-3.0, 3.0], [-2.0, 150.0], [-5.0, 5.0]])
                .on_axes([[-3.0, 3.0], [0.0, 150.0], [-5.0, 5.0]]),
        ),
        Part::Foot(_) => row(
            [[-50.0, 25.0], [-25.0, 25.0], [-30.0, 30.0]],
            down([[-25.0, 25.0], [-25.0, 50.0], [-15.0, 15.0]]),
        ),
        Part::Toe(_) => row(
            [[0.0, 60.0], [-5.0, 5.0], [-5.0, 5.0]],
            down([[-3.0, 3.0], [-60.0, 10.0], [-3.0, 3.0]]),
        ),
    }
}

/// Limits for the joints of a figure that stands with its arms out, per body of its own model; unlimited where a body's part is not
/// known or has no joint of its own.
///
/// Characters have theirs already ([`super::Character::build`]); this is for figures without a skeleton, such as
/// [`stuntlab_physics::figures::humanoid37`].
pub fn arms_out_limits(model: &Model, physique: &Physique) -> Vec<Limits> {
    let part_of = |body: BodyId| physique.part(Bone::new(body.index()));
    let several = |kind: fn(&Part) -> bool| physique.parts().iter().flatten().filter(|p| kind(p)).count() > 1;
    let spines = several(|p| matches!(p, Part::Spine(_)));
    let necks = several(|p| matches!(p, Part::Neck(_)));
    let limits = |body: BodyId| {
        let (own, spec) = (part_of(body)?, model.body(body));
        let above = part_of(spec.parent()?);
        // What hangs on a hand is a finger.
        let part = match (own, above) {
            (Part::Hand(side), Some(Part::Hand(_))) => Part::Finger(side),
            _ => own,
        };
        let in_pieces = match part {
            Part::Spine(_) => spines,
            Part::Neck(_) => necks,
            _ => false,
        };
        arms_out(part, in_pieces, &spec.joint().kind)
    };
    model.body_ids().iter().map(|body| limits(body).unwrap_or(Limits::Unlimited)).collect()
}

fn arms_out(part: Part, in_pieces: bool, kind: &JointKind) -> Option<Limits> {
    let row = ranges(part).arms_out;
    let left = part.side() != Some(Side::Right);
    let about = |axis: DVec3| {
        let [x, y, z] = axis.abs().to_array();
        let k = if x > y.max(z) {
            0
        } else if y > z {
            1
        } else {
            2
        };
        let [a, b] = mirrored(row.axis, left)[k];
        let [a, b] = if axis[k] < 0.0 { [-b, -a] } else { [a, b] };
        (a.to_radians(), b.to_radians())
    };
    match kind {
        JointKind::Revolute { axis } => Some(Limits::ranges(&[about(*axis)])),
        JointKind::Universal { axes } => Some(Limits::ranges(&[about(axes[0]), about(axes[1])])),
        JointKind::Spherical => {
            let ball = if in_pieces { row.piece } else { row.ball };
            let bone = if left || row.bone.y == 0.0 { row.bone } else { -row.bone };
            Some(ball_limits(bone, mirrored(ball, left)))
        }
        _ => None,
    }
}

/// What turns about x or z is mirrored on the right.
fn mirrored([x, y, z]: [Range; 3], left: bool) -> [Range; 3] {
    let flip = |[a, b]: Range| if left { [a, b] } else { [-b, -a] };
    [flip(x), y, flip(z)]
}

/// A swing ellipse about the middle of the ranges across the bone, and the twist range about it.
fn ball_limits(bone: DVec3, ranges: [Range; 3]) -> Limits {
    let ranges = ranges.map(|[a, b]| [a.to_radians(), b.to_radians()]);
    // Limit frame: z along the bone, x the body's x axis.
    let frame = DQuat::from_rotation_arc(DVec3::Z, bone);
    let middle = |[a, b]: Range| 0.5 * (a + b);
    let half = |[a, b]: Range| 0.5 * (b - a);
    let along = if bone.y != 0.0 { 1 } else { 2 };
    let (first, second) = (0, if along == 1 { 2 } else { 1 });
    // The middle of the swing range as one rotation; the twist range keeps its own bounds.
    let mut center = DVec3::ZERO;
    center[first] = middle(ranges[first]);
    center[second] = middle(ranges[second]);
    let twist = if bone[along] > 0.0 { ranges[along] } else { [-ranges[along][1], -ranges[along][0]] };
    Limits::SwingTwist {
        parent_frame: DQuat::from_scaled_axis(center) * frame,
        child_frame: frame,
        swing: [half(ranges[first]), half(ranges[second])],
        twist,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stuntlab_physics::figures;

    #[test]
    fn every_joint_of_the_plain_figures_has_limits_that_hold_where_it_stands() {
        for figure in [figures::humanoid37(), figures::bones36()] {
            let model = figure.model();
            let limits = arms_out_limits(&model, &Physique::by_name(&model));
            for (body, limits) in model.bodies().iter().zip(limits) {
                match limits {
                    Limits::Unlimited => assert!(body.parent().is_none(), "{}", body.name()),
                    Limits::Range { lower, upper } => {
                        assert!(lower.iter().all(|l| *l <= 0.0) && upper.iter().all(|u| *u >= 0.0));
                    }
                    Limits::SwingTwist { swing, twist, .. } => {
                        assert!(swing.iter().all(|s| *s > 0.0) && twist[0] < 0.0 && twist[1] > 0.0);
                    }
                    Limits::Ellipse { .. } => panic!("no joint of {} has an ellipse", body.name()),
                }
            }
        }
    }
}
