//! A light ball with a heavy bob on free joints gained energy when it landed: 6 times at 5:1, 1561 times at 42:1 and 120 Hz. A
//! hundred hinges falling from a nail gained 2842 times their drop. Pass mark: the bob's energy is never above 1.02 of what it
//! had, whatever joint it hangs on, under the rigid rows of the baselines too (350,000 times at 1000:1); chain and undamped arm are never above their start by more than a fiftieth of the drop.

use stuntlab_physics::figures;
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::model::shape::Shape;
use stuntlab_physics::spatial::{Inertia, Sym3};
use stuntlab_physics::{BodySpec, Formulation, Joint, Limits, Model, ShapeSpec, StepOptions};
use stuntlab_tests::world::{World, ground};

#[derive(Clone, Copy, Debug)]
enum Bob {
    Hinge,
    Slider,
    UniversalAndBall,
}

fn dropped(bob: Bob, mass: f64, rate: f64) -> World {
    let ball = BodySpec::root("ball", Joint::free().at(DVec3::Z * 3.0), Inertia::solid_sphere(1.0, 0.06))
        .with_shape(ShapeSpec::new(Shape::Sphere { radius: 0.06 }));
    let aslant = DVec3::new(0.5, 0.4, -0.7).normalize();
    let heavy = Inertia::solid_sphere(mass, 0.2);
    let mut builder = ground().body(ball);
    match bob {
        Bob::Hinge => {
            let mut inertia = heavy;
            inertia.center_of_mass = DVec3::new(0.2, 0.2, -0.3);
            builder.push(BodySpec::child(
                "bob",
                "ball",
                Joint::revolute(aslant.any_orthonormal_vector()),
                inertia,
            ));
        }
        Bob::Slider => {
            let joint = Joint::prismatic(aslant).at(DVec3::X * 0.2).with_limits(Limits::range(-0.2, 0.2));
            builder.push(BodySpec::child("bob", "ball", joint, heavy));
        }
        Bob::UniversalAndBall => {
            let joint = Joint::universal(aslant, aslant.any_orthonormal_vector());
            builder.push(BodySpec::child("link", "ball", joint, Inertia::solid_sphere(1.0, 0.25)));
            let end = Joint::spherical().at(DVec3::new(0.2, 0.2, -0.3));
            builder.push(BodySpec::child("bob", "link", end, heavy));
        }
    }
    World::new(builder.build().expect("valid"), StepOptions::at_rate(rate))
}

fn check_bob(bob: Bob, rate: f64, mass: f64) {
    check_bob_under(Formulation::ImplicitPenalty, bob, rate, mass);
}

fn check_bob_under(by: Formulation, bob: Bob, rate: f64, mass: f64) {
    let mut world = dropped(bob, mass, rate);
    world.options = world.options.with(by);
    let start = world.energy();
    let (mut worst, mut landed) = (0.0_f64, false);
    for _ in 0..(1.2 * rate) as usize {
        world.step();
        landed |= world.data.contact.points.iter().any(|c| c.force.z > 0.0);
        worst = worst.max(world.energy() / start);
    }
    let at = format!("{}, {bob:?}, {mass} kg at {rate} Hz", by.name());
    println!("{at}: {worst:.4}");
    assert!(worst <= 1.02, "{at}: {worst} of the energy at the start");
    assert!(landed, "{at}: never came down");
}

const RATES: [f64; 3] = [120.0, 240.0, 1000.0];
const MASSES: [f64; 5] = [5.0, 10.0, 42.0, 100.0, 1000.0];

#[test]
fn a_bob_on_a_hinge_lands() {
    RATES.iter().for_each(|&rate| MASSES.iter().for_each(|&mass| check_bob(Bob::Hinge, rate, mass)));
}

#[test]
fn a_bob_lands_on_rigid_rows() {
    for by in [Formulation::LcpPgs, Formulation::LcpDantzig] {
        for bob in [Bob::Hinge, Bob::Slider, Bob::UniversalAndBall] {
            RATES
                .iter()
                .for_each(|&rate| MASSES.iter().for_each(|&mass| check_bob_under(by, bob, rate, mass)));
        }
    }
}

#[test]
fn a_bob_on_a_slider_lands() {
    RATES.iter().for_each(|&rate| MASSES.iter().for_each(|&mass| check_bob(Bob::Slider, rate, mass)));
}

#[test]
fn a_bob_on_a_universal_and_a_ball_joint_lands() {
    let of_mass = |rate, mass| check_bob(Bob::UniversalAndBall, rate, mass);
    RATES.iter().for_each(|&rate| MASSES.iter().for_each(|&mass| of_mass(rate, mass)));
}

#[test]
fn a_hundred_hinges_fall_from_a_nail() {
    for rate in [120.0, 240.0] {
        let inertia = Inertia::new(0.1, DVec3::X * 0.05, Sym3::diagonal(2e-5, 1e-4, 1e-4));
        let mut builder = Model::builder();
        for k in 0..100 {
            let hinge = Joint::revolute(DVec3::Y);
            builder.push(match k {
                0 => BodySpec::root("l0", hinge, inertia),
                _ => {
                    BodySpec::child(format!("l{k}"), format!("l{}", k - 1), hinge.at(DVec3::X * 0.1), inertia)
                }
            });
        }
        let mut world = World::new(builder.build().expect("valid"), StepOptions::at_rate(rate));
        let (start, drop) = (world.energy(), 9.81 * 10.0 * 5.0);
        let mut worst = 0.0_f64;
        for _ in 0..(5.0 * rate) as usize {
            world.step();
            worst = worst.max((world.energy() - start) / drop);
        }
        println!("100 hinges at {rate} Hz: {worst:.4} of the drop");
        assert!(worst <= 0.02, "{rate} Hz: {worst} of the drop above the start");
    }
}

#[test]
fn an_undamped_arm_of_seven_falls() {
    for rate in [120.0, 200.0, 500.0, 1000.0] {
        let mut builder = Model::builder().self_collision(false);
        figures::chain(7).parts.iter().for_each(|part| builder.push(part.spec()));
        let mut world = World::new(builder.build().expect("valid"), StepOptions::at_rate(rate));
        let lowest = world.energy();
        world.state.q[0] = 1.5;
        let start = world.energy();
        let drop = start - lowest;
        assert!(drop > 1.0, "it hangs at zero, not {drop} J below");
        let (mut above, mut below) = (0.0_f64, 0.0_f64);
        for _ in 0..(10.0 * rate) as usize {
            world.step();
            let gain = (world.energy() - start) / drop;
            (above, below) = (above.max(gain), below.min(gain));
        }
        println!("7 links at {rate} Hz: {above:.4} {below:.4} of the drop");
        assert!(above <= 0.02, "{rate} Hz: {above} of the drop above the start");
        assert!(below >= -0.02, "{rate} Hz: {below} of the drop lost without friction");
    }
}
