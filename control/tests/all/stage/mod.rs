//! A figure alone, stepped by whatever a test has act on it; and the walker on level ground.
#![allow(dead_code, reason = "every test takes what it needs")]

pub(crate) mod adaptive;
pub(crate) mod trip;

use std::sync::Arc;

use stuntlab_control::{Sense, Senses};
use stuntlab_mocap::character::{Character, Physique};
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::Transform;
use stuntlab_physics::step::Ledger;
use stuntlab_physics::{
    Actuation, BodyId, Data, Model, ModelBuilder, ShapeSpec, State, StepOptions, advance, observe,
};

pub(crate) const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);

/// A simulation of one figure.
pub(crate) struct Stage {
    pub(crate) model: Model,
    pub(crate) physique: Arc<Physique>,
    pub(crate) state: State,
    pub(crate) data: Data,
    pub(crate) act: Actuation,
    pub(crate) senses: Senses,
    pub(crate) options: StepOptions,
    pub(crate) books: Ledger,
    /// Sum of what the solves of its steps left over, relative to the momenta at work.
    pub(crate) left: f64,
}

impl Stage {
    /// A figure as it stands, whose parts its names tell.
    pub(crate) fn new(model: Model, options: StepOptions) -> Self {
        let physique = Physique::by_name(&model);
        Self::with(model, physique, options)
    }

    /// A figure as it stands, whose parts are known.
    pub(crate) fn with(model: Model, physique: Physique, options: StepOptions) -> Self {
        let physique = Arc::new(physique);
        let mut stage = Self {
            state: State::new(&model),
            data: Data::new(&model),
            act: Actuation::new(&model),
            senses: Senses::new(&model, model.body_ids(), physique.clone()),
            books: Ledger::default(),
            left: 0.0,
            physique,
            model,
            options,
        };
        stage.look();
        stage
    }

    /// The walker on level ground.
    pub(crate) fn walker(options: StepOptions) -> Self {
        let mut builder = ModelBuilder::new().gravity(GRAVITY).self_collision(false);
        let walker = Character::walker(true);
        builder.append("", walker.model(), Transform::IDENTITY);
        builder.push_fixture(ShapeSpec::new(Shape::Plane));
        Self::with(builder.build().expect("a walker on a plane"), Physique::of(&walker), options)
    }

    /// After a change of the state.
    pub(crate) fn look(&mut self) {
        observe(&self.model, &self.state, &mut self.data, &self.options);
        self.senses.look(&self.model, &self.state, &self.data);
    }

    /// What the figure sees.
    pub(crate) fn sense(&self) -> Sense<'_> {
        Sense::new(&self.model, &self.state, &self.data, self.options.dt, &self.senses)
    }

    /// One step.
    pub(crate) fn step(&mut self, act: impl FnOnce(&Sense<'_>, &mut Actuation)) {
        self.act.clear();
        self.step_pushed(act);
    }

    /// One step with what hands wrote into the actuation.
    pub(crate) fn step_pushed(&mut self, act: impl FnOnce(&Sense<'_>, &mut Actuation)) {
        self.senses.brace(&self.act, &self.data);
        let sense = Sense::new(&self.model, &self.state, &self.data, self.options.dt, &self.senses);
        act(&sense, &mut self.act);
        let report = advance(&self.model, &mut self.state, &mut self.data, &self.act, &self.options);
        let report = report.expect("a sound step");
        self.left += report.rows.residual;
        self.books.add(&report.ledger);
        self.look();
    }

    /// As many steps as fit into `seconds`.
    pub(crate) fn run(&mut self, seconds: f64, mut act: impl FnMut(&Sense<'_>, &mut Actuation)) {
        for _ in 0..(seconds / self.options.dt).round() as usize {
            self.step(&mut act);
        }
    }

    /// Where a body is.
    pub(crate) fn place(&self, body: usize) -> DVec3 {
        self.data.world_from_body(BodyId::new(body)).translation
    }
}
