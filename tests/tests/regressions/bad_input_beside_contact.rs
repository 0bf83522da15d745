//! One bad pin used to take every contact away without a word, and whatever rested on the floor fell through. Pass mark: input
//! that makes no sense is refused by the name of what is wrong, the state stays bit for bit as it was, and in the steps between,
//! with the same data, a body rests on the floor as if nothing had happened.

use stuntlab_physics::actuation::{Effort, Key, Motor, Pin, Release, Row, Term};
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::spatial::{ArticulatedInertia, Force, Inertia, Sym3};
use stuntlab_physics::{
    BodyId, BodySpec, Freedom, Freedoms, ImplicitForce, Joint, StepOptions, advance, observe,
};
use stuntlab_tests::world::{World, block, ground, loose};

/// A block on the floor with a flap on a hinge, and a ball joint on that.
fn resting() -> World {
    let lump = Inertia::solid_sphere(0.2, 0.05);
    let model = ground()
        .body(loose("block", block(DVec3::splat(0.1)), 1.0, DVec3::Z * 0.1))
        .body(BodySpec::child("flap", "block", Joint::revolute(DVec3::Y).at(DVec3::Z * 0.15), lump))
        .body(BodySpec::child("knob", "flap", Joint::spherical().at(DVec3::Z * 0.1), lump))
        .build()
        .expect("valid");
    let mut world = World::new(model, StepOptions::default());
    world.act.servo.stiffness[6..].fill(50.0);
    world.act.servo.damping[6..].fill(1.0);
    world.run(1.0);
    world
}

type Spoil = Box<dyn Fn(&mut World, BodyId)>;

fn spoiled(names: &'static str, spoil: impl Fn(&mut World, BodyId) + 'static) -> (&'static str, Spoil) {
    (names, Box::new(spoil))
}

fn motor(freedom: usize, velocity: f64, lower: f64, upper: f64, compliance: f64) -> Motor {
    let effort = Effort::Between { lower: DVec3::splat(lower), upper: DVec3::splat(upper) };
    Motor::on_freedom(Key(0), Freedom::new(freedom), velocity, effort).with_compliance(compliance)
}

fn shorten<T>(list: &mut Vec<T>) {
    list.truncate(list.len() - 1);
}

