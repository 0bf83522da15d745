//! Figures for reports: line plots and heat maps, onto a canvas (PNG) or as SVG, from one layout.

use std::fmt::Write as _;

use crate::canvas::Canvas;
use crate::chart::short_number;
use crate::font;
use crate::palette::{self, Color};

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
            sink.text(at.0, at.1, &short_number(tick), Anchor::Middle, palette::INK, false);
        }
        for tick in y_axis.ticks(((frame.bottom - frame.top) / 34.0) as usize) {
            sink.path(&[(frame.left, to_y(tick)), (frame.right, to_y(tick))], 1.0, GRID, false);
            sink.text(
                frame.left - 5.0,
                to_y(tick) - 3.5,
                &short_number(tick),
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

struct Axis {
    low: f64,
    high: f64,
    log: bool,
}

impl Axis {
    fn new(range: Option<(f64, f64)>, values: impl Iterator<Item = f64>, log: bool, margin: f64) -> Self {
        let (low, high) = range.unwrap_or_else(|| {
            let (l, h) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
            if log { (l, h) } else { (l - margin * (h - l), h + margin * (h - l)) }
        });
        let sound = low.is_finite() && high.is_finite() && low < high && (!log || low > 0.0);
        match (sound, low.is_finite(), log) {
            (true, _, _) => Self { low, high, log },
            (false, true, false) => Self { low: low - 0.5, high: low + 0.5, log },
            (false, true, true) if low > 0.0 => Self { low: 0.5 * low, high: 2.0 * low, log },
            (false, _, true) => Self { low: 1.0, high: 10.0, log },
            _ => Self { low: 0.0, high: 1.0, log },
        }
    }

    /// Place on the axis, 0 to 1.
    fn part(&self, value: f64) -> f64 {
        if self.log {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        }
    }

    fn holds(&self, value: f64) -> bool {
        (-1e-9..=1.0 + 1e-9).contains(&self.part(value))
    }

    /// Round numbers, about `wanted` of them.
    fn ticks(&self, wanted: usize) -> Vec<f64> {
        let wanted = wanted.clamp(2, 20);
        if self.log {
            let (first, last) = (self.low.log10().ceil() as i32, self.high.log10().floor() as i32);
            let every = ((last - first).max(0) as usize / wanted + 1) as i32;
            let decades: Vec<f64> =
                (first..=last).filter(|d| d.rem_euclid(every) == 0).map(|d| 10f64.powi(d)).collect();
            return if decades.len() >= 2 { decades } else { vec![self.low, self.high] };
        }
        let rough = (self.high - self.low) / wanted as f64;
        let decade = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * decade).find(|&s| s >= rough);
        let step = step.unwrap_or(10.0 * decade);
        let first = (self.low / step).ceil();
        (0..=2 * wanted)
            .map(|i| (first + i as f64) * step)
            .take_while(|&v| v <= self.high + 1e-9 * step)
            .map(|v| if v.abs() < 1e-9 * step { 0.0 } else { v })
            .collect()
    }
}

#[derive(Clone, Copy)]
enum Anchor {
    Start,
    Middle,
    End,
}

/// Where a layout draws: a canvas or an SVG text. Text positions are the top of the capitals.
trait Sink {
    fn rect(&mut self, x: f64, y: f64, width: f64, height: f64, color: Color, alpha: f64);
    fn path(&mut self, points: &[(f64, f64)], width: f64, color: Color, dashed: bool);
    fn dot(&mut self, at: (f64, f64), radius: f64, color: Color);
    fn text(&mut self, x: f64, y: f64, text: &str, anchor: Anchor, color: Color, heading: bool);
    fn upward_text(&mut self, x: f64, y: f64, text: &str, color: Color);
}

/// Layouts are made for one unit per pixel up to 1000 pixels across; larger canvases enlarge everything.
fn on_canvas(width: usize, height: usize, draw: impl FnOnce(&mut dyn Sink, f64, f64)) -> Canvas {
    let mut canvas = Canvas::new(width, height);
    canvas.clear(palette::WHITE);
    let scale = if canvas.width() > 1000 { 2 } else { 1 };
    let size = (canvas.width() as f64 / scale as f64, canvas.height() as f64 / scale as f64);
    draw(&mut CanvasSink { canvas: &mut canvas, scale }, size.0, size.1);
    canvas
}

struct CanvasSink<'a> {
    canvas: &'a mut Canvas,
    scale: usize,
}

