//! How stiff a servo may be at how long a step: an arm that is held by four laws, with its hand free and pressed on the ground.

use stuntlab_physics::actuation::{Effort, Motor};
use stuntlab_physics::dynamics::crba;
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::{Inertia, Sym3, Transform, rotation};
use stuntlab_physics::{
    Actuation, BodyId, BodySpec, Data, Formulation, ImplicitForce, Joint, Model, ShapeSpec, State,
    StepOptions, actuation, advance, observe,
};

use super::super::ask::Case;
use super::super::engine::{BodyState, Engine};
use super::super::setup::{Coded, CodedKey, Headline, Make, Settings, Setup};
use super::{Suite, most_after, sized};
use crate::scene::SceneError;
use crate::study::Size;

/// The suite's row.
pub(super) const SUITE: Suite = Suite {
    name: "servo",
    shows: "Gains against steps for explicit PD, stable PD, world-space implicit springs and velocity rows, with and without contact",
    cases,
};

const LAWS: &[&str] = &["explicit-pd", "stable-pd", "world-space", "velocity-rows"];
const GROUND: &[&str] = &["away", "pressed"];

/// The set-ups.
pub(super) const SETUPS: &[Setup] = &[Setup {
    name: "compare-servo",
    source: "Ours; stable PD after Tan, Liu and Turk (2011), world-space springs after Wrotek et al. (2006), rows after Lligadas et al.",
    published: "",
    columns: &["survived", "headline", "energy_gain", "penetration"],
    headline: Some(Headline {
        name: "fastest spin of a link in the last fifth",
        unit: "rad/s",
        curve: "fastest spin of a link",
        curve_unit: "rad/s",
        follow: |seen| seen.bodies.iter().map(|b| b.spin.length()).fold(0.0, f64::max),
        boil: |curve| most_after(curve, 0.8),
        expected: Some(0.0),
        closed_form: None,
    }),
    pieces: None,
    make: Make::Code(&ARM),
}];

static ARM: Coded = Coded {
    shows: "An arm of three links is held by servos",
    text: "An arm of three capsules of 0.3 m, 0.03 m and 1 kg on hinges about y hangs at 1.2 m (ground = away) or at 0.75 m above the ground\n\
           (ground = pressed: straight it would end 0.15 m below, so that the servos press its hand on the ground; μ = 0.8). It starts\n\
           bent by 0.9, -1.6 and 1.2 rad and is held to 0, 0 and 0 for 2 s under gravity.\n\
           kp is in 1/s²: the stiffness of a joint is kp I, its damping 2 √kp I, I being what the joint carries as the arm hangs straight\n\
           (the diagonal of the mass matrix).\n\
           law = explicit-pd: joint forces of the state as the step begins (lcp-pgs). stable-pd: the same taken at the end of the step\n\
           (implicit-penalty). world-space: a moment on every link towards its attitude in the world, at the end of the step\n\
           (implicit-penalty). velocity-rows: rates of √kp/2 times the error as rows with at most 500 N m (lcp-pgs).",
    drawn: "schema = 1\nshows = \"the arm\"\nduration = 1.0\n[[terrain]]\nkind = \"plane\"\n\
            [[body]]\nname = \"upper\"\nshape = \"capsule\"\nradius = 0.03\nlength = 0.24\nmass = 1.0\nat = [0.0, 0.0, 0.6]\n\
            joint = { kind = \"revolute\", axis = [0.0, 1.0, 0.0], anchor = [0.0, 0.0, 0.75], angle_deg = 51.6 }\n\
            [[body]]\nname = \"middle\"\nshape = \"capsule\"\nradius = 0.03\nlength = 0.24\nmass = 1.0\nat = [0.0, 0.0, 0.3]\n\
            joint = { kind = \"revolute\", parent = \"upper\", axis = [0.0, 1.0, 0.0], anchor = [0.0, 0.0, 0.45], angle_deg = -91.7 }\n\
            [[body]]\nname = \"hand\"\nshape = \"capsule\"\nradius = 0.03\nlength = 0.24\nmass = 1.0\nat = [0.0, 0.0, 0.0]\n\
            joint = { kind = \"revolute\", parent = \"middle\", axis = [0.0, 1.0, 0.0], anchor = [0.0, 0.0, 0.15], angle_deg = 68.8 }\n\
            [[camera]]\ntarget = [0.0, 0.0, 0.4]\nyaw_deg = -70.0\npitch_deg = 10.0\ndistance = 2.2\n",
    duration: 2.0,
    keys: &[
        CodedKey { name: "law", usual: "stable-pd", words: LAWS },
        CodedKey { name: "kp", usual: "400", words: &[] },
        CodedKey { name: "rate", usual: "240", words: &[] },
        CodedKey { name: "ground", usual: "away", words: GROUND },
    ],
    build,
};

fn cases(size: Size) -> Vec<Case> {
    let gains = sized(size, &["100", "1000", "10000", "100000", "1000000"], &["100", "10000", "1000000"]);
    let rates = sized(size, &["30", "60", "120", "240", "480", "960"], &["60", "240", "960"]);
    let axes: [(&str, &[&str]); 4] = [("law", LAWS), ("ground", GROUND), ("kp", gains), ("rate", rates)];
    vec![Case::of("compare-servo", &axes)]
}

/// Half length and radius of a link.
const HALF: f64 = 0.15;
const RADIUS: f64 = 0.03;
/// How it starts, rad.
const BENT: [f64; 3] = [0.9, -1.6, 1.2];
/// Most that rows push with, N m.
const EFFORT: f64 = 500.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Law {
    Explicit,
    Stable,
    WorldSpace,
    Rows,
}

