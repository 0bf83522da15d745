//! Restarts with a population that doubles: a search that has ended somewhere begins again elsewhere with more samples,
//! which sees more of the landscape and less of its dents (IPOP-CMA-ES, Auger and Hansen 2005).

use serde::{Deserialize, Serialize};

use super::cma::{Cma, Settings, Stop};
use crate::random::{Random, seed_of};

/// A search with restarts over a cube. Saved between generations and read again it goes on to the same bits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ipop {
    search: Cma,
    settings: Settings,
    /// Where restarts begin: evenly in this range of every coordinate.
    region: (f64, f64),
    restarts: u32,
    #[serde(with = "crate::random::saved")]
    random: Random,
    seed: u64,
}

impl Ipop {
    /// A search from `start` on. Restarts begin anywhere in `region`, the same for all coordinates.
    ///
    /// # Panics
    /// As [`Cma::new`].
    pub fn new(start: &[f64], settings: Settings, region: (f64, f64), seed: u64) -> Self {
        let search = Cma::new(start, settings, seed);
        let settings = Settings { population: search.population(), ..settings };
        Self { search, settings, region, restarts: 0, random: Random::named(seed, "restarts"), seed }
    }

    /// The search that is going on.
    pub fn search(&self) -> &Cma {
        &self.search
    }

    /// Restarts so far.
    pub fn restarts(&self) -> u32 {
        self.restarts
    }

    /// The samples of the next generation.
    pub fn ask(&mut self) -> Vec<Vec<f64>> {
        self.search.ask()
    }

    /// Takes the costs of the samples last asked for. Where the search has ended it says why, and the next generation is
    /// a restart's.
    ///
    /// # Panics
    /// As [`Cma::tell`].
    pub fn tell(&mut self, costs: &[f64]) -> Option<Stop> {
        self.search.tell(costs);
        let stop = self.search.stopped()?;
        self.restarts += 1;
        let (low, high) = self.region;
        let n = self.search.mean().len();
        let start: Vec<f64> = (0..n).map(|_| low + (high - low) * self.random.unit()).collect();
        // Twenty doublings are more than any machine evaluates.
        let population = self.settings.population << self.restarts.min(20);
        let settings = Settings { population, ..self.settings };
        self.search = Cma::new(&start, settings, seed_of(self.seed, &format!("restart {}", self.restarts)));
        Some(stop)
    }

    /// As [`Cma::begin_again`].
    pub fn begin_again(&mut self, sigma: f64) {
        self.search.begin_again(sigma);
    }
}
