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
//! B = exp(s · lean) H,   s = 1 while the motion's own root is upright and high, 0 where it lies, sits on the ground or is
//!                        upside down                                                                       (3')
//! ```
//!
//! With `1 - s` the root is a bone like the others, too, and a spring that could break over a fall has nothing to say.
//!
//! In **parent space** ([`Space::Parent`]), the baseline of the paper, a bone strives for its angle to the parent wherever that is:
//!
//! ```text
//! W_d = W_a,parent P_d,   ω_d = ω_a,parent + W_a,parent (the motion's own rate to its parent)                 (3'')
//! ```

use glam::{DQuat, DVec3};
use stuntlab_mocap::character::Bone;
use stuntlab_physics::glam;
use stuntlab_physics::spatial::{Transform, rotation};
use stuntlab_physics::{BodyId, Model};

use crate::reference::{Attitudes, twist};

/// What a bone strives for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Space {
    /// Its orientation in the world (3'): the actual orientation of all bones but the root is ignored (the paper).
    #[default]
    World,
    /// Its angle to the parent (3''): errors add up along a limb (what the paper compares with).
    Parent,
}

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

/// Heights of a root over the lowest bone, as shares of that of the standing figure, of one that is on the ground and of one that is on its
/// feet: who sits up has 0.2, who squats to get up 0.4, a boxer who ducks 0.6.
const HEIGHTS: [f64; 2] = [0.35, 0.55];

/// 0 below the range, 1 above it, smooth in between.
fn smooth_step(x: f64, [from, to]: [f64; 2]) -> f64 {
    let way = ((x - from) / (to - from)).clamp(0.0, 1.0);
    way * way * (3.0 - 2.0 * way)
}

/// 1 for one who is upright on the feet, 0 for one who lies, sits on the ground or is upside down; `height` is that of the root over the lowest
/// bone relative to standing.
fn uprightness(root: DQuat, height: f64) -> f64 {
    let tilt = (root * DVec3::Z).z.clamp(-1.0, 1.0).acos().to_degrees();
    (1.0 - smooth_step(tilt, TILTS)) * smooth_step(height, HEIGHTS)
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
    standing: f64,
}

impl Targets {
    /// Room for so many bones of a figure whose root is so high when it stands, m.
    pub fn new(bones: usize, standing: f64) -> Self {
        Self {
            standing,
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
            Frame::ByMotion => {
                let lowest = wanted.position.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
                let height = (wanted.position[0].z - lowest) / self.standing.max(1e-3);
                uprightness(wanted.orientation[0], height)
            }
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

    /// Turns the target of a bone by a rotation that itself turns at a rate, both world axes.
    pub(super) fn turn(&mut self, bone: Bone, by: DQuat, rate: DVec3) {
        self.orientation[bone] = by * self.orientation[bone];
        self.angular_velocity[bone] = by * self.angular_velocity[bone] + rate;
        self.error[bone] = rotation::log(self.orientation[bone] * self.actual[bone].conjugate()); // (2)
    }

    /// (3'') in place of (3') for all bones of `model` below the root; `spin` is how fast a bone turns now.
    pub fn hang_on_parents(&mut self, model: &Model, wanted: &Attitudes, spin: impl Fn(Bone) -> DVec3) {
        for bone in (1..self.orientation.len()).map(Bone::new) {
            let parent = Bone::new(model.bodies()[bone].parent().map_or(0, BodyId::index));
            let was = wanted.orientation[parent].conjugate();
            let own = wanted.angular_velocity[bone] - wanted.angular_velocity[parent];
            let actual = self.actual[parent];
            self.orientation[bone] = actual * (was * wanted.orientation[bone]);
            self.angular_velocity[bone] = spin(parent) + actual * (was * own);
            self.error[bone] = rotation::log(self.orientation[bone] * self.actual[bone].conjugate()); // (2)
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
