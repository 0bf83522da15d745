//! A model that is appended to another is the same model.

use glam::{DQuat, DVec3};

use super::shape::Shape;
use super::{BodySpec, Joint, Limits, Model, ModelBuilder, ShapeSpec};
use crate::actuation::Actuation;
use crate::collide::{ColliderId, Groups};
use crate::contact::Material;
use crate::data::Data;
use crate::figures;
use crate::spatial::{Inertia, Transform};
use crate::state::State;
use crate::step::{StepOptions, step};

/// A limp figure with everything a model can have: skew axes, limits, drives, rotors, materials, groups, pairs kept
/// apart.
fn figure_builder(self_collision: bool) -> ModelBuilder {
    let mut builder = Model::builder().self_collision(self_collision);
    let skew = DQuat::from_scaled_axis(DVec3::new(0.3, -0.7, 1.1));
    for (k, part) in figures::bones36().parts.iter().enumerate() {
        let mut spec = part.spec();
        if spec.parent.is_some() {
            spec.joint = spec.joint.with_damping(0.2 + 0.01 * k as f64).with_stiffness(0.1 * k as f64);
            spec.joint.parent_from_joint =
                spec.joint.parent_from_joint * Transform::from_quaternion(skew, DVec3::ZERO);
            if spec.joint.kind == super::JointKind::Spherical && k % 3 == 0 {
                spec.joint = spec.joint.with_limits(Limits::cone(0.8, -0.6, 0.6));
            }
        }
        for shape in &mut spec.shapes {
            shape.material = Material { friction: 0.3 + 0.02 * k as f64, ..Material::default() };
            if k % 5 == 0 {
                shape.groups = Groups { member: 2, mask: !2 };
            }
        }
        builder.push(spec);
    }
    let tail = BodySpec::child(
        "tail",
        "pelvis",
        Joint::revolute(DVec3::new(0.3, 0.7, -0.2)).with_limits(Limits::range(-0.5, 0.9)),
        Inertia::solid_sphere(0.7, 0.08),
    );
    builder.push(tail.with_shape(ShapeSpec::new(Shape::Sphere { radius: 0.08 })));
    let thigh = "lthigh";
    builder.keep_apart("tail", thigh);
    builder.keep_apart("rthigh", thigh);
    builder
}

fn figure(self_collision: bool) -> Model {
    figure_builder(self_collision).build().unwrap()
}

fn on_ground(mut builder: ModelBuilder) -> Model {
    builder.push_fixture(ShapeSpec::new(Shape::Plane));
    builder.build().unwrap()
}

/// Whether the filters let each pair of some colliders touch.
fn pairs(model: &Model, colliders: std::ops::Range<usize>) -> Vec<bool> {
    let id = |index: usize| ColliderId(index as u32);
    let all = || colliders.clone();
    all()
        .flat_map(|a| all().map(move |b| (a, b)))
        .map(|(a, b)| model.colliders.may_touch(id(a), id(b)))
        .collect()
}

/// Bits of where a model is after two seconds of falling and lying, from a start with some spin.
fn run(model: &Model) -> Vec<u64> {
    let (mut state, mut data) = (State::new(model), Data::new(model));
    for (k, v) in state.v.iter_mut().enumerate() {
        *v = (0.3 * k as f64).sin();
    }
    let (act, options) = (Actuation::new(model), StepOptions::at_rate(120.0));
    for _ in 0..240 {
        step(model, &mut state, &mut data, &act, &options).unwrap();
    }
    assert!(state.is_finite());
    state.q.iter().chain(&state.v).map(|x| x.to_bits()).collect()
}

