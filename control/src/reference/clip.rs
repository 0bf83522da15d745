//! A clip on the character's skeleton, once or round and round.

use std::sync::Arc;

use stuntlab_mocap::character::{Character, PoseScratch};
use stuntlab_mocap::edit::{Planar, advance};
use stuntlab_mocap::{Clip, ClipSpline, Pose};
use stuntlab_physics::glam::DQuat;
use stuntlab_physics::{Model, State};

use super::Reference;
use super::attitudes::{Attitudes, Sampler, chord};

/// Follows a clip.
#[derive(Clone)]
pub struct ClipReference {
    character: Arc<Character>,
    spline: Arc<ClipSpline>,
    table: Arc<[Attitudes]>,
    duration: f64,
    spacing: f64,
    cyclic: bool,
    start: f64,
    /// Where a round leads on the ground.
    advance: Planar,
    /// Rounds gone when last asked, and where they led.
    gone: (f64, Planar),
    pose: Pose,
    scratch: PoseScratch,
}

impl ClipReference {
    /// Follows `clip`, which must be on the character's skeleton; `cyclic` begins anew at its end, from the place and
    /// heading it led to.
    pub fn new(character: Arc<Character>, clip: &Clip, cyclic: bool) -> Self {
        let mut new = Self {
            spline: Arc::new(ClipSpline::new(clip)),
            table: Arc::new([]),
            duration: clip.duration(),
            spacing: clip.frame_time(),
            cyclic,
            start: 0.0,
            advance: advance(clip),
            gone: (0.0, Planar::default()),
            pose: Pose::default(),
            scratch: PoseScratch::default(),
            character,
        };
        new.table = new.bake(clip.n_frames());
        new
    }

    /// Begins at `time` of the clip.
    #[must_use]
    pub fn starting_at(mut self, time: f64) -> Self {
        self.start = time;
        self
    }

    /// The clip's state with velocities at `time`, for characters to start in.
    pub fn state_at(&self, time: f64) -> State {
        self.character.state_at(&self.spline, self.split(time).1)
    }

    fn bake(&mut self, frames: usize) -> Arc<[Attitudes]> {
        let model = self.character.model().clone();
        let mut sampler = Sampler::new(&model);
        let spacing = self.spacing;
        let row = |k: usize| {
            let mut out = Attitudes::new(model.n_bodies());
            // Velocities look ahead; at the last frame they look back.
            let from = k.min(frames.saturating_sub(2));
            sampler.sample(&model, from as f64 * spacing, spacing, |t, q| self.write_at(t, q), &mut out);
            if from != k {
                let (rates, velocities) = (out.angular_velocity.clone(), out.velocity.clone());
                sampler.sample(&model, k as f64 * spacing, spacing, |t, q| self.write_at(t, q), &mut out);
                (out.angular_velocity, out.velocity) = (rates, velocities);
            }
            out
        };
        (0..frames.max(1)).map(row).collect()
    }

    fn write_at(&mut self, time: f64, q: &mut [f64]) {
        self.spline.sample_pose(time.clamp(0.0, self.duration), &mut self.pose);
        self.character.write_pose(&self.pose, &mut self.scratch, q);
    }

    /// Rounds gone and time within the clip.
    fn split(&self, time: f64) -> (f64, f64) {
        let time = time + self.start;
        let rounds = if self.cyclic && self.duration > 0.0 { (time / self.duration).floor() } else { 0.0 };
        (rounds, (time - rounds * self.duration).clamp(0.0, self.duration))
    }
}

impl Reference for ClipReference {
    fn write(&mut self, time: f64, q: &mut [f64]) {
        let (rounds, time) = self.split(time);
        self.spline.sample_pose(time, &mut self.pose);
        if rounds != self.gone.0 {
            self.gone = (rounds, self.advance.times(rounds as i64));
        }
        let pose = &mut self.pose;
        pose.root_position = self.gone.1.apply(pose.root_position);
        if let Some(root) = pose.rotations.first_mut() {
            *root = (DQuat::from_rotation_z(self.advance.yaw * rounds) * *root).normalize();
        }
        self.character.write_pose(&self.pose, &mut self.scratch, q);
    }

    fn spacing(&self) -> f64 {
        self.spacing
    }

    fn duration(&self) -> f64 {
        if self.cyclic { f64::INFINITY } else { (self.duration - self.start).max(0.0) }
    }

    fn period(&self) -> Option<f64> {
        (self.cyclic && self.duration > 0.0).then_some(self.duration)
    }

    fn attitudes(&mut self, _model: &Model, time: f64, out: &mut Attitudes) {
        let at = self.split(time).1 / self.spacing;
        let last = self.table.len() - 1;
        let k = (at as usize).min(last);
        let (row, next) = (&self.table[k], &self.table[(k + 1).min(last)]);
        let share = (at - k as f64).clamp(0.0, 1.0);
        let resting = !self.cyclic && !(0.0..=self.duration).contains(&(time + self.start));
        for i in 0..out.len() {
            out.orientation[i] = chord(row.orientation[i], next.orientation[i], share);
            out.position[i] = row.position[i].lerp(next.position[i], share);
            out.angular_velocity[i] = row.angular_velocity[i].lerp(next.angular_velocity[i], share);
            out.velocity[i] = row.velocity[i].lerp(next.velocity[i], share);
        }
        if resting {
            out.angular_velocity.fill(Default::default());
            out.velocity.fill(Default::default());
        }
    }

    fn boxed_clone(&self) -> Box<dyn Reference> {
        Box::new(self.clone())
    }
}
