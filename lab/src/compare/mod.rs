//! The comparison lab: set-ups under formulations, integrators, coordinates and steps, side by side in one report.
//!
//! ```text
//! Ask (suite or scene, --vary, --seeds) -> cells -> the study engine (all cores, resume, shards) -> cells.csv
//!      -> times, one by one -> results.csv, timing.csv, results.json, report.html, manifest.json
//! ```
//! | module | what |
//! |---|---|
//! | [`engine`] | what is compared, seen from outside: a trait that other engines can have, too |
//! | [`metrics`] | what is measured, once for all |
//! | [`setup`], [`suites`], [`scenes`] | what is simulated, and what is known of it in closed form |
//! | [`ask`], [`cell`] | which runs that comes to, and one of them |
//! | [`cost`] | times, apart from all else |
//! | [`peers`] | what other engines do on the same set-ups, from a file |
//! | [`laws`] | property laws that hold for any engine |
//!
//! A cell draws from its own seed and knows nothing of others: the same bytes come out whatever the threads, shards and stops. A cell that
//! fails is a result, with why and when.

pub mod ask;
pub mod cell;
mod consistency;
pub mod cost;
pub mod engine;
pub mod laws;
pub mod metrics;
pub mod peers;
mod report;
pub mod scenes;
pub mod setup;
pub mod suites;
mod world_engine;

use std::path::Path;

pub use ask::{Ask, Case, Cell, CompareError};
pub use engine::{BodyState, Engine, Stages, Touch};
pub use metrics::{METRICS, Meter, Metric, Readings};
pub use peers::{Peer, Peers, PeersError};
pub use setup::{Settings, Subject};
pub use suites::{SUITES, Suite};
pub use world_engine::WorldEngine;

use crate::study::{Inquiry, Measured, Outcome, Plan, Report, Results, Size, StudyError, Trial};

/// A comparison as it was asked for.
pub struct Comparison {
    ask: Ask,
    size: Size,
    cases: Vec<Case>,
    cells: Vec<Cell>,
    /// Whether costs are measured at the end.
    pub timing: bool,
    /// What others do, measured elsewhere.
    pub peers: Peers,
}

impl Comparison {
    /// Checks what is asked for and lays it out.
    ///
    /// # Errors
    /// Names, keys and values that are not known, with those that are.
    pub fn new(ask: Ask, size: Size) -> Result<Self, CompareError> {
        let (cases, cells) = (ask.cases(size)?, ask.cells(size)?);
        Ok(Self { ask, size, cases, cells, timing: true, peers: Peers::default() })
    }

    /// The comparison whose shards these are, from what they keep of it.
    pub(crate) fn asked_for(kept: &serde_json::Value) -> Option<Self> {
        let ask = serde_json::from_value(kept.get("ask")?.clone()).ok()?;
        let quick = kept.get("quick")?.as_bool()?;
        Self::new(ask, if quick { Size::Quick } else { Size::Full }).ok()
    }

    /// What was asked for.
    pub fn ask(&self) -> &Ask {
        &self.ask
    }

    /// All cells.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// The set-up of a cell.
    fn subject(&self, cell: &Cell) -> Option<&Subject> {
        self.cases.iter().find(|case| case.name == cell.case).map(|case| &case.subject)
    }

    /// The command that runs a cell alone.
    fn command(&self, cell: &Cell) -> String {
        let subject = if self.ask.suite().is_some() { &cell.case } else { &self.ask.subject };
        cell.command(subject)
    }
}

impl Inquiry for Comparison {
    fn name(&self) -> &str {
        &self.ask.subject
    }

    fn asked(&self) -> Option<serde_json::Value> {
        Some(serde_json::json!({ "ask": self.ask, "quick": self.size == Size::Quick }))
    }

    fn store(&self) -> &str {
        "cells.csv"
    }

    fn plan(&self, _: Size) -> Plan {
        let outcome = |m: &Metric| Measured { name: m.name, unit: m.unit, kind: m.kind };
        let outcomes: Vec<Measured> = METRICS.iter().map(outcome).collect();
        let factors = ["set_up", "settings", "seed"];
        Plan::new(&factors, &["seed"], &outcomes, self.cells.iter().map(Cell::line)).with_notes()
    }

    fn run(&self, trial: &Trial) -> Result<Outcome, StudyError> {
        let known = Cell::read(&trial.0).and_then(|cell| Some((self.subject(&cell)?, cell)));
        match known {
            Some((subject, cell)) => Ok(cell::run(subject, &cell)),
            None => Err(StudyError::Results {
                path: trial.key().into(),
                line: 0,
                expected: "a cell of this comparison".to_owned(),
            }),
        }
    }

    fn files(&self) -> Vec<String> {
        report::FILES.map(str::to_owned).to_vec()
    }

    /// A cell leaves three kilobytes of text, a set-up a picture and some plots.
    fn room(&self) -> usize {
        (1 << 19) + 4096 * self.cells.len() + (1 << 18) * self.cases.len()
    }

    fn report(&self, results: &Results, dir: &Path) -> Result<Report, StudyError> {
        report::write(self, results, dir)
    }
}

/// Steps an engine of any kind for `seconds` and measures it as suites do; why it ended early, if it did.
pub fn measure(engine: &mut dyn Engine, seconds: f64) -> (Readings, Option<String>) {
    let run = cell::run_engine(engine, seconds, None);
    (run.readings, run.why)
}

/// A table of some metrics for several engines, stepped one after the other for `seconds`.
pub fn side_by_side(engines: &mut [(&str, Box<dyn Engine>)], seconds: f64, columns: &[&str]) -> String {
    let mut text = format!("{:<28}", "");
    columns.iter().for_each(|c| text += &format!("{c:>18}"));
    text.push('\n');
    for (name, engine) in engines {
        let (readings, why) = measure(engine.as_mut(), seconds);
        text += &format!("{name:<28}");
        columns.iter().for_each(|c| text += &format!("{:>18}", report::number(readings.get(c))));
        if let Some(why) = why {
            text += &format!("  {why} at {:.3} s", readings.get("ended"));
        }
        text.push('\n');
    }
    text
}
