//! Laws of pose graphs: every kind of event leads on, targets never jump, mirrored states are mirror images, TOML reads back as it was
//! written, and errors say where.

use std::sync::{Arc, LazyLock};

use proptest::prelude::*;
use stuntlab_control::pose_graph::{Event, Exit, Graph, Level, PoseGraph, Stance};
use stuntlab_control::{Controller, Gains, Sense, Senses};
use stuntlab_mocap::character::{Character, CharacterOptions, Physique};
use stuntlab_mocap::library;
use stuntlab_physics::dynamics::forward_kinematics;
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::rotation;
use stuntlab_physics::{
    Actuation, Data, JointKind, Model, ModelBuilder, ShapeSpec, State, StepOptions, advance, figures, observe,
};

const GAINS: Gains = Gains::Inertia { stiffness: 900.0, damping: 60.0 };

static LIBRARY: LazyLock<Arc<Character>> = LazyLock::new(|| {
    let built = Character::build(&library::skeleton(), &CharacterOptions::default());
    Arc::new(built.expect("the library skeleton is a body").0)
});

/// A figure above level ground, driven by a graph.
struct Stage {
    model: Model,
    state: State,
    data: Data,
    act: Actuation,
    senses: Senses,
    graph: PoseGraph,
    options: StepOptions,
}

impl Stage {
    /// The library's figure, its soles `drop` metres above the ground.
    fn new(graph: &Graph, drop: f64) -> Self {
        let figure = LIBRARY.model();
        let mut builder = ModelBuilder::new().gravity(DVec3::new(0.0, 0.0, -9.81));
        builder.append("", figure, stuntlab_physics::spatial::Transform::IDENTITY);
        builder.push_fixture(ShapeSpec::new(Shape::Plane));
        let model = builder.build().expect("a figure on a plane");
        let physique = Arc::new(Physique::of(&LIBRARY));
        let mut senses = Senses::new(&model, model.body_ids(), physique.clone());
        let mut state = State::new(&model);
        let mut data = Data::new(&model);
        let options = StepOptions::default();
        observe(&model, &state, &mut data, &options);
        let low = physique
            .soles()
            .iter()
            .map(|s| data.position.world_from_body[s.bone].transform_point(s.point_body).z);
        state.q[2] += drop - low.fold(f64::INFINITY, f64::min);
        observe(&model, &state, &mut data, &options);
        senses.look(&model, &state, &data);
        let graph = PoseGraph::new(figure, &physique, graph, GAINS, &State::new(figure).q).expect("it fits");
        Self { act: Actuation::new(&model), model, state, data, senses, graph, options }
    }

    fn step(&mut self) {
        self.act.clear();
        let sense = Sense::new(&self.model, &self.state, &self.data, self.options.dt, &self.senses);
        self.graph.act(&sense, &mut self.act);
        advance(&self.model, &mut self.state, &mut self.data, &self.act, &self.options)
            .expect("a sound step");
        observe(&self.model, &self.state, &mut self.data, &self.options);
        self.senses.look(&self.model, &self.state, &self.data);
    }

    /// Time at which it gets into a state, s; none within two seconds.
    fn reaches(&mut self, state: &str) -> Option<f64> {
        for _ in 0..240 {
            self.step();
            if self.graph.state() == state {
                return Some(self.state.time);
            }
        }
        None
    }
}

fn exit(to: &str, after: f64, when: Event) -> Exit {
    Exit { to: to.to_owned(), after, when }
}

/// A graph that leaves its first state by one event.
fn one_way(event: Event, after: f64) -> Graph {
    Graph { states: vec![Stance::new("a").leaving(exit("b", after, event)), Stance::new("b")] }
}

#[test]
fn time_leads_on_when_it_is_due() {
    let at = Stage::new(&one_way(Event::Time, 0.25), 0.05).reaches("b").expect("time passes");
    assert!((at - 0.25).abs() < 0.02, "{at}");
}

