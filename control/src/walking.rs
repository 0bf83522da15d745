//! What walking machines share: which bones are the legs, in which direction it goes, and joint targets that hold the child or the
//! parent of a joint in an attitude of the world.

use stuntlab_mocap::Side;
use stuntlab_mocap::character::{Bone, Part, Physique};
use stuntlab_physics::glam::{DMat3, DQuat, DVec3};

use crate::controller::Sense;
use crate::kind::Refusal;
use crate::readings::{Published, Together};

/// Load on a foot that is a strike, N: a fortieth of a person, more than toes that graze the ground.
pub(crate) const STRIKE: f64 = 20.0;

/// What walking machines say of their steps.
pub(crate) const STRIDE: [Published; 5] = [
    Published { name: "steps", unit: "", help: "Steps taken so far", together: Together::Sum },
    Published {
        name: "step-length",
        unit: "m",
        help: "Way forward from where the other foot struck to where the last one did",
        together: Together::Mean,
    },
    Published {
        name: "step-width",
        unit: "m",
        help: "Way aside from one to the other, outward; below zero legs cross",
        together: Together::Least,
    },
    Published {
        name: "pace",
        unit: "m/s",
        help: "Way forward over the time of the last two steps",
        together: Together::Mean,
    },
    Published {
        name: "stance",
        unit: "",
        help: "Which leg stands: 0 the left one, 1 the right one",
        together: Together::Most,
    },
];

/// Where and when feet struck.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Strides {
    strikes: [Option<(DVec3, f64)>; 2],
    /// What is published of them.
    pub(crate) values: [f64; STRIDE.len()],
}

impl Strides {
    /// Notes where a foot stands before the first step.
    pub(crate) fn stand(&mut self, side: Side, ankle: DVec3, time: f64) {
        self.strikes[side as usize] = Some((ankle, time));
    }

    /// Notes where the ankle of a foot that struck has come to rest.
    pub(crate) fn settle(&mut self, side: Side, ankle: DVec3) {
        if let Some((place, _)) = &mut self.strikes[side as usize] {
            *place = ankle;
        }
    }

    /// Where the ankle of a foot was when it struck.
    pub(crate) fn place(&self, side: Side) -> Option<DVec3> {
        self.strikes[side as usize].map(|(place, _)| place)
    }

    /// A foot has struck. Returns the length of the step.
    pub(crate) fn count(&mut self, course: &Course, side: Side, ankle: DVec3, time: f64) -> f64 {
        let way = course.own(ankle - self.place(other(side)).unwrap_or(ankle));
        let pace = match self.strikes[side as usize] {
            Some((place, before)) if time > before => course.own(ankle - place).x / (time - before),
            _ => 0.0,
        };
        self.strikes[side as usize] = Some((ankle, time));
        let stance = f64::from(u8::from(side == Side::Right));
        self.values = [self.values[0] + 1.0, way.x, outward(side) * way.y, pace, stance];
        way.x
    }
}

/// The bones of a leg.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Leg {
    pub(crate) thigh: Bone,
    pub(crate) shank: Bone,
    pub(crate) foot: Bone,
    pub(crate) toe: Option<Bone>,
}

/// A figure that walks on two legs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Biped {
    /// The lowest bone of the trunk; the pelvis where there is no other.
    pub(crate) trunk: Option<Bone>,
    legs: [Leg; 2],
}

/// The other side.
pub(crate) const fn other(side: Side) -> Side {
    match side {
        Side::Left => Side::Right,
        Side::Right => Side::Left,
    }
}

/// +1 on the left, where +y is outward, and -1 on the right.
pub(crate) const fn outward(side: Side) -> f64 {
    match side {
        Side::Left => 1.0,
        Side::Right => -1.0,
    }
}

impl Biped {
    /// Finds the legs of a figure.
    ///
    /// # Errors
    /// A figure without two legs of thigh, shank and foot.
    pub(crate) fn of(physique: &Physique) -> Result<Self, Refusal> {
        let find = |part: Part| physique.parts().iter().position(|p| *p == Some(part)).map(Bone::new);
        let need = |part: Part| {
            find(part).ok_or_else(|| {
                Refusal::new("figure", format!("has no {part:?}, expected a figure that walks on two legs"))
            })
        };
        let leg = |side| {
            Ok::<_, Refusal>(Leg {
                thigh: need(Part::Thigh(side))?,
                shank: need(Part::Shank(side))?,
                foot: need(Part::Foot(side))?,
                toe: find(Part::Toe(side)),
            })
        };
        Ok(Self { trunk: find(Part::Spine(0)), legs: [leg(Side::Left)?, leg(Side::Right)?] })
    }

    /// The leg of a side.
    pub(crate) fn leg(&self, side: Side) -> &Leg {
        &self.legs[side as usize]
    }
}

/// Where the body goes: axes that turn with the wanted heading only, so that forward and sideways are the same all along a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Course {
    /// Heading, rad about +z from +x.
    pub(crate) heading: f64,
    /// Heading that is wanted; `heading` follows.
    pub(crate) wanted: f64,
}

