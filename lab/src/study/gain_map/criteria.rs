//! What it means that a law holds at a gain. There is no one right answer, so there are several, side by side.
//!
//! A run that fell holds under none of them. Of the others an error is bounded, and under half of the criteria jitter, too:
//!
//! | name | bound |
//! |---|---|
//! | `relative` | 1.5 times the least error of the same law, task and push over all factors: is the gain *insensitive*? |
//! | `absolute` | 0.15 rad: is the tracking *good enough*? |
//! | `attitude` | 0.15 rad with the root's own attitude: does it also *lean* as the motion does? |
//! | `…, calm` | and jitter of no more than three times the motion's own |
//!
//! A gain holds for all tasks at once where it holds for each of them. What is usable is the longest unbroken stretch of factors
//! that hold; so all at once never has more of them than any part.

use super::rollout::Outcome;

/// An error nobody minds, rad: what a tracker of these motions is asked for.
pub const GOOD_ENOUGH: f64 = 0.15;
/// How much more than the least error is still as good.
pub const AS_GOOD: f64 = 1.5;
/// Jitter of the motion's own that is not seen as trembling. Scenes ask for 1.6 to 2.1 without a push; half as much again for one.
pub const CALM: f64 = 3.0;

/// What is bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The error, by [`AS_GOOD`] times the least.
    Relative,
    /// The error, by [`GOOD_ENOUGH`].
    Absolute,
    /// The error with the root's attitude, by [`GOOD_ENOUGH`].
    Attitude,
}

/// When a run holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Criterion {
    /// Which error is bounded by what.
    pub bound: Bound,
    /// Whether jitter is bounded, too.
    pub calm: bool,
}

impl Criterion {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self { bound: Bound::Relative, calm: false },
        Self { bound: Bound::Relative, calm: true },
        Self { bound: Bound::Absolute, calm: false },
        Self { bound: Bound::Absolute, calm: true },
        Self { bound: Bound::Attitude, calm: false },
        Self::STRICT,
    ];
    /// The whole pose to 0.15 rad, without trembling.
    pub const STRICT: Self = Self { bound: Bound::Attitude, calm: true };

    /// Name in tables.
    pub const fn name(self) -> &'static str {
        match (self.bound, self.calm) {
            (Bound::Relative, false) => "relative",
            (Bound::Relative, true) => "relative, calm",
            (Bound::Absolute, false) => "absolute",
            (Bound::Absolute, true) => "absolute, calm",
            (Bound::Attitude, false) => "attitude",
            (Bound::Attitude, true) => "attitude, calm",
        }
    }

    /// Where along a line of factors it holds; `None` and what is not a number do not.
    pub fn along(self, line: &[Option<Outcome>]) -> Vec<bool> {
        let up = |o: &Option<Outcome>| o.filter(|o| o.survived);
        let least = line.iter().filter_map(up).map(|o| o.error).fold(f64::INFINITY, f64::min);
        line.iter().map(|o| up(o).is_some_and(|o| self.holds(&o, least))).collect()
    }

    /// Whether a run holds, with the least error of its line.
    pub fn holds(self, o: &Outcome, least: f64) -> bool {
        let small = match self.bound {
            Bound::Relative => o.error <= AS_GOOD * least,
            Bound::Absolute => o.error <= GOOD_ENOUGH,
            Bound::Attitude => o.attitude <= GOOD_ENOUGH,
        };
        o.survived && small && (!self.calm || o.jitter <= CALM)
    }
}

/// Where all of several lines hold.
pub fn together(lines: &[Vec<bool>]) -> Vec<bool> {
    let n = lines.iter().map(Vec::len).min().unwrap_or(0);
    (0..n).map(|k| lines.iter().all(|line| line[k])).collect()
}

/// How many neighbouring factors hold at most.
pub fn longest(holds: &[bool]) -> usize {
    holds.split(|held| !held).map(<[bool]>::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn outcome(error: f64, attitude: f64, jitter: f64, survived: bool) -> Option<Outcome> {
        Some(Outcome { error, attitude, jitter, cheat: 0.0, up: 1.0, survived })
    }

    #[test]
    fn each_criterion_bounds_what_it_says_and_a_fall_fails_all() {
        let line = [
            outcome(0.010, 0.05, 1.0, false), // fell with the least error: neither good nor a yardstick
            outcome(0.020, 0.05, 1.0, true),
            outcome(0.029, 0.20, 1.0, true),
            outcome(0.031, 0.14, 5.0, true),
            outcome(0.140, 0.14, 1.0, true),
            outcome(0.160, 0.10, 1.0, true),
            outcome(f64::NAN, f64::NAN, f64::NAN, true),
            None,
        ];
        let held = |k: usize| {
            Criterion::ALL[k].along(&line).iter().map(|h| if *h { '1' } else { '0' }).collect::<String>()
        };
        assert_eq!([held(0), held(1)], ["01100000", "01100000"], "relative");
        assert_eq!([held(2), held(3)], ["01111000", "01101000"], "absolute");
        assert_eq!([held(4), held(5)], ["01011100", "01001100"], "attitude");
    }

    #[test]
    fn a_law_that_falls_everywhere_holds_nowhere() {
        let line = vec![outcome(0.01, 0.01, 0.5, false); 5];
        for criterion in Criterion::ALL {
            assert_eq!(longest(&criterion.along(&line)), 0);
        }
    }

    #[test]
    fn the_usable_stretch_is_the_longest_unbroken_one() {
        assert_eq!(longest(&[]), 0);
        assert_eq!(longest(&[false, false]), 0);
        assert_eq!(longest(&[true, false, true, true, false, true]), 2);
        assert_eq!(longest(&[true; 11]), 11);
    }

    fn line() -> impl Strategy<Value = Vec<Option<Outcome>>> {
        let one = (0.0..0.4_f64, 0.0..0.4_f64, 0.0..6.0_f64, prop::bool::weighted(0.8));
        prop::collection::vec(one.prop_map(|(e, a, j, up)| outcome(e, a, j, up)), 11)
    }

    proptest! {
        #[test]
        fn all_at_once_never_exceeds_any_part(tasks in prop::collection::vec(line(), 1..7)) {
            for criterion in Criterion::ALL {
                let parts: Vec<Vec<bool>> = tasks.iter().map(|task| criterion.along(task)).collect();
                let all = longest(&together(&parts));
                for part in &parts {
                    prop_assert!(all <= longest(part));
                }
            }
        }

        #[test]
        fn a_bound_on_jitter_never_helps(task in line()) {
            for pair in Criterion::ALL.chunks(2) {
                let (free, calm) = (pair[0].along(&task), pair[1].along(&task));
                prop_assert!(free.iter().zip(&calm).all(|(free, calm)| *free || !*calm));
            }
        }
    }
}
