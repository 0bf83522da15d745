//! Contacts and limits that contradict each other, or sweeps that ran out, gave any amount of energy as rigid rows: a forest of 29 bodies at
//! 1/30 s under `lcp-pgs` grew to NaN in 2.5 s. Pass mark: undriven forests of the soak at 30 Hz are never above their start by more
//! than a fiftieth of the energy at hand.

use stuntlab_physics::dynamics::kinetic_energy;
use stuntlab_physics::{Formulation, StepOptions};
use stuntlab_tests::soak::{Case, Drive};

fn check(by: Formulation, seed: u64) {
    let mut case = Case::of(seed);
    case.rate = 30.0;
    case.holds.clear();
    for (spec, drive, _) in &mut case.bodies {
        *drive = Drive::None;
        spec.joint.stiffness.fill(0.0);
    }
    let mut world = case.world().expect("a model");
    world.options = StepOptions::at_rate(30.0).with(by);
    let start = world.energy();
    let weight = world.model.total_mass() * world.model.gravity().length();
    let scale = kinetic_energy(&world.model, &world.data, &world.state.v) + weight;
    for _ in 0..60 {
        world.step();
        let above = (world.energy() - start) / scale;
        assert!(
            above < 0.02,
            "{}, seed {seed}: {above} above the start at {} s",
            by.name(),
            world.state.time
        );
    }
}

#[test]
fn forests_under_rigid_rows() {
    for seed in 0..30 {
        check(Formulation::LcpPgs, seed);
        check(Formulation::LcpDantzig, seed);
    }
}
