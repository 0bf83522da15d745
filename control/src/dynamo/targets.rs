//! Desired world orientations and angular velocities (Wrotek 2006, eqs. 2–4).
//!
//! ```text
//! (2)  Δ(D, A) = θ v, the rotation vector of D Aᵀ
//! (3)  W_d = P for the root;  W_a,root P_d below it;  W_d,parent P_d deeper
//! (4)  ω_d = Δ(W_d(t + δ), W_d(t)) / δ
//! ```
//!
//! Unrolling (3), every bone's target is `B G_b`, where `G` are the reference motion's own world orientations and
//! `B = W_a,root G_rootᵀ` carries them to the actual root. Two things are done differently, because the root's bone is
//! light and nothing holds it about the vertical (7):
//!
//! * **Heading.** With the root's own heading in `B`, whatever turns the pelvis turns all targets with it, and the
//!   character winds itself up. `B` takes its tilt from the root and its turn about the vertical, `H`, from the whole
//!   body: the turn that fits all bones best, weighted by their stiffness, so that the springs' moments about the
//!   vertical cancel. Heading is thereby never forced, as in the paper.
//! * **Rate.** (4) with the actual root held still would brake any motion whose root turns, a cartwheel above all; here
//!   the root turns on as the reference's does, so `ω_d = B ω_b` with the reference's own rates.
//!
//! In the absolute frame `B = H`: every bone strives for its attitude in the world ("super-balance").

use glam::{DQuat, DVec3};
use stuntlab_mocap::character::Bone;
use stuntlab_physics::glam;
use stuntlab_physics::spatial::{Transform, rotation};

use crate::reference::{Attitudes, twist};

/// Whose root the targets hang on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Frame {
    /// The simulated root (the paper): a leaning character leans all over.
    #[default]
    Egocentric,
    /// The reference's root turned to the simulated heading: every bone strives for its absolute attitude.
    Absolute,
}

/// What every bone should do.
#[derive(Clone, Debug)]
pub struct Targets {
    /// Desired orientation `W_d`, root first.
    pub orientation: Vec<DQuat>,
    /// Desired angular velocity `ω_d`, world axes.
    pub angular_velocity: Vec<DVec3>,
    /// `Δ(W_d, W_a)`, world axes.
    pub error: Vec<DVec3>,
    /// Turn about the vertical from the reference's world to the character's.
    pub heading: DQuat,
    actual: Vec<DQuat>,
}

impl Targets {
    /// Room for so many bones.
    pub fn new(bones: usize) -> Self {
        Self {
            orientation: vec![DQuat::IDENTITY; bones],
            angular_velocity: vec![DVec3::ZERO; bones],
            error: vec![DVec3::ZERO; bones],
            heading: DQuat::IDENTITY,
            actual: vec![DQuat::IDENTITY; bones],
        }
    }

    /// Targets for bones that are where `pose` says, `weight` being what each counts for the heading.
    pub fn update(&mut self, wanted: &Attitudes, pose: &[Transform], weight: &[f64], frame: Frame) {
        // The twist about z of Σ weight · tr(Rz(ψ)ᵀ W_a Gᵀ) → max.
        let (mut cosine, mut sine) = (0.0, 0.0);
        for (i, ((actual, pose), g)) in self.actual.iter_mut().zip(pose).zip(&wanted.orientation).enumerate()
        {
            *actual = DQuat::from_mat3(&pose.rotation);
            let r = *actual * g.conjugate();
            cosine += weight[i] * (r.w * r.w - r.z * r.z);
            sine += weight[i] * 2.0 * r.w * r.z;
        }
        let heading = {
            let half = 0.5 * sine.atan2(cosine);
            twist(half.cos(), half.sin())
        };
        self.heading = heading;
        let root = heading * wanted.orientation[0];
        let base = match frame {
            Frame::Egocentric => {
                let lean = rotation::log(self.actual[0] * root.conjugate());
                rotation::exp(lean.with_z(0.0)) * heading
            }
            Frame::Absolute => heading,
        };
        let turn = rotation::matrix(base);
        for i in 0..self.orientation.len() {
            self.orientation[i] = base * wanted.orientation[i];
            self.angular_velocity[i] = turn * wanted.angular_velocity[i]; // (4)
        }
        self.orientation[0] = root;
        self.angular_velocity[0] = heading * wanted.angular_velocity[0];
        for ((error, d), a) in self.error.iter_mut().zip(&self.orientation).zip(&self.actual) {
            *error = rotation::log(*d * a.conjugate()); // (2)
        }
    }

    /// Actual orientation of a bone as of the last update.
    pub fn actual(&self, bone: Bone) -> DQuat {
        self.actual[bone]
    }

    /// Mean angle between the bones below the root and their targets, rad.
    pub fn mean_error(&self) -> f64 {
        let below = &self.error[1..];
        below.iter().map(|e| e.length()).sum::<f64>() / below.len().max(1) as f64
    }
}
