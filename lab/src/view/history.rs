//! The recent past of a world, to scrub back through.

use std::collections::VecDeque;

use crate::run::{Snapshot, World};

/// Frames kept: 20 seconds at 60 frames per second.
const CAPACITY: usize = 1200;
/// Simulated time between frames, s.
const EVERY: f64 = 1.0 / 60.0;

/// Snapshots, oldest first.
#[derive(Clone, Default)]
pub(crate) struct History {
    frames: VecDeque<Snapshot>,
    /// Frames behind the newest; 0 is the present.
    back: usize,
}

impl History {
    /// Remembers the present if enough time has passed. What was scrubbed away is forgotten.
    pub(crate) fn remember(&mut self, world: &World) {
        self.frames.truncate(self.frames.len() - self.back);
        self.back = 0;
        let due = self.frames.back().is_none_or(|last| world.state.time - last.state.time > EVERY - 1e-9);
        if due {
            if self.frames.len() == CAPACITY {
                self.frames.pop_front();
            }
            self.frames.push_back(world.snapshot());
        }
    }

    /// Goes `frames` back (or forward where negative) and puts the world there.
    pub(crate) fn scrub(&mut self, frames: isize, world: &mut World) {
        let most = self.frames.len().saturating_sub(1);
        let back = self.back.saturating_add_signed(frames).min(most);
        if let Some(snapshot) = self.frames.get(most - back) {
            self.back = back;
            world.restore(snapshot);
        }
    }

    /// Goes to the frame nearest to a time.
    pub(crate) fn go_to(&mut self, time: f64, world: &mut World) {
        let off = |k: &usize| (self.frames[*k].state.time - time).abs();
        if let Some(k) = (0..self.frames.len()).min_by(|a, b| off(a).total_cmp(&off(b))) {
            self.back = self.frames.len() - 1 - k;
            world.restore(&self.frames[k]);
        }
    }

    /// First and last time that can be gone to, s.
    pub(crate) fn span(&self) -> (f64, f64) {
        let time = |frame: Option<&Snapshot>| frame.map_or(0.0, |f| f.state.time);
        (time(self.frames.front()), time(self.frames.back()))
    }

    /// Frames behind the newest.
    pub(crate) fn frames_back(&self) -> usize {
        self.back
    }
}
