//! Motions to follow, as coordinates of the character's own model.

use std::any::Any;
use std::sync::Arc;

use stuntlab_mocap::character::{Character, PoseScratch};
use stuntlab_mocap::{Clip, ClipSpline, Sample};

/// Where the character should be, over time. `Any`, so that whoever gave a motion away can reach it again
/// ([`crate::Dynamo::reference_mut`]).
pub trait Reference: Any + Send {
    /// Writes the wanted coordinates at `time` (s since the motion began), in the layout of the character's own
    /// model.
    fn write(&mut self, time: f64, q: &mut [f64]);

    /// Spacing of the motion's samples, s: how far ahead velocities look.
    fn spacing(&self) -> f64;

    /// Length, s; infinite for a motion without end.
    fn duration(&self) -> f64;

    /// A copy.
    fn boxed_clone(&self) -> Box<dyn Reference>;
}

impl Clone for Box<dyn Reference> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}

/// One pose for ever.
#[derive(Clone, Debug)]
pub struct HeldPose {
    q: Vec<f64>,
}

impl HeldPose {
    /// Holds these coordinates.
    pub fn new(q: Vec<f64>) -> Self {
        Self { q }
    }
}

impl Reference for HeldPose {
    fn write(&mut self, _time: f64, q: &mut [f64]) {
        q.copy_from_slice(&self.q);
    }

    fn spacing(&self) -> f64 {
        1.0 / 120.0
    }

    fn duration(&self) -> f64 {
        f64::INFINITY
    }

    fn boxed_clone(&self) -> Box<dyn Reference> {
        Box::new(self.clone())
    }
}

/// A clip on the character's skeleton, once or round and round.
#[derive(Clone)]
pub struct ClipReference {
    character: Arc<Character>,
    spline: Arc<ClipSpline>,
    duration: f64,
    spacing: f64,
    cyclic: bool,
    sample: Sample,
    scratch: PoseScratch,
}

impl ClipReference {
    /// Follows `clip`, which must be on the character's skeleton; `cyclic` begins anew at its end.
    pub fn new(character: Arc<Character>, clip: &Clip, cyclic: bool) -> Self {
        Self {
            character,
            spline: Arc::new(ClipSpline::new(clip)),
            duration: clip.duration(),
            spacing: clip.frame_time(),
            cyclic,
            sample: Sample::default(),
            scratch: PoseScratch::default(),
        }
    }
}

impl Reference for ClipReference {
    fn write(&mut self, time: f64, q: &mut [f64]) {
        let time = if self.cyclic { time.rem_euclid(self.duration) } else { time.clamp(0.0, self.duration) };
        self.spline.sample(time, &mut self.sample);
        self.character.write_pose(&self.sample.pose, &mut self.scratch, q);
    }

    fn spacing(&self) -> f64 {
        self.spacing
    }

    fn duration(&self) -> f64 {
        if self.cyclic { f64::INFINITY } else { self.duration }
    }

    fn boxed_clone(&self) -> Box<dyn Reference> {
        Box::new(self.clone())
    }
}
