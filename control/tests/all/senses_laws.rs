//! Laws of the senses: sums against finite differences and the whole model's, the pendulum, support and pressure of a foot in closed
//! form.

use std::sync::{Arc, LazyLock};

use proptest::prelude::*;
use stuntlab_control::{Controller, Gains, Pose, Sense, Senses};
use stuntlab_mocap::Side;
use stuntlab_mocap::character::{Bone, Character, CharacterOptions, Physique};
use stuntlab_mocap::library;
use stuntlab_physics::dynamics::centroidal_momentum;
use stuntlab_physics::glam::{DQuat, DVec2, DVec3};
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::{Inertia, rotation};
use stuntlab_physics::{
    Actuation, BodySpec, Data, Joint, JointKind, Model, ShapeSpec, State, StepOptions, advance, figures,
    observe,
};

static FIGURE: LazyLock<Arc<Character>> = LazyLock::new(|| {
    let built = Character::build(&library::skeleton(), &CharacterOptions::default());
    Arc::new(built.expect("the library skeleton is a body").0)
});

fn senses() -> Senses {
    let model = FIGURE.model();
    Senses::new(model, model.body_ids(), Physique::of(&FIGURE).into())
}

fn look(senses: &mut Senses, model: &Model, state: &State) -> Data {
    let mut data = Data::new(model);
    observe(model, state, &mut data, &StepOptions::default());
    senses.look(model, state, &data);
    data
}

/// A pose and rates of the library's figure, whatever its limits.
fn state() -> impl Strategy<Value = State> {
    let n = FIGURE.model().n_v();
    let numbers = prop::collection::vec(-2.0..2.0_f64, n);
    (numbers.clone(), numbers).prop_map(|(way, v)| {
        let model = FIGURE.model();
        let mut state = State::new(model);
        state.integrate(model, &way, 0.5);
        state.v.copy_from_slice(&v);
        state
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.min(64)))]

    #[test]
    fn velocity_is_how_the_centre_of_mass_moves(state in state()) {
        let (model, mut senses) = (FIGURE.model(), senses());
        let step = 1e-5;
        let mut at = |time: f64| {
            let mut moved = state.clone();
            moved.integrate(model, &state.v, time);
            look(&mut senses, model, &moved);
            (senses.center_of_mass(), senses.velocity())
        };
        let (before, after, now) = (at(-step).0, at(step).0, at(0.0));
        let moved = (after - before) / (2.0 * step);
        // What is left is the third derivative times the step squared, and rounding over the step.
        prop_assert!((moved - now.1).length() < 1e-6, "{moved} and {}", now.1);
    }

    #[test]
    fn momentum_is_that_of_the_whole_model(state in state()) {
        let (model, mut senses) = (FIGURE.model(), senses());
        let data = look(&mut senses, model, &state);
        let (own, whole) = (senses.momentum(model, &data), centroidal_momentum(model, &data));
        prop_assert!((own.linear - whole.linear).length() < 1e-9 * (1.0 + whole.linear.length()));
        prop_assert!((own.angular - whole.angular).length() < 1e-9 * (1.0 + whole.angular.length()));
        prop_assert!((own.linear - senses.velocity() * senses.mass()).length() < 1e-9);
    }

    #[test]
    fn looking_twice_changes_nothing(state in state()) {
        let (model, mut senses) = (FIGURE.model(), senses());
        look(&mut senses, model, &state);
        let once = format!("{senses:?}");
        look(&mut senses, model, &state);
        prop_assert_eq!(once, format!("{senses:?}"));
    }

    /// Away from its foot the capture point of a pendulum of constant height goes with `e^(ω t)` however it sways: `ξ - p` times
    /// `e^(-ω t)` is conserved. The centre of mass has both signs in the exponent and keeps nothing of the kind.
    #[test]
    fn the_capture_point_of_a_pendulum_runs_away_at_its_own_rate(
        place in -0.2..0.2_f64, speed in -0.5..0.5_f64, height in 0.5..1.5_f64, time in 0.0..0.6_f64,
    ) {
        let body = BodySpec::root("bob", Joint::free(), Inertia::solid_box(80.0, DVec3::splat(0.1)));
        let model = Model::builder().body(body).build().expect("a body");
        let mut senses = Senses::new(&model, model.body_ids(), Physique::by_name(&model).into());
        let rate = (9.81 / height).sqrt();
        let mut captured = |t: f64| {
            let (cosh, sinh) = ((rate * t).cosh(), (rate * t).sinh());
            let mut state = State::new(&model);
            state.q[0] = place * cosh + speed / rate * sinh;
            state.q[2] = height;
            state.v[0] = place * rate * sinh + speed * cosh;
            look(&mut senses, &model, &state);
            (senses.capture_point().x, senses.pendulum_rate())
        };
        let ((start, known), (later, _)) = (captured(0.0), captured(time));
        prop_assert!((known - (model.gravity().length() / height).sqrt()).abs() < 1e-12);
        prop_assert!((later * (-rate * time).exp() - start).abs() < 2e-3 * (1e-3 + start.abs()), "{start} {later}");
    }
}

