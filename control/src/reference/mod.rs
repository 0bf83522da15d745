//! Motions to follow, as coordinates and bone attitudes of the character's own model.
//!
//! A clip is turned once into a table of [`Attitudes`], one row per frame; following it then costs an interpolation
//! per bone and step. Several motions become one in a [`Medley`], which fades between them.

mod attitudes;
mod clip;
mod medley;
mod placed;
mod remnant;

pub use attitudes::{Attitudes, Sampler, chord};
pub use clip::ClipReference;
pub(crate) use medley::twist;
pub use medley::{Medley, heading_turn};
pub use placed::{Beginning, Placed};

use std::any::Any;

use stuntlab_physics::Model;

/// Where the character should be, over time. `Any`, so that whoever gave a motion away can reach it again
/// ([`crate::Dynamo::reference_mut`]).
pub trait Reference: Any + Send {
    /// Writes the wanted coordinates at `time` (s since the motion began), in the layout of the character's own
    /// model.
    fn write(&mut self, time: f64, q: &mut [f64]);

    /// Spacing of the motion's samples, s: how far ahead velocities look.
    fn spacing(&self) -> f64;

    /// Length, s; infinite for a motion without end.
    fn duration(&self) -> f64;

    /// Length of a round, s, of a motion that goes round and round for ever; rounds differ in place and heading only.
    fn period(&self) -> Option<f64> {
        None
    }

    /// What every bone should do at `time`; asked every step.
    fn attitudes(&mut self, model: &Model, time: f64, out: &mut Attitudes);

    /// Begins anew at a time, somewhere on the ground; only [`Placed`] can.
    fn begin(&mut self, _at: Beginning) {}

    /// A copy.
    fn boxed_clone(&self) -> Box<dyn Reference>;
}

impl Clone for Box<dyn Reference> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}

/// One pose for ever.
#[derive(Clone, Debug)]
pub struct HeldPose {
    q: Vec<f64>,
    rows: Option<Attitudes>,
}

impl HeldPose {
    /// Holds these coordinates.
    pub fn new(q: Vec<f64>) -> Self {
        Self { q, rows: None }
    }
}

impl Reference for HeldPose {
    fn write(&mut self, _time: f64, q: &mut [f64]) {
        q.copy_from_slice(&self.q);
    }

    fn spacing(&self) -> f64 {
        1.0 / 120.0
    }

    fn duration(&self) -> f64 {
        f64::INFINITY
    }

    fn period(&self) -> Option<f64> {
        Some(self.spacing())
    }

    fn attitudes(&mut self, model: &Model, time: f64, out: &mut Attitudes) {
        let Self { q: held, rows } = self;
        let rows = rows.get_or_insert_with(|| {
            let mut rows = Attitudes::new(model.n_bodies());
            Sampler::new(model).sample(model, time, 1.0, |_, q| q.copy_from_slice(held), &mut rows);
            rows
        });
        out.clone_from(rows);
    }

    fn boxed_clone(&self) -> Box<dyn Reference> {
        Box::new(self.clone())
    }
}
