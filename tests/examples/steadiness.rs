//! The whole grid of stability trials, and the large scenes that must come to rest. Build in release.

use stuntlab_tests::rest::{Pile, speed_after};
use stuntlab_tests::steadiness::{Deed, trial};

fn main() {
    let mut unsound = 0;
    for deed in Deed::ALL {
        for factor in [0.1, 1.0, 10.0, 100.0, 1000.0] {
            for hz in [60.0, 120.0, 240.0, 1000.0] {
                let outcome = trial(deed, factor, hz, 5.0);
                unsound += usize::from(!outcome.is_sound());
                println!(
                    "{:<9} gains x {factor:<6} {hz:>5} Hz {} servo {:>9.1e} contact {:>9.3} J of {:>9.1} J {}",
                    format!("{deed:?}"),
                    if outcome.is_sound() { "ok  " } else { "FAIL" },
                    outcome.from_servos,
                    outcome.from_contacts,
                    outcome.kinetic,
                    outcome.broke.unwrap_or_default(),
                );
            }
        }
    }
    println!("{unsound} unsound");
    for pile in Pile::ALL {
        let speeds: Vec<String> = [2.0, 5.0].map(|t| format!("{:.3}", 1e3 * speed_after(pile, t))).into();
        println!("{pile:?}: fastest body {} mm/s after 2 and 5 s", speeds.join(" and "));
    }
}
