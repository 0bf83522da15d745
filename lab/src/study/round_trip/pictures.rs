//! Pictures of the study: time away and distance at the splice over the impulse, and the head's speed as it strikes over the direction of the fall.

use std::path::Path;

use stuntlab_viewer::plot::LinePlot;

use super::super::{Results, StudyError};
use super::hit::{FALLS, TRIPS};
use crate::disk;

const PICTURES: [&str; 3] = ["away", "splice", "head"];

/// Names of the files.
pub(super) fn files() -> Vec<String> {
    PICTURES.iter().flat_map(|name| [format!("{name}.svg"), format!("{name}.png")]).collect()
}

/// An outcome of a part over a factor or another outcome, by what the factor `by` is.
fn scatter(
    results: &Results,
    plot: LinePlot,
    part: &str,
    by: usize,
    x: impl Fn(&super::Trial, &[f64]) -> Option<f64>,
    outcome: &str,
) -> LinePlot {
    let plan = &results.plan;
    let Some(k) = plan.outcome(outcome) else { return plot };
    plan.values(by).into_iter().fold(plot, |plot, value| {
        let rows = plan.trials.iter().zip(&results.outcomes);
        let own = rows.filter(|(t, _)| t.0[0] == part && t.0[by] == value);
        let points: Vec<(f64, f64)> = own.filter_map(|(t, row)| Some((x(t, row)?, row[k]))).collect();
        if points.is_empty() { plot } else { plot.scatter(value, points) }
    })
}

/// Writes all pictures.
pub(super) fn write(results: &Results, dir: &Path) -> Result<(), StudyError> {
    let impulse = |t: &super::Trial, _: &[f64]| t.get(6);
    let side = results.plan.outcome("sideways");
    let direction = |_: &super::Trial, row: &[f64]| side.map(|k| row[k]);
    let away = LinePlot::new("Back in the motion", "impulse, N s", "seconds after the hit");
    let splice = LinePlot::new("Farthest splice of a trip", "impulse, N s", "RMS distance of joints, m");
    let head = LinePlot::new("The head as it strikes", "direction of the shove, ° from ahead", "m/s");
    let plots = [
        scatter(results, away, TRIPS, 2, impulse, "away"),
        scatter(results, splice, TRIPS, 2, impulse, "splice"),
        scatter(results, head, FALLS, 3, direction, "head_speed"),
    ];
    for (name, plot) in PICTURES.iter().zip(plots) {
        disk::write(&dir.join(format!("{name}.svg")), plot.to_svg(760, 440).as_bytes())?;
        disk::write_picture(&dir.join(format!("{name}.png")), &plot.to_canvas(760, 440))?;
    }
    Ok(())
}
