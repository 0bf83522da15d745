//! A motion clip: root positions and joint rotations at equal time steps on a skeleton.

use crate::Skeleton;
use crate::rotation::slerp;
use crate::skeleton::JointId;
use glam::{DMat3, DQuat, DVec3};
use std::sync::Arc;
use stuntlab_physics::spatial::Transform;
use thiserror::Error;

/// A pose: where the root is and how every joint is turned in its parent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pose {
    /// World position of the root joint, in metres.
    pub root_position: DVec3,
    /// `parent_from_joint` rotation of every joint; the root's parent is the world.
    pub rotations: Vec<DQuat>,
}

impl Pose {
    /// World placement of every joint, written to `out`.
    pub fn world(&self, skeleton: &Skeleton, out: &mut Vec<Transform>) {
        world_from_joints(skeleton, self.root_position, &self.rotations, out);
    }
}

/// World placement of every joint.
fn world_from_joints(skeleton: &Skeleton, root: DVec3, rotations: &[DQuat], out: &mut Vec<Transform>) {
    out.clear();
    for (joint, &rotation) in skeleton.joints().iter().zip(rotations) {
        let rotation = DMat3::from_quat(rotation);
        let world_from_joint = match joint.parent {
            Some(parent) => out[parent] * Transform::new(rotation, joint.offset),
            None => Transform::new(rotation, root),
        };
        out.push(world_from_joint);
    }
}

/// Frames of motion at equal time steps: SI units, z up, never empty, every number finite.
#[derive(Clone, Debug, PartialEq)]
pub struct Clip {
    /// What the clip is called.
    pub name: String,
    /// Words to choose clips by, such as `walk` or `get-up`.
    pub tags: Vec<String>,
    skeleton: Arc<Skeleton>,
    frame_time: f64,
    root_positions: Vec<DVec3>,
    /// All joints of frame 0, then of frame 1, …
    rotations: Vec<DQuat>,
}

/// Numbers from which no clip can be made.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ClipError {
    /// A clip needs a frame.
    #[error("expected at least one frame")]
    NoFrames,
    /// A frame time that is not positive and finite.
    #[error("expected a positive frame time in seconds, found {0}")]
    FrameTime(f64),
    /// Rotations that do not fill whole frames.
    #[error("expected {expected} rotations, found {found}")]
    Rotations {
        /// Frames times joints.
        expected: usize,
        /// Rotations given.
        found: usize,
    },
    /// A position that is not finite or a rotation that is no unit quaternion.
    #[error("frame {frame}: expected finite positions and unit quaternions")]
    Value {
        /// The first wrong frame.
        frame: usize,
    },
    /// A range that is empty or reaches past the end.
    #[error("expected a frame range inside 0..{n_frames}, found {start}..{end}")]
    Range {
        /// First frame asked for.
        start: usize,
        /// One after the last frame asked for.
        end: usize,
        /// Frames there are.
        n_frames: usize,
    },
    /// An option outside of its range.
    #[error("expected {expected}, found {found}")]
    Option {
        /// What is allowed.
        expected: &'static str,
        /// The number given.
        found: f64,
    },
    /// Two clips that do not share a skeleton or frame time.
    #[error("expected clips on one skeleton with one frame time: {0:?} and {1:?} differ")]
    Mismatch(String, String),
}

impl Clip {
    /// Checks and assembles a clip; rotations are frame by frame, joint by joint.
    ///
    /// # Errors
    /// See [`ClipError`].
    pub fn new(
        name: impl Into<String>,
        skeleton: Arc<Skeleton>,
        frame_time: f64,
        root_positions: Vec<DVec3>,
        mut rotations: Vec<DQuat>,
    ) -> Result<Self, ClipError> {
        let n_joints = skeleton.n_joints();
        if root_positions.is_empty() {
            return Err(ClipError::NoFrames);
        }
        if !(frame_time.is_finite() && frame_time > 0.0) {
            return Err(ClipError::FrameTime(frame_time));
        }
        let expected = root_positions.len() * n_joints;
        if rotations.len() != expected {
            return Err(ClipError::Rotations { expected, found: rotations.len() });
        }
        if let Some(frame) = root_positions.iter().position(|p| !p.is_finite()) {
            return Err(ClipError::Value { frame });
        }
        for (index, q) in rotations.iter_mut().enumerate() {
            if !q.is_finite() || (q.length_squared() - 1.0).abs() > 1e-3 {
                return Err(ClipError::Value { frame: index / n_joints });
            }
            // Leaves unit quaternions as they are, so that copies stay bit-equal.
            if (q.length_squared() - 1.0).abs() > 1e-14 {
                *q = q.normalize();
            }
        }
        Ok(Self { name: name.into(), tags: Vec::new(), skeleton, frame_time, root_positions, rotations })
    }

    /// A clip with this one's name, tags, skeleton and frame time and other frames.
    pub(crate) fn with_frames(&self, root_positions: Vec<DVec3>, rotations: Vec<DQuat>) -> Self {
        debug_assert!(!root_positions.is_empty());
        debug_assert_eq!(rotations.len(), root_positions.len() * self.n_joints());
        Self {
            name: self.name.clone(),
            tags: self.tags.clone(),
            skeleton: Arc::clone(&self.skeleton),
            frame_time: self.frame_time,
            root_positions,
            rotations,
        }
    }

