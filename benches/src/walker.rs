//! A walker by rates on flat ground, for the cost of a step.

use std::sync::Arc;

use stuntlab_control::simbicon::{GAITS, Sideways, Simbicon, SimbiconOptions, Strengths};
use stuntlab_control::velocity::Muscles;
use stuntlab_control::velocity::walk::{Walk, WalkOptions};
use stuntlab_control::{Controller, Sense, Senses};
use stuntlab_mocap::character::{Character, Physique};
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::Transform;
use stuntlab_physics::{
    Actuation, Data, Formulation, Model, ShapeSpec, State, StepOptions, StepReport, advance, observe,
};

/// Who walks, and on what feet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// The walking machine on pinned feet.
    Pinned,
    /// The walking machine without pins.
    Honest,
    /// SIMBICON's walk by muscles, on free feet.
    Free,
}

impl Who {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Pinned, Self::Honest, Self::Free];

    /// What tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pinned => "pinned",
            Self::Honest => "honest",
            Self::Free => "free",
        }
    }
}

/// A walker with what it takes to step it.
pub struct Walker {
    model: Model,
    state: State,
    data: Data,
    act: Actuation,
    options: StepOptions,
    controller: Box<dyn Controller>,
    /// What it feels.
    pub senses: Senses,
}

impl Walker {
    /// At 200 Hz.
    ///
    /// # Panics
    /// If the library's walker cannot walk.
    pub fn new(formulation: Formulation, who: Who) -> Self {
        let figure = Character::walker(true);
        let mut builder = Model::builder().fixture(ShapeSpec::new(Shape::Plane));
        builder.append("", figure.model(), Transform::IDENTITY);
        let model = builder.build().expect("a walker on a plane");
        let physique = Arc::new(Physique::of(&figure));
        let bodies = model.body_ids();
        let mut state = State::new(&model);
        // Where walks on free feet begin.
        state.v[0] = if who == Who::Pinned { 0.0 } else { 0.8 };
        let machine = |options| {
            let walk = Walk::new(figure.model(), &model, bodies, &physique, options);
            Box::new(walk.expect("it has two legs and toes"))
        };
        let controller: Box<dyn Controller> = match who {
            Who::Pinned => machine(WalkOptions::default()),
            Who::Honest => machine(WalkOptions::honest()),
            Who::Free => {
                let simbicon = Simbicon::new(&model, bodies, &physique, free());
                Box::new(simbicon.expect("it has two legs"))
            }
        };
        let mut walker = Self {
            senses: Senses::new(&model, bodies, physique),
            data: Data::new(&model),
            act: Actuation::new(&model),
            options: StepOptions::at_rate(200.0).with(formulation),
            controller,
            state,
            model,
        };
        walker.look();
        walker
    }

    fn look(&mut self) {
        observe(&self.model, &self.state, &mut self.data, &self.options);
        self.senses.look(&self.model, &self.state, &self.data);
    }

    /// One step, senses and control included.
    ///
    /// # Panics
    /// If the step goes wrong.
    pub fn step(&mut self) -> StepReport {
        self.act.clear();
        let sense = Sense::new(&self.model, &self.state, &self.data, self.options.dt, &self.senses);
        self.controller.act(&sense, &mut self.act);
        let report = advance(&self.model, &mut self.state, &mut self.data, &self.act, &self.options)
            .expect("a sound step");
        self.look();
        report
    }
}

/// The walk of `scenes/simbicon-walk.toml`.
fn free() -> SimbiconOptions {
    let mut gait = GAITS[0].1;
    gait.time = 0.3681;
    (gait.up.cd, gait.up.cv, gait.up.swing_hip, gait.up.swing_knee) = (1.082, 0.2046, 0.308, -1.223);
    (gait.up.stance_ankle, gait.up.torso) = (0.0815, 0.05773);
    if let Some(down) = &mut gait.down {
        (down.cd, down.cv, down.swing_hip, down.stance_ankle) = (1.672, 0.03478, -0.147, 0.1147);
        (down.swing_ankle, down.torso) = (0.1294, 0.06245);
    }
    SimbiconOptions {
        gait,
        sideways: Sideways { outward: 0.01189, cd: 0.0, cv: 0.2949 },
        gains: Strengths { ankle: 134.4, inversion: 151.7, ..Strengths::default() },
        speed: 0.0,
        muscles: Some(Muscles::default()),
    }
}
