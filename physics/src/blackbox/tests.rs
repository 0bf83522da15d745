use glam::{DQuat, DVec3};

use super::*;
use crate::actuation::{Effort, Key, Motor, Pin, Release, Row, Term};
use crate::contact::Material;
use crate::figures;
use crate::model::shape::Shape;
use crate::model::{BodySpec, Joint, ShapeSpec};
use crate::spatial::{ArticulatedInertia, Force, Inertia, Transform};
use crate::step::Formulation;

fn ragdoll() -> Model {
    ragdoll_of(Material::default())
}

fn ragdoll_of(material: Material) -> Model {
    let mut builder = Model::builder().fixture(ShapeSpec::new(Shape::Plane));
    for part in &figures::humanoid37().parts {
        let mut spec = part.spec();
        spec.joint = spec.joint.with_damping(if part.parent.is_some() { 1.0 } else { 0.0 });
        spec.shapes.iter_mut().for_each(|shape| shape.material = material);
        builder.push(spec);
    }
    builder.build().unwrap()
}

/// A dump that went through its file.
fn through_text(dump: &Dump) -> Dump {
    let mut text = Vec::new();
    dump.write(&mut text).unwrap();
    Dump::read(&text[..]).unwrap()
}

#[test]
fn poisoned_input_is_named_and_the_last_good_state_kept() {
    let model = ragdoll();
    let (mut state, mut data) = (State::new(&model), Data::new(&model));
    let mut act = Actuation::new(&model);
    let mut black_box = BlackBox::new(&model, 8);
    let opt = StepOptions::default();
    let knee = model.find("lshank").unwrap();
    for k in 0..20 {
        let before = state.clone();
        observe(&model, &state, &mut data, &opt);
        if k == 15 {
            act.joint_force[model.body(knee).v_range().start] = f64::NAN;
        }
        let outcome = black_box.advance(&model, &mut state, &mut data, &act, &opt);
        if k < 15 {
            outcome.unwrap();
            continue;
        }
        let message = outcome.unwrap_err().to_string();
        for part in ["step 15", "articulation 'pelvis'", "joint force", "'lshank'"] {
            assert!(message.contains(part), "'{part}' in {message}");
        }
        assert_eq!(state, before);
        break;
    }
    assert_eq!(black_box.records().count(), 8);
    let replayed = through_text(&black_box.dump(&model)).replay(&model).unwrap();
    assert_eq!(replayed.len(), 8);
    assert!(replayed.iter().all(|r| r.same));
    assert!(replayed[7].outcome.is_err() && replayed[6].outcome.is_ok());
}

#[test]
fn a_poisoned_state_goes_back_to_the_last_good_one() {
    let model = ragdoll();
    let (mut state, mut data) = (State::new(&model), Data::new(&model));
    let act = Actuation::new(&model);
    let mut black_box = BlackBox::new(&model, 4);
    let opt = StepOptions::default();
    for _ in 0..3 {
        observe(&model, &state, &mut data, &opt);
        black_box.advance(&model, &mut state, &mut data, &act, &opt).unwrap();
    }
    state.v[7] = f64::INFINITY;
    observe(&model, &state, &mut data, &opt);
    let fault = black_box.advance(&model, &mut state, &mut data, &act, &opt).unwrap_err();
    assert!(fault.to_string().contains("torso"), "{fault}");
    assert!(state.is_finite() && Some(&state) == black_box.last_good());
}

/// Explicit servos far beyond what the step allows.
#[test]
fn an_explosion_is_caught_early_and_replays_to_the_same_bits() {
    let model = figures::chain(1).model();
    let (mut state, mut data) = (State::new(&model), Data::new(&model));
    let mut act = Actuation::new(&model);
    act.servo.stiffness.fill(3000.0);
    act.servo.target_q.fill(0.01);
    let mut black_box = BlackBox::new(&model, 16);
    let opt = StepOptions { substeps: 1, most_substeps: 0, ..StepOptions::at_rate(120.0) }
        .with(Formulation::Penalty);
    let fault = (0..200).find_map(|_| {
        observe(&model, &state, &mut data, &opt);
        black_box.advance(&model, &mut state, &mut data, &act, &opt).err()
    });
    let Some(fault @ Fault::EnergyJump { after, .. }) = &fault else { panic!("{fault:?}") };
    println!("{fault}");
    let message = fault.to_string();
    assert!(message.contains("articulation 'link0'") && message.contains("done by actuation"), "{message}");
    assert!(after.is_finite() && state.is_finite());
    let dump = through_text(&black_box.dump(&model));
    assert_eq!(dump.reason, message);
    let replayed = dump.replay(&model).unwrap();
    assert!(replayed.iter().all(|r| r.same), "{:?}", replayed.iter().map(|r| r.same).collect::<Vec<_>>());
}

