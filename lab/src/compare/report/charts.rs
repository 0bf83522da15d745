//! The plots of a set-up: metrics over the step, the headline's curve beside its closed form, error over cost, gains over steps.

use stuntlab_viewer::palette;
use stuntlab_viewer::plot::{BarChart, BarSeries, HeatMap, LinePlot, LineStyle, Series};

use super::super::{Case, METRICS, Peer, suites};
use super::tables::Group;

/// Width and height of a plot, units.
const SIZE: (usize, usize) = (560, 380);

/// The same of one with many bars.
const WIDE: (usize, usize) = (1130, 320);
/// So many curves are too many for two steps.
const MANY: usize = 8;

/// Metrics that are plotted over the step, and whether slopes are drawn beside.
const OVER_STEP: [(&str, bool); 11] = [
    ("consistency", true),
    ("error", true),
    ("energy_drift", true),
    ("spin_drift", true),
    ("joint_drift", true),
    ("penetration", false),
    ("ncp", false),
    ("signorini", false),
    ("dissipation", false),
    ("jitter", false),
    ("tracking", false),
];

/// All plots of a set-up as SVG documents.
pub(super) fn of(case: &Case, groups: &[Group<'_>], columns: &[&str], peers: &[&Peer]) -> Vec<String> {
    let mut charts = Vec::new();
    let rates = distinct(groups, "rate");
    let svg = |plot: LinePlot| plot.to_svg(SIZE.0, SIZE.1);
    // Many curves of two points each are no plot.
    let many = by_series(groups, &["rate"], |_| None).len() > MANY && rates.len() == 2;
    if many {
        let last = |g: &&Group<'_>| g.first().cell.settings.get("rate") == rates.last().map(String::as_str);
        let shown: Vec<&Group<'_>> = groups.iter().filter(last).collect();
        charts.extend(columns.iter().filter_map(|name| bars(&shown, name, rates.last(), WIDE)));
    } else if rates.len() >= 2 && distinct(groups, "kp").len() < 2 {
        let shown = OVER_STEP.iter().filter(|(name, _)| columns.contains(name));
        let plots =
            shown.filter_map(|(name, slopes)| over_step(groups, name, *slopes && rates.len() > 2, peers));
        charts.extend(plots.map(svg));
        charts.extend(over_cost(groups).map(svg));
    } else if groups.len() > 1 && distinct(groups, "kp").len() < 2 {
        let shown: Vec<&Group<'_>> = groups.iter().collect();
        charts.extend(columns.iter().filter_map(|name| bars(&shown, name, rates.first(), SIZE)));
    }
    // Where gains are mapped most curves leave all bounds.
    if distinct(groups, "kp").len() < 2 {
        charts.extend(curves(case, groups, &rates).map(svg));
    }
    charts.extend(maps(case, groups));
    charts
}

/// The values of a key, in the order they first come.
fn distinct<'a>(groups: impl IntoIterator<Item = &'a Group<'a>>, key: &str) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    for value in groups.into_iter().filter_map(|g| g.first().cell.settings.get(key)) {
        if !values.iter().any(|v| v == value) {
            values.push(value.to_owned());
        }
    }
    values
}

/// What tells series apart: the settings but for some keys.
fn series_name(group: &Group<'_>, without: &[&str]) -> String {
    let set = &group.first().cell.settings.0;
    let words = set.iter().filter(|(k, _)| !without.contains(&k.as_str())).map(|(_, v)| suites::label(v));
    words.collect::<Vec<_>>().join(" ")
}

