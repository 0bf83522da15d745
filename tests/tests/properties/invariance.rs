//! What must not matter: where the world's origin is, in which order bodies are named, which units.

use proptest::prelude::*;
use stuntlab_physics::dynamics::aba;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::{Force, Inertia, Transform, rotation};
use stuntlab_physics::strategies::{Kind, System, Trees, rotations};
use stuntlab_physics::{Data, Forces, Joint, JointKind, Model, State};
use stuntlab_tests::compare::{force_scale, largest, motion_gap};
use stuntlab_tests::dense::{Dense, n_slides};
use stuntlab_tests::{laws, surgery};

use super::ROUNDING;

fn forward(model: &Model, state: &State, forces: &Forces) -> Vec<f64> {
    let mut data = Data::new(model);
    aba(model, state, &mut data, forces);
    data.dynamics.acceleration
}

/// The mass matrix and how far accelerations may be off: rounding of the inertias and of the forces that
/// pass the joints, magnified by `H⁻¹`, on both sides.
fn allowed(s: &System, acceleration: &[f64]) -> (Dense, f64) {
    let mut data = Data::new(&s.model);
    let h = Dense::mass_matrix(&s.model, &s.state, &mut data);
    let mut scale = force_scale(&s.model, &s.state, &mut data, acceleration, &s.forces.body);
    scale.iter_mut().zip(&s.forces.joint).for_each(|(s, f)| *s += f.abs());
    let allowed = h.bound(2.0 * ROUNDING, acceleration, &scale);
    (h, allowed)
}

/// Multiplies freedoms by a factor each for turning and sliding.
fn scaled(model: &Model, values: &[f64], turning: f64, sliding: f64) -> Vec<f64> {
    let mut out = values.to_vec();
    for body in model.bodies() {
        let slides = n_slides(&body.joint().kind);
        for (k, dof) in body.freedoms().iter().enumerate() {
            out[dof] *= if k < slides { sliding } else { turning };
        }
    }
    out
}

/// The model with masses, lengths and gravity multiplied; springs do not count.
fn resized(model: &Model, mass: f64, length: f64, gravity: f64) -> Model {
    let specs = surgery::specs(model)
        .into_iter()
        .map(|mut spec| {
            let i = spec.inertia;
            spec.inertia = Inertia::new(
                i.mass * mass,
                i.center_of_mass * length,
                i.rotational * (mass * length * length),
            );
            spec.joint.parent_from_joint.translation *= length;
            spec
        })
        .collect();
    surgery::build(model.gravity() * gravity, specs)
}

