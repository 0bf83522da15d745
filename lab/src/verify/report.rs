//! The worst error per quantity, and whether it is good enough.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

/// The worst case of one quantity.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// Kind of fixture: dynamics, trajectory, contact or lcp.
    pub group: &'static str,
    /// What was compared.
    pub quantity: String,
    /// Number of comparisons.
    pub cases: usize,
    /// Error of the case that came closest to (or furthest over) its tolerance, in the fixture's own measure.
    pub worst: f64,
    /// What was allowed in that case.
    pub tolerance: f64,
    /// Largest error divided by its tolerance; above 1 it fails.
    pub used: f64,
    /// The case with the largest `used`.
    pub case: String,
}

/// All quantities.
#[derive(Clone, Debug, Default)]
pub struct Report {
    lines: BTreeMap<(&'static str, String), Line>,
    files: BTreeMap<&'static str, usize>,
}

impl Report {
    pub(crate) fn count_file(&mut self, group: &'static str) {
        *self.files.entry(group).or_default() += 1;
    }

    pub(crate) fn n_files(&self) -> usize {
        self.files.values().sum()
    }

    /// Takes one comparison. An error that is not a number counts as infinite.
    pub(crate) fn add(
        &mut self,
        group: &'static str,
        quantity: impl Into<String>,
        case: impl FnOnce() -> String,
        error: f64,
        tolerance: f64,
    ) {
        let error = if error.is_nan() { f64::INFINITY } else { error };
        let quantity = quantity.into();
        let used = error / tolerance;
        let line = self.lines.entry((group, quantity.clone())).or_insert_with(|| Line {
            group,
            quantity,
            cases: 0,
            worst: 0.0,
            tolerance,
            used: -1.0,
            case: String::new(),
        });
        line.cases += 1;
        if used > line.used {
            (line.used, line.worst, line.tolerance, line.case) = (used, error, tolerance, case());
        }
    }

    /// Every quantity checked.
    pub fn lines(&self) -> impl Iterator<Item = &Line> {
        self.lines.values()
    }

    /// Whether every error is within its tolerance.
    pub fn passed(&self) -> bool {
        self.lines.values().all(|line| line.used <= 1.0)
    }

    /// The report for machines.
    pub fn to_json(&self) -> String {
        #[derive(Serialize)]
        struct Out<'a> {
            passed: bool,
            files: &'a BTreeMap<&'static str, usize>,
            quantities: Vec<&'a Line>,
        }
        let out = Out { passed: self.passed(), files: &self.files, quantities: self.lines().collect() };
        serde_json::to_string_pretty(&out).expect("a report holds only strings and numbers")
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files: Vec<String> = self.files.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
        writeln!(f, "fixtures: {}", files.join(", "))?;
        let width = self.lines().map(|line| line.quantity.len()).max().unwrap_or(0).max(28);
        writeln!(
            f,
            "{:<11} {:<width$} {:>7} {:>10} {:>10}      from",
            "group", "quantity", "cases", "worst", "allowed"
        )?;
        for line in self.lines() {
            writeln!(
                f,
                "{:<11} {:<width$} {:>7} {:>10.2e} {:>10.2e} {:<4} {}",
                line.group,
                line.quantity,
                line.cases,
                line.worst,
                line.tolerance,
                if line.used <= 1.0 { "ok" } else { "FAIL" },
                line.case
            )?;
        }
        writeln!(f, "{}", if self.passed() { "all within tolerance" } else { "NOT within tolerance" })
    }
}
