//! Laws of composable controllers: whatever the pool and the state, one skill acts at most, none begins where its pre-conditions fail, none
//! claims what it has not brought about, and bids know neither place nor heading nor left from right.

use std::sync::Arc;

use proptest::prelude::*;
use stuntlab_control::kind::{Casting, Kind, Maker, Refusal, Stock};
use stuntlab_control::reference::Reference;
use stuntlab_control::settings::{Fields, parse};
use stuntlab_control::stunt::quantity::{Parity, QUANTITIES};
use stuntlab_control::stunt::skill::Bid;
use stuntlab_control::stunt::{
    self, Build, Learned, Skill, StuntOptions, Stuntperson, Supervisor, Terms, pool,
};
use stuntlab_control::{Controller, KINDS, Published, Readings, Sense, Senses, Together};
use stuntlab_mocap::Side;
use stuntlab_mocap::character::{Character, Part, Physique};
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::Transform;
use stuntlab_physics::{
    Actuation, Data, JointKind, Model, ShapeSpec, State, StepOptions, Tree, advance, observe,
};

/// A stuntperson over level ground.
struct Stage {
    figure: Arc<Character>,
    model: Model,
    tree: Tree,
    physique: Arc<Physique>,
}

impl Stage {
    fn new() -> Self {
        let figure = Arc::new(Character::stuntperson());
        let mut builder = Model::builder().fixture(ShapeSpec::new(Shape::Plane));
        figure.append_to(&mut builder, "it/", Transform::IDENTITY);
        let model = builder.build().expect("a figure on the ground");
        let tree = figure.find_in(&model, "it/").expect("it was appended");
        Self { physique: Arc::new(Physique::of(&figure)), figure, model, tree }
    }

    fn build(&self) -> Arc<Build> {
        Arc::new(
            Build::new(self.figure.clone(), self.figure.shared_model(), &self.physique).expect("two legs"),
        )
    }

    fn senses(&self) -> Senses {
        Senses::new(&self.model, self.tree.bodies, self.physique.clone())
    }

    /// With what a scene says.
    fn stuntperson(&self, text: &str, state: &State) -> Box<dyn Controller> {
        let maker = read(text);
        let reference = || -> Box<dyn Reference> { unreachable!("it has no motion") };
        let casting = Casting {
            name: "it",
            seed: 1,
            model: &self.model,
            state,
            bodies: self.tree.bodies,
            own: self.figure.shared_model(),
            figure: Some(self.figure.clone()),
            physique: self.physique.clone(),
            reference: &reference,
            cast: &[],
        };
        maker.make(&casting).expect("a stuntperson")
    }

    /// With a pool in this order.
    fn pool(&self, names: &[&str]) -> Stuntperson {
        let build = self.build();
        let skills = names.iter().map(|name| {
            let row = &pool::SKILLS[pool::find(name).expect("a skill")];
            let table = row.table.map(|text| stunt::keys::Table::parse(name, text).expect("its own"));
            let fall = stuntlab_control::round_trip::fall::Fall::Reach;
            let making = pool::Making { build: build.clone(), physique: &self.physique, table, fall };
            (row.make)((row.terms)(), &making).expect("it fits")
        });
        Stuntperson::new(build.clone(), Supervisor::new(skills.collect(), 0.15, true), options(), 1)
    }

