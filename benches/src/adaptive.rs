//! Characters that play their motion back and answer what disturbs them, for the cost of a step.

use std::sync::Arc;
use std::time::{Duration, Instant};

use stuntlab_control::adaptive::{Adaptive, AdaptiveOptions};
use stuntlab_control::fighter::library_figure;
use stuntlab_control::reference::ClipReference;
use stuntlab_control::{Controller, Sense, Senses};
use stuntlab_mocap::character::Physique;
use stuntlab_mocap::library;
use stuntlab_mocap::retarget::{RetargetOptions, retarget};
use stuntlab_physics::glam::{DMat3, DVec3};
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::Transform;
use stuntlab_physics::{Actuation, BodyId, Data, Model, ShapeSpec, State, StepOptions, advance, observe};

/// Metres between two of them.
const APART: f64 = 2.0;
/// The push that has joints simulated, N: the whole body answers it on its feet.
const PUSH: f64 = 20.0;

/// Characters in a row on flat ground, the first of whom may be pushed, with what it takes to step them.
pub struct Crowd {
    model: Model,
    state: State,
    data: Data,
    act: Actuation,
    options: StepOptions,
    controllers: Vec<Adaptive>,
    senses: Vec<Senses>,
    pushed: Option<BodyId>,
    /// What the parts of the last step took.
    pub parts: [Duration; 4],
}

/// Names of [`Crowd::parts`].
pub const PARTS: [&str; 4] = ["control", "step", "contacts", "senses"];

impl Crowd {
    /// So many who stand idle at 120 Hz; a push goes on at the chest of the first, of whom so many joints are simulated.
    ///
    /// # Panics
    /// If the library's figure cannot stand idle.
    pub fn new(number: usize, simulated: Option<usize>) -> Self {
        let figure = library_figure(false);
        let clip = library::clip("idle").expect("it is in the library");
        let clip = retarget(&clip, &figure, &RetargetOptions::default()).expect("a person to a person").clip;
        let mut builder = Model::builder().fixture(ShapeSpec::new(Shape::Plane));
        for k in 0..number {
            let place = DVec3::Y * (APART * k as f64);
            builder.append(&format!("{k}/"), figure.model(), Transform::new(DMat3::IDENTITY, place));
        }
        let model = builder.build().expect("figures on a plane");
        let physique = Arc::new(Physique::of(&figure));
        let mut state = State::new(&model);
        let (mut controllers, mut senses) = (Vec::new(), Vec::new());
        for tree in model.trees() {
            let reference = ClipReference::new(figure.clone(), &clip, true);
            state.q[tree.coordinates].copy_from_slice(&reference.state_at(0.0).q);
            let mut options = AdaptiveOptions::default();
            if let Some(most) = simulated.filter(|_| controllers.is_empty()) {
                (options.everything, options.most) = (true, most);
            }
            let own = figure.shared_model();
            let adaptive = Adaptive::new(own, &physique, Box::new(reference), options);
            controllers.push(adaptive.expect("it has two legs"));
            senses.push(Senses::new(&model, tree.bodies, physique.clone()));
        }
        let pushed =
            simulated.and_then(|_| model.body_ids().into_iter().find(|b| model.body(*b).name() == "0/torso"));
        let mut crowd = Self {
            data: Data::new(&model),
            act: Actuation::new(&model),
            options: StepOptions::at_rate(120.0),
            controllers,
            senses,
            pushed,
            state,
            model,
            parts: [Duration::ZERO; 4],
        };
        crowd.look();
        crowd
    }

    fn look(&mut self) {
        let start = Instant::now();
        observe(&self.model, &self.state, &mut self.data, &self.options);
        let looked = Instant::now();
        self.senses.iter_mut().for_each(|senses| senses.look(&self.model, &self.state, &self.data));
        (self.parts[2], self.parts[3]) = (looked - start, looked.elapsed());
    }

    /// One step, senses and control included.
    ///
    /// # Panics
    /// If the step goes wrong.
    pub fn step(&mut self) {
        let start = Instant::now();
        self.act.clear();
        if let Some(body) = self.pushed {
            self.act.body_force[body.index()].linear = DVec3::X * PUSH;
        }
        self.senses.iter_mut().for_each(|senses| senses.brace(&self.act, &self.data));
        for (controller, senses) in self.controllers.iter_mut().zip(&self.senses) {
            let sense = Sense::new(&self.model, &self.state, &self.data, self.options.dt, senses);
            controller.act(&sense, &mut self.act);
        }
        let controlled = Instant::now();
        advance(&self.model, &mut self.state, &mut self.data, &self.act, &self.options)
            .expect("a sound step");
        (self.parts[0], self.parts[1]) = (controlled - start, controlled.elapsed());
        self.look();
    }

    /// Joints of the first that are simulated, and how many it has.
    pub fn simulated(&self) -> (usize, usize) {
        let all = self.controllers[0].modes().len() - 1;
        let share = self.controllers[0].readings().get("active-joints").unwrap_or(f64::NAN);
        ((share * all as f64).round() as usize, all)
    }
}
