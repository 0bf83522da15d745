//! A contact case as a model, and its motion as samples.

use std::path::Path;

use stuntlab_physics::contact::Material;
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::model::ShapeSpec;
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::{Inertia, Motion, Sym3, Transform};
use stuntlab_physics::{Actuation, BodyId, BodySpec, Data, Joint, Model, State, StepOptions, observe, step};

use super::super::VerifyError;
use super::super::fixture::malformed;
use super::Fault;
use super::format::{Body, Case};

/// The case built twice: with springs, and rigid.
pub(super) struct Scene {
    springs: Built,
    rigid: Built,
    pub(super) normal: DVec3,
    offset: f64,
}

struct Built {
    model: Model,
    bodies: Vec<BodyId>,
}

/// One run: a case under one formulation at one step.
pub(super) struct Trial<'a> {
    pub(super) path: &'a Path,
    pub(super) field: &'a str,
    pub(super) case: &'a Case,
    pub(super) scene: &'a Scene,
    pub(super) options: StepOptions,
}

/// All bodies after a step.
pub(super) struct Sample {
    pub(super) time: f64,
    pub(super) position: Vec<DVec3>,
    pub(super) rotation: Vec<DQuat>,
    /// World axes, of the body's origin.
    pub(super) velocity: Vec<Motion>,
    /// Force along the plane's normal that each body got from the plane and from the bodies before it.
    pub(super) from_below: Vec<f64>,
}

impl Scene {
    pub(super) fn build(path: &Path, field: &str, case: &Case) -> Result<Self, VerifyError> {
        let normal = DVec3::from(case.plane.normal);
        if (normal.length() - 1.0).abs() > 1e-6 {
            let problem = format!("has length {}, expected 1", normal.length());
            return Err(malformed(path, format!("{field}.plane.normal"), problem));
        }
        if case.initial.len() != case.bodies.len() || case.bodies.is_empty() {
            let problem = format!("has {} entries, {} bodies", case.initial.len(), case.bodies.len());
            return Err(malformed(path, format!("{field}.initial"), problem));
        }
        if !(case.duration > 0.0 && case.duration < 1e3) {
            let problem = format!("is {}, expected seconds above zero", case.duration);
            return Err(malformed(path, format!("{field}.duration"), problem));
        }
        for (i, initial) in case.initial.iter().enumerate() {
            let length = DQuat::from_array(initial.quaternion).length();
            if (length - 1.0).abs() > 1e-6 {
                let place = format!("{field}.initial[{i}].quaternion");
                return Err(malformed(path, place, format!("has length {length}, expected 1")));
            }
        }
        let c = &case.contact;
        let rigid = Material {
            friction: c.friction,
            restitution: c.restitution,
            rolling: c.rolling_friction,
            ..Material::default()
        };
        let springs = match &c.penalty_equivalent {
            Some(e) => Material {
                stiffness: Some(e.stiffness),
                damping: Some(e.damping_force_clamped_at_zero),
                ..rigid
            },
            None => Material { stiffness: c.stiffness, damping: c.damping, ..rigid },
        };
        Ok(Self {
            springs: Built::new(path, field, case, springs)?,
            rigid: Built::new(path, field, case, rigid)?,
            normal: normal.normalize(),
            offset: case.plane.offset,
        })
    }

    /// Distance of a point from the plane.
    pub(super) fn height(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }

    /// The part of a vector along the plane.
    pub(super) fn along(&self, vector: DVec3) -> DVec3 {
        vector - self.normal * self.normal.dot(vector)
    }
}

impl Built {
    fn new(path: &Path, field: &str, case: &Case, material: Material) -> Result<Self, VerifyError> {
        let normal = DVec3::from(case.plane.normal).normalize();
        let plane = Transform::from_quaternion(
            DQuat::from_rotation_arc(DVec3::Z, normal),
            normal * case.plane.offset,
        );
        let mut builder = Model::builder()
            .gravity(case.gravity.into())
            .fixture(ShapeSpec::new(Shape::Plane).placed(plane).made_of(material));
        let name = |i: usize| format!("{}:{i}", case.name);
        for (i, body) in case.bodies.iter().enumerate() {
            let [xx, yy, zz, xy, xz, yz] = body.inertia;
            let inertia = Inertia::new(body.mass, body.com.into(), Sym3::new(xx, yy, zz, xy, xz, yz));
            let shape = shape(path, &format!("{field}.bodies[{i}]"), body)?;
            builder.push(
                BodySpec::root(name(i), Joint::free(), inertia)
                    .with_shape(ShapeSpec::new(shape).made_of(material)),
            );
        }
        let model = builder.build().map_err(|error| malformed(path, format!("{field}.bodies"), error))?;
        let bodies =
            (0..case.bodies.len()).map(|i| model.find(&name(i)).expect("every body was added")).collect();
        Ok(Self { model, bodies })
    }
}

