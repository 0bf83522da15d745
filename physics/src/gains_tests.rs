use super::*;
use crate::contact::Material;
use crate::figures::{self, Figure};
use crate::integrate::Stepper;
use crate::model::ShapeSpec;
use crate::model::shape::Shape;
use crate::spatial::Inertia;
use crate::step::step;
use crate::{BodySpec, Joint};

/// A figure without gravity or shapes, and the standard servo gains: 20 rad/s, critically damped, of the
/// carried inertia.
fn figure(figure: &Figure, ratio: f64) -> (Model, Actuation) {
    let mut builder = Model::builder().gravity(DVec3::ZERO);
    for part in &figure.parts {
        let mut spec = part.spec();
        spec.shapes.clear();
        builder.push(spec);
    }
    let model = builder.build().unwrap();
    let mut act = Actuation::new(&model);
    for (body, carried) in model.bodies().iter().zip(figure.carried_inertia()) {
        if body.v_range().len() < 6 {
            act.servo.stiffness[body.v_range()].fill(400.0 * carried);
            act.servo.damping[body.v_range()].fill(40.0 * ratio * carried);
        }
    }
    (model, act)
}

fn start(model: &Model) -> State {
    let mut state = State::new(model);
    for (k, v) in state.v.iter_mut().enumerate() {
        *v = 1e-6 * (2.3 * k as f64 + 0.7).sin();
    }
    state
}

fn fastest(state: &State) -> f64 {
    state.v.iter().fold(0.0, |m: f64, v| m.max(v.abs()))
}

/// Whether a tiny motion dies or stays instead of growing, under the step's explicit formulation.
fn step_is_stable(model: &Model, act: &Actuation, dt: f64) -> bool {
    let mut state = start(model);
    let mut data = Data::new(model);
    let opt = StepOptions { dt, substeps: 1, most_substeps: 0, ..StepOptions::default() }
        .with(Formulation::Penalty);
    for _ in 0..400 {
        if step(model, &mut state, &mut data, act, &opt).is_err() || fastest(&state) > 1e-2 {
            return false;
        }
    }
    fastest(&state) < 1e-4
}

fn integrator_is_stable(model: &Model, act: &Actuation, integrator: Integrator, dt: f64) -> bool {
    let mut state = start(model);
    let mut data = Data::new(model);
    let mut stepper = Stepper::new(model);
    for _ in 0..400 {
        stepper.step(model, &mut state, &mut data, integrator, dt, |state, forces| {
            let mut error = [0.0; 6];
            for body in model.bodies() {
                let (q, target) = (&state.q[body.q_range()], &act.servo.target_q[body.q_range()]);
                crate::step::gather::position_error(body.joint().kind, q, target, &mut error);
                for (k, dof) in body.v_range().enumerate() {
                    forces.joint[dof] +=
                        act.servo.stiffness[dof] * error[k] - act.servo.damping[dof] * state.v[dof];
                }
            }
        });
        if !state.is_finite() || fastest(&state) > 1e-2 {
            return false;
        }
    }
    fastest(&state) < 1e-4
}

/// The step at which `stable` turns, between a hundredth and a hundred times `guess`.
fn measured(guess: f64, stable: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.01 * guess, 100.0 * guess);
    for _ in 0..12 {
        let middle = (low * high).sqrt();
        if stable(middle) { low = middle } else { high = middle }
    }
    low
}

#[test]
fn limits_of_the_explicit_step_are_predicted() {
    for (name, figure_, ratio) in [
        ("humanoid37", figures::humanoid37(), 1.0),
        ("humanoid37, undamped", figures::humanoid37(), 0.0),
        ("chain", figures::chain(8), 1.0),
        ("ball chain", figures::ball_chain(5), 0.3),
    ] {
        let (model, act) = figure(&figure_, ratio);
        let mut data = Data::new(&model);
        let opt = StepOptions { substeps: 1, ..StepOptions::default() }.with(Formulation::Penalty);
        let check = check_step(&model, &State::new(&model), &mut data, &act, &opt);
        let found = measured(check.largest_stable_dt, |dt| step_is_stable(&model, &act, dt));
        let ratio = found / check.largest_stable_dt;
        println!("{name}: predicted {:.4e} s, measured {found:.4e} s", check.largest_stable_dt);
        assert!((0.5..2.0).contains(&ratio), "{name}: {ratio}");
        // The scale: gains as large as it says are just stable at the step asked about.
        assert_eq!(check.stable, check.largest_stable_scale > 1.0, "{name}");
    }
}

