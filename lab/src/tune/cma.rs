//! CMA-ES: minimises a function of real numbers from the ranks of its values alone.
//!
//! Hansen, "The CMA Evolution Strategy: A Tutorial", arXiv 1604.00772 (key Hansen 2016); numbers in parentheses are its
//! equations. A generation samples `x = m + σ y`, `y ~ N(0, C)`, and moves `m`, `σ` and `C` towards what came out best:
//!
//! ```text
//! z ~ N(0, I), y = B D z, x = m + σ y                                          (38) to (40)
//! ⟨y⟩ = Σ wᵢ yᵢ over the better half, m ← m + σ ⟨y⟩                            (41), (42), c_m = 1
//! p_σ ← (1 - c_σ) p_σ + √(c_σ (2 - c_σ) μ_eff) C^(-½) ⟨y⟩                      (43)
//! σ ← σ exp(c_σ / d_σ (‖p_σ‖ / E‖N(0, I)‖ - 1))                                (44)
//! p_c ← (1 - c_c) p_c + h_σ √(c_c (2 - c_c) μ_eff) ⟨y⟩                         (45)
//! w°ᵢ = wᵢ, or wᵢ n / ‖C^(-½) yᵢ‖² where wᵢ < 0                                (46)
//! C ← (1 + c₁ δ(h_σ) - c₁ - c_μ Σ w) C + c₁ p_c p_cᵀ + c_μ Σ w°ᵢ yᵢ yᵢᵀ        (47)
//! ```
//! Costs are compared, never added up, so that any rising function of a cost gives the same search. Nothing here knows
//! what the numbers mean; bounds are a matter of [`super::space`], restarts of [`super::ipop`].

use serde::{Deserialize, Serialize};

use super::eigen::decompose;
use crate::random::Random;

/// Why a search has nothing more to find (Hansen 2016, appendix B.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// Costs of many generations lie within the tolerance.
    CostsAlike,
    /// Steps are shorter than the tolerance.
    ShortSteps,
    /// Neither the best nor the median of the generations has become better for long.
    Stagnation,
    /// Directions differ by more than 10⁷ in length.
    IllConditioned,
    /// Steps are lost in rounding.
    NoEffect,
    /// Steps grew ten thousandfold: the first were far too short, or there is no minimum.
    Diverged,
}

impl Stop {
    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::CostsAlike => "costs are alike",
            Self::ShortSteps => "steps are short",
            Self::Stagnation => "no progress for long",
            Self::IllConditioned => "badly conditioned",
            Self::NoEffect => "steps are lost in rounding",
            Self::Diverged => "steps grew without bound",
        }
    }
}

/// How a search is set up.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Standard deviation of the first samples; the same in every coordinate, so scale those alike.
    pub sigma: f64,
    /// Samples per generation; 0 is [`default_population`].
    pub population: usize,
    /// Whether the worse half takes variance away along its directions (Jastrebski and Arnold 2006).
    pub active: bool,
    /// Costs that differ by less are alike.
    pub cost_tolerance: f64,
    /// Steps that are shorter have arrived.
    pub step_tolerance: f64,
}

impl Settings {
    /// The tutorial's defaults for a first spread.
    pub fn new(sigma: f64) -> Self {
        // TolFun and TolX of appendix B.3.
        Self { sigma, population: 0, active: true, cost_tolerance: 1e-12, step_tolerance: 1e-12 * sigma }
    }
}

/// `4 + ⌊3 ln n⌋` (48).
pub fn default_population(n: usize) -> usize {
    4 + (3.0 * (n.max(1) as f64).ln()) as usize
}

/// Weights and rates: table 1.
#[derive(Clone, Debug, PartialEq)]
struct Rates {
    /// One per rank, the best first; the worse half has negative ones, or none.
    weights: Vec<f64>,
    mu: usize,
    mu_eff: f64,
    c_sigma: f64,
    d_sigma: f64,
    c_c: f64,
    c_1: f64,
    c_mu: f64,
    /// `E‖N(0, I)‖`.
    chi: f64,
}

