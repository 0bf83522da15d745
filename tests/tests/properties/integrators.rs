//! Time stepping.

use proptest::prelude::*;
use stuntlab_physics::glam::{DQuat, DVec3, EulerRot};
use stuntlab_physics::spatial::{Inertia, Sym3};
use stuntlab_physics::strategies::{Base, Kind, System, Trees};
use stuntlab_physics::{BodySpec, Data, Integrator, Joint, Model, State, Stepper};
use stuntlab_tests::compare::largest;
use stuntlab_tests::laws;

/// The state after `steps` steps of `dt`, joint forces constant.
fn run(model: &Model, start: &State, torque: &[f64], integrator: Integrator, steps: usize, dt: f64) -> State {
    let (mut data, mut stepper) = (Data::new(model), Stepper::new(model));
    let mut state = start.clone();
    for _ in 0..steps {
        stepper.step(model, &mut state, &mut data, integrator, dt, |_, forces| {
            forces.joint.copy_from_slice(torque);
        });
    }
    state
}

/// Distance of two states: positions on the manifold, and rates.
fn distance(model: &Model, a: &State, b: &State) -> f64 {
    let mut way = vec![0.0; model.n_v()];
    a.difference(model, b, &mut way);
    let v = a.v.iter().zip(&b.v).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    (way.iter().map(|x| x * x).sum::<f64>() + v).sqrt()
}

/// The order seen when the step is halved twice: `log₂ (|x_h - x_{h/2}| / |x_{h/2} - x_{h/4}|)`.
/// `None` where the differences drown in rounding.
fn order(s: &System, integrator: Integrator, steps: usize, dt: f64) -> Option<f64> {
    let torque: Vec<f64> = s.forces.joint.iter().map(|f| 0.05 * f).collect();
    let at = |k: usize| run(&s.model, &s.state, &torque, integrator, steps * k, dt / k as f64);
    let (coarse, middle, fine) = (at(1), at(2), at(4));
    let (first, second) = (distance(&s.model, &coarse, &middle), distance(&s.model, &middle, &fine));
    (second > 1e-12).then(|| (first / second).log2())
}

/// Small well-behaved figures: the step is short against everything that happens.
fn calm() -> Trees {
    Trees::plain().bodies(1..=3).rates(1.0)
}

proptest! {
    #![proptest_config(laws())]

    /// First order: halving the step halves the error. The bounds leave room for the next term of the
    /// error, whose share is the step times the rates.
    #[test]
    fn semi_implicit_euler_is_of_first_order(s in calm().systems()) {
        if let Some(order) = order(&s, Integrator::SemiImplicitEuler, 8, 5e-4) {
            prop_assert!((0.8..1.25).contains(&order), "{order}");
        }
    }

    /// First order.
    #[test]
    fn implicit_velocity_is_of_first_order(s in calm().systems()) {
        if let Some(order) = order(&s, Integrator::ImplicitVelocity, 8, 5e-4) {
            prop_assert!((0.8..1.25).contains(&order), "{order}");
        }
    }

    /// Fourth order: halving the step divides the error by sixteen.
    #[test]
    fn runge_kutta_is_of_fourth_order(s in calm().systems()) {
        if let Some(order) = order(&s, Integrator::RungeKutta4, 8, 5e-3) {
            prop_assert!((3.5..4.6).contains(&order), "{order}");
        }
    }

    /// Run forward, turn the rates round, run again: back at the start, up to the integrator's error,
    /// which is of fifth order in the step.
    #[test]
    fn runge_kutta_returns_when_time_is_reversed(s in calm().systems()) {
        let System { model, state, forces, .. } = s;
        let torque: Vec<f64> = forces.joint.iter().map(|f| 0.05 * f).collect();
        let there = |dt: f64, steps| {
            let mut turned = run(&model, &state, &torque, Integrator::RungeKutta4, steps, dt);
            turned.v.iter_mut().for_each(|v| *v = -*v);
            let mut back = run(&model, &turned, &torque, Integrator::RungeKutta4, steps, dt);
            back.v.iter_mut().for_each(|v| *v = -*v);
            distance(&model, &back, &state)
        };
        let (coarse, fine) = (there(2e-3, 20), there(1e-3, 40));
        prop_assert!(fine <= 1e-7, "{fine:e}");
        // Better than first order by far, unless there is nothing left to gain.
        prop_assert!(fine <= coarse / 8.0 || fine < 1e-12, "{coarse:e}, then {fine:e}");
    }

    /// Quaternions keep unit length over 500 steps of any integrator. The figures swing and tumble under
    /// gravity alone: a constant torque would spin their light parts faster than the step can follow.
    #[test]
    fn quaternions_keep_unit_length(
        s in Trees::plain().bodies(1..=3).kinds(&[Kind::Spherical, Kind::Free]).systems(),
        integrator in prop::sample::select(&Integrator::ALL[..]),
    ) {
        let System { model, state, .. } = s;
        let end = run(&model, &state, &vec![0.0; model.n_v()], integrator, 500, 1.0 / 1000.0);
        for body in model.bodies() {
            let Some(k) = body.joint().kind.quaternion_offset() else { continue };
            let length = end.q[body.coordinates()][k..k + 4].iter().map(|x| x * x).sum::<f64>().sqrt();
            prop_assert!((length - 1.0).abs() <= 1e-15, "{}: {length}", body.name());
        }
    }

    /// The same start gives the same bits, whatever the stepper did before.
    #[test]
    fn steps_repeat_to_the_bit(
        s in Trees::default().systems(),
        integrator in prop::sample::select(&Integrator::ALL[..]),
    ) {
        let System { model, state, forces, .. } = s;
        let (mut data, mut stepper) = (Data::new(&model), Stepper::new(&model));
        let mut go = |from: &State| {
            let mut state = from.clone();
            for _ in 0..5 {
                stepper.step(&model, &mut state, &mut data, integrator, 1e-4, |_, f| {
                    f.joint.copy_from_slice(&forces.joint);
                });
            }
            state
        };
        let first = go(&state);
        let second = go(&state);
        let bits = |s: &State| s.q.iter().chain(&s.v).map(|x| x.to_bits()).collect::<Vec<_>>();
        prop_assert_eq!(bits(&first), bits(&second));
    }

    /// The centre of mass of a floating figure falls as a stone, whatever its joints do: Runge–Kutta is
    /// exact for it but for its own fifth-order error.
    #[test]
    fn the_centre_of_mass_falls_as_a_stone(s in calm().base(Base::Floating).systems()) {
        let System { model, state, mut forces, .. } = s;
        for body in model.bodies().iter().filter(|b| b.parent().is_none()) {
            forces.joint[body.freedoms()].fill(0.0);
        }
        let torque: Vec<f64> = forces.joint.iter().map(|f| 0.05 * f).collect();
        let com = |state: &State| {
            let mut data = Data::new(&model);
            stuntlab_physics::dynamics::forward_kinematics(&model, state, &mut data);
            stuntlab_physics::dynamics::forward_velocity(&model, state, &mut data);
            stuntlab_physics::dynamics::center_of_mass(&model, &data)
        };
        let before = com(&state);
        let t = 0.04;
        let after = com(&run(&model, &state, &torque, Integrator::RungeKutta4, 40, 1e-3));
        let expected = before.position + before.velocity * t + model.gravity() * (0.5 * t * t);
        let gap = largest((after.position - expected).to_array());
        prop_assert!(gap <= 1e-9, "{gap:e}");
    }
}

