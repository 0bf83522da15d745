//! Laws of layers: intents add in any order, shares of 0 and 1 are one side, bodies that are apart stay apart, what comes and goes
//! does so without a jump.

use std::sync::Arc;

use proptest::prelude::*;
use stuntlab_control::layers::merge::{self, Mask};
use stuntlab_control::{Controller, Gains, Layer, Layers, Pose, Rule, Sense, Senses, UnknownCommand};
use stuntlab_mocap::character::Physique;
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::spatial::{Force, Sym3, rotation};
use stuntlab_physics::{
    Actuation, Data, ImplicitForce, JointKind, Model, State, StepOptions, figures, observe,
};

/// A figure with a state, observed.
struct World {
    model: Model,
    state: State,
    data: Data,
    senses: Senses,
}

impl World {
    fn new(numbers: &[f64]) -> Self {
        let model = figures::humanoid37().model();
        let mut state = State::new(&model);
        let way: Vec<f64> = (0..model.n_v()).map(|k| numbers[k % numbers.len()]).collect();
        state.integrate(&model, &way, 0.3);
        let mut data = Data::new(&model);
        observe(&model, &state, &mut data, &StepOptions::default());
        let mut senses = Senses::new(&model, model.body_ids(), Arc::new(Physique::by_name(&model)));
        senses.look(&model, &state, &data);
        Self { model, state, data, senses }
    }

    fn sense(&self) -> Sense<'_> {
        Sense::new(&self.model, &self.state, &self.data, 1.0 / 120.0, &self.senses)
    }

    /// An intent of numbers: servos, forces and aids on every body but those left out.
    fn intent(&self, numbers: &[f64], on: impl Fn(usize) -> bool) -> Actuation {
        let mut act = Actuation::new(&self.model);
        let draw = |k: usize| numbers[k % numbers.len()];
        for (i, (id, body)) in self.model.body_ids().iter().zip(self.model.bodies()).enumerate() {
            if !on(i) {
                continue;
            }
            let [x, y, z] = [draw(i), draw(i + 1), draw(i + 2)];
            act.body_force[i] = Force::new(DVec3::new(x, y, z), DVec3::new(z, x, y));
            let gain = Sym3::diagonal(x.abs(), y.abs(), z.abs());
            act.implicit.push((id, ImplicitForce::moment(DVec3::new(y, z, x), gain)));
            if body.joint().kind == JointKind::Free {
                continue;
            }
            for k in body.freedoms() {
                let n = k.index();
                act.joint_force[k] = draw(n + 3);
                act.servo.stiffness[k] = 100.0 * draw(n + 4).abs();
                act.servo.damping[k] = 10.0 * draw(n + 5).abs();
                act.servo.target_v[k] = draw(n + 6);
            }
            let q = body.coordinates();
            if body.joint().kind == JointKind::Spherical {
                let turn = rotation::exp(DVec3::new(x, y, z) * 0.5);
                let target = (self.state.rotation(body) * turn).normalize();
                act.servo.target_q[q].copy_from_slice(&target.to_array());
            } else {
                q.iter().for_each(|k| act.servo.target_q[k] = self.state.q[k] + draw(k.index() + 7));
            }
        }
        act
    }

    fn sum(&self, intents: &[&Actuation]) -> Actuation {
        let mut all = Actuation::new(&self.model);
        intents.iter().for_each(|i| merge::add(&mut all, i, &self.sense()));
        all
    }

    /// What the joints do at the present state: forces and servos, and the moment of all aids on every body.
    fn torques(&self, act: &Actuation) -> (Vec<f64>, Vec<DVec3>) {
        let mut joint = act.joint_force.clone();
        for body in self.model.bodies() {
            let q = body.coordinates();
            let error = match body.joint().kind {
                JointKind::Spherical => {
                    let target = DQuat::from_slice(&act.servo.target_q[q]);
                    rotation::log(self.state.rotation(body).conjugate() * target).to_array().to_vec()
                }
                JointKind::Free => vec![0.0; 6],
                _ => q.iter().map(|k| act.servo.target_q[k] - self.state.q[k]).collect(),
            };
            for (k, error) in body.freedoms().iter().zip(error) {
                let rate = act.servo.target_v[k] - self.state.v[k];
                joint[k] += act.servo.stiffness[k] * error + act.servo.damping[k] * rate;
            }
        }
        let mut aids: Vec<DVec3> = act.body_force.iter().map(|f| f.angular).collect();
        act.implicit.iter().for_each(|(b, f)| aids[b.index()] += f.at_rest.angular);
        (joint, aids)
    }

    fn close(&self, a: &Actuation, b: &Actuation) -> Result<(), TestCaseError> {
        let ((joint_a, aids_a), (joint_b, aids_b)) = (self.torques(a), self.torques(b));
        for (x, y) in joint_a.iter().zip(&joint_b) {
            prop_assert!((x - y).abs() < 1e-9 * (1.0 + x.abs()), "{x} {y}");
        }
        for (x, y) in aids_a.iter().zip(&aids_b) {
            prop_assert!((*x - *y).length() < 1e-12 * (1.0 + x.length()), "{x} {y}");
        }
        for (x, y) in a.servo.stiffness.iter().zip(&b.servo.stiffness) {
            prop_assert!((x - y).abs() < 1e-9, "{x} {y}");
        }
        Ok(())
    }
}

