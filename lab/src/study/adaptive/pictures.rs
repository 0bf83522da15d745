//! Pictures of the study: joints that are simulated and time to be back over the impulse, and what steps take over simulated joints.

use std::path::Path;

use stuntlab_viewer::plot::LinePlot;

use super::super::{Results, StudyError};
use super::cost::Cost;
use super::hit::RANDOM;
use super::marks::by_impulse;
use crate::disk;

const PICTURES: [&str; 3] = ["active", "back", "cost"];

/// Names of the files.
pub(super) fn files() -> Vec<String> {
    PICTURES.iter().flat_map(|name| [format!("{name}.svg"), format!("{name}.png")]).collect()
}

/// An outcome over the impulse, the random hits of each clip.
fn over_impulse(results: &Results, plot: LinePlot, outcome: &str) -> LinePlot {
    let plan = &results.plan;
    let Some(k) = plan.outcome(outcome) else { return plot };
    plan.values(2).into_iter().fold(plot, |plot, clip| {
        let rows = plan.trials.iter().zip(&results.outcomes);
        let own = rows.filter(|(t, _)| t.0[0] == RANDOM && t.0[2] == clip);
        plot.scatter(clip, own.filter_map(|(t, row)| Some((t.get(6)?, row[k]))).collect())
    })
}

/// Writes all pictures.
pub(super) fn write(results: &Results, costs: &[Cost], dir: &Path) -> Result<(), StudyError> {
    let plot =
        LinePlot::new("Joints that a hit has simulated", "impulse, N s", "share of its joints at most");
    let (middles, means) = by_impulse(results);
    let points: Vec<(f64, f64, f64, f64)> =
        middles.iter().zip(&means).map(|(x, e)| (*x, e.value, e.low, e.high)).collect();
    let active = over_impulse(results, plot, "active").estimates("mean (95 %)", &points);
    let plot = LinePlot::new("Back in the motion", "impulse, N s", "seconds after the hit is over");
    let back = over_impulse(results, plot, "back_after");
    let pushed = |pick: fn(&Cost) -> f64| {
        costs.iter().filter(|c| c.disturbed).map(|c| (c.share(), pick(c))).collect::<Vec<_>>()
    };
    let plot = LinePlot::new(
        "What a step takes (this machine, least)",
        "share of its joints that are simulated",
        "µs",
    );
    let whole =
        costs.iter().find(|c| !c.disturbed && !c.books).map(|c| vec![(0.0, c.least[0])]).unwrap_or_default();
    let plot =
        LinePlot { y_range: Some((0.0, 1.1 * costs.iter().map(|c| c.least[0]).fold(0.0, f64::max))), ..plot };
    let cost = plot
        .line("a step under a push", pushed(|c| c.least[0]))
        .line("of it the controller", pushed(|c| c.least[1]))
        .scatter("undisturbed", whole);
    for (name, plot) in PICTURES.iter().zip([active, back, cost]) {
        disk::write(&dir.join(format!("{name}.svg")), plot.to_svg(760, 440).as_bytes())?;
        disk::write_picture(&dir.join(format!("{name}.png")), &plot.to_canvas(760, 440))?;
    }
    Ok(())
}
