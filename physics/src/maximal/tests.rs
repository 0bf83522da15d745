use super::*;
use crate::actuation::{Effort, Key, Motor, Row, Term};
use crate::figures;
use crate::integrate::{Integrator, Stepper};
use crate::model::shape::Shape;
use crate::model::{Freedom, Limits, ShapeSpec};
use crate::spatial::Inertia;
use crate::step::step;
use glam::DVec3;

/// Numbers that look random and are the same everywhere.
fn scatter(out: &mut [f64], scale: f64) {
    for (k, x) in out.iter_mut().enumerate() {
        *x += scale * (2.3 * k as f64 + 0.7).sin();
    }
}

fn origins(model: &Model, state: &State) -> Vec<DVec3> {
    let mut data = Data::new(model);
    forward_kinematics(model, state, &mut data);
    data.position.world_from_body.iter().map(|p| p.translation).collect()
}

fn distance(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).fold(0.0, |m: f64, (a, b)| m.max(a.distance(*b)))
}

/// Largest distance of a body from the exact motion after `time`, reduced and maximal, at step `dt`.
fn errors(model: &Model, start: &State, time: f64, dt: f64, exact: &[DVec3]) -> (f64, f64) {
    let opt = StepOptions { dt, ..StepOptions::default() };
    let act = Actuation::new(model);
    let steps = (time / dt).round() as usize;
    let (mut state, mut data) = (start.clone(), Data::new(model));
    let mut maximal = Maximal::new(model).unwrap();
    let mut apart = maximal.separate(start);
    let mut apart_data = Data::new(maximal.model());
    for _ in 0..steps {
        step(model, &mut state, &mut data, &act, &opt).unwrap();
        maximal.step(&mut apart, &mut apart_data, &act, &opt).unwrap();
    }
    (distance(&origins(model, &state), exact), distance(&origins(maximal.model(), &apart), exact))
}

/// Both formulations approach the motion a fourth-order integration finds, each step half as long halving
/// the error.
fn check_convergence(name: &str, model: &Model, start: &State, time: f64, coarse: f64) {
    let mut exact = start.clone();
    let mut data = Data::new(model);
    let mut stepper = Stepper::new(model);
    let fine = 1e-3;
    for _ in 0..(time / fine).round() as usize {
        stepper.step(model, &mut exact, &mut data, Integrator::RungeKutta4, fine, |_, _| {});
    }
    let exact = origins(model, &exact);
    let found: Vec<(f64, f64)> =
        [1.0, 0.5, 0.25].iter().map(|s| errors(model, start, time, coarse * s, &exact)).collect();
    println!("{name}: {found:?}");
    for pair in found.windows(2) {
        for (was, is) in [(pair[0].0, pair[1].0), (pair[0].1, pair[1].1)] {
            let order = (was / is).log2();
            // Reduced steps of trees that turn fast are better than first order for a while, and the coarsest may be among them.
            assert!((0.7..1.4).contains(&order), "{name}: order {order} in {found:?}");
        }
    }
}

#[test]
fn double_pendulum_converges_to_the_same_motion() {
    let rod = |c: f64| Inertia {
        center_of_mass: DVec3::new(0.0, 0.0, c),
        ..Inertia::solid_capsule(1.0, 0.03, 0.2)
    };
    let model = Model::builder()
        .body(BodySpec::root("upper", Joint::revolute(DVec3::Y).with_damping(0.05), rod(-0.2)))
        .body(BodySpec::child(
            "lower",
            "upper",
            Joint::revolute(DVec3::new(0.3, 1.0, 0.0)).at(DVec3::new(0.0, 0.0, -0.4)),
            rod(-0.2),
        ))
        .build()
        .unwrap();
    let mut start = State::new(&model);
    start.q.copy_from_slice(&[1.2, 0.5]);
    check_convergence("double pendulum", &model, &start, 0.5, 1.0 / 250.0);
}

#[test]
fn falling_humanoid_converges_to_the_same_motion() {
    let model = figures::humanoid37().model();
    let mut start = State::new(&model);
    scatter(&mut start.v, 1.5);
    check_convergence("humanoid", &model, &start, 0.25, 1.0 / 400.0);
}