fn numbers() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(prop_oneof![4 => -1.0..1.0_f64, 1 => Just(0.0)], 23)
}

/// Says the same in every step.
#[derive(Clone)]
struct Says(Arc<Actuation>, &'static [&'static str]);

impl Controller for Says {
    fn name(&self) -> &'static str {
        "says"
    }

    fn act(&mut self, _sense: &Sense<'_>, out: &mut Actuation) {
        out.copy_from(&self.0);
    }

    fn commands(&self) -> &[&'static str] {
        self.1
    }

    fn command(&mut self, name: &str, _value: f64) -> Result<(), UnknownCommand> {
        if self.1.contains(&name) { Ok(()) } else { Err(self.unknown()) }
    }

    fn boxed_clone(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}

fn says(intent: &Actuation) -> Box<dyn Controller> {
    Box::new(Says(Arc::new(intent.clone()), &[]))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.min(48)))]

    #[test]
    fn intents_add_in_any_order_and_grouping(w in numbers(), a in numbers(), b in numbers(), c in numbers()) {
        let world = World::new(&w);
        let [a, b, c] = [a, b, c].map(|n| world.intent(&n, |_| true));
        let all = world.sum(&[&a, &b, &c]);
        world.close(&all, &world.sum(&[&c, &a, &b]))?;
        world.close(&all, &world.sum(&[&b, &a, &c]))?;
        let (ab, bc) = (world.sum(&[&a, &b]), world.sum(&[&b, &c]));
        world.close(&world.sum(&[&ab, &c]), &world.sum(&[&a, &bc]))?;
        // A sum is the sum: the torques of all servos together.
        let (joint, _) = world.torques(&all);
        let [ta, tb, tc] = [&a, &b, &c].map(|i| world.torques(i).0);
        for k in 0..joint.len() {
            prop_assert!((joint[k] - ta[k] - tb[k] - tc[k]).abs() < 1e-9 * (1.0 + joint[k].abs()));
        }
    }

    #[test]
    fn a_blend_is_the_mean_of_the_torques_and_at_its_ends_one_side(
        w in numbers(), a in numbers(), b in numbers(), share in 0.0..1.0_f64,
    ) {
        let world = World::new(&w);
        let [a, b] = [a, b].map(|n| world.intent(&n, |_| true));
        let mask = Mask { bodies: world.model.body_ids(), on: &[] };
        let blend = |w: f64| {
            let (mut below, mut above) = (a.clone(), b.clone());
            merge::blend(&mut below, &mut above, &world.sense(), mask, w);
            below
        };
        prop_assert_eq!(&blend(0.0), &a);
        let (whole, mut alone) = (blend(1.0), b.clone());
        // Where nothing pulls, a target says nothing.
        alone.servo.target_q.clone_from(&whole.servo.target_q);
        world.close(&whole, &b)?;
        prop_assert_eq!(&whole.implicit, &b.implicit);
        prop_assert_eq!(&whole.servo.stiffness, &b.servo.stiffness);
        let ((ta, aids_a), (tb, aids_b)) = (world.torques(&a), world.torques(&b));
        let (mixed, aids) = world.torques(&blend(share));
        for k in 0..mixed.len() {
            let mean = (1.0 - share) * ta[k] + share * tb[k];
            prop_assert!((mixed[k] - mean).abs() < 1e-9 * (1.0 + mean.abs()), "{} {mean}", mixed[k]);
        }
        for k in 0..aids.len() {
            prop_assert!((aids[k] - aids_a[k].lerp(aids_b[k], share)).length() < 1e-9);
        }
    }

    #[test]
    fn layers_on_bodies_that_are_apart_are_each_alone(w in numbers(), a in numbers(), b in numbers(), cut in 1..15_usize) {
        let world = World::new(&w);
        let n = world.model.n_bodies();
        let (low, high) = (world.intent(&a, |i| i < cut), world.intent(&b, |i| i >= cut));
        let below: Vec<bool> = (0..n).map(|i| i < cut).collect();
        let above: Vec<bool> = (0..n).map(|i| i >= cut).collect();
        // Whatever they say of bodies that are not theirs is not heard.
        let (loud_low, loud_high) = (world.intent(&a, |_| true), world.intent(&b, |_| true));
        let both = |first: Layer, second: Layer| {
            let mut out = Actuation::new(&world.model);
            Layers::new(vec![first, second]).act(&world.sense(), &mut out);
            out
        };
        let apart = world.sum(&[&low, &high]);
        for rule in [Rule::Add, Rule::Override] {
            let (l, h) = (Layer::new("l", says(&loud_low)), Layer::new("h", says(&loud_high)));
            let (l, h) = (l.by(rule).on(below.clone()), h.by(rule).on(above.clone()));
            prop_assert_eq!(&both(l.clone(), h.clone()), &apart);
            world.close(&both(h, l), &apart)?;
        }
    }

    #[test]
    fn an_upper_layer_that_overrides_is_all_there_is(w in numbers(), a in numbers(), b in numbers(), c in numbers()) {
        let world = World::new(&w);
        let [a, b, c] = [a, b, c].map(|n| world.intent(&n, |_| true));
        let mut out = Actuation::new(&world.model);
        let over = |name: &str, i: &Actuation| Layer::new(name, says(i)).by(Rule::Override);
        Layers::new(vec![Layer::new("a", says(&a)), over("b", &b), over("c", &c)]).act(&world.sense(), &mut out);
        world.close(&out, &c)?;
        prop_assert_eq!(out.implicit.len(), c.implicit.len());
    }
}

