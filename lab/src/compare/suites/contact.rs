//! Contact as SimBenchmark has it (Kang and Hwangbo 2018): rolling, bouncing, heaps, figures that are held, a ball that is thrown.

use super::super::ask::Case;
use super::super::setup::{Headline, Make, Setup};
use super::{ALL, CONVEX, PGS, RIGID, Suite, most_after, sized, touching};
use crate::study::Size;

/// The suite's row.
pub(super) const SUITE: Suite = Suite {
    name: "contact",
    shows: "Balls that roll on a pushed plate, bounce and fall into a heap, figures held by springs and servos, a thrown ball",
    cases,
};

const KANG: &str =
    "Kang and Hwangbo, SimBenchmark (2018); sizes that are not given there are ours, see the set-up";

/// Acceleration of the balls: (F - μ (M + n m) g) / (n m + 7/2 M).
pub(super) const BALLS: f64 = (150.0 - 0.4 * 35.0 * 9.81) / (25.0 + 3.5 * 10.0);

const ROLLING: Headline = Headline {
    name: "mean acceleration of the balls",
    unit: "m/s²",
    curve: "mean speed of the balls",
    curve_unit: "m/s",
    follow: |seen| {
        let balls = &seen.bodies[1..];
        let sum: stuntlab_physics::glam::DVec3 = balls.iter().map(|b| b.velocity).sum();
        sum.truncate().length() / balls.len() as f64
    },
    boil: |curve| curve.last().map_or(f64::NAN, |(t, v)| v / t),
    expected: Some(BALLS),
    closed_form: Some(|t| BALLS * t),
};

/// Height from which the balls fall, and gravity.
const DROP: f64 = 1.0;
const G: f64 = 9.8;

/// What they found, at steps of 1 ms.
const ROLLED: &str = "Kang and Hwangbo (2018), steps of 1 ms: pushed at 45° nothing moved in ODE and DART, whose cones are pyramids; MuJoCo's soft contacts shook; \
                      Bullet came closest to the closed form";
const HEAPED: &str = "Kang and Hwangbo (2018): overlaps were least in RaiSim, which took a sixth of the time of Bullet, the fastest of the others; they were large in \
                      Bullet, and DART's PGS blew up";

const fn row(
    name: &'static str,
    published: &'static str,
    columns: &'static [&'static str],
    headline: Option<Headline>,
) -> Setup {
    Setup { name, source: KANG, published, columns, headline, pieces: None, make: Make::Scene }
}

const HELD: &[&str] = &[
    "energy_gain",
    "penetration",
    "rest_penetration",
    "creep",
    "cone",
    "inner_force",
    "jitter",
    "joint_drift",
];
const ROLLS: &[&str] =
    &["headline", "error", "penetration", "cone", "signorini", "dissipation", "ncp", "iterations"];

/// The set-ups.
pub(super) const SETUPS: &[Setup] = &[
    row("compare-rolling", ROLLED, ROLLS, Some(ROLLING)),
    row("compare-rolling-diagonal", ROLLED, ROLLS, Some(ROLLING)),
    row(
        "compare-bouncing",
        "",
        &["headline", "error", "energy_drift", "energy_gain", "penetration"],
        Some(Headline {
            name: "highest centre in the last second",
            unit: "m",
            curve: "height of a ball",
            curve_unit: "m",
            follow: |seen| seen.bodies[0].center.z,
            boil: |curve| most_after(curve, 0.8),
            expected: Some(0.5 + DROP),
            closed_form: Some(|t| {
                let fall = (2.0 * DROP / G).sqrt();
                let since = (t + fall) % (2.0 * fall) - fall;
                0.5 + DROP - 0.5 * G * since * since
            }),
        }),
    ),
    row(
        "compare-heap666",
        HEAPED,
        &["energy_gain", "penetration", "rest_penetration", "cone", "creep", "jitter", "iterations"],
        None,
    ),
    row("compare-elastic666", "", &["energy_drift", "energy_gain", "penetration", "iterations"], None),
    row("compare-quadruped", "", HELD, None),
    row("compare-humanoid-stands", "", HELD, None),
    row(
        "compare-thrown-ball",
        "",
        &["momentum_drift", "spin_drift", "energy_gain", "penetration", "joint_drift"],
        None,
    ),
];

fn cases(size: Size) -> Vec<Case> {
    let rates = sized(size, &["60", "120", "240", "480"], &["120", "240"]);
    let few = sized(size, &["120", "240"], &["120"]);
    let rigid = sized(size, RIGID, &RIGID[..2]);
    let mut cases = Vec::new();
    cases.extend(touching("compare-rolling", rigid, rates, &[]));
    cases.extend(touching("compare-rolling-diagonal", rigid, rates, &[]));
    cases.extend(touching("compare-bouncing", RIGID, rates, &[]));
    if size == Size::Full {
        cases.extend(touching("compare-heap666", &[CONVEX, PGS], few, &[]));
        cases.extend(touching("compare-elastic666", &[CONVEX, PGS], few, &[]));
    }
    cases.extend(touching("compare-quadruped", sized(size, ALL, &RIGID[..2]), rates, few));
    cases.extend(touching("compare-humanoid-stands", rigid, few, sized(size, few, &[])));
    cases.extend(touching("compare-thrown-ball", rigid, few, few));
    cases
}