/// What makes no sense, and what the refusal must name.
fn all() -> Vec<(&'static str, Spoil)> {
    let none = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    let mut list = vec![
        spoiled("pin of body 'flap'", |w, b| {
            w.act.pins.push(Pin::point_to_world(Key(0), b, DVec3::NAN, DVec3::ZERO));
        }),
        spoiled("pin of body 'flap'", |w, b| {
            w.act.pins.push(Pin::point_to_world(Key(0), b, DVec3::ZERO, DVec3::INFINITY));
        }),
        spoiled("pin of body 'flap'", |w, b| {
            w.act.pins.push(Pin::point_to_body(Key(0), b, DVec3::ZERO, b, DVec3::X));
        }),
        spoiled("pin of body 'flap'", move |w, b| {
            w.act.pins.push(Pin::weld_to_world(Key(0), b, DVec3::ZERO, DVec3::ZERO, none));
        }),
        spoiled("pin of body 'flap'", |w, b| {
            let pin = Pin::point_to_world(Key(0), b, DVec3::ZERO, DVec3::ZERO);
            w.act.pins.push(Pin { correction: f64::NAN, ..pin });
        }),
        spoiled("servo stiffness of body 'flap'", |w, _| w.act.servo.stiffness[6] = -1e4),
        spoiled("servo damping of body 'knob'", |w, _| w.act.servo.damping[8] = -1.0),
        spoiled("servo stiffness of body 'flap'", |w, _| w.act.servo.stiffness[6] = f64::NAN),
        spoiled("servo target of body 'knob'", |w, _| w.act.servo.target_q[9] = f64::INFINITY),
        spoiled("joint force of body 'knob'", |w, _| w.act.joint_force[7] = f64::NAN),
        spoiled("external force of body 'flap'", |w, b| {
            w.act.body_force[b.index()] = Force::new(DVec3::ZERO, DVec3::NAN);
        }),
        spoiled("implicit force of body 'flap'", |w, b| {
            let gain = ArticulatedInertia::rotational(Sym3::diagonal(-1e6, -1e6, -1e6));
            w.act.implicit.push((b, ImplicitForce { at_rest: Force::ZERO, gain }));
        }),
        spoiled("position of body 'block'", |w, _| w.state.q[3..7].fill(0.0)),
        spoiled("position of body 'knob'", |w, _| w.state.q[8..12].fill(0.0)),
        spoiled("position of body 'block'", |w, _| w.state.q[3..7].iter_mut().for_each(|x| *x *= 1000.0)),
        spoiled("velocity of body 'block'", |w, _| w.state.v[1] = f64::NAN),
        spoiled("joint forces", |w, _| shorten(&mut w.act.joint_force)),
        spoiled("servo stiffnesses", |w, _| w.act.servo.stiffness.push(0.0)),
        spoiled("servo dampings", |w, _| w.act.servo.damping.clear()),
        spoiled("servo target positions", |w, _| shorten(&mut w.act.servo.target_q)),
        spoiled("servo target velocities", |w, _| w.act.servo.target_v.push(0.0)),
        spoiled("forces on bodies", |w, _| shorten(&mut w.act.body_force)),
        spoiled("marks of prescribed joints", |w, _| shorten(&mut w.act.prescribed)),
        spoiled("prescribed velocities", |w, _| shorten(&mut w.act.prescribed_velocity)),
        spoiled("prescribed velocity of body 'flap'", |w, _| w.act.prescribed_velocity[6] = f64::NAN),
        spoiled("positions of the state", |w, _| shorten(&mut w.state.q)),
        spoiled("velocities of the state", |w, _| w.state.v.push(0.0)),
        spoiled("step length", |w, _| w.options.dt = -1.0),
        spoiled("step length", |w, _| w.options.dt = f64::NAN),
    ];
    for bad in [
        motor(6, 1.0, 5.0, -5.0, 0.0),
        motor(6, 1.0, f64::NAN, 5.0, 0.0),
        motor(6, f64::INFINITY, -5.0, 5.0, 0.0),
        motor(6, 1.0, -5.0, 5.0, -1e3),
        motor(99, 1.0, -5.0, 5.0, 0.0),
    ] {
        list.push(spoiled("motor of body", move |w, _| w.act.motors.push(bad)));
    }
    let ball = Motor { freedoms: Freedoms::new(7..10), ..motor(7, 1.0, -5.0, 5.0, 0.0) };
    for bad in [
        Motor { freedoms: Freedoms::new(7..7), ..ball },
        Motor { freedoms: Freedoms::new(7..11), ..ball },
        Motor { freedoms: Freedoms::new(6..9), ..ball },
        Motor { freedoms: Freedoms::new(2..5), ..ball },
        Motor { freedoms: Freedoms::new(u32::MAX as usize - 3..u32::MAX as usize), ..ball },
        Motor { effort: Effort::Magnitude(-1.0), ..ball },
        Motor { effort: Effort::Magnitude(f64::NAN), ..ball },
        Motor { velocity: DVec3::new(0.0, 0.0, f64::NAN), ..ball },
        Motor { compliance: f64::NAN, ..ball },
    ] {
        list.push(spoiled("motor of body", move |w, _| w.act.motors.push(bad)));
    }
    list.push(spoiled("pin of body 'flap'", |w, b| {
        let release = Release { tension: -1.0, ..Release::NEVER };
        w.act.pins.push(Pin { release, ..Pin::point_to_world(Key(0), b, DVec3::ZERO, DVec3::ZERO) });
    }));
    list.push(spoiled("pin of body 'flap'", |w, b| {
        let release = Release { push_direction: DVec3::Z * f64::INFINITY, ..Release::NEVER };
        w.act.pins.push(Pin { release, ..Pin::point_to_world(Key(0), b, DVec3::ZERO, DVec3::ZERO) });
    }));
    list.push(spoiled("two pins have the key 7", |w, b| {
        w.act.pins.extend([Pin::point_to_world(Key(7), b, DVec3::ZERO, DVec3::ZERO); 2]);
    }));
    list.push(spoiled("two motors have the key 0", |w, _| {
        w.act.motors.extend([motor(6, 1.0, -5.0, 5.0, 0.0), motor(7, 1.0, -5.0, 5.0, 0.0)]);
    }));
    list.push(spoiled("contact_time is NaN", |w, _| w.options.contact_time = f64::NAN));
    list.push(spoiled("correction is NaN", |w, _| w.options.correction = f64::NAN));
    list.push(spoiled("margin is -1", |w, _| w.options.margin = -1.0));
    list.push(spoiled("two rows have the key 3", |w, _| {
        w.act.rows.extend([Row::new(Key(3), [Term::Freedom { freedom: Freedom::new(6), weight: 1.0 }]); 2]);
    }));
    let turn = Row::new(Key(0), [Term::Freedom { freedom: Freedom::new(6), weight: 1.0 }]);
    let about = |term| Row::new(Key(0), [term]);
    for bad in [
        turn.between(1.0, -1.0),
        turn.between(f64::NAN, 1.0),
        turn.between(f64::INFINITY, f64::INFINITY),
        turn.towards(f64::NAN),
        turn.with_compliance(-1.0),
        about(Term::Freedom { freedom: Freedom::new(99), weight: 1.0 }),
        about(Term::Freedom { freedom: Freedom::new(6), weight: f64::INFINITY }),
        Row { terms: [None; 4], ..turn },
    ] {
        list.push(spoiled("row of body", move |w, _| w.act.rows.push(bad)));
    }
    list.push(spoiled("row of body 'flap'", |w, body| {
        let (point, other) = (DVec3::ZERO, None);
        w.act.rows.push(Row::new(Key(0), [Term::Point { body, point, other, direction: DVec3::ZERO }]));
    }));
    list.push(spoiled("row of body 'flap'", |w, body| {
        w.act.rows.push(Row::new(Key(0), [Term::Spin { body, other: Some(body), direction: DVec3::X }]));
    }));
    list
}

