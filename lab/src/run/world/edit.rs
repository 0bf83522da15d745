//! What is changed of a world between its steps: states from files, poses, gravity and friction.

use std::sync::Arc;

use stuntlab_physics::blackbox::{DumpError, Snapshot as SavedState};
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::model::ModelError;
use stuntlab_physics::step::Ledger;
use stuntlab_physics::{BodyId, Model, State};

use super::{Toll, World, fresh_senses};
use crate::scene::What;

impl World {
    /// State and memory, for a file. What controllers remember is not in it.
    pub fn saved(&self) -> SavedState {
        SavedState::take(self.model(), &self.state, &self.data)
    }

    /// Goes on from a file: controllers and senses begin anew there, and are told all that the scene had said until then.
    ///
    /// # Errors
    /// A state of another model, or a world in maximal coordinates, whose separate bodies no file holds.
    pub fn resume(&mut self, saved: &SavedState) -> Result<(), DumpError> {
        if self.apart.is_some() {
            let what = "the scene runs in maximal coordinates, which no file holds".to_owned();
            return Err(DumpError::OtherModel { what });
        }
        saved.restore(&self.stage.model, &mut self.state, &mut self.data)?;
        self.senses = fresh_senses(&self.stage);
        let made = self.cast().iter().map(|m| self.make_controller(m, &m.controller));
        // They were made when the world was.
        if let Ok(made) = made.collect() {
            self.controllers = made;
        }
        // Whoever still is where it waited waits on.
        let start = &self.stage.state;
        let waits = |body: &BodyId| {
            let range = self.stage.model.body(*body).coordinates();
            self.state.q[range] == start.q[range]
        };
        self.parked = self.stage.parked.iter().copied().filter(waits).collect();
        let now = self.state.time;
        self.fired = self.scene.events.iter().map(|event| event.time < now).collect();
        let said: Vec<What> =
            self.scene.events.iter().filter(|e| e.time < now).map(|e| e.what.clone()).collect();
        for what in said {
            if let What::Command { character, name, value, .. } = what {
                self.tell(&character, &name, value);
            }
        }
        (self.ledger, self.toll) = (Ledger::default(), Toll::none(&self.options));
        self.look();
        Ok(())
    }

    /// Changes the state between steps, and looks at it.
    pub(crate) fn edit(&mut self, change: impl FnOnce(&Model, &mut State)) {
        let mut changed = self.state.clone();
        change(&self.stage.model, &mut changed);
        if changed.is_finite() {
            self.state = changed;
            self.look();
        }
    }

    /// The factor on all coefficients of friction.
    pub fn friction(&self) -> f64 {
        self.friction
    }

    /// Whether gravity and friction can be changed: separate bodies of maximal coordinates keep theirs.
    pub fn can_move_elsewhere(&self) -> bool {
        self.apart.is_none()
    }

    /// Goes on under another gravity and with another factor on all friction. Controllers keep what they worked out before.
    ///
    /// # Errors
    /// Numbers that are not finite, friction below zero.
    pub fn move_elsewhere(&mut self, gravity: DVec3, friction: f64) -> Result<(), ModelError> {
        let usual = self.usual.clone().unwrap_or_else(|| Arc::new(self.stage.model.clone()));
        self.stage.model = usual.elsewhere(gravity, friction)?;
        (self.usual, self.friction) = (Some(usual), friction);
        self.look();
        Ok(())
    }
}
