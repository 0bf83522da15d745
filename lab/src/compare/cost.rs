//! What a step costs: apart from the runs that are measured, on one thread, without gauges and books, after a warm-up, as medians.

use std::time::{Duration, Instant};

use super::ask::Cell;
use super::setup::Subject;
use crate::study::Size;

/// Times of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Median of a whole step, ns.
    pub step: f64,
    /// Median of events and controllers, ns; NaN where it cannot be told apart.
    pub control: f64,
    /// Median of the way from what acts to the next state, ns: forces, rows, solver, motion and, under the default formulation, the look at
    /// its end. NaN where it cannot be told apart.
    pub advance: f64,
    /// Median of looking (poses, contacts) at a state, ns; NaN where it cannot be told apart.
    pub look: f64,
    /// Median of its poses and velocities alone, ns; NaN where they cannot be told apart.
    pub poses: f64,
    /// Processor seconds per simulated second.
    pub per_second: f64,
    /// Steps that were timed.
    pub steps: usize,
}

/// Most steps that are timed, and most time.
const STEPS: usize = 2000;
/// Most looks that are timed.
const LOOKS: usize = 200;

/// Times a cell; `None` where it does not come through its warm-up.
pub(super) fn measure(subject: &Subject, cell: &Cell, size: Size) -> Option<Cost> {
    let patience = match size {
        Size::Full => Duration::from_millis(250),
        Size::Quick => Duration::from_millis(40),
    };
    let (mut engine, duration) = subject.build(&cell.settings, cell.seed, true).ok()?;
    let begun = Instant::now();
    // A tenth of the run, or a third of the time there is.
    while engine.time() < 0.1 * duration && begun.elapsed() < patience / 3 {
        engine.step().ok()?;
    }
    let warm = engine.fork(engine.dt());
    let (mut steps, mut controls, mut advances) = (Vec::new(), Vec::new(), Vec::new());
    let (mut looks, mut poses) = (Vec::new(), Vec::new());
    let begun = Instant::now();
    while steps.len() < STEPS && (begun.elapsed() < patience || steps.is_empty()) {
        if engine.time() + 0.5 * engine.dt() >= duration {
            match warm.as_ref().and_then(|w| w.fork(w.dt())) {
                Some(again) => engine = again,
                None => break,
            }
        }
        let at = Instant::now();
        let whole = engine.step_in_stages();
        let taken = at.elapsed();
        let Ok(parts) = whole else { break };
        steps.push(ns(taken));
        controls.extend(parts.map(|parts| ns(parts.control)));
        advances.extend(parts.map(|parts| ns(parts.advance)));
        if looks.len() < LOOKS
            && let Some(taken) = engine.time_of_look()
        {
            looks.push(ns(taken.whole));
            poses.push(ns(taken.poses));
        }
    }
    let part = |mut times: Vec<f64>| median(&mut times).unwrap_or(f64::NAN);
    let step = median(&mut steps)?;
    Some(Cost {
        step,
        control: part(controls),
        advance: part(advances),
        look: part(looks),
        poses: part(poses),
        per_second: step * 1e-9 / engine.dt(),
        steps: steps.len(),
    })
}

fn ns(taken: Duration) -> f64 {
    taken.as_nanos() as f64
}

fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}
