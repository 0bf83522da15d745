//! k₁ and k₂ of every bone: one frequency and one damping ratio for the whole character, scaled by the inertia each bone
//! carries about its joint (Zordan & Hodgins 2002).
//!
//! Legs carry the body, not only what hangs on them, so inertia alone leaves shanks and feet too weak to stand on;
//! every bone has at least the stiffness of a tracker known to work (DeepMimic's, times 1.6 for a grown body), scaled
//! with the square of the frequency like the rest.

use stuntlab_mocap::character::{Bone, Part};
use stuntlab_physics::Model;

use crate::gains::carried_inertia;

/// Frequency at which the floor is that of the table, rad/s.
const TABLE_FREQUENCY: f64 = 40.0;
/// Factor from the table's 45 kg to a grown body.
const TABLE_SCALE: f64 = 1.6;

/// Gains of the spring that keeps the root's heading with the body's, N m/rad and N m s/rad.
pub(super) const YAW: (f64, f64) = (1000.0, 50.0);

/// Gains of all bones.
#[derive(Clone, Debug)]
pub struct BoneGains {
    inertia: Vec<f64>,
    table: Vec<f64>,
    stiffness: Vec<f64>,
    damping: Vec<f64>,
    setting: (f64, f64),
}

impl BoneGains {
    /// Gains of a character's own model.
    pub fn new(model: &Model, frequency: f64, damping_ratio: f64) -> Self {
        let n = model.n_bodies();
        let of = |name: &str| Part::of_name(name).map_or(0.0, |part| part.strength().tracking);
        let table = model.bodies().iter().map(|b| of(b.name()));
        let inertia = carried_inertia(model, model.body_ids());
        let mut gains = Self {
            inertia,
            table: table.collect(),
            stiffness: vec![0.0; n],
            damping: vec![0.0; n],
            setting: (f64::NAN, f64::NAN),
        };
        gains.set(frequency, damping_ratio);
        gains
    }

    /// Changes frequency (rad/s) and damping ratio.
    pub fn set(&mut self, frequency: f64, damping_ratio: f64) {
        if self.setting == (frequency, damping_ratio) {
            return;
        }
        self.setting = (frequency, damping_ratio);
        let share = (frequency / TABLE_FREQUENCY).powi(2) * TABLE_SCALE;
        for i in 0..self.inertia.len() {
            let k1 = (self.inertia[i] * frequency * frequency).max(self.table[i] * share);
            self.stiffness[i] = k1;
            self.damping[i] = if frequency > 0.0 { 2.0 * damping_ratio * k1 / frequency } else { 0.0 };
        }
        if let (Some(k1), Some(k2)) = (self.stiffness.first_mut(), self.damping.first_mut()) {
            (*k1, *k2) = YAW;
        }
    }

    /// k₁ and k₂ of a bone.
    pub fn of(&self, bone: Bone) -> (f64, f64) {
        (self.stiffness[bone], self.damping[bone])
    }

    /// k₁ of all bones; the root's is that of its spring about the vertical.
    pub fn stiffness(&self) -> &[f64] {
        &self.stiffness
    }
}
