//! BVH (Biovision hierarchy) files: raw numbers in file units, read, posed and written.
//!
//! A BVH says nothing about units, up axis or the true frame rate; [`Bvh`] therefore keeps what the file says, and
//! [`crate::convert`] turns it into a [`Clip`](crate::Clip) in SI units. The channels of a joint are successive
//! intrinsic rotations in the listed order, `R = R₁ R₂ R₃` on column vectors, in degrees. A position channel
//! replaces the component of OFFSET unless [`PositionChannels::Add`] is asked for.

mod cursor;
mod error;
mod number;
mod parse;
mod pose;
mod write;

#[cfg(feature = "bvh_anim")]
mod bvh_anim;
#[cfg(feature = "bvh_anim")]
pub use bvh_anim::BvhAnimError;

pub use error::{BuildError, ReadError, ReadErrorKind};
pub use parse::{MAX_NESTING, ReadOptions, Reading};
pub use pose::PositionChannels;

use glam::DVec3;

/// One column of the motion table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Channel {
    /// Position along x.
    Xposition,
    /// Position along y.
    Yposition,
    /// Position along z.
    Zposition,
    /// Rotation about x, in degrees.
    Xrotation,
    /// Rotation about y, in degrees.
    Yrotation,
    /// Rotation about z, in degrees.
    Zrotation,
}

impl Channel {
    /// All channels, in the order of their numbers.
    pub const ALL: [Self; 6] = [
        Self::Xposition,
        Self::Yposition,
        Self::Zposition,
        Self::Xrotation,
        Self::Yrotation,
        Self::Zrotation,
    ];

    /// Name in canonical case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Xposition => "Xposition",
            Self::Yposition => "Yposition",
            Self::Zposition => "Zposition",
            Self::Xrotation => "Xrotation",
            Self::Yrotation => "Yrotation",
            Self::Zrotation => "Zrotation",
        }
    }

    /// Axis number: 0 for x, 1 for y, 2 for z.
    pub const fn axis(self) -> usize {
        self as usize % 3
    }

    /// Whether it is a position.
    pub const fn is_position(self) -> bool {
        (self as usize) < 3
    }
}

/// The channels of one joint in file order: at most six, each at most once.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Channels {
    list: [Channel; 6],
    len: u8,
}

impl Channels {
    /// No channel.
    pub const NONE: Self = Self { list: [Channel::Xposition; 6], len: 0 };

    /// Position x, y, z, then rotation z, y, x: what this crate writes for roots.
    pub const ROOT: Self = Self {
        list: [
            Channel::Xposition,
            Channel::Yposition,
            Channel::Zposition,
            Channel::Zrotation,
            Channel::Yrotation,
            Channel::Xrotation,
        ],
        len: 6,
    };

    /// Rotation z, y, x: what this crate writes for joints below the root.
    pub const ROTATIONS: Self = Self {
        list: [
            Channel::Zrotation,
            Channel::Yrotation,
            Channel::Xrotation,
            Channel::Xposition,
            Channel::Xposition,
            Channel::Xposition,
        ],
        len: 3,
    };

    /// Adds a channel; false where it is already there.
    pub fn push(&mut self, channel: Channel) -> bool {
        if self.contains(&channel) {
            return false;
        }
        self.list[usize::from(self.len)] = channel;
        self.len += 1;
        true
    }
}

impl core::ops::Deref for Channels {
    type Target = [Channel];
    #[inline]
    fn deref(&self) -> &[Channel] {
        &self.list[..usize::from(self.len)]
    }
}

impl core::fmt::Debug for Channels {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// A joint or End Site of the skeleton.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Name; `None` for an End Site. Names need not be unique.
    pub name: Option<String>,
    /// Index of the parent, always smaller than the node's own; `None` for a root.
    pub parent: Option<usize>,
    /// OFFSET in file units.
    pub offset: DVec3,
    /// Channels in file order.
    pub channels: Channels,
}

impl Node {
    /// Whether this is an End Site.
    pub const fn is_end_site(&self) -> bool {
        self.name.is_none()
    }
}

