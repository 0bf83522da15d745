//! Promises of studies: what was wanted, what was found, and whether it holds.

use serde_json::{Value, json};

/// A promise.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// What was wanted, with its bound.
    pub what: String,
    /// What was found.
    pub found: String,
    /// Whether it holds.
    pub holds: bool,
}

impl Mark {
    /// For machines.
    pub fn to_json(&self) -> Value {
        json!({ "what": self.what, "found": self.found, "holds": self.holds })
    }

    /// A line each, for people.
    pub fn text(marks: &[Self]) -> String {
        let width = marks.iter().map(|m| m.what.chars().count()).max().unwrap_or(0);
        let line = |m: &Self| {
            let verdict = if m.holds { "ok" } else { "MISSED" };
            format!("{:width$}  {verdict:6}  {}\n", m.what, m.found)
        };
        marks.iter().map(line).collect()
    }
}
