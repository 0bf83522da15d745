//! Learned pre-conditions: whether a skill will succeed from the state a character is in, as a classifier that was trained elsewhere
//! (Faloutsos, van de Panne and Terzopoulos 2001, section 4.2).
//!
//! ```text
//! Sense --Features--> numbers that know no place and no heading --standardised--> f(x) > δ
//! ```
//! Nothing here trains: a [`Classifier`] is plain data, read from a file ([`Classifier::parse`]) and never changed. It says which figure it was trained on
//! and which features it reads, and a [`Judge`] refuses any other. Deciding allocates nothing.
//!
//! ```
//! use stuntlab_control::learned::{Classifier, Kernel, Machine, Trained};
//!
//! // x above 2 will do: the decision 1·(x - 2) on one feature as it is.
//! let classifier = Classifier {
//!     skill: "stand".into(),
//!     figure: 0,
//!     names: vec!["pelvis height".into()],
//!     mean: vec![2.0],
//!     scale: vec![1.0],
//!     machine: Machine::new(Kernel::Linear, 1, vec![1.0], vec![1.0], 0.0),
//!     threshold: 0.0,
//!     trained: Trained::default(),
//! };
//! let decider = classifier.decider();
//! assert!(decider.decide(&[2.5]) > 0.0 && decider.decide(&[1.5]) < 0.0);
//! assert_eq!(Classifier::parse("stand.toml", &classifier.to_toml())?, classifier);
//! # Ok::<(), stuntlab_control::settings::SettingError>(())
//! ```

mod decider;
mod features;
mod file;
mod machine;

pub use decider::{Decider, Judge};
pub use features::{Features, LAYOUT, figure_fingerprint};
pub use machine::{Kernel, Machine};

/// What a classifier was trained on, for people.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trained {
    /// Samples it was trained on.
    pub samples: usize,
    /// How many of them were successes.
    pub successes: usize,
    /// Samples the threshold was chosen on: none of those.
    pub calibration: usize,
    /// Share of successes among those of them that it accepts.
    pub precision: f64,
    /// Share of all their successes that it accepts.
    pub recall: f64,
    /// The command it came from.
    pub command: String,
}

/// A trained classifier of a skill's success.
#[derive(Clone, Debug, PartialEq)]
pub struct Classifier {
    /// The skill.
    pub skill: String,
    /// Fingerprint of the figure it is about ([`figure_fingerprint`]).
    pub figure: u64,
    /// Names of the features, in order.
    pub names: Vec<String>,
    /// Subtracted from every feature.
    pub mean: Vec<f64>,
    /// What is left is multiplied by it; 0 for a feature that never changed.
    pub scale: Vec<f64>,
    /// What decides.
    pub machine: Machine,
    /// `δ`: the skill can where `f(x) > δ`.
    pub threshold: f64,
    /// What it was trained on.
    pub trained: Trained,
}

impl Classifier {
    /// Ready to decide.
    pub fn decider(&self) -> Decider {
        Decider::new(self)
    }
}
