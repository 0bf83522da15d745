//! A forest that a seed makes, as a description that can be cut down.

use std::fmt;

use stuntlab_physics::actuation::{Anchor, Effort, Key, Motor, Pin};
use stuntlab_physics::contact::Material;
use stuntlab_physics::glam::{DMat3, DQuat, DVec3};
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::{Inertia, Transform};
use stuntlab_physics::{
    BodyId, BodySpec, Joint, JointKind, Limits, Model, ModelError, ShapeSpec, StepOptions, observe,
};

use crate::draws::Draws;
use crate::world::World;

/// Lowest ground there is, m.
pub(crate) const LOWEST: f64 = -0.2;

/// What drives the joint of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Drive {
    /// Nothing.
    None,
    /// A servo to the start pose: stiffness and damping.
    Servo(f64, f64),
    /// A motor on the first freedom: rate, effort and compliance.
    Motor(f64, f64, f64),
}

/// A pin of a body's point to where it is at the start, or `off` beside that.
#[derive(Clone, Debug, PartialEq)]
pub struct Hold {
    /// The body.
    pub body: String,
    /// Its point.
    pub point: DVec3,
    /// The body it is held to; the world without.
    pub to: Option<String>,
    /// Rotation too.
    pub weld: bool,
    /// How far from where it is.
    pub off: DVec3,
}

/// A forest and all that acts on it.
#[derive(Clone, Debug)]
pub struct Case {
    /// Steps per second.
    pub rate: f64,
    /// How many.
    pub steps: usize,
    /// Whether bodies of a tree collide.
    pub self_collision: bool,
    /// Whether what overlaps at the start is left so.
    pub inside: bool,
    /// The ground.
    pub ground: Vec<ShapeSpec>,
    /// Bodies, parents first, with what drives their joints and the rates they start with.
    pub bodies: Vec<(BodySpec, Drive, Vec<f64>)>,
    /// Pins.
    pub holds: Vec<Hold>,
}

impl Case {
    /// The case of a seed.
    pub fn of(seed: u64) -> Self {
        let mut draws = Draws::new(seed);
        let d = &mut draws;
        let rate = d.pick(&[60.0, 120.0, 240.0, 500.0, 1000.0]);
        let count = 60_f64.powf(d.between(0.0, 1.0)).round() as usize;
        let steps = ((3.0 * rate) as usize).min(40_000 / count).max(60);
        let restitution = if d.chance(0.25) { d.between(0.0, 1.0) } else { 0.0 };
        let material =
            Material { friction: d.pick(&[0.0, 0.3, 0.8, 2.0]), restitution, ..Material::default() };
        let self_collision = d.chance(0.5);
        let ground = vec![ShapeSpec::new(ground(d)).made_of(material)];
        let traits = Traits {
            // Masses a hundred times up and down: ten thousand to one.
            spread: d.pick(&[0.0, 1.0, 2.0]),
            roots: d.between(0.0, 1.0),
            limits: d.chance(0.5),
            springs: d.chance(0.3),
            drives: d.chance(0.4).then(|| 10_f64.powf(d.between(-1.0, 6.0))),
            effort: if d.chance(0.5) { 10_f64.powf(d.between(-1.0, 3.0)) } else { f64::INFINITY },
            speed: d.pick(&[0.0, 1.0, 10.0, 100.0]),
        };
        let mut bodies: Vec<(BodySpec, Drive, Vec<f64>)> = Vec::with_capacity(count);
        for k in 0..count {
            let parent = (k > 0 && !d.chance(traits.roots)).then(|| {
                let p = if d.chance(0.6) { k - 1 } else { d.below(k) };
                bodies[p].0.name.clone()
            });
            bodies.push(body(d, &traits, material, format!("b{k}"), parent));
        }
        let mut holds = Vec::new();
        if d.chance(0.2) {
            for _ in 0..1 + d.below(3) {
                let (body, other) = (d.below(count), d.below(count));
                let to = (other != body && d.chance(0.5)).then(|| format!("b{other}"));
                let off = if d.chance(0.3) { d.vector(0.3) } else { DVec3::ZERO };
                let (point, weld) = (d.vector(0.1), d.chance(0.3));
                holds.push(Hold { body: format!("b{body}"), point, to, weld, off });
            }
        }
        Self { rate, steps, self_collision, inside: false, ground, bodies, holds }
    }

