//! Times of worlds that take turns of some steps each, so that whatever else the machine does befalls all alike, and a world is in the caches while it
//! has its turn.

use std::time::Instant;

/// Turns; steps of one before the first that counts, and those that count.
const TURNS: usize = 10;
const WARM: usize = 20;
const STEPS: usize = 60;

/// Times each of several, µs, least first: `step` takes a step and says whether it counts, `after` is called when a turn ends, untimed.
pub(super) fn in_turns<T>(
    all: &mut [T],
    mut step: impl FnMut(&mut T) -> bool,
    mut after: impl FnMut(&mut T),
) -> Vec<Times> {
    let mut times = vec![Times::default(); all.len()];
    for _ in 0..TURNS {
        for (one, times) in all.iter_mut().zip(&mut times) {
            for k in 0..WARM + STEPS {
                let start = Instant::now();
                let counts = step(one);
                let took = 1e6 * start.elapsed().as_secs_f64();
                if k >= WARM && counts {
                    times.add(took);
                }
            }
            after(one);
        }
    }
    times
}

/// Times of one thing, µs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Times(Vec<f64>);

impl Times {
    pub(super) fn add(&mut self, took: f64) {
        self.0.push(took);
    }

    /// The least of them, which other work disturbs least; NaN of none.
    pub(super) fn least(&self) -> f64 {
        self.0.iter().copied().fold(f64::NAN, f64::min)
    }

    /// Their median; NaN of none.
    pub(super) fn median(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_has_as_many_turns_and_what_fails_does_not_count() {
        let mut steps = [(0, 0), (0, 0)];
        let times = in_turns(
            &mut steps,
            |s| {
                s.0 += 1;
                s.0 % 2 == 0
            },
            |s| s.1 += 1,
        );
        assert_eq!(steps, [(TURNS * (WARM + STEPS), TURNS); 2]);
        assert!(times.iter().all(|t| t.0.len() == TURNS * STEPS / 2 && t.least() <= t.median()));
        assert!(Times::default().least().is_nan() && Times::default().median().is_nan());
    }
}