/// The arm.
#[derive(Clone)]
struct Arm {
    model: Model,
    state: State,
    data: Data,
    act: Actuation,
    options: StepOptions,
    law: Law,
    /// kp, and what each joint carries.
    kp: f64,
    carried: Vec<f64>,
}

fn build(settings: &Settings) -> Result<Box<dyn Engine>, SceneError> {
    let height = if settings.get("ground") == Some("pressed") { 0.75 } else { 1.2 };
    let law = match settings.get("law") {
        Some("explicit-pd") => Law::Explicit,
        Some("world-space") => Law::WorldSpace,
        Some("velocity-rows") => Law::Rows,
        _ => Law::Stable,
    };
    let formulation = match law {
        Law::Explicit | Law::Rows => Formulation::LcpPgs,
        Law::Stable | Law::WorldSpace => Formulation::ImplicitPenalty,
    };
    let mut link = Inertia::solid_capsule(1.0, RADIUS, HALF - RADIUS);
    link.center_of_mass = DVec3::new(0.0, 0.0, -HALF);
    let shape = Shape::Capsule { radius: RADIUS, half_length: HALF - RADIUS };
    let shape = ShapeSpec::new(shape).placed(Transform::from_translation(link.center_of_mass));
    let mut builder = Model::builder().fixture(ShapeSpec::new(Shape::Plane));
    let hinge = Joint::revolute(DVec3::Y);
    builder
        .push(BodySpec::root("upper", hinge.clone().at(DVec3::Z * height), link).with_shape(shape.clone()));
    let below = hinge.at(DVec3::new(0.0, 0.0, -2.0 * HALF));
    builder.push(BodySpec::child("middle", "upper", below.clone(), link).with_shape(shape.clone()));
    builder.push(BodySpec::child("hand", "middle", below, link).with_shape(shape));
    let model = builder.build().map_err(|e| SceneError {
        file: "compare-servo".to_owned(),
        line: 0,
        key: String::new(),
        problem: e.to_string(),
        absent: false,
    })?;
    let (mut state, mut data) = (State::new(&model), Data::new(&model));
    let options =
        StepOptions { ledger: true, ..StepOptions::at_rate(settings.number("rate")) }.with(formulation);
    observe(&model, &state, &mut data, &options);
    crba(&model, &state, &mut data);
    let n = model.n_v();
    let mut dense = vec![0.0; n * n];
    data.mass_matrix.write_dense(&model, &mut dense);
    let carried = (0..n).map(|k| dense[k * n + k]).collect();
    state.q.copy_from_slice(&BENT);
    observe(&model, &state, &mut data, &options);
    let act = Actuation::new(&model);
    Ok(Box::new(Arm { model, state, data, act, options, law, kp: settings.number("kp"), carried }))
}

impl Arm {
    /// What the servos do in the coming step.
    fn drive(&mut self) {
        let Self { model, state, data, act, options, law, kp, carried } = self;
        act.clear();
        let frequency = kp.sqrt();
        for (k, id) in model.body_ids().iter().enumerate() {
            let (stiffness, damping) = (*kp * carried[k], 2.0 * frequency * carried[k]);
            let error = -state.q[k];
            match law {
                Law::Explicit => act.joint_force[k] = stiffness * error - damping * state.v[k],
                Law::Stable => {
                    act.servo.stiffness[k] = stiffness;
                    act.servo.damping[k] = damping;
                    act.servo.target_q[k] = 0.0;
                }
                Law::WorldSpace => {
                    let turn = rotation::log(DQuat::from_mat3(&data.world_from_body(id).rotation));
                    let gain = damping + options.dt * stiffness;
                    let moment = ImplicitForce::moment(-stiffness * turn, Sym3::diagonal(gain, gain, gain));
                    act.implicit.push((id, moment));
                }
                Law::Rows => {
                    let key = actuation::Key(k as u64);
                    let freedom = model.body(id).freedoms().at(0);
                    let effort = Effort::within(EFFORT);
                    act.motors.push(Motor::on_freedom(key, freedom, 0.5 * frequency * error, effort));
                }
            }
        }
    }
}

impl Engine for Arm {
    fn step(&mut self) -> Result<(), String> {
        self.drive();
        let Self { model, state, data, act, options, .. } = self;
        advance(model, state, data, act, options).map_err(|e| e.to_string())?;
        observe(model, state, data, options);
        Ok(())
    }

    fn time(&self) -> f64 {
        self.state.time
    }

    fn dt(&self) -> f64 {
        self.options.dt
    }

    fn gravity(&self) -> DVec3 {
        self.model.gravity()
    }

    fn bodies(&self, out: &mut Vec<BodyState>) {
        out.clear();
        out.extend(self.model.body_ids().iter().map(|id: BodyId| {
            let (pose, motion) = (self.data.world_from_body(id), self.data.body_velocity(id));
            let inertia = self.model.body(id).inertia();
            let arm = pose.rotation * inertia.center_of_mass;
            BodyState {
                mass: inertia.mass,
                inertia: inertia.rotational.to_mat3(),
                rotation: pose.rotation,
                center: pose.translation + arm,
                velocity: motion.linear + motion.angular.cross(arm),
                spin: motion.angular,
            }
        }));
    }

    fn deepest(&self) -> f64 {
        self.data.contact.points.iter().map(|c| c.depth).fold(0.0, f64::max)
    }

    fn fork(&self, dt: f64) -> Option<Box<dyn Engine>> {
        let mut copy = self.clone();
        copy.options.dt = dt;
        Some(Box::new(copy))
    }
}
