//! Repair of a BVH file as a file: numbers that are not at fault stay as they are written.
//!
//! Besides what [`repair`] finds, angles that flip are unrolled: the same rotation has other angles, `(a ± 180°, 180° - b,
//! c ± 180°)` and whole turns more or less, and a program that blends or filters channels needs those nearest to
//! the frame before.

use glam::{DQuat, DVec3, EulerRot};
use thiserror::Error;

use super::{Fault, Finding, Remedy, repair};
use crate::Clip;
use crate::bvh::{BuildError, Bvh, Node};
use crate::convert::{ExportOptions, ImportError, ImportOptions, export, import};

/// Channels that change by more than this in a frame, where other angles of the rotation change by less than half, have
/// flipped, degrees.
const FLIP: f64 = 90.0;

/// A file after its repair.
#[derive(Clone, Debug, PartialEq)]
pub struct RepairedFile {
    /// The file; the one given where nothing was found.
    pub bvh: Bvh,
    /// What was found.
    pub findings: Vec<Finding>,
    /// What was decided while reading it, in sentences.
    pub notes: Vec<String>,
}

/// A file that cannot be repaired at all.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum RepairError {
    /// It does not become a clip.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// The repaired clip does not become a file.
    #[error(transparent)]
    Build(#[from] BuildError),
}

/// Repairs a file: all frames of its first actor.
///
/// # Errors
/// A file that does not become a clip, or a clip that no file can hold.
pub fn repair_bvh(name: &str, bvh: &Bvh) -> Result<RepairedFile, RepairError> {
    let (clip, report) = import(name, bvh, &ImportOptions::default())?;
    let repaired = repair(&clip);
    let (mut notes, mut findings, cut) = (report.notes, repaired.findings, repaired.cut);
    let joints: Vec<usize> = (0..bvh.nodes().len()).filter(|&n| !bvh.nodes()[n].is_end_site()).collect();
    let turned = changed_rotations(&clip, &repaired.clip, cut);
    let moved: Vec<usize> = (0..repaired.clip.n_frames())
        .filter(|&f| repaired.clip.root_position(f) != clip.root_position(f + cut))
        .collect();
    let mut rows = Rows::of(bvh, cut);
    let holds = joints.len() == clip.n_joints()
        && turned.iter().all(|&(joint, _)| euler_order(&bvh.nodes()[joints[joint]]).is_some())
        && (moved.is_empty() || bvh.nodes()[0].channels.iter().filter(|c| c.is_position()).count() == 3);
    let changed = !turned.is_empty() || !moved.is_empty();
    if changed && !holds {
        notes.push(
            "The file's channels cannot hold the repair: it is written anew, in centimetres with y up."
                .to_owned(),
        );
        let bvh = export(&repaired.clip, &ExportOptions::default())?;
        return Ok(RepairedFile { bvh, findings, notes });
    }
    // Back from the clip's axes and unit to the file's.
    let (back, scale) = (report.turn.conjugate(), report.unit.metres());
    for (joint, frame) in turned {
        let q = back * repaired.clip.rotations(frame)[joint] * report.turn;
        rows.set_rotation(joints[joint], frame, q);
    }
    for frame in moved {
        rows.set_place(frame, back * repaired.clip.root_position(frame) / scale);
    }
    findings.extend(joints.iter().filter_map(|&node| rows.unroll(node, cut)));
    findings.sort_by_key(|f| f.frames.start);
    let bvh = if findings.is_empty() { bvh.clone() } else { rows.give()? };
    Ok(RepairedFile { bvh, findings, notes })
}

/// Joints and frames (of the repaired clip) that have other rotations.
fn changed_rotations(before: &Clip, after: &Clip, cut: usize) -> Vec<(usize, usize)> {
    let frames = (0..after.n_frames()).flat_map(|frame| {
        let pairs = before.rotations(frame + cut).iter().zip(after.rotations(frame)).enumerate();
        pairs.filter(|(_, (a, b))| a != b).map(move |(joint, _)| (joint, frame))
    });
    frames.collect()
}

/// The order of a joint's three rotations; none where it has fewer.
fn euler_order(node: &Node) -> Option<EulerRot> {
    let axes: Vec<usize> = node.channels.iter().filter(|c| !c.is_position()).map(|c| c.axis()).collect();
    match axes[..] {
        [0, 1, 2] => Some(EulerRot::XYZ),
        [0, 2, 1] => Some(EulerRot::XZY),
        [1, 0, 2] => Some(EulerRot::YXZ),
        [1, 2, 0] => Some(EulerRot::YZX),
        [2, 0, 1] => Some(EulerRot::ZXY),
        [2, 1, 0] => Some(EulerRot::ZYX),
        _ => None,
    }
}