#[test]
fn an_appended_model_is_the_same_to_the_last_bit() {
    for self_collision in [false, true] {
        let figure = figure(self_collision);
        let mut builder = Model::builder();
        builder.append("", &figure, Transform::IDENTITY);
        let alone = builder.clone().build().unwrap();
        assert_eq!(alone.apart, figure.apart);
        assert!(!alone.apart.is_empty());
        assert_eq!(alone.colliders, figure.colliders);
        assert_eq!(alone.materials, figure.materials);
        for (a, b) in alone.bodies.iter().zip(&figure.bodies) {
            assert_eq!((&a.name, a.parent, &a.joint), (&b.name, b.parent, &b.joint));
            assert_eq!(a.inertia, b.inertia);
        }
        // Once more through a model: what was appended can be appended again.
        let mut twice = Model::builder();
        twice.append("", &alone, Transform::IDENTITY);

        let original = run(&on_ground(figure_builder(self_collision)));
        let appended = run(&on_ground(builder));
        assert_eq!(original, appended, "self-collision {self_collision}");
        assert_eq!(original, run(&on_ground(twice)), "self-collision {self_collision}");
    }
}

#[test]
fn each_of_several_meets_itself_as_it_did_and_the_others_freely() {
    let (noisy, quiet) = (figure(true), figure(false));
    let n = noisy.colliders.list().len();
    let mut builder = Model::builder();
    let aside = |y: f64| Transform::from_quaternion(DQuat::from_rotation_z(y), DVec3::Y * y);
    builder.append("a/", &noisy, aside(0.5));
    builder.append("b/", &quiet, aside(-1.0));
    builder.append("c/", &noisy, aside(2.0));
    let model = builder.build().unwrap();
    assert_eq!(pairs(&model, 0..n), pairs(&noisy, 0..n));
    assert_eq!(pairs(&model, n..2 * n), pairs(&quiet, 0..n));
    assert_eq!(pairs(&model, 2 * n..3 * n), pairs(&noisy, 0..n));
    assert!(pairs(&noisy, 0..n).contains(&true) && !pairs(&quiet, 0..n).contains(&true));
    let tails: Vec<usize> = ["a/tail", "b/tail", "c/tail"].map(|t| model.find(t).unwrap().index()).to_vec();
    let of = |body: usize| {
        let own = |c: &crate::collide::Collider| c.body == Some(crate::BodyId::new(body));
        ColliderId(model.colliders.list().iter().position(own).unwrap() as u32)
    };
    assert!(model.colliders.may_touch(of(tails[0]), of(tails[1])));
    assert!(model.colliders.may_touch(of(tails[0]), of(tails[2])));
    // Roots are where they were put, all else is as it was.
    let root = &model.bodies[noisy.n_bodies()];
    assert_eq!(root.joint.parent_from_joint.translation.y, -1.0);
    for (a, b) in model.bodies[noisy.n_bodies()..].iter().zip(&quiet.bodies).skip(1) {
        assert_eq!(a.joint, b.joint);
    }
}

#[test]
fn a_builder_can_forbid_self_collision_but_not_bring_it_back() {
    let n = figure(true).colliders.list().len();
    let with = |on: bool, figure: &Model| {
        let mut builder = Model::builder().self_collision(on);
        builder.append("", figure, Transform::IDENTITY);
        pairs(&builder.build().unwrap(), 0..n).contains(&true)
    };
    assert!(with(true, &figure(true)));
    assert!(!with(false, &figure(true)));
    assert!(!with(true, &figure(false)));
}

#[test]
fn bodies_that_are_changed_are_checked_again() {
    let figure = figure(true);
    let mut builder = Model::builder();
    builder.append("", &figure, Transform::IDENTITY);
    let mut bad = builder.clone();
    bad.change_bodies(|body| body.joint.damping[0] = -1.0);
    assert!(matches!(bad.build(), Err(super::ModelError::Negative { .. })));
    builder.change_bodies(|body| {
        if body.name == "tail" {
            body.joint = Joint::revolute(DVec3::Y * 2.0);
        }
    });
    let changed = builder.build().unwrap();
    let tail = changed.find("tail").unwrap();
    assert_eq!(changed.body(tail).joint, Joint::revolute(DVec3::Y));
    let others =
        |m: &Model| m.bodies.iter().filter(|b| b.name != "tail").map(|b| b.joint.clone()).collect::<Vec<_>>();
    assert_eq!(others(&changed), others(&figure));
    assert_eq!(changed.apart, figure.apart);
}