/// Contacts have a memory; replaying from the middle of a run must not lose it.
#[test]
fn every_formulation_replays_its_contacts_to_the_same_bits() {
    // Soft enough for explicit springs on hands and feet.
    let soft = Material { stiffness: Some(5e3), damping: Some(20.0), ..Material::default() };
    let model = ragdoll_of(soft);
    for formulation in Formulation::ALL {
        let opt = StepOptions { sleep_after: Some(0.5), ..StepOptions::at_rate(240.0) }.with(formulation);
        let (mut state, mut data) = (State::new(&model), Data::new(&model));
        state.v[4] = 0.5;
        let mut act = Actuation::new(&model);
        act.joint_force[10] = 1.0;
        let mut black_box = BlackBox::new(&model, 10);
        for _ in 0..200 {
            observe(&model, &state, &mut data, &opt);
            black_box.advance(&model, &mut state, &mut data, &act, &opt).unwrap();
        }
        let dump = black_box.dump(&model);
        assert!(dump.records.iter().any(|r| !r.memory.touches.is_empty()), "{formulation:?}");
        let replayed = through_text(&dump).replay(&model).unwrap();
        assert!(replayed.iter().all(|r| r.same), "{formulation:?}");
    }
}

#[test]
fn bad_files_are_refused_with_the_line() {
    let model = ragdoll();
    let mut text = Vec::new();
    let (mut state, mut data) = (State::new(&model), Data::new(&model));
    let mut black_box = BlackBox::new(&model, 2);
    let opt = StepOptions::default();
    observe(&model, &state, &mut data, &opt);
    black_box.advance(&model, &mut state, &mut data, &Actuation::new(&model), &opt).unwrap();
    black_box.dump(&model).write(&mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let n = text.lines().count();
    for cut in 0..n {
        let short: String = text.lines().take(cut).map(|l| format!("{l}\n")).collect();
        let error = Dump::read(short.as_bytes()).unwrap_err();
        assert!(error.to_string().contains(&format!("line {}", cut + 1)), "{error}");
        let broken: String = text
            .lines()
            .enumerate()
            .map(|(k, l)| if k == cut { "nonsense\n".to_owned() } else { format!("{l}\n") })
            .collect();
        let error = Dump::read(broken.as_bytes()).unwrap_err();
        assert!(error.to_string().contains(&format!("line {}", cut + 1)), "{error}");
    }
    let other = figures::chain(3).model();
    let error = black_box.dump(&model).replay(&other).unwrap_err();
    assert!(error.to_string().contains("16 bodies"), "{error}");
}

/// Balls of 1 kg and 10 kg on a line, without gravity.
fn two_balls() -> Model {
    let ball = |name: &str, mass: f64, x: f64| {
        let place = Transform::from_translation(DVec3::X * x);
        let shape = ShapeSpec::new(Shape::Sphere { radius: 0.2 });
        BodySpec::root(name, Joint::free().placed(place), Inertia::solid_sphere(mass, 0.2)).with_shape(shape)
    };
    let builder = Model::builder().gravity(DVec3::ZERO);
    builder.body(ball("light", 1.0, 0.0)).body(ball("heavy", 10.0, -2.0)).build().unwrap()
}

/// Steps a model from rest; `meddle` may change state, actuation and what the box knows before each step.
fn run(
    model: &Model,
    steps: usize,
    mut meddle: impl FnMut(usize, &mut State, &mut Actuation, &mut BlackBox),
) -> (State, BlackBox, Option<Fault>) {
    let (mut state, mut data) = (State::new(model), Data::new(model));
    let (mut act, mut black_box) = (Actuation::new(model), BlackBox::new(model, 60));
    let opt = StepOptions::at_rate(120.0);
    for k in 0..steps {
        act.clear();
        meddle(k, &mut state, &mut act, &mut black_box);
        observe(model, &state, &mut data, &opt);
        if let Err(fault) = black_box.advance(model, &mut state, &mut data, &act, &opt) {
            return (state, black_box, Some(fault));
        }
    }
    (state, black_box, None)
}

#[test]
fn a_state_changed_between_steps_is_no_alarm_and_replays() {
    let model = two_balls();
    let (state, black_box, fault) = run(&model, 30, |k, state, _, _| {
        if k == 20 {
            state.v[2] = 500.0;
        }
    });
    assert_eq!(fault, None);
    assert_eq!(state.v[2], 500.0);
    let replayed = through_text(&black_box.dump(&model)).replay(&model).unwrap();
    assert!(replayed.len() == 30 && replayed.iter().all(|r| r.same));
}

/// A heavy ball at 50 m/s sends a light one away at about 90 m/s: 4 kJ that were the heavy one's.
#[test]
fn energy_that_another_body_lost_is_no_alarm() {
    let model = two_balls();
    let (state, _, fault) = run(&model, 60, |k, state, _, _| {
        if k == 20 {
            state.v[6] = 50.0;
        }
    });
    assert_eq!(fault, None);
    assert!(state.v[0] > 30.0, "{}", state.v[0]);
}

#[test]
fn a_push_is_an_alarm_only_where_nobody_owns_up_to_it() {
    let model = two_balls();
    let light = model.find("light").unwrap();
    let force = Force::new(DVec3::ZERO, DVec3::Y * 5000.0);
    let push = |owned: bool| {
        run(&model, 40, |k, _, act, black_box| {
            if (20..30).contains(&k) {
                act.body_force[light.index()] = force;
                if owned {
                    black_box
                        .outside(light, ImplicitForce { at_rest: force, gain: ArticulatedInertia::ZERO });
                }
            }
        })
    };
    let (state, _, fault) = push(true);
    assert_eq!(fault, None);
    assert!(state.v[1] > 400.0);
    let (_, _, fault) = push(false);
    let Some(Fault::EnergyJump { given, .. }) = fault else { panic!("{fault:?}") };
    assert_eq!(given, 0.0);
}

/// What is thrown may still go wrong of its own.
#[test]
fn a_throw_does_not_hide_what_happens_afterwards() {
    let model = two_balls();
    let light = model.find("light").unwrap();
    let (_, black_box, fault) = run(&model, 60, |k, state, act, _| {
        if k == 10 {
            state.v[2] = 30.0;
        }
        if k > 20 {
            act.body_force[light.index()] = Force::new(DVec3::ZERO, DVec3::Z * 2e5);
        }
    });
    let Some(Fault::EnergyJump { given, ref articulation, .. }) = fault else { panic!("{fault:?}") };
    assert_eq!(articulation, "light");
    assert!((given - 450.0).abs() < 1e-6, "{given}");
    assert!(fault.unwrap().to_string().contains("450 J of it from outside"));
    assert!(black_box.dump(&model).replay(&model).unwrap().iter().all(|r| r.same));
}

#[test]
fn names_with_blanks_and_line_breaks_come_back() {
    let names = [" a ", "b\nrecords 0", "c\u{2028}", "\t"];
    let mut builder = Model::builder();
    for name in names {
        builder.push(BodySpec::root(name, Joint::free(), Inertia::solid_sphere(1.0, 0.2)));
    }
    let model = builder.build().unwrap();
    let (_, black_box, fault) = run(&model, 3, |_, _, _, _| {});
    assert_eq!(fault, None);
    let replayed = through_text(&black_box.dump(&model)).replay(&model).unwrap();
    assert!(replayed.len() == 3 && replayed.iter().all(|r| r.same));
}

#[test]
fn a_run_goes_on_from_a_snapshot_bit_for_bit() {
    let mut builder = Model::builder().fixture(ShapeSpec::new(Shape::Plane));
    figures::humanoid37().parts.iter().for_each(|part| builder.push(part.spec()));
    let model = builder.build().unwrap();
    let options = StepOptions::at_rate(120.0);
    let act = Actuation::new(&model);
    let step = |state: &mut State, data: &mut Data| {
        observe(&model, state, data, &options);
        advance(&model, state, data, &act, &options).unwrap();
    };
    let (mut state, mut data) = (State::new(&model), Data::new(&model));
    state.q[2] = 1.0;
    (0..90).for_each(|_| step(&mut state, &mut data));
    let mut text = Vec::new();
    Snapshot::take(&model, &state, &data).write(&mut text).unwrap();
    (0..30).for_each(|_| step(&mut state, &mut data));

    let (mut other, mut desk) = (State::new(&model), Data::new(&model));
    Snapshot::read(&text[..]).unwrap().restore(&model, &mut other, &mut desk).unwrap();
    (0..30).for_each(|_| step(&mut other, &mut desk));
    assert_eq!(other, state);
}

#[test]
fn a_snapshot_of_another_model_or_a_torn_one_is_refused_and_changes_nothing() {
    let model = two_balls();
    let (mut state, mut data) = (State::new(&model), Data::new(&model));
    let mut text = Vec::new();
    Snapshot::take(&model, &state, &data).write(&mut text).unwrap();
    let torn = Snapshot::read(&text[..text.len() / 2]).unwrap_err();
    assert!(torn.to_string().starts_with("line "), "{torn}");

    let ball = BodySpec::root("heavy", Joint::free(), Inertia::solid_sphere(1.0, 0.2));
    let one = Model::builder().body(ball).build().unwrap();
    let snapshot = Snapshot::take(&one, &State::new(&one), &Data::new(&one));
    state.v[0] = 3.0;
    let before = state.clone();
    let error = snapshot.restore(&model, &mut state, &mut data).unwrap_err();
    assert!(error.to_string().contains("it had 1 bodies, this one has 2"), "{error}");
    assert_eq!(state, before);
}

/// Pins of all kinds, motors on one and on three freedoms, and a row with every kind of term, written in another order now and then.
fn everything(model: &Model, k: usize, act: &mut Actuation) {
    let body = |name: &str| model.find(name).unwrap();
    let first = |name: &str| model.body(body(name)).freedoms().at(0);
    let hold = Release { push_direction: DVec3::Z, tension: 20.0, friction: 0.7, force: 500.0 };
    let hand = Pin {
        release: hold,
        ..Pin::point_to_world(Key(7), body("lhand"), DVec3::Z * -0.05, DVec3::new(0.1, 0.3, 1.0))
    };
    let turned = DQuat::from_rotation_z(0.1);
    let head = Pin {
        release: Release { force: 60.0, ..Release::NEVER },
        ..Pin::weld_to_world(Key::of(3, 1), body("head"), DVec3::ZERO, DVec3::Z * 1.7, turned)
    };
    let knees =
        Pin::point_to_body(Key(u64::MAX), body("lshank"), DVec3::Y * -0.1, body("rshank"), DVec3::Y * 0.1);
    act.pins.extend([hand, knees]);
    if k.is_multiple_of(3) {
        act.pins.reverse();
    }
    if k > 40 {
        act.pins.push(head);
    }
    let between = Effort::Between { lower: DVec3::splat(1.5), upper: DVec3::splat(20.0) };
    act.motors.push(Motor::on_freedom(Key(1), first("rshank"), 0.5, between));
    let wave = DVec3::new(0.3, -0.2, 0.1 * (k as f64).sin());
    let swing = Motor::on_joint(Key(2), model, body("rthigh"), wave, Effort::Magnitude(12.0));
    act.motors.push(swing.with_compliance(1e-3));
    let terms = [
        Term::Point { body: body("lfoot"), point: DVec3::X * 0.1, other: None, direction: DVec3::X },
        Term::Point {
            body: body("rfoot"),
            point: DVec3::ZERO,
            other: Some((body("lfoot"), DVec3::Y * 0.01)),
            direction: DVec3::new(0.0, 0.6, 0.8),
        },
        Term::Spin { body: body("torso"), other: Some(body("head")), direction: DVec3::Y },
        Term::Freedom { freedom: first("lshank"), weight: -0.25 },
    ];
    act.rows.push(Row::new(Key(9), terms).towards(0.05).between(-30.0, f64::INFINITY).with_compliance(1e-4));
}

/// What a controller writes goes through the file unchanged, its memory too: replayed from the middle of a run every step
/// ends on the same bits.
#[test]
fn pins_motors_and_rows_come_back_and_replay_to_the_same_bits() {
    let soft = Material { stiffness: Some(5e3), damping: Some(20.0), ..Material::default() };
    let model = ragdoll_of(soft);
    for formulation in Formulation::ALL {
        let opt = StepOptions::at_rate(240.0).with(formulation);
        let (mut state, mut data) = (State::new(&model), Data::new(&model));
        let (mut act, mut black_box) = (Actuation::new(&model), BlackBox::new(&model, 20));
        for k in 0..60 {
            act.clear();
            everything(&model, k, &mut act);
            observe(&model, &state, &mut data, &opt);
            black_box.advance(&model, &mut state, &mut data, &act, &opt).unwrap();
        }
        let dump = black_box.dump(&model);
        let read = through_text(&dump);
        assert!(dump.records.len() == 20 && read.records.len() == 20);
        for (before, after) in dump.records.iter().zip(&read.records) {
            assert_eq!(before.act, after.act, "{formulation:?}");
            assert!(before.act.motors.len() == 2 && before.act.rows.len() == 1);
        }
        assert!(read.records.iter().any(|r| r.act.pins.len() == 3));
        let replayed = read.replay(&model).unwrap();
        assert!(replayed.iter().all(|r| r.same && r.outcome.is_ok()), "{formulation:?}");
    }
}
