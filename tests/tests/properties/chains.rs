//! The chain law from many seeds.

use stuntlab_tests::chains::{from_seed, from_seeds};

/// Chains from each of a thousand seeds that the test has time for.
const CASES: u32 = 4;

#[test]
fn forward_dynamics_undoes_inverse_dynamics_from_a_thousand_seeds() {
    for outcome in from_seeds(1..=1000, CASES, |_| {}) {
        assert!(outcome.worst <= 1.0, "{outcome:?}");
    }
}

/// Two seeds with chains that explicit inverses of the joints' inertias took 5 and 29 times the bound.
#[test]
fn light_bodies_below_heavy_ones_keep_their_digits() {
    for seed in [5, 6] {
        let outcome = from_seed(seed, 256);
        // What a solve leaves is far below the bound: a tenth would be a loss of two digits.
        assert!(outcome.worst <= 0.1, "{outcome:?}");
    }
}
