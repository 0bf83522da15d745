//! Laws of Dynamo's torques, for any pose: nothing to do at the target, mirror symmetry, an honest cheat meter, cells of targets and torques
//! that agree where they must, and motions that fade into each other without a jump.

use std::sync::{Arc, LazyLock};

use proptest::prelude::*;
use stuntlab_control::dynamo::{Application, Balance, Dynamo, DynamoOptions, Frame, Space, WeakSpring};
use stuntlab_control::reference::{Attitudes, ClipReference, HeldPose, Medley, Reference, heading_turn};
use stuntlab_control::{Controller, Sense, Senses};
use stuntlab_mocap::character::{Character, CharacterOptions, Physique};
use stuntlab_mocap::library;
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::spatial::rotation;
use stuntlab_physics::{Actuation, Data, JointKind, Model, State, StepOptions, observe};

static FIGURE: LazyLock<Arc<Character>> = LazyLock::new(|| {
    let built = Character::build(&library::skeleton(), &CharacterOptions::default());
    Arc::new(built.expect("the library skeleton is a body").0)
});

static CLIPS: LazyLock<Vec<ClipReference>> = LazyLock::new(|| {
    let clip = |name| library::clip(name).expect("it is in the library");
    ["guard", "jab", "idle", "wave"].map(|n| ClipReference::new(FIGURE.clone(), &clip(n), true)).to_vec()
});

/// A motion without corners, other for every seed: bones that swing about axes of their own.
#[derive(Clone)]
struct Sway(u32);

impl Reference for Sway {
    fn write(&mut self, _time: f64, _q: &mut [f64]) {}

    fn spacing(&self) -> f64 {
        1.0 / 120.0
    }

    fn duration(&self) -> f64 {
        f64::INFINITY
    }

    fn attitudes(&mut self, _model: &Model, time: f64, out: &mut Attitudes) {
        for i in 0..out.len() {
            let draw =
                |k: u32| f64::from(self.0.wrapping_mul(31).wrapping_add(i as u32 * 7 + k) % 1009) / 1009.0;
            let axis = DVec3::new(draw(1) - 0.5, draw(2) - 0.5, draw(3) - 0.5).normalize_or(DVec3::X);
            let (sine, cosine) = (4.0 * time + 6.3 * draw(4)).sin_cos();
            out.orientation[i] = rotation::exp(axis * sine);
            out.angular_velocity[i] = axis * 4.0 * cosine;
            out.position[i] = axis * 0.3 * sine;
            out.velocity[i] = axis * 1.2 * cosine;
        }
    }

    fn boxed_clone(&self) -> Box<dyn Reference> {
        Box::new(self.clone())
    }
}

/// Anatomical angles for every joint, within reach of most limits.
fn angles(n: usize) -> impl Strategy<Value = Vec<[f64; 3]>> {
    prop::collection::vec(prop::array::uniform3(-0.6..0.6_f64), n)
}

fn posed(character: &Character, lean: DVec3, angles: &[[f64; 3]]) -> State {
    let model = character.model();
    let mut state = State::new(model);
    for (id, angles) in model.body_ids().iter().zip(angles) {
        character.set_angles(&mut state, id, *angles);
    }
    state.set_rotation(&model.bodies()[0], rotation::exp(lean));
    state
}

/// The body on the other side, or itself.
fn twin(model: &Model, i: usize) -> usize {
    let name = model.bodies()[i].name();
    let other = match name.as_bytes().first() {
        Some(b'l') => format!("r{}", &name[1..]),
        Some(b'r') => format!("l{}", &name[1..]),
        _ => name.to_owned(),
    };
    model.find(&other).map_or(i, |b| b.index())
}

fn mirrored(character: &Character, lean: DVec3, angles: &[[f64; 3]]) -> State {
    let model = character.model();
    let swapped: Vec<[f64; 3]> = (0..angles.len())
        .map(|i| {
            let j = twin(model, i);
            let [flexion, abduction, twist] = angles[j];
            if i == j { [flexion, -abduction, -twist] } else { [flexion, abduction, twist] }
        })
        .collect();
    posed(character, DVec3::new(-lean.x, lean.y, -lean.z), &swapped)
}