/// Points by series, in the order the series first come; some have none, so that all plots of a set-up have the same colours.
fn by_series(
    groups: &[Group<'_>],
    without: &[&str],
    point: impl Fn(&Group<'_>) -> Option<(f64, f64)>,
) -> Vec<(String, Vec<(f64, f64)>)> {
    let mut all: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
    for group in groups {
        let name = series_name(group, without);
        let k = all.iter().position(|(n, _)| *n == name).unwrap_or_else(|| {
            all.push((name, Vec::new()));
            all.len() - 1
        });
        all[k].1.extend(point(group));
    }
    for (_, points) in &mut all {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    all
}

/// The slope of consistency over the step in the logarithm, by least squares, of every series with three points above rounding.
pub(super) fn orders(groups: &[Group<'_>]) -> Vec<(String, f64)> {
    let point = |g: &Group<'_>| {
        let y = g.get("consistency");
        Some((step(g)?.ln(), y.ln())).filter(|_| y.is_finite() && y > ROUNDING)
    };
    let slope = |points: &[(f64, f64)]| {
        let n = points.len() as f64;
        let (x, y) = points.iter().fold((0.0, 0.0), |sum, p| (sum.0 + p.0 / n, sum.1 + p.1 / n));
        let (xx, xy) = points
            .iter()
            .fold((0.0, 0.0), |sum, p| (sum.0 + (p.0 - x).powi(2), sum.1 + (p.0 - x) * (p.1 - y)));
        xy / xx
    };
    let all = by_series(groups, &["rate"], point).into_iter().filter(|(_, points)| points.len() > 2);
    all.map(|(name, points)| (name, slope(&points))).collect()
}

/// Distances below this are rounding, m.
const ROUNDING: f64 = 1e-11;

fn unit(name: &str) -> String {
    let unit = METRICS.iter().find(|m| m.name == name).map_or("", |m| m.unit);
    if unit.is_empty() { name.to_owned() } else { format!("{name}, {unit}") }
}

fn step(group: &Group<'_>) -> Option<f64> {
    group.first().cell.settings.get("rate")?.parse::<f64>().ok().map(|rate| 1e3 / rate)
}

/// A metric over the step, with slopes.
fn over_step(groups: &[Group<'_>], name: &str, slopes: bool, peers: &[&Peer]) -> Option<LinePlot> {
    let point = |g: &Group<'_>| Some((step(g)?, g.get(name))).filter(|(_, y)| y.is_finite());
    let mut series = by_series(groups, &["rate"], point);
    series.extend(of_peers(peers, name));
    let all: Vec<(f64, f64)> =
        series.iter().flat_map(|(_, p)| p.iter().copied()).filter(|p| p.1 > 0.0).collect();
    if all.len() < 2 {
        return None;
    }
    let mut plot = LinePlot { log_x: true, log_y: true, ..LinePlot::new(name, "step, ms", unit(name)) };
    for (name, points) in series {
        // What is nowhere on a logarithmic axis is told in the legend.
        let nothing = !points.is_empty() && points.iter().all(|p| p.1 == 0.0);
        let name = if nothing { format!("{name}: 0") } else { name };
        plot =
            plot.estimates(name, &points.iter().map(|p| (p.0, p.1, f64::NAN, f64::NAN)).collect::<Vec<_>>());
    }
    if slopes {
        plot.y_range = Some(range(&all));
        guides(&mut plot, &all);
    }
    Some(plot)
}

/// What others have of a metric over the step.
fn of_peers(peers: &[&Peer], metric: &str) -> Vec<(String, Vec<(f64, f64)>)> {
    let mut all: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
    for peer in peers.iter().filter(|p| p.get(metric) > 0.0) {
        let point = (1e3 / peer.steps_per_second(), peer.get(metric));
        match all.iter_mut().find(|(name, _)| *name == peer.name()) {
            Some((_, points)) => points.push(point),
            None => all.push((peer.name(), vec![point])),
        }
    }
    all.iter_mut().for_each(|(_, points)| points.sort_by(|a, b| a.0.total_cmp(&b.0)));
    all
}

/// A decade's fraction around the data.
fn range(points: &[(f64, f64)]) -> (f64, f64) {
    let (low, high) = points.iter().fold((f64::INFINITY, 0.0_f64), |(l, h), p| (l.min(p.1), h.max(p.1)));
    // What is below is rounding.
    ((low / 2.0).max(1e-17), high * 2.0)
}

/// Lines of slopes 1, 2 and 4 from the largest value at the longest step.
fn guides(plot: &mut LinePlot, points: &[(f64, f64)]) {
    let steps = points.iter().map(|p| p.0);
    let (short, long) = (steps.clone().fold(f64::INFINITY, f64::min), steps.fold(0.0, f64::max));
    let top = points.iter().filter(|p| p.0 == long).map(|p| p.1).fold(0.0, f64::max);
    if top <= plot.y_range.map_or(0.0, |(low, _)| low) {
        return;
    }
    for order in [1, 2, 4] {
        let end = top * (short / long).powi(order);
        // A line that leaves the plot ends where it does.
        let (low, _) = plot.y_range.unwrap_or((0.0, 0.0));
        let (x, y) =
            if end < low { (long * (low / top).powf(1.0 / f64::from(order)), low) } else { (short, end) };
        plot.series.push(Series {
            name: format!("slope {order}"),
            color: palette::INK.mix(palette::WHITE, 0.25 * f64::from(order.min(3))),
            points: vec![(x, y * 1.0001), (long, top)],
            intervals: Vec::new(),
            style: LineStyle::Line,
        });
    }
}

/// The first error there is over what it costs.
fn over_cost(groups: &[Group<'_>]) -> Option<LinePlot> {
    let error = ["consistency", "error", "energy_drift"]
        .into_iter()
        .find(|name| groups.iter().any(|g| g.get(name).is_finite() && g.get(name) > 0.0))?;
    let point = |g: &Group<'_>| {
        let y = g.get(error);
        Some((g.cost()?.per_second, y)).filter(|_| y.is_finite() && y > 0.0)
    };
    let series = by_series(groups, &["rate"], point);
    if series.iter().map(|(_, p)| p.len()).sum::<usize>() < 2 {
        return None;
    }
    let title = format!("{error} over cost");
    let plot = LinePlot::new(title, "processor seconds per simulated second", unit(error));
    let plot = LinePlot { log_x: true, log_y: true, ..plot };
    Some(series.into_iter().fold(plot, |plot, (name, points)| {
        plot.estimates(name, &points.iter().map(|p| (p.0, p.1, f64::NAN, f64::NAN)).collect::<Vec<_>>())
    }))
}

/// The headline's curve at one step, beside its closed form.
fn curves(case: &Case, groups: &[Group<'_>], rates: &[String]) -> Option<LinePlot> {
    let headline = case.subject.row()?.headline?;
    let rate = rates.get(rates.len() / 2).map(String::as_str);
    let here = |g: &&Group<'_>| rates.is_empty() || g.first().cell.settings.get("rate") == rate;
    let of_rate = rate.map_or_else(String::new, |rate| format!(" at {rate} Hz"));
    let label = format!("{}, {}", headline.curve, headline.curve_unit);
    let mut plot = LinePlot::new(format!("{}{of_rate}", headline.curve), "time, s", label);
    let mut end = 0.0_f64;
    for group in groups.iter().filter(here).filter(|g| !g.first().note.curve.is_empty()).take(8) {
        let points = group.first().note.curve.clone();
        end = points.last().map_or(end, |p| end.max(p.0));
        plot = plot.line(series_name(group, &["rate"]), points);
    }
    if plot.series.is_empty() {
        return None;
    }
    if let Some(closed) = headline.closed_form {
        let points = (0..=200).map(|k| f64::from(k) / 200.0 * end).map(|t| (t, closed(t))).collect();
        plot.series.push(Series {
            name: "closed form".to_owned(),
            color: palette::INK,
            points,
            intervals: Vec::new(),
            style: LineStyle::Line,
        });
    }
    Some(plot)
}

/// A metric of cells that differ in words, all at one rate.
fn bars(groups: &[&Group<'_>], name: &str, rate: Option<&String>, size: (usize, usize)) -> Option<String> {
    let values: Vec<f64> = groups.iter().map(|g| g.get(name)).collect();
    if values.iter().filter(|x| x.is_finite()).count() < 2 || values.iter().all(|x| *x == 0.0) {
        return None;
    }
    // Formulations side by side, one group of bars for each of the other settings.
    let mut categories: Vec<String> = Vec::new();
    for name in groups.iter().map(|g| series_name(g, &["formulation", "rate"])) {
        if !categories.contains(&name) {
            categories.push(name);
        }
    }
    let mut formulations = distinct(groups.iter().copied(), "formulation");
    if formulations.is_empty() {
        formulations.push(String::new());
    }
    let series = formulations.iter().map(|formulation| {
        let value = |category: &String| {
            let here = |g: &&&Group<'_>| {
                series_name(g, &["formulation", "rate"]) == *category
                    && g.first().cell.settings.get("formulation").unwrap_or_default() == formulation
            };
            groups.iter().find(here).map_or(f64::NAN, |g| g.get(name))
        };
        let values = categories.iter().map(value).collect();
        BarSeries { name: formulation.clone(), values, intervals: Vec::new() }
    });
    let chart = BarChart {
        title: rate.map_or_else(|| name.to_owned(), |rate| format!("{name} at {rate} Hz")),
        y_label: unit(name),
        series: series.collect(),
        categories: categories.clone(),
        ..BarChart::default()
    };
    Some(chart.to_svg(size.0, size.1))
}

/// Gains over steps: where the arm comes to rest, one map for each law and ground.
fn maps(case: &Case, groups: &[Group<'_>]) -> Vec<String> {
    let (gains, rates) = (distinct(groups, "kp"), distinct(groups, "rate"));
    if gains.len() < 2 || rates.len() < 2 || case.subject.row().is_none() {
        return Vec::new();
    }
    let mut names: Vec<String> = Vec::new();
    for group in groups {
        let name = series_name(group, &["kp", "rate"]);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let map = |name: &String| {
        let value = |kp: &String, rate: &String| {
            let at = |g: &&Group<'_>| {
                let s = &g.first().cell.settings;
                s.get("kp") == Some(kp)
                    && s.get("rate") == Some(rate)
                    && series_name(g, &["kp", "rate"]) == *name
            };
            let group = groups.iter().find(at)?;
            // Rest is a hundredth of a radian per second and less; what fails is as fast as anything.
            let spin = if group.get("survived") < 1.0 { 100.0 } else { group.get("headline") };
            Some(spin.max(1e-4).log10())
        };
        let rows: Vec<String> = gains.iter().rev().cloned().collect();
        let cells =
            rows.iter().flat_map(|kp| rates.iter().map(move |rate| value(kp, rate).unwrap_or(f64::NAN)));
        HeatMap {
            title: name.clone(),
            x_label: "steps per second".to_owned(),
            y_label: "kp, 1/s²".to_owned(),
            values: cells.collect(),
            columns: rates.clone(),
            rows: rows.clone(),
            range: Some((-4.0, 2.0)),
            unit: "log10 of the spin left, rad/s".to_owned(),
            ..HeatMap::default()
        }
    };
    names.iter().map(|name| map(name).to_svg(SIZE.0, SIZE.1)).collect()
}
