//! What a skill is: a controller that says when it can work, what it achieves and whether it is still doing well.
//!
//! | the paper's | here |
//! |---|---|
//! | pre-conditions `P` | [`Terms::before`], then [`Terms::learned`] of what is left |
//! | post-conditions `O` | [`Terms::after`], held for [`Terms::settled`] |
//! | expected performance `E` | [`Terms::during`], missed for [`Terms::patience`] |
//! | suitability score | [`Bid::score`], 0 to 20 |

use std::fmt;
use std::sync::Arc;

use stuntlab_physics::{Actuation, State};

use super::features::Features;
use super::quantity::Facts;
use super::relation::{Conditions, Unmet};
use crate::controller::{Controller, Sense};

/// The highest bid.
pub const MOST: u8 = 20;
/// What is added to the weight of a skill that also reaches the goal.
pub const REACHING: u8 = 10;

/// A classifier of states, learned from experience: asked after the analytic pre-conditions, which prune.
pub trait Learned: fmt::Debug + Send + Sync {
    /// How sure it is that the skill will succeed from a state of these features ([`Features`]): above 0 it says yes.
    fn decide(&self, features: &[f64]) -> f64;
}

/// The terms of a skill.
#[derive(Clone, Debug)]
pub struct Terms {
    /// Its name.
    pub name: &'static str,
    /// Its place among others that can do something, 1 to 10.
    pub weight: u8,
    /// Whether it reaches the goal that is always wanted, to stand balanced, where no command asks for something else.
    pub reaches: bool,
    /// Whether it begins only when it is asked for.
    pub voluntary: bool,
    /// Whether it may take over at any time, however short the one before has acted.
    pub urgent: bool,
    /// Where it can work.
    pub before: Conditions,
    /// What it brings about.
    pub after: Conditions,
    /// How long that must last, s.
    pub settled: f64,
    /// What is the case as long as it does well.
    pub during: Conditions,
    /// How long that may be missed, s.
    pub patience: f64,
    /// What it has learned about where it works.
    pub learned: Option<Arc<dyn Learned>>,
}

impl Terms {
    /// A skill of this name that begins anywhere, brings about nothing in particular and never fails.
    pub fn new(name: &'static str, weight: u8) -> Self {
        Self {
            name,
            weight,
            reaches: false,
            voluntary: false,
            urgent: false,
            before: Conditions::default(),
            after: Conditions::default(),
            settled: 0.0,
            during: Conditions::default(),
            patience: 0.0,
            learned: None,
        }
    }

    /// The bid by conditions alone: success or failure of the pre-conditions times a weight.
    pub fn bid(&self, state: &Look<'_>) -> Bid {
        if self.voluntary && !state.asked {
            return Bid { score: 0, why: Why::NotAsked };
        }
        if let Some(unmet) = self.before.unmet(state.facts) {
            return Bid { score: 0, why: Why::Unmet(unmet) };
        }
        if let Some(learned) = &self.learned {
            let sure = learned.decide(state.features.values());
            // What is no number is no yes.
            if sure.is_nan() || sure <= 0.0 {
                return Bid { score: 0, why: Why::Learned(sure) };
            }
        }
        let reaching = if self.reaches { REACHING } else { 0 };
        Bid { score: (self.weight.clamp(1, REACHING) + reaching).min(MOST), why: Why::Fits }
    }

    /// How it does by conditions alone.
    pub fn judge(&self, facts: &Facts) -> Status {
        if let Some(unmet) = self.during.unmet(facts) {
            return Status::Failure(unmet);
        }
        if !self.after.regions().is_empty() && self.after.hold(facts) {
            return Status::Success;
        }
        Status::Nominal
    }
}

/// What a skill is told when it is asked for a bid.
pub struct Look<'a> {
    /// Quantities of the state, the environment, balance and the goal.
    pub facts: &'a Facts,
    /// The state as classifiers see it.
    pub features: &'a Features,
    /// Whether a command asks for it.
    pub asked: bool,
}

/// How suited a skill says it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bid {
    /// 0 unsuited; 1 to 10 something sensible can be done; 10 to 20 the goal is reached, too.
    pub score: u8,
    /// Why.
    pub why: Why,
}

/// Why a skill bids what it does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Why {
    /// Its pre-conditions hold.
    Fits,
    /// One of them does not.
    Unmet(Unmet),
    /// It waits to be asked.
    NotAsked,
    /// It has learned that it does not work here; how sure it is.
    Learned(f64),
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fits => f.write_str("fits"),
            Self::Unmet(unmet) => unmet.fmt(f),
            Self::NotAsked => f.write_str("waits to be asked"),
            Self::Learned(sure) => write!(f, "learned not to ({sure:.2})"),
        }
    }
}

/// How an active skill does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Status {
    /// As expected.
    Nominal,
    /// It has brought about what it is for.
    Success,
    /// It will not; what is not as it expects.
    Failure(Unmet),
}

/// A controller that can be composed with others. What it writes is all that drives the character while it is active.
pub trait Skill: Send {
    /// Its terms.
    fn terms(&self) -> &Terms;

    /// Its terms, to be changed by a scene or a learner.
    fn terms_mut(&mut self) -> &mut Terms;

    /// How suited it is for a state.
    fn bid(&self, state: &Look<'_>) -> Bid {
        self.terms().bid(state)
    }

    /// Becomes active.
    fn begin(&mut self, sense: &Sense<'_>);

    /// Another one takes over.
    fn end(&mut self) {}

    /// Writes this step's actuation of the character's bodies.
    fn act(&mut self, sense: &Sense<'_>, out: &mut Actuation);

    /// How it does.
    fn judge(&self, facts: &Facts) -> Status {
        self.terms().judge(facts)
    }

    /// How far it has come with what it does, 0 to 1.
    fn progress(&self) -> f64 {
        1.0
    }

    /// The pose it strives for, coordinates of the character's own model, the root's apart.
    fn pose(&self) -> Option<&State> {
        None
    }

    /// The controller it is made of, if it is made of one: its readings and its commands are the character's, too.
    fn controller(&self) -> Option<&dyn Controller> {
        None
    }

    /// The same, to be told something.
    fn controller_mut(&mut self) -> Option<&mut dyn Controller> {
        None
    }

    /// A copy with the same memory.
    fn boxed_clone(&self) -> Box<dyn Skill>;
}

impl Clone for Box<dyn Skill> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}