    /// Bids and quantities of a state.
    fn bids(&self, state: &State, stuntperson: &mut Stuntperson) -> (Vec<(&'static str, Bid)>, Vec<f64>) {
        let (mut data, mut senses) = (Data::new(&self.model), self.senses());
        observe(&self.model, state, &mut data, &StepOptions::default());
        senses.look(&self.model, state, &data);
        let sense = Sense::new(&self.model, state, &data, 1.0 / 120.0, &senses);
        let bids = stuntperson.bids_for(&sense);
        (bids, stuntperson.facts().values.to_vec())
    }

    /// A state by chance: somewhere between standing and lying, moving.
    fn state(&self, turn: [f64; 3], height: f64, ways: &[f64]) -> State {
        let mut state = State::new(&self.model);
        let n = self.model.n_v();
        let ways: Vec<f64> =
            (0..n).map(|k| if k < 6 { 0.0 } else { ways[k % ways.len()] * (1.0 + k as f64).sin() }).collect();
        state.integrate(&self.model, &ways, 0.5);
        let root = &self.model.bodies()[0];
        state.set_rotation(root, DQuat::from_scaled_axis(DVec3::from_array(turn)));
        state.q[root.coordinates()][2] = height;
        for (k, v) in state.v.iter_mut().enumerate() {
            *v = 0.3 * ways[(k + 5) % n] + if k < 6 { 0.1 } else { 0.0 };
        }
        state
    }

    /// Somewhere else, facing another way.
    fn elsewhere(&self, state: &State, shift: [f64; 2], heading: f64) -> State {
        let mut other = state.clone();
        let root = &self.model.bodies()[0];
        let turn = DQuat::from_rotation_z(heading);
        other.set_rotation(root, turn * state.rotation(root));
        let q = &state.q[root.coordinates()];
        let place = turn * DVec3::new(q[0], q[1], q[2]) + DVec3::new(shift[0], shift[1], 0.0);
        other.q[root.coordinates()][..3].copy_from_slice(&place.to_array());
        other
    }

    /// The mirror image in the plane of x and z.
    fn mirrored(&self, state: &State) -> State {
        let parts = self.figure.parts();
        let partner = |k: usize| {
            let wanted = other_side(parts[k]);
            parts.iter().position(|p| *p == wanted).expect("both sides are there")
        };
        let mut image = State { time: state.time, ..State::new(&self.model) };
        for (k, body) in self.model.bodies().iter().enumerate() {
            let other = &self.model.bodies()[partner(k)];
            let (from, to) = (&state.v[body.freedoms()], other.freedoms());
            match body.joint().kind {
                JointKind::Free => {
                    let q = &state.q[body.coordinates()];
                    let r = state.rotation(body);
                    image.q[other.coordinates()][..3].copy_from_slice(&[q[0], -q[1], q[2]]);
                    image.set_rotation(other, DQuat::from_xyzw(-r.x, r.y, -r.z, r.w));
                    image.v[to].copy_from_slice(&[from[0], -from[1], from[2], -from[3], from[4], -from[5]]);
                }
                JointKind::Spherical => {
                    let r = state.rotation(body);
                    image.set_rotation(other, DQuat::from_xyzw(-r.x, r.y, -r.z, r.w));
                    image.v[to].copy_from_slice(&[-from[0], from[1], -from[2]]);
                }
                // Named angles: the same on the other side.
                _ => {
                    let values = state.q[body.coordinates()].to_vec();
                    image.q[other.coordinates()].copy_from_slice(&values);
                    image.v[to].copy_from_slice(from);
                }
            }
        }
        image
    }
}

fn other_side(part: Part) -> Part {
    let flip = |side| if side == Side::Left { Side::Right } else { Side::Left };
    match part {
        Part::UpperArm(s) => Part::UpperArm(flip(s)),
        Part::Forearm(s) => Part::Forearm(flip(s)),
        Part::Hand(s) => Part::Hand(flip(s)),
        Part::Thigh(s) => Part::Thigh(flip(s)),
        Part::Shank(s) => Part::Shank(flip(s)),
        Part::Foot(s) => Part::Foot(flip(s)),
        middle => middle,
    }
}

fn options() -> StuntOptions {
    StuntOptions { tick: 0.015, fade: 0.0, shake: stunt::Shake::default() }
}

fn read(text: &str) -> Arc<dyn Maker> {
    let root = parse("a stuntperson", text).expect("TOML");
    let fields = Fields::new("a stuntperson", "", &root).expect("a table");
    (stunt::KIND.read)(&fields, &Stock::standard()).expect("settings")
}

const NAMES: [&str; 7] =
    ["balance", "bend", "crouch-to-stand", "default", "fall", "prone-to-stand", "roll-over"];

fn scores(bids: &[(&'static str, Bid)]) -> Vec<(&'static str, u8)> {
    bids.iter().map(|(name, bid)| (*name, bid.score)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.min(48)))]

    #[test]
    fn bids_know_neither_place_nor_heading_nor_the_pool_s_order(
        turn in prop::array::uniform3(-2.0..2.0_f64), height in 0.1..1.2_f64,
        ways in prop::collection::vec(-0.6..0.6_f64, 31),
        shift in prop::array::uniform2(-9.0..9.0_f64), heading in -3.0..3.0_f64, cut in 0_usize..7,
    ) {
        let stage = Stage::new();
        let state = stage.state(turn, height, &ways);
        let (bids, facts) = stage.bids(&state, &mut stage.pool(&NAMES));
        let mut order = NAMES;
        order.rotate_left(cut);
        order.reverse();
        let (others, elsewhere) = stage.bids(&stage.elsewhere(&state, shift, heading), &mut stage.pool(&order));
        for ((a, b), quantity) in facts.iter().zip(&elsewhere).zip(QUANTITIES) {
            prop_assert!((a - b).abs() < 1e-6 || a.is_nan() && b.is_nan(), "{}: {a} and {b}", quantity.name);
        }
        prop_assert_eq!(scores(&bids), scores(&others));
    }

    #[test]
    fn mirrored_states_get_mirrored_bids(
        turn in prop::array::uniform3(-2.0..2.0_f64), height in 0.1..1.2_f64,
        ways in prop::collection::vec(-0.6..0.6_f64, 31),
    ) {
        let stage = Stage::new();
        let state = stage.state(turn, height, &ways);
        let mut stuntperson = stage.pool(&NAMES);
        let (bids, facts) = stage.bids(&state, &mut stuntperson);
        let (others, image) = stage.bids(&stage.mirrored(&state), &mut stuntperson);
        for ((a, b), quantity) in facts.iter().zip(&image).zip(QUANTITIES) {
            let b = if quantity.parity == Parity::Odd { -b } else { *b };
            prop_assert!((a - b).abs() < 1e-6 || a.is_nan() && b.is_nan(), "{}: {a} and {b}", quantity.name);
        }
        prop_assert_eq!(scores(&bids), scores(&others));
    }
}

/// Runs a stuntperson and looks at it after every step.
fn run(
    stage: &Stage,
    controller: &mut dyn Controller,
    seconds: f64,
    push: DVec3,
    mut look: impl FnMut(&dyn Controller, f64),
) {
    let options = StepOptions::at_rate(120.0);
    let mut state = State::new(&stage.model);
    let start = read("").start(Some(&stage.figure)).expect("it starts").expect("somewhere");
    state.q[stage.tree.coordinates].copy_from_slice(&start);
    let (mut data, mut act, mut senses) =
        (Data::new(&stage.model), Actuation::new(&stage.model), stage.senses());
    while state.time < seconds {
        observe(&stage.model, &state, &mut data, &options);
        senses.look(&stage.model, &state, &data);
        act.clear();
        if (0.5..0.6).contains(&state.time) {
            act.body_force[0].linear += push / 0.1;
        }
        controller.act(&Sense::new(&stage.model, &state, &data, options.dt, &senses), &mut act);
        look(controller, state.time);
        advance(&stage.model, &mut state, &mut data, &act, &options).expect("a step");
    }
}

/// One whose choices are looked at.
struct Spy(Stuntperson);

impl Spy {
    fn entries(&self) -> Vec<&'static str> {
        self.0.supervisor().entries().iter().map(|e| e.chosen).collect()
    }
}

