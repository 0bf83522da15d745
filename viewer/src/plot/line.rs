//! Curves and points over a common axis.

use super::Figure;
use super::axis::Axis;
use super::frame::{DASHES, Key, head, whisker};
use super::svg::{Pen, Svg};
use crate::palette::{self, Color};

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineStyle {
    /// A line; lines differ in colour and in dashes.
    Line,
    /// Marks only; they differ in colour and in shape.
    Marks,
    /// Marks joined by a line.
    Both,
}

/// One curve or cloud of points.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Colour.
    pub color: Color,
    /// Points in order; one that is not finite leaves a gap.
    pub points: Vec<(f64, f64)>,
    /// Ends of each point's interval in y; empty where there are none. Lines have a band, marks have whiskers.
    pub intervals: Vec<(f64, f64)>,
    /// How it is drawn.
    pub style: LineStyle,
}

/// A plot of curves or points.
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

impl LinePlot {
    /// An empty plot.
    pub fn new(title: impl Into<String>, x_label: impl Into<String>, y_label: impl Into<String>) -> Self {
        Self { title: title.into(), x_label: x_label.into(), y_label: y_label.into(), ..Self::default() }
    }

    /// Adds a line in the next colour of the palette.
    pub fn line(self, name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        self.add(name.into(), points, LineStyle::Line)
    }

    /// Adds points in the next colour of the palette.
    pub fn scatter(self, name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        self.add(name.into(), points, LineStyle::Marks)
    }

    /// Adds points joined by a line, each with the ends of its interval.
    pub fn estimates(self, name: impl Into<String>, points: &[(f64, f64, f64, f64)]) -> Self {
        let mut plot = self.add(name.into(), points.iter().map(|p| (p.0, p.1)).collect(), LineStyle::Both);
        if let Some(last) = plot.series.last_mut() {
            last.intervals = points.iter().map(|p| (p.2, p.3)).collect();
        }
        plot
    }

    fn add(mut self, name: String, points: Vec<(f64, f64)>, style: LineStyle) -> Self {
        let color = palette::series(self.series.len());
        self.series.push(Series { name, color, points, intervals: Vec::new(), style });
        self
    }
}

impl Figure for LinePlot {
    fn draw(&self, svg: &mut Svg, width: f64, height: f64) {
        let fits = |v: f64, log: bool| v.is_finite() && (!log || v > 0.0);
        let drawn = |&(x, y): &(f64, f64)| fits(x, self.log_x) && fits(y, self.log_y);
        let all = || self.series.iter().flat_map(|s| &s.points).filter(|p| drawn(p));
        let ends = || self.series.iter().flat_map(|s| &s.intervals).flat_map(|i| [i.0, i.1]);
        let x_axis = Axis::new(self.x_range, all().map(|p| p.0), self.log_x, 0.02);
        let tall = all().map(|p| p.1).chain(ends().filter(|v| fits(*v, self.log_y)));
        let y_axis = Axis::new(self.y_range, tall, self.log_y, 0.04);
        let pen = |k: usize, s: &Series| Pen { color: s.color, width: 1.9, dashes: DASHES[k % DASHES.len()] };
        let key = |(k, s): (usize, &Series)| {
            let key = if s.style == LineStyle::Line { Key::Line(pen(k, s)) } else { Key::Mark(k, s.color) };
            (s.name.clone(), key)
        };
        // A series without points keeps its colour and has no name.
        let named = self.series.iter().enumerate().filter(|(_, s)| !s.points.is_empty());
        let legend: Vec<(String, Key)> = named.map(key).collect();
        let y_ticks = y_axis.ticks((height / 45.0) as usize);
        let labels: Vec<String> = y_ticks.iter().map(|t| t.1.clone()).collect();
        let names = (self.x_label.as_str(), self.y_label.as_str());
        let frame = head(svg, (width, height), &self.title, &legend, &labels, names, 4.0);
        frame.y_axis(svg, &y_ticks, &y_axis);
        frame.x_axis(svg, &x_axis.ticks((frame.width() / 65.0) as usize), &x_axis);
        let to_x = |v: f64| frame.left + x_axis.part(v) * frame.width();
        let to_y = |v: f64| frame.bottom - y_axis.part(v).clamp(0.0, 1.0) * frame.height();
        for (k, series) in self.series.iter().enumerate() {
            svg.open_series();
            let inside = |p: &(f64, f64)| drawn(p) && x_axis.holds(p.0) && y_axis.holds(p.1);
            // Pieces between gaps.
            for piece in series.points.iter().zip(0..).collect::<Vec<_>>().split(|(p, _)| !inside(p)) {
                let places: Vec<(f64, f64)> = piece.iter().map(|(p, _)| (to_x(p.0), to_y(p.1))).collect();
                let interval =
                    |i: usize| series.intervals.get(i).filter(|e| fits(e.0, self.log_y) && e.1.is_finite());
                let band: Vec<(f64, f64, f64)> = piece
                    .iter()
                    .filter_map(|(p, i)| interval(*i).map(|e| (to_x(p.0), to_y(e.0), to_y(e.1))))
                    .collect();
                if series.style == LineStyle::Line && band.len() > 1 {
                    let back = band.iter().rev().map(|b| (b.0, b.2));
                    let around: Vec<(f64, f64)> = band.iter().map(|b| (b.0, b.1)).chain(back).collect();
                    svg.area(&around, series.color, 0.18);
                } else {
                    band.iter().for_each(|b| whisker(svg, b.0, b.1, b.2, series.color));
                }
                if places.len() > 1 && series.style != LineStyle::Marks {
                    svg.path(&places, pen(k, series));
                }
                if places.len() == 1 || series.style != LineStyle::Line {
                    for (&place, (p, _)) in places.iter().zip(piece) {
                        svg.open_told(&format!("{}: {}, {}", series.name, told(p.0), told(p.1)));
                        svg.mark(place, k, series.color);
                        svg.close();
                    }
                }
            }
            svg.close();
        }
        frame.border(svg);
        frame.names(svg, names.0, names.1);
    }
}

/// A number as a pointer is told it.
fn told(x: f64) -> String {
    if x == 0.0 || (1e-3..1e5).contains(&x.abs()) { format!("{x:.4}") } else { format!("{x:.3e}") }
}
