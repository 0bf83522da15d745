//! Contact forces: they push, stay inside the friction cone, take energy out and act both ways.

use proptest::prelude::*;
use stuntlab_physics::contact::Contact;
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::step::Account;
use stuntlab_physics::{Formulation, Model, StepOptions};
use stuntlab_tests::laws;
use stuntlab_tests::world::{World, block, ground, loose};

/// Fewer cases than usual: each is a small simulation.
fn few() -> ProptestConfig {
    ProptestConfig { cases: ProptestConfig::default().cases.min(24), ..laws() }
}

fn formulations() -> impl Strategy<Value = Formulation> {
    prop::sample::select(Formulation::ALL.to_vec())
}

fn vector(size: f64) -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(-size..size).prop_map(DVec3::from_array)
}

fn turns() -> impl Strategy<Value = DQuat> {
    vector(3.0).prop_map(DQuat::from_scaled_axis)
}

#[derive(Clone, Debug)]
struct Throw {
    kind: usize,
    size: f64,
    rotation: DQuat,
    linear: DVec3,
    angular: DVec3,
}

fn throws() -> impl Strategy<Value = Vec<Throw>> {
    let one = (0..3_usize, 0.05..0.3_f64, turns(), vector(3.0), vector(8.0))
        .prop_map(|(kind, size, rotation, linear, angular)| Throw { kind, size, rotation, linear, angular });
    prop::collection::vec(one, 1..5)
}

/// Bodies of three kinds thrown at the ground and each other.
fn thrown(throws: &[Throw], options: StepOptions) -> World {
    let mut builder = ground();
    for (k, t) in throws.iter().enumerate() {
        let shape = match t.kind {
            0 => Shape::Sphere { radius: t.size },
            1 => Shape::Capsule { radius: 0.5 * t.size, half_length: t.size },
            _ => block(DVec3::new(1.0, 0.7, 0.5) * t.size),
        };
        builder.push(loose(format!("b{k}"), shape, 500.0 * t.size.powi(3), DVec3::ZERO));
    }
    let mut world = World::new(builder.build().expect("a valid model"), options);
    for (k, t) in throws.iter().enumerate() {
        // Above the ground and clear of each other at first.
        let place = DVec3::new(0.3 * k as f64, 0.0, 0.75 + 0.8 * k as f64);
        world.launch(&format!("b{k}"), place, t.rotation, t.linear, t.angular);
    }
    world
}

/// Whether a contact pushes and its friction stays below `μ` times that, up to `slack`, N.
fn inside(contact: &Contact, slack: f64) -> bool {
    let pressed = contact.force.dot(contact.normal);
    let across = (contact.force - contact.normal * pressed).length();
    pressed >= -1e-9 && across <= contact.law.material.friction * (pressed * (1.0 + 1e-6) + slack) + 1e-9
}

/// The convex problem bounds friction by the normal forces of the solve before, which is repeated until they change by a
/// hundredth, or by a twenty-fifth after a few times: what is left is this share of the largest, or of the weight of all that was thrown.
const LAG: f64 = 0.05;

proptest! {
    #![proptest_config(few())]

    #[test]
    fn contacts_push_and_friction_stays_inside_the_cone(throws in throws(), formulation in formulations()) {
        let mut world = thrown(&throws, StepOptions::default().with(formulation));
        for step in 0..150 {
            world.step();
            let points = &world.data.contact.points;
            let weight = world.model.total_mass() * world.model.gravity().length();
            let most = points.iter().map(|c| c.force.dot(c.normal)).fold(weight, f64::max);
            let slack = if formulation == Formulation::ImplicitPenalty { LAG * most } else { 0.0 };
            for contact in points {
                prop_assert!(inside(contact, slack), "step {}, {}: {:?}", step, formulation.name(), contact);
            }
        }
    }

    /// A spring may give back what it took but no more: summed from the throw on, contacts only take.
    #[test]
    fn contacts_take_energy_out(throws in throws(), formulation in formulations()) {
        let options = StepOptions { ledger: true, substeps: 64, ..StepOptions::default().with(formulation) };
        let mut world = thrown(&throws, options);
        let whole = world.energy();
        let mut work = 0.0;
        for step in 0..150 {
            work += world.step().ledger.work(Account::Contact);
            // Overlap that a step's end leaves is pushed out again: a hundredth of the energy thrown in.
            prop_assert!(work <= 0.01 * whole, "step {}, {}: {} of {}", step, formulation.name(), work, whole);
        }
    }

    /// Spheres have no gyroscopic moment, so both momenta are kept to rounding, sliding friction included.
    #[test]
    fn two_bodies_keep_their_momentum(
        formulation in formulations(),
        offset in -0.15..0.15_f64,
        speed in 0.5..4.0_f64,
        spin in vector(10.0),
        mass in 0.2..5.0_f64,
    ) {
        let ball = |name: &str, mass, x| {
            loose(name, Shape::Sphere { radius: 0.1 }, mass, DVec3::new(x, 0.0, 0.0))
        };
        let model = Model::builder().gravity(DVec3::ZERO).body(ball("a", 1.0, 0.0)).body(ball("b", mass, 0.0));
        let mut world = World::new(model.build().expect("valid"), StepOptions::default().with(formulation));
        world.launch("a", DVec3::ZERO, DQuat::IDENTITY, DVec3::X * speed, spin);
        world.launch("b", DVec3::new(0.4, offset, 0.0), DQuat::IDENTITY, DVec3::ZERO, DVec3::ZERO);
        let before = momenta(&mut world);
        let mut touched = false;
        for _ in 0..120 {
            world.step();
            // A blow that parts them within the step is no longer among the contacts.
            touched |= !world.data.memory.felt().is_empty();
        }
        prop_assert!(touched || offset.abs() > 0.1, "they meet");
        let after = momenta(&mut world);
        let scale = mass.max(1.0) * speed + spin.length();
        prop_assert!((after.0 - before.0).length() < 1e-10 * scale, "{:?} {:?}", before, after);
        prop_assert!((after.1 - before.1).length() < 1e-10 * scale, "{:?} {:?}", before, after);
    }

    #[test]
    fn the_same_scene_gives_the_same_bits(throws in throws(), formulation in formulations()) {
        let bits = |world: &World| -> Vec<u64> {
            world.state.q.iter().chain(&world.state.v).map(|x| x.to_bits()).collect()
        };
        let mut first = thrown(&throws, StepOptions::default().with(formulation));
        let mut second = thrown(&throws, StepOptions::default().with(formulation));
        first.run(0.75);
        second.run(0.75);
        prop_assert_eq!(bits(&first), bits(&second));
    }
}

/// Linear and angular momentum (about the world's origin) of balls.
fn momenta(world: &mut World) -> (DVec3, DVec3) {
    world.energy();
    let mut sum = (DVec3::ZERO, DVec3::ZERO);
    for b in world.model.body_ids() {
        let inertia = world.model.body(b).inertia();
        let velocity = world.data.body_velocity(b);
        let p = velocity.linear * inertia.mass;
        sum.0 += p;
        sum.1 += world.data.world_from_body(b).translation.cross(p)
            + velocity.angular * inertia.rotational.trace() / 3.0;
    }
    sum
}
