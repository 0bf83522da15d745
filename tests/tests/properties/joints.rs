//! Joints of several freedoms against chains of simple ones, and against closed forms.

use proptest::prelude::*;
use stuntlab_physics::dynamics::aba;
use stuntlab_physics::glam::{DMat3, DVec3};
use stuntlab_physics::spatial::{Force, Inertia, Motion, rotation};
use stuntlab_physics::strategies::{Kind, System, Topology, Trees};
use stuntlab_physics::{BodySpec, Data, Forces, Joint, JointKind, State};
use stuntlab_tests::compare::largest;
use stuntlab_tests::dense::Dense;
use stuntlab_tests::{laws, surgery};

use super::ROUNDING;

/// One of the simple joints that replace a larger one, with its coordinate, rate and force.
struct Simple {
    joint: Joint,
    q: f64,
    v: f64,
    force: f64,
}

/// Replaces every joint for which `split` has an answer by simple ones with massless links between, and
/// checks that all bodies accelerate alike.
///
/// Splitting worsens the condition: `worse` says by how much at most.
fn check_split(
    s: &System,
    worse: f64,
    split: impl Fn(&JointKind, &[f64], &[f64], &[f64]) -> Option<Vec<Simple>>,
) -> Result<(), TestCaseError> {
    let System { model, state, forces, .. } = s;
    let mut specs = Vec::new();
    let mut values = Vec::new();
    for (body, mut spec) in model.bodies().iter().zip(surgery::specs(model)) {
        let (q, v) = (&state.q[body.coordinates()], &state.v[body.freedoms()]);
        if let Some(parts) = split(&spec.joint.kind, q, v, &forces.joint[body.freedoms()]) {
            let count = parts.len();
            for (k, part) in parts.into_iter().enumerate() {
                let last = k + 1 == count;
                let name = if last { spec.name.clone() } else { format!("{}.{k}", spec.name) };
                let joint = if k == 0 { part.joint.placed(spec.joint.parent_from_joint) } else { part.joint };
                let inertia = if last { spec.inertia } else { Inertia::ZERO };
                specs.push(BodySpec {
                    name: name.clone(),
                    parent: spec.parent.take(),
                    joint,
                    inertia,
                    shapes: Vec::new(),
                });
                spec.parent = Some(name.clone());
                values.push((name, part.q, part.v, part.force));
            }
        } else {
            specs.push(spec);
        }
    }
    let long = surgery::build(model.gravity(), specs);
    let mut long_state = surgery::carry_state(model, state, &long);
    let mut long_forces = Forces::new(&long);
    long_forces.joint = surgery::carry_freedoms(model, &forces.joint, &long);
    long_forces.body = surgery::carry_bodies(model, &forces.body, &long, Force::ZERO);
    for (name, q, v, force) in values {
        let body = long.body(long.find(&name).expect("just added"));
        (long_state.q[body.coordinates()][0], long_state.v[body.freedoms()][0]) = (q, v);
        long_forces.joint[body.freedoms()][0] = force;
    }
    let (mut data, mut long_data) = (Data::new(model), Data::new(&long));
    aba(model, state, &mut data, forces);
    aba(&long, &long_state, &mut long_data, &long_forces);
    let expected = surgery::body_accelerations(model, &data);
    let found = surgery::body_accelerations(&long, &long_data);
    let found = surgery::carry_bodies(&long, &found, model, Motion::ZERO);
    let h = Dense::mass_matrix(model, state, &mut data);
    let size = expected.iter().map(|a| largest(a.to_array())).fold(1.0, f64::max);
    for (i, (a, b)) in found.iter().zip(&expected).enumerate() {
        let gap = largest((*a - *b).to_array());
        prop_assert!(gap <= worse * ROUNDING * h.inverse_norm() * size, "body {i}: {gap:e} of {size}");
    }
    Ok(())
}

/// Trees with one kind of joint among hinges.
fn with_hinges(kind: Kind) -> Trees {
    Trees::plain().kinds(&[kind, kind, Kind::Revolute])
}

fn revolute(axis: DVec3, q: f64, v: f64, force: f64) -> Simple {
    Simple { joint: Joint::revolute(axis), q, v, force }
}

