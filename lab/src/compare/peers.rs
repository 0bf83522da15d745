//! What other engines do on the same set-ups, measured outside of this program and read from a file: `stuntlab compare … --peers FILE`.
//!
//! ```text
//! # a comment
//! set_up,peer,version,rate,metric,value
//! compare-sliding,MuJoCo,4.0.0,240,headline,0.1251
//! compare-sliding,MuJoCo,4.0.0,240,ns_per_step,2100
//! ```
//! A line is one number: of a set-up that comes with the program, by whom, at how many steps per second; `metric` is one of
//! [`METRICS`] or `ns_per_step`. `benches/peers/compare` writes such files; anybody may. They are shown beside our numbers and never among
//! them: `results.csv` does not know of them. An `error` that is left out follows from the headline.

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::metrics::METRICS;
use super::setup::Subject;
use super::suites;

/// The first line that is no comment.
const HEAD: &str = "set_up,peer,version,rate,metric,value";
/// The metric that is a time.
const COST: &str = "ns_per_step";

/// Numbers of other engines that cannot be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PeersError {
    /// The file system said no.
    #[error("{}: {source}", path.display())]
    Io {
        /// Which file.
        path: PathBuf,
        /// What it said.
        source: std::io::Error,
    },
    /// A line that is not as it should be.
    #[error("{}:{line}: {problem}", path.display())]
    Line {
        /// Which file.
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
        /// What is wrong, and what was expected.
        problem: String,
    },
}

/// What one engine did on one set-up at one rate.
#[derive(Clone, Debug, PartialEq)]
pub struct Peer {
    /// The set-up.
    pub set_up: String,
    /// Who.
    pub peer: String,
    /// Of which version.
    pub version: String,
    /// Steps per second, as it is written.
    pub rate: String,
    /// Numbers by metric.
    pub numbers: Vec<(&'static str, f64)>,
}

impl Peer {
    /// Who it is, for tables and plots.
    pub fn name(&self) -> String {
        format!("{} {}", self.peer, self.version)
    }

    /// Steps per second.
    pub fn steps_per_second(&self) -> f64 {
        self.rate.parse().unwrap_or(f64::NAN)
    }

    /// The number of a metric; NaN where there is none.
    pub fn get(&self, name: &str) -> f64 {
        self.numbers.iter().find(|(n, _)| *n == name).map_or(f64::NAN, |(_, x)| *x)
    }

    /// Time of a step, ns; NaN where it is not known.
    pub fn ns_per_step(&self) -> f64 {
        self.get(COST)
    }

    /// Fills in how far the headline is from what it should be.
    fn judge(&mut self) {
        let row = Subject::find(&self.set_up).and_then(|subject| subject.row()?.headline);
        let expected = row.and_then(|headline| headline.expected);
        if let (Some(expected), true) = (expected, self.get("error").is_nan()) {
            let off = (self.get("headline") - expected).abs();
            let error = if expected == 0.0 { off } else { off / expected.abs() };
            self.numbers.extend((!error.is_nan()).then_some(("error", error)));
        }
    }
}

/// What a file says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Peers {
    /// All of it, in the order of the file.
    pub all: Vec<Peer>,
    /// The text, by which a manifest knows it.
    pub text: String,
}

impl Peers {
    /// Reads a file.
    ///
    /// # Errors
    /// A file that cannot be read, and the first line that is wrong.
    pub fn read(path: &Path) -> Result<Self, PeersError> {
        let io = |source| PeersError::Io { path: path.to_owned(), source };
        let bytes = crate::disk::read(path).map_err(io)?;
        let text = String::from_utf8(bytes)
            .map_err(|e| io(std::io::Error::new(std::io::ErrorKind::InvalidData, e)))?;
        Self::parse(&text).map_err(|(line, problem)| PeersError::Line {
            path: path.to_owned(),
            line,
            problem,
        })
    }

    /// Those of a set-up.
    pub fn of<'a>(&'a self, set_up: &'a str) -> impl Iterator<Item = &'a Peer> {
        self.all.iter().filter(move |p| p.set_up == set_up)
    }

    /// Reads a text; the line that is wrong and how.
    fn parse(text: &str) -> Result<Self, (usize, String)> {
        let lines = text.lines().enumerate().map(|(k, line)| (k + 1, line.trim()));
        let mut lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        match lines.next() {
            Some((_, HEAD)) => {}
            Some((k, line)) => return Err((k, format!("is \"{line}\", expected {HEAD}"))),
            None => return Err((1, format!("nothing there, expected {HEAD}"))),
        }
        let mut all: Vec<Peer> = Vec::new();
        for (k, line) in lines {
            let (peer, metric, value) = number(line).map_err(|problem| (k, problem))?;
            let same = |p: &&mut Peer| {
                (&p.set_up, &p.peer, &p.version, &p.rate)
                    == (&peer.set_up, &peer.peer, &peer.version, &peer.rate)
            };
            match all.iter_mut().find(same) {
                Some(old) if !old.get(metric).is_nan() => {
                    return Err((k, format!("{metric} of this peer, set-up and rate is there already")));
                }
                Some(old) => old.numbers.push((metric, value)),
                None => all.push(Peer { numbers: vec![(metric, value)], ..peer }),
            }
        }
        all.iter_mut().for_each(Peer::judge);
        Ok(Self { all, text: text.to_owned() })
    }
}

/// One line.
fn number(line: &str) -> Result<(Peer, &'static str, f64), String> {
    let cells: Vec<&str> = line.split(',').map(str::trim).collect();
    let [set_up, peer, version, rate, metric, value] = cells[..] else {
        return Err(format!("{} cells, expected 6: {HEAD}", cells.len()));
    };
    if Subject::find(set_up).is_none() {
        let known: Vec<&str> = suites::SETUPS.iter().flat_map(|s| s.iter()).map(|s| s.name).collect();
        return Err(format!("set-up {set_up} is not known, expected one of: {}", known.join(", ")));
    }
    if peer.is_empty() || version.is_empty() {
        return Err("no peer or no version, expected both".to_owned());
    }
    if !rate.parse::<f64>().is_ok_and(|x| x.is_finite() && x > 0.0) {
        return Err(format!("rate is {rate}, expected a number above 0"));
    }
    let known = || METRICS.iter().map(|m| m.name).chain([COST]);
    let Some(metric) = known().find(|name| *name == metric) else {
        let names: Vec<&str> = known().collect();
        return Err(format!("metric {metric} is not known, expected one of: {}", names.join(", ")));
    };
    let Some(value) = value.parse::<f64>().ok().filter(|x| x.is_finite()) else {
        return Err(format!("{metric} is {value}, expected a finite number"));
    };
    let owned = str::to_owned;
    let peer = Peer {
        set_up: owned(set_up),
        peer: owned(peer),
        version: owned(version),
        rate: owned(rate),
        numbers: Vec::new(),
    };
    Ok((peer, metric, value))
}
