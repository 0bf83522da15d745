//! A model with everything it takes to step it, and the bodies the contact tests use.

use stuntlab_physics::dynamics::{kinetic_energy, potential_energy};
use stuntlab_physics::figures::Figure;
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::model::ShapeSpec;
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::{Inertia, Transform};
use stuntlab_physics::{
    Actuation, BodySpec, Data, Joint, Model, ModelBuilder, State, StepOptions, StepReport, observe, step,
};

/// A simulation.
pub struct World {
    /// What is simulated.
    pub model: Model,
    /// Where it is.
    pub state: State,
    /// Scratch and what the last step found.
    pub data: Data,
    /// What acts.
    pub act: Actuation,
    /// How it is stepped.
    pub options: StepOptions,
}

impl World {
    /// At the model's zero pose, at rest, nothing acting.
    pub fn new(model: Model, options: StepOptions) -> Self {
        let (state, data, act) = (State::new(&model), Data::new(&model), Actuation::new(&model));
        Self { model, state, data, act, options }
    }

    /// One step; contacts in `data` keep the step's forces.
    pub fn step(&mut self) -> StepReport {
        observe(&self.model, &self.state, &mut self.data, &self.options);
        step::advance(&self.model, &mut self.state, &mut self.data, &self.act, &self.options)
            .expect("a step that does not break")
    }

    /// As many steps as fit into `seconds`.
    pub fn run(&mut self, seconds: f64) {
        for _ in 0..(seconds / self.options.dt).round() as usize {
            self.step();
        }
    }

    /// Kinetic and potential energy, J.
    pub fn energy(&mut self) -> f64 {
        observe(&self.model, &self.state, &mut self.data, &self.options);
        kinetic_energy(&self.model, &self.data, &self.state.v) + potential_energy(&self.model, &self.data)
    }

    /// Fastest centre of mass of any body, m/s.
    pub fn fastest(&mut self) -> f64 {
        observe(&self.model, &self.state, &mut self.data, &self.options);
        let speed = |b| {
            let arm =
                self.data.world_from_body(b).transform_vector(self.model.body(b).inertia().center_of_mass);
            self.data.body_velocity(b).at(arm).linear.length()
        };
        self.model.body_ids().iter().map(speed).fold(0.0, f64::max)
    }

    /// Puts a free body somewhere with world velocities.
    pub fn launch(&mut self, name: &str, position: DVec3, rotation: DQuat, linear: DVec3, angular: DVec3) {
        let body = self.model.body(self.model.find(name).expect("a body of that name"));
        let placed = Transform::from_quaternion(rotation, position);
        let own = body.joint().parent_from_joint.inverse() * placed;
        let q = &mut self.state.q[body.coordinates()];
        q[..3].copy_from_slice(&own.translation.to_array());
        q[3..].copy_from_slice(&own.quaternion().to_array());
        let v = &mut self.state.v[body.freedoms()];
        v[..3].copy_from_slice(&(rotation.conjugate() * linear).to_array());
        v[3..].copy_from_slice(&(rotation.conjugate() * angular).to_array());
    }

    /// Servos on every joint but roots: natural frequency 20 rad/s and critical damping for what each joint
    /// carries (the reference gains), times `factor` (damping by its root, so that they stay critical).
    pub fn reference_servos(&mut self, figure: &Figure, factor: f64) {
        for (part, carried) in figure.parts.iter().zip(figure.carried_inertia()) {
            if part.parent.is_some() {
                let body = self.model.find(&part.name).expect("every part is a body");
                let range = self.model.body(body).freedoms();
                self.act.servo.stiffness[range].fill(400.0 * carried * factor);
                self.act.servo.damping[range].fill(40.0 * carried * factor.sqrt());
            }
        }
        self.act.servo.target_q.copy_from_slice(&self.state.q);
    }
}

/// A model with a ground plane at height zero.
pub fn ground() -> ModelBuilder {
    Model::builder().fixture(ShapeSpec::new(Shape::Plane))
}

/// A free body of one shape, at a place.
pub fn loose(name: impl Into<String>, shape: Shape, mass: f64, position: DVec3) -> BodySpec {
    let inertia = match shape {
        Shape::Sphere { radius } => Inertia::solid_sphere(mass, radius),
        Shape::Capsule { radius, half_length } => Inertia::solid_capsule(mass, radius, half_length),
        Shape::Box { half_extents, .. } => Inertia::solid_box(mass, half_extents),
        _ => panic!("loose bodies are spheres, capsules and boxes"),
    };
    BodySpec::root(name, Joint::free().at(position), inertia).with_shape(ShapeSpec::new(shape))
}

/// A box with sharp edges.
pub fn block(half: DVec3) -> Shape {
    Shape::Box { half_extents: half, rounding: 0.0 }
}

/// The figure on the ground, `lift` metres above where it stands, without self-collision.
pub fn standing(figure: &Figure, lift: f64) -> ModelBuilder {
    let mut builder = ground().self_collision(false);
    for part in &figure.parts {
        let mut spec = part.spec();
        if part.parent.is_none() {
            spec.joint.parent_from_joint.translation.z += lift;
        }
        builder.push(spec);
    }
    builder
}
