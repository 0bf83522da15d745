//! Results as tables: for machines, and in words.

use serde_json::{Map, Value, json};

use super::super::{Case, Comparison, METRICS, Peer, suites};
use super::{Row, number};
use crate::study::Kind;

/// Keys that are set anywhere, in the order they first come.
pub(super) fn keys<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    for (key, _) in rows.into_iter().flat_map(|r| &r.cell.settings.0) {
        if !keys.contains(key) {
            keys.push(key.clone());
        }
    }
    keys
}

/// The set-ups, each once.
pub(super) fn setups(comparison: &Comparison) -> Vec<&Case> {
    let mut seen: Vec<&Case> = Vec::new();
    for case in &comparison.cases {
        if seen.iter().all(|s| s.name != case.name) {
            seen.push(case);
        }
    }
    seen
}

/// A cell of a table of CSV.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

fn head(rows: &[Row]) -> Vec<String> {
    [vec!["set_up".to_owned()], keys(rows), vec!["seed".to_owned()]].concat()
}

fn begin(row: &Row, keys: &[String]) -> Vec<String> {
    let value = |key: &String| row.cell.settings.get(key).unwrap_or_default().to_owned();
    let set = keys.iter().map(value).collect();
    [vec![row.cell.case.clone()], set, vec![row.cell.seed.to_string()]].concat()
}

fn csv(lines: impl IntoIterator<Item = Vec<String>>) -> String {
    let line = |cells: Vec<String>| cells.iter().map(|c| quoted(c)).collect::<Vec<_>>().join(",") + "\n";
    lines.into_iter().map(line).collect()
}

/// results.csv: a line per cell, a column per metric, why it ended early, and the command that runs it alone.
pub(super) fn results(rows: &[Row]) -> String {
    let unit = |u: &str| if u.is_empty() { String::new() } else { format!(" [{u}]") };
    let metrics = METRICS.iter().map(|m| format!("{}{}", m.name, unit(m.unit)));
    let head = head(rows).into_iter().chain(metrics).chain(["failure".to_owned(), "command".to_owned()]);
    let keys = keys(rows);
    let line = |row: &Row| {
        let numbers = row.numbers.iter().map(|x| if x.is_nan() { String::new() } else { format!("{x:?}") });
        let end = [row.failure().unwrap_or_default(), row.command.clone()];
        begin(row, &keys).into_iter().chain(numbers).chain(end).collect()
    };
    csv(std::iter::once(head.collect()).chain(rows.iter().map(line)))
}

/// timing.csv: what steps cost, which differs from run to run.
pub(super) fn timing(rows: &[Row]) -> String {
    let columns = [
        "ns_per_step",
        "ns_per_control",
        "ns_per_advance",
        "ns_per_look",
        "ns_per_poses",
        "seconds_per_second",
        "steps_timed",
    ]
    .map(str::to_owned);
    let keys = keys(rows);
    let line = |row: &Row| {
        let cost = row.cost?;
        let times = [cost.step, cost.control, cost.advance, cost.look, cost.poses, cost.per_second];
        let cells = times.map(|x| if x.is_nan() { String::new() } else { format!("{x:?}") });
        Some([begin(row, &keys), cells.to_vec(), vec![cost.steps.to_string()]].concat())
    };
    csv(std::iter::once([head(rows), columns.to_vec()].concat()).chain(rows.iter().filter_map(line)))
}

/// results.json: the same by name, with curves and what scenes measure themselves.
pub(super) fn json(comparison: &Comparison, rows: &[Row]) -> Value {
    let row = |row: &Row| {
        let mut map = Map::new();
        map.insert("set_up".to_owned(), json!(row.cell.case));
        let set: Map<String, Value> =
            row.cell.settings.0.iter().map(|(k, v)| (k.clone(), json!(v))).collect();
        map.insert("settings".to_owned(), Value::Object(set));
        map.insert("seed".to_owned(), json!(row.cell.seed));
        let metrics = METRICS.iter().zip(&row.numbers).filter(|(_, x)| x.is_finite());
        let metrics: Map<String, Value> = metrics.map(|(m, x)| (m.name.to_owned(), json!(x))).collect();
        map.insert("metrics".to_owned(), Value::Object(metrics));
        map.insert("note".to_owned(), json!(row.note));
        map.insert("command".to_owned(), json!(row.command));
        Value::Object(map)
    };
    let metrics: Vec<Value> =
        METRICS.iter().map(|m| json!({ "name": m.name, "unit": m.unit, "help": m.help })).collect();
    let cells: Vec<Value> = rows.iter().map(row).collect();
    let peers: Vec<Value> = comparison.peers.all.iter().map(peer).collect();
    json!({ "ask": comparison.ask, "metrics": metrics, "cells": cells, "peers": peers })
}

fn peer(peer: &Peer) -> Value {
    let metrics: Map<String, Value> = peer.numbers.iter().map(|(m, x)| ((*m).to_owned(), json!(x))).collect();
    json!({ "set_up": peer.set_up, "peer": peer.peer, "version": peer.version, "rate": peer.rate, "metrics": metrics })
}

