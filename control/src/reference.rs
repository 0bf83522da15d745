//! Motions to follow, as coordinates of the character's own model.

use std::sync::Arc;

use stuntlab_mocap::character::{Character, PoseScratch};
use stuntlab_mocap::edit::{Planar, heading};
use stuntlab_mocap::{Clip, ClipSpline, Sample};
use stuntlab_physics::glam::{DQuat, DVec2};

/// Where the character should be, over time.
pub trait Reference: Send {
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
    start: f64,
    /// Where a round leads on the ground.
    advance: Planar,
    sample: Sample,
    scratch: PoseScratch,
}

impl ClipReference {
    /// Follows `clip`, which must be on the character's skeleton; `cyclic` begins anew at its end, from the place and
    /// heading it led to.
    pub fn new(character: Arc<Character>, clip: &Clip, cyclic: bool) -> Self {
        Self {
            character,
            spline: Arc::new(ClipSpline::new(clip)),
            duration: clip.duration(),
            spacing: clip.frame_time(),
            cyclic,
            start: 0.0,
            advance: advance(clip),
            sample: Sample::default(),
            scratch: PoseScratch::default(),
        }
    }

    /// Begins at `time` of the clip.
    #[must_use]
    pub fn starting_at(mut self, time: f64) -> Self {
        self.start = time;
        self
    }
}

/// Ground motion that takes the first frame of a clip to its last.
fn advance(clip: &Clip) -> Planar {
    let last = clip.n_frames() - 1;
    let yaw = heading(clip, last) - heading(clip, 0);
    let (from, to) = (clip.root_position(0).truncate(), clip.root_position(last).truncate());
    Planar { yaw, shift: to - DVec2::from_angle(yaw).rotate(from) }
}

impl Reference for ClipReference {
    fn write(&mut self, time: f64, q: &mut [f64]) {
        let time = time + self.start;
        let rounds = if self.cyclic { (time / self.duration).floor() } else { 0.0 };
        self.spline.sample((time - rounds * self.duration).clamp(0.0, self.duration), &mut self.sample);
        let pose = &mut self.sample.pose;
        let step = if rounds < 0.0 { self.advance.inverse() } else { self.advance };
        // A round at a time: exact, and runs last minutes.
        for _ in 0..rounds.abs() as usize {
            pose.root_position = step.apply(pose.root_position);
        }
        if let Some(root) = pose.rotations.first_mut() {
            *root = (DQuat::from_rotation_z(step.yaw * rounds.abs()) * *root).normalize();
        }
        self.character.write_pose(&self.sample.pose, &mut self.scratch, q);
    }

    fn spacing(&self) -> f64 {
        self.spacing
    }

    fn duration(&self) -> f64 {
        if self.cyclic { f64::INFINITY } else { (self.duration - self.start).max(0.0) }
    }

    fn boxed_clone(&self) -> Box<dyn Reference> {
        Box::new(self.clone())
    }
}