proptest! {
    #![proptest_config(laws())]

    /// Turning and shifting the whole world, gravity and wrenches with it, changes no joint acceleration.
    #[test]
    fn the_frame_of_the_world_does_not_matter(
        s in Trees::default().systems(),
        turn in rotations(),
        shift in prop::array::uniform3(-2.0..2.0),
    ) {
        let world = Transform::new(rotation::matrix(turn), DVec3::from_array(shift));
        let mut specs = surgery::specs(&s.model);
        for spec in specs.iter_mut().filter(|spec| spec.parent.is_none()) {
            spec.joint.parent_from_joint = world * spec.joint.parent_from_joint;
        }
        let model = surgery::build(world.rotation * s.model.gravity(), specs);
        let mut forces = s.forces.clone();
        for f in &mut forces.body {
            *f = Force::new(world.rotation * f.angular, world.rotation * f.linear);
        }
        let expected = forward(&s.model, &s.state, &s.forces);
        let found = forward(&model, &s.state, &forces);
        let (h, allowed) = allowed(&s, &expected);
        let gap = motion_gap(&h, &found, &expected);
        prop_assert!(gap <= allowed, "{gap:e} of {allowed:e}");
    }

    /// The order in which bodies are given does not matter: joints move as before, found by name.
    #[test]
    fn the_order_of_the_bodies_does_not_matter(
        s in Trees::default().systems(),
        keys in prop::collection::vec(any::<u32>(), 10),
    ) {
        let mut order: Vec<usize> = (0..s.model.n_bodies()).collect();
        order.sort_by_key(|&i| keys[i]);
        let specs = surgery::specs(&s.model);
        let model = surgery::build(s.model.gravity(), order.iter().map(|&i| specs[i].clone()).collect());
        let state = surgery::carry_state(&s.model, &s.state, &model);
        let mut forces = Forces::new(&model);
        forces.joint = surgery::carry_freedoms(&s.model, &s.forces.joint, &model);
        forces.body = surgery::carry_bodies(&s.model, &s.forces.body, &model, Force::ZERO);
        let expected = forward(&s.model, &s.state, &s.forces);
        let found = surgery::carry_freedoms(&model, &forward(&model, &state, &forces), &s.model);
        let (h, allowed) = allowed(&s, &expected);
        let gap = motion_gap(&h, &found, &expected);
        prop_assert!(gap <= allowed, "{gap:e} of {allowed:e}");
    }

    /// Trees of a forest do not feel each other: each alone moves as in company.
    #[test]
    fn trees_of_a_forest_are_independent(s in Trees::default().systems()) {
        let expected = forward(&s.model, &s.state, &s.forces);
        let specs = surgery::specs(&s.model);
        let (h, allowed) = allowed(&s, &expected);
        let mut found = vec![0.0; s.model.n_v()];
        for tree in s.model.trees() {
            let alone = surgery::build(s.model.gravity(), specs[tree.bodies].to_vec());
            let state = surgery::carry_state(&s.model, &s.state, &alone);
            let mut forces = Forces::new(&alone);
            forces.joint = surgery::carry_freedoms(&s.model, &s.forces.joint, &alone);
            forces.body = surgery::carry_bodies(&s.model, &s.forces.body, &alone, Force::ZERO);
            let part = surgery::carry_freedoms(&alone, &forward(&alone, &state, &forces), &s.model);
            found.iter_mut().zip(&part).for_each(|(f, p)| *f += p);
        }
        let gap = motion_gap(&h, &found, &expected);
        prop_assert!(gap <= allowed, "{gap:e} of {allowed:e}");
    }

    /// Masses and forces times k: the same accelerations.
    #[test]
    fn heavier_with_stronger_forces_moves_the_same(
        s in Trees::default().passive(false).systems(),
        log in -2.0..2.0_f64,
    ) {
        let k = 10_f64.powf(log);
        let model = resized(&s.model, k, 1.0, 1.0);
        let mut forces = s.forces.clone();
        forces.joint.iter_mut().for_each(|f| *f *= k);
        forces.body.iter_mut().for_each(|f| *f = *f * k);
        let expected = forward(&s.model, &s.state, &s.forces);
        let found = forward(&model, &s.state, &forces);
        let (h, allowed) = allowed(&s, &expected);
        let gap = motion_gap(&h, &found, &expected);
        prop_assert!(gap <= allowed, "{gap:e} of {allowed:e}");
    }

    /// Lengths, shifts, gravity times k, moments times k², forces times k: turns accelerate the same,
    /// shifts k times as much.
    #[test]
    fn larger_in_stronger_gravity_turns_the_same(
        s in Trees::default().passive(false).systems(),
        log in -1.0..1.0_f64,
    ) {
        let k = 10_f64.powf(log);
        let model = resized(&s.model, 1.0, k, k);
        let mut state = s.state.clone();
        state.v = scaled(&s.model, &s.state.v, 1.0, k);
        for body in model.bodies() {
            let slides = n_slides(&body.joint().kind);
            state.q[body.coordinates()][..slides].iter_mut().for_each(|q| *q *= k);
        }
        let mut forces = s.forces.clone();
        forces.joint = scaled(&s.model, &s.forces.joint, k * k, k);
        forces.body.iter_mut().for_each(|f| *f = Force::new(f.angular * (k * k), f.linear * k));
        let expected = forward(&s.model, &s.state, &s.forces);
        let found = scaled(&s.model, &forward(&model, &state, &forces), 1.0, 1.0 / k);
        let (h, allowed) = allowed(&s, &expected);
        let gap = motion_gap(&h, &found, &expected);
        prop_assert!(gap <= allowed, "{gap:e} of {allowed:e}");
    }

    /// Time k times as fast: rates times k, gravity and forces times k², accelerations times k².
    #[test]
    fn faster_time_scales_accelerations_by_its_square(
        s in Trees::default().systems(),
        log in -1.0..1.0_f64,
    ) {
        let k = 10_f64.powf(log);
        let model = resized(&s.model, 1.0, 1.0, k * k);
        let mut state = s.state.clone();
        state.v.iter_mut().for_each(|v| *v *= k);
        let mut forces = s.forces.clone();
        forces.joint.iter_mut().for_each(|f| *f *= k * k);
        forces.body.iter_mut().for_each(|f| *f = *f * (k * k));
        let expected = forward(&s.model, &s.state, &s.forces);
        let found: Vec<f64> = forward(&model, &state, &forces).iter().map(|a| a / (k * k)).collect();
        let (h, allowed) = allowed(&s, &expected);
        let gap = motion_gap(&h, &found, &expected);
        prop_assert!(gap <= allowed, "{gap:e} of {allowed:e}");
    }

    /// A body welded to its parent is part of it: one body with the combined inertia moves the same.
    #[test]
    fn a_welded_body_is_part_of_its_parent(s in Trees::default().bodies(2..=8).systems()) {
        let mut specs = surgery::specs(&s.model);
        // Merge from the tips: whatever is fixed goes into its parent, its children with it.
        for i in (0..specs.len()).rev() {
            let welded = specs[i].joint.kind == JointKind::Fixed;
            let Some(parent) = specs[i].parent.clone().filter(|_| welded) else { continue };
            let spec = specs.remove(i);
            let parent_from_body = spec.joint.parent_from_joint;
            for child in specs.iter_mut().filter(|c| c.parent.as_deref() == Some(&spec.name)) {
                child.parent = Some(parent.clone());
                child.joint.parent_from_joint = parent_from_body * child.joint.parent_from_joint;
            }
            let target = specs.iter_mut().find(|p| p.name == parent).expect("parents come first");
            target.inertia = target.inertia.combined(&spec.inertia.transformed(&parent_from_body));
        }
        let model = surgery::build(s.model.gravity(), specs);
        let state = surgery::carry_state(&s.model, &s.state, &model);
        let mut forces = Forces::new(&model);
        forces.joint = surgery::carry_freedoms(&s.model, &s.forces.joint, &model);
        let mut bare = s.clone();
        bare.forces.body.fill(Force::ZERO);
        let expected = forward(&s.model, &s.state, &bare.forces);
        let found = surgery::carry_freedoms(&model, &forward(&model, &state, &forces), &s.model);
        let (h, allowed) = allowed(&bare, &expected);
        let gap = motion_gap(&h, &found, &expected);
        prop_assert!(gap <= allowed, "{gap:e} of {allowed:e}");
    }

    /// A joint held still (prescribed zero, at rest) is a fixed joint in that position, and its reaction
    /// does not move it.
    #[test]
    fn a_locked_joint_is_a_fixed_joint(
        mut s in Trees::default().kinds(&[
            Kind::Revolute, Kind::Prismatic, Kind::Universal, Kind::Spherical, Kind::Planar,
        ]).systems(),
        flags in prop::collection::vec(any::<bool>(), 10),
    ) {
        s.forces.joint_gain.fill(0.0);
        for (body, _) in s.model.bodies().iter().zip(&flags).filter(|(_, f)| **f) {
            s.state.v[body.freedoms()].fill(0.0);
        }
        let mut data = Data::new(&s.model);
        let flags = &flags[..s.model.n_bodies()];
        stuntlab_physics::dynamics::hybrid(&s.model, &s.state, &mut data, &s.forces, flags, 0.0);
        let found = data.dynamics.acceleration.clone();
        let mut specs = surgery::specs(&s.model);
        for (i, spec) in specs.iter_mut().enumerate().filter(|(i, _)| flags[*i]) {
            spec.joint = Joint::fixed().placed(surgery::parent_from_body(&s.model, &data, i));
        }
        let model = surgery::build(s.model.gravity(), specs);
        let state = surgery::carry_state(&s.model, &s.state, &model);
        let mut forces = Forces::new(&model);
        forces.joint = surgery::carry_freedoms(&s.model, &s.forces.joint, &model);
        forces.body = s.forces.body.clone();
        let expected = surgery::carry_freedoms(&model, &forward(&model, &state, &forces), &s.model);
        let (h, allowed) = allowed(&s, &expected);
        let gap = motion_gap(&h, &found, &expected);
        prop_assert!(gap <= allowed, "{gap:e} of {allowed:e}");
        prop_assert!(largest(found) < f64::INFINITY);
    }
}
