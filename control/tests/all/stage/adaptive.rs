//! A figure that answers what disturbs it, on level ground.

use std::sync::Arc;

use stuntlab_control::Controller;
use stuntlab_control::adaptive::articulation::Mode;
use stuntlab_control::adaptive::{Adaptive, AdaptiveOptions};
use stuntlab_control::reference::{ClipReference, Reference};
use stuntlab_mocap::character::{Character, CharacterOptions, Physique};
use stuntlab_mocap::library;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::{Force, Transform};
use stuntlab_physics::{ModelBuilder, ShapeSpec, State, StepOptions};

use super::{GRAVITY, Stage};

/// The library's figure on level ground, in a motion of the library.
pub(crate) struct Scene {
    pub(crate) stage: Stage,
    pub(crate) adaptive: Adaptive,
    pub(crate) reference: Box<dyn Reference>,
}

impl Scene {
    pub(crate) fn new(clip: &str, options: AdaptiveOptions) -> Self {
        let figure = figure();
        let clip = library::clip(clip).expect("in the library");
        let reference = ClipReference::new(figure.clone(), &clip, true);
        let start = reference.state_at(0.0);
        Self::with(&figure, Box::new(reference), &start.q, options)
    }

    pub(crate) fn with(
        figure: &Arc<Character>,
        reference: Box<dyn Reference>,
        q: &[f64],
        options: AdaptiveOptions,
    ) -> Self {
        let mut builder = ModelBuilder::new().gravity(GRAVITY).self_collision(false);
        builder.append("", figure.model(), Transform::IDENTITY);
        builder.push_fixture(ShapeSpec::new(Shape::Plane));
        let model = builder.build().expect("a figure on a plane");
        let physique = Physique::of(figure);
        let adaptive = Adaptive::new(figure.shared_model(), &physique, reference.boxed_clone(), options);
        let mut stage = Stage::with(model, physique, StepOptions::at_rate(120.0));
        stage.state.q.copy_from_slice(q);
        stage.look();
        Self { stage, adaptive: adaptive.expect("a figure with legs"), reference }
    }

    /// One step, with a force on a body at its centre of mass.
    pub(crate) fn step(&mut self, body: &str, force: DVec3) {
        let Self { stage, adaptive, .. } = self;
        let id = stage.model.find(body).expect("a body");
        let arm = stage.data.world_from_body(id).rotation * stage.model.body(id).inertia().center_of_mass;
        stage.act.clear();
        stage.act.body_force[id.index()] = Force::at_offset(force, arm);
        stage.step_pushed(|sense, out| adaptive.act(sense, out));
    }

    pub(crate) fn run(&mut self, body: &str, force: DVec3, seconds: f64) {
        for _ in 0..(seconds * 120.0).round() as usize {
            self.step(body, force);
        }
    }

    pub(crate) fn active(&self) -> Vec<String> {
        let bodies = self.stage.model.bodies().iter().zip(self.adaptive.modes());
        let dynamic = bodies.filter(|(_, mode)| matches!(mode, Mode::Dynamic { .. }));
        dynamic.map(|(body, _)| body.name().to_owned()).collect()
    }

    pub(crate) fn reading(&self, name: &str) -> f64 {
        self.adaptive.readings().get(name).expect("published")
    }

    /// Farthest that any joint but the root is from the motion.
    pub(crate) fn joints_off(&mut self) -> f64 {
        let mut wanted = State::new(&self.stage.model);
        self.reference.write(self.stage.state.time, &mut wanted.q);
        let mut way = vec![0.0; wanted.v.len()];
        self.stage.state.difference(&self.stage.model, &wanted, &mut way);
        way[6..].iter().fold(0.0, |m, w| f64::max(m, w.abs()))
    }

    pub(crate) fn ankle(&self, name: &str) -> DVec3 {
        self.stage.data.world_from_body(self.stage.model.find(name).expect("a foot")).translation
    }
}

pub(crate) fn figure() -> Arc<Character> {
    let (figure, _) = Character::build(&library::skeleton(), &CharacterOptions::default()).expect("our own");
    Arc::new(figure)
}