#[test]
fn limits_of_the_integrators_are_predicted() {
    for ratio in [0.0, 1.0] {
        let (model, act) = figure(&figures::humanoid37(), ratio);
        let mut data = Data::new(&model);
        for integrator in [Integrator::SemiImplicitEuler, Integrator::RungeKutta4] {
            let check = check_integrator(&model, &State::new(&model), &mut data, &act, integrator, 1e-3);
            let found =
                measured(check.largest_stable_dt, |dt| integrator_is_stable(&model, &act, integrator, dt));
            println!(
                "{}, damping {ratio}: predicted {:.4e} s, measured {found:.4e} s",
                integrator.name(),
                check.largest_stable_dt
            );
            assert!((0.5..2.0).contains(&(found / check.largest_stable_dt)), "{}", integrator.name());
        }
    }
}

#[test]
fn implicit_formulations_are_stable_with_any_gain() {
    let (model, mut act) = figure(&figures::humanoid37(), 1.0);
    act.servo.stiffness.iter_mut().for_each(|k| *k *= 1e6);
    let mut data = Data::new(&model);
    for formulation in [Formulation::ImplicitPenalty, Formulation::LcpPgs, Formulation::LcpDantzig] {
        let opt = StepOptions::default().with(formulation);
        let check = check_step(&model, &State::new(&model), &mut data, &act, &opt);
        assert!(check.stable && check.largest_stable_dt.is_infinite());
        assert!(check.verdicts.iter().all(|v| v.sentence.contains("stable at any step")));
    }
}

#[test]
fn the_culprit_is_named_with_what_would_do() {
    let (model, mut act) = figure(&figures::humanoid37(), 1.0);
    let hand = model.find("lhand").unwrap();
    act.servo.damping.fill(0.0);
    act.servo.stiffness.fill(0.0);
    act.servo.stiffness[model.body(hand).v_range()].fill(1e7);
    let mut data = Data::new(&model);
    let opt = StepOptions::at_rate(1000.0).with(Formulation::Penalty);
    let check = check_step(&model, &State::new(&model), &mut data, &act, &opt);
    let worst = &check.verdicts[0];
    assert!(!check.stable && !worst.stable && worst.body == hand);
    assert!(worst.sentence.contains("servo of joint 'lhand'") && worst.sentence.contains("cannot be stable"));
    // What it recommends works, a little more does not.
    for (factor, stable) in [(0.98, true), (1.02, false)] {
        let mut act = act.clone();
        act.servo.stiffness.iter_mut().for_each(|k| *k *= factor * check.largest_stable_scale);
        assert_eq!(
            step_is_stable(&model, &act, check.dt),
            stable,
            "{factor} of {}",
            check.largest_stable_scale
        );
    }
}

#[test]
fn explicit_contact_limit_is_predicted() {
    let ball = |stiffness: f64| {
        let material =
            Material { stiffness: Some(stiffness), damping: Some(0.0), friction: 0.0, ..Material::default() };
        let shape = |s| ShapeSpec::new(s).made_of(material);
        Model::builder()
            .fixture(shape(Shape::Plane))
            .body(
                BodySpec::root("ball", Joint::free(), Inertia::solid_sphere(2.0, 0.1))
                    .with_shape(shape(Shape::Sphere { radius: 0.1 })),
            )
            .build()
            .unwrap()
    };
    let opt = StepOptions { dt: 1e-3, substeps: 1, most_substeps: 0, ..StepOptions::default() }
        .with(Formulation::Penalty);
    // Resting at its equilibrium but for a micrometre, the ball leaves it only where the spring is unstable.
    let rests = |stiffness: f64| {
        let model = ball(stiffness);
        let (mut state, mut data) = (State::new(&model), Data::new(&model));
        let rest = 0.1 - 2.0 * 9.81 / stiffness;
        state.q[2] = rest + 1e-3 * (0.1 - rest);
        let act = Actuation::new(&model);
        for _ in 0..2000 {
            step(&model, &mut state, &mut data, &act, &opt).unwrap();
        }
        (state.q[2] - rest).abs() < 0.1 * (0.1 - rest)
    };
    let model = ball(1e5);
    let check =
        check_step(&model, &State::new(&model), &mut Data::new(&model), &Actuation::new(&model), &opt);
    let predicted = 1e5 * check.verdicts[0].largest_stable_scale;
    let found = measured(predicted, rests);
    println!("contact: predicted {predicted:.4e} N/m, measured {found:.4e} N/m");
    assert!((0.5..2.0).contains(&(found / predicted)));
}
