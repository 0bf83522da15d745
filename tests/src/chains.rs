//! The chain law: forward dynamics undoes inverse dynamics on chains of 20 to 40 nasty bodies.
//!
//! Where light bodies carry heavy ones on ball and planar joints this asks for every digit that the condition of the
//! mass matrix leaves, so it is run from many seeds: see `properties/chains.rs`.

use std::cell::RefCell;
use std::ops::RangeInclusive;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use proptest::test_runner::{RngSeed, TestRunner};
use stuntlab_physics::Data;
use stuntlab_physics::dynamics::{aba, rnea_with_wrenches};
use stuntlab_physics::strategies::{System, Trees};

use crate::compare::{ROUNDING, force_scale, motion_gap};
use crate::dense::Dense;
use crate::laws;

/// How far accelerations may be off: rounding of the inertias and of the forces that pass the joints,
/// magnified by `H⁻¹`.
pub fn allowed(s: &System, data: &mut Data, h: &Dense, acceleration: &[f64]) -> f64 {
    let mut scale = force_scale(&s.model, &s.state, data, acceleration, &s.forces.body);
    scale.iter_mut().zip(&s.forces.joint).for_each(|(s, f)| *s += f.abs());
    h.bound(ROUNDING, acceleration, &scale)
}

/// `aba(rnea(a))` beside `a`: how far off it is, and how far it may be.
pub fn undone(s: &mut System) -> (f64, f64) {
    let mut data = Data::new(&s.model);
    let wanted = s.acceleration.clone();
    rnea_with_wrenches(&s.model, &s.state, &mut data, &wanted, &s.forces.body);
    s.forces.joint.copy_from_slice(&data.dynamics.joint_force);
    aba(&s.model, &s.state, &mut data, &s.forces);
    let found = data.dynamics.acceleration.clone();
    let h = Dense::mass_matrix(&s.model, &s.state, &mut data);
    (motion_gap(&h, &found, &wanted), allowed(s, &mut data, &h, &wanted))
}

/// What came of the law from one seed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome {
    /// Where the random numbers start.
    pub seed: u64,
    /// Largest error as a part of its bound.
    pub worst: f64,
    /// Cases without a bound: the mass matrix is singular to rounding.
    pub unbounded: u32,
}

/// The law on the first `cases` chains from one seed.
pub fn from_seed(seed: u64, cases: u32) -> Outcome {
    let mut config = laws();
    config.rng_seed = RngSeed::Fixed(seed);
    config.cases = cases;
    let outcome = RefCell::new(Outcome { seed, ..Outcome::default() });
    let run = TestRunner::new(config).run(&Trees::long_chains().systems(), |mut s| {
        let (gap, allowed) = undone(&mut s);
        let mut outcome = outcome.borrow_mut();
        if allowed.is_finite() {
            outcome.worst = outcome.worst.max(gap / allowed);
        } else {
            outcome.unbounded += 1;
        }
        Ok(())
    });
    let mut outcome = outcome.into_inner();
    if run.is_err() {
        outcome.worst = f64::INFINITY;
    }
    outcome
}

/// [`from_seed`] for many seeds, on all cores; `tell` hears of each as it ends.
pub fn from_seeds(seeds: RangeInclusive<u64>, cases: u32, tell: impl Fn(Outcome) + Sync) -> Vec<Outcome> {
    let next = AtomicU64::new(*seeds.start());
    let outcomes = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed > *seeds.end() {
                        break;
                    }
                    let outcome = from_seed(seed, cases);
                    tell(outcome);
                    outcomes.lock().expect("no thread panicked").push(outcome);
                }
            });
        }
    });
    let mut outcomes = outcomes.into_inner().expect("no thread panicked");
    outcomes.sort_by_key(|outcome| outcome.seed);
    outcomes
}
