//! The same motions and the same push under every controller that follows one, and every formulation.

use super::super::ask::Case;
use super::super::setup::{Make, Setup};
use super::{FORMULATION, RATE, RIGID, Suite, sized};
use crate::study::Size;

/// The suite's row.
pub(super) const SUITE: Suite = Suite {
    name: "characters",
    shows: "A recorded walk, standing idle, and a push under all controllers that follow a motion, and formulations: tracking error, jitter, survival, work, aids, cost",
    cases,
};

const COLUMNS: &[&str] =
    &["falls", "tracking", "jitter", "aid_work", "muscle_work", "penetration", "cone", "iterations"];

const fn row(name: &'static str) -> Setup {
    Setup {
        name,
        source: "Ours; controllers after Wrotek et al. (2006), Lligadas et al., Nguyen et al. (2011), Mandel and Zordan (2005)",
        published: "",
        columns: COLUMNS,
        headline: None,
        pieces: None,
        make: Make::Scene,
    }
}

/// The set-ups.
pub(super) const SETUPS: &[Setup] = &[row("compare-tracking"), row("compare-standing")];

/// Torques in the world from outside; by the joints with a spring at the root; by the joints alone.
const WORLD: &str = "{ kind = \"dynamo\" }";
const WORLD_JOINTS: &str = "{ kind = \"dynamo\", application = \"world-internal\" }";
const WORLD_ALONE: &str = "{ kind = \"dynamo\", application = \"world-fully-internal\" }";
const PARENT: &str = "{ kind = \"dynamo\", application = \"parent-internal\" }";
/// The numbers are those of the scene velocity-track.
const SERVOS: &str =
    "{ kind = \"velocity-track\", floor = 0.0908, firmness = 24.4, muscles = { drive = \"servos\" } }";
const RATES: &str = "{ kind = \"velocity-track\", floor = 0.0908, firmness = 24.4 }";
const ADAPTIVE: &str = "{ kind = \"adaptive\" }";
const ROUND_TRIP: &str = "{ kind = \"round-trip\" }";
const STAND: &str = "{ kind = \"stand\" }";
const POSE: &str = "{ kind = \"pose\" }";

/// Who follows the walk.
const WALKS: &[&str] = &[WORLD, WORLD_JOINTS, WORLD_ALONE, PARENT, SERVOS, RATES, ADAPTIVE, ROUND_TRIP];
/// Who stands: these, and two that can do nothing else.
const STANDS: &[&str] =
    &[WORLD, WORLD_JOINTS, WORLD_ALONE, PARENT, SERVOS, RATES, ADAPTIVE, ROUND_TRIP, STAND, POSE];

/// Their names in tables and plots.
pub(super) const LABELS: [(&str, &str); 10] = [
    (WORLD, "world torques"),
    (WORLD_JOINTS, "world, by joints"),
    (WORLD_ALONE, "world, no aid"),
    (PARENT, "parent torques"),
    (SERVOS, "stable servos"),
    (RATES, "rates"),
    (ADAPTIVE, "adaptive"),
    (ROUND_TRIP, "round trip"),
    (STAND, "stand"),
    (POSE, "pose"),
];

fn cases(size: Size) -> Vec<Case> {
    let rates = sized(size, &["120", "240"], &["120"]);
    let formulations = sized(size, RIGID, &RIGID[..2]);
    let of = |name, all, few| {
        let axes: [(&str, &[&str]); 3] =
            [("character.0.controller", sized(size, all, few)), (FORMULATION, formulations), (RATE, rates)];
        Case::of(name, &axes)
    };
    vec![of("compare-tracking", WALKS, &[WORLD, RATES]), of("compare-standing", STANDS, &[WORLD, STAND])]
}
