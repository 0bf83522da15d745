//! Time against accuracy of pose search (Mandel and Zordan 2005, "Approximate nearest neighbour search" and "Search each joint position separately"), from a thousand frames to a million.
//!
//! Databases are takes of the library's clips and their mirror images: each take is a clip whose pose is off it by a share of the way to another pose, drawn from a seed, and every frame
//! by a little noise, so that frames follow each other as in recordings and no two takes are alike. Queries are frames of other takes. What is found is compared with the nearest by brute force.
//!
//! Times are of the machine and its moment: they are measured for the report and kept out of the results.
//!
//! | file | what |
//! |---|---|
//! | `takes` | databases and queries |
//! | `ways` | exact, near enough, joint by joint, key frames |
//! | `cost` | what a query takes |

mod cost;
mod takes;
mod ways;

use std::path::Path;

use serde_json::json;
use stuntlab_viewer::plot::LinePlot;

use super::{Kind, Measured, Plan, Report, Results, Size, Study, StudyError, Table, Trial, grid};
use crate::disk;
use ways::Way;

/// The study's row.
pub const STUDY: Study = Study {
    name: "search-study",
    help: "Pose search from a thousand frames to a million: time and accuracy of exact search, (1+ε), one search per joint, and key frames",
    plan,
    run,
    files,
    report,
};

/// Longest exact query over fifty thousand frames, µs: the promise.
const EXACT: (usize, f64) = (50_000, 200.0);

const fn outcome(name: &'static str, unit: &'static str, kind: Kind) -> Measured {
    Measured { name, unit, kind }
}

/// Share of queries whose answer is the nearest; distance over the nearest's, in the mean and at most.
const OUTCOMES: [Measured; 3] = [
    outcome("recall", "", Kind::Mean),
    outcome("ratio", "of 1", Kind::Mean),
    outcome("worst_ratio", "of 1", Kind::Mean),
];

fn sizes(size: Size) -> &'static [usize] {
    match size {
        Size::Full => &[1_000, 5_000, 10_000, 50_000, 100_000, 500_000, 1_000_000],
        Size::Quick => &[1_000, 5_000],
    }
}

fn plan(size: Size) -> Plan {
    let frames: Vec<String> = sizes(size).iter().map(usize::to_string).collect();
    let ways: Vec<String> = Way::ALL.iter().map(|way| way.name()).collect();
    Plan::new(&["frames", "way"], &[], &OUTCOMES, grid(&[frames, ways]))
}

fn run(trial: &Trial) -> Result<Vec<f64>, StudyError> {
    let way = trial.get::<String>(1).and_then(|name| Way::ALL.into_iter().find(|w| w.name() == name));
    let (Some(frames), Some(way)) = (trial.get(0), way) else {
        return Ok(vec![f64::NAN; OUTCOMES.len()]);
    };
    let Some(takes) = takes::make(frames) else { return Ok(vec![f64::NAN; OUTCOMES.len()]) };
    Ok(ways::accuracy(&takes, way).to_vec())
}

fn files() -> Vec<String> {
    ["time.svg", "time.png", "tradeoff.svg", "tradeoff.png", cost::FILE].map(str::to_owned).to_vec()
}

fn report(results: &Results, dir: &Path) -> Result<Report, StudyError> {
    let plan = &results.plan;
    let frames: Vec<usize> = plan.values(0).iter().filter_map(|n| n.parse().ok()).collect();
    let costs = cost::measure(&frames);
    cost::write(&costs, dir)?;
    let mut time = LinePlot::new("A query", "frames, powers of ten", "µs, powers of ten");
    let mut tradeoff =
        LinePlot::new("The largest database", "µs, powers of ten", "distance over the nearest's, mean");
    for way in Way::ALL {
        let own = costs.iter().filter(|c| c.way == way);
        time = time.line(way.name(), own.map(|c| ((c.frames as f64).log10(), c.median.log10())).collect());
    }
    let most = frames.iter().copied().max().unwrap_or(0);
    for (trial, row) in plan.trials.iter().zip(&results.outcomes) {
        let cost = costs.iter().find(|c| c.frames == most && c.way.name() == trial.0[1]);
        if let Some(cost) = cost.filter(|_| trial.0[0] == most.to_string()) {
            tradeoff = tradeoff.scatter(trial.0[1].clone(), vec![(cost.median.log10(), row[1])]);
        }
    }
    for (name, plot) in [("time", &time), ("tradeoff", &tradeoff)] {
        disk::write(&dir.join(format!("{name}.svg")), plot.to_svg(760, 440).as_bytes())?;
        disk::write_picture(&dir.join(format!("{name}.png")), &plot.to_canvas(760, 440))?;
    }
    let table = Table::by(results, &["frames", "way"], |_| true);
    let exact = costs.iter().find(|c| c.frames == EXACT.0 && c.way == Way::Exact);
    let mark = exact.map_or_else(String::new, |c| {
        let verdict = if c.median <= EXACT.1 { "ok" } else { "MISSED" };
        format!(
            "exact query over {} frames: median at most {} µs  {verdict}  {:.0} µs, 95 % {:.0}\n",
            EXACT.0, EXACT.1, c.median, c.high
        )
    });
    Ok(Report {
        text: mark + &cost::text(&costs, results),
        json: json!({ "accuracy": table.to_json(), "time": cost::to_json(&costs) }),
    })
}
