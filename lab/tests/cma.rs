//! The optimiser by itself: known minima within known numbers of evaluations, and the invariances it owes its name to.
//!
//! Reference figures are medians of fifteen seeds of pycma 4.5 (N. Hansen's own implementation, defaults, active
//! update on) for the same function, start, first spread and target, counted until the first sample below it.

use proptest::prelude::*;
use stuntlab::tune::cma::{Cma, Settings, Stop};
use stuntlab::tune::ipop::Ipop;

fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

fn rosenbrock(x: &[f64]) -> f64 {
    x.windows(2).map(|w| 100.0 * (w[1] - w[0] * w[0]).powi(2) + (1.0 - w[0]).powi(2)).sum()
}

fn rastrigin(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x - 10.0 * (std::f64::consts::TAU * x).cos() + 10.0).sum()
}

/// Axes that differ a thousandfold in length.
fn ellipsoid(x: &[f64]) -> f64 {
    let n = x.len() as f64;
    x.iter().enumerate().map(|(i, x)| 1e6f64.powf(i as f64 / (n - 1.0)) * x * x).sum()
}

/// Evaluations until a sample is below `target`, or `None` where the search ends before.
fn evaluations(
    f: impl Fn(&[f64]) -> f64,
    start: &[f64],
    settings: Settings,
    seed: u64,
    target: f64,
) -> Option<usize> {
    let mut search = Cma::new(start, settings, seed);
    let mut count = 0;
    while search.stopped().is_none() && count < 1_000_000 {
        let costs: Vec<f64> = search.ask().iter().map(|x| f(x)).collect();
        if let Some(k) = costs.iter().position(|c| *c < target) {
            return Some(count + k + 1);
        }
        count += costs.len();
        search.tell(&costs);
    }
    None
}

fn median(mut counts: Vec<usize>) -> usize {
    counts.sort_unstable();
    counts[counts.len() / 2]
}

#[test]
fn the_sphere_takes_no_more_evaluations_than_the_reference() {
    let count = |seed| evaluations(sphere, &[3.0; 10], Settings::new(1.0), seed, 1e-10).unwrap();
    let counts: Vec<usize> = (1..=15).map(count).collect();
    println!("sphere {counts:?}");
    // pycma: 1785 (1646 to 1903).
    assert!(median(counts.clone()) < 1963, "{counts:?}");
}

#[test]
fn rosenbrock_takes_no_more_evaluations_than_the_reference() {
    let count = |seed| evaluations(rosenbrock, &[0.0; 10], Settings::new(0.5), seed, 1e-10);
    let found: Vec<usize> = (1..=15).filter_map(count).collect();
    println!("rosenbrock {found:?}");
    // In ten dimensions there is a second, local minimum near (-1, 1, ..., 1), which takes one run in ten or so.
    assert!(found.len() >= 12, "{found:?}");
    // pycma: 5483 (4866 to 6349), 14 of 15 found it.
    assert!(median(found.clone()) < 6030, "{found:?}");
}

#[test]
fn restarts_with_growing_populations_find_the_lowest_of_many_minima() {
    let mut counts = Vec::new();
    let mut restarts = Vec::new();
    for seed in 1..=15 {
        let mut random = seed as f64;
        // Somewhere in the cube, as Auger and Hansen begin.
        let start: Vec<f64> = (0..10)
            .map(|_| {
                random = (random * 12.9898).sin() * 43758.5453;
                random -= random.floor();
                10.0 * random - 5.0
            })
            .collect();
        let mut search = Ipop::new(&start, Settings::new(5.0), (-5.0, 5.0), seed);
        let mut count = 0;
        loop {
            let costs: Vec<f64> = search.ask().iter().map(|x| rastrigin(x)).collect();
            if let Some(k) = costs.iter().position(|c| *c < 1e-8) {
                counts.push(count + k + 1);
                restarts.push(search.restarts());
                break;
            }
            count += costs.len();
            search.tell(&costs);
            assert!(count < 1_000_000, "seed {seed} has not found it");
        }
    }
    assert!(restarts.iter().all(|r| (1..=8).contains(r)), "{restarts:?}");
    // pycma: 63134 (33617 to 154565), other starts in the same cube; ours 52407 after 3 to 6 restarts.
    assert!(median(counts.clone()) < 60_000, "{counts:?}");
}

#[test]
fn without_the_worse_half_it_finds_the_same_but_later() {
    let count = |active| {
        let settings = Settings { active, ..Settings::new(1.0) };
        let run = |seed| evaluations(ellipsoid, &[3.0; 10], settings, seed, 1e-10).unwrap();
        median((1..=9).map(run).collect())
    };
    let (active, plain) = (count(true), count(false));
    println!("ellipsoid: active {active}, plain {plain}");
    assert!(active < plain, "{active} {plain}");
}

