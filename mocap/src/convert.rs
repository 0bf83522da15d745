//! BVH to clip and back: file units to metres, file axes to z up with the rest pose facing +x, left +y.
//!
//! Turning the axes by C re-expresses every frame of the skeleton, `offset' = s C offset` and `R' = C R C⁻¹`, so
//! that all rotations zero still means the rest pose.

use crate::bvh::{BuildError, Bvh, Channels, Node, PositionChannels};
use crate::detect::{Unit, UpAxis, find_unit, find_up_axis};
use crate::edit::face_forward;
use crate::skeleton::JointId;
use crate::skeleton::{EndSite, Joint};
use crate::{Clip, ClipError, Roles, Skeleton, SkeletonError};
use glam::{DMat3, DQuat, DVec3, EulerRot};
use std::ops::Range;
use std::sync::Arc;
use thiserror::Error;

/// How a BVH becomes a clip. The default guesses unit and up axis, and says so in the report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImportOptions {
    /// Length unit of the file; `None` guesses from the size of the body.
    pub unit: Option<Unit>,
    /// Up axis of the file; `None` guesses from how the body stands.
    pub up: Option<UpAxis>,
    /// Seconds between frames; `None` takes the file's, set to the exact rate where it is a rounded one
    /// (`.0083333` means 1/120).
    pub frame_time: Option<f64>,
    /// Meaning of position channels.
    pub positions: PositionChannels,
    /// Frames to take; `None` takes all.
    pub frames: Option<Range<usize>>,
    /// Which root, in files with several actors.
    pub actor: usize,
    /// Turn and shift so that the first frame taken faces +x at the origin.
    pub align: bool,
}

/// What was found out or decided while importing.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportReport {
    /// Length unit used.
    pub unit: Unit,
    /// Up axis used.
    pub up: UpAxis,
    /// Frame time the file states, in seconds.
    pub stated_frame_time: f64,
    /// Frame time used, in seconds.
    pub frame_time: f64,
    /// Turn from the file's axes to the clip's.
    pub turn: DQuat,
    /// What was guessed or simplified, in sentences.
    pub notes: Vec<String>,
}

/// A BVH that does not become a clip.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The file has no frames.
    #[error("expected at least one frame in the file or range, found none")]
    NoFrames,
    /// There is no such root.
    #[error("expected an actor number below {n_roots}, found {actor}")]
    Actor {
        /// Number asked for.
        actor: usize,
        /// Roots in the file.
        n_roots: usize,
    },
    /// A unit that is not a positive length.
    #[error("expected a positive length of the unit in metres, found {0}")]
    Unit(f64),
    /// The frames asked for or the numbers do not make a clip.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// The joints do not make a tree.
    #[error(transparent)]
    Skeleton(#[from] SkeletonError),
}

/// Turns a BVH into a clip in metres with z up.
///
/// # Errors
/// No frames, a range or actor that does not exist, or options out of range.
pub fn import(name: &str, bvh: &Bvh, options: &ImportOptions) -> Result<(Clip, ImportReport), ImportError> {
    let mut notes = Vec::new();
    let frame_time = options.frame_time.unwrap_or_else(|| exact_rate(bvh.frame_time()));
    let raw = raw_clip(name, bvh, options, frame_time, &mut notes)?;
    let roles = Roles::find(raw.skeleton());
    let up = options.up.unwrap_or_else(|| {
        let (up, sentence) = find_up_axis(&raw, &roles);
        notes.push(sentence);
        up
    });
    let unit = options.unit.unwrap_or_else(|| {
        let (unit, sentence) = find_unit(&raw, &roles);
        notes.push(sentence);
        unit
    });
    let scale = unit.metres();
    if !(scale.is_finite() && scale > 0.0) {
        return Err(ImportError::Unit(scale));
    }
    let turn = world_from_file(raw.skeleton(), &roles, up);
    let mut clip = turned_and_scaled(&raw, turn, scale)?;
    if options.align {
        clip = face_forward(&clip, 0);
    }
    Ok((clip, ImportReport { unit, up, stated_frame_time: bvh.frame_time(), frame_time, turn, notes }))
}

/// The whole rate that a rounded frame time stands for, or the time itself.
fn exact_rate(frame_time: f64) -> f64 {
    let rate = 1.0 / frame_time;
    let whole = rate.round();
    if whole >= 10.0 && (rate - whole).abs() < 1e-4 * whole { 1.0 / whole } else { frame_time }
}

