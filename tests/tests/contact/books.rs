//! The ledger closes to 1e-9 of the energies involved in every formulation, with everything acting at once.

use proptest::prelude::*;
use stuntlab_physics::actuation::{Effort, Key, Motor, Pin};
use stuntlab_physics::figures;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::model::ShapeSpec;
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::random::Random;
use stuntlab_physics::spatial::{Force, Inertia, Sym3};
use stuntlab_physics::step::advance;
use stuntlab_physics::{
    BodyId, BodySpec, Formulation, ImplicitForce, Joint, JointKind, Limits, Model, StepOptions, observe,
};
use stuntlab_tests::laws;
use stuntlab_tests::world::{World, block, ground, standing};

#[test]
fn the_books_close_with_servos_limits_motors_pins_and_aids() {
    let figure = figures::humanoid37();
    for formulation in Formulation::ALL {
        let mut limited = figure.clone();
        for part in &mut limited.parts {
            let limits = match part.joint.kind {
                JointKind::Revolute { .. } => Limits::range(-0.3, 0.3),
                JointKind::Spherical => Limits::cone(0.4, -0.3, 0.3),
                JointKind::Universal { .. } => Limits::Ellipse { center: [0.0; 2], radius: [0.3, 0.2] },
                _ => Limits::Unlimited,
            };
            part.joint = part.joint.clone().with_limits(limits).with_damping(0.5).with_effort_limit(80.0);
            if part.parent.is_none() {
                part.joint = part.joint.clone().with_damping(0.0).with_effort_limit(f64::INFINITY);
            }
        }
        let model = standing(&limited, 0.02).build().expect("valid");
        // Explicit servos and springs on light hands need short sub-steps.
        let options = StepOptions { ledger: true, substeps: 128, ..StepOptions::default().with(formulation) };
        let mut world = World::new(model, options);
        world.reference_servos(&figure, 0.05);
        (world.state.v[3], world.state.v[4]) = (2.0, -3.0);
        let bodies: Vec<_> = world.model.body_ids().iter().collect();
        let named = |part: &str| {
            *bodies.iter().rfind(|&&b| world.model.body(b).name().contains(part)).expect("it has one")
        };
        let last = named("hand");
        let dof = world.model.freedoms().last().expect("it has freedoms");
        world.act.motors.push(Motor::on_freedom(Key(0), dof, 2.0, Effort::within(5.0)));
        let torso = bodies[1];
        world.act.implicit.push((
            torso,
            ImplicitForce::at_point(
                DVec3::new(20.0, 5.0, 30.0),
                Sym3::diagonal(50.0, 50.0, 10.0),
                DVec3::Z * 0.1,
            ),
        ));
        world.energy();
        let hand = world.data.world_from_body(last).translation;
        world.act.pins.push(Pin::point_to_world(Key(0), last, DVec3::ZERO, hand));
        let (mut worst, mut contacts, mut rows) = (0.0_f64, 0, 0);
        for step in 0..120 {
            let swing = (0.2 * f64::from(step)).sin();
            world.act.body_force.fill(Force::ZERO);
            world.act.push(torso, DVec3::Y * 40.0 * swing, DVec3::ZERO, DVec3::Z * -0.2);
            let report = world.step();
            (contacts, rows) = (contacts.max(report.contacts), rows.max(report.rows.rows));
            worst = worst.max(report.ledger.closure / report.ledger.scale.max(1e-3));
        }
        assert!(contacts > 0 && rows > 4, "{}: {contacts} contacts, {rows} rows", formulation.name());
        assert!(worst < 1e-9, "{}: off by {worst:.2e} of the energies", formulation.name());
    }
}

/// Random scenes: up to three trees over the ground, joints of every kind with springs, dampers, rotors and limits,
/// servos, motors, pins to the world and between trees, wrenches, implicit terms, prescribed joints, contacts.
struct Scenes(Random);

impl Scenes {
    fn unit(&mut self) -> f64 {
        self.0.unit()
    }

    fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }

    fn chance(&mut self, share: f64) -> bool {
        self.unit() < share
    }

    fn number(&mut self, size: f64) -> f64 {
        size * (2.0 * self.unit() - 1.0)
    }

    fn vector(&mut self, size: f64) -> DVec3 {
        DVec3::new(self.number(size), self.number(size), self.number(size))
    }

    fn joint(&mut self, root: bool) -> Joint {
        let joint = match self.below(if root { 4 } else { 7 }) {
            0 | 1 if root => Joint::free(),
            0 | 1 => Joint::revolute(DVec3::Y).with_limits(Limits::range(-0.3, 0.4)),
            2 => Joint::spherical().with_limits(Limits::cone(0.4, -0.3, 0.3)),
            3 => Joint::universal(DVec3::X, DVec3::Y)
                .with_limits(Limits::Ellipse { center: [0.0; 2], radius: [0.4, 0.3] }),
            4 => Joint::prismatic(DVec3::Z).with_limits(Limits::range(-0.1, 0.1)),
            5 => Joint::planar(),
            _ => Joint::free(),
        };
        if joint.kind == JointKind::Free {
            return joint;
        }
        let joint = if self.chance(0.5) { joint.with_damping(0.5) } else { joint };
        let joint = if self.chance(0.3) { joint.with_stiffness(20.0) } else { joint };
        let joint = if self.chance(0.3) { joint.with_armature(0.05) } else { joint };
        if self.chance(0.3) { joint.with_effort_limit(5.0) } else { joint }
    }

    fn world(&mut self, formulation: Formulation) -> World {
        let mut builder = ground().self_collision(false);
        for tree in 0..=self.below(3) {
            for k in 0..=self.below(5) {
                let (shape, inertia) = match self.below(3) {
                    0 => (Shape::Sphere { radius: 0.15 }, Inertia::solid_sphere(2.0, 0.15)),
                    1 => {
                        (block(DVec3::new(0.2, 0.1, 0.1)), Inertia::solid_box(3.0, DVec3::new(0.2, 0.1, 0.1)))
                    }
                    _ => (
                        Shape::Capsule { radius: 0.08, half_length: 0.15 },
                        Inertia::solid_capsule(1.0, 0.08, 0.15),
                    ),
                };
                let mut shape = ShapeSpec::new(shape);
                if self.chance(0.3) {
                    (shape.material.rolling, shape.material.torsional) = (0.01, 0.01);
                }
                let name = format!("t{tree}b{k}");
                let joint = self.joint(k == 0);
                let spec = if k == 0 {
                    // What hangs on a pivot hangs above the ground, not in it, where no impulse could push it out.
                    let height = if joint.kind == JointKind::Free { 0.15 + self.number(0.1) } else { 2.5 };
                    let place = DVec3::new(0.35 * tree as f64, 0.0, height);
                    BodySpec::root(name, joint.at(place), inertia)
                } else {
                    let parent = format!("t{tree}b{}", self.below(k));
                    BodySpec::child(name, parent, joint.at(DVec3::new(0.1, 0.0, 0.35)), inertia)
                };
                builder.push(spec.with_shape(shape));
            }
        }
        let model = builder.build().expect("valid");
        // Explicit servos and springs need short sub-steps.
        let options = StepOptions { ledger: true, substeps: 32, ..StepOptions::default().with(formulation) };
        let mut world = World::new(model, options);
        world.state.v.iter_mut().for_each(|v| *v = self.number(3.0));
        world.energy();
        let bodies: Vec<_> = world.model.body_ids().iter().collect();
        for k in 0..world.model.n_v() {
            if self.chance(0.4) {
                (world.act.servo.stiffness[k], world.act.servo.damping[k]) = (50.0, 2.0);
            }
            world.act.joint_force[k] = self.number(2.0);
            world.act.prescribed_velocity[k] = self.number(3.0);
            if self.chance(0.2) {
                let velocity = self.number(2.0);
                let motor = Motor::on_freedom(
                    Key(k as u64),
                    world.model.freedoms().at(k),
                    velocity,
                    Effort::within(4.0),
                );
                world.act.motors.push(motor);
            }
        }
        for &body in &bodies {
            // Something must be left to give way to rows: roots are not prescribed, nor are trees without a free one.
            let root = world.model.body(root_of(&world.model, body));
            let floats = root.joint().kind == JointKind::Free;
            world.act.prescribed[body.index()] =
                floats && world.model.body(body).parent().is_some() && self.chance(0.3);
            if self.chance(0.3) {
                let gain = Sym3::diagonal(20.0, 10.0, 30.0);
                let term = ImplicitForce::at_point(self.vector(10.0), gain, self.vector(0.1));
                world.act.implicit.push((body, term));
            }
            if self.chance(0.3) {
                world.act.body_force[body.index()] = Force::new(self.vector(2.0), self.vector(10.0));
            }
        }
        let roots: Vec<_> = bodies.iter().copied().filter(|&b| is_free_root(&world.model, b)).collect();
        if let [first, .., last] = roots[..] {
            let at = world.data.world_from_body(first).translation;
            if self.chance(0.3) {
                world.act.pins.push(Pin::point_to_world(Key(0), first, DVec3::ZERO, at));
            } else if self.chance(0.5) {
                let there = world.data.world_from_body(last).inverse().transform_point(at);
                world.act.pins.push(Pin::point_to_body(Key(0), first, DVec3::ZERO, last, there));
            }
        }
        world
    }
}

fn root_of(model: &Model, mut body: BodyId) -> BodyId {
    while let Some(parent) = model.body(body).parent() {
        body = parent;
    }
    body
}

fn is_free_root(model: &Model, body: BodyId) -> bool {
    model.body(body).parent().is_none() && model.body(body).joint().kind == JointKind::Free
}

/// What contacts and servos press along prescribed joints made a mode without mass of it, for which no sub-step was short enough: a rate of infinity was asked for.
#[test]
fn springs_over_prescribed_joints_have_a_longest_sub_step() {
    let World { model, mut state, mut data, act, options } =
        Scenes(Random::new(17_445_502_609_499_495_256)).world(Formulation::Penalty);
    assert!(act.prescribed.contains(&true));
    observe(&model, &state, &mut data, &options);
    advance(&model, &mut state, &mut data, &act, &options).expect("sub-steps that are short enough");
}

proptest! {
    #![proptest_config(laws())]

    #[test]
    fn the_books_of_any_scene_close(seed in any::<u64>(), formulation in prop::sample::select(Formulation::ALL.to_vec())) {
        let mut world = Scenes(Random::new(seed)).world(formulation);
        for step in 0..12 {
            observe(&world.model, &world.state, &mut world.data, &world.options);
            let World { model, state, data, act, options } = &mut world;
            let report = advance(model, state, data, act, options).expect("a step that does not break");
            let off = report.ledger.closure / report.ledger.scale.max(1e-3);
            prop_assert!(off < 1e-9, "{}, step {step}: off by {off:.2e} of the energies", formulation.name());
        }
    }
}
