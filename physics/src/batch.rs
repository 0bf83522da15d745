//! Many independent worlds of one model, advanced on several threads (feature `parallel`).
//!
//! Every world has its own state, data and actuation and nothing is shared but the model, so the bits are the
//! same for any number of threads and any way the work is dealt out. Threads are rayon's: wrap the call in
//! [`rayon::ThreadPool::install`] to choose how many.

use rayon::prelude::*;

use crate::actuation::Actuation;
use crate::data::Data;
use crate::model::Model;
use crate::state::State;
use crate::step::{StepError, StepOptions, StepReport, advance, observe};

/// One world of a batch.
#[derive(Clone, Debug)]
pub struct World {
    /// Where everything is.
    pub state: State,
    /// What was computed from it.
    pub data: Data,
    /// What acts in the next step.
    pub act: Actuation,
    /// How the last step went. A world whose step failed keeps its state.
    pub outcome: Result<StepReport, StepError>,
}

impl World {
    /// The model at zero, at rest.
    pub fn new(model: &Model) -> Self {
        Self {
            state: State::new(model),
            data: Data::new(model),
            act: Actuation::new(model),
            outcome: Ok(StepReport::default()),
        }
    }

    /// Looks, lets `control` write the actuation, advances.
    pub fn step(
        &mut self,
        model: &Model,
        opt: &StepOptions,
        control: impl FnOnce(&State, &Data, &mut Actuation),
    ) {
        observe(model, &self.state, &mut self.data, opt);
        control(&self.state, &self.data, &mut self.act);
        self.outcome = advance(model, &mut self.state, &mut self.data, &self.act, opt);
    }
}

/// Advances all worlds by `steps` steps. `control(index, …)` writes the actuation of a world before each of
/// them; it must depend on its arguments alone, then so do the results.
pub fn step_worlds(
    model: &Model,
    worlds: &mut [World],
    opt: &StepOptions,
    steps: usize,
    control: impl Fn(usize, &State, &Data, &mut Actuation) + Sync,
) {
    worlds.par_iter_mut().enumerate().for_each(|(index, world)| {
        for _ in 0..steps {
            world.step(model, opt, |state, data, act| control(index, state, data, act));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Formulation;
    use crate::figures;
    use crate::model::ShapeSpec;
    use crate::model::shape::Shape;

    fn bits(worlds: &[World]) -> Vec<u64> {
        let numbers = |w: &World| w.state.q.iter().chain(&w.state.v).map(|x| x.to_bits()).collect::<Vec<_>>();
        worlds.iter().flat_map(numbers).collect()
    }

    #[test]
    fn bits_are_equal_for_any_number_of_threads_and_on_every_rerun() {
        let mut builder = Model::builder().fixture(ShapeSpec::new(Shape::Plane));
        for part in &figures::humanoid37().parts {
            let mut spec = part.spec();
            if part.parent.is_some() {
                spec.joint = spec.joint.with_damping(1.0);
            }
            builder.push(spec);
        }
        let model = builder.build().unwrap();
        for formulation in [Formulation::ImplicitPenalty, Formulation::LcpPgs] {
            let opt = StepOptions::at_rate(120.0).with(formulation);
            let run = |threads: usize| {
                let mut worlds = vec![World::new(&model); 9];
                for (k, world) in worlds.iter_mut().enumerate() {
                    world.state.v[3] = 0.1 * k as f64;
                }
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| {
                    step_worlds(&model, &mut worlds, &opt, 90, |index, state, _, act| {
                        act.joint_force[10] = (3.0 * state.time + index as f64).sin();
                    });
                });
                for world in &worlds {
                    assert!(
                        world.outcome.is_ok(),
                        "{formulation:?}: {:?} at {}",
                        world.outcome,
                        world.state.time
                    );
                }
                bits(&worlds)
            };
            let one = run(1);
            for threads in [1, 2, 4] {
                assert!(run(threads) == one, "{threads} threads, {formulation:?}");
            }
        }
    }

    #[test]
    fn a_world_that_fails_leaves_the_others_alone() {
        let model = figures::humanoid37().model();
        let mut worlds = vec![World::new(&model); 3];
        let opt = StepOptions::default();
        step_worlds(&model, &mut worlds, &opt, 5, |index, _, _, act| {
            if index == 1 {
                act.joint_force[8] = f64::NAN;
            }
        });
        assert!(worlds[1].outcome.is_err() && worlds[1].state == State::new(&model));
        assert!(worlds[0].outcome.is_ok() && worlds[0].state == worlds[2].state);
        assert!(worlds[0].state.time > 0.04);
    }
}