#[test]
fn none_begins_where_its_pre_conditions_fail_and_none_claims_what_is_not() {
    let stage = Stage::new();
    for push in [DVec3::new(-120.0, 20.0, 0.0), DVec3::new(100.0, 0.0, 0.0), DVec3::new(0.0, 90.0, 0.0)] {
        let mut spy = Spy(stage.pool(&NAMES));
        let terms: Vec<Terms> = spy.0.supervisor().skills().iter().map(|s| s.terms().clone()).collect();
        let of = |name: &str| terms.iter().find(|t| t.name == name).expect("in the pool");
        let (mut seen, mut before) = (0, "");
        let options = StepOptions::at_rate(120.0);
        let mut state = State::new(&stage.model);
        let start = read("").start(Some(&stage.figure)).expect("it starts").expect("somewhere");
        state.q[stage.tree.coordinates].copy_from_slice(&start);
        let (mut data, mut act, mut senses) =
            (Data::new(&stage.model), Actuation::new(&stage.model), stage.senses());
        while state.time < 6.0 {
            observe(&stage.model, &state, &mut data, &options);
            senses.look(&stage.model, &state, &data);
            act.clear();
            if (0.5..0.6).contains(&state.time) {
                act.body_force[0].linear += push / 0.1;
            }
            spy.0.act(&Sense::new(&stage.model, &state, &data, options.dt, &senses), &mut act);
            let entries = spy.0.supervisor().entries();
            for entry in &entries[seen..] {
                let facts = spy.0.facts();
                assert!(of(entry.chosen).before.hold(facts), "{} at {}", entry.chosen, entry.time);
                if entry.why.ends_with("has succeeded") {
                    assert!(of(before).after.hold(facts), "{before} at {}", entry.time);
                }
                let best = entry.bids.iter().map(|b| b.1).max();
                assert_eq!(entry.bids.iter().find(|b| b.0 == entry.chosen).map(|b| b.1), best);
                before = entry.chosen;
            }
            seen = entries.len();
            advance(&stage.model, &mut state, &mut data, &act, &options).expect("a step");
        }
        let went: Vec<&str> = spy.entries();
        assert!(seen >= 3, "it stood, fell and rested: {went:?}");
        assert_eq!(went[..2], ["balance", "fall"], "{went:?}");
    }
}

