//! What a comparison leaves: results.csv and results.json (the same bytes on every rerun), timing.csv (not), report.html and manifest.json.

mod base64;
mod charts;
mod html;
mod picture;
mod tables;

use std::path::Path;

use serde_json::{Value, json};

use super::cell::Note;
use super::cost::{self, Cost};
use super::{Cell, Comparison};
use crate::disk;
use crate::study::{Report, Results, Size, StudyError};
use crate::words::{fingerprint, spelled};

/// The files.
pub(super) const FILES: [&str; 5] =
    ["results.csv", "timing.csv", "results.json", "report.html", "manifest.json"];

/// A cell with what came of it.
pub(super) struct Row {
    pub(super) cell: Cell,
    /// One per metric.
    pub(super) numbers: Vec<f64>,
    pub(super) note: Note,
    pub(super) command: String,
    pub(super) cost: Option<Cost>,
}

impl Row {
    /// The number of a metric.
    pub(super) fn get(&self, name: &str) -> f64 {
        let k = super::METRICS.iter().position(|m| m.name == name);
        k.and_then(|k| self.numbers.get(k)).copied().unwrap_or(f64::NAN)
    }

    /// Why it has no result, or ended early, with when.
    pub(super) fn failure(&self) -> Option<String> {
        let why = self.note.why.as_ref()?;
        Some(if self.note.refused {
            format!("refused: {why}")
        } else {
            format!("at {} s: {why}", number(self.get("ended")))
        })
    }
}

/// All rows, times taken one after the other on this thread.
fn rows(comparison: &Comparison, results: &Results) -> Vec<Row> {
    let row = |((trial, numbers), note): ((&crate::study::Trial, &Vec<f64>), &String)| {
        let cell = Cell::read(&trial.0)?;
        let note: Note = serde_json::from_str(note).unwrap_or_default();
        let timed = comparison.timing && !note.refused && cell.seed == 1;
        let subject = comparison.subject(&cell).filter(|_| timed);
        let cost = subject.and_then(|subject| cost::measure(subject, &cell, comparison.size));
        let command = comparison.command(&cell);
        Some(Row { cell, numbers: numbers.clone(), note, command, cost })
    };
    results.plan.trials.iter().zip(&results.outcomes).zip(&results.notes).filter_map(row).collect()
}

/// Writes everything and says it in words.
pub(super) fn write(comparison: &Comparison, results: &Results, dir: &Path) -> Result<Report, StudyError> {
    let rows = rows(comparison, results);
    let values = tables::json(comparison, &rows);
    let text = serde_json::to_string_pretty(&values).expect("texts and numbers") + "\n";
    let contents = [tables::results(&rows), tables::timing(&rows), text, html::page(comparison, &rows)];
    for (name, contents) in FILES.iter().zip(&contents) {
        disk::write(&dir.join(name), contents.as_bytes())?;
    }
    let manifest = manifest(comparison, &contents);
    let manifest = serde_json::to_string_pretty(&manifest).expect("texts and numbers") + "\n";
    disk::write(&dir.join(FILES[4]), manifest.as_bytes())?;
    Ok(Report { text: tables::text(comparison, &rows), json: values })
}

/// What was run, by what, and what came of it.
fn manifest(comparison: &Comparison, contents: &[String]) -> Value {
    let file = |(name, text): (&&str, &String)| json!({ "name": name, "bytes": text.len(), "hash": spelled(fingerprint(text.bytes())) });
    let setups: Vec<Value> = tables::setups(comparison)
        .iter()
        .map(|case| json!({ "name": case.name, "hash": spelled(fingerprint(case.subject.text().bytes())) }))
        .collect();
    let text = &comparison.peers.text;
    let peers = (!text.is_empty()).then(|| spelled(fingerprint(text.bytes())));
    json!({
        "stuntlab": env!("CARGO_PKG_VERSION"),
        "target": format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS),
        "libm": crate::check::libm(),
        "processor": processor(),
        "optimised": !cfg!(debug_assertions),
        "ask": comparison.ask,
        "quick": comparison.size == Size::Quick,
        "cells": comparison.cells.len(),
        "set_ups": setups,
        "peers": peers,
        "files": FILES.iter().zip(contents).map(file).collect::<Vec<_>>(),
    })
}

/// Name of the processor, for the times.
fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or_else(|| "unknown".to_owned(), |(_, name)| name.to_owned())
}

/// A number in few digits.
pub(super) fn number(x: f64) -> String {
    match x {
        x if x.is_nan() => "·".to_owned(),
        x if x.is_infinite() => if x > 0.0 { "∞" } else { "-∞" }.to_owned(),
        0.0 => "0".to_owned(),
        x if (1e-3..1e5).contains(&x.abs()) => {
            let digits = (3 - x.abs().log10().floor() as i32).clamp(0, 6) as usize;
            let text = format!("{x:.digits$}");
            if text.contains('.') {
                text.trim_end_matches('0').trim_end_matches('.').to_owned()
            } else {
                text
            }
        }
        x => format!("{x:.2e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{Ask, METRICS, SUITES};

    /// The run that docs/comparison.md is written from is of the set-ups as they are, and is whole. (Its numbers are not run again here: minutes.)
    #[test]
    fn the_committed_run_is_of_these_set_ups() {
        for suite in SUITES {
            let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/comparison").join(suite.name);
            let read = |name: &str| std::fs::read_to_string(dir.join(name)).expect("a committed run");
            let manifest: Value = serde_json::from_str(&read(FILES[4])).expect("JSON");
            let asked = Ask::new(suite.name, &[], 1).expect("a suite");
            let comparison = Comparison::new(asked, Size::Full).expect("a suite");
            let results = read(FILES[0]);
            let now = super::manifest(&comparison, std::slice::from_ref(&results));
            for key in ["ask", "quick", "cells", "set_ups"] {
                assert_eq!(manifest[key], now[key], "{}: {key}: run it again", suite.name);
            }
            assert_eq!(manifest["files"][0], now["files"][0], "{}: results.csv is another's", suite.name);
            assert_eq!(results.lines().count(), 1 + comparison.cells.len());
            let head = results.lines().next().unwrap_or_default();
            assert!(METRICS.iter().all(|m| head.contains(m.name)), "{}: {head}", suite.name);
        }
    }
}