/// A box that is a left foot, on the ground.
struct Foot {
    model: Model,
    state: State,
    data: Data,
    senses: Senses,
}

const HALF: DVec3 = DVec3::new(0.13, 0.05, 0.1);
const MASS: f64 = 40.0;

impl Foot {
    fn new() -> Self {
        let shape = ShapeSpec::new(Shape::cuboid(HALF).expect("a sound box"));
        let body = BodySpec::root("lfoot", Joint::free(), Inertia::solid_box(MASS, HALF)).with_shape(shape);
        let model =
            Model::builder().fixture(ShapeSpec::new(Shape::Plane)).body(body).build().expect("a foot");
        let mut state = State::new(&model);
        state.q[2] = HALF.z;
        let senses = Senses::new(&model, model.body_ids(), Physique::by_name(&model).into());
        Self { data: Data::new(&model), model, state, senses }
    }

    fn run(&mut self, seconds: f64, push: DVec3) {
        let options = StepOptions::at_rate(240.0);
        let mut act = Actuation::new(&self.model);
        act.body_force[0].linear = push;
        for _ in 0..(seconds * 240.0).round() as usize {
            observe(&self.model, &self.state, &mut self.data, &options);
            self.senses.look(&self.model, &self.state, &self.data);
            advance(&self.model, &mut self.state, &mut self.data, &act, &options).expect("a sound step");
        }
        observe(&self.model, &self.state, &mut self.data, &options);
        self.senses.look(&self.model, &self.state, &self.data);
    }
}

#[test]
fn a_foot_bears_its_weight_over_its_sole_and_pressure_moves_as_it_is_pushed() {
    let mut foot = Foot::new();
    foot.run(1.0, DVec3::ZERO);
    let weight = MASS * foot.model.gravity().length();
    assert!(
        (foot.senses.load(Side::Left) - weight).abs() < 1e-3 * weight,
        "{}",
        foot.senses.load(Side::Left)
    );
    assert_eq!(foot.senses.load(Side::Right), 0.0);
    assert!(foot.senses.stands_on_something() && foot.senses.blows() == DVec3::ZERO);
    // The sole is the lower face, and the centre of mass is above its middle.
    assert_eq!(foot.senses.support().corners().len(), 4);
    let margin = foot.senses.margin().expect("it stands");
    assert!((margin - HALF.y).abs() < 1e-3, "{margin}");
    let pressure = foot.senses.center_of_pressure().expect("it stands");
    assert!(pressure.truncate().distance(DVec2::ZERO) < 1e-3, "{pressure}");
    // A push at the height of the centre: the ground answers `F h / N` ahead of it.
    let push = DVec3::new(100.0, 0.0, 0.0);
    foot.run(1.0, push);
    let pressure = foot.senses.center_of_pressure().expect("it stands");
    let ahead = pressure.x - foot.senses.center_of_mass().x;
    assert!((ahead - push.x * HALF.z / weight).abs() < 1e-3, "{ahead}");
    // No contact tells of the push; the momentum does.
    assert!(foot.senses.outside().distance(push) < 1e-6 * weight, "{}", foot.senses.outside());
    assert_eq!(foot.senses.blows(), DVec3::ZERO);
    assert!((foot.senses.height() - HALF.z).abs() < 1e-3 && foot.senses.pelvis_height() > 0.0);
}

#[test]
fn support_outlasts_a_flicker_and_not_a_flight_in_which_all_that_is_felt_is_gravity() {
    let mut foot = Foot::new();
    foot.run(0.5, DVec3::ZERO);
    foot.state.v[2] = 2.0;
    foot.data.memory.clear(&foot.model);
    foot.run(0.02, DVec3::ZERO);
    // Single contact points would be gone by now.
    assert!(foot.senses.support().corners().len() == 4 && !foot.senses.is_touching());
    foot.run(0.18, DVec3::ZERO);
    assert_eq!(foot.senses.margin(), None);
    assert_eq!(foot.senses.center_of_pressure(), None);
    let error = foot.senses.acceleration() - foot.model.gravity();
    assert!(error.length() < 0.02, "{error}");
}

