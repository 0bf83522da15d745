//! The builder refuses what no figure can be, and says which body it is.

use proptest::prelude::*;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::{Inertia, Sym3, rotation};
use stuntlab_physics::strategies::{Kind, Trees, rotations};
use stuntlab_physics::{BodySpec, Joint, JointKind, Limits, Model, ModelError};
use stuntlab_tests::{laws, surgery};

/// Spoils one body of a valid model and returns what the builder says, and the body's name.
fn spoilt(model: &Model, choice: usize, spoil: impl FnOnce(&mut BodySpec)) -> (Option<ModelError>, String) {
    let mut specs = surgery::specs(model);
    let spec = &mut specs[choice % model.n_bodies()];
    let name = spec.name.clone();
    spoil(spec);
    (refusal(specs), name)
}

fn refusal(specs: Vec<BodySpec>) -> Option<ModelError> {
    let mut builder = Model::builder();
    specs.into_iter().for_each(|spec| builder.push(spec));
    builder.build().err()
}

/// The error is of the expected kind, names the body, and its message does too.
macro_rules! assert_refused {
    ($outcome:expr, $variant:ident) => {{
        let (error, name) = $outcome;
        let Some(error) = error else {
            return Err(TestCaseError::fail(format!("{name} was accepted")));
        };
        match &error {
            ModelError::$variant { body, .. } => prop_assert_eq!(body, &name),
            other => return Err(TestCaseError::fail(format!("{name}: {other}"))),
        }
        prop_assert!(error.to_string().contains(&format!("'{name}'")), "{}", error);
    }};
}

fn not_finite() -> impl Strategy<Value = f64> {
    prop_oneof![Just(f64::NAN), Just(f64::INFINITY), Just(f64::NEG_INFINITY)]
}