/// A tree with every kind of joint, springs, rotors and effort limits.
fn every_joint() -> Model {
    let solid = Inertia::solid_box(1.0, DVec3::new(0.1, 0.2, 0.3));
    let joints = [
        Joint::free(),
        Joint::spherical().with_stiffness(5.0),
        Joint::universal(DVec3::X, DVec3::Y).with_damping(0.1),
        Joint::planar().with_armature(0.05),
        Joint::revolute(DVec3::Y).with_effort_limit(1.0),
        Joint::prismatic(DVec3::Z).with_armature(0.2).with_stiffness(20.0),
        Joint::fixed(),
    ];
    let mut builder = Model::builder();
    for (i, joint) in joints.into_iter().enumerate() {
        let joint = joint.at(DVec3::new(0.1, 0.2, 0.3));
        let parent = i.checked_sub(1).map(|p| format!("b{p}"));
        builder.push(BodySpec { name: format!("b{i}"), parent, joint, inertia: solid, shapes: Vec::new() });
    }
    builder.build().unwrap()
}

/// A tree with every kind of joint, springs, rotors, servos with effort limits and a prescribed joint.
#[test]
fn every_joint_with_drives_converges_to_the_reduced_step() {
    let model = every_joint();
    let mut act = Actuation::new(&model);
    act.servo.stiffness[6..].fill(30.0);
    act.servo.damping[6..].fill(2.0);
    scatter(&mut act.joint_force[6..], 0.3);
    // The universal joint moves as it is told.
    act.prescribed[2] = true;
    let run = |dt: f64| {
        let mut act = act.clone();
        let mut start = State::new(&model);
        scatter(&mut start.v, 0.5);
        let opt = StepOptions { dt, ..StepOptions::default() };
        let mut maximal = Maximal::new(&model).unwrap();
        let mut apart = maximal.separate(&start);
        let mut apart_data = Data::new(maximal.model());
        let (mut state, mut data) = (start, Data::new(&model));
        act.prescribed_velocity[9..11].copy_from_slice(&state.v[9..11]);
        for _ in 0..(0.2 / dt).round() as usize {
            act.prescribed_velocity[9..11].iter_mut().for_each(|v| *v += 0.5 * dt);
            step(&model, &mut state, &mut data, &act, &opt).unwrap();
            maximal.step(&mut apart, &mut apart_data, &act, &opt).unwrap();
        }
        distance(&origins(&model, &state), &origins(maximal.model(), &apart))
    };
    let found = [run(4e-3), run(2e-3), run(1e-3)];
    println!("every joint: {found:?}");
    assert!(found[2] < 2e-3 && found[1] < 0.7 * found[0] && found[2] < 0.7 * found[1], "{found:?}");
}

#[test]
fn separating_and_joining_give_the_state_back() {
    let model = figures::humanoid37().model();
    let mut state = State::new(&model);
    scatter(&mut state.q, 0.4);
    scatter(&mut state.v, 1.0);
    state.normalize(&model);
    let mut maximal = Maximal::new(&model).unwrap();
    let apart = maximal.separate(&state);
    let back = maximal.join(&apart);
    for (a, b) in back.q.iter().chain(&back.v).zip(state.q.iter().chain(&state.v)) {
        assert!((a - b).abs() < 1e-12, "{back:?}");
    }
}

/// A humanoid on the ground, damped joints.
fn ragdoll() -> Model {
    let figure = figures::humanoid37();
    let mut builder = Model::builder().fixture(ShapeSpec::new(Shape::Plane)).self_collision(false);
    for (part, carried) in figure.parts.iter().zip(figure.carried_inertia()) {
        let mut spec = part.spec();
        if part.parent.is_some() {
            spec.joint = spec.joint.with_damping(2.0 * carried);
        }
        builder.push(spec);
    }
    builder.build().unwrap()
}

