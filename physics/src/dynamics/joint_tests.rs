use super::*;
use crate::dynamics::aba::rigid;
use crate::dynamics::impulse::{Hit, tree_response};
use crate::dynamics::{aba, aba_implicit, crba, forward_kinematics, impulses_response, rnea};
use crate::forces::Forces;
use crate::model::{BodySpec, Joint};
use crate::spatial::{Inertia, Transform, rotation};
use crate::state::State;

/// Numbers between -1 and 1 without pattern.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        // Knuth's multiplier of 64-bit linear congruences; the upper bits are good.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }

    /// Symmetric and positive definite, with all entries.
    fn definite(&mut self) -> Sym3 {
        (0..4).fold(Sym3::ZERO, |sum, _| sum + Sym3::outer(self.vector()))
    }
}

/// A branching tree with every kind of joint, a free one at its root and one within.
fn tree(numbers: &mut Numbers) -> (Model, State) {
    let slant = DVec3::new(0.3, -0.5, 0.8).normalize();
    let joints = [
        (Joint::free(), None),
        (Joint::spherical(), Some("0")),
        (Joint::revolute(slant), Some("1")),
        (Joint::planar(), Some("1")),
        (Joint::universal(slant, slant.any_orthonormal_vector()), Some("3")),
        (Joint::free(), Some("2")),
        (Joint::spherical(), Some("5")),
        (Joint::fixed(), Some("6")),
        (Joint::prismatic(slant), Some("0")),
    ];
    let mut builder = Model::builder();
    for (i, (joint, parent)) in joints.into_iter().enumerate() {
        let joint = joint.at(numbers.vector() * 0.4);
        let points = (0..4).fold(Sym3::ZERO, |sum, _| sum + Sym3::point_inertia(numbers.vector() * 0.1));
        let inertia = Inertia::new(1.0 + 0.5 * numbers.next(), numbers.vector() * 0.2, points);
        let name = i.to_string();
        builder.push(match parent {
            None => BodySpec::root(&name, joint, inertia),
            Some(parent) => BodySpec::child(&name, parent, joint, inertia),
        });
    }
    let model = builder.build().expect("a tree");
    let mut state = State::new(&model);
    let step: Vec<f64> = (0..model.n_v()).map(|_| numbers.next()).collect();
    state.v.copy_from_slice(&step);
    state.integrate(&model, &step, 1.0);
    (model, state)
}

/// Every body's own inertia into its place.
fn write_own(model: &Model, data: &mut Data) {
    rigid(model, data, 0..model.n_bodies(), &vec![Force::ZERO; model.n_bodies()]);
}

/// Joint inertias with all entries; none for every third joint.
fn joint_inertias(model: &Model, numbers: &mut Numbers) -> Vec<[Sym3; 2]> {
    (0..model.n_bodies())
        .map(|i| if i % 3 == 1 { [Sym3::ZERO; 2] } else { [numbers.definite(), numbers.definite()] })
        .collect()
}

/// The mass matrix with the joints' inertias in it, row by row.
fn dense(model: &Model, state: &State, data: &mut Data, extra: &[[Sym3; 2]]) -> Vec<f64> {
    crba(model, state, data);
    let n = model.n_v();
    let mut h = vec![0.0; n * n];
    data.mass_matrix.write_dense(model, &mut h);
    for (i, body) in model.bodies().iter().enumerate() {
        let axes = data.position.axes[i];
        let child = |m: Sym3| m.rotated(&axes.transpose()).to_mat3();
        let v = body.v_range();
        let blocks = match body.joint().kind {
            JointKind::Spherical => [child(extra[i][0]), DMat3::ZERO],
            JointKind::Free => extra[i].map(child),
            _ => [extra[i][0].to_mat3(), DMat3::ZERO],
        };
        for (first, block) in blocks.iter().enumerate() {
            let at = v.start + 3 * first;
            for row in 0..3.min(v.end.saturating_sub(at)) {
                for column in 0..3.min(v.end - at) {
                    h[(at + row) * n + at + column] += block.col(column)[row];
                }
            }
        }
    }
    h
}

/// `H x` must be the impulses, to a few roundings of what is summed.
fn assert_solves(h: &[f64], x: &[f64], rhs: &[f64]) {
    let n = x.len();
    for i in 0..n {
        let terms = || (0..n).map(|j| h[i * n + j] * x[j]);
        let (found, size) = (terms().sum::<f64>(), terms().map(f64::abs).sum::<f64>());
        assert!((found - rhs[i]).abs() < 1e-12 * (1.0 + size), "row {i}: {found} instead of {}", rhs[i]);
    }
}

fn factors(data: &Data) -> Vec<([Force; 3], Ldl3, bool)> {
    data.dynamics.factor.iter().map(|f| (f.gain, f.ldl, f.prescribed)).collect()
}

fn free_factors(data: &Data) -> Vec<([[f64; 6]; 6], bool)> {
    data.dynamics.free_factor.iter().map(|f| (f.lower, f.loaded)).collect()
}