/// Euler's equations about principal axes by Runge–Kutta with compensated sums: three numbers, nothing to lose digits by.
fn spin(inertia: [f64; 3], mut w: [f64; 3], steps: usize, dt: f64) -> [f64; 3] {
    let [a, b, c] = inertia;
    let rate =
        |w: [f64; 3]| [(b - c) * w[1] * w[2] / a, (c - a) * w[2] * w[0] / b, (a - b) * w[0] * w[1] / c];
    let ahead = |w: [f64; 3], h: f64, k: [f64; 3]| [w[0] + h * k[0], w[1] + h * k[1], w[2] + h * k[2]];
    let mut lost = [0.0; 3];
    for _ in 0..steps {
        let first = rate(w);
        let second = rate(ahead(w, 0.5 * dt, first));
        let third = rate(ahead(w, 0.5 * dt, second));
        let fourth = rate(ahead(w, dt, third));
        for k in 0..3 {
            let term = dt / 6.0 * (first[k] + fourth[k] + 2.0 * (second[k] + third[k])) + lost[k];
            let next = w[k] + term;
            lost[k] = term - (next - w[k]);
            w[k] = next;
        }
    }
    w
}

/// A spin about the middle axis multiplies every error by hundreds before it turns over, rounding too: taken in world axes it came to
/// 1.3e-10 rad/s within ten seconds, as much as the method itself leaves at 1 ms.
#[test]
fn rounding_does_not_show_in_a_spin_about_the_middle_axis() {
    let tops = [
        ([0.0319, 0.05923, 0.07408], [0.0339, 8.6513, 0.0723]),
        ([0.03434, 0.06356, 0.07413], [0.1189, 8.9439, 0.0903]),
        ([0.02354, 0.04009, 0.05405], [0.0407, 7.6064, 0.1126]),
    ];
    for (k, (inertia, w)) in tops.into_iter().enumerate() {
        let [a, b, c] = inertia;
        let body = Inertia::new(1.0 + k as f64, DVec3::ZERO, Sym3::diagonal(a, b, c));
        let model = Model::builder()
            .gravity(DVec3::ZERO)
            .body(BodySpec::root("top", Joint::free(), body))
            .build()
            .expect("a valid top");
        let mut state = State::new(&model);
        let turned = DQuat::from_euler(EulerRot::XYZ, 0.3, -1.1 - k as f64, 2.0);
        state.q[3..].copy_from_slice(&turned.to_array());
        state.v[3..].copy_from_slice(&w);
        let steps = 20_000;
        let end = run(&model, &state, &[0.0; 6], Integrator::RungeKutta4, steps, 5e-4);
        let exact = spin(inertia, w, steps, 5e-4);
        let off = (0..3).map(|i| (end.v[3 + i] - exact[i]).abs()).fold(0.0, f64::max);
        assert!(off < 3e-11, "{off} rad/s of rounding in top {k}");
    }
}
