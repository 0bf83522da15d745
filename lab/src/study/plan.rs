//! What is run: rows of factors, from grids, seeds and samples.

use std::collections::BTreeSet;
use std::str::FromStr;

use super::StudyError;
use crate::random::Random;
use crate::tune::space::Range;
use crate::words::{fingerprint, spelled};

/// How much of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// As documented.
    Full,
    /// A small one, to see that it works.
    Quick,
}

impl Size {
    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Quick => "quick",
        }
    }
}

/// How trials of a cell become one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The mean, bootstrapped.
    Mean,
    /// The median, bootstrapped.
    Median,
    /// The share of ones among zeros and ones, after Wilson.
    Rate,
}

/// A number that every trial gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// Name of its column.
    pub name: &'static str,
    /// Its unit; empty for a plain number.
    pub unit: &'static str,
    /// How trials of a cell become one.
    pub kind: Kind,
}

/// One run of a study: the values of its factors, as text without commas. Numbers are spelled so that they read back as
/// the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Trial(pub Vec<String>);

impl Trial {
    /// What tells it from every other: its line's beginning in the results.
    pub fn key(&self) -> String {
        self.0.join(",")
    }

    /// The value of a factor, if it is there and of this type.
    pub fn get<T: FromStr>(&self, factor: usize) -> Option<T> {
        self.0.get(factor)?.parse().ok()
    }
}

/// The trials of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Names of the factors.
    pub factors: Vec<&'static str>,
    /// Factors that only repeat a trial under other luck (seeds, samples): cells are the trials that differ in these alone.
    pub repeats: Vec<&'static str>,
    /// What every trial gives.
    pub outcomes: Vec<Measured>,
    /// The trials, each once.
    pub trials: Vec<Trial>,
    /// Whether trials leave a note in words besides their numbers.
    pub noted: bool,
}

impl Plan {
    /// A plan of these trials in this order; one that comes twice is kept once.
    ///
    /// # Panics
    /// If a trial has not a value for each factor, or one that would break a line of the results: a fault of the study.
    pub fn new(
        factors: &[&'static str],
        repeats: &[&'static str],
        outcomes: &[Measured],
        trials: impl IntoIterator<Item = Vec<String>>,
    ) -> Self {
        let mut seen = BTreeSet::new();
        let fits = |cells: &Vec<String>| {
            cells.len() == factors.len() && cells.iter().all(|c| !c.contains([',', '"', '\n', '\r']))
        };
        let trials = trials
            .into_iter()
            .inspect(|cells| assert!(fits(cells), "a plain text for each of {factors:?}, not {cells:?}"))
            .map(Trial)
            .filter(|trial| seen.insert(trial.clone()))
            .collect();
        Self {
            factors: factors.to_vec(),
            repeats: repeats.to_vec(),
            outcomes: outcomes.to_vec(),
            trials,
            noted: false,
        }
    }

    /// The same with a note for every trial.
    #[must_use]
    pub fn with_notes(self) -> Self {
        Self { noted: true, ..self }
    }

    /// Which factor has this name.
    pub fn factor(&self, name: &str) -> Option<usize> {
        self.factors.iter().position(|f| *f == name)
    }

    /// Which outcome has this name.
    pub fn outcome(&self, name: &str) -> Option<usize> {
        self.outcomes.iter().position(|o| o.name == name)
    }

    /// The values of a factor, in the order they first come.
    pub fn values(&self, factor: usize) -> Vec<&str> {
        let mut values: Vec<&str> = Vec::new();
        let mut seen = BTreeSet::new();
        for trial in &self.trials {
            if seen.insert(trial.0[factor].as_str()) {
                values.push(&trial.0[factor]);
            }
        }
        values
    }

    /// The part of a shard: every n-th trial, so that shards take about as long as each other.
    pub fn shard(&self, shard: Shard) -> Vec<&Trial> {
        self.trials.iter().skip(shard.index - 1).step_by(shard.count).collect()
    }

    /// Of all that must agree for results to belong together.
    pub(super) fn fingerprint(&self) -> String {
        let columns = format!("{:?} {:?} {:?}\n", self.factors, self.repeats, self.outcomes);
        let trials = self.trials.iter().flat_map(|t| t.key().into_bytes().into_iter().chain(*b"\n"));
        spelled(fingerprint(columns.bytes().chain(trials)))
    }
}

/// All combinations of some values, the last axis fastest.
pub fn grid(axes: &[Vec<String>]) -> Vec<Vec<String>> {
    axes.iter().fold(vec![Vec::new()], |rows, axis| {
        let with = |row: &Vec<String>| {
            let row = row.clone();
            axis.iter().map(move |value| [row.clone(), vec![value.clone()]].concat())
        };
        rows.iter().flat_map(with).collect()
    })
}

/// `n` points that fill a box evenly: of `n` equal slices of each range every one holds one point (McKay, Beckman and
/// Conover 1979).
pub fn latin_hypercube(n: usize, ranges: &[Range], seed: u64, name: &str) -> Vec<Vec<f64>> {
    let mut random = Random::named(seed, name);
    let mut points = vec![vec![0.0; ranges.len()]; n];
    for (k, range) in ranges.iter().enumerate() {
        let mut slices: Vec<usize> = (0..n).collect();
        (1..n).rev().for_each(|i| slices.swap(i, random.below(i + 1)));
        for (point, slice) in points.iter_mut().zip(slices) {
            point[k] = range.at((slice as f64 + random.unit()) / n as f64);
        }
    }
    points
}

/// A part of a study: the `index`-th of `count`, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: usize,
    count: usize,
}

impl Shard {
    /// All of it.
    pub const WHOLE: Self = Self { index: 1, count: 1 };

