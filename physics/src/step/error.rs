//! Why a step was refused or went wrong. The state is left as it was.

use thiserror::Error;

use crate::actuation::Key;

/// A step that did not happen.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the message of each variant says what its fields mean")]
pub enum StepError {
    #[error("step length is {dt} s, expected a positive finite number")]
    BadStep { dt: f64 },
    #[error("the step's {what} is {value}, expected a number that is not negative")]
    BadOption { what: &'static str, value: f64 },
    #[error("{found} {what}, expected {expected}, as many as the model has")]
    WrongLength { what: &'static str, found: usize, expected: usize },
    #[error("{what} of body '{body}' is {value} at t = {time} s, expected a finite number")]
    BadInput { what: &'static str, body: String, value: f64, time: f64 },
    #[error("{what} of body '{body}' makes no sense at t = {time} s, expected {expected}")]
    BadActuation { what: &'static str, body: String, expected: &'static str, time: f64 },
    #[error("{what} of body '{body}' (key {key}) makes no sense at t = {time} s, expected {expected}")]
    BadRow { what: &'static str, key: Key, body: String, expected: &'static str, time: f64 },
    #[error("two {what} have the key {key} at t = {time} s, expected every one to have its own")]
    SameKey { what: &'static str, key: Key, time: f64 },
    #[error(
        "{what} of body '{body}' must act at t = {time} s, but the integrator {integrator} takes smooth motion only; expected \
         none, or no integrator besides the formulation's own"
    )]
    NotSmooth { what: &'static str, body: String, integrator: &'static str, time: f64 },
    #[error(
        "explicit springs on body '{body}' are too stiff at t = {time} s: they need sub-steps of {substep:.2e} s, {needed:.0} in a \
         step where {allowed} are allowed; expected a rate of {rate:.0} Hz or more, more sub-steps (most_substeps), softer \
         gains or another formulation"
    )]
    TooStiff { body: String, time: f64, substep: f64, needed: f64, allowed: usize, rate: f64 },
    #[error(
        "the step at t = {time} s went wrong: {what} of body '{body}' became {value}; \
         first bad term: {term}"
    )]
    NotFinite { what: &'static str, body: String, value: f64, time: f64, term: String },
}