impl Rates {
    fn new(n: usize, lambda: usize, active: bool) -> Self {
        let dim = n as f64;
        // (49)
        let raw: Vec<f64> =
            (1..=lambda).map(|i| (0.5 * (lambda as f64 + 1.0)).ln() - (i as f64).ln()).collect();
        let mu = lambda / 2;
        let effective = |w: &[f64]| w.iter().sum::<f64>().powi(2) / w.iter().map(|w| w * w).sum::<f64>();
        let (mu_eff, mu_eff_minus) = (effective(&raw[..mu]), effective(&raw[mu..]));
        // (55) to (58), α_cov = 2.
        let c_sigma = (mu_eff + 2.0) / (dim + mu_eff + 5.0);
        let d_sigma = 1.0 + 2.0 * (((mu_eff - 1.0) / (dim + 1.0)).sqrt() - 1.0).max(0.0) + c_sigma;
        let c_c = (4.0 + mu_eff / dim) / (dim + 4.0 + 2.0 * mu_eff / dim);
        let c_1 = 2.0 / ((dim + 1.3).powi(2) + mu_eff);
        let c_mu =
            (1.0 - c_1).min(2.0 * (0.25 + mu_eff + 1.0 / mu_eff - 2.0) / ((dim + 2.0).powi(2) + mu_eff));
        // (50) to (53): negative weights add up to no more than keeps C positive definite.
        let alpha = (1.0 + c_1 / c_mu)
            .min(1.0 + 2.0 * mu_eff_minus / (mu_eff + 2.0))
            .min((1.0 - c_1 - c_mu) / (dim * c_mu));
        let positive: f64 = raw.iter().filter(|w| **w >= 0.0).sum();
        let negative: f64 = -raw.iter().filter(|w| **w < 0.0).sum::<f64>();
        let weight = |w: &f64| match *w {
            w if w >= 0.0 => w / positive,
            w if active => alpha.max(0.0) * w / negative,
            _ => 0.0,
        };
        Self {
            weights: raw.iter().map(weight).collect(),
            mu,
            mu_eff,
            c_sigma,
            d_sigma,
            c_c,
            c_1,
            c_mu,
            chi: dim.sqrt() * (1.0 - 1.0 / (4.0 * dim) + 1.0 / (21.0 * dim * dim)),
        }
    }
}

/// A search. Saved between generations and read again it goes on to the same bits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Saved", into = "Saved")]
pub struct Cma {
    n: usize,
    settings: Settings,
    rates: Rates,
    mean: Vec<f64>,
    sigma: f64,
    /// Row by row.
    covariance: Vec<f64>,
    path_sigma: Vec<f64>,
    path_c: Vec<f64>,
    /// `B` and `D` of `C = B D² Bᵀ` as last decomposed.
    axes: Vec<f64>,
    lengths: Vec<f64>,
    /// Generations since then.
    age: u64,
    generation: u64,
    #[serde(with = "crate::random::saved")]
    random: Random,
    /// Best and median cost of each generation.
    best: Vec<f64>,
    median: Vec<f64>,
    stop: Option<Stop>,
    /// Steps `y` of the samples out for evaluation.
    asked: Vec<Vec<f64>>,
}

/// What is kept of a search; all else follows from it.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    settings: Settings,
    mean: Vec<f64>,
    sigma: f64,
    covariance: Vec<f64>,
    path_sigma: Vec<f64>,
    path_c: Vec<f64>,
    axes: Vec<f64>,
    lengths: Vec<f64>,
    age: u64,
    generation: u64,
    #[serde(with = "crate::random::saved")]
    random: Random,
    best: Vec<f64>,
    median: Vec<f64>,
    stop: Option<Stop>,
}

impl From<Saved> for Cma {
    fn from(s: Saved) -> Self {
        let n = s.mean.len();
        Self {
            n,
            rates: Rates::new(n, s.settings.population, s.settings.active),
            settings: s.settings,
            mean: s.mean,
            sigma: s.sigma,
            covariance: s.covariance,
            path_sigma: s.path_sigma,
            path_c: s.path_c,
            axes: s.axes,
            lengths: s.lengths,
            age: s.age,
            generation: s.generation,
            random: s.random,
            best: s.best,
            median: s.median,
            stop: s.stop,
            asked: Vec::new(),
        }
    }
}

impl From<Cma> for Saved {
    fn from(c: Cma) -> Self {
        Self {
            settings: c.settings,
            mean: c.mean,
            sigma: c.sigma,
            covariance: c.covariance,
            path_sigma: c.path_sigma,
            path_c: c.path_c,
            axes: c.axes,
            lengths: c.lengths,
            age: c.age,
            generation: c.generation,
            random: c.random,
            best: c.best,
            median: c.median,
            stop: c.stop,
        }
    }
}