#[test]
fn a_trunk_that_lies_on_its_back_faces_up() {
    let (model, mut senses) = (FIGURE.model(), senses());
    let mut state = State::new(model);
    look(&mut senses, model, &state);
    assert!(senses.trunk_up().distance(DVec3::Z) < 1e-9 && senses.trunk_front().distance(DVec3::X) < 1e-9);
    assert!((senses.pelvis_height() - FIGURE.root_height()).abs() < 0.01);
    assert!(senses.head_height().is_some_and(|h| h > 1.2));
    let back: DQuat = rotation::exp(DVec3::Y * -std::f64::consts::FRAC_PI_2);
    state.set_rotation(&model.bodies()[0], back);
    look(&mut senses, model, &state);
    assert!(senses.trunk_front().distance(DVec3::Z) < 1e-9, "{}", senses.trunk_front());
}

/// Mass of the bodies at and below `body`, and the moment of their weight about its origin.
fn carried(model: &Model, data: &Data, body: usize) -> (f64, DVec3) {
    let mut below = vec![false; model.n_bodies()];
    let (mut mass, mut moment) = (0.0, DVec3::ZERO);
    let origin = data.position.world_from_body[body].translation;
    for i in body..model.n_bodies() {
        let parent = model.bodies()[i].parent();
        below[i] = i == body || parent.is_some_and(|p| below[p.index()]);
        if below[i] {
            let inertia = model.bodies()[i].inertia();
            let center = data.position.world_from_body[i].transform_point(inertia.center_of_mass);
            mass += inertia.mass;
            moment += (center - origin).cross(model.gravity() * inertia.mass);
        }
    }
    (mass, moment)
}

#[test]
fn joints_at_rest_bear_the_weight_below_them() {
    // A chain held out sideways by servos: whatever hangs on a joint is held by it, in closed form.
    let model = figures::chain(4).model();
    let options = StepOptions::default();
    let mut state = State::new(&model);
    state.q.iter_mut().enumerate().for_each(|(k, q)| *q = [0.6, -0.3, 0.5, 0.2][k % 4]);
    let gains = Gains::Inertia { stiffness: 10_000.0, damping: 200.0 };
    let mut pose = Pose::new(&model, model.body_ids(), gains, &state);
    let mut senses = Senses::new(&model, model.body_ids(), Physique::by_name(&model).into());
    let (mut data, mut act) = (Data::new(&model), Actuation::new(&model));
    for _ in 0..600 {
        observe(&model, &state, &mut data, &options);
        senses.look(&model, &state, &data);
        act.clear();
        pose.act(&Sense::new(&model, &state, &data, options.dt, &senses), &mut act);
        advance(&model, &mut state, &mut data, &act, &options).expect("a quiet chain");
    }
    observe(&model, &state, &mut data, &options);
    senses.look(&model, &state, &data);
    let joints = senses.joints();
    for body in 0..4 {
        let (mass, moment) = carried(&model, &data, body);
        let bone = Bone::new(body);
        let (reaction, weight) = (joints.reaction(bone), mass * model.gravity().length());
        assert!((reaction.linear + model.gravity() * mass).length() < 1e-6 * weight, "{reaction:?}");
        assert!(
            (reaction.angular + moment).length() < 1e-6 * (1.0 + moment.length()),
            "{reaction:?} {moment}"
        );
        // A hinge gives what of the moment is about its axis.
        let freedom = joints.freedoms(bone).at(0);
        let JointKind::Revolute { axis } = model.bodies()[body].joint().kind else {
            panic!("a chain of hinges")
        };
        let about = data.position.world_from_body[body].rotation * axis;
        assert!((joints.torques()[freedom] + moment.dot(about)).abs() < 1e-6 * (1.0 + moment.length()));
        assert_eq!(joints.along()[freedom], joints.torques()[freedom]);
        assert_eq!(joints.stops()[freedom], 0.0);
        assert!(joints.torque_limits()[freedom].is_infinite() && joints.exertion(bone) == 0.0);
    }
}

#[test]
fn torque_limits_and_joint_limits_are_those_of_the_model() {
    let senses = senses();
    let joints = senses.joints();
    for (i, body) in FIGURE.model().bodies().iter().enumerate() {
        let (bone, n) = (Bone::new(i), body.joint().kind.n_v());
        assert_eq!(joints.torque_limits()[joints.freedoms(bone)], body.joint().effort_limit[..n]);
        assert_eq!(joints.limits(bone), Some(&body.joint().limits));
    }
    assert!(joints.freedoms(Bone::new(1000)).is_empty());
}