#[test]
fn an_end_is_called_by_its_name() {
    let end = |f: fn(&[f64]) -> f64| {
        let mut search = Cma::new(&[1.0, 2.0], Settings::new(0.5), 1);
        for _ in 0..5000 {
            if search.stopped().is_some() {
                break;
            }
            let costs: Vec<f64> = search.ask().iter().map(|x| f(x)).collect();
            search.tell(&costs);
        }
        search.stopped()
    };
    assert_eq!(end(|_| 7.0), Some(Stop::CostsAlike));
    assert_eq!(end(|x| x[0] + x[1]), Some(Stop::Diverged));
    assert_eq!(end(sphere), Some(Stop::CostsAlike));
    // What is no number is worst, and a search that sees nothing else ends.
    assert_eq!(end(|_| f64::NAN), Some(Stop::CostsAlike));
    assert!(end(|x| if x[0] > 1.0 { f64::NAN } else { sphere(x) }).is_some());
}

/// An orthogonal matrix from numbers (Gram and Schmidt).
fn orthogonal(numbers: &[f64], n: usize) -> Vec<Vec<f64>> {
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for i in 0..n {
        let mut row = numbers[i * n..(i + 1) * n].to_vec();
        row[i] += 1e-3;
        for other in &rows {
            let dot: f64 = row.iter().zip(other).map(|(a, b)| a * b).sum();
            row.iter_mut().zip(other).for_each(|(a, b)| *a -= dot * b);
        }
        let length = row.iter().map(|a| a * a).sum::<f64>().sqrt();
        row.iter_mut().for_each(|a| *a /= length);
        rows.push(row);
    }
    rows
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases.min(12)))]

    /// Turning the axes turns the search: an ellipsoid that lies askew takes as many evaluations as one along the axes.
    #[test]
    fn a_rotated_function_is_as_easy(numbers in prop::collection::vec(-1.0..1.0f64, 36)) {
        let turn = orthogonal(&numbers, 6);
        let askew = |x: &[f64]| {
            let turned: Vec<f64> = turn.iter().map(|row| row.iter().zip(x).map(|(a, b)| a * b).sum()).collect();
            ellipsoid(&turned)
        };
        // R x = (2, ..., 2).
        let start: Vec<f64> = (0..6).map(|j| turn.iter().map(|row| 2.0 * row[j]).sum()).collect();
        let straight = median((1..=7).map(|s| evaluations(ellipsoid, &[2.0; 6], Settings::new(1.0), s, 1e-10).unwrap()).collect());
        let turned = median((1..=7).map(|s| evaluations(askew, &start, Settings::new(1.0), s, 1e-10).unwrap()).collect());
        let ratio = turned as f64 / straight as f64;
        prop_assert!((0.85..1.18).contains(&ratio), "{straight} straight, {turned} askew");
    }

    /// Any rising map of the cost gives the very same samples.
    #[test]
    fn only_ranks_count(seed in 0..1000u64, factor in 0.1..10.0f64, shift in -5.0..5.0f64) {
        let maps: [&dyn Fn(f64) -> f64; 3] =
            [&|c| c, &|c| factor * c.ln() + shift, &|c| -1.0 / (factor * c)];
        let searches: Vec<Vec<Vec<f64>>> = maps.iter().map(|map| {
            let mut search = Cma::new(&[1.0, -2.0, 0.5], Settings::new(0.7), seed);
            (0..80).flat_map(|_| {
                let samples = search.ask();
                let costs: Vec<f64> = samples.iter().map(|x| map(rosenbrock(x))).collect();
                search.tell(&costs);
                samples
            }).collect()
        }).collect();
        prop_assert!(searches.iter().all(|s| *s == searches[0]));
    }

    /// A search that was written down after any generation and read again takes the same samples as one that was not.
    #[test]
    fn a_saved_search_goes_on_to_the_same_bits(seed in 0..1000u64, stop in 1..200usize) {
        let new = || Ipop::new(&[2.0, 2.0, 2.0, 2.0], Settings { population: 6, cost_tolerance: 1e-3, ..Settings::new(2.0) }, (-5.0, 5.0), seed);
        let generation = |search: &mut Ipop| {
            let samples = search.ask();
            let costs: Vec<f64> = samples.iter().map(|x| rastrigin(x)).collect();
            search.tell(&costs);
            samples
        };
        let (mut whole, mut broken) = (new(), new());
        for k in 0..300 {
            if k == stop {
                broken = serde_json::from_str(&serde_json::to_string(&broken).unwrap()).unwrap();
            }
            prop_assert_eq!(generation(&mut whole), generation(&mut broken));
        }
        prop_assert!(whole.restarts() > 0);
    }
}
