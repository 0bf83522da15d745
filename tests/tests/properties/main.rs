//! Laws of mechanics over random trees: the same thing computed two ways, and what must never change.
//!
//! Algebraic laws run on nasty trees (`Trees::default`), laws that differentiate numerically on well
//! conditioned ones (`Trees::plain`). Tolerances are relative, in the units of
//! `stuntlab_tests::compare`, and say where they come from; `EPS` is the rounding error of one operation.

mod builder;
mod chains;
mod energy;
mod forward;
mod implicit;
mod integrators;
mod invariance;
mod inverse;
mod joints;
mod kinematics;

use stuntlab_tests::compare::ROUNDING;

/// Rounding of one operation.
const EPS: f64 = f64::EPSILON;

/// Laws repeat themselves: whoever runs tests by cargo runs them from the seed in `.cargo/config.toml`.
#[test]
fn every_law_is_run_from_a_seed_that_was_given() {
    let config = proptest::test_runner::Config::with_cases(1);
    assert_ne!(config.rng_seed, proptest::test_runner::RngSeed::Random, "no PROPTEST_RNG_SEED here");
    assert!(config.failure_persistence.is_none(), "a file beside the tests would make machines differ");
}
