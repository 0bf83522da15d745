//! Contact that is hard on solvers (after Le Lidec et al. 2023): sliding, ill-conditioned, pushed.

use super::super::ask::Case;
use super::super::setup::{Headline, Make, Pieces, Setup};
use super::{ALL, RIGID, Suite, last, sized, touching};
use crate::study::Size;

/// The suite's row.
pub(super) const SUITE: Suite = Suite {
    name: "hard-contact",
    shows: "A cube that slides until it stops, a ton on a gram, a pushed humanoid: complementarity residuals, self-consistency, inner forces",
    cases,
};

const LIDEC: &str = "Le Lidec et al., Contact models in robotics: a comparative analysis (2023); what is not given there is ours, see the set-up";
/// What they found.
const RELAXED: &str = "Le Lidec et al. (2023): contact models that are relaxed so as to be solved easily (convex complementarity, cones of few sides, soft \
                       contacts) leave effects that are not physical; which solver does best depends on the task";
const LAWS: &[&str] =
    &["headline", "error", "consistency", "penetration", "signorini", "dissipation", "ncp", "cone"];

/// Deceleration of the cube.
const SLOWS: f64 = 0.4 * 9.81;

/// The set-ups.
pub(super) const SETUPS: &[Setup] = &[
    Setup {
        name: "compare-sliding",
        source: LIDEC,
        published: RELAXED,
        columns: LAWS,
        headline: Some(Headline {
            name: "way until it stops",
            unit: "m",
            curve: "way",
            curve_unit: "m",
            follow: |seen| seen.bodies[0].center.y - seen.start[0].center.y,
            boil: last,
            expected: Some(1.0 / (2.0 * SLOWS)),
            closed_form: Some(|t| {
                let t = t.min(1.0 / SLOWS);
                t - 0.5 * SLOWS * t * t
            }),
        }),
        pieces: Some(Pieces { rate: 7680.0, length: 0.1, count: 5 }),
        make: Make::Scene,
    },
    Setup {
        name: "compare-stack",
        source: LIDEC,
        published: RELAXED,
        columns: LAWS,
        headline: Some(Headline {
            name: "height of the heavy cube at the end",
            unit: "m",
            curve: "height of the heavy cube",
            curve_unit: "m",
            follow: |seen| seen.bodies[1].center.z,
            boil: last,
            expected: Some(0.3),
            closed_form: Some(|_| 0.3),
        }),
        pieces: None,
        make: Make::Scene,
    },
    Setup {
        name: "compare-humanoid-pushed",
        source: LIDEC,
        published: RELAXED,
        columns: &[
            "consistency",
            "penetration",
            "creep",
            "signorini",
            "dissipation",
            "ncp",
            "cone",
            "inner_force",
            "jitter",
        ],
        headline: None,
        pieces: Some(Pieces { rate: 1920.0, length: 0.1, count: 15 }),
        make: Make::Scene,
    },
];

fn cases(size: Size) -> Vec<Case> {
    let rates = sized(size, &["60", "120", "240", "480", "960"], &["120", "240", "480"]);
    let mut cases = touching("compare-sliding", ALL, rates, &[]);
    cases.extend(touching("compare-stack", RIGID, rates, &[]));
    let figure = sized(size, &["60", "120", "240", "480"], &["120"]);
    cases.extend(touching("compare-humanoid-pushed", sized(size, RIGID, &RIGID[..2]), figure, &[]));
    cases
}