proptest! {
    #![proptest_config(laws())]

    #[test]
    fn non_finite_numbers_are_refused(
        model in Trees::default().models(),
        choice in any::<usize>(),
        bad in not_finite(),
        place in 0..7_usize,
    ) {
        assert_refused!(spoilt(&model, choice, |spec| match place {
            0 => spec.inertia.mass = bad,
            1 => spec.inertia.center_of_mass.y = bad,
            2 => spec.inertia.rotational.xz = bad,
            3 => spec.joint.parent_from_joint.translation.x = bad,
            4 => spec.joint.parent_from_joint.rotation.y_axis.z = bad,
            5 => spec.joint.damping[0] = bad,
            _ => spec.joint.spring_reference[0] = bad,
        }), NonFinite);
    }

    #[test]
    fn non_positive_masses_are_refused(
        model in Trees::default().models(),
        choice in any::<usize>(),
        mass in prop_oneof![Just(0.0), -10.0..-1e-9],
    ) {
        assert_refused!(spoilt(&model, choice, |spec| {
            spec.inertia = Inertia::new(mass, DVec3::ZERO, Sym3::IDENTITY);
        }), NonPositiveMass);
    }

    /// Principal inertias that break `a + b ≥ c`, by a thousandth or more, in any axes.
    #[test]
    fn the_triangle_inequality_is_enforced(
        model in Trees::default().models(),
        choice in any::<usize>(),
        (a, b, excess) in (0.01..1.0, 0.01..1.0, 1e-3..2.0),
        turn in rotations(),
    ) {
        let inertia = Sym3::diagonal(a, b, (a + b) * (1.0 + excess)).rotated(&rotation::matrix(turn));
        assert_refused!(spoilt(&model, choice, |spec| {
            spec.inertia = Inertia::new(1.0, DVec3::ZERO, inertia);
        }), ImpossibleInertia);
    }

    /// What lies exactly on the edge is possible: a flat plate, and a rod without thickness, in any axes.
    #[test]
    fn ideal_plates_and_rods_are_accepted(
        turn in rotations(),
        size in 1e-6..1e3,
        rod in any::<bool>(),
        depth in 0.1..1.0,
    ) {
        let r = rotation::matrix(turn);
        let principal =
            if rod { Sym3::diagonal(size, size, 0.0) } else { Sym3::diagonal(size, depth * size, (1.0 + depth) * size) };
        let inertia = Inertia::new(1.0, DVec3::ZERO, principal.rotated(&r));
        // A hinge across the rod, so that the freedom moves inertia.
        let spec = BodySpec::root("thin", Joint::revolute(r.x_axis), inertia);
        prop_assert_eq!(refusal(vec![spec]), None);
    }

    #[test]
    fn zero_axes_are_refused(
        model in Trees::default().models(),
        choice in any::<usize>(),
        kind in 0..3_usize,
    ) {
        assert_refused!(spoilt(&model, choice, |spec| {
            spec.joint = match kind {
                0 => Joint::revolute(DVec3::ZERO),
                1 => Joint::prismatic(DVec3::splat(1e-12)),
                _ => Joint::universal(DVec3::X, DVec3::ZERO),
            };
        }), ZeroAxis);
    }

    #[test]
    fn skew_universal_axes_are_refused(
        model in Trees::default().models(),
        choice in any::<usize>(),
        cosine in 1e-3..1.0,
    ) {
        assert_refused!(spoilt(&model, choice, |spec| {
            spec.joint = Joint::universal(DVec3::X, DVec3::new(cosine, 1.0, 0.0));
        }), SkewAxes);
    }

    /// Hang any body on one of its own descendants, or on itself.
    #[test]
    fn cycles_are_refused(model in Trees::default().models(), choice in any::<usize>(), other in any::<usize>()) {
        let ids: Vec<_> = model.body_ids().iter().collect();
        let top = ids[choice % ids.len()];
        let below: Vec<_> = ids.iter().filter(|&&b| model.is_ancestor(top, b)).collect();
        let end = model.body(*below[other % below.len()]).name().to_owned();
        let (error, _) = spoilt(&model, top.index(), |spec| spec.parent = Some(end));
        let Some(ModelError::Cycle { body, .. }) = &error else {
            return Err(TestCaseError::fail(format!("{error:?}")));
        };
        // Any body of the cycle, or hanging on it, may be named; it must be cut off from the world.
        let named = model.find(body).expect("a body of the model");
        prop_assert!(model.is_ancestor(top, named), "{body} does not hang on {}", model.body(top).name());
    }

    #[test]
    fn unknown_parents_are_refused(model in Trees::default().models(), choice in any::<usize>()) {
        let outcome = spoilt(&model, choice, |spec| spec.parent = Some("nobody".to_owned()));
        prop_assert!(outcome.0.as_ref().is_some_and(|e| e.to_string().contains("'nobody'")));
        assert_refused!(outcome, UnknownParent);
    }

    #[test]
    fn duplicate_names_are_refused(model in Trees::default().models(), choice in any::<usize>()) {
        let mut specs = surgery::specs(&model);
        let twin = specs[choice % specs.len()].clone();
        let name = twin.name.clone();
        specs.push(twin);
        assert_refused!((refusal(specs), name), DuplicateName);
    }

    /// A body without mass at the end of a movable joint.
    #[test]
    fn massless_leaves_are_refused(
        model in Trees::default().models(),
        choice in any::<usize>(),
        kind in prop::sample::select(vec![
            Joint::revolute(DVec3::X), Joint::prismatic(DVec3::X), Joint::universal(DVec3::X, DVec3::Y),
            Joint::spherical(), Joint::planar(), Joint::free(),
        ]),
    ) {
        let mut specs = surgery::specs(&model);
        let parent = specs[choice % specs.len()].name.clone();
        specs.push(BodySpec::child("ghost", parent, kind, Inertia::ZERO));
        assert_refused!((refusal(specs), "ghost".to_owned()), MasslessLeaf);
    }

    /// A point mass on its own axis: it has mass, but the freedom moves no inertia.
    #[test]
    fn freedoms_that_move_no_inertia_are_refused(
        model in Trees::default().models(),
        choice in any::<usize>(),
        far in 0.1..1.0,
    ) {
        let mut specs = surgery::specs(&model);
        let parent = specs[choice % specs.len()].name.clone();
        let point = Inertia::new(1.0, DVec3::Z * far, Sym3::ZERO);
        specs.push(BodySpec::child("bead", parent, Joint::revolute(DVec3::Z), point));
        assert_refused!((refusal(specs), "bead".to_owned()), MasslessFreedom);
    }

    #[test]
    fn placements_that_are_no_rotations_are_refused(
        model in Trees::default().models(),
        choice in any::<usize>(),
        scale in prop_oneof![-2.0..0.99, 1.01..2.0],
    ) {
        assert_refused!(spoilt(&model, choice, |spec| {
            spec.joint.parent_from_joint.rotation.z_axis *= scale;
        }), BadPlacement);
    }

    #[test]
    fn negative_passive_properties_are_refused(
        model in Trees::default().models(),
        choice in any::<usize>(),
        value in -10.0..-1e-12,
        place in 0..4_usize,
    ) {
        assert_refused!(spoilt(&model, choice, |spec| match place {
            0 => spec.joint.stiffness[0] = value,
            1 => spec.joint.damping[0] = value,
            2 => spec.joint.armature[0] = value,
            _ => spec.joint.effort_limit[0] = value,
        }), Negative);
    }

    #[test]
    fn limits_must_make_sense(model in Trees::default().kinds(&[Kind::Revolute]).models(), choice in any::<usize>()) {
        let only_hinges = model.bodies().iter().all(|b| matches!(b.joint().kind, JointKind::Revolute { .. }));
        prop_assert!(only_hinges);
        assert_refused!(spoilt(&model, choice, |s| s.joint.limits = Limits::range(1.0, -1.0)), EmptyRange);
        assert_refused!(spoilt(&model, choice, |s| s.joint.limits = Limits::range(f64::NAN, 1.0)), NonFinite);
        assert_refused!(spoilt(&model, choice, |s| s.joint.limits = Limits::cone(0.5, -1.0, 1.0)), WrongLimits);
        assert_refused!(spoilt(&model, choice, |s| {
            s.joint = Joint::spherical().with_limits(Limits::cone(4.0, -1.0, 1.0));
        }), BadSwing);
    }
}
