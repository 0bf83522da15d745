//! What a query takes: the least of some rounds of each, then the median over queries. Of this machine, therefore no part of the results.

use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

use super::super::{Results, StudyError};
use super::takes;
use super::ways::{Way, answer};
use crate::disk;

/// Its file.
pub(super) const FILE: &str = "time.csv";
/// Rounds of a query of which the least counts.
const ROUNDS: usize = 5;

/// What queries take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cost {
    pub(super) frames: usize,
    pub(super) way: Way,
    /// Median and 95th percentile over queries, µs.
    pub(super) median: f64,
    pub(super) high: f64,
}

pub(super) fn measure(sizes: &[usize]) -> Vec<Cost> {
    let mut costs = Vec::new();
    for frames in sizes {
        let Some(takes) = takes::make(*frames) else { continue };
        for way in Way::ALL {
            let mut times = Vec::new();
            answer(&takes, way, |_, ask| {
                let once = |_| {
                    let start = Instant::now();
                    std::hint::black_box(ask());
                    start.elapsed().as_secs_f64()
                };
                times.push(1e6 * (0..ROUNDS).map(once).fold(f64::INFINITY, f64::min));
            });
            times.sort_by(f64::total_cmp);
            let at =
                |share: f64| times.get((share * times.len() as f64) as usize).copied().unwrap_or(f64::NAN);
            costs.push(Cost { frames: *frames, way, median: at(0.5), high: at(0.95) });
        }
    }
    costs
}

pub(super) fn write(costs: &[Cost], dir: &Path) -> Result<(), StudyError> {
    let line = |c: &Cost| format!("{},{},{:.2},{:.2}\n", c.frames, c.way.name(), c.median, c.high);
    let text: String = costs.iter().map(line).collect();
    disk::write(&dir.join(FILE), format!("frames,way,median_us,high_us\n{text}").as_bytes())?;
    Ok(())
}

/// A line per way and size: µs, recall, and the distance over the nearest's.
pub(super) fn text(costs: &[Cost], results: &Results) -> String {
    let line = |c: &Cost| {
        let own = |t: &super::Trial| t.0[0] == c.frames.to_string() && t.0[1] == c.way.name();
        let found = results.plan.trials.iter().zip(&results.outcomes).find(|(t, _)| own(t));
        let row = found.map_or([f64::NAN; 3], |(_, row)| [row[0], row[1], row[2]]);
        format!(
            "{:>8} frames  {:18} {:9.1} µs (95 % {:9.1})  recall {:.3}  distance over the nearest's {:.3}, at most {:.2}\n",
            c.frames,
            c.way.name(),
            c.median,
            c.high,
            row[0],
            row[1],
            row[2]
        )
    };
    costs.iter().map(line).collect()
}

pub(super) fn to_json(costs: &[Cost]) -> Value {
    let one = |c: &Cost| json!({ "frames": c.frames, "way": c.way.name(), "median_us": c.median, "high_us": c.high });
    costs.iter().map(one).collect()
}
