//! A world in maximal coordinates: steps are taken by separate bodies, everybody else sees joint coordinates.
//!
//! Controllers, measurements and pictures read the joint coordinates nearest to the separate bodies; how far joints have come
//! apart stays with the bodies. Where somebody changes the joint coordinates (a throw, a snapshot of before) the bodies are put
//! there, with their joints together.

use stuntlab_physics::contact::Contact;
use stuntlab_physics::maximal::{Drift, Maximal};
use stuntlab_physics::step::StepError;
use stuntlab_physics::{Actuation, Data, Model, ModelError, State, StepOptions, StepReport, observe};

/// The separate bodies.
#[derive(Clone)]
pub(super) struct Apart {
    maximal: Maximal,
    state: State,
    data: Data,
    /// The joint coordinates that were read off last.
    joined: State,
}

impl Apart {
    /// A model taken apart at a state.
    pub(super) fn new(model: &Model, state: &State) -> Result<Self, ModelError> {
        let mut maximal = Maximal::new(model)?;
        let apart = maximal.separate(state);
        let data = Data::new(maximal.model());
        Ok(Self { maximal, state: apart, data, joined: state.clone() })
    }

    /// Takes a step and reads off the joint coordinates it leads to; `data` is told what passed through the joints.
    pub(super) fn advance(
        &mut self,
        state: &mut State,
        data: &mut Data,
        act: &Actuation,
        options: &StepOptions,
    ) -> Result<StepReport, StepError> {
        if *state != self.joined {
            self.state = self.maximal.separate(state);
            self.data.memory.clear(self.maximal.model());
        }
        observe(self.maximal.model(), &self.state, &mut self.data, options);
        let report = self.maximal.advance(&mut self.state, &mut self.data, act, options)?;
        data.reactions.clone_from(&self.data.reactions);
        *state = self.maximal.join(&self.state);
        self.joined.clone_from(state);
        Ok(report)
    }

    /// The contacts of the last step with their forces.
    pub(super) fn contacts(&self) -> &[Contact] {
        &self.data.contact.points
    }

    /// The separate bodies.
    pub(super) fn bodies(&self) -> (&Model, &State) {
        (self.maximal.model(), &self.state)
    }

    /// How far joints have come apart.
    pub(super) fn drift(&mut self, options: &StepOptions) -> Drift {
        observe(self.maximal.model(), &self.state, &mut self.data, options);
        self.maximal.drift(&self.data)
    }
}
