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
//!
//! Which of the two is right depends on the motion. Who stands, walks or boxes falls when the root tips over, so the targets
//! hang on it. Who turns a cartwheel, rolls or gets up turns the whole body on purpose, which a root spring that only
//! balances cannot do: hung on the root, all targets wait for it, and the motion collapses. So the frame goes by the motion:
//!
//! ```text
//! B = exp(s · lean) H,   s = 1 while the motion's own root is upright, 0 where it lies or is upside down     (3')
//! ```
//!
//! With `1 - s` the root is a bone like the others, too, and a spring that could break over a fall has nothing to say.

use glam::{DQuat, DVec3};
use stuntlab_mocap::character::Bone;
use stuntlab_physics::glam;
use stuntlab_physics::spatial::{Transform, rotation};

use crate::reference::{Attitudes, twist};

/// Whose root the targets hang on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Frame {
    /// (3'): the simulated root where the motion is upright, its own where it is not.
    #[default]
    ByMotion,
    /// The simulated root (the paper): a leaning character leans all over.
    Egocentric,
    /// The reference's root turned to the simulated heading: every bone strives for its absolute attitude.
    Absolute,
}

/// Tilts of a root that is still upright, and of one that no longer is, degrees: a boxer ducks at 40, who gets up pushes off at 70.
const TILTS: [f64; 2] = [30.0, 60.0];

/// 1 for a root that is upright, 0 for one that lies or is upside down, smooth in between.
fn uprightness(root: DQuat) -> f64 {
    let tilt = (root * DVec3::Z).z.clamp(-1.0, 1.0).acos().to_degrees();
    let way = ((tilt - TILTS[0]) / (TILTS[1] - TILTS[0])).clamp(0.0, 1.0);
    1.0 - way * way * (3.0 - 2.0 * way)
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
    /// `s` of (3').
    pub upright: f64,
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
            upright: 1.0,
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
        self.upright = match frame {
            Frame::ByMotion => uprightness(wanted.orientation[0]),
            Frame::Egocentric => 1.0,
            Frame::Absolute => 0.0,
        };
        let lean = rotation::log(self.actual[0] * root.conjugate());
        let base = rotation::exp(self.upright * lean.with_z(0.0)) * heading;
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
