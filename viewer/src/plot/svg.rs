//! The text of an SVG document being written, and the widths of its words.

use std::fmt::Write as _;

use crate::palette::Color;

/// Fonts of the same widths: the one that PNGs are drawn with, and one that most browsers have.
pub(super) const FAMILY: &str = "DejaVu Sans, Verdana, sans-serif";

/// Size of the letters along axes.
pub(super) const SMALL: f64 = 11.0;
/// Size of the names of axes.
pub(super) const NORMAL: f64 = 12.0;
/// Size of headings.
pub(super) const LARGE: f64 = 14.0;

/// Height of the capitals and digits as a share of the letters' size.
pub(super) const CAPITALS: f64 = 0.73;

/// Where a text is held.
#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a line is drawn.
#[derive(Clone, Copy)]
pub(super) struct Pen {
    pub(super) color: Color,
    pub(super) width: f64,
    /// Lengths of strokes and gaps; none for a full line.
    pub(super) dashes: &'static str,
}

/// A document being written.
pub(super) struct Svg {
    out: String,
}

impl Svg {
    pub(super) fn new(width: f64, height: f64) -> Self {
        let mut svg = Self { out: String::new() };
        svg.line(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"{FAMILY}\">"
        ));
        svg
    }

    pub(super) fn finish(mut self) -> String {
        self.out.push_str("</svg>\n");
        self.out
    }

    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        writeln!(self.out, "{text}").expect("writing to a string cannot fail");
    }

    /// What is drawn until [`Svg::close`] is moved by this.
    pub(super) fn open(&mut self, x: f64, y: f64) {
        self.line(format_args!("<g transform=\"translate({x:.1} {y:.1})\">"));
    }

    /// What is drawn until [`Svg::close`] is a series: pages may set it off from others.
    pub(super) fn open_series(&mut self) {
        self.out.push_str("<g class=\"series\">\n");
    }

    /// What is drawn until [`Svg::close`] says this where a pointer rests on it.
    pub(super) fn open_told(&mut self, text: &str) {
        self.line(format_args!("<g><title>{}</title>", escape(text)));
    }

    pub(super) fn close(&mut self) {
        self.out.push_str("</g>\n");
    }

    pub(super) fn rect(&mut self, x: f64, y: f64, width: f64, height: f64, color: Color, alpha: f64) {
        let fill = color.css();
        self.line(format_args!(
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" fill=\"{fill}\" \
             fill-opacity=\"{alpha}\" shape-rendering=\"crispEdges\"/>"
        ));
    }

    pub(super) fn path(&mut self, points: &[(f64, f64)], pen: Pen) {
        let Pen { color, width, dashes } = pen;
        let dash = if dashes.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{dashes}\"") };
        self.line(format_args!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"{dash}/>",
            places(points),
            color.css()
        ));
    }

    pub(super) fn area(&mut self, points: &[(f64, f64)], color: Color, alpha: f64) {
        let fill = color.css();
        self.line(format_args!(
            "<polygon points=\"{}\" fill=\"{fill}\" fill-opacity=\"{alpha}\"/>",
            places(points)
        ));
    }

    /// A mark of the `shape`-th kind; shapes differ, so that they tell series apart without colours.
    pub(super) fn mark(&mut self, (x, y): (f64, f64), shape: usize, color: Color) {
        let r = 3.4;
        match shape % 5 {
            0 => {
                let fill = color.css();
                self.line(format_args!("<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{r}\" fill=\"{fill}\"/>"));
            }
            1 => self.rect(x - 0.88 * r, y - 0.88 * r, 1.76 * r, 1.76 * r, color, 1.0),
            2 => self.area(
                &[(x, y - 1.2 * r), (x + 1.1 * r, y + 0.8 * r), (x - 1.1 * r, y + 0.8 * r)],
                color,
                1.0,
            ),
            3 => self.area(
                &[(x, y - 1.25 * r), (x + 1.25 * r, y), (x, y + 1.25 * r), (x - 1.25 * r, y)],
                color,
                1.0,
            ),
            _ => self.area(
                &[(x, y + 1.2 * r), (x + 1.1 * r, y - 0.8 * r), (x - 1.1 * r, y - 0.8 * r)],
                color,
                1.0,
            ),
        }
    }

    /// A text whose capitals are centred on `y`.
    pub(super) fn text(&mut self, x: f64, y: f64, text: &str, anchor: Anchor, color: Color, size: f64) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let base = y + 0.5 * CAPITALS * size;
        self.line(format_args!(
            "<text x=\"{x:.2}\" y=\"{base:.2}\" text-anchor=\"{anchor}\" font-size=\"{size}\" fill=\"{}\">{}</text>",
            color.css(),
            escape(text)
        ));
    }

    /// A text that reads upwards, centred on (x, y).
    pub(super) fn upward_text(&mut self, x: f64, y: f64, text: &str, color: Color, size: f64) {
        let x = x + 0.5 * CAPITALS * size;
        self.line(format_args!(
            "<text x=\"{x:.2}\" y=\"{y:.2}\" text-anchor=\"middle\" font-size=\"{size}\" fill=\"{}\" \
             transform=\"rotate(-90 {x:.2} {y:.2})\">{}</text>",
            color.css(),
            escape(text)
        ));
    }
}

fn places(points: &[(f64, f64)]) -> String {
    let list: Vec<String> = points.iter().map(|(x, y)| format!("{x:.2},{y:.2}")).collect();
    list.join(" ")
}

fn escape(text: &str) -> String {
    // Control characters are no XML, escaped or not.
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    plain.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Advances of the letters from the blank to the tilde, in 1/2048 of their size (DejaVu Sans).
#[rustfmt::skip]
const ADVANCES: [u16; 95] = [
    651, 821, 942, 1716, 1303, 1946, 1597, 563, 799, 799, 1024, 1716, 651, 739, 651, 690, 1303, 1303, 1303, 1303, 1303, 1303, 1303,
    1303, 1303, 1303, 690, 690, 1716, 1716, 1716, 1087, 2048, 1401, 1405, 1430, 1577, 1294, 1178, 1587, 1540, 604, 604, 1343, 1141,
    1767, 1532, 1612, 1235, 1612, 1423, 1300, 1251, 1499, 1401, 2025, 1403, 1251, 1403, 799, 690, 799, 1716, 1024, 1024, 1255, 1300,
    1126, 1300, 1260, 721, 1300, 1298, 569, 569, 1186, 569, 1995, 1298, 1253, 1300, 1300, 842, 1067, 803, 1298, 1212, 1675, 1212,
    1212, 1075, 1303, 690, 1303, 1716,
];

/// Width of a line of text.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let advance = |c: char| match c {
        '·' => 651,
        '²' | '³' | '¹' | '⁰'..='ₜ' => 821,
        '–' => 1024,
        '−' | '≤' | '≥' | '±' | '×' => 1716,
        c => (c as usize).checked_sub(32).and_then(|k| ADVANCES.get(k)).copied().unwrap_or(1300),
    };
    text.chars().map(|c| f64::from(advance(c))).sum::<f64>() / 2048.0 * size
}
