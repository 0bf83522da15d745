//! At rest they stay at rest: below 1 mm/s after five seconds in the default formulation. The heap of two hundred
//! takes longer than a test may: `cargo run --release -p stuntlab-tests --example steadiness` runs it.

use stuntlab_tests::rest::{Pile, speed_after};

#[test]
fn towers_and_capsules_come_to_rest() {
    for pile in [Pile::Tower20, Pile::Capsules27] {
        let speed = speed_after(pile, 5.0);
        assert!(speed < 1e-3, "{pile:?}: {} mm/s", 1e3 * speed);
    }
}

#[test]
fn a_hundred_boxes_come_to_rest() {
    let speed = speed_after(Pile::Boxes100, 5.0);
    assert!(speed < 1e-3, "{} mm/s", 1e3 * speed);
}
