//! Walking the graph: motion of any length, towards clips with a wanted tag.

use super::{GraphError, MotionGraph};
use crate::Clip;
use crate::contacts::{Contacts, FootContacts};
use crate::edit::{Planar, fade, fade_weight, lock_feet, place_planar, trim};
use crate::roles::Side;
use crate::search::FrameId;
use glam::{DQuat, DVec3};
use std::collections::VecDeque;
use std::ops::Range;
use stuntlab_physics::random::Random;

/// A stretch of a walk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Frames of a clip as they are.
    Play {
        /// Number of the clip.
        clip: usize,
        /// Its frames.
        frames: Range<usize>,
    },
    /// A transition by number.
    Blend(usize),
}

/// Motion made by walking.
#[derive(Clone, Debug, PartialEq)]
pub struct Walk {
    /// The motion, on the skeleton of the graph's first clip, with feet held in place through the blends.
    pub clip: Clip,
    /// Foot contacts: those of the clips, in a blend those of the heavier clip.
    pub contacts: Contacts,
    /// Where it comes from.
    pub steps: Vec<Step>,
}

impl MotionGraph {
    /// A walk of about `seconds` (to the end of a step) inside the core, starting at a place drawn from the seed. With
    /// a tag it goes to clips of that tag by the fewest steps and stays with them as long as it can; else it goes
    /// anywhere.
    ///
    /// # Errors
    /// A graph without a core, a tag that no clip of the core has, or a length out of range.
    pub fn walk(&self, seed: u64, tag: Option<&str>, seconds: f64) -> Result<Walk, GraphError> {
        if !(0.0..=1e5).contains(&seconds) {
            return Err(GraphError::Length(seconds));
        }
        let core: Vec<usize> = (0..self.nodes.len()).filter(|&n| self.in_core[n]).collect();
        if core.is_empty() {
            return Err(GraphError::NoCore);
        }
        let far = match tag {
            Some(tag) => self.steps_to_tag(tag).ok_or_else(|| GraphError::Tag(tag.to_owned()))?,
            None => vec![0; self.nodes.len()],
        };
        let mut random = Random::new(seed);
        let starts: Vec<usize> = core.iter().copied().filter(|&n| far[n] == 0).collect();
        let mut node = starts[random.below(starts.len())];
        let mut road = Road::new(self);
        while (road.positions.len() as f64) < seconds * self.rate() + 1.0 {
            let options = self.options(node);
            let nearest = options.iter().map(|o| far[o.1]).min().ok_or(GraphError::NoCore)?;
            let good: Vec<&(Step, usize)> = options.iter().filter(|o| far[o.1] == nearest).collect();
            let (step, next) = good[random.below(good.len())];
            road.take(step)?;
            node = *next;
        }
        road.finish()
    }

    fn rate(&self) -> f64 {
        1.0 / self.clips[0].frame_time()
    }

    /// What can be done at a node without leaving the core, and where it leads.
    fn options(&self, node: usize) -> Vec<(Step, usize)> {
        let mut options = Vec::new();
        let here = self.nodes[node];
        if let Some(next) = self.nodes.get(node + 1).filter(|n| n.clip == here.clip)
            && self.is_in_core(node + 1)
        {
            options.push((Step::Play { clip: here.clip, frames: here.frame..next.frame }, node + 1));
        }
        for &index in &self.leaving[node] {
            let target = self.nodes.binary_search(&self.transitions[index].to);
            options.extend(target.ok().filter(|&n| self.is_in_core(n)).map(|n| (Step::Blend(index), n)));
        }
        options
    }

