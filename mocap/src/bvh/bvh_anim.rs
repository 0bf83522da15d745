//! Conversions to and from the f32 types of the bvh_anim package (cargo feature `bvh_anim`).
//!
//! That package cannot hold several roots, several End Sites on one joint, or joints beside an End Site; such
//! skeletons are refused rather than bent.

use super::{BuildError, Bvh, Channel, Channels, Node};
use ::bvh_anim::ChannelType;
use glam::DVec3;
use thiserror::Error;

/// A file that bvh_anim cannot represent.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BvhAnimError {
    /// The skeleton has several roots.
    #[error("expected one root, found another at node {0}")]
    SeveralRoots(usize),
    /// An End Site that is not its parent's only child.
    #[error("expected an End Site to be its parent's only child, found one at node {0} that is not")]
    EndSite(usize),
    /// bvh_anim does not read the text written for it.
    #[error("bvh_anim: {0}")]
    Refused(String),
}

impl TryFrom<&::bvh_anim::Bvh> for Bvh {
    type Error = BuildError;

    /// Takes over skeleton and motion; f32 values widen exactly.
    fn try_from(source: &::bvh_anim::Bvh) -> Result<Self, BuildError> {
        let mut nodes: Vec<Node> = Vec::new();
        // Node of each bvh_anim joint; End Sites are a field there and nodes here.
        let mut node_of_joint = Vec::new();
        for joint in source.joints() {
            let data = joint.data();
            let mut channels = Channels::NONE;
            for channel in data.channels() {
                channels.push(channel_of(channel.channel_type()));
            }
            node_of_joint.push(nodes.len());
            nodes.push(Node {
                name: Some(data.name().to_string()),
                parent: data.parent_index().map(|p| node_of_joint[p]),
                offset: vector(data.offset()),
                channels,
            });
            if let Some(offset) = data.end_site() {
                let parent = nodes.len() - 1;
                let offset = vector(offset);
                nodes.push(Node { name: None, parent: Some(parent), offset, channels: Channels::NONE });
            }
        }
        let frames = source.frames();
        let values = frames.flat_map(|frame| frame.as_slice().iter().map(|&v| f64::from(v))).collect();
        Self::new(nodes, source.frame_time().as_secs_f64(), source.num_frames(), values)
    }
}

impl TryFrom<&Bvh> for ::bvh_anim::Bvh {
    type Error = BvhAnimError;

    /// Hands the content over as text; values round to f32.
    fn try_from(source: &Bvh) -> Result<Self, BvhAnimError> {
        let mut n_children = vec![0; source.nodes.len()];
        for (index, node) in source.nodes.iter().enumerate() {
            match node.parent {
                Some(parent) => n_children[parent] += 1,
                None if index > 0 => return Err(BvhAnimError::SeveralRoots(index)),
                None => {}
            }
        }
        let crowded = |node: &Node| node.is_end_site() && node.parent.is_some_and(|p| n_children[p] > 1);
        if let Some(index) = source.nodes.iter().position(crowded) {
            return Err(BvhAnimError::EndSite(index));
        }
        Self::from_bytes(source.write()).map_err(|error| BvhAnimError::Refused(error.to_string()))
    }
}

fn vector(v: &impl AsRef<[f32; 3]>) -> DVec3 {
    let [x, y, z] = v.as_ref().map(f64::from);
    DVec3::new(x, y, z)
}

fn channel_of(kind: ChannelType) -> Channel {
    match kind {
        ChannelType::PositionX => Channel::Xposition,
        ChannelType::PositionY => Channel::Yposition,
        ChannelType::PositionZ => Channel::Zposition,
        ChannelType::RotationX => Channel::Xrotation,
        ChannelType::RotationY => Channel::Yrotation,
        ChannelType::RotationZ => Channel::Zrotation,
    }
}