    /// A clip with this one's frames on another skeleton of the same number of joints.
    pub(crate) fn with_skeleton(self, skeleton: Arc<Skeleton>) -> Self {
        debug_assert_eq!(skeleton.n_joints(), self.n_joints());
        Self { skeleton, ..self }
    }

    /// The same frames at another time step: corrects a file that states a wrong rate.
    ///
    /// # Errors
    /// A frame time that is not positive and finite.
    pub fn with_frame_time(mut self, frame_time: f64) -> Result<Self, ClipError> {
        if !(frame_time.is_finite() && frame_time > 0.0) {
            return Err(ClipError::FrameTime(frame_time));
        }
        self.frame_time = frame_time;
        Ok(self)
    }

    /// Adds tags.
    #[must_use]
    pub fn with_tags<T: Into<String>>(mut self, tags: impl IntoIterator<Item = T>) -> Self {
        self.tags.extend(tags.into_iter().map(Into::into));
        self
    }

    /// The skeleton the rotations belong to.
    pub fn skeleton(&self) -> &Arc<Skeleton> {
        &self.skeleton
    }

    /// Time between frames in seconds.
    pub const fn frame_time(&self) -> f64 {
        self.frame_time
    }

    /// Number of frames, at least one.
    pub fn n_frames(&self) -> usize {
        self.root_positions.len()
    }

    /// Number of joints per frame.
    pub fn n_joints(&self) -> usize {
        self.skeleton.n_joints()
    }

    /// Time from the first frame to the last in seconds.
    pub fn duration(&self) -> f64 {
        (self.n_frames() - 1) as f64 * self.frame_time
    }

    /// Root position of every frame.
    pub fn root_positions(&self) -> &[DVec3] {
        &self.root_positions
    }

    /// Root position of a frame.
    ///
    /// # Panics
    /// Where the frame does not exist.
    pub fn root_position(&self, frame: usize) -> DVec3 {
        self.root_positions[frame]
    }

    /// Joint rotations of a frame.
    ///
    /// # Panics
    /// Where the frame does not exist.
    pub fn rotations(&self, frame: usize) -> &[DQuat] {
        let n = self.n_joints();
        &self.rotations[frame * n..(frame + 1) * n]
    }

    /// All rotations, frame by frame.
    pub fn all_rotations(&self) -> &[DQuat] {
        &self.rotations
    }

    /// A frame as a pose of its own.
    ///
    /// # Panics
    /// Where the frame does not exist.
    pub fn pose(&self, frame: usize) -> Pose {
        Pose { root_position: self.root_position(frame), rotations: self.rotations(frame).to_vec() }
    }

    /// World placement of every joint in a frame, written to `out`.
    ///
    /// # Panics
    /// Where the frame does not exist.
    pub fn world(&self, frame: usize, out: &mut Vec<Transform>) {
        world_from_joints(&self.skeleton, self.root_position(frame), self.rotations(frame), out);
    }

    /// World positions of chosen joint-fixed points in every frame, frame by frame.
    pub fn track(&self, points: &[(JointId, DVec3)]) -> Vec<DVec3> {
        let mut world = Vec::new();
        let mut track = Vec::with_capacity(points.len() * self.n_frames());
        for frame in 0..self.n_frames() {
            self.world(frame, &mut world);
            track.extend(points.iter().map(|&(joint, offset)| world[joint].transform_point(offset)));
        }
        track
    }

    /// The pose at a time by straight lines and shortest arcs between frames (slerp); held before the first frame
    /// and after the last. For smooth velocities use [`ClipSpline`](crate::ClipSpline).
    pub fn sample_slerp(&self, time: f64, out: &mut Pose) {
        let (frame, weight) = self.place(time);
        out.rotations.clear();
        if weight == 0.0 {
            out.root_position = self.root_position(frame);
            out.rotations.extend_from_slice(self.rotations(frame));
            return;
        }
        out.root_position = self.root_position(frame).lerp(self.root_position(frame + 1), weight);
        let pairs = self.rotations(frame).iter().zip(self.rotations(frame + 1));
        out.rotations.extend(pairs.map(|(&a, &b)| slerp(a, b, weight)));
    }

    /// Frame before a time and the fraction to the next; the fraction is 0 at the last frame.
    pub(crate) fn place(&self, time: f64) -> (usize, f64) {
        place(time, self.frame_time, self.n_frames())
    }
}

/// Frame before a time and the fraction to the next, held at both ends.
pub(crate) fn place(time: f64, frame_time: f64, n_frames: usize) -> (usize, f64) {
    // A comparison with NaN is false, which holds the first frame.
    let s = if time > 0.0 { time / frame_time } else { 0.0 };
    if s >= (n_frames - 1) as f64 {
        return (n_frames - 1, 0.0);
    }
    // Times that are frame times up to rounding mean that frame.
    let nearest = s.round();
    if (s - nearest).abs() <= 4.0 * f64::EPSILON * nearest {
        return (nearest as usize, 0.0);
    }
    (s as usize, s.fract())
}