#[test]
fn one_layer_alone_is_its_controller_bit_for_bit() {
    let world = World::new(&[0.3, -0.2, 0.1]);
    let gains = Gains::Inertia { stiffness: 400.0, damping: 40.0 };
    let mut pose = Pose::new(&world.model, world.model.body_ids(), gains, &State::new(&world.model));
    let (mut alone, mut layered) = (Actuation::new(&world.model), Actuation::new(&world.model));
    pose.act(&world.sense(), &mut alone);
    Layers::new(vec![Layer::new("pose", Box::new(pose))]).act(&world.sense(), &mut layered);
    assert_eq!(alone, layered);
}

#[test]
fn a_cross_fade_goes_from_one_to_the_other_without_a_jump() {
    let world = World::new(&[0.3, -0.2, 0.1]);
    let [a, b] = [[0.5, -0.9, 0.2], [-0.7, 0.3, 0.8]].map(|n| world.intent(&n, |_| true));
    let (first, last) = (world.torques(&a).0, world.torques(&b).0);
    let mut fade = Layers::cross_fade(says(&a), says(&b), 0.25);
    let mut before = first.clone();
    let mut end = Vec::new();
    for _ in 0..40 {
        let mut out = Actuation::new(&world.model);
        fade.act(&world.sense(), &mut out);
        let now = world.torques(&out).0;
        for k in 0..now.len() {
            // The steepest of a smooth step over 30 steps is 1.5 of an even one.
            let most = 1.5 * (last[k] - first[k]).abs() / 30.0 + 1e-9;
            assert!((now[k] - before[k]).abs() <= most + 1e-6 * first[k].abs(), "{k}");
        }
        before.clone_from(&now);
        end = now;
    }
    for (x, y) in end.iter().zip(&last) {
        assert!((x - y).abs() < 1e-9 * (1.0 + y.abs()), "{x} {y}");
    }
}

#[test]
fn commands_go_to_layers_by_name_and_to_those_who_know_them() {
    let world = World::new(&[0.1]);
    let intent = Arc::new(world.intent(&[0.1], |_| true));
    let lower = Layer::new("legs", Box::new(Says(intent.clone(), &["squat"])));
    let upper = Layer::new("arms", Box::new(Says(intent, &["wave"]))).by(Rule::Override).fading(0.1);
    let mut layers = Layers::new(vec![lower, upper]);
    assert!(layers.command("squat", 1.0).is_ok() && layers.command("wave", 1.0).is_ok());
    let error = layers.command("sing", 1.0).expect_err("nobody sings");
    assert_eq!(error.to_string(), "expected one of: legs, arms, squat, wave");
    layers.command("arms", 0.0).expect("a layer's name");
    let mut shares = Vec::new();
    for _ in 0..14 {
        layers.act(&world.sense(), &mut Actuation::new(&world.model));
        shares.extend(layers.share("arms"));
    }
    assert!(shares.windows(2).all(|w| w[1] <= w[0]) && shares.last() == Some(&0.0), "{shares:?}");
}