impl Sink for CanvasSink<'_> {
    fn rect(&mut self, x: f64, y: f64, width: f64, height: f64, color: Color, alpha: f64) {
        let k = self.scale as f64;
        let (x0, y0) = ((x * k).round() as i32, (y * k).round() as i32);
        let (x1, y1) = (((x + width) * k).round() as i32, ((y + height) * k).round() as i32);
        self.canvas.blend_rect(x0, y0, x1 - x0, y1 - y0, color, alpha);
    }

    fn path(&mut self, points: &[(f64, f64)], width: f64, color: Color, dashed: bool) {
        let k = self.scale as f64;
        let mut walked = 0.0;
        for pair in points.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            let length = (b.0 - a.0).hypot(b.1 - a.1);
            // Straight grid lines sit on pixels.
            let sharp = a.0 == b.0 || a.1 == b.1;
            let place = |p: (f64, f64)| {
                if sharp { ((p.0 * k).floor() + 0.5, (p.1 * k).floor() + 0.5) } else { (p.0 * k, p.1 * k) }
            };
            let at = |s: f64| (a.0 + (b.0 - a.0) * s, a.1 + (b.1 - a.1) * s);
            if !dashed || length <= 0.0 {
                self.canvas.stroke(place(a), place(b), width * k, color, 1.0);
                continue;
            }
            // Six on, four off.
            let mut s = 0.0;
            while s < length {
                let phase = (walked + s) % 10.0;
                let (on, step) = if phase < 6.0 { (true, 6.0 - phase) } else { (false, 10.0 - phase) };
                let end = (s + step.max(0.01)).min(length);
                if on {
                    self.canvas.stroke(place(at(s / length)), place(at(end / length)), width * k, color, 1.0);
                }
                s = end;
            }
            walked += length;
        }
    }

    fn dot(&mut self, at: (f64, f64), radius: f64, color: Color) {
        let k = self.scale as f64;
        self.canvas.disc((at.0 * k, at.1 * k), radius * k, color, 1.0);
    }

    fn text(&mut self, x: f64, y: f64, text: &str, anchor: Anchor, color: Color, heading: bool) {
        let k = self.scale as f64;
        let wide = font::text_width(text, self.scale) as f64;
        let left = x * k
            - match anchor {
                Anchor::Start => 0.0,
                Anchor::Middle => 0.5 * wide,
                Anchor::End => wide,
            };
        let (left, top) = (left.round() as i32, (y * k).round() as i32);
        font::draw_text(self.canvas, left, top, text, self.scale, color, 1.0);
        if heading {
            font::draw_text(self.canvas, left + 1, top, text, self.scale, color, 1.0);
        }
    }

    fn upward_text(&mut self, x: f64, y: f64, text: &str, color: Color) {
        let k = self.scale as f64;
        let start = y * k + 0.5 * font::text_width(text, self.scale) as f64;
        font::draw_text_upwards(self.canvas, (x * k) as i32, start as i32, text, self.scale, color);
    }
}

fn as_svg(width: usize, height: usize, draw: impl FnOnce(&mut dyn Sink, f64, f64)) -> String {
    let mut sink = SvgSink { out: String::new() };
    sink.line(format_args!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"11\">"
    ));
    sink.rect(0.0, 0.0, width as f64, height as f64, palette::WHITE, 1.0);
    draw(&mut sink, width as f64, height as f64);
    sink.out.push_str("</svg>\n");
    sink.out
}

struct SvgSink {
    out: String,
}

impl SvgSink {
    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        writeln!(self.out, "{text}").expect("writing to a string cannot fail");
    }
}

impl Sink for SvgSink {
    fn rect(&mut self, x: f64, y: f64, width: f64, height: f64, color: Color, alpha: f64) {
        let fill = color.css();
        self.line(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{fill}\" \
             fill-opacity=\"{alpha}\"/>"
        ));
    }

    fn path(&mut self, points: &[(f64, f64)], width: f64, color: Color, dashed: bool) {
        let list: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let dash = if dashed { " stroke-dasharray=\"6 4\"" } else { "" };
        self.line(format_args!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\" \
             stroke-linejoin=\"round\"{dash}/>",
            list.join(" "),
            color.css()
        ));
    }

    fn dot(&mut self, at: (f64, f64), radius: f64, color: Color) {
        let fill = color.css();
        self.line(format_args!(
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius}\" fill=\"{fill}\"/>",
            at.0, at.1
        ));
    }

    fn text(&mut self, x: f64, y: f64, text: &str, anchor: Anchor, color: Color, heading: bool) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let bold = if heading { " font-weight=\"bold\" font-size=\"13\"" } else { "" };
        self.line(format_args!(
            "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\" fill=\"{}\"{bold}>{}</text>",
            y + 8.0,
            color.css(),
            escape(text)
        ));
    }

    fn upward_text(&mut self, x: f64, y: f64, text: &str, color: Color) {
        let x = x + 8.0;
        self.line(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\" fill=\"{}\" \
             transform=\"rotate(-90 {x:.1} {y:.1})\">{}</text>",
            color.css(),
            escape(text)
        ));
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        let axis = Axis { low: -0.37, high: 2.41, log: false };
        assert_eq!(axis.ticks(6), [0.0, 0.5, 1.0, 1.5, 2.0]);
        let decades = Axis { low: 1e-6, high: 2.0, log: true };
        assert_eq!(decades.ticks(10).len(), 7);
    }

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
