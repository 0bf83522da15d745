//! What a motion wants of every bone at one time, in the motion's own world.

use stuntlab_physics::dynamics::forward_kinematics;
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::spatial::rotation;
use stuntlab_physics::{Data, Model, State};

/// Orientations, places and velocities of all bones, root first.
#[derive(Clone, Debug, Default)]
pub struct Attitudes {
    /// World orientation of every bone.
    pub orientation: Vec<DQuat>,
    /// Angular velocity of every bone, world axes, rad/s.
    pub angular_velocity: Vec<DVec3>,
    /// Origin of every bone, m.
    pub position: Vec<DVec3>,
    /// Velocity of the origins, m/s.
    pub velocity: Vec<DVec3>,
}

impl Attitudes {
    /// Room for `bones`, all at rest in the zero pose.
    pub fn new(bones: usize) -> Self {
        Self {
            orientation: vec![DQuat::IDENTITY; bones],
            angular_velocity: vec![DVec3::ZERO; bones],
            position: vec![DVec3::ZERO; bones],
            velocity: vec![DVec3::ZERO; bones],
        }
    }

    /// Number of bones.
    pub fn len(&self) -> usize {
        self.orientation.len()
    }

    /// Whether there is no bone at all.
    pub fn is_empty(&self) -> bool {
        self.orientation.is_empty()
    }

    /// Turns everything about the vertical through the world's origin.
    pub fn turn(&mut self, heading: DQuat) {
        self.orientation.iter_mut().for_each(|q| *q = heading * *q);
        for vectors in [&mut self.angular_velocity, &mut self.position, &mut self.velocity] {
            vectors.iter_mut().for_each(|v| *v = heading * *v);
        }
    }

    /// Moves `share` of the way to `other`: orientations along the chord (normalised), vectors linearly.
    pub fn blend(&mut self, other: &Self, share: f64) {
        for (a, b) in self.orientation.iter_mut().zip(&other.orientation) {
            *a = chord(*a, *b, share);
        }
        let rows = [
            (&mut self.angular_velocity, &other.angular_velocity),
            (&mut self.position, &other.position),
            (&mut self.velocity, &other.velocity),
        ];
        for (mine, theirs) in rows {
            for (a, b) in mine.iter_mut().zip(theirs) {
                *a = a.lerp(*b, share);
            }
        }
    }
}

/// Normalised linear interpolation, the short way round.
pub fn chord(a: DQuat, b: DQuat, share: f64) -> DQuat {
    let sign = if a.dot(b) < 0.0 { -share } else { share };
    (a * (1.0 - share) + b * sign).normalize()
}

/// A motion's poses at two times, made into [`Attitudes`] by finite differences.
#[derive(Clone, Debug)]
pub struct Sampler {
    ghost: State,
    now: Data,
    ahead: Data,
}

impl Sampler {
    /// Room for a character's own model.
    pub fn new(model: &Model) -> Self {
        Self { ghost: State::new(model), now: Data::new(model), ahead: Data::new(model) }
    }

    /// Attitudes of a motion whose coordinates `write` gives, with velocities looking `ahead` seconds (Wrotek 2006,
    /// eq. 4: `ω_d = Δ(W_d(t + δ), W_d(t)) / δ`).
    pub fn sample(
        &mut self,
        model: &Model,
        time: f64,
        ahead: f64,
        mut write: impl FnMut(f64, &mut [f64]),
        out: &mut Attitudes,
    ) {
        write(time, &mut self.ghost.q);
        forward_kinematics(model, &self.ghost, &mut self.now);
        write(time + ahead, &mut self.ghost.q);
        forward_kinematics(model, &self.ghost, &mut self.ahead);
        let poses = self.now.position.world_from_body.iter().zip(&self.ahead.position.world_from_body);
        for (i, (now, later)) in poses.enumerate() {
            let turn = DQuat::from_mat3(&(later.rotation * now.rotation.transpose()));
            out.orientation[i] = DQuat::from_mat3(&now.rotation);
            out.angular_velocity[i] = rotation::log(turn) / ahead;
            out.position[i] = now.translation;
            out.velocity[i] = (later.translation - now.translation) / ahead;
        }
    }
}
