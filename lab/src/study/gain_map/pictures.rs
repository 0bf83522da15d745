//! Pictures of the study: maps by law and quantity with a sheet of them all, what holds along the line, usable factors, and aid.

use std::path::Path;

use stuntlab_viewer::canvas::Canvas;
use stuntlab_viewer::plot::{BarChart, BarSeries, HeatMap, LinePlot, Sheet};

use super::Outcomes;
use super::criteria::{Bound, Criterion};
use super::law::Law;
use super::plan::{Extent, Part, Run};
use super::rollout::Outcome;
use super::summary::{Summary, Tally};
use crate::disk::{self, FileError};
use crate::stats;

/// What is drawn as a map.
struct Drawn {
    file: &'static str,
    title: &'static str,
    unit: &'static str,
    /// Range of the colours.
    range: (f64, f64),
    pick: fn(&Tally) -> f64,
}

const QUANTITIES: [Drawn; 3] = [
    Drawn {
        file: "survival",
        title: "survival",
        unit: "share of runs",
        range: (0.0, 1.0),
        pick: |t| t.survival.value,
    },
    Drawn {
        file: "error",
        title: "error until the fall",
        unit: "rad",
        range: (0.0, 0.3),
        pick: |t| t.attitude.value,
    },
    Drawn {
        file: "jitter",
        title: "jitter",
        unit: "of the motion's own",
        range: (0.0, 6.0),
        pick: |t| t.jitter.value,
    },
];

/// Criteria that pictures show: the widest and the strictest.
const SHOWN: [Criterion; 2] = [Criterion { bound: Bound::Absolute, calm: false }, Criterion::STRICT];

fn heat_map(extent: &Extent, outcomes: &Outcomes, law: Law, drawn: &Drawn) -> HeatMap {
    let Drawn { title, unit, range, pick, .. } = drawn;
    let label = |x: &f64| if *x < 1.0 { format!("{x:.2}") } else { format!("{x:.1}") };
    // Damping upwards, stiffness to the right.
    let rows: Vec<f64> = extent.factors.iter().rev().copied().collect();
    let tally = |(stiffness, damping): (f64, f64)| {
        let runs = extent.tasks.iter().flat_map(|&task| {
            let run = Run { part: Part::Map, stiffness, damping, ..Run::on_line(law, task, 1.0, 0) };
            (0..extent.map_seeds).filter_map(move |seed| outcomes.get(&Run { seed, ..run }.key()).copied())
        });
        Tally::of(&runs.collect::<Vec<Outcome>>())
    };
    let values = rows
        .iter()
        .flat_map(|&damping| extent.factors.iter().map(move |&stiffness| (stiffness, damping)))
        .map(|at| pick(&tally(at)))
        .collect();
    HeatMap {
        title: format!("{}: {title}", law.name()),
        x_label: "factor on stiffness".to_owned(),
        y_label: "factor on damping".to_owned(),
        columns: extent.factors.iter().map(label).collect(),
        rows: rows.iter().map(label).collect(),
        values,
        intervals: Vec::new(),
        range: Some(*range),
        unit: (*unit).to_owned(),
    }
}

/// Share of runs that hold along the line of constant damping ratio, all tasks.
fn line_plot(extent: &Extent, outcomes: &Outcomes, criterion: Criterion) -> LinePlot {
    let plot = LinePlot::new(
        format!("Runs that hold ({}), all motions", criterion.name()),
        "factor on stiffness, damping ratio constant",
        "share of runs",
    );
    let plot = LinePlot { log_x: true, y_range: Some((0.0, 1.0)), ..plot };
    Law::ALL.iter().fold(plot, |plot, &law| {
        let mut held = vec![(0, 0); extent.scales.len()];
        for (&task, seed) in extent.tasks.iter().flat_map(|t| (0..extent.line_seeds).map(move |k| (t, k))) {
            let at = |&scale: &f64| outcomes.get(&Run::on_line(law, task, scale, seed).key()).copied();
            let line: Vec<Option<Outcome>> = extent.scales.iter().map(at).collect();
            for (sum, held) in held.iter_mut().zip(criterion.along(&line)) {
                *sum = (sum.0 + usize::from(held), sum.1 + 1);
            }
        }
        let point = |(&scale, &(held, of)): (&f64, &(usize, usize))| {
            let e = stats::rate(held, of);
            (scale, e.value, e.low, e.high)
        };
        let points: Vec<(f64, f64, f64, f64)> = extent.scales.iter().zip(&held).map(point).collect();
        plot.estimates(law.name(), &points)
    })
}