/// How fast a heading follows a command, rad/s: 20 degrees with a step of 0.7 s. Faster, and the hip of the leg that stands is twisted to its limit
/// before the other foot is down: its foot is wrung off the ground, pinned or not.
const TURNING: f64 = 0.5;

impl Course {
    /// As the root is turned now.
    pub(crate) fn of(sense: &Sense<'_>) -> Self {
        let forward = sense.data.world_from_body(sense.root()).rotation.x_axis;
        let heading = forward.y.atan2(forward.x);
        Self { heading, wanted: heading }
    }

    /// A step on.
    pub(crate) fn follow(&mut self, dt: f64) {
        self.heading += (self.wanted - self.heading).clamp(-TURNING * dt, TURNING * dt);
    }

    /// World axes from its own: x forward, y left, z up.
    pub(crate) fn world(&self) -> DQuat {
        DQuat::from_rotation_z(self.heading)
    }

    /// A vector of the world, forward, left and up.
    pub(crate) fn own(&self, vector: DVec3) -> DVec3 {
        self.world().conjugate() * vector
    }
}

/// A ball joint's coordinates and rates with which something holds still in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hold {
    /// The joint's rotation.
    pub(crate) q: DQuat,
    /// Its rates, child axes.
    pub(crate) v: DVec3,
}

/// The rotation of a bone and of the joint frame above it, in the world, and the rates of both.
fn ends(sense: &Sense<'_>, bone: Bone) -> (DMat3, DMat3, DVec3, DVec3) {
    let (body, id) = (sense.bone(bone), sense.body_of(bone));
    let child = sense.data.world_from_body(id).rotation;
    let spin = sense.data.body_velocity(id).angular;
    let (parent, parent_spin) = body.parent().map_or((DMat3::IDENTITY, DVec3::ZERO), |p| {
        (sense.data.position.world_from_body[p].rotation, sense.data.velocity.body[p].angular)
    });
    (child, parent * body.joint().parent_from_joint.rotation, spin, parent_spin)
}

/// The bone is turned as `wanted` and holds still, whatever its parent does.
pub(crate) fn hold_child(sense: &Sense<'_>, bone: Bone, wanted: DQuat) -> Hold {
    let (child, frame, _, parent_spin) = ends(sense, bone);
    Hold {
        q: (DQuat::from_mat3(&frame).conjugate() * wanted).normalize(),
        v: -(child.transpose() * parent_spin),
    }
}

/// The parent is turned as `wanted` and holds still, whatever the bone does: the bone pushes off for it.
pub(crate) fn hold_parent(sense: &Sense<'_>, bone: Bone, wanted: DQuat) -> Hold {
    let (child, _, spin, _) = ends(sense, bone);
    let frame = DQuat::from_mat3(&sense.bone(bone).joint().parent_from_joint.rotation);
    Hold {
        q: ((wanted * frame).conjugate() * DQuat::from_mat3(&child)).normalize(),
        v: child.transpose() * spin,
    }
}

/// Attitude of a foot that is bent against its shank by an angle, toes up, and otherwise level and along the course.
pub(crate) fn level_foot(sense: &Sense<'_>, course: &Course, shank: Bone, angle: f64) -> DQuat {
    let along = course.own(sense.data.world_from_body(sense.body_of(shank)).rotation.x_axis);
    let pitch = (-along.z).atan2(along.x);
    course.world() * DQuat::from_rotation_y(pitch - angle)
}

/// Attitude of a foot that is bent against its shank by an angle, toes up, turned as its shank is and level across: it twists with its leg
/// and does not tip with it.
pub(crate) fn foot_below(sense: &Sense<'_>, shank: Bone, angle: f64) -> DQuat {
    let along = sense.data.world_from_body(sense.body_of(shank)).rotation.x_axis;
    let pitch = (-along.z).atan2(along.truncate().length());
    DQuat::from_rotation_z(along.y.atan2(along.x)) * DQuat::from_rotation_y(pitch - angle)
}

/// Which way a bone points, rad about +z from +x.
pub(crate) fn heading_of(sense: &Sense<'_>, bone: Bone) -> f64 {
    let forward = sense.data.world_from_body(sense.body_of(bone)).rotation.x_axis;
    forward.y.atan2(forward.x)
}

/// A ball joint's coordinates with which the bone is turned by a rotation from its parent's axes.
pub(crate) fn from_parent(sense: &Sense<'_>, bone: Bone, rotation: DQuat) -> DQuat {
    DQuat::from_mat3(&sense.bone(bone).joint().parent_from_joint.rotation).conjugate() * rotation
}

/// Writes what joints shall be into `q`, all else as it is: the ghost of one who has no place in mind.
pub(crate) fn show(sense: &Sense<'_>, told: impl Iterator<Item = (Bone, [f64; 4])>, q: &mut [f64]) {
    let own = sense.tree().coordinates;
    q[own].copy_from_slice(&sense.state.q[own]);
    for (bone, told) in told {
        let range = sense.bone(bone).coordinates();
        let n = range.len().min(4);
        q[range][..n].copy_from_slice(&told[..n]);
    }
}
