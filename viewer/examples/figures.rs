//! One figure of each kind, as SVG and PNG: `cargo run --release -p stuntlab-viewer --example figures -- DIR`.

use std::path::PathBuf;

use stuntlab_viewer::plot::{BarChart, BarSeries, HeatMap, LinePlot, Span, Timeline};
use stuntlab_viewer::png::write_png;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "out/figures".to_owned()));
    std::fs::create_dir_all(&directory)?;
    let names = |list: &[&str]| list.iter().map(|&s| s.to_owned()).collect::<Vec<_>>();

    let curve =
        |k: f64| (0..200).map(|i| (f64::from(i) * 0.05, (f64::from(i) * 0.05 * k).sin() * k)).collect();
    let lines = LinePlot::new("Three curves", "time, s", "energy error, J")
        .line("slow", curve(0.7))
        .line("middling", curve(1.0))
        .line("fast", curve(1.6));
    write_png(&lines.to_canvas(720, 420), directory.join("lines.png"))?;
    std::fs::write(directory.join("lines.svg"), lines.to_svg(720, 420))?;

    let cloud = |k: f64| {
        let point = |i: i32| (1.2f64.powi(i), 1e-5 * 1.35f64.powi(i) * (1.3 + (k * f64::from(i)).sin()));
        (1..40).map(point).collect()
    };
    let estimate = |i: i32| {
        let y = 2.5e-5 * 9f64.powi(i);
        (4f64.powi(i) / 8.0, y, 0.5 * y, 1.5 * y)
    };
    let estimates: Vec<(f64, f64, f64, f64)> = (1..8).map(estimate).collect();
    let empty = LinePlot::new("Points and estimates on logarithmic axes", "size", "time, s");
    let scatter = LinePlot { log_x: true, log_y: true, ..empty }
        .scatter("one cloud", cloud(1.0))
        .scatter("another", cloud(2.3))
        .estimates("estimates, 95 %", &estimates);
    write_png(&scatter.to_canvas(720, 420), directory.join("scatter.png"))?;
    std::fs::write(directory.join("scatter.svg"), scatter.to_svg(720, 420))?;

    let bars = |name: &str, values: &[f64]| BarSeries {
        name: name.to_owned(),
        values: values.to_vec(),
        intervals: values.iter().map(|v| (0.8 * v, 1.15 * v)).collect(),
    };
    let chart = BarChart {
        title: "Bars by category (95 % intervals)".to_owned(),
        x_label: "category".to_owned(),
        y_label: "time, ms".to_owned(),
        categories: names(&["first", "second", "third", "fourth"]),
        series: vec![bars("one core", &[3.4, 5.1, 6.0, 9.2]), bars("two cores", &[2.1, 4.8, 3.9, 8.8])],
    };
    write_png(&chart.to_canvas(720, 420), directory.join("bars.png"))?;
    std::fs::write(directory.join("bars.svg"), chart.to_svg(720, 420))?;

    let values: Vec<f64> = (0..16).map(|i| if i == 0 { f64::NAN } else { 40.0 / f64::from(i + 1) }).collect();
    let map = HeatMap {
        title: "A table as colours (95 % intervals)".to_owned(),
        x_label: "rate of steps".to_owned(),
        y_label: "formulation".to_owned(),
        columns: names(&["60 Hz", "120 Hz", "240 Hz", "480 Hz"]),
        rows: names(&["penalty", "implicit", "lcp-pgs", "lcp-dantzig"]),
        intervals: values.iter().map(|v| (0.8 * v, 1.2 * v)).collect(),
        values,
        range: None,
        unit: "penetration, mm".to_owned(),
    };
    write_png(&map.to_canvas(720, 420), directory.join("heat.png"))?;
    std::fs::write(directory.join("heat.svg"), map.to_svg(720, 420))?;

    let span = |row, from, to, kind| Span { row, from, to, kind };
    let timeline = Timeline {
        title: "A bout".to_owned(),
        x_label: "time, s".to_owned(),
        rows: names(&["one boxer", "the other", "blows"]),
        kinds: names(&["guard", "punch", "down", "getting up", "blow"]),
        spans: vec![
            span(0, 0.0, 3.0, 0),
            span(0, 3.0, 4.1, 1),
            span(0, 4.1, 12.0, 0),
            span(1, 0.0, 3.6, 0),
            span(1, 3.6, 6.0, 2),
            span(1, 6.0, 9.0, 3),
            span(1, 9.0, 12.0, 0),
            span(2, 3.5, 3.5, 4),
            span(2, 3.62, 3.66, 4),
        ],
        x_range: None,
    };
    write_png(&timeline.to_canvas(720, 260), directory.join("timeline.png"))?;
    std::fs::write(directory.join("timeline.svg"), timeline.to_svg(720, 260))?;
    println!("wrote {}", directory.display());
    Ok(())
}
