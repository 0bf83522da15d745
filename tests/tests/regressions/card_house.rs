//! A card house: pairs of cards lean on each other at 6° and carry decks. Statics: with the load `W` and its own weight `w` a
//! card pushes its foot outwards with `(w/2 + W) tan 6°` under `w + W`, so that friction above 0.105 holds it and 0.7 is ample.
//! Pass mark: three storeys (three pairs, two, one) stand for five seconds, no card moves by more than 5 mm or faster than
//! 1 mm/s at the end; with friction 0.03 the same house falls.

use stuntlab_physics::contact::Material;
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::{Inertia, Transform};
use stuntlab_physics::{BodySpec, Joint, Model, ShapeSpec, StepOptions};
use stuntlab_tests::world::{World, block};

/// Half thickness, width and length of a card, m.
const CARD: DVec3 = DVec3::new(0.003, 0.06, 0.1);
/// Lean from the vertical, rad.
const LEAN: f64 = 6.0 * std::f64::consts::PI / 180.0;

fn house(friction: f64, storeys: usize) -> World {
    let made_of = |shape| ShapeSpec::new(shape).made_of(Material::with_friction(friction));
    let mut builder = Model::builder().fixture(made_of(Shape::Plane));
    let mut count = 0;
    let mut add = |half: DVec3, place: DVec3, lean: f64| {
        // Cardboard: 20 g for a card.
        let mass = 0.02 * (half.x * half.y * half.z) / (CARD.x * CARD.y * CARD.z);
        let placed = Transform::from_quaternion(DQuat::from_rotation_y(lean), place);
        let body = BodySpec::root(
            format!("card{count}"),
            Joint::free().placed(placed),
            Inertia::solid_box(mass, half),
        );
        builder.push(body.with_shape(made_of(block(half))));
        count += 1;
    };
    let (sin, cos) = LEAN.sin_cos();
    // The upper inner edges of a pair meet in the middle; its lower inner edges are its feet.
    let aside = CARD.x * cos + CARD.z * sin;
    let height = CARD.x * sin + CARD.z * cos;
    let spacing = 4.0 * CARD.z * sin + 0.03;
    let mut floor = 0.0;
    for storey in 0..storeys {
        let pairs = storeys - storey;
        let first = -0.5 * spacing * (pairs - 1) as f64;
        for k in 0..pairs {
            let middle = first + spacing * k as f64;
            add(CARD, DVec3::new(middle - aside, 0.0, floor + height), LEAN);
            add(CARD, DVec3::new(middle + aside, 0.0, floor + height), -LEAN);
        }
        if pairs > 1 {
            let half = DVec3::new(0.5 * spacing * pairs as f64, CARD.y, CARD.x);
            add(half, DVec3::Z * (floor + 2.0 * height + half.z), 0.0);
            floor += 2.0 * (height + half.z);
        }
    }
    World::new(builder.build().expect("valid"), StepOptions::at_rate(120.0))
}

/// Farthest that a card moved, m.
fn moved(world: &mut World) -> f64 {
    world.energy();
    let place = |b| world.data.world_from_body(b).translation;
    let start = |b| world.model.body(b).joint().parent_from_joint.translation;
    world.model.body_ids().iter().map(|b| (place(b) - start(b)).length()).fold(0.0, f64::max)
}

#[test]
fn three_storeys_stand() {
    for storeys in [1, 2, 3] {
        let mut world = house(0.7, storeys);
        world.run(5.0);
        let (way, speed) = (moved(&mut world), world.fastest());
        println!("{storeys} storeys: moved {way:.2e} m, {speed:.1e} m/s");
        assert!(way <= 5e-3, "{storeys} storeys: a card moved by {way} m");
        assert!(speed < 1e-3, "{storeys} storeys: {speed} m/s");
    }
}

#[test]
fn slippery_cards_fall() {
    let mut world = house(0.03, 3);
    world.run(2.0);
    assert!(moved(&mut world) > 0.05, "cards without friction stand");
}