    /// Whether it is all of it.
    pub fn is_whole(self) -> bool {
        self.count == 1
    }
}

impl FromStr for Shard {
    type Err = StudyError;

    fn from_str(text: &str) -> Result<Self, StudyError> {
        let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match parts {
            Some((index, count)) if (1..=count).contains(&index) => Ok(Self { index, count }),
            _ => Err(StudyError::Shard(text.to_owned())),
        }
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::space::Scale;

    fn numbers(n: usize) -> Vec<String> {
        (0..n).map(|k| k.to_string()).collect()
    }

    #[test]
    fn shards_make_the_whole_and_share_nothing() {
        let plan = Plan::new(&["a", "b"], &["b"], &[], grid(&[numbers(7), numbers(5)]));
        assert_eq!(plan.trials.len(), 35);
        for count in [1, 2, 3, 16, 50] {
            let mut all: Vec<&Trial> =
                (1..=count).flat_map(|index| plan.shard(Shard { index, count })).collect();
            all.sort_by_key(|t| plan.trials.iter().position(|p| p == *t));
            assert_eq!(all, plan.trials.iter().collect::<Vec<_>>());
        }
        for bad in ["0/3", "4/3", "1", "a/b", "1/0", "-1/2", ""] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_trial_that_comes_twice_is_run_once() {
        let twice = grid(&[numbers(2)]).into_iter().chain(grid(&[numbers(3)]));
        assert_eq!(Plan::new(&["a"], &[], &[], twice).values(0), ["0", "1", "2"]);
    }

    #[test]
    fn a_latin_hypercube_has_a_point_in_every_slice() {
        let ranges = [
            Range { lower: -1.0, upper: 1.0, scale: Scale::Linear },
            Range { lower: 1.0, upper: 100.0, scale: Scale::Log },
        ];
        let points = latin_hypercube(20, &ranges, 3, "test");
        assert_eq!(points, latin_hypercube(20, &ranges, 3, "test"));
        let slice = |part: f64| (20.0 * part) as usize;
        let across: BTreeSet<usize> = points.iter().map(|p| slice(0.5 * (p[0] + 1.0))).collect();
        let decades: BTreeSet<usize> = points.iter().map(|p| slice(0.5 * p[1].log10())).collect();
        assert!(across.len() == 20 && decades.len() == 20);
    }
}