/// Motion of one actor in file units and axes.
fn raw_clip(
    name: &str,
    bvh: &Bvh,
    options: &ImportOptions,
    frame_time: f64,
    notes: &mut Vec<String>,
) -> Result<Clip, ImportError> {
    let range = options.frames.clone().unwrap_or(0..bvh.n_frames());
    if range.is_empty() || range.end > bvh.n_frames() {
        return Err(if bvh.n_frames() == 0 {
            ImportError::NoFrames
        } else {
            ClipError::Range { start: range.start, end: range.end, n_frames: bvh.n_frames() }.into()
        });
    }
    let nodes = actor_nodes(bvh, options.actor, notes)?;
    let mut columns = vec![0; bvh.nodes().len() + 1];
    for (i, node) in bvh.nodes().iter().enumerate() {
        columns[i + 1] = columns[i] + node.channels.len();
    }
    let local = |node: usize, frame: usize| {
        bvh.nodes()[node].local(&bvh.frame(frame)[columns[node]..columns[node + 1]], options.positions)
    };
    let n_folded = fold_static_roots(bvh, &nodes, &range, &local, notes);
    let root = nodes.start + n_folded;

    // Joints of the actor below the folded ones, and their mean placement in the parent.
    let joints: Vec<usize> = (root..nodes.end).filter(|&n| !bvh.nodes()[n].is_end_site()).collect();
    // What is no joint of this actor goes to one that no skeleton has, which is refused.
    let mut joint_of_node = vec![JointId::new(u32::MAX as usize); bvh.nodes().len()];
    for (joint, &node) in joints.iter().enumerate() {
        joint_of_node[node] = JointId::new(joint);
    }
    let described = joints.iter().map(|&node| {
        let source = &bvh.nodes()[node];
        let mut offset = source.offset;
        if node != root && source.channels.iter().any(|c| c.is_position()) {
            offset = mean_translation(&source.name, node, &range, &local, notes);
        }
        let parent = if node == root { None } else { source.parent.map(|p| joint_of_node[p]) };
        Joint { name: source.name.clone().unwrap_or_default(), parent, offset }
    });
    let described = described.collect();
    let end_sites = (root..nodes.end).filter(|&n| bvh.nodes()[n].is_end_site()).filter_map(|n| {
        let node = &bvh.nodes()[n];
        node.parent.map(|p| EndSite { joint: joint_of_node[p], offset: node.offset })
    });
    let skeleton = Skeleton::new(described, end_sites.collect())?;

    let mut root_positions = Vec::with_capacity(range.len());
    let mut rotations = Vec::with_capacity(range.len() * joints.len());
    for frame in range {
        let (mut position, mut rotation) = local(nodes.start, frame);
        for node in nodes.start + 1..=root {
            let (translation, turn) = local(node, frame);
            position += rotation * translation;
            rotation *= turn;
        }
        root_positions.push(position);
        rotations.push(rotation);
        rotations.extend(joints[1..].iter().map(|&node| local(node, frame).1));
    }
    Ok(Clip::new(name, Arc::new(skeleton), frame_time, root_positions, rotations)?)
}

/// The nodes of one actor: from its root to before the next.
fn actor_nodes(bvh: &Bvh, actor: usize, notes: &mut Vec<String>) -> Result<Range<usize>, ImportError> {
    let roots: Vec<usize> = (0..bvh.nodes().len()).filter(|&n| bvh.nodes()[n].parent.is_none()).collect();
    let &start = roots.get(actor).ok_or(ImportError::Actor { actor, n_roots: roots.len() })?;
    if roots.len() > 1 {
        notes.push(format!("The file holds {} actors; number {actor} was taken.", roots.len()));
    }
    Ok(start..roots.get(actor + 1).copied().unwrap_or(bvh.nodes().len()))
}

/// Some exporters put a resting root above the hips that carry the motion; such roots are merged into the hips.
/// Returns how many nodes.
fn fold_static_roots(
    bvh: &Bvh,
    nodes: &Range<usize>,
    range: &Range<usize>,
    local: &impl Fn(usize, usize) -> (DVec3, DQuat),
    notes: &mut Vec<String>,
) -> usize {
    let mut folded = 0;
    loop {
        let (root, child) = (nodes.start + folded, nodes.start + folded + 1);
        let only_child = child < nodes.end
            && !bvh.nodes()[child].is_end_site()
            && (child + 1..nodes.end).all(|n| bvh.nodes()[n].parent != Some(root));
        let travels = |node: usize| {
            let first = local(node, range.start).0;
            range.clone().map(|f| local(node, f).0.distance(first)).fold(0.0, f64::max)
        };
        if !only_child || travels(child) <= 1e-3 * bvh.nodes()[child].offset.length() {
            return folded;
        }
        let name = bvh.nodes()[root].name.as_deref().unwrap_or_default();
        notes.push(format!("The root {name:?} was merged into its only child, which carries the motion."));
        folded += 1;
    }
}

