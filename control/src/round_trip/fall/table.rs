//! Example poses by the direction of the fall (Mandel and Zordan 2005, "a simple pose controller").
//!
//! Poses for a fall forward, back and to the left; the right is the mirror image. Between two of them the pose lies between. Angles are a person's who was filmed falling:
//! hands before the face or beside the hips, the head away from the ground, knees bent (Hsiao and Robinovitch 1998).

use stuntlab_mocap::Side;
use stuntlab_mocap::character::{Character, Part};
use stuntlab_physics::glam::DVec2;
use stuntlab_physics::{BodyId, Model, State};

use crate::fighter::Layout;

/// A pose: parts by what they are, with flexion, abduction and twist in degrees.
type Angles = &'static [(fn(Side) -> Part, [f64; 3])];

const FORWARD: Angles = &[
    (|_| Part::Spine(0), [8.0, 0.0, 0.0]),
    (|_| Part::Neck(0), [-20.0, 0.0, 0.0]),
    (|_| Part::Head, [-15.0, 0.0, 0.0]),
    (Part::UpperArm, [75.0, 20.0, 0.0]),
    (Part::Forearm, [25.0, 0.0, 0.0]),
    (Part::Hand, [-50.0, 0.0, 0.0]),
    (Part::Thigh, [15.0, 5.0, 0.0]),
    (Part::Shank, [40.0, 0.0, 0.0]),
    (Part::Foot, [0.0, 0.0, 0.0]),
];

const BACK: Angles = &[
    (|_| Part::Spine(0), [30.0, 0.0, 0.0]),
    (|_| Part::Neck(0), [30.0, 0.0, 0.0]),
    (|_| Part::Head, [15.0, 0.0, 0.0]),
    (Part::UpperArm, [-40.0, 35.0, 0.0]),
    (Part::Forearm, [25.0, 0.0, 0.0]),
    (Part::Hand, [-50.0, 0.0, 0.0]),
    (Part::Thigh, [65.0, 8.0, 0.0]),
    (Part::Shank, [75.0, 0.0, 0.0]),
    (Part::Foot, [0.0, 0.0, 0.0]),
];

/// To the left: the near limbs of it, and the far ones. Of the trunk, aside is away from the ground and a twist turns the chest to it.
const ASIDE: [Angles; 2] = [
    &[
        (|_| Part::Spine(0), [12.0, 0.0, 25.0]),
        (|_| Part::Neck(0), [10.0, 20.0, 0.0]),
        (|_| Part::Head, [0.0, 10.0, 0.0]),
        (Part::UpperArm, [30.0, 75.0, 0.0]),
        (Part::Forearm, [30.0, 0.0, 0.0]),
        (Part::Hand, [-50.0, 0.0, 0.0]),
        (Part::Thigh, [40.0, 0.0, 0.0]),
        (Part::Shank, [60.0, 0.0, 0.0]),
        (Part::Foot, [0.0, 0.0, 0.0]),
    ],
    &[
        (Part::UpperArm, [60.0, -10.0, 0.0]),
        (Part::Forearm, [50.0, 0.0, 0.0]),
        (Part::Hand, [-30.0, 0.0, 0.0]),
        (Part::Thigh, [25.0, 10.0, 0.0]),
        (Part::Shank, [40.0, 0.0, 0.0]),
        (Part::Foot, [0.0, 0.0, 0.0]),
    ],
];

/// Poses of a figure, all coordinates but the root's.
#[derive(Clone, Debug)]
pub struct Table {
    /// Forward, left, back, right.
    poses: [Vec<f64>; 4],
}

impl Table {
    /// For a figure.
    pub fn new(own: &Model, character: &Character) -> Self {
        let pose = |set: &dyn Fn(&mut State)| {
            let mut state = State::new(own);
            set(&mut state);
            state.q
        };
        let both = |angles: Angles| {
            move |state: &mut State| {
                Side::BOTH.into_iter().for_each(|side| write(character, state, angles, side, 1.0));
            }
        };
        let aside = |side: Side| {
            move |state: &mut State| {
                let other = if side == Side::Left { Side::Right } else { Side::Left };
                let mirror = if side == Side::Left { 1.0 } else { -1.0 };
                write(character, state, ASIDE[1], other, mirror);
                write(character, state, ASIDE[0], side, mirror);
            }
        };
        Self {
            poses: [
                pose(&both(FORWARD)),
                pose(&aside(Side::Left)),
                pose(&both(BACK)),
                pose(&aside(Side::Right)),
            ],
        }
    }

    /// Writes the pose for a fall in a direction, forward and left; the root stays.
    pub fn write(&self, layout: &Layout, direction: DVec2, q: &mut [f64]) {
        let quarter = std::f64::consts::FRAC_PI_2;
        let turns = direction.to_angle().rem_euclid(4.0 * quarter) / quarter;
        let first = (turns as usize).min(3);
        let root = [q[0], q[1], q[2], q[3], q[4], q[5], q[6]];
        q.copy_from_slice(&self.poses[first]);
        let s = turns - first as f64;
        layout.mix(q, &self.poses[(first + 1) % 4], s * s * (3.0 - 2.0 * s));
        q[..7].copy_from_slice(&root);
    }
}

/// Sets the angles of the parts of one side, and of the trunk, whose sideways angles are mirrored.
fn write(character: &Character, state: &mut State, angles: Angles, side: Side, mirror: f64) {
    for (part, [flexion, aside, twist]) in angles {
        let part = part(side);
        let of_trunk = part.side().is_none();
        let sign = if of_trunk { mirror } else { 1.0 };
        // The trunk's abduction turns about +x: to the right, which is away from the ground of a fall to the left.
        let angles = [*flexion, sign * aside, sign * twist].map(f64::to_radians);
        let bodies = character.parts().iter().enumerate().filter(|(_, p)| **p == part);
        for (k, _) in bodies {
            character.set_angles(state, BodyId::new(k), angles);
        }
    }
}