/// What Dynamo does to a character in `state` that should be in `wanted`.
fn actuation(
    character: &Character,
    state: &State,
    wanted: &State,
    options: DynamoOptions,
) -> (Actuation, DVec3) {
    let model = character.model();
    let mut data = Data::new(model);
    let opt = StepOptions::default();
    observe(model, state, &mut data, &opt);
    let mut act = Actuation::new(model);
    let mut dynamo = Dynamo::new(model.clone(), Box::new(HeldPose::new(wanted.q.clone())), options);
    let mut senses = Senses::new(model, model.body_ids(), Physique::of(character).into());
    senses.look(model, state, &data);
    dynamo.act(&Sense::new(model, state, &data, opt.dt, &senses), &mut act);
    (act, dynamo.cheat())
}

fn moments(model: &Model, act: &Actuation, state: &State) -> Vec<DVec3> {
    let mut data = Data::new(model);
    observe(model, state, &mut data, &StepOptions::default());
    let mut out = vec![DVec3::ZERO; model.n_bodies()];
    for (id, term) in &act.implicit {
        out[id.index()] += term.at_rest.angular - term.gain.angular * data.velocity.body[id.index()].angular;
    }
    for (body, wrench) in out.iter_mut().zip(&act.body_force) {
        *body += wrench.angular;
    }
    out
}

/// Torques of the joints' servos at the velocities the step begins with.
fn joint_torques(model: &Model, act: &Actuation, state: &State) -> Vec<f64> {
    let dt = StepOptions::default().dt;
    let mut to_go = vec![0.0; model.n_v()];
    state.difference(model, &State { q: act.servo.target_q.clone(), ..state.clone() }, &mut to_go);
    let torque = |k: usize| {
        let s = &act.servo;
        s.stiffness[k] * (to_go[k] - dt * state.v[k]) + s.damping[k] * (s.target_v[k] - state.v[k])
    };
    (0..model.n_v()).map(|k| if act.servo.stiffness[k] > 0.0 { torque(k) } else { 0.0 }).collect()
}

/// Targets by torques, all of them.
fn cells() -> impl Iterator<Item = (Space, Application)> {
    let applications =
        [Application::External, Application::Internal, Application::FullyInternal, Application::Partly(0.3)];
    [Space::World, Space::Parent].into_iter().flat_map(move |space| applications.map(|a| (space, a)))
}