#[test]
fn ragdoll_falls_and_lies_without_coming_apart() {
    let model = ragdoll();
    for formulation in [Formulation::ImplicitPenalty, Formulation::LcpDantzig] {
        let opt = StepOptions::at_rate(240.0).with(formulation);
        let mut start = State::new(&model);
        start.v[4] = 0.5;
        let mut maximal = Maximal::new(&model).unwrap();
        let mut state = maximal.separate(&start);
        let mut data = Data::new(maximal.model());
        let act = Actuation::new(&model);
        let (mut distance, mut angle) = (0.0_f64, 0.0_f64);
        for _ in 0..(2.5 / opt.dt) as usize {
            maximal.step(&mut state, &mut data, &act, &opt).unwrap();
            let drift = maximal.drift(&data);
            distance = distance.max(drift.distance);
            angle = angle.max(drift.angle);
        }
        let joined = maximal.join(&state);
        let height = joined.q[2] + 0.98;
        let fastest = joined.v.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        println!("{}: drift {distance} m {angle} rad, pelvis {height} m, {fastest} /s", formulation.name());
        assert!(distance < 0.01 && angle < 0.05, "{formulation:?}: {distance} {angle}");
        assert!((0.03..0.25).contains(&height), "{formulation:?}: pelvis at {height}");
        assert!(fastest < 0.2, "{formulation:?}: {fastest}");
    }
}

#[test]
fn servos_hold_limits_stop_and_motors_turn() {
    let arm = Inertia { center_of_mass: DVec3::new(0.3, 0.0, 0.0), ..Inertia::solid_sphere(2.0, 0.1) };
    let hinge = Joint::revolute(DVec3::Y);
    let run = |steps: usize, joint: Joint, set: &dyn Fn(&mut Actuation)| {
        let model = Model::builder().body(BodySpec::root("arm", joint, arm)).build().unwrap();
        let mut maximal = Maximal::new(&model).unwrap();
        let mut state = maximal.separate(&State::new(&model));
        let mut data = Data::new(maximal.model());
        let mut act = Actuation::new(&model);
        set(&mut act);
        for _ in 0..steps {
            maximal.step(&mut state, &mut data, &act, &StepOptions::default()).unwrap();
        }
        maximal.join(&state)
    };
    // Gravity pulls the arm down, a positive turn about y: 2 · 9.81 · 0.3 = 5.886 N m at zero.
    let held = run(600, hinge.clone(), &|act| {
        act.servo.stiffness[0] = 1000.0;
        act.servo.damping[0] = 50.0;
    });
    assert!((held.q[0] - 5.886e-3).abs() < 1e-5, "{held:?}");
    // A servo that wants far up gives its two newton metres and no more: (5.886 - 2)/(2·0.09 + 0.008) rad/s².
    let weak = run(1, hinge.clone().with_effort_limit(2.0), &|act| {
        act.servo.stiffness[0] = 1000.0;
        act.servo.target_q[0] = -1.0;
    });
    assert!((weak.v[0] * 120.0 - 3.886 / 0.188).abs() < 1e-5, "{weak:?}");
    let stopped = run(600, hinge.clone().with_limits(Limits::range(-1.0, 0.5)), &|_| {});
    assert!((stopped.q[0] - 0.5).abs() < 1e-3 && stopped.v[0].abs() < 1e-3, "{stopped:?}");
    let turning = run(600, hinge, &|act| {
        act.motors.push(Motor::on_freedom(Key(0), Freedom::new(0), 2.0, Effort::within(100.0)));
    });
    assert!((turning.v[0] - 2.0).abs() < 1e-6 && (turning.q[0] - 10.0).abs() < 1e-2, "{turning:?}");
}

#[test]
fn bad_joint_input_names_the_joint() {
    let model = figures::humanoid37().model();
    let mut maximal = Maximal::new(&model).unwrap();
    let mut state = maximal.separate(&State::new(&model));
    let before = state.clone();
    let mut data = Data::new(maximal.model());
    let mut act = Actuation::new(&model);
    let knee = model.find("lshank").unwrap();
    act.joint_force[model.body(knee).v_range().start] = f64::NAN;
    let error = maximal.step(&mut state, &mut data, &act, &StepOptions::default()).unwrap_err();
    assert!(error.to_string().contains("lshank"), "{error}");
    assert_eq!(state, before);
}

