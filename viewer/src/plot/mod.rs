//! Figures for reports: lines, points, bars, heat maps, timelines and sheets of them, as vector SVG and as pixels.
//!
//! A figure is laid out once, as SVG. Its pixels are that SVG drawn by the library resvg with a font that comes with the
//! program, so that both show the same on every machine. The layout is our own: it knows the widths of words in that font,
//! puts legends above data instead of over it, leaves names out that would touch, and draws intervals; of the plotting
//! libraries in Rust plotters guesses widths where there is no system font, and charming and plotly need a browser.
//!
//! Colours are those of [`crate::palette`]; lines also differ in dashes and marks in shape, so that figures read without
//! colours. Names of axes carry units: "time, s".

mod axis;
mod bars;
mod frame;
mod heat;
mod line;
mod pixels;
mod svg;
mod timeline;

pub use bars::{BarChart, BarSeries};
pub use heat::HeatMap;
pub use line::{LinePlot, LineStyle, Series};
pub use timeline::{Span, Timeline};

use crate::canvas::Canvas;
use crate::palette;
use svg::{Anchor, LARGE, Svg};

/// Pixels to a unit of the layout: letters of 11 units are then as legible in print as on a screen.
const PIXELS: f64 = 2.0;

/// Something that can be drawn into a rectangle of an SVG document.
trait Figure {
    /// Draws it at the origin.
    fn draw(&self, svg: &mut Svg, width: f64, height: f64);
}

macro_rules! drawable {
    ($($kind:ty),*) => {$(
        impl $kind {
            /// The figure as an SVG document of this many units.
            pub fn to_svg(&self, width: usize, height: usize) -> String {
                document(self, width, height)
            }

            /// The same as pixels, two to a unit.
            pub fn to_canvas(&self, width: usize, height: usize) -> Canvas {
                pixels::draw(&document(self, width, height), width, height, PIXELS)
            }
        }
    )*};
}

drawable!(LinePlot, BarChart, HeatMap, Timeline, Sheet<'_>);

fn document(figure: &dyn Figure, width: usize, height: usize) -> String {
    let (width, height) = (width.max(1) as f64, height.max(1) as f64);
    let mut svg = Svg::new(width, height);
    svg.rect(0.0, 0.0, width, height, palette::WHITE, 1.0);
    figure.draw(&mut svg, width, height);
    svg.finish()
}

/// Figures side by side, row by row.
#[derive(Default)]
pub struct Sheet<'a> {
    title: String,
    columns: usize,
    figures: Vec<&'a dyn Figure>,
}

impl<'a> Sheet<'a> {
    /// A sheet of so many columns.
    pub fn new(title: impl Into<String>, columns: usize) -> Self {
        Self { title: title.into(), columns: columns.max(1), figures: Vec::new() }
    }

    /// Adds a heat map.
    pub fn heat_map(&mut self, map: &'a HeatMap) {
        self.figures.push(map);
    }

    /// Adds a line plot.
    pub fn line_plot(&mut self, plot: &'a LinePlot) {
        self.figures.push(plot);
    }
}