/// The motion table without the frames that were cut off, open to changes.
struct Rows<'a> {
    file: &'a Bvh,
    values: Vec<f64>,
    /// First channel of every node.
    columns: Vec<usize>,
}

impl<'a> Rows<'a> {
    fn of(file: &'a Bvh, cut: usize) -> Self {
        let values = (cut..file.n_frames()).flat_map(|f| file.frame(f)).copied().collect();
        let columns = file.nodes().iter().scan(0, |next, node| {
            let column = *next;
            *next += node.channels.len();
            Some(column)
        });
        Self { file, values, columns: columns.collect() }
    }

    fn n_frames(&self) -> usize {
        self.values.len().checked_div(self.file.n_channels()).unwrap_or(0)
    }

    fn give(self) -> Result<Bvh, BuildError> {
        let n_frames = self.n_frames();
        Bvh::new(self.file.nodes().to_vec(), self.file.frame_time(), n_frames, self.values)
    }

    /// Places in the table of a node's rotations in a frame, in the order of its channels.
    fn rotations(&self, node: usize, frame: usize) -> Vec<usize> {
        let base = frame * self.file.n_channels() + self.columns[node];
        let channels = self.file.nodes()[node].channels.iter().enumerate();
        channels.filter(|(_, c)| !c.is_position()).map(|(k, _)| base + k).collect()
    }

    /// Writes a rotation with the angles nearest to those of the frame before.
    fn set_rotation(&mut self, node: usize, frame: usize, q: DQuat) {
        let Some(order) = euler_order(&self.file.nodes()[node]) else { return };
        let (a, b, c) = q.to_euler(order);
        let angles = [a, b, c].map(f64::to_degrees);
        let places = self.rotations(node, frame);
        let before: Vec<f64> =
            self.rotations(node, frame.saturating_sub(1)).iter().map(|&p| self.values[p]).collect();
        let nearest = nearest(&angles, &before);
        places.iter().zip(nearest).for_each(|(&place, angle)| self.values[place] = angle);
    }

    /// Writes the root's place, which is without its OFFSET.
    fn set_place(&mut self, frame: usize, place: DVec3) {
        let base = frame * self.file.n_channels() + self.columns[0];
        for (k, channel) in self.file.nodes()[0].channels.iter().enumerate() {
            if channel.is_position() {
                self.values[base + k] = place[channel.axis()];
            }
        }
    }

    /// Unrolls a joint's angles from its first flip on; one finding for all of them.
    fn unroll(&mut self, node: usize, cut: usize) -> Option<Finding> {
        let angles = |rows: &Self, frame: usize| -> Vec<f64> {
            rows.rotations(node, frame).iter().map(|&p| rows.values[p]).collect()
        };
        let (mut first, mut last, mut largest) = (None, 0, 0.0f64);
        for frame in 1..self.n_frames() {
            let (before, here) = (angles(self, frame - 1), angles(self, frame));
            let jump = before.iter().zip(&here).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            if jump <= FLIP {
                continue;
            }
            let unrolled = nearest(&here, &before);
            if 2.0 * distance(&unrolled, &before) < distance(&here, &before) {
                let places = self.rotations(node, frame);
                places.iter().zip(unrolled).for_each(|(&place, angle)| self.values[place] = angle);
                first.get_or_insert(frame);
                (last, largest) = (frame, largest.max(jump));
            }
        }
        let first = first?;
        let frames = first + cut..last + cut + 1;
        Some(Finding {
            fault: Fault::Flip,
            remedy: Remedy::Unrolled,
            changed: frames.clone(),
            frames,
            joints: self.file.nodes()[node].name.clone().into_iter().collect(),
            root: false,
            turn: largest.to_radians(),
            shift: 0.0,
        })
    }
}

/// Of all angles of the same rotation, those nearest to `before`, in degrees. Fewer than three have whole turns only.
fn nearest(angles: &[f64], before: &[f64]) -> Vec<f64> {
    let whole_turns = |angles: Vec<f64>| -> Vec<f64> {
        angles.iter().zip(before).map(|(a, b)| a + 360.0 * ((b - a) / 360.0).round()).collect()
    };
    let same = whole_turns(angles.to_vec());
    let &[a, b, c] = angles else { return same };
    // Three different axes: about the middle one the other way round.
    let other = whole_turns(vec![a + 180.0, 180.0 - b, c + 180.0]);
    if distance(&other, before) < distance(&same, before) { other } else { same }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum()
}
