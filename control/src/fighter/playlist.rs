//! What a fighter plays: clips one after the other, each faded in over the last.
//!
//! Dynamo blends motions by interpolating the wanted poses (Wrotek 2006, section 3.4). A playlist is a short stack of
//! clips; each fades in over those below with a weight of `s²(3 - 2s)`, so the wanted pose and its velocity go on
//! without a jump whenever a clip is begun, also in the middle of another fade. Where the stack is full, the pose of
//! the moment is held in place of what lies below. A clip begins with the heading the one before it had reached, so that
//! a fade never turns the body.

use std::sync::Arc;

use stuntlab_physics::Model;
use stuntlab_physics::glam::{DMat3, DQuat, DVec3};

use super::aid::{root_rotation, yaw};
use super::repertoire::Repertoire;
use crate::reference::{Attitudes, Reference, Sampler};

/// Clips that may be in play at once.
const DEPTH: usize = 4;

/// Where to begin in which clip, and how to come to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cue {
    /// Number of the motion in the repertoire.
    pub motion: usize,
    /// Time of the clip to begin at, s.
    pub at: f64,
    /// Speed of playback: 1 plays, 0 holds.
    pub speed: f64,
    /// Seconds of the fade.
    pub fade: f64,
}

/// Height of the spine's direction below which a root lies.
const LYING: f64 = 0.7;

#[derive(Clone, Copy, Debug, PartialEq)]
struct Layer {
    cue: Cue,
    since: f64,
    /// The time at which it was where the cue says.
    anchor: f64,
    /// Turn about the vertical that lets it begin with the heading of what was played before, rad.
    turn: f64,
}

impl Layer {
    fn clip_time(&self, time: f64) -> f64 {
        self.cue.at + self.cue.speed * (time - self.anchor)
    }

    fn weight(&self, time: f64) -> f64 {
        let s = if self.cue.fade > 0.0 { ((time - self.since) / self.cue.fade).clamp(0.0, 1.0) } else { 1.0 };
        s * s * (3.0 - 2.0 * s)
    }
}

/// Clips in play.
#[derive(Clone)]
pub struct Playlist {
    repertoire: Arc<Repertoire>,
    /// Lowest first; the last is the one that comes.
    layers: Vec<Layer>,
    /// Lies below the layers where the stack was too full.
    held: Option<Vec<f64>>,
    spare: Vec<f64>,
    above: Vec<f64>,
    pose: Vec<f64>,
    sampler: Option<Sampler>,
}

impl Playlist {
    /// Plays one motion from its beginning.
    pub fn new(repertoire: Arc<Repertoire>, motion: usize) -> Self {
        let n = repertoire.n_q();
        let cue = Cue { motion, at: 0.0, speed: 1.0, fade: 0.0 };
        let mut layers = Vec::with_capacity(DEPTH);
        layers.push(Layer { cue, since: 0.0, anchor: 0.0, turn: 0.0 });
        Self {
            repertoire,
            layers,
            held: None,
            spare: vec![0.0; n],
            above: vec![0.0; n],
            pose: vec![0.0; n],
            sampler: None,
        }
    }

    /// Speed of what comes: 1 as drawn.
    pub fn pace(&self) -> f64 {
        self.layers.last().map_or(1.0, |layer| layer.cue.speed)
    }

    /// Plays what comes at another speed from now on.
    pub fn set_pace(&mut self, speed: f64, time: f64) {
        if let Some(layer) = self.layers.last_mut().filter(|layer| layer.cue.speed != speed) {
            layer.cue.at = layer.clip_time(time);
            (layer.cue.speed, layer.anchor) = (speed, time);
        }
    }

    /// Ends what is played: the next clip is faded in from this pose. Who lies there does not come from the guard, and a fade from standing to lying passes through
    /// sitting, with the legs in the air.
    pub fn begin_from(&mut self, q: &[f64]) {
        let mut pose = self.held.take().unwrap_or_else(|| std::mem::take(&mut self.spare));
        pose.resize(q.len(), 0.0);
        pose.copy_from_slice(q);
        self.held = Some(pose);
        self.layers.clear();
    }

