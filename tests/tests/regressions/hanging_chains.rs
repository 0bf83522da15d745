//! Light links with a heavy end let go from the side: under its tension they swing by radians per step, and rose by more than their kicks
//! took for it: 82 to 198 % of the drop with 100 kg and a tonne at 120 Hz, and 10 % still when only what a single step adds was looked at.
//! Pass mark at all times: 2 % of the drop above the start, once the energy is read with the momentum half a step back (`E + ½ h g·P`, what a
//! leapfrog keeps). Nor may one that has to pay for its way stop in the air: a link of 476 kg among twelve hung there for good, since what its next
//! kick gave paid for not falling.

use proptest::prelude::*;
use stuntlab_physics::dynamics::{centroidal_momentum, kinetic_energy};
use stuntlab_physics::glam::DVec3;
use stuntlab_physics::spatial::{Inertia, Sym3};
use stuntlab_physics::{BodySpec, Formulation, Joint, Model, StepOptions};
use stuntlab_tests::world::World;

const LINKS: usize = 100;
const LENGTH: f64 = 0.1;
const GRAVITY: f64 = 9.81;

/// A chain along x from the origin: masses of its links, and the drop's energy.
fn chain(masses: &[f64], length: f64, joint: impl Fn(usize) -> Joint) -> (Model, f64) {
    let mut builder = Model::builder();
    let mut drop = 0.0;
    for (k, &mass) in masses.iter().enumerate() {
        let mut inertia = Inertia::solid_capsule(mass, 0.02, 0.04);
        inertia.center_of_mass = DVec3::X * (0.5 * length);
        inertia.rotational = Sym3::diagonal(2e-4, 1e-3, 1e-3) * mass;
        drop += GRAVITY * mass * (k as f64 + 0.5) * length;
        let joint = joint(k).at(DVec3::X * if k == 0 { 0.0 } else { length });
        builder.push(match k {
            0 => BodySpec::root("l0", joint, inertia),
            _ => BodySpec::child(format!("l{k}"), format!("l{}", k - 1), joint, inertia),
        });
    }
    (builder.build().expect("a chain"), drop)
}

/// How a chain fell.
struct Fall {
    /// Most that its energy rose by, of the drop.
    risen: f64,
    /// Longest time for which it stood still above where it had been, s.
    still: f64,
}

fn fall(model: Model, drop: f64, options: StepOptions, seconds: f64) -> Fall {
    let mut world = World::new(model, options);
    let start = world.energy();
    let (mut most, mut lowest, mut fastest) = (0.0_f64, f64::INFINITY, 0.0_f64);
    let (mut still, mut longest) = (0.0, 0.0_f64);
    for _ in 0..(seconds / options.dt) as usize {
        world.step();
        let energy = world.energy();
        let falling = world.model.gravity().dot(centroidal_momentum(&world.model, &world.data).linear);
        most = most.max((energy + 0.5 * options.dt * falling - start) / drop);
        let kinetic = kinetic_energy(&world.model, &world.data, &world.state.v);
        lowest = lowest.min(energy - kinetic);
        fastest = fastest.max(kinetic);
        // (A chain on upright hinges does not fall at all.)
        let in_the_air = energy - kinetic > lowest + 0.05 * drop && fastest > 0.05 * drop;
        still = if in_the_air && kinetic < 1e-3 * drop { still + options.dt } else { 0.0 };
        longest = longest.max(still);
    }
    Fall { risen: most, still: longest }
}

/// Most that the energy rose by in a time, of the drop.
fn risen(model: Model, drop: f64, options: StepOptions, seconds: f64) -> f64 {
    fall(model, drop, options, seconds).risen
}

fn hinge(_: usize) -> Joint {
    Joint::revolute(DVec3::Y)
}

fn upright(_: usize) -> Joint {
    Joint::revolute(DVec3::Z)
}

fn ball(_: usize) -> Joint {
    Joint::spherical()
}

#[test]
fn chains_with_a_heavy_end_gain_nothing() {
    for end in [100.0, 1000.0] {
        for (name, joint) in [("hinges", hinge as fn(usize) -> Joint), ("balls", ball)] {
            let mut masses = [0.1; LINKS];
            masses[LINKS - 1] = end;
            let (model, drop) = chain(&masses, LENGTH, joint);
            let most = risen(model, drop, StepOptions::at_rate(120.0), 5.0);
            assert!(most < 0.02, "{name} with {end} kg rose by {most:.4} of the drop");
        }
    }
}

