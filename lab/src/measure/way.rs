//! How far a character has come and slid on its way, beside how far its recording comes.

use stuntlab_control::reference::{ClipReference, Reference};
use stuntlab_physics::glam::DVec2;

use crate::scene::Member;

/// Ways shorter than this are none, m.
const SHORT: f64 = 0.1;

/// The way of one character.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    start: DVec2,
    /// From the start, along the ground, m.
    gone: f64,
    /// Way of the feet along what they stood on, m.
    slid: f64,
    /// How far the recording's root is from its start, m.
    recorded: Option<f64>,
    recording: Option<Recording>,
}

#[derive(Clone)]
struct Recording {
    reference: ClipReference,
    q: Vec<f64>,
    start: DVec2,
}

impl std::fmt::Debug for Recording {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recording").field("start", &self.start).finish_non_exhaustive()
    }
}

impl Recording {
    fn at(&mut self, time: f64) -> DVec2 {
        self.reference.write(time, &mut self.q);
        DVec2::new(self.q[0], self.q[1])
    }
}

impl Way {
    /// At the start, with the root at `root`; beside its recording's way where that is `wanted`.
    pub(crate) fn new(member: &Member, root: DVec2, wanted: bool) -> Self {
        let q = vec![0.0; member.model.n_q()];
        let recording = member.motion.as_ref().filter(|_| wanted && q.len() >= 7).map(|motion| {
            let mut recording = Recording { reference: motion.reference(), q, start: DVec2::ZERO };
            recording.start = recording.at(0.0);
            recording
        });
        Self { start: root, gone: 0.0, slid: 0.0, recorded: None, recording }
    }

    /// After a step that the feet slid by `slid`.
    pub(crate) fn follow(&mut self, time: f64, root: DVec2, slid: f64) {
        self.gone = root.distance(self.start);
        self.slid += slid;
        self.recorded = self.recording.as_mut().map(|r| r.at(time).distance(r.start));
    }

    /// Slide per metre of way; ways of less than a decimetre count as one.
    pub(crate) fn slide(&self) -> f64 {
        self.slid / self.gone.max(SHORT)
    }

    /// Way relative to the recording's; `None` where that goes nowhere.
    pub(crate) fn share(&self) -> Option<f64> {
        self.recorded.filter(|way| *way > SHORT).map(|way| self.gone / way)
    }
}
