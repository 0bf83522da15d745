//! Energy and momentum.

use proptest::prelude::*;
use stuntlab_physics::dynamics::{
    aba, center_of_mass, forward_kinematics, forward_velocity, kinetic_energy, momentum_about,
    potential_energy, rnea_with_wrenches, spring_energy,
};
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::Force;
use stuntlab_physics::strategies::{Base, Kind, System, Trees, plain_inertias, unit_vectors};
use stuntlab_physics::{BodySpec, Data, Forces, Integrator, Joint, Model, State, Stepper};
use stuntlab_tests::compare::largest;
use stuntlab_tests::dense::Dense;
use stuntlab_tests::{laws, surgery};

use super::ROUNDING;

fn moved(model: &Model, state: &State) -> Data {
    let mut data = Data::new(model);
    forward_kinematics(model, state, &mut data);
    forward_velocity(model, state, &mut data);
    data
}

/// Kinetic, potential and spring energy.
fn energy(model: &Model, state: &State) -> f64 {
    let data = moved(model, state);
    kinetic_energy(model, &data, &state.v) + potential_energy(model, &data) + spring_energy(model, state)
}

/// The state `dt` along `q ⊕ dt v, v + dt a`: correct to first order, hence fit for central differences.
fn along(model: &Model, state: &State, a: &[f64], dt: f64) -> State {
    let mut other = state.clone();
    other.integrate(model, &state.v, dt);
    other.v.iter_mut().zip(a).for_each(|(v, a)| *v += dt * a);
    other
}

