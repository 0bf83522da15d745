//! Settings of a character that answers what disturbs it.

use super::effort::Estimate;
use super::stepping::StepOptions;
use super::whole::WholeOptions;

/// What becomes of a body that no step can save.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GiveUp {
    /// It leans as far as it may and stays up.
    Never,
    /// A rag doll.
    Ragdoll,
    /// World-space tracking of the same motion, with its weak balance.
    Dynamo,
}

/// Settings.
#[derive(Clone, Debug, PartialEq)]
pub struct AdaptiveOptions {
    /// ε: ratio of torques from which a joint is simulated.
    pub threshold: f64,
    /// How A + B are found.
    pub estimate: Estimate,
    /// Whether joints become dynamic at all.
    pub local: bool,
    /// Whether everything that may does so at the first touch.
    pub everything: bool,
    /// Joints that may be dynamic at once.
    pub most: usize,
    /// Names of bones that never are, without the character's own.
    pub keep: Vec<String>,
    /// Frequency of the tracker, rad/s, and its damping ratio.
    pub frequency: f64,
    /// See `frequency`.
    pub damping_ratio: f64,
    /// Whether the whole body answers.
    pub global: bool,
    /// How.
    pub whole: WholeOptions,
    /// Whether it steps.
    pub steps: bool,
    /// How.
    pub stepping: StepOptions,
    /// What then.
    pub give_up: GiveUp,
}

impl Default for AdaptiveOptions {
    fn default() -> Self {
        Self {
            threshold: 0.25, // as published
            estimate: Estimate::Jointwise,
            local: true,
            everything: false,
            most: usize::MAX,
            keep: Vec::new(),
            // Between what sways visibly and what is back within half a second.
            frequency: 16.0,
            damping_ratio: 0.8,
            global: true,
            whole: WholeOptions::default(),
            steps: true,
            stepping: StepOptions::default(),
            give_up: GiveUp::Ragdoll,
        }
    }
}