/// Usable factors by task under a criterion.
fn bars(summary: &Summary, criterion: Criterion) -> BarChart {
    let of: Vec<_> = summary.usable.iter().filter(|u| u.criterion == criterion.name()).collect();
    let mut tasks: Vec<&str> = Vec::new();
    of.iter().for_each(|u| {
        if !tasks.contains(&u.task) {
            tasks.push(u.task);
        }
    });
    let series = |law: Law| {
        let mine: Vec<_> = of.iter().filter(|u| u.law == law.name()).map(|u| u.factors).collect();
        BarSeries {
            name: law.name().to_owned(),
            values: mine.iter().map(|e| e.value).collect(),
            intervals: mine.iter().map(|e| (e.low, e.high)).collect(),
        }
    };
    BarChart {
        title: format!(
            "Neighbouring gain factors that hold ({}), of {} an octave apart (95 % intervals)",
            criterion.name(),
            summary.scales.len()
        ),
        x_label: String::new(),
        y_label: "factors".to_owned(),
        categories: tasks.iter().map(|task| (*task).to_owned()).collect(),
        series: Law::ALL.map(series).to_vec(),
    }
}

/// A number of all settings of aid over their cheat, root spring as it is, from all inside to all outside.
fn aid_plot(summary: &Summary, y_label: &str, pick: fn(&Tally) -> stats::Estimate) -> LinePlot {
    let plot = LinePlot::new(
        "Shares of the torques from outside: 0 to 1, left to right",
        "moment from outside, of the weight at 1 m",
        y_label,
    );
    let plot = LinePlot { x_range: Some((0.0, 0.6)), ..plot };
    Extent::AIDED.iter().fold(plot, |plot, law| {
        let mine = summary.aid.iter().filter(|a| a.law == law.name() && a.spring == 1.0);
        let point = |a: &super::aid::Aided| {
            let e = pick(&a.tally);
            (a.tally.cheat.value, e.value, e.low, e.high)
        };
        let points: Vec<(f64, f64, f64, f64)> = mine.map(point).collect();
        plot.estimates(law.name().trim_end_matches("-external"), &points)
    })
}

/// Names of all pictures.
pub(super) fn names() -> Vec<String> {
    let maps =
        QUANTITIES.iter().flat_map(|drawn| Law::CELLS.map(|law| format!("{}-{}", drawn.file, law.name())));
    let sheets = ["gain-map", "line", "aid"].map(str::to_owned);
    let bars = SHOWN.map(bar_file);
    maps.chain(sheets).chain(bars).flat_map(|name| [format!("{name}.svg"), format!("{name}.png")]).collect()
}

fn bar_file(criterion: Criterion) -> String {
    format!("usable-{}", criterion.name().replace(", ", "-"))
}

/// Writes PNG and SVG pictures into a directory.
///
/// # Errors
/// A directory that cannot be written.
pub(super) fn write(
    dir: &Path,
    extent: &Extent,
    outcomes: &Outcomes,
    summary: &Summary,
) -> Result<(), FileError> {
    let both = |name: &str, svg: String, canvas: &Canvas| {
        disk::write(&dir.join(format!("{name}.svg")), svg.as_bytes())?;
        disk::write_picture(&dir.join(format!("{name}.png")), canvas)
    };
    let of = |drawn| Law::CELLS.map(|law| (law, drawn, heat_map(extent, outcomes, law, drawn)));
    let maps: Vec<(Law, &Drawn, HeatMap)> = QUANTITIES.iter().flat_map(of).collect();
    let mut sheet = Sheet::new("", Law::CELLS.len());
    for (law, drawn, map) in &maps {
        let name = format!("{}-{}", drawn.file, law.name());
        both(&name, map.to_svg(640, 520), &map.to_canvas(640, 520))?;
        sheet.heat_map(map);
    }
    both("gain-map", sheet.to_svg(1800, 1200), &sheet.to_canvas(1800, 1200))?;
    let lines = SHOWN.map(|criterion| line_plot(extent, outcomes, criterion));
    let mut sheet = Sheet::new("", 2);
    lines.iter().for_each(|plot| sheet.line_plot(plot));
    both("line", sheet.to_svg(1300, 480), &sheet.to_canvas(1300, 480))?;
    for criterion in SHOWN {
        let chart = bars(summary, criterion);
        both(&bar_file(criterion), chart.to_svg(1300, 480), &chart.to_canvas(1300, 480))?;
    }
    let plots = [
        aid_plot(summary, "error with the root's attitude, rad", |t| t.attitude),
        aid_plot(summary, "share of runs that hold (attitude, calm)", |t| t.held),
    ];
    let mut sheet = Sheet::new("", 2);
    plots.iter().for_each(|plot| sheet.line_plot(plot));
    both("aid", sheet.to_svg(1300, 480), &sheet.to_canvas(1300, 480))
}
