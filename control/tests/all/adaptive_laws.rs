//! Laws of adaptive articulation: what is played back lands on its target and bears what inverse dynamics says, and what becomes dynamic
//! grows with the disturbance.

use crate::stage::adaptive::{Scene, figure};
use proptest::prelude::*;
use stuntlab_control::Controller;
use stuntlab_control::adaptive::articulation::{Allowed, Articulation, Mode, Strike};
use stuntlab_control::adaptive::profile::Profile;
use stuntlab_control::adaptive::{AdaptiveOptions, Estimate};
use stuntlab_control::reference::{ClipReference, HeldPose, Reference};
use stuntlab_mocap::character::{Bone, Physique};
use stuntlab_mocap::library;
use stuntlab_physics::dynamics::rnea_with_wrenches;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::Force;
use stuntlab_physics::{Data, State, StepOptions};

fn vector(size: f64) -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(-size..size).prop_map(DVec3::from_array)
}

fn standing(options: AdaptiveOptions) -> Scene {
    let figure = figure();
    let mut q = State::new(figure.model()).q;
    q[2] = figure.root_height();
    Scene::with(&figure, Box::new(HeldPose::new(q.clone())), &q, options)
}

const BODIES: [&str; 6] = ["torso", "lhand", "rfarm", "head", "ruarm", "lthigh"];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.min(12)))]

    /// Whatever pushes, joints that are played back end every step on what the controller wants of them.
    #[test]
    fn what_is_played_back_lands_on_its_target(force in vector(250.0), body in prop::sample::select(&BODIES[..])) {
        let mut scene = Scene::new("walk", AdaptiveOptions::default());
        let mut target = scene.stage.state.q.clone();
        for k in 0..90 {
            scene.step(body, if k < 12 { force } else { DVec3::ZERO });
            let (model, sense) = (&scene.stage.model, scene.stage.sense());
            prop_assert!(scene.adaptive.target(&sense, &mut target));
            let mut wanted = scene.stage.state.clone();
            wanted.q.copy_from_slice(&target);
            let mut off = vec![0.0; model.n_v()];
            scene.stage.state.difference(model, &wanted, &mut off);
            for (mode, body) in scene.adaptive.modes().iter().zip(model.bodies()) {
                let far = off[body.freedoms()].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                prop_assert!(*mode != Mode::Kinematic || far < 1e-12, "{}: {far:e}", body.name());
            }
        }
    }

    /// Torques in joints that are played back are those of inverse dynamics, with the push and the ground on the bodies.
    #[test]
    fn reactions_of_what_is_played_back_are_those_of_inverse_dynamics(
        force in vector(60.0), body in prop::sample::select(&BODIES[..]),
    ) {
        let mut scene = standing(AdaptiveOptions { everything: true, ..AdaptiveOptions::default() });
        // From rest in a short step: what is freed moves on freely after the kick, which inverse dynamics at rest knows nothing of, and that is of
        // second order in the step (4e-6 of the weight at 120 Hz).
        scene.stage.options = StepOptions::at_rate(6000.0);
        let before = scene.stage.state.clone();
        scene.step(body, force);
        let Scene { stage, adaptive, .. } = &scene;
        let acceleration: Vec<f64> =
            stage.state.v.iter().zip(&before.v).map(|(after, before)| (after - before) / stage.options.dt).collect();
        let mut data = Data::new(&stage.model);
        let mut wrenches = stage.act.body_force.clone();
        stuntlab_physics::dynamics::forward_kinematics(&stage.model, &before, &mut data);
        for felt in stage.data.memory.felt() {
            let arm = felt.point - data.world_from_body(felt.body_a).translation;
            wrenches[felt.body_a.index()] += Force::at_offset(felt.force, arm);
        }
        rnea_with_wrenches(&stage.model, &before, &mut data, &acceleration, &wrenches);
        let size = data.dynamics.joint_force.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        let played = adaptive.modes().iter().filter(|m| **m == Mode::Kinematic).count();
        prop_assert!(played >= 4 && played < adaptive.modes().len(), "{played} are played back");
        for (mode, body) in adaptive.modes().iter().zip(stage.model.bodies()) {
            if *mode != Mode::Kinematic {
                continue;
            }
            for dof in body.freedoms() {
                let (found, wanted) = (stage.data.reactions.along[dof], data.dynamics.joint_force[dof]);
                prop_assert!((found - wanted).abs() < 1e-6 * size, "{} {dof:?}: {found} {wanted}", body.name());
            }
        }
    }

    /// A larger disturbance frees no fewer joints.
    #[test]
    fn activation_is_monotone_in_the_disturbance(
        torques in prop::collection::vec(0.0..80.0_f64, 19), more in prop::collection::vec(0.0..40.0_f64, 19),
        bear in prop::collection::vec(0.0..120.0_f64, 19), struck in 0..19_usize,
    ) {
        let figure = figure();
        let physique = Physique::of(&figure);
        let n = figure.model().n_bodies();
        let pad = |x: &[f64]| -> Vec<f64> { (0..n).map(|k| x[k % x.len()]).collect() };
        let (torques, bear) = (pad(&torques), pad(&bear));
        let larger: Vec<f64> = torques.iter().zip(pad(&more)).map(|(a, b)| a + b).collect();
        let allowed = Allowed { bones: (0..n).map(|k| k > 0).collect(), most: usize::MAX };
        let grown = |torques: &[f64]| {
            let mut joints = Articulation::new(&physique);
            for k in 0..20 {
                joints.compare(torques, &bear);
                joints.grow(figure.model(), 0.11 * f64::from(k), 0.25, &allowed, |bone| {
                    if bone.index() == struck % n { Strike::Now } else { Strike::None }
                });
            }
            joints.modes().iter().map(|m| matches!(m, Mode::Dynamic { .. })).collect::<Vec<_>>()
        };
        let (few, many) = (grown(&torques), grown(&larger));
        prop_assert!(few.iter().zip(&many).all(|(few, many)| !few || *many), "{few:?} {many:?}");
        let mut both = [Articulation::new(&physique), Articulation::new(&physique)];
        both[0].compare(&torques, &bear);
        both[1].compare(&larger, &bear);
        prop_assert!(both[0].ratios().iter().zip(both[1].ratios()).all(|(a, b)| a <= b));
    }
}

