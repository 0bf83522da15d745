//! Playback: every joint moves as the motion says, root included, whatever is in the way.
//!
//! The baseline that is not simulated: the character pushes others and is not pushed. All joints are prescribed
//! (RBDA 9.2) at the velocity that ends the step on the motion's next pose,
//!
//! ```text
//! v̄ = (q̄(t + h) ⊖ q) / h
//! ```

use std::sync::Arc;

use stuntlab_physics::{Actuation, Model, State};

use crate::controller::{Controller, Role, Sense};
use crate::kind::{Casting, Kind, Maker, Refusal};
use crate::reference::{Beginning, Reference};

/// Fastest a joint makes up for being elsewhere, m/s or rad/s: after a swap in the middle of a run the character glides
/// to its motion.
const CATCHING_UP: f64 = 3.0;

/// Plays a motion back.
#[derive(Clone)]
pub struct Playback {
    model: Arc<Model>,
    reference: Box<dyn Reference>,
    now: State,
    next: State,
    way: Vec<f64>,
    /// The motion's own way during the step.
    own_way: Vec<f64>,
}

impl Playback {
    /// Plays `reference` on a character with its own `model` (one tree, as it was appended to the scene).
    pub fn new(model: impl Into<Arc<Model>>, reference: Box<dyn Reference>) -> Self {
        let model = model.into();
        let state = State::new(&model);
        let way = vec![0.0; model.n_v()];
        Self { own_way: way.clone(), way, now: state.clone(), next: state, model, reference }
    }
}

/// The row of the kind.
pub const KIND: Kind = Kind {
    name: "mocap",
    help: "The character's motion, or its start pose, without simulation: it pushes and is not pushed",
    keys: &[],
    commands: &[],
    readings: &[],
    read: |_, _| Ok(Arc::new(PlaybackMaker)),
};

#[derive(Debug)]
struct PlaybackMaker;

impl Maker for PlaybackMaker {
    fn make(&self, casting: &Casting<'_>) -> Result<Box<dyn Controller>, Refusal> {
        Ok(Box::new(Playback::new(casting.own.clone(), (casting.reference)())))
    }
}

impl Controller for Playback {
    fn name(&self) -> &'static str {
        "mocap"
    }

    fn act(&mut self, sense: &Sense<'_>, out: &mut Actuation) {
        let Self { model, reference, now, next, way, own_way } = self;
        let own = sense.tree();
        let h = sense.dt;
        reference.write(sense.time() + h, &mut next.q);
        reference.write(sense.time(), &mut now.q);
        now.difference(model, next, own_way);
        now.q.copy_from_slice(&sense.state.q[own.coordinates]);
        now.difference(model, next, way);
        for (rate, (way, own)) in
            out.prescribed_velocity[own.freedoms].iter_mut().zip(way.iter().zip(own_way))
        {
            *rate = *own / h + ((way - *own) / h).clamp(-CATCHING_UP, CATCHING_UP);
        }
        out.prescribed[own.bodies].fill(true);
    }

    fn begin(&mut self, at: Beginning) {
        self.reference.begin(at);
    }

    fn target(&self, sense: &Sense<'_>, q: &mut [f64]) -> bool {
        self.reference.clone().write(sense.time(), &mut q[sense.tree().coordinates]);
        true
    }

    fn role(&self) -> Role {
        Role::Recording
    }

    fn boxed_clone(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::ClipReference;
    use crate::senses::Senses;
    use std::sync::Arc;
    use stuntlab_mocap::character::{Character, CharacterOptions, Physique};
    use stuntlab_mocap::library;
    use stuntlab_physics::step::{advance, observe};
    use stuntlab_physics::{Data, StepOptions};

    #[test]
    fn a_walk_is_played_back_exactly_over_several_rounds() {
        let (character, _) =
            Character::build(&library::skeleton(), &CharacterOptions::default()).expect("our own skeleton");
        let character = Arc::new(character);
        let model = character.model().clone();
        let physique = Physique::of(&character).into();
        let mut senses = Senses::new(&model, model.body_ids(), physique);
        let clip = library::clip("walk").expect("in the library");
        let mut reference = ClipReference::new(character, &clip, true);
        let mut playback = Playback::new(model.clone(), reference.boxed_clone());
        let options = StepOptions::default();
        let (mut state, mut data, mut act) = (State::new(&model), Data::new(&model), Actuation::new(&model));
        reference.write(0.0, &mut state.q);
        let start = state.q[0];
        for _ in 0..400 {
            observe(&model, &state, &mut data, &options);
            act.clear();
            senses.look(&model, &state, &data);
            playback.act(&Sense::new(&model, &state, &data, options.dt, &senses), &mut act);
            advance(&model, &mut state, &mut data, &act, &options).expect("a walk");
        }
        let mut wanted = State::new(&model);
        reference.write(state.time, &mut wanted.q);
        let mut way = vec![0.0; model.n_v()];
        state.difference(&model, &wanted, &mut way);
        assert!(way.iter().all(|w| w.abs() < 1e-6), "{way:?}");
        // Three rounds of a walk lead on, not back.
        let rounds = state.time / clip.duration();
        let stride = (clip.root_position(clip.n_frames() - 1) - clip.root_position(0)).x;
        assert!((state.q[0] - start - rounds * stride).abs() < 0.1 * stride, "{}", state.q[0]);
    }
}
