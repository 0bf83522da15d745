//! A motion that begins at some time, somewhere on the ground.

use std::sync::Arc;

use stuntlab_physics::Model;
use stuntlab_physics::glam::DQuat;

use super::{Attitudes, Reference};
use crate::round_trip::place::Place;

/// When and where a motion begins.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Beginning {
    /// The time at which it is at its start, s.
    pub since: f64,
    /// Where on the ground it is played.
    pub place: Place,
}

/// A motion that may be begun anew, elsewhere.
#[derive(Clone)]
pub struct Placed {
    own: Arc<Model>,
    inner: Box<dyn Reference>,
    at: Beginning,
}

impl Placed {
    /// A motion of a character's own model, where it is and from time 0 on until it is begun anew.
    pub fn new(own: Arc<Model>, inner: Box<dyn Reference>) -> Self {
        Self { own, inner, at: Beginning::default() }
    }
}

impl Reference for Placed {
    fn write(&mut self, time: f64, q: &mut [f64]) {
        self.inner.write(time - self.at.since, q);
        self.at.place.put(&self.own, q);
    }

    fn spacing(&self) -> f64 {
        self.inner.spacing()
    }

    fn duration(&self) -> f64 {
        self.inner.duration()
    }

    fn period(&self) -> Option<f64> {
        self.inner.period()
    }

    fn attitudes(&mut self, model: &Model, time: f64, out: &mut Attitudes) {
        self.inner.attitudes(model, time - self.at.since, out);
        let place = self.at.place;
        if place != Place::HERE {
            out.turn(DQuat::from_rotation_z(place.yaw));
            out.position.iter_mut().for_each(|p| *p += place.shift);
        }
    }

    fn begin(&mut self, at: Beginning) {
        self.at = at;
    }

    fn boxed_clone(&self) -> Box<dyn Reference> {
        Box::new(self.clone())
    }
}