/// Nobody touches it: it is no part of any problem, and what its joints bear is inverse dynamics all the same.
#[test]
fn who_is_played_back_alone_bears_what_inverse_dynamics_says() {
    let mut scene = Scene::new("walk", AdaptiveOptions::default());
    for _ in 0..40 {
        let before = scene.stage.state.clone();
        scene.step("torso", DVec3::ZERO);
        let stage = &scene.stage;
        let h = stage.options.dt;
        let mut acceleration: Vec<f64> = stage
            .act
            .prescribed_velocity
            .iter()
            .zip(&before.v)
            .map(|(after, before)| (after - before) / h)
            .collect();
        // A free root's linear rate is that of a point, in axes that turn.
        let (linear, spin) = (DVec3::from_slice(&before.v[..3]), DVec3::from_slice(&before.v[3..6]));
        let turning = spin.cross(linear).to_array();
        acceleration.iter_mut().zip(turning).for_each(|(a, turning)| *a -= turning);
        let mut data = Data::new(&stage.model);
        rnea_with_wrenches(&stage.model, &before, &mut data, &acceleration, &stage.act.body_force);
        let size = data.dynamics.joint_force.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        for (found, wanted) in stage.data.reactions.along.iter().zip(&data.dynamics.joint_force) {
            assert!((found - wanted).abs() < 1e-9 * size, "{found} {wanted}");
        }
    }
}

/// Contacts with the ground are not looked for while it is played back; who lets go is held by the ground in that very step.
#[test]
fn who_lets_go_is_on_the_ground_at_once() {
    let mut scene = Scene::new("idle", AdaptiveOptions::default());
    for _ in 0..30 {
        scene.step("torso", DVec3::ZERO);
    }
    assert!(scene.stage.data.contact.points.is_empty(), "nobody asked for them");
    scene.adaptive.command("fall", 1.0).expect("a word it knows");
    scene.step("torso", DVec3::ZERO);
    let weight: f64 = scene.stage.model.bodies().iter().map(|b| b.inertia().mass * 9.81).sum();
    let held: f64 = scene.stage.data.memory.felt().iter().map(|f| f.force.z).sum();
    assert!(held > 0.2 * weight, "{held} of {weight} N");
}

/// What is found once per clip is what a look in passing finds, wherever the walk has got to.
#[test]
fn efforts_of_a_clip_are_the_same_in_every_round() {
    let figure = figure();
    let physique = Physique::of(&figure);
    let own = figure.shared_model();
    let foot = |name: &str| Bone::new(own.find(name).expect("a foot").index());
    let feet = [foot("lfoot"), foot("rfoot")];
    assert!(physique.parts().len() == own.n_bodies());
    for estimate in [Estimate::Jointwise, Estimate::Rnea] {
        let clip = library::clip("walk").expect("in the library");
        let mut reference = ClipReference::new(figure.clone(), &clip, true);
        let period = reference.period().expect("it goes round");
        let mut profile = Profile::new(&own, feet, &mut reference, estimate);
        let spacing = reference.spacing();
        for k in [0, 7, 31] {
            let time = f64::from(k) * spacing;
            let first = profile.at(&own, &mut reference, time).clone();
            let later = profile.at(&own, &mut reference, time + 3.0 * period).clone();
            for side in 0..2 {
                assert_eq!(first.bears[side][0], 0.0);
                for (a, b) in first.bears[side].iter().zip(&later.bears[side]) {
                    assert!((a - b).abs() < 1e-6 * (1.0 + a.abs()), "{a} {b}");
                }
            }
            assert!((first.com - later.com).length() < 1e-9 && first.com.length() < 0.4);
        }
    }
}
