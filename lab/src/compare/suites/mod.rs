//! The suites: which set-ups, under what, and what is known of each beforehand. Adding a set-up is adding its scene and its row.

mod articulated;
mod characters;
mod contact;
mod free_bodies;
mod hard_contact;
mod servo;

use super::ask::Case;
use super::setup::Setup;
use crate::study::Size;

/// A suite.
#[derive(Clone, Copy)]
pub struct Suite {
    /// Name, as in `stuntlab compare NAME`.
    pub name: &'static str,
    /// What it compares, one line.
    pub shows: &'static str,
    /// Its set-ups with what is varied.
    pub cases: fn(Size) -> Vec<Case>,
}

/// All suites, by name.
pub const SUITES: &[Suite] = &[
    articulated::SUITE,
    characters::SUITE,
    contact::SUITE,
    free_bodies::SUITE,
    hard_contact::SUITE,
    servo::SUITE,
];

/// All set-ups.
pub(super) const SETUPS: &[&[Setup]] = &[
    articulated::SETUPS,
    characters::SETUPS,
    contact::SETUPS,
    free_bodies::SETUPS,
    hard_contact::SETUPS,
    servo::SETUPS,
];

/// Keys of axes.
const FORMULATION: &str = "formulation";
const INTEGRATOR: &str = "integrator";
const DYNAMICS: &str = "dynamics";
const RATE: &str = "rate";

/// Formulations.
const CONVEX: &str = "implicit-penalty";
const PGS: &str = "lcp-pgs";
const DANTZIG: &str = "lcp-dantzig";
const PENALTY: &str = "penalty";
const RIGID: &[&str] = &[CONVEX, PGS, DANTZIG];
const ALL: &[&str] = &[CONVEX, PGS, DANTZIG, PENALTY];
const INTEGRATORS: &[&str] = &["semi-implicit-euler", "rk4", "implicit-velocity"];

/// The full list, or the quick one.
fn sized(
    size: Size,
    full: &'static [&'static str],
    quick: &'static [&'static str],
) -> &'static [&'static str] {
    match size {
        Size::Full => full,
        Size::Quick => quick,
    }
}

/// Smooth motion: the plain integrators, the formulations, and maximal coordinates.
fn smooth(name: &str, rates: &[&str], maximal: &[&str]) -> Vec<Case> {
    vec![
        Case::of(name, &[(INTEGRATOR, INTEGRATORS), (RATE, rates)]),
        Case::of(name, &[(FORMULATION, &[CONVEX, PGS]), (RATE, rates)]),
        Case::of(name, &[(FORMULATION, &[PGS]), (DYNAMICS, &["maximal"]), (RATE, maximal)]),
    ]
}

/// Contact: formulations, and maximal coordinates under one of them.
fn touching(name: &str, formulations: &[&str], rates: &[&str], maximal: &[&str]) -> Vec<Case> {
    let mut cases = vec![Case::of(name, &[(FORMULATION, formulations), (RATE, rates)])];
    if !maximal.is_empty() {
        cases.push(Case::of(name, &[(FORMULATION, &[PGS]), (DYNAMICS, &["maximal"]), (RATE, maximal)]));
    }
    cases
}

/// A value in few words.
pub(super) fn label(value: &str) -> String {
    let known = characters::LABELS.iter().find(|(v, _)| *v == value);
    known.map_or_else(|| value.to_owned(), |(_, label)| (*label).to_owned())
}

/// The last value of a curve.
fn last(curve: &[(f64, f64)]) -> f64 {
    curve.last().map_or(f64::NAN, |(_, x)| *x)
}

/// The largest value of a curve from a share of its time on.
fn most_after(curve: &[(f64, f64)], share: f64) -> f64 {
    let end = curve.last().map_or(0.0, |(t, _)| *t);
    let late = curve.iter().filter(|(t, _)| *t >= share * end);
    late.map(|(_, x)| *x).fold(f64::NAN, f64::max)
}
