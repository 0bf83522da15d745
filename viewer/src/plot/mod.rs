//! Figures for reports: line plots and heat maps, onto a canvas (PNG) or as SVG, from one layout.

mod axis;
mod sink;

use crate::canvas::Canvas;
use crate::chart::short_number;
use crate::palette::{self, Color};
use axis::{Axis, tick_label};
use sink::{Anchor, Sink, as_svg, on_canvas};

/// How a curve is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineStyle {
    /// A full line.
    Solid,
    /// A broken line.
    Dashed,
    /// Dots only.
    Dots,
}

/// One curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Colour.
    pub color: Color,
    /// Points in order; one that is not finite leaves a gap.
    pub points: Vec<(f64, f64)>,
    /// How it is drawn.
    pub style: LineStyle,
}

/// A plot of curves over a common x axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinePlot {
    /// Heading.
    pub title: String,
    /// Name and unit of the x axis.
    pub x_label: String,
    /// Name and unit of the y axis.
    pub y_label: String,
    /// The curves.
    pub series: Vec<Series>,
    /// Range of x; from the data where absent.
    pub x_range: Option<(f64, f64)>,
    /// Range of y; from the data where absent.
    pub y_range: Option<(f64, f64)>,
    /// Logarithmic x axis; values that are not positive are left out.
    pub log_x: bool,
    /// Logarithmic y axis; values that are not positive are left out.
    pub log_y: bool,
}

/// A table of numbers as colours.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeatMap {
    /// Heading.
    pub title: String,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Names of the rows, from the top.
    pub rows: Vec<String>,
    /// Values row by row; missing ones are not-a-number.
    pub values: Vec<f64>,
    /// Range of the colours; from the data where absent.
    pub range: Option<(f64, f64)>,
    /// Name and unit of the values.
    pub unit: String,
}

impl LinePlot {
    /// An empty plot.
    pub fn new(title: impl Into<String>, x_label: impl Into<String>, y_label: impl Into<String>) -> Self {
        Self { title: title.into(), x_label: x_label.into(), y_label: y_label.into(), ..Self::default() }
    }

    /// Adds a full line in the next colour of the palette.
    pub fn line(mut self, name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        let color = palette::series(self.series.len());
        self.series.push(Series { name: name.into(), color, points, style: LineStyle::Solid });
        self
    }

    /// Draws the plot on a new canvas.
    pub fn to_canvas(&self, width: usize, height: usize) -> Canvas {
        on_canvas(width, height, |sink, w, h| self.lay_out(sink, w, h))
    }

    /// The plot as an SVG document.
    pub fn to_svg(&self, width: usize, height: usize) -> String {
        as_svg(width, height, |sink, w, h| self.lay_out(sink, w, h))
    }