fn spring() -> Balance {
    Balance::WeakSpring(WeakSpring { breaking: f64::INFINITY, ..WeakSpring::default() })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.min(64)))]

    #[test]
    fn there_is_nothing_to_do_at_the_target(a in angles(16), heading in -3.0..3.0_f64) {
        let character = &*FIGURE;
        let at = posed(character, DVec3::Z * heading, &a);
        for (space, application) in cells() {
            let options = DynamoOptions { space, application, balance: spring(), ..DynamoOptions::default() };
            let (act, cheat) = actuation(character, &at, &posed(character, DVec3::ZERO, &a), options);
            prop_assert!(cheat.length() < 1e-6, "{space:?} {application:?} cheats by {cheat}");
            for (i, moment) in moments(character.model(), &act, &at).iter().enumerate() {
                prop_assert!(moment.length() < 1e-6, "body {i}: {moment}");
            }
            let mut to_go = vec![0.0; character.model().n_v()];
            let target = State { q: act.servo.target_q.clone(), ..at.clone() };
            at.difference(character.model(), &target, &mut to_go);
            for (k, way) in to_go.iter().enumerate().filter(|(k, _)| act.servo.stiffness[*k] > 0.0) {
                prop_assert!(way.abs() < 1e-9, "freedom {k} is {way} from its target");
            }
        }
    }

    #[test]
    fn mirrored_poses_get_mirrored_torques(
        a in angles(16), b in angles(16),
        lean in prop::array::uniform3(-0.2..0.2_f64),
    ) {
        let character = &*FIGURE;
        let model = character.model();
        let options = DynamoOptions { balance: spring(), ..DynamoOptions::default() };
        let lean = DVec3::from_array(lean);
        let (state, other) = (posed(character, lean, &a), mirrored(character, lean, &a));
        let (act, _) = actuation(character, &state, &posed(character, DVec3::ZERO, &b), options);
        let (act_other, _) = actuation(character, &other, &mirrored(character, DVec3::ZERO, &b), options);
        let (left, right) = (moments(model, &act, &state), moments(model, &act_other, &other));
        for i in 0..model.n_bodies() {
            let image = right[twin(model, i)] * DVec3::new(-1.0, 1.0, -1.0);
            let size = 1.0 + left[i].length();
            prop_assert!((left[i] - image).length() < 1e-6 * size, "{}: {} and {image}", model.bodies()[i].name(), left[i]);
        }
    }

    #[test]
    fn the_cheat_meter_is_the_sum_of_what_comes_from_outside(
        a in angles(16), b in angles(16),
        lean in prop::array::uniform3(-1.0..1.0_f64),
        v in prop::collection::vec(-2.0..2.0_f64, 64),
    ) {
        let character = &*FIGURE;
        let model = character.model();
        let mut state = posed(character, DVec3::from_array(lean), &a);
        state.v.iter_mut().zip(v).for_each(|(x, y)| *x = y);
        for (space, application) in cells() {
            for balance in [Balance::Unpowered, Balance::Meathook, Balance::WeakSpring(WeakSpring::default())] {
                let options = DynamoOptions { space, application, balance, ..DynamoOptions::default() };
                let (act, cheat) = actuation(character, &state, &posed(character, DVec3::ZERO, &b), options);
                let sum: DVec3 = moments(model, &act, &state).iter().sum();
                prop_assert!((sum - cheat).length() < 1e-9 * (1.0 + sum.length()), "{sum} and {cheat}");
                prop_assert!(application != Application::FullyInternal || cheat == DVec3::ZERO);
            }
        }
    }

    #[test]
    fn an_external_torque_with_its_reaction_is_the_internal_one(
        a in angles(16), b in angles(16),
        lean in prop::array::uniform3(-0.5..0.5_f64),
        v in prop::collection::vec(-2.0..2.0_f64, 64),
    ) {
        let character = &*FIGURE;
        let model = character.model();
        let mut state = posed(character, DVec3::from_array(lean), &a);
        state.v.iter_mut().zip(v).for_each(|(x, y)| *x = y);
        let wanted = posed(character, DVec3::ZERO, &b);
        for space in [Space::World, Space::Parent] {
            let act = |application| {
                // Slow enough for no joint to reach its limit, with nothing but the tracking at work.
                let options = DynamoOptions {
                    space,
                    application,
                    frequency: 1.0,
                    balance: Balance::Unpowered,
                    yaw_limit: 0.0,
                    frame: Frame::Egocentric,
                    ..DynamoOptions::default()
                };
                actuation(character, &state, &wanted, options).0
            };
            let alone = moments(model, &act(Application::External), &state);
            // The reaction on the parent …
            let mut paired = alone.clone();
            for (i, body) in model.bodies().iter().enumerate() {
                if let Some(parent) = body.parent() {
                    paired[parent.index()] -= alone[i];
                }
            }
            let sum: DVec3 = paired.iter().sum();
            prop_assert!(sum.length() < 1e-9, "a whole body is not turned from within: {sum}");
            // … and what all bodies beyond a joint feel is the joint's torque.
            let mut beyond = paired;
            for i in (1..beyond.len()).rev() {
                if let Some(parent) = model.bodies()[i].parent() {
                    let moment = beyond[i];
                    beyond[parent.index()] += moment;
                }
            }
            let servo = joint_torques(model, &act(Application::Internal), &state);
            let mut data = Data::new(model);
            observe(model, &state, &mut data, &StepOptions::default());
            for (id, body) in model.body_ids().iter().zip(model.bodies()) {
                let own = data.position.world_from_body[id].rotation.transpose() * beyond[id.index()];
                let v = body.freedoms();
                let pairs = match body.joint().kind {
                    JointKind::Spherical => [0, 1, 2].map(|k| (own[k], servo[v.at(k)])).to_vec(),
                    JointKind::Revolute { axis } => vec![(own.dot(axis), servo[v.at(0)])],
                    _ => Vec::new(),
                };
                for (outside, inside) in pairs {
                    prop_assert!((outside - inside).abs() < 1e-9 * (1.0 + outside.abs()), "{space:?} {}: {outside} and {inside}", body.name());
                }
            }
        }
    }

    #[test]
    fn a_bone_whose_parents_are_in_place_strives_for_the_same_in_the_world_and_to_its_parent(
        a in angles(16), leaf in 0usize..16, way in -3.1..3.1_f64, turn in -0.6..0.6_f64,
    ) {
        // One bone is off, turned about a level axis, so that it says nothing of the body's heading.
        let character = &*FIGURE;
        let model = character.model();
        let wanted = posed(character, DVec3::ZERO, &a);
        let is_leaf = |i: usize| model.bodies().iter().all(|b| b.parent().is_none_or(|p| p.index() != i));
        let ball = |i: usize| model.bodies()[i].joint().kind == JointKind::Spherical;
        let leaves: Vec<usize> = (1..model.n_bodies()).filter(|&i| is_leaf(i) && ball(i)).collect();
        prop_assume!(!leaves.is_empty());
        let leaf = &model.bodies()[leaves[leaf % leaves.len()]];
        let mut data = Data::new(model);
        observe(model, &wanted, &mut data, &StepOptions::default());
        let parent = leaf.parent().expect("a leaf is no root");
        let frame = data.position.world_from_body[parent].rotation * leaf.joint().parent_from_joint.rotation;
        let frame = DQuat::from_mat3(&frame);
        let aside = rotation::exp(DVec3::new(way.cos(), way.sin(), 0.0) * turn);
        let mut state = wanted.clone();
        state.set_rotation(leaf, frame.conjugate() * aside * frame * wanted.rotation(leaf));
        for application in [Application::External, Application::Internal] {
            let [world, to_parent] = [Space::World, Space::Parent].map(|space| {
                let options = DynamoOptions { space, application, balance: spring(), ..DynamoOptions::default() };
                let (act, _) = actuation(character, &state, &wanted, options);
                (moments(model, &act, &state), joint_torques(model, &act, &state))
            });
            for (one, other) in world.0.iter().zip(&to_parent.0) {
                prop_assert!((*one - *other).length() < 1e-6 * (1.0 + one.length()), "{one} and {other}");
            }
            for (one, other) in world.1.iter().zip(&to_parent.1) {
                prop_assert!((one - other).abs() < 1e-6 * (1.0 + one.abs()), "{one} and {other}");
            }
        }
    }

    #[test]
    fn fades_have_weights_that_sum_to_one_and_never_jump(
        switches in prop::collection::vec((0.005..0.6_f64, 0usize..4, 0.05..0.5_f64), 1..8),
    ) {
        let character = &*FIGURE;
        let model = character.model();
        let mut medley = Medley::new(Box::new(CLIPS[0].clone()), 0.0);
        let (mut before, mut now) = (Attitudes::new(model.n_bodies()), Attitudes::new(model.n_bodies()));
        let dt = 1.0 / 240.0;
        let mut time = 0.0;
        medley.attitudes(model, time, &mut before);
        for (pause, clip, fade) in switches {
            for _ in 0..(pause / dt) as usize {
                time += dt;
                medley.attitudes(model, time, &mut now);
                let sum: f64 = medley.weights(time).sum();
                prop_assert!((sum - 1.0).abs() < 1e-12 && medley.weights(time).all(|w| (0.0..=1.0).contains(&w)));
                for (a, b) in before.orientation.iter().zip(&now.orientation) {
                    // The fastest fade turns a bone by at most pi within 0.05 s.
                    let turn = DQuat::angle_between(*a, *b);
                    prop_assert!(turn < 0.6, "a target jumps by {turn} rad at {time}");
                }
                before.clone_from(&now);
            }
            medley.follow(Box::new(CLIPS[clip].clone()), time, fade);
        }
    }

    #[test]
    fn a_motion_more_changes_neither_pose_nor_rates_at_its_moment_however_many_sound(
        switches in prop::collection::vec((0.005..0.05_f64, any::<u32>(), 0.1..0.5_f64), 8),
    ) {
        let model = FIGURE.model();
        let mut medley = Medley::new(Box::new(Sway(0)), 0.0);
        let mut time = 0.0;
        let look = |medley: &mut Medley, time: f64| {
            let mut out = Attitudes::new(model.n_bodies());
            medley.attitudes(model, time, &mut out);
            out
        };
        for (pause, seed, fade) in switches {
            time += pause;
            // The wanted pose moves on as it would have, whether or not another motion comes in now.
            let brief = 1e-5;
            let now = look(&mut medley.clone(), time);
            let undisturbed = look(&mut medley.clone(), time + brief);
            medley.follow(Box::new(Sway(seed)), time, fade);
            let same = look(&mut medley, time);
            let next = look(&mut medley.clone(), time + brief);
            for i in 0..model.n_bodies() {
                let turn = |from: &Attitudes, to: &Attitudes| {
                    rotation::log(to.orientation[i] * from.orientation[i].conjugate()).length()
                };
                prop_assert!(turn(&now, &same) < 1e-9);
                prop_assert!((now.angular_velocity[i] - same.angular_velocity[i]).length() < 1e-9);
                prop_assert!((now.position[i] - same.position[i]).length() < 1e-9);
                prop_assert!((now.velocity[i] - same.velocity[i]).length() < 1e-9);
                // A jump of the rate would be of the order of the fades' own, 10 rad/s; a thousandth is what the change of rates in
                // 10 microseconds leaves.
                let kink = turn(&undisturbed, &next) / brief;
                prop_assert!(kink < 0.02, "body {i} starts to turn by {kink} rad/s");
                let kink = undisturbed.position[i].distance(next.position[i]) / brief;
                prop_assert!(kink < 0.02, "body {i} starts to move by {kink} m/s");
            }
        }
    }

    #[test]
    fn a_motion_that_gives_way_to_others_is_forgotten_in_the_end(
        pause in 0.005..0.05_f64, fade in 0.1..0.5_f64, clips in prop::collection::vec(0usize..4, 7),
    ) {
        // However many came between, only the last one sounds when its fade is over.
        let model = FIGURE.model();
        let mut medley = Medley::new(Box::new(CLIPS[0].clone()), 0.0);
        let (mut out, mut alone) = (Attitudes::new(model.n_bodies()), Attitudes::new(model.n_bodies()));
        let mut time = 0.0;
        for clip in &clips {
            time += pause;
            medley.attitudes(model, time, &mut out);
            medley.follow(Box::new(CLIPS[*clip].clone()), time, fade);
        }
        let began = time;
        while time < began + fade {
            time += 1.0 / 240.0;
            medley.attitudes(model, time, &mut out);
        }
        prop_assert_eq!(medley.weights(time).count(), 1);
        let mut last = CLIPS[clips[6]].clone();
        last.attitudes(model, time - began, &mut alone);
        let heading = heading_turn(alone.orientation[0], out.orientation[0]);
        alone.turn(heading);
        for (a, b) in out.orientation.iter().zip(&alone.orientation) {
            prop_assert!(DQuat::angle_between(*a, *b) < 1e-6);
        }
    }
}

#[test]
fn the_figure_of_these_laws_has_every_kind_of_joint() {
    let character = &*FIGURE;
    let has = |want: fn(&JointKind) -> bool| character.model().bodies().iter().any(|b| want(&b.joint().kind));
    assert!(has(|k| matches!(k, JointKind::Spherical)));
    assert!(has(|k| matches!(k, JointKind::Universal { .. })));
    assert!(has(|k| matches!(k, JointKind::Revolute { .. })));
    assert_eq!(character.model().n_bodies(), 16);
}
