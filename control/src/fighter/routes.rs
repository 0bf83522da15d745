//! When to leave one motion for another: the transitions of the motion graph (Kovar 2002) by pairs of motions.
//!
//! A punch may be entered only before it strikes and left only after. Where the graph has no transition, a motion
//! is left at its end, or at once if it has none.

use stuntlab_mocap::graph::MotionGraph;

use super::motion::Motion;
use super::playlist::Cue;
use super::repertoire::Punch;

/// Seconds of a fade where the graph knows no better.
const PLAIN_FADE: f64 = 0.3;
/// No longer than this is waited for a good place to leave, s.
const PATIENCE: f64 = 0.4;

/// A place to go from one motion to another.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Crossing {
    from: f64,
    to: f64,
}

/// Transitions of all pairs of motions.
#[derive(Clone, Debug)]
pub struct Routes {
    n: usize,
    /// By leaving motion, then arriving one; sorted by time of leaving.
    crossings: Vec<Vec<Crossing>>,
    /// Earliest time to leave each motion.
    exits: Vec<f64>,
    durations: Vec<f64>,
    cyclic: Vec<bool>,
    fade: f64,
}

impl Routes {
    /// Sorts the transitions of a graph over the motions' clips.
    pub fn new(graph: &MotionGraph, motions: &[Motion], punches: &[Punch]) -> Self {
        let n = motions.len();
        let frame_time = graph.clips()[0].frame_time();
        let fade = graph.window() as f64 * frame_time;
        let mut exits = vec![0.0; n];
        let mut entries: Vec<f64> = motions.iter().map(|m| 0.25 * m.duration).collect();
        for (motion, entry) in motions.iter().zip(&mut entries) {
            if motion.cyclic {
                *entry = motion.duration;
            }
        }
        for (k, motion) in motions.iter().enumerate() {
            exits[k] = if motion.cyclic { 0.0 } else { 0.75 * motion.duration };
        }
        for punch in punches {
            let k = punch.punch.motion();
            (entries[k], exits[k]) = (0.4 * punch.peak, punch.peak + 0.15);
        }
        let mut crossings = vec![Vec::new(); n * n];
        for transition in graph.transitions() {
            let (a, b) = (transition.from.clip, transition.to.clip);
            let from = transition.from.frame as f64 * frame_time;
            let to = (transition.to.frame - graph.window()) as f64 * frame_time;
            if a != b && from >= exits[a] && to <= entries[b] {
                crossings[a * n + b].push(Crossing { from, to });
            }
        }
        for list in &mut crossings {
            list.sort_by(|a, b| a.from.total_cmp(&b.from));
        }
        let durations = motions.iter().map(|m| m.duration).collect();
        let cyclic = motions.iter().map(|m| m.cyclic).collect();
        Self { n, crossings, exits, durations, cyclic, fade }
    }

    /// Number of transitions between different motions.
    pub fn n_crossings(&self) -> usize {
        self.crossings.iter().map(Vec::len).sum()
    }

    /// Whether a motion may be left at a time of its clip.
    pub fn may_leave(&self, motion: usize, clip_time: f64) -> bool {
        self.cyclic[motion] || clip_time >= self.exits[motion]
    }

    /// Whether a motion has come to its end.
    pub fn is_over(&self, motion: usize, clip_time: f64) -> bool {
        !self.cyclic[motion] && clip_time >= self.durations[motion]
    }

    /// How to go on with motion `to` from a time of motion `from`: seconds to wait, and the cue to give then.
    pub fn find(&self, from: usize, clip_time: f64, to: usize) -> (f64, Cue) {
        let duration = self.durations[from];
        let now = if self.cyclic[from] { clip_time.rem_euclid(duration) } else { clip_time };
        let wait = |c: &Crossing| match c.from - now {
            wait if wait < 0.0 && self.cyclic[from] => wait + duration,
            wait => wait,
        };
        let list = &self.crossings[from * self.n + to];
        let soonest = list
            .iter()
            .filter(|c| (0.0..=PATIENCE).contains(&wait(c)))
            .min_by(|a, b| wait(a).total_cmp(&wait(b)));
        let cue = |at, fade| Cue { motion: to, at, speed: 1.0, fade };
        match soonest {
            Some(crossing) => (wait(crossing), cue(crossing.to, self.fade)),
            None if self.cyclic[from] => (0.0, cue(0.0, PLAIN_FADE)),
            None => ((duration - PLAIN_FADE - now).max(0.0), cue(0.0, PLAIN_FADE)),
        }
    }
}