    /// Begins a clip at `time`, which must not lie before the last cue's.
    pub fn play(&mut self, cue: Cue, time: f64) {
        if let Some(top) = self.layers.iter().rposition(|l| l.weight(time) >= 1.0) {
            self.layers.drain(..top);
            if let Some(held) = self.held.take() {
                self.spare = held;
            }
        }
        let mut pose = std::mem::take(&mut self.pose);
        self.write(time, &mut pose);
        let before = root_rotation(&pose);
        let Self { repertoire, .. } = self;
        repertoire.motions()[cue.motion].write(cue.at, repertoire.layout(), &mut pose);
        let turn = turn_between(&root_rotation(&pose), &before);
        if let (true, Some(held)) = (self.layers.is_empty(), &mut self.held) {
            // A pose of the world goes nowhere on its way into the clip.
            turn_root(&mut pose, turn);
            held[..2].copy_from_slice(&pose[..2]);
        }
        self.pose = pose;
        if self.layers.len() == DEPTH {
            let mut pose = std::mem::take(&mut self.spare);
            pose.resize(self.repertoire.n_q(), 0.0);
            self.write(time, &mut pose);
            self.spare = self.held.replace(pose).unwrap_or_default();
            self.layers.clear();
        }
        self.layers.push(Layer { cue, since: time, anchor: time, turn });
    }

    /// The motion that was begun last.
    pub fn motion(&self) -> usize {
        self.layers.last().map_or(0, |l| l.cue.motion)
    }

    /// Turn about the vertical of the clip that was begun last against its file, rad.
    pub fn turn(&self) -> f64 {
        self.layers.last().map_or(0.0, |l| l.turn)
    }

    /// Time of the clip that was begun last, not wrapped.
    pub fn clip_time(&self, time: f64) -> f64 {
        self.layers.last().map_or(0.0, |l| l.clip_time(time))
    }
}

/// Turn about the vertical from one root's heading to another's: where both lie, but not the one on the back and the other on the face, that of their spines, as a pelvis on its back looks up. (From the
/// back to the face it is half a turn about the spine, which has no way that is the shorter.)
fn turn_between(from: &DMat3, to: &DMat3) -> f64 {
    let lies = |root: &DMat3| root.z_axis.z.abs() < LYING;
    let spine = |root: &DMat3| root.z_axis.y.atan2(root.z_axis.x);
    let alike = from.row(2).dot(to.row(2)) > -0.5;
    if lies(from) && lies(to) && alike { spine(to) - spine(from) } else { yaw(to) - yaw(from) }
}

/// Turns a pose about the vertical through the origin.
fn turn_root(q: &mut [f64], angle: f64) {
    let turn = DQuat::from_rotation_z(angle);
    let place = turn * DVec3::from_slice(&q[..3]);
    let rotation = (turn * DQuat::from_slice(&q[3..7])).normalize();
    q[..3].copy_from_slice(&place.to_array());
    q[3..7].copy_from_slice(&rotation.to_array());
}

impl Reference for Playlist {
    fn write(&mut self, time: f64, q: &mut [f64]) {
        let Self { repertoire, layers, held, above, .. } = self;
        if let Some(held) = held {
            q.copy_from_slice(held);
        }
        for (k, layer) in layers.iter().enumerate() {
            let motion = &repertoire.motions()[layer.cue.motion];
            if k == 0 && held.is_none() {
                motion.write(layer.clip_time(time), repertoire.layout(), q);
                turn_root(q, layer.turn);
                continue;
            }
            let weight = layer.weight(time);
            if weight > 0.0 {
                motion.write(layer.clip_time(time), repertoire.layout(), above);
                turn_root(above, layer.turn);
                repertoire.layout().mix(q, above, weight);
            }
        }
    }

    fn spacing(&self) -> f64 {
        self.repertoire.spacing()
    }

    fn duration(&self) -> f64 {
        f64::INFINITY
    }

    fn attitudes(&mut self, model: &Model, time: f64, out: &mut Attitudes) {
        let mut sampler = self.sampler.take().unwrap_or_else(|| Sampler::new(model));
        sampler.sample(model, time, self.spacing(), |t, q| self.write(t, q), out);
        self.sampler = Some(sampler);
    }

    fn boxed_clone(&self) -> Box<dyn Reference> {
        Box::new(self.clone())
    }
}
