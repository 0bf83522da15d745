//! Left for right: the mirror image of a figure in the plane of its x and z axes.
//!
//! A rotation vector `(x, y, z)` becomes `(-x, y, -z)`. An angle about the axis `a` becomes an angle about the image of the axis; if the
//! other side's joint turns about the opposite of that, the angle changes its sign.

use stuntlab_mocap::Side;
use stuntlab_mocap::character::{Bone, Part, Physique};
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::{JointKind, Model};

/// Which body is whose image, and how coordinates change.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Mirror {
    partner: Vec<Bone>,
    /// Per body and freedom: 1 or -1.
    sign: Vec<[f64; 3]>,
}

/// The image of a direction of turning.
fn image(axis: DVec3) -> DVec3 {
    DVec3::new(-axis.x, axis.y, -axis.z)
}

fn other_side(part: Part) -> Part {
    let flip = |side: Side| if side == Side::Left { Side::Right } else { Side::Left };
    match part {
        Part::Clavicle(s) => Part::Clavicle(flip(s)),
        Part::UpperArm(s) => Part::UpperArm(flip(s)),
        Part::Forearm(s) => Part::Forearm(flip(s)),
        Part::Hand(s) => Part::Hand(flip(s)),
        Part::Finger(s) => Part::Finger(flip(s)),
        Part::Thigh(s) => Part::Thigh(flip(s)),
        Part::Shank(s) => Part::Shank(flip(s)),
        Part::Foot(s) => Part::Foot(flip(s)),
        Part::Toe(s) => Part::Toe(flip(s)),
        middle => middle,
    }
}

impl Mirror {
    /// Of a character's own model. Bodies whose part has no counterpart are their own image.
    pub(super) fn new(model: &Model, physique: &Physique) -> Self {
        let all = || (0..model.n_bodies()).map(Bone::new);
        // Several bodies may be one part (fingers): the k-th goes with the k-th.
        let of = |part: Part| all().filter(move |bone| physique.part(*bone) == Some(part));
        let partner: Vec<Bone> = all()
            .map(|bone| {
                let Some(part) = physique.part(bone).filter(|p| p.side().is_some()) else { return bone };
                let place = of(part).position(|other| other == bone).unwrap_or(0);
                of(other_side(part)).nth(place).unwrap_or(bone)
            })
            .collect();
        let kind = |bone: Bone| &model.bodies()[bone].joint().kind;
        let sign = all().map(|bone| signs(kind(bone), kind(partner[bone]))).collect();
        Self { sign, partner }
    }

    /// The image of a bone.
    pub(super) fn partner(&self, bone: Bone) -> Bone {
        self.partner.get(bone.index()).copied().unwrap_or(bone)
    }

    /// What a freedom of a bone's joint is multiplied with on the other side.
    pub(super) fn sign(&self, bone: Bone, freedom: usize) -> f64 {
        self.sign.get(bone.index()).and_then(|s| s.get(freedom)).copied().unwrap_or(1.0)
    }
}

fn signs(own: &JointKind, other: &JointKind) -> [f64; 3] {
    let same = |a: DVec3, b: DVec3| if image(a).dot(b) < 0.0 { -1.0 } else { 1.0 };
    match (own, other) {
        (JointKind::Revolute { axis: a }, JointKind::Revolute { axis: b }) => [same(*a, *b), 1.0, 1.0],
        (JointKind::Universal { axes: a }, JointKind::Universal { axes: b }) => {
            [same(a[0], b[0]), same(a[1], b[1]), 1.0]
        }
        (JointKind::Spherical, _) => [-1.0, 1.0, -1.0],
        _ => [1.0; 3],
    }
}
