//! A table of numbers as colours.

use super::Figure;
use super::axis::Axis;
use super::frame::{Frame, head};
use super::svg::{Anchor, CAPITALS, NORMAL, SMALL, Svg, width as text_width};
use crate::palette::{self, Color};

/// A table of numbers as colours.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeatMap {
    /// Heading.
    pub title: String,
    /// Name and unit of the columns.
    pub x_label: String,
    /// Name and unit of the rows.
    pub y_label: String,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Names of the rows, from the top.
    pub rows: Vec<String>,
    /// Values row by row; missing ones are not-a-number.
    pub values: Vec<f64>,
    /// Intervals row by row, printed where cells are large enough; empty where there are none.
    pub intervals: Vec<(f64, f64)>,
    /// Range of the colours; from the data where absent.
    pub range: Option<(f64, f64)>,
    /// Name and unit of the values.
    pub unit: String,
}

/// Width of the scale of colours with its numbers and name.
const SCALE: f64 = 70.0;

impl Figure for HeatMap {
    fn draw(&self, svg: &mut Svg, width: f64, height: f64) {
        let finite = self.values.iter().copied().filter(|v| v.is_finite());
        let axis = Axis::new(self.range, finite, false, 0.0);
        let names = (self.x_label.as_str(), self.y_label.as_str());
        let frame = head(svg, (width, height), &self.title, &[], &self.rows, names, SCALE);
        let (n, m) = (self.columns.len().max(1), self.rows.len().max(1));
        let (cell_w, cell_h) = (frame.width() / n as f64, frame.height() / m as f64);
        for j in 0..self.rows.len() {
            for i in 0..self.columns.len() {
                let k = j * self.columns.len() + i;
                let value = self.values.get(k).copied().unwrap_or(f64::NAN);
                let (x, y) = (frame.left + i as f64 * cell_w, frame.top + j as f64 * cell_h);
                let color = palette::ramp(axis.part(value));
                // A hair more than the cell: no seams between neighbours.
                svg.rect(x, y, cell_w + 0.3, cell_h + 0.3, color, 1.0);
                let ink = if is_light(color) { palette::INK } else { palette::WHITE };
                self.write_cell(svg, (x + 0.5 * cell_w, y + 0.5 * cell_h), (cell_w, cell_h), k, value, ink);
            }
        }
        // Every so many names that none touches the next.
        let widest = self.columns.iter().map(|c| text_width(c, SMALL)).fold(0.0, f64::max);
        let every = ((widest + 6.0) / cell_w).ceil().max(1.0) as usize;
        for (i, column) in self.columns.iter().enumerate().step_by(every) {
            let below = frame.bottom + 6.0 + 0.5 * CAPITALS * SMALL;
            svg.text(
                frame.left + (i as f64 + 0.5) * cell_w,
                below,
                column,
                Anchor::Middle,
                palette::INK,
                SMALL,
            );
        }
        let every = (1.3 * SMALL / cell_h).ceil().max(1.0) as usize;
        for (j, row) in self.rows.iter().enumerate().step_by(every) {
            svg.text(
                frame.left - 6.0,
                frame.top + (j as f64 + 0.5) * cell_h,
                row,
                Anchor::End,
                palette::INK,
                SMALL,
            );
        }
        frame.border(svg);
        frame.names(svg, names.0, names.1);
        self.draw_scale(svg, &frame, &axis, width);
    }
}

impl HeatMap {
    /// The number, and its interval below where there is room.
    fn write_cell(&self, svg: &mut Svg, at: (f64, f64), size: (f64, f64), k: usize, value: f64, ink: Color) {
        let text = if value.is_finite() { short(value) } else { "–".to_owned() };
        let interval = self.intervals.get(k).filter(|e| e.0.is_finite() && e.1.is_finite());
        let interval = interval.map(|e| format!("{}–{}", short(e.0), short(e.1)));
        let letters = SMALL - 1.0;
        if text_width(&text, letters) > size.0 - 2.0 || 1.2 * letters > size.1 {
            return;
        }
        let small = 8.0;
        match interval.filter(|i| text_width(i, small) < size.0 - 2.0 && 2.4 * letters < size.1) {
            Some(interval) => {
                svg.text(at.0, at.1 - 0.55 * letters, &text, Anchor::Middle, ink, letters);
                svg.text(at.0, at.1 + 0.65 * letters, &interval, Anchor::Middle, ink, small);
            }
            None => svg.text(at.0, at.1, &text, Anchor::Middle, ink, letters),
        }
    }

    fn draw_scale(&self, svg: &mut Svg, frame: &Frame, axis: &Axis, width: f64) {
        const STEPS: u32 = 64;
        let x = frame.right + 12.0;
        let step = frame.height() / f64::from(STEPS);
        for k in 0..STEPS {
            let y = frame.bottom - f64::from(k + 1) * step;
            svg.rect(x, y, 12.0, step + 0.3, palette::ramp((f64::from(k) + 0.5) / f64::from(STEPS)), 1.0);
        }
        Frame { left: x, right: x + 12.0, ..*frame }.border(svg);
        for (value, label) in axis.ticks((frame.height() / 45.0) as usize) {
            let y = frame.bottom - axis.part(value) * frame.height();
            svg.text(x + 16.0, y, &label, Anchor::Start, palette::INK, SMALL);
        }
        svg.upward_text(width - 9.0, 0.5 * (frame.top + frame.bottom), &self.unit, palette::INK, NORMAL);
    }
}

fn is_light(c: Color) -> bool {
    0.2126 * f64::from(c.r) + 0.7152 * f64::from(c.g) + 0.0722 * f64::from(c.b) > 140.0
}

/// At most four letters for what maps usually show.
fn short(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        a if !(0.005..99_999.0).contains(&a) => format!("{value:.0e}"),
        a if a >= 100.0 => format!("{value:.0}"),
        a if a >= 10.0 => format!("{value:.1}"),
        _ => {
            let text = format!("{value:.2}");
            if text.ends_with(".00") { text[..text.len() - 3].to_owned() } else { text }
        }
    }
}