    fn lay_out(&self, sink: &mut dyn Sink, width: f64, height: f64) {
        let drawn = |&(x, y): &(f64, f64)| {
            x.is_finite() && y.is_finite() && (!self.log_x || x > 0.0) && (!self.log_y || y > 0.0)
        };
        let all = || self.series.iter().flat_map(|s| &s.points).filter(|p| drawn(p));
        let x_axis = Axis::new(self.x_range, all().map(|p| p.0), self.log_x, 0.0);
        let y_axis = Axis::new(self.y_range, all().map(|p| p.1), self.log_y, 0.04);
        let frame = Frame { left: 64.0, right: width - 14.0, top: 30.0, bottom: height - 40.0 };
        let (to_x, to_y) = (
            |v: f64| frame.left + x_axis.part(v) * (frame.right - frame.left),
            |v: f64| frame.bottom - y_axis.part(v) * (frame.bottom - frame.top),
        );
        sink.text(0.5 * (frame.left + frame.right), 10.0, &self.title, Anchor::Middle, palette::INK, true);
        for tick in x_axis.ticks(((frame.right - frame.left) / 70.0) as usize) {
            sink.path(&[(to_x(tick), frame.top), (to_x(tick), frame.bottom)], 1.0, GRID, false);
            let at = (to_x(tick), frame.bottom + 6.0);
            sink.text(at.0, at.1, &tick_label(tick), Anchor::Middle, palette::INK, false);
        }
        for tick in y_axis.ticks(((frame.bottom - frame.top) / 34.0) as usize) {
            sink.path(&[(frame.left, to_y(tick)), (frame.right, to_y(tick))], 1.0, GRID, false);
            sink.text(
                frame.left - 5.0,
                to_y(tick) - 3.5,
                &tick_label(tick),
                Anchor::End,
                palette::INK,
                false,
            );
        }
        for series in &self.series {
            // Pieces between gaps; what leaves the frame is cut at its border.
            let mut piece = Vec::new();
            let mut flush = |piece: &mut Vec<(f64, f64)>| {
                if piece.len() > 1 && series.style != LineStyle::Dots {
                    sink.path(piece, 1.8, series.color, series.style == LineStyle::Dashed);
                }
                if piece.len() == 1 || series.style == LineStyle::Dots {
                    piece.iter().for_each(|&p| sink.dot(p, 2.4, series.color));
                }
                piece.clear();
            };
            for point in &series.points {
                if drawn(point) && y_axis.holds(point.1) && x_axis.holds(point.0) {
                    piece.push((to_x(point.0), to_y(point.1)));
                } else {
                    flush(&mut piece);
                }
            }
            flush(&mut piece);
        }
        frame.border(sink);
        let middle = 0.5 * (frame.left + frame.right);
        sink.text(middle, height - 14.0, &self.x_label, Anchor::Middle, palette::INK, false);
        sink.upward_text(6.0, 0.5 * (frame.top + frame.bottom), &self.y_label, palette::INK);
        self.legend(sink, &frame);
    }

    fn legend(&self, sink: &mut dyn Sink, frame: &Frame) {
        let named: Vec<&Series> = self.series.iter().filter(|s| !s.name.is_empty()).collect();
        let letters = named.iter().map(|s| s.name.chars().count()).max().unwrap_or(0);
        if letters == 0 {
            return;
        }
        let (width, height) = (letters as f64 * 6.0 + 34.0, named.len() as f64 * 13.0 + 7.0);
        let (x, y) = (frame.right - width - 6.0, frame.top + 6.0);
        sink.rect(x, y, width, height, palette::WHITE, 0.85);
        for (i, series) in named.iter().enumerate() {
            let middle = y + 10.0 + 13.0 * i as f64;
            match series.style {
                LineStyle::Dots => sink.dot((x + 14.0, middle), 2.4, series.color),
                style => sink.path(
                    &[(x + 5.0, middle), (x + 23.0, middle)],
                    2.2,
                    series.color,
                    style == LineStyle::Dashed,
                ),
            }
            sink.text(x + 29.0, middle - 3.5, &series.name, Anchor::Start, palette::INK, false);
        }
    }
}

impl HeatMap {
    /// Draws the table on a new canvas.
    pub fn to_canvas(&self, width: usize, height: usize) -> Canvas {
        on_canvas(width, height, |sink, w, h| self.lay_out(sink, w, h))
    }

    /// The table as an SVG document.
    pub fn to_svg(&self, width: usize, height: usize) -> String {
        as_svg(width, height, |sink, w, h| self.lay_out(sink, w, h))
    }