impl Figure for Sheet<'_> {
    fn draw(&self, svg: &mut Svg, width: f64, height: f64) {
        let top = if self.title.is_empty() { 0.0 } else { 2.0 * LARGE };
        svg.text(0.5 * width, 0.6 * top, &self.title, Anchor::Middle, palette::INK, 1.2 * LARGE);
        let rows = self.figures.len().div_ceil(self.columns).max(1);
        let (cell_w, cell_h) = (width / self.columns as f64, (height - top) / rows as f64);
        for (k, figure) in self.figures.iter().enumerate() {
            svg.open((k % self.columns) as f64 * cell_w, top + (k / self.columns) as f64 * cell_h);
            figure.draw(svg, cell_w, cell_h);
            svg.close();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_without_data_or_with_wild_data_still_draws() {
        let empty = LinePlot::new("", "", "").to_canvas(200, 100);
        assert!(empty.pixels().iter().any(|&p| p != palette::WHITE.pixel()));
        let wild = LinePlot { log_y: true, ..LinePlot::new("wild\u{1}", "x", "y") }
            .line("a", vec![(0.0, f64::NAN), (f64::INFINITY, 1.0), (1.0, -1.0), (2.0, 0.0)])
            .line("b", vec![(1.0, 5.0)])
            .estimates("c", &[(1.0, 2.0, f64::NAN, f64::NAN), (2.0, 1e300, 0.0, f64::INFINITY)]);
        assert!(wild.to_svg(300, 200).contains(&palette::ORANGE.css()), "the one good point");
        wild.to_canvas(3, 2);
        HeatMap::default().to_canvas(100, 60);
        BarChart::default().to_canvas(100, 60);
        Timeline { spans: vec![Span { row: 9, from: f64::NAN, to: 1.0, kind: 3 }], ..Timeline::default() }
            .to_canvas(100, 60);
        Sheet::new("none", 0).to_canvas(10, 10);
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
    fn pixels_show_curve_and_words_of_the_svg() {
        let line: Vec<(f64, f64)> = (0..50).map(|i| (f64::from(i), f64::from(i * i))).collect();
        let plot = LinePlot::new("t", "x", "y").line("", line);
        let canvas = plot.to_canvas(320, 240);
        assert_eq!((canvas.width(), canvas.height()), (640, 480));
        let blue = canvas.pixels().iter().filter(|&&p| p == palette::BLUE.pixel()).count();
        assert!(blue > 300, "{blue}");
        let ink = |c: &Canvas| c.pixels().iter().filter(|&&p| p == palette::INK.pixel()).count();
        let wordy = LinePlot { title: "μ of many words, N·m".to_owned(), ..plot }.to_canvas(320, 240);
        assert!(ink(&wordy) > ink(&canvas) + 200, "{} {}", ink(&wordy), ink(&canvas));
    }

    /// The table of widths is that of the font: a row of letters ends where it should.
    #[test]
    fn words_are_as_wide_as_the_layout_thinks() {
        let text = "mean tracking error of 12 runs, kg·m²/s (95 %): 0.25–0.75";
        let mut document = Svg::new(600.0, 40.0);
        document.text(10.0, 20.0, text, Anchor::Start, palette::INK, LARGE);
        let canvas = pixels::draw(&document.finish(), 600, 40, 1.0);
        let dark = |x: &usize| (0..40).any(|y| canvas.get(*x, y).r < 160);
        let (first, last) = ((0..600).find(dark).unwrap(), (0..600).rfind(dark).unwrap());
        let found = (last - first) as f64;
        assert!((found / svg::width(text, LARGE) - 1.0).abs() < 0.02, "{found} {}", svg::width(text, LARGE));
    }

    #[test]
    fn legends_lie_outside_of_the_data() {
        let names = ["one", "another with a long name", "a third", "a fourth with a rather longer name"];
        let plot = names
            .iter()
            .fold(LinePlot::new("t", "x", "y"), |plot, name| plot.line(*name, vec![(0.0, 0.0), (1.0, 1.0)]));
        let svg = plot.to_svg(360, 260);
        // The frame is the last border drawn; every name stands above its top.
        let number = |line: &str, key: &str| -> f64 {
            let rest = &line[line.find(key).unwrap() + key.len()..];
            rest[..rest.find('"').unwrap()].parse().unwrap()
        };
        let grid = svg.lines().filter(|l| l.contains(&frame::GRID.color.css()));
        let tops = grid.map(|l| {
            let points = &l[l.find("points=\"").unwrap() + 8..];
            points[..points.find('"').unwrap()]
                .split(' ')
                .map(|p| p.split(',').nth(1).unwrap().parse::<f64>().unwrap())
                .fold(f64::INFINITY, f64::min)
        });
        let top = tops.fold(f64::INFINITY, f64::min);
        for name in names {
            let line = svg.lines().find(|l| l.contains(&format!(">{name}<"))).unwrap();
            assert!(number(line, " y=\"") < top, "{line}");
            assert!(number(line, "x=\"") + svg::width(name, svg::SMALL) < 360.0, "{line}");
        }
    }
}
