//! World positions of a raw frame, in file units.

use super::{Bvh, Channel, Node};
use glam::{DMat3, DQuat, DVec3};

/// What the position channels of a joint mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PositionChannels {
    /// They replace the component of OFFSET: what exporters mean whose rows repeat the bone offset.
    #[default]
    Replace,
    /// They add to OFFSET.
    Add,
}

impl Node {
    /// Placement in the parent for one joint's values of a frame: translation in file units, rotation `R₁ R₂ R₃`.
    pub fn local(&self, values: &[f64], positions: PositionChannels) -> (DVec3, DQuat) {
        let mut translation = self.offset;
        let mut rotation = DQuat::IDENTITY;
        for (&channel, &value) in self.channels.iter().zip(values) {
            let axis = channel.axis();
            if channel.is_position() {
                translation[axis] = match positions {
                    PositionChannels::Replace => value,
                    PositionChannels::Add => self.offset[axis] + value,
                };
            } else {
                rotation *= axis_rotation(channel, value);
            }
        }
        (translation, rotation)
    }
}

fn axis_rotation(channel: Channel, degrees: f64) -> DQuat {
    // Whole turns are removed in degrees, where they are exact.
    let radians = (degrees % 720.0).to_radians();
    match channel.axis() {
        0 => DQuat::from_rotation_x(radians),
        1 => DQuat::from_rotation_y(radians),
        _ => DQuat::from_rotation_z(radians),
    }
}

impl Bvh {
    /// World position of every node (End Sites included) in one frame, in file units. Zero frames give the rest
    /// pose, which is the pose of all rotations zero at the OFFSETs.
    pub fn world_positions(&self, frame: usize, positions: PositionChannels) -> Vec<DVec3> {
        let mut row = self.frame(frame);
        let mut world: Vec<(DVec3, DMat3)> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let (values, rest) = row.split_at(node.channels.len().min(row.len()));
            row = rest;
            let (translation, rotation) = node.local(values, positions);
            let rotation = DMat3::from_quat(rotation);
            let (origin, axes) = node.parent.map_or((DVec3::ZERO, DMat3::IDENTITY), |p| world[p]);
            world.push((origin + axes * translation, axes * rotation));
        }
        world.into_iter().map(|(position, _)| position).collect()
    }
}