#[test]
fn a_touch_leads_on_when_the_foot_lands_and_not_before() {
    let drop = 0.05_f64;
    let fall = (2.0 * drop / 9.81).sqrt();
    let foot = LIBRARY.parts().iter().position(|p| format!("{p:?}") == "Foot(Left)").expect("a foot");
    let foot = LIBRARY.model().bodies()[foot].name().to_owned();
    let at = Stage::new(&one_way(Event::Touch(foot.clone()), 0.0), drop).reaches("b").expect("it lands");
    assert!((fall - 0.02..fall + 0.1).contains(&at), "{at} {fall}");
    // In the air nothing is touched from the start; on the ground nothing is lifted.
    let at =
        Stage::new(&one_way(Event::Lift(foot.clone()), 0.0), drop).reaches("b").expect("it is in the air");
    assert!(at < 0.02, "{at}");
    let late = Stage::new(&one_way(Event::Lift(foot), 0.3), 0.001).reaches("b");
    assert!(late.is_none_or(|at| at > 0.3), "{late:?}");
}

#[test]
fn levels_lead_on_when_they_pass_their_marks() {
    let below = |level, mark| Event::Below(level, mark);
    let above = |level, mark| Event::Above(level, mark);
    // It stands for a while after it landed: margins are there, and positive.
    assert!(Stage::new(&one_way(above(Level::Margin, 0.0), 0.0), 0.01).reaches("b").is_some());
    assert!(Stage::new(&one_way(above(Level::CaptureMargin, 0.0), 0.0), 0.01).reaches("b").is_some());
    assert!(Stage::new(&one_way(below(Level::Margin, -5.0), 0.0), 0.01).reaches("b").is_none());
    assert!(Stage::new(&one_way(above(Level::PelvisHeight, 0.5), 0.0), 0.01).reaches("b").is_some());
    assert!(Stage::new(&one_way(above(Level::Lean, 120.0), 0.0), 0.01).reaches("b").is_none());
    // A knee that is told to bend passes 30° on its way to 60°.
    let knee = LIBRARY.model().bodies().iter().find(|b| matches!(b.joint().kind, JointKind::Revolute { .. }));
    let knee = knee.expect("a hinge").name().to_owned();
    let angle = Level::Angle { part: knee.clone(), freedom: 0 };
    let mut graph = one_way(above(angle, 30.0), 0.0);
    graph.states[0] = graph.states[0].clone().posed(knee, [60.0]);
    let mut stage = Stage::new(&graph, 0.3);
    assert!(stage.reaches("b").is_some_and(|at| at > 0.02));
}

#[test]
fn commands_go_to_states_and_readings_say_where_it_is() {
    let mut stage = Stage::new(&one_way(Event::Time, 10.0), 0.05);
    stage.step();
    let reading = |stage: &Stage, name: &str| stage.graph.readings().get(name);
    assert_eq!((reading(&stage, "state"), reading(&stage, "transitions")), (Some(0.0), Some(0.0)));
    let error = stage.graph.command("c", 1.0).expect_err("no such state");
    assert_eq!(error.to_string(), "expected one of: strength, a, b");
    stage.graph.command("b", 1.0).expect("a state");
    stage.step();
    assert_eq!((stage.graph.state(), reading(&stage, "state")), ("b", Some(1.0)));
}

/// Every joint of a model, within reach: states that pose all of them.
fn posed(model: &Model, name: &str, numbers: &[f64]) -> Stance {
    let mut stance = Stance::new(name);
    for (k, body) in model.bodies().iter().enumerate() {
        let n = body.joint().kind.n_v();
        if body.parent().is_some() && n > 0 {
            let degrees: Vec<f64> = (0..n).map(|i| 40.0 * numbers[(3 * k + i) % numbers.len()]).collect();
            stance = stance.posed(body.name(), degrees);
        }
    }
    stance
}

