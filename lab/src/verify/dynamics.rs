//! Part A of the fixtures: one state, every quantity the dynamics can compute.

use std::path::Path;

use serde::Deserialize;
use stuntlab_physics::dynamics::*;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::{Force, Motion};
use stuntlab_physics::{Data, Forces, State};

use super::fixture::{FixtureModel, ModelFixture, flat, malformed, quaternion_error};
use super::{Report, VerifyError};

#[derive(Deserialize)]
pub(crate) struct DynamicsFixture {
    name: String,
    gravity: [f64; 3],
    model: ModelFixture,
    states: Vec<StateFixture>,
}

#[derive(Deserialize)]
struct StateFixture {
    q: Vec<Vec<f64>>,
    v: Vec<Vec<f64>>,
    tau: Vec<Vec<f64>>,
    qdd: Vec<Vec<f64>>,
    wrench: WrenchFixture,
    jacobian_at: PointFixture,
    expected: Expected,
    mass_matrix_condition: f64,
}

#[derive(Deserialize)]
struct WrenchFixture {
    body: usize,
    point: [f64; 3],
    force: [f64; 3],
    torque: [f64; 3],
}

#[derive(Deserialize)]
struct PointFixture {
    body: usize,
    point: [f64; 3],
}

#[derive(Deserialize)]
struct Expected {
    forward_qdd: Vec<Vec<f64>>,
    forward_qdd_with_wrench: Vec<Vec<f64>>,
    inverse_tau: Vec<Vec<f64>>,
    bias: Vec<Vec<f64>>,
    mass_matrix_upper: Vec<f64>,
    kinetic_energy: f64,
    potential_energy: f64,
    total_mass: f64,
    com: [f64; 3],
    com_velocity: [f64; 3],
    centroidal_momentum: [f64; 6],
    body_position: Vec<[f64; 3]>,
    body_quaternion: Vec<[f64; 4]>,
    body_linear_velocity: Vec<[f64; 3]>,
    body_angular_velocity: Vec<[f64; 3]>,
    jacobian: Vec<Vec<f64>>,
}

/// Largest difference over the larger of the largest expected value and 0.01 (README of the fixtures).
fn relative_error(ours: &[f64], expected: &[f64]) -> f64 {
    if ours.len() != expected.len() {
        return f64::INFINITY;
    }
    let scale = expected.iter().fold(0.01_f64, |m, x| m.max(x.abs()));
    let worst = ours.iter().zip(expected).fold(0.0_f64, |m, (a, b)| {
        let d = (a - b).abs();
        if d.is_nan() { f64::INFINITY } else { m.max(d) }
    });
    worst / scale
}

/// Allowed everywhere but in forward dynamics, where the condition of the mass matrix counts.
const TOLERANCE: f64 = 1e-10;

