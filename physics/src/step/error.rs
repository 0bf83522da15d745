//! Why a step was refused or went wrong. The state is left as it was.

use thiserror::Error;

/// A step that did not happen.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the message of each variant says what its fields mean")]
pub enum StepError {
    #[error("step length is {dt} s, expected a positive finite number")]
    BadStep { dt: f64 },
    #[error("{found} {what}, expected {expected}, as many as the model has")]
    WrongLength { what: &'static str, found: usize, expected: usize },
    #[error("{what} of body '{body}' is {value} at t = {time} s, expected a finite number")]
    BadInput { what: &'static str, body: String, value: f64, time: f64 },
    #[error("{what} of body '{body}' makes no sense at t = {time} s, expected {expected}")]
    BadActuation { what: &'static str, body: String, expected: &'static str, time: f64 },
    #[error(
        "the step at t = {time} s went wrong: {what} of body '{body}' became {value}; \
         first bad term: {term}"
    )]
    NotFinite { what: &'static str, body: String, value: f64, time: f64, term: String },
}
