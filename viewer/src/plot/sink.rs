//! Where a layout draws: a canvas, or the text of an SVG document.

use std::fmt::Write as _;

use crate::canvas::Canvas;
use crate::font;
use crate::palette::{self, Color};

#[derive(Clone, Copy)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// Where a layout draws: a canvas or an SVG text. Text positions are the top of the capitals.
pub(super) trait Sink {
    fn rect(&mut self, x: f64, y: f64, width: f64, height: f64, color: Color, alpha: f64);
    fn path(&mut self, points: &[(f64, f64)], width: f64, color: Color, dashed: bool);
    fn dot(&mut self, at: (f64, f64), radius: f64, color: Color);
    fn text(&mut self, x: f64, y: f64, text: &str, anchor: Anchor, color: Color, heading: bool);
    fn upward_text(&mut self, x: f64, y: f64, text: &str, color: Color);
}

/// Layouts are made for one unit per pixel up to 1000 pixels across; larger canvases enlarge everything.
pub(super) fn on_canvas(width: usize, height: usize, draw: impl FnOnce(&mut dyn Sink, f64, f64)) -> Canvas {
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

pub(super) fn as_svg(width: usize, height: usize, draw: impl FnOnce(&mut dyn Sink, f64, f64)) -> String {
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
