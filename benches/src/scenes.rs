//! The scenes whole steps are timed on, the same for every engine (see `benches/peers/README.md`).

use stuntlab_control::dynamo::DynamoOptions;
use stuntlab_control::reference::HeldPose;
use stuntlab_control::{Controller, Dynamo, Sense, Senses};
use stuntlab_mocap::character::Physique;
use stuntlab_physics::figures::{self, Figure};
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::{Inertia, Transform};
use stuntlab_physics::step::step;
use stuntlab_physics::{
    Actuation, BodySpec, Data, Formulation, Joint, JointKind, Model, ShapeSpec, State, StepError,
    StepOptions, StepReport, TreeId, advance, observe,
};

/// A model with what it takes to step it.
pub struct Scene {
    /// What is simulated.
    pub model: Model,
    /// Where it is.
    pub state: State,
    /// Scratch.
    pub data: Data,
    /// Servos, constant over the run.
    pub act: Actuation,
    /// How it is stepped.
    pub options: StepOptions,
}

impl Scene {
    fn new(model: Model, options: StepOptions) -> Self {
        let (state, data, act) = (State::new(&model), Data::new(&model), Actuation::new(&model));
        Self { model, state, data, act, options }
    }

    /// One step.
    pub fn step(&mut self) -> Result<StepReport, StepError> {
        step(&self.model, &mut self.state, &mut self.data, &self.act, &self.options)
    }

    /// Kinetic energy as of the last look at the state.
    pub fn kinetic_energy(&self) -> f64 {
        stuntlab_physics::dynamics::kinetic_energy(&self.model, &self.data, &self.state.v)
    }
}

/// The 37-freedom humanoid, damped, 0.1 m above standing on a plane and turning a little.
pub fn ragdoll(hz: f64, self_collision: bool, formulation: Formulation, spin: (f64, f64)) -> Scene {
    let figure = figures::humanoid37();
    let mut builder = Model::builder().fixture(ShapeSpec::new(Shape::Plane)).self_collision(self_collision);
    for (part, carried) in figure.parts.iter().zip(figure.carried_inertia()) {
        let mut spec = part.spec();
        if part.parent.is_some() {
            spec.joint = spec.joint.with_damping(2.0 * carried);
        } else {
            spec.joint.parent_from_joint.translation.z += 0.1;
        }
        builder.push(spec);
    }
    let model = builder.build().expect("the ragdoll is a valid model");
    let mut scene = Scene::new(model, StepOptions::at_rate(hz).with(formulation));
    (scene.state.v[3], scene.state.v[4]) = spin;
    scene
}

/// A loose body of the game scene.
pub struct Loose {
    /// Half edge lengths of a box, or the radius of a ball.
    pub size: Result<DVec3, f64>,
    /// kg.
    pub mass: f64,
    /// Where it starts.
    pub position: DVec3,
}

const CELLS: usize = 50;
const CELL: f64 = 0.4;

/// Height of the terrain.
pub fn terrain_height(x: f64, y: f64) -> f64 {
    0.25 * (0.8 * x).sin() * (0.7 * y).cos() + 0.1 * (2.1 * x + 0.5).sin() * (1.7 * y).sin()
}

/// Grid heights, x fastest, from the corner of least x and y.
pub fn terrain() -> Vec<f64> {
    let half = CELLS as f64 * CELL / 2.0;
    let at = |k: usize| -half + k as f64 * CELL;
    (0..=CELLS).flat_map(|r| (0..=CELLS).map(move |c| terrain_height(at(c), at(r)))).collect()
}

/// Where the five characters stand (offset of the whole figure).
pub fn character_places() -> [DVec3; 5] {
    [(0.0, 0.0), (1.8, 1.8), (-1.8, 1.8), (1.8, -1.8), (-1.8, -1.8)]
        .map(|(x, y)| DVec3::new(x, y, terrain_height(x, y) + 0.12))
}

/// The fifty loose bodies: a linear congruential generator decides, so that every engine gets the same.
pub fn loose_bodies() -> Vec<Loose> {
    let mut seed: u64 = 12345;
    let mut random = || {
        seed = (1_103_515_245 * seed + 12345) % (1 << 31);
        seed as f64 / (1u64 << 31) as f64
    };
    (0..50)
        .map(|k| {
            let (x, y) = (-3.0 + 6.0 * random(), -3.0 + 6.0 * random());
            let position = DVec3::new(x, y, 2.6 + 0.06 * f64::from(k));
            if k % 2 == 1 {
                let r = 0.12 + 0.1 * random();
                let volume = 4.0 / 3.0 * std::f64::consts::PI * r * r * r;
                Loose { size: Err(r), mass: 300.0 * volume, position }
            } else {
                let half = DVec3::new(random(), random(), random()) * 0.12 + DVec3::splat(0.1);
                Loose { size: Ok(half), mass: 300.0 * 8.0 * half.x * half.y * half.z, position }
            }
        })
        .collect()
}

