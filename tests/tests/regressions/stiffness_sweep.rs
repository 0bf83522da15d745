//! The 37-freedom figure under servos of 0.1 to 1000 times the reference gains: standing, falling, dragged by a
//! hand. Pass mark: every number stays finite and neither servo nor contact feeds energy, at every rate. The
//! whole grid takes a while: `cargo run --release -p stuntlab-tests --example steadiness` runs it.

use stuntlab_tests::steadiness::{Deed, trial};

#[test]
fn the_corners_of_the_grid_hold() {
    for deed in Deed::ALL {
        for factor in [0.1, 1000.0] {
            for hz in [60.0, 120.0] {
                let outcome = trial(deed, factor, hz, 1.5);
                assert!(outcome.is_sound(), "{deed:?}, gains x {factor}, {hz} Hz: {outcome:?}");
            }
        }
    }
}