#[test]
fn it_is_refused_by_name_and_what_rests_stays() {
    let mut world = resting();
    let flap = world.model.find("flap").expect("the flap");
    let (act, options, height) = (world.act.clone(), world.options, world.state.q[2]);
    for (names, spoil) in all() {
        spoil(&mut world, flap);
        let (sane, before) = (resting_copy(&world), world.state.clone());
        observe(&world.model, &world.state, &mut world.data, &world.options);
        let outcome = advance(&world.model, &mut world.state, &mut world.data, &world.act, &world.options);
        let text = outcome.expect_err(names).to_string();
        assert!(text.contains(names), "'{text}' does not name {names}");
        assert!(
            bits(&world.state.q) == bits(&before.q) && bits(&world.state.v) == bits(&before.v),
            "{names}"
        );
        // Back to sense.
        (world.act, world.options) = (act.clone(), options);
        if let Some(state) = sane {
            world.state = state;
        }
        for _ in 0..4 {
            world.step();
            let sunk = (world.state.q[2] - height).abs();
            assert!(sunk < 1e-5, "after {names} it moved by {sunk} m");
        }
    }
}

/// The state to go back to where the state itself was spoiled: that of a world that rested as long.
fn resting_copy(world: &World) -> Option<stuntlab_physics::State> {
    let unit = |q: &[f64]| (q.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-6;
    let sound = world.state.q.len() == world.model.n_q()
        && world.state.v.len() == world.model.n_v()
        && world.state.is_finite()
        && unit(&world.state.q[3..7])
        && unit(&world.state.q[8..12]);
    (!sound).then(|| resting().state)
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|x| x.to_bits()).collect()
}