proptest! {
    #![proptest_config(laws())]

    /// `½ vᵀ H v` is the sum of the bodies' energies (and the rotors').
    #[test]
    fn quadratic_form_of_the_mass_matrix_is_kinetic_energy(s in Trees::default().systems()) {
        let System { model, state, .. } = s;
        let data = moved(&model, &state);
        let h = Dense::mass_matrix(&model, &state, &mut Data::new(&model));
        let momentum = h.times(&state.v);
        let found: f64 = 0.5 * momentum.iter().zip(&state.v).map(|(p, v)| p * v).sum::<f64>();
        // Entries of H times rates may cancel: their size without signs.
        let sizes = h.sizes();
        let most: f64 = state.v.iter().zip(&sizes).map(|(v, s)| (v * s).abs()).sum();
        let expected = kinetic_energy(&model, &data, &state.v);
        prop_assert!((found - expected).abs() <= ROUNDING * most * most);
    }

    /// Power balance: energy grows by what joint forces and wrenches put in,
    /// `d(T + U)/dt = τ·v + Σ f·v_body`.
    #[test]
    fn energy_grows_by_the_power_of_the_forces(s in Trees::plain().systems()) {
        let System { model, state, forces, .. } = s;
        let h = 1e-5;
        let mut data = Data::new(&model);
        aba(&model, &state, &mut data, &forces);
        let a = data.dynamics.acceleration.clone();
        let after = energy(&model, &along(&model, &state, &a, h));
        let before = energy(&model, &along(&model, &state, &a, -h));
        let mut power: f64 = forces.joint.iter().zip(&state.v).map(|(f, v)| f * v).sum();
        for (v, f) in data.velocity.body.iter().zip(&forces.body) {
            power += v.dot(*f);
        }
        let found = (after - before) / (2.0 * h);
        // Rounding of the energies over h, and h² times a third derivative: a² times rates and inertias.
        let fast = largest(a.iter().copied()).max(1.0);
        let allowed = 1e-9 * (after.abs() + 1.0) / h * 1e-2 + 1e-10 * fast * fast * fast.sqrt() + 1e-6;
        prop_assert!((found - power).abs() <= allowed, "{found} and {power}, allowed {allowed:e}");
    }

    /// Springs and dampers of the joints: energy changes by `-Σ d v²` and nothing else.
    #[test]
    fn dampers_take_exactly_their_power(s in Trees::plain().passive(true).systems()) {
        let System { model, state, .. } = s;
        let h = 1e-5;
        let mut data = Data::new(&model);
        let mut forces = Forces::new(&model);
        // A ball's spring pulls along its log; keep away from half turns where that jumps.
        prop_assume!(spring_is_smooth(&model, &state));
        stuntlab_physics::dynamics::add_passive_explicit(&model, &state, &mut forces);
        aba(&model, &state, &mut data, &forces);
        let a = data.dynamics.acceleration.clone();
        let loss: f64 = model
            .bodies()
            .iter()
            .flat_map(|b| b.freedoms().iter().zip(b.joint().damping))
            .map(|(k, d)| d * state.v[k] * state.v[k])
            .sum();
        let after = energy(&model, &along(&model, &state, &a, h));
        let before = energy(&model, &along(&model, &state, &a, -h));
        let found = (after - before) / (2.0 * h);
        let fast = largest(a.iter().copied()).max(1.0);
        let allowed = 1e-11 * (after.abs() + 1.0) / h + 1e-10 * fast * fast * fast.sqrt() + 1e-6;
        prop_assert!((found + loss).abs() <= allowed, "{found} and {}, allowed {allowed:e}", -loss);
    }

    /// Damping never adds energy: along a finely stepped motion with springs, dampers and gravity the
    /// energy falls in every step but for the integrator's own error.
    #[test]
    fn damping_never_adds_energy(
        s in Trees::plain().bodies(1..=4).kinds(&[Kind::Revolute, Kind::Universal, Kind::Prismatic, Kind::Planar])
            .systems(),
        damping in 0.1..3.0,
    ) {
        let specs = surgery::specs(&s.model)
            .into_iter()
            .map(|mut spec| {
                spec.joint = spec.joint.with_damping(damping);
                spec
            })
            .collect();
        let model = surgery::build(s.model.gravity(), specs);
        let mut state = s.state;
        let (mut data, mut stepper) = (Data::new(&model), Stepper::new(&model));
        let mut before = energy(&model, &state);
        for _ in 0..40 {
            stepper.step(&model, &mut state, &mut data, Integrator::RungeKutta4, 1e-3, |_, _| {});
            let after = energy(&model, &state);
            prop_assert!(after <= before + 1e-8 * (1.0 + before.abs()), "{before} J, then {after} J");
            before = after;
        }
    }

    /// Forces between bodies of a floating figure change neither its linear nor its angular momentum:
    /// both grow by weight and wrenches alone.
    #[test]
    fn internal_forces_change_no_momentum(
        mut s in Trees::plain().base(Base::Floating).systems(),
    ) {
        // Free joints on the world push against the world: no force there.
        for body in s.model.bodies().iter().filter(|b| b.parent().is_none()) {
            s.forces.joint[body.freedoms()].fill(0.0);
        }
        let System { model, state, forces, .. } = s;
        let h = 1e-5;
        let mut data = Data::new(&model);
        aba(&model, &state, &mut data, &forces);
        let a = data.dynamics.acceleration.clone();
        let momentum = |dt: f64| {
            let state = along(&model, &state, &a, dt);
            momentum_about(&model, &moved(&model, &state), DVec3::ZERO)
        };
        let found = (momentum(h) - momentum(-h)) * (0.5 / h);
        let com = center_of_mass(&model, &data);
        let mut expected = Force::at_offset(model.gravity() * com.mass, com.position);
        for (pose, f) in data.position.world_from_body.iter().zip(&forces.body) {
            expected += f.seen_from(pose.translation);
        }
        let fast = largest(a.iter().copied()).max(10.0);
        let gap = largest((found - expected).to_array());
        prop_assert!(gap <= 1e-7 * fast * com.mass.max(1.0), "{found:?} {expected:?}");
    }

    /// Momentum of a floating figure in free space is kept along a whole motion, torques at its joints or
    /// not.
    #[test]
    fn momentum_is_kept_along_a_motion(
        s in Trees::plain().bodies(1..=4).base(Base::Floating).gravity(0.0).systems(),
    ) {
        let System { model, mut state, mut forces, .. } = s;
        for body in model.bodies().iter().filter(|b| b.parent().is_none()) {
            forces.joint[body.freedoms()].fill(0.0);
        }
        let (mut data, mut stepper) = (Data::new(&model), Stepper::new(&model));
        let before = momentum_about(&model, &moved(&model, &state), DVec3::ZERO);
        let mut fastest = largest(state.v.iter().copied());
        for _ in 0..40 {
            stepper.step(&model, &mut state, &mut data, Integrator::RungeKutta4, 5e-4, |_, f| {
                f.joint.iter_mut().zip(&forces.joint).for_each(|(f, x)| *f = 0.1 * x);
            });
            fastest = fastest.max(largest(state.v.iter().copied()));
        }
        // RK4's own error: (h ω)⁴ over the motion's 0.02 s; ω reaches some tens.
        let rate = (5e-4 * fastest.max(1.0)).powi(4) * fastest.max(1.0);
        let size = model.total_mass() * (1.0 + fastest);
        let after = momentum_about(&model, &moved(&model, &state), DVec3::ZERO);
        let gap = largest((after - before).to_array());
        prop_assert!(gap <= (1e-10 + 10.0 * rate) * size, "{gap:e}: {before:?} {after:?}");
    }

    /// The force through the joint of a tree's root carries the whole tree: mass times acceleration of
    /// its bodies minus weight and wrenches.
    #[test]
    fn the_root_joint_carries_the_whole_tree(s in Trees::default().systems()) {
        let System { model, state, acceleration, forces } = s;
        let mut data = Data::new(&model);
        rnea_with_wrenches(&model, &state, &mut data, &acceleration, &forces.body);
        let accelerations = surgery::body_accelerations(&model, &data);
        for tree in model.trees() {
            let (mut sum, mut size) = (DVec3::ZERO, 0.0);
            for i in tree.bodies {
                let inertia = model.bodies()[i].inertia();
                let w = data.velocity.body[i].angular;
                let c = data.position.world_from_body[i].rotation * inertia.center_of_mass;
                let a = accelerations[i].at(c).linear + w.cross(w.cross(c)) - model.gravity();
                sum += a * inertia.mass - forces.body[i].linear;
                let parts = accelerations[i].linear.length() + accelerations[i].angular.length()
                    + w.length_squared() + model.gravity().length();
                size += parts * inertia.mass + forces.body[i].linear.length();
            }
            let found = data.dynamics.body_force[tree.bodies.at(0)].linear;
            prop_assert!((found - sum).length() <= ROUNDING * size, "{found} {sum}");
        }
    }

    /// Action and reaction: cut a joint, put the force that went through it on the child and its opposite
    /// on the parent, and all bodies accelerate as before.
    #[test]
    fn a_cut_joint_is_replaced_by_equal_and_opposite_forces(
        s in Trees::plain().bodies(2..=6).systems(),
        choice in any::<usize>(),
    ) {
        let System { model, state, forces, .. } = s;
        let inner: Vec<usize> = (0..model.n_bodies()).filter(|&i| model.bodies()[i].parent().is_some()).collect();
        prop_assume!(!inner.is_empty());
        let i = inner[choice % inner.len()];
        let parent = model.bodies()[i].parent().expect("inner bodies have parents");
        let mut data = Data::new(&model);
        aba(&model, &state, &mut data, &forces);
        let expected = surgery::body_accelerations(&model, &data);
        let a = data.dynamics.acceleration.clone();
        rnea_with_wrenches(&model, &state, &mut data, &a, &forces.body);
        let through = data.dynamics.body_force[i];
        let pose = data.position.world_from_body[i];
        let velocity = data.velocity.body[i];

        let mut specs = surgery::specs(&model);
        let name = specs[i].name.clone();
        (specs[i].parent, specs[i].joint) = (None, Joint::free());
        let cut = surgery::build(model.gravity(), specs);
        let mut cut_state = surgery::carry_state(&model, &state, &cut);
        let child = cut.body(cut.find(&name).expect("kept its name"));
        let q = &mut cut_state.q[child.coordinates()];
        q[..3].copy_from_slice(&pose.translation.to_array());
        q[3..].copy_from_slice(&pose.quaternion().to_array());
        let rt = pose.rotation.transpose();
        let v = &mut cut_state.v[child.freedoms()];
        v[..3].copy_from_slice(&(rt * velocity.linear).to_array());
        v[3..].copy_from_slice(&(rt * velocity.angular).to_array());

        let mut cut_forces = Forces::new(&cut);
        cut_forces.joint = surgery::carry_freedoms(&model, &forces.joint, &cut);
        cut_forces.joint[child.freedoms()].fill(0.0);
        let mut wrenches = forces.body.clone();
        wrenches[i] += through;
        wrenches[parent.index()] -= through.seen_from(data.position.offset[i]);
        cut_forces.body = surgery::carry_bodies(&model, &wrenches, &cut, Force::ZERO);
        let mut cut_data = Data::new(&cut);
        aba(&cut, &cut_state, &mut cut_data, &cut_forces);
        let found = surgery::body_accelerations(&cut, &cut_data);
        let found = surgery::carry_bodies(&cut, &found, &model, found[0]);
        let size = expected.iter().map(|a| largest(a.to_array())).fold(1.0, f64::max);
        let h = Dense::mass_matrix(&model, &state, &mut data);
        for (a, b) in found.iter().zip(&expected) {
            let gap = largest((*a - *b).to_array());
            prop_assert!(gap <= ROUNDING * h.inverse_norm() * size, "{gap:e} of {size}");
        }
    }

    /// A free body that tumbles at up to 20 rad/s keeps its energy for ten seconds at 120 Hz under the
    /// implicit integrator. The midpoint rule keeps it exactly; four fixed-point rounds
    /// leave (h ω)⁵ or so of it, and never an explosion.
    #[test]
    fn tumbling_keeps_its_energy_at_120_hz(
        inertia in plain_inertias(),
        axis in unit_vectors(),
        speed in 0.5..20.0_f64,
    ) {
        let inertia = stuntlab_physics::spatial::Inertia { center_of_mass: DVec3::ZERO, ..inertia };
        let model = Model::builder()
            .gravity(DVec3::ZERO)
            .body(BodySpec::root("body", Joint::free(), inertia))
            .build()
            .expect("a valid body");
        let mut state = State::new(&model);
        state.v[3..].copy_from_slice(&(axis * speed).to_array());
        let (mut data, mut stepper) = (Data::new(&model), Stepper::new(&model));
        let start = energy(&model, &state);
        for _ in 0..1200 {
            stepper.step(&model, &mut state, &mut data, Integrator::ImplicitVelocity, 1.0 / 120.0, |_, _| {});
        }
        let end = energy(&model, &state);
        prop_assert!((end - start).abs() <= 0.01 * start, "{start} J, then {end} J");
    }
}

/// Whether every ball's spring is turned by less than 2.6 rad.
fn spring_is_smooth(model: &Model, state: &State) -> bool {
    model.bodies().iter().all(|body| {
        let Some(k) = body.joint().kind.quaternion_offset() else { return true };
        let rest = &body.joint().spring_reference[k..k + 4];
        let q = &state.q[body.coordinates()][k..k + 4];
        let dot: f64 = rest.iter().zip(q).map(|(a, b)| a * b).sum();
        dot.abs() > 0.27
    })
}
