//! All skills' classifiers side by side, as the paper's Table 1 has them.

use std::path::Path;

use stuntlab_viewer::plot::LinePlot;

use super::course::{Learned, thinned};
use super::practice::Practice;
use crate::disk::{self, FileError};
use crate::stats::Estimate;

/// The files.
pub const FILES: [&str; 4] = ["table.md", "times.md", "roc.svg", "roc.png"];

/// Writes table, times and curves of some courses.
///
/// # Errors
/// Files that cannot be written.
pub fn write(all: &[Learned], dir: &Path) -> Result<(), FileError> {
    disk::write(&dir.join(FILES[0]), accuracies(all).as_bytes())?;
    disk::write(&dir.join(FILES[1]), times(all).as_bytes())?;
    let plot = LinePlot::new(
        "What classifiers accept of states they never saw",
        "share of the failures that is accepted",
        "share of the successes that is accepted",
    );
    let plot = all
        .iter()
        .fold(LinePlot { y_range: Some((0.0, 1.0)), ..plot }, |plot, l| plot.line(l.skill, thinned(&l.roc)));
    disk::write(&dir.join(FILES[2]), plot.to_svg(720, 480).as_bytes())?;
    disk::write_picture(&dir.join(FILES[3]), &plot.to_canvas(720, 480))
}

fn percent(e: Estimate) -> String {
    format!("{:.1} ({:.1} to {:.1})", 100.0 * e.value, 100.0 * e.low, 100.0 * e.high)
}

/// Accuracies in percent with their intervals, beside the published ones.
pub fn accuracies(all: &[Learned]) -> String {
    let mut text = "| skill | trained on | judged by | succeed | majority | nearest | linear | polynomial | radial | chosen | area | precision | recall | published: like, nearest, machine |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n".to_owned();
    for l in all {
        let of = |name: &str| l.accuracy_of(name).map_or_else(String::new, percent);
        let published = Practice::find(l.skill).map_or_else(String::new, |p| {
            format!("{}, {:.2}, {:.2}", p.published, 100.0 * p.accuracies[0], 100.0 * p.accuracies[1])
        });
        text += &format!(
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {}: {} | {:.3} | {} | {} | {published} |\n",
            l.skill,
            l.sizes[0],
            l.sizes[1],
            percent(l.successes[1]),
            of("majority"),
            of("nearest"),
            of("linear"),
            of("polynomial"),
            of("radial"),
            l.fit.chosen.kernel.words(),
            percent(l.accuracy),
            l.area,
            percent(l.precision),
            percent(l.recall),
        );
    }
    text
}

/// Times: other numbers on every run, and on every machine.
pub fn times(all: &[Learned]) -> String {
    let mut text = "| skill | trained on | machine, s | with its grid, s: linear, polynomial, radial | decision, us | nearest neighbour, us |\n|---|---|---|---|---|---|\n".to_owned();
    for l in all {
        let of = |name: &str| l.marks.iter().find(|m| m.name == name).map_or([0.0; 2], |m| m.times);
        text += &format!(
            "| {} | {} | {:.2} | {:.1}, {:.1}, {:.1} | {:.2} | {:.0} |\n",
            l.skill,
            l.sizes[0],
            l.times[0],
            of("linear")[0],
            of("polynomial")[0],
            of("radial")[0],
            l.times[1],
            of("nearest")[1],
        );
    }
    text
}
