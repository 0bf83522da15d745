//! Heat maps of the study, one per law and quantity, and a sheet of them all.

use std::path::Path;

use stuntlab_viewer::canvas::Canvas;
use stuntlab_viewer::plot::{HeatMap, LinePlot, Sheet};

use super::Outcomes;
use super::plan::{Extent, Law, Part, Task};
use super::summary::{Cell, cell, survivors};
use crate::disk::{self, FileError};
use crate::stats::{self, Estimate};

/// Reads one number from a cell.
type Pick = fn(&Cell) -> f64;

/// What is drawn.
struct Drawn {
    file: &'static str,
    title: &'static str,
    unit: &'static str,
    /// Range of the colours.
    range: (f64, f64),
    pick: Pick,
}

const QUANTITIES: [Drawn; 3] = [
    Drawn { file: "error", title: "tracking error", unit: "rad", range: (0.0, 0.4), pick: |c| c.error },
    Drawn {
        file: "jitter",
        title: "jitter",
        unit: "of the motion's own",
        range: (0.0, 6.0),
        pick: |c| c.jitter,
    },
    Drawn {
        file: "survival",
        title: "survival",
        unit: "share of runs",
        range: (0.0, 1.0),
        pick: |c| c.survival,
    },
];

fn heat_map(plan: &Extent, outcomes: &Outcomes, law: Law, drawn: &Drawn) -> HeatMap {
    let Drawn { title, unit, range, pick, .. } = drawn;
    let label = |x: &f64| format!("{x:.2}");
    // Damping upwards, stiffness to the right.
    let rows: Vec<f64> = plan.factors.iter().rev().copied().collect();
    let values = rows
        .iter()
        .flat_map(|&damping| plan.factors.iter().map(move |&stiffness| (stiffness, damping)))
        .map(|at| pick(&cell(outcomes, law, &Task::ALL, Part::Map, at, plan.map_seeds)))
        .collect();
    HeatMap {
        title: format!("{}: {title}", law.name()),
        x_label: "factor on stiffness".to_owned(),
        y_label: "factor on damping".to_owned(),
        columns: plan.factors.iter().map(label).collect(),
        rows: rows.iter().map(label).collect(),
        values,
        intervals: Vec::new(),
        range: Some(*range),
        unit: format!("{title}, {unit}"),
    }
}

/// Error along the line of constant damping ratio, where at least half of the runs stay up.
fn line_plot(plan: &Extent, outcomes: &Outcomes) -> LinePlot {
    let mut plot = LinePlot::new(
        "Tracking error of the runs that stay up, damping ratio constant (means, 95 % intervals)",
        "factor on stiffness",
        "tracking error, rad",
    );
    plot.log_x = true;
    plot.y_range = Some((0.0, 0.5));
    for law in Law::ALL {
        let point = |&s: &f64| {
            let at = (s, s.sqrt());
            let up = survivors(outcomes, law, &Task::ALL, Part::Line, at, plan.line_seeds);
            let survival = cell(outcomes, law, &Task::ALL, Part::Line, at, plan.line_seeds).survival;
            let Estimate { value, low, high, .. } =
                stats::mean(&up.iter().map(|o| o.error).collect::<Vec<_>>());
            (s, if survival >= 0.5 { value } else { f64::NAN }, low, high)
        };
        let points: Vec<(f64, f64, f64, f64)> = plan.scales.iter().map(point).collect();
        plot = plot.estimates(law.name(), &points);
    }
    plot
}

/// Names of all pictures.
pub(super) fn names() -> Vec<String> {
    let maps =
        QUANTITIES.iter().flat_map(|drawn| Law::ALL.map(|law| format!("{}-{}", drawn.file, law.name())));
    let both =
        maps.chain(["line".to_owned()]).flat_map(|name| [format!("{name}.svg"), format!("{name}.png")]);
    both.chain(["gain-map.png".to_owned()]).collect()
}

/// Writes PNG and SVG pictures into a directory.
///
/// # Errors
/// A directory that cannot be written.
pub(super) fn write(dir: &Path, plan: &Extent, outcomes: &Outcomes) -> Result<(), FileError> {
    let picture = |name: String, canvas: &Canvas| disk::write_picture(&dir.join(name), canvas);
    let text = |name: String, svg: String| disk::write(&dir.join(name), svg.as_bytes());
    let of = |drawn| Law::ALL.map(|law| (law, drawn, heat_map(plan, outcomes, law, drawn)));
    let maps: Vec<(Law, &Drawn, HeatMap)> = QUANTITIES.iter().flat_map(of).collect();
    let mut sheet = Sheet::new("Gain map", Law::ALL.len());
    for (law, drawn, map) in &maps {
        let name = format!("{}-{}", drawn.file, law.name());
        text(format!("{name}.svg"), map.to_svg(640, 520))?;
        picture(format!("{name}.png"), &map.to_canvas(640, 520))?;
        sheet.heat_map(map);
    }
    picture("gain-map.png".to_owned(), &sheet.to_canvas(1760, 1080))?;
    let plot = line_plot(plan, outcomes);
    text("line.svg".to_owned(), plot.to_svg(720, 440))?;
    picture("line.png".to_owned(), &plot.to_canvas(720, 440))
}