    /// The case of a seed whose trees start about the height of the ground, in it and in each other.
    pub fn inside(seed: u64) -> Self {
        let mut case = Self { inside: true, ..Self::of(seed) };
        let mut draws = Draws::new(!seed);
        for (spec, ..) in case.bodies.iter_mut().filter(|(spec, ..)| spec.parent.is_none()) {
            spec.joint.parent_from_joint.translation.z = draws.between(-0.4, 0.6);
        }
        case
    }

    /// The model, without what overlaps at the start but where that is meant: trees are lifted off the ground, bodies within each other kept apart.
    fn model(&self) -> Result<Model, ModelError> {
        let (mut lift, mut apart) = (0.0, Vec::new());
        loop {
            let mut builder = Model::builder().self_collision(self.self_collision);
            self.ground.iter().for_each(|shape| builder.push_fixture(shape.clone()));
            for (spec, ..) in &self.bodies {
                let mut spec = spec.clone();
                if spec.parent.is_none() {
                    spec.joint.parent_from_joint.translation.z += lift;
                }
                builder.push(spec);
            }
            for (a, b) in &apart {
                builder.keep_apart(a, b);
            }
            if self.inside {
                return builder.build();
            }
            let mut world = World::new(builder.build()?, StepOptions::at_rate(self.rate));
            observe(&world.model, &world.state, &mut world.data, &world.options);
            let (before, lifted) = (apart.len(), lift);
            for contact in world.data.contact.points.iter().filter(|c| c.depth > 0.0) {
                match contact.body_b {
                    None => lift = f64::max(lift, lifted + 1.5 * contact.depth + 0.05),
                    Some(other) => {
                        let name = |b: BodyId| world.model.body(b).name().to_owned();
                        let pair = (name(contact.body_a), name(other));
                        if !apart.contains(&pair) {
                            apart.push(pair);
                        }
                    }
                }
            }
            if lift > 20.0 || (apart.len() == before && lift == lifted) {
                return Ok(world.model);
            }
        }
    }

    /// Ready to run.
    pub fn world(&self) -> Result<World, ModelError> {
        let options = StepOptions { ledger: true, ..StepOptions::at_rate(self.rate) };
        let mut world = World::new(self.model()?, options);
        for (spec, drive, rates) in &self.bodies {
            let body = world.model.body(world.model.find(&spec.name).expect("every body was added"));
            let range = body.freedoms();
            world.state.v[range].copy_from_slice(rates);
            match *drive {
                Drive::None => {}
                Drive::Servo(stiffness, damping) => {
                    world.act.servo.stiffness[range].fill(stiffness);
                    world.act.servo.damping[range].fill(damping);
                }
                Drive::Motor(velocity, effort, compliance) if !range.is_empty() => {
                    let key = Key(world.act.motors.len() as u64);
                    let motor = Motor::on_freedom(key, range.at(0), velocity, Effort::within(effort));
                    world.act.motors.push(motor.with_compliance(compliance));
                }
                Drive::Motor(..) => {}
            }
        }
        observe(&world.model, &world.state, &mut world.data, &world.options);
        for hold in &self.holds {
            let find = |name: &str| world.model.find(name).expect("pins hold bodies of the case");
            let (body, pose) = (find(&hold.body), *world.data.world_from_body(find(&hold.body)));
            let goal = pose.transform_point(hold.point) + hold.off;
            let anchor = match &hold.to {
                None => Anchor::World { point: goal, rotation: pose.quaternion() },
                Some(other) => {
                    let other = find(other);
                    let base = world.data.world_from_body(other);
                    let rotation = base.quaternion().conjugate() * pose.quaternion();
                    Anchor::Body { body: other, point: base.inverse_transform_point(goal), rotation }
                }
            };
            let mut pin = Pin::point_to_world(Key(world.act.pins.len() as u64), body, hold.point, goal);
            (pin.anchor, pin.weld) = (anchor, hold.weld);
            world.act.pins.push(pin);
        }
        Ok(world)
    }
}

