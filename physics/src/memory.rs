//! What lasts from step to step besides the state: contact identity and stiction, warm starts, sleep.

use glam::DVec3;

use crate::contact::{Contact, Phase, Stick};
use crate::convex::Warm;
use crate::convex::flow::Rise;
use crate::model::{BodyId, Model};
use crate::step::reports::Remembered;
use crate::step::sleep::Sleep;

/// What a step remembers of those before it. [`crate::Data`] holds it as its only part that outlives a step: whoever
/// saves a run in the middle saves the [`crate::State`] and this, and goes on from both bit for bit. A run that goes on from the
/// state alone is the same motion, but contacts begin anew.
#[derive(Debug, PartialEq)]
pub struct Memory {
    /// Contacts that pressed in the last step, those with the static world first, each group sorted by key.
    pub(crate) touches: Vec<Touch>,
    pub(crate) n_static: usize,
    /// Which trees rest.
    pub(crate) sleep: Sleep,
    /// Impulse of each body's joint limits in the last step.
    pub(crate) limit_loads: Vec<f64>,
    /// What pins, motors and rows ended the last step with, sorted by kind and key.
    pub(crate) efforts: Vec<Remembered>,
    /// Where the next solve starts.
    pub(crate) warm: Warm,
    /// What bodies felt in the last step.
    pub(crate) felt: Vec<Felt>,
    /// What trees that hang have risen by beyond what their kicks took for it.
    pub(crate) rises: Vec<Rise>,
}

/// A force between two bodies, or of the world on one, in the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Felt {
    /// The body the force acts on.
    pub body_a: BodyId,
    /// The body its opposite acts on; `None` for the static world.
    pub body_b: Option<BodyId>,
    /// Where, world, as the step began.
    pub point: DVec3,
    /// Unit normal from B into A, world.
    pub normal: DVec3,
    /// Mean over the step, world, N.
    pub force: DVec3,
}

/// What is remembered of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Touch {
    /// Both colliders and the feature between them.
    pub(crate) key: (u32, u32, u64),
    pub(crate) phase: Phase,
    /// Force on A, world.
    pub(crate) force: DVec3,
    /// Where it sticks.
    pub(crate) stick: Stick,
}

impl Clone for Memory {
    fn clone(&self) -> Self {
        Self {
            touches: self.touches.clone(),
            n_static: self.n_static,
            sleep: self.sleep.clone(),
            limit_loads: self.limit_loads.clone(),
            efforts: self.efforts.clone(),
            warm: self.warm.clone(),
            felt: self.felt.clone(),
            rises: self.rises.clone(),
        }
    }

    /// Reuses the memory, which the derived one would not.
    fn clone_from(&mut self, source: &Self) {
        self.touches.clone_from(&source.touches);
        self.n_static = source.n_static;
        self.sleep.clone_from(&source.sleep);
        self.limit_loads.clone_from(&source.limit_loads);
        self.efforts.clone_from(&source.efforts);
        self.warm.clone_from(&source.warm);
        self.felt.clone_from(&source.felt);
        self.rises.clone_from(&source.rises);
    }
}

impl Memory {
    /// Nothing remembered yet.
    pub fn new(model: &Model) -> Self {
        Self {
            touches: Vec::new(),
            n_static: 0,
            sleep: Sleep::new(model.trees.len()),
            limit_loads: vec![0.0; model.n_bodies()],
            efforts: Vec::new(),
            warm: Warm::new(model),
            felt: Vec::new(),
            rises: vec![Rise::default(); model.trees.len()],
        }
    }

    /// Forgets everything, as after a state was set from outside.
    pub fn clear(&mut self, model: &Model) {
        *self = Self::new(model);
    }

    /// What bodies felt in the last step, whether or not they still touch where they did: what senses should read.
    /// (Contacts in [`crate::Data`] are those of the state at hand; a blow that parts what it hits is no longer among them.) If the step
    /// was taken in parts, forces of one place may come in several entries, which add up.
    pub fn felt(&self) -> &[Felt] {
        &self.felt
    }

    /// Keeps what the next step wants to know of the contacts of this one, which is the given share of a whole step.
    pub(crate) fn keep_contacts(&mut self, points: &[Contact], n_static: usize, share: f64) {
        for c in points.iter().filter(|c| c.force != DVec3::ZERO) {
            let Contact { body_a, body_b, point, normal, force, .. } = *c;
            self.felt.push(Felt { body_a, body_b, point, normal, force: force * share });
        }
        self.touches.clear();
        self.n_static = 0;
        for (k, c) in points.iter().enumerate() {
            if c.phase != Phase::Open {
                self.touches.push(Touch { key: c.key, phase: c.phase, force: c.force, stick: c.stick });
                self.n_static += usize::from(k < n_static);
            }
        }
    }
}