/// Writes a number of its own, and counts.
#[derive(Clone)]
struct Marker {
    terms: Terms,
    number: f64,
}

impl Skill for Marker {
    fn terms(&self) -> &Terms {
        &self.terms
    }

    fn terms_mut(&mut self) -> &mut Terms {
        &mut self.terms
    }

    fn begin(&mut self, _sense: &Sense<'_>) {}

    fn act(&mut self, _sense: &Sense<'_>, out: &mut Actuation) {
        out.joint_force[6] += self.number;
    }

    fn boxed_clone(&self) -> Box<dyn Skill> {
        Box::new(self.clone())
    }
}

/// Says yes or no.
#[derive(Debug)]
struct Says(f64);

impl Learned for Says {
    fn decide(&self, features: &[f64]) -> f64 {
        assert!(features.iter().all(|x| x.is_finite()));
        // Those of `learned::features`: 71 of a stuntperson, whose head, hands and neck are not read.
        assert_eq!(features.len(), 71);
        self.0
    }
}

fn marker(name: &'static str, weight: u8, number: f64, after: &[&str]) -> Marker {
    let after = stunt::relation::Conditions::parse(after).expect("relations");
    Marker { terms: Terms { after, ..Terms::new(name, weight) }, number }
}

#[test]
fn one_acts_at_most_and_commands_are_heard() {
    let stage = Stage::new();
    let shy = Marker { terms: Terms { voluntary: true, ..Terms::new("shy", 1) }, number: 4.0 };
    let skills: Vec<Box<dyn Skill>> = vec![
        Box::new(marker("late", 5, 1.0, &["skill-time > 0.3"])),
        Box::new(marker("early", 5, 2.0, &["skill-time > 0.3"])),
        Box::new(shy),
    ];
    let mut stuntperson = Stuntperson::new(stage.build(), Supervisor::new(skills, 0.15, true), options(), 1);
    let mut said = Vec::new();
    let mut state = State::new(&stage.model);
    let (mut data, mut senses) = (Data::new(&stage.model), stage.senses());
    for step in 0..120 {
        state.time = f64::from(step) / 120.0;
        observe(&stage.model, &state, &mut data, &StepOptions::default());
        senses.look(&stage.model, &state, &data);
        let mut act = Actuation::new(&stage.model);
        if step == 60 {
            stuntperson.command("shy", 1.0).expect("a skill");
        }
        stuntperson.act(&Sense::new(&stage.model, &state, &data, 1.0 / 120.0, &senses), &mut act);
        said.push(act.joint_force[6]);
    }
    // Equal bids: the first by name, and it goes on after it has succeeded; then the one that was asked.
    // It feels the ground first.
    assert!(said[14..60].iter().all(|x| *x == 2.0), "{said:?}");
    assert!(said[64..].iter().all(|x| *x == 4.0), "{said:?}");
    assert!(stuntperson.command("sing", 1.0).is_err());
}

#[test]
fn what_was_learned_is_asked_after_the_analytic_conditions() {
    let stage = Stage::new();
    let state = State::new(&stage.model);
    for (sure, wanted) in [(0.5, 5), (-0.5, 0), (f64::NAN, 0)] {
        let mut skill = marker("only", 5, 1.0, &[]);
        skill.terms.learned = Some(Arc::new(Says(sure)));
        let supervisor = Supervisor::new(vec![Box::new(skill)], 0.15, true);
        let mut stuntperson = Stuntperson::new(stage.build(), supervisor, options(), 1);
        assert_eq!(stage.bids(&state, &mut stuntperson).0[0].1.score, wanted, "{sure}");
    }
    let mut skill = marker("never", 5, 1.0, &[]);
    skill.terms.before = stunt::relation::Conditions::parse(&["com-speed > 9.0"]).expect("a relation");
    skill.terms.learned = Some(Arc::new(Says(1.0)));
    let mut stuntperson =
        Stuntperson::new(stage.build(), Supervisor::new(vec![Box::new(skill)], 0.15, true), options(), 1);
    assert_eq!(stage.bids(&state, &mut stuntperson).0[0].1.score, 0);
}

#[test]
fn skills_follow_each_other_without_help_from_outside() {
    let stage = Stage::new();
    let mut state = State::new(&stage.model);
    let start = read("").start(Some(&stage.figure)).expect("it starts").expect("somewhere");
    state.q[stage.tree.coordinates].copy_from_slice(&start);
    let mut controller = stage.stuntperson("pool = [\"balance\", \"fall\", \"default\"]", &state);
    let mut changes = 0.0;
    run(&stage, controller.as_mut(), 3.0, DVec3::new(-120.0, 0.0, 0.0), |controller, _| {
        changes = controller.readings().get("skill-changes").expect("it says so");
        assert_eq!(controller.readings().get("cheat"), Some(0.0));
    });
    assert!(changes >= 2.0, "{changes}");
}

#[test]
fn what_is_commanded_goes_over_without_a_jump() {
    let stage = Stage::new();
    let shy = Marker { terms: Terms { voluntary: true, ..Terms::new("shy", 1) }, number: 4.0 };
    let skills: Vec<Box<dyn Skill>> = vec![Box::new(marker("usual", 5, 1.0, &[])), Box::new(shy)];
    let fading = StuntOptions { fade: 0.1, ..options() };
    let mut stuntperson = Stuntperson::new(stage.build(), Supervisor::new(skills, 0.15, true), fading, 1);
    let mut said = Vec::new();
    let mut state = State::new(&stage.model);
    let (mut data, mut senses) = (Data::new(&stage.model), stage.senses());
    for step in 0..120 {
        state.time = f64::from(step) / 120.0;
        observe(&stage.model, &state, &mut data, &StepOptions::default());
        senses.look(&stage.model, &state, &data);
        let mut act = Actuation::new(&stage.model);
        if step == 60 {
            stuntperson.command("shy", 1.0).expect("a skill");
        }
        stuntperson.act(&Sense::new(&stage.model, &state, &data, 1.0 / 120.0, &senses), &mut act);
        said.push(act.joint_force[6]);
    }
    // From 1 to 4 in twelve steps, smoothly: no step by more than an eighth of the way and a half.
    let steepest = said.windows(2).map(|w| (w[1] - w[0]).abs()).fold(0.0, f64::max);
    assert!(said[119] == 4.0 && steepest < 3.0 * 1.5 / 8.0, "{steepest}: {said:?}");
}

/// A kind from outside: it pushes on one joint, counts its steps and says when it is begun and left.
#[derive(Clone, Debug)]
struct Outsider {
    number: f64,
    said: [f64; 2],
}

const COUNTED: [Published; 2] = [
    Published { name: "outside-steps", unit: "", help: "Steps", together: Together::Most },
    Published { name: "outside-left", unit: "", help: "Times it was left", together: Together::Most },
];

const OUTSIDER: Kind = Kind {
    name: "outsider",
    help: "From outside",
    keys: &[],
    commands: &["louder"],
    readings: &COUNTED,
    read: |fields, _| {
        Ok(Arc::new(Outsider { number: fields.number("number")?.unwrap_or(1.0), said: [0.0; 2] }))
    },
};

impl Maker for Outsider {
    fn make(&self, _casting: &Casting<'_>) -> Result<Box<dyn Controller>, Refusal> {
        Ok(Box::new(self.clone()))
    }
}

impl Controller for Outsider {
    fn name(&self) -> &'static str {
        OUTSIDER.name
    }