fn shape(path: &Path, field: &str, body: &Body) -> Result<Shape, VerifyError> {
    match (body.shape.as_str(), body.radius, body.size) {
        ("sphere", Some(radius), _) => Ok(Shape::Sphere { radius }),
        ("sphere", None, _) => Err(malformed(path, format!("{field}.radius"), "missing, a sphere needs one")),
        ("box", _, Some(size)) => Ok(Shape::Box { half_extents: DVec3::from(size) * 0.5, rounding: 0.0 }),
        ("box", _, None) => Err(malformed(path, format!("{field}.size"), "missing, a box needs one")),
        (other, ..) => {
            Err(malformed(path, format!("{field}.shape"), format!("is \"{other}\", expected sphere or box")))
        }
    }
}

impl Trial<'_> {
    /// Runs for `duration` and samples every step; the first sample is the start.
    pub(super) fn run(&self, duration: f64) -> Result<Vec<Sample>, Fault> {
        self.run_from(duration, |velocity| velocity)
    }

    /// The same with changed initial linear velocities.
    pub(super) fn run_from(
        &self,
        duration: f64,
        change: impl Fn(DVec3) -> DVec3,
    ) -> Result<Vec<Sample>, Fault> {
        let built = if self.options.formulation.is_rigid() { &self.scene.rigid } else { &self.scene.springs };
        let model = &built.model;
        let mut state = State::new(model);
        for (&body, initial) in built.bodies.iter().zip(&self.case.initial) {
            let body = model.body(body);
            let rotation = DQuat::from_array(initial.quaternion).normalize();
            let q = &mut state.q[body.coordinates()];
            q[..3].copy_from_slice(&initial.position);
            q[3..].copy_from_slice(&rotation.to_array());
            let back = rotation.conjugate();
            let v = &mut state.v[body.freedoms()];
            v[..3].copy_from_slice(&(back * change(initial.linear_velocity.into())).to_array());
            v[3..].copy_from_slice(&(back * DVec3::from(initial.angular_velocity_world)).to_array());
        }
        let mut data = Data::new(model);
        let act = Actuation::new(model);
        let steps = (duration / self.options.dt).round().max(1.0) as usize;
        observe(model, &state, &mut data, &self.options);
        let mut samples = vec![self.sample(built, &state, &data)];
        for _ in 0..steps {
            step::advance(model, &mut state, &mut data, &act, &self.options).map_err(|_| Fault::Broke)?;
            let forces = self.forces_below(built, &data);
            observe(model, &state, &mut data, &self.options);
            samples.push(Sample { from_below: forces, ..self.sample(built, &state, &data) });
        }
        Ok(samples)
    }

    fn sample(&self, built: &Built, state: &State, data: &Data) -> Sample {
        let pose = |&b: &BodyId| data.world_from_body(b);
        Sample {
            time: state.time,
            position: built.bodies.iter().map(|b| pose(b).translation).collect(),
            rotation: built.bodies.iter().map(|b| pose(b).quaternion()).collect(),
            velocity: built.bodies.iter().map(|&b| data.body_velocity(b)).collect(),
            from_below: vec![0.0; built.bodies.len()],
        }
    }

    fn forces_below(&self, built: &Built, data: &Data) -> Vec<f64> {
        let mut sums = vec![0.0; built.bodies.len()];
        let place = |body: BodyId| built.bodies.iter().position(|b| *b == body);
        for contact in &data.contact.points {
            let Some(a) = place(contact.body_a) else { continue };
            let push = contact.force.dot(self.scene.normal);
            match contact.body_b.and_then(place) {
                Some(b) if b > a => sums[b] -= push,
                _ => sums[a] += push,
            }
        }
        sums
    }
}
