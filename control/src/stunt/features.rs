//! The state as classifiers see it: the features of [`crate::learned`], as of the last look.

use stuntlab_mocap::character::Physique;
use stuntlab_physics::Model;

use crate::controller::Sense;
use crate::learned;

/// Features of one state.
#[derive(Clone, Debug)]
pub struct Features {
    of: learned::Features,
    values: Vec<f64>,
}

impl Features {
    /// For a figure of its own model.
    pub fn new(model: &Model, physique: &Physique) -> Self {
        let of = learned::Features::new(model, physique);
        Self { values: vec![0.0; of.names().len()], of }
    }

    /// What they are called, in their order.
    pub fn names(&self) -> &[String] {
        self.of.names()
    }

    /// The vector.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Looks at a state.
    pub fn take(&mut self, sense: &Sense<'_>) {
        self.of.read(sense, &mut self.values);
    }
}