    /// Fewest steps from every node to one on a clip with the tag; `None` where no such node is in the core.
    fn steps_to_tag(&self, tag: &str) -> Option<Vec<usize>> {
        let mut before = vec![Vec::new(); self.nodes.len()];
        let in_core = (0..self.nodes.len()).filter(|&n| self.in_core[n]);
        for node in in_core.clone() {
            self.options(node).iter().for_each(|o| before[o.1].push(node));
        }
        let tagged = |n: &usize| self.clips[self.nodes[*n].clip].tags.iter().any(|t| t == tag);
        let mut queue: VecDeque<usize> = in_core.filter(tagged).collect();
        if queue.is_empty() {
            return None;
        }
        let mut far = vec![usize::MAX; self.nodes.len()];
        queue.iter().for_each(|&n| far[n] = 0);
        while let Some(node) = queue.pop_front() {
            for &previous in &before[node] {
                if far[previous] == usize::MAX {
                    far[previous] = far[node] + 1;
                    queue.push_back(previous);
                }
            }
        }
        Some(far)
    }
}

/// The motion while it is put together.
struct Road<'a> {
    graph: &'a MotionGraph,
    placement: Planar,
    positions: Vec<DVec3>,
    rotations: Vec<DQuat>,
    contacts: Contacts,
    blends: Vec<Range<usize>>,
    steps: Vec<Step>,
}

impl<'a> Road<'a> {
    fn new(graph: &'a MotionGraph) -> Self {
        Self {
            graph,
            placement: Planar::default(),
            positions: Vec::new(),
            rotations: Vec::new(),
            contacts: Contacts::default(),
            blends: Vec::new(),
            steps: Vec::new(),
        }
    }

    fn take(&mut self, step: &Step) -> Result<(), GraphError> {
        match step {
            Step::Play { clip, frames } => {
                let piece = trim(&self.graph.clips[*clip], frames.clone())?;
                self.append(&piece);
                frames.clone().for_each(|frame| self.append_contacts(FrameId { clip: *clip, frame }));
            }
            Step::Blend(index) => {
                let transition = self.graph.transitions[*index];
                let k = self.graph.window;
                let (from, to) = (transition.from, transition.to);
                let start = to.frame - k;
                let out = trim(&self.graph.clips[from.clip], from.frame..from.frame + k)?;
                let into = trim(&self.graph.clips[to.clip], start..to.frame)?;
                let blended = fade(&out, 0, &place_planar(&into, &transition.placement), 0, k)?;
                let first = self.positions.len();
                self.append(&blended);
                self.blends.push(first..self.positions.len());
                for p in 0..k {
                    // The heavier clip's feet rest where they rest.
                    let outgoing = FrameId { clip: from.clip, frame: from.frame + p };
                    let incoming = FrameId { clip: to.clip, frame: start + p };
                    self.append_contacts(if fade_weight(p, k) > 0.5 { outgoing } else { incoming });
                }
                self.placement = self.placement.after(&transition.placement);
            }
        }
        self.steps.push(step.clone());
        Ok(())
    }

    /// Frames at the walk's present placement.
    fn append(&mut self, piece: &Clip) {
        let placed = place_planar(piece, &self.placement);
        self.positions.extend_from_slice(placed.root_positions());
        self.rotations.extend_from_slice(placed.all_rotations());
    }

    fn append_contacts(&mut self, id: FrameId) {
        let source = self.graph.contacts[id.clip].as_ref();
        let rests = |side: Side, part: fn(&FootContacts) -> &Vec<bool>| {
            source.is_some_and(|c| part(c.side(side))[id.frame])
        };
        self.contacts.left.heel.push(rests(Side::Left, |f| &f.heel));
        self.contacts.left.toe.push(rests(Side::Left, |f| &f.toe));
        self.contacts.right.heel.push(rests(Side::Right, |f| &f.heel));
        self.contacts.right.toe.push(rests(Side::Right, |f| &f.toe));
    }

    fn finish(self) -> Result<Walk, GraphError> {
        let first = &self.graph.clips[0];
        let clip =
            Clip::new("walk", first.skeleton().clone(), first.frame_time(), self.positions, self.rotations)?;
        let clip = lock_feet(&clip, &self.contacts, &self.blends, self.graph.window / 2);
        Ok(Walk { clip, contacts: self.contacts, steps: self.steps })
    }
}