pub(crate) fn check(path: &Path, fixture: &DynamicsFixture, report: &mut Report) -> Result<(), VerifyError> {
    let built = FixtureModel::build(path, &fixture.model, fixture.gravity)?;
    let model = &built.model;
    let mut data = Data::new(model);
    for (index, case) in fixture.states.iter().enumerate() {
        let field = |name: &str| format!("states[{index}].{name}");
        let mut state = State::new(model);
        let (mut tau, mut qdd) = (vec![0.0; model.n_v()], vec![0.0; model.n_v()]);
        built.read_q(path, &field("q"), &case.q, &mut state.q)?;
        built.read_v(path, &field("v"), &case.v, &mut state.v)?;
        built.read_v(path, &field("tau"), &case.tau, &mut tau)?;
        built.read_v(path, &field("qdd"), &case.qdd, &mut qdd)?;
        let e = &case.expected;
        let dofs = built.freedoms();
        let in_order = |ours: &[f64]| dofs.iter().map(|&d| ours[d]).collect::<Vec<f64>>();
        let mut compare = |quantity: &str, ours: &[f64], expected: &[f64], tolerance: f64| {
            let case = || format!("{} state {index}", fixture.name);
            report.add("dynamics", quantity, case, relative_error(ours, expected), tolerance);
        };

        // Kinematics and sums.
        forward_kinematics(model, &state, &mut data);
        forward_velocity(model, &state, &mut data);
        let poses = || built.bodies.iter().map(|&b| data.world_from_body(b));
        let velocities = || built.bodies.iter().map(|&b| data.body_velocity(b));
        compare(
            "body position",
            &flat(poses().map(|p| p.translation)),
            e.body_position.as_flattened(),
            TOLERANCE,
        );
        let turned = poses()
            .zip(&e.body_quaternion)
            .fold(0.0_f64, |m, (p, &expected)| m.max(quaternion_error(p.quaternion(), expected)));
        compare("body quaternion", &[1.0 + turned], &[1.0], TOLERANCE);
        compare(
            "body linear velocity",
            &flat(velocities().map(|v| v.linear)),
            e.body_linear_velocity.as_flattened(),
            TOLERANCE,
        );
        compare(
            "body angular velocity",
            &flat(velocities().map(|v| v.angular)),
            e.body_angular_velocity.as_flattened(),
            TOLERANCE,
        );
        let com = center_of_mass(model, &data);
        compare("total mass", &[com.mass], &[e.total_mass], TOLERANCE);
        compare("centre of mass", &com.position.to_array(), &e.com, TOLERANCE);
        compare("centre of mass velocity", &com.velocity.to_array(), &e.com_velocity, TOLERANCE);
        let h = centroidal_momentum(model, &data);
        compare("centroidal momentum", &flat([h.linear, h.angular]), &e.centroidal_momentum, TOLERANCE);
        compare("kinetic energy", &[kinetic_energy(model, &data, &state.v)], &[e.kinetic_energy], TOLERANCE);
        compare("potential energy", &[potential_energy(model, &data)], &[e.potential_energy], TOLERANCE);

        // Jacobian, linear rows first.
        let body = built.body(path, &field("jacobian_at.body"), case.jacobian_at.body)?;
        let point = data.world_from_body(body).transform_point(case.jacobian_at.point.into());
        let mut jacobian = vec![Motion::ZERO; model.n_v()];
        point_jacobian(model, &data, body, point, &mut jacobian);
        let columns: Vec<[f64; 6]> = dofs
            .iter()
            .map(|&d| {
                let (l, a) = (jacobian[d].linear, jacobian[d].angular);
                [l.x, l.y, l.z, a.x, a.y, a.z]
            })
            .collect();
        let rows: Vec<f64> = (0..6).flat_map(|r| columns.iter().map(move |c| c[r])).collect();
        compare("jacobian", &rows, &e.jacobian.concat(), TOLERANCE);

        // Inverse dynamics and mass matrix.
        rnea(model, &state, &mut data, &qdd);
        compare(
            "inverse dynamics",
            &in_order(&data.dynamics.joint_force),
            &e.inverse_tau.concat(),
            TOLERANCE,
        );
        let mut bias = vec![0.0; model.n_v()];
        bias_force(model, &state, &mut data, &mut bias);
        compare("bias force", &in_order(&bias), &e.bias.concat(), TOLERANCE);
        crba(model, &state, &mut data);
        let n = model.n_v();
        let mut dense = vec![0.0; n * n];
        data.mass_matrix.write_dense(model, &mut dense);
        let upper: Vec<f64> = (0..n)
            .flat_map(|i| (i..n).map(move |j| (i, j)))
            .map(|(i, j)| dense[dofs[i].index() * n + dofs[j].index()])
            .collect();
        compare("mass matrix", &upper, &e.mass_matrix_upper, TOLERANCE);

        // Forward dynamics: by articulated bodies and by the factorised mass matrix.
        let forward = (1e-13 * case.mass_matrix_condition).clamp(1e-10, 1e-7);
        let mut forces = Forces::new(model);
        forces.joint.copy_from_slice(&tau);
        aba(model, &state, &mut data, &forces);
        compare(
            "forward dynamics (ABA)",
            &in_order(&data.dynamics.acceleration),
            &e.forward_qdd.concat(),
            forward,
        );
        factorize(model, &mut data);
        let mut solved: Vec<f64> = tau.iter().zip(&bias).map(|(t, c)| t - c).collect();
        solve(model, &data, &mut solved);
        compare("forward dynamics (LTL)", &in_order(&solved), &e.forward_qdd.concat(), forward);

        let w = &case.wrench;
        let body = built.body(path, &field("wrench.body"), w.body)?;
        let arm = data.world_from_body(body).transform_vector(w.point.into());
        let push = Force::at_offset(DVec3::from(w.force), arm);
        forces.body[body.index()] = push + Force::new(w.torque.into(), DVec3::ZERO);
        aba(model, &state, &mut data, &forces);
        compare(
            "forward dynamics, wrench",
            &in_order(&data.dynamics.acceleration),
            &e.forward_qdd_with_wrench.concat(),
            forward,
        );

        // Hybrid dynamics: every other joint takes the reference acceleration, the rest must follow.
        let expected = e.forward_qdd.concat();
        forces.body[body.index()] = Force::ZERO;
        let prescribed: Vec<bool> = (0..model.n_bodies()).map(|i| i % 2 == 0).collect();
        for (&ours, &theirs) in dofs.iter().zip(&expected) {
            data.dynamics.acceleration[ours] = theirs;
        }
        hybrid(model, &state, &mut data, &forces, &prescribed, 0.0);
        compare("hybrid dynamics", &in_order(&data.dynamics.acceleration), &expected, forward);
        if e.mass_matrix_upper.len() != n * (n + 1) / 2 {
            let problem = format!("has {} numbers, expected {}", e.mass_matrix_upper.len(), n * (n + 1) / 2);
            return Err(malformed(path, field("expected.mass_matrix_upper"), problem));
        }
    }
    Ok(())
}
