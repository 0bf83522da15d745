//! Motion graph: clips joined where they are alike, so that motion can go on for ever (Kovar, Gleicher & Pighin, *Motion
//! Graphs*, 2002).
//!
//! All clips are brought to one frame rate; for every pair of clips the windowed distance of all pairs of frames is
//! computed, and local minima below a threshold become transitions: blends of k frames with C¹ weights, in which the
//! foot contacts of the heavier clip hold. Nodes that cannot be left again are pruned by taking the largest strongly
//! connected component. Pairs of clips are computed in parallel and collected in order: the result does not depend on
//! the number of threads.

mod distance;
mod scc;
mod walk;

pub use distance::DistanceMap;
pub use walk::{Step, Walk};

use crate::contacts::{ContactOptions, Contacts, find_contacts};
use crate::each;
use crate::edit::{Planar, resample};
use crate::features::{FeatureError, FeatureLayout, FeatureOptions};
use crate::search::FrameId;
use crate::{Clip, ClipError};
use distance::{Cloud, best_placement, distance_map, taper};
use std::sync::atomic::{AtomicUsize, Ordering};
use thiserror::Error;

/// How a graph is built.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GraphOptions {
    /// Frame rate of the graph, Hz.
    pub rate: f64,
    /// Length of windows and blends in seconds.
    pub window: f64,
    /// Greatest root mean square distance per joint of a transition, in metres: 0.05 to 0.07 for locomotion, 0.08 to
    /// 0.12 for fights and getting up.
    pub threshold: f64,
}

impl Default for GraphOptions {
    fn default() -> Self {
        Self { rate: 30.0, window: 1.0 / 3.0, threshold: 0.06 }
    }
}

/// Clips that do not make a graph.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum GraphError {
    /// No clip was given.
    #[error("expected at least one clip")]
    NoClips,
    /// A window of fewer than two or more than 1000 frames, or a threshold that is not positive.
    #[error(
        "expected a window of 2 to 1000 frames and a positive threshold, found {window} frames and {threshold} m"
    )]
    Options {
        /// Frames per window.
        window: f64,
        /// Threshold in metres.
        threshold: f64,
    },
    /// Clips on skeletons with other joints.
    #[error("expected all clips on skeletons with the same joints: {0:?} and {1:?} differ")]
    Skeletons(String, String),
    /// A skeleton whose joints are not known by name.
    #[error(transparent)]
    Features(#[from] FeatureError),
    /// A clip that cannot be resampled.
    #[error(transparent)]
    Clip(#[from] ClipError),
    /// A walk from a graph without a loop.
    #[error("expected a graph in which motion can go on, found no transition that leads back")]
    NoCore,
    /// A walk towards a tag that no clip of the core has.
    #[error("expected the tag {0:?} on a clip of the graph's core")]
    Tag(String),
    /// A walk of a length that is not sensible.
    #[error("expected a walk of 0 to 100000 s, found {0}")]
    Length(f64),
}

/// A blend from one clip into another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transition {
    /// Frame at which the blend starts.
    pub from: FrameId,
    /// Frame at which the other clip goes on alone; its part of the blend is the window before.
    pub to: FrameId,
    /// Root mean square distance per joint over the window, in metres.
    pub distance: f64,
    /// Moves the second clip to where the first is.
    pub placement: Planar,
}

/// Clips and the transitions between them.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionGraph {
    clips: Vec<Clip>,
    contacts: Vec<Option<Contacts>>,
    window: usize,
    /// Places where transitions leave or arrive, by clip and frame.
    nodes: Vec<FrameId>,
    in_core: Vec<bool>,
    transitions: Vec<Transition>,
    /// Per node the transitions that leave from it.
    leaving: Vec<Vec<usize>>,
}

impl MotionGraph {
    /// Builds the graph of some clips. `progress` is told how many of how many pairs of clips are done, from any
    /// thread.
    ///
    /// # Errors
    /// No clips, different skeletons, joints that are not known by name, or options out of range.
    pub fn build(
        clips: &[Clip],
        options: &GraphOptions,
        progress: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Self, GraphError> {
        let (clips, clouds, window) = prepare(clips, options)?;
        let taper = taper(window);
        let n = clips.len();
        let pairs: Vec<(usize, usize)> = (0..n).flat_map(|a| (a..n).map(move |b| (a, b))).collect();
        let done = AtomicUsize::new(0);
        let found = each::map(&pairs, |&(a, b)| {
            let found = pair_transitions(&clouds, a, b, &taper, options.threshold as f32);
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, pairs.len());
            found
        });
        let transitions: Vec<Transition> = found.into_iter().flatten().collect();
        let contacts = clips.iter().map(|c| find_contacts(c, &ContactOptions::default())).collect();
        Ok(Self::connect(clips, contacts, window, transitions))
    }