fn numbers() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-1.0..1.0_f64, 31)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.min(24)))]

    #[test]
    fn targets_and_gains_never_jump(a in numbers(), b in numbers(), blend in 0.05..0.4_f64, cut in 0.01..0.3_f64) {
        let model = LIBRARY.model();
        let mut graph = Graph::default();
        graph.states.push(Stance { stiffness: 0.5, ..posed(model, "a", &a) }.blending(blend).lasting(cut, "b"));
        graph.states.push(Stance { stiffness: 1.5, ..posed(model, "b", &b) }.blending(blend).lasting(cut, "a"));
        let physique = Physique::of(&LIBRARY);
        let rest = State::new(model);
        let mut controller = PoseGraph::new(model, &physique, &graph, GAINS, &rest.q).expect("it fits");
        let (mut data, mut state) = (Data::new(model), rest.clone());
        observe(model, &state, &mut data, &StepOptions::default());
        let mut senses = Senses::new(model, model.body_ids(), physique.into());
        let dt = 1.0 / 240.0;
        // All poses are within 40° per axis: the way between two is at most 140°, a smooth step 1.5 times as steep as an even one.
        let most = 1.5 * 140_f64.to_radians() * dt / blend + 1e-9;
        let mut before: Option<Actuation> = None;
        for _ in 0..200 {
            senses.look(model, &state, &data);
            let mut act = Actuation::new(model);
            controller.act(&Sense::new(model, &state, &data, dt, &senses), &mut act);
            if let Some(before) = &before {
                for body in model.bodies().iter().filter(|b| b.parent().is_some()) {
                    let q = body.coordinates();
                    let (old, new) = (&before.servo.target_q[q], &act.servo.target_q[q]);
                    let way = match body.joint().kind {
                        JointKind::Spherical => {
                            rotation::log(DQuat::from_slice(old).conjugate() * DQuat::from_slice(new)).length()
                        }
                        _ => old.iter().zip(new).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max),
                    };
                    prop_assert!(way <= most, "{} {way} {most}", body.name());
                    for k in body.freedoms() {
                        let (old, new) = (before.servo.stiffness[k], act.servo.stiffness[k]);
                        prop_assert!((old - new).abs() <= 1.5 * old.max(new) * 2.0 * dt / blend + 1e-9);
                    }
                }
            }
            before = Some(act);
            state.time += dt;
        }
    }

    #[test]
    fn a_mirrored_state_is_the_mirror_image(a in numbers()) {
        let pictured = figures::humanoid37().model();
        let figures = [
            (LIBRARY.model().clone(), Physique::of(&LIBRARY)),
            (pictured.clone(), Physique::by_name(&pictured)),
        ];
        for (model, physique) in figures {
            let mut graph = Graph::default();
            graph.states.push(posed(&model, "left", &a));
            graph.states.push(Stance::mirror_of("right", "left"));
            let rest = State::new(&model);
            let made = PoseGraph::new(&model, &physique, &graph, GAINS, &rest.q).expect("it fits");
            let poses = ["left", "right"].map(|name| {
                let mut data = Data::new(&model);
                forward_kinematics(&model, &made.pose_of(name, &model, &rest).expect("a state"), &mut data);
                data.position.world_from_body
            });
            let side = |p: DVec3| DVec3::new(p.x, -p.y, p.z);
            for (i, left) in poses[0].iter().enumerate() {
                // Some body of the other pose is where this one's image is.
                let image = side(left.translation - poses[0][0].translation);
                let near = poses[1].iter().map(|p| (p.translation - poses[1][0].translation - image).length());
                let nearest = near.fold(f64::INFINITY, f64::min);
                prop_assert!(nearest < 1e-9, "{} {nearest}", model.bodies()[i].name());
            }
        }
    }

    #[test]
    fn toml_reads_back_as_it_was_written(graph in graphs()) {
        let text = graph.to_toml();
        let mut again = Graph::parse("graph.toml", &text).map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
        again.states.iter_mut().for_each(|s| s.line = 0);
        prop_assert_eq!(again, graph);
    }
}

fn events() -> impl Strategy<Value = Event> {
    let level = prop_oneof![
        Just(Level::Margin),
        Just(Level::CaptureMargin),
        Just(Level::PelvisHeight),
        Just(Level::Lean),
        (0..3_usize).prop_map(|freedom| Level::Angle { part: "lshank".to_owned(), freedom }),
    ];
    prop_oneof![
        Just(Event::Time),
        Just(Event::Touch("lfoot".to_owned())),
        Just(Event::Lift("r \"foot\"\\".to_owned())),
        (level.clone(), -1e3..1e3).prop_map(|(l, m)| Event::Above(l, m)),
        (level, -1e-3..1e-3).prop_map(|(l, m)| Event::Below(l, m)),
    ]
}