/// Rows of a set-up that differ in their seeds alone, as one.
pub(super) struct Group<'a> {
    pub(super) rows: Vec<&'a Row>,
}

impl Group<'_> {
    /// Mean over the seeds; shares count failed ones.
    pub(super) fn get(&self, name: &str) -> f64 {
        let all = METRICS.iter().any(|m| m.name == name && m.kind == Kind::Rate);
        let values = self.rows.iter().map(|r| r.get(name));
        let values: Vec<f64> = values.filter(|x| all || !x.is_nan()).collect();
        values.iter().sum::<f64>() / values.len() as f64
    }

    /// The first of them.
    pub(super) fn first(&self) -> &Row {
        self.rows[0]
    }

    /// What cost is known.
    pub(super) fn cost(&self) -> Option<super::Cost> {
        self.rows.iter().find_map(|r| r.cost)
    }

    /// The first failure.
    pub(super) fn failure(&self) -> Option<String> {
        self.rows.iter().find_map(|r| r.failure())
    }
}

/// The groups of a set-up.
pub(super) fn groups<'a>(rows: &'a [Row], name: &str) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for row in rows.iter().filter(|r| r.cell.case == name) {
        match groups.iter_mut().find(|g| g.first().cell.settings == row.cell.settings) {
            Some(group) => group.rows.push(row),
            None => groups.push(Group { rows: vec![row] }),
        }
    }
    groups
}

/// Metrics to show of a set-up: those of its row, or all that were measured.
pub(super) fn columns(case: &Case, groups: &[Group<'_>]) -> Vec<&'static str> {
    let measured = |name: &str| groups.iter().any(|g| !g.get(name).is_nan());
    let some = match case.subject.row() {
        Some(row) => row.columns.to_vec(),
        None => METRICS.iter().map(|m| m.name).filter(|n| !["survived", "ended"].contains(n)).collect(),
    };
    some.into_iter().filter(|name| measured(name)).collect()
}

/// In words, for a terminal.
pub(super) fn text(comparison: &Comparison, rows: &[Row]) -> String {
    let mut text = String::new();
    for case in setups(comparison) {
        let groups = groups(rows, &case.name);
        let columns = columns(case, &groups);
        let keys = keys(groups.iter().flat_map(|g| g.rows.iter().copied()));
        text += &format!("{}\n", case.name);
        let mut lines: Vec<Vec<String>> = vec![
            keys.iter()
                .map(|k| k.rsplit('.').next().unwrap_or(k).to_owned())
                .chain(columns.iter().map(|c| (*c).to_owned()))
                .chain(["us/step".to_owned()])
                .collect(),
        ];
        for group in &groups {
            let first = group.first();
            let set = keys.iter().map(|k| first.cell.settings.get(k).map_or("-".to_owned(), suites::label));
            let numbers = columns.iter().map(|c| number(group.get(c)));
            let cost = group.cost().map_or("·".to_owned(), |c| number(1e-3 * c.step));
            let failure = group.failure().map(|f| format!("  {f}"));
            lines.push(set.chain(numbers).chain([cost]).chain(failure).collect());
        }
        text += &aligned(&lines);
        let peers: Vec<&Peer> = comparison.peers.of(&case.name).collect();
        if !peers.is_empty() {
            text += "measured elsewhere:\n";
            text += &aligned(&peer_lines(&peers, &columns));
        }
        text += "each alone:\n";
        groups.iter().for_each(|g| text += &format!("  {}\n", g.first().command));
        text.push('\n');
    }
    text
}

/// What others did, under the metrics of ours that they have.
fn peer_lines(peers: &[&Peer], columns: &[&str]) -> Vec<Vec<String>> {
    let shown = peer_columns(peers, columns);
    let words = |s: &str| s.to_owned();
    let head = [words("peer"), words("rate")].into_iter().chain(shown.iter().map(|c| words(c)));
    let mut lines = vec![head.chain([words("us/step")]).collect::<Vec<String>>()];
    for peer in peers {
        let numbers = shown.iter().map(|c| number(peer.get(c)));
        let cost = number(1e-3 * peer.ns_per_step());
        lines.push([peer.name(), peer.rate.clone()].into_iter().chain(numbers).chain([cost]).collect());
    }
    lines
}

/// Which of the metrics of ours any of them has.
pub(super) fn peer_columns<'a>(peers: &[&Peer], columns: &[&'a str]) -> Vec<&'a str> {
    columns.iter().copied().filter(|c| peers.iter().any(|p| !p.get(c).is_nan())).collect()
}

/// Columns of a common width, but for what ends a line beyond the first's columns.
fn aligned(lines: &[Vec<String>]) -> String {
    let n = lines.first().map_or(0, Vec::len);
    let width =
        |k: usize| lines.iter().filter_map(|l| l.get(k)).map(|c| c.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..n).map(width).collect();
    let mut text = String::new();
    for line in lines {
        for (k, cell) in line.iter().enumerate() {
            let pad = widths.get(k).map_or(0, |w| w.saturating_sub(cell.chars().count()));
            text += &format!("{}{cell}", " ".repeat(pad + usize::from(k > 0) * 2));
        }
        text.push('\n');
    }
    text
}