/// What the bodies of a case have in common.
struct Traits {
    spread: f64,
    roots: f64,
    limits: bool,
    springs: bool,
    drives: Option<f64>,
    effort: f64,
    speed: f64,
}

fn ground(d: &mut Draws) -> Shape {
    const N: usize = 33;
    let kind = d.below(4);
    let mut height = || d.between(LOWEST, -LOWEST);
    match kind {
        0 | 1 => Shape::Plane,
        2 => Shape::heightfield(N, N, 0.5, (0..N * N).map(|_| height()).collect()).expect("finite heights"),
        _ => {
            let at = |k: usize| k as f64 - (N / 2) as f64;
            let vertices = (0..N * N).map(|k| DVec3::new(at(k % N), at(k / N), height())).collect();
            let cells = (0..(N - 1) * (N - 1)).map(|k| (k / (N - 1) * N + k % (N - 1)) as u32);
            let n = N as u32;
            let triangles = cells.flat_map(|k| [[k, k + 1, k + n + 1], [k, k + n + 1, k + n]]).collect();
            Shape::mesh(vertices, triangles).expect("a sound mesh")
        }
    }
}

fn body(
    d: &mut Draws,
    traits: &Traits,
    material: Material,
    name: String,
    parent: Option<String>,
) -> (BodySpec, Drive, Vec<f64>) {
    let mass = 10_f64.powf(d.between(-traits.spread, traits.spread));
    let (shape, inertia) = solid(d, mass);
    let mut joint = joint(d, parent.is_none());
    let place = match parent {
        None => DVec3::new(d.between(-4.0, 4.0), d.between(-4.0, 4.0), d.between(0.9, 5.0)),
        Some(_) => d.vector(0.35),
    };
    joint.parent_from_joint = Transform::new(DMat3::from_quat(d.rotation()), place);
    if traits.limits {
        joint.limits = limits(d, &joint.kind);
    }
    if traits.springs && joint.kind != JointKind::Free {
        let stiffness = 10_f64.powf(d.between(-1.0, 5.0));
        joint = joint.with_stiffness(stiffness).with_damping(stiffness * d.pick(&[0.0, 1e-3, 0.1]));
        if d.chance(0.3) {
            joint = joint.with_armature(10_f64.powf(d.between(-3.0, 0.0)));
        }
    }
    joint = joint.with_effort_limit(traits.effort);
    let drive = match traits.drives {
        Some(gain) if joint.kind != JointKind::Free => match d.below(4) {
            0 => Drive::None,
            1 => Drive::Motor(d.between(-10.0, 10.0), gain.min(1e3), d.pick(&[0.0, 1e-3])),
            _ => Drive::Servo(gain * d.between(0.0, 1.0), 0.1 * gain * d.between(0.0, 1.0)),
        },
        _ => Drive::None,
    };
    let rates = (0..joint.kind.n_v()).map(|_| d.between(-traits.speed, traits.speed)).collect();
    let mut spec = BodySpec { name, parent, joint, inertia, shapes: Vec::new() };
    if let Some(shape) = shape {
        spec = spec.with_shape(ShapeSpec::new(shape).made_of(material));
    }
    (spec, drive, rates)
}

fn solid(d: &mut Draws, mass: f64) -> (Option<Shape>, Inertia) {
    let size = d.between(0.03, 0.3);
    let half = DVec3::new(d.between(0.03, 0.3), d.between(0.03, 0.3), d.between(0.03, 0.3));
    let rounding = half.min_element() * d.between(0.0, 1.0);
    let boxed = Inertia::solid_box(mass, half);
    match d.below(6) {
        0 => (Shape::sphere(size).ok(), Inertia::solid_sphere(mass, size)),
        1 => (Shape::capsule(0.5 * size, size).ok(), Inertia::solid_capsule(mass, 0.5 * size, size)),
        2 => (Shape::cuboid(half).ok(), boxed),
        3 => (Shape::rounded_box(half, rounding).ok(), boxed),
        4 => {
            let points: Vec<DVec3> = (0..4 + d.below(20)).map(|_| d.vector(0.2)).collect();
            (Shape::hull(&points).ok(), Inertia::solid_box(mass, DVec3::splat(0.12)))
        }
        _ => (None, Inertia::solid_sphere(mass, size)),
    }
}

