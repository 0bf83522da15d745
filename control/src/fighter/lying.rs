//! Which way of getting up fits a lying pose.
//!
//! Candidates are moments of the beginnings of the get-up clips (the first 30 %), mirrored ones included.
//! A pose is the cloud of its bodies' places; the distance of two clouds is Kovar's (2002), taken at the best turn
//! about the vertical and the best shift (Kovar et al. 2002), so that no heading need be defined for a body on its side. Clouds
//! of one who lies on the back and one who lies on the face are much alike: the tilt of the pelvis counts besides.

use std::ops::Range;

use stuntlab_mocap::character::{Character, Part};
use stuntlab_physics::dynamics::forward_kinematics;
use stuntlab_physics::glam::{DMat3, DVec3};
use stuntlab_physics::{Data, State};

use super::motion::{Layout, Motion};

/// Share of a get-up clip in which it may be entered.
const BEGINNING: f64 = 0.3;
/// Seconds between candidates.
const SPACING: f64 = 0.1;

/// Distance a tilt of the pelvis by one radian counts for, m.
const ARM: f64 = 0.3;

/// A moment of a get-up clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Start {
    /// Number of the motion.
    pub motion: usize,
    /// Time of its clip, s.
    pub at: f64,
    /// Root mean square distance of the bodies from the pose sought, and of the pelvis' tilt, m.
    pub distance: f64,
}

/// Moments to get up from.
#[derive(Clone, Debug)]
pub struct Lying {
    weights: Vec<f64>,
    moments: Vec<(usize, f64)>,
    /// Direction of the pelvis that points up, per moment.
    up_pelvis: Vec<DVec3>,
    /// Places of the bodies per moment, relative to their weighted mean.
    clouds: Vec<DVec3>,
}

impl Lying {
    /// Takes the beginnings of some motions.
    pub fn new(character: &Character, layout: &Layout, motions: &[Motion], get_ups: Range<usize>) -> Self {
        let model = character.model();
        let weights: Vec<f64> = character
            .parts()
            .iter()
            .map(|part| match part {
                Part::Pelvis | Part::Spine(_) => 2.0,
                Part::Hand(_) => 0.5,
                _ => 1.0,
            })
            .collect();
        let (mut state, mut data) = (State::new(model), Data::new(model));
        let (mut moments, mut clouds, mut up_pelvis) = (Vec::new(), Vec::new(), Vec::new());
        for motion in get_ups {
            let n = (BEGINNING * motions[motion].duration / SPACING) as usize;
            for at in (0..=n).map(|k| k as f64 * SPACING) {
                motions[motion].write(at, layout, &mut state.q);
                forward_kinematics(model, &state, &mut data);
                moments.push((motion, at));
                up_pelvis.push(data.position.world_from_body[0].rotation.transpose() * DVec3::Z);
                let first = clouds.len();
                clouds.extend(data.position.world_from_body.iter().map(|t| t.translation));
                center(&mut clouds[first..], &weights);
            }
        }
        Self { weights, moments, up_pelvis, clouds }
    }

    /// The moment nearest to a pose given by the places of its bodies, which are moved to their mean, and by the
    /// orientation of its pelvis.
    pub fn nearest(&self, places: &mut [DVec3], pelvis: &DMat3) -> Start {
        center(places, &self.weights);
        let mut best = Start { motion: self.moments[0].0, at: 0.0, distance: f64::INFINITY };
        let clouds = self.clouds.chunks_exact(self.weights.len());
        for ((cloud, &(motion, at)), up) in clouds.zip(&self.moments).zip(&self.up_pelvis) {
            let tilt = (*pelvis * *up).angle_between(DVec3::Z);
            let distance = cloud_distance(cloud, places, &self.weights).hypot(ARM * tilt);
            if distance < best.distance {
                best = Start { motion, at, distance };
            }
        }
        best
    }
}

/// Moves a cloud so that its weighted mean is zero.
fn center(cloud: &mut [DVec3], weights: &[f64]) {
    let sum: DVec3 = cloud.iter().zip(weights).map(|(p, w)| *p * *w).sum();
    let mean = sum / weights.iter().sum::<f64>();
    cloud.iter_mut().for_each(|p| *p -= mean);
}

/// Root mean square distance of two centred clouds at the best turn about the vertical: the turn is
/// `atan2(Σ w (x'y - y'x), Σ w (x'x + y'y))`.
fn cloud_distance(a: &[DVec3], b: &[DVec3], weights: &[f64]) -> f64 {
    let (mut sine, mut cosine, mut squares, mut total) = (0.0, 0.0, 0.0, 0.0);
    for ((p, q), w) in a.iter().zip(b).zip(weights) {
        sine += w * (p.x * q.y - p.y * q.x);
        cosine += w * (p.x * q.x + p.y * q.y);
        squares += w * (p.length_squared() + q.length_squared() - 2.0 * p.z * q.z);
        total += w;
    }
    // Σ w |p - R q|² = Σ w (|p|² + |q|²) - 2 Σ w p·Rq, and the last sum is largest at the best turn.
    ((squares - 2.0 * sine.hypot(cosine)).max(0.0) / total).sqrt()
}
