//! Forests that soak broke, see `cargo run --release -p stuntlab-tests --example soak`: pins on what cannot move (31, 153) left
//! books that are not numbers; points that came through were driven apart without bound (263, 486 to 9.6 times the energy, 1294
//! to a state that is not finite); bounces against stops, on several points and with friction made energy (406, 743, 1022,
//! 2043). Pass mark: soak's own.

use stuntlab_tests::soak::{Case, run};

#[test]
fn what_once_broke_holds() {
    for seed in [31, 153, 263, 406, 486, 743, 1022, 1294, 2043] {
        let outcome = run(&Case::of(seed));
        assert!(outcome.fault.is_none(), "seed {seed}: {}", outcome.fault.expect("a fault"));
        assert!(outcome.body_steps > 0, "seed {seed} runs");
    }
}