    /// Orders nodes, links transitions to them and finds the core.
    fn connect(
        clips: Vec<Clip>,
        contacts: Vec<Option<Contacts>>,
        window: usize,
        transitions: Vec<Transition>,
    ) -> Self {
        let mut nodes: Vec<FrameId> = transitions.iter().flat_map(|t| [t.from, t.to]).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let node_of = |id: &FrameId| nodes.binary_search(id).expect("every end of a transition is a node");
        let mut leaving = vec![Vec::new(); nodes.len()];
        let mut edges = vec![Vec::new(); nodes.len()];
        for (index, transition) in transitions.iter().enumerate() {
            leaving[node_of(&transition.from)].push(index);
            edges[node_of(&transition.from)].push(node_of(&transition.to));
        }
        // Playing a clip leads from each of its nodes to the next.
        for (node, pair) in nodes.windows(2).enumerate() {
            if pair[0].clip == pair[1].clip {
                edges[node].push(node + 1);
            }
        }
        let mut in_core = scc::largest(&edges);
        // A single node is no loop unless it leads to itself.
        if in_core.iter().filter(|&&c| c).count() < 2 {
            in_core.fill(false);
        }
        Self { clips, contacts, window, nodes, in_core, transitions, leaving }
    }

    /// The clips at the graph's frame rate.
    pub fn clips(&self) -> &[Clip] {
        &self.clips
    }

    /// Frames per window and blend.
    pub const fn window(&self) -> usize {
        self.window
    }

    /// All transitions found, also those outside of the core.
    pub fn transitions(&self) -> &[Transition] {
        &self.transitions
    }

    /// Frames at which transitions leave or arrive, sorted.
    pub fn nodes(&self) -> &[FrameId] {
        &self.nodes
    }

    /// Whether a node belongs to the core: the largest part in which every node reaches every other.
    pub fn is_in_core(&self, node: usize) -> bool {
        self.in_core.get(node) == Some(&true)
    }

    /// Number of nodes in the core.
    pub fn core_size(&self) -> usize {
        self.in_core.iter().filter(|&&c| c).count()
    }
}

/// Resampled clips, their clouds and the window in frames.
fn prepare(clips: &[Clip], options: &GraphOptions) -> Result<(Vec<Clip>, Vec<Cloud>, usize), GraphError> {
    let first = clips.first().ok_or(GraphError::NoClips)?;
    let window = (options.window * options.rate).round();
    if !((2.0..=1000.0).contains(&window) && options.threshold > 0.0) {
        return Err(GraphError::Options { window, threshold: options.threshold });
    }
    if let Some(other) = clips.iter().find(|c| !c.skeleton().same_layout(first.skeleton())) {
        return Err(GraphError::Skeletons(first.name.clone(), other.name.clone()));
    }
    let layout = FeatureLayout::new(first.skeleton(), FeatureOptions::default())?;
    let clips: Vec<_> = each::map(clips, |c| resample(c, options.rate));
    // Collected in order first, so that the first faulty clip is named on any number of threads.
    let clips = clips.into_iter().collect::<Result<Vec<_>, _>>()?;
    let clouds = each::map(&clips, |c| Cloud::new(c, layout.weighted_joints()));
    Ok((clips, clouds, window as usize))
}

/// The distance map of two clips at the options' rate, for looking at.
///
/// # Errors
/// As for [`MotionGraph::build`].
pub fn clip_distances(a: &Clip, b: &Clip, options: &GraphOptions) -> Result<DistanceMap, GraphError> {
    let (_, clouds, window) = prepare(&[a.clone(), b.clone()], options)?;
    Ok(distance_map(&clouds[0], &clouds[1], &taper(window)))
}

/// Transitions between two clips in both directions, from the local minima of their distance map.
fn pair_transitions(clouds: &[Cloud], a: usize, b: usize, taper: &[f64], threshold: f32) -> Vec<Transition> {
    let k = taper.len();
    let map = distance_map(&clouds[a], &clouds[b], taper);
    let mut found = Vec::new();
    for i in 0..map.n_rows {
        for j in 0..map.n_columns {
            // A clip is alike to itself nearby; one triangle of its map holds both directions.
            let trivial = a == b && j < i + k;
            if trivial || map.at(i, j) >= threshold || !is_local_minimum(&map, i, j) {
                continue;
            }
            let placement = best_placement(&clouds[a], i, &clouds[b], j, taper);
            let distance = f64::from(map.at(i, j));
            let id = |clip, frame| FrameId { clip, frame };
            if j + k < clouds[b].n_frames {
                found.push(Transition { from: id(a, i), to: id(b, j + k), distance, placement });
            }
            if i + k < clouds[a].n_frames {
                let placement = placement.inverse();
                found.push(Transition { from: id(b, j), to: id(a, i + k), distance, placement });
            }
        }
    }
    found
}

/// Whether no neighbour within two frames is nearer; of equals the first in reading order counts.
fn is_local_minimum(map: &DistanceMap, i: usize, j: usize) -> bool {
    let here = map.at(i, j);
    let rows = i.saturating_sub(2)..(i + 3).min(map.n_rows);
    let columns = j.saturating_sub(2)..(j + 3).min(map.n_columns);
    rows.flat_map(|r| columns.clone().map(move |c| (r, c))).all(|(r, c)| {
        let there = map.at(r, c);
        (r, c) == (i, j) || there > here || (there == here && (r, c) > (i, j))
    })
}
