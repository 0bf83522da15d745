//! Heat maps of the study, one per law and quantity, and a sheet of them all.

use std::path::Path;

use stuntlab_viewer::canvas::Canvas;
use stuntlab_viewer::contact_sheet::contact_sheet;
use stuntlab_viewer::plot::{HeatMap, LinePlot};

use super::Outcomes;
use super::plan::{Extent, Law, Part, Task};
use super::summary::{Cell, cell};
use crate::disk::{self, FileError};

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
    Drawn { file: "jitter", title: "jitter", unit: "of the motion's", range: (0.0, 6.0), pick: |c| c.jitter },
    Drawn { file: "survival", title: "survival", unit: "of 1", range: (0.0, 1.0), pick: |c| c.survival },
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
        title: format!("{}: {title} ({unit}), k2 up, k1 right", law.name()),
        columns: plan.factors.iter().map(label).collect(),
        rows: rows.iter().map(label).collect(),
        values,
        range: Some(*range),
        unit: (*unit).to_owned(),
    }
}

/// Error along the line of constant damping ratio.
fn line_plot(plan: &Extent, outcomes: &Outcomes) -> LinePlot {
    let mut plot = LinePlot::new(
        "mean tracking error of the runs that stay up, damping ratio constant",
        "factor on stiffness",
        "rad",
    );
    plot.log_x = true;
    plot.y_range = Some((0.0, 0.5));
    for law in Law::ALL {
        let point = |&s: &f64| {
            let c = cell(outcomes, law, &Task::ALL, Part::Line, (s, s.sqrt()), plan.line_seeds);
            (s, if c.survival >= 0.5 { c.error } else { f64::NAN })
        };
        plot = plot.line(law.name(), plan.scales.iter().map(point).collect());
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
    let mut sheet: Vec<(String, Canvas)> = Vec::new();
    for drawn in &QUANTITIES {
        for law in Law::ALL {
            let map = heat_map(plan, outcomes, law, drawn);
            text(format!("{}-{}.svg", drawn.file, law.name()), map.to_svg(640, 520))?;
            let canvas = map.to_canvas(640, 520);
            picture(format!("{}-{}.png", drawn.file, law.name()), &canvas)?;
            sheet.push((format!("{} {}", law.name(), drawn.title), canvas));
        }
    }
    let frames: Vec<(String, &Canvas)> = sheet.iter().map(|(name, canvas)| (name.clone(), canvas)).collect();
    picture("gain-map.png".to_owned(), &contact_sheet("gain map", &frames, Law::ALL.len(), 400))?;
    let plot = line_plot(plan, outcomes);
    text("line.svg".to_owned(), plot.to_svg(720, 440))?;
    picture("line.png".to_owned(), &plot.to_canvas(720, 440))
}
