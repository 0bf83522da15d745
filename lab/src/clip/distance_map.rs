//! The distance map of two clips as SVG: dark where they are alike, a ring at every transition.

use std::fmt::Write;

use stuntlab_mocap::graph::DistanceMap;

/// Most cells along a side; larger maps show the nearest windows of each cell.
const CELLS: usize = 160;
/// Side of the longer edge of the map in the picture.
const SIDE: f64 = 640.0;
/// Room for labels.
const MARGIN: f64 = 48.0;
/// Steps of grey.
const LEVELS: usize = 24;

/// Draws a map; `marks` are rows and columns of transitions.
pub(super) fn draw(
    map: &DistanceMap,
    marks: &[(usize, usize)],
    names: [&str; 2],
    rate: f64,
    threshold: f64,
) -> String {
    let block = map.n_rows.max(map.n_columns).div_ceil(CELLS).max(1);
    let (rows, columns) = (map.n_rows.div_ceil(block), map.n_columns.div_ceil(block));
    let cell = SIDE / rows.max(columns).max(1) as f64;
    let (width, height) = (columns as f64 * cell, rows as f64 * cell);
    let mut svg = String::new();
    let _ = writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0} {:.0}\" font-family=\"sans-serif\" font-size=\"12\">",
        width + 2.0 * MARGIN,
        height + 2.0 * MARGIN
    );
    let _ = writeln!(svg, "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>");
    let _ = writeln!(svg, "<g transform=\"translate({MARGIN} {MARGIN})\" shape-rendering=\"crispEdges\">");
    for row in 0..rows {
        let level = |column: usize| shade(nearest(map, row * block, column * block, block), threshold);
        let mut start = 0;
        while start < columns {
            // Cells of one shade in a row become one rectangle.
            let shade = level(start);
            let end = (start + 1..columns).find(|&c| level(c) != shade).unwrap_or(columns);
            let grey = 255 * shade / LEVELS;
            let _ = writeln!(
                svg,
                "<rect x=\"{:.2}\" y=\"{:.2}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"rgb({grey},{grey},{grey})\"/>",
                start as f64 * cell,
                row as f64 * cell,
                (end - start) as f64 * cell,
                cell
            );
            start = end;
        }
    }
    svg.push_str("</g>\n");
    let scale = cell / block as f64;
    let _ = writeln!(svg, "<g transform=\"translate({MARGIN} {MARGIN})\" fill=\"none\" stroke=\"#d62728\">");
    for &(row, column) in marks {
        let (x, y) = ((column as f64 + 0.5) * scale, (row as f64 + 0.5) * scale);
        let _ = writeln!(svg, "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"4\"/>");
    }
    svg.push_str("</g>\n");
    labels(&mut svg, map, names, rate, threshold, [width, height]);
    svg.push_str("</svg>\n");
    svg
}

fn labels(svg: &mut String, map: &DistanceMap, names: [&str; 2], rate: f64, threshold: f64, size: [f64; 2]) {
    let [width, height] = size;
    let (down, across) = (escape(names[0]), escape(names[1]));
    let seconds = |n: usize| n as f64 / rate;
    let _ = writeln!(
        svg,
        "<text x=\"{MARGIN}\" y=\"20\">{across} (across, {:.1} s) against {down} (down, {:.1} s)</text>",
        seconds(map.n_columns),
        seconds(map.n_rows)
    );
    let _ = writeln!(
        svg,
        "<text x=\"{MARGIN}\" y=\"38\">black: 0 cm, white: {:.0} cm and more; rings: transitions below {:.1} cm</text>",
        500.0 * threshold,
        100.0 * threshold
    );
    let _ = writeln!(svg, "<text x=\"{MARGIN}\" y=\"{:.0}\">0 s</text>", height + MARGIN + 16.0);
    let _ = writeln!(
        svg,
        "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{:.1} s</text>",
        width + MARGIN,
        height + MARGIN + 16.0,
        seconds(map.n_columns)
    );
}

/// The smallest distance in a block.
fn nearest(map: &DistanceMap, row: usize, column: usize, block: usize) -> f64 {
    let rows = row..(row + block).min(map.n_rows);
    let columns = column..(column + block).min(map.n_columns);
    let all = rows.flat_map(|r| columns.clone().map(move |c| map.at(r, c)));
    f64::from(all.fold(f32::INFINITY, f32::min))
}

/// Grey level: white at five times the threshold.
fn shade(distance: f64, threshold: f64) -> usize {
    ((distance / (5.0 * threshold)).clamp(0.0, 1.0) * LEVELS as f64).round() as usize
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
