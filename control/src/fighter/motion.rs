//! A clip as rows of the character's coordinates, ready to be read at any time.

use std::sync::Arc;

use stuntlab_mocap::character::{Character, PoseScratch};
use stuntlab_mocap::{Clip, ClipSpline, Sample};
use stuntlab_physics::glam::DQuat;
use stuntlab_physics::{JointKind, Model};

/// Where the quaternions are among a character's coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    n_q: usize,
    quaternions: Vec<usize>,
}

impl Layout {
    /// Layout of a model.
    pub fn new(model: &Model) -> Self {
        let quaternions = model.bodies().iter().filter_map(|b| match b.joint().kind {
            JointKind::Spherical => Some(b.coordinates().range().start),
            JointKind::Free => Some(b.coordinates().range().start + 3),
            _ => None,
        });
        Self { n_q: model.n_q(), quaternions: quaternions.collect() }
    }

    /// Number of coordinates.
    pub fn n_q(&self) -> usize {
        self.n_q
    }

    /// Moves `q` towards `other` by the share `weight`: rotations along the shortest way, all else linearly.
    pub fn mix(&self, q: &mut [f64], other: &[f64], weight: f64) {
        let mut next = self.quaternions.iter().copied();
        let mut quaternion = next.next();
        let mut k = 0;
        while k < self.n_q {
            if quaternion == Some(k) {
                let read = |from: &[f64]| DQuat::from_slice(&from[k..k + 4]);
                let mixed = read(q).slerp(read(other), weight).normalize();
                q[k..k + 4].copy_from_slice(&mixed.to_array());
                quaternion = next.next();
                k += 4;
            } else {
                q[k] += weight * (other[k] - q[k]);
                k += 1;
            }
        }
    }
}

/// A clip in coordinates of the character.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// Name of the clip.
    pub name: String,
    /// Whether it begins anew at its end.
    pub cyclic: bool,
    /// Length, s.
    pub duration: f64,
    rate: f64,
    rows: Vec<f64>,
}

impl Motion {
    /// Reads a clip on the character's skeleton at `rate` rows per second.
    pub fn new(character: &Arc<Character>, clip: &Clip, cyclic: bool, rate: f64) -> Self {
        let (spline, n_q) = (ClipSpline::new(clip), character.model().n_q());
        let (mut sample, mut scratch) = (Sample::default(), PoseScratch::default());
        let n = (clip.duration() * rate).ceil() as usize + 1;
        let mut rows = vec![0.0; n * n_q];
        for (k, row) in rows.chunks_exact_mut(n_q).enumerate() {
            spline.sample((k as f64 / rate).min(clip.duration()), &mut sample);
            character.write_pose(&sample.pose, &mut scratch, row);
        }
        Self { name: clip.name.clone(), cyclic, duration: clip.duration(), rate, rows }
    }

    /// Writes the coordinates at a time of the clip; beyond its ends a clip that is not cyclic holds still.
    pub fn write(&self, time: f64, layout: &Layout, q: &mut [f64]) {
        let time = if self.cyclic { time.rem_euclid(self.duration) } else { time.clamp(0.0, self.duration) };
        let place = time * self.rate;
        let last = self.rows.len() / layout.n_q - 1;
        let (row, next) = ((place as usize).min(last), (place as usize + 1).min(last));
        let at = |k: usize| &self.rows[k * layout.n_q..(k + 1) * layout.n_q];
        q.copy_from_slice(at(row));
        layout.mix(q, at(next), (place - row as f64).min(1.0));
    }
}