/// Five ball-jointed characters of 36 bones holding a pose by implicit servos, 50 loose bodies and a terrain of
/// 5000 triangles. Runs above 0 give the loose bodies a start.
pub fn game_scene(formulation: Formulation, run: usize) -> Scene {
    let figure: Figure = figures::bones36();
    let heights = terrain();
    let field = Shape::heightfield(CELLS + 1, CELLS + 1, CELL, heights).expect("the terrain is finite");
    let mut builder = Model::builder().fixture(ShapeSpec::new(field)).self_collision(false);
    let character = figure.model();
    for (k, place) in character_places().into_iter().enumerate() {
        builder.append(&format!("c{k}_"), &character, Transform::from_translation(place));
    }
    for (k, loose) in loose_bodies().iter().enumerate() {
        let (shape, inertia) = match loose.size {
            Ok(half_extents) => {
                (Shape::Box { half_extents, rounding: 0.0 }, Inertia::solid_box(loose.mass, half_extents))
            }
            Err(radius) => (Shape::Sphere { radius }, Inertia::solid_sphere(loose.mass, radius)),
        };
        let joint = Joint::free().at(loose.position);
        builder.push(BodySpec::root(format!("o{k}"), joint, inertia).with_shape(ShapeSpec::new(shape)));
    }
    let model = builder.build().expect("the game scene is a valid model");
    let mut scene = Scene::new(model, StepOptions::at_rate(120.0).with(formulation));
    for (part, carried) in figure.parts.iter().zip(figure.carried_inertia()) {
        for c in 0..5 {
            let id = scene.model.find(&format!("c{c}_{}", part.name)).expect("every part is a body");
            if part.joint.kind == JointKind::Spherical {
                let range = scene.model.body(id).freedoms();
                scene.act.servo.stiffness[range].fill(400.0 * carried);
                scene.act.servo.damping[range].fill(40.0 * carried);
            }
        }
    }
    if run > 0 {
        for k in 0..50 {
            let id = scene.model.find(&format!("o{k}")).expect("every loose body was added");
            let v = &mut scene.state.v[scene.model.body(id).freedoms()];
            let (k, r) = (k as f64, run as f64);
            v[0] = 0.2 * (k + 7.0 * r).sin();
            v[1] = 0.2 * (3.0 * k + 5.0 * r).cos();
        }
    }
    scene
}

/// The game scene with Dynamo in place of joint servos.
pub struct DynamoGame {
    /// The scene; its servos are off.
    pub scene: Scene,
    drivers: Vec<(Dynamo, Senses)>,
}

impl DynamoGame {
    /// Five characters' control and one step.
    pub fn step(&mut self) -> Result<StepReport, StepError> {
        let Scene { model, state, data, act, options } = &mut self.scene;
        observe(model, state, data, options);
        act.clear();
        for (dynamo, senses) in &mut self.drivers {
            senses.look(model, state, data);
            dynamo.act(&Sense::new(model, state, data, options.dt, senses), act);
        }
        advance(model, state, data, act, options)
    }
}

/// The game scene whose characters hold their pose by world-space control and a weak root spring.
pub fn dynamo_game(run: usize) -> DynamoGame {
    let mut scene = game_scene(Formulation::default(), run);
    scene.act.clear();
    let own = figures::bones36().model();
    let physique = std::sync::Arc::new(Physique::by_name(&own));
    let drivers = (0..5)
        .map(|k| {
            let pose = HeldPose::new(State::new(&own).q);
            let dynamo = Dynamo::new(own.clone(), Box::new(pose), DynamoOptions::default());
            let bodies = scene.model.tree(TreeId::new(k)).bodies;
            (dynamo, Senses::new(&scene.model, bodies, physique.clone()))
        })
        .collect();
    DynamoGame { scene, drivers }
}

/// Mean angle of the ball joints from the rest pose.
pub fn pose_error(scene: &Scene) -> f64 {
    let angles: Vec<f64> = scene
        .model
        .bodies()
        .iter()
        .filter(|b| b.joint().kind == JointKind::Spherical)
        .map(|b| 2.0 * scene.state.rotation(b).w.abs().min(1.0).acos())
        .collect();
    angles.iter().sum::<f64>() / angles.len().max(1) as f64
}