proptest! {
    #![proptest_config(laws())]

    /// A universal joint is two hinges.
    #[test]
    fn universal_joint_equals_two_revolutes(s in with_hinges(Kind::Universal).systems()) {
        check_split(&s, 10.0, |kind, q, v, f| match kind {
            JointKind::Universal { axes } => {
                Some(vec![revolute(axes[0], q[0], v[0], f[0]), revolute(axes[1], q[1], v[1], f[1])])
            }
            _ => None,
        })?;
    }

    /// A planar joint is two sliders and a hinge.
    #[test]
    fn planar_joint_equals_three_simple_joints(s in with_hinges(Kind::Planar).systems()) {
        check_split(&s, 10.0, |kind, q, v, f| match kind {
            JointKind::Planar => Some(vec![
                Simple { joint: Joint::prismatic(DVec3::X), q: q[0], v: v[0], force: f[0] },
                Simple { joint: Joint::prismatic(DVec3::Y), q: q[1], v: v[1], force: f[1] },
                revolute(DVec3::Z, q[2], v[2], f[2]),
            ]),
            _ => None,
        })?;
    }

    /// A ball is three hinges about z, y, x while the middle one stays 0.2 from a right angle.
    #[test]
    fn spherical_joint_equals_three_revolutes(s in with_hinges(Kind::Spherical).systems()) {
        let rotation_of = |q: &[f64]| rotation::matrix(
            stuntlab_physics::glam::DQuat::from_xyzw(q[0], q[1], q[2], q[3]),
        );
        let regular = s.model.bodies().iter().all(|body| {
            body.joint().kind != JointKind::Spherical
                || rotation_of(&s.state.q[body.coordinates()]).x_axis.z.abs() < 0.2_f64.cos()
        });
        prop_assume!(regular);
        // 1/sin 0.2 squared, for the axes that come close to each other.
        check_split(&s, 250.0, |kind, q, v, f| match kind {
            JointKind::Spherical => {
                // R = Rz(a) Ry(b) Rx(c); the rates' axes in the child frame are the columns of E.
                let r = rotation_of(q);
                let a = r.x_axis.y.atan2(r.x_axis.x);
                let b = (-r.x_axis.z).asin();
                let c = r.y_axis.z.atan2(r.z_axis.z);
                let back = rotation::about_axis(DVec3::X, -c);
                let e = DMat3::from_cols(back * (rotation::about_axis(DVec3::Y, -b) * DVec3::Z), back * DVec3::Y, DVec3::X);
                let rates = e.inverse() * DVec3::new(v[0], v[1], v[2]);
                let torque = e.transpose() * DVec3::new(f[0], f[1], f[2]);
                Some(vec![
                    revolute(DVec3::Z, a, rates.x, torque.x),
                    revolute(DVec3::Y, b, rates.y, torque.y),
                    revolute(DVec3::X, c, rates.z, torque.z),
                ])
            }
            _ => None,
        })?;
    }

    /// A body on a free joint moves by Newton and Euler: `m a_c = f + m g`, `I α + ω × I ω = n`.
    #[test]
    fn free_joint_is_an_unattached_body(
        s in Trees::default().bodies(1..=1).kinds(&[Kind::Free]).passive(false).systems(),
    ) {
        let System { model, state, forces, .. } = s;
        let mut data = Data::new(&model);
        aba(&model, &state, &mut data, &forces);
        let found = surgery::body_accelerations(&model, &data)[0];
        let r = data.position.world_from_body[0].rotation;
        let inertia = model.bodies()[0].inertia();
        let i = inertia.rotational.rotated(&r);
        let c = r * inertia.center_of_mass;
        let w = data.velocity.body[0].angular;
        let joint = |at: usize| r * DVec3::new(forces.joint[at], forces.joint[at + 1], forces.joint[at + 2]);
        let total = forces.body[0] + Force::new(joint(3), joint(0));
        let moment = total.angular - c.cross(total.linear) - w.cross(i * w);
        let angular = i.to_mat3().inverse() * moment;
        let linear = total.linear / inertia.mass + model.gravity() - angular.cross(c) - w.cross(w.cross(c));
        let principal = inertia.rotational.eigenvalues();
        let spread = (inertia.rotational.trace() + inertia.mass * c.length_squared()) / principal[0];
        let size = angular.length() + linear.length() + w.length_squared() + 20.0;
        let gap = largest((found - Motion::new(angular, linear)).to_array());
        // Inverting the inertia magnifies rounding by its spread.
        prop_assert!(gap <= ROUNDING * spread * size, "{gap:e}: {found:?}");
    }

    /// Free joints inside a tree carry nothing but their own force: the child moves as if on the world.
    #[test]
    fn free_joint_inside_a_tree_lets_go(
        s in Trees::plain().bodies(2..=2).topologies(&[Topology::Serial]).kinds(&[Kind::Free]).systems(),
    ) {
        let System { model, state, mut forces, .. } = s;
        let inner = model.bodies()[1].freedoms();
        forces.joint[inner].fill(0.0);
        let mut data = Data::new(&model);
        aba(&model, &state, &mut data, &forces);
        let expected = surgery::body_accelerations(&model, &data);
        for i in 0..2 {
            let alone = surgery::build(model.gravity(), vec![BodySpec::root("alone", Joint::free(), *model.bodies()[i].inertia())]);
            let pose = data.position.world_from_body[i];
            let v = data.velocity.body[i];
            let mut alone_state = State::new(&alone);
            alone_state.q[..3].copy_from_slice(&pose.translation.to_array());
            alone_state.q[3..].copy_from_slice(&pose.quaternion().to_array());
            alone_state.v[..3].copy_from_slice(&(pose.rotation.transpose() * v.linear).to_array());
            alone_state.v[3..].copy_from_slice(&(pose.rotation.transpose() * v.angular).to_array());
            let mut alone_forces = Forces::new(&alone);
            alone_forces.body[0] = forces.body[i];
            if i == 0 {
                // Its joint's force is in body axes, as here.
                alone_forces.joint.copy_from_slice(&forces.joint[..6]);
            }
            let mut alone_data = Data::new(&alone);
            aba(&alone, &alone_state, &mut alone_data, &alone_forces);
            let found = surgery::body_accelerations(&alone, &alone_data)[0];
            let size = largest(expected[i].to_array()).max(10.0) + v.angular.length_squared();
            let gap = largest((found - expected[i]).to_array());
            prop_assert!(gap <= 100.0 * ROUNDING * size, "{gap:e}");
        }
    }
}
