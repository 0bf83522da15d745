//! Chains, a figure and a heap, each against its own small steps (after Erez, Tassa and Todorov 2015).

use super::super::ask::Case;
use super::super::setup::{Make, Pieces, Setup};
use super::{ALL, RIGID, Suite, sized, smooth, touching};
use crate::study::Size;

/// The suite's row.
pub(super) const SUITE: Suite = Suite {
    name: "articulated",
    shows: "Chains of 5 and 20 links, a figure of 37 freedoms in flight and falling, 27 capsules: consistency, drift, largest stable step, cost",
    cases,
};

const EREZ: &str = "After Erez, Tassa and Todorov, Simulation tools for model-based robotics (ICRA 2015): protocol; sizes are ours";
/// What they found.
const ENGINES: &str = "Erez, Tassa and Todorov (2015): every engine did best on the kind of system it was made for, MuJoCo on those of robotics, Bullet, Havok, ODE \
                       and PhysX on those of games, with no leader among these";
const SMOOTH: &[&str] =
    &["consistency", "energy_drift", "momentum_drift", "spin_drift", "joint_drift", "iterations"];
const TOUCHING: &[&str] = &[
    "consistency",
    "energy_gain",
    "penetration",
    "rest_penetration",
    "cone",
    "jitter",
    "joint_drift",
    "iterations",
];
const PIECES: Option<Pieces> = Some(Pieces { rate: 15_360.0, length: 0.1, count: 10 });
const TOUCHING_PIECES: Option<Pieces> = Some(Pieces { rate: 3840.0, length: 0.1, count: 15 });

const fn row(name: &'static str, columns: &'static [&'static str], pieces: Option<Pieces>) -> Setup {
    Setup { name, source: EREZ, published: ENGINES, columns, headline: None, pieces, make: Make::Scene }
}

/// The set-ups.
pub(super) const SETUPS: &[Setup] = &[
    row("compare-chain5", SMOOTH, PIECES),
    row("compare-chain20", SMOOTH, PIECES),
    row("compare-figure-flight", SMOOTH, PIECES),
    row("compare-figure-fall", TOUCHING, TOUCHING_PIECES),
    row("compare-capsules27", TOUCHING, TOUCHING_PIECES),
];

fn cases(size: Size) -> Vec<Case> {
    let rates = sized(size, &["60", "120", "240", "480", "960", "1920"], &["120", "240", "480"]);
    let maximal = sized(size, &["120", "240", "480", "960"], &["240"]);
    let steps = sized(size, &["30", "60", "120", "240", "480"], &["60", "120"]);
    let mut cases = smooth("compare-chain5", rates, maximal);
    if size == Size::Full {
        cases.extend(smooth("compare-chain20", rates, &["240", "480"]));
        cases.extend(smooth("compare-figure-flight", rates, &["240", "480"]));
    }
    // Explicit springs take 4000 sub-steps and more per step for a figure: left out there.
    cases.extend(touching(
        "compare-figure-fall",
        sized(size, RIGID, &RIGID[..2]),
        steps,
        sized(size, &["120", "240"], &[]),
    ));
    cases.extend(touching("compare-capsules27", sized(size, ALL, &RIGID[..2]), steps, &[]));
    cases
}
