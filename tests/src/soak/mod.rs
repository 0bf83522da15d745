//! Random forests under everything nasty at once, run until they break: what is asked of each, and how it is cut down.
//!
//! Asked: no panic, no error, no step longer than a second of the processor, and energy never above start plus the work of what acts by someone's
//! will or by the joints' own springs (the step's ledger), by more than 2 % of both. Contacts and limits may take energy only.

mod case;
mod reduce;

pub use case::{Case, Drive, Hold};
pub use reduce::reduced;

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use stuntlab_physics::dynamics::{kinetic_energy, potential_energy};
use stuntlab_physics::step::Account;
use stuntlab_physics::{StepReport, advance, observe};

use crate::world::World;

/// Energy beyond start and work that is allowed, of both.
pub const ALLOWED_SURPLUS: f64 = 0.02;
/// What is pushed out of what it starts inside of is lifted by this at most, m: by as much as two of the shapes are thick.
const LIFTED: f64 = 1.0;
/// Longest step allowed, s of the processor.
pub const LONGEST_STEP: f64 = 1.0;

/// What went wrong.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// It panicked.
    Panic(String),
    /// A step was refused or broke.
    Error(String),
    /// Energy above start and work, of both, and when, s.
    Energy {
        /// The share.
        share: f64,
        /// When it was first too much, s.
        time: f64,
        /// Work of contacts, limits and the integrator up to then, J.
        from: [f64; 3],
    },
    /// A step took that long, s.
    Slow(f64),
}

impl Fault {
    /// The kind in one word.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Panic(_) => "panic",
            Self::Error(_) => "error",
            Self::Energy { .. } => "energy",
            Self::Slow(_) => "slow",
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Panic(text) => write!(f, "panic: {text}"),
            Self::Error(text) => write!(f, "error: {text}"),
            Self::Energy { share, time, from: [contact, limits, rest] } => write!(
                f,
                "energy: {share:.3} above start and work at {time:.3} s (contacts {contact:.2e} J, limits {limits:.2e} J, \
                 integrator {rest:.2e} J)"
            ),
            Self::Slow(seconds) => write!(f, "slow: a step of {seconds:.2} s"),
        }
    }
}

/// How a case went.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Bodies times steps.
    pub body_steps: u64,
    /// Largest energy above start and work, of both.
    pub surplus: f64,
    /// The longest step, s.
    pub longest: f64,
    /// Steps in which some island ended above its tolerance.
    pub unsolved: u64,
    /// The first thing that went wrong.
    pub fault: Option<Fault>,
}

/// Times a step: by what this thread had of the processor where the system says so, else by the clock on the wall.
struct Clock {
    wall: Instant,
    processor: Option<f64>,
}

impl Clock {
    fn start() -> Self {
        Self { wall: Instant::now(), processor: processor_seconds() }
    }

    fn seconds(&self) -> f64 {
        match (self.processor, processor_seconds()) {
            (Some(start), Some(end)) => end - start,
            _ => self.wall.elapsed().as_secs_f64(),
        }
    }
}

/// Time this thread has had on a processor, of Linux.
fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse::<f64>().ok().map(|nanoseconds| 1e-9 * nanoseconds)
}

/// Runs a case, catching panics.
pub fn run(case: &Case) -> Outcome {
    run_watched(case, |_, _, _| ())
}

/// The same, showing every step's world, report and energy above start and work, of both.
pub fn run_watched(case: &Case, watch: impl FnMut(&World, &StepReport, f64)) -> Outcome {
    catch_unwind(AssertUnwindSafe(|| run_bare(case, watch))).unwrap_or_else(|cause| {
        let text = cause.downcast_ref::<String>().cloned();
        let text = text.or_else(|| cause.downcast_ref::<&str>().map(|s| (*s).to_owned()));
        let fault = Some(Fault::Panic(text.unwrap_or_default()));
        Outcome { fault, ..Outcome::default() }
    })
}

fn run_bare(case: &Case, mut watch: impl FnMut(&World, &StepReport, f64)) -> Outcome {
    let mut outcome = Outcome::default();
    let mut world = match case.world() {
        Ok(world) => world,
        Err(error) => {
            outcome.fault = Some(Fault::Error(format!("not a model: {error}")));
            return outcome;
        }
    };
    let start = world.energy();
    let lifted =
        if case.inside { world.model.total_mass() * world.model.gravity().length() * LIFTED } else { 0.0 };
    let scale = scale(&world).max(1e-6) + lifted;
    let (mut work, mut gross) = (0.0, 0.0);
    let mut from = [0.0; 3];
    for _ in 0..case.steps {
        let clock = Clock::start();
        observe(&world.model, &world.state, &mut world.data, &world.options);
        let report =
            match advance(&world.model, &mut world.state, &mut world.data, &world.act, &world.options) {
                Ok(report) => report,
                Err(error) => {
                    outcome.fault = Some(Fault::Error(error.to_string()));
                    break;
                }
            };
        let seconds = clock.seconds();
        outcome.longest = outcome.longest.max(seconds);
        outcome.body_steps += world.model.n_bodies() as u64;
        outcome.unsolved += u64::from(report.solve.unsolved > 0);
        if seconds > LONGEST_STEP {
            outcome.fault = Some(Fault::Slow(seconds));
            break;
        }
        for account in [Account::Actuation, Account::Aids, Account::Passive] {
            work += report.ledger.work(account);
            gross += report.ledger.work(account).max(0.0);
        }
        from[0] += report.ledger.work(Account::Contact);
        from[1] += report.ledger.work(Account::Limits);
        from[2] += report.ledger.remainder;
        // Pins and limits that fight each other work hard in the books and not at all together: there the work given counts.
        let given = if case.holds.is_empty() { work } else { gross };
        let share = (world.energy() - start - given - lifted) / (scale + gross);
        outcome.surplus = outcome.surplus.max(share);
        watch(&world, &report, share);
        if share.is_nan() || share > ALLOWED_SURPLUS {
            outcome.fault = Some(Fault::Energy { share, time: world.state.time, from });
            break;
        }
    }
    outcome
}

/// The energy at hand at the start: kinetic, and potential above the lowest ground, J.
fn scale(world: &World) -> f64 {
    let (model, data) = (&world.model, &world.data);
    let kinetic = kinetic_energy(model, data, &world.state.v);
    let depth = model.total_mass() * model.gravity().length() * case::LOWEST;
    kinetic + (potential_energy(model, data) - depth).max(0.0)
}
