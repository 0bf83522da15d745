//! Learning pre-conditions: samples of a skill's successes and failures, classifiers from them, and how good these are (Faloutsos, van de Panne and
//! Terzopoulos 2001, section 4.2).
//!
//! ```text
//! nominal state --0.3 s of random force and offsets--> state --features--> row
//!                                                      state --the skill--> label      samples: one line of a store each
//! rows, labels --grid, folds--> kernel, cost --smo--> machine --others--> threshold    svm, fit, judge: numbers only
//! ```

pub mod course;
pub mod fit;
pub mod judge;
pub mod practice;
pub mod sampler;
pub mod samples;
pub mod sampling;
pub mod svm;
pub mod table;

pub use course::{Effort, Learned, learn};
pub use fit::{About, Fit};
pub use practice::{PRACTICES, Practice};
pub use samples::{Samples, Standard};
pub use sampling::{Bounds, Ground};