/// Mean of a joint's translation over the frames; says so where it moves.
fn mean_translation(
    name: &Option<String>,
    node: usize,
    range: &Range<usize>,
    local: &impl Fn(usize, usize) -> (DVec3, DQuat),
    notes: &mut Vec<String>,
) -> DVec3 {
    let first = local(node, range.start).0;
    let shift = range.clone().map(|f| local(node, f).0 - first).sum::<DVec3>() / range.len() as f64;
    let mean = first + shift;
    let stray = range.clone().map(|f| local(node, f).0.distance(mean)).fold(0.0, f64::max);
    if stray > 1e-3 * mean.length() {
        let name = name.as_deref().unwrap_or_default();
        notes.push(format!(
            "Joint {name:?} shifts in its parent by up to {stray:.3} file units; its mean place was taken."
        ));
    }
    mean
}

/// Turn from file axes to z up, by whole quarter turns about the vertical such that the rest pose has its left
/// nearest to +y.
fn world_from_file(skeleton: &Skeleton, roles: &Roles, up: UpAxis) -> DQuat {
    let mut turn = match up {
        // x → y, y → z, z → x.
        UpAxis::Y => DQuat::from_mat3(&DMat3::from_cols(DVec3::Y, DVec3::Z, DVec3::X)),
        UpAxis::Z => DQuat::from_rotation_z(core::f64::consts::FRAC_PI_2),
    };
    if let (Some(left), Some(right)) = (roles.left.hip, roles.right.hip) {
        let rest = skeleton.rest_positions();
        let lateral = turn * (rest[left] - rest[right]);
        let flat = lateral.truncate();
        if flat.length() > 0.5 * lateral.length() {
            let quarters = (flat.y.atan2(flat.x) / core::f64::consts::FRAC_PI_2 - 1.0).round();
            turn = DQuat::from_rotation_z(-quarters * core::f64::consts::FRAC_PI_2) * turn;
        }
    }
    turn.normalize()
}

/// A clip in turned axes and another unit.
fn turned_and_scaled(clip: &Clip, turn: DQuat, scale: f64) -> Result<Clip, ImportError> {
    let skeleton = Arc::new(clip.skeleton().turned_and_scaled(turn, scale)?);
    let positions = clip.root_positions().iter().map(|&p| turn * p * scale).collect();
    let rotations = clip.all_rotations().iter().map(|&q| (turn * q * turn.conjugate()).normalize()).collect();
    Ok(Clip::new(clip.name.clone(), skeleton, clip.frame_time(), positions, rotations)?)
}

/// How a clip is written as BVH.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExportOptions {
    /// Length unit of the file.
    pub unit: Unit,
    /// Up axis of the file.
    pub up: UpAxis,
}

impl Default for ExportOptions {
    /// Centimetres with y up, which animation programs expect.
    fn default() -> Self {
        Self { unit: Unit::Centimetres, up: UpAxis::Y }
    }
}

/// Turns a clip into a BVH: root with positions and rotations z, y, x, other joints with rotations.
///
/// # Errors
/// Joint names that a BVH cannot carry, joints that are not depth-first, or a unit that is not positive.
pub fn export(clip: &Clip, options: &ExportOptions) -> Result<Bvh, BuildError> {
    let world_from_file = match options.up {
        UpAxis::Y => DQuat::from_mat3(&DMat3::from_cols(DVec3::Y, DVec3::Z, DVec3::X)),
        UpAxis::Z => DQuat::from_rotation_z(core::f64::consts::FRAC_PI_2),
    };
    let (turn, scale) = (world_from_file.conjugate(), 1.0 / options.unit.metres());
    let skeleton = clip.skeleton();
    let mut nodes = Vec::new();
    // Nodes of the joints; end sites come right after their joint.
    let mut node_of_joint = Vec::with_capacity(skeleton.n_joints());
    for (index, joint) in skeleton.joints().iter().enumerate() {
        node_of_joint.push(nodes.len());
        nodes.push(Node {
            name: Some(joint.name.clone()),
            parent: joint.parent.map(|p| node_of_joint[p]),
            offset: turn * joint.offset * scale,
            channels: if index == 0 { Channels::ROOT } else { Channels::ROTATIONS },
        });
        for site in skeleton.end_sites().iter().filter(|e| e.joint.index() == index) {
            let (parent, offset) = (Some(node_of_joint[index]), turn * site.offset * scale);
            nodes.push(Node { name: None, parent, offset, channels: Channels::NONE });
        }
    }
    let mut values = Vec::with_capacity(clip.n_frames() * (3 + 3 * clip.n_joints()));
    for frame in 0..clip.n_frames() {
        values.extend((turn * clip.root_position(frame) * scale).to_array());
        for &q in clip.rotations(frame) {
            let (z, y, x) = (turn * q * turn.conjugate()).to_euler(EulerRot::ZYX);
            values.extend([z, y, x].map(f64::to_degrees));
        }
    }
    Bvh::new(nodes, clip.frame_time(), clip.n_frames(), values)
}
