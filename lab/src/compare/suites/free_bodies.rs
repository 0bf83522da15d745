//! Bodies that nothing touches: integrators and coordinates alone.

use super::super::ask::Case;
use super::super::setup::{Headline, Make, Pieces, Setup};
use super::{FORMULATION, PENALTY, RATE, Suite, last, most_after, sized, smooth};
use crate::study::Size;

/// The suite's row.
pub(super) const SUITE: Suite = Suite {
    name: "free-bodies",
    shows: "Boxes in flight, free, cut into pieces and carried by joints, and a pendulum that must stay in its plane",
    cases,
};

const COLUMNS: &[&str] =
    &["error", "energy_drift", "momentum_drift", "spin_drift", "spin_size", "consistency", "joint_drift"];
const PETERS: &str = "Peters and Hsu, Comparison of rigid body dynamic simulators for robotic simulation in Gazebo (ROSCon 2014): Boxes";
// A piece is ten of the longest steps; the reference is sixteen times finer than the shortest.
const PIECES: Option<Pieces> = Some(Pieces { rate: 16_000.0, length: 0.08, count: 10 });

/// Speed of the simple box.
const SPEED: f64 = 0.989_949_493_661_166_5;

const fn fall() -> Headline {
    Headline {
        name: "height of the box's centre at the end",
        unit: "m",
        curve: "height",
        curve_unit: "m",
        // The last body is the box itself, or the last piece of it: all of a rigid box falls alike, but for its turns.
        follow: |seen| {
            let mass: f64 = seen.bodies.iter().map(|b| b.mass).sum();
            seen.bodies.iter().map(|b| b.mass * b.center.z).sum::<f64>() / mass
        },
        boil: last,
        expected: Some(8.0 * 10.0 - 0.5 * 9.8 * 100.0),
        closed_form: Some(|t| 8.0 * t - 4.9 * t * t),
    }
}

/// The set-ups.
pub(super) const SETUPS: &[Setup] = &[
    Setup {
        name: "compare-boxes-simple",
        source: PETERS,
        published: "",
        columns: COLUMNS,
        headline: Some(Headline {
            name: "way of the box's centre",
            unit: "m",
            curve: "way",
            curve_unit: "m",
            follow: |seen| seen.bodies[0].center.distance(seen.start[0].center),
            boil: last,
            expected: Some(10.0 * SPEED),
            closed_form: Some(|t| SPEED * t),
        }),
        pieces: PIECES,
        make: Make::Scene,
    },
    Setup {
        name: "compare-boxes-complex",
        source: PETERS,
        published: "",
        columns: COLUMNS,
        headline: Some(fall()),
        pieces: PIECES,
        make: Make::Scene,
    },
    Setup {
        name: "compare-boxes-cut",
        source: "As compare-boxes-complex; the cuts are ours",
        published: "",
        columns: COLUMNS,
        headline: Some(fall()),
        pieces: PIECES,
        make: Make::Scene,
    },
    Setup {
        name: "compare-boxes-carried",
        source: "As compare-boxes-complex; the carriers are ours",
        published: "",
        columns: COLUMNS,
        headline: Some(fall()),
        pieces: PIECES,
        make: Make::Scene,
    },
    Setup {
        name: "compare-pendulum-planar",
        source: "After the pendulums of Peters and Hsu (2014); sizes are ours",
        published: "",
        columns: &["headline", "energy_drift", "consistency", "joint_drift"],
        headline: Some(Headline {
            name: "largest distance from the plane",
            unit: "m",
            curve: "distance from the plane",
            curve_unit: "m",
            follow: |seen| seen.bodies.iter().map(|b| b.center.y.abs()).fold(0.0, f64::max),
            boil: |curve| most_after(curve, 0.0),
            expected: Some(0.0),
            closed_form: None,
        }),
        pieces: Some(Pieces { rate: 16_000.0, length: 0.08, count: 10 }),
        make: Make::Scene,
    },
];

fn cases(size: Size) -> Vec<Case> {
    let rates = sized(size, &["125", "250", "500", "1000"], &["250", "500", "1000"]);
    let coarse = sized(size, &["125", "250", "500", "1000"], &["250", "500"]);
    let mut cases: Vec<Case> = SETUPS.iter().flat_map(|s| smooth(s.name, rates, coarse)).collect();
    cases.push(Case::of("compare-boxes-complex", &[(FORMULATION, &[PENALTY]), (RATE, rates)]));
    cases
}
