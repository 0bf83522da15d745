//! The energy law of a step, read from its books.
//!
//! Contacts and stops of an island give at most a hundredth of its kinetic energy per second, beyond pushing overlaps out and what they
//! exchange at rest, and but for joints that come back from outside their stops; joints without springs only take. The ledger has the sums of the whole forest, which are no less than those of an island.

use proptest::prelude::*;
use stuntlab_physics::dynamics::kinetic_energy;
use stuntlab_physics::step::Account;
use stuntlab_physics::{advance, observe};
use stuntlab_tests::soak::{Case, Drive};
use stuntlab_tests::world::World;

/// What contacts and stops may give of the kinetic energy, per second (`convex/calm.rs`).
const SHARE: f64 = 0.01;
/// Push-out of overlaps, m/s.
const PUSH_OUT: f64 = 0.5;
/// How fast a joint may come back from outside its stop, rad/s or m/s (`convex/calm.rs`).
const RETURN: f64 = 0.2;
/// Steps looked at.
const STEPS: usize = 40;

/// Fails where a step of the forest gives what it may not.
fn check(seed: u64) -> Result<(), TestCaseError> {
    // Nobody drives it: no pins, motors or servos, whose impulses stops and contacts pass on.
    let mut case = Case::of(seed);
    case.holds.clear();
    for (spec, drive, _) in &mut case.bodies {
        *drive = Drive::None;
        spec.joint.stiffness.fill(0.0);
    }
    let Ok(mut world) = case.world() else { return Ok(()) };
    for step in 0..STEPS.min(case.steps) {
        let World { model, state, data, act, options } = &mut world;
        observe(model, state, data, options);
        let before = kinetic_energy(model, data, &state.v);
        let overlaps = data.contact.points.iter().any(|c| c.depth > 0.0);
        let rates = state.v.clone();
        let report = advance(model, state, data, act, options).expect("a step that does not break");
        let ledger = &report.ledger;
        let given = ledger.work(Account::Contact) + ledger.work(Account::Limits);
        let mass = model.total_mass();
        let fall = model.gravity().length() * options.dt;
        // All of it pushed out, or fallen for a step.
        let pushed = if overlaps { 0.5 * mass * PUSH_OUT * PUSH_OUT } else { 0.0 };
        // What stops gave by joints that came back slowly.
        let middle = rates.iter().zip(&state.v).map(|(a, b)| 0.5 * (a + b));
        let returned: f64 = data
            .reactions
            .limit
            .iter()
            .zip(middle)
            .map(|(force, rate)| (force * rate).clamp(0.0, force.abs() * RETURN) * options.dt)
            .sum();
        let most = SHARE * options.dt * before + pushed + 0.5 * mass * fall * fall + returned;
        let allowed = most * report.substeps as f64;
        let at = format!("seed {seed}, step {step}");
        prop_assert!(given <= allowed, "{at}: contacts and stops gave {given:.3e} J, {allowed:.3e} allowed");
        // Without springs what joints do by themselves is damping, -d v⁺ over the step. Works are counted at the rates half-way, (v⁰ + v⁺)/2, where
        // a joint that a stop throws back still goes the other way: -h d v⁺ (v⁰ + v⁺)/2 is no more than h d v⁰²/8, whatever v⁺ is.
        let passive = ledger.work(Account::Passive);
        let thrown_back: f64 = model
            .bodies()
            .iter()
            .flat_map(|body| body.freedoms().range().zip(body.joint().damping))
            .map(|(k, d)| options.dt * d * rates[k].abs().max(state.v[k].abs()).powi(2) / 8.0)
            .sum();
        let allowed = thrown_back * report.substeps as f64 + 1e-9 * ledger.scale;
        prop_assert!(passive <= allowed, "{at}: joints gave {passive:.3e} J by themselves");
    }
    Ok(())
}

proptest! {
    #![proptest_config(stuntlab_tests::laws())]

    #[test]
    fn contacts_and_stops_of_any_forest_give_next_to_nothing(seed in any::<u64>()) {
        check(seed)?;
    }
}