/// What passes through joints that are rows is what passes through the same joints as coordinates: servos, motors, rows of a
/// controller's own, a prescribed joint and a stop included. From rest, where both steps are the same, to rounding of the solve.
#[test]
fn reactions_are_those_of_reduced_coordinates() {
    let mut model = every_joint();
    model.bodies[4].joint.limits = Limits::range(0.0, 1.0);
    let mut act = Actuation::new(&model);
    act.servo.stiffness[6..].fill(30.0);
    act.servo.damping[6..].fill(2.0);
    scatter(&mut act.joint_force[6..], 3.0);
    // Against its stop; without a servo; as it is told; by a motor; by a row.
    act.joint_force[14] = -4.0;
    (act.servo.stiffness[11], act.servo.damping[11]) = (0.0, 0.0);
    act.prescribed[2] = true;
    act.prescribed_velocity[9..11].copy_from_slice(&[0.02, -0.01]);
    act.motors.push(Motor::on_freedom(Key(0), Freedom::new(7), 0.1, Effort::within(0.5)));
    let pull =
        Term::Point { body: model.find("b6").unwrap(), point: DVec3::X, other: None, direction: DVec3::Z };
    let turn = Term::Freedom { freedom: Freedom::new(15), weight: 0.5 };
    act.rows.push(Row::new(Key(1), [pull, turn]).towards(0.1).between(-2.0, 2.0));
    for formulation in [Formulation::LcpPgs, Formulation::LcpDantzig] {
        let opt = StepOptions { dt: 1e-3, ..StepOptions::default().with(formulation) };
        let start = State::new(&model);
        let mut maximal = Maximal::new(&model).unwrap();
        let mut apart = maximal.separate(&start);
        let mut apart_data = Data::new(maximal.model());
        let (mut state, mut data) = (start, Data::new(&model));
        step(&model, &mut state, &mut data, &act, &opt).unwrap();
        maximal.step(&mut apart, &mut apart_data, &act, &opt).unwrap();
        let (rows, joints) = (&apart_data.reactions, &data.reactions);
        let near = |a: f64, b: f64| (a - b).abs() < 1e-6 * (1.0 + b.abs());
        let lists = [
            ("along", &rows.along, &joints.along),
            ("drive", &rows.drive, &joints.drive),
            ("motor", &rows.motor, &joints.motor),
            ("limit", &rows.limit, &joints.limit),
        ];
        for (name, found, wanted) in lists {
            assert_eq!(found.len(), wanted.len());
            assert!(wanted.iter().any(|x| x.abs() > 0.1), "{formulation:?}: no {name}: {wanted:?}");
            for k in 0..wanted.len() {
                assert!(near(found[k], wanted[k]), "{formulation:?} {name} {k}:\n{found:?}\n{wanted:?}");
            }
        }
        for (i, (found, wanted)) in rows.wrench.iter().zip(&joints.wrench).enumerate() {
            let off = *found - *wanted;
            let size = 1.0 + wanted.linear.length() + wanted.angular.length();
            assert!(off.linear.length() + off.angular.length() < 1e-6 * size, "{i}: {found:?} {wanted:?}");
        }
    }
}

/// In motion both agree as far as the steps do: what a swinging chain pulls with at every joint.
#[test]
fn reactions_of_a_swinging_chain_are_those_of_reduced_coordinates() {
    let rod =
        Inertia { center_of_mass: DVec3::new(0.0, 0.0, -0.2), ..Inertia::solid_capsule(1.0, 0.03, 0.2) };
    let mut builder = Model::builder().body(BodySpec::root("b0", Joint::revolute(DVec3::Y), rod));
    for i in 1..4 {
        let joint = Joint::spherical().at(DVec3::new(0.0, 0.0, -0.4)).with_damping(0.02);
        builder.push(BodySpec::child(format!("b{i}"), format!("b{}", i - 1), joint, rod));
    }
    let model = builder.build().unwrap();
    let act = Actuation::new(&model);
    for dt in [2e-3, 5e-4] {
        let opt = StepOptions { dt, ..StepOptions::default().with(Formulation::LcpDantzig) };
        let mut start = State::new(&model);
        start.q[0] = 1.0;
        start.v[0] = 2.0;
        let mut maximal = Maximal::new(&model).unwrap();
        let mut apart = maximal.separate(&start);
        let mut apart_data = Data::new(maximal.model());
        let (mut state, mut data) = (start, Data::new(&model));
        for _ in 0..(0.3 / dt).round() as usize {
            step(&model, &mut state, &mut data, &act, &opt).unwrap();
            maximal.step(&mut apart, &mut apart_data, &act, &opt).unwrap();
        }
        let pairs = apart_data.reactions.wrench.iter().zip(&data.reactions.wrench);
        let off = pairs.map(|(a, b)| (a.linear - b.linear).length()).fold(0.0, f64::max);
        let size = data.reactions.wrench[0].linear.length();
        assert!(off < 1e-3 * size, "{dt}: {off} of {size}");
    }
}