/// A weight fixed to the last link: 2.6 % of the drop with hinges and 100 kg, 10 % with balls and a tonne, whose whole chain was thrown up
/// nine metres in one step.
#[test]
fn a_weight_at_the_end_of_a_chain_is_not_thrown_up() {
    for (joint, weight) in [(hinge as fn(usize) -> Joint, 100.0), (ball, 1000.0)] {
        let mut builder = Model::builder();
        for k in 0..LINKS {
            let mut inertia = Inertia::solid_capsule(0.1, 0.02, 0.04);
            inertia.center_of_mass = DVec3::X * (0.5 * LENGTH);
            inertia.rotational = Sym3::diagonal(2e-5, 1e-4, 1e-4);
            let joint = joint(k).at(DVec3::X * if k == 0 { 0.0 } else { LENGTH });
            builder.push(match k {
                0 => BodySpec::root("l0", joint, inertia),
                _ => BodySpec::child(format!("l{k}"), format!("l{}", k - 1), joint, inertia),
            });
        }
        let end = Inertia::solid_sphere(weight, 0.1);
        builder.push(BodySpec::child("end", "l99", Joint::fixed().at(DVec3::X * LENGTH), end));
        let drop = GRAVITY * (weight * 10.0 + 50.0);
        let most = risen(builder.build().expect("a chain"), drop, StepOptions::at_rate(120.0), 5.0);
        assert!(most < 0.02, "with {weight} kg it rose by {most:.4} of the drop");
    }
}

/// Bias forces at the middle velocity were found by rounds that led away from it: 89 times the drop within one step.
#[test]
fn heavy_ends_do_not_explode_under_rigid_solvers() {
    for formulation in [Formulation::LcpPgs, Formulation::LcpDantzig] {
        let mut masses = [0.15; 37];
        masses[36] = 840.0;
        let (model, drop) = chain(&masses, 0.07, hinge);
        let most = risen(model, drop, StepOptions::at_rate(120.0).with(formulation), 3.0);
        assert!(most < 0.02, "{}: rose by {most:.4} of the drop", formulation.name());
    }
}

/// The seventh of twelve links has 476 kg: thrown up by two thirds of a metre in one step, for a price that its slower way made too low (2.2 % of the
/// drop), and then still for good.
#[test]
fn a_heavy_link_among_light_ones_goes_on() {
    let mut masses =
        [0.0938, 0.1349, 0.1749, 0.1558, 0.2718, 0.1028, 475.8, 0.1978, 0.0206, 0.0341, 0.2266, 0.1993];
    for place in 0..masses.len() {
        let kinds = [hinge, hinge, hinge, upright, ball, ball, hinge, hinge, ball, ball, upright, ball];
        let (model, drop) = chain(&masses, 0.10444, |k| kinds[k](k));
        let Fall { risen, still } = fall(model, drop, StepOptions::at_rate(120.0), 4.0);
        assert!(
            risen < 0.02 && still < 0.1,
            "place {place} rose by {risen:.4} and was still for {still:.2} s"
        );
        masses.rotate_right(1);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.min(12)))]

    /// Chains of any links, heavy ones at their end or anywhere.
    #[test]
    fn no_chain_rises_above_its_start(
        light in prop::collection::vec(0.02_f64..0.3, 3..60),
        heavy in 0.0_f64..3.0,
        at in any::<prop::sample::Index>(),
        length in 0.03_f64..0.3,
        kinds in prop::collection::vec(0..3_u8, 60),
        rate in prop::sample::select(vec![120.0, 240.0, 500.0]),
    ) {
        let mut masses = light;
        let place = at.index(2 * masses.len()).min(masses.len() - 1);
        masses[place] = 10_f64.powf(heavy);
        let (model, drop) = chain(&masses, length, |k| match kinds[k] {
            0 => Joint::revolute(DVec3::Y),
            1 => Joint::revolute(DVec3::Z),
            _ => Joint::spherical(),
        });
        let Fall { risen, still } = fall(model, drop, StepOptions::at_rate(rate), 4.0);
        prop_assert!(risen < 0.02, "rose by {risen:.4} of the drop");
        prop_assert!(still < 0.1, "stood still in the air for {still:.2} s");
    }
}