/// A BVH file: skeleton and motion table as written, in file units and degrees.
#[derive(Clone, Debug, PartialEq)]
pub struct Bvh {
    nodes: Vec<Node>,
    frame_time: f64,
    n_frames: usize,
    n_channels: usize,
    values: Vec<f64>,
}

impl Bvh {
    /// Checks and assembles a file's content.
    ///
    /// # Errors
    /// Nodes out of depth-first order, names that would not read back, values that are not finite or do not fill
    /// `n_frames` whole rows, or a frame time outside of 1e-9 to 1e6 s.
    pub fn new(
        nodes: Vec<Node>,
        frame_time: f64,
        n_frames: usize,
        values: Vec<f64>,
    ) -> Result<Self, BuildError> {
        check_nodes(&nodes)?;
        if !frame_time_is_sane(frame_time) {
            return Err(BuildError::FrameTime(frame_time));
        }
        let n_channels = nodes.iter().map(|n| n.channels.len()).sum::<usize>();
        if n_channels.checked_mul(n_frames) != Some(values.len()) {
            return Err(BuildError::Values { channels: n_channels, frames: n_frames, values: values.len() });
        }
        if let Some(&value) = values.iter().find(|v| !v.is_finite()) {
            return Err(BuildError::NotFinite { place: "the motion table", value });
        }
        Ok(Self { nodes, frame_time, n_frames, n_channels, values })
    }

    /// Joints and End Sites in file order, parents first.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Declared time between frames in seconds.
    pub const fn frame_time(&self) -> f64 {
        self.frame_time
    }

    /// Number of frames; may be zero (a skeleton-only export).
    pub const fn n_frames(&self) -> usize {
        self.n_frames
    }

    /// Number of values per frame.
    pub const fn n_channels(&self) -> usize {
        self.n_channels
    }

    /// Number of joints, End Sites left out.
    pub fn n_joints(&self) -> usize {
        self.nodes.iter().filter(|n| !n.is_end_site()).count()
    }

    /// Number of End Sites.
    pub fn n_end_sites(&self) -> usize {
        self.nodes.len() - self.n_joints()
    }

    /// The values of one frame in channel order; empty where the frame does not exist.
    pub fn frame(&self, frame: usize) -> &[f64] {
        if frame >= self.n_frames {
            return &[];
        }
        &self.values[frame * self.n_channels..(frame + 1) * self.n_channels]
    }
}

/// Times that a duration and a rate can both be made of.
fn frame_time_is_sane(seconds: f64) -> bool {
    (1e-9..=1e6).contains(&seconds)
}

/// Depth-first order with sound names and numbers.
fn check_nodes(nodes: &[Node]) -> Result<(), BuildError> {
    // The path from the root to the node before; a node's parent must lie on it.
    let mut path: Vec<usize> = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        match node.parent {
            Some(parent) if parent >= index || nodes[parent].is_end_site() => {
                return Err(BuildError::Parent { node: index, parent });
            }
            Some(parent) => {
                while path.last().is_some_and(|&p| p != parent) {
                    path.pop();
                }
                if path.is_empty() {
                    return Err(BuildError::Order { node: index });
                }
            }
            None => path.clear(),
        }
        path.push(index);
        match &node.name {
            Some(name) if !name_reads_back(name) => {
                return Err(BuildError::Name { node: index, name: name.clone() });
            }
            None if node.parent.is_none() || !node.channels.is_empty() => {
                return Err(BuildError::EndSite { node: index });
            }
            _ => {}
        }
        if let Some(&value) = node.offset.as_ref().iter().find(|v| !v.is_finite()) {
            return Err(BuildError::NotFinite { place: "an OFFSET", value });
        }
    }
    if nodes.is_empty() { Err(BuildError::NoRoot) } else { Ok(()) }
}

/// Whether a name survives being written and read.
fn name_reads_back(name: &str) -> bool {
    let outer_blank = |c: Option<&u8>| c.is_none_or(|&c| cursor::is_blank(c));
    let bytes = name.as_bytes();
    !outer_blank(bytes.first())
        && !outer_blank(bytes.last())
        && !bytes.iter().any(|&c| cursor::is_line_end(c) || c == b'{')
}