    fn act(&mut self, _sense: &Sense<'_>, out: &mut Actuation) {
        self.said[0] += 1.0;
        out.joint_force[6] += self.number;
    }

    fn leave(&mut self) {
        self.said[1] += 1.0;
    }

    fn commands(&self) -> &[&'static str] {
        OUTSIDER.commands
    }

    fn command(&mut self, name: &str, value: f64) -> Result<(), stuntlab_control::UnknownCommand> {
        if name != OUTSIDER.commands[0] {
            return Err(self.unknown());
        }
        self.number = value;
        Ok(())
    }

    fn readings(&self) -> Readings<'_> {
        Readings::new(&COUNTED, &self.said)
    }

    fn boxed_clone(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }
}

/// A row from outside.
const SINGS: pool::Row = pool::Row {
    name: "sings",
    help: "From outside",
    bid: pool::bid("bid-sings"),
    planar: false,
    terms: || Terms::new("sings", 2),
    table: None,
    make: |terms, _| Ok(Box::new(Marker { terms, number: 7.0 })),
};

/// What a scene makes of kinds and rows from outside.
fn read_outside(text: &str) -> Result<Arc<dyn Maker>, stuntlab_control::settings::SettingError> {
    let kinds: Vec<Kind> = KINDS.iter().copied().chain([OUTSIDER]).collect();
    let rows: Vec<pool::Row> = pool::SKILLS.iter().copied().chain([SINGS]).collect();
    let root = parse("t.toml", text)?;
    let fields = Fields::new("t.toml", "", &root)?;
    let maker = (stunt::KIND.read)(&fields, &Stock { kinds: &kinds, skills: &rows })?;
    fields.finish()?;
    Ok(maker)
}