    fn lay_out(&self, sink: &mut dyn Sink, width: f64, height: f64) {
        let letters = self.rows.iter().map(|r| r.chars().count()).max().unwrap_or(0);
        let frame = Frame {
            left: 14.0 + 6.0 * letters as f64,
            right: width - 76.0,
            top: 30.0,
            bottom: height - 24.0,
        };
        let finite = self.values.iter().copied().filter(|v| v.is_finite());
        let axis = Axis::new(self.range, finite, false, 0.0);
        let (n, m) = (self.columns.len().max(1) as f64, self.rows.len().max(1) as f64);
        let (cell_w, cell_h) = ((frame.right - frame.left) / n, (frame.bottom - frame.top) / m);
        sink.text(0.5 * width, 10.0, &self.title, Anchor::Middle, palette::INK, true);
        for (j, row) in self.rows.iter().enumerate() {
            let y = frame.top + j as f64 * cell_h;
            sink.text(frame.left - 5.0, y + 0.5 * cell_h - 3.5, row, Anchor::End, palette::INK, false);
            for i in 0..self.columns.len() {
                let value = self.values.get(j * self.columns.len() + i).copied().unwrap_or(f64::NAN);
                let part = axis.part(value);
                let x = frame.left + i as f64 * cell_w;
                sink.rect(x, y, cell_w, cell_h, palette::ramp(part), 1.0);
                let text = if value.is_finite() { short_number(value) } else { "–".to_owned() };
                if cell_w > 6.0 * text.chars().count() as f64 + 4.0 && cell_h > 10.0 {
                    let ink = if part > 0.55 { palette::INK } else { palette::WHITE };
                    sink.text(x + 0.5 * cell_w, y + 0.5 * cell_h - 3.5, &text, Anchor::Middle, ink, false);
                }
            }
        }
        for (i, column) in self.columns.iter().enumerate() {
            let x = frame.left + (i as f64 + 0.5) * cell_w;
            sink.text(x, frame.bottom + 7.0, column, Anchor::Middle, palette::INK, false);
        }
        frame.border(sink);
        // The scale of colours at the right.
        let (x, steps) = (frame.right + 14.0, 40);
        let step = (frame.bottom - frame.top) / f64::from(steps);
        for k in 0..steps {
            let y = frame.bottom - f64::from(k + 1) * step;
            sink.rect(x, y, 12.0, step + 0.5, palette::ramp((f64::from(k) + 0.5) / f64::from(steps)), 1.0);
        }
        sink.text(x + 16.0, frame.top, &short_number(axis.high), Anchor::Start, palette::INK, false);
        sink.text(x + 16.0, frame.bottom - 7.0, &short_number(axis.low), Anchor::Start, palette::INK, false);
        sink.text(width - 6.0, frame.bottom + 7.0, &self.unit, Anchor::End, palette::INK, false);
    }
}

const GRID: Color = Color::hex(0xE3E6EA);

struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Frame {
    fn border(&self, sink: &mut dyn Sink) {
        let (l, r, t, b) = (self.left, self.right, self.top, self.bottom);
        sink.path(&[(l, t), (r, t), (r, b), (l, b), (l, t)], 1.0, Color::hex(0x8A929C), false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_without_data_or_with_wild_data_still_draws() {
        let empty = LinePlot::new("", "", "").to_canvas(200, 100);
        assert!(empty.pixels().iter().any(|&p| p != palette::WHITE.pixel()));
        let wild = LinePlot { log_y: true, ..LinePlot::new("wild", "x", "y") }
            .line("a", vec![(0.0, f64::NAN), (f64::INFINITY, 1.0), (1.0, -1.0), (2.0, 0.0)])
            .line("b", vec![(1.0, 5.0)]);
        assert!(wild.to_svg(300, 200).contains("circle"));
        wild.to_canvas(3, 2);
        HeatMap::default().to_canvas(100, 60);
    }

    #[test]
    fn the_svg_has_the_curve_and_escapes_names() {
        let plot = LinePlot::new("a < b & c", "t, s", "E, J").line("\"run\"", vec![(0.0, 1.0), (1.0, 2.0)]);
        let svg = plot.to_svg(400, 300);
        assert!(svg.contains("a &lt; b &amp; c") && svg.contains("&quot;run&quot;"));
        assert!(svg.contains(&palette::BLUE.css()));
        assert_eq!(svg.matches("<svg").count(), svg.matches("</svg>").count());
    }

    #[test]
    fn a_curve_shows_in_its_colour() {
        let line = (0..50).map(|i| (f64::from(i), f64::from(i * i))).collect();
        let canvas = LinePlot::new("t", "x", "y").line("", line).to_canvas(320, 240);
        let blue = canvas.pixels().iter().filter(|&&p| p == palette::BLUE.pixel()).count();
        assert!(blue > 100, "{blue}");
    }
}