impl Cma {
    /// A search from `start` on; its random numbers come from `seed`.
    ///
    /// # Panics
    /// If `start` is empty or a first spread is not a number above zero.
    pub fn new(start: &[f64], settings: Settings, seed: u64) -> Self {
        let n = start.len();
        assert!(n > 0, "a search needs a coordinate");
        assert!(settings.sigma > 0.0 && settings.sigma.is_finite(), "a first spread above zero");
        let population =
            if settings.population == 0 { default_population(n) } else { settings.population.max(4) };
        let mut identity = vec![0.0; n * n];
        (0..n).for_each(|i| identity[i * n + i] = 1.0);
        Self {
            n,
            rates: Rates::new(n, population, settings.active),
            settings: Settings { population, ..settings },
            mean: start.to_vec(),
            sigma: settings.sigma,
            covariance: identity.clone(),
            path_sigma: vec![0.0; n],
            path_c: vec![0.0; n],
            axes: identity,
            lengths: vec![1.0; n],
            age: 0,
            generation: 0,
            random: Random::named(seed, "cma"),
            best: Vec::new(),
            median: Vec::new(),
            stop: None,
            asked: Vec::new(),
        }
    }

    /// Samples per generation.
    pub fn population(&self) -> usize {
        self.settings.population
    }

    /// Where the next samples lie on average: the favourite where costs are noisy.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// Length of a step.
    pub fn sigma(&self) -> f64 {
        self.sigma
    }