impl Stage {
    /// Calls something with a casting.
    fn cast<T>(&self, then: impl FnOnce(&Casting<'_>) -> T) -> T {
        let held = State::new(self.figure.model()).q;
        let reference =
            || -> Box<dyn Reference> { Box::new(stuntlab_control::reference::HeldPose::new(held.clone())) };
        let state = State::new(&self.model);
        then(&Casting {
            name: "it",
            seed: 1,
            model: &self.model,
            state: &state,
            bodies: self.tree.bodies,
            own: self.figure.shared_model(),
            figure: Some(self.figure.clone()),
            physique: self.physique.clone(),
            reference: &reference,
            cast: &[],
        })
    }
}

/// Two skills of one controller from outside, with a row from outside and those of the pool, in any order.
const OUTSIDE: &str = r#"
fade = 0.0
[[skill]]
name = "quiet"
controller = { kind = "outsider", number = 2.0 }
weight = 4
before = ["pelvis-rise > 0.4"]
[[skill]]
name = "asked"
controller = { kind = "outsider", number = 3.0 }
voluntary = true
weight = 3
"#;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.min(24)))]

    #[test]
    fn skills_from_outside_obey_the_laws_of_all_others(
        turn in prop::array::uniform3(-2.0..2.0_f64), height in 0.1..1.2_f64,
        ways in prop::collection::vec(-0.6..0.6_f64, 31), cut in 0_usize..5, asked in any::<bool>(),
    ) {
        let stage = Stage::new();
        let state = stage.state(turn, height, &ways);
        let mut names = ["quiet", "asked", "sings", "default", "fall"];
        let mut said = Vec::new();
        for _ in 0..2 {
            let pool: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
            let text = format!("pool = [{}]\n{OUTSIDE}", pool.join(", "));
            let mut it = stage.cast(|casting| read_outside(&text).expect("it reads").make(casting)).expect("it fits");
            let (mut data, mut senses) = (Data::new(&stage.model), stage.senses());
            let mut acted = Vec::new();
            for step in 0..60 {
                let now = State { time: f64::from(step) / 120.0, ..state.clone() };
                observe(&stage.model, &now, &mut data, &StepOptions::default());
                senses.look(&stage.model, &now, &data);
                if asked && step == 40 {
                    it.command("asked", 1.0).expect("a skill");
                }
                let mut act = Actuation::new(&stage.model);
                it.act(&Sense::new(&stage.model, &now, &data, 1.0 / 120.0, &senses), &mut act);
                acted.push(act.joint_force[6]);
            }
            for entry in it.chronicle() {
                // None begins where its pre-conditions fail: it would have bid nothing.
                let bid = entry.bids.iter().find(|b| b.0 == entry.chosen).map_or(0, |b| b.1);
                prop_assert!(bid > 0, "{} at {}", entry.chosen, entry.time);
                let rise = it.readings().get("pelvis-rise").unwrap_or(f64::NAN);
                prop_assert!(entry.chosen != "quiet" || rise > 0.4, "{rise}");
            }
            // One at most acts: what is said is what one of them says.
            let last = it.chronicle().last().expect("somebody acts");
            let wanted = match last.chosen { "quiet" => Some(2.0), "asked" => Some(3.0), "sings" => Some(7.0), _ => None };
            prop_assert!(wanted.is_none_or(|w| acted[59] == w), "{} says {}", last.chosen, acted[59]);
            said.push((it.chronicle().iter().map(|e| e.chosen).collect::<Vec<_>>(), acted));
            names.rotate_left(cut);
            names.reverse();
        }
        prop_assert_eq!(&said[0], &said[1]);
    }
}

