//! Placing a clip: turns about the vertical, shifts along the floor, and the floor itself.

use crate::contacts::ground_height;
use crate::skeleton::JointId;
use crate::{Clip, Roles};
use glam::{DQuat, DVec2, DVec3};

/// A turn about the vertical followed by a shift along the floor: `p' = Rz(yaw) p + shift`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Planar {
    /// Angle in radians, counter-clockwise from above.
    pub yaw: f64,
    /// Shift in metres.
    pub shift: DVec2,
}

impl Planar {
    /// Where a point goes; its height stays.
    pub fn apply(&self, p: DVec3) -> DVec3 {
        let flat = DVec2::from_angle(self.yaw).rotate(p.truncate()) + self.shift;
        flat.extend(p.z)
    }

    /// First `other`, then this.
    #[must_use]
    pub fn after(&self, other: &Self) -> Self {
        let shift = DVec2::from_angle(self.yaw).rotate(other.shift) + self.shift;
        Self { yaw: self.yaw + other.yaw, shift }
    }

    /// This so many times in a row, what undoes it where they are fewer than none: by squares, so that it takes as many steps as the number has digits.
    #[must_use]
    pub fn times(&self, rounds: i64) -> Self {
        let (mut power, mut all) = (if rounds < 0 { self.inverse() } else { *self }, Self::default());
        let mut left = rounds.unsigned_abs();
        while left > 0 {
            if left & 1 == 1 {
                all = power.after(&all);
            }
            power = power.after(&power);
            left >>= 1;
        }
        all
    }

    /// What undoes this.
    #[must_use]
    pub fn inverse(&self) -> Self {
        Self { yaw: -self.yaw, shift: -DVec2::from_angle(-self.yaw).rotate(self.shift) }
    }
}

/// Ground motion that takes the first frame of a clip to its last: the way of one round of a cycle.
pub fn advance(clip: &Clip) -> Planar {
    let last = clip.n_frames() - 1;
    let yaw = heading(clip, last) - heading(clip, 0);
    let (from, to) = (clip.root_position(0).truncate(), clip.root_position(last).truncate());
    Planar { yaw, shift: to - DVec2::from_angle(yaw).rotate(from) }
}

/// The clip moved along the floor.
pub fn place_planar(clip: &Clip, placement: &Planar) -> Clip {
    let turn = DQuat::from_rotation_z(placement.yaw);
    let positions = clip.root_positions().iter().map(|&p| placement.apply(p)).collect();
    let mut rotations = clip.all_rotations().to_vec();
    for root in rotations.iter_mut().step_by(clip.n_joints()) {
        *root = (turn * *root).normalize();
    }
    clip.with_frames(positions, rotations)
}

/// Direction in which the body faces, as an angle from +x in radians: across the hips, or along the trunk when the
/// body lies on its side. Skeletons without hips by name use the root's x axis.
///
/// # Panics
/// Where the frame does not exist.
pub fn heading(clip: &Clip, frame: usize) -> f64 {
    let roles = Roles::find(clip.skeleton());
    let mut world = Vec::new();
    clip.world(frame, &mut world);
    let place = |joint: Option<JointId>| joint.map(|j: JointId| world[j].translation);
    let forward = heading_direction(
        place(roles.left.hip),
        place(roles.right.hip),
        Some(world[roles.hips].translation),
        place(roles.neck.or(roles.chest)),
    )
    .unwrap_or_else(|| world[0].rotation.x_axis.truncate());
    forward.y.atan2(forward.x)
}

/// Forward direction on the floor from hip, pelvis and neck positions.
pub(crate) fn heading_direction(
    left: Option<DVec3>,
    right: Option<DVec3>,
    pelvis: Option<DVec3>,
    neck: Option<DVec3>,
) -> Option<DVec2> {
    let lateral = left? - right?;
    // Left is +y when forward is +x.
    let forward = DVec2::new(lateral.y, -lateral.x);
    if forward.length() > 0.3 * lateral.length() {
        return Some(forward.normalize());
    }
    // Lying on the side: the trunk's direction.
    let trunk = (neck? - pelvis?).truncate();
    trunk.try_normalize()
}

/// The clip turned and shifted so that it faces +x above the origin in the given frame.
///
/// # Panics
/// Where the frame does not exist.
pub fn face_forward(clip: &Clip, frame: usize) -> Clip {
    let yaw = -heading(clip, frame);
    let root = clip.root_position(frame).truncate();
    place_planar(clip, &Planar { yaw, shift: -DVec2::from_angle(yaw).rotate(root) })
}

/// The clip shifted vertically so that its feet rest with their lowest joint `sole` metres above z = 0; without feet
/// by name it comes back as it is.
pub fn align_to_ground(clip: &Clip, sole: f64) -> Clip {
    let Some(ground) = ground_height(clip) else { return clip.clone() };
    let lift = DVec3::Z * (sole - ground);
    let positions = clip.root_positions().iter().map(|&p| p + lift).collect();
    clip.with_frames(positions, clip.all_rotations().to_vec())
}
