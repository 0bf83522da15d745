//! Silence of the heap: no algorithm allocates once `Data` and `Stepper` exist.

use stuntlab_alloc_test::{Counting, allocations};
use stuntlab_physics::dynamics::*;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::{Force, Inertia, Motion, Sym3};
use stuntlab_physics::{
    BodySpec, Data, Forces, ImplicitForce, Integrator, Joint, Model, State, Stepper, figures,
};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The standard figures and a tree with every joint kind, springs, dampers and armature.
fn models() -> Vec<(&'static str, Model)> {
    let solid = Inertia::solid_box(1.0, DVec3::new(0.1, 0.2, 0.3));
    let mut every_kind = Model::builder();
    let joints = [
        Joint::free(),
        Joint::spherical().with_stiffness(5.0),
        Joint::universal(DVec3::X, DVec3::Y).with_damping(0.1),
        Joint::planar().with_armature(0.01),
        Joint::revolute(DVec3::Y),
        Joint::prismatic(DVec3::Z),
        Joint::fixed(),
    ];
    for (i, joint) in joints.into_iter().enumerate() {
        let joint = joint.at(DVec3::new(0.1, 0.2, 0.3));
        let parent = i.checked_sub(1).map(|p| format!("b{p}"));
        every_kind.push(BodySpec {
            name: format!("b{i}"),
            parent,
            joint,
            inertia: solid,
            shapes: Vec::new(),
        });
    }
    vec![
        ("humanoid37", figures::humanoid37().model()),
        ("bones36", figures::bones36().model()),
        ("chain", figures::chain(16).model()),
        ("every kind", every_kind.build().expect("a valid model")),
    ]
}

fn forces(model: &Model) -> Forces {
    let mut forces = Forces::new(model);
    forces.joint.fill(0.3);
    forces.joint_gain.fill(2.0);
    for body in model.body_ids() {
        let term = ImplicitForce::at_point(DVec3::X, Sym3::IDENTITY, DVec3::Z);
        forces.implicit.push((body, term));
    }
    forces
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1_u8; 100]))), 1);
    assert_eq!(allocations(|| ()), 0);
}

#[test]
fn algorithms_do_not_allocate() {
    for (name, model) in models() {
        let mut data = Data::new(&model);
        let mut state = State::new(&model);
        state.v.fill(0.5);
        let mut other = state.clone();
        let forces = forces(&model);
        let acceleration = vec![0.1; model.n_v()];
        let mut out = vec![0.0; model.n_v()];
        let mut dense = vec![0.0; model.n_v() * model.n_v()];
        let mut columns = vec![Motion::ZERO; model.n_v()];
        let prescribed: Vec<bool> = (0..model.n_bodies()).map(|i| i % 3 == 1).collect();
        let tip = model.body_ids().last().expect("a body");
        let silent = |what: &str, work: &mut dyn FnMut()| {
            assert_eq!(allocations(&mut *work), 0, "{what} allocates on {name}");
        };

        silent("forward_kinematics", &mut || forward_kinematics(&model, &state, &mut data));
        silent("forward_velocity", &mut || forward_velocity(&model, &state, &mut data));
        silent("rnea", &mut || rnea(&model, &state, &mut data, &acceleration));
        silent("rnea_with_wrenches", &mut || {
            rnea_with_wrenches(&model, &state, &mut data, &acceleration, &forces.body);
        });
        silent("bias_force", &mut || bias_force(&model, &state, &mut data, &mut out));
        silent("gravity_force", &mut || gravity_force(&model, &state, &mut data, &mut out));
        silent("aba", &mut || aba(&model, &state, &mut data, &forces));
        silent("aba_implicit", &mut || aba_implicit(&model, &state, &mut data, &forces, 1.0 / 120.0));
        silent("impulse_response", &mut || {
            impulse_response(&model, &mut data, tip, Force::new(DVec3::X, DVec3::Y), &mut out);
        });
        silent("impulses_response", &mut || {
            impulses_response(&model, &mut data, &forces.body, &acceleration, &mut out);
        });
        silent("hybrid", &mut || hybrid(&model, &state, &mut data, &forces, &prescribed, 0.0));
        silent("crba", &mut || crba(&model, &state, &mut data));
        silent("write_dense", &mut || data.mass_matrix.write_dense(&model, &mut dense));
        silent("factorize", &mut || factorize(&model, &mut data));
        silent("solve", &mut || solve(&model, &data, &mut out));
        silent("point_jacobian", &mut || point_jacobian(&model, &data, tip, DVec3::X, &mut columns));
        silent("momentum and energies", &mut || {
            std::hint::black_box((
                center_of_mass(&model, &data),
                centroidal_momentum(&model, &data),
                kinetic_energy(&model, &data, &state.v),
                potential_energy(&model, &data),
                spring_energy(&model, &state),
            ));
        });
        silent("integrate and difference", &mut || {
            other.integrate(&model, &acceleration, 0.01);
            state.difference(&model, &other, &mut out);
        });
    }
}

#[test]
fn steps_do_not_allocate() {
    for (name, model) in models() {
        for integrator in Integrator::ALL {
            let mut data = Data::new(&model);
            let mut stepper = Stepper::new(&model);
            let mut state = State::new(&model);
            state.v.fill(0.5);
            let count = allocations(|| {
                for _ in 0..3 {
                    stepper.step(&model, &mut state, &mut data, integrator, 1e-3, |state, forces| {
                        forces.joint.iter_mut().zip(&state.v).for_each(|(f, v)| *f -= 0.1 * v);
                    });
                }
            });
            assert_eq!(count, 0, "{} on {name}", integrator.name());
        }
    }
}

/// Implicit body terms live in a list that the caller's function fills: its memory is kept between steps.
#[test]
fn steps_with_implicit_terms_are_silent_after_the_first() {
    let model = figures::humanoid37().model();
    let mut data = Data::new(&model);
    let mut stepper = Stepper::new(&model);
    let mut state = State::new(&model);
    let mut step = || {
        stepper.step(&model, &mut state, &mut data, Integrator::ImplicitVelocity, 1e-3, |_, forces| {
            for body in model.body_ids() {
                let term = ImplicitForce::at_point(DVec3::X, Sym3::IDENTITY, DVec3::Z);
                forces.implicit.push((body, term));
            }
        });
    };
    step();
    assert_eq!(allocations(step), 0);
}