#[test]
fn controllers_of_skills_are_told_read_and_left() {
    let stage = Stage::new();
    let text = format!("pool = [\"quiet\", \"asked\"]\n{OUTSIDE}");
    let mut it = stage.cast(|casting| read_outside(&text).expect("it reads").make(casting)).expect("it fits");
    let mut state = State::new(&stage.model);
    state.q[2] = 1.0;
    let (mut data, mut senses) = (Data::new(&stage.model), stage.senses());
    assert_eq!(it.orders(), ["asked"]);
    for step in 0..60 {
        state.time = f64::from(step) / 120.0;
        observe(&stage.model, &state, &mut data, &StepOptions::default());
        senses.look(&stage.model, &state, &data);
        if step == 30 {
            it.command("asked", 1.0).expect("a skill");
            it.command("louder", 9.0).expect("a command of a skill's controller");
        }
        let mut act = Actuation::new(&stage.model);
        it.act(&Sense::new(&stage.model, &state, &data, 1.0 / 120.0, &senses), &mut act);
        if step == 59 {
            assert_eq!(act.joint_force[6], 9.0);
        }
    }
    assert_eq!(it.readings().get("bid-asked"), Some(3.0));
    assert!(it.readings().get("outside-steps").is_some_and(|steps| steps > 20.0));
    let error = it.command("sing", 1.0).expect_err("nobody knows it").to_string();
    assert!(error.contains("asked") && error.contains("louder"), "{error}");
}

#[test]
fn what_is_wrong_with_a_skill_of_a_scene_names_line_and_key() {
    let wrong = [
        (
            "[[skill]]\nname = \"balance\"\ncontroller = { kind = \"pose\" }",
            "t.toml:2: skill[0].name: is \"balance\", expected a name that no skill",
        ),
        ("[[skill]]\nname = \"a\"", "t.toml:1: skill[0].controller: missing, expected a table with a kind"),
        ("[[skill]]\nname = \"a\"\ncontroller = { kind = \"sing\" }", "is \"sing\", expected one of:"),
        (
            "[[skill]]\nname = \"a\"\ncontroller = { kind = \"pose\" }\nweight = 11",
            "expected a whole number from 1 to 10",
        ),
        (
            "[[skill]]\nname = \"a\"\ncontroller = { kind = \"pose\" }\nbefore = [\"spede > 1\"]",
            "t.toml:4: skill[0].before: is \"spede > 1\", expected a relation",
        ),
        (
            "[[skill]]\nname = \"a\"\ncontroller = { kind = \"pose\" }\nmotion = { clip = \"swim\" }",
            "t.toml:4: skill[0].motion.clip",
        ),
        (
            "[[skill]]\nname = \"a\"\ncontroller = { kind = \"pose\" }\nsung = 1",
            "t.toml:4: skill[0].sung: unknown key",
        ),
        ("pool = [\"sing\"]", "expected skills: balance, bend"),
    ];
    for (text, expected) in wrong {
        let error = read_outside(text).expect_err(text).to_string();
        assert!(error.contains(expected), "{error}");
    }
    // What only the figure tells is told with the skill's name.
    let stage = Stage::new();
    let text = "[[skill]]\nname = \"a\"\ncontroller = { kind = \"pose\" }\nprogress = \"songs\"";
    let maker = read_outside(text).expect("it reads");
    let refusal = stage.cast(|casting| maker.make(casting).map(|_| ())).expect_err("pose has no songs");
    assert_eq!(refusal.line, 1);
    assert!(
        refusal.to_string().contains("skill \"a\": progress: is \"songs\", expected a reading"),
        "{refusal}"
    );
}