/// Parts with numbers.
type Parts = Vec<(String, Vec<f64>)>;
/// What a state is drawn from: poses, stiffness, blend, ways out, whose image it is.
type Genes = (Parts, Parts, f64, f64, Vec<(usize, f64, Event)>, Option<usize>);

fn graphs() -> impl Strategy<Value = Graph> {
    let parts = prop::collection::vec(("[a-z]{1,6}", prop::collection::vec(-180.0..180.0_f64, 1..4)), 0..4);
    let exits = prop::collection::vec((0..5_usize, 0.0..3.0_f64, events()), 0..3);
    let state =
        (parts.clone(), parts, 0.0..3.0_f64, 0.0..2.0_f64, exits, prop::option::weighted(0.2, 0..5_usize));
    prop::collection::vec(state, 1..5).prop_map(|states| {
        let name = |k: usize| format!("state {k}");
        let distinct = |parts: Parts| {
            let mut kept: Parts = Vec::new();
            for part in parts {
                if kept.iter().all(|k| k.0 != part.0) {
                    kept.push(part);
                }
            }
            kept
        };
        let stance = |(k, (pose, world, stiffness, blend, exits, mirror)): (usize, Genes)| {
            if let Some(other) = mirror {
                return Stance::mirror_of(name(k), name(other));
            }
            let gains = distinct(world.clone()).into_iter().map(|(part, d)| (part, d[0].abs())).collect();
            Stance {
                pose: distinct(pose),
                world: distinct(world),
                stiffness,
                gains,
                exits: exits
                    .into_iter()
                    .map(|(to, after, when)| Exit { to: name(to), after, when })
                    .collect(),
                ..Stance::new(name(k)).blending(blend)
            }
        };
        Graph { states: states.into_iter().enumerate().map(stance).collect() }
    })
}

#[test]
fn errors_say_file_line_and_state() {
    let cases = [
        ("", "g.toml:1: state: missing, expected states written as [[state]]"),
        ("[[state]]\npose_deg = {}", "g.toml:1: state[0].name: missing, expected a text in quotes"),
        (
            "[[state]]\nname = \"a\"\n\n[[state]]\nname = \"a\"",
            "g.toml:5: state[1].name: \"a\" is defined twice, expected another name",
        ),
        (
            "[[state]]\nname = \"a\"\nblend = -1",
            "g.toml:3: state[0].blend: is -1, expected 0 or more (state \"a\")",
        ),
        (
            "[[state]]\nname = \"a\"\nexit = [{ to = \"b\" }]",
            "g.toml:3: state[0].exit[0].after: missing, expected seconds, or an event: touch, lift or level (state \"a\")",
        ),
        (
            "[[state]]\nname = \"a\"\nmirror = \"b\"\nblend = 1",
            "g.toml:4: state[0].blend: unknown key, expected one of: name, mirror (state \"a\")",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(Graph::parse("g.toml", text).expect_err(text).to_string(), expected);
    }
    let made = |graph: &Graph| {
        let rest = State::new(LIBRARY.model());
        PoseGraph::new(LIBRARY.model(), &Physique::of(&LIBRARY), graph, GAINS, &rest.q).map(|_| ())
    };
    let stray = Graph::parse("g.toml", "[[state]]\nname = \"a\"\npose_deg = { tail = 3 }").expect("it reads");
    let refusal = made(&stray).expect_err("no tail");
    assert!(
        refusal.problem.contains("no part \"tail\"") && refusal.problem.contains("(state \"a\")"),
        "{refusal}"
    );
    assert_eq!(refusal.line, 1);
    let lost = Graph { states: vec![Stance::new("a").lasting(1.0, "b")] };
    assert!(made(&lost).expect_err("no b").problem.starts_with("is \"b\", expected a state: a"));
    assert!(made(&Graph::default()).is_err());
}
