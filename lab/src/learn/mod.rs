//! Learning pre-conditions: samples of a skill's successes and failures, classifiers from them, and how good these are (Faloutsos, van de Panne and
//! Terzopoulos 2001, section 4.2).
//!
//! ```text
//! nominal state --0.3 s of random force and offsets--> state --features--> row
//!                                                      state --the skill--> label      samples: one line of a store each
//! rows, labels --grid, folds--> kernel, cost --smo--> machine --others--> threshold    svm, fit, judge: numbers only
//! ```

pub mod fit;
pub mod judge;
pub mod samples;
pub mod svm;

pub use fit::{About, Fit};
pub use samples::{Samples, Standard};
