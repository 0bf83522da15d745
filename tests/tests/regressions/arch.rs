//! An arch of fifteen wedge stones without mortar. Statics: a half-circle stands by itself if it is thicker than 0.107 of its
//! middle radius (Milankovitch 1907; Heyman 1969) and friction exceeds 0.31 or so. Pass mark: with a thickness of 0.2 radii and
//! friction 0.7 it stands for five seconds, no stone moves by more than 5 mm or faster than 1 mm/s at the end; with a thickness
//! of 0.07 it falls.

use stuntlab_physics::contact::Material;
use stuntlab_physics::glam::{DQuat, DVec3};
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::{Inertia, Sym3, Transform};
use stuntlab_physics::{BodySpec, Joint, Model, ShapeSpec, StepOptions};
use stuntlab_tests::world::World;

const STONES: usize = 15;

/// A half-circle of middle radius 1 m over the ground.
fn arch(thickness: f64, friction: f64) -> World {
    let made_of = |shape| ShapeSpec::new(shape).made_of(Material::with_friction(friction));
    let mut builder = Model::builder().fixture(made_of(Shape::Plane));
    let half = 0.5 * std::f64::consts::PI / STONES as f64;
    let mut corners = Vec::new();
    for radius in [1.0 - 0.5 * thickness, 1.0 + 0.5 * thickness] {
        for angle in [-half, half] {
            for y in [-0.15, 0.15] {
                // Joints are straight cuts towards the centre.
                corners.push(DVec3::new(radius * angle.sin(), y, radius * angle.cos()));
            }
        }
    }
    let whole = Shape::hull(&corners).expect("a wedge").mass_properties().expect("a solid");
    let centred: Vec<DVec3> = corners.iter().map(|&c| c - whole.center).collect();
    let stone = Shape::hull(&centred).expect("a wedge");
    let density = 2400.0;
    let (i, m) = (whole.inertia * density, whole.volume * density);
    let inertia = Inertia::new(m, DVec3::ZERO, Sym3::diagonal(i.x_axis.x, i.y_axis.y, i.z_axis.z));
    for k in 0..STONES {
        let turn = DQuat::from_rotation_y(half * (2.0 * k as f64 + 1.0) - std::f64::consts::FRAC_PI_2);
        let placed = Transform::from_quaternion(turn, turn * whole.center);
        let body = BodySpec::root(format!("stone{k}"), Joint::free().placed(placed), inertia);
        builder.push(body.with_shape(made_of(stone.clone())));
    }
    World::new(builder.build().expect("valid"), StepOptions::at_rate(120.0))
}

/// Farthest that a stone moved, m.
fn moved(world: &mut World) -> f64 {
    world.energy();
    let place = |b| world.data.world_from_body(b).translation;
    let start = |b| world.model.body(b).joint().parent_from_joint.translation;
    world.model.body_ids().iter().map(|b| (place(b) - start(b)).length()).fold(0.0, f64::max)
}

#[test]
fn a_thick_arch_stands() {
    for thickness in [0.2, 0.3] {
        let mut world = arch(thickness, 0.7);
        world.run(5.0);
        let (way, speed) = (moved(&mut world), world.fastest());
        println!("thickness {thickness}: moved {way:.2e} m, {speed:.1e} m/s");
        assert!(way <= 5e-3, "thickness {thickness}: a stone moved by {way} m");
        assert!(speed < 1e-3, "thickness {thickness}: {speed} m/s");
    }
}

#[test]
fn a_thin_arch_and_a_slippery_one_fall() {
    for (thickness, friction) in [(0.07, 0.7), (0.2, 0.1)] {
        let mut world = arch(thickness, friction);
        world.run(5.0);
        assert!(moved(&mut world) > 0.2, "thickness {thickness}, friction {friction}: it stands");
    }
}
