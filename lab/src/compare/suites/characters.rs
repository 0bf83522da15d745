//! The same recorded walk and the same push under every controller that tracks one, and every formulation.

use super::super::ask::Case;
use super::super::setup::{Make, Setup};
use super::{FORMULATION, RATE, RIGID, Suite, sized};
use crate::study::Size;

/// The suite's row.
pub(super) const SUITE: Suite = Suite {
    name: "characters",
    shows: "A recorded walk and a push under controllers and formulations: tracking error, jitter, survival, work, aids, cost",
    cases,
};

/// The set-ups.
pub(super) const SETUPS: &[Setup] = &[Setup {
    name: "compare-tracking",
    source: "Ours; controllers after Wrotek et al. (2006) and Lligadas et al.",
    columns: &["falls", "tracking", "jitter", "aid_work", "muscle_work", "penetration", "cone", "iterations"],
    headline: None,
    pieces: None,
    make: Make::Scene,
}];

/// Who tracks it: torques in the world, to the parent, stable servos, rates with muscle limits.
const CONTROLLERS: &[&str] = &[
    "{ kind = \"dynamo\" }",
    "{ kind = \"dynamo\", application = \"parent-internal\" }",
    "{ kind = \"velocity-track\", floor = 0.0908, firmness = 24.4, muscles = { drive = \"servos\" } }",
    "{ kind = \"velocity-track\", floor = 0.0908, firmness = 24.4 }",
];

const FEW: &[&str] = &[CONTROLLERS[0], CONTROLLERS[3]];

/// Their names in tables and plots.
pub(super) const LABELS: [(&str, &str); 4] = [
    (CONTROLLERS[0], "torques in the world"),
    (CONTROLLERS[1], "torques to the parent"),
    (CONTROLLERS[2], "stable servos"),
    (CONTROLLERS[3], "rates with muscles"),
];

fn cases(size: Size) -> Vec<Case> {
    let controllers = sized(size, CONTROLLERS, FEW);
    let rates = sized(size, &["120", "240"], &["120"]);
    let formulations = sized(size, RIGID, &RIGID[..2]);
    let axes: [(&str, &[&str]); 3] =
        [("character.0.controller", controllers), (FORMULATION, formulations), (RATE, rates)];
    vec![Case::of("compare-tracking", &axes)]
}