    /// Generations so far.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Ratio of the longest to the shortest direction of the samples.
    pub fn axis_ratio(&self) -> f64 {
        let longest = self.lengths.iter().copied().fold(0.0, f64::max);
        longest / self.lengths.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// Why there is nothing more to find, if so.
    pub fn stopped(&self) -> Option<Stop> {
        self.stop
    }

    /// Goes on with another cost: steps of at least `sigma`, and costs of before are forgotten.
    pub fn begin_again(&mut self, sigma: f64) {
        self.sigma = self.sigma.max(sigma);
        self.settings.sigma = self.sigma;
        self.best.clear();
        self.median.clear();
        self.stop = None;
    }

    /// The samples of the next generation.
    pub fn ask(&mut self) -> Vec<Vec<f64>> {
        let n = self.n;
        self.asked.clear();
        for _ in 0..self.population() {
            let z: Vec<f64> = (0..n).map(|k| self.lengths[k] * self.random.normal()).collect();
            let y = (0..n).map(|i| (0..n).map(|k| self.axes[i * n + k] * z[k]).sum()).collect();
            self.asked.push(y);
        }
        let place = |y: &Vec<f64>| self.mean.iter().zip(y).map(|(m, y)| m + self.sigma * y).collect();
        self.asked.iter().map(place).collect()
    }

    /// Takes the costs of the samples last asked for, in their order. What is not a number counts as worst.
    ///
    /// # Panics
    /// If there are not as many costs as samples.
    pub fn tell(&mut self, costs: &[f64]) {
        assert_eq!(costs.len(), self.asked.len(), "a cost for each sample");
        let mut ranks: Vec<usize> = (0..costs.len()).collect();
        let cost = |i: usize| if costs[i].is_nan() { f64::INFINITY } else { costs[i] };
        ranks.sort_by(|&a, &b| cost(a).total_cmp(&cost(b)));
        let steps: Vec<Vec<f64>> = ranks.iter().map(|&i| std::mem::take(&mut self.asked[i])).collect();
        self.asked.clear();
        self.generation += 1;
        self.adapt(&steps);
        self.best.push(cost(ranks[0]));
        self.median.push(cost(ranks[ranks.len() / 2]));
        self.stop = self.find_stop(cost(ranks[ranks.len() - 1]));
    }

    /// (41) to (47) with the steps `y`, the best first.
    fn adapt(&mut self, steps: &[Vec<f64>]) {
        let n = self.n;
        let Rates { weights, mu, mu_eff, c_sigma, d_sigma, c_c, c_1, c_mu, chi } = &self.rates;
        let mut middle = vec![0.0; n];
        for (w, y) in weights.iter().zip(steps).take(*mu) {
            (0..n).for_each(|i| middle[i] += w * y[i]);
        }
        (0..n).for_each(|i| self.mean[i] += self.sigma * middle[i]);

        let whitened = self.whiten(&middle);
        let gain = (c_sigma * (2.0 - c_sigma) * mu_eff).sqrt();
        (0..n).for_each(|i| self.path_sigma[i] = (1.0 - c_sigma) * self.path_sigma[i] + gain * whitened[i]);
        let length = norm(&self.path_sigma);
        // h_σ: the path is not lengthened while steps still grow.
        let full = (1.0 - (1.0 - c_sigma).powf(2.0 * self.generation as f64)).sqrt();
        let steady = length / full < (1.4 + 2.0 / (n as f64 + 1.0)) * chi;
        let gain = if steady { (c_c * (2.0 - c_c) * mu_eff).sqrt() } else { 0.0 };
        (0..n).for_each(|i| self.path_c[i] = (1.0 - c_c) * self.path_c[i] + gain * middle[i]);

        let white: Vec<f64> = steps.iter().map(|y| norm(&self.whiten(y)).powi(2)).collect();
        let bent: Vec<f64> = weights
            .iter()
            .zip(&white)
            .map(|(&w, &square)| if w < 0.0 { w * n as f64 / square.max(f64::MIN_POSITIVE) } else { w })
            .collect();
        let lost = if steady { 0.0 } else { c_c * (2.0 - c_c) };
        let keep = 1.0 + c_1 * lost - c_1 - c_mu * weights.iter().sum::<f64>();
        for i in 0..n {
            for j in i..n {
                let spread: f64 = bent.iter().zip(steps).map(|(w, y)| w * y[i] * y[j]).sum();
                let entry =
                    keep * self.covariance[i * n + j] + c_1 * self.path_c[i] * self.path_c[j] + c_mu * spread;
                self.covariance[i * n + j] = entry;
                self.covariance[j * n + i] = entry;
            }
        }
        self.sigma *= (c_sigma / d_sigma * (length / chi - 1.0)).exp();

        // B.2: decomposed only when C has changed by a share that matters.
        self.age += 1;
        if self.age as f64 * 10.0 * n as f64 * (c_1 + c_mu) >= 1.0 {
            self.decompose();
        }
    }

    fn decompose(&mut self) {
        let eigen = decompose(&self.covariance, self.n);
        let largest = eigen.values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        // Rounding alone may leave one below zero.
        self.lengths = eigen.values.iter().map(|v| v.max(1e-30 * largest).sqrt()).collect();
        self.axes = eigen.vectors;
        self.age = 0;
    }

    /// `C^(-½) y = B D⁻¹ Bᵀ y`.
    fn whiten(&self, y: &[f64]) -> Vec<f64> {
        let n = self.n;
        let along: Vec<f64> = (0..n)
            .map(|k| (0..n).map(|i| self.axes[i * n + k] * y[i]).sum::<f64>() / self.lengths[k])
            .collect();
        (0..n).map(|i| (0..n).map(|k| self.axes[i * n + k] * along[k]).sum()).collect()
    }

    fn find_stop(&self, worst: f64) -> Option<Stop> {
        let (n, generation) = (self.n, self.best.len());
        let spread = |i: usize| self.covariance[i * n + i].sqrt();
        let longest = self.lengths.iter().copied().fold(0.0, f64::max);
        if self.axis_ratio() > 1e7 {
            return Some(Stop::IllConditioned);
        }
        if self.sigma * longest > 1e4 * self.settings.sigma {
            return Some(Stop::Diverged);
        }
        if (0..n).all(|i| self.sigma * self.path_c[i].abs().max(spread(i)) < self.settings.step_tolerance) {
            return Some(Stop::ShortSteps);
        }
        // A fifth of a deviation in a coordinate, or a tenth along an axis (one per generation), changes nothing.
        let axis = generation % n;
        let stays = |i: usize, step: f64| self.mean[i] == self.mean[i] + step;
        let along = |i: usize| 0.1 * self.sigma * self.lengths[axis] * self.axes[i * n + axis];
        if (0..n).any(|i| stays(i, 0.2 * self.sigma * spread(i))) || (0..n).all(|i| stays(i, along(i))) {
            return Some(Stop::NoEffect);
        }
        let window = 10 + (30 * n).div_ceil(self.population());
        if generation >= window {
            let recent = &self.best[generation - window..];
            let (low, high) =
                recent.iter().fold((f64::INFINITY, worst), |(low, high), &c| (low.min(c), high.max(c)));
            // Equal ones, whatever their size: nothing to choose by.
            if high - low <= self.settings.cost_tolerance || high == low {
                return Some(Stop::CostsAlike);
            }
        }
        let window = (120 + 30 * n / self.population()).max(generation / 5).min(20_000);
        let stale = |costs: &[f64]| {
            let recent = &costs[costs.len() - window..];
            let part = (3 * window).div_ceil(10);
            middle_of(&recent[window - part..]) >= middle_of(&recent[..part])
        };
        (generation >= window && stale(&self.best) && stale(&self.median)).then_some(Stop::Stagnation)
    }
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn middle_of(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}