fn joint(d: &mut Draws, root: bool) -> Joint {
    let axis = d.direction();
    match d.below(if root { 30 } else { 6 }) {
        0 => Joint::revolute(axis),
        1 => Joint::prismatic(axis),
        2 => Joint::universal(axis, axis.any_orthonormal_vector()),
        3 => Joint::spherical(),
        4 => Joint::planar(),
        5 => Joint::fixed(),
        _ => Joint::free(),
    }
}

fn limits(d: &mut Draws, kind: &JointKind) -> Limits {
    let mut below = |most: f64| d.between(0.0, most);
    match kind {
        JointKind::Revolute { .. } => Limits::range(-below(1.0), below(1.0)),
        JointKind::Prismatic { .. } => Limits::range(-below(0.2), below(0.2)),
        JointKind::Universal { .. } => {
            Limits::Ellipse { center: [0.0; 2], radius: [0.1 + below(1.9), 0.1 + below(1.9)] }
        }
        JointKind::Spherical => Limits::SwingTwist {
            parent_frame: DQuat::IDENTITY,
            child_frame: DQuat::IDENTITY,
            swing: [0.1 + below(1.4), 0.1 + below(1.4)],
            twist: [-below(1.0), below(1.0)],
        },
        JointKind::Planar => Limits::ranges(&[(-0.2, 0.2), (-0.2, 0.2), (-0.5, 0.5)]),
        JointKind::Fixed | JointKind::Free => Limits::Unlimited,
    }
}

/// A line per thing, without what is as it usually is.
impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = if self.self_collision { ", self-collision" } else { "" };
        writeln!(f, "{} steps at {} Hz{own}", self.steps, self.rate)?;
        let surface = |m: &Material| format!("friction {:.3}, restitution {:.3}", m.friction, m.restitution);
        for shape in &self.ground {
            let kind = match shape.shape {
                Shape::Plane => "plane",
                Shape::Heightfield(_) => "heightfield",
                _ => "mesh",
            };
            writeln!(f, "ground: {kind}, {}", surface(&shape.material))?;
        }
        for (spec, drive, rates) in &self.bodies {
            let (joint, placed) = (&spec.joint, &spec.joint.parent_from_joint);
            let on = spec.parent.as_deref().unwrap_or("the world");
            write!(f, "{} on {on} by {:?} at {}", spec.name, joint.kind, placed.translation)?;
            if placed.rotation != DMat3::IDENTITY {
                write!(f, ", turned {}", placed.quaternion())?;
            }
            let turning = &spec.inertia.rotational;
            write!(f, "; {:e} kg, {:e} {:e} {:e}", spec.inertia.mass, turning.xx, turning.yy, turning.zz)?;
            if joint.limits != Limits::Unlimited {
                write!(f, "; {:?}", joint.limits)?;
            }
            for (name, value) in
                [("spring", joint.stiffness[0]), ("damper", joint.damping[0]), ("rotor", joint.armature[0])]
            {
                if value != 0.0 {
                    write!(f, "; {name} {value:e}")?;
                }
            }
            if joint.effort_limit[0].is_finite() {
                write!(f, "; effort {:e}", joint.effort_limit[0])?;
            }
            if *drive != Drive::None {
                write!(f, "; {drive:?}")?;
            }
            for shape in &spec.shapes {
                match &shape.shape {
                    Shape::Hull(hull) => write!(f, "; hull {:?}", hull.vertices())?,
                    other => write!(f, "; {other:?}")?,
                }
                write!(f, ", {}", surface(&shape.material))?;
            }
            writeln!(f, "; rates {rates:?}")?;
        }
        for hold in &self.holds {
            let to = hold.to.as_deref().unwrap_or("the world");
            let kind = if hold.weld { "weld" } else { "pin" };
            writeln!(f, "{kind} of {} {} to {to}, off {}", hold.body, hold.point, hold.off)?;
        }
        Ok(())
    }
}
