//! Quantities a scene may measure: one row each, beside the code that takes its samples.

use stuntlab_control::{Published, Together};
use stuntlab_physics::{Bodies, BodyId};

use super::sample::Start;
use crate::run::World;

/// How samples become one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stat {
    /// The largest.
    Max,
    /// The smallest.
    Min,
    /// The mean.
    Mean,
    /// The last.
    Last,
    /// The root of the mean square.
    Rms,
    /// The integral over time.
    Total,
}

impl Stat {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Max, Self::Min, Self::Mean, Self::Last, Self::Rms, Self::Total];

    /// Name, as scenes spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Max => "max",
            Self::Min => "min",
            Self::Mean => "mean",
            Self::Last => "last",
            Self::Rms => "rms",
            Self::Total => "total",
        }
    }

    /// What it is, in words.
    pub const fn help(self) -> &'static str {
        match self {
            Self::Max => "the largest sample",
            Self::Min => "the smallest",
            Self::Mean => "the mean",
            Self::Last => "the last",
            Self::Rms => "the root of the mean square",
            Self::Total => "the integral over time",
        }
    }
}

/// What a quantity is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// All there is.
    World,
    /// A body, or all of them.
    Any,
    /// A body that must be named; a character's name means its root.
    Body,
    /// A character, or all of them.
    Characters,
}

impl Subject {
    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::World => "all",
            Self::Any => "a body, else all",
            Self::Body => "a body",
            Self::Characters => "a character, else all",
        }
    }
}

/// What there is to look at after a step.
pub struct Look<'a> {
    /// The world.
    pub world: &'a World,
    /// The body the measurement is of, or the root of its character.
    pub of: Option<BodyId>,
    /// Names in the order in which the measurement expects them.
    pub order: &'a [String],
    pub(super) start: &'a Start,
}

/// How a quantity is sampled.
#[derive(Clone, Copy, Debug)]
pub enum Take {
    /// By a function; `None` where there is nothing to say.
    Sample(fn(&Look<'_>) -> Option<f64>),
    /// From what controllers publish under the quantity's name.
    Reading(Together),
}

/// What the root of the mean square is relative to.
#[derive(Clone, Copy, Debug)]
pub struct Base {
    /// Of what.
    pub of: fn(&Look<'_>) -> f64,
    /// But at least this.
    pub least: f64,
}

/// A quantity: a row of [`QUANTITIES`](super::QUANTITIES), or of another crate's.
#[derive(Clone, Copy, Debug)]
pub struct Quantity {
    /// Name, as scenes spell it.
    pub name: &'static str,
    /// What it is, one line.
    pub help: &'static str,
    /// Unit of a sample; empty for counts, `of 1` for shares.
    pub unit: &'static str,
    /// Unit of the integral over time.
    pub total_unit: &'static str,
    /// What it is about.
    pub subject: Subject,
    /// How samples become one number where the scene does not say.
    pub stat: Stat,
    /// Sampled this long before the end only, s, where the scene does not say from when on.
    pub before_end: Option<f64>,
    /// How it is sampled.
    pub take: Take,
    /// What its root of the mean square is relative to, if to anything.
    pub base: Option<Base>,
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Quantity {
    /// A row with the largest sample as usual.
    pub const fn new(
        name: &'static str,
        unit: &'static str,
        subject: Subject,
        help: &'static str,
        sample: fn(&Look<'_>) -> Option<f64>,
    ) -> Self {
        Self {
            name,
            help,
            unit,
            total_unit: unit,
            subject,
            stat: Stat::Max,
            before_end: None,
            take: Take::Sample(sample),
            base: None,
        }
    }

    /// The same with another usual stat.
    #[must_use]
    pub const fn usually(mut self, stat: Stat) -> Self {
        self.stat = stat;
        self
    }

    /// The same with a unit of its integral, which is the usual stat.
    #[must_use]
    pub const fn totalling(mut self, unit: &'static str) -> Self {
        (self.stat, self.total_unit) = (Stat::Total, unit);
        self
    }

    /// What controllers publish under a name.
    pub const fn of_reading(reading: &Published) -> Self {
        let stat = match reading.together {
            Together::Mean => Stat::Mean,
            Together::Least => Stat::Min,
            Together::Sum | Together::Most => Stat::Max,
        };
        Self {
            name: reading.name,
            help: reading.help,
            unit: reading.unit,
            total_unit: reading.unit,
            subject: Subject::Characters,
            stat,
            before_end: None,
            take: Take::Reading(reading.together),
            base: None,
        }
    }

    /// Unit of the number reported.
    pub fn unit_of(&self, stat: Stat) -> &'static str {
        if stat == Stat::Total { self.total_unit } else { self.unit }
    }

    /// Whether the characters must be watched for it, with their references and feet.
    pub(crate) fn is_watched(&self) -> bool {
        self.subject == Subject::Characters && matches!(self.take, Take::Sample(_))
    }

    /// A sample.
    pub(super) fn sample(&self, look: &Look<'_>) -> Option<f64> {
        match self.take {
            Take::Sample(sample) => sample(look),
            Take::Reading(together) => {
                let of = |bodies: Bodies| look.of.is_none_or(|b| bodies.contains(b));
                let all = look.world.cast().iter().zip(&look.world.controllers);
                together
                    .join(all.filter(|(m, _)| of(m.bodies)).filter_map(|(_, c)| c.readings().get(self.name)))
            }
        }
    }
}
