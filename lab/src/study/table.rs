//! Results by cell: each outcome over seeds and samples, with a 95 % interval, as CSV and JSON.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::plan::{Kind, Plan};
use super::store::Results;
use crate::disk::{self, FileError};
use crate::stats::{self, Estimate};

/// The files.
pub(super) const FILES: [&str; 2] = ["table.csv", "table.json"];

/// One line: trials that differ in seeds and samples alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Values of the factors that tell it from others.
    pub key: Vec<String>,
    /// Each outcome.
    pub estimates: Vec<Estimate>,
}

/// Results by cell, in the order of the plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Names of the factors.
    pub factors: Vec<&'static str>,
    /// The lines.
    pub cells: Vec<Cell>,
    plan: Plan,
}

impl Table {
    /// The table of all results.
    pub fn of(results: &Results) -> Self {
        let factors: Vec<&'static str> =
            results.plan.factors.iter().copied().filter(|f| !results.plan.repeats.contains(f)).collect();
        Self::by(results, &factors, |_| true)
    }

    /// A table over some factors only, of the trials that `wanted` says; all others are averaged over.
    pub fn by(results: &Results, factors: &[&'static str], wanted: impl Fn(&super::Trial) -> bool) -> Self {
        let plan = &results.plan;
        let columns: Vec<usize> = factors.iter().filter_map(|f| plan.factor(f)).collect();
        let mut order: Vec<Vec<String>> = Vec::new();
        let mut rows: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
        for (k, trial) in plan.trials.iter().enumerate().filter(|(_, trial)| wanted(trial)) {
            let key: Vec<String> = columns.iter().map(|&c| trial.0[c].clone()).collect();
            if !rows.contains_key(&key) {
                order.push(key.clone());
            }
            rows.entry(key).or_default().push(k);
        }
        let cell = |key: Vec<String>| {
            let estimate = |column: usize, kind: Kind| {
                let values: Vec<f64> = rows[&key].iter().map(|&k| results.outcomes[k][column]).collect();
                match kind {
                    Kind::Mean => stats::mean(&values),
                    Kind::Median => stats::median(&values),
                    Kind::Rate => stats::rate(values.iter().filter(|v| **v == 1.0).count(), values.len()),
                }
            };
            let estimates = plan.outcomes.iter().enumerate().map(|(c, o)| estimate(c, o.kind)).collect();
            Cell { key, estimates }
        };
        let cells = order.into_iter().map(cell).collect();
        Self { factors: factors.to_vec(), cells, plan: plan.clone() }
    }

    /// The cell of these factors.
    pub fn cell(&self, key: &[&str]) -> Option<&Cell> {
        self.cells.iter().find(|c| c.key == key)
    }

    /// As CSV: value, lower and upper end, and number of trials of each outcome.
    pub fn to_csv(&self) -> String {
        let mut heads: Vec<String> = self.factors.iter().map(|f| (*f).to_owned()).collect();
        for o in &self.plan.outcomes {
            let unit = if o.unit.is_empty() {
                String::new()
            } else {
                format!("_{}", o.unit.replace([' ', ','], "_"))
            };
            heads.extend(["", "_low", "_high", "_n"].map(|end| match end {
                "_n" => format!("{}_n", o.name),
                end => format!("{}{end}{unit}", o.name),
            }));
        }
        let mut text = heads.join(",") + "\n";
        for cell in &self.cells {
            text += &cell.key.join(",");
            for Estimate { value, low, high, n } in &cell.estimates {
                text += &format!(",{value:?},{low:?},{high:?},{n}");
            }
            text.push('\n');
        }
        text
    }

    /// As JSON: the same, by name.
    pub fn to_json(&self) -> Value {
        let cell = |cell: &Cell| {
            let mut map = Map::new();
            for (name, value) in self.factors.iter().zip(&cell.key) {
                map.insert((*name).to_owned(), json!(value));
            }
            for (outcome, estimate) in self.plan.outcomes.iter().zip(&cell.estimates) {
                map.insert(outcome.name.to_owned(), json!(estimate));
            }
            Value::Object(map)
        };
        let units: Map<String, Value> =
            self.plan.outcomes.iter().map(|o| (o.name.to_owned(), json!(o.unit))).collect();
        json!({ "units": units, "interval": "95 %", "cells": self.cells.iter().map(cell).collect::<Vec<_>>() })
    }

    pub(super) fn write(&self, dir: &Path) -> Result<(), FileError> {
        disk::write(&dir.join(FILES[0]), self.to_csv().as_bytes())?;
        let text = serde_json::to_string_pretty(&self.to_json()).expect("texts and numbers") + "\n";
        disk::write(&dir.join(FILES[1]), text.as_bytes())
    }
}
