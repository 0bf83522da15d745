//! k₁ and k₂ of every bone: one frequency and one damping ratio for the whole character, scaled by the inertia each bone
//! carries about its joint (Zordan & Hodgins 2002).
//!
//! Every bone has at least the stiffness of a tracker known to work (DeepMimic's, times 1.6 for a grown body). A bone that bears
//! carries the body and not only what hangs on it, so it is stiffer while it does: with `w` the share of the weight that
//! is borne by it and all beyond it, felt through their contacts,
//!
//! ```text
//! k₁ = max(I ω², k_table (ω/ω₀)²) + w · m g a/θ · (ω/ω₀)²
//! ```
//!
//! gives by no more than θ under the weight at an arm a. Legs that stand, arms in a cartwheel and knees on the ground
//! bear; a leg that swings gives way to what it meets.
//!
//! Stunned to a strength `s`, the first part fades as `s` with its damping as `√s` (limp, not jittery), the second with both as `s²`:
//! who is stunned bends at the knees, and sways, before anything else.

use stuntlab_mocap::character::{Bone, Part};
use stuntlab_physics::{BodyId, Model};

use crate::gains::carried_inertia;

/// ω₀: frequency at which the floor is that of the table, rad/s.
const TABLE_FREQUENCY: f64 = 40.0;
/// Factor from the table's 45 kg to a grown body.
const TABLE_SCALE: f64 = 1.6;
/// a: a limb bears the weight at about this arm, m …
const ARM: f64 = 0.2;
/// … θ: and gives by no more than this, rad. Legs that give more let the body sag by centimetres, and the foot that swings
/// drags.
const GIVE: f64 = 0.02;
/// Share of the weight at which a bone is as stiff as if it bore all of it: two legs stand as firmly as one.
const ENOUGH: f64 = 0.4;
/// Seconds in which a bone that begins to bear gets stiff, and in which it gives way again.
const FIRMING: [f64; 2] = [0.03, 0.06];

/// k₁ of the root as a bone like the others, at ω₀, N m/rad: that of the trunk.
const ROOT: f64 = 1600.0;

/// Gains of the spring that keeps the root's heading with the body's, N m/rad and N m s/rad.
pub(super) const YAW: (f64, f64) = (1000.0, 50.0);

/// Gains of all bones.
#[derive(Clone, Debug)]
pub struct BoneGains {
    parents: Vec<Option<usize>>,
    inertia: Vec<f64>,
    table: Vec<f64>,
    /// `m g a/θ`.
    bearing: f64,
    /// `w`, as of lately.
    firm: Vec<f64>,
    /// What every bone and all beyond it bear now, N.
    borne: Vec<f64>,
    weight: f64,
    stiffness: Vec<f64>,
    /// The part of the stiffness that is there because a bone bears.
    for_bearing: Vec<f64>,
    setting: (f64, f64),
}

impl BoneGains {
    /// Gains of a character's own model.
    pub fn new(model: &Model, frequency: f64, damping_ratio: f64) -> Self {
        let n = model.n_bodies();
        let of = |name: &str| Part::of_name(name).map_or(0.0, |part| part.strength().tracking);
        let weight = model.total_mass() * model.gravity().length();
        let mut gains = Self {
            parents: model.bodies().iter().map(|b| b.parent().map(BodyId::index)).collect(),
            inertia: carried_inertia(model, model.body_ids()),
            table: model.bodies().iter().map(|b| TABLE_SCALE * of(b.name())).collect(),
            bearing: weight * ARM / GIVE,
            firm: vec![0.0; n],
            borne: vec![0.0; n],
            weight,
            stiffness: vec![0.0; n],
            for_bearing: vec![0.0; n],
            setting: (frequency, damping_ratio),
        };
        gains.update();
        gains
    }

    /// Changes frequency (rad/s) and damping ratio.
    pub fn set(&mut self, frequency: f64, damping_ratio: f64) {
        if self.setting != (frequency, damping_ratio) {
            self.setting = (frequency, damping_ratio);
            self.update();
        }
    }

    /// Firms bones up that bear; `loads` is what every bone bears itself, N.
    pub fn bear(&mut self, loads: impl Iterator<Item = f64>, dt: f64) {
        self.borne.iter_mut().zip(loads).for_each(|(borne, load)| *borne = load);
        for i in (1..self.borne.len()).rev() {
            if let Some(parent) = self.parents[i] {
                self.borne[parent] += self.borne[i];
            }
        }
        let whole = (ENOUGH * self.weight).max(1e-12);
        for (firm, borne) in self.firm.iter_mut().zip(&self.borne) {
            let wanted = (borne / whole).min(1.0);
            let time = FIRMING[usize::from(wanted < *firm)];
            *firm += (wanted - *firm) * (dt / (time + dt));
        }
        self.update();
    }

    fn update(&mut self) {
        let share = (self.setting.0 / TABLE_FREQUENCY).powi(2);
        for i in 0..self.inertia.len() {
            let own = (self.inertia[i] * self.setting.0.powi(2)).max(self.table[i] * share);
            self.for_bearing[i] = self.firm[i] * self.bearing * share;
            self.stiffness[i] = own + self.for_bearing[i];
        }
        if let (Some(k1), Some(bearing)) = (self.stiffness.first_mut(), self.for_bearing.first_mut()) {
            (*k1, *bearing) = (YAW.0, 0.0);
        }
    }

    /// `k₂ / k₁`.
    fn damping_time(&self) -> f64 {
        let (frequency, damping_ratio) = self.setting;
        if frequency > 0.0 { 2.0 * damping_ratio / frequency } else { 0.0 }
    }

    /// k₁ and k₂ of a bone other than the root at a strength.
    pub fn of(&self, bone: Bone, strength: f64) -> (f64, f64) {
        let bearing = self.for_bearing[bone];
        let own = self.stiffness[bone] - bearing;
        let bearing = bearing * strength * strength;
        (own * strength + bearing, (own * strength.sqrt() + bearing) * self.damping_time())
    }

    /// k₁ and k₂ of the root as a bone like the others.
    pub fn of_root(&self) -> (f64, f64) {
        let k1 = ROOT * (self.setting.0 / TABLE_FREQUENCY).powi(2);
        (k1, k1 * self.damping_time())
    }

    /// k₁ of all bones; the root's is that of its spring about the vertical.
    pub fn stiffness(&self) -> &[f64] {
        &self.stiffness
    }
}