#[test]
fn responses_with_full_joint_inertias_solve_the_dense_system() {
    let mut numbers = Numbers(1);
    for _ in 0..20 {
        let (model, state) = tree(&mut numbers);
        let mut data = Data::new(&model);
        let extra = joint_inertias(&model, &mut numbers);
        let h = dense(&model, &state, &mut data, &extra);
        write_own(&model, &mut data);
        factor_again(&model, &mut data, 0..model.n_bodies(), &extra, &[], &vec![true; model.n_bodies()]);
        // Impulses on all joints at once.
        let impulses: Vec<f64> = (0..model.n_v()).map(|_| numbers.next()).collect();
        let mut x = vec![0.0; model.n_v()];
        let none = vec![Force::ZERO; model.n_bodies()];
        impulses_response(&model, &mut data, &none, &impulses, &mut x);
        assert_solves(&h, &x, &impulses);
        // And on two freedoms along their paths only.
        let mut rhs = vec![0.0; model.n_v()];
        let hits = [8, 20].map(|k| Hit::Freedom(k, impulses[k]));
        (rhs[8], rhs[20]) = (impulses[8], impulses[20]);
        tree_response(&model, &mut data, 0, &hits, &[], &mut x);
        assert_solves(&h, &x, &rhs);
    }
}

#[test]
fn factoring_changed_paths_is_factoring_all() {
    let mut numbers = Numbers(2);
    let (model, state) = tree(&mut numbers);
    let n = model.n_bodies();
    let mut data = Data::new(&model);
    forward_kinematics(&model, &state, &mut data);
    write_own(&model, &mut data);
    let own = data.dynamics.articulated_inertia.clone();
    let mut extra = joint_inertias(&model, &mut numbers);
    let prescribed: Vec<bool> = (0..n).map(|i| i == 3).collect();
    factor_again(&model, &mut data, 0..n, &extra, &prescribed, &vec![true; n]);
    for body in 0..n {
        extra[body] = [numbers.definite(), numbers.definite()];
        let mut changed = vec![false; n];
        let mut at = body as u32;
        while at != NONE {
            changed[at as usize] = true;
            data.dynamics.articulated_inertia[at as usize] = own[at as usize];
            at = model.links[at as usize].parent;
        }
        factor_again(&model, &mut data, 0..n, &extra, &prescribed, &changed);
        let mut whole = data.clone();
        whole.dynamics.articulated_inertia.copy_from_slice(&own);
        factor_again(&model, &mut whole, 0..n, &extra, &prescribed, &vec![true; n]);
        assert_eq!(factors(&data), factors(&whole), "after body {body}");
        assert_eq!(free_factors(&data), free_factors(&whole));
        assert_eq!(data.dynamics.articulated_inertia, whole.dynamics.articulated_inertia);
    }
}

/// To the bit: both fold joints by the same code.
#[test]
fn factors_are_those_of_forward_dynamics() {
    let mut numbers = Numbers(3);
    let (model, state) = tree(&mut numbers);
    let mut data = Data::new(&model);
    let mut forces = Forces::new(&model);
    for gains in [0.0, 2.0] {
        forces.joint_gain.fill(gains);
        aba_implicit(&model, &state, &mut data, &forces, 0.5);
        let (expected, free) = (factors(&data), free_factors(&data));
        write_own(&model, &mut data);
        let extra = vec![[Sym3::IDENTITY * (0.5 * gains); 2]; model.n_bodies()];
        factor_again(&model, &mut data, 0..model.n_bodies(), &extra, &[], &vec![true; model.n_bodies()]);
        assert_eq!(factors(&data), expected, "gains {gains}");
        assert_eq!(free_factors(&data), free);
    }
}

/// The largest error of `aba(rnea(a))` on two bodies of mass `light` that carry one of 1 kg, all by the same kind of
/// joint in frames that are turned against each other.
fn carrying_error(joint: &Joint, light: f64) -> f64 {
    let mut builder = Model::builder().gravity(DVec3::ZERO);
    let bodies = [
        ("lower", light, 0.1, DVec3::ZERO),
        ("upper", light, 0.1, DVec3::new(0.3, -0.2, 0.4)),
        ("load", 1.0, 0.2, DVec3::new(-0.2, 0.5, 0.3)),
    ];
    for (i, (name, mass, size, at)) in bodies.into_iter().enumerate() {
        let turn = rotation::exp(DVec3::new(0.4, 0.3, -0.5) * (i + 1) as f64);
        let placed = joint.clone().placed(Transform::new(rotation::matrix(turn), at));
        let mut inertia = Inertia::solid_box(mass, DVec3::new(1.0, 0.7, 0.4) * size);
        inertia.center_of_mass = DVec3::new(0.1, 0.2, -0.1) * size;
        builder.push(match i {
            0 => BodySpec::root(name, placed, inertia),
            _ => BodySpec::child(name, bodies[i - 1].0, placed, inertia),
        });
    }
    let model = builder.build().expect("a chain");
    let numbers = |shift: f64| -> Vec<f64> { (0..9).map(|k| (1.7 * k as f64 + shift).sin()).collect() };
    let mut state = State::new(&model);
    state.integrate(&model, &numbers(0.3), 1.0);
    let wanted = numbers(0.8);
    let mut data = Data::new(&model);
    rnea(&model, &state, &mut data, &wanted);
    let mut forces = Forces::new(&model);
    forces.joint.copy_from_slice(&data.dynamics.joint_force);
    aba(&model, &state, &mut data, &forces);
    let found = &data.dynamics.acceleration;
    found.iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// With a hundred-millionth of the load's mass inverses of `D` left errors of 11 (ball joints, by cofactors) and 0.13
/// (planar ones); solves leave 3e-6 and 4e-8.
#[test]
fn light_bodies_below_a_heavy_one_keep_their_digits() {
    let ball = carrying_error(&Joint::spherical(), 1e-8);
    assert!(ball < 1e-4, "ball joints: {ball:e}");
    let planar = carrying_error(&Joint::planar(), 1e-8);
    assert!(planar < 1e-6, "planar joints: {planar:e}");
}
