//! Pictures of the study: per walker maps of direction and force, of phase and force, and all walkers over the impulse.

use std::path::Path;

use serde_json::{Value, json};
use stuntlab_viewer::canvas::Canvas;
use stuntlab_viewer::plot::{HeatMap, LinePlot, Sheet};

use super::super::{Plan, Results, Table, Trial};
use super::walkers::WALKERS;
use super::{AT, StudyError};
use crate::disk::{self, FileError};
use crate::stats::Estimate;

/// Share of phases that makes a push survived.
const ENOUGH: f64 = 0.9;

/// Names of the files.
pub(super) fn files() -> Vec<String> {
    let names = WALKERS.iter().map(|w| w.name).chain(["phase", "survival"]);
    names.flat_map(|name| [format!("{name}.svg"), format!("{name}.png")]).collect()
}

fn whole(number: &str) -> String {
    number.trim_end_matches(".0").to_owned()
}

/// Survival over two factors of the trials that are wanted, the second upwards.
fn map(
    results: &Results,
    title: String,
    [(across, x_label), (up, y_label)]: [(&'static str, &str); 2],
    wanted: impl Fn(&Trial) -> bool,
) -> HeatMap {
    let plan = &results.plan;
    let table = Table::by(results, &[across, up], wanted);
    let values = |factor| plan.factor(factor).map(|k| plan.values(k)).unwrap_or_default();
    let (columns, mut rows) = (values(across), values(up));
    rows.reverse();
    let cells = rows.iter().flat_map(|row| columns.iter().map(move |column| [*column, *row]));
    let estimates: Vec<Option<Estimate>> =
        cells.map(|key| table.cell(&key).map(|cell| cell.estimates[0])).collect();
    HeatMap {
        title,
        x_label: x_label.to_owned(),
        y_label: y_label.to_owned(),
        values: estimates.iter().map(|e| e.map_or(f64::NAN, |e| e.value)).collect(),
        intervals: estimates.iter().map(|e| e.map_or((f64::NAN, f64::NAN), |e| (e.low, e.high))).collect(),
        columns: columns.iter().map(|c| whole(c)).collect(),
        rows: rows.iter().map(|r| whole(r)).collect(),
        range: Some((0.0, 1.0)),
        unit: "share that walks on".to_owned(),
    }
}

const FORCE: (&str, &str) = ("force_N", "force, N");

/// Writes all pictures; `unit` is the impulse that curves are over, N s.
pub(super) fn write(results: &Results, unit: f64, dir: &Path) -> Result<(), StudyError> {
    let both = |name: &str, svg: String, canvas: &Canvas| -> Result<(), FileError> {
        disk::write(&dir.join(format!("{name}.svg")), svg.as_bytes())?;
        disk::write_picture(&dir.join(format!("{name}.png")), canvas)
    };
    let durations = results.plan.values(3);
    for walker in &WALKERS {
        let maps: Vec<HeatMap> = durations
            .iter()
            .map(|duration| {
                let title = format!("{}: pushed at the trunk for {duration} s", walker.name);
                let direction = ("direction_deg", "direction of the push, ° left of its way");
                let wanted = |t: &Trial| t.0[0] == walker.name && t.0[1] == AT[0] && t.0[3] == *duration;
                map(results, title, [direction, FORCE], wanted)
            })
            .collect();
        let mut sheet = Sheet::new("Share of phases that walk on (95 % intervals)", maps.len());
        maps.iter().for_each(|map| sheet.heat_map(map));
        let width = 520 * maps.len();
        both(walker.name, sheet.to_svg(width, 480), &sheet.to_canvas(width, 480))?;
    }
    let middle = durations[durations.len() / 2];
    let maps: Vec<HeatMap> = WALKERS
        .iter()
        .map(|walker| {
            let wanted = |t: &Trial| t.0[0] == walker.name && t.0[1] == AT[0] && t.0[3] == middle;
            let phase = ("phase", "phase of the stride, from where the left foot strikes");
            map(results, walker.name.to_owned(), [phase, FORCE], wanted)
        })
        .collect();
    let mut sheet = Sheet::new(
        format!("Share of directions that walk on, pushed at the trunk for {middle} s (95 % intervals)"),
        2,
    );
    maps.iter().for_each(|map| sheet.heat_map(map));
    let height = 420 * maps.len().div_ceil(2);
    both("phase", sheet.to_svg(1160, height), &sheet.to_canvas(1160, height))?;
    let plot = curves(results, unit);
    both("survival", plot.to_svg(820, 480), &plot.to_canvas(820, 480))?;
    Ok(())
}

/// Survival over the impulse, all directions, durations and phases.
fn curves(results: &Results, unit: f64) -> LinePlot {
    let table = Table::by(results, &["walker", "impulse_Ns"], |t| t.0[1] == AT[0]);
    let mut impulses: Vec<(f64, &str)> =
        results.plan.values(5).into_iter().filter_map(|text| Some((text.parse().ok()?, text))).collect();
    impulses.sort_by(|a, b| a.0.total_cmp(&b.0));
    let plot = LinePlot::new(
        "Survival of a push at the trunk from any direction (95 % intervals)",
        "impulse, of m √(g L)",
        "share that walks on",
    );
    WALKERS.iter().fold(LinePlot { y_range: Some((0.0, 1.0)), ..plot }, |plot, walker| {
        let point = |&(impulse, text): &(f64, &str)| {
            let e = table.cell(&[walker.name, text])?.estimates[0];
            Some((impulse / unit, e.value, e.low, e.high))
        };
        plot.estimates(walker.name, &impulses.iter().filter_map(point).collect::<Vec<_>>())
    })
}

/// The largest force that enough phases survive.
pub(super) struct Held<'a> {
    pub(super) walker: &'a str,
    pub(super) at: &'a str,
    pub(super) direction: &'a str,
    pub(super) duration: &'a str,
    /// N; zero where none is survived.
    pub(super) force: f64,
}

impl Held<'_> {
    /// N s.
    pub(super) fn impulse(&self) -> f64 {
        self.force * self.duration.parse::<f64>().unwrap_or(f64::NAN)
    }

    pub(super) fn to_json(&self) -> Value {
        json!({
            "walker": self.walker,
            "at": self.at,
            "direction_deg": self.direction,
            "duration_s": self.duration,
            "force_N": self.force,
            "impulse_Ns": self.impulse(),
        })
    }
}

/// For every walker, part, direction and duration: what it withstands, with everything smaller.
pub(super) fn held(results: &Results) -> Vec<Held<'_>> {
    let plan: &Plan = &results.plan;
    let table = Table::of(results);
    let mut held: Vec<Held<'_>> = Vec::new();
    let mut over = false;
    for trial in &plan.trials {
        let key = [&trial.0[0], &trial.0[1], &trial.0[2], &trial.0[3]].map(String::as_str);
        let [walker, at, direction, duration] = key;
        if held.last().is_none_or(|l| [l.walker, l.at, l.direction, l.duration] != key) {
            held.push(Held { walker, at, direction, duration, force: 0.0 });
            over = false;
        }
        let cell = [walker, at, direction, duration, &trial.0[4], &trial.0[5]];
        let enough = table.cell(&cell).is_some_and(|cell| cell.estimates[0].value >= ENOUGH);
        over |= !enough;
        if let (false, Some(last), Ok(force)) = (over, held.last_mut(), trial.0[4].parse()) {
            last.force = force;
        }
    }
    held
}
